import type { Host } from '../ipc/host';
import type { OpenPage, PreviewPiece } from '../ipc/types';
import { FloodGate, frameClaim, type FrameClaim, type FrameHit, type FrameOrder } from '../lib/frameMessages';
import { ENTRY, isPage } from '../lib/pages';
import { FrameQuestions, type Asked } from './frameQuestions';
import { PageText } from './pageText';

/** What the controller needs from the browser around it. */
export interface PreviewPorts {
  nextFrame(then: () => void): void;
  /** Runs `then` later; the returned function calls it off. */
  after(ms: number, then: () => void): () => void;
  now(): number;
}

/** An option of a run. */
export interface OptionTarget {
  runId: string;
  variantIndex: number;
}

/** What the stage shows: an option, or a version whatever made it. */
export type PreviewTarget = OptionTarget | { versionId: string };

/** One iframe of the stage. The newest `front` one is what is seen. */
export interface StageFrame {
  key: number;
  role: 'stream' | 'page';
  src: string;
  level: 'front' | 'under';
}

type Post = (order: FrameOrder) => void;

const PAINT_TIMEOUT_MS = 4_000;
const PING_EVERY_MS = 100;
const MESSAGES_PER_SECOND = 1_000;
/** Enough text to find the element a drawing stands in. */
const TAIL = 8_000;

/**
 * Writes a growing page into one persistent frame and swaps the stored page in at the end,
 * so that the stage is never blank and never moves.
 */
export class PreviewController {
  frames = $state.raw<readonly StageFrame[]>([]);
  phase = $state<'empty' | 'writing' | 'finished'>('empty');
  /** Height of the page in its own pixels, as the frame claims it. */
  pageHeight = $state<number | undefined>();
  scrollY = $state(0);
  hasText = $state(false);
  flooded = $state(false);
  /** What is shown, for another window to show as well. */
  shown = $state.raw<OpenPage | undefined>();
  /** The last text of the page, for naming what is being written. */
  tail = $state('');

  #target: PreviewTarget | undefined;
  #path = ENTRY;
  #takesFirst = true;
  #texts = new Map<string, PageText>();
  #questions: FrameQuestions;
  #posts = new Map<number, Post>();
  #gates = new Map<number, FloodGate>();
  #stream: { key: number; ready: boolean; sent: number } | undefined;
  #pending: { key: number; callOff: () => void } | undefined;
  #callOffPing: (() => void) | undefined;
  #isClosed = false;
  #flushing = false;
  #reopen = false;
  #keys = 0;
  #version = 0;
  #pings = 0;
  #loads = 0;

  constructor(
    private readonly host: Pick<Host, 'previewText' | 'streamAddress' | 'pageAddress' | 'versionAddress'>,
    private readonly ports: PreviewPorts,
  ) {
    this.#questions = new FrameQuestions(ports);
  }

  /** Hears that another page came to the front, and that the front one moved. */
  ears: { shown(): void; moved(): void } | undefined;

  /** Asks the finished page on the stage about an element; nothing where there is no answer. */
  async ask(question: Asked): Promise<FrameHit | undefined> {
    const front = this.frames.findLast((frame) => frame.level === 'front');
    const post = front?.role === 'page' ? this.#posts.get(front.key) : undefined;
    return post && this.#questions.ask(post, question);
  }

  /** Scrolls the page on the stage, by pixels of the page. */
  wheel(dx: number, dy: number): void {
    const front = this.frames.findLast((frame) => frame.level === 'front');
    if (front) this.#posts.get(front.key)?.({ k: 'wheel', dx, dy });
  }

  /** Shows a variant that is still being written; without a path, the first page that is begun. */
  write(target: OptionTarget, path?: string): void {
    this.#turnTo(target, path ?? ENTRY);
    this.#takesFirst = path === undefined;
    this.phase = 'writing';
    this.flooded = false;
    const key = this.#add('stream', this.host.streamAddress(target.runId, target.variantIndex));
    this.#stream = { key, ready: false, sent: 0 };
    this.#reopen = true;
    const text = this.#text();
    this.hasText = text.text.length > 0;
    this.#tell();
    void this.#fetchWhole(target, text);
    this.#pingSoon(key);
  }

  /** Shows the stored page of a variant. */
  load(target: PreviewTarget, path: string = ENTRY): void {
    this.#turnTo(target, path);
    this.#stream = undefined;
    this.phase = 'finished';
    this.hasText = true;
    this.flooded = false;
    this.#tell();
    this.#swap();
  }

  /** Shows that a variant has no page. */
  clear(target: PreviewTarget): void {
    this.#turnTo(target, ENTRY);
    this.#stream = undefined;
    this.#callOffPending();
    this.phase = 'empty';
    this.hasText = false;
    this.frames = [];
    this.#tell();
  }

  /** A piece of some variant's page; only the shown one reaches the frame. */
  take(piece: PreviewPiece): void {
    const shown = this.#isTarget(piece);
    if (shown && piece.path !== this.#path) {
      if (!this.#takesFirst || this.hasText || !isPage(piece.path)) return;
      this.#path = piece.path;
    }
    const text = this.#text(piece, piece.path);
    const taken = text.take(piece);
    if (!shown) return;
    if (taken === 'gap') void this.#fetchWhole(piece, text);
    else this.#changed(taken === 'replaced');
  }

  /** The shown variant is final: close the stream and swap the stored page in. */
  finish(): void {
    if (this.phase !== 'writing') return;
    if (!this.hasText) {
      if (this.#target) this.clear(this.#target);
      return;
    }
    this.#flush();
    if (this.#stream) this.#posts.get(this.#stream.key)?.({ k: 'close' });
    this.phase = 'finished';
    this.#tell();
    this.#swap();
  }

  /** The stage goes away: nothing is waited for any more. */
  close(): void {
    this.#isClosed = true;
    this.#callOffPing?.();
    this.#callOffPending();
  }

  reload(): void {
    this.flooded = false;
    this.#loads += 1;
    this.#tell();
    if (this.phase === 'finished') this.#swap();
    else if (this.phase === 'writing' && this.#target && 'runId' in this.#target) this.write(this.#target, this.#path);
  }

  attach(key: number, post: Post): void {
    this.#posts.set(key, post);
    this.#gates.set(key, new FloodGate(MESSAGES_PER_SECOND));
  }

  detach(key: number): void {
    this.#posts.delete(key);
    this.#gates.delete(key);
  }

  /** A message whose source is the frame `key`. */
  hear(key: number, data: unknown): void {
    const gate = this.#gates.get(key);
    if (!gate || !this.frames.some((frame) => frame.key === key)) return;
    if (!gate.passes(this.ports.now())) {
      this.#drop(key);
      return;
    }
    const claim = frameClaim(data);
    if (claim) this.#obey(key, claim);
  }

  /** The whole text held for the shown page. */
  get text(): string {
    return this.#target ? this.#text().text : '';
  }

  #obey(key: number, claim: FrameClaim): void {
    const stream = this.#stream?.key === key ? this.#stream : undefined;
    switch (claim.k) {
      case 'ready':
        if (!stream) return;
        stream.ready = true;
        this.#reopen = true;
        this.#schedule();
        return;
      case 'resync':
        if (!stream) return;
        this.#reopen = true;
        this.#schedule();
        return;
      case 'pong':
        if (stream && claim.h !== undefined && this.phase === 'writing') this.pageHeight = claim.h;
        return;
      case 'y':
        if (!this.#isFront(key)) return;
        this.scrollY = claim.y;
        this.ears?.moved();
        return;
      case 'painted':
        if (this.#pending?.key !== key) return;
        this.pageHeight = claim.h;
        if (claim.y !== this.scrollY) this.#posts.get(key)?.({ k: 'scroll', y: this.scrollY });
        this.#promote(key);
        return;
      case 'pick':
        if (this.#isFront(key)) this.#questions.answer(claim);
        return;
      case 'opened':
      case 'closed':
      case 'trouble':
        return;
    }
  }

  #turnTo(target: PreviewTarget, path: string): void {
    if (!this.#isTarget(target) || path !== this.#path) {
      this.pageHeight = undefined;
      this.scrollY = 0;
      this.tail = '';
    }
    this.#target = target;
    this.#path = path;
  }

  #tell(): void {
    const of = this.#target;
    const isWriting = this.phase === 'writing';
    const path = isWriting && this.#takesFirst && !this.hasText ? undefined : this.#path;
    this.shown = of && this.phase !== 'empty' ? { of, path, isWriting, loads: this.#loads } : undefined;
  }

  #isTarget(of: PreviewTarget): boolean {
    return this.#target !== undefined && keyOf(this.#target) === keyOf(of);
  }

  #isFront(key: number): boolean {
    return this.frames.findLast((frame) => frame.level === 'front')?.key === key;
  }

  #text(of: PreviewTarget | undefined = this.#target, path = this.#path): PageText {
    const id = `${of && keyOf(of)}/${path}`;
    const held = this.#texts.get(id);
    if (held) return held;
    const fresh = new PageText();
    this.#texts.set(id, fresh);
    return fresh;
  }

  async #fetchWhole(of: OptionTarget, text: PageText): Promise<void> {
    if (text.isExpectingWhole) return;
    text.expectWhole();
    const before = text.text;
    try {
      const whole = await this.host.previewText(of.runId, of.variantIndex, this.#path);
      const taken = text.takeWhole(whole.text);
      if (taken === 'gap') void this.#fetchWhole(of, text);
      if (this.#isTarget(of) && text.text !== before) this.#changed(taken !== 'appended');
    } catch {
      // Nothing was written yet: the first piece begins at 0 and needs no whole.
      text.giveUpWhole();
    }
  }

  #changed(replaced: boolean): void {
    if (this.phase !== 'writing') return;
    if (replaced) this.#reopen = true;
    const text = this.text;
    const isBegun = !this.hasText && text.length > 0;
    this.hasText = text.length > 0;
    if (isBegun) this.#tell();
    this.tail = text.slice(-TAIL);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    this.ports.nextFrame(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  /** At most one piece per animation frame; a reset goes out back to back so that nothing blinks. */
  #flush(): void {
    const stream = this.#stream;
    if (!stream?.ready || this.phase !== 'writing') return;
    const post = this.#posts.get(stream.key);
    const { text } = this.#text();
    if (!post || text.length === 0) return;
    if (this.#reopen) {
      this.#reopen = false;
      post({ k: 'open' });
      post({ k: 'text', base: 0, text });
      if (this.scrollY > 0) post({ k: 'scroll', y: this.scrollY });
      stream.sent = text.length;
    } else if (text.length > stream.sent) {
      post({ k: 'text', base: stream.sent, text: text.slice(stream.sent) });
      stream.sent = text.length;
    }
    if (!this.#isFront(stream.key)) this.#promote(stream.key);
  }

  #pingSoon(key: number): void {
    this.#callOffPing?.();
    if (this.#isClosed) return;
    this.#callOffPing = this.ports.after(PING_EVERY_MS, () => {
      if (this.#stream?.key !== key || this.phase !== 'writing') return;
      this.#pings += 1;
      if (this.#stream.ready) this.#posts.get(key)?.({ k: 'ping', n: this.#pings });
      this.#pingSoon(key);
    });
  }

  #add(role: StageFrame['role'], src: string): number {
    this.#callOffPending();
    this.#keys += 1;
    const key = this.#keys;
    const level = this.frames.length === 0 ? 'front' : 'under';
    this.frames = [...this.frames, { key, role, src, level }];
    return key;
  }

  #swap(): void {
    const target = this.#target;
    if (!target) return;
    this.#version += 1;
    const src =
      'runId' in target
        ? this.host.pageAddress(target.runId, target.variantIndex, this.#path, this.#version, this.scrollY)
        : this.host.versionAddress(target.versionId, this.#path, this.#version, this.scrollY);
    const key = this.#add('page', src);
    const callOff = this.ports.after(PAINT_TIMEOUT_MS, () => this.#promote(key));
    this.#pending = { key, callOff };
  }

  /** Lifts a frame to the front and lets the old ones go two frames later. */
  #promote(key: number): void {
    if (this.#pending?.key === key) {
      this.#pending.callOff();
      this.#pending = undefined;
    }
    this.frames = this.frames.map((frame) => (frame.key === key ? { ...frame, level: 'front' } : frame));
    if (this.phase === 'finished') this.ears?.shown();
    this.ports.nextFrame(() =>
      this.ports.nextFrame(() => {
        if (!this.frames.some((frame) => frame.key === key)) return;
        this.frames = this.frames.filter((frame) => frame.key >= key);
      }),
    );
  }

  #callOffPending(): void {
    const pending = this.#pending;
    if (!pending) return;
    pending.callOff();
    this.#pending = undefined;
    this.frames = this.frames.filter((frame) => frame.key !== pending.key);
  }

  #drop(key: number): void {
    if (this.#pending?.key === key) this.#callOffPending();
    this.frames = this.frames.filter((frame) => frame.key !== key);
    this.flooded = true;
  }
}

/** One word for each target. */
export const keyOf = (target: PreviewTarget): string =>
  'runId' in target ? `${target.runId}/${target.variantIndex}` : target.versionId;

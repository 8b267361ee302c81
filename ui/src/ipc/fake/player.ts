import { isLive } from '../../lib/status';
import type { HostEars } from '../host';
import type { PreviewPiece, RunEvent, RunEventBody, RunStatus } from '../types';
import type { Beat, Scenario } from './script';

const LONGEST_BURST = 400;

/** Plays one scripted run: numbers its events, keeps them for snapshots, stops when told. */
export class Player {
  readonly events: RunEvent[] = [];
  /** What is written so far, by option and path. */
  readonly texts = new Map<string, string>();
  state: RunStatus = 'queued';
  #at = 0;
  readonly #stopped = new Set<number>();
  #held: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last: RunEventBody | undefined;

  constructor(
    readonly runId: string,
    readonly scenario: Scenario,
    private readonly ears: () => HostEars | undefined,
    private readonly options: { speed: number; holdAt: string | undefined; ondone(variantIndex: number): void },
  ) {}

  start(): void {
    this.state = 'running';
    this.#next();
  }

  /** Tells everything at once, for a run of the past. */
  playOut(): void {
    for (const beat of this.scenario.beats) this.#tell(beat);
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** Goes on from the mark it is held at. */
  go(): void {
    const held = this.#held;
    this.#held = undefined;
    held?.();
  }

  /** Stops the run, or one option of it while the others go on. */
  cancel(variantIndex?: number): void {
    if (!isLive(this.state)) return;
    if (variantIndex === undefined) {
      clearTimeout(this.#timer);
      this.#held = undefined;
    }
    const last = this.#last?.type === 'runState' ? this.#last : undefined;
    const body: RunEventBody = {
      type: 'runState',
      state: 'cancelled',
      round: 1,
      elapsedMs: last?.elapsedMs ?? 0,
      tokens: last?.tokens ?? { input: 0, cachedRead: 0, cachedWrite: 0, output: 0, reasoning: 0 },
      costUsd: last?.costUsd ?? 0,
    };
    if (variantIndex !== undefined) {
      this.#tell({ waitMs: 0, variantIndex, body });
      this.#stopped.add(variantIndex);
      return;
    }
    this.scenario.pages.forEach((_, variantIndex) => this.#tell({ waitMs: 0, variantIndex, body }));
    this.#tell({ waitMs: 0, body });
  }

  #next(): void {
    for (let burst = 0; burst < LONGEST_BURST; burst += 1) {
      const beat = this.scenario.beats[this.#at];
      if (!beat) return;
      this.#at += 1;
      if (beat.mark !== undefined) {
        if (beat.mark !== this.options.holdAt || this.#stopped.has(beat.variantIndex ?? -1)) continue;
        this.#held = () => this.#next();
        return;
      }
      if (beat.waitMs > 0) {
        this.#timer = setTimeout(() => {
          this.#tell(beat);
          this.#next();
        }, beat.waitMs / this.options.speed);
        return;
      }
      this.#tell(beat);
    }
    this.#timer = setTimeout(() => this.#next(), 0);
  }

  #tell(beat: Beat): void {
    const { body, variantIndex } = beat;
    if (!body || !isLive(this.state) || this.#stopped.has(variantIndex ?? -1)) return;
    const seq = this.events.length + 1;
    const event: RunEvent = { runId: this.runId, seq, ...(variantIndex === undefined ? {} : { variantIndex }), ...body };
    this.events.push(event);
    if (body.type === 'runState') {
      this.#last = body;
      if (variantIndex === undefined) this.state = body.state;
    }
    this.ears()?.run(event);
    if (body.type === 'setCode' && variantIndex !== undefined) this.#tellPiece(variantIndex, body);
    if (body.type === 'runState' && body.state === 'succeeded' && variantIndex !== undefined) this.options.ondone(variantIndex);
  }

  #tellPiece(variantIndex: number, body: Extract<RunEventBody, { type: 'setCode' }>): void {
    const key = `${variantIndex}/${body.path}`;
    const held = body.base === 0 ? '' : (this.texts.get(key) ?? '');
    this.texts.set(key, held + body.text);
    const piece: PreviewPiece = {
      runId: this.runId,
      variantIndex,
      path: body.path,
      base: held.length,
      text: body.text,
    };
    this.ears()?.previewText(piece);
  }
}

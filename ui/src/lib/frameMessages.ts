/** What the window tells a frame. */
export type FrameOrder =
  | { k: 'open' }
  | { k: 'text'; base: number; text: string }
  | { k: 'close' }
  | { k: 'scroll'; y: number }
  | { k: 'wheel'; dx: number; dy: number }
  | { k: 'ping'; n: number };

/** What a frame says; it shares its world with page scripts, so nothing of it is trusted. */
export type FrameClaim =
  | { k: 'ready' | 'opened' }
  | { k: 'resync'; have: number }
  | { k: 'closed'; len: number }
  /** `h` is the height of the page so far, where the frame tells it. */
  | { k: 'pong'; n: number; y: number; h?: number }
  | { k: 'y'; y: number }
  | { k: 'painted'; y: number; h: number }
  | { k: 'trouble'; text: string };

const LARGEST = 10_000_000;
const LONGEST_TEXT = 500;

const figure = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= -1 && value <= LARGEST ? value : undefined;

/** Reads a message of unknown origin; anything out of shape gives nothing. */
export function frameClaim(data: unknown): FrameClaim | undefined {
  if (data === null || typeof data !== 'object') return undefined;
  const said = data as Record<string, unknown>;
  switch (said.k) {
    case 'ready':
    case 'opened':
      return { k: said.k };
    case 'resync': {
      const have = figure(said.have);
      return have === undefined ? undefined : { k: 'resync', have };
    }
    case 'closed': {
      const len = figure(said.len);
      return len === undefined ? undefined : { k: 'closed', len };
    }
    case 'pong': {
      const n = figure(said.n);
      const y = figure(said.y);
      const h = figure(said.h);
      if (n === undefined || y === undefined) return undefined;
      return { k: 'pong', n, y, ...(h === undefined ? {} : { h }) };
    }
    case 'y': {
      const y = figure(said.y);
      return y === undefined ? undefined : { k: 'y', y };
    }
    case 'painted': {
      const y = figure(said.y);
      const h = figure(said.h);
      return y === undefined || h === undefined ? undefined : { k: 'painted', y, h };
    }
    case 'error':
      return trouble(said.m);
    case 'blocked':
      return trouble(said.d, said.u);
    default:
      return undefined;
  }
}

function trouble(...parts: unknown[]): FrameClaim | undefined {
  if (!parts.every((part) => typeof part === 'string')) return undefined;
  return { k: 'trouble', text: parts.join(' ').slice(0, LONGEST_TEXT) };
}

/** Counts the messages of one frame; a page may scroll fast but never flood the window. */
export class FloodGate {
  #since = 0;
  #count = 0;

  constructor(private readonly perSecond: number) {}

  /** Whether one more message may pass at `nowMs`. */
  passes(nowMs: number): boolean {
    if (nowMs - this.#since >= 1000) {
      this.#since = nowMs;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= this.perSecond;
  }
}

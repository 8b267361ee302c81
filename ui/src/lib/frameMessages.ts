/** What the window tells a frame. */
export type FrameOrder =
  | { k: 'open' }
  | { k: 'text'; base: number; text: string }
  | { k: 'close' }
  | { k: 'scroll'; y: number }
  | { k: 'wheel'; dx: number; dy: number }
  | { k: 'ping'; n: number }
  | FrameQuestion;

/** What the window asks a frame about its elements; `whole` asks for their looks as well. */
export type FrameQuestion =
  | { k: 'pick'; id: number; x: number; y: number; depth?: number; whole?: boolean }
  | { k: 'find'; id: number; at: number; kth?: number; whole?: boolean; reveal?: boolean };

/** What a frame says; it shares its world with page scripts, so nothing of it is trusted. */
export type FrameClaim =
  | { k: 'ready' | 'opened' }
  | { k: 'resync'; have: number }
  | { k: 'closed'; len: number }
  /** `h` is the height of the page so far, where the frame tells it. */
  | { k: 'pong'; n: number; y: number; h?: number }
  | { k: 'y'; y: number }
  | { k: 'painted'; y: number; h: number }
  | { k: 'trouble'; text: string }
  /** What lies at a point or an address; nothing where nothing does. */
  | { k: 'pick'; id: number; hit?: FrameHit };

export interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** An element as a frame tells of it. */
export interface FrameHit {
  /** In pixels of the page, from the corner of what is seen of it. */
  rect: Rect;
  /** Where its start tag stands in the source; none where nobody wrote it or anything around it. */
  at?: number;
  /** Made by a script: `at` names the nearest element around it that somebody wrote. */
  isMade: boolean;
  /** One of several copies with the same address. */
  kth: number;
  of: number;
  /** The version of the source that the frame shows. */
  version?: string;
  look?: Look;
}

/** How an element looks, as computed values of its style. */
export interface Look {
  color: string;
  ground: string;
  /** The ground that hides what is behind the element, or `picture`. */
  behind: string;
  family: string;
  size: string;
  weight: string;
  align: string;
  radius: string;
  /** Top, right, bottom, left. */
  margin: Sides;
  padding: Sides;
  /** Own width and height of a picture. */
  picture?: [number, number];
}
export type Sides = [string, string, string, string];

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
    case 'pick': {
      const id = figure(said.id);
      return id === undefined ? undefined : { k: 'pick', id, ...hitOf(said) };
    }
    case 'error':
      return trouble(said.m);
    case 'blocked':
      return trouble(said.d, said.u);
    default:
      return undefined;
  }
}

const LONGEST_VALUE = 300;
const value = (of: unknown): string | undefined => (typeof of === 'string' && of.length <= LONGEST_VALUE ? of : undefined);
const length = (of: unknown): number | undefined =>
  typeof of === 'number' && Math.abs(of) <= LARGEST ? of : undefined;

function hitOf(said: Record<string, unknown>): { hit?: FrameHit } {
  const rect = said.rect as Record<string, unknown> | null | undefined;
  if (rect === null || typeof rect !== 'object') return {};
  const [x, y, w, h] = [rect.x, rect.y, rect.w, rect.h].map(length);
  if (x === undefined || y === undefined || w === undefined || h === undefined) return {};
  const at = Number.isInteger(said.at) ? figure(said.at) : undefined;
  const hit: FrameHit = { rect: { x, y, w, h }, isMade: said.made === true, kth: figure(said.kth) ?? 0, of: figure(said.of) ?? 0 };
  if (at !== undefined && at >= 0) hit.at = at;
  const version = value(said.version);
  if (version !== undefined) hit.version = version;
  const look = lookOf(said.look);
  if (look) hit.look = look;
  return { hit };
}

function lookOf(said: unknown): Look | undefined {
  if (said === null || typeof said !== 'object') return undefined;
  const { margin, padding, picture, ...rest } = said as Record<string, unknown>;
  const names = ['color', 'ground', 'behind', 'family', 'size', 'weight', 'align', 'radius'] as const;
  const values = names.map((name) => [name, value(rest[name])] as const);
  const sides = [margin, padding].map((of) => (Array.isArray(of) && of.length === 4 && of.every((side) => value(side) !== undefined) ? (of as Sides) : undefined));
  if (values.some(([, of]) => of === undefined) || sides.includes(undefined)) return undefined;
  const look = { ...Object.fromEntries(values), margin: sides[0], padding: sides[1] } as Look;
  const size = Array.isArray(picture) ? picture.map(figure) : [];
  if (size.length === 2 && size[0] !== undefined && size[1] !== undefined) look.picture = [size[0], size[1]];
  return look;
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

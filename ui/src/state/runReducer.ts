import type { RunEvent, RunSnapshot, RunStatus, TokenUsage } from '../ipc/types';
import { isLive } from '../lib/status';
import { utf8Length } from '../lib/utf8';

/** The tool whose words are shown as thinking and nothing else. */
const THINK = 'think';

/** One entry of a variant's activity, in the order it began. */
export type Row = RowBase & RowBody;

interface RowBase {
  /** The event, task or notice this row grew from; unique within a variant. */
  id: string;
  /** Shown struck through: a later attempt replaced it. */
  struck: boolean;
  startedAtMs?: number;
  endedAtMs?: number;
}

export type RowBody =
  | { kind: 'say'; text: string }
  | { kind: 'thought'; text: string }
  | { kind: 'tool'; name: string; input: unknown; state: ToolState; output?: unknown; code?: Writing }
  | { kind: 'task'; title: string; taskKind: string; stage: string; state: string; done: number; total: number; notice?: string }
  | { kind: 'notice'; code: string; message: string; nextStep?: string };

/** `writing` is a call whose arguments still arrive; `stopped` one the run ended under. */
export type ToolState = 'writing' | 'running' | 'done' | 'failed' | 'stopped';

/** What a call has written so far. */
export interface Writing {
  path: string;
  lines: number;
}

/** A file as folded so far; `bytes` is its UTF-8 length. */
export interface FileText {
  text: string;
  bytes: number;
}

export interface VariantState {
  index: number;
  state: RunStatus;
  rows: readonly Row[];
  files: Readonly<Record<string, FileText>>;
  round: number;
  elapsedMs: number;
  /** When `elapsedMs` was heard, so that a clock can go on from it. */
  heardAtMs?: number;
  tokens: TokenUsage;
  costUsd: number | null;
}

export interface RunState {
  runId: string;
  seq: number;
  state: RunStatus;
  elapsedMs: number;
  heardAtMs?: number;
  tokens: TokenUsage;
  costUsd: number | null;
  variants: readonly VariantState[];
}

/** `gap`: something is missing, ask for the snapshot. `ignored`: already known, foreign or late. */
export type Folded = { kind: 'folded'; run: RunState } | { kind: 'ignored' } | { kind: 'gap' };

const NO_TOKENS: TokenUsage = { input: 0, cachedRead: 0, cachedWrite: 0, output: 0, reasoning: 0 };

/** The state of a run of which nothing was heard yet. */
export const unheardRun = (runId: string): RunState => ({
  runId,
  seq: 0,
  state: 'queued',
  elapsedMs: 0,
  tokens: NO_TOKENS,
  costUsd: null,
  variants: [],
});

/** Folds one event; `heardAtMs` is when it arrived, left out for replayed events. */
export function foldRunEvent(run: RunState, event: RunEvent, heardAtMs?: number): Folded {
  if (event.runId !== run.runId || event.seq <= run.seq || !isLive(run.state)) {
    return { kind: 'ignored' };
  }
  if (event.seq !== run.seq + 1) return { kind: 'gap' };
  const next = { ...run, seq: event.seq };
  if (event.type === 'runState' && event.variantIndex === undefined) {
    return { kind: 'folded', run: foldWholeRun(next, event, heardAtMs) };
  }
  // A notice or task of the run as a whole is told in every variant.
  const indices =
    event.variantIndex === undefined
      ? next.variants.length > 0
        ? next.variants.map((variant) => variant.index)
        : [0]
      : [event.variantIndex];
  let variants = next.variants;
  for (const index of indices) {
    const folded = foldVariant(variantAt(variants, index), event, heardAtMs);
    if (folded === 'gap') return { kind: 'gap' };
    variants = placed(variants, folded);
  }
  return { kind: 'folded', run: { ...next, variants } };
}

/** The state a snapshot stands for. */
export function foldSnapshot(snapshot: RunSnapshot): RunState {
  let run = unheardRun(snapshot.runId);
  for (const event of snapshot.events) {
    // A snapshot may leave numbers out; its order alone counts.
    const folded = foldRunEvent({ ...run, seq: event.seq - 1 }, event);
    if (folded.kind === 'folded') run = folded.run;
  }
  return { ...run, seq: Math.max(run.seq, snapshot.seq) };
}

type RunStateEvent = Extract<RunEvent, { type: 'runState' }>;

function foldWholeRun(run: RunState, event: RunStateEvent, heardAtMs?: number): RunState {
  const { state, elapsedMs, tokens, costUsd } = event;
  const variants = isLive(state)
    ? run.variants
    : run.variants.map((variant) =>
        isLive(variant.state) ? ended({ ...variant, state }, heardAtMs) : variant,
      );
  return { ...run, state, elapsedMs, heardAtMs, tokens, costUsd, variants };
}

function foldVariant(variant: VariantState, event: RunEvent, at?: number): VariantState | 'gap' {
  switch (event.type) {
    case 'assistant':
      return grown(variant, event.eventId, 'say', event.text, at);
    case 'thinking':
      return grown(variant, event.eventId, 'thought', event.text, at);
    case 'toolStart':
      // Its words are shown as a thought already.
      if (event.name === THINK) return variant;
      return upsert(variant, event.eventId, at, (row) => ({
        kind: 'tool',
        name: event.name,
        input: event.input,
        state: 'running',
        ...(row?.kind === 'tool' && row.code ? { code: row.code } : {}),
      }));
    case 'toolResult': {
      if (event.name === THINK && event.ok) return variant;
      const closed = upsert(variant, event.eventId, at, (row) => ({
        kind: 'tool',
        name: event.name,
        input: row?.kind === 'tool' ? row.input : undefined,
        state: event.ok ? 'done' : 'failed',
        output: event.output,
        ...(row?.kind === 'tool' && row.code ? { code: row.code } : {}),
      }));
      return withRow(closed, event.eventId, (row) => ({ ...row, endedAtMs: at }));
    }
    case 'setCode':
      return written(variant, event, at);
    case 'taskState': {
      const held = variant.rows.find((row) => row.id === event.taskId);
      // What has ended does not go on: a word that was on its way meanwhile is old.
      if (held?.kind === 'task' && !isTaskOpen(held.state)) return variant;
      const told = upsert(variant, event.taskId, at, () => ({
        kind: 'task',
        title: event.title,
        taskKind: event.kind,
        stage: event.stage,
        state: event.state,
        done: event.done,
        total: event.total,
        ...(event.notice === undefined ? {} : { notice: event.notice }),
      }));
      if (isTaskOpen(event.state)) return told;
      return withRow(told, event.taskId, (row) => ({ ...row, endedAtMs: row.endedAtMs ?? at }));
    }
    case 'notice':
      return noticed(variant, event, at);
    case 'runState': {
      if (!isLive(variant.state)) return variant;
      const { state, round, elapsedMs, tokens, costUsd } = event;
      const next = { ...variant, state, round, elapsedMs, heardAtMs: at, tokens, costUsd };
      return isLive(state) ? next : ended(next, at);
    }
  }
}

function written(
  variant: VariantState,
  event: Extract<RunEvent, { type: 'setCode' }>,
  at?: number,
): VariantState | 'gap' {
  const held = variant.files[event.path] ?? { text: '', bytes: 0 };
  if (event.base !== 0 && event.base !== held.bytes) return 'gap';
  const file =
    event.base === 0
      ? { text: event.text, bytes: utf8Length(event.text) }
      : { text: held.text + event.text, bytes: held.bytes + utf8Length(event.text) };
  const breaks = lineBreaks(event.text);
  const next = upsert(variant, event.eventId, at, (row) => {
    const tool = row?.kind === 'tool' ? row : undefined;
    const goesOn = event.base !== 0 && tool?.code?.path === event.path;
    return {
      kind: 'tool',
      name: tool?.name ?? '',
      input: tool?.input,
      state: tool?.state ?? 'writing',
      ...(tool?.output === undefined ? {} : { output: tool.output }),
      code: {
        path: event.path,
        lines: goesOn ? (tool?.code?.lines ?? 1) + breaks : lineBreaks(file.text) + 1,
      },
    };
  });
  return { ...next, files: { ...next.files, [event.path]: file } };
}

function noticed(
  variant: VariantState,
  event: Extract<RunEvent, { type: 'notice' }>,
  at?: number,
): VariantState {
  const replaced = new Set(event.replaces ?? []);
  const struck =
    replaced.size === 0
      ? variant
      : {
          ...variant,
          rows: variant.rows.map((row) =>
            replaced.has(row.id) ? { ...closedRow(row, at), struck: true } : row,
          ),
        };
  return upsert(struck, `notice-${event.seq}`, at, () => ({
    kind: 'notice',
    code: event.code,
    message: event.message,
    ...(event.nextStep === undefined ? {} : { nextStep: event.nextStep }),
  }));
}

function grown(variant: VariantState, id: string, kind: 'say' | 'thought', text: string, at?: number) {
  return upsert(variant, id, at, (row) => ({
    kind,
    text: row && (row.kind === 'say' || row.kind === 'thought') ? row.text + text : text,
  }));
}

/** Changes the row `id`, or appends it and closes the prose or writing before it. */
function upsert(
  variant: VariantState,
  id: string,
  at: number | undefined,
  body: (row: Row | undefined) => RowBody,
): VariantState {
  const rows = [...variant.rows];
  const found = rows.findLastIndex((row) => row.id === id);
  const old = found < 0 ? undefined : rows[found];
  if (old) {
    const { struck, startedAtMs, endedAtMs } = old;
    rows[found] = { id, struck, startedAtMs, endedAtMs, ...body(old) };
  } else {
    const last = rows.at(-1);
    if (last && (last.kind !== 'tool' || last.state === 'writing') && last.kind !== 'task') {
      rows[rows.length - 1] = { ...last, endedAtMs: last.endedAtMs ?? at };
    }
    rows.push({ id, struck: false, startedAtMs: at, ...body(undefined) });
  }
  return { ...variant, rows };
}

function withRow(variant: VariantState, id: string, change: (row: Row) => Row): VariantState {
  return { ...variant, rows: variant.rows.map((row) => (row.id === id ? change(row) : row)) };
}

const isTaskOpen = (state: string): boolean => state === 'queued' || state === 'running';

const ended = (variant: VariantState, at?: number): VariantState => ({
  ...variant,
  rows: variant.rows.map((row) => closedRow(row, at)),
});

function closedRow(row: Row, at?: number): Row {
  const open = row.kind === 'tool' && (row.state === 'running' || row.state === 'writing');
  if (!open) return row.endedAtMs === undefined ? { ...row, endedAtMs: at } : row;
  return { ...row, state: 'stopped', endedAtMs: at };
}

const variantAt = (variants: readonly VariantState[], index: number): VariantState =>
  variants.find((variant) => variant.index === index) ?? {
    index,
    state: 'queued',
    rows: [],
    files: {},
    round: 0,
    elapsedMs: 0,
    tokens: NO_TOKENS,
    costUsd: null,
  };

function placed(variants: readonly VariantState[], variant: VariantState): readonly VariantState[] {
  const known = variants.some((other) => other.index === variant.index);
  return known
    ? variants.map((other) => (other.index === variant.index ? variant : other))
    : [...variants, variant].sort((a, b) => a.index - b.index);
}

function lineBreaks(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

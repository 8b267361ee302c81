import type { RunSummary, TaskView } from '../ipc/types';
import { isLive } from '../lib/status';
import type { Row, RunState, VariantState } from './runReducer';

/** One line of the conversation, ready to be drawn. */
export type ActivityItem =
  | { kind: 'ask'; key: string; run: RunSummary }
  | { kind: 'say'; key: string; text: string; struck: boolean }
  | { kind: 'fold'; key: string; count: number; durationMs: number | undefined; isOpen: boolean }
  | { kind: 'task'; key: string; task: TaskView }
  | { kind: 'step'; key: string; row: StepRow; isLive: boolean; isOpen: boolean; isLinked: boolean }
  | { kind: 'end'; key: string; run: RunSummary; variant: VariantState; notice: NoticeRow | undefined };

export type StepRow = Exclude<Row, { kind: 'say' }>;
export type NoticeRow = Extract<Row, { kind: 'notice' }>;

/** Whether a notice tells what the checks of a page found: a sentence, then line by line what is wrong. */
export const isOfChecks = (code: string): boolean => code === 'sent_back' || code === 'page_checked';

export interface Turn {
  summary: RunSummary;
  run: RunState;
  /** The number of the option in this run. */
  index: number;
}

/** What the program shows by itself: the files before a change, and what it puts in order once the work is done. */
const TIDYING = /^(before|files)-/;

/**
 * A long job with a card stands for itself. The lines of a conversation for one option: steps of a finished run fold to one line,
 * those of a running one stay open. `open` holds the keys a person unfolded.
 */
export function activityOf(
  turns: readonly Turn[],
  open: ReadonlySet<string>,
  cards: ReadonlyMap<string, TaskView> = new Map(),
): ActivityItem[] {
  return turns.flatMap((turn) => turnItems(turn, open, cards));
}

function turnItems(
  { summary, run, index }: Turn,
  open: ReadonlySet<string>,
  cards: ReadonlyMap<string, TaskView>,
): ActivityItem[] {
  const items: ActivityItem[] = [{ kind: 'ask', key: `${summary.id}/ask`, run: summary }];
  const variant =
    run.variants.find((other) => other.index === index) ?? run.variants[0] ?? undefined;
  if (!variant) return items;
  const atWork = isLive(variant.state);
  const own = [...cards.values()].filter((card) => card.runId === summary.id && card.variantIndex === variant.index);
  const told = new Set<string>();
  const tell = (task: TaskView) => {
    told.add(task.place);
    items.push({ kind: 'task', key: `${summary.id}/${task.place}/task`, task });
  };
  let group: StepRow[] = [];
  const flush = () => {
    items.push(...groupItems(summary.id, group, atWork, open));
    group = [];
  };
  for (const row of variant.rows) {
    if (TIDYING.test(row.id)) continue;
    if (row.kind === 'say') {
      flush();
      items.push({ kind: 'say', key: `${summary.id}/${row.id}`, text: row.text, struck: row.struck });
      continue;
    }
    // A second try is told on the card of the first.
    const card = row.kind === 'task' ? own.find(({ id, place }) => id === row.id || place === row.id) : undefined;
    if (!card) group.push(row);
    else if (!told.has(card.place)) {
      flush();
      tell(card);
    }
  }
  flush();
  // What the events do not tell of: a task begun as the run ended.
  own.filter(({ place }) => !told.has(place)).forEach(tell);
  if (!atWork && variant.state !== 'succeeded') {
    const notice = variant.rows.findLast((row): row is Row & NoticeRow => row.kind === 'notice' && !isOfChecks(row.code));
    items.push({ kind: 'end', key: `${summary.id}/end`, run: summary, variant, notice });
  }
  return items;
}

function groupItems(
  runId: string,
  rows: readonly StepRow[],
  atWork: boolean,
  open: ReadonlySet<string>,
): ActivityItem[] {
  const first = rows[0];
  if (!first) return [];
  const key = `${runId}/${first.id}/fold`;
  const folds = !atWork && rows.length > 1;
  const isOpen = open.has(key);
  const items: ActivityItem[] = [];
  if (folds) {
    items.push({ kind: 'fold', key, count: rows.length, durationMs: totalMs(rows), isOpen });
    if (!isOpen) return items;
  }
  rows.forEach((row, at) => {
    const stepKey = `${runId}/${row.id}`;
    const isNow = atWork && isRunning(row, at === rows.length - 1);
    const isLinked = folds || at > 0;
    items.push({ kind: 'step', key: stepKey, row, isLive: isNow, isOpen: open.has(stepKey), isLinked });
  });
  return items;
}

function isRunning(row: StepRow, isLast: boolean): boolean {
  if (row.struck) return false;
  if (row.kind === 'tool') return row.state === 'running' || (row.state === 'writing' && isLast);
  if (row.kind === 'task') return row.state === 'running' || row.state === 'queued';
  return row.kind === 'thought' && isLast && row.endedAtMs === undefined;
}

/** How long a row took: as its result tells, else as it was heard. */
export function rowMs(row: Row): number | undefined {
  if (row.kind === 'tool' && row.output !== null && typeof row.output === 'object') {
    const told = (row.output as Record<string, unknown>).durationMs;
    if (typeof told === 'number') return told;
  }
  if (row.startedAtMs === undefined || row.endedAtMs === undefined) return undefined;
  return row.endedAtMs - row.startedAtMs;
}

function totalMs(rows: readonly StepRow[]): number | undefined {
  const times = rows.map(rowMs).filter((ms) => ms !== undefined);
  return times.length === 0 ? undefined : times.reduce((sum, ms) => sum + ms, 0);
}

/** What a thought is at: its newest line, cut where the line gets too long to be read at a glance. */
export function newestLine(text: string): string {
  const MOST = 200;
  const line = text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  return line.length > MOST ? `${line.slice(0, MOST)}…` : line;
}

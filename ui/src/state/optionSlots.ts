import type { RunSummary } from '../ipc/types';
import { isLive } from '../lib/status';
import type { RunState } from './runReducer';

/** A run as far as its options go. */
export interface OptionRun {
  summary: RunSummary;
  run: RunState;
}

/** One option on the strip: the run that last tried it, and its number there. */
export interface Slot<Turn extends OptionRun> {
  turn: Turn;
  index: number;
}

/**
 * The options of the newest turn. An option that is tried again alone is a run of its own; it takes the
 * place of the one that failed, and the others stay beside it.
 */
export function slotsOf<Turn extends OptionRun>(turns: readonly Turn[]): Slot<Turn>[] {
  let slots: Slot<Turn>[] = [];
  for (const turn of turns) slots = withTurn(slots, turn);
  return slots;
}

/** The runs that an option has been through, oldest first, with its number in each. */
export function lineageOf<Turn extends OptionRun>(turns: readonly Turn[], slot: number): Slot<Turn>[] {
  const lineage: Slot<Turn>[] = [];
  let slots: Slot<Turn>[] = [];
  for (const turn of turns) {
    const again = retriedIn(slots, turn);
    if (again === undefined) lineage.push({ turn, index: slot });
    else if (again === slot) lineage.push({ turn, index: 0 });
    slots = withTurn(slots, turn);
  }
  return lineage;
}

function withTurn<Turn extends OptionRun>(slots: Slot<Turn>[], turn: Turn): Slot<Turn>[] {
  const again = retriedIn(slots, turn);
  if (again !== undefined) return slots.map((slot, at) => (at === again ? { turn, index: 0 } : slot));
  // Events can tell of an option before the project does.
  const indexes = new Set([...turn.summary.variants, ...turn.run.variants].map(({ index }) => index));
  return [...indexes].sort((a, b) => a - b).map((index) => ({ turn, index }));
}

/** Which option a run tries again: the same request, by the one engine that had not succeeded. */
function retriedIn(slots: readonly Slot<OptionRun>[], { summary }: OptionRun): number | undefined {
  const [variant, ...others] = summary.variants;
  const asked = slots[0]?.turn.summary;
  if (!variant || others.length > 0 || slots.length < 2 || !asked) return undefined;
  if (asked.text !== summary.text || idsOf(asked) !== idsOf(summary)) return undefined;
  const at = slots.findIndex((slot) => {
    const stored = slot.turn.summary.variants.find(({ index }) => index === slot.index);
    const state = stateOf(slot);
    return stored?.engine === variant.engine && state !== 'succeeded' && !isLive(state);
  });
  return at < 0 ? undefined : at;
}

/** The state of an option: what the events told, else what is stored. */
export function stateOf({ turn, index }: Slot<OptionRun>) {
  const live = turn.run.variants.find((variant) => variant.index === index)?.state;
  return live ?? turn.summary.variants.find((variant) => variant.index === index)?.state ?? 'queued';
}

const idsOf = ({ inputs }: RunSummary): string => inputs.map(({ id }) => id).join();

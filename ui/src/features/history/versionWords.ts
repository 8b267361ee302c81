import type { VersionSummary } from '../../ipc/types';
import { bareModel, isTracer } from '../../lib/engines';
import { versionName } from '../../state/history.svelte';
import { say, sayFacts, sayMoney, sayTime } from '../../state/words.svelte';

export type FindVersion = (id: string | undefined) => VersionSummary | undefined;

/** What made a version: its engine, or a hand. */
export function sayMaker(version: VersionSummary, find: FindVersion): string {
  const { madeBy, sameAs } = version;
  if (madeBy) return isTracer(madeBy.engine) ? say('setup.offline') : bareModel(madeBy.engine);
  if (sameAs !== undefined) return say('history.restoredFrom', { name: versionName(find(sameAs)) });
  return say('history.byHand');
}

/** Maker and price in one line, as a node of the tree shows them. */
export function sayMade(version: VersionSummary, find: FindVersion): string {
  const { madeBy } = version;
  const isPaid = madeBy && !isTracer(madeBy.engine) && madeBy.costUsd !== null;
  return sayFacts([sayMaker(version, find), isPaid && sayMoney(madeBy.costUsd ?? 0)]);
}

/** Time and price of a version that a run made. */
export function sayEffort({ madeBy }: VersionSummary): string | undefined {
  if (!madeBy) return undefined;
  const price = isTracer(madeBy.engine) ? say('facts.free') : madeBy.costUsd === null ? say('price.unknown') : sayMoney(madeBy.costUsd);
  return sayFacts([sayTime(madeBy.elapsedMs), price]);
}

/** The head of a column: what was asked for. */
export function sayAsked(version: VersionSummary, find: FindVersion): string {
  if (version.instruction) return say('history.quote', { text: version.instruction });
  if (!version.madeBy) return sayMaker(version, find);
  return say(version.parent === undefined ? 'history.first' : 'history.again');
}

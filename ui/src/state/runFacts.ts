import type { TokenUsage } from '../ipc/types';
import { isLive } from '../lib/status';
import { goneOn } from './clock.svelte';
import type { RunState, VariantState } from './runReducer';
import { costKey } from './tasks.svelte';

/** How long an option has been at work, going on while it is. */
export const variantMs = (variant: VariantState, nowMs: number): number =>
  isLive(variant.state) ? goneOn(variant.elapsedMs, variant.heardAtMs, nowMs) : variant.elapsedMs;

/** How long the run has taken: options work side by side, so the longest counts. */
export const runMs = (run: RunState, nowMs: number): number =>
  Math.max(run.elapsedMs, ...run.variants.map((variant) => variantMs(variant, nowMs)));

export function runTokens(run: RunState): TokenUsage {
  const sum: TokenUsage = { input: 0, cachedRead: 0, cachedWrite: 0, output: 0, reasoning: 0 };
  for (const { tokens } of run.variants) {
    sum.input += tokens.input;
    sum.cachedRead += tokens.cachedRead;
    sum.cachedWrite += tokens.cachedWrite;
    sum.output += tokens.output;
    sum.reasoning += tokens.reasoning;
  }
  return sum;
}

/** What options cost that ended, where it is known better than when they did. */
export type CostsByOption = ReadonlyMap<string, number | null>;

/** What an option has cost: pictures may go on being paid for when it has ended. */
export function optionCostUsd(runId: string, variant: VariantState, costs: CostsByOption): number | null {
  const later = isLive(variant.state) ? undefined : costs.get(costKey(runId, variant.index));
  return later === undefined ? variant.costUsd : later;
}

/** What the run has cost; null as soon as the price of one option is not known. */
export function runCostUsd(run: RunState, costs: CostsByOption): number | null {
  let sum = 0;
  for (const variant of run.variants) {
    const costUsd = optionCostUsd(run.runId, variant, costs);
    if (costUsd === null) return null;
    sum += costUsd;
  }
  return sum;
}

/** What the turns of a project cost together; null where one is not known or they used nothing. */
export function projectCostUsd(runs: readonly RunState[], of: CostsByOption): number | null {
  const costs = runs.map((run) => runCostUsd(run, of));
  const sum = costs.reduce<number>((all, cost) => all + (cost ?? 0), 0);
  return costs.includes(null) || sum === 0 ? null : sum;
}

/** Percent of the screenshot's height that is written; never a hundred before the end. */
export function writtenShare(pageHeight: number, pageWidth: number, picture: { width: number; height: number }): number {
  const whole = pageWidth * (picture.height / picture.width);
  return Math.max(0, Math.min(99, Math.round((pageHeight / whole) * 100)));
}

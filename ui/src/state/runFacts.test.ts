import { expect, it } from 'vitest';
import { optionCostUsd, projectCostUsd, runCostUsd, runMs, runTokens, writtenShare } from './runFacts';
import { unheardRun, type VariantState } from './runReducer';

const variant = (index: number, more: Partial<VariantState>): VariantState => ({
  index,
  state: 'running',
  rows: [],
  files: {},
  round: 1,
  elapsedMs: 1_000,
  tokens: { input: 10, cachedRead: 1, cachedWrite: 2, output: 3, reasoning: 4 },
  costUsd: 0.1,
  ...more,
});
const run = (...variants: VariantState[]) => ({ ...unheardRun('r'), variants });

it('goes on counting the time of what is at work only', () => {
  const still = variant(0, { state: 'succeeded', elapsedMs: 4_000, heardAtMs: 0 });
  const moving = variant(1, { elapsedMs: 1_000, heardAtMs: 10_000 });
  expect([runMs(run(still), 99_000), runMs(run(still, moving), 12_000), runMs(run(still, moving), 15_000)]).toEqual([4_000, 4_000, 6_000]);
});

it('adds up the tokens of all options', () => {
  expect(runTokens(run(variant(0, {}), variant(1, {})))).toEqual({ input: 20, cachedRead: 2, cachedWrite: 4, output: 6, reasoning: 8 });
});

const none = new Map<string, number | null>();

it('gives no sum when one price is not known', () => {
  expect([runCostUsd(run(variant(0, {}), variant(1, {})), none), runCostUsd(run(variant(0, {}), variant(1, { costUsd: null })), none)]).toEqual([0.2, null]);
});

it('takes what is paid after the end of an option into its sum, and not before it', () => {
  const later = new Map([['r/0', 0.3], ['r/1', 0.7], ['other/0', 9]]);
  const [over, live] = [variant(0, { state: 'succeeded' }), variant(1, {})];
  const unknown = new Map<string, number | null>([['r/0', null]]);
  expect([
    optionCostUsd('r', over, later),
    optionCostUsd('r', live, later),
    optionCostUsd('r', over, unknown),
    runCostUsd(run(over, live), later),
    projectCostUsd([run(over), run(over)], later),
    projectCostUsd([run(over)], unknown),
  ]).toEqual([0.3, 0.1, null, 0.4, 0.6, null]);
});

it('measures a page by the screenshot at the same width', () => {
  const picture = { width: 1280, height: 1500 };
  expect([writtenShare(750, 1280, picture), writtenShare(375, 640, picture), writtenShare(9_000, 1280, picture)]).toEqual([50, 50, 99]);
});

import { describe, expect, it } from 'vitest';
import type { RunEventBody, RunStatus, RunSummary } from '../ipc/types';
import { activityOf, newestLine } from './activity';
import { foldRunEvent, unheardRun } from './runReducer';

const tokens = { input: 0, cachedRead: 0, cachedWrite: 0, output: 0, reasoning: 0 };
const summary: RunSummary = { id: 'r', state: 'running', startedAtMs: 0, text: '', changes: false, inputs: [], variants: [] };
const tool = (eventId: string): RunEventBody => ({ type: 'toolStart', eventId, name: 'read_text', input: {} });
const result = (eventId: string, output: unknown = {}): RunEventBody => ({ type: 'toolResult', eventId, name: 'read_text', ok: true, output });
const says = (eventId: string): RunEventBody => ({ type: 'assistant', eventId, text: eventId });
const state = (status: RunStatus): RunEventBody => ({ type: 'runState', state: status, round: 1, elapsedMs: 1, tokens, costUsd: 0 });

function turn(...bodies: RunEventBody[]) {
  let run = unheardRun('r');
  bodies.forEach((body, at) => {
    const folded = foldRunEvent(run, { runId: 'r', variantIndex: 0, seq: at + 1, ...body }, at * 100);
    if (folded.kind === 'folded') run = folded.run;
  });
  return { summary, run, index: 0 };
}
const shape = (open: string[], ...bodies: RunEventBody[]) =>
  activityOf([turn(...bodies)], new Set(open)).map((item) =>
    item.kind === 'fold' ? `fold ${item.count}` : item.kind === 'step' ? `step ${item.row.id}${item.isLive ? ' live' : ''}` : item.kind,
  );

describe('activity', () => {
  it('ends with the last words, not with what the program puts in order behind them', () => {
    const tidied: RunEventBody = { type: 'setCode', eventId: 'files-0-1', path: 'styles.css', base: 0, text: 'p {}' };
    expect(shape([], tool('a'), result('a'), says('done'), tidied, state('succeeded'))).toEqual(['ask', 'step a', 'say']);
  });

  it('shows every step of a running option', () => {
    expect(shape([], says('hello'), tool('a'), result('a'), tool('b'))).toEqual(['ask', 'say', 'step a', 'step b live']);
  });

  it('folds the steps of a finished option to one line between its sentences', () => {
    expect(shape([], says('hello'), tool('a'), result('a'), tool('b'), result('b'), says('done'), state('succeeded'))).toEqual([
      'ask',
      'say',
      'fold 2',
      'say',
    ]);
  });

  it('unfolds what a person opened', () => {
    expect(shape(['r/a/fold'], tool('a'), result('a'), tool('b'), result('b'), state('succeeded'))).toEqual([
      'ask',
      'fold 2',
      'step a',
      'step b',
    ]);
  });

  it('leaves a single step as it is', () => {
    expect(shape([], tool('a'), result('a'), state('succeeded'))).toEqual(['ask', 'step a']);
  });

  it('does not take what the checks of a page found for what ended the run', () => {
    const notice = (code: string): RunEventBody => ({ type: 'notice', code, message: code });
    const last = (...bodies: RunEventBody[]) => activityOf([turn(...bodies)], new Set()).at(-1);
    const ends = [last(notice('sent_back'), state('stopped_at_limit')), last(notice('retry'), notice('page_checked'), state('failed'))];
    expect(ends.map((item) => item?.kind === 'end' && item.notice?.code)).toEqual([undefined, 'retry']);
  });

  it('ends with what went wrong', () => {
    expect(shape([], tool('a'), state('failed'))).toEqual(['ask', 'step a', 'end']);
  });

  it('trusts the duration a result tells over the one it heard', () => {
    const items = activityOf(
      [turn(tool('a'), result('a', { durationMs: 1_100 }), tool('b'), result('b'), state('succeeded'))],
      new Set(),
    );
    expect(items[1]).toMatchObject({ kind: 'fold', durationMs: 1_200 });
  });

  it('reads as many steps as a long run has', () => {
    const bodies = Array.from({ length: 2_000 }, (_, n) => tool(`t${n}`));
    expect(activityOf([turn(...bodies)], new Set())).toHaveLength(2_001);
  });
});

describe('the newest line of a thought', () => {
  it('is the last one that says something, at a readable length', () => {
    expect(newestLine('Looking for text.\nReading text, line 10 of 39.\n')).toBe('Reading text, line 10 of 39.');
    expect(newestLine('')).toBe('');
    expect(newestLine('x'.repeat(500))).toBe(`${'x'.repeat(200)}…`);
  });
});

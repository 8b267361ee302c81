import { describe, expect, it } from 'vitest';
import type { RunStatus, RunSummary } from '../ipc/types';
import { lineageOf, slotsOf } from './optionSlots';
import { unheardRun } from './runReducer';

const turn = (id: string, variants: [engine: string, state: RunStatus][], text = '') => {
  const summary: RunSummary = {
    id, state: 'succeeded', startedAtMs: 0, text, changes: false, inputs: [],
    variants: variants.map(([engine, state], index) => ({ index, engine, state, kept: state === 'succeeded' })),
  };
  return { summary, run: unheardRun(id) };
};
const first = turn('first', [['a', 'succeeded'], ['b', 'failed'], ['c', 'failed']]);
const shape = (slots: ReturnType<typeof slotsOf>) => slots.map((slot) => `${slot.turn.summary.id}/${slot.index}`);

describe('the options of a turn', () => {
  it('are those of its run', () => {
    expect(shape(slotsOf([turn('old', [['a', 'succeeded']]), first]))).toEqual(['first/0', 'first/1', 'first/2']);
    expect(slotsOf([])).toEqual([]);
  });

  it('keep their places when one of them is tried again alone', () => {
    const again = turn('again', [['c', 'running']]);
    expect(shape(slotsOf([first, again]))).toEqual(['first/0', 'first/1', 'again/0']);
    expect([0, 2].map((slot) => shape(lineageOf([first, again], slot)))).toEqual([['first/0'], ['first/2', 'again/0']]);
  });

  it('give way to a run that asks for something else, or of an option that had succeeded', () => {
    const others = [turn('other', [['b', 'running']], 'bigger'), turn('other', [['a', 'running']]), turn('other', [['b', 'running'], ['c', 'running']])];
    expect(others.map((other) => shape(slotsOf([first, other]))[0])).toEqual(['other/0', 'other/0', 'other/0']);
  });

  it('can be tried again until one works', () => {
    const turns = [first, turn('second', [['b', 'failed']]), turn('third', [['b', 'succeeded']])];
    expect(shape(slotsOf(turns))).toEqual(['first/0', 'third/0', 'first/2']);
    expect(shape(lineageOf(turns, 1))).toEqual(['first/1', 'second/0', 'third/0']);
  });
});

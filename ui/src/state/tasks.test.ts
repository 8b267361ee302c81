import { describe, expect, it } from 'vitest';
import type { RunSummary, TaskView } from '../ipc/types';
import { activityOf } from './activity';
import { foldSnapshot } from './runReducer';
import { shareOf, stageWords } from './taskStages';
import { costKey, isOpen, TaskCards } from './tasks.svelte';

const card = (id: string, more: Partial<TaskView> = {}): TaskView => ({
  id,
  place: id,
  projectId: 'shop',
  runId: 'run',
  variantIndex: 0,
  kind: 'generate_images',
  title: 'Two pots',
  stages: ['making'],
  stage: '',
  state: 'running',
  done: 0,
  total: 2,
  results: [],
  createdAtMs: 1,
  ...more,
});

function desk(answers: Partial<ConstructorParameters<typeof TaskCards>[0]> = {}) {
  const faults: string[] = [];
  const host = {
    listTasks: () => Promise.resolve([card('t1', { state: 'failed' }), card('t2')]),
    cancelTask: () => Promise.resolve(),
    retryTask: (_: string, id: string) => Promise.resolve(card(`${id}-again`, { place: id })),
    ...answers,
  };
  return { cards: new TaskCards(host, 'shop', (error) => faults.push(error.code)), faults };
}

const states = ({ cards }: TaskCards) => [...cards.values()].map(({ id, state }) => `${id} ${state}`);

describe('the cards of tasks', () => {
  it('come from what is kept and follow what is told, but never back', async () => {
    const { cards } = desk();
    await cards.load();
    const taken = [
      cards.hear(card('t2', { state: 'succeeded' })),
      cards.hear(card('t2', { state: 'running' })),
      cards.hear(card('t9', { projectId: 'other' })),
    ];
    expect([taken, states(cards), cards.open]).toEqual([[true, false, false], ['t1 failed', 't2 succeeded'], []]);
  });

  it('tell what their options have cost, never less than before, whatever comes late', () => {
    const { cards } = desk();
    const cost = (usd: number | null, more: Partial<TaskView> = {}) => cards.hear(card('t1', { optionCost: { usd }, ...more }));
    cost(0.05);
    cost(0.08, { state: 'succeeded' });
    cost(0.05);
    cost(0.01, { variantIndex: 1 });
    cost(1, { runId: undefined });
    cost(1, { projectId: 'other' });
    const known = [...cards.costs];
    cost(null, { variantIndex: 1 });
    cost(0.02, { variantIndex: 1 });
    expect([known, cards.costs.get(costKey('run', 1))]).toEqual([[['run/0', 0.08], ['run/1', 0.01]], null]);
  });

  it('let a second try take the place of the first, whatever is told of the first later', async () => {
    const { cards } = desk();
    await cards.load();
    await cards.retry(card('t1', { state: 'failed' }));
    cards.hear(card('t1', { state: 'failed' }));
    expect([states(cards), cards.open.map(({ id }) => id)]).toEqual([['t1-again running', 't2 running'], ['t1-again', 't2']]);
  });

  it('ask once, however often the button is pressed, and tell of a refusal', async () => {
    let asked = 0;
    const refusal = { code: 'no_credit', message: 'the spend cap of the run does not allow it' };
    const { cards, faults } = desk({
      retryTask: () => {
        asked += 1;
        return Promise.reject(Object.assign(new Error(), refusal));
      },
    });
    const failed = card('t1', { state: 'failed' });
    await Promise.all([cards.retry(failed), cards.retry(failed)]);
    expect([asked, faults, cards.asked.size]).toEqual([1, ['no_credit'], 0]);
  });

  it('know an open task from an ended one', () => {
    const all = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
    expect(all.map((state) => isOpen(card('t', { state })))).toEqual([true, true, false, false, false]);
  });
});

describe('the stages of a task', () => {
  const stages = ['Waiting', 'Sending', 'Being made', 'Downloading', 'Placing'];

  it('have names, and a strange one its own', () => {
    expect([...stages, 'Painting'].map(stageWords)).toEqual([...stages, 'Painting']);
  });

  it('move the meter forward from the first wait to the last picture', () => {
    const way = [
      [0, 'Waiting'],
      [0, 'Being made'],
      [0, 'Placing'],
      [1, 'Waiting'],
      [1, 'Placing'],
      [2, 'Placing'],
    ] as const;
    const shares = way.map(([done, stage]) => shareOf({ done, total: 2, stage, stages }));
    expect(shares).toEqual([0, 0.2, 0.4, 0.5, 0.9, 1]);
    expect([shareOf({ done: 1, total: 2, stage: 'Painting', stages }), shareOf({ done: 0, total: 0, stage: '', stages: [] })]).toEqual([0.5, 0]);
  });
});

describe('a task in the conversation', () => {
  const summary: RunSummary = { id: 'run', state: 'succeeded', startedAtMs: 0, text: '', changes: false, inputs: [], variants: [] };
  const tokens = { input: 0, cachedRead: 0, cachedWrite: 0, output: 0, reasoning: 0 };
  const told = (taskId: string) => ({ type: 'taskState' as const, taskId, kind: 'generate_images', title: 'Two pots', stage: '', state: 'running', done: 0, total: 2 });
  const bodies = [
    { type: 'thinking' as const, eventId: 'a', text: 'hm' },
    told('t1'),
    told('t1-again'),
    { type: 'assistant' as const, eventId: 'b', text: 'Done.' },
    { type: 'runState' as const, state: 'succeeded' as const, round: 1, elapsedMs: 1, tokens, costUsd: 0 },
  ];
  const run = foldSnapshot({ runId: 'run', projectId: 'shop', seq: 5, events: bodies.map((body, n) => ({ runId: 'run', variantIndex: 0, seq: n + 1, ...body })) });
  const kinds = (cards: TaskView[], index = 0) =>
    activityOf([{ summary, run, index }], new Set(), new Map(cards.map((one) => [one.place, one]))).map((item) => (item.kind === 'task' ? item.task.id : item.kind));

  it('is one card where it began, a second try included, and a late one stands at the end', () => {
    expect(kinds([card('t1-again', { place: 't1' }), card('t3')])).toEqual(['ask', 'step', 't1-again', 'say', 't3']);
  });

  it('of another option stays with that option, and one without a card is a step', () => {
    expect([kinds([card('t4', { variantIndex: 1 })]), kinds([])]).toEqual([
      ['ask', 'fold', 'say'],
      ['ask', 'fold', 'say'],
    ]);
  });
});

import type { Host } from '../host';
import type { TaskView } from '../types';
import crop1 from './pictures/crop1.webp';
import crop2 from './pictures/crop2.webp';
import crop3 from './pictures/crop3.webp';

type TaskHost = Pick<Host, 'listTasks' | 'cancelTask' | 'retryTask'>;

const results = (id: string, thumbnails: (string | undefined)[]) =>
  thumbnails.map((thumbnail, n) => ({ path: `assets/task-${id}-${n + 1}.png`, thumbnail }));

function cardsOf(projectId: string, runId: string, nowMs: number): TaskView[] {
  const card = (n: number, more: Partial<TaskView> & Pick<TaskView, 'title' | 'state'>): TaskView => ({
    id: `task-${n}`,
    place: `task-${n}`,
    projectId,
    runId,
    variantIndex: 0,
    kind: 'generate_images',
    stages: ['Waiting', 'Sending', 'Being made', 'Downloading', 'Placing'],
    stage: more.state === 'queued' ? 'Waiting' : 'Being made',
    done: 0,
    total: 1,
    results: results(`task-${n}`, [undefined]),
    createdAtMs: nowMs - 12_000,
    ...(more.state === 'queued' || more.state === 'running' ? {} : { endedAtMs: nowMs - 2_000 }),
    ...more,
  });
  return [
    card(1, { title: '3 pictures of pots', state: 'succeeded', done: 3, total: 3, costUsd: 0.12, results: results('task-1', [crop1, crop2, crop3]) }),
    card(2, {
      title: 'A kiln at night',
      state: 'succeeded',
      done: 2,
      total: 2,
      notice: 'These are placeholders: there is no key for an image model.',
      results: results('task-2', [crop3, undefined]),
    }),
    card(3, { title: 'A jug on a table', state: 'running', done: 1, total: 4, costUsd: 0.8, results: results('task-3', [crop2, undefined, undefined, undefined]) }),
    card(4, { title: 'Logo without its background', kind: 'remove_background', state: 'queued' }),
    card(5, {
      title: 'A warmer sky',
      kind: 'edit_image',
      state: 'failed',
      error: { code: 'bad_key', message: 'Replicate did not accept the key (status 401)', nextStep: 'Check the key in Settings' },
    }),
    card(6, { title: 'A row of glazes', state: 'failed', error: { code: 'interrupted', message: 'The program was closed before this was done.', nextStep: 'Try again' } }),
    card(7, { title: 'A second door', state: 'cancelled' }),
  ];
}

/** What the first option has cost once its jobs are done, in dollars. */
const COST_BY_NOW = 1.25;

/** The long jobs of the scripted host: `?tasks=all`. */
export function fakeTasks(asked: URLSearchParams, runOf: (projectId: string) => string | undefined, tell: (card: TaskView) => void): { answers: TaskHost; endAll(): void } {
  const kept = new Map<string, TaskView[]>();
  const cards = (projectId: string): TaskView[] => {
    const runId = runOf(projectId);
    const made = kept.get(projectId) ?? (asked.get('tasks') === 'all' && runId ? cardsOf(projectId, runId, Date.now()) : []);
    kept.set(projectId, made);
    return made;
  };
  const change = (projectId: string, taskId: string, with_: (card: TaskView) => TaskView): TaskView => {
    const all = cards(projectId);
    const at = all.findIndex(({ id }) => id === taskId);
    const held = all[at];
    if (!held) throw { code: 'storage', message: 'the history does not have this task' };
    const next = with_(held);
    all[at] = next;
    tell(next);
    return next;
  };
  const answers: TaskHost = {
    listTasks: async (projectId) => [...cards(projectId)],
    cancelTask: async (projectId, taskId) => {
      change(projectId, taskId, (card) => ({ ...card, state: 'cancelled', costUsd: undefined, endedAtMs: Date.now() }));
    },
    retryTask: async (projectId, taskId) =>
      change(projectId, taskId, (card) => ({ ...card, id: `${card.id}-again`, state: 'running', error: undefined, endedAtMs: undefined, createdAtMs: Date.now() })),
  };
  const endAll = () => {
    for (const [projectId, all] of kept) {
      for (const { id, state } of [...all]) if (state === 'queued' || state === 'running') change(projectId, id, (card) => ({ ...card, state: 'succeeded', done: card.total, optionCost: { usd: COST_BY_NOW }, endedAtMs: Date.now() }));
    }
  };
  return { answers, endAll };
}

import { describe, expect, it, vi } from 'vitest';
import type { Host } from '../ipc/host';
import type { History, Standing, VersionSummary } from '../ipc/types';
import { HistoryController, versionName } from './history.svelte';
import { pathTo, stepFrom, treeOf } from './historyTree';

const version = (number: number, parent?: number, more: Partial<VersionSummary> = {}): VersionSummary => ({
  id: `v${number}`,
  number,
  parent: parent === undefined ? undefined : `v${parent}`,
  label: '',
  isDraft: false,
  instruction: '',
  changed: [],
  createdAtMs: number,
  ...more,
});

/** Two options, one refined twice with a branch beside it, the other refined later. */
const GROWN = [
  version(1, undefined, { turn: 't1' }),
  version(2, undefined, { turn: 't1' }),
  version(3, 1, { turn: 't2' }),
  version(4, 3),
  version(5, 3),
  version(6, 2, { turn: 't4' }),
];

describe('the tree of versions', () => {
  it('has a column for each turn and a row for each branch', () => {
    const tree = treeOf(GROWN);
    expect(tree.nodes.map(({ version, column, row, level }) => [version.number, column, row, level])).toEqual([
      [1, 0, 0, 1],
      [2, 0, 1, 1],
      [3, 1, 0, 2],
      [4, 2, 0, 3],
      [5, 3, 1, 3],
      [6, 4, 2, 2],
    ]);
    expect([tree.columns.length, tree.rows, tree.roots.map(({ version }) => version.number)]).toEqual([5, 3, [1, 2]]);
  });

  it('puts no two versions in one place, however they branch', () => {
    const versions = Array.from({ length: 400 }, (_, n) => version(n + 1, n === 0 ? undefined : 1 + ((n * 7919) % n)));
    const tree = treeOf(versions);
    const places = new Set(tree.nodes.map(({ column, row }) => `${column}/${row}`));
    const backwards = tree.nodes.filter((node) => node.parent && node.parent.column >= node.column);
    expect([places.size, backwards.length]).toEqual([400, 0]);
  });

  it('is walked with the arrows', () => {
    const tree = treeOf(GROWN);
    const step = (id: string, key: string) => stepFrom(tree, id, key)?.version.id;
    expect([
      step('v1', 'ArrowRight'),
      step('v3', 'ArrowRight'),
      step('v5', 'ArrowLeft'),
      step('v1', 'ArrowDown'),
      step('v5', 'ArrowUp'),
      step('v1', 'ArrowLeft'),
      step('v4', 'Home'),
      step('v1', 'End'),
      step('v1', 'a'),
    ]).toEqual(['v3', 'v4', 'v3', 'v2', 'v4', undefined, 'v1', 'v6', undefined]);
    expect([...pathTo(tree, 'v5')]).toEqual(['v5', 'v3', 'v1']);
  });
});

function historyOf(versions: VersionSummary[], first: Standing, answers: Partial<Host> = {}) {
  const asked: unknown[][] = [];
  const moves: (string | undefined)[] = [];
  const failures: string[] = [];
  let told: History = { versions, standing: first };
  const host = new Proxy({} as Host, {
    get: (_target, name: keyof Host) => (...args: unknown[]) => {
      asked.push([name, ...args]);
      if (name === 'history' && !answers.history) return Promise.resolve(told);
      return (answers[name] as (...given: unknown[]) => unknown)(...args);
    },
  });
  const history = new HistoryController(host, 'p', {
    seen: () => undefined,
    onmove: () => moves.push(history.open?.id),
    onfail: (error) => failures.push(error.message),
  });
  return { history, asked, moves, failures, tell: (next: History) => (told = next) };
}

describe('the way through the versions', () => {
  it('says what was undone and what is open now', async () => {
    const { history, moves } = historyOf([version(1), version(2, 1, { instruction: 'Make it red' })], { open: 'v2', undoable: 1, redoable: 0 }, {
      undo: async () => ({ open: 'v1', undoable: 0, redoable: 1 }),
      redo: async () => ({ open: 'v2', undoable: 1, redoable: 0 }),
    });
    await history.load();
    await history.undo();
    const undone = history.announcement;
    await history.undo();
    await history.redo();
    expect([undone, history.announcement, moves]).toEqual([
      'Undone: “Make it red”. Version 1 is open.',
      'Done again: “Make it red”. Version 2 is open.',
      ['v1', 'v2'],
    ]);
  });

  it('adds a version when one is restored and nothing when it is open already', async () => {
    const first = { versions: [version(1), version(2, 1)], standing: { open: 'v2', undoable: 1, redoable: 0 } };
    const after = { versions: [...first.versions, version(3, 2)], standing: { open: 'v3', undoable: 2, redoable: 0 } };
    const { history, moves, tell } = historyOf(first.versions, first.standing, {
      restoreVersion: async () => {
        tell(after);
        return { versionId: 'v3', standing: after.standing };
      },
    });
    await history.load();
    const restored = await history.restore('v1');
    const again = await history.restore('v1');
    expect([restored?.id, again, history.chosen?.id, history.versions.length, moves]).toEqual(['v3', undefined, 'v3', 3, ['v3']]);
  });

  it('keeps where it stands when a step is refused', async () => {
    const { history, moves, failures } = historyOf([version(1), version(2, 1)], { open: 'v2', undoable: 1, redoable: 0 }, {
      openVersion: () => Promise.reject({ code: 'storage', message: 'The disk is full.' }),
    });
    await history.load();
    const done = await history.goTo('v1');
    expect([done, history.open?.id, moves, failures]).toEqual([false, 'v2', [], ['The disk is full.']]);
  });

  it('shows the comparison that was asked for last', async () => {
    const answers = new Map<string, (files: { path: string; diff: string }[]) => void>();
    const { history } = historyOf([version(1), version(2, 1)], { open: 'v2', undoable: 1, redoable: 0 }, {
      compareVersions: (_project, from) => new Promise((resolve) => answers.set(from, resolve)),
    });
    await history.load();
    const slow = history.compare('v1', 'v2');
    const fast = history.compare('v2', 'v2');
    answers.get('v2')?.([]);
    answers.get('v1')?.([{ path: 'index.html', diff: '' }]);
    await Promise.all([slow, fast]);
    expect(history.comparison).toEqual({ from: 'v2', to: 'v2', files: [] });
  });

  it('takes one step after the other, however fast they are asked for', async () => {
    const steps: (() => void)[] = [];
    const { history, asked, moves } = historyOf([version(1), version(2, 1), version(3, 2)], { open: 'v3', undoable: 2, redoable: 0 }, {
      undo: () => new Promise((resolve) => steps.push(() => resolve({ open: 'v2', undoable: 1, redoable: 1 }))),
      openVersion: async (_project, id) => ({ open: id, undoable: 2, redoable: 0 }),
    });
    await history.load();
    const undone = history.undo();
    const opened = history.goTo('v1');
    await vi.waitFor(() => expect(steps.length).toBe(1));
    steps[0]?.();
    await undone;
    expect([await opened, asked.map(([name]) => name), moves, history.standing]).toEqual([
      true,
      ['history', 'undo', 'openVersion'],
      ['v2', 'v1'],
      { open: 'v1', undoable: 2, redoable: 0 },
    ]);
  });

  it('lets no older answer stand over a newer step', async () => {
    const versions = [version(1), version(2, 1)];
    const old: History = { versions, standing: { open: 'v1', undoable: 0, redoable: 0 } };
    let answer: (told: History) => void = () => undefined;
    const { history } = historyOf([], { undoable: 0, redoable: 0 }, {
      history: () => new Promise((resolve) => (answer = resolve)),
      openVersion: async (_project, id) => ({ open: id, undoable: 1, redoable: 0 }),
    });
    const loaded = history.load();
    const opened = history.goTo('v2');
    for (let n = 0; n < 9; n += 1) await Promise.resolve();
    answer(old);
    await Promise.all([loaded, opened]);
    expect([history.open?.id, history.standing.undoable]).toEqual(['v2', 1]);
  });

  it('says why a comparison failed and takes the answer to the next try', async () => {
    let isBroken = true;
    const fault = { code: 'storage', message: 'A file of it is gone.' };
    const { history, failures } = historyOf([version(1), version(2, 1)], { open: 'v2', undoable: 1, redoable: 0 }, {
      compareVersions: () => (isBroken ? Promise.reject(fault) : Promise.resolve([])),
    });
    await history.load();
    await history.compare('v1', 'v2');
    const failed = history.comparison;
    isBroken = false;
    await history.compare('v1', 'v2');
    expect([failed, history.comparison, failures]).toEqual([{ from: 'v1', to: 'v2', fault }, { from: 'v1', to: 'v2', files: [] }, []]);
  });

  it('calls a version by its name, else by its number', () => {
    expect([version(3), version(3, 1, { label: 'Red' }), version(3, 1, { isDraft: true })].map(versionName)).toEqual(['Version 3', 'Red', 'Draft 3']);
  });
});

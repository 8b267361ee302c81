import { describe, expect, it, vi } from 'vitest';
import type { Host } from '../ipc/host';
import type { History, ProjectView, RunEvent, RunSnapshot, Standing, TaskView, VersionSummary } from '../ipc/types';
import { ProjectController } from './project.svelte';

const tokens = { input: 0, cachedRead: 0, cachedWrite: 0, output: 0, reasoning: 0 };
const variants = [0, 1, 2].map((index) => ({ index, engine: 'm', state: 'succeeded' as const, kept: true }));
const view: ProjectView = { id: 'p', name: 'Kiln', runs: [{ id: 'r', state: 'succeeded', startedAtMs: 0, text: '', changes: false, inputs: [], variants }] };
const version = (number: number, more: Partial<VersionSummary> = {}): VersionSummary => ({
  id: `v${number}`,
  number,
  label: '',
  isDraft: false,
  instruction: '',
  changed: [],
  createdAtMs: number,
  ...more,
});
/** What each option of the run made, and one version from a hand. */
const VERSIONS = [
  ...variants.map(({ index }) => version(index + 1, { madeBy: { runId: 'r', variantIndex: index, engine: 'm', state: 'succeeded', rounds: 1, elapsedMs: 1, costUsd: 0 } })),
  version(4, { parent: 'v1' }),
];

/** Each option writes files of these names, which hold what is given for it. */
function writes(paths: readonly string[], texts: Readonly<Record<number, string>> = {}): RunSnapshot {
  const codes = variants.flatMap(({ index }) => paths.map((path): [number, string] => [index, path]));
  const events = codes.map(([variantIndex, path], n): RunEvent => ({ runId: 'r', variantIndex, seq: n + 1, type: 'setCode', eventId: `w${n}`, path, base: 0, text: texts[variantIndex] ?? '<p>' }));
  const end: RunEvent = { runId: 'r', seq: events.length + 1, type: 'runState', state: 'succeeded', round: 1, elapsedMs: 9, tokens, costUsd: 0 };
  return { runId: 'r', projectId: 'p', seq: end.seq, events: [...events, end] };
}

/** A project whose run has ended with three options; the host has opened the first. */
async function opened(paths: readonly string[] = ['index.html'], answers: Partial<Host> = {}) {
  const asked: string[] = [];
  let standing: Standing = { open: 'v1', undoable: 1, redoable: 0 };
  let versions = VERSIONS;
  const answer: Partial<Host> = {
    history: async (): Promise<History> => ({ versions, standing }),
    listTasks: async () => [],
    runSnapshot: async () => writes(paths),
    openProject: async () => view,
    openVersion: async (_project, id) => (standing = { ...standing, open: id }),
    restoreVersion: async () => {
      versions = [...VERSIONS, version(5, { parent: standing.open })];
      standing = { ...standing, open: 'v5' };
      return { versionId: 'v5', standing };
    },
    versionFiles: async () => ({ 'index.html': '<p>' }),
    startRun: async () => ({ projectId: 'p', runId: 'r' }),
    saveDraft: async () => undefined,
    pageAddress: (_run, variant, path) => `option ${variant}: ${path}`,
    versionAddress: (id, path) => `${id}: ${path}`,
    ...answers,
  };
  const host = new Proxy({} as Host, {
    get: (_target, name: keyof Host) => (...args: unknown[]) => {
      if (!name.endsWith('Address')) asked.push([name, ...args.slice(1).filter((arg) => typeof arg === 'string')].join(' '));
      return (answer[name] as (...given: unknown[]) => unknown)(...args);
    },
  });
  const ports = { nextFrame: () => undefined, after: () => () => undefined, now: () => 0 };
  const failures: string[] = [];
  const project = new ProjectController(host, ports, view, (_fault, error) => failures.push(error.message));
  await project.open();
  return { project, failures, asked, seen: () => project.preview.frames.at(-1)?.src };
}

describe('what comes after the end of an option', () => {
  const ears = { runId: 'r', variantIndex: 1 };
  const task: TaskView = {
    id: 'task-1',
    place: 'task-1',
    projectId: 'p',
    runId: 'r',
    variantIndex: 1,
    kind: 'generate_images',
    title: 'A jug',
    stages: [],
    stage: '',
    state: 'succeeded',
    done: 1,
    total: 1,
    results: [{ path: 'assets/task-1-1.png' }],
    createdAtMs: 0,
  };

  it('is asked for anew when a picture or a score was told, whatever was asked before', async () => {
    const answers: (() => void)[] = [];
    let versions = VERSIONS;
    const { project } = await opened(['index.html'], {
      history: async () => {
        const told = { versions, standing: { open: 'v1', undoable: 1, redoable: 0 } };
        if (answers.length > 0) await new Promise<void>((go) => answers.push(go));
        return told;
      },
    });
    answers.push(() => undefined);
    const before = project.history.load();
    await expect.poll(() => answers.length).toBe(2);
    versions = VERSIONS.map((one) => (one.id === 'v2' ? { ...one, thumbnail: '/thumbnail', score: 88 } : one));
    project.hearPicture(ears);
    project.hearPicture({ ...ears, runId: 'of another project' });
    answers[1]?.();
    await before;
    const early = project.history.find('v2')?.thumbnail;
    await expect.poll(() => answers.length).toBe(3);
    answers[2]?.();
    await expect.poll(() => project.history.find('v2')?.thumbnail).toBe('/thumbnail');
    const [, second] = project.slots;
    expect([early, second && project.scoreOf(second), answers.length]).toEqual([undefined, 88, 3]);
  });

  it('lets no job go on that the events of its run saw begin and its card saw end', async () => {
    const begun: RunEvent = { runId: 'r', variantIndex: 0, seq: 1, type: 'taskState', taskId: 'task-1', kind: task.kind, title: task.title, stage: '', state: 'running', done: 0, total: 1 };
    const { project } = await opened(['index.html'], {
      runSnapshot: async () => {
        const told = writes(['index.html']);
        return { ...told, seq: told.seq + 1, events: [begun, ...told.events.map((event) => ({ ...event, seq: event.seq + 1 }))] };
      },
    });
    const before = project.openTask?.title;
    project.hearTask({ ...task, variantIndex: 0 });
    expect([before, project.openTask]).toEqual(['A jug', undefined]);
  });

  it('is drawn anew where a page shows the picture of a long job, and nowhere else', async () => {
    const { project } = await opened(['index.html'], { runSnapshot: async () => writes(['index.html'], { 1: '<img src="assets/task-1-1.png">' }) });
    const loads = vi.spyOn(project.preview, 'reload');
    project.hearTask(task);
    const elsewhere = loads.mock.calls.length;
    project.showOption(1);
    project.hearTask(task);
    expect([elsewhere, loads.mock.calls.length, project.slots.map((slot) => project.picturesIn(slot))]).toEqual([0, 1, [0, 1, 0]]);
  });
});

describe('a project', () => {
  it('reads each run and its history once when it opens', async () => {
    const { asked } = await opened();
    expect(asked.toSorted()).toEqual(['history', 'listTasks', 'runSnapshot']);
  });

  it('goes on from the option that is open though another one is seen', async () => {
    const { project, seen, asked } = await opened();
    project.showOption(2);
    const before = [seen(), project.version?.id, project.history.here?.id, project.history.chosen?.id];
    const done = await project.goOnFrom('v1');
    await project.send(['m'], 'html-css');
    expect([before, done, seen(), asked.filter((call) => call.startsWith('openVersion') || call.startsWith('startRun'))]).toEqual([
      ['option 2: index.html', 'v3', 'v3', 'v3'],
      true,
      'option 0: index.html',
      ['startRun'],
    ]);
  });

  it('shows a version of no option that it goes on from, and asks for its files once', async () => {
    const { project, seen, asked } = await opened();
    await project.goOnFrom('v4');
    await expect.poll(seen).toBe('v4: index.html');
    expect([project.version?.id, asked.slice(3)]).toEqual(['v4', ['openVersion v4', 'versionFiles v4']]);
  });

  it('goes on from the option that is seen, also before the history tells what it made', async () => {
    const { project, asked } = await opened();
    project.showOption(2);
    project.history.versions = [];
    await project.send(['m'], 'html-css');
    expect(asked.slice(3)).toEqual(['history', 'openVersion v3', 'startRun', 'openProject', 'saveDraft']);
  });

  it('shows the open version once a change has left none', async () => {
    const change = { id: 'c', state: 'no_output' as const, startedAtMs: 1, text: 'Why?', changes: true, inputs: [], variants: [{ index: 0, engine: 'm', state: 'no_output' as const, kept: false }] };
    const at = { runId: 'c', seq: 1, variantIndex: 0, type: 'setCode' as const, eventId: 'before-0-1', path: 'index.html', base: 0, text: '<p>' };
    const state = { type: 'runState' as const, state: 'running' as const, round: 1, elapsedMs: 9, tokens, costUsd: 0 };
    const { project, seen } = await opened(['index.html'], {
      openProject: async () => ({ ...view, runs: [...view.runs, change] }),
      runSnapshot: async (id) => (id === 'r' ? writes(['index.html']) : { runId: id, projectId: 'p', seq: 2, events: [at, { ...state, runId: id, seq: 2 }] }),
      streamAddress: () => 'stream',
      previewText: async () => ({ text: '<p>', length: 3 }),
    });
    await project.send(['m'], 'html-css');
    project.hear({ ...state, runId: 'c', seq: 3, state: 'no_output' }, 1);
    await expect.poll(() => [seen(), project.version?.id]).toEqual(['v1: index.html', 'v1']);
  });

  it('restores a version after the one that is seen', async () => {
    const { project } = await opened();
    project.showOption(2);
    const restored = await project.restore('v1');
    expect([restored?.id, restored?.parent]).toEqual(['v5', 'v3']);
  });

  it('takes a page for a page however its name is spelled', async () => {
    const { project, seen } = await opened(['site.css', 'about.htm', 'Index.HTML']);
    expect([seen(), project.pages]).toEqual(['option 0: Index.HTML', ['Index.HTML', 'about.htm']]);
  });

  it('goes on from nothing when the version cannot be opened', async () => {
    const { project, seen, failures } = await opened(['index.html'], { openVersion: () => Promise.reject({ code: 'storage', message: 'The disk is full.' }) });
    project.showOption(2);
    await project.send(['m'], 'html-css');
    expect([await project.goOnFrom('v2'), seen(), failures]).toEqual([false, 'option 2: index.html', ['The disk is full.', 'The disk is full.']]);
  });
});

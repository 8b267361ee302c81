import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Host, HostEars } from '../ipc/host';
import type { AddedInputs, InputSummary, LikelyCost, ProjectView, RunEvent, RunSnapshot, StartView } from '../ipc/types';
import { App } from './app.svelte';
import { LiveRun } from './liveRun.svelte';
import { Toasts } from './toasts.svelte';
import { Tray } from './tray.svelte';

const input = (id: string): InputSummary => ({ id, name: `${id}.png`, width: 1280, height: 900, bytes: 1, thumbnail: '' });
const added = (...ids: string[]): AddedInputs => ({ inputs: ids.map(input), refused: [] });
const tokens = { input: 0, cachedRead: 0, cachedWrite: 0, output: 0, reasoning: 0 };
const says = (seq: number, text: string): RunEvent => ({ runId: 'r', variantIndex: 0, seq, type: 'assistant', eventId: 's', text });
const ends = (seq: number): RunEvent => ({ runId: 'r', seq, type: 'runState', state: 'succeeded', round: 1, elapsedMs: 9, tokens, costUsd: 0 });
const summary = { id: 'r', state: 'running' as const, startedAtMs: 0, text: '', changes: false, inputs: [input('a')], variants: [{ index: 0, engine: 'offline', state: 'running' as const, kept: false }] };
const project: ProjectView = { id: 'p', name: 'Kiln', runs: [summary] };
const startView: StartView = {
  engines: [
    { id: 'offline', label: 'Offline tracer', ready: true, local: true },
    { id: 'model', label: 'Model', ready: true, local: false },
    { id: 'keyless', label: 'Keyless', ready: false, local: false },
  ],
  samples: [],
  recent: [],
  projectCount: 0,
  draft: 'half a sentence',
  settings: { theme: 'dark', language: 'en', panes: {} },
};
const nothing = { code: 'not_found', message: 'Nothing here.' };

/** A host that answers what a test tells it to and writes down what it was asked. */
function stubHost(answers: Partial<Host> = {}) {
  const asked: [string, ...unknown[]][] = [];
  let ears: HostEars | undefined;
  const host = new Proxy({} as Host, {
    get: (_target, name: keyof Host) => (...args: unknown[]) => {
      if (name === 'listen') {
        ears = args[0] as HostEars;
        return Promise.resolve(() => undefined);
      }
      asked.push([name, ...args]);
      if (name === 'history' && !answers.history) return Promise.resolve({ versions: [], standing: { undoable: 0, redoable: 0 } });
      const answer = answers[name] as ((...given: unknown[]) => unknown) | undefined;
      return answer ? answer(...args) : Promise.resolve(undefined);
    },
  });
  return { host, asked, ears: () => ears as HostEars };
}

const ports = {
  nextFrame: () => undefined,
  after: () => () => undefined,
  now: () => 1_000,
  systemLanguage: 'en-GB',
  paint: () => undefined,
};
const settle = async () => {
  for (let n = 0; n < 20; n += 1) await Promise.resolve();
};

describe('a live run', () => {
  const run = (answer: () => Promise<RunSnapshot>) => {
    const runSnapshot = vi.fn(answer);
    return { live: new LiveRun({ runSnapshot }, summary), runSnapshot };
  };
  const snapshot = (...events: RunEvent[]) => Promise.resolve({ runId: 'r', projectId: 'p', seq: events.length, events });

  it('asks for the snapshot once however many events are missing', async () => {
    const { live, runSnapshot } = run(() => snapshot(says(1, 'a'), says(2, 'b'), says(3, 'c')));
    live.hear(says(1, 'a'), 0);
    live.hear(says(3, 'c'), 0);
    live.hear(says(4, 'd'), 0);
    await settle();
    expect([runSnapshot.mock.calls.length, live.run.seq, live.run.variants[0]?.rows[0]]).toMatchObject([1, 4, { text: 'abcd' }]);
  });

  it('goes on when the snapshot cannot be had, and asks again later', async () => {
    const { live, runSnapshot } = run(() => Promise.reject(nothing));
    live.hear(says(3, 'c'), 0);
    await settle();
    live.hear(says(4, 'd'), 0);
    await settle();
    expect([runSnapshot.mock.calls.length, live.run.seq]).toEqual([2, 0]);
  });

  it('does not go back to an older snapshot', async () => {
    const { live } = run(() => snapshot(says(1, 'a')));
    live.hear(says(1, 'a'), 0);
    live.hear(says(2, 'b'), 0);
    await live.load();
    expect(live.run.seq).toBe(2);
  });
});

describe('the tray', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('holds ten pictures and counts the rest', () => {
    const tray = new Tray(stubHost().host, () => undefined);
    tray.take(added('1', '2', '3', '4', '5', '6', '7', '8'));
    tray.take(added('9', '10', '11', '12'));
    expect([tray.inputs.length, tray.overflow, tray.hasRefused]).toEqual([10, 2, true]);
  });

  it('takes the same picture only once', () => {
    const tray = new Tray(stubHost().host, () => undefined);
    tray.take(added('a'));
    tray.take(added('a', 'b'));
    expect(tray.inputs.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('hands a draft to the host once the hand rests', () => {
    const { host, asked } = stubHost();
    const tray = new Tray(host, () => undefined);
    tray.write('a');
    vi.advanceTimersByTime(100);
    tray.write('ab');
    vi.advanceTimersByTime(1_000);
    expect(asked).toEqual([['saveDraft', 'ab']]);
  });

  it('tells why nothing came in', async () => {
    const told: unknown[] = [];
    const { host } = stubHost({ pastePicture: () => Promise.reject(nothing) });
    await new Tray(host, (error) => told.push(error)).paste();
    expect(told).toEqual([nothing]);
  });
});

describe('messages', () => {
  it('are at most three', () => {
    const toasts = new Toasts();
    for (const lead of ['a', 'b', 'c', 'd']) toasts.show('plain', lead);
    expect(toasts.list.map(({ lead }) => lead)).toEqual(['b', 'c', 'd']);
  });
});

describe('the window', () => {
  const open = async (answers: Partial<Host> = {}) => {
    const stub = stubHost({
      startView: () => Promise.resolve(startView),
      openProject: () => Promise.resolve(project),
      listTasks: () => Promise.resolve([]),
      runSnapshot: () => Promise.resolve({ runId: 'r', projectId: 'p', seq: 0, events: [] }),
      startRun: () => Promise.resolve({ projectId: 'p', runId: 'r' }),
      previewText: () => Promise.reject(nothing),
      streamAddress: () => 'stream',
      pageAddress: () => 'page',
      ...answers,
    });
    const app = new App(stub.host, ports);
    await app.open();
    await settle();
    return { app, ...stub };
  };

  it('opens on the start screen with the draft and the engines that are ready', async () => {
    const { app } = await open();
    expect([app.screen, app.tray.text, app.engines.map(({ id }) => id), app.setup.engineIds]).toEqual(['start', 'half a sentence', ['offline', 'model'], ['offline']]);
  });

  it('asks what a run is likely to cost and leaves out an answer that came too late', async () => {
    const answers: ((cost: LikelyCost | null) => void)[] = [];
    const { app } = await open({ likelyCost: () => new Promise((resolve) => answers.push(resolve)) });
    app.tray.take(added('a'));
    app.setup.choose(0, 'model');
    const weighing = [app.weigh(), app.weigh()];
    answers[1]?.({ lowUsd: 1, highUsd: 2 });
    answers[0]?.({ lowUsd: 3, highUsd: 4 });
    await Promise.all(weighing);
    expect(app.likely).toEqual({ lowUsd: 1, highUsd: 2 });
  });

  it('shows why it could not open', async () => {
    const { app } = await open({ startView: () => Promise.reject(nothing) });
    expect([app.screen, app.fault]).toEqual(['broken', nothing]);
  });

  it('goes back to the run that was at work, with the draft in its composer', async () => {
    const { app } = await open({ startView: () => Promise.resolve({ ...startView, openRun: 'r' }) });
    expect([app.screen, app.project?.name, app.project?.tray.text, app.tray.text]).toEqual(['project', 'Kiln', 'half a sentence', '']);
  });

  it('tells of a long job of the shown option while it waits and while it works, and of another once that has ended', async () => {
    const { app, ears } = await open({ runSnapshot: () => Promise.resolve({ runId: 'r', projectId: 'p', seq: 0, events: [] }) });
    await app.openProject('p');
    await settle();
    const task = { runId: 'r', variantIndex: 0, type: 'taskState' as const, taskId: 't', kind: 'generate_images', title: 'A jug', stage: 'Waiting', done: 0, total: 1 };
    const told: (string | undefined)[] = [];
    for (const [n, state] of ['queued', 'running', 'succeeded'].entries()) {
      ears().run({ ...task, seq: n + 1, state });
      told.push(app.project?.openTask?.title);
    }
    const late = { id: 'u', place: 'u', projectId: 'p', kind: 'edit_image', title: 'A warmer jug', stages: [], stage: '', state: 'queued' as const, done: 0, total: 1, results: [], createdAtMs: 1 };
    ears().taskCard(late);
    expect([told, app.project?.openTask?.title]).toEqual([['A jug', 'A jug', undefined], 'A warmer jug']);
  });

  it('asks a local engine for one page however many options are chosen', async () => {
    const { app, asked } = await open();
    app.setup.optionCount = 3;
    app.tray.take(added('a'));
    app.tray.text = '';
    await app.make();
    expect(asked.find(([name]) => name === 'startRun')).toEqual(['startRun', { inputIds: ['a'], text: '', engines: ['offline'], stack: 'html-css' }]);
  });

  it('asks a model for each option', async () => {
    const { app } = await open();
    app.setup.choose(0, 'model');
    app.setup.optionCount = 3;
    expect(app.setup.engineIds).toEqual(['model', 'model', 'model']);
  });

  it('asks before the first run of a model that may order pictures at a price nobody knows, and not for the tracer', async () => {
    const images = { isOn: true, model: 'z-image', models: [], unpriced: 'Replicate' };
    const models = [{ engine: 'model', provider: 'anthropic', id: 'model', name: 'Model', inputPrice: 1, outputPrice: 2 }];
    const modelSettings = { keys: [], keysLast: true, endpoints: [], presets: [], engines: startView.engines, models, spendCapUsd: 5, pricesOf: '', images };
    const { app, asked } = await open({ modelSettings: () => Promise.resolve(modelSettings) });
    app.tray.take(added('a'));
    app.setup.choose(0, 'model');
    const making = app.make();
    await settle();
    const about = app.prices.engines.map(({ label }) => label);
    app.prices.answer(false);
    await making;
    app.setup.choose(0, 'offline');
    await app.make();
    const started = asked.filter(([name]) => name === 'startRun').map(([, request]) => (request as { engines: string[] }).engines);
    expect([about, app.prices.engines, started]).toEqual([['Replicate'], [], [['offline']]]);
  });

  it('keeps the pictures when a run does not start', async () => {
    const { app } = await open({ startRun: () => Promise.reject({ code: 'input_refused', message: 'Too large.' }) });
    app.tray.take(added('a'));
    await app.make();
    expect([app.screen, app.tray.inputs.length, app.toasts.list.map(({ rest }) => rest)]).toEqual(['start', 1, ['Too large.']]);
  });

  it('attaches a drop to the message, or begins anew beyond the conversation', async () => {
    const { app, ears } = await open();
    await app.openProject('p');
    app.talkEdgePx = 344;
    ears().dragState({ over: true, count: 1, x: 100, y: 9 });
    ears().filesDropped(added('a'));
    const attached = [app.screen, app.project?.tray.inputs.length];
    ears().dragState({ over: true, count: 1, x: 900, y: 9 });
    ears().filesDropped(added('b'));
    expect([attached, app.screen, app.tray.inputs.map(({ id }) => id), app.drag.over]).toEqual([['project', 1], 'start', ['b'], false]);
  });

  it('attaches a drop where the platform does not tell the pointer', async () => {
    const { app, ears } = await open();
    await app.openProject('p');
    ears().dragState({ over: true, count: 1 });
    expect(app.dropZone).toBe('attach');
  });

  it('asks for the project again when its run ends, for its words and its name', async () => {
    const { app, ears, asked } = await open();
    await app.openProject('p');
    await settle();
    ears().run({ ...says(1, 'hello') });
    ears().run(ends(2));
    await settle();
    expect([app.project?.isRunning, asked.filter(([name]) => name === 'openProject').length]).toEqual([false, 2]);
  });

  it('shows the page that is chosen, and the first one where an option has no such page', async () => {
    const code = (seq: number, variantIndex: number, path: string): RunEvent => ({ runId: 'r', variantIndex, seq, type: 'setCode', eventId: `w${seq}`, path, base: 0, text: '<p>' });
    const pages = ['page-10.html', 'index.html', 'page-2.html', 'site.css'].map((path, n) => code(n + 1, 0, path));
    const { app } = await open({
      runSnapshot: () => Promise.resolve({ runId: 'r', projectId: 'p', seq: 6, events: [...pages, code(5, 1, 'index.html'), ends(6)] }),
      pageAddress: (_run, variant, path) => `${variant}/${path}`,
      openProject: () => Promise.resolve({ ...project, runs: [{ ...summary, inputs: [input('a'), { ...input('b'), width: 390 }] }] }),
    });
    await app.openProject('p');
    await settle();
    const shown = () => app.project?.preview.frames.at(-1)?.src;
    const widths = [app.project?.stage.width];
    const first = shown();
    app.project?.choosePage('page-2.html');
    widths.push(app.project?.stage.width);
    const chosen = shown();
    app.project?.showOption(1);
    expect([app.project?.pages, first, chosen, shown()]).toEqual([['index.html'], '0/index.html', '0/page-2.html', '1/index.html']);
    app.project?.showOption(0);
    // The second page was made from the second picture, which is a phone's.
    expect([app.project?.pages, shown(), widths]).toEqual([['index.html', 'page-2.html', 'page-10.html'], '0/page-2.html', [1280, 375]]);
  });

  it('begins a new page on the start page, also from a project that the list of all led to', async () => {
    const { app } = await open({ listProjects: () => Promise.resolve([]) });
    await app.showAllProjects();
    await app.openProject('p');
    const listed = app.allProjects;
    await app.newProject();
    expect([listed, app.screen, app.project, app.allProjects]).toEqual([[], 'start', undefined, undefined]);
  });

  it('shows the list of all projects once it is there, and the start page where it is not', async () => {
    const projects = [{ id: 'p', name: 'Kiln', updatedAtMs: 0, state: 'succeeded' as const }];
    const answers: { take: (list: typeof projects) => void; refuse: (cause: unknown) => void }[] = [];
    const { app } = await open({ listProjects: () => new Promise((take, refuse) => answers.push({ take, refuse })) });
    const failing = app.showAllProjects();
    answers[0]?.refuse(nothing);
    await failing;
    const failed = [app.allProjects, app.toasts.list.length];
    const listing = app.showAllProjects();
    const waiting = app.allProjects;
    answers[1]?.take(projects);
    await listing;
    expect([failed, waiting, app.allProjects]).toEqual([[undefined, 1], undefined, projects]);
  });

  it('names no price for a turn: what it reads of its project is not known', async () => {
    const { app, asked } = await open({ likelyCost: () => Promise.resolve({ lowUsd: 1, highUsd: 2 }) });
    app.setup.choose(0, 'model');
    app.tray.take(added('a'));
    await app.weigh();
    const ofNew = app.likely;
    await app.openProject('p');
    app.project?.tray.take(added('b'));
    await app.weigh();
    expect([ofNew, app.likely, asked.filter(([name]) => name === 'likelyCost').length]).toEqual([{ lowUsd: 1, highUsd: 2 }, undefined, 1]);
  });

  it('lets nothing of a project go on that was left', async () => {
    const { app } = await open();
    await app.openProject('p');
    const left = app.project;
    const close = vi.spyOn(left?.preview ?? expect.fail(), 'close');
    await app.openProject('p');
    const closed = close.mock.calls.length;
    const other = vi.spyOn(app.project?.preview ?? expect.fail(), 'close');
    await app.goToStart();
    expect([closed, app.project === left, other.mock.calls.length]).toEqual([1, false, 1]);
  });

  it('shows what is remembered and forgets it where a command is written in the place of a message', async () => {
    const memory = { notes: [], turns: [], sent: 'x' };
    const { app, asked } = await open({ projectMemory: async () => memory });
    await app.openProject('p');
    const write = async (text: string) => {
      app.project?.tray.write(text);
      await app.send();
      return [app.memory, app.project?.tray.text];
    };
    expect([await write(' /memory '), await write('/CLEAR')]).toEqual([[memory, ''], [undefined, '']]);
    const calls = asked.map(([name]) => name).filter((name) => /memory|startRun/i.test(name));
    expect([calls, app.toasts.list.length]).toEqual([['projectMemory', 'clearMemory'], 1]);
  });

  it('takes the name back when it could not be changed', async () => {
    const { app } = await open({ renameProject: () => Promise.reject(nothing) });
    await app.openProject('p');
    await app.project?.rename('Other');
    expect([app.project?.name, app.toasts.list.length]).toEqual(['Kiln', 1]);
  });
});

describe('scores', () => {
  it('shows a score that was told over the stored one, also when the project was read before it was kept', async () => {
    const stored = { ...summary, variants: summary.variants.map((variant) => ({ ...variant, score: 70 })) };
    const { host, ears } = stubHost({
      startView: () => Promise.resolve(startView),
      openProject: () => Promise.resolve({ ...project, runs: [stored] }),
      runSnapshot: () => Promise.resolve({ runId: 'r', projectId: 'p', seq: 0, events: [] } as RunSnapshot),
    });
    const app = new App(host, ports);
    await app.open();
    await app.openProject('p');
    const scores = () => app.project?.slots.map((slot) => app.project?.scoreOf(slot));
    expect(scores()).toEqual([70]);
    ears().optionScored({ runId: 'r', variantIndex: 0, score: 91 });
    ears().run(ends(1));
    await vi.waitFor(() => expect(app.project?.isRunning).toBe(false));
    expect(scores()).toEqual([91]);
  });
});

import { FakeHistory, type PastRun } from './fake/history';
import { longPage } from './fake/longPage';
import { fakeElements } from './fake/elements';
import { fakeDiagnostics } from './fake/diagnostics';
import { fakeModels } from './fake/models';
import { Player } from './fake/player';
import { scenario, type ScenarioName } from './fake/script';
import { fakeStorage } from './fake/storage';
import { fakeTasks } from './fake/tasks';
import { manyProjects, MODELS, PAGES, PICTURES, recentProjects, SAMPLES } from './fake/shelf';
import type { Host, HostEars } from './host';
import type { AddedInputs, DragState, ProjectView, RunRequest, RunSummary, Settings, Theme } from './types';

interface FakeRun {
  summary: Omit<RunSummary, 'state' | 'variants'> & { engines: string[] };
  player: Player;
}

interface FakeProject {
  id: string;
  name: string;
  updatedAtMs: number;
  thumbnail?: string;
  runs: FakeRun[];
}

/** What a test may turn while the window runs over this host. */
export interface FakeControl {
  /** Every call the window made, oldest first. */
  calls: { name: string; args: unknown[] }[];
  settings: Settings;
  isHeld(): boolean;
  /** Lets a run that is held at a mark go on. */
  go(): void;
  drag(drag: DragState): void;
  drop(added: AddedInputs): void;
  openFiles(added: AddedInputs): void;
  watchdog(scriptsOff: boolean): void;
  /** Ends every long job that goes on. */
  endTasks(): void;
  /** Takes the pictures of all pages and measures them, where `camera=late`. */
  look(): void;
  /** Swallows the next events, so that the window has to ask for the snapshot. */
  loseEvents(count: number): void;
}

const OF_MODELS = new Set<ScenarioName>(['models', 'half', 'refused', 'words', 'retry']);

const refused = (name: string): AddedInputs => ({
  inputs: [],
  refused: [{ name, code: 'unsupported_kind', message: 'Pictures, HTML files and folders can come in.' }],
});

/** The scripted host, told by the address: `?scenario=models&hold=half&speed=4&recent=0`. */
export function fakeHost(): Host {
  const asked = new URLSearchParams(location.search);
  const speed = Number(asked.get('speed')) || 1;
  const projects = new Map<string, FakeProject>();
  let ears: HostEars | undefined;
  let losing = 0;
  let made = 0;
  let hasPageWindow = false;
  const settings: Settings = {
    theme: (asked.get('theme') as Theme | null) ?? 'system',
    language: asked.get('lang') === 'zh-CN' ? 'zh-CN' : asked.get('lang') === 'en' ? 'en' : 'system',
    panes: {},
  };
  const control: FakeControl = {
    calls: [],
    settings,
    isHeld: () => runs().some((run) => run.player.isHeld),
    go: () => runs().forEach((run) => run.player.go()),
    drag: (drag) => ears?.dragState(drag),
    drop: (added) => ears?.filesDropped(added),
    openFiles: (added) => ears?.filesOpened(added),
    endTasks: () => tasks.endAll(),
    look: () => {
      histories.isUnseen = false;
      for (const { summary } of runs()) {
        summary.engines.forEach((_, variantIndex) => {
          ears?.optionPictured({ runId: summary.id, variantIndex });
          score(summary.id, variantIndex);
        });
      }
    },
    watchdog: (scriptsOff) => ears?.watchdog({ scriptsOff }),
    loseEvents: (count) => (losing = count),
  };
  Object.assign(window, { facsimileFake: control });

  const heard = (): HostEars | undefined => {
    if (losing > 0) {
      losing -= 1;
      return undefined;
    }
    return ears;
  };
  const runs = () => [...projects.values()].flatMap((project) => project.runs);
  const runOf = (runId: string): FakeRun => {
    const run = runs().find((other) => other.summary.id === runId);
    if (!run) throw { code: 'not_found', message: 'That run does not exist any more.' };
    return run;
  };
  const projectOf = (id: string): FakeProject => {
    const project = projects.get(id);
    if (!project) throw { code: 'not_found', message: 'That project does not exist any more.' };
    return project;
  };

  const scores = new Map<string, number>();
  function score(runId: string, variantIndex: number): void {
    if (asked.get('camera') === '0' || histories.isUnseen) return;
    const told = { runId, variantIndex, score: [92.4, 96.1, 88.7, 71.2][variantIndex] ?? 90 };
    scores.set(`${runId}/${variantIndex}`, told.score);
    ears?.optionScored(told);
  }

  function newRun(request: Omit<RunRequest, 'stack'>, name: ScenarioName): FakeRun {
    made += 1;
    const id = `run-${made}`;
    const inputs = request.inputIds.flatMap((input) => PICTURES[input] ?? []);
    const mainName = inputs[0]?.page ?? 'shop-a';
    const played = scenario(name, {
      main: PAGES[mainName] ?? '',
      mainName,
      other: PAGES['shop-b'] ?? '',
      otherName: 'shop-b',
      long: name === 'long' ? longPage() : '',
      further: inputs.slice(1).map(({ page }) => ({ name: page, text: PAGES[page] ?? '' })),
      count: request.engines.length,
    });
    const player = new Player(id, played, heard, {
      speed,
      holdAt: asked.get('hold') ?? undefined,
      ondone: (index) => score(id, index),
    });
    const startedAtMs = Date.now();
    const { text } = request;
    const engines = OF_MODELS.has(name) ? request.engines.map((engine) => (engine === 'offline' ? (MODELS[0]?.id ?? engine) : engine)) : request.engines;
    return { summary: { id, startedAtMs, text, changes: request.projectId !== undefined, inputs: inputs.map(({ input }) => input), engines }, player };
  }

  function viewOf(project: FakeProject): ProjectView {
    return {
      id: project.id,
      name: project.name,
      runs: project.runs.map(({ summary: { engines, ...summary }, player }) => ({
        ...summary,
        state: player.state,
        variants: engines.map((engine, index) => ({ index, engine, state: player.state, kept: player.state === 'succeeded', score: scores.get(`${summary.id}/${index}`) })),
      })),
    };
  }

  const pastRun = ({ summary, player }: FakeRun): PastRun => ({ ...summary, player, thumbnail: summary.inputs[0]?.thumbnail });
  const histories = new FakeHistory((id) => projectOf(id).runs.map(pastRun), Number(asked.get('versions')) || 0, asked.get('camera') === 'late');

  const recentlyUsed = asked.get('recent') === '0' ? [] : recentProjects(Date.now());
  for (const past of [...recentlyUsed, ...manyProjects(Number(asked.get('projects')) || 0, Date.now())]) {
    const run = newRun({ inputIds: [past.picture], text: '', engines: ['offline'] }, 'trace');
    if (past.state === 'interrupted') cutShort(run.player);
    const { id, name, updatedAtMs, thumbnail } = past;
    run.player.state = 'running';
    run.player.playOut();
    projects.set(id, { id, name, updatedAtMs, thumbnail, runs: [run] });
  }
  const openRun = asked.get('running') === '1' ? begin({ inputIds: ['shop'], text: '', engines: ['offline'] }).runId : undefined;

  function begin(request: Omit<RunRequest, 'stack'>) {
    const told = asked.get('scenario') as ScenarioName | null;
    // A failed option that is tried again alone works.
    const wanted = (told === 'half' && request.engines.length === 1 ? 'models' : told) ?? (request.engines.some((engine) => engine !== 'offline') ? 'models' : 'trace');
    const run = newRun(request, wanted);
    const first = run.summary.inputs[0];
    const project: FakeProject = (request.projectId && projects.get(request.projectId)) || {
      id: `project-${made}`,
      name: first?.id === 'shop' ? 'Kestrel Kiln' : (first?.name.replace(/\.\w+$/, '') ?? 'New page'),
      updatedAtMs: Date.now(),
      thumbnail: first?.thumbnail,
      runs: [],
    };
    project.runs.push(run);
    projects.set(project.id, project);
    histories.begin(project.id, run.summary.id, request.retryOf);
    setTimeout(() => run.player.start(), 30);
    return { projectId: project.id, runId: run.summary.id };
  }

  const models = fakeModels(asked, asked.get('engines') === '2' || OF_MODELS.has(asked.get('scenario') as ScenarioName));
  const tasks = fakeTasks(asked, (id) => projects.get(id)?.runs[0]?.summary.id, (card) => ears?.taskCard(card));
  const answers: Omit<Host, 'listen' | 'streamAddress' | 'pageAddress' | 'versionAddress' | 'thumbnailAddress' | 'assetAddress'> = {
    startView: async () => {
      if (asked.get('broken') === '1') throw { code: 'storage', message: 'The history could not be opened. Its file is locked by another program.' };
      return { engines: models.engines(), samples: SAMPLES, recent: recent().slice(0, 12), projectCount: projects.size, openRun, draft: asked.get('draft') ?? '', settings };
    },
    addFiles: async () => ({ inputs: [], refused: [] }),
    chooseFiles: async () => {
      if (asked.get('choose') === 'refused') return refused('notes.pages');
      return { inputs: [inputOf('shop')], refused: [] };
    },
    pastePicture: async () => {
      if (asked.get('paste') === 'empty') throw { code: 'clipboard_empty', message: 'There is no picture on the clipboard.' };
      return { inputs: [inputOf('tide')], refused: [] };
    },
    addPicture: async (name) => ({ inputs: [{ ...inputOf('shop'), id: `pasted-${name}`, name }], refused: [] }),
    useSample: async (id) => ({ inputs: [inputOf(id)], refused: [] }),
    likelyCost: async ({ engines }) => ({ lowUsd: 0.11 * engines.length, highUsd: 0.62 * engines.length }),
    startRun: async (request) => {
      if (asked.get('start') === 'refused') throw { code: 'input_refused', message: 'The picture is larger than 40 megapixels. Save a smaller copy.' };
      return begin(request);
    },
    cancelRun: async (runId, variantIndex) => runOf(runId).player.cancel(variantIndex),
    runSnapshot: async (runId) => {
      const { player } = runOf(runId);
      const projectId = [...projects.values()].find((project) => project.runs.some((run) => run.player === player))?.id ?? '';
      return { runId, projectId, seq: player.events.length, events: [...player.events] };
    },
    openProject: async (id) => viewOf(projectOf(id)),
    listProjects: async () => recent(),
    deleteProject: async (id) => {
      projects.delete(id);
      return { keepsDamagedCopy: asked.get('damaged') === '1' };
    },
    renameProject: async (id, name) => {
      projectOf(id).name = name;
    },
    projectMemory: async () => ({
      notes: ['Files in focus: index.html'],
      turns: [{ instruction: 'Make it darker', result: 'It is darker now.' }],
      sent: '# Earlier changes\n\nRequest: Make it darker\nResult: It is darker now.',
    }),
    clearMemory: async () => undefined,
    duplicateProject: async (id, name) => {
      const copy = { ...projectOf(id), id: `${id}-copy-${projects.size}`, name, updatedAtMs: Date.now() };
      projects.set(copy.id, copy);
      return copy.id;
    },
    exportProject: async (id) => (asked.get('export') === 'cancelled' ? null : `/home/maker/Desktop/${projectOf(id).name}.facsimile`),
    importProject: async () => {
      if (asked.get('import') === 'refused') throw { code: 'input_refused', message: 'shop.facsimile is no project of this program; choose a .facsimile file' };
      return [...projects.keys()][0] ?? null;
    },
    exportRun: async () => {
      if (asked.get('export') === 'refused') throw { code: 'storage', message: 'The folder cannot be written to. Choose another one.' };
      if (asked.get('export') === 'cancelled') return null;
      const warnings = asked.get('export') === 'warnings' ? ['1 picture is still a placeholder: assets/jug.png'] : [];
      return { folder: '/home/maker/Desktop/kestrel-kiln', files: 7, bytes: 412_300, warnings };
    },
    exportVersion: async () => ({ folder: '/home/maker/Desktop/kestrel-kiln', files: 7, bytes: 412_300, warnings: [] }),
    ...histories.answers,
    ...fakeElements({
      source: (versionId, path) => histories.textOf(versionId, path),
      keep: async (projectId, path, source) => {
        if (asked.get('edit') === 'refused') throw { code: 'stale_pick', message: 'the page has changed since the element was picked; pick it again' };
        const id = histories.edit(projectId, path, source);
        await fetch(`/fake-preview/keep/${id}`, { method: 'POST', body: source });
        return id;
      },
      open: (projectId) => histories.openOf(projectId),
      standing: (projectId) => histories.standingOf(projectId),
    }),
    reveal: async () => undefined,
    saveSettings: async (next) => void Object.assign(settings, next),
    saveDraft: async () => undefined,
    ...fakeStorage(asked.get('damaged') === '1'),
    ...models.answers,
    ...fakeDiagnostics(asked),
    ...tasks.answers,
    openPageWindow: async () => {
      if (asked.get('window') === 'refused') throw { code: 'unknown', message: 'The window did not open (no display).' };
      hasPageWindow = true;
    },
    showPage: async () => hasPageWindow,
    previewText: async (runId, variantIndex, path) => {
      const text = runOf(runId).player.texts.get(`${variantIndex}/${path}`);
      if (text === undefined) throw { code: 'not_found', message: 'Nothing is written yet.' };
      return { text, length: text.length };
    },
  };

  const recent = () =>
    [...projects.values()]
      .sort((a, b) => b.updatedAtMs - a.updatedAtMs)
      .map(({ id, name, updatedAtMs, thumbnail, runs: own }) => ({ id, name, updatedAtMs, thumbnail, state: own.at(-1)?.player.state ?? 'succeeded' }));

  const pageAddress: Host['pageAddress'] = (runId, variantIndex, path, version, y) => {
    const { player } = runOf(runId);
    const page = player.scenario.pages[variantIndex]?.[path] ?? 'shop-a';
    const length = player.texts.get(`${variantIndex}/${path}`)?.length ?? 0;
    return `/fake-preview/page/${page}/${runId}/${variantIndex}/${path}?v=${version}&y=${Math.round(y)}&upto=${page === 'flood' ? 0 : length}`;
  };
  return {
    ...noted(answers, control),
    listen: async (next) => {
      ears = next;
      return () => (ears = undefined);
    },
    streamAddress: (runId, variantIndex) => `/fake-preview/stream/${runId}/${variantIndex}/stream.html`,
    pageAddress,
    versionAddress: (versionId, path, version, y) => {
      if (histories.isEdited(versionId)) return `/fake-preview/edited/${versionId}?v=${version}&y=${Math.round(y)}`;
      const { runId, variantIndex } = histories.sourceOf(versionId);
      return pageAddress(runId, variantIndex, path, version, y);
    },
    thumbnailAddress: (thumbnail) => thumbnail,
    assetAddress: (_runId, _variantIndex, asset) => asset,
  };
}

function inputOf(id: string) {
  const picture = PICTURES[id];
  if (!picture) throw { code: 'not_found', message: 'That sample does not exist.' };
  return picture.input;
}

/** A run that a crash ended half-way. */
function cutShort(player: Player): void {
  const { beats } = player.scenario;
  const half = beats.findIndex((beat) => beat.mark === 'half');
  const last = beats.at(-1)?.body;
  beats.length = half;
  if (last?.type === 'runState') beats.push({ waitMs: 0, body: { ...last, state: 'interrupted' } });
}

function noted<T extends object>(answers: T, control: FakeControl): T {
  const entries = Object.entries(answers).map(([name, answer]) => [
    name,
    (...args: unknown[]) => {
      control.calls.push({ name, args });
      return (answer as (...given: unknown[]) => unknown)(...args);
    },
  ]);
  return Object.fromEntries(entries) as T;
}

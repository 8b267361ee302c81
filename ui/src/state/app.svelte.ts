import { hostError, type HostError } from '../ipc/error';
import type { Host } from '../ipc/host';
import type { AddedInputs, DragState, EngineChoice, LikelyCost, Memory, ProjectSummary, RunSummary, StartView } from '../ipc/types';
import { imageVendorOf, isTracer, unpricedPictures } from '../lib/engines';
import { commandOf } from './composerCommands';
import { Models } from './models.svelte';
import { Preferences, type PreferencePorts } from './preferences.svelte';
import type { PreviewPorts } from './preview.svelte';
import { PriceQuestion } from './priceQuestion.svelte';
import { ProjectController, type ProjectFault } from './project.svelte';
import { RunSetup } from './runSetup.svelte';
import { sendingOf, type Sending } from './sending';
import { Toasts } from './toasts.svelte';
import { Tray } from './tray.svelte';
import { say, sayMessage, type WordKey } from './words.svelte';

export type Screen = 'opening' | 'broken' | 'start' | 'project';
/** The parts of the settings, as they stand. */
export type SettingsPart = 'keys' | 'endpoints' | 'images' | 'spending' | 'appearance' | 'storage' | 'help';
/** Where dropped files go. */
export type DropZone = 'new' | 'attach';

/** As many projects as the start screen shows by itself. */
const MOST_RECENT = 12;

/** A few words weigh next to nothing beside a picture; what was typed need not be asked about key by key. */
const WORDS_TO_WEIGH = 'A page.';

/** Codes that a key mends. */
const KEY_FAULTS = new Set(['bad_key', 'no_access', 'no_model']);

type Fault = ProjectFault | 'settings' | 'delete' | 'duplicate' | 'import';

const FAULTS: Record<Fault, WordKey> = {
  start: 'error.start',
  stop: 'error.stop',
  export: 'error.export',
  rename: 'error.rename',
  open: 'error.open',
  add: 'error.add',
  reveal: 'error.reveal',
  task: 'error.task',
  history: 'error.history',
  settings: 'error.settings',
  delete: 'error.delete',
  duplicate: 'error.duplicate',
  import: 'error.import',
};

/** The window: which screen is open, and what every screen shares. */
export class App {
  screen = $state<Screen>('opening');
  fault = $state.raw<HostError | undefined>();
  start = $state.raw<StartView | undefined>();
  project = $state.raw<ProjectController | undefined>();
  /** Every project, while all of them are shown. */
  allProjects = $state.raw<readonly ProjectSummary[] | undefined>();
  drag = $state.raw<DragState>({ over: false, count: 0 });
  /** Right edge of the conversation, which parts the two zones of a drop. */
  talkEdgePx = $state(0);
  isStarting = $state(false);
  /** What is remembered of the open project, while it is shown. */
  memory = $state.raw<Memory | undefined>();
  /** The part that the settings opened at, while they are open. */
  settingsAt = $state<SettingsPart | undefined>();
  readonly toasts = new Toasts();
  readonly preferences: Preferences;
  readonly tray: Tray;

  readonly engines = $derived((this.start?.engines ?? []).filter((engine) => engine.ready));
  readonly setup = new RunSetup(() => this.engines);
  readonly models: Models;
  readonly prices = new PriceQuestion();
  /** What the next run is likely to cost; none while it is not known. */
  likely = $state.raw<LikelyCost | undefined>();
  #weighing = 0;

  constructor(
    readonly host: Host,
    private readonly ports: PreviewPorts & PreferencePorts,
  ) {
    this.tray = new Tray(host, (error) => this.tell('add', error));
    this.models = new Models(host, (engines) => this.#offer(engines));
    this.preferences = new Preferences(host, ports, (cause) => this.tell('settings', hostError(cause)));
  }

  /** Listens, asks for the start view and opens the run that is still at work, if any. */
  async open(): Promise<void> {
    try {
      await this.host.listen({
        run: (event) => this.project?.hear(event, this.ports.now()),
        previewText: (piece) => this.project?.hearPiece(piece),
        taskCard: (task) => this.project?.hearTask(task),
        optionScored: (scored) => this.project?.hearScore(scored),
        optionPictured: (pictured) => this.project?.hearPicture(pictured),
        versionSeen: (seen) => this.project?.hearVersion(seen),
        dragState: (drag) => (this.drag = drag),
        filesDropped: (added) => this.#dropped(added),
        filesOpened: (added) => this.#opened(added),
        projectImported: (id) => void this.openProject(id),
        watchdog: ({ scriptsOff }) =>
          this.toasts.show('warn', say(scriptsOff ? 'stage.watchdog' : 'stage.watchdog.on')),
      });
      const view = await this.host.startView();
      this.start = view;
      this.preferences.restore(view.settings);
      this.tray.text = view.draft;
      this.screen = 'start';
      // The keychain may wait for a person, and nobody has asked for a key yet.
      if (view.engines.some((engine) => !isTracer(engine.id))) void this.models.load('memory');
      if (view.openRun !== undefined) await this.#reopen(view.openRun, view.draft);
    } catch (cause) {
      this.fault = hostError(cause);
      this.screen = 'broken';
    }
  }

  async openProject(id: string): Promise<void> {
    try {
      this.#enter(await this.host.openProject(id));
    } catch (cause) {
      this.tell('open', hostError(cause));
    }
  }

  /** Makes a page of what the start tray holds. */
  async make(): Promise<void> {
    const engines = this.setup.options;
    if (engines.length === 0 || this.isStarting || this.tray.inputs.length === 0) return;
    this.isStarting = true;
    try {
      if (!(await this.#mayCost(undefined, engines))) return;
      const started = await this.host.startRun({
        inputIds: this.tray.inputs.map((input) => input.id),
        text: this.tray.text.trim(),
        engines: engines.map((engine) => engine.id),
        stack: this.setup.stack,
      });
      this.prices.accept(started.projectId, this.#unpriced(engines));
      const view = await this.host.openProject(started.projectId);
      this.tray.empty();
      this.#enter(view);
    } catch (cause) {
      this.tell('start', hostError(cause));
    } finally {
      this.isStarting = false;
    }
  }

  /** Starts the next turn of the open project. */
  async send(): Promise<void> {
    const { project, setup } = this;
    const command = project && commandOf(project.tray.text);
    if (project && command) return command === 'clear' ? this.clearMemory(project) : this.#openMemory(project);
    if (project && (await this.#mayCost(project.id, setup.options))) await project.send(setup.engineIds, setup.stack);
  }

  /** The next request begins without memory of what was done so far. */
  async clearMemory(project: ProjectController): Promise<void> {
    const done = await this.#remembering(async () => {
      await this.host.clearMemory(project.id);
      return true;
    });
    if (!done) return;
    this.memory = undefined;
    project.tray.write('');
    this.toasts.show('good', say('memory.cleared'));
  }

  async #openMemory(project: ProjectController): Promise<void> {
    this.memory = await this.#remembering(() => this.host.projectMemory(project.id));
    if (this.memory) project.tray.write('');
  }

  async #remembering<T>(act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act();
    } catch (cause) {
      this.tell('history', hostError(cause));
      return undefined;
    }
  }

  /** Starts a turn again as it was asked, or one option of it alone. */
  async retry(run: RunSummary, option?: number): Promise<void> {
    const { project } = this;
    if (!project) return;
    const engines = run.variants.filter(({ index }) => option === undefined || index === option).map(({ engine }) => engine);
    const offered = this.engines.filter(({ id }) => engines.includes(id));
    if (await this.#mayCost(project.id, offered)) await project.retry(run, engines, this.setup.modelStack);
  }

  /** Who makes pictures for a model; none while no service is asked. */
  get imageVendor(): string | undefined {
    const images = this.models.settings?.images;
    return images ? imageVendorOf(images) : this.start?.imageVendor;
  }

  /** What the next run sends, and where. */
  get sending(): Sending {
    const { models, project } = this;
    const engines = this.setup.options;
    return sendingOf({
      engines,
      inputs: (project?.tray ?? this.tray).inputs,
      endpoints: models.settings?.endpoints ?? [],
      capUsd: models.settings?.spendCapUsd,
      unpriced: this.#unpriced(engines),
      likely: this.likely,
      imageVendor: this.imageVendor,
      isTurn: project !== undefined,
    });
  }

  /**
   * Asks what a new page is likely to cost: what a turn would read of its project is not known. An answer to a
   * question that is no longer asked is left out.
   */
  async weigh(): Promise<void> {
    const { setup, project } = this;
    // Another maker of pictures has another price.
    void this.models.settings?.images;
    const inputIds = this.tray.inputs.map(({ id }) => id);
    const weighing = ++this.#weighing;
    const isAsked = setup.options.some(({ id }) => !isTracer(id)) && inputIds.length > 0 && project === undefined;
    // A price that cannot be told keeps nobody from working.
    const asked = isAsked
      ? this.host.likelyCost({ inputIds, text: WORDS_TO_WEIGH, engines: setup.engineIds, stack: setup.modelStack }).catch(() => null)
      : null;
    const likely = await asked;
    if (weighing === this.#weighing) this.likely = likely ?? undefined;
  }

  openSettings(part: SettingsPart = 'keys'): void {
    this.models.hasSaved = false;
    this.settingsAt = part;
    void this.models.load();
  }

  closeSettings(): void {
    this.settingsAt = undefined;
  }

  /** Back to the start page, where a new page begins. */
  async newProject(): Promise<void> {
    this.allProjects = undefined;
    await this.goToStart();
  }

  /** Back to where projects are chosen. */
  async goToStart(): Promise<void> {
    this.#leave();
    this.screen = 'start';
    this.setup.leave();
    await this.#refreshStart();
  }

  async showAllProjects(): Promise<void> {
    const projects = await this.#refreshStart();
    if (this.screen === 'start') this.allProjects = projects;
  }

  async deleteProject(id: string, name: string): Promise<void> {
    try {
      const { keepsDamagedCopy } = await this.host.deleteProject(id);
      await this.goToStart();
      // A damaged copy may hold what was just deleted; a person decides about it.
      const more = keepsDamagedCopy
        ? { rest: say('storage.damaged.left'), action: { label: say('do.show'), run: () => this.openSettings('storage') } }
        : {};
      this.toasts.show('good', say('project.deleted', { name }), more);
    } catch (cause) {
      this.tell('delete', hostError(cause));
    }
  }

  async revealFolder(path: string): Promise<void> {
    await this.#change('reveal', () => this.host.reveal(path));
  }

  async renameProject(id: string, name: string): Promise<void> {
    await this.#change('rename', () => this.host.renameProject(id, name));
  }

  async duplicateProject(id: string, name: string): Promise<void> {
    await this.#change('duplicate', () => this.host.duplicateProject(id, say('project.copy', { name })));
  }

  async exportProject(id: string, name: string): Promise<void> {
    await this.#change('export', async () => {
      const file = await this.host.exportProject(id);
      if (file !== null) this.toasts.show('good', say('project.saved', { name }), { rest: file });
    });
  }

  async importProject(): Promise<void> {
    await this.#change('import', async () => {
      const id = await this.host.importProject();
      if (id !== null) await this.openProject(id);
    });
  }

  async #change(fault: Fault, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      await this.#refreshStart();
    } catch (cause) {
      this.tell(fault, hostError(cause));
    }
  }

  /** Where files would land if they were let go now. */
  get dropZone(): DropZone {
    if (this.screen !== 'project') return 'new';
    return this.drag.x !== undefined && this.drag.x > this.talkEdgePx ? 'new' : 'attach';
  }

  tell(fault: Fault, error: HostError): void {
    const action = KEY_FAULTS.has(error.code) ? { label: say('do.keys'), run: () => this.openSettings() } : undefined;
    this.toasts.show('bad', say(FAULTS[fault]), { rest: sayMessage(error), action });
  }

  #dropped(added: AddedInputs): void {
    const zone = this.dropZone;
    this.drag = { over: false, count: 0 };
    if (zone === 'attach' && this.project) this.project.tray.take(added);
    else this.#opened(added);
  }

  #opened(added: AddedInputs): void {
    if (this.screen === 'project') void this.newProject();
    this.tray.take(added);
  }

  #offer(engines: EngineChoice[]): void {
    if (this.start) this.start = { ...this.start, engines };
  }

  #unpriced(engines: readonly EngineChoice[]): EngineChoice[] {
    const unpriced = engines.filter((engine) => !this.models.isPriced(engine));
    // Whatever model works may ask for pictures; the tracer makes none.
    return engines.some(({ id }) => !isTracer(id)) ? [...unpriced, ...unpricedPictures(this.models.settings?.images)] : unpriced;
  }

  async #mayCost(project: string | undefined, engines: readonly EngineChoice[]): Promise<boolean> {
    if (engines.some((engine) => !isTracer(engine.id))) await this.models.ready();
    const unpriced = this.#unpriced(engines);
    const isAllowed = await this.prices.allows(project, unpriced);
    if (isAllowed && project !== undefined) this.prices.accept(project, unpriced);
    return isAllowed;
  }

  async #reopen(runId: string, draft: string): Promise<void> {
    const snapshot = await this.host.runSnapshot(runId).catch(() => undefined);
    if (!snapshot) return;
    await this.openProject(snapshot.projectId);
    if (!this.project) return;
    this.tray.text = '';
    this.project.tray.text = draft;
  }

  #enter(view: Awaited<ReturnType<Host['openProject']>>): void {
    const project = new ProjectController(this.host, this.ports, view, (fault, error) =>
      this.tell(fault, error),
    );
    this.#leave();
    this.project = project;
    this.screen = 'project';
    this.setup.enter(view.stack);
    // What has run in the project before was asked about then.
    const known = view.runs.flatMap(({ variants }) => variants.map(({ engine }) => ({ id: engine })));
    this.prices.accept(view.id, known);
    void project.open();
  }

  #leave(): void {
    this.project?.close();
    this.project = undefined;
  }

  /** Reads the projects anew and gives them, if they can be had. */
  async #refreshStart(): Promise<readonly ProjectSummary[] | undefined> {
    const { start } = this;
    if (!start) return undefined;
    try {
      const projects = await this.host.listProjects();
      this.start = { ...start, recent: projects.slice(0, MOST_RECENT), projectCount: projects.length };
      if (this.allProjects) this.allProjects = projects;
      return projects;
    } catch (cause) {
      this.tell('open', hostError(cause));
      return undefined;
    }
  }
}

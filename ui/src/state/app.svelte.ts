import { hostError, type HostError } from '../ipc/error';
import type { Host } from '../ipc/host';
import type { AddedInputs, DragState, EngineChoice, StartView } from '../ipc/types';
import { Preferences, type PreferencePorts } from './preferences.svelte';
import type { PreviewPorts } from './preview.svelte';
import { ProjectController, type ProjectFault } from './project.svelte';
import { Toasts } from './toasts.svelte';
import { Tray } from './tray.svelte';
import { say, sayMessage, type WordKey } from './words.svelte';

export type Screen = 'opening' | 'broken' | 'start' | 'project';
/** Where dropped files go. */
export type DropZone = 'new' | 'attach';

const FAULTS: Record<ProjectFault | 'settings' | 'delete', WordKey> = {
  start: 'error.start',
  stop: 'error.stop',
  export: 'error.export',
  rename: 'error.rename',
  open: 'error.open',
  add: 'error.add',
  reveal: 'error.reveal',
  settings: 'error.settings',
  delete: 'error.delete',
};

/** The window: which screen is open, and what every screen shares. */
export class App {
  screen = $state<Screen>('opening');
  fault = $state.raw<HostError | undefined>();
  start = $state.raw<StartView | undefined>();
  project = $state.raw<ProjectController | undefined>();
  drag = $state.raw<DragState>({ over: false, count: 0 });
  /** Right edge of the conversation, which parts the two zones of a drop. */
  talkEdgePx = $state(0);
  engineId = $state('offline');
  optionCount = $state(1);
  isStarting = $state(false);
  readonly toasts = new Toasts();
  readonly preferences: Preferences;
  readonly tray: Tray;

  readonly engines = $derived((this.start?.engines ?? []).filter((engine) => engine.ready));
  readonly engine: EngineChoice | undefined = $derived(
    this.engines.find((engine) => engine.id === this.engineId) ?? this.engines[0],
  );

  constructor(
    readonly host: Host,
    private readonly ports: PreviewPorts & PreferencePorts,
  ) {
    this.tray = new Tray(host, (error) => this.tell('add', error));
    this.preferences = new Preferences(host, ports, (cause) => this.tell('settings', hostError(cause)));
  }

  /** Listens, asks for the start view and opens the run that is still at work, if any. */
  async open(): Promise<void> {
    try {
      await this.host.listen({
        run: (event) => this.project?.hear(event, this.ports.now()),
        previewText: (piece) => this.project?.hearPiece(piece),
        dragState: (drag) => (this.drag = drag),
        filesDropped: (added) => this.#dropped(added),
        filesOpened: (added) => this.#opened(added),
        watchdog: ({ scriptsOff }) =>
          this.toasts.show('warn', say(scriptsOff ? 'stage.watchdog' : 'stage.watchdog.on')),
      });
      const view = await this.host.startView();
      this.start = view;
      this.preferences.restore(view.settings);
      this.tray.text = view.draft;
      this.screen = 'start';
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
    const { engine } = this;
    if (!engine || this.isStarting || this.tray.inputs.length === 0) return;
    this.isStarting = true;
    try {
      const started = await this.host.startRun({
        inputIds: this.tray.inputs.map((input) => input.id),
        text: this.tray.text.trim(),
        engines: this.enginesToRun,
        stack: 'html-css',
      });
      const view = await this.host.openProject(started.projectId);
      this.tray.empty();
      this.#enter(view);
    } catch (cause) {
      this.tell('start', hostError(cause));
    } finally {
      this.isStarting = false;
    }
  }

  /** One engine id per option. */
  get enginesToRun(): string[] {
    const { engine } = this;
    if (!engine) return [];
    return Array.from({ length: engine.local ? 1 : this.optionCount }, () => engine.id);
  }

  async goToStart(): Promise<void> {
    this.project = undefined;
    this.screen = 'start';
    await this.#refreshStart();
  }

  async deleteProject(id: string, name: string): Promise<void> {
    try {
      await this.host.deleteProject(id);
      await this.goToStart();
      this.toasts.show('good', say('project.deleted', { name }));
    } catch (cause) {
      this.tell('delete', hostError(cause));
    }
  }

  /** Where files would land if they were let go now. */
  get dropZone(): DropZone {
    if (this.screen !== 'project') return 'new';
    return this.drag.x !== undefined && this.drag.x > this.talkEdgePx ? 'new' : 'attach';
  }

  tell(fault: ProjectFault | 'settings' | 'delete', error: HostError): void {
    this.toasts.show('bad', say(FAULTS[fault]), { rest: sayMessage(error) });
  }

  #dropped(added: AddedInputs): void {
    const zone = this.dropZone;
    this.drag = { over: false, count: 0 };
    if (zone === 'attach' && this.project) this.project.tray.take(added);
    else this.#opened(added);
  }

  #opened(added: AddedInputs): void {
    if (this.screen === 'project') void this.goToStart();
    this.tray.take(added);
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
    this.project = project;
    this.screen = 'project';
    void project.open();
  }

  async #refreshStart(): Promise<void> {
    const { start } = this;
    if (!start) return;
    try {
      this.start = { ...start, recent: await this.host.listProjects() };
    } catch (cause) {
      this.tell('open', hostError(cause));
    }
  }
}

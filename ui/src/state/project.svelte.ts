import type { Host } from '../ipc/host';
import { hostError, type HostError } from '../ipc/error';
import type { ExportResult, OptionPictured, OptionScored, PreviewPiece, ProjectView, RunEvent, RunRequest, RunSummary, TaskView, VersionSeen, VersionSummary } from '../ipc/types';
import { isTracer } from '../lib/engines';
import { pagePaths } from '../lib/pages';
import { isLive } from '../lib/status';
import { utf8Length } from '../lib/utf8';
import { activityOf, type ActivityItem } from './activity';
import { HistoryController } from './history.svelte';
import { LiveRun } from './liveRun.svelte';
import { lineageOf, slotsOf, stateOf, type Slot } from './optionSlots';
import { PreviewController, type PreviewPorts } from './preview.svelte';
import { filesOf, pageOf, shownPath, variantOf, type ShownVersion } from './shownPage';
import { isOpen, isUsedBy, TaskCards } from './tasks.svelte';
import { SelectionController, type SeenPage } from './selection.svelte';
import { StageView } from './stageView.svelte';
import { Tray } from './tray.svelte';

export type Tab = 'preview' | 'code' | 'history';
export type ProjectFault = 'start' | 'stop' | 'export' | 'rename' | 'open' | 'add' | 'reveal' | 'history' | 'task';

/** One open project: its turns, the chosen option, its page and the next message. */
export class ProjectController {
  id: string;
  name = $state('');
  turns = $state.raw<readonly LiveRun[]>([]);
  /** The number of the chosen option on the strip. */
  chosen = $state(0);
  tab = $state<Tab>('preview');
  /** The page that was asked for; where an option has none of that name it shows its first. */
  chosenPage = $state<string | undefined>();
  opened = $state.raw<ReadonlySet<string>>(new Set());
  filePath = $state<string | undefined>();
  exported = $state.raw<ExportResult | undefined>();
  isExporting = $state(false);
  isStarting = $state(false);
  /** How often the next message was asked for: each time its field takes the focus. */
  writingsBegun = $state(0);
  /** A version that is shown in the place of the options: an older one, or one made by hand. */
  shownVersion = $state.raw<ShownVersion | undefined>();
  readonly history: HistoryController;
  readonly preview: PreviewController;
  readonly stage = new StageView();
  readonly tray: Tray;
  readonly tasks: TaskCards;
  readonly selection: SelectionController;

  /** How often another version was opened. */
  #moves = 0;
  /** Scores that were told since the project was opened, by run and option. */
  scores = $state.raw<ReadonlyMap<string, number>>(new Map());

  readonly current = $derived(this.turns.at(-1));
  readonly slots = $derived(slotsOf(this.turns));
  readonly slot = $derived(this.slots[this.chosen] ?? this.slots[0]);
  /** The number of the chosen option in its own run. */
  readonly variantIndex = $derived(this.slot?.index ?? 0);
  readonly variant = $derived(this.slot && variantOf(this.slot));
  readonly isRunning = $derived(this.current !== undefined && isLive(this.current.run.state));
  readonly lineage = $derived(lineageOf(this.turns, this.chosen));
  readonly files = $derived.by(() => this.shownVersion?.files ?? filesOf(this.lineage));
  readonly page = $derived(pageOf(this.shownVersion, this.lineage, this.chosenPage));
  /** The version that is shown; none while an option is still at work or ended without one. */
  readonly version: VersionSummary | undefined = $derived.by(() => {
    const { shownVersion, slot, history } = this;
    if (shownVersion) return history.find(shownVersion.versionId);
    return slot && history.madeBy(slot.turn.id, slot.index);
  });
  /** The pages of the newest turn that wrote any. */
  readonly pages = $derived(pagePaths(Object.keys(this.files)));
  /** The picture that the shown page was made from: the second one for the second page. */
  readonly picture = $derived.by(() => {
    const inputs = this.turns.findLast((turn) => turn.summary.inputs.length > 0)?.summary.inputs;
    return inputs?.[this.page ? this.pages.indexOf(this.page.path) : 0] ?? inputs?.[0];
  });
  readonly activity: ActivityItem[] = $derived.by(() => {
    const turns = this.lineage.map(({ turn, index }) => ({ summary: turn.summary, run: turn.run, index }));
    return activityOf(turns, this.opened, this.tasks.cards);
  });

  /** The long job that goes on or waits for its turn: of the shown option, else of any. */
  readonly openTask: { title: string } | undefined = $derived.by(() => {
    // What ended after its run is told by its card alone.
    const row = this.variant?.rows.findLast((other) => other.kind === 'task' && isOpen(this.tasks.cardOf(other.id) ?? other));
    return row?.kind === 'task' ? row : this.tasks.open[0];
  });

  constructor(
    private readonly host: Host,
    ports: PreviewPorts,
    view: ProjectView,
    private readonly onfail: (fault: ProjectFault, error: HostError) => void,
  ) {
    this.id = view.id;
    this.name = view.name;
    this.preview = new PreviewController(host, ports);
    this.tasks = new TaskCards(host, view.id, (error) => onfail('task', error));
    this.history = new HistoryController(host, view.id, {
      seen: () => this.version,
      onmove: () => {
        this.#moves += 1;
        void this.#showOpen();
      },
      onfail: (error) => onfail('history', error),
    });
    this.selection = new SelectionController(host, {
      ask: (question) => this.preview.ask(question),
      page: () => this.#keptPage(),
      edit: async (act) => (await this.#openSeen()) && this.history.edit(act),
      onfail: (error) => onfail('history', error),
    });
    this.preview.ears = { shown: () => void this.selection.lookAnew(), moved: () => void this.selection.look() };
    this.tray = new Tray(host, (error) => onfail('add', error));
    this.#takeView(view);
  }

  /** Loads what happened so far and shows the open version, or what is at work. */
  async open(): Promise<void> {
    await Promise.all([this.tasks.load(), this.history.load(), ...this.turns.map((turn) => turn.load())]);
    this.#fitStage();
    if (this.isRunning) this.showOption(this.chosen);
    else await this.#showOpen();
  }

  /** The project is left: nothing of it goes on in the window. */
  close(): void {
    this.preview.close();
  }

  /** Leads to the message that comes next. */
  beginWriting(): void {
    this.tab = 'preview';
    this.writingsBegun += 1;
  }

  hear(event: RunEvent, heardAtMs: number): void {
    const turn = this.turns.find((other) => other.id === event.runId);
    if (!turn) return;
    const before = this.variant?.state;
    const wasLive = isLive(turn.run.state);
    turn.hear(event, heardAtMs);
    const isShown = turn === this.slot?.turn;
    // What an option made stands in the history while the others are still at work.
    if (event.type === 'runState' && event.variantIndex !== undefined && !isLive(event.state)) void this.history.load();
    const after = this.variant?.state;
    if (isShown && after && !isLive(after) && (before === undefined || isLive(before))) this.preview.finish();
    if (turn === this.current && wasLive && !isLive(turn.run.state)) {
      if (isShown) this.preview.finish();
      void this.#refresh();
    }
  }

  /** Takes the card of a task; a finished page that waits for its pictures is shown again. */
  hearTask(task: TaskView): void {
    const isNews = this.tasks.hear(task);
    // The versions of its option have cost more than they say.
    if (isNews && !isOpen(task) && task.optionCost) void this.history.load();
    if (isNews && task.state === 'succeeded' && isUsedBy(task, this.files) && this.#isFinishedPageShown) this.preview.reload();
  }

  hearScore({ runId, variantIndex, score }: OptionScored): void {
    this.scores = new Map(this.scores).set(`${runId}/${variantIndex}`, score);
    this.#lookAgain(runId);
  }

  hearVersion({ projectId }: VersionSeen): void {
    if (projectId === this.id) void this.history.load();
  }

  hearPicture({ runId }: OptionPictured): void {
    this.#lookAgain(runId);
  }

  /** How close an option's page came to its screenshot; none while it was not measured. */
  scoreOf({ turn, index }: Slot<LiveRun>): number | undefined {
    const stored = turn.summary.variants.find((variant) => variant.index === index)?.score;
    return this.scores.get(`${turn.id}/${index}`) ?? this.history.madeBy(turn.id, index)?.score ?? stored;
  }

  /** How many long jobs have made pictures of an option's page: with each it looks different. */
  picturesIn(slot: Slot<LiveRun>): number {
    const files = variantOf(slot)?.files ?? {};
    return this.tasks.done.filter((task) => isUsedBy(task, files)).length;
  }

  hearPiece(piece: PreviewPiece): void {
    this.preview.take(piece);
  }

  showOption(slot: number): void {
    this.shownVersion = undefined;
    this.chosen = slot;
    this.filePath = undefined;
    this.#showPage();
  }

  /** Shows another page of the option. */
  choosePage(path: string): void {
    if (path === this.page?.path) return;
    this.chosenPage = path;
    this.#fitStage();
    this.#showPage();
  }

  toggle(key: string): void {
    const opened = new Set(this.opened);
    if (!opened.delete(key)) opened.add(key);
    this.opened = opened;
  }

  /** Starts the next turn with what the tray holds. */
  async send(engines: string[], stack: string): Promise<void> {
    const { text, inputs } = this.tray;
    const selected = this.selection.picked;
    if (!(await this.#openSeen())) return;
    const wanted = { text: text.trim(), inputIds: inputs.map((input) => input.id), engines, stack, selected };
    if (!(await this.#start(wanted))) return;
    this.tray.empty();
    this.selection.leave();
  }

  /** Opens a version and shows it, whatever is seen; what comes next goes on from it. */
  async goOnFrom(id: string): Promise<boolean> {
    const before = this.#moves;
    const done = await this.history.goTo(id);
    // One that was open already moves nothing, and another one may be seen.
    if (done && before === this.#moves && this.version?.id !== id) await this.#showOpen();
    return done;
  }

  /** Adds a version like an older one after the one that is seen, and gives it. */
  async restore(id: string): Promise<VersionSummary | undefined> {
    return (await this.#openSeen()) ? this.history.restore(id) : undefined;
  }

  /** Asks again what a turn asked, of the given engines. */
  async retry(run: RunSummary, engines: string[], stack: string): Promise<void> {
    await this.#start({ text: run.text, inputIds: run.inputs.map((input) => input.id), engines, stack, retryOf: run.id });
  }

  async stop(): Promise<void> {
    const { current } = this;
    if (!current || !this.isRunning) return;
    await this.#attempt('stop', () => this.host.cancelRun(current.id));
  }

  /** Stops one option; the others go on. */
  async stopOption(at: number): Promise<void> {
    const slot = this.slots[at];
    if (slot) await this.#attempt('stop', () => this.host.cancelRun(slot.turn.id, slot.index));
  }

  async export(): Promise<void> {
    const { page } = this;
    if (!page || this.isExporting) return;
    this.isExporting = true;
    const result = await this.#attempt('export', () =>
      'runId' in page ? this.host.exportRun(page.runId, page.variantIndex) : this.host.exportVersion(this.id, page.versionId),
    );
    this.isExporting = false;
    if (result) this.exported = result;
  }

  async reveal(path: string): Promise<void> {
    await this.#attempt('reveal', () => this.host.reveal(path));
  }

  async rename(name: string): Promise<void> {
    const before = this.name;
    this.name = name;
    const done = await this.#attempt('rename', async () => {
      await this.host.renameProject(this.id, name);
      return true;
    });
    if (!done) this.name = before;
  }

  get #isFinishedPageShown(): boolean {
    const { slot, shownVersion } = this;
    return shownVersion !== undefined || (slot !== undefined && !isLive(stateOf(slot)));
  }

  /** More is known of what a run made. What was asked before may not tell of it. */
  #lookAgain(runId: string): void {
    if (this.turns.some(({ id }) => id === runId)) void this.history.load();
  }

  /** The page that is seen, where it is kept. */
  #keptPage(): SeenPage | undefined {
    const { version, page, preview } = this;
    if (!version || !page || preview.phase !== 'finished') return undefined;
    return { projectId: this.id, versionId: version.id, path: page.path };
  }

  /** Opens the version that is seen: what comes next goes on from it. */
  async #openSeen(): Promise<boolean> {
    // What an option that has just ended made is not known before the history tells.
    if (this.version === undefined && !this.isRunning) await this.history.load();
    return this.version === undefined || this.history.goTo(this.version.id);
  }

  /** Shows the open version: on the strip where an option of the newest turn made it, else by itself. */
  async #showOpen(): Promise<void> {
    const { open } = this.history;
    const at = open ? this.slots.findIndex(({ turn, index }) => turn.id === open.madeBy?.runId && index === open.madeBy.variantIndex) : this.chosen;
    if (at >= 0 || !open) return this.showOption(Math.max(0, at));
    const texts = await this.#attempt('history', () => this.host.versionFiles(this.id, open.id));
    // Another step may have been taken meanwhile.
    if (!texts || this.history.open?.id !== open.id) return;
    const files = Object.entries(texts).map(([path, text]) => [path, { text, bytes: utf8Length(text) }]);
    this.shownVersion = { versionId: open.id, files: Object.fromEntries(files) };
    this.filePath = undefined;
    this.#showPage();
  }

  #showPage(): void {
    const { slot, shownVersion } = this;
    if (shownVersion) {
      const { versionId } = shownVersion;
      if (this.page) this.preview.load({ versionId }, this.page.path);
      else this.preview.clear({ versionId });
      return;
    }
    if (!slot) return;
    const target = { runId: slot.turn.id, variantIndex: slot.index };
    const state = this.variant?.state ?? slot.turn.run.state;
    const path = shownPath(this.variant?.files ?? {}, this.chosenPage);
    if (isLive(state)) this.preview.write(target, path);
    else if (path) this.preview.load(target, path);
    else if (this.page) this.preview.load(this.page, this.page.path);
    else this.preview.clear(target);
  }

  async #start(wanted: Pick<RunRequest, 'text' | 'inputIds' | 'selected' | 'retryOf'> & { engines: string[]; stack: string }): Promise<boolean> {
    if (this.isStarting) return false;
    this.isStarting = true;
    const started = await this.#attempt('start', async () => {
      const stack = wanted.engines.every(isTracer) ? 'html-css' : wanted.stack;
      await this.host.startRun({ ...wanted, projectId: this.id, stack });
      return this.host.openProject(this.id);
    });
    this.isStarting = false;
    if (!started) return false;
    const known = this.turns.length;
    this.#takeView(started);
    await Promise.all(this.turns.slice(known).map((turn) => turn.load()));
    this.#fitStage();
    // The first option, or the one that is tried again.
    this.showOption(Math.max(0, this.slots.findIndex(({ turn }) => turn === this.current)));
    return true;
  }

  #takeView(view: ProjectView): void {
    this.name = view.name;
    const known = new Map(this.turns.map((turn) => [turn.id, turn]));
    this.turns = view.runs.map((summary) => {
      const turn = known.get(summary.id);
      if (!turn) return new LiveRun(this.host, summary);
      turn.summary = summary;
      return turn;
    });
  }

  async #refresh(): Promise<void> {
    // The words of a failure and the project's new name come with the view; without them
    // the window still shows what the events told.
    const view = await this.host.openProject(this.id).catch(() => undefined);
    if (view && view.runs.length >= this.turns.length) this.#takeView(view);
    await this.history.load();
    // What a run made is open now; where it changed nothing, that is what was open before.
    if (!this.isRunning && (this.shownVersion || this.#leftNothing())) await this.#showOpen();
  }

  /** Whether the shown option was to change the page and did not. */
  #leftNothing(): boolean {
    return this.slot !== undefined && this.slot.turn.summary.changes && this.version === undefined;
  }

  #fitStage(): void {
    if (this.picture) this.stage.fitPicture(this.picture.width);
  }

  async #attempt<T>(fault: ProjectFault, act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act();
    } catch (cause) {
      this.onfail(fault, hostError(cause));
      return undefined;
    }
  }
}

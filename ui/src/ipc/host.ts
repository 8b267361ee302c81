import type {
  AddedInputs,
  Asking,
  Deleted,
  DiagnosticsChoice,
  DiagnosticsFile,
  DragState,
  ElementChange,
  ElementChanged,
  ElementPick,
  ElementView,
  EngineChoice,
  ExportResult,
  FileDifference,
  History,
  ImageSettings,
  KeyStatus,
  LikelyCost,
  Memory,
  ModelSettings,
  ModelView,
  OptionPictured,
  OptionScored,
  PageNews,
  PageView,
  PreviewPiece,
  PreviewWhole,
  ProjectSummary,
  ProjectView,
  Restored,
  RunEvent,
  RunRequest,
  RunSnapshot,
  SavedEndpoint,
  Settings,
  Standing,
  StartedRun,
  StartView,
  Storage,
  StorageKind,
  TaskView,
  TestView,
  VersionSeen,
  Watchdog,
} from './types';

/** What the window hears from its host. */
export interface HostEars {
  run(event: RunEvent): void;
  previewText(piece: PreviewPiece): void;
  /** A long job changed, whether its run goes on or not. */
  taskCard(task: TaskView): void;
  dragState(drag: DragState): void;
  filesDropped(added: AddedInputs): void;
  filesOpened(added: AddedInputs): void;
  /** The page of an option that has ended was measured. */
  optionScored(scored: OptionScored): void;
  /** A picture was taken of the page of an option that has ended. */
  optionPictured(pictured: OptionPictured): void;
  /** A version that was made by hand was looked at. */
  versionSeen(seen: VersionSeen): void;
  /** A project's file was dropped or opened and taken in. */
  projectImported(id: string): void;
  watchdog(watchdog: Watchdog): void;
}

/**
 * Everything the window asks of the program around it. An implementor rejects with a
 * `HostError` and keeps the order of events of one run.
 */
export interface Host {
  /** Resolves once every event is being heard; the returned function stops hearing. */
  listen(ears: HostEars): Promise<() => void>;
  startView(): Promise<StartView>;
  addFiles(paths: string[]): Promise<AddedInputs>;
  chooseFiles(): Promise<AddedInputs>;
  pastePicture(): Promise<AddedInputs>;
  addPicture(name: string, base64: string): Promise<AddedInputs>;
  useSample(id: string): Promise<AddedInputs>;
  /** What a run is likely to cost; null where a price is not known. Asks no keychain. */
  likelyCost(request: RunRequest): Promise<LikelyCost | null>;
  startRun(request: RunRequest): Promise<StartedRun>;
  cancelRun(runId: string, variantIndex?: number): Promise<void>;
  runSnapshot(runId: string): Promise<RunSnapshot>;
  /** Oldest first. */
  listTasks(projectId: string): Promise<TaskView[]>;
  cancelTask(projectId: string, taskId: string): Promise<void>;
  /** Does a failed or stopped task again; the new one has the same place. */
  retryTask(projectId: string, taskId: string): Promise<TaskView>;
  openProject(id: string): Promise<ProjectView>;
  listProjects(): Promise<ProjectSummary[]>;
  deleteProject(id: string): Promise<Deleted>;
  renameProject(id: string, name: string): Promise<void>;
  /** What the next request would be told of earlier turns. */
  projectMemory(id: string): Promise<Memory>;
  /** The next request begins without memory of what was done so far. */
  clearMemory(id: string): Promise<void>;
  duplicateProject(id: string, name: string): Promise<string>;
  /** The file that was written; null when the dialog was closed without a choice. */
  exportProject(id: string): Promise<string | null>;
  /** The new project; null when the dialog was closed without a choice. */
  importProject(): Promise<string | null>;
  /** Null when the folder dialog was closed without a choice. */
  exportRun(runId: string, variantIndex: number): Promise<ExportResult | null>;
  exportVersion(projectId: string, versionId: string): Promise<ExportResult | null>;
  reveal(path: string): Promise<void>;
  history(projectId: string): Promise<History>;
  versionFiles(projectId: string, versionId: string): Promise<Record<string, string>>;
  /** Opens a version, as a step that can be undone; what comes next goes on from it. */
  openVersion(projectId: string, versionId: string): Promise<Standing>;
  /** Makes a new version like an older one and opens it; nothing is removed. */
  restoreVersion(projectId: string, versionId: string): Promise<Restored>;
  undo(projectId: string): Promise<Standing>;
  redo(projectId: string): Promise<Standing>;
  compareVersions(projectId: string, from: string, to: string): Promise<FileDifference[]>;
  /** An empty name takes the name away. */
  nameVersion(projectId: string, versionId: string, name: string): Promise<void>;
  /** What there is to say about an element of a version's page. */
  describeElement(projectId: string, versionId: string, path: string, pick: ElementPick): Promise<ElementView>;
  /** Changes one element of the open page, or all alike; what it gives is a new version that is open. */
  changeElement(change: ElementChange): Promise<ElementChanged>;
  saveSettings(settings: Settings): Promise<void>;
  saveDraft(text: string): Promise<void>;
  storage(): Promise<Storage>;
  /** Takes a part of the data folder away and gives what is left; what people made stays. */
  clearStorage(kind: StorageKind): Promise<Storage>;
  /** Asking the keychain may wait for a person; what is remembered of it comes at once. */
  modelSettings(asking: Asking): Promise<ModelSettings>;
  /** Keeps a key; nothing gives it back. `provider` is a vendor or `endpoint:<id>`. */
  setKey(provider: string, key: string): Promise<KeyStatus>;
  removeKey(provider: string): Promise<KeyStatus>;
  testProvider(provider: string, model?: string): Promise<TestView>;
  listModels(provider: string): Promise<ModelView[]>;
  saveEndpoint(endpoint: SavedEndpoint): Promise<SavedEndpoint>;
  removeEndpoint(id: string): Promise<void>;
  /** Keeps what is offered beside the usual engines and gives all there are then. */
  chooseEngines(engines: string[]): Promise<EngineChoice[]>;
  saveSpendCap(capUsd: number): Promise<void>;
  saveImageSettings(isOn: boolean, model: string): Promise<ImageSettings>;
  /** Gathers what can be handed on to find a fault, and gives everything in it. */
  gatherDiagnostics(choice: DiagnosticsChoice): Promise<DiagnosticsFile[]>;
  /** Saves what was gathered last; null when the dialog was closed without a choice. */
  saveDiagnostics(): Promise<string | null>;
  /** Opens the window of the page with this view, or raises it. */
  openPageWindow(view: PageView): Promise<void>;
  /** Shows a view in the window of the page; false if there is none. */
  showPage(view: PageView): Promise<boolean>;
  previewText(runId: string, variantIndex: number, path: string): Promise<PreviewWhole>;
  /** Address of the persistent frame a page is written into. */
  streamAddress(runId: string, variantIndex: number): string;
  /** Address of a stored page, scrolled to `y`; a new `version` is a new load. */
  pageAddress(runId: string, variantIndex: number, path: string, version: number, y: number): string;
  /** The same of a version, whatever made it. */
  versionAddress(versionId: string, path: string, version: number, y: number): string;
  /** Address of a small picture in a list. */
  thumbnailAddress(thumbnail: string): string;
  /** Address of a file of a page: what `output.artifacts[].asset` names. */
  assetAddress(runId: string, variantIndex: number, asset: string): string;
}

/** All that the window of the page asks of the program: what to show, and the text of it. */
export interface PageHost extends Pick<Host, 'previewText' | 'streamAddress' | 'pageAddress' | 'versionAddress'> {
  /** Resolves once every news is being heard; the first one is what there is to show. */
  follow(hear: (news: PageNews) => void): Promise<void>;
}

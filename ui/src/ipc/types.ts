/** What crosses between the window and Rust. Generated where Rust has the type; the rest is the window's. */
import type {
  Failure,
  RunEventBody as RecordedBody,
  RunSnapshot as Recorded,
} from './generated/types';

export type {
  AddedInputs,
  AncestorView,
  Asking,
  Change,
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
  ImageModelView,
  ImageSettings,
  InputSummary,
  KeyStatus,
  LanguageChoice,
  LikelyCost,
  Memory,
  ModelSettings,
  ModelView,
  OpenPage,
  OptionPictured,
  OptionScored,
  PageNews,
  PageView,
  PickedElement,
  PresetView,
  PreviewPiece,
  PreviewWhole,
  ProjectSummary,
  ProjectView,
  Reach,
  RefusedInput,
  RememberedTurn,
  Restored,
  RunRequest,
  RunStatus,
  RunSummary,
  Sample,
  SavedEndpoint,
  Settings,
  Standing,
  StartedRun,
  StartView,
  Storage,
  StorageKind,
  TaskView,
  TestView,
  Theme,
  TokenUsage,
  VariantView,
  VersionMaker,
  VersionSeen,
  VersionSummary,
} from './generated/types';

/** Why a variant failed. */
export type VariantFailure = Failure;

/** Something a tool made, as it stands in `output.artifacts`. */
export interface Artifact {
  kind: 'image' | 'file' | 'page';
  asset: string;
  label: string;
}

export type RunEventBody = RecordedBody;

export type RunEvent = { runId: string; variantIndex?: number; seq: number } & RunEventBody;

/** Folding `events` gives the state at `seq`; live events follow with `seq + 1`. */
export type RunSnapshot = Omit<Recorded, 'events'> & { events: RunEvent[] };

export interface Watchdog {
  scriptsOff: boolean;
}

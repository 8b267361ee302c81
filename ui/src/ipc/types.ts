/** What crosses between the window and Rust. Generated where Rust has the type; the rest is the window's. */
import type {
  Failure,
  RunEventBody as RecordedBody,
  RunSnapshot as Recorded,
} from './generated/types';

export type {
  AddedInputs,
  Asking,
  Deleted,
  DiagnosticsChoice,
  DiagnosticsFile,
  DragState,
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
  OptionPictured,
  OptionScored,
  PresetView,
  PreviewPiece,
  PreviewWhole,
  ProjectSummary,
  ProjectView,
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

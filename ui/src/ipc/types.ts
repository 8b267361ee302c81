/** What crosses between the window and Rust. Later generated from Rust under the same names. */

export type RunStatus =
  | 'queued'
  | 'running'
  | 'waiting'
  | 'succeeded'
  | 'no_output'
  | 'stopped_at_limit'
  | 'budget_exceeded'
  | 'cancelled'
  | 'failed'
  | 'interrupted';

export interface TokenUsage {
  input: number;
  cachedRead: number;
  cachedWrite: number;
  output: number;
  reasoning: number;
}

export interface Artifact {
  kind: 'image' | 'file' | 'page';
  asset: string;
  label: string;
}

export type RunEventBody =
  | { type: 'assistant' | 'thinking'; eventId: string; text: string }
  | { type: 'toolStart'; eventId: string; name: string; input: unknown }
  | { type: 'toolResult'; eventId: string; name: string; ok: boolean; output: unknown }
  /** `base` is the UTF-8 length the receiver holds, or 0 to replace everything. */
  | { type: 'setCode'; eventId: string; path: string; base: number; text: string }
  | {
      type: 'runState';
      state: RunStatus;
      round: number;
      elapsedMs: number;
      tokens: TokenUsage;
      costUsd: number | null;
    }
  | {
      type: 'taskState';
      taskId: string;
      kind: string;
      title: string;
      stage: string;
      state: string;
      done: number;
      total: number;
      notice?: string;
    }
  | { type: 'notice'; code: string; message: string; nextStep?: string; replaces?: string[] };

export type RunEvent = { runId: string; variantIndex?: number; seq: number } & RunEventBody;

export interface InputSummary {
  id: string;
  name: string;
  width: number;
  height: number;
  bytes: number;
  /** A `data:image/png` address. */
  thumbnail: string;
}

export interface RefusedInput {
  name: string;
  code: string;
  message: string;
}

export interface AddedInputs {
  inputs: InputSummary[];
  refused: RefusedInput[];
}

export interface Sample {
  id: string;
  title: string;
  thumbnail: string;
}

export interface EngineChoice {
  id: string;
  label: string;
  ready: boolean;
  local: boolean;
}

export interface ProjectSummary {
  id: string;
  name: string;
  updatedAtMs: number;
  thumbnail?: string;
  state: RunStatus;
}

export type Theme = 'system' | 'light' | 'dark';
export type LanguageChoice = 'system' | 'en' | 'zh-CN';

export interface Settings {
  theme: Theme;
  language: LanguageChoice;
  /** Remembered pane widths in CSS pixels, by pane name. */
  panes: Record<string, number>;
}

export interface StartView {
  engines: EngineChoice[];
  samples: Sample[];
  recent: ProjectSummary[];
  openRun?: string;
  draft: string;
  settings: Settings;
}

export interface VariantFailure {
  kind: string;
  message: string;
  nextStep?: string;
}

export interface VariantView {
  index: number;
  engine: string;
  state: RunStatus;
  error?: VariantFailure;
}

export interface RunSummary {
  id: string;
  state: RunStatus;
  startedAtMs: number;
  text: string;
  inputs: InputSummary[];
  variants: VariantView[];
}

export interface ProjectView {
  id: string;
  name: string;
  runs: RunSummary[];
}

/** Folding `events` gives the state at `seq`; live events follow with `seq + 1`. */
export interface RunSnapshot {
  runId: string;
  projectId: string;
  seq: number;
  events: RunEvent[];
}

export interface ExportResult {
  folder: string;
  files: number;
  bytes: number;
  warnings: string[];
}

export type Stack = 'html-css';

export interface RunRequest {
  projectId?: string;
  inputIds: string[];
  text: string;
  engines: string[];
  stack: Stack;
}

export interface StartedRun {
  projectId: string;
  runId: string;
}

/** The annotated copy for the preview frame; `base` counts UTF-16 units, as the frame does. */
export interface PreviewPiece {
  runId: string;
  variantIndex: number;
  path: string;
  base: number;
  text: string;
}

export interface PreviewWhole {
  text: string;
  length: number;
}

export interface DragState {
  over: boolean;
  count: number;
  /** Pointer in CSS pixels, where the platform tells; decides between the two zones in a project. */
  x?: number;
  y?: number;
}

export interface Watchdog {
  scriptsOff: boolean;
}

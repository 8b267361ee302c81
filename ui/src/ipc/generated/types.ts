// Generated from the Rust types that cross to the window: do not edit.
// FACSIMILE_WRITE_BINDINGS=1 cargo nextest run -p facsimile bindings

/**
 * One design: its inputs, its files, its whole history.
 */
export type ProjectId = string;
/**
 * The execution of one turn.
 */
export type RunId = string;
/**
 * One picture (or other input) a project was given.
 */
export type InputId = string;
/**
 * One thing the user asked for.
 */
export type TurnId = string;
/**
 * The files of one variant when it ended with files.
 */
export type VersionId = string;
/**
 * A relative path of plain names joined by `/`. Holding one proves that it stays inside the project and can be
 * written on Linux, macOS and Windows. A project has one spelling of each, see
 * [`ProjectFiles::settled`](super::ProjectFiles::settled).
 */
export type ProjectPath = string;
/**
 * Names one stretch of text, one thought or one tool call of a variant: `{prefix}-{variant}-{8 hex}`.
 */
export type EventId = string;
/**
 * A long job with a record of its own.
 */
export type TaskId = string;
/**
 * Which of a run's one to four variants, counted from 0.
 */
export type VariantIndex = number;
/**
 * Where a run or a variant stands. Exactly one terminal state is ever reached, and it never changes.
 */
export type RunStatus = "queued" | "running" | "waiting" | "succeeded" | "no_output" | "stopped_at_limit" | "budget_exceeded" | "cancelled" | "failed" | "interrupted";
/**
 * Tokens of one reply or of many.
 */
export type TokenUsage = { 
/**
 * Input that was neither read from nor written to a cache.
 */
input: number, 
/**
 * Input read from a cache.
 */
cachedRead: number, 
/**
 * Input written to a cache.
 */
cachedWrite: number, 
/**
 * Output, reasoning included.
 */
output: number, 
/**
 * The part of the output that was reasoning.
 */
reasoning: number, };
/**
 * The kinds of error that window, command line and store share.
 */
export type ErrorKind = "bad_key" | "no_access" | "no_model" | "no_credit" | "rate_limit" | "overloaded" | "too_long" | "bad_image" | "bad_request" | "blocked" | "refused" | "truncated" | "stalled" | "stream_ended_early" | "network" | "protocol" | "input_refused" | "storage" | "unknown";
/**
 * An error as a person is told of it: what kind, one plain sentence, what to do next.
 */
export type Failure = { 
/**
 * The kind, to branch on.
 */
kind: ErrorKind, 
/**
 * What failed and why.
 */
message: string, 
/**
 * The next step, where there is one.
 */
nextStep?: string, };
/**
 * The five stream events, in their wire form (flat, camelCase, tagged by `type`).
 */
export type AgentEvent = { "type": "setCode", 
/**
 * The tool call that writes.
 */
eventId: EventId, 
/**
 * The file.
 */
path: ProjectPath, 
/**
 * Where `text` goes, in UTF-8 bytes.
 */
base: number, 
/**
 * The new text.
 */
text: string, } | { "type": "assistant", 
/**
 * The stretch of text this belongs to.
 */
eventId: EventId, 
/**
 * The delta.
 */
text: string, } | { "type": "thinking", 
/**
 * The thought this belongs to.
 */
eventId: EventId, 
/**
 * The delta.
 */
text: string, } | { "type": "toolStart", 
/**
 * Names the call.
 */
eventId: EventId, 
/**
 * The tool.
 */
name: string, 
/**
 * What is known of its arguments, cut for display.
 */
input: unknown, } | { "type": "toolResult", 
/**
 * The call's `ToolStart`.
 */
eventId: EventId, 
/**
 * The tool.
 */
name: string, 
/**
 * Whether it did what was asked.
 */
ok: boolean, 
/**
 * A short account for the window.
 */
output: unknown, };
/**
 * The events beside the stream.
 */
export type LifecycleEvent = { "type": "runState", 
/**
 * The state.
 */
state: RunStatus, 
/**
 * The round it is in, counted from 1; 0 before the first.
 */
round: number, 
/**
 * Since the run began.
 */
elapsedMs: number, 
/**
 * Tokens so far.
 */
tokens: TokenUsage, 
/**
 * Cost so far; `null` where no price is known.
 */
costUsd: number | null, } | { "type": "taskState", 
/**
 * The job.
 */
taskId: TaskId, 
/**
 * Which tool ordered it.
 */
kind: string, 
/**
 * What it makes.
 */
title: string, 
/**
 * The stage it is in; empty before the first.
 */
stage: string, 
/**
 * `queued`, `running`, `succeeded`, `failed` or `cancelled`.
 */
state: string, 
/**
 * How many pieces are done.
 */
done: number, 
/**
 * How many there are.
 */
total: number, 
/**
 * Something to tell beside it.
 */
notice?: string, } | { "type": "notice", 
/**
 * To branch on.
 */
code: string, 
/**
 * One plain sentence.
 */
message: string, 
/**
 * What the user can do.
 */
nextStep?: string, 
/**
 * Events that no longer count.
 */
replaces?: Array<EventId>, };
/**
 * What happened: a stream event of a variant or something of its life.
 */
export type RunEventBody = AgentEvent | LifecycleEvent;
/**
 * One recorded event. `seq` counts from 1 without a gap; nothing follows a run's terminal state.
 */
export type RunEvent = { 
/**
 * The run.
 */
runId: RunId, 
/**
 * The variant; absent where the event speaks of the run.
 */
variantIndex?: VariantIndex, 
/**
 * Its place in the run.
 */
seq: number, } & (AgentEvent | LifecycleEvent);
/**
 * How close a finished option came to its screenshot. Like the text of previews it is for the window alone and part
 * of no record: the score is kept with the version.
 */
export type OptionScored = { runId: RunId, variantIndex: VariantIndex, 
/**
 * From 0 to 100.
 */
score: number, };
/**
 * A picture was taken of the page of an option that has ended. The window alone hears of it: the picture is kept with
 * the version.
 */
export type OptionPictured = { runId: RunId, variantIndex: VariantIndex, };
/**
 * A version that was made by hand was looked at: it has a picture or a score, or other ones than before.
 */
export type VersionSeen = { projectId: ProjectId, versionId: VersionId, };
/**
 * An engine to choose.
 */
export type EngineChoice = { 
/**
 * Its name in a request.
 */
id: string, 
/**
 * Its name for people.
 */
label: string, 
/**
 * Whether it can be used now.
 */
ready: boolean, 
/**
 * Whether it works without a network.
 */
local: boolean, };
/**
 * A bundled screenshot.
 */
export type Sample = { 
/**
 * Its id.
 */
id: string, 
/**
 * Its name for people.
 */
title: string, 
/**
 * A `data:` address.
 */
thumbnail: string, };
/**
 * A project in a list.
 */
export type ProjectSummary = { 
/**
 * Its id.
 */
id: ProjectId, 
/**
 * Its name.
 */
name: string, 
/**
 * When it was touched last, in Unix milliseconds.
 */
updatedAtMs: number, 
/**
 * The path of its picture in the preview scheme.
 */
thumbnail?: string, 
/**
 * The state of its latest run.
 */
state: RunStatus, };
/**
 * An input to show.
 */
export type InputSummary = { 
/**
 * Its id.
 */
id: InputId, 
/**
 * The file's name.
 */
name: string, 
/**
 * Upright width in pixels.
 */
width: number, 
/**
 * Upright height in pixels.
 */
height: number, 
/**
 * The size of the file.
 */
bytes: number, 
/**
 * A `data:` address.
 */
thumbnail: string, };
/**
 * An input that was not taken in.
 */
export type RefusedInput = { 
/**
 * The file's name.
 */
name: string, 
/**
 * To branch on.
 */
code: string, 
/**
 * What, why and what to do.
 */
message: string, };
/**
 * What came of offering files.
 */
export type AddedInputs = { 
/**
 * Taken in.
 */
inputs: Array<InputSummary>, 
/**
 * Not taken in.
 */
refused: Array<RefusedInput>, };
/**
 * A project with all its runs.
 */
export type ProjectView = { 
/**
 * Its id.
 */
id: ProjectId, 
/**
 * Its name.
 */
name: string, 
/**
 * What its latest run was to be written in.
 */
stack?: string, 
/**
 * Oldest first.
 */
runs: Array<RunSummary>, };
/**
 * A run in its project.
 */
export type RunSummary = { 
/**
 * Its id.
 */
id: RunId, 
/**
 * Where it stands.
 */
state: RunStatus, 
/**
 * When it began, in Unix milliseconds.
 */
startedAtMs: number, 
/**
 * The words it began with.
 */
text: string, 
/**
 * Whether it changes a page that was there.
 */
changes: boolean, 
/**
 * The pictures it was given.
 */
inputs: Array<InputSummary>, 
/**
 * Its variants.
 */
variants: Array<VariantView>, };
/**
 * A variant in its run.
 */
export type VariantView = { 
/**
 * Which one.
 */
index: VariantIndex, 
/**
 * What does the work.
 */
engine: string, 
/**
 * Where it stands.
 */
state: RunStatus, 
/**
 * Whether it left a version.
 */
kept: boolean, 
/**
 * How close its page came to the screenshot, 0 to 100; absent where it was not measured.
 */
score?: number, 
/**
 * What went wrong.
 */
error?: Failure, };
/**
 * What an option has cost by now.
 */
export type OptionCost = { 
/**
 * In dollars; none where nobody knows one of the prices.
 */
usd: number | null, };
/**
 * Why a task went wrong.
 */
export type TaskErrorView = { 
/**
 * To branch on: a kind of failure, or `interrupted`.
 */
code: string, 
/**
 * What happened.
 */
message: string, 
/**
 * What to do about it.
 */
nextStep?: string, };
/**
 * One result of a task.
 */
export type TaskResultView = { 
/**
 * Where pages find it.
 */
path: string, 
/**
 * A `data:` address; none until it is there.
 */
thumbnail?: string, };
/**
 * A task on its card.
 */
export type TaskView = { 
/**
 * Its id.
 */
id: TaskId, 
/**
 * The task that first had these results: a second try takes its place.
 */
place: string, 
/**
 * The design.
 */
projectId: ProjectId, 
/**
 * The run that wanted it.
 */
runId?: RunId, 
/**
 * The variant that wanted it.
 */
variantIndex?: VariantIndex, 
/**
 * Which tool ordered it.
 */
kind: string, 
/**
 * What it makes.
 */
title: string, 
/**
 * The names of its stages, in order.
 */
stages: Array<string>, 
/**
 * The stage it is in; empty before the first.
 */
stage: string, 
/**
 * `queued`, `running`, `succeeded`, `failed` or `cancelled`.
 */
state: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled', 
/**
 * How many pieces are done.
 */
done: number, 
/**
 * How many there are.
 */
total: number, 
/**
 * Something to tell beside it.
 */
notice?: string, 
/**
 * Why it went wrong.
 */
error?: TaskErrorView, 
/**
 * Its results, in order.
 */
results: Array<TaskResultView>, 
/**
 * What it cost, or what is held for it while it goes on, in dollars; none where nobody knows.
 */
costUsd?: number, 
/**
 * What the option that wanted it has cost by now, this task and all others included; none while it is at work.
 */
optionCost?: OptionCost, 
/**
 * When it was recorded, in Unix milliseconds.
 */
createdAtMs: number, 
/**
 * When it ended.
 */
endedAtMs?: number, };
/**
 * Light or dark.
 */
export type Theme = "system" | "light" | "dark";
/**
 * The window's language.
 */
export type LanguageChoice = "system" | "en" | "zh-CN";
/**
 * What the window remembers of how it looks. Unknown and mistyped fields fall back, each alone.
 */
export type Settings = { 
/**
 * Light, dark or as the system.
 */
theme: Theme, 
/**
 * English, Chinese or as the system.
 */
language: LanguageChoice, 
/**
 * Widths of panes in CSS pixels, by name.
 */
panes: Record<string, number>, };
/**
 * What the start screen shows.
 */
export type StartView = { 
/**
 * What can do the work.
 */
engines: Array<EngineChoice>, 
/**
 * The bundled screenshots.
 */
samples: Array<Sample>, 
/**
 * The projects touched last.
 */
recent: Array<ProjectSummary>, 
/**
 * How many projects there are.
 */
projectCount: number, 
/**
 * The run that is going on, for a window that was reloaded.
 */
openRun?: RunId, 
/**
 * Who makes pictures for a run with a model; none while no service is asked.
 */
imageVendor?: string, 
/**
 * Words that were typed and not sent.
 */
draft: string, 
/**
 * The window's settings.
 */
settings: Settings, };
/**
 * What a person asked for.
 */
export type RunRequest = { 
/**
 * The project to go on with; without one a new project begins.
 */
projectId?: ProjectId, 
/**
 * The run whose turn is done again; without one a new turn begins at the open version.
 */
retryOf?: RunId, 
/**
 * The pictures, in order.
 */
inputIds: Array<InputId>, 
/**
 * The words.
 */
text: string, 
/**
 * One engine name per variant; none means the best there is.
 */
engines: Array<string>, 
/**
 * What the page is written in; none means the engine's own.
 */
stack?: string, 
/**
 * How many rounds a variant may take.
 */
maxRounds?: number, 
/**
 * How long the run may take.
 */
timeoutMs?: number, 
/**
 * What the run may cost in dollars, 0 for no cap; none means the usual cap.
 */
maxCostUsd?: number, 
/**
 * What is checked before a model may stop: `none`, `static`, `rendered` or `fidelity`; none given means as much as
 * can be seen, without the score.
 */
checks?: string, };
/**
 * Between what and what a run is likely to cost, in dollars.
 */
export type LikelyCost = { 
/**
 * If the page is short and right at once.
 */
lowUsd: number, 
/**
 * If it is long and corrected.
 */
highUsd: number, };
/**
 * The ids of a started run.
 */
export type StartedRun = { projectId: ProjectId, runId: RunId, };
/**
 * Everything recorded of a run so far.
 */
export type RunSnapshot = { runId: RunId, projectId: ProjectId, seq: number, events: Array<RunEvent>, };
/**
 * What was written.
 */
export type ExportResult = { folder: string, files: number, bytes: number, warnings: Array<string>, };
/**
 * Where a project stands on the way through its versions.
 */
export type Standing = { 
/**
 * The open version; none before the first one.
 */
open?: VersionId, 
/**
 * How many steps can be undone.
 */
undoable: number, 
/**
 * How many steps can be redone.
 */
redoable: number, };
/**
 * The variant that made a version.
 */
export type VersionMaker = { 
/**
 * Its run.
 */
runId: RunId, 
/**
 * Which variant of the run.
 */
variantIndex: VariantIndex, 
/**
 * What did the work.
 */
engine: string, 
/**
 * How it ended.
 */
state: RunStatus, 
/**
 * How many rounds it took.
 */
rounds: number, 
/**
 * How long it took.
 */
elapsedMs: number, 
/**
 * What it has cost by now, if that is known.
 */
costUsd: number | null, };
/**
 * A version in the history.
 */
export type VersionSummary = { 
/**
 * Its id.
 */
id: VersionId, 
/**
 * Which one it is, from 1 by age.
 */
number: number, 
/**
 * The version it came from.
 */
parent?: VersionId, 
/**
 * The name it was given; empty without one.
 */
label: string, 
/**
 * Whether it is what a crash left.
 */
isDraft: boolean, 
/**
 * The turn that asked for it; none for what was made by hand or restored.
 */
turn?: TurnId, 
/**
 * The words of that turn.
 */
instruction: string, 
/**
 * What made it; none for what was made by hand or restored.
 */
madeBy?: VersionMaker, 
/**
 * The older version with the same files, if it was made by hand or restored.
 */
sameAs?: VersionId, 
/**
 * The files that differ from the version it came from.
 */
changed: Array<ProjectPath>, 
/**
 * How faithful it is, from 0 to 100, if it was measured.
 */
score?: number, 
/**
 * When it was kept, in Unix milliseconds.
 */
createdAtMs: number, 
/**
 * The path of its page's picture in the preview scheme.
 */
thumbnail?: string, };
/**
 * The history of a project.
 */
export type History = { 
/**
 * Every version, oldest first.
 */
versions: Array<VersionSummary>, 
/**
 * Where the project stands.
 */
standing: Standing, };
/**
 * What restoring a version gave.
 */
export type Restored = { 
/**
 * The version that has the files now; one that was open already is not made again.
 */
versionId: VersionId, 
/**
 * Where the project stands.
 */
standing: Standing, };
/**
 * Sixteen digits that are different for different sources.
 */
export type SourceVersion = string;
/**
 * An element as a preview names it.
 */
export type ElementPick = { 
/**
 * The byte its start tag begins at.
 */
at: number, 
/**
 * The version of the source it was picked from.
 */
version: SourceVersion, };
/**
 * One of an element's own texts.
 */
export type WhichText = "whole" | { "number": number };
/**
 * What is to be different. Texts and values are given as they read; spelling them in a page is not the caller's.
 */
export type Change = { "kind": "text", 
/**
 * Which of the element's texts.
 */
which: WhichText, 
/**
 * The new text.
 */
text: string, } | { "kind": "setAttribute", 
/**
 * Its name.
 */
name: string, 
/**
 * Its value.
 */
value: string, } | { "kind": "removeAttribute", 
/**
 * Its name.
 */
name: string, } | { "kind": "addClass", 
/**
 * Its name.
 */
name: string, } | { "kind": "removeClass", 
/**
 * Its name.
 */
name: string, } | { "kind": "setStyle", 
/**
 * The property.
 */
property: string, 
/**
 * The value.
 */
value: string, } | { "kind": "removeStyle", 
/**
 * The property.
 */
property: string, };
/**
 * Which elements a change is made to.
 */
export type Reach = "one" | "alike";
/**
 * An element in words.
 */
export type Description = { 
/**
 * How to name it.
 */
pick: ElementPick, 
/**
 * Its name.
 */
tag: string, 
/**
 * Where it stands: a selector that finds it, from the nearest element with an id that no other has, else from
 * `head`, else among the children of the body.
 */
path: string, 
/**
 * The how manieth of all elements with its name and its classes, counted from 1.
 */
number: number, 
/**
 * How many of those there are.
 */
alike: number, 
/**
 * Its own texts that are more than blanks, without the blanks around them.
 */
texts: Array<string>, 
/**
 * Whether it holds other elements.
 */
hasElements: boolean, 
/**
 * Its attributes as they read, without those that are repeated.
 */
attributes: Array<[string, string]>, 
/**
 * Its classes.
 */
classes: Array<string>, 
/**
 * The declarations of its own style.
 */
style: Array<[string, string]>, 
/**
 * The nearest element around it that somebody wrote.
 */
parent: ElementPick | null, };
/**
 * An element that others are in.
 */
export type AncestorView = { 
/**
 * Its name with its id or its first class.
 */
name: string, 
/**
 * The byte its start tag begins at.
 */
at: number, };
/**
 * An element of a page, as the window shows it.
 */
export type ElementView = { 
/**
 * The line of the file its start tag begins on, counted from 1.
 */
line: number, 
/**
 * The elements around it that somebody wrote, the outermost first, itself last.
 */
ancestors: Array<AncestorView>, 
/**
 * Where its first child begins, and its neighbours in the same element.
 */
firstChild: number | null, 
/**
 * Where the element before it begins.
 */
previous: number | null, 
/**
 * Where the element behind it begins.
 */
next: number | null, 
/**
 * Where the elements begin that are alike; the first of many.
 */
alikeAt: Array<number>, 
/**
 * How many different texts those have of their own.
 */
alikeTexts: number, 
/**
 * How to name it.
 */
pick: ElementPick, 
/**
 * Its name.
 */
tag: string, 
/**
 * Where it stands: a selector that finds it, from the nearest element with an id that no other has, else from
 * `head`, else among the children of the body.
 */
path: string, 
/**
 * The how manieth of all elements with its name and its classes, counted from 1.
 */
number: number, 
/**
 * How many of those there are.
 */
alike: number, 
/**
 * Its own texts that are more than blanks, without the blanks around them.
 */
texts: Array<string>, 
/**
 * Whether it holds other elements.
 */
hasElements: boolean, 
/**
 * Its attributes as they read, without those that are repeated.
 */
attributes: Array<[string, string]>, 
/**
 * Its classes.
 */
classes: Array<string>, 
/**
 * The declarations of its own style.
 */
style: Array<[string, string]>, 
/**
 * The nearest element around it that somebody wrote.
 */
parent: ElementPick | null, };
/**
 * A change by hand.
 */
export type ElementChange = { projectId: ProjectId, 
/**
 * The page of the open version.
 */
path: ProjectPath, 
/**
 * The element, as it was picked.
 */
pick: ElementPick, 
/**
 * What is to be different.
 */
change: Change, 
/**
 * Which elements it is made to.
 */
reach: Reach, };
/**
 * What a change by hand gave.
 */
export type ElementChanged = { 
/**
 * The version that holds it, open now.
 */
versionId: VersionId, 
/**
 * Where the project stands.
 */
standing: Standing, 
/**
 * The element as it is named in that version.
 */
pick: ElementPick, 
/**
 * How many elements are different.
 */
changed: number, };
/**
 * What differs between two versions in one file.
 */
export type FileDifference = { 
/**
 * The file.
 */
path: ProjectPath, 
/**
 * A unified diff with three lines of context; a file that only one of them has differs in all its lines.
 */
diff: string, };
/**
 * What is left of a deleted project.
 */
export type Deleted = { 
/**
 * Whether a damaged copy of the history is kept, which may hold parts of it.
 */
keepsDamagedCopy: boolean, };
/**
 * A turn as it is told of.
 */
export type RememberedTurn = { 
/**
 * What was asked for.
 */
instruction: string, 
/**
 * What came of it.
 */
result: string, };
/**
 * What the next request would be told of earlier turns.
 */
export type Memory = { 
/**
 * The short notes, one line each; none without turns.
 */
notes: Array<string>, 
/**
 * The last turns, oldest first.
 */
turns: Array<RememberedTurn>, 
/**
 * The text that would be sent, letter by letter; empty without turns.
 */
sent: string, };
/**
 * What a part of the data folder holds.
 */
export type StorageKind = "history" | "assets" | "pictures" | "backups" | "logs" | "damaged";
/**
 * A part of the data folder.
 */
export type StoragePart = { 
/**
 * Which one.
 */
kind: StorageKind, 
/**
 * How many files or pictures.
 */
files: number, 
/**
 * How long they are together.
 */
bytes: number, 
/**
 * Whether it can be cleared without losing work.
 */
canClear: boolean, };
/**
 * Where data lies, and how much of what.
 */
export type Storage = { 
/**
 * The data folder; empty where everything is in memory.
 */
folder: string, 
/**
 * Its parts.
 */
parts: Array<StoragePart>, };
/**
 * More of a page as its frame is to receive it. It goes to the window only, beside the recorded events.
 */
export type PreviewPiece = { 
/**
 * The run.
 */
runId: RunId, 
/**
 * The variant.
 */
variantIndex: VariantIndex, 
/**
 * The page.
 */
path: ProjectPath, 
/**
 * Where the text goes, in UTF-16 units; 0 begins anew.
 */
base: number, 
/**
 * The text.
 */
text: string, };
/**
 * The whole of what a frame should hold.
 */
export type PreviewWhole = { 
/**
 * The text.
 */
text: string, 
/**
 * Its length in UTF-16 units.
 */
length: number, };
/**
 * Whether files hang over the window, how many and where.
 */
export type DragState = { over: boolean, count: number, x?: number, y?: number, };
/**
 * Whose page is shown.
 */
export type PageOf = { runId: RunId, variantIndex: VariantIndex, } | { versionId: VersionId, };
/**
 * The page that the main window shows.
 */
export type OpenPage = { of: PageOf, 
/**
 * Not known while nothing of a first page is written.
 */
path?: ProjectPath, isWriting: boolean, 
/**
 * How often it was loaded anew.
 */
loads: number, };
/**
 * What the main window shows, told to the window of the page whenever it changes.
 */
export type PageView = { 
/**
 * The name of the open project.
 */
project?: string, 
/**
 * The name of the version or option that is shown.
 */
version?: string, page?: OpenPage, theme: Theme, language: LanguageChoice, };
/**
 * A view, and what became of its page.
 */
export type FollowedView = { view: PageView, 
/**
 * The page froze a window and is shown without its scripts since.
 */
hasScriptsOff: boolean, };
/**
 * What the window of the page hears.
 */
export type PageNews = { "kind": "view", "body": FollowedView } | { "kind": "piece", "body": PreviewPiece };
/**
 * What a command answers when it could not do its work: the window branches on `code` only.
 */
export type CommandError = { 
/**
 * To branch on.
 */
code: string, 
/**
 * One plain sentence with the next step in it.
 */
message: string, };
/**
 * Who is asked about keys.
 */
export type Asking = "keychain" | "memory";
/**
 * Whether there is a key, and where.
 */
export type KeyState = "absent" | "stored" | "until_exit" | "environment" | "locked" | "no_service" | "denied" | "slow" | "failed";
/**
 * What may be told about a key.
 */
export type KeyStatus = { 
/**
 * `openai`, `anthropic`, `gemini`, `replicate` or `endpoint:<id>`.
 */
provider: string, 
/**
 * Whether there is one.
 */
state: KeyState, 
/**
 * Where it is, or why that cannot be told; empty when there is none.
 */
where: string, 
/**
 * Why it is not in the keychain, where that is for a reason.
 */
trouble?: string, };
/**
 * A deployment at Azure OpenAI.
 */
export type AzureDeployment = { 
/**
 * The deployment's name.
 */
deployment: string, 
/**
 * The version of the API, such as `2025-04-01-preview`.
 */
apiVersion: string, };
/**
 * An endpoint as it is kept. Its key is in the keychain.
 */
export type SavedEndpoint = { 
/**
 * Its id; empty for a new one.
 */
id: string, 
/**
 * What the person calls it.
 */
name: string, 
/**
 * The dialect spoken there: `openai`, `anthropic`, `gemini` or `chat`.
 */
provider: string, 
/**
 * Its address as it was given.
 */
address: string, 
/**
 * Set for a deployment at Azure OpenAI, whose resource is the address then.
 */
azure?: AzureDeployment, };
/**
 * A model as a person can choose it.
 */
export type ModelView = { 
/**
 * The engine's name, for a run.
 */
engine: string, 
/**
 * The provider: `openai`, `anthropic`, `gemini` or `chat`.
 */
provider: string, 
/**
 * The model's id.
 */
id: string, 
/**
 * What people call it.
 */
name: string, 
/**
 * Dollars for a million tokens of input; none where no price is known.
 */
inputPrice?: number, 
/**
 * Dollars for a million tokens of output.
 */
outputPrice?: number, };
/**
 * A server that people are likely to have.
 */
export type PresetView = { 
/**
 * What it is called.
 */
name: string, 
/**
 * The address it usually has; a part in braces is to be filled in.
 */
address: string, 
/**
 * Whether it does nothing without a key.
 */
needsKey: boolean, 
/**
 * What to check when it does not answer.
 */
hint: string, };
/**
 * What a test of a provider found.
 */
export type TestView = { 
/**
 * Whether a run can work.
 */
ok: boolean, 
/**
 * What was found, or the server's own words.
 */
message: string, };
/**
 * A model that makes pictures.
 */
export type ImageModelView = { 
/**
 * Its id.
 */
id: string, 
/**
 * Where its key is kept: `replicate`, `openai` or `gemini`.
 */
provider: string, 
/**
 * What people call its vendor.
 */
vendor: string, 
/**
 * The most that one picture costs, in dollars; none where nobody knows.
 */
priceUsd?: number, 
/**
 * Whether there is a key for it.
 */
hasKey: boolean, };
/**
 * Whether pictures are made, and with what.
 */
export type ImageSettings = { 
/**
 * Whether the person switched it on.
 */
isOn: boolean, 
/**
 * The model that is asked where its vendor has a key.
 */
model: string, 
/**
 * All there are.
 */
models: Array<ImageModelView>, 
/**
 * Whose pictures have a price that nobody knows; none while no such service is asked.
 */
unpriced?: string, };
/**
 * What goes in beside the facts of the program.
 */
export type DiagnosticsChoice = { 
/**
 * The latest pictures that were given.
 */
pictures: boolean, 
/**
 * The latest instructions, as they were typed.
 */
prompts: boolean, 
/**
 * Where files lie on this computer.
 */
paths: boolean, };
/**
 * A file of a bundle as it is shown before it is saved.
 */
export type DiagnosticsFile = { 
/**
 * Its name in the bundle.
 */
name: string, 
/**
 * Its size.
 */
bytes: number, 
/**
 * All of its text; none for a picture.
 */
text?: string, };
/**
 * Everything the settings of models show.
 */
export type ModelSettings = { 
/**
 * Every key there could be.
 */
keys: Array<KeyStatus>, 
/**
 * Whether a key that is set now outlives the program.
 */
keysLast: boolean, 
/**
 * The endpoints the person added.
 */
endpoints: Array<SavedEndpoint>, 
/**
 * Servers to choose from when adding one.
 */
presets: Array<PresetView>, 
/**
 * The engines to choose from.
 */
engines: Array<EngineChoice>, 
/**
 * Models of the vendors that are known without asking.
 */
models: Array<ModelView>, 
/**
 * What a run may cost in dollars; 0 for no cap.
 */
spendCapUsd: number, 
/**
 * When the table of prices was made.
 */
pricesOf: string, 
/**
 * Whether pictures are made, and with what.
 */
images: ImageSettings, };

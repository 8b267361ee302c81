//! The types that cross to the window, as TypeScript. The file is committed; this test says when it is old.

use std::env;
use std::fs;
use std::path::Path;

use facsimile_agent::project::address::{Change, Description, Pick, SourceVersion, WhichText};
use facsimile_agent::{
    AgentEvent, ErrorKind, EventId, Failure, InputId, ProjectId, ProjectPath, RunId, RunStatus, TaskId,
    TokenUsage, TurnId, VariantIndex, VersionId,
};
use facsimile_studio::preview::{PreviewText, PreviewWhole};
use facsimile_studio::tasks::{OptionCost, TaskErrorView, TaskResultView, TaskView};
use facsimile_studio::view::{
    AddedInputs, EngineView, InputView, Language, ProjectCard, ProjectView, RefusedView, RunView, SampleView,
    StartView, Theme, VariantView, WindowSettings,
};
use facsimile_studio::{
    AncestorView, AzureDeployment, DiagnosticsChoice, DiagnosticsFile, ElementView, FileDifference,
    HistoryView, ImageModelView, ImageSettings, KeyState, KeyStatus, LifecycleEvent, LikelyCost, MakerView,
    MemoryView, ModelSettings, ModelView, PresetView, Reach, RememberedTurn, RunEvent, RunEventBody,
    RunRequest, SavedEndpoint, StandingView, StorageKind, StoragePartView, StorageView, TestView,
    VersionView,
};
use ts_rs::{Config, TS};

use crate::commands::elements::{ElementChange, ElementChanged};
use crate::commands::exports::ExportResult;
use crate::commands::history::Restored;
use crate::commands::models::Asking;
use crate::commands::projects::Deleted;
use crate::commands::runs::{Snapshot, Started};
use crate::error::CommandError;
use crate::events::{OptionPictured, OptionScored, VersionSeen};
use crate::window::drop::DragState;
use crate::window::page::{FollowedView, OpenPage, PageNews, PageOf, PageView};

const FILE: &str = "ui/src/ipc/generated/types.ts";
const HEAD: &str = "// Generated from the Rust types that cross to the window: do not edit.\n\
    // FACSIMILE_WRITE_BINDINGS=1 cargo nextest run -p facsimile bindings\n";

macro_rules! declarations {
    ($config:expr, $($type:ty),+ $(,)?) => {
        [$(format!("{}export {}\n", documented::<$type>(), <$type>::decl($config))),+].concat()
    };
}

fn documented<T: TS>() -> String {
    T::docs().unwrap_or_default()
}

fn bindings() -> String {
    let config = Config::new().with_large_int("number");
    let declarations = declarations!(
        &config,
        ProjectId,
        RunId,
        InputId,
        TurnId,
        VersionId,
        ProjectPath,
        EventId,
        TaskId,
        VariantIndex,
        RunStatus,
        TokenUsage,
        ErrorKind,
        Failure,
        AgentEvent,
        LifecycleEvent,
        RunEventBody,
        RunEvent,
        OptionScored,
        OptionPictured,
        VersionSeen,
        EngineView,
        SampleView,
        ProjectCard,
        InputView,
        RefusedView,
        AddedInputs,
        ProjectView,
        RunView,
        VariantView,
        OptionCost,
        TaskErrorView,
        TaskResultView,
        TaskView,
        Theme,
        Language,
        WindowSettings,
        StartView,
        RunRequest,
        LikelyCost,
        Started,
        Snapshot,
        ExportResult,
        StandingView,
        MakerView,
        VersionView,
        HistoryView,
        Restored,
        SourceVersion,
        Pick,
        WhichText,
        Change,
        Reach,
        Description,
        AncestorView,
        ElementView,
        ElementChange,
        ElementChanged,
        FileDifference,
        Deleted,
        RememberedTurn,
        MemoryView,
        StorageKind,
        StoragePartView,
        StorageView,
        PreviewText,
        PreviewWhole,
        DragState,
        PageOf,
        OpenPage,
        PageView,
        FollowedView,
        PageNews,
        CommandError,
        Asking,
        KeyState,
        KeyStatus,
        AzureDeployment,
        SavedEndpoint,
        ModelView,
        PresetView,
        TestView,
        ImageModelView,
        ImageSettings,
        DiagnosticsChoice,
        DiagnosticsFile,
        ModelSettings,
    );
    format!("{HEAD}\n{declarations}")
}

#[test]
fn the_committed_bindings_are_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    if env::var_os("FACSIMILE_WRITE_BINDINGS").is_some() {
        fs::write(&file, bindings()).unwrap();
    }
    assert_eq!(fs::read_to_string(&file).unwrap_or_default(), bindings(), "{FILE} is old");
}

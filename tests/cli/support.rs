//! What several tests need: a room with the program in it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{fmt, fs};

use facsimile_agent::AgentEvent;
use facsimile_testkit::fold_code;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Every file below a folder by its path there, with its bytes; folders end with a slash and hold nothing.
pub type Tree = BTreeMap<String, Content>;

/// What a file holds; shown as the start of its text when a test fails.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Content(pub Vec<u8>);

impl Content {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap()
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start: String = String::from_utf8_lossy(&self.0).chars().take(80).collect();
        write!(f, "{} bytes: {start:?}", self.0.len())
    }
}

/// A folder to work in, with a data folder of its own.
pub struct Room {
    folder: TempDir,
}

impl Room {
    pub fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// Puts a file down, with the folders on the way to it.
    pub fn file(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// The program, started in this folder, without a display and with nothing of the user's.
    pub fn program(&self, arguments: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_facsimile"));
        command.args(arguments);
        self.surround(&mut command);
        command
    }

    /// Gives a command the surroundings of the program.
    pub fn surround<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .current_dir(self.folder.path())
            .env("FACSIMILE_DATA_DIR", self.data())
            .env("HOME", self.path("home"))
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            // No bus, so no keychain of the user's; and none of the user's keys.
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
            .env_remove("OPENAI_API_KEY")
            .env_remove("ANTHROPIC_API_KEY")
            .env_remove("GEMINI_API_KEY")
            .env_remove("REPLICATE_API_TOKEN")
            .env_remove("FACSIMILE_ENDPOINT_KEY")
            .stdin(Stdio::null())
    }

    /// Runs the program to its end.
    pub fn run(&self, arguments: &[impl AsRef<OsStr>]) -> Ended {
        Ended::of(&self.program(arguments).output().unwrap())
    }

    /// Runs a copy of the program as a user whom permissions hold for: root is not held by any.
    #[cfg(unix)]
    pub fn run_as_a_plain_user(&self, arguments: &[impl AsRef<OsStr>]) -> Ended {
        use std::os::unix::fs::MetadataExt;
        use std::os::unix::process::CommandExt;

        const NOBODY: u32 = 65_534;
        allow(self.folder.path(), 0o755);
        let programs = TempDir::new().unwrap();
        allow(programs.path(), 0o755);
        let program = programs.path().join("facsimile");
        // Not by us: a file that this process writes while another thread forks cannot be run.
        let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_facsimile")).arg(&program).status().unwrap();
        assert!(copied.success());
        allow(&program, 0o755);
        let mut command = Command::new(program);
        if fs::metadata(self.folder.path()).unwrap().uid() == 0 {
            command.uid(NOBODY).gid(NOBODY);
        }
        Ended::of(&self.surround(command.args(arguments)).output().unwrap())
    }

    /// Every file below a folder of the room.
    pub fn tree(&self, name: impl AsRef<Path>) -> Tree {
        tree(&self.path(name))
    }

    /// The name and the latest state of every project, the latest first.
    pub fn projects(&self) -> Vec<(String, Vec<String>)> {
        let listed = self.run(&["projects", "list", "--json"]).json();
        let projects = listed["projects"].as_array().unwrap().iter();
        let words = |value: &Value| value.as_str().unwrap().to_owned();
        projects
            .map(|project| {
                let runs = project["runs"].as_array().unwrap();
                (words(&project["name"]), runs.iter().map(|run| words(&run["state"])).collect())
            })
            .collect()
    }
}

/// Sets the permissions of a file or folder.
#[cfg(unix)]
pub fn allow(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;

    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Every file below a folder; an absent folder has none.
pub fn tree(folder: &Path) -> Tree {
    let mut found = Tree::new();
    let mut open = vec![folder.to_owned()];
    while let Some(inner) = open.pop() {
        for entry in fs::read_dir(&inner).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                found.insert(format!("{name}/"), Content::default());
                open.push(path);
            } else {
                found.insert(name, Content(fs::read(&path).unwrap()));
            }
        }
    }
    found
}

/// The files of a tree without its folders.
pub fn files(tree: Tree) -> Tree {
    tree.into_iter().filter(|(name, _)| !name.ends_with('/')).collect()
}

/// A program that has ended.
#[derive(Debug)]
pub struct Ended {
    /// The exit status; `None` after a signal.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ended {
    pub fn of(output: &Output) -> Self {
        let ended = Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout.clone()).unwrap(),
            err: String::from_utf8(output.stderr.clone()).unwrap(),
        };
        assert!(!ended.err.contains("panicked"), "{}", ended.err);
        ended
    }

    /// The last line of standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(self.out.lines().last().unwrap_or_else(|| panic!("{self:?}"))).unwrap()
    }

    /// The exit status and the last line of standard error: what a refusal consists of.
    pub fn refusal(&self) -> (i32, &str) {
        assert_eq!(self.out, "", "{self:?}");
        (self.code.unwrap(), self.err.lines().last().unwrap_or_default())
    }
}

/// The event lines of a run.
pub fn event_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The files of a variant, folded from its events by the rule of their `base`.
pub fn folded(events: &[Value], variant: u8) -> Tree {
    let of_variant = events.iter().filter(|event| event["variantIndex"] == json!(variant));
    let code: Vec<AgentEvent> = of_variant
        .filter(|event| event["type"] == "setCode")
        .map(|event| serde_json::from_value(event.clone()).unwrap())
        .collect();
    fold_code(&code).into_iter().map(|(path, text)| (path, Content(text.into_bytes()))).collect()
}

/// A written page without its pictures: what events tell of.
pub fn texts(tree: &Tree) -> Tree {
    let texts = tree.iter().filter(|(name, _)| !name.starts_with("assets/"));
    texts.map(|(name, bytes)| (name.clone(), bytes.clone())).collect()
}

//! A desktop of its own for one program: display, window manager, bus, home. Everything on it ends with it.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::room::Room;

/// Far above what anything here takes.
const PATIENCE: Duration = Duration::from_secs(90);
/// After that a key or a click is given again.
const SOON: Duration = Duration::from_secs(8);
const POLL: Duration = Duration::from_millis(50);

/// A process with all that it starts; killed as a group.
pub struct Started {
    child: Child,
}

impl Started {
    pub fn new(mut command: Command) -> Self {
        let child = command.process_group(0).spawn();
        Self { child: child.unwrap_or_else(|error| panic!("{command:?}: {error}")) }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// The first line it prints.
    fn first_line(&mut self) -> String {
        let mut line = String::new();
        BufReader::new(self.child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        line.trim().to_owned()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let group = format!("-{}", self.child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = self.child.wait();
    }
}

/// A command that dies with the test even where the test itself is killed.
fn mortal(program: &str) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--", program]);
    command
}

/// Where a program is started: nothing of the user's is within its reach.
pub struct Desk {
    // Ended in this order.
    _manager: Option<Started>,
    _bus: Started,
    _display: Started,
    display: String,
    bus: String,
    home: PathBuf,
    data: PathBuf,
}

impl Desk {
    pub fn new(room: &Room) -> Self {
        let mut xvfb = mortal("Xvfb");
        xvfb.args(["-displayfd", "1", "-screen", "0", "1440x1000x24", "-nolisten", "tcp"]);
        // Where the bench reads the picture of the screen.
        xvfb.arg("-fbdir").arg(room.folder("screen"));
        let mut display = Started::new({
            xvfb.stdout(Stdio::piped()).stderr(Stdio::null());
            xvfb
        });
        let number = display.first_line();
        assert!(!number.is_empty(), "Xvfb did not start");
        let mut daemon = mortal("dbus-daemon");
        daemon.args(["--session", "--nofork", "--print-address=1"]);
        daemon.stdout(Stdio::piped()).stderr(Stdio::null());
        let home = room.folder("home");
        surround(&mut daemon, &home);
        let mut bus = Started::new(daemon);
        let address = bus.first_line();
        let display_name = format!(":{number}");
        Self {
            _manager: None,
            _bus: bus,
            _display: display,
            display: display_name,
            bus: address,
            home,
            data: room.data(),
        }
    }

    /// With a window manager, so that real keys and a real pointer find their window.
    pub fn managed(room: &Room) -> Self {
        let mut desk = Self::new(room);
        let log = room.path("openbox.log");
        let start = || {
            let mut openbox = desk.command("openbox");
            openbox.stdout(Stdio::null()).stderr(File::create(&log).unwrap());
            Started::new(openbox)
        };
        let mut manager = start();
        let is_there = || desk.run("xdotool", &["get_desktop"]).status.success();
        desk.until("a window manager", || {
            // One that did not come up on a busy machine is started again.
            if manager.has_ended() {
                eprintln!("the window manager ended: {}", tail(&log));
                manager = start();
            }
            is_there().then_some(())
        });
        desk._manager = Some(manager);
        desk
    }

    /// A command on this desktop.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--"]).arg(program);
        surround(&mut command, &self.home);
        command
            .env("DISPLAY", &self.display)
            .env("DBUS_SESSION_BUS_ADDRESS", &self.bus)
            .env("FACSIMILE_DATA_DIR", &self.data);
        command
    }

    /// The program itself.
    pub fn facsimile(&self) -> Command {
        self.command(env!("CARGO_BIN_EXE_facsimile"))
    }

    /// Runs a tool to its end.
    pub fn run(&self, program: &str, arguments: &[&str]) -> Output {
        self.command(program).args(arguments).output().unwrap()
    }

    /// What `xdotool` prints; empty if it failed.
    pub fn xdotool(&self, arguments: &[&str]) -> String {
        String::from_utf8(self.run("xdotool", arguments).stdout).unwrap().trim().to_owned()
    }

    /// The id of the visible window of this title.
    pub fn window_titled(&self, title: &str) -> String {
        let pattern = format!("^{title}$");
        self.until(&format!("the window {title:?}"), || {
            let ids = self.xdotool(&["search", "--onlyvisible", "--name", &pattern]);
            ids.lines().last().map(str::to_owned)
        })
    }

    /// Puts a window in front and gives it the keyboard.
    pub fn activate(&self, window: &str) {
        self.until("the keyboard", || {
            self.xdotool(&["windowactivate", window]);
            (self.xdotool(&["getactivewindow"]) == window).then_some(())
        });
    }

    /// Puts a file on the clipboard under a type, for as long as the answer lives.
    pub fn clipboard(&self, mime: &str, file: &Path) -> Started {
        let mut xclip = self.command("xclip");
        xclip.args(["-quiet", "-selection", "clipboard", "-t", mime, "-i"]).arg(file);
        xclip.stdout(Stdio::null()).stderr(Stdio::null());
        let owner = Started::new(xclip);
        self.until("the clipboard", || {
            let targets = self.run("xclip", &["-selection", "clipboard", "-t", "TARGETS", "-o"]);
            String::from_utf8_lossy(&targets.stdout).contains(mime).then_some(())
        });
        owner
    }

    /// The text on the clipboard.
    pub fn copied_text(&self) -> String {
        String::from_utf8(self.run("xclip", &["-selection", "clipboard", "-o"]).stdout).unwrap()
    }

    /// Waits for something that comes by itself.
    pub fn until<T>(&self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        wait_for(what, &mut look)
    }
}

/// Whether something comes within a short while; what it takes is tried again otherwise.
pub fn comes_soon(mut look: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while started.elapsed() < SOON {
        if look() {
            return true;
        }
        std::thread::sleep(POLL);
    }
    false
}

/// Waits, without a display, for something that comes by itself.
pub fn wait_for<T>(what: &str, look: &mut dyn FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "{what} never came");
        std::thread::sleep(POLL);
    }
}

fn surround(command: &mut Command, home: &Path) {
    let place = home.join("place");
    let settings = home.join("config/glib-2.0/settings");
    for folder in [&place, &settings, &home.join("run")] {
        fs::create_dir_all(folder).unwrap();
    }
    // A file dialog begins where the program was started, and needs no path to be typed.
    fs::write(settings.join("keyfile"), "[org/gtk/settings/file-chooser]\nstartup-mode='cwd'\n").unwrap();
    for name in ["WAYLAND_DISPLAY", "DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "GTK_USE_PORTAL"] {
        command.env_remove(name);
    }
    command
        .current_dir(place)
        .env("GSETTINGS_BACKEND", "keyfile")
        .env("HOME", home)
        .env("XDG_DATA_HOME", home.join("share"))
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_CACHE_HOME", home.join("cache"))
        .env("XDG_RUNTIME_DIR", home.join("run"))
        .env("LANG", "C.UTF-8")
        .env("GDK_BACKEND", "x11")
        .env("NO_AT_BRIDGE", "1")
        .env("GIO_USE_VFS", "local")
        // Without a graphics card this renderer is slower than none.
        .env("WEBKIT_DISABLE_DMABUF_RENDERER", "1");
}

/// The end of a file that a program has written to.
pub fn tail(path: &Path) -> String {
    let mut text = String::new();
    if let Ok(mut file) = File::open(path) {
        let _ = file.read_to_string(&mut text);
    }
    text.lines().rev().take(20).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("\n")
}

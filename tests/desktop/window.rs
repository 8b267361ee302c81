//! The program's window, driven through WebKitWebDriver.

// The bench takes this file from another folder.
#[path = "own_window.rs"]
mod own;

use std::collections::BTreeSet;
use std::fs::File;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use fantoccini::wd::{WebDriverCompatibleCommand, WindowHandle};
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

use tauri::Url;
use tauri::http::Method;

pub use own::Place;

use crate::desk::{Desk, Started, tail};
use crate::room::Room;
use crate::session::family;

/// Far above what anything here takes.
const PATIENCE: Duration = Duration::from_secs(90);
const POLL: Duration = Duration::from_millis(40);
/// One question to the driver; a window that hangs answers none.
const ANSWER: Duration = Duration::from_secs(20);

/// An open window.
pub struct Window {
    client: Client,
    main: WindowHandle,
    driver: Started,
    pub desk: Desk,
    log: PathBuf,
}

/// How a window is to be opened.
pub struct Opening {
    desk: Desk,
    arguments: Vec<String>,
    program: PathBuf,
    variables: Vec<(&'static str, String)>,
}

impl Opening {
    /// On a bare display.
    pub fn bare(room: &Room) -> Self {
        Self::on(Desk::new(room))
    }

    /// Beside a window manager, for real keys and a real pointer.
    pub fn managed(room: &Room) -> Self {
        Self::on(Desk::managed(room))
    }

    fn on(desk: Desk) -> Self {
        let program = PathBuf::from(env!("CARGO_BIN_EXE_facsimile"));
        Self { desk, arguments: Vec::new(), program, variables: Vec::new() }
    }

    /// With these files on its command line.
    pub fn with_files(mut self, files: &[PathBuf]) -> Self {
        self.arguments.extend(files.iter().map(|file| file.to_str().unwrap().to_owned()));
        self
    }

    /// With a variable in its environment.
    pub fn with_variable(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// With every network call of the program and its helpers written to a file.
    pub fn traced(mut self, room: &Room, log: &str) -> Self {
        let script = room.path("traced.sh");
        let text = format!(
            "#!/bin/sh\necho \"$WEBKIT_INSPECTOR_SERVER\" > '{}.driver'\nexec strace -f -qq --seccomp-bpf -e trace=socket,connect,bind,listen,sendto,sendmsg,sendmmsg \
             -o '{}' '{}' \"$@\"\n",
            room.path(log).display(),
            room.path(log).display(),
            self.program.display(),
        );
        std::fs::write(&script, text).unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        self.program = script;
        self
    }

    /// With what the program says of itself written to a file.
    pub fn logged(mut self, room: &Room, log: &str) -> Self {
        let script = room.path("logged.sh");
        let (log, program) = (room.path(log), self.program.display());
        let text = format!("#!/bin/sh\nexec '{program}' \"$@\" 2> '{}'\n", log.display());
        std::fs::write(&script, text).unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        self.program = script;
        self
    }

    /// With a keychain that is open.
    pub fn unlocked(mut self, room: &Room) -> Self {
        let script = room.path("unlocked.sh");
        let unlock = "printf test | gnome-keyring-daemon --unlock --components=secrets > /dev/null";
        let text = format!("#!/bin/sh\n{unlock}\nexec '{}' \"$@\"\n", self.program.display());
        std::fs::write(&script, text).unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        self.program = script;
        self
    }

    pub async fn open(self, room: &Room) -> Window {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let log = room.path("driver.log");
        let mut driver = self.desk.command("WebKitWebDriver");
        driver.arg(format!("--port={port}")).env("TAURI_WEBVIEW_AUTOMATION", "true");
        driver.envs(self.variables);
        driver.stdout(Stdio::null()).stderr(File::create(&log).unwrap());
        let driver = Started::new(driver);
        let capabilities =
            json!({"webkitgtk:browserOptions": {"binary": self.program, "args": self.arguments}});
        let Value::Object(capabilities) = capabilities else { unreachable!() };
        let started = Instant::now();
        let client = loop {
            let mut builder = ClientBuilder::new(HttpConnector::new());
            let address = format!("http://127.0.0.1:{port}");
            match builder.capabilities(capabilities.clone()).connect(&address).await {
                Ok(client) => break client,
                Err(error) => assert!(started.elapsed() < PATIENCE, "no session: {error:?}\n{}", tail(&log)),
            }
            tokio::time::sleep(POLL).await;
        };
        let main = client.window().await.unwrap();
        let window = Window { client, main, driver, desk: self.desk, log };
        window.until("the start screen", "document.querySelector('main:not([aria-busy=true])')").await;
        window
    }
}

impl Window {
    pub async fn open(room: &Room) -> Self {
        Opening::bare(room).open(room).await
    }

    /// Runs a script in the document that is entered.
    pub async fn script(&self, script: &str, arguments: Vec<Value>) -> Result<Value, String> {
        let asked = tokio::time::timeout(ANSWER, self.client.execute(script, arguments)).await;
        asked.map_err(|_| "no answer".to_owned())?.map_err(|error| format!("{error:?}"))
    }

    /// Runs a script that calls `done`, its last argument.
    pub async fn later(&self, script: &str, arguments: Vec<Value>) -> Result<Value, String> {
        let script = format!("const done = arguments[arguments.length - 1]; {script}");
        let asked = tokio::time::timeout(ANSWER, self.client.execute_async(&script, arguments)).await;
        asked.map_err(|_| "no answer".to_owned())?.map_err(|error| format!("{error:?}"))
    }

    /// What an expression is in the document that is entered; null while it cannot be asked.
    pub async fn value(&self, expression: &str) -> Value {
        self.script(&format!("return ({expression}) ?? null"), vec![]).await.unwrap_or(Value::Null)
    }

    /// Waits until an expression is true.
    pub async fn until(&self, what: &str, expression: &str) {
        let started = Instant::now();
        let script = format!("return Boolean({expression})");
        loop {
            let answer = self.script(&script, vec![]).await;
            if answer == Ok(Value::Bool(true)) {
                return;
            }
            if started.elapsed() > PATIENCE {
                let body = self.value("document.body.innerText").await;
                panic!("{what} never came ({answer:?}); shown is {body}\n{}", tail(&self.log));
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Waits until an element holds these words.
    pub async fn sees(&self, css: &str, words: &str) {
        let expression = format!(
            "[...document.querySelectorAll({})].some(e => e.textContent.includes({}))",
            json!(css),
            json!(words)
        );
        self.until(&format!("{words:?} in {css}"), &expression).await;
    }

    /// Presses the button of this name once it is there.
    pub async fn press(&self, name: &str) {
        let path = format!("//button[starts-with(normalize-space(.), '{name}') or @aria-label='{name}']");
        self.click(Locator::XPath(&path), name).await;
    }

    /// Begins to select, once there is a page to select from, and points at its middle.
    pub async fn select_middle(&self) {
        let is_ready =
            "document.querySelector('.tools [aria-keyshortcuts=\"Control+Shift+C\"][aria-disabled=false]')";
        self.until("a page to select from", is_ready).await;
        self.press("Select").await;
        self.until("the glass", "document.querySelector('.glass')").await;
        self.click_on(".glass").await;
    }

    /// Chooses in the menu that is open.
    pub async fn press_item(&self, name: &str) {
        let path =
            format!("//*[starts-with(@role, 'menuitem') and starts-with(normalize-space(.), '{name}')]");
        self.click(Locator::XPath(&path), name).await;
    }

    /// Types into a field once it is there.
    pub async fn write(&self, css: &str, text: &str) {
        self.click_on(css).await;
        self.type_into(css, text).await;
    }

    /// Types into a field that has the keyboard.
    pub async fn type_into(&self, css: &str, text: &str) {
        let field = self.client.find(Locator::Css(css)).await.unwrap();
        field.send_keys(text).await.unwrap();
    }

    pub async fn click_on(&self, css: &str) {
        self.click(Locator::Css(css), css).await;
    }

    async fn click(&self, locator: Locator<'_>, what: &str) {
        let started = Instant::now();
        loop {
            // An element may be replaced between being found and being clicked.
            let clicked = match self.client.find(locator).await {
                Ok(element) => element.click().await,
                Err(error) => Err(error),
            };
            match clicked {
                Ok(()) => return,
                Err(error) => assert!(started.elapsed() < PATIENCE, "{what} cannot be clicked: {error:?}"),
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Calls the program as the window does; the error is what it answers.
    pub async fn invoke(&self, command: &str, arguments: Value) -> Result<Value, String> {
        let script = "const [command, given] = arguments; \
            window.__TAURI_INTERNALS__.invoke(command, given).then(ok => done({ ok }), \
              error => done({ error: typeof error === 'string' ? error : JSON.stringify(error) }))";
        let answer = self.later(script, vec![json!(command), arguments]).await?;
        match answer.get("error") {
            Some(error) => Err(error.as_str().unwrap().to_owned()),
            None => Ok(answer.get("ok").cloned().unwrap_or_default()),
        }
    }

    /// Opens a project from the start screen.
    pub async fn open_project(&self, name: &str) {
        self.sees(".recent .thumb", name).await;
        self.press(name).await;
    }

    /// Enters the frame of the finished page.
    pub async fn enter_page(&self) {
        let started = Instant::now();
        while let Err(error) = self.try_to_enter().await {
            assert!(started.elapsed() < PATIENCE, "the page never came: {error}");
            self.leave_page().await;
            tokio::time::sleep(POLL).await;
        }
    }

    async fn try_to_enter(&self) -> Result<(), String> {
        let only = "(() => { const all = document.querySelectorAll('.stage iframe'); \
            return all.length === 1 && /\\/(page|version)\\//.test(all[0].src) && all[0].classList.contains('front') })()";
        if self.value(only).await != Value::Bool(true) {
            return Err("no finished page is shown".to_owned());
        }
        let frame =
            self.client.find(Locator::Css("iframe.front")).await.map_err(|error| format!("{error:?}"))?;
        frame.enter_frame().await.map_err(|error| format!("{error:?}"))
    }

    /// Enters the frame that shows the page of the first option small.
    pub async fn enter_card(&self) {
        let started = Instant::now();
        let entered = async || self.client.find(Locator::Css(".card iframe")).await?.enter_frame().await;
        while let Err(error) = entered().await {
            assert!(started.elapsed() < PATIENCE, "the small page never came: {error:?}");
            self.leave_page().await;
            tokio::time::sleep(POLL).await;
        }
    }

    /// Back to the window itself, also from a frame that is gone.
    pub async fn leave_page(&self) {
        // A window that is being loaded again refuses; whoever looks for something in it waits anyway.
        let _ = tokio::time::timeout(ANSWER, self.client.issue_cmd(TopFrame)).await;
    }

    /// Waits until the finished page holds these words; the frame may be replaced meanwhile.
    pub async fn page_shows(&self, words: &str) {
        let holds = |text: &Value| text.as_str().is_some_and(|text| text.contains(words));
        self.page_gives(&format!("{words:?}"), "document.body.textContent", holds).await;
    }

    /// Waits until an expression gives what is wanted in the finished page; the frame may be replaced meanwhile.
    pub async fn page_gives(&self, what: &str, expression: &str, is_wanted: impl Fn(&Value) -> bool) {
        let started = Instant::now();
        loop {
            self.enter_page().await;
            let found = self.value(expression).await;
            self.leave_page().await;
            if is_wanted(&found) {
                return;
            }
            assert!(started.elapsed() < PATIENCE, "the page never showed {what} but {found}");
            tokio::time::sleep(POLL).await;
        }
    }

    /// Opens a project whose page reports what it could do, and waits for the report.
    pub async fn report_of(&self, project: &str) -> Value {
        self.report_in(Place::MainWindow, project).await
    }

    /// The same of the page where it is shown.
    pub async fn report_in(&self, place: Place, project: &str) -> Value {
        self.open_page(project, place).await;
        self.read_report().await
    }

    /// Waits for the report of the page that is shown; ends in the window.
    pub async fn read_report(&self) -> Value {
        self.enter_page().await;
        self.until("the report of the page", "document.querySelector('#report[data-done]')").await;
        let report = self.value("document.querySelector('#report').textContent").await;
        self.leave_page().await;
        serde_json::from_str(report.as_str().unwrap()).unwrap()
    }

    /// The names of the files in the code tab.
    pub async fn files(&self) -> Vec<String> {
        let names = self
            .value("[...document.querySelectorAll('.files .file')].map(file => file.textContent.trim())")
            .await;
        serde_json::from_value(names).unwrap_or_default()
    }

    /// The ids of the driver, the program and all that it started.
    pub fn processes(&self) -> BTreeSet<u32> {
        family(self.driver.id())
    }

    /// Ends the program at once, as a crash would.
    pub async fn kill(self) {
        let _ = self.client.clone().close().await;
    }
}

/// Leads the driver to the window's own document.
#[derive(Debug)]
struct TopFrame;

impl WebDriverCompatibleCommand for TopFrame {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, <Url as std::str::FromStr>::Err> {
        base.join(&format!("session/{}/frame", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(json!({"id": null}).to_string()))
    }
}

//! WebKitGTK: a raw view with a context of its own in a window that is never mapped.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use gtk::prelude::*;
use gtk::{cairo, gdk, gio, glib};
use javascriptcore::ValueExt;
use webkit2gtk::{
    LoadEvent, NetworkProxyMode, NetworkProxySettings, PermissionRequestExt, PolicyDecisionExt,
    PolicyDecisionType, SettingsExt, SnapshotOptions, SnapshotRegion, URISchemeRequest, URISchemeRequestExt,
    URISchemeResponse, URISchemeResponseExt, UserContentInjectedFrames, UserContentManagerExt, UserScript,
    UserScriptInjectionTime, UserStyleLevel, UserStyleSheet, WebContext, WebContextExt, WebView, WebViewExt,
    WebsiteDataManagerExt,
};

use crate::{lookups, preview};

use facsimile_studio::camera::{Camera, CameraError, Detail, Serve, Shot, ShotRequest, ShotResult};

use super::{MAX_HEIGHT_PX, PATIENCE, SETTLE};

/// Nothing listens there.
const DEAD_PROXY: &str = "http://127.0.0.1:9";
/// The height of the view before the page's own is known.
const FIRST_HEIGHT_PX: i32 = 800;
const POLL: Duration = Duration::from_millis(30);
/// What the page is asked until it is quiet: its fonts are there, nothing moves, its height, its view's height.
const IS_QUIET: &str = "(() => { const root = document.documentElement, body = document.body; \
    const quiet = document.readyState === 'complete' && document.fonts.status === 'loaded' \
      && document.getAnimations().every(a => a.playState !== 'running' || a.effect?.getComputedTiming().endTime === Infinity); \
    return (quiet ? 'quiet ' : 'busy ') + Math.max(root.scrollHeight, body ? body.scrollHeight : 0) + ' ' + innerHeight; })()";

/// Our scripts run in a world of their own: the page's cannot reach what we ask with.
const WORLD: &str = "facsimile";
const TROUBLE: &str = include_str!("trouble.js");
const CONSOLE: &str = include_str!("console.js");
const GEOMETRY: &str = include_str!("geometry.js");
const NO_TEXT: &str = "*, *::before, *::after, ::placeholder { color: transparent !important; \
    -webkit-text-fill-color: transparent !important; text-shadow: none !important; \
    text-decoration-color: transparent !important; }";

type Done = Rc<RefCell<Option<Box<dyn FnOnce(ShotResult)>>>>;

/// Takes a picture on the main thread, whose loop has to go on meanwhile.
pub fn shoot_here(request: ShotRequest, done: impl FnOnce(ShotResult) + 'static) {
    let session = Session::new(&request, Box::new(done));
    session.load(&request.path);
}

/// Closes views that are done with; here they close themselves.
pub fn tidy() {}

/// Takes a picture in a program that has no window and no main loop of its own.
pub fn shoot_alone(request: ShotRequest) -> ShotResult {
    gtk::init().map_err(|_| CameraError::NoDisplay)?;
    let main_loop = glib::MainLoop::new(None, false);
    let result: Rc<RefCell<ShotResult>> = Rc::new(RefCell::new(Err(CameraError::TooSlow)));
    let (taken, ended) = (Rc::clone(&result), main_loop.clone());
    shoot_here(request, move |shot| {
        *taken.borrow_mut() = shot;
        ended.quit();
    });
    main_loop.run();
    result.replace(Err(CameraError::TooSlow))
}

/// Whether pages can be drawn at all.
pub fn has_display() -> bool {
    crate::window::has_display() && gtk::init().is_ok()
}

/// Does work on a thread of its own while this one, the main one, takes the pictures it asks for.
pub fn beside_camera<T: Send + 'static>(
    work: impl FnOnce(Option<Arc<dyn Camera>>) -> T + Send + 'static,
) -> thread::Result<T> {
    if !has_display() {
        return Ok(work(None));
    }
    let main_loop = glib::MainLoop::new(None, false);
    let ended = EndOnDrop(main_loop.clone());
    let working = thread::spawn(move || {
        let _ended = ended;
        work(Some(Arc::new(LoopCamera)))
    });
    main_loop.run();
    working.join()
}

/// Ends the main loop once it runs, whatever becomes of the work.
struct EndOnDrop(glib::MainLoop);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        let main_loop = self.0.clone();
        // A loop that is told to end before it runs would run for ever.
        glib::MainContext::default().invoke(move || main_loop.quit());
    }
}

/// Has the main loop take pictures.
struct LoopCamera;

impl Camera for LoopCamera {
    fn shoot(&self, request: ShotRequest) -> ShotResult {
        let (sender, receiver) = mpsc::channel();
        glib::MainContext::default().invoke(move || {
            shoot_here(request, move |result| {
                // Whoever asked may have given up.
                let _ = sender.send(result);
            });
        });
        receiver.recv_timeout(PATIENCE + SETTLE).unwrap_or(Err(CameraError::TooSlow))
    }
}

/// One hidden view and what is to happen when it is ready.
#[derive(Clone)]
struct Session {
    view: WebView,
    window: gtk::OffscreenWindow,
    width: i32,
    detail: Detail,
    has_begun: Rc<Cell<bool>>,
    done: Done,
    signals: Rc<RefCell<Vec<glib::SignalHandlerId>>>,
}

impl Session {
    fn new(request: &ShotRequest, done: Box<dyn FnOnce(ShotResult)>) -> Self {
        let context = walled_context(&request.serve);
        let view = WebView::with_context(&context);
        refuse_navigation(&view);
        answer_nobody(&view);
        lookups::none_ahead_of_time(&view);
        listen(&view, request.detail);
        if let Some(settings) = WebViewExt::settings(&view) {
            settings.set_enable_page_cache(false);
            settings.set_javascript_can_open_windows_automatically(false);
        }
        let width = i32::try_from(request.width_px).unwrap_or(i32::MAX);
        let window = gtk::OffscreenWindow::new();
        window.set_default_size(width, FIRST_HEIGHT_PX);
        view.set_size_request(width, FIRST_HEIGHT_PX);
        view.set_background_color(&gdk::RGBA::new(1.0, 1.0, 1.0, 1.0));
        window.add(&view);
        window.show_all();
        let done = Rc::new(RefCell::new(Some(done)));
        Self {
            view,
            window,
            width,
            detail: request.detail,
            has_begun: Rc::default(),
            done,
            signals: Rc::default(),
        }
    }

    fn load(self, path: &str) {
        let failed = self.clone();
        let on_failure = self.view.connect_load_failed(move |_, _, _, error| {
            failed.finish(Err(CameraError::NotLoaded(error.to_string())));
            false
        });
        let crashed = self.clone();
        let on_crash = self.view.connect_web_process_terminated(move |_, _| {
            crashed.finish(Err(CameraError::Failed("the page has used up its memory or crashed".to_owned())));
        });
        let loaded = self.clone();
        let is_first = Cell::new(true);
        let on_change = self.view.connect_load_changed(move |_, event| {
            if event == LoadEvent::Finished && is_first.replace(false) {
                loaded.clone().settle();
            }
        });
        self.signals.borrow_mut().extend([on_failure, on_crash, on_change]);
        let late = self.clone();
        glib::timeout_add_local_once(PATIENCE, move || late.finish(Err(CameraError::TooSlow)));
        self.view.load_uri(&preview::address(path));
    }

    /// Waits until the page is quiet at its full height: what appears on scrolling has to see the whole page.
    fn settle(self) {
        let limit = Instant::now() + SETTLE;
        let height = Rc::new(Cell::new(FIRST_HEIGHT_PX));
        let document = Rc::new(Cell::new(FIRST_HEIGHT_PX));
        let is_asking = Rc::new(Cell::new(false));
        let is_whole = Rc::new(Cell::new(false));
        glib::timeout_add_local(POLL, move || {
            if self.done.borrow().is_none() {
                return glib::ControlFlow::Break;
            }
            // On a busy machine the page learns late of its view's height, and until then only its top is there.
            let patience = if is_whole.get() { Duration::ZERO } else { 2 * SETTLE };
            if Instant::now() >= limit + patience {
                self.read(document.get());
                return glib::ControlFlow::Break;
            }
            if is_asking.replace(true) {
                return glib::ControlFlow::Continue;
            }
            let (asked, height, is_asking) = (self.clone(), Rc::clone(&height), Rc::clone(&is_asking));
            let (document, is_whole) = (Rc::clone(&document), Rc::clone(&is_whole));
            self.view.evaluate_javascript(
                IS_QUIET,
                Some(WORLD),
                None,
                gio::Cancellable::NONE,
                move |answer| {
                    let answer = answer.map(|value| value.to_str().to_string()).unwrap_or_default();
                    let mut words = answer.split(' ');
                    let mood = words.next().unwrap_or_default();
                    let mut number = || words.next().and_then(|word| word.parse::<i32>().ok());
                    let (wanted, seen) = (number(), number().unwrap_or_default());
                    let most = i32::try_from(MAX_HEIGHT_PX).unwrap_or(i32::MAX);
                    document.set(wanted.unwrap_or(FIRST_HEIGHT_PX));
                    let wanted = document.get().clamp(FIRST_HEIGHT_PX, most);
                    is_whole.set(seen >= wanted);
                    if wanted > height.replace(wanted) {
                        asked.view.set_size_request(asked.width, wanted);
                        asked.window.resize(asked.width, wanted);
                        is_asking.set(false);
                    } else if mood == "quiet" && is_whole.get() {
                        asked.read(document.get());
                    } else {
                        is_asking.set(false);
                    }
                },
            );
            glib::ControlFlow::Continue
        });
    }

    /// Reads the geometry if it is wanted, then takes the picture.
    fn read(&self, document_px: i32) {
        if self.has_begun.replace(true) {
            return;
        }
        if self.detail < Detail::Geometry {
            return self.picture(document_px, None);
        }
        let asked = self.clone();
        self.view.evaluate_javascript(GEOMETRY, Some(WORLD), None, gio::Cancellable::NONE, move |answer| {
            match answer {
                Ok(json) => asked.picture(document_px, Some(json.to_str().to_string())),
                Err(error) => asked.finish(Err(CameraError::Failed(error.to_string()))),
            }
        });
    }

    fn picture(&self, document_px: i32, geometry: Option<String>) {
        let document_px = u32::try_from(document_px).unwrap_or(0);
        let cut_from_px = (document_px > MAX_HEIGHT_PX).then_some(document_px);
        let taken = self.clone();
        self.snapshot(cut_from_px, move |png| {
            let shot = png.map(|(png, width_px, height_px)| Shot {
                png,
                width_px,
                height_px,
                cut_from_px,
                geometry,
                textless_png: None,
            });
            match shot {
                Ok(shot) if taken.detail >= Detail::Textless => taken.textless(shot),
                shot => taken.finish(shot),
            }
        });
    }

    fn textless(&self, shot: Shot) {
        if let Some(contents) = self.view.user_content_manager() {
            let frames = UserContentInjectedFrames::AllFrames;
            contents.add_style_sheet(&UserStyleSheet::new(NO_TEXT, frames, UserStyleLevel::User, &[], &[]));
        }
        let taken = self.clone();
        self.snapshot(shot.cut_from_px, move |png| {
            taken.finish(png.map(|(png, _, _)| Shot { textless_png: Some(png), ..shot }));
        });
    }

    /// The whole page, or as much of it as the view shows where it is too high for one picture.
    fn snapshot(&self, cut_from_px: Option<u32>, then: impl FnOnce(Result<Png, CameraError>) + 'static) {
        let failed = |error: glib::Error| CameraError::Failed(error.to_string());
        let of_view = move |view: &WebView, then: Box<dyn FnOnce(Result<Png, CameraError>)>| {
            let (region, options) = (SnapshotRegion::Visible, SnapshotOptions::NONE);
            view.snapshot(region, options, gio::Cancellable::NONE, move |surface| {
                then(surface.map_err(failed).and_then(encoded));
            });
        };
        if cut_from_px.is_some() {
            return of_view(&self.view, Box::new(then));
        }
        let (view, region) = (self.view.clone(), SnapshotRegion::FullDocument);
        self.view.snapshot(
            region,
            SnapshotOptions::NONE,
            gio::Cancellable::NONE,
            move |surface| match surface {
                Ok(surface) => then(encoded(surface)),
                // A document that a script has just emptied has no size of its own.
                Err(_) => of_view(&view, Box::new(then)),
            },
        );
    }

    fn finish(&self, result: ShotResult) {
        // Ending the process is told at once, and ends here again.
        let Some(done) = self.done.take() else { return };
        self.window.remove(&self.view);
        self.window.close();
        // A script that never ends would keep its process busy; the view has it for itself.
        self.view.terminate_web_process();
        // They hold the view that holds them, and with it a line to the display.
        self.signals.take().into_iter().for_each(|signal| self.view.disconnect(signal));
        done(result);
    }
}

/// An encoded picture, its width and its height.
type Png = (Vec<u8>, u32, u32);

fn encoded(surface: cairo::Surface) -> Result<Png, CameraError> {
    let failed = |error: &dyn std::fmt::Display| CameraError::Failed(error.to_string());
    let image = cairo::ImageSurface::try_from(surface).map_err(|_| failed(&"no image"))?;
    let mut png = Vec::new();
    image.write_to_png(&mut png).map_err(|error| failed(&error))?;
    let side = |pixels: i32| u32::try_from(pixels).unwrap_or(0);
    Ok((png, side(image.width()), side(image.height())))
}

/// A context without memory, without a network, with nothing but our pages.
fn walled_context(serve: &Serve) -> WebContext {
    let context = WebContext::new_ephemeral();
    if let Some(manager) = context.website_data_manager() {
        let mut dead = NetworkProxySettings::new(Some(DEAD_PROXY), &[]);
        manager.set_network_proxy_settings(NetworkProxyMode::Custom, Some(&mut dead));
    }
    let serve = Serve::clone(serve);
    context.register_uri_scheme(preview::SCHEME, move |request| answer(&serve, request));
    context
}

fn answer(serve: &Serve, request: &URISchemeRequest) {
    let address = request.uri().unwrap_or_default();
    let response = serve(preview::path_of(&address).unwrap_or_default());
    let length = i64::try_from(response.bytes.len()).unwrap_or(i64::MAX);
    // Without these the page would have no policy at all.
    let headers = soup::MessageHeaders::new(soup::MessageHeadersType::Response);
    for (name, value) in response.headers() {
        headers.append(name, value);
    }
    let stream = gio::MemoryInputStream::from_bytes(&glib::Bytes::from_owned(response.bytes));
    let reply = URISchemeResponse::new(&stream, length);
    reply.set_status(response.status.into(), None);
    reply.set_content_type(response.mime);
    reply.set_http_headers(headers);
    request.finish_with_response(&reply);
}

/// Hears what goes wrong on the page from its first moment on.
fn listen(view: &WebView, detail: Detail) {
    let Some(contents) = view.user_content_manager().filter(|_| detail >= Detail::Geometry) else { return };
    let (frames, time) = (UserContentInjectedFrames::TopFrame, UserScriptInjectionTime::Start);
    contents.add_script(&UserScript::for_world(TROUBLE, frames, time, WORLD, &[], &[]));
    contents.add_script(&UserScript::new(CONSOLE, frames, time, &[], &[]));
}

/// Nobody sees the view: a question that waits for an answer would hold the picture up, and nothing is granted.
fn answer_nobody(view: &WebView) {
    view.connect_script_dialog(|_, _| true);
    view.connect_print(|_, _| true);
    view.connect_permission_request(|_, request| {
        request.deny();
        true
    });
}

/// A top document is held by no frame's policy: it may load once and go nowhere.
fn refuse_navigation(view: &WebView) {
    let is_first = Cell::new(true);
    view.connect_decide_policy(move |_, decision, kind| {
        let allowed = kind == PolicyDecisionType::Response
            || (kind == PolicyDecisionType::NavigationAction && is_first.replace(false));
        if !allowed {
            decision.ignore();
        }
        !allowed
    });
}

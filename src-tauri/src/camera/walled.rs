//! What the hidden views of macOS and Windows have in common: their walls, how long they live, and the size of
//! their pictures. What differs is in [`super::macos`] and [`super::windows`].

use std::cell::{Cell, OnceCell, RefCell};
use std::io::Cursor;
use std::rc::Rc;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Instant;

use facsimile_studio::camera::{Camera, CameraError, Detail, Serve, Shot, ShotRequest, ShotResult};
use image::imageops::FilterType;
use image::{ImageFormat, ImageReader};
use tauri::http::Method;
use wry::dpi::{LogicalPosition, LogicalSize};
use wry::{
    NewWindowResponse, PageLoadEvent, PermissionResponse, ProxyConfig, ProxyEndpoint, Rect, WebContext,
    WebView, WebViewBuilder,
};

#[cfg(target_os = "macos")]
use super::macos::{HiddenWindow, for_this_platform, settle, turn};
#[cfg(windows)]
use super::windows::{HiddenWindow, for_this_platform, settle, turn};
use super::{MAX_HEIGHT_PX, PATIENCE, SETTLE};
use crate::preview;

/// The height of the view before the page's own is known.
pub(super) const FIRST_HEIGHT_PX: u32 = 800;

thread_local! {
    /// The views of the main thread. They are closed by [`tidy`]: a view must not close within its own answer.
    static SESSIONS: RefCell<Vec<Rc<Session>>> = const { RefCell::new(Vec::new()) };
}

/// One hidden view and what is to happen when it is ready.
pub(super) struct Session {
    // Closed in this order.
    view: OnceCell<WebView>,
    window: HiddenWindow,
    context: RefCell<WebContext>,
    pub(super) width_px: u32,
    done: RefCell<Option<Box<dyn FnOnce(ShotResult)>>>,
    began: Instant,
}

/// Takes a picture on the main thread, whose loop has to go on meanwhile.
pub fn shoot_here(request: ShotRequest, done: impl FnOnce(ShotResult) + 'static) {
    tidy();
    if request.detail > Detail::Picture {
        return done(Err(CameraError::NoGeometry));
    }
    let window = match HiddenWindow::of(request.width_px, FIRST_HEIGHT_PX) {
        Ok(window) => window,
        Err(error) => return done(Err(error)),
    };
    let session = Rc::new(Session {
        view: OnceCell::new(),
        window,
        // On Windows a folder of its own: one that is shared must be opened with the same walls.
        context: RefCell::new(WebContext::new(Some(std::env::temp_dir().join("facsimile-camera")))),
        width_px: request.width_px,
        done: RefCell::new(Some(Box::new(done))),
        began: Instant::now(),
    });
    SESSIONS.with_borrow_mut(|sessions| sessions.push(Rc::clone(&session)));
    let loaded = Rc::downgrade(&session);
    let mut context = session.context.borrow_mut();
    let view = walled(&mut context, &request, move || {
        if let Some(session) = loaded.upgrade() {
            settle(&session);
        }
    });
    match view.build_as_child(&session.window) {
        // Nothing else fills the cell.
        Ok(view) => drop(session.view.set(view)),
        Err(error) => session.finish(Err(CameraError::Failed(error.to_string()))),
    }
}

/// Takes a picture in a program that has no window and no main loop of its own.
pub fn shoot_alone(request: ShotRequest) -> ShotResult {
    let taken: Rc<RefCell<Option<ShotResult>>> = Rc::default();
    let place = Rc::clone(&taken);
    shoot_here(request, move |shot| {
        place.replace(Some(shot));
    });
    let limit = Instant::now() + PATIENCE + SETTLE;
    while taken.borrow().is_none() && Instant::now() < limit {
        turn();
    }
    SESSIONS.take();
    taken.take().unwrap_or(Err(CameraError::TooSlow))
}

/// Whether pages can be drawn at all.
pub fn has_display() -> bool {
    true
}

/// Does work on a thread of its own while this one, the main one, takes the pictures it asks for.
pub fn beside_camera<T: Send + 'static>(
    work: impl FnOnce(Option<Arc<dyn Camera>>) -> T + Send + 'static,
) -> thread::Result<T> {
    let (asking, asked) = mpsc::channel::<Order>();
    let working = thread::spawn(move || work(Some(Arc::new(LoopCamera(asking)))));
    while !working.is_finished() {
        while let Ok((request, sender)) = asked.try_recv() {
            shoot_here(request, move |result| {
                // Whoever asked may have given up.
                let _ = sender.send(result);
            });
        }
        turn();
        tidy();
    }
    SESSIONS.take();
    working.join()
}

/// What is to be taken, and where the picture goes.
type Order = (ShotRequest, mpsc::Sender<ShotResult>);

/// Has the main thread take pictures.
struct LoopCamera(mpsc::Sender<Order>);

impl Camera for LoopCamera {
    fn shoot(&self, request: ShotRequest) -> ShotResult {
        let (sender, receiver) = mpsc::channel();
        self.0.send((request, sender)).map_err(|error| CameraError::Failed(error.to_string()))?;
        receiver.recv_timeout(PATIENCE + SETTLE).unwrap_or(Err(CameraError::TooSlow))
    }
}

/// Closes the views that are done or too slow.
pub fn tidy() {
    let over: Vec<_> =
        SESSIONS.with_borrow_mut(|sessions| sessions.extract_if(.., |session| session.is_over()).collect());
    drop(over);
}

impl Session {
    pub(super) fn view(&self) -> Option<&WebView> {
        self.view.get()
    }

    /// Makes the view as high as the page, within limits; gives the height it has now.
    pub(super) fn fit(&self, wanted_px: f64) -> u32 {
        let height_px = (wanted_px as u32).clamp(FIRST_HEIGHT_PX, MAX_HEIGHT_PX);
        self.window.resize(self.width_px, height_px);
        if let Some(view) = self.view() {
            // A view that keeps its height gives a picture that ends there.
            let _ = view.set_bounds(bounds(self.width_px, height_px));
        }
        height_px
    }

    pub(super) fn fail(&self, why: impl ToString) {
        self.finish(Err(CameraError::Failed(why.to_string())));
    }

    /// Hands the picture over; it is brought to one pixel for each of the page's.
    pub(super) fn hand_over(&self, png: Vec<u8>, width_px: u32, height_px: u32) {
        self.finish(at_size(png, width_px, height_px));
    }

    fn finish(&self, result: ShotResult) {
        if let Some(done) = self.done.take() {
            done(result);
        }
    }

    fn is_over(&self) -> bool {
        self.done.borrow().is_none() || self.began.elapsed() > PATIENCE + SETTLE
    }
}

/// A view without memory, without a network, with nothing but our pages. A top document is held by no frame's
/// policy: it may load once and go nowhere.
fn walled<'a>(
    context: &'a mut WebContext,
    request: &ShotRequest,
    loaded: impl Fn() + 'static,
) -> WebViewBuilder<'a> {
    let serve = Serve::clone(&request.serve);
    let is_first = Cell::new(true);
    // Nothing listens there.
    let dead = ProxyEndpoint { host: "127.0.0.1".to_owned(), port: "9".to_owned() };
    let builder = WebViewBuilder::new_with_web_context(context)
        .with_incognito(true)
        .with_proxy_config(ProxyConfig::Http(dead))
        .with_navigation_handler(move |_| is_first.replace(false))
        .with_new_window_req_handler(|_, _| NewWindowResponse::Deny)
        .with_download_started_handler(|_, _| false)
        .with_permission_handler(|_| PermissionResponse::Deny)
        .with_custom_protocol(preview::SCHEME.to_owned(), move |_, asked| {
            let address = asked.uri().to_string();
            let path = preview::path_of(&address).filter(|_| asked.method() == Method::GET);
            preview::response_of(serve(path.unwrap_or_default()))
        })
        .with_on_page_load_handler(move |event, _| {
            if matches!(event, PageLoadEvent::Finished) {
                loaded();
            }
        })
        .with_focused(false)
        .with_devtools(false)
        .with_bounds(bounds(request.width_px, FIRST_HEIGHT_PX))
        .with_url(preview::address(&request.path));
    for_this_platform(builder)
}

fn bounds(width_px: u32, height_px: u32) -> Rect {
    Rect { position: LogicalPosition::new(0, 0).into(), size: LogicalSize::new(width_px, height_px).into() }
}

/// A dense display gives more pixels than the page has.
fn at_size(png: Vec<u8>, width_px: u32, height_px: u32) -> ShotResult {
    let failed = |error: &dyn std::fmt::Display| CameraError::Failed(error.to_string());
    let picture = ImageReader::with_format(Cursor::new(&png), ImageFormat::Png);
    let picture = picture.decode().map_err(|error| failed(&error))?;
    if (picture.width(), picture.height()) == (width_px, height_px) {
        return Ok(Shot { png, width_px, height_px, ..Shot::default() });
    }
    let mut smaller = Cursor::new(Vec::new());
    let resized = picture.resize_exact(width_px, height_px, FilterType::Triangle);
    resized.write_to(&mut smaller, ImageFormat::Png).map_err(|error| failed(&error))?;
    Ok(Shot { png: smaller.into_inner(), width_px, height_px, ..Shot::default() })
}

//! WKWebView in a window that is never ordered to the front.

use std::ptr::NonNull;
use std::rc::Rc;

use block2::RcBlock;
use objc2::rc::Retained;
use objc2::runtime::AnyObject;
use objc2::{AnyThread, MainThreadMarker, MainThreadOnly};
use objc2_app_kit::{
    NSApplication, NSBackingStoreType, NSBitmapImageFileType, NSBitmapImageRep, NSImage, NSWindow,
    NSWindowStyleMask,
};
use objc2_foundation::{
    NSDate, NSDefaultRunLoopMode, NSDictionary, NSError, NSNumber, NSPoint, NSRect, NSRunLoop, NSSize,
    NSString,
};
use objc2_web_kit::{WKContentWorld, WKSnapshotConfiguration};
use wry::raw_window_handle::{
    AppKitWindowHandle, HandleError, HasWindowHandle, RawWindowHandle, WindowHandle,
};
use wry::{BackgroundThrottlingPolicy, WebViewBuilder, WebViewExtMacOS};

use super::walled::{FIRST_HEIGHT_PX, Session};
use facsimile_studio::camera::CameraError;

/// Where our scripts run: the page's own cannot reach them there.
const WORLD: &str = "facsimile";
const SETTLED: &str = include_str!("settled.js");
/// How long one turn of the loop waits at most.
const TURN_SECONDS: f64 = 0.05;

/// A window that nobody sees.
pub(super) struct HiddenWindow {
    window: Retained<NSWindow>,
}

impl HiddenWindow {
    pub(super) fn of(width_px: u32, height_px: u32) -> Result<Self, CameraError> {
        let Some(main) = MainThreadMarker::new() else {
            return Err(CameraError::Failed("pictures are taken on the main thread".to_owned()));
        };
        // Web views need the application's connection to the window server.
        NSApplication::sharedApplication(main);
        let place = NSRect::new(NSPoint::ZERO, size(width_px, height_px));
        // SAFETY: a plain initialiser on the main thread; the window is ours and is not released when it closes.
        #[allow(unsafe_code)]
        let window = unsafe {
            let window = NSWindow::initWithContentRect_styleMask_backing_defer(
                NSWindow::alloc(main),
                place,
                NSWindowStyleMask::Borderless,
                NSBackingStoreType::Buffered,
                false,
            );
            window.setReleasedWhenClosed(false);
            window
        };
        Ok(Self { window })
    }

    pub(super) fn resize(&self, width_px: u32, height_px: u32) {
        self.window.setContentSize(size(width_px, height_px));
    }
}

impl HasWindowHandle for HiddenWindow {
    fn window_handle(&self) -> Result<WindowHandle<'_>, HandleError> {
        let view = self.window.contentView().ok_or(HandleError::Unavailable)?;
        let handle = AppKitWindowHandle::new(NonNull::from(&*view).cast());
        // SAFETY: the content view lives as long as the window that is borrowed here.
        #[allow(unsafe_code)]
        Ok(unsafe { WindowHandle::borrow_raw(RawWindowHandle::AppKit(handle)) })
    }
}

fn size(width_px: u32, height_px: u32) -> NSSize {
    NSSize::new(f64::from(width_px), f64::from(height_px))
}

/// A window that nobody sees must not slow its page down.
pub(super) fn for_this_platform(builder: WebViewBuilder<'_>) -> WebViewBuilder<'_> {
    builder.with_background_throttling(BackgroundThrottlingPolicy::Disabled)
}

/// One turn of the loop, for a program that has none.
pub(super) fn turn() {
    let soon = NSDate::dateWithTimeIntervalSinceNow(TURN_SECONDS);
    // SAFETY: the mode is a constant of the system.
    #[allow(unsafe_code)]
    let mode = unsafe { NSDefaultRunLoopMode };
    NSRunLoop::currentRunLoop().runMode_beforeDate(mode, &soon);
}

/// Waits until the page is quiet at its full height: what appears on scrolling has to see the whole page.
pub(super) fn settle(session: &Rc<Session>) {
    ask(session, FIRST_HEIGHT_PX);
}

fn ask(session: &Rc<Session>, height_px: u32) {
    let (Some(view), Some(main)) = (session.view().map(WebViewExtMacOS::webview), MainThreadMarker::new())
    else {
        return;
    };
    let asked = Rc::clone(session);
    let answer = RcBlock::new(move |value: *mut AnyObject, _: *mut NSError| {
        // SAFETY: the system hands over an object that lives as long as this call, or none.
        #[allow(unsafe_code)]
        let value = unsafe { value.as_ref() };
        let wanted = value.and_then(|value| value.downcast_ref::<NSNumber>()).map_or(0.0, NSNumber::as_f64);
        let fitted = asked.fit(wanted.max(f64::from(height_px)));
        if fitted > height_px { ask(&asked, fitted) } else { snapshot(&asked, fitted) }
    });
    // SAFETY: on the main thread; the script takes no arguments and the block is kept by the system.
    #[allow(unsafe_code)]
    unsafe {
        let world = WKContentWorld::worldWithName(&NSString::from_str(WORLD), main);
        view.callAsyncJavaScript_arguments_inFrame_inContentWorld_completionHandler(
            &NSString::from_str(SETTLED),
            None,
            None,
            &world,
            Some(&answer),
        );
    }
}

fn snapshot(session: &Rc<Session>, height_px: u32) {
    let (Some(view), Some(main)) = (session.view().map(WebViewExtMacOS::webview), MainThreadMarker::new())
    else {
        return;
    };
    let taken = Rc::clone(session);
    let answer = RcBlock::new(move |image: *mut NSImage, error: *mut NSError| {
        // SAFETY: the system hands over objects that live as long as this call, or none.
        #[allow(unsafe_code)]
        let (image, error) = unsafe { (image.as_ref(), error.as_ref()) };
        match image.and_then(png_of) {
            Some(png) => taken.hand_over(png, taken.width_px, height_px),
            None => taken.fail(
                error.map_or_else(|| "no image".to_owned(), |error| error.localizedDescription().to_string()),
            ),
        }
    });
    // SAFETY: on the main thread; the block is kept by the system.
    #[allow(unsafe_code)]
    unsafe {
        let configuration = WKSnapshotConfiguration::new(main);
        // A window that is not shown has no screen to wait for.
        configuration.setAfterScreenUpdates(false);
        view.takeSnapshotWithConfiguration_completionHandler(Some(&configuration), &answer);
    }
}

fn png_of(image: &NSImage) -> Option<Vec<u8>> {
    let pixels = NSBitmapImageRep::initWithData(NSBitmapImageRep::alloc(), &*image.TIFFRepresentation()?)?;
    // SAFETY: no properties are given, so none can be of a wrong type.
    #[allow(unsafe_code)]
    let png = unsafe {
        pixels.representationUsingType_properties(NSBitmapImageFileType::PNG, &NSDictionary::new())
    };
    png.map(|png| png.to_vec())
}

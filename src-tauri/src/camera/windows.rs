//! WebView2 in a window outside the screen; pictures come from its developer protocol.

use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::num::NonZeroIsize;
use webview2_com::CallDevToolsProtocolMethodCompletedHandler;
use windows::Win32::Foundation::HWND;
use windows::Win32::UI::WindowsAndMessaging::{
    CreateWindowExW, DestroyWindow, DispatchMessageW, MSG, MWMO_INPUTAVAILABLE, MsgWaitForMultipleObjectsEx,
    PM_REMOVE, PeekMessageW, QS_ALLINPUT, SW_SHOWNOACTIVATE, SWP_NOACTIVATE, SWP_NOMOVE, SWP_NOZORDER,
    SetWindowPos, ShowWindow, TranslateMessage, WS_EX_NOACTIVATE, WS_EX_TOOLWINDOW, WS_POPUP,
};
use windows::core::{HSTRING, w};
use wry::raw_window_handle::{
    HandleError, HasWindowHandle, RawWindowHandle, Win32WindowHandle, WindowHandle,
};
use wry::{WebViewBuilder, WebViewBuilderExtWindows, WebViewExtWindows};

use super::walled::{FIRST_HEIGHT_PX, Session};
use facsimile_studio::camera::CameraError;

/// Where no screen is.
const OUTSIDE: i32 = -32_000;
/// How long one turn of the loop waits at most.
const TURN_MS: u32 = 50;
/// Loopback needs to be named: it is left out of every proxy otherwise.
const ARGUMENTS: &str = "--disable-features=msWebOOUI,msPdfOOUI,msSmartScreenProtection \
    --proxy-server=http://127.0.0.1:9 --proxy-bypass-list=<-loopback>";
const SETTLED: &str = include_str!("settled.js");

/// A window that nobody sees: drawn, so that its page is, but outside the screen.
pub(super) struct HiddenWindow {
    window: HWND,
}

impl HiddenWindow {
    pub(super) fn of(width_px: u32, height_px: u32) -> Result<Self, CameraError> {
        // SAFETY: a class of the system and no pointers of ours.
        #[allow(unsafe_code)]
        let window = unsafe {
            CreateWindowExW(
                WS_EX_TOOLWINDOW | WS_EX_NOACTIVATE,
                w!("STATIC"),
                w!(""),
                WS_POPUP,
                OUTSIDE,
                OUTSIDE,
                side(width_px),
                side(height_px),
                None,
                None,
                None,
                None,
            )
        };
        let window = window.map_err(|error| CameraError::Failed(error.to_string()))?;
        // SAFETY: the window was made above. Whether it was visible before is of no interest.
        #[allow(unsafe_code)]
        let _ = unsafe { ShowWindow(window, SW_SHOWNOACTIVATE) };
        Ok(Self { window })
    }

    pub(super) fn resize(&self, width_px: u32, height_px: u32) {
        let as_it_is = SWP_NOMOVE | SWP_NOZORDER | SWP_NOACTIVATE;
        // SAFETY: the window lives as long as this value. A window that keeps its size still holds a larger view.
        #[allow(unsafe_code)]
        let _ = unsafe { SetWindowPos(self.window, None, 0, 0, side(width_px), side(height_px), as_it_is) };
    }
}

impl Drop for HiddenWindow {
    fn drop(&mut self) {
        // SAFETY: the window is ours; one that is gone already needs no end.
        #[allow(unsafe_code)]
        let _ = unsafe { DestroyWindow(self.window) };
    }
}

impl HasWindowHandle for HiddenWindow {
    fn window_handle(&self) -> Result<WindowHandle<'_>, HandleError> {
        let handle = NonZeroIsize::new(self.window.0 as isize).ok_or(HandleError::Unavailable)?;
        // SAFETY: the window lives as long as this value, which is borrowed here.
        #[allow(unsafe_code)]
        Ok(unsafe { WindowHandle::borrow_raw(RawWindowHandle::Win32(Win32WindowHandle::new(handle))) })
    }
}

fn side(pixels: u32) -> i32 {
    i32::try_from(pixels).unwrap_or(i32::MAX)
}

pub(super) fn for_this_platform(builder: WebViewBuilder<'_>) -> WebViewBuilder<'_> {
    builder.with_additional_browser_args(ARGUMENTS)
}

/// One turn of the loop, for a program that has none.
pub(super) fn turn() {
    let mut message = MSG::default();
    // SAFETY: the message is ours and is filled before it is read.
    #[allow(unsafe_code)]
    unsafe {
        MsgWaitForMultipleObjectsEx(None, TURN_MS, QS_ALLINPUT, MWMO_INPUTAVAILABLE);
        while PeekMessageW(&mut message, None, 0, 0, PM_REMOVE).as_bool() {
            // Whether a key was translated is of no interest.
            let _ = TranslateMessage(&message);
            DispatchMessageW(&message);
        }
    }
}

/// Waits until the page is quiet at its full height: what appears on scrolling has to see the whole page.
pub(super) fn settle(session: &Rc<Session>) {
    ask(session, FIRST_HEIGHT_PX);
}

fn ask(session: &Rc<Session>, height_px: u32) {
    // One pixel for each of the page's, whatever the display is.
    let metrics =
        json!({ "width": session.width_px, "height": height_px, "deviceScaleFactor": 1, "mobile": false });
    call(session, "Emulation.setDeviceMetricsOverride", &metrics, move |session, _| {
        // In the page's own world: a page that lies here spoils its own picture only.
        let script = json!({ "expression": format!("(async () => {{ {SETTLED} }})()"), "awaitPromise": true, "returnByValue": true });
        call(session, "Runtime.evaluate", &script, move |session, answer| {
            let wanted = answer["result"]["value"].as_f64().unwrap_or(0.0);
            let fitted = session.fit(wanted.max(f64::from(height_px)));
            if fitted > height_px { ask(session, fitted) } else { snapshot(session, fitted) }
        });
    });
}

fn snapshot(session: &Rc<Session>, height_px: u32) {
    call(session, "Page.getLayoutMetrics", &json!({}), move |session, answer| {
        let width = answer["cssContentSize"]["width"].as_f64().unwrap_or(0.0);
        let width = (width as u32).max(session.width_px);
        let clip = json!({ "x": 0, "y": 0, "width": width, "height": height_px, "scale": 1 });
        let picture = json!({ "format": "png", "captureBeyondViewport": true, "clip": clip });
        call(session, "Page.captureScreenshot", &picture, move |session, answer| {
            match STANDARD.decode(answer["data"].as_str().unwrap_or_default()) {
                Ok(png) => session.hand_over(png, width, height_px),
                Err(error) => session.fail(error),
            }
        });
    });
}

/// Calls a method of the developer protocol; where it fails the picture does.
fn call(
    session: &Rc<Session>,
    method: &str,
    parameters: &Value,
    then: impl FnOnce(&Rc<Session>, &Value) + 'static,
) {
    let Some(view) = session.view().map(WebViewExtWindows::webview) else { return };
    let asked = Rc::clone(session);
    let handler = CallDevToolsProtocolMethodCompletedHandler::create(Box::new(move |outcome, answer| {
        match outcome {
            Ok(()) => then(&asked, &serde_json::from_str(&answer).unwrap_or_default()),
            Err(error) => asked.fail(error),
        }
        Ok(())
    }));
    // SAFETY: on the thread of the view; the strings live until the call is over, the handler is counted.
    #[allow(unsafe_code)]
    let called = unsafe {
        view.CallDevToolsProtocolMethod(
            &HSTRING::from(method),
            &HSTRING::from(parameters.to_string()),
            &handler,
        )
    };
    if let Err(error) = called {
        session.fail(error);
    }
}

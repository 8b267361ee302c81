//! The window of the page alone, beside the main one.

use std::time::Instant;

use fantoccini::Locator;
use fantoccini::wd::WindowHandle;

use super::{PATIENCE, POLL, Window};

/// Where a page is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    MainWindow,
    OwnWindow,
}

impl Window {
    /// Opens a project where its page is to be shown; the driver is in that window then.
    pub async fn open_page(&self, name: &str, place: Place) {
        self.open_project(name).await;
        if place == Place::OwnWindow {
            self.open_own_window().await;
        }
    }

    /// Has the page shown in a window of its own, and leads the driver there.
    pub async fn open_own_window(&self) {
        self.press("Open in its own window").await;
        self.to_own_window().await;
    }

    /// The windows of the program, the main one first.
    pub async fn windows(&self) -> Vec<WindowHandle> {
        let all = self.client.windows().await.unwrap();
        let main = all.iter().position(|window| *window == self.main).unwrap();
        let mut sorted = vec![all[main].clone()];
        sorted.extend(all.into_iter().filter(|window| *window != self.main));
        sorted
    }

    /// Leads the driver to the window of the page once it is there.
    pub async fn to_own_window(&self) {
        let started = Instant::now();
        loop {
            if let Some(own) = self.windows().await.get(1) {
                self.client.switch_to_window(own.clone()).await.unwrap();
                break;
            }
            assert!(started.elapsed() < PATIENCE, "no other window came");
            tokio::time::sleep(POLL).await;
        }
        self.until(
            "the window of the page",
            "document.querySelector('header h1') && location.pathname === '/page.html'",
        )
        .await;
    }

    /// Enters the frame of a page that is being written, once it holds these words.
    pub async fn enter_page_being_written(&self, words: &str) {
        let started = Instant::now();
        let stream = Locator::Css(".stage iframe.front[src*='/stream/']");
        loop {
            let entered = async { self.client.find(stream).await?.enter_frame().await };
            let text = match entered.await {
                Ok(()) => self.value("document.body?.textContent").await,
                Err(error) => format!("{error:?}").into(),
            };
            if text.as_str().is_some_and(|text| text.contains(words)) {
                return;
            }
            self.leave_page().await;
            assert!(started.elapsed() < PATIENCE, "{words:?} was never written but {text}");
            tokio::time::sleep(POLL).await;
        }
    }

    /// Leads the driver to the main window.
    pub async fn to_main(&self) {
        self.client.switch_to_window(self.main.clone()).await.unwrap();
    }
}

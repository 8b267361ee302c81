//! The way through the versions, walked in the window.

use std::path::Path;

use image::imageops::{FilterType, crop_imm, resize};
use image::{Rgb, RgbImage};
use serde_json::{Value, json};

use crate::room::Room;
use crate::window::{Opening, Window};

async fn versions(window: &Window, project: &Value) -> usize {
    let history = window.invoke("history", json!({ "projectId": project })).await.unwrap();
    history["versions"].as_array().unwrap().len()
}

/// S-56: restoring adds a version, once.
#[tokio::test]
async fn an_undone_step_stays_undone_after_a_restart_and_a_version_is_restored_once() {
    let room = Room::new();
    let project = room.project("Kiln", &[("index.html", "<h1>The first page</h1>")]);
    room.edit(project, &[("index.html", "<h1>The second page</h1>")]);
    let project = json!(project);
    let window = Window::open(&room).await;
    window.open_project("Kiln").await;
    window.page_shows("The second page").await;
    window.press("Undo").await;
    window.page_shows("The first page").await;
    window.sees("[role=status]", "Undone: Version 2. Page is open.").await;
    window
        .until(
            "nothing to undo",
            "document.querySelector('[aria-label=Undo]').matches('[aria-disabled=true]')",
        )
        .await;
    window.kill().await;

    let window = Window::open(&room).await;
    window.open_project("Kiln").await;
    window.page_shows("The first page").await;
    window.press("Redo").await;
    window.page_shows("The second page").await;
    window.press("Code").await;
    window.sees(".cm-content", "The second page").await;
    window.press("History").await;
    for _ in 0..2 {
        window.click_on("[role=treeitem]:first-child").await;
        window.sees("aside h2", "Page").await;
        window.press("Restore").await;
        window.sees("[role=treeitem][aria-current=true][aria-selected=true]", "Page").await;
        window.until("the third version", "document.querySelectorAll('[role=treeitem]').length === 3").await;
    }
    window.press("Compare").await;
    window.sees(".lines .added", "The first page").await;
    window.sees(".lines .removed", "The second page").await;
    window.press("Preview").await;
    window.page_shows("The first page").await;
    assert_eq!(versions(&window, &project).await, 3);
}

/// How far two pictures of one size are apart, as a mean of their channels.
fn apart(a: &RgbImage, b: &RgbImage) -> f64 {
    let sum: u64 = a.as_raw().iter().zip(b.as_raw()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f64 / a.as_raw().len() as f64
}

#[tokio::test]
async fn the_history_shows_a_page_for_phones_at_its_own_width() {
    let room = Room::new();
    let screenshot = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pages/freelancer-390.png");
    let window = Opening::bare(&room).with_files(std::slice::from_ref(&screenshot)).open(&room).await;
    window.press("Make the page").await;
    window.sees("footer", "Done").await;
    let store = room.kept().unwrap();
    let project = store.projects().list().unwrap()[0].project.id;
    let (_, asset) = window
        .desk
        .until("the picture of the page", || store.versions().pictures(project).ok()?.into_iter().next());
    window.press("History").await;
    window.until("the same in the history", "document.querySelector('.node img')?.naturalWidth > 0").await;
    let shown = image::load_from_memory(&store.assets().read(&asset).unwrap()).unwrap().to_rgb8();
    let wanted = image::open(&screenshot).unwrap().to_rgb8();
    let (width, height) = (wanted.width(), wanted.height().min(2 * wanted.width()));
    let top = crop_imm(&wanted, 0, 0, width, height).to_image();
    let wanted = resize(&top, shown.width(), shown.height(), FilterType::Triangle);
    let blank = RgbImage::from_pixel(shown.width(), shown.height(), Rgb([255; 3]));
    // On a sheet for desks it would be a strip beside nothing.
    let (off, off_blank) = (apart(&shown, &wanted), apart(&blank, &wanted));
    assert!((shown.width(), shown.height()) == (240, 480) && off < 0.3 * off_blank, "{off} {off_blank}");
}

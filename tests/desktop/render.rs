//! Pictures of whole pages, taken from the command line.

use std::fs;
use std::path::Path;

use image::{GenericImageView, Rgba};
use serde_json::Value;

use crate::catcher::Catcher;
use crate::desk::Desk;
use crate::room::Room;

const PROGRAM: &str = env!("CARGO_BIN_EXE_facsimile");

fn render(desk: &Desk, page: &Path, width: &str, out: &Path) -> std::process::Output {
    let (page, out) = (page.to_str().unwrap(), out.to_str().unwrap());
    desk.run(PROGRAM, &["render", page, "--width", width, "--out", out, "--json"])
}

#[test]
fn a_picture_shows_the_whole_page_with_its_styles_and_pictures() {
    let room = Room::new();
    let desk = Desk::new(&room);
    let page = room.folder("page");
    let html = "<!doctype html><link rel=stylesheet href=site.css><div class=top></div><img src=img/dot.png>";
    let css = "body { margin: 0 } .top { height: 2400px; background: #102030 } img { display: block; width: 100px }";
    fs::write(page.join("index.html"), html).unwrap();
    fs::write(page.join("site.css"), css).unwrap();
    fs::create_dir(page.join("img")).unwrap();
    image::RgbaImage::from_pixel(10, 10, Rgba([200, 40, 60, 255])).save(page.join("img/dot.png")).unwrap();
    let out = room.path("page.png");
    let result: Value = serde_json::from_slice(&render(&desk, &page, "600", &out).stdout).unwrap();
    assert_eq!((&result["width"], &result["height"]), (&600.into(), &2500.into()));
    let picture = image::open(&out).unwrap();
    assert_eq!(
        [picture.get_pixel(300, 1200), picture.get_pixel(50, 2450)],
        [Rgba([0x10, 0x20, 0x30, 255]), Rgba([200, 40, 60, 255])]
    );
}

#[test]
fn s_09_a_page_leads_the_picture_nowhere_and_lets_nothing_out() {
    let room = Room::new();
    let desk = Desk::new(&room);
    let catcher = Catcher::new();
    let away = catcher.address();
    let html = format!(
        "<!doctype html><meta http-equiv=refresh content='0;url={away}/meta'><link rel=preconnect href={away}>
         <body style='margin:0;background:#00aa77'><img src={away}/x.png>
         <script>fetch('{away}/fetch').catch(() => 0); location.href = '{away}/script';</script>"
    );
    let page = room.path("hostile.html");
    fs::write(&page, html).unwrap();
    let out = room.path("page.png");
    render(&desk, &page, "400", &out);
    let picture = image::open(&out).unwrap();
    assert_eq!(
        (picture.get_pixel(200, 700), catcher.caught()),
        (Rgba([0, 0xaa, 0x77, 255]), Vec::<String>::new())
    );
}

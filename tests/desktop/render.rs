//! Pictures of whole pages, taken from the command line.

use std::fs;
use std::path::Path;

use image::{GenericImageView, Rgba};
use serde_json::Value;

use crate::catcher::Catcher;
use crate::desk::Desk;
use crate::room::Room;

const PROGRAM: &str = env!("CARGO_BIN_EXE_facsimile");
/// "Set in a font of the program" in Inter at 20 pixels.
const INTER_WORDS_PX: f64 = 264.1;

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

#[test]
fn a_picture_is_taken_once_everything_has_come_and_stands_still() {
    let room = Room::new();
    let desk = Desk::new(&room);
    let page = room.folder("page");
    image::RgbaImage::from_pixel(10, 10, Rgba([200, 40, 60, 255])).save(page.join("dot.png")).unwrap();
    let html = "<!doctype html><style>
        body { margin: 0; font: 20px/24px 'Inter Variable', serif }
        div, img { display: block; width: 100px; height: 50px }
        #fades { background: #00aa77; animation: fade 0.7s linear }
        #grows { background: #102030; width: 0; transition: width 0.5s }
        #spins { animation: spin 1s linear infinite }
        #shade { box-shadow: 0 4px 8px #1234; background: #fff; border-radius: 6px }
        #edge { border: 1px solid rgb(0 0 0 / 20%) }
        @keyframes fade { from { opacity: 0 } }
        @keyframes spin { to { transform: rotate(360deg) } }</style>
        <link rel=stylesheet href=https://cdn.jsdelivr.net/npm/@fontsource-variable/inter@5/index.css>
        <div id=fades></div><div id=grows></div><div id=spins></div><div id=shade></div><i id=edge style='position:absolute;top:10px;left:300px;width:40px;height:40px;background:#ffcc00'></i>
        <p id=set style='position:absolute;top:210px;margin:0'>Set in a font of the program</p>
        <div style='height:3000px'></div><img id=lazy loading=lazy src=dot.png><div id=below></div>
        <script>
        addEventListener('load', () => document.querySelector('#grows').style.width = '100px');
        new IntersectionObserver(([seen]) => { if (seen.isIntersecting) seen.target.style.background = '#4477ff' })
          .observe(document.querySelector('#below'));
        </script>";
    fs::write(page.join("index.html"), html).unwrap();
    let (out, file) = (room.path("page.png"), room.path("page.json"));
    let [page, png, json] = [&page, &out, &file].map(|path| path.to_str().unwrap());
    desk.run(PROGRAM, &["render", page, "--width", "600", "--out", png, "--geometry", json]);
    let picture = image::open(&out).unwrap();
    let shown = [25, 75, 3225, 3275].map(|y| picture.get_pixel(95, y).0);
    let stands = [[0, 0xaa, 0x77, 255], [0x10, 0x20, 0x30, 255], [200, 40, 60, 255], [0x44, 0x77, 0xff, 255]];
    let seen: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let painted = |id: &str, list: &str| {
        seen[list]
            .as_array()
            .unwrap()
            .iter()
            .find(|found| found["selector"] == id)
            .cloned()
            .unwrap_or_default()
    };
    // In another font the words are wider or narrower.
    let words = seen["texts"][0]["w"].as_f64().unwrap();
    let (shade, image) = (painted("#shade", "boxes"), painted("#lazy", "images"));
    assert_eq!((shown, picture.width()), (stands, 600));
    assert_eq!(
        (&shade["sh"], &shade["r"], &image["y"], &image["h"]),
        (&true.into(), &6.into(), &3200.into(), &50.into())
    );
    // Black that lets four fifths of its ground through.
    assert_eq!(painted("#edge", "boxes")["bc"], serde_json::json!([204, 163, 0]));
    assert!(shade["shadow"].as_str().unwrap().contains("4px 8px"), "{shade}");
    assert!((words - INTER_WORDS_PX).abs() < 4.0, "{words}");
}

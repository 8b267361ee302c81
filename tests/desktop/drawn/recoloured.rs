//! Text found by recolouring a page, as papers do it, against the lines of its document: on pages of our own both have
//! to agree.

use std::io;
use std::sync::Arc;

use facsimile_agent::{ProjectPath, RunId, VariantIndex};
use facsimile_studio::camera::{Camera, Detail, ShotRequest, page_address};
use facsimile_studio::preview::{PreviewFiles, PreviewSource, Shown};
use facsimile_vision::fidelity::{Area, Design2Code, Geometry, Line, design2code};
use image::RgbImage;

const WIDTH_PX: u32 = 1280;
/// How far an edge may be off.
const MOST_APART_PX: f64 = 2.0;
/// How far a score may be off.
const MOST_OFF: f64 = 0.01;
/// Added to every channel of the second copy.
const SHIFT: u8 = 50;

/// One element of a page: its tag, its text and its style.
#[derive(Clone)]
struct Element(&'static str, &'static str, String);

/// Draws pages, finds their text both ways, compares.
pub fn compare(camera: &Arc<dyn Camera>) {
    let first = ours();
    let pages = [first.clone(), moved(&first), reddened(&first), shortened(&first), reworded(&first)];
    let seen: Vec<_> = pages.iter().map(|page| both_ways(camera.as_ref(), page).unwrap()).collect();
    let mut worst: f64 = 0.0;
    for ((document, recoloured), page) in seen.iter().zip(&pages) {
        assert_eq!(document.texts.len(), page.len(), "{document:?}");
        assert_eq!(recoloured.texts.len(), page.len());
        for (line, block) in document.texts.iter().zip(&recoloured.texts) {
            let edges = |area: Area| [area.x, area.y, area.right(), area.bottom()];
            let apart = edges(line.area()).into_iter().zip(edges(block.area())).map(|(a, b)| (a - b).abs());
            let apart = apart.fold(0.0, f64::max);
            assert!(apart <= MOST_APART_PX, "{line:?} {block:?}");
            worst = worst.max(apart);
        }
    }
    let mut most_off: f64 = 0.0;
    for (document, recoloured) in &seen {
        let exact = design2code(&seen[0].0, document);
        let papers = design2code(&seen[0].1, recoloured);
        let numbers = |of: Design2Code| [of.block, of.text, of.position, of.color];
        for (a, b) in numbers(exact).into_iter().zip(numbers(papers)) {
            assert!((a - b).abs() <= MOST_OFF, "{exact:?} {papers:?}");
            most_off = most_off.max((a - b).abs());
        }
    }
    println!("edges within {worst:.2} px, scores within {most_off:.4}");
}

/// In strong letters: thin strokes have no pixel of their pure colour, and recolouring does not see them.
fn ours() -> Vec<Element> {
    let at = |tag, text, left: u32, top: u32, more: &str| {
        let place = format!(
            "position:absolute;left:{left}px;top:{top}px;white-space:nowrap;margin:0;padding:0;font-weight:800"
        );
        Element(tag, text, format!("{place};{more}"))
    };
    vec![
        at("h1", "Harbour lights", 80, 60, "font-size:44px;color:#1a2b3c"),
        at("p", "Seven kilns, one yard, open from May", 80, 130, "font-size:30px;color:#444444"),
        at("a", "Book a place", 80, 200, "font-size:28px;color:#7a1020"),
        at("h2", "What we make", 80, 300, "font-size:36px;color:#102a60"),
        at("li", "Jugs and bowls", 100, 360, "font-size:28px;color:#222222"),
        at("li", "Tiles for kitchens", 100, 400, "font-size:28px;color:#222222"),
        at("td", "From 24 to 180", 700, 360, "font-size:28px;color:#0b5a2a"),
        at("button", "Ask for a quote", 700, 430, "font-size:28px;border:0;background:none;color:#303030"),
        at("footer", "Quay road 7", 80, 560, "font-size:26px;color:#555555"),
    ]
}

fn changed(page: &[Element], at: usize, from: &str, to: &str) -> Vec<Element> {
    let mut page = page.to_vec();
    page[at].2 = page[at].2.replace(from, to);
    page
}

fn moved(page: &[Element]) -> Vec<Element> {
    changed(&changed(page, 3, "top:300px", "top:320px"), 6, "left:700px", "left:760px")
}

fn reddened(page: &[Element]) -> Vec<Element> {
    changed(page, 1, "#444444", "#c01818")
}

fn shortened(page: &[Element]) -> Vec<Element> {
    let mut page = page.to_vec();
    page.remove(6);
    page
}

fn reworded(page: &[Element]) -> Vec<Element> {
    let mut page = page.to_vec();
    page[3].1 = "What we fire";
    page
}

/// The colour of the nth element: taken from the end of a pool of 16 levels a channel.
fn pool(nth: usize) -> [u8; 3] {
    let place = 4095 - nth;
    [place / 256, place / 16 % 16, place % 16].map(|level| 10 + 16 * u8::try_from(level).unwrap())
}

fn html(page: &[Element], shift: Option<u8>) -> String {
    let mut html = "<!doctype html><style>@font-face { font-family: Every; font-weight: 100 900; \
        src: url(/lib/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2) format('woff2') } \
        * { font-family: Every, sans-serif } html, body { margin: 0; min-height: 640px }</style>"
        .to_owned();
    for (nth, Element(tag, text, style)) in page.iter().enumerate() {
        let colour = shift.map_or(String::new(), |shift| {
            let [r, g, b] = pool(nth).map(|channel| channel.wrapping_add(shift));
            format!(
                ";background-color:rgba(255,255,255,0) !important;color:rgb({r},{g},{b}) !important;opacity:1 !important"
            )
        });
        // A cell stands in no table here, so that its place is its own.
        let tag = if matches!(*tag, "td" | "li") { "div" } else { tag };
        html.push_str(&format!("<{tag} style=\"{style}{colour}\">{text}</{tag}>"));
    }
    html
}

/// The lines of the document, as far as they have ink, and the blocks that recolouring finds, in the page's order.
fn both_ways(camera: &dyn Camera, page: &[Element]) -> io::Result<(Geometry, Geometry)> {
    let (original, geometry, textless) = shot(camera, html(page, None), Detail::Textless)?;
    let (first, _, _) = shot(camera, html(page, Some(0)), Detail::Picture)?;
    let (second, _, _) = shot(camera, html(page, Some(SHIFT)), Detail::Picture)?;
    let geometry: Geometry = serde_json::from_str(&geometry)?;
    let textless = textless.unwrap_or_else(|| original.clone());
    let line_of = |text: &str| geometry.texts.iter().find(|line| line.text == text);
    let exact = page.iter().filter_map(|element| {
        let line = line_of(element.1)?;
        let ink = bounds(&original, |x, y| {
            let (px, py, within) = (f64::from(x), f64::from(y), line.area());
            let is_within = px >= within.x - 1.0
                && px < within.right() + 1.0
                && py >= within.y - 1.0
                && py < within.bottom() + 1.0;
            let (a, b) = (original.get_pixel(x, y).0, textless.get_pixel(x, y).0);
            is_within && a.iter().zip(b).any(|(a, b)| a.abs_diff(b) > 40)
        })?;
        Some(with_area(line.clone(), ink))
    });
    let exact = Geometry { texts: exact.collect(), ..geometry.clone() };
    let blocks = page.iter().enumerate().filter_map(|(nth, element)| {
        let colour = pool(nth);
        let is_ink = |x: u32, y: u32| {
            let (a, b) = (first.get_pixel(x, y).0, second.get_pixel(x, y).0);
            (0..3).all(|at| a[at].wrapping_add(SHIFT).abs_diff(b[at]) <= 8 && a[at].abs_diff(colour[at]) <= 4)
        };
        let area = bounds(&first, is_ink)?;
        let line = Line { text: element.1.to_lowercase(), color: mean(&original, is_ink), ..Line::default() };
        Some(with_area(line, area))
    });
    let blocks = Geometry { texts: blocks.collect(), ..geometry.clone() };
    let mut exact = exact;
    for line in &mut exact.texts {
        line.text = line.text.to_lowercase();
    }
    Ok((exact, blocks))
}

fn with_area(line: Line, area: Area) -> Line {
    Line { x: area.x, y: area.y, w: area.w, h: area.h, alpha: 1.0, fs: 16.0, ..line }
}

fn bounds(picture: &RgbImage, is_in: impl Fn(u32, u32) -> bool) -> Option<Area> {
    let (mut left, mut top, mut right, mut bottom) = (u32::MAX, u32::MAX, 0, 0);
    for (x, y, _) in picture.enumerate_pixels().filter(|(x, y, _)| is_in(*x, *y)) {
        (left, top) = (left.min(x), top.min(y));
        (right, bottom) = (right.max(x + 1), bottom.max(y + 1));
    }
    let side = |from: u32, to: u32| f64::from(to) - f64::from(from);
    (right > 0).then(|| Area {
        x: f64::from(left),
        y: f64::from(top),
        w: side(left, right),
        h: side(top, bottom),
    })
}

fn mean(picture: &RgbImage, is_in: impl Fn(u32, u32) -> bool) -> [u8; 3] {
    let (mut sums, mut count) = ([0_u64; 3], 0);
    for (_, _, pixel) in picture.enumerate_pixels().filter(|(x, y, _)| is_in(*x, *y)) {
        count += 1;
        sums.iter_mut().zip(pixel.0).for_each(|(sum, channel)| *sum += u64::from(channel));
    }
    sums.map(|sum| u8::try_from(sum / count.max(1)).unwrap())
}

type Seen = (RgbImage, String, Option<RgbImage>);

fn shot(camera: &dyn Camera, html: String, detail: Detail) -> io::Result<Seen> {
    let run = RunId::fresh();
    let path = page_address(run, VariantIndex(0), &ProjectPath::index());
    let source = PreviewSource::new(Arc::new(Written { html, run }));
    let serve = Arc::new(move |path: &str| source.respond(path));
    let request = ShotRequest { serve, path, width_px: WIDTH_PX, detail };
    let shot = camera.shoot(request).map_err(io::Error::other)?;
    let decoded =
        |png: &[u8]| Ok::<_, io::Error>(image::load_from_memory(png).map_err(io::Error::other)?.into_rgb8());
    let textless = shot.textless_png.as_deref().map(decoded).transpose()?;
    Ok((decoded(&shot.png)?, shot.geometry.unwrap_or_default(), textless))
}

/// A page that is nowhere but here.
struct Written {
    html: String,
    run: RunId,
}

impl PreviewFiles for Written {
    fn has(&self, shown: Shown) -> bool {
        shown == Shown::Variant(self.run, VariantIndex(0))
    }

    fn file(&self, shown: Shown, path: &ProjectPath) -> Option<Arc<str>> {
        (self.has(shown) && *path == ProjectPath::index()).then(|| self.html.as_str().into())
    }

    fn asset(&self, _shown: Shown, _digits: &str, _extension: &str) -> Option<Vec<u8>> {
        None
    }
}

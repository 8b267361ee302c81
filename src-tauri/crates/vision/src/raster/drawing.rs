//! SVG drawings become pixels: at their own size, with the fonts that come with the program, and without scripts,
//! links, files or anything else that is not in the drawing itself.

mod effort;
mod repeats;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use image::RgbImage;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, ImageHrefResolver, Options, Tree, fontdb};

use super::decoding::on_white;
use super::refused::{ForeignFormat, ImageRefused};
use super::{MAX_PIXELS, MAX_SIDE};
use crate::trace::font::{self, Family};

/// Most pixels that are drawn; larger drawings are drawn smaller.
const MOST_DRAWN: f64 = 8_000_000.0;
const LONGEST_DRAWN: f64 = 8192.0;
/// Longer files take minutes to parse.
const MAX_DRAWING_BYTES: usize = 8 * 1024 * 1024;
// Elements may be nested a thousand deep, and each level costs a few frames.
const STACK_BYTES: usize = 128 * 1024 * 1024;

const SANS: &str = "sans";
const SERIF: &str = "serif";
const MONO: &str = "mono";

/// The drawing on white.
pub(super) fn drawn(bytes: &[u8]) -> Result<RgbImage, ImageRefused> {
    if bytes.len() > MAX_DRAWING_BYTES {
        return Err(ImageRefused::IntricateDrawing);
    }
    let text = std::str::from_utf8(bytes).map_err(|source| broken(&source))?.to_owned();
    // A thread of its own has the stack that deep nesting takes.
    let drawing = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || on_thread(&text));
    match drawing.map(std::thread::JoinHandle::join) {
        Ok(Ok(drawn)) => drawn,
        Ok(Err(_)) => Err(ImageRefused::IntricateDrawing),
        Err(source) => Err(broken(&source)),
    }
}

fn broken(reason: &impl ToString) -> ImageRefused {
    ImageRefused::BrokenDrawing { reason: reason.to_string() }
}

fn on_thread(text: &str) -> Result<RgbImage, ImageRefused> {
    let allowing = usvg::roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document =
        usvg::roxmltree::Document::parse_with_options(text, allowing).map_err(|why| broken(&why))?;
    if !repeats::stays_small(&document) {
        return Err(ImageRefused::IntricateDrawing);
    }
    let has_pictures = AtomicBool::new(false);
    let options = Options {
        font_family: SERIF.to_owned(),
        fontdb: fonts(),
        image_href_resolver: ImageHrefResolver {
            resolve_data: Box::new(|_, _, _| {
                has_pictures.store(true, Ordering::Relaxed);
                None
            }),
            resolve_string: Box::new(|_, _| None),
        },
        ..Options::default()
    };
    let tree = Tree::from_xmltree(&document, &options).map_err(|why| broken(&why))?;
    drop(options);
    if has_pictures.into_inner() {
        return Err(ImageRefused::Unsupported { kind: ForeignFormat::DrawingWithPictures });
    }
    painted(&tree)
}

fn painted(tree: &Tree) -> Result<RgbImage, ImageRefused> {
    let (width, height) = (f64::from(tree.size().width()), f64::from(tree.size().height()));
    let by_area = (MOST_DRAWN / (width * height)).sqrt();
    let scale = (LONGEST_DRAWN / width.max(height)).min(by_area).min(1.0);
    let side = |length: f64| (length * scale).ceil().clamp(1.0, f64::from(MAX_SIDE)) as u32;
    let (columns, rows) = (side(width), side(height));
    // Shapes a million times wider than high end up beyond the limits in spite of the scale.
    if u64::from(columns) * u64::from(rows) > MAX_PIXELS || !effort::is_drawn_soon(tree, scale, columns, rows)
    {
        return Err(ImageRefused::IntricateDrawing);
    }
    let mut canvas = Pixmap::new(columns, rows).ok_or(ImageRefused::NeedsTooMuchMemory)?;
    let transform =
        Transform::from_scale((f64::from(columns) / width) as f32, (f64::from(rows) / height) as f32);
    resvg::render(tree, transform, &mut canvas.as_mut());
    Ok(RgbImage::from_fn(columns, rows, |x, y| {
        let color = canvas.pixel(x, y).map(|pixel| pixel.demultiply());
        image::Rgb(color.map_or([255; 3], |color| {
            [color.red(), color.green(), color.blue()].map(|channel| on_white(channel, color.alpha()))
        }))
    }))
}

/// The program's own fonts under three names; a family that is not among them becomes the serif one.
fn fonts() -> Arc<fontdb::Database> {
    static LOADED: OnceLock<Arc<fontdb::Database>> = OnceLock::new();
    let load = || {
        let mut fonts = fontdb::Database::new();
        for (name, family) in [(SANS, Family::Arial), (SERIF, Family::Times), (MONO, Family::Mono)] {
            for weight in [400, 700] {
                let Some(file) = font::file(family, weight) else { continue };
                // Told rather than read: the files carry no names a page would ask for.
                fonts.push_face_info(fontdb::FaceInfo {
                    id: fontdb::ID::dummy(),
                    source: fontdb::Source::Binary(Arc::new(file)),
                    index: 0,
                    families: vec![(name.to_owned(), fontdb::Language::English_UnitedStates)],
                    post_script_name: format!("{name}-{weight}"),
                    style: fontdb::Style::Normal,
                    weight: fontdb::Weight(weight),
                    stretch: fontdb::Stretch::Normal,
                    monospaced: family == Family::Mono,
                });
            }
        }
        fonts.set_sans_serif_family(SANS);
        fonts.set_cursive_family(SANS);
        fonts.set_fantasy_family(SANS);
        fonts.set_serif_family(SERIF);
        fonts.set_monospace_family(MONO);
        Arc::new(fonts)
    };
    Arc::clone(LOADED.get_or_init(load))
}

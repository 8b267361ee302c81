//! Measured parts become facts: rounded, ordered, in the units of the page.

use image::RgbImage;

use super::color::{Color, distance, rounded};
use super::facts::{Align, BoxFact, ColorRun, Facts, Gradient, GradientStop, ImageFact, Shadow, TextFact};
use super::font::{Fitted, Slant, Typefaces};
use super::geometry::Rect;
use super::pictures::Picture;
use super::regions::Painted;
use super::text::{InkText, InkToken};
use super::{gaps, palette};

// Shorter stretches do not show their colour reliably.
// How many times as strong a colour may be as another of the same paint; in code all letters are drawn alike.
const STRENGTH: f32 = 1.8;
const CODE_STRENGTH: f32 = 1.12;
const CODE_CHARS: &str = "<>{}=;_";
const LEAST_CODE_CHARS: usize = 4;
const LEAST_TELLING_CHARS: usize = 3;

/// All facts of a page.
pub(crate) fn facts(
    faces: &Typefaces,
    clean: &RgbImage,
    scale: u32,
    texts: Vec<(InkText, Fitted)>,
    mut boxes: Vec<Painted>,
    pictures: Vec<Picture>,
) -> Facts {
    let palette = palette::palette(clean);
    let background = palette::background(&palette);
    let page = Rect { x: 0, y: 0, w: clean.width() as i32, h: clean.height() as i32 };
    boxes.retain(|painted| {
        let is_page = painted.area.area() * 100 > page.area() * 97 && painted.gradient.is_none();
        let is_hollow = painted.fill.is_none() && painted.border.is_none();
        let is_background = is_page && painted.fill.map(rounded) == Some(background);
        !is_hollow && !is_background
    });
    // Painting order: what is larger lies below.
    boxes.sort_by_key(|painted| (std::cmp::Reverse(painted.area.area()), painted.area));
    let things: Vec<Rect> = texts
        .iter()
        .map(|(text, _)| text.ink)
        .chain(boxes.iter().map(|painted| painted.area))
        .chain(pictures.iter().map(|picture| picture.area))
        .collect();
    let texts = texts.iter().filter_map(|(text, fitted)| text_fact(faces, text, fitted, &boxes)).collect();
    Facts {
        width: clean.width(),
        height: clean.height(),
        scale,
        background,
        texts,
        boxes: boxes.iter().map(box_fact).collect(),
        palette,
        images: pictures.iter().map(image_fact).collect(),
        gaps: gaps::gaps(&things),
    }
}

fn text_fact(faces: &Typefaces, text: &InkText, fitted: &Fitted, boxes: &[Painted]) -> Option<TextFact> {
    let face = faces.get(fitted.face)?;
    // Browsers round both before they make the line's content area.
    let ascent = (face.ascent * fitted.size).round();
    let descent = (face.descent * fitted.size).round();
    let (color, runs) = colors(text);
    let (x, width) = (hundredth(fitted.x), hundredth(fitted.width));
    Some(TextFact {
        text: text.text.clone(),
        x,
        y: fitted.baseline - ascent,
        w: width,
        h: ascent + descent,
        fs: hundredth(fitted.size),
        fw: face.weight,
        it: face.slant == Slant::Italic,
        ff: face.family.css().to_owned(),
        color: rounded(color),
        alpha: 1.0,
        align: align(text.ink, boxes),
        base: fitted.baseline,
        ls: (fitted.letter_spacing * 1000.0).round() / 1000.0,
        bg: text.plain_background().map(rounded),
        ink: [text.ink.x, text.ink.y, text.ink.w, text.ink.h],
        runs,
    })
}

fn hundredth(value: f32) -> f32 {
    (value * 100.0).round() / 100.0
}

fn align(ink: Rect, boxes: &[Painted]) -> Align {
    let parent = boxes.iter().filter(|b| b.area.holds(ink, 0)).min_by_key(|b| b.area.area());
    let Some(parent) = parent else { return Align::Left };
    let (left, right) = (ink.x - parent.area.x, parent.area.right() - ink.right());
    if (left - right).abs() <= 3 {
        Align::Center
    } else if right * 4 < left && right < 48 {
        Align::Right
    } else {
        Align::Left
    }
}

/// The line's colour, and the stretches that have another one.
fn colors(text: &InkText) -> (Color, Vec<ColorRun>) {
    // One or two thin marks do not show their colour; they go with what stands before them.
    let tokens: Vec<&InkToken> =
        text.tokens.iter().filter(|token| token.to - token.from >= LEAST_TELLING_CHARS).collect();
    let is_code = text.text.chars().filter(|char| CODE_CHARS.contains(*char)).count() >= 2;
    let mut groups: Vec<(&InkToken, usize)> = Vec::new();
    let mut group_of_token = Vec::new();
    for token in tokens.iter().copied() {
        let length = token.to - token.from;
        let group = groups.iter().position(|(other, _)| {
            let is_telling = is_code && length.min(other.to - other.from) >= LEAST_CODE_CHARS;
            !differ(
                other.color,
                token.color,
                text.background,
                if is_telling { CODE_STRENGTH } else { STRENGTH },
            )
        });
        match group.and_then(|at| groups.get_mut(at)) {
            Some((longest, count)) => {
                *count += length;
                if length > longest.to - longest.from {
                    *longest = token;
                }
            }
            None => groups.push((token, length)),
        }
        group_of_token.push(group.unwrap_or(groups.len() - 1));
    }
    let main =
        (0..groups.len()).max_by_key(|&at| groups.get(at).map(|(_, count)| (*count, groups.len() - at)));
    let (Some(main), true) = (main, groups.len() > 1 && text.plain_background().is_some()) else {
        return (text.color, Vec::new());
    };
    let mut runs: Vec<ColorRun> = Vec::new();
    for ((token, group), next) in tokens.iter().zip(&group_of_token).zip(1..) {
        let Some((longest, _)) = groups.get(*group).filter(|_| *group != main) else { continue };
        let color = rounded(longest.color);
        let continues = group_of_token.get(next) == Some(group);
        let to = tokens.get(next).filter(|_| continues).map_or(token.to, |next| next.from);
        match runs.last_mut() {
            Some(last) if last.color == color && last.to == token.from => last.to = to,
            _ => runs.push(ColorRun { from: token.from, to, color }),
        }
    }
    (groups.get(main).map_or(text.color, |(token, _)| token.color), runs)
}

/// Whether two colours are different paints; thin strokes only look paler and do not count, up to a share.
fn differ(a: Color, b: Color, background: Color, paler: f32) -> bool {
    let (from_a, from_b) = (distance(a, background), distance(b, background));
    if from_a < 40.0 || from_b < 40.0 {
        return false;
    }
    let product: f32 =
        a.iter().zip(b).zip(background).map(|((a, b), ground)| (a - ground) * (b - ground)).sum();
    let cosine = product / (from_a * from_b);
    cosine < 0.92 || from_a / from_b > paler || from_b / from_a > paler
}

fn box_fact(painted: &Painted) -> BoxFact {
    let [r, g, b] = painted.fill.map(rounded).unwrap_or_default().map(f32::from);
    let width = painted.border.map_or(0.0, |border| border.width as f32);
    BoxFact {
        x: painted.area.x as f32,
        y: painted.area.y as f32,
        w: painted.area.w as f32,
        h: painted.area.h as f32,
        bg: painted.fill.map(|_| [r, g, b, 1.0]),
        bw: [width; 4],
        bc: painted.border.map(|border| rounded(border.color)).unwrap_or_default(),
        r: painted.radius.round(),
        img: false,
        bgi: painted.gradient.is_some(),
        sh: painted.shadow.is_some(),
        gradient: painted.gradient.as_ref().map(|blend| Gradient {
            angle: blend.angle,
            stops: blend
                .stops
                .iter()
                .map(|&(at, color)| GradientStop { at: hundredth(at), color: rounded(color) })
                .collect(),
        }),
        shadow: painted.shadow.map(|shade| Shadow { y: shade.y, blur: shade.blur, alpha: shade.alpha }),
    }
}

fn image_fact(picture: &Picture) -> ImageFact {
    ImageFact {
        x: picture.area.x as f32,
        y: picture.area.y as f32,
        w: picture.area.w as f32,
        h: picture.area.h as f32,
        kind: picture.kind,
    }
}

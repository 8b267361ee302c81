//! What looks nearly the same is the same: sizes, spacings and colours of text as the page's designer chose them.

use std::collections::BTreeMap;

use crate::trace::facts::TextFact;

// Measured sizes of one size differ by this share at most.
const SAME_SIZE: f32 = 0.035;
// A line may come out this much wider or narrower for the letter spacing of all.
const SAME_WIDTH_PX: f32 = 3.0;
// Families for narrow letters; so few lines in one were misread, and their true size may be so far from what the width tells.
const NARROW: &str = "Condensed";
const MOST_MISREAD_LINES: usize = 2;
const MISREAD_SLACK: f32 = 0.25;
// Strokes of one paint differ on their strongest channel by this much at most.
const SAME_INK: u8 = 10;

/// Gives texts of nearly one look the look that most letters have.
pub(super) fn agree(texts: &mut [TextFact]) {
    set_misread(texts);
    agree_on_sizes(texts);
    agree_on_spacings(texts);
    agree_on_colors(texts);
}

/// One or two lines in a narrow family are set in the page's family: what was drawn around them was taken for letters.
fn set_misread(texts: &mut [TextFact]) {
    let mut letters: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for text in texts.iter() {
        let (lines, chars) = letters.entry(&text.ff).or_default();
        (*lines, *chars) = (*lines + 1, *chars + text.text.chars().count());
    }
    let Some((main, _)) = letters.iter().max_by_key(|(_, (_, chars))| *chars) else { return };
    let main = (*main).to_owned();
    let narrow: Vec<String> = letters
        .iter()
        .filter(|(family, (lines, _))| family.contains(NARROW) && *lines <= MOST_MISREAD_LINES)
        .map(|(family, _)| (*family).to_owned())
        .filter(|family| *family != main)
        .collect();
    let (mut width, mut size) = (0.0, 0.0);
    let mut sizes: BTreeMap<Size, usize> = BTreeMap::new();
    for text in texts.iter().filter(|text| text.ff == main) {
        let chars = text.text.chars().count();
        *sizes.entry(size_of(text)).or_default() += chars;
        width += text.w - text.ls * chars as f32;
        size += text.fs * chars as f32;
    }
    for text in texts.iter_mut().filter(|text| narrow.contains(&text.ff)) {
        let chars = text.text.chars().count().max(1) as f32;
        let wanted = text.w / chars * size / width.max(1.0);
        let near = sizes
            .iter()
            .map(|((hundredths, height), count)| (*hundredths as f32 / 100.0, *height as f32, *count))
            .filter(|(size, ..)| (size / wanted).ln().abs() <= MISREAD_SLACK)
            .max_by_key(|(.., count)| *count);
        if let Some((size, height, _)) = near {
            text.ff.clone_from(&main);
            text.y += ((text.h - height) / 2.0).round();
            (text.fs, text.h, text.ls, text.fw) = (size, height, 0.0, 400);
        }
    }
}

fn size_of(text: &TextFact) -> Size {
    ((text.fs * 100.0).round() as u32, text.h.round() as u32)
}

/// A size as hundredths of a pixel and the line's height.
type Size = (u32, u32);

fn agree_on_sizes(texts: &mut [TextFact]) {
    let mut letters: BTreeMap<(String, u16, bool), BTreeMap<Size, usize>> = BTreeMap::new();
    let face = |text: &TextFact| (text.ff.clone(), text.fw, text.it);
    for text in texts.iter() {
        *letters.entry(face(text)).or_default().entry(size_of(text)).or_default() +=
            text.text.chars().count();
    }
    let chosen: BTreeMap<_, Vec<Size>> = letters
        .into_iter()
        .map(|(face, sizes)| {
            let mut sizes: Vec<(Size, usize)> = sizes.into_iter().collect();
            sizes.sort_by_key(|&(size, count)| (std::cmp::Reverse(count), size));
            (face, sizes.into_iter().map(|(size, _)| size).collect())
        })
        .collect();
    for text in texts {
        let own = text.fs;
        let near = |&&(hundredths, _): &&Size| (hundredths as f32 / 100.0 / own).ln().abs() <= SAME_SIZE;
        let Some(&(hundredths, height)) = chosen.get(&face(text)).and_then(|sizes| sizes.iter().find(near))
        else {
            continue;
        };
        // The baseline stays where it is.
        let lead = (text.h - height as f32) / 2.0;
        text.y += lead.round();
        text.h = height as f32;
        let size = hundredths as f32 / 100.0;
        let letters = text.text.chars().count().max(1) as f32;
        // What the letters give up or take in width goes between them.
        text.ls = (text.w - (text.w - text.ls * letters) * size / text.fs) / letters;
        text.fs = size;
    }
}

fn agree_on_spacings(texts: &mut [TextFact]) {
    let look = |text: &TextFact| (text.ff.clone(), text.fw, text.it, (text.fs * 100.0).round() as u32);
    let mut spacings: BTreeMap<_, Vec<(f32, usize)>> = BTreeMap::new();
    for text in texts.iter() {
        spacings.entry(look(text)).or_default().push((text.ls, text.text.chars().count()));
    }
    let usual: BTreeMap<_, f32> =
        spacings.into_iter().map(|(look, spacings)| (look, middle(spacings))).collect();
    for text in texts {
        let letters = text.text.chars().count().max(1) as f32;
        let usual = usual.get(&look(text)).copied().unwrap_or(0.0);
        let twentieth = (text.ls * 20.0).round() / 20.0;
        let fits = |spacing: &f32| (spacing - text.ls).abs() * letters <= SAME_WIDTH_PX;
        let spacing = [0.0, usual, twentieth].into_iter().find(fits).unwrap_or(text.ls);
        text.w += (spacing - text.ls) * letters;
        text.ls = spacing;
    }
}

/// The spacing that half of the letters are below, in hundredths of a pixel.
fn middle(mut spacings: Vec<(f32, usize)>) -> f32 {
    spacings.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: usize = spacings.iter().map(|(_, letters)| letters).sum();
    let mut below = 0;
    let middle = spacings.iter().find(|(_, letters)| {
        below += letters;
        below * 2 >= all
    });
    middle.map_or(0.0, |(spacing, _)| (spacing * 100.0).round() / 100.0)
}

fn agree_on_colors(texts: &mut [TextFact]) {
    let mut letters: BTreeMap<[u8; 3], usize> = BTreeMap::new();
    for text in texts.iter() {
        *letters.entry(text.color).or_default() += text.text.chars().count();
    }
    let mut colors: Vec<([u8; 3], usize)> = letters.into_iter().collect();
    colors.sort_by_key(|&(color, count)| (std::cmp::Reverse(count), color));
    for text in texts {
        let own = text.color;
        let near =
            |&&(color, _): &&([u8; 3], usize)| color.iter().zip(own).all(|(a, b)| a.abs_diff(b) <= SAME_INK);
        if let Some((color, _)) = colors.iter().find(near) {
            text.color = *color;
        }
    }
}

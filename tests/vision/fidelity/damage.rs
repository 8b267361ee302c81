//! Defects done to a page's geometry and pixels.

use facsimile_testkit::defects::{DEFECTS, Deed, Defect, Target, Trial};
use facsimile_vision::fidelity::{Area, Line, PaintedBox, Reading, measure};
use image::{Rgb, RgbImage, imageops};

use super::page::Page;

/// Every kind of defect, at every strength, done to one element each.
pub fn trials(page: &Page, name: &str) -> Vec<Trial> {
    let mut reference = page.clone();
    for (at, line) in reference.geometry.texts.iter_mut().enumerate() {
        line.selector = Some(format!("#line-{at}"));
    }
    for (at, painted) in reference.geometry.boxes.iter_mut().enumerate() {
        painted.selector = Some(format!("#box-{at}"));
    }
    DEFECTS.iter().enumerate().filter_map(|(seed, defect)| trial(&reference, name, defect, seed)).collect()
}

fn trial(reference: &Page, name: &str, defect: &Defect, seed: usize) -> Option<Trial> {
    let targets = targets(reference, defect);
    let needed = if matches!(defect.deed, Deed::Remove | Deed::Insert) { 3 } else { 1 };
    if targets.len() < needed {
        return None;
    }
    let mut scores = [0.0; 3];
    let named = [0, 1, 2].map(|strength| {
        let (copy, wanted) = damaged(reference, defect, &targets, seed, defect.strengths[strength]);
        let measured = measure(reference.side(), copy.side(), Reading::Dom);
        scores[strength] = measured.score;
        let found = measured.reasons.first().map(|reason| {
            let kind = serde_json::to_value(reason.kind).unwrap();
            (reason.selector.clone().unwrap_or_default(), kind.as_str().unwrap().to_owned())
        });
        (vec![(wanted, defect.kind.to_owned())], found)
    });
    Some(Trial { name: format!("{name} {}", defect.name), scores, named })
}

/// Elements a defect can be done to so that it shows.
pub fn targets(page: &Page, defect: &Defect) -> Vec<usize> {
    let whole = &page.geometry;
    let on_page = |area: Area| {
        area.x >= 2.0
            && area.y >= 2.0
            && area.right() < whole.width - 42.0
            && area.bottom() < whole.height - 42.0
    };
    let fits = |painted: &PaintedBox| {
        let is_card = painted.w >= 40.0
            && painted.h >= 16.0
            && painted.w * painted.h <= 0.3 * whole.width * whole.height;
        let is_fill = painted.bg.is_some_and(|fill| fill[3] > 0.9) && !painted.img && !painted.bgi;
        is_card
            && on_page(painted.area())
            && seen(page, painted.area())
            && match defect.target {
                Target::Filled => is_fill && stands_out(page, painted),
                Target::Bordered => is_fill && painted.bw.iter().all(|width| *width >= 1.0),
                Target::Picture => painted.img,
                Target::Text => false,
            }
    };
    if defect.target == Target::Text {
        let fits = |line: &Line| {
            let is_light = line.fw > 450;
            let is_apt = match defect.name {
                "text-bolder" => !is_light,
                "text-lighter" => line.fw >= 400,
                _ => true,
            };
            is_apt
                && line.w >= 60.0
                && line.text.len() >= 8
                && on_page(line.area())
                && seen(page, line.area())
        };
        return whole.texts.iter().enumerate().filter(|(_, line)| fits(line)).map(|(at, _)| at).collect();
    }
    whole.boxes.iter().enumerate().filter(|(_, painted)| fits(painted)).map(|(at, _)| at).collect()
}

/// Whether anything is painted there.
fn seen(page: &Page, area: Area) -> bool {
    let part = cut(&page.pixels, area);
    let first = *part.get_pixel(0, 0);
    part.pixels().any(|pixel| pixel.0.iter().zip(first.0).any(|(a, b)| a.abs_diff(b) > 24))
}

/// Whether a box's fill is really what is painted, and another colour than around it.
fn stands_out(page: &Page, painted: &PaintedBox) -> bool {
    let fill = painted.bg.unwrap();
    let area = painted.area();
    let at = |x: f64, y: f64| page.pixels.get_pixel(x as u32, y as u32).0;
    let inset = painted.r.min(12.0) + 2.0;
    let near = |color: [u8; 3]| color.iter().zip(fill).all(|(a, b)| (f64::from(*a) - b).abs() < 4.0);
    let middle = area.x + area.w / 2.0;
    near(at(middle, area.y + inset.min(area.h / 3.0).max(3.0))) && !near(background(&page.pixels, area).0)
}

/// The copy and the selector that should be named.
fn damaged(
    reference: &Page,
    defect: &Defect,
    targets: &[usize],
    seed: usize,
    strength: f64,
) -> (Page, String) {
    let mut copy = reference.clone();
    let first = targets.len() / 2 + seed * 7;
    let nth = |at: usize| targets[(first + at) % targets.len()];
    let target = nth(0);
    let count = strength as usize;
    let selector = match (defect.deed, defect.target) {
        (Deed::Insert, Target::Text) => insert_lines(&mut copy, count),
        (Deed::Insert, _) => insert_boxes(&mut copy, count),
        (Deed::Remove, of) => {
            // The largest first: it must stay the worst.
            let mut gone: Vec<usize> = (0..3).map(nth).collect();
            let area = |at: &usize| match of {
                Target::Text => reference.geometry.texts[*at].area(),
                _ => reference.geometry.boxes[*at].area(),
            };
            gone.sort_by(|a, b| (area(b).w * area(b).h).total_cmp(&(area(a).w * area(a).h)));
            gone.dedup();
            let worst = format!("#{}-{}", if of == Target::Text { "line" } else { "box" }, gone[0]);
            gone.truncate(count);
            for at in &gone {
                lift(&mut copy.pixels, area(at));
            }
            gone.sort_unstable();
            for at in gone.iter().rev() {
                match of {
                    Target::Text => drop(copy.geometry.texts.remove(*at)),
                    _ => drop(copy.geometry.boxes.remove(*at)),
                }
            }
            worst
        }
        (_, Target::Text) => {
            change_line(&mut copy, target, defect, strength);
            format!("#line-{target}")
        }
        _ => {
            change_box(&mut copy, target, defect, strength);
            format!("#box-{target}")
        }
    };
    (copy, selector)
}

fn change_line(copy: &mut Page, at: usize, defect: &Defect, strength: f64) {
    let area = copy.geometry.texts[at].area();
    let line = &mut copy.geometry.texts[at];
    match defect.name {
        "text-right" => line.x += strength,
        "text-down" => line.y += strength,
        "text-red" => line.color = reddened(line.color, strength),
        "text-reworded" => {
            let letters: Vec<char> = line.text.chars().collect();
            let changed = (letters.len() as f64 * strength).ceil() as usize;
            line.text =
                letters.iter().enumerate().map(|(at, c)| if at < changed { '#' } else { *c }).collect();
        }
        "text-larger" | "text-smaller" => {
            line.fs *= strength;
            line.w *= strength;
            line.h *= strength;
        }
        "text-bolder" => line.fw = 900,
        _ => line.fw = strength as u16,
    }
    let (to, color) = (line.area(), line.color);
    let before = lift(&mut copy.pixels, area);
    let ground = background(&copy.pixels, area);
    let painted = match defect.name {
        "text-red" => tinted(&before, ground, Rgb(color), strength),
        "text-reworded" => {
            let changed = (before.width() as f64 * strength) as u32;
            let mut other = before.clone();
            let flipped = imageops::rotate180(
                &imageops::crop_imm(&before, 0, 0, changed.max(1), before.height()).to_image(),
            );
            imageops::replace(&mut other, &flipped, 0, 0);
            other
        }
        "text-bolder" => tinted(&before, ground, Rgb([0; 3]), 0.2 + 0.3 * strength),
        "text-lighter" => tinted(&before, ground, ground, (400.0 - strength) / 600.0),
        _ => {
            let size = |side: f64| (side.ceil() as u32).max(1);
            if (to.w - area.w).abs() > 0.1 {
                imageops::resize(&before, size(to.w), size(to.h), imageops::FilterType::Triangle)
            } else {
                before
            }
        }
    };
    imageops::replace(&mut copy.pixels, &painted, to.x.floor() as i64, to.y.floor() as i64);
}

fn change_box(copy: &mut Page, at: usize, defect: &Defect, strength: f64) {
    let area = copy.geometry.boxes[at].area();
    let held = |other: Area| {
        other.x >= area.x - 0.5
            && other.y >= area.y - 0.5
            && other.right() <= area.right() + 0.5
            && other.bottom() <= area.bottom() + 0.5
    };
    let painted = copy.geometry.boxes[at].clone();
    let fill = painted.bg.map_or([255; 3], |fill| [0, 1, 2].map(|channel| fill[channel] as u8));
    match defect.name {
        "box-down" | "box-right" | "picture-right" => {
            let (dx, dy) = if defect.name == "box-down" { (0.0, strength) } else { (strength, 0.0) };
            for line in copy.geometry.texts.iter_mut().filter(|line| held(line.area())) {
                line.x += dx;
                line.y += dy;
            }
            for inner in copy.geometry.boxes.iter_mut().filter(|inner| held(inner.area())) {
                inner.x += dx;
                inner.y += dy;
            }
            let before = lift(&mut copy.pixels, area);
            imageops::replace(&mut copy.pixels, &before, (area.x + dx) as i64, (area.y + dy) as i64);
        }
        "box-red" => {
            let red = reddened(fill, strength);
            copy.geometry.boxes[at].bg = Some([f64::from(red[0]), f64::from(red[1]), f64::from(red[2]), 1.0]);
            recolor(&mut copy.pixels, area, fill, red);
        }
        "border-red" => {
            copy.geometry.boxes[at].bc = reddened(painted.bc, strength);
            let [top, right, bottom, left] = painted.bw;
            let ring = [
                Area { h: top, ..area },
                Area { x: area.right() - right, w: right, ..area },
                Area { y: area.bottom() - bottom, h: bottom, ..area },
                Area { w: left, ..area },
            ];
            for side in ring {
                let stretch = cut(&copy.pixels, side);
                let red = RgbImage::from_fn(stretch.width(), stretch.height(), |x, y| {
                    Rgb(reddened(stretch.get_pixel(x, y).0, strength))
                });
                imageops::replace(&mut copy.pixels, &red, side.x as i64, side.y as i64);
            }
        }
        "box-wider" | "box-taller" => {
            let (wider, taller) = if defect.name == "box-wider" { (strength, 0.0) } else { (0.0, strength) };
            copy.geometry.boxes[at].w += wider;
            copy.geometry.boxes[at].h += taller;
            let more = if wider > 0.0 {
                Area { x: area.right(), w: wider, ..area }
            } else {
                Area { y: area.bottom(), h: taller, ..area }
            };
            let (width, height) = (more.w.ceil() as u32, more.h.ceil() as u32);
            let more_pixels = RgbImage::from_pixel(width.max(1), height.max(1), Rgb(fill));
            imageops::replace(&mut copy.pixels, &more_pixels, more.x as i64, more.y as i64);
        }
        _ => {
            let before = cut(&copy.pixels, area);
            let turned = imageops::rotate180(&before);
            let mixed = RgbImage::from_fn(before.width(), before.height(), |x, y| {
                let (a, b) = (before.get_pixel(x, y).0, turned.get_pixel(x, y).0);
                Rgb([0, 1, 2].map(|c| mix(a[c], 255 - b[c], strength)))
            });
            imageops::replace(&mut copy.pixels, &mixed, area.x as i64, area.y as i64);
        }
    }
}

fn insert_lines(copy: &mut Page, count: usize) -> String {
    for at in 0..count {
        let text = ["Completely new words here", "Another sentence", "One more"][at];
        let line = Line {
            text: text.into(),
            x: 30.0,
            y: 40.0 + 60.0 * at as f64,
            w: 240.0 - 60.0 * at as f64,
            h: 30.0,
            fs: 24.0,
            fw: 400,
            color: [20, 20, 20],
            alpha: 1.0,
            tag: Some("p".into()),
            selector: Some(format!("#new-{at}")),
        };
        let area = line.area();
        for stroke in 0..(line.w / 8.0) as u32 {
            let x = area.x as u32 + stroke * 8;
            for y in 0..24 {
                for dx in 0..3 {
                    if x + dx < copy.pixels.width() && area.y as u32 + y < copy.pixels.height() {
                        copy.pixels.put_pixel(x + dx, area.y as u32 + y, Rgb([20, 20, 20]));
                    }
                }
            }
        }
        copy.geometry.texts.push(line);
    }
    "#new-0".into()
}

fn insert_boxes(copy: &mut Page, count: usize) -> String {
    for at in 0..count {
        let painted = PaintedBox {
            x: 24.0 + 8.0 * at as f64,
            y: 60.0 + 110.0 * at as f64,
            w: 180.0 - 40.0 * at as f64,
            h: 90.0 - 20.0 * at as f64,
            bg: Some([200.0, 40.0, 160.0, 1.0]),
            tag: Some("aside".into()),
            selector: Some(format!("#new-{at}")),
            ..PaintedBox::default()
        };
        let pixels = RgbImage::from_pixel(painted.w as u32, painted.h as u32, Rgb([200, 40, 160]));
        imageops::replace(&mut copy.pixels, &pixels, painted.x as i64, painted.y as i64);
        copy.geometry.boxes.push(painted);
    }
    "#new-0".into()
}

fn cut(pixels: &RgbImage, area: Area) -> RgbImage {
    let (x, y) = (area.x.max(0.0) as u32, area.y.max(0.0) as u32);
    let width = (area.w.ceil() as u32).min(pixels.width() - x).max(1);
    let height = (area.h.ceil() as u32).min(pixels.height() - y).max(1);
    imageops::crop_imm(pixels, x, y, width, height).to_image()
}

/// Takes a part out; what is around it fills the hole.
fn lift(pixels: &mut RgbImage, area: Area) -> RgbImage {
    let part = cut(pixels, area);
    let hole = RgbImage::from_pixel(part.width(), part.height(), background(pixels, area));
    imageops::replace(pixels, &hole, area.x as i64, area.y as i64);
    part
}

/// The commonest colour just around an area.
fn background(pixels: &RgbImage, area: Area) -> Rgb<u8> {
    let (left, top) = (area.x as i64 - 2, area.y as i64 - 2);
    let (right, bottom) = (area.right().ceil() as i64 + 1, area.bottom().ceil() as i64 + 1);
    let edges = (left..=right)
        .flat_map(|x| [(x, top), (x, bottom)])
        .chain((top..=bottom).flat_map(|y| [(left, y), (right, y)]));
    let mut around: Vec<[u8; 3]> = edges
        .filter_map(|(x, y)| pixels.get_pixel_checked(u32::try_from(x).ok()?, u32::try_from(y).ok()?))
        .map(|pixel| pixel.0)
        .collect();
    around.sort_unstable();
    Rgb(*around.chunk_by(|a, b| a == b).max_by_key(|run| run.len()).unwrap().first().unwrap())
}

fn mix(from: u8, to: u8, share: f64) -> u8 {
    (f64::from(from) * (1.0 - share) + f64::from(to) * share).round() as u8
}

fn reddened(color: [u8; 3], share: f64) -> [u8; 3] {
    let red = [225, 29, 72];
    [0, 1, 2].map(|channel| mix(color[channel], red[channel], share))
}

/// Letters mixed with a colour, as far as they are letters.
fn tinted(letters: &RgbImage, ground: Rgb<u8>, ink: Rgb<u8>, share: f64) -> RgbImage {
    let apart = |pixel: &Rgb<u8>| pixel.0.iter().zip(ground.0).map(|(a, b)| a.abs_diff(b)).max().unwrap();
    let most = f64::from(letters.pixels().map(apart).max().unwrap().max(1));
    RgbImage::from_fn(letters.width(), letters.height(), |x, y| {
        let pixel = letters.get_pixel(x, y);
        let share = share * f64::from(apart(pixel)) / most;
        Rgb([0, 1, 2].map(|channel| mix(pixel.0[channel], ink.0[channel], share)))
    })
}

fn recolor(pixels: &mut RgbImage, area: Area, from: [u8; 3], to: [u8; 3]) {
    for y in area.y as u32..(area.bottom().ceil() as u32).min(pixels.height()) {
        for x in area.x as u32..(area.right().ceil() as u32).min(pixels.width()) {
            let pixel = pixels.get_pixel_mut(x, y);
            if pixel.0.iter().zip(from).all(|(a, b)| a.abs_diff(b) <= 3) {
                *pixel = Rgb(to);
            }
        }
    }
}

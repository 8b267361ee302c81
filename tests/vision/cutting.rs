//! Pictures cut out of real pages, whose documents say where they are.

use facsimile_vision::Raster;
use facsimile_vision::cutting::{PixelBox, Segments};
use serde_json::Value;

use crate::files::fixture;

/// A page and the boxes of its pictures with both sides at least `least` pixels.
fn page(name: &str, least: f64) -> (Raster, Vec<PixelBox>) {
    let truth: Value = serde_json::from_slice(&fixture(&format!("pages/{name}.json"))).unwrap();
    let boxes = truth["boxes"].as_array().unwrap().iter().filter(|painted| painted["img"] == true);
    let boxes = boxes
        .filter_map(|painted| {
            let [x, y, w, h] = ["x", "y", "w", "h"].map(|side| painted[side].as_f64().unwrap());
            let [left, top, right, bottom] = [x, y, x + w, y + h].map(|edge| edge.round() as u32);
            (w >= least && h >= least).then_some(PixelBox {
                x: left,
                y: top,
                width: right - left,
                height: bottom - top,
            })
        })
        .collect();
    (Raster::decode(&fixture(&format!("pages/{name}.png"))).unwrap(), boxes)
}

/// The same numbers from -1 to 1 in every run.
fn chances() -> impl FnMut() -> f64 {
    let mut state = 7_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1_u64 << 23) as f64 - 1.0
    }
}

fn edges(area: PixelBox) -> [f64; 4] {
    [area.y, area.x, area.y + area.height, area.x + area.width].map(f64::from)
}

/// The largest distance of an edge.
fn miss(found: Option<PixelBox>, truth: PixelBox) -> f64 {
    let Some(found) = found else { return f64::INFINITY };
    edges(found).iter().zip(edges(truth)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// A box named as models do, with each edge off by up to `share` of the page.
fn rough(truth: PixelBox, raster: &Raster, share: f64, chance: &mut impl FnMut() -> f64) -> PixelBox {
    let (width, height) = (f64::from(raster.width()), f64::from(raster.height()));
    let [top, left, bottom, right] = edges(truth);
    let mut off = |edge: f64, side: f64| ((edge / side + share * chance()) * 1000.0).round();
    let named = [off(top, height), off(left, width), off(bottom, height), off(right, width)];
    PixelBox::from_thousandths(named, raster.width(), raster.height()).unwrap()
}

/// A picture's box without the blank margins that only its file has.
fn visible(raster: &Raster, area: PixelBox) -> PixelBox {
    let at = |x: u32, y: u32| raster.pixels().get_pixel(x, y).0;
    let (right, bottom) = (area.x + area.width, area.y + area.height);
    let ground = at(area.x, area.y);
    let corners = [at(right - 1, area.y), at(area.x, bottom - 1), at(right - 1, bottom - 1)];
    let is_drawn = |x: u32, y: u32| at(x, y).iter().zip(ground).any(|(a, b)| a.abs_diff(b) > 12);
    if corners != [ground; 3] || at(area.x - 1, area.y - 1) != ground {
        return area;
    }
    let columns = || (area.x..right).filter(|&x| (area.y..bottom).any(|y| is_drawn(x, y)));
    let rows = || (area.y..bottom).filter(|&y| (area.x..right).any(|x| is_drawn(x, y)));
    let (x, y) = (columns().next().unwrap(), rows().next().unwrap());
    PixelBox {
        x,
        y,
        width: columns().next_back().unwrap() + 1 - x,
        height: rows().next_back().unwrap() + 1 - y,
    }
}

#[test]
fn pictures_are_found_when_each_edge_is_off_by_three_hundredths_of_the_page() {
    let mut chance = chances();
    let mut missed = Vec::new();
    let mut count = 0;
    for name in ["shop-grid", "freelancer-390"] {
        let (raster, boxes) = page(name, 140.0);
        let segments = Segments::of(&raster);
        for truth in boxes {
            let truth = visible(&raster, truth);
            for share in [0.0, 0.01, 0.02, 0.03] {
                for _ in 0..5 {
                    let named = rough(truth, &raster, share, &mut chance);
                    let found = segments.snap(named);
                    count += 1;
                    if miss(found, truth) > 2.0 {
                        missed.push((name, share, truth, named, found));
                    }
                }
            }
        }
    }
    assert!(missed.is_empty(), "{} of {count}: {missed:#?}", missed.len());
}

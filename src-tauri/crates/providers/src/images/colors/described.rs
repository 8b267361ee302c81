//! What a PNG says of its colours without a profile: its gamma, and where its white and its primaries lie.

use moxcms::{Chromaticity, ColorPrimaries, ColorProfile, ToneReprCurve, XyY};

// sRGB's own gamma, as PNG writes it, and how far from it nothing is seen.
const USUAL_GAMMA: f64 = 0.45455;
const UNSEEN: f64 = 0.01;
/// sRGB's white, red, green and blue, as PNG writes them, and how far from them nothing is seen.
const USUAL_PLACES: [f64; 8] = [0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06];
const UNSEEN_SHIFT: f64 = 0.003;
/// Primaries that lie closer together make no colours.
const LEAST_AREA: f64 = 0.01;

/// Colours that are not sRGB's.
pub(super) enum Described {
    /// sRGB's primaries under another gamma.
    Gamma(f64),
    /// A space of its own.
    Space(Box<ColorProfile>),
}

/// How a PNG describes its colours, unless they are the usual ones or a better description stands beside them. Places
/// without a gamma say nothing, as in browsers.
pub(super) fn described(file: &[u8]) -> Option<Described> {
    let mut rest = file.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    let (mut gamma, mut places) = (None, None);
    loop {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let length = u32::from_be_bytes(*length) as usize;
        let (kind, after) = after.split_first_chunk::<4>()?;
        let numbers = || after.get(..length).map(numbers).unwrap_or_default();
        match kind {
            b"IDAT" | b"IEND" => break,
            // sRGB and coded colour spaces win; a profile that cannot be read says no more than none.
            b"sRGB" | b"cICP" => return None,
            b"gAMA" => gamma = numbers().first().copied(),
            b"cHRM" => places = <[f64; 8]>::try_from(numbers()).ok(),
            _ => {}
        }
        // The checksum stands behind the body.
        rest = after.get(length.checked_add(4)?..)?;
    }
    let gamma = gamma.filter(|gamma| (0.05..=5.0).contains(gamma))?;
    let is_usual = (gamma - USUAL_GAMMA).abs() <= UNSEEN;
    match places.filter(|places| is_space(places) && !is_usual_space(places)) {
        Some(places) => Some(Described::Space(Box::new(space(places, gamma)))),
        None => (!is_usual).then_some(Described::Gamma(gamma)),
    }
}

/// The numbers of a chunk, which are written as hundred-thousandths.
fn numbers(body: &[u8]) -> Vec<f64> {
    body.as_chunks::<4>().0.iter().map(|number| f64::from(u32::from_be_bytes(*number)) / 1e5).collect()
}

fn is_usual_space(places: &[f64; 8]) -> bool {
    places.iter().zip(USUAL_PLACES).all(|(place, usual)| (place - usual).abs() <= UNSEEN_SHIFT)
}

/// Whether the primaries span anything, with the white among them.
fn is_space(&[wx, wy, rx, ry, gx, gy, bx, by]: &[f64; 8]) -> bool {
    let area = |[ax, ay]: [f64; 2], [bx, by]: [f64; 2], [cx, cy]: [f64; 2]| {
        ((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2.0
    };
    let [white, red, green, blue] = [[wx, wy], [rx, ry], [gx, gy], [bx, by]];
    let whole = area(red, green, blue);
    let parts = [area(white, green, blue), area(red, white, blue), area(red, green, white)];
    let is_inside = parts.iter().all(|part| part * whole.signum() > 0.0);
    wy > 0.0 && whole.abs() >= LEAST_AREA && is_inside
}

fn space([wx, wy, rx, ry, gx, gy, bx, by]: [f64; 8], gamma: f64) -> ColorProfile {
    let place = |x: f64, y: f64| Chromaticity::new(x as f32, y as f32);
    let primaries = ColorPrimaries { red: place(rx, ry), green: place(gx, gy), blue: place(bx, by) };
    let mut profile = ColorProfile::new_srgb();
    profile.update_rgb_colorimetry(XyY { x: wx, y: wy, yb: 1.0 }, primaries);
    let curve = ToneReprCurve::Parametric(vec![(1.0 / gamma) as f32]);
    (profile.red_trc, profile.green_trc) = (Some(curve.clone()), Some(curve.clone()));
    profile.blue_trc = Some(curve);
    profile
}

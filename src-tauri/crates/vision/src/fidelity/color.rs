//! Colours as the eye tells them apart: CIE Lab and CIEDE2000.

/// Lightness, green to red, blue to yellow.
pub(super) type Lab = [f64; 3];

const WHITE: [f64; 3] = [0.95047, 1.0, 1.08883];
const FROM_RGB: [[f64; 3]; 3] = [
    [0.412_456_4, 0.357_576_1, 0.180_437_5],
    [0.212_672_9, 0.715_152_2, 0.072_175_0],
    [0.019_333_9, 0.119_192_0, 0.950_304_1],
];

/// Light of an sRGB channel from 0 to 255.
pub(super) fn linear(channel: f64) -> f64 {
    let channel = channel / 255.0;
    if channel <= 0.04045 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
}

/// The Lab of an 8-bit sRGB colour.
pub(super) fn lab(color: [u8; 3]) -> Lab {
    lab_of(color.map(f64::from))
}

/// The Lab of an sRGB colour whose channels go from 0 to 255.
pub(super) fn lab_of(color: [f64; 3]) -> Lab {
    lab_of_light(color.map(linear))
}

fn lab_of_light(light: [f64; 3]) -> Lab {
    let mut f = [0.0; 3];
    for ((f, row), white) in f.iter_mut().zip(FROM_RGB).zip(WHITE) {
        let sum: f64 = row.iter().zip(light).map(|(share, light)| share * light).sum();
        let x = sum / white;
        *f = if x > 216.0 / 24389.0 { x.cbrt() } else { (24389.0 / 27.0 * x + 16.0) / 116.0 };
    }
    let [x, y, z] = f;
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// The CIEDE2000 difference of two colours, after Sharma, Wu and Dalal (2005).
pub(super) fn difference(first: Lab, second: Lab) -> f64 {
    let [l1, a1, b1] = first;
    let [l2, a2, b2] = second;
    let chroma = (a1.hypot(b1) + a2.hypot(b2)) / 2.0;
    let grey = |c: f64| {
        let seventh = c.powi(7);
        (seventh / (seventh + 25.0_f64.powi(7))).sqrt()
    };
    let stretch = 1.0 + 0.5 * (1.0 - grey(chroma));
    let (a1, a2) = (stretch * a1, stretch * a2);
    let (c1, c2) = (a1.hypot(b1), a2.hypot(b2));
    let hue = |a: f64, b: f64| b.atan2(a).to_degrees().rem_euclid(360.0);
    let (h1, h2) = (hue(a1, b1), hue(a2, b2));
    let is_grey = c1 * c2 == 0.0;
    let turn = if is_grey { 0.0 } else { (h2 - h1 + 540.0).rem_euclid(360.0) - 180.0 };
    let hue_mean = if is_grey {
        h1 + h2
    } else if (h1 - h2).abs() <= 180.0 {
        (h1 + h2) / 2.0
    } else if h1 + h2 < 360.0 {
        (h1 + h2 + 360.0) / 2.0
    } else {
        (h1 + h2 - 360.0) / 2.0
    };
    let (dl, dc) = (l2 - l1, c2 - c1);
    let dh = 2.0 * (c1 * c2).sqrt() * (turn / 2.0).to_radians().sin();
    let (lm, cm) = ((l1 + l2) / 2.0, (c1 + c2) / 2.0);
    let wave = |degrees: f64| degrees.to_radians().cos();
    let t =
        1.0 - 0.17 * wave(hue_mean - 30.0) + 0.24 * wave(2.0 * hue_mean) + 0.32 * wave(3.0 * hue_mean + 6.0)
            - 0.20 * wave(4.0 * hue_mean - 63.0);
    let blue = 30.0 * (-((hue_mean - 275.0) / 25.0).powi(2)).exp();
    let sl = 1.0 + 0.015 * (lm - 50.0).powi(2) / (20.0 + (lm - 50.0).powi(2)).sqrt();
    let (sc, sh) = (1.0 + 0.045 * cm, 1.0 + 0.015 * cm * t);
    let rotation = -(2.0 * blue).to_radians().sin() * 2.0 * grey(cm);
    let (l, c, h) = (dl / sl, dc / sc, dh / sh);
    (l * l + c * c + h * h + rotation * c * h).max(0.0).sqrt()
}

/// The light of every possible mean of `samples` bytes, by their sum.
pub(super) fn light_by_sum(samples: usize) -> Vec<f32> {
    (0..=255 * samples).map(|sum| linear(sum as f64 / samples as f64) as f32).collect()
}

/// [`lab_of`] from light, fast enough for every pixel: off by less than 0.01.
#[inline]
pub(super) fn quick_lab(light: [f32; 3]) -> [f32; 3] {
    let mut f = [0.0_f32; 3];
    let mut at = 0;
    while at < 3 {
        let row = FROM_RGB[at];
        let sum = row[0] as f32 * light[0] + row[1] as f32 * light[1] + row[2] as f32 * light[2];
        let x = sum * (1.0 / WHITE[at]) as f32;
        let root = quick_cube_root(x.max(1e-6));
        f[at] = if x > (216.0 / 24389.0) as f32 { root } else { (24389.0_f32 / 27.0 * x + 16.0) / 116.0 };
        at += 1;
    }
    let [x, y, z] = f;
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

#[inline]
fn quick_cube_root(x: f32) -> f32 {
    // A third of the exponent is a first guess; two steps of Halley's method make it exact to 1e-6.
    let mut root = f32::from_bits(x.to_bits() / 3 + 709_921_077);
    for _ in 0..2 {
        let cube = root * root * root;
        root *= (cube + 2.0 * x) / (2.0 * cube + x);
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_those_of_the_published_table() {
        // Pairs 1, 7, 10, 17, 25 and 34 of the supplement to Sharma, Wu and Dalal.
        let pairs = [
            ([50.0, 2.6772, -79.7751], [50.0, 0.0, -82.7485], 2.0425),
            ([50.0, 0.0, 0.0], [50.0, -1.0, 2.0], 2.3669),
            ([50.0, 2.49, -0.001], [50.0, -2.49, 0.0009], 7.1792),
            ([50.0, 2.5, 0.0], [73.0, 25.0, -18.0], 27.1492),
            ([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644),
            ([2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082),
        ];
        let off: Vec<f64> = pairs.iter().map(|(a, b, wanted)| (difference(*a, *b) - wanted).abs()).collect();
        assert!(off.iter().all(|off| *off < 1e-4), "{off:?}");
    }

    #[test]
    fn quick_colours_are_the_exact_ones() {
        let table = light_by_sum(1);
        for step in 0..4096_usize {
            let color = [step % 16 * 17, step / 16 % 16 * 17, step / 256 * 17];
            let quick = quick_lab(color.map(|channel| table[channel]));
            let exact = lab(color.map(|channel| channel as u8));
            let off = quick.iter().zip(exact).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max);
            assert!(off < 0.01, "{color:?}: {quick:?} {exact:?}");
        }
    }
}

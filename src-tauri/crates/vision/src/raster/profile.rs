//! Colours as the file means them: screenshots of wide-gamut displays, grey scans and files with a gamma of their
//! own become sRGB.

mod described;

use std::sync::Arc;

use image::DynamicImage;
use moxcms::{ColorProfile, DataColorSpace, Layout, TransformExecutor, TransformOptions};

use described::{Described, described};

/// What is done to the colours of a file.
pub(super) enum Colors {
    /// They are sRGB, or nothing usable says otherwise: slightly wrong colours are better than no picture.
    Plain,
    /// One curve for all channels.
    Curve(Box<[u8; 256]>),
    /// Greys and what they look like.
    Grey(Vec<u8>),
    /// A colour space of its own.
    Space(Arc<dyn TransformExecutor<u8> + Send + Sync>),
}

impl Colors {
    /// By the profile, else by what a PNG says of its colours. A profile for inks is passed over: the decoder has
    /// made red, green and blue of them already.
    pub(super) fn of(file: &[u8], picture: &DynamicImage, profile: Option<Vec<u8>>) -> Self {
        let has_color = picture.color().has_color();
        if let Some(profile) = profile.and_then(|bytes| ColorProfile::new_from_slice(&bytes).ok()) {
            return Self::of_profile(&profile, has_color).unwrap_or(Self::Plain);
        }
        match described(file) {
            Some(Described::Space(space)) => Self::of_profile(&space, has_color).unwrap_or(Self::Plain),
            Some(Described::Gamma(gamma)) => Self::of_gamma(gamma),
            None => Self::Plain,
        }
    }

    fn of_profile(profile: &ColorProfile, has_color: bool) -> Option<Self> {
        let srgb = ColorProfile::new_srgb();
        let options = TransformOptions::default();
        match profile.color_space {
            DataColorSpace::Rgb => {
                let transform =
                    profile.create_transform_8bit(Layout::Rgb, &srgb, Layout::Rgb, options).ok()?;
                Some(Self::Space(transform))
            }
            DataColorSpace::Gray if !has_color => {
                let transform =
                    profile.create_transform_8bit(Layout::Gray, &srgb, Layout::Rgb, options).ok()?;
                let greys: Vec<u8> = (0..=u8::MAX).collect();
                let mut shown = vec![0; 3 * greys.len()];
                transform.transform(&greys, &mut shown).ok()?;
                Some(Self::Grey(shown))
            }
            _ => None,
        }
    }

    fn of_gamma(gamma: f64) -> Self {
        let mut curve = Box::new([0; 256]);
        for (stored, shown) in curve.iter_mut().enumerate().map(|(at, shown)| (at as f64 / 255.0, shown)) {
            let light = stored.powf(1.0 / gamma);
            let encoded =
                if light <= 0.003_130_8 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
            *shown = (encoded * 255.0).round().clamp(0.0, 255.0) as u8;
        }
        Self::Curve(curve)
    }

    /// Converts a row of RGB pixels.
    pub(super) fn convert(&self, row: &mut [u8]) {
        match self {
            Self::Plain => {}
            Self::Curve(curve) => {
                for channel in row {
                    *channel = curve.get(usize::from(*channel)).copied().unwrap_or(*channel);
                }
            }
            Self::Grey(shown) => {
                for pixel in row.chunks_exact_mut(3) {
                    let at = pixel.first().map_or(0, |&grey| 3 * usize::from(grey));
                    if let Some(color) = shown.get(at..at + 3) {
                        pixel.copy_from_slice(color);
                    }
                }
            }
            Self::Space(transform) => {
                let stored = row.to_vec();
                if transform.transform(&stored, row).is_err() {
                    row.copy_from_slice(&stored);
                }
            }
        }
    }
}

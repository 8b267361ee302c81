//! Files of kinds that are known and not read: each is refused with a way out.

use facsimile_vision::Raster;

use super::jpeg::{Inks, Jpeg};
use super::others::drawing;
use super::{Case, Outcome::Refused, case};
use crate::files::fixture;

/// Whole files as other programs write them, with what they are called.
fn whole() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("an AVIF", fixture("images/quarters.avif")),
        ("a HEIC", fixture("images/quarters.heic")),
        ("a JPEG XL", fixture("images/quarters.jxl")),
        ("a JPEG XL", fixture("images/quarters-in-boxes.jxl")),
        ("a PDF", fixture("images/quarters.pdf")),
        ("an arithmetic-coded JPEG", Jpeg { frame: Some(0xc9), ..Jpeg::new(Inks::YCbCr, None) }.file()),
        ("an SVG with", drawing("<image href='data:image/png;base64,iVBORw0KGgo='/>")),
    ]
}

pub(super) fn cases() -> Vec<Case> {
    let unsupported = |(name, file): (&str, Vec<u8>)| case(name, file, Refused("image_unsupported"));
    let beginnings: [(&str, &[u8]); 4] = [
        ("HEIC of another brand", b"\0\0\0\x24ftypheix\0\0\0\0mif1heixmiafMiHBmiaf"),
        ("Photoshop", b"8BPS\0\x01"),
        ("gzip", b"\x1f\x8b\x08\0"),
        ("BigTIFF, big end first", b"MM\0+\0\x08\0\0"),
    ];
    let beginnings = beginnings.into_iter().map(|(name, start)| (name, start.to_vec()));
    whole().into_iter().chain(beginnings).map(unsupported).collect()
}

#[test]
fn each_is_called_by_its_name_and_told_how_to_become_a_picture() {
    for (kind, file) in whole() {
        let message = Raster::decode(&file).unwrap_err().to_string();
        assert!(message.contains(kind) && message.contains("PNG"), "{message}");
    }
}

#[test]
fn one_that_is_cut_is_still_known_by_its_first_bytes() {
    for (kind, file) in whole().into_iter().take(5) {
        for tenth in 1..10 {
            let cut = &file[..(file.len() * tenth / 10).max(16)];
            let message = Raster::decode(cut).unwrap_err().to_string();
            assert!(message.contains(kind), "{kind} at {tenth}0 %: {message}");
        }
    }
}

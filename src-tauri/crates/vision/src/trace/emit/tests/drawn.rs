use super::super::{Layout, emit};
use crate::raster::Raster;
use crate::trace::facts::{Align, BoxFact, Facts, Gaps, ImageFact, ImageKind, TextFact};

/// A page drawn by hand; letters are 8 px wide and lines 20 px high.
pub(super) struct Drawn(Facts);

impl Drawn {
    pub(super) fn page(width: u32, height: u32) -> Self {
        Self(Facts {
            width,
            height,
            scale: 1,
            background: [255; 3],
            texts: Vec::new(),
            boxes: Vec::new(),
            palette: Vec::new(),
            images: Vec::new(),
            gaps: Gaps::default(),
        })
    }

    pub(super) fn text(mut self, x: f32, y: f32, text: &str) -> Self {
        let w = 8.0 * text.chars().count() as f32;
        self.0.texts.push(TextFact {
            text: text.to_owned(),
            x,
            y,
            w,
            h: 20.0,
            fs: 16.0,
            fw: 400,
            it: false,
            ff: "Arial, sans-serif".to_owned(),
            color: [20, 20, 20],
            alpha: 1.0,
            align: Align::Left,
            base: y + 16.0,
            ls: 0.0,
            bg: Some([255; 3]),
            ink: [x as i32, y as i32 + 4, w as i32, 13],
            runs: Vec::new(),
        });
        self
    }

    pub(super) fn look(mut self, change: impl Fn(&mut TextFact)) -> Self {
        self.0.texts.last_mut().map(change);
        self
    }

    pub(super) fn filled(mut self, [x, y, w, h]: [f32; 4], color: [u8; 3]) -> Self {
        let [r, g, b] = color.map(f32::from);
        self.0.boxes.push(BoxFact {
            x,
            y,
            w,
            h,
            bg: Some([r, g, b, 1.0]),
            bw: [0.0; 4],
            bc: [0; 3],
            r: 0.0,
            img: false,
            bgi: false,
            sh: false,
            gradient: None,
            shadow: None,
        });
        self
    }

    pub(super) fn outlined(mut self, area: [f32; 4]) -> Self {
        self = self.filled(area, [255; 3]);
        if let Some(painted) = self.0.boxes.last_mut() {
            (painted.bw, painted.bc) = ([1.0; 4], [200; 3]);
        }
        self
    }

    pub(super) fn image(mut self, [x, y, w, h]: [f32; 4]) -> Self {
        self.0.images.push(ImageFact { x, y, w, h, kind: ImageKind::Icon });
        self
    }

    pub(super) fn html(mut self) -> String {
        self.0.boxes.sort_by(|a, b| (b.w * b.h).total_cmp(&(a.w * a.h)));
        let (width, height) = (self.0.width, self.0.height);
        let raster = Raster::from_rgb(width, height, vec![255; (width * height * 3) as usize]).unwrap();
        emit(&self.0, &raster, Layout::Flowing, &|_, extension| format!("a.{extension}")).html
    }

    /// What stands in the body without its blanks.
    pub(super) fn body(self) -> String {
        let html = self.html();
        let body = html.split("<body>").nth(1).unwrap().split("</body>").next().unwrap();
        body.lines().map(str::trim).collect()
    }
}

//! Pages of frames: nothing but frames and what is said without them.

use super::Builder;
use crate::project::address::token::StartTag;

impl Builder<'_> {
    /// Whether frames stand in the place of a body.
    pub(super) fn has_frames(&self) -> bool {
        self.body.is_some_and(|body| self.nodes[body].name == "frameset")
    }

    /// Frames hold frames; whatever else is written there is not read.
    pub(super) fn start_in_frames(&mut self, tag: StartTag) {
        let is_in_set = self.top_name() == Some("frameset");
        match tag.name.as_str() {
            "html" => self.adopt(Some(0), tag),
            "frameset" if is_in_set => {
                self.open_html(tag, false);
            }
            "frame" if is_in_set => {
                self.open_html(tag, true);
            }
            "noframes" => {
                self.open_html(tag, false);
            }
            _ => {}
        }
    }
}

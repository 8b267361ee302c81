use std::fmt::Write;

use super::{escaped, title};
use crate::trace::facts::Facts;

/// What is in a document besides its head's usual lines.
pub(super) struct Document<'a> {
    pub(super) facts: &'a Facts,
    pub(super) css: &'a str,
    pub(super) body: &'a str,
}

impl Document<'_> {
    pub(super) fn html(&self) -> String {
        let mut html =
            String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        let _ = write!(
            html,
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n",
            escaped(&title::title(self.facts))
        );
        let _ =
            write!(html, "<style>\n{}</style>\n</head>\n<body>\n{}</body>\n</html>\n", self.css, self.body);
        html
    }
}

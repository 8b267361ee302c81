//! What was found when a page was looked over.

use serde::Serialize;

/// Everything wrong with a page, as facts. What was not looked at is empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PageFindings {
    /// HTML, CSS and scripts that do not parse, and references to files that are not there.
    pub problems: Vec<String>,
    /// What the page's scripts and its console said.
    pub errors: Vec<String>,
    /// What did not load.
    pub failed: Vec<String>,
    /// What the preview does not let a page load from elsewhere.
    pub blocked: Vec<String>,
    /// How far the page is wider than a phone, 390 px; 0 where it fits.
    pub overflow_px: f64,
    /// What makes it so.
    pub overflow: Vec<Overflow>,
    /// Text that is hard to read.
    pub contrast: Vec<Contrast>,
    /// How close the page is to its screenshot, 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Where it differs most, in words, worst first.
    pub worst: Vec<String>,
    /// What could not be looked at, and why.
    pub notes: Vec<String>,
}

/// An element that is wider than a phone.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Overflow {
    /// A CSS selector of it.
    pub selector: String,
    /// Its right edge.
    pub right_px: f64,
}

/// A text that is hard to read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contrast {
    /// A CSS selector of its element.
    pub selector: String,
    /// How it begins.
    pub text: String,
    /// The contrast it has.
    pub ratio: f64,
    /// The contrast it needs at its size.
    pub needed: f64,
}

impl PageFindings {
    /// What a model has to mend, one line each; the score is another matter.
    pub fn mistakes(&self) -> Vec<String> {
        let errors = self.errors.iter().map(|error| format!("the console says: {error}"));
        let failed = self.failed.iter().map(|what| format!("not loaded: {what}"));
        let overflow = (self.overflow_px >= 1.0).then(|| {
            let who: Vec<_> = self.overflow.iter().take(3).map(|wide| wide.selector.as_str()).collect();
            let by = if who.is_empty() { String::new() } else { format!(", by {}", who.join(" and ")) };
            format!("at 390 px the page is {:.0} px too wide{by}", self.overflow_px)
        });
        self.problems.iter().cloned().chain(errors).chain(failed).chain(overflow).collect()
    }
}

//! Why a change is not made.

/// Why an element cannot be changed so. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChangeRefused {
    /// The page is another than the one the element was picked from.
    #[error("the page has changed since the element was picked; pick it again")]
    OtherVersion,
    /// No start tag begins there.
    #[error("no element begins at byte {at} of the page; pick an element again")]
    NoElement {
        /// The place that was named.
        at: usize,
    },
    /// The element's text is mixed with elements.
    #[error("<{tag}> holds other elements; pick one of them, or one of its texts by number")]
    HoldsElements {
        /// The element.
        tag: String,
    },
    /// The element's text is in several pieces.
    #[error("<{tag}> holds {count} texts in different places; name one by its number")]
    SeveralTexts {
        /// The element.
        tag: String,
        /// How many texts it holds.
        count: usize,
    },
    /// The element has fewer texts.
    #[error("<{tag}> has {count} texts of its own, counted from 0, and none of them is number {number}")]
    NoSuchText {
        /// The element.
        tag: String,
        /// Which text was named.
        number: usize,
        /// How many texts it holds.
        count: usize,
    },
    /// A text cannot stand there.
    #[error("<{tag}> cannot hold text; pick an element in it or around it")]
    TakesNoText {
        /// The element.
        tag: String,
    },
    /// The text would be drawn in another element.
    #[error(
        "a text put into <{tag}> would be read as part of an element that was left open before it; end that element in the code first"
    )]
    LandsElsewhere {
        /// The element.
        tag: String,
    },
    /// The text would end the element.
    #[error("the text holds {found:?}, which would end or reopen <{tag}>; write it another way")]
    WouldEnd {
        /// The element.
        tag: String,
        /// What the text holds.
        found: String,
    },
    /// A character that a page cannot hold.
    #[error("the text holds a character that no page can hold (U+{code:04X}); leave it out")]
    Unspeakable {
        /// The character.
        code: u32,
    },
    /// The name is none.
    #[error("{name:?} cannot be the name of {what}; use letters, digits and hyphens")]
    BadName {
        /// What was to be named.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// The value would run into others.
    #[error("{value:?} is not one value of a style: {why}")]
    BadValue {
        /// The value.
        value: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// What is there already cannot be added to.
    #[error("the element's style ends inside a string or a bracket; correct it in the code first")]
    BrokenStyle,
    /// It is so already.
    #[error("nothing to do: the element is so already")]
    NothingToDo,
}

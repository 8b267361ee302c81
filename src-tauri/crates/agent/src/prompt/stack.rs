//! The kinds of source a page can be written in.

use super::text;

/// What a page is made with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Stack {
    /// HTML with Tailwind's utilities.
    #[default]
    HtmlTailwind,
    /// HTML with style sheets of its own.
    HtmlCss,
    /// Bootstrap.
    Bootstrap,
    /// React, compiled in the page, with Tailwind.
    ReactTailwind,
    /// Vue with Tailwind.
    VueTailwind,
    /// Ionic's web components with Tailwind.
    IonicTailwind,
    /// One drawing.
    Svg,
}

impl Stack {
    /// All of them, in the order they are offered.
    pub const ALL: [Self; 7] = [
        Self::HtmlTailwind,
        Self::HtmlCss,
        Self::Bootstrap,
        Self::ReactTailwind,
        Self::VueTailwind,
        Self::IonicTailwind,
        Self::Svg,
    ];

    /// The stack of a name as settings and the command line write it.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stack| stack.as_str() == name)
    }

    /// Its name in settings and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::HtmlTailwind => "html-tailwind",
            Self::HtmlCss => "html-css",
            Self::Bootstrap => "bootstrap",
            Self::ReactTailwind => "react-tailwind",
            Self::VueTailwind => "vue-tailwind",
            Self::IonicTailwind => "ionic-tailwind",
            Self::Svg => "svg",
        }
    }

    /// Its name for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::HtmlTailwind => "HTML + Tailwind",
            Self::HtmlCss => "HTML + CSS",
            Self::Bootstrap => "Bootstrap",
            Self::ReactTailwind => "React + Tailwind",
            Self::VueTailwind => "Vue + Tailwind",
            Self::IonicTailwind => "Ionic + Tailwind",
            Self::Svg => "SVG",
        }
    }

    pub(super) fn text(self) -> &'static str {
        match self {
            Self::HtmlTailwind => text::HTML_TAILWIND,
            Self::HtmlCss => text::HTML_CSS,
            Self::Bootstrap => text::BOOTSTRAP,
            Self::ReactTailwind => text::REACT_TAILWIND,
            Self::VueTailwind => text::VUE_TAILWIND,
            Self::IonicTailwind => text::IONIC_TAILWIND,
            Self::Svg => text::SVG,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_is_found_by_its_name_alone() {
        let found = Stack::ALL.map(|stack| Stack::parse(stack.as_str()));
        assert_eq!(found, Stack::ALL.map(Some));
        assert_eq!(["HTML + CSS", "Svg", ""].map(Stack::parse), [None; 3]);
    }
}

//! What HTML says about its elements: which have no content, which end others, which stand in for others.

/// Elements that have no content and no end tag.
pub(crate) fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "basefont"
            | "bgsound"
            | "br"
            | "col"
            | "embed"
            | "frame"
            | "hr"
            | "img"
            | "image"
            | "input"
            | "keygen"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

/// Elements that belong into the head when they stand before the body.
pub(super) fn is_of_head(name: &str) -> bool {
    matches!(
        name,
        "base"
            | "basefont"
            | "bgsound"
            | "link"
            | "meta"
            | "title"
            | "noscript"
            | "noframes"
            | "style"
            | "script"
            | "template"
    )
}

/// Elements whose beginning ends an open paragraph.
pub(super) fn ends_paragraph(name: &str) -> bool {
    is_heading(name)
        || matches!(
            name,
            "address"
                | "article"
                | "aside"
                | "blockquote"
                | "center"
                | "dd"
                | "details"
                | "dialog"
                | "dir"
                | "div"
                | "dl"
                | "dt"
                | "fieldset"
                | "figcaption"
                | "figure"
                | "footer"
                | "form"
                | "header"
                | "hgroup"
                | "hr"
                | "li"
                | "listing"
                | "main"
                | "menu"
                | "nav"
                | "ol"
                | "p"
                | "plaintext"
                | "pre"
                | "search"
                | "section"
                | "summary"
                | "ul"
                | "xmp"
        )
}

/// `h1` to `h6`.
pub(super) fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// Elements of mere looks, whose end tags may cross others.
pub(super) fn is_formatting(name: &str) -> bool {
    matches!(
        name,
        "a" | "b"
            | "big"
            | "code"
            | "em"
            | "font"
            | "i"
            | "nobr"
            | "s"
            | "small"
            | "strike"
            | "strong"
            | "tt"
            | "u"
    )
}

/// Elements before which looks that were left open go on.
pub(super) fn goes_on_formatted(name: &str) -> bool {
    let stands_alone = ends_paragraph(name)
        || is_of_head(name)
        || matches!(
            name,
            "table"
                | "hr"
                | "param"
                | "source"
                | "track"
                | "textarea"
                | "iframe"
                | "noembed"
                | "rb"
                | "rtc"
                | "rp"
                | "rt"
        );
    !stands_alone || name == "xmp"
}

/// Elements that an end tag of another kind does not close.
pub(super) fn is_special(name: &str) -> bool {
    is_void(name) && name != "param" && name != "track"
        || is_of_head(name)
        || ends_paragraph(name)
        || is_scope(name)
        || is_table_part(name)
        || matches!(
            name,
            "body" | "button" | "frameset" | "head" | "iframe" | "noembed" | "select" | "textarea"
        )
}

/// Elements that hide what is open around them.
pub(super) fn is_scope(name: &str) -> bool {
    matches!(name, "applet" | "caption" | "html" | "table" | "td" | "th" | "marquee" | "object" | "template")
}

/// Elements that mean something only inside a table.
pub(super) fn is_table_part(name: &str) -> bool {
    is_table_section(name) || matches!(name, "caption" | "colgroup" | "col" | "tr" | "td" | "th")
}

/// `tbody`, `thead`, `tfoot`.
pub(super) fn is_table_section(name: &str) -> bool {
    matches!(name, "tbody" | "thead" | "tfoot")
}

/// Elements that only hold other parts of a table; what else stands there goes in front of it.
pub(super) fn is_table_frame(name: &str) -> bool {
    is_table_section(name) || matches!(name, "table" | "tr")
}

/// Elements whose end may be left out before another's end.
pub(super) fn may_end_unsaid(name: &str) -> bool {
    matches!(name, "dd" | "dt" | "li" | "optgroup" | "option" | "p" | "rb" | "rp" | "rt" | "rtc")
}

/// Elements of HTML that end whatever is open of SVG and MathML.
pub(super) fn leaves_foreign(name: &str) -> bool {
    is_heading(name)
        || matches!(
            name,
            "b" | "big"
                | "blockquote"
                | "body"
                | "br"
                | "center"
                | "code"
                | "dd"
                | "div"
                | "dl"
                | "dt"
                | "em"
                | "embed"
                | "head"
                | "hr"
                | "i"
                | "img"
                | "li"
                | "listing"
                | "menu"
                | "meta"
                | "nobr"
                | "ol"
                | "p"
                | "pre"
                | "ruby"
                | "s"
                | "small"
                | "span"
                | "strong"
                | "strike"
                | "sub"
                | "sup"
                | "table"
                | "tt"
                | "u"
                | "ul"
                | "var"
        )
}

/// Attributes with which `font` is of HTML wherever it stands.
pub(super) fn styles_font(attribute: &str) -> bool {
    ["color", "face", "size"].iter().any(|name| attribute.eq_ignore_ascii_case(name))
}

/// The spelling that an element of SVG gets in a document, whatever was written.
pub(super) fn spelled_in_svg(name: &str) -> &str {
    const MIXED: [&str; 36] = [
        "altGlyph",
        "altGlyphDef",
        "altGlyphItem",
        "animateColor",
        "animateMotion",
        "animateTransform",
        "clipPath",
        "feBlend",
        "feColorMatrix",
        "feComponentTransfer",
        "feComposite",
        "feConvolveMatrix",
        "feDiffuseLighting",
        "feDisplacementMap",
        "feDistantLight",
        "feDropShadow",
        "feFlood",
        "feFuncA",
        "feFuncB",
        "feFuncG",
        "feFuncR",
        "feGaussianBlur",
        "feImage",
        "feMerge",
        "feMergeNode",
        "feMorphology",
        "feOffset",
        "fePointLight",
        "feSpecularLighting",
        "feSpotLight",
        "feTile",
        "feTurbulence",
        "foreignObject",
        "linearGradient",
        "radialGradient",
        "textPath",
    ];
    MIXED.into_iter().find(|mixed| mixed.eq_ignore_ascii_case(name)).unwrap_or(match name {
        "glyphref" => "glyphRef",
        other => other,
    })
}

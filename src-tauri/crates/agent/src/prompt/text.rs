//! The words of the prompts, from `text/*.md`.

use super::libraries::LIBRARIES;

macro_rules! texts {
    ($($name:ident = $file:literal;)*) => {
        $(pub(super) const $name: &str = include_str!(concat!("text/", $file));)*
        /// Every text with its file's name.
        pub(super) const ALL: &[(&str, &str)] = &[$(($file, $name)),*];
    };
}

texts! {
    SYSTEM = "system.md";
    ENDING = "ending.md";
    ENDING_READ_ONLY = "ending-read-only.md";
    TOOLS = "tools.md";
    TOOLS_CREATE = "tools-create.md";
    TOOLS_EDIT = "tools-edit.md";
    TOOLS_SAVE = "tools-save.md";
    TOOLS_LOOK = "tools-look.md";
    TOOLS_CHECK = "tools-check.md";
    TOOLS_OPTION = "tools-option.md";
    NO_TOOLS = "no-tools.md";
    HTML_TAILWIND = "stack/html-tailwind.md";
    HTML_CSS = "stack/html-css.md";
    BOOTSTRAP = "stack/bootstrap.md";
    REACT_TAILWIND = "stack/react-tailwind.md";
    VUE_TAILWIND = "stack/vue-tailwind.md";
    IONIC_TAILWIND = "stack/ionic-tailwind.md";
    SVG = "stack/svg.md";
    PLACEHOLDERS = "images/placeholders.md";
    CROPS = "images/crops.md";
    CROPS_EXTRACT = "images/crops-extract.md";
    GENERATE = "images/generate.md";
    CREATE_FROM_IMAGE = "create-from-image.md";
    CREATE_FROM_IMAGES = "create-from-images.md";
    CREATE_FROM_TEXT = "create-from-text.md";
    UPDATE = "update.md";
    ANSWER = "answer.md";
    PLAN = "plan.md";
    ROUTER = "router.md";
    UPDATE_WITH_IMAGES = "update-with-images.md";
    FACTS = "facts.md";
    READY_PICTURES = "ready-pictures.md";
    FILES = "files.md";
    CARD = "card.md";
    ELEMENT = "element.md";
    DESIGN_RULES = "design-rules.md";
    REQUEST = "request.md";
}

/// A text of ours with its blanks filled: `{{name}}` becomes the value, or the address of the library of that
/// name. Only ever called before foreign text is added.
pub(super) fn filled(text: &str, values: &[(&str, &str)]) -> String {
    let mut whole = text.trim_end().to_owned();
    for (name, value) in values {
        whole = whole.replace(&format!("{{{{{name}}}}}"), value);
    }
    for library in LIBRARIES {
        whole = whole.replace(&format!("{{{{{}}}}}", library.name), &library.address());
    }
    whole
}

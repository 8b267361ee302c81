//! The rules of every traced page, as far as it needs them.

/// What elements are before they have a class.
pub(super) fn rules(body: &str, background: &str) -> String {
    let has = |tag: &str| body.contains(&format!("<{tag} ")) || body.contains(&format!("<{tag}>"));
    let columns: Vec<&str> = [
        "div", "header", "main", "aside", "section", "footer", "nav", "ul", "li", "table", "thead", "tbody",
        "tr", "th", "td",
    ]
    .into_iter()
    .filter(|tag| has(tag))
    .collect();
    let mut rules = String::from("* { box-sizing: border-box; margin: 0; padding: 0; max-width: 100%; }\n");
    rules += &format!("body {{ background: {background}; overflow-wrap: anywhere; }}\n");
    rules += &format!("{} {{ display: flex; flex-direction: column; }}\n", columns.join(", "));
    let wanted = [
        ("img", "img { display: block; height: auto; flex: none; }\n"),
        ("th", "th { text-align: left; }\n"),
        ("ul", "ul { list-style: none; }\n"),
        ("pre", "pre { white-space: pre; overflow-x: auto; }\npre code { font: inherit; }\n"),
        (
            "input",
            "input { border: 0; background: none; min-width: 0; }\n::placeholder { color: inherit; opacity: 1; }\n",
        ),
        ("button", "button { border: 0; background: none; }\n"),
    ];
    for (tag, rule) in wanted {
        if has(tag) {
            rules += rule;
        }
    }
    rules
}

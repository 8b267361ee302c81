//! What a model is shown of a page before it changes it.

use crate::project::{ProjectFiles, ProjectPath};

/// The file in which a project keeps its design rules.
pub const DESIGN_RULES: &str = "DESIGN.md";
/// So many variables of a text are told.
const MOST_VARIABLES: usize = 120;

/// The design rules that lie in a project.
pub fn design_rules(files: &ProjectFiles) -> Option<&str> {
    files.iter().find(|(path, _)| is_design_rules(path)).map(|(_, text)| text)
}

/// Whether a path is that of the design rules.
pub fn is_design_rules(path: &ProjectPath) -> bool {
    path.as_str() == DESIGN_RULES
}

/// The custom properties that the `:root` rules of a sheet or page set, in order, such as `--ink: #111`.
pub fn root_variables(text: &str) -> Vec<String> {
    let mut variables = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(":root") {
        rest = &rest[at + ":root".len()..];
        let Some(open) = rest.find(['{', '}', ';']).filter(|open| rest[*open..].starts_with('{')) else {
            continue;
        };
        let body = &rest[open + 1..];
        let end = body.find('}').unwrap_or(body.len());
        variables.extend(without_comments(&body[..end]).split(';').filter_map(variable));
        rest = &body[end..];
    }
    variables.truncate(MOST_VARIABLES);
    variables
}

fn variable(declaration: &str) -> Option<String> {
    let (name, value) = declaration.split_once(':')?;
    let (name, value) = (name.trim(), value.split_whitespace().collect::<Vec<_>>().join(" "));
    (name.starts_with("--") && !value.is_empty()).then(|| format!("{name}: {value}"))
}

fn without_comments(css: &str) -> String {
    let mut kept = String::new();
    let mut rest = css;
    while let Some((before, comment)) = rest.split_once("/*") {
        kept.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_of_every_root_rule_are_given_and_nothing_else() {
        let css =
            "a:root, html { --ink: #111; color: red; --gap:\n  4px  8px;/* --old: 1; */ --last: url(x) }
            p { --no: 1 } @media (dark) { :root { --ink: #eee } } :root; :root { --empty:; --cut: 2";
        assert_eq!(
            root_variables(css),
            ["--ink: #111", "--gap: 4px 8px", "--last: url(x)", "--ink: #eee", "--cut: 2"]
        );
    }

    #[test]
    fn a_flood_of_variables_is_cut() {
        let css = format!(":root {{ {} }}", "--a: 1; ".repeat(2 * MOST_VARIABLES));
        assert_eq!(root_variables(&css).len(), MOST_VARIABLES);
    }
}

//! The stylesheet of a traced page in a file of its own, as designers keep it.

/// Splits the one plain `<style>` of a page's head into a linked stylesheet: the page and the sheet. `None`
/// if there is no such element, or more than one.
pub(crate) fn separate_styles(html: &str, sheet_path: &str) -> Option<(String, String)> {
    const OPEN: &str = "<style>";
    const CLOSE: &str = "</style>";
    let head = &html[..html.find("</head>").or_else(|| html.find("<body"))?];
    let start = head.find(OPEN)?;
    let end = start + head[start..].find(CLOSE)?;
    if html[end..].contains("<style") {
        return None;
    }
    let css = head[start + OPEN.len()..end].trim_start_matches('\n');
    let page = format!(
        "{}<link rel=\"stylesheet\" href=\"{sheet_path}\">{}",
        &html[..start],
        &html[end + CLOSE.len()..]
    );
    Some((page, css.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_style_in_the_head_becomes_a_link_and_a_sheet() {
        let page = "<head><title>x</title>\n<style>\np { margin: 0 }\n</style>\n</head><body><p>hi";
        assert_eq!(
            separate_styles(page, "styles.css"),
            Some((
                "<head><title>x</title>\n<link rel=\"stylesheet\" href=\"styles.css\">\n</head><body><p>hi"
                    .to_owned(),
                "p { margin: 0 }\n".to_owned()
            ))
        );
    }

    #[test]
    fn several_styles_or_none_are_left_where_they_are() {
        for page in ["<head></head><body>", "<head><style>a{}</style><style>b{}</style></head>", "<p>no head"]
        {
            assert_eq!(separate_styles(page, "styles.css"), None, "{page}");
        }
    }
}

//! What elements ask for by name: in attributes, in their own style and in style sheets.

use resvg::usvg::roxmltree::{Document, Node};
use simplecss::{AttributeOperator, DeclarationTokenizer, Element, PseudoClass, Rule, StyleSheet};

// Each rule is held against each element.
const MOST_MATCHES: usize = 50_000_000;

/// Where something that is asked for is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// Once, where the element is that asks.
    Element,
    /// Once at each shape inside.
    Shape,
    /// At each corner of each shape inside.
    EachCorner,
}

/// Something an element asks for.
pub(super) struct Given<'a> {
    pub(super) wish: Wish,
    pub(super) name: &'a str,
}

impl<'a> Given<'a> {
    fn of(property: &str, value: &'a str) -> Option<Self> {
        let wish = match property {
            "clip-path" | "filter" | "mask" => Wish::Element,
            "fill" | "marker-end" | "marker-start" | "stroke" => Wish::Shape,
            "marker" | "marker-mid" => Wish::EachCorner,
            _ => return None,
        };
        // As in `url(#name)`.
        let (_, name) = value.split_once('#')?;
        Some(Self { wish, name: name.split([')', '\'', '"']).next()?.trim() })
    }
}

/// The style sheets of a document.
pub(super) struct Styles<'a> {
    /// Those rules that ask for something by name.
    rules: Vec<Rule<'a>>,
}

impl<'a> Styles<'a> {
    /// Nothing when holding all rules against all elements takes too long.
    pub(super) fn of(document: &'a Document) -> Option<Self> {
        let mut sheet = StyleSheet::new();
        let styles = document.descendants().filter(|node| node.tag_name().name() == "style");
        styles.filter_map(|style| style.text()).for_each(|text| sheet.parse_more(text));
        let elements = document.descendants().filter(Node::is_element).count();
        let StyleSheet { mut rules } = sheet;
        let is_soon = rules.len().saturating_mul(elements) <= MOST_MATCHES;
        rules.retain(|rule| rule.declarations.iter().any(|said| Given::of(said.name, said.value).is_some()));
        is_soon.then_some(Self { rules })
    }

    /// What an element asks for, whichever of it wins.
    pub(super) fn given_to(&'a self, node: Node<'a, '_>) -> Vec<Given<'a>> {
        let attributes = node.attributes().map(|attribute| (attribute.name(), attribute.value()));
        let own = DeclarationTokenizer::from(node.attribute("style").unwrap_or_default());
        let rules = self.rules.iter().filter(|rule| rule.selector.matches(&Styled(node)));
        let sheets = rules.flat_map(|rule| rule.declarations.iter().copied());
        let styled = own.chain(sheets).map(|said| (said.name, said.value));
        attributes.chain(styled).filter_map(|(property, value)| Given::of(property, value)).collect()
    }
}

struct Styled<'a, 'input>(Node<'a, 'input>);

impl Element for Styled<'_, '_> {
    fn parent_element(&self) -> Option<Self> {
        self.0.parent_element().map(Self)
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        self.0.prev_sibling_element().map(Self)
    }

    fn has_local_name(&self, name: &str) -> bool {
        self.0.tag_name().name() == name
    }

    fn attribute_matches(&self, name: &str, operator: AttributeOperator) -> bool {
        self.0.attribute(name).is_some_and(|value| operator.matches(value))
    }

    fn pseudo_class_matches(&self, class: PseudoClass) -> bool {
        matches!(class, PseudoClass::FirstChild) && self.0.prev_sibling_element().is_none()
    }
}

//! One change of several elements.

use super::{Change, ChangeRefused, Outline, Patch, Pick, SourceVersion};

/// A page after a change of one or more elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The new source.
    pub source: String,
    /// The element that was picked, as it is named in the new source.
    pub pick: Pick,
    /// How many elements are different now.
    pub changed: usize,
}

impl Outline<'_> {
    /// The page with the element that was picked changed.
    pub fn changed(&self, pick: &Pick, change: &Change) -> Result<Rewritten, ChangeRefused> {
        self.rewritten(pick, &[self.patch(pick, change)?])
    }

    /// The page with every element changed that has the name and the classes of the one that was picked; those that
    /// are so already stay. One of them that cannot be changed so leaves all as they are.
    pub fn changed_alike(&self, pick: &Pick, change: &Change) -> Result<Rewritten, ChangeRefused> {
        let mut patches = Vec::new();
        for element in self.element(pick)?.alike() {
            match self.patch(&element.pick(), change) {
                Err(ChangeRefused::NothingToDo) => {}
                patch => patches.push(patch?),
            }
        }
        match patches.is_empty() {
            true => Err(ChangeRefused::NothingToDo),
            false => self.rewritten(pick, &patches),
        }
    }

    /// The source with patches applied that stand in the order of their places and touch different bytes: what changes
    /// one element alone lies in its start tag or in a text of its own.
    fn rewritten(&self, pick: &Pick, patches: &[Patch]) -> Result<Rewritten, ChangeRefused> {
        let mut ordered: Vec<_> = patches.iter().collect();
        ordered.sort_by_key(|patch| patch.range.start);
        let added: usize = ordered.iter().map(|patch| patch.text.len()).sum();
        let mut source = String::with_capacity(self.source.len() + added);
        let (mut read, mut at) = (0, pick.at);
        for patch in ordered {
            // What overlaps was made for two readings of the page.
            let kept = self.source.get(read..patch.range.start).ok_or(ChangeRefused::OtherVersion)?;
            source.push_str(kept);
            if patch.range.end <= pick.at {
                at = at + patch.text.len() - patch.range.len();
            }
            source.push_str(&patch.text);
            read = patch.range.end;
        }
        source.push_str(&self.source[read..]);
        let pick = Pick { at, version: SourceVersion::of(&source) };
        Ok(Rewritten { source, pick, changed: patches.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::WhichText;
    use super::*;

    const PAGE: &str =
        "<ul><li class=\"a b\">One</li>\n<li class='a  b' style=\"color:red\">Two<li class=b>Other</ul>";

    fn pick(tag_at: &str) -> Pick {
        Pick { at: PAGE.find(tag_at).unwrap(), version: SourceVersion::of(PAGE) }
    }

    #[test]
    fn a_change_of_all_alike_touches_those_with_the_same_name_and_classes_and_names_the_picked_one_anew() {
        let change = Change::SetStyle { property: "color".to_owned(), value: "#123456".to_owned() };
        let rewritten = Outline::of(PAGE).changed_alike(&pick("<li class='a"), &change).unwrap();
        let expected = "<ul><li class=\"a b\" style=\"color: #123456\">One</li>\n<li class='a  b' style=\"color:#123456\">Two<li class=b>Other</ul>";
        let at = expected.find("<li class='a").unwrap();
        let pick = Pick { at, version: SourceVersion::of(expected) };
        assert_eq!(rewritten, Rewritten { source: expected.to_owned(), pick, changed: 2 });
    }

    #[test]
    fn those_that_are_so_already_stay_and_nothing_to_do_for_all_is_said() {
        let red = Change::SetStyle { property: "color".to_owned(), value: "red".to_owned() };
        let outline = Outline::of(PAGE);
        let once = outline.changed_alike(&pick("<li class='a"), &red).unwrap();
        let again = Outline::of(&once.source).changed_alike(&once.pick, &red);
        assert_eq!((once.changed, again), (1, Err(ChangeRefused::NothingToDo)));
    }

    #[test]
    fn one_that_cannot_be_changed_so_leaves_all_as_they_are() {
        let page = "<p>plain</p><p>with <b>bold</b> text</p>";
        let pick = Pick { at: 0, version: SourceVersion::of(page) };
        let change = Change::Text { which: WhichText::Whole, text: "new".to_owned() };
        let refused = Outline::of(page).changed_alike(&pick, &change);
        assert_eq!(refused, Err(ChangeRefused::HoldsElements { tag: "p".to_owned() }));
    }

    #[test]
    fn nested_elements_that_are_alike_are_all_changed() {
        let page = "<div>a<div>b</div></div>";
        let pick = Pick { at: 6, version: SourceVersion::of(page) };
        let change = Change::AddClass { name: "x".to_owned() };
        let rewritten = Outline::of(page).changed_alike(&pick, &change).unwrap();
        assert_eq!(rewritten.source, "<div class=\"x\">a<div class=\"x\">b</div></div>");
        assert_eq!(rewritten.source[rewritten.pick.at..].find("<div class=\"x\">b"), Some(0));
    }
}

//! Words that are about one element of the page.

use facsimile_agent::ProjectPath;
use facsimile_agent::RunStatus::Succeeded;
use facsimile_agent::project::address::{ChangeRefused, Pick, SourceVersion};
use facsimile_studio::{EditRefused, PickedElement, RunRequest, StudioError};

use super::{PAGE, edits, page, playing, says, wishes, with_page, words};
use crate::models::ended;

fn picked(source: &str) -> Option<PickedElement> {
    let pick = Pick { at: source.find("<p ").unwrap(), version: SourceVersion::of(source) };
    Some(PickedElement { path: ProjectPath::index(), pick })
}

#[tokio::test]
async fn a_model_is_told_of_the_element_that_the_words_are_about() {
    let (studio, project, _) = with_page();
    let server = playing([edits("Pots", "Pans"), says("Done.")]).await;
    let asked = RunRequest { selected: picked(PAGE), ..wishes(project, "Call it pans", &server) };

    let report = ended(&studio, asked).await;

    assert_eq!(report.state, Succeeded);
    let said = &words(&server.asked()[1])[1];
    let told = ["<p class=\"pale\">Pots</p>", "index.html:1", "html \\u003e p.pale", "1 of 1"];
    // The page itself is told as well, and holds the element.
    assert_eq!(told.map(|part| said.matches(part).count() >= 1), [true; 4], "{said}");
    assert_eq!(said.matches(told[0]).count(), 2, "{said}");
}

#[tokio::test]
async fn an_element_of_a_page_before_the_open_one_is_refused_before_anything_is_begun() {
    let (studio, project, _) = with_page();
    studio.keep_edit(project, "", &page(&PAGE.replace("Pots", "Bowls"))).unwrap();
    let server = playing([]).await;
    let asked = RunRequest { selected: picked(PAGE), ..wishes(project, "Call it pans", &server) };

    let refused = studio.start_run(asked).unwrap_err();

    let StudioError::Edit(refused) = refused else { panic!("{refused}") };
    assert_eq!(refused, EditRefused::Change(ChangeRefused::OtherVersion));
    assert_eq!((studio.runs_of(project).unwrap(), server.asked().len()), (vec![], 0));
}

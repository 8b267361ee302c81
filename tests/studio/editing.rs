//! Changes of one element by hand.

use facsimile_agent::project::address::{Change, ChangeRefused, Outline, Pick, SourceVersion, WhichText};
use facsimile_agent::{ProjectFiles, ProjectId, ProjectPath, VersionId};
use facsimile_studio::{AncestorView, EditRefused, Reach, Studio, StudioError};

use crate::models::studio;

const PAGE: &str = "<!doctype html>\r\n<html lang=en><title>Shop</title>\n<main id=shop>\n  <p class='card new'>Mug\u{a0}<p class='card new'>Bowl</main><script>if (1 < 2) go()</script>\n";

fn index() -> ProjectPath {
    ProjectPath::index()
}

fn kept(studio: &Studio) -> (ProjectId, VersionId) {
    let project = studio.store().projects().create("Shop").unwrap();
    let files: ProjectFiles = [(index(), PAGE.to_owned())].into_iter().collect();
    (project, studio.keep_edit(project, "", &files).unwrap())
}

fn pick(source: &str, start_tag: &str) -> Pick {
    Pick { at: source.find(start_tag).unwrap(), version: SourceVersion::of(source) }
}

fn open_text(studio: &Studio, project: ProjectId) -> String {
    studio.open_version(project).unwrap().unwrap().1.read(&index()).unwrap().to_owned()
}

fn text(text: &str) -> Change {
    Change::Text { which: WhichText::Whole, text: text.to_owned() }
}

#[tokio::test]
async fn a_change_becomes_an_open_version_with_every_other_byte_as_it_was_and_undo_gives_the_old_bytes() {
    let studio = studio();
    let (project, first) = kept(&studio);
    let bowl = pick(PAGE, "<p class='card new'>Bowl");
    let edited = studio.change_element(project, &index(), &bowl, &text("Wide <bowl>"), Reach::One).unwrap();
    let expected = PAGE.replace("Bowl", "Wide &lt;bowl&gt;");
    let (version, _) = studio.open_version(project).unwrap().unwrap();
    assert_eq!((version.id, version.parent, version.made_by), (edited.version, Some(first), None));
    assert_eq!((open_text(&studio, project), edited.changed), (expected.clone(), 1));
    assert_eq!(edited.pick, pick(&expected, "<p class='card new'>Wide"));
    studio.undo(project).unwrap();
    assert_eq!(open_text(&studio, project), PAGE);
}

#[tokio::test]
async fn an_element_that_was_picked_before_the_page_changed_is_refused_and_nothing_is_kept() {
    let studio = studio();
    let (project, _) = kept(&studio);
    let mug = pick(PAGE, "<p class='card new'>Mug");
    studio.change_element(project, &index(), &mug, &text("Cup"), Reach::One).unwrap();
    let before = studio.history(project).unwrap();
    let refused = studio.change_element(project, &index(), &mug, &text("Jug"), Reach::One).unwrap_err();
    let StudioError::Edit(refused) = refused else { panic!("{refused}") };
    assert_eq!(refused, EditRefused::Change(ChangeRefused::OtherVersion));
    assert_eq!((refused.code(), studio.history(project).unwrap()), ("stale_pick", before));
}

#[tokio::test]
async fn all_alike_are_changed_in_one_version_and_the_picked_one_is_named_anew() {
    let studio = studio();
    let (project, _) = kept(&studio);
    let bowl = pick(PAGE, "<p class='card new'>Bowl");
    let change = Change::AddClass { name: "wide".to_owned() };
    let edited = studio.change_element(project, &index(), &bowl, &change, Reach::Alike).unwrap();
    let expected = PAGE.replace("card new", "card new wide");
    assert_eq!((open_text(&studio, project), edited.changed), (expected.clone(), 2));
    assert_eq!(edited.pick, pick(&expected, "<p class='card new wide'>Bowl"));
}

#[tokio::test]
async fn an_element_is_told_with_its_line_its_ancestors_and_those_alike() {
    let studio = studio();
    let (project, version) = kept(&studio);
    let bowl = pick(PAGE, "<p class='card new'>Bowl");
    let told = studio.element(project, version, &index(), &bowl).unwrap();
    let outline = Outline::of(PAGE);
    let at = |start_tag: &str| PAGE.find(start_tag).unwrap();
    assert_eq!(told.description, outline.element(&bowl).unwrap().describe());
    assert_eq!((told.line, told.alike_texts), (4, 2));
    assert_eq!(told.alike_at, [at("<p class='card new'>Mug"), at("<p class='card new'>Bowl")]);
    let named = |name: &str, start_tag| AncestorView { name: name.to_owned(), at: at(start_tag) };
    let around =
        [named("html", "<html"), named("main#shop", "<main"), named("p.card", "<p class='card new'>Bowl")];
    assert_eq!(told.ancestors, around);
    let mug = at("<p class='card new'>Mug");
    assert_eq!((told.first_child, told.previous, told.next), (None, Some(mug), None));
    let main = studio.element(project, version, &index(), &pick(PAGE, "<main")).unwrap();
    assert_eq!(
        (main.first_child, main.previous, main.next),
        (Some(mug), Some(at("<title")), Some(at("<script")))
    );
}

#[tokio::test]
async fn a_file_that_is_no_page_and_a_project_without_one_are_refused() {
    let studio = studio();
    let (project, _) = kept(&studio);
    let empty = studio.store().projects().create("Empty").unwrap();
    let sheet = ProjectPath::parse("site.css").unwrap();
    let bowl = pick(PAGE, "<p class='card new'>Bowl");
    let refused = [(project, sheet.clone()), (empty, index())].map(|(project, path)| {
        studio.change_element(project, &path, &bowl, &text("x"), Reach::One).unwrap_err().to_string()
    });
    assert_eq!(refused, [EditRefused::NoSuchPage(sheet).to_string(), EditRefused::NoPage.to_string()]);
}

#[tokio::test]
async fn changes_at_the_same_time_are_made_one_after_the_other_or_refused() {
    let studio = studio();
    let (project, _) = kept(&studio);
    let mug = pick(PAGE, "<p class='card new'>Mug");
    let hands: Vec<_> = (0..8)
        .map(|n| {
            let (studio, mug) = (studio.clone(), mug.clone());
            std::thread::spawn(move || {
                studio.change_element(project, &index(), &mug, &text(&format!("Mug {n}")), Reach::One).is_ok()
            })
        })
        .collect();
    let done = hands.into_iter().map(|hand| hand.join().unwrap()).filter(|done| *done).count();
    assert_eq!((done, studio.history(project).unwrap().entries.len()), (1, 2));
}

//! The history of a project: nothing is ever removed, and the way through it can be walked back and forth.

use facsimile_agent::{ProjectFiles, ProjectId, ProjectPath, VersionId};
use facsimile_store::{HistoryStore, NewAsset, StoreError};
use facsimile_studio::{RunRequest, Studio, StudioError};
use tempfile::TempDir;
use tokio::runtime::Handle;

use crate::support::{drawn, request, studio, taken};

fn page(text: &str) -> ProjectFiles {
    [(ProjectPath::parse("index.html").unwrap(), text.to_owned())].into_iter().collect()
}

fn open_text(studio: &Studio, project: ProjectId) -> String {
    let (_, files) = studio.open_version(project).unwrap().unwrap();
    files.read(&ProjectPath::parse("index.html").unwrap()).unwrap().to_owned()
}

/// SplitMix64: the same numbers for the same seed, everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }
}

/// What the history should be: every text that was ever kept, and the way through them.
struct Model {
    kept: Vec<(VersionId, String)>,
    way: Vec<usize>,
    at: usize,
}

impl Model {
    fn open(&self) -> usize {
        self.way[self.at]
    }

    fn step_to(&mut self, which: usize) {
        if which != self.open() {
            self.way.truncate(self.at + 1);
            self.way.push(which);
            self.at += 1;
        }
    }

    fn keep(&mut self, id: VersionId, text: String) {
        self.kept.push((id, text));
        self.step_to(self.kept.len() - 1);
    }
}

/// S-56 and S-57. 10,000 steps, or as many as `FACSIMILE_TEST_STEPS` says.
#[tokio::test]
async fn a_random_walk_equals_its_model_and_undoing_all_gives_the_first_bytes() {
    let steps = std::env::var("FACSIMILE_TEST_STEPS").map_or(10_000, |steps| steps.parse().unwrap());
    let folder = TempDir::new().unwrap();
    let opened = || Studio::over(HistoryStore::open(folder.path()).unwrap(), Handle::current()).unwrap();
    let mut studio = opened();
    let project = studio.store().projects().create("Walk").unwrap();
    let first = studio.keep_edit(project, "", &page("the first bytes")).unwrap();
    let mut model = Model { kept: vec![(first, "the first bytes".to_owned())], way: vec![0], at: 0 };
    let mut numbers = Numbers(57);
    for step in 0..steps {
        match numbers.below(20) {
            0..5 => {
                let text = format!("edit {}", numbers.below(steps));
                let id = studio.keep_edit(project, "", &page(&text)).unwrap();
                if text == model.kept[model.open()].1 {
                    assert_eq!(id, model.kept[model.open()].0, "step {step}");
                } else {
                    model.keep(id, text);
                }
            }
            5..7 => {
                let which = numbers.below(model.kept.len());
                studio.step_to(project, model.kept[which].0).unwrap();
                model.step_to(which);
            }
            7..9 => {
                let (old, text) = model.kept[numbers.below(model.kept.len())].clone();
                let ids = [0, 1].map(|_| studio.restore(project, old).unwrap());
                assert_eq!(ids[0], ids[1], "restoring twice is restoring once");
                if text != model.kept[model.open()].1 {
                    model.keep(ids[0], text);
                }
            }
            9..15 => {
                studio.undo(project).unwrap();
                model.at = model.at.saturating_sub(1);
            }
            15..19 => {
                studio.redo(project).unwrap();
                model.at = (model.at + 1).min(model.way.len() - 1);
            }
            _ if numbers.below(50) == 0 => {
                drop(studio);
                studio = opened();
            }
            _ => {}
        }
        let standing = studio.store().steps().standing(project).unwrap();
        let expected = (model.kept[model.open()].0, model.at, model.way.len() - 1 - model.at);
        assert_eq!(
            (standing.version.unwrap(), standing.undoable as usize, standing.redoable as usize),
            expected,
            "step {step}"
        );
    }
    let ids: Vec<_> = studio.store().versions().of_project(project).unwrap().iter().map(|v| v.id).collect();
    assert_eq!(ids, model.kept.iter().map(|(id, _)| *id).collect::<Vec<_>>());
    for (id, text) in &model.kept {
        assert_eq!(studio.version_files(project, *id).unwrap(), page(text));
    }
    while studio.undo(project).unwrap().undoable > 0 {}
    assert_eq!(open_text(&studio, project), "the first bytes");
    while studio.redo(project).unwrap().redoable > 0 {}
    assert_eq!(open_text(&studio, project), model.kept[*model.way.last().unwrap()].1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_result_of_a_run_is_opened_and_another_option_is_a_step_away() {
    let studio = studio();
    let input = taken(&studio, "page.png", drawn());
    let started = studio.start_run(request(&[input], 2)).unwrap();
    let report = studio.ended(started.run).await.unwrap();
    let [first, second] = [0, 1].map(|at: usize| report.variants[at].version.unwrap());

    let after_run = studio.history(started.project).unwrap();
    studio.step_to(started.project, second).unwrap();
    let edit = studio.keep_edit(started.project, "Red", &page("<p>red")).unwrap();
    studio.restore(started.project, first).unwrap();
    let back = [0, 1].map(|_| studio.undo(started.project).unwrap().version.unwrap());

    assert_eq!((after_run.standing.version, after_run.standing.undoable), (Some(first), 0));
    let pins: Vec<_> = after_run.entries.iter().map(|entry| entry.pins.assets.len()).collect();
    assert_eq!(pins, [1, 1], "the cropped picture is pinned");
    assert_eq!(back, [edit, second]);
    let tree: Vec<_> = studio
        .history(started.project)
        .unwrap()
        .entries
        .into_iter()
        .map(|entry| (entry.version.parent, entry.pins.conversation.map(|(_, variant)| variant.0)))
        .collect();
    let expected = [(None, Some(0)), (None, Some(1)), (Some(second), Some(1)), (Some(edit), Some(0))];
    let mut sorted = tree.clone();
    sorted[..2].sort();
    assert_eq!(sorted, expected, "an edit goes on from its parent's talk, a restored version from its own");
    let differences = studio.compare(started.project, first, edit).unwrap();
    assert_eq!(
        differences.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
        ["index.html", "styles.css"]
    );
    assert!(differences[0].diff.contains("+<p>red"), "{}", differences[0].diff);
}

#[tokio::test]
async fn a_version_of_another_project_is_unknown_to_the_history() {
    let studio = studio();
    let [own, other] = ["A", "B"].map(|name| studio.store().projects().create(name).unwrap());
    let foreign = studio.keep_edit(other, "", &page("b")).unwrap();
    studio.store().assets().put_for(own, "", NewAsset::new(vec![1], "image/png", "png")).unwrap();

    let refusals = [
        studio.step_to(own, foreign).err(),
        studio.restore(own, foreign).err(),
        studio.version_files(own, foreign).err(),
        studio.compare(own, foreign, foreign).err(),
        studio.label_version(own, foreign, "x").err(),
    ];

    for refusal in refusals {
        assert!(
            matches!(refusal, Some(StudioError::Store(StoreError::NotFound { what: "version", .. }))),
            "{refusal:?}"
        );
    }
    assert_eq!(studio.undo(own).unwrap(), Default::default());
}

#[tokio::test]
async fn a_removed_version_leaves_the_way_whole() {
    let studio = studio();
    let project = studio.store().projects().create("A").unwrap();
    let [_, second, third] = ["a", "b", "c"].map(|text| studio.keep_edit(project, "", &page(text)).unwrap());

    studio.store().versions().remove(third).unwrap();
    let after_the_open_one = open_text(&studio, project);
    studio.undo(project).unwrap();
    studio.store().versions().remove(second).unwrap();

    assert_eq!((after_the_open_one.as_str(), open_text(&studio, project).as_str()), ("b", "a"));
    let standing = studio.redo(project).unwrap();
    assert_eq!((standing.undoable, standing.redoable), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_window_is_shown_who_made_a_version_and_what_it_changed() {
    let studio = studio();
    let input = taken(&studio, "page.png", drawn());
    let started = studio.start_run(request(&[input], 1)).unwrap();
    let project = started.project;
    let traced = studio.ended(started.run).await.unwrap().variants[0].version.unwrap();
    let edit = studio.keep_edit(project, "", &page("<p>red")).unwrap();
    let restored = studio.restore(project, traced).unwrap();
    studio.label_version(project, edit, " Red\u{7} ").unwrap();
    studio.keep_picture(traced, &drawn()).unwrap();

    let view = studio.history_view(project).unwrap();

    let facts: Vec<_> = view
        .versions
        .iter()
        .map(|version| {
            let made_by = version.made_by.as_ref().map(|maker| maker.engine.as_str());
            let changed: Vec<_> = version.changed.iter().map(ProjectPath::as_str).collect();
            (version.number, version.id, version.label.as_str(), made_by, version.same_as, changed)
        })
        .collect();
    let both = vec!["index.html", "styles.css"];
    assert_eq!(
        facts,
        [
            (1, traced, "", Some("offline"), None, both.clone()),
            (2, edit, "Red", None, None, both.clone()),
            (3, restored, "", None, Some(traced), both),
        ]
    );
    assert_eq!((view.standing.open, view.standing.undoable), (Some(restored), 2));
    let pictures: Vec<_> = view.versions.iter().map(|version| version.thumbnail.is_some()).collect();
    assert_eq!(pictures, [true, false, false], "the restored one was made before the picture was taken");
    assert!(studio.version_thumbnail(traced).unwrap().unwrap().starts_with(b"\x89PNG"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_goes_on_from_the_open_version_and_a_retry_from_where_its_turn_began() {
    let studio = studio();
    let input = taken(&studio, "page.png", drawn());
    let first = studio.start_run(request(&[input], 2)).unwrap();
    let project = first.project;
    let second_option = studio.ended(first.run).await.unwrap().variants[1].version.unwrap();
    studio.step_to(project, second_option).unwrap();
    let go_on = RunRequest { project_id: Some(project), ..request(&[input], 1) };
    let next = studio.start_run(go_on.clone()).unwrap();
    let result = studio.ended(next.run).await.unwrap().variants[0].version.unwrap();
    let retry = RunRequest { retry_of: Some(next.run), ..go_on.clone() };
    let again = studio.start_run(retry).unwrap();
    let retried = studio.ended(again.run).await.unwrap().variants[0].version.unwrap();

    let history = studio.history(project).unwrap();

    let parent = |id| history.entries.iter().find(|entry| entry.version.id == id).unwrap().version.parent;
    assert_eq!([parent(result), parent(retried)], [Some(second_option); 2]);
    assert_eq!((history.standing.version, history.standing.undoable), (Some(retried), 3));
    let foreign = RunRequest { retry_of: Some(again.run), ..request(&[input], 1) };
    assert!(studio.start_run(foreign).is_err(), "a turn is tried again in its own project");
}

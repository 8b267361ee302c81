//! `facsimile projects`.

use serde_json::json;

use crate::pictures::{drawn, png};
use crate::support::Room;

#[test]
fn a_new_data_folder_says_how_to_make_the_first_project() {
    let room = Room::new();

    let (human, json_ended) = (room.run(&["projects", "list"]), room.run(&["projects", "list", "--json"]));

    let words = "No projects yet. Make one with `facsimile create screenshot.png --out page`.\n";
    assert_eq!((human.code, human.out.as_str(), human.err.as_str()), (Some(0), words, ""));
    assert_eq!((json_ended.code, json_ended.json()), (Some(0), json!({"projects": []})));
}

#[test]
fn projects_are_listed_with_their_runs_the_latest_first() {
    let room = Room::new();
    for name in ["older", "newer"] {
        room.file(format!("{name}.png"), png(drawn()));
        assert_eq!(room.run(&["create", &format!("{name}.png"), "--out", name]).code, Some(0));
    }

    let listed = room.run(&["projects", "list", "--json"]).json();
    let human = room.run(&["projects", "list"]);

    let projects = listed["projects"].as_array().unwrap();
    let mut lines = String::new();
    for (project, name) in projects.iter().zip(["newer", "older"]) {
        let fields: Vec<_> = project.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["id", "name", "updatedAt", "runs"]);
        let run = &project["runs"][0];
        assert_eq!(project["runs"], json!([{"id": run["id"], "state": "succeeded"}]));
        assert!(project["updatedAt"].as_i64().unwrap() > 1_700_000_000_000, "milliseconds since 1970");
        lines.push_str(&format!("{}  {name}  succeeded\n", project["id"].as_str().unwrap()));
    }
    assert_eq!((projects.len(), human.out), (2, lines));
}

#[test]
fn a_project_is_carried_to_another_data_folder_in_one_file() {
    let (here, there) = (Room::new(), Room::new());
    here.file("shop.png", png(drawn()));
    assert_eq!(here.run(&["create", "shop.png", "--out", "page"]).code, Some(0));
    let listed = here.run(&["projects", "list", "--json"]).json();
    let id = listed["projects"][0]["id"].as_str().unwrap().to_owned();
    let file = there.path("sh\u{f6}p & co.facsimile");

    let exported = here.run(&["projects", "export", &id, file.to_str().unwrap(), "--json"]);
    let imported = there.run(&["projects", "import", file.to_str().unwrap(), "--json"]);

    let bytes = std::fs::metadata(&file).unwrap().len();
    assert_eq!(
        (exported.code, exported.json()),
        (Some(0), json!({"project": id, "file": file, "bytes": bytes}))
    );
    let listed = there.run(&["projects", "list", "--json"]).json();
    let project = &listed["projects"][0];
    assert_eq!(
        (imported.code, imported.json()),
        (Some(0), json!({"project": project["id"], "name": "shop"}))
    );
    assert_eq!((&project["name"], &project["runs"][0]["state"]), (&json!("shop"), &json!("succeeded")));
}

#[test]
fn what_is_no_project_is_not_imported() {
    let room = Room::new();
    let picture = room.file("shop.facsimile", png(drawn()));
    let refused = room.run(&["projects", "import", picture.to_str().unwrap()]);
    let unknown = room.run(&["projects", "export", "shop", "out.facsimile"]);
    assert_eq!((refused.code, unknown.code), (Some(3), Some(2)));
    assert!(refused.err.contains("choose a .facsimile file"), "{}", refused.err);
    assert_eq!(room.run(&["projects", "list", "--json"]).json(), json!({"projects": []}));
}

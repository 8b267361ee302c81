//! `facsimile projects list`.

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

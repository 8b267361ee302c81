//! What can be handed on when something goes wrong: a file that shows its contents before it is saved.
//!
//! [`Studio::diagnostics`] gathers it; without a tick it holds no words of the person, no picture and no path, and
//! with every tick it holds no key.

mod bundle;
mod paths;

use std::collections::BTreeMap;

use facsimile_store::StoreError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use ts_rs::TS;

pub use bundle::{DiagnosticsFile, DiagnosticsUnwritten};

use crate::error::StudioError;
use crate::logging::{LogFiles, time_of, without_keys};
use crate::studio::Studio;
use bundle::Content;
use paths::without_paths;

/// What goes in beside the facts of the program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct DiagnosticsChoice {
    /// The latest pictures that were given.
    pub pictures: bool,
    /// The latest instructions, as they were typed.
    pub prompts: bool,
    /// Where files lie on this computer.
    pub paths: bool,
}

/// A bundle that was gathered and not saved yet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diagnostics {
    files: Vec<(String, Content)>,
}

/// So many of the latest.
const MAX_ENDINGS: u32 = 50;
const MAX_PROMPTS: usize = 20;
const MAX_PICTURES: usize = 10;
/// The latest part of the log; all of it is read by the person before it is saved.
const MAX_LOG_BYTES: usize = 256 * 1024;
/// Settings whose values are no words of the person.
const PLAIN_SETTINGS: [&str; 3] = ["spendCapUsd", "keysSet", "window"];

impl Studio {
    /// Gathers what may help to find a fault. `surroundings` is what the shell knows: the web view, the desktop.
    pub fn diagnostics(
        &self,
        choice: DiagnosticsChoice,
        surroundings: &BTreeMap<String, String>,
    ) -> Result<Diagnostics, StudioError> {
        let mut found = Diagnostics::default();
        found.add_text("about.txt", &about(choice));
        found.add_json("program.json", &self.program(surroundings));
        found.add_json("settings.json", &self.plain_settings()?);
        found.add_json("history.json", &self.store().census()?);
        found.add_json("endings.json", &self.endings(choice)?);
        let log = self.latest_log(choice);
        if !log.is_empty() {
            found.add_text("log.txt", &log);
        }
        if choice.paths {
            let folder = self.store().data_folder().map(|folder| folder.to_string_lossy().into_owned());
            found.add_json("paths.json", &json!({ "dataFolder": folder }));
        }
        if choice.prompts {
            found.add_json("prompts.json", &self.latest_prompts()?);
        }
        if choice.pictures {
            self.add_pictures(&mut found)?;
        }
        Ok(found)
    }

    fn program(&self, surroundings: &BTreeMap<String, String>) -> Value {
        json!({
            "program": "Facsimile",
            "version": env!("CARGO_PKG_VERSION"),
            "system": std::env::consts::OS,
            "processor": std::env::consts::ARCH,
            "build": if cfg!(debug_assertions) { "debug" } else { "release" },
            "historyIsForReading": self.store().is_for_reading(),
            "surroundings": surroundings,
        })
    }

    fn plain_settings(&self) -> Result<Value, StudioError> {
        let mut plain = serde_json::Map::new();
        for key in PLAIN_SETTINGS {
            if let Some(value) = self.store().settings().get::<Value>(key)? {
                plain.insert(key.to_owned(), value);
            }
        }
        let chosen = self.kept_list::<String>("chosenEngines")?;
        let chosen: Vec<_> = chosen.iter().map(|engine| engine_without_paths(engine)).collect();
        plain.insert("chosenEngines".to_owned(), chosen.into());
        // Of an endpoint only what it speaks: its name and its address are the person's.
        let endpoints = self.kept_list::<crate::endpoints::SavedEndpoint>("endpoints")?;
        let spoken: Vec<_> = endpoints
            .iter()
            .map(|endpoint| {
                let is_local = endpoint.place().is_ok_and(|place| place.base.is_loopback());
                json!({ "provider": endpoint.provider, "isOnThisComputer": is_local, "isAzure": endpoint.azure.is_some() })
            })
            .collect();
        plain.insert("endpoints".to_owned(), spoken.into());
        Ok(plain.into())
    }

    fn endings(&self, choice: DiagnosticsChoice) -> Result<Value, StoreError> {
        let endings = self.store().bad_endings(MAX_ENDINGS)?;
        let told = endings.into_iter().map(|mut ending| {
            if !choice.paths {
                ending.engine = engine_without_paths(&ending.engine);
            }
            ending
        });
        Ok(json!({ "lastThatDidNotSucceed": told.collect::<Vec<_>>() }))
    }

    fn latest_log(&self, choice: DiagnosticsChoice) -> String {
        let Some(folder) = self.store().data_folder() else { return String::new() };
        let whole: String = LogFiles::below(folder).texts().into_iter().map(|(_, text)| text).collect();
        let start = whole.len().saturating_sub(MAX_LOG_BYTES);
        let start = (start..=whole.len()).find(|at| whole.is_char_boundary(*at)).unwrap_or_default();
        let latest = &whole[start..];
        // A line that is cut off is none.
        let latest = if start == 0 { latest } else { latest.split_once('\n').map_or("", |(_, rest)| rest) };
        let told =
            latest.lines().map(|line| if choice.paths { line.to_owned() } else { without_paths(line) });
        told.map(|line| line + "\n").collect()
    }

    fn latest_prompts(&self) -> Result<Value, StudioError> {
        let mut prompts = Vec::new();
        for summary in self.projects()? {
            for run in summary.runs {
                let turn = self.store().turns().get(self.store().runs().get(run.id)?.turn)?;
                prompts.push(turn.request.instruction);
                if prompts.len() == MAX_PROMPTS {
                    return Ok(json!(prompts));
                }
            }
        }
        Ok(json!(prompts))
    }

    fn add_pictures(&self, found: &mut Diagnostics) -> Result<(), StudioError> {
        let mut number = 0;
        for summary in self.projects()? {
            for input in self.store().inputs().of_project(summary.project.id)? {
                number += 1;
                if number > MAX_PICTURES {
                    return Ok(());
                }
                let extension = input.mime.rsplit('/').next().unwrap_or("png").replace("svg+xml", "svg");
                let bytes = self.store().assets().read(&input.asset)?;
                found.add_picture(&format!("pictures/{number}.{extension}"), bytes);
            }
        }
        Ok(())
    }
}

impl Diagnostics {
    fn add_text(&mut self, name: &str, text: &str) {
        let told = text.lines().map(|line| without_keys(line) + "\n").collect();
        self.files.push((name.to_owned(), Content::Text(told)));
    }

    fn add_json(&mut self, name: &str, value: &impl Serialize) {
        // Numbers, words and lists: nothing of it can fail.
        let text = serde_json::to_string_pretty(value).unwrap_or_default();
        self.add_text(name, &text);
    }

    fn add_picture(&mut self, name: &str, bytes: Vec<u8>) {
        self.files.push((name.to_owned(), Content::Picture(bytes)));
    }
}

/// A server on this computer may name its models by their files.
fn engine_without_paths(engine: &str) -> String {
    match engine.split_once(':') {
        Some((provider, model)) => format!("{provider}:{}", without_paths(model)),
        None => engine.to_owned(),
    }
}

fn about(choice: DiagnosticsChoice) -> String {
    let mut lines = vec![
        "What this file holds, to find a fault in Facsimile.".to_owned(),
        format!("Gathered {}.", time_of(std::time::SystemTime::now())),
        "It was not sent anywhere. It holds no keys.".to_owned(),
    ];
    for (is_in, what) in [
        (choice.pictures, "pictures"),
        (choice.prompts, "instructions as they were typed"),
        (choice.paths, "places of files on this computer"),
    ] {
        lines.push(format!("{} {what}.", if is_in { "It holds" } else { "It holds no" }));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests;

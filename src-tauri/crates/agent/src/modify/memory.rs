//! What a model is told of earlier turns: a pure function of the turns that are stored.

use serde::{Deserialize, Serialize};

use super::router::IntentCategory;
use crate::ids::TurnId;
use crate::project::ProjectPath;

/// The files of a change that lies further back are no longer in focus.
const FOCUS_TURNS: usize = 5;
const MAX_FOCUS_FILES: usize = 3;
const MAX_QUESTION_CHARS: usize = 400;
const MAX_SUMMARY_CHARS: usize = 400;
/// So many turns are told beside the card.
const RECENT_TURNS: usize = 2;
const MAX_OLDER_RESULT_CHARS: usize = 400;
const MAX_LINE_CHARS: usize = 200;

/// A turn as it is remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastTurn {
    /// Its id.
    pub id: TurnId,
    /// What was asked for.
    pub instruction: String,
    /// What was said at the end.
    pub assistant_text: String,
    /// The files that changed.
    pub touched_files: Vec<ProjectPath>,
    /// What the request was taken for; `None` where nobody sorted it.
    pub intent_category: Option<IntentCategory>,
    /// Whether something was asked back.
    pub awaiting_reply: bool,
}

/// Earlier turns in a few lines. Fields of which nothing is known are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Card {
    /// The files of the latest change, if that is not long ago.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub focus_files: Vec<ProjectPath>,
    /// What the last turn asked back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_question: Option<String>,
    /// What the last request was taken for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_intent: Option<IntentCategory>,
    /// What was said of the latest change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_change_summary: Option<String>,
}

/// A turn as the main agent is told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentTurn {
    /// What was asked for.
    pub instruction: String,
    /// What came of it.
    pub result: String,
}

impl RecentTurn {
    /// It as the main agent is told of it.
    pub fn text(&self) -> String {
        format!("Request: {}\nResult: {}", or_dash(&self.instruction), or_dash(&self.result))
    }
}

/// Everything a model gets of earlier turns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Memory {
    /// The short notes; `None` without turns.
    pub card: Option<Card>,
    /// The last turns, oldest first.
    pub recent: Vec<RecentTurn>,
    /// The last turns in one line each, oldest first.
    pub router_lines: Vec<String>,
}

impl Memory {
    /// What is told of these turns, oldest first.
    pub fn of(turns: &[PastTurn]) -> Self {
        let last = &turns[turns.len().saturating_sub(RECENT_TURNS)..];
        let recent = last.iter().enumerate().map(|(at, turn)| RecentTurn {
            instruction: turn.instruction.clone(),
            result: match at + 1 == last.len() {
                true => turn.assistant_text.clone(),
                false => cut(&turn.assistant_text, MAX_OLDER_RESULT_CHARS),
            },
        });
        Self {
            card: card(turns),
            recent: recent.collect(),
            router_lines: last.iter().map(router_line).collect(),
        }
    }

    /// The card as the main agent is told of it.
    pub fn notes(&self) -> Option<String> {
        joined(self.card.iter().map(card_text), "\n")
    }

    /// The notes for the router.
    pub fn for_router(&self) -> Option<String> {
        joined(self.card.iter().map(card_text).chain(self.router_lines.iter().cloned()), "\n")
    }
}

fn card(turns: &[PastTurn]) -> Option<Card> {
    let last = turns.last()?;
    let changed = turns.iter().rev().take(FOCUS_TURNS).find(|turn| !turn.touched_files.is_empty());
    let question = last.awaiting_reply.then(|| cut(&last.assistant_text, MAX_QUESTION_CHARS));
    let summary = changed.map(|turn| cut(&turn.assistant_text, MAX_SUMMARY_CHARS));
    Some(Card {
        focus_files: changed
            .map(|turn| turn.touched_files.iter().take(MAX_FOCUS_FILES).cloned().collect())
            .unwrap_or_default(),
        pending_question: question.filter(|question| !question.is_empty()),
        last_intent: last.intent_category,
        last_change_summary: summary.filter(|summary| !summary.is_empty()),
    })
}

fn card_text(card: &Card) -> String {
    let files: Vec<_> = card.focus_files.iter().map(ProjectPath::as_str).collect();
    let lines = [
        (!files.is_empty()).then(|| format!("Files in focus: {}", files.join(", "))),
        card.pending_question.as_ref().map(|question| format!("Asked back, unanswered: {question}")),
        card.last_intent.map(|intent| format!("Kind of the last request: {}", intent.as_str())),
        card.last_change_summary.as_ref().map(|summary| format!("Last change: {summary}")),
    ];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

fn router_line(turn: &PastTurn) -> String {
    let [instruction, result] =
        [&turn.instruction, &turn.assistant_text].map(|text| cut(&one_line(text), MAX_LINE_CHARS));
    format!("{} -> {}", or_dash(&instruction), or_dash(&result))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn or_dash(text: &str) -> &str {
    if text.is_empty() { "-" } else { text }
}

fn joined(parts: impl Iterator<Item = String>, between: &str) -> Option<String> {
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join(between))
}

/// The first characters of a text, with `…` where something was cut.
fn cut(text: &str, max_chars: usize) -> String {
    let text = text.trim();
    match text.char_indices().nth(max_chars) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(instruction: &str, said: &str, files: &[&str]) -> PastTurn {
        PastTurn {
            id: TurnId::fresh(),
            instruction: instruction.to_owned(),
            assistant_text: said.to_owned(),
            touched_files: files.iter().map(|path| ProjectPath::parse(path).unwrap()).collect(),
            intent_category: Some(match files {
                [] => IntentCategory::ReadOnly,
                _ => IntentCategory::CodeChange,
            }),
            awaiting_reply: false,
        }
    }

    fn paths(names: &[&str]) -> Vec<ProjectPath> {
        names.iter().map(|name| ProjectPath::parse(name).unwrap()).collect()
    }

    fn recent(instruction: &str, result: &str) -> RecentTurn {
        RecentTurn { instruction: instruction.to_owned(), result: result.to_owned() }
    }

    #[test]
    fn without_turns_nothing_is_told() {
        let memory = Memory::of(&[]);
        assert_eq!(memory, Memory::default());
        assert_eq!((memory.notes(), memory.for_router()), (None, None));
    }

    #[test]
    fn the_card_names_the_latest_change_and_the_last_turns_follow() {
        let long = "ö".repeat(500);
        let turns = [
            turn("Bigger", "It is bigger.", &["a.css"]),
            turn("Darker", &long, &["b.css", "c.css", "d.css", "e.css"]),
            turn("Why\nso dark?", &format!("Because {long}"), &[]),
        ];
        let shortened = format!("{}…", "ö".repeat(400));
        let expected = Memory {
            card: Some(Card {
                focus_files: paths(&["b.css", "c.css", "d.css"]),
                pending_question: None,
                last_intent: Some(IntentCategory::ReadOnly),
                last_change_summary: Some(shortened.clone()),
            }),
            recent: vec![recent("Darker", &shortened), recent("Why\nso dark?", &format!("Because {long}"))],
            router_lines: vec![
                format!("Darker -> {}…", "ö".repeat(200)),
                format!("Why so dark? -> Because {}…", "ö".repeat(192)),
            ],
        };
        assert_eq!(Memory::of(&turns), expected);
    }

    #[test]
    fn a_change_five_turns_back_is_in_focus_and_one_before_that_is_not() {
        let talk = || turn("Hello", "Hi", &[]);
        let focus = |talks: usize| {
            let mut turns = vec![turn("Darker", "It is darker.", &["a.css"])];
            turns.extend((0..talks).map(|_| talk()));
            Memory::of(&turns).card.unwrap()
        };
        let near = Card {
            focus_files: paths(&["a.css"]),
            pending_question: None,
            last_intent: Some(IntentCategory::ReadOnly),
            last_change_summary: Some("It is darker.".to_owned()),
        };
        let far = Card { focus_files: Vec::new(), last_change_summary: None, ..near.clone() };
        assert_eq!([focus(4), focus(5)], [near, far]);
    }

    #[test]
    fn a_question_is_pending_while_its_turn_is_the_last() {
        let asks = PastTurn { awaiting_reply: true, ..turn("Better", "Which part?", &[]) };
        let pending = |turns: &[PastTurn]| Memory::of(turns).card.unwrap().pending_question;
        let long = PastTurn { assistant_text: "?".repeat(401), ..asks.clone() };
        assert_eq!(pending(std::slice::from_ref(&asks)), Some("Which part?".to_owned()));
        assert_eq!(pending(&[asks, turn("The head", "Done.", &["a.css"])]), None);
        assert_eq!(pending(std::slice::from_ref(&long)), Some(format!("{}…", "?".repeat(400))));
    }

    #[test]
    fn notes_are_short_lines_with_what_is_known() {
        let asks = PastTurn { awaiting_reply: true, ..turn("", "Which part?", &[]) };
        let memory = Memory::of(&[turn("Darker", "It is darker.", &["a.css"]), asks]);
        let card = "Files in focus: a.css\nAsked back, unanswered: Which part?\nKind of the last request: read_only\n\
                    Last change: It is darker.";
        let turns = ["Request: Darker\nResult: It is darker.", "Request: -\nResult: Which part?"];
        let told: Vec<_> = memory.recent.iter().map(RecentTurn::text).collect();
        assert_eq!((memory.notes().as_deref(), told), (Some(card), turns.map(str::to_owned).to_vec()));
        let lines = "Darker -> It is darker.\n- -> Which part?";
        assert_eq!(memory.for_router(), Some(format!("{card}\n{lines}")));
    }
}

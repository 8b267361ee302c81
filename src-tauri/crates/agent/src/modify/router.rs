//! What a request is taken for before the work on it begins: one cheap question, answered in JSON.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::project::{ProjectFiles, ProjectPath};

/// So many files are named as worth reading first.
const MOST_PRELOADED: usize = 5;

/// What a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntentCategory {
    /// Talk that needs no look at the page.
    Conversation,
    /// A question about the page.
    ReadOnly,
    /// A plan is wanted, and no change yet.
    PlanOnly,
    /// The page is to be changed.
    CodeChange,
}

impl IntentCategory {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Conversation, Self::ReadOnly, Self::PlanOnly, Self::CodeChange];

    /// Its name in the history.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Conversation => "conversation",
            Self::ReadOnly => "read_only",
            Self::PlanOnly => "plan_only",
            Self::CodeChange => "code_change",
        }
    }

    /// The category of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.as_str() == name)
    }

    /// Whether nothing may be changed.
    pub fn is_read_only(self) -> bool {
        self != Self::CodeChange
    }
}

/// How much of the page a request concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Looks alone.
    Style,
    /// One place.
    Narrow,
    /// Much of it.
    Broad,
}

/// Where a request leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// What it is.
    pub category: IntentCategory,
    /// How much it concerns; `None` where nobody said.
    pub scope: Option<Scope>,
    /// The files that are worth reading first.
    pub preload: Vec<ProjectPath>,
    /// The answer, where no more than talk is wanted.
    pub answer: Option<String>,
}

impl Route {
    /// A route of this category of which no more is known.
    pub fn to(category: IntentCategory) -> Self {
        Self { category, scope: None, preload: Vec::new(), answer: None }
    }

    /// Reads a router's reply. Whatever cannot be read is a question: that changes nothing.
    pub fn read(reply: &str, files: &ProjectFiles) -> Self {
        let object = reply.find('{').zip(reply.rfind('}')).and_then(|(start, end)| reply.get(start..=end));
        let value: Value = object.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
        let Some(category) = value["category"].as_str().and_then(IntentCategory::parse) else {
            return Self::to(IntentCategory::ReadOnly);
        };
        let answer = value["assistantMessage"].as_str().map(str::trim).filter(|answer| !answer.is_empty());
        if category == IntentCategory::Conversation {
            // Talk without a word is no answer.
            return match answer {
                Some(answer) => Self { answer: Some(answer.to_owned()), ..Self::to(category) },
                None => Self::to(IntentCategory::ReadOnly),
            };
        }
        let mut preload = Vec::new();
        for path in value["preloadPaths"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let path = ProjectPath::parse(path).ok().filter(|path| files.read(path).is_some());
            preload.extend(path.filter(|path| !preload.contains(path)));
        }
        preload.truncate(MOST_PRELOADED);
        Self {
            scope: serde_json::from_value::<Scope>(value["scope"].clone()).ok(),
            preload,
            ..Self::to(category)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(reply: &str) -> Route {
        let names = ["a.css", "b.css", "c.css", "d.css", "e.css", "f.css"];
        let files = names.map(|name| (ProjectPath::parse(name).unwrap(), String::new()));
        Route::read(reply, &files.into_iter().collect())
    }

    #[test]
    fn a_reply_is_read_with_the_files_that_are_there() {
        let reply = r#"Here: ```json
            {"category": "code_change", "scope": "style", "assistantMessage": "I will",
             "preloadPaths": ["b.css", "gone.css", "./a.css", "../x", 7, "b.css", "c.css", "d.css", "e.css", "f.css"]}
            ```"#;
        let preload =
            ["b.css", "a.css", "c.css", "d.css", "e.css"].map(|path| ProjectPath::parse(path).unwrap());
        let expected = Route {
            category: IntentCategory::CodeChange,
            scope: Some(Scope::Style),
            preload: preload.to_vec(),
            answer: None,
        };
        assert_eq!(read(reply), expected);
    }

    #[test]
    fn talk_comes_with_its_answer_or_is_a_question() {
        let said =
            read(r#"{"category":"conversation","assistantMessage":" Hello! ","preloadPaths":["a.css"]}"#);
        let expected = Route { answer: Some("Hello!".to_owned()), ..Route::to(IntentCategory::Conversation) };
        assert_eq!(said, expected);
        assert_eq!(read(r#"{"category":"conversation"}"#), Route::to(IntentCategory::ReadOnly));
    }

    #[test]
    fn what_cannot_be_read_changes_nothing() {
        for reply in ["", "Sure, I will change it.", "{", r#"{"category":"edit"}"#, "[1]", r#"}{"#, "null"] {
            assert_eq!(read(reply), Route::to(IntentCategory::ReadOnly), "{reply}");
        }
        assert_eq!(read(r#"{"category":"plan_only","scope":9}"#), Route::to(IntentCategory::PlanOnly));
    }
}

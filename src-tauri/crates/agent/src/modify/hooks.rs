//! What keeps a model from stopping before the work of its turn is done.

use std::sync::atomic::{AtomicU32, Ordering};

use futures::FutureExt;
use futures::future::BoxFuture;

use super::router::IntentCategory;
use crate::engine::hooks::{LoopState, StopHook};
use crate::engine::limits::MAX_HOOKS_IN_A_ROW;

const EXPLORE: &str =
    "Nothing was read and nothing is changed yet. Explore the files, then make the edit. Call a tool now.";
const EDIT: &str =
    "Nothing is changed yet. Make the edit now with a tool, or say what you found and ask what is unclear.";
const READ: &str = "Nothing was read yet. Read what the answer needs, then give it. Call a tool now.";

/// Sends a model back while it has not done what its turn is for: changed something, or read something.
#[derive(Debug)]
pub struct DoesItsWork {
    category: IntentCategory,
    told: AtomicU32,
}

impl DoesItsWork {
    /// A hook for one variant of a turn of this category.
    pub fn new(category: IntentCategory) -> Self {
        Self { category, told: AtomicU32::new(0) }
    }

    fn wanted(&self, state: LoopState<'_>) -> Option<&'static str> {
        match self.category {
            IntentCategory::CodeChange if state.has_edited() => None,
            IntentCategory::CodeChange if state.has_read() => Some(EDIT),
            IntentCategory::CodeChange => Some(EXPLORE),
            _ if state.has_read() => None,
            _ => Some(READ),
        }
    }
}

impl StopHook for DoesItsWork {
    fn instruction<'a>(&'a self, state: LoopState<'a>) -> BoxFuture<'a, Option<String>> {
        // A model that reads each time and then talks again would otherwise be sent back without end.
        let wanted = self
            .wanted(state)
            .filter(|_| self.told.fetch_add(1, Ordering::Relaxed) < MAX_HOOKS_IN_A_ROW)
            .map(str::to_owned);
        async { wanted }.boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::hooks::ToolUse;
    use crate::project::{ProjectFiles, ProjectPath};

    fn files(text: &str) -> ProjectFiles {
        [(ProjectPath::index(), text.to_owned())].into_iter().collect()
    }

    /// What a hook says of a loop in which a tool was called and a page is now so.
    fn said(hook: &DoesItsWork, tool: Option<&str>, now: &str) -> Option<String> {
        let (before, files) = (files("old"), files(now));
        let used = |name: &str| ToolUse { name: name.to_owned(), ok: true, changed: Vec::new() };
        let tools: Vec<_> = tool.map(used).into_iter().collect();
        let state = LoopState {
            before: &before,
            files: &files,
            tools: &tools,
            reply: "I have changed it.",
            rounds: 1,
            in_a_row: 0,
        };
        hook.instruction(state).now_or_never().unwrap()
    }

    #[test]
    fn a_change_is_asked_for_until_it_is_there() {
        let hook = DoesItsWork::new(IntentCategory::CodeChange);
        let told = [(None, "old"), (Some("think"), "old"), (Some("read_file"), "old"), (None, "new")]
            .map(|(tool, now)| said(&hook, tool, now));
        assert_eq!(
            told,
            [Some(EXPLORE), Some(EXPLORE), Some(EDIT), None].map(|text| text.map(str::to_owned))
        );
    }

    #[test]
    fn a_question_needs_a_look_and_no_change() {
        for category in [IntentCategory::ReadOnly, IntentCategory::PlanOnly] {
            let hook = DoesItsWork::new(category);
            let told = [None, Some("search_files")].map(|tool| said(&hook, tool, "old"));
            assert_eq!(told, [Some(READ.to_owned()), None], "{category:?}");
        }
    }

    #[test]
    fn a_model_that_only_talks_is_let_go_in_the_end() {
        let hook = DoesItsWork::new(IntentCategory::CodeChange);
        let told = (0..9).filter(|_| said(&hook, Some("read_file"), "old").is_some()).count();
        assert_eq!(told, 5);
    }
}

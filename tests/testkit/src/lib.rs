//! Test parts shared by the suites: sessions that play a script, sinks that remember, folds that check.

pub mod defects;
pub mod fold;
pub mod planted;
pub mod replay;
pub mod rooms;
pub mod script;
pub mod sink;
pub mod templates;

pub use fold::fold_code;
pub use planted::Planted;
pub use script::{Reply, ScriptedSession, calls, says};
pub use sink::Recording;

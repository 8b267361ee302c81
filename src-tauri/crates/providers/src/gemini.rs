//! Gemini's `streamGenerateContent`.

mod partial;
pub mod request;
pub mod session;
pub mod stream;
mod wire;

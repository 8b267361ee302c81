//! Anthropic's Messages.

pub mod request;
pub mod session;
pub mod stream;
mod wire;

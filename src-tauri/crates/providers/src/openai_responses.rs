//! OpenAI's Responses.

pub mod request;
pub mod session;
pub mod stream;
mod strict;
mod wire;

//! Chat Completions, as OpenAI made them and everybody else speaks them.

mod calls;
mod reasoning;
mod recover;
pub mod request;
pub mod session;
pub mod stream;
mod think;
mod wire;

//! The meter from outside.

pub mod altered;
pub mod numbers;
pub mod page;

mod agreement;
mod damage;
mod invariants;
mod reasons;

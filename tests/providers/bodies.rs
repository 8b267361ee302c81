//! Whole request bodies.

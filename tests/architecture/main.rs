//! The rooms and who may enter.

//! How the engine behaves over scripted sessions.

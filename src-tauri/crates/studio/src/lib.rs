//! facsimile-studio

//! facsimile-store

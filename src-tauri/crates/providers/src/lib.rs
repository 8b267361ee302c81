//! facsimile-providers

//! facsimile-agent

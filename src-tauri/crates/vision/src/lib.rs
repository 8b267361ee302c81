//! facsimile-vision

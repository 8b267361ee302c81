//! Test parts shared by the suites.

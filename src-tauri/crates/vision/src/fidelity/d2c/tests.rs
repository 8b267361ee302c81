//! The behaviour a port of Design2Code must show.

//! Tests of the whole drive.

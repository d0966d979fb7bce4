//! What people who run clusters do.

mod check;
mod import;

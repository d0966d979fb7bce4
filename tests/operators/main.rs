//! What people who run clusters do: import.

mod import;

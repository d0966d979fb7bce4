//! Model migrator.

mod differential;
mod generate;
mod heuristics;
mod impossible;
mod input;
mod layout;
mod page;
mod tree;
mod small;
mod verify;

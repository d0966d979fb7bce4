//! Model migrator.

mod certificates;
mod differential;
mod generate;
mod heuristics;
mod impossible;
mod input;
mod layout;
mod page;
mod small;
mod tree;
mod verify;

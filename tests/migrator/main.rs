//! Model migrator.

mod differential;
mod generate;
mod heuristics;
mod impossible;
mod input;
mod layout;
mod page;
mod presolve;
mod small;
mod verify;

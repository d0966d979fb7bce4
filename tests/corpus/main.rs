//! The corpus of small instances: drawn, proved by every method, and compared with the truth.csv of its folder.
#![allow(dead_code)]

mod brute_force;
mod draw;
#[path = "../migrator_support/mod.rs"]
mod migrator_support;
#[path = "../sharing_programs/mod.rs"]
mod sharing_programs;

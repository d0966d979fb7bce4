//! Replays of traces.

mod bound;
mod engine;
mod fleet;
mod optimal;
mod reference;
mod trace;

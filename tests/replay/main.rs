//! Replays of traces.

mod bound;
mod engine;
mod fleet;
mod optimal;
mod reference;
mod repack;
mod trace;

//! Boards: what they offer, what fits on them, and where.

mod catalogue;
mod counts;
mod default_placement;
mod geometry;
mod hull;
mod pairs;
mod random;

//! Documents against serde-saphyr, and what is said of wrong ones.

mod block;
mod differential;
mod faults;
mod json;
mod navigation;

//! A problem of the model, and what it is read into and made of.

mod allocation;
mod exact;
mod gpu;
mod problem;
mod rates;
mod reader;
mod settings;
mod units;

pub use allocation::{Allocation, SizeIndex};
pub use exact::{Exact, double, exact, rounded_down, rounded_up};
pub use gpu::{Gpu, Knapsack, Size};
pub use problem::{ModelIndex, ModelTasks, Problem};
pub use rates::{capability, goodput, kept, outage_slots};
pub use reader::build;
pub use settings::{Given, SETTINGS};
pub use units::TooFine;

//! The problem as programs, and how they are solved to proved, verified answers.

mod answer;
mod compact;
mod encoding;
mod formulations;
mod known;
mod printed;
mod search;
mod whole;

pub use compact::{
    Advice, Advised, Counters, Cut, Effort, Flow, Joint, Measure, Searched, Until, search_tree,
};
pub use encoding::Encoding;
pub use formulations::{CompactFormulation, FORMULATIONS, PrintedFormulation};
pub use printed::Printed;

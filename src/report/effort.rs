//! What an answer took, for readers.

use ground::counted;
use itertools::Itertools;
use kit::ResultDocument;

/// The size of the program and the work done in it.
pub fn work_in_words(result: &ResultDocument) -> String {
    let work = &result.work;
    match work.columns {
        0 => "solved without the MIP solver".to_owned(),
        columns => format!(
            "{}, {}, {}; {}, {}",
            counted(columns, "column"),
            counted(work.rows, "row"),
            counted(work.nonzeros, "nonzero"),
            counted(work.nodes, "node"),
            counted(work.iterations, "iteration")
        ),
    }
}

/// The seconds that it took, and for what.
pub fn seconds_in_words(result: &ResultDocument) -> String {
    let parts = result.seconds.parts().into_iter().map(|(name, seconds)| format!("{name} {seconds:.3}"));
    format!("{:.3} s ({})", result.seconds.total, parts.format(", "))
}

//! What a configuration says and cannot mean, or does beside what it says.

mod coverage;
mod lint;
mod present;
mod profiles;
mod subject;

pub use lint::{Level, Lint, gpus_in_words};
pub use subject::Subject;

use super::configuration::ConfigurationFile;

/// The strategy by which the device plugin names MIG devices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// All of a node are called `nvidia.com/gpu`.
    Single,
    /// Each is called by its profile.
    Mixed,
}

/// All remarks, in the order of the file.
pub fn lints(file: &ConfigurationFile, subject: &Subject<'_>, strategy: Option<Strategy>) -> Vec<Lint> {
    let mut found: Vec<Lint> = coverage::uncovered(subject).into_iter().collect();
    found.extend(coverage::matched_twice(file, subject));
    found.extend(profiles::zero_counts(subject.configuration));
    found.extend(coverage::filters(subject));
    found.extend(coverage::no_such_gpu(subject));
    found.extend(present::mode_change(subject));
    found.extend(present::without_compute_instance(subject));
    found.extend(profiles::other_shapes(subject));
    found.extend(profiles::different_boards(subject));
    if strategy == Some(Strategy::Single) {
        found.extend(profiles::mixed_layout(subject));
    }
    found.sort_by_key(|lint| lint.at);
    found
}

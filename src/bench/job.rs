//! The rows that a sweep consists of.

use super::case::Case;
use super::plan::Planned;
use super::program::Program;
use super::record::{Key, Record};

/// One row to be made.
pub struct Job<'c> {
    /// The instance.
    pub case: &'c Case,
    /// The method.
    pub planned: &'c Planned,
    /// The seed.
    pub seed: Option<u64>,
    /// What tells its row from all others.
    pub key: Key,
}

impl<'c> Job<'c> {
    fn new(case: &'c Case, planned: &'c Planned, seed: Option<u64>) -> Self {
        let key = Key {
            fingerprint: case.instance.fingerprint.clone(),
            model: case.model.name().to_owned(),
            method: planned.method.to_string(),
            seed,
            program: planned.program.as_ref().map(Program::digests),
            conditions: Some(planned.conditions.key()),
        };
        Job { case, planned, seed, key }
    }

    /// The record with what it was made with.
    pub(super) fn signed(&self, record: Record) -> Record {
        let conditions = Some(self.planned.conditions.clone());
        Record { program: self.key.program.clone(), conditions, ..record }
    }

    /// What is not any more what it was when the job was planned: a row made since would tell of neither state.
    pub(super) fn changed(&self, record: &Record) -> Vec<String> {
        let instance = (record.fingerprint != self.key.fingerprint).then(|| self.case.label.clone());
        let program = self.planned.program.iter().flat_map(Program::changed).map(str::to_owned);
        instance.into_iter().chain(program).collect()
    }
}

/// All rows of a sweep, instance by instance.
pub fn jobs<'c>(cases: &'c [Case], methods: &'c [Planned], seeds: &[u64]) -> Vec<Job<'c>> {
    let mut jobs = Vec::new();
    for case in cases {
        for planned in methods.iter().filter(|planned| planned.model.name() == case.model.name()) {
            let seeds = planned.method.seeds(seeds).into_iter();
            jobs.extend(seeds.map(|seed| Job::new(case, planned, seed)));
        }
    }
    jobs
}

//! Strategies for [proptest](https://docs.rs/proptest) that draw small instances of every model (cargo feature `proptest`).
//!
//! What is drawn obeys all rules of instance files, so that a test can go straight to its claim; a proof takes milliseconds. This
//! one asks of a heuristic of model wpm that it breaks no rule and never beats the optimum:
//!
//! ```
//! use migopt::testing::strategies;
//! use migopt::{Options, gap, propose};
//! use proptest::prelude::*;
//!
//! fn parameters() -> strategies::wpm::Parameters {
//!     // A heuristic need not place every workload.
//!     strategies::wpm::Parameters::default().place_all(false)
//! }
//!
//! proptest! {
//!     #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(16) })]
//!     // In a test of your own, `#[test]` stands here.
//!     fn first_fit_breaks_no_rule(sample in strategies::wpm_with(parameters())) {
//!         let proposal = propose(&sample.instance, "first-fit", 1).unwrap();
//!         // An error if the solution breaks a rule, or is better than what is proved to be best.
//!         let gap = gap(&sample.instance, &proposal.solution, &Options::default());
//!         prop_assert!(gap.is_ok(), "{gap:?}");
//!     }
//! }
//! first_fit_breaks_no_rule();
//! ```
//!
//! When a claim fails, proptest shrinks the instance, towards fewer workloads, GPUs, servers, virtual machines, models and slots,
//! newcomers instead of residents, and costs of 0, and prints it as the text of an instance file. Put into a file, it can be given
//! to `migopt solve`.
//!
//! Each strategy has parameters ([`wpm::Parameters`] and so on) that bound what is drawn; the pages of the modules say what a strategy
//! never draws.

mod amounts;
mod boards;
mod cluster_rules;
pub mod migrator;
mod residents;
mod rules;
pub mod sharing;
pub mod siavashi;
pub mod wpm;

use ground::SourceText;
use models::{Instance, InstanceFile};
use proptest::strategy::Strategy;
use std::fmt;

/// Instances of model wpm with the usual [parameters](wpm::Parameters).
pub fn wpm() -> impl Strategy<Value = Sample> {
    wpm_with(wpm::Parameters::default())
}

/// Instances of model wpm.
pub fn wpm_with(parameters: wpm::Parameters) -> impl Strategy<Value = Sample> {
    wpm::files(&parameters).prop_map(Sample::of)
}

/// Instances of model siavashi with the usual [parameters](siavashi::Parameters).
pub fn siavashi() -> impl Strategy<Value = Sample> {
    siavashi_with(siavashi::Parameters::default())
}

/// Instances of model siavashi.
pub fn siavashi_with(parameters: siavashi::Parameters) -> impl Strategy<Value = Sample> {
    let poses = |sample: &Sample| sample.instance.problem::<::siavashi::Siavashi>().is_ok();
    let has_rules = parameters.has_rules();
    siavashi::files(&parameters)
        .prop_map(Sample::of)
        .prop_filter("pins that contradict a group", move |sample| !has_rules || poses(sample))
}

/// Instances of model migrator with the usual [parameters](migrator::Parameters).
pub fn migrator() -> impl Strategy<Value = Sample> {
    migrator_with(migrator::Parameters::default())
}

/// Instances of model migrator.
pub fn migrator_with(parameters: migrator::Parameters) -> impl Strategy<Value = Sample> {
    migrator::files(&parameters).prop_map(Sample::of)
}

/// Instances of model sharing with the usual [parameters](sharing::Parameters).
pub fn sharing() -> impl Strategy<Value = Sample> {
    sharing_with(sharing::Parameters::default())
}

/// Instances of model sharing.
pub fn sharing_with(parameters: sharing::Parameters) -> impl Strategy<Value = Sample> {
    sharing::files(&parameters).prop_map(Sample::of)
}

/// An instance as a strategy draws it. Its `Debug` is its text.
#[derive(Clone)]
#[non_exhaustive]
pub struct Sample {
    /// The instance as plain data, for tests that change it and make another sample of it.
    pub file: InstanceFile,
    /// The text of its file, in YAML.
    pub text: String,
    /// What reading this text yields.
    pub instance: Instance,
}

impl Sample {
    /// The sample that consists of this instance.
    ///
    /// # Panics
    /// When the instance breaks a rule of instance files; the message says which.
    pub fn of(file: InstanceFile) -> Self {
        let text = serde_yaml::to_string(&file).expect("plain data can be written");
        let instance = Instance::parse(SourceText::new("sample.yaml", text.clone()));
        let instance = instance.unwrap_or_else(|error| panic!("{error}\n{text}"));
        Sample { file, text, instance }
    }
}

impl fmt::Debug for Sample {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "\n{}", self.text)
    }
}

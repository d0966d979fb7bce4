//! Who decides about virtual machines as they arrive.

use super::moment::Moment;
use fleet::{Fleet, Guest, Move};
use serde::{Deserialize, Serialize};

/// A policy as a replay meets it. It sees the fleet and what arrives, never what follows.
///
/// Guests are the virtual machines of the trace by their position in [`Trace::visits`](super::Trace::visits).
pub trait Operator<'t> {
    /// Decides about virtual machines that arrive at one moment, in the order of the trace. Those that are accepted have a place
    /// in the fleet afterwards, those that are rejected have none, and what was there still is, perhaps elsewhere.
    ///
    /// # Errors
    /// When it fails, or is interrupted.
    fn arrive(
        &mut self,
        fleet: &mut Fleet<'t>,
        arrivals: &[Guest],
        moment: Moment,
    ) -> Result<Decision, ReplayError>;

    /// Tidies up at the end of an interval, in which virtual machines may have been rejected, and says who moved.
    fn end_interval(&mut self, fleet: &mut Fleet<'t>, rejected: bool) -> Vec<Move> {
        let (_, _) = (fleet, rejected);
        Vec::new()
    }
}

/// What a decision entailed beside the places of those that arrived.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Decision {
    /// Who was moved.
    pub moves: Vec<Move>,
    /// What was proved, by a policy that proves anything.
    pub proof: Option<Proof>,
}

/// What is known of how good a decision is.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// Whether a program was solved; else bounds, or trying few moves, proved the decision.
    pub program: bool,
    /// Whether the decision is proved optimal.
    pub proved: bool,
    /// Relative gap of the first goal that is not proved, where it is known.
    pub gap: Option<f64>,
    /// Seconds that it took.
    pub seconds: f64,
}

/// Why a replay ended early.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The user interrupted it.
    #[error("interrupted")]
    Interrupted,
    /// The decisions of an earlier run cannot be used, or those of this one not kept.
    #[error("{0}")]
    Journal(String),
    /// A rule is broken by a decision or by the bookkeeping: never to be taken for a result.
    #[error("{0}")]
    Internal(String),
}

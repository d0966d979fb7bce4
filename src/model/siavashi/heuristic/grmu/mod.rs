//! GRMU: two baskets of GPUs, defragmentation and consolidation.

mod baskets;
mod consolidation;
mod fragmentation;

pub use baskets::BasketComparison;

use super::super::instance::Problem;
use super::interval::{self, Online};
use super::policy::Policy;
use super::state::{Fleet, Move, Request};
use super::values::YES_NO;
use crate::cluster::{Amount, Location, Placement};
use crate::mig::FragmentationReading;
use crate::model::entry::choice;
use crate::model::{Heuristic, ParameterEntry};
use baskets::Baskets;
use fragmentation::Fragmentations;

/// The policy GRMU, Algorithms 2 to 5, with the values of its parameters.
///
/// - The heavy basket has room for `heavy_capacity` times the number of GPUs, rounded down, and the light basket for the
///   rest.
/// - A request belongs to the heavy basket of a type of board if its profile takes all slots there, as 7g.40gb does.
/// - What Algorithms 2 to 5 leave open or cannot mean as they are printed stands with their implementations.
#[derive(Clone, Copy, Debug)]
pub struct Grmu {
    /// Share of the GPUs that the heavy basket may have, between 0 and 1.
    pub heavy_capacity: Amount,
    /// Whether a basket may still grow when it is at its capacity.
    pub comparison: BasketComparison,
    /// How Algorithm 4 measures fragmentation.
    pub fragmentation: FragmentationReading,
    /// Whether a GPU is defragmented upon rejection.
    pub defragments: bool,
    /// Whether half-full GPUs are consolidated.
    pub consolidates: bool,
}

impl Grmu {
    /// The paper's configuration, its algorithms read as printed.
    pub const PRINTED: Grmu = Grmu {
        heavy_capacity: Amount::from_millionths(300_000),
        comparison: BasketComparison::AtMost,
        fragmentation: FragmentationReading::Literal,
        defragments: true,
        consolidates: false,
    };
}

impl Heuristic<Problem> for Grmu {
    fn name(&self) -> &'static str {
        "grmu"
    }

    fn summary(&self) -> &'static str {
        "first fit within a basket of GPUs for whole-GPU profiles and one for the others; repacks a GPU upon rejection"
    }

    fn reference(&self) -> &'static str {
        "Siavashi & Momtazpour, Algorithms 2 to 5"
    }

    fn propose(&self, problem: &Problem, _seed: u64) -> Placement {
        interval::propose(problem, self)
    }

    fn parameters(&self) -> &'static [ParameterEntry] {
        &[
            ParameterEntry {
                name: "heavy-capacity",
                summary: "share of the GPUs that the basket of whole-GPU profiles may have, from 0 to 1; 0.3",
            },
            ParameterEntry {
                name: "basket-comparison",
                summary: "whether a basket may grow while it is `at-most` at its capacity, as printed, or `below` it; at-most",
            },
            ParameterEntry {
                name: "fragmentation",
                summary: "whether the measure tries each profile on what the ones before it left, as printed (`literal`), or on \
                          the GPU as it is (`reset`); literal",
            },
            ParameterEntry {
                name: "defragment",
                summary: "whether the most fragmented GPU is repacked once a newcomer was rejected, `yes` or `no`; yes",
            },
            ParameterEntry {
                name: "consolidate",
                summary: "whether GPUs half full with one workload are paired at the end, `yes` or `no`; no",
            },
        ]
    }

    fn with(&self, values: &[(&str, &str)]) -> Result<Box<dyn Heuristic<Problem>>, String> {
        Ok(self.adjusted(values)?)
    }
}

const READINGS: &[(&str, FragmentationReading)] =
    &[("literal", FragmentationReading::Literal), ("reset", FragmentationReading::Reset)];

fn share(value: &str) -> Result<Amount, String> {
    let share = value.parse().ok().filter(|share| (Amount::ZERO..=Amount::ONE).contains(share));
    share.ok_or_else(|| {
        format!(
            "`heavy-capacity` is \"{value}\" but must be a number from 0 to 1 with at most six digits after the decimal \
             point, such as 0.3."
        )
    })
}

impl Online for Grmu {
    fn begin(&self, fleet: &Fleet<'_>) -> Box<dyn Policy> {
        Box::new(AtWork {
            settings: *self,
            baskets: Baskets::new(fleet, self.heavy_capacity, self.comparison),
            fragmentations: Fragmentations::new(self.fragmentation),
        })
    }

    fn adjusted(&self, values: &[(&str, &str)]) -> Result<Box<dyn Online>, String> {
        let mut adjusted = *self;
        for &(key, value) in values {
            match key {
                "heavy-capacity" => adjusted.heavy_capacity = share(value)?,
                "basket-comparison" => adjusted.comparison = choice(key, value, BasketComparison::NAMED)?,
                "fragmentation" => adjusted.fragmentation = choice(key, value, READINGS)?,
                "defragment" => adjusted.defragments = choice(key, value, YES_NO)?,
                "consolidate" => adjusted.consolidates = choice(key, value, YES_NO)?,
                _ => unreachable!("{key} is none of the parameters"),
            }
        }
        Ok(Box::new(adjusted))
    }

    fn consolidates(&self) -> bool {
        self.consolidates
    }
}

/// GRMU on a fleet.
struct AtWork {
    settings: Grmu,
    baskets: Baskets,
    fragmentations: Fragmentations,
}

impl Policy for AtWork {
    fn choose(&mut self, fleet: &Fleet<'_>, request: Request<'_>) -> Option<Location> {
        self.baskets.choose(fleet, request)
    }

    fn defragment(&mut self, fleet: &mut Fleet<'_>) -> Vec<Move> {
        if !self.settings.defragments {
            return Vec::new();
        }
        self.fragmentations.defragment(fleet, self.baskets.light())
    }

    fn consolidate(&mut self, fleet: &mut Fleet<'_>) -> Vec<Move> {
        if !self.settings.consolidates {
            return Vec::new();
        }
        let moves = consolidation::consolidate(fleet, self.baskets.light());
        moves.iter().for_each(|step| self.baskets.release(step.from.gpu));
        moves
    }
}

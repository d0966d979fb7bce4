//! GRMU: two baskets of GPUs, defragmentation and consolidation.

mod baskets;
mod consolidation;
mod fragmentation;

pub use baskets::BasketComparison;

use super::interval::{self, Online};
use crate::instance::Problem;
use baskets::Baskets;
use cluster::{Location, Placement};
use fleet::{Fleet, Move, Policy, Request};
use fragmentation::Fragmentations;
use ground::Amount;
use kit::{
    Choice, Choices, Heuristic, Parameter, ParameterEntry, assign, no_choices, parameter_entries, put_choice,
};
use mig::FragmentationReading;

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

    fn parameters(&self) -> Vec<ParameterEntry> {
        parameter_entries(PARAMETERS, self)
    }

    fn with(&self, values: &[(&str, &str)]) -> Result<Box<dyn Heuristic<Problem>>, String> {
        Ok(self.adjusted(values)?)
    }
}

const PARAMETERS: &[Parameter<Grmu>] = &[
    Parameter {
        name: "heavy-capacity",
        summary: "share of the GPUs that the basket of whole-GPU profiles may have, from 0 to 1",
        choices: no_choices,
        get: |grmu| Some(grmu.heavy_capacity.to_string()),
        set: |grmu, text| share(text).map(|share| grmu.heavy_capacity = share),
    },
    Parameter {
        name: "basket-comparison",
        summary: "when a basket may take another GPU",
        choices: BasketComparison::entries,
        get: |grmu| Some(grmu.comparison.name().to_owned()),
        set: |grmu, text| put_choice(&mut grmu.comparison, text),
    },
    Parameter {
        name: "fragmentation",
        summary: "on which state of the GPU the measure tries each profile",
        choices: Measure::entries,
        get: |grmu| Some(Measure(grmu.fragmentation).name().to_owned()),
        set: |grmu, text| Measure::named(text).map(|Measure(reading)| grmu.fragmentation = reading),
    },
    Parameter {
        name: "defragment",
        summary: "whether the most fragmented GPU is repacked after a newcomer was rejected",
        choices: bool::entries,
        get: |grmu| Some(grmu.defragments.name().to_owned()),
        set: |grmu, text| put_choice(&mut grmu.defragments, text),
    },
    Parameter {
        name: "consolidate",
        summary: "whether GPUs half filled by one workload are paired at the end",
        choices: bool::entries,
        get: |grmu| Some(grmu.consolidates.name().to_owned()),
        set: |grmu, text| put_choice(&mut grmu.consolidates, text),
    },
];

/// A reading of fragmentation by its name.
#[derive(Clone, Copy, PartialEq)]
struct Measure(FragmentationReading);

impl Choices for Measure {
    const ALL: &'static [Choice<Measure>] = &[
        Choice {
            name: "literal",
            help: "on what the profiles before it left, as printed",
            value: Measure(FragmentationReading::Literal),
        },
        Choice { name: "reset", help: "on the GPU as it is", value: Measure(FragmentationReading::Reset) },
    ];
}

fn share(text: &str) -> Result<Amount, String> {
    let share = text.parse().ok().filter(|share| (Amount::ZERO..=Amount::ONE).contains(share));
    share.ok_or_else(|| {
        "give a number from 0 to 1 with at most six digits after the decimal point, such as 0.3".to_owned()
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
        assign(self.name(), PARAMETERS, &mut adjusted, values)?;
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

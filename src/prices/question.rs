//! What a search is asked.

use super::total::Total;
use std::ops::Range;

/// What is asked.
pub struct Question<C> {
    /// The totals that parts share.
    pub totals: Vec<Total>,
    /// The contents of some solution, or any others that are good to begin with.
    pub start: Vec<(usize, C)>,
    /// The cost of a solution that is known.
    pub known: i64,
    /// What a price of a total is at first, at most.
    pub confines: f64,
    /// The relative gap at which to stop; 0 asks for the optimum.
    pub relative_gap: f64,
    /// How to look for solutions of a target; not at all where its bound alone is of use.
    pub looking: Option<Looking>,
    /// How often parts may be asked for their best content on average before the search gives up, a wide search counting more.
    pub most_asked: Option<u32>,
}

/// How a search looks for solutions of a target, beside choosing among the contents that it has met and those that it can list.
#[derive(Clone, Copy, Debug)]
pub struct Looking {
    /// How many dives there are before each choice among the contents met.
    pub dives: usize,
    /// How many dives there are for a target at most; they end before where some have met nothing new.
    pub most_dives: usize,
    /// How many dives there are at the very first, for what the contents met cost in the linear program, before it is proved that nothing
    /// costs less: for parts whose proofs take long.
    pub early_dives: usize,
    /// How many dives there are where there are too many contents to list.
    pub late_dives: usize,
    /// How many more dives there are where nothing else is left to do.
    pub last_dives: usize,
    /// Whether dives ask parts for contents only while those met cost more than wanted in the linear program: where asking takes long.
    pub sparing: bool,
    /// Whether some contents are tried where there are too many to list.
    pub samples: bool,
}

impl Looking {
    /// So many dives for a target at once, none early, late or last, that ask for all contents of use; and samples.
    pub fn with_dives(dives: usize) -> Self {
        Looking {
            dives,
            most_dives: dives,
            early_dives: 0,
            late_dives: 0,
            last_dives: 0,
            sparing: false,
            samples: true,
        }
    }

    /// The numbers of the late dives.
    pub fn late(&self) -> Range<usize> {
        self.most_dives..self.most_dives + self.late_dives
    }

    /// The numbers of the last dives.
    pub fn last(&self) -> Range<usize> {
        let last = self.late().end;
        last..last + self.last_dives
    }
}

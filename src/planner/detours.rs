//! Some parts of a transition planned anew, with temporary places, beside others whose plan is settled.

use crate::fits::fits;
use crate::history::History;
use crate::lodging::{possible, share};
use crate::means::{End, MOST_COLUMNS, Means};
use crate::objective::Objective;
use crate::program::{Absent, Pair, Shape};
use cluster::{GpuIndex, Handover};
use plan::Place;
use std::collections::{BTreeMap, BTreeSet};

/// What is planned anew.
pub struct Anew<'p> {
    /// The places to be left and to be entered.
    pub pairs: Vec<Pair>,
    /// The classes that may have temporary places.
    pub guests: &'p [usize],
    /// How many restarting and how many other workloads step aside.
    pub parks: (u64, u64),
    /// What all others do.
    pub others: &'p History,
    /// Rounds.
    pub rounds: usize,
    /// At most so many columns are spent on temporary places.
    pub most_columns: usize,
    /// Whether the limits on rounds are kept, for which all parts have to be planned together.
    pub is_limited: bool,
}

impl Anew<'_> {
    /// A history of what is planned anew, in which nobody stops who need not; and whether all temporary places were considered.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn solve(self, means: &Means<'_>) -> Result<(End, bool), String> {
        let transition = means.transition;
        let beside = self.beside(means);
        let mut pairs = self.pairs.clone();
        if pairs.len() * self.rounds > MOST_COLUMNS {
            return Ok((End::Stopped, false));
        }
        let most = self.most_columns / (2 * self.rounds * self.guests.len().max(1));
        let mut is_exact = true;
        for (number, &class) in self.guests.iter().enumerate() {
            let about = &transition.classes[class];
            let is_free = |place: Place, round: usize| {
                fits(transition, beside[round].get(&place.gpu).map_or(&[], Vec::as_slice), place)
            };
            let can_lodge = |place: &Place| {
                !about.present.contains(place)
                    && !about.target.contains(place)
                    && (1..self.rounds).any(|round| is_free(*place, round - 1) && is_free(*place, round))
            };
            let places: Vec<Place> = possible(transition, class).into_iter().filter(can_lodge).collect();
            // Where several are alike, one may also lodge where another one was.
            is_exact &= places.len() <= most && about.present.len() == 1 && about.target.len() == 1;
            pairs.extend(share(&places, most, number, self.guests.len()).into_iter().map(|place| Pair {
                class,
                place,
                before: false,
                after: false,
                enters: true,
                leaves: true,
            }));
        }
        let restarts =
            |pair: &&Pair| pair.after && transition.classes[pair.class].handover == Handover::Restart;
        let restarting: BTreeSet<usize> = self.pairs.iter().filter(restarts).map(|pair| pair.class).collect();
        let stops = restarting.iter().map(|&class| transition.classes[class].movers() as u64).sum();
        let (down, aside) = self.parks;
        let shape = Shape {
            transition,
            rounds: self.rounds,
            absent: Absent::Restarting,
            pairs,
            stages: Vec::new(),
            most: vec![(Objective::Stops, stops), (Objective::Downtime, down), (Objective::Bounces, aside)],
            beside: Some(beside),
            is_limited: self.is_limited,
        };
        Ok((means.solve(shape)?, is_exact))
    }

    /// What the others have in play in each round.
    fn beside(&self, means: &Means<'_>) -> Vec<BTreeMap<GpuIndex, Vec<Place>>> {
        let own: BTreeSet<Place> =
            self.pairs.iter().filter(|pair| pair.before).map(|pair| pair.place).collect();
        let mut others = self.others.clone();
        while others.rounds.len() < self.rounds {
            others.rounds.push(BTreeMap::new());
        }
        let mut beside = others.in_play_by_gpu(means.transition);
        for places in beside.iter_mut().flat_map(BTreeMap::values_mut) {
            places.retain(|place| !own.contains(place));
        }
        beside
    }
}

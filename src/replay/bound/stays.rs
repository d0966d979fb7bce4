//! What free migration hides: what stays from one peak to a later one is on the same GPU at both.
//!
//! What stays is spread over the GPUs in some *fills*, and beside each fill a GPU has room for what comes and goes: at the first peak
//! for some, at the second for others. The rows for a pair of peaks count the GPUs by the fill of those that stay. They hold for all
//! schedules without migrations, and are added for pairs of peaks at which those that the bound accepts break them.

use crate::asked_for::fills_asked_for;
use cluster::{BoardIndex, Cluster};
use good_lp::{Expression, constraint, variable};
use mig::{Counts, Facet, Hull, ProfileIndex};
use milp::{ProgramBuilder, Sense};
use solver::{Control, Effort, Options, solve_stages};
use std::time::Duration;

/// With more fills than this the rows are too many.
const MOST_FILLS: usize = 120;

/// The rows for pairs of peaks of one fleet.
pub struct Stays {
    gpus: u32,
    profiles: usize,
    fills: Vec<Filled>,
    facets: Vec<Facet>,
}

/// A fill, and what fits beside it.
struct Filled {
    counts: Counts,
    /// How many instances of each profile fit beside it without others; those of which none fits are left out.
    beside: Vec<(ProfileIndex, u32)>,
}

/// Sums by profile: of what stays from one peak to another, and of the others that are there at the first and at the second.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Parts<T> {
    pub staying: Vec<T>,
    pub others: [Vec<T>; 2],
}

impl Stays {
    /// `None` where there are several types of boards, or one that holds too many mixtures.
    pub fn of(cluster: &Cluster) -> Option<Self> {
        let [board] = cluster.boards.as_slice() else { return None };
        let table = fills_asked_for(cluster, BoardIndex(0));
        if table.len() > MOST_FILLS {
            return None;
        }
        let facets = Hull::of(&table)?.facets().to_vec();
        let filled = |counts: &Counts| {
            let most = |profile: ProfileIndex| {
                let mut held = counts.clone();
                let more = std::iter::from_fn(|| {
                    held = held.add_one(profile);
                    table.allows(&held).then_some(())
                });
                (profile, more.count() as u32)
            };
            let beside = board.profile_indices().map(most).filter(|&(_, most)| most > 0).collect();
            Filled { counts: counts.clone(), beside }
        };
        let fills = table.waste_of.keys().map(filled).collect();
        Some(Stays { gpus: cluster.gpus.len() as u32, profiles: board.profiles().len(), fills, facets })
    }

    /// The number of profiles of the board.
    pub fn profiles(&self) -> usize {
        self.profiles
    }

    /// Whether these numbers by profile leave less than a GPU of some facet.
    pub fn take_all_gpus(&self, numbers: &[i64]) -> bool {
        self.facets.iter().any(|facet| {
            let used = facet.coefficients.iter().zip(numbers).map(|(&each, number)| i64::from(each) * number);
            used.sum::<i64>() > i64::from(facet.capacity) * (i64::from(self.gpus) - 1)
        })
    }

    /// Adds the rows for a pair of peaks with these sums.
    pub(super) fn add(&self, builder: &mut ProgramBuilder, name: &str, parts: Parts<Expression>) {
        let Parts { mut staying, mut others } = parts;
        let mut all = Expression::default();
        for (number, fill) in self.fills.iter().enumerate() {
            let label = |what: &str| format!("{name}-{what}[{number}]");
            let gpus = variable().integer().min(0).max(self.gpus);
            let gpus = builder.column(label("gpus"), gpus);
            all += gpus;
            for (profile, count) in fill.counts.iter() {
                staying[profile.index()].add_mul(-f64::from(count), gpus);
            }
            for (peak, others) in others.iter_mut().enumerate() {
                let mut used = vec![Expression::default(); self.facets.len()];
                for &(profile, most) in &fill.beside {
                    let label = |what: &str| format!("{name}-{what}-{peak}-{}[{number}]", profile.0);
                    let beside = builder.column(label("beside"), variable().min(0));
                    others[profile.index()].add_mul(-1.0, beside);
                    builder.row(label("most"), constraint!(beside <= f64::from(most) * gpus));
                    for (used, facet) in used.iter_mut().zip(&self.facets) {
                        used.add_mul(f64::from(facet.coefficients[profile.index()]), beside);
                    }
                }
                for (facet, (used, about)) in used.into_iter().zip(&self.facets).enumerate() {
                    let room = f64::from(about.capacity) - about.used_by(&fill.counts) as f64;
                    builder.row(label(&format!("facet-{peak}-{facet}")), constraint!(used <= room * gpus));
                }
            }
        }
        builder.row(format!("{name}-all"), constraint!(all == f64::from(self.gpus)));
        let sums = std::iter::once(staying).chain(others).flatten().enumerate();
        for (number, left) in sums {
            builder.row(format!("{name}-sum[{number}]"), constraint!(left == 0));
        }
    }

    /// Whether it is proved that these numbers break the rows.
    pub fn are_broken_by(&self, parts: &Parts<u32>, effort: &Effort, control: &Control) -> bool {
        let mut builder = ProgramBuilder::new("replay-stays");
        let mut placed = Expression::default();
        let mut all = 0;
        let mut sum = |name: String, &number: &u32| {
            let column = builder.column(name, variable().integer().min(0).max(number));
            placed += column;
            all += number;
            Expression::from(column)
        };
        let staying = parts.staying.iter().map(|&number| Expression::from(f64::from(number))).collect();
        let mut others = |peak: usize| {
            let numbers = parts.others[peak].iter().enumerate();
            numbers.map(|(profile, number)| sum(format!("others-{peak}[{profile}]"), number)).collect()
        };
        let others = [others(0), others(1)];
        self.add(&mut builder, "pair", Parts { staying, others });
        builder.stage("placed", Sense::Maximize, placed, Some(1.0));
        let options = Options {
            time_limit: Some(Duration::from_secs(SECONDS)),
            settings: effort.settings.clone(),
            ..Options::default()
        };
        let staged = solve_stages(effort.solver, &builder.build(), &options, control);
        staged.stages.first().and_then(|stage| stage.bound).is_some_and(|bound| bound < f64::from(all))
    }
}

/// Seconds for the question whether numbers break the rows.
const SECONDS: u64 = 2;

//! A relaxation made tighter by what machines can hold together.
//!
//! The linear program is solved, rules that its point breaks are looked for at some peaks, a row is added wherever the point breaks a rule that
//! is known, and so on. Peaks that have a price come first: rows at others would lower no bound at once.

use super::holding::{self, Holding};
use super::machines::Machines;
use super::relaxation::{Relaxation, Scope};
use super::separation::Separation;
use itertools::Itertools;
use milp::{Row, StopReason};
use prices::Limits;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use solver::{Control, Effort, Request, Session};
use std::time::Instant;

/// How many peaks are looked at before the linear program is solved again, if rows have been added, and how many new rules are enough.
const MOST_PEAKS: usize = 120;
const MOST_RULES: usize = 40;
/// What a rule must be broken by for a row, as a share of what machines can hold.
const LEAST_EXCESS: f64 = 1e-5;
/// A price below this is none.
const LEAST_PRICE: f64 = 1e-9;
/// Rounds end where so many together lower the bound by less than this share of it.
const ROUNDS: usize = 10;
const LEAST_PROGRESS: f64 = 1e-4;

/// The rules that the linear program of a relaxation breaks, round by round, until it breaks none, rounds lower it by next to nothing, or time is
/// up. None where cores and main memory are not limited: facets say then all that there is to say.
///
/// # Errors
/// When the solver fails.
pub fn holding(
    scope: &Scope<'_>,
    effort: &Effort,
    until: Option<Instant>,
    control: &Control,
) -> Result<Option<Holding>, String> {
    let cluster = scope.cluster;
    if !cluster.hosts.iter().any(|host| host.cpu.is_some() || host.memory.is_some()) {
        return Ok(None);
    }
    let members = scope.worth.iter().map(|&worth| worth > 0).collect_vec();
    let fleet = Machines::of(cluster, &members);
    let limits = Limits { deadline: until, control };
    let mut separation = Separation::new(cluster, &fleet, effort, &limits)?;
    let mut holding = Holding::nothing(fleet.kind_of(cluster.workloads.len()));
    let mut random = ChaCha8Rng::seed_from_u64(0);
    // Virtual machines that keep all other rules may be too many for what hosts hold. Such peaks make the program larger, so they come last.
    for every_peak in [false, true] {
        let scope = Scope { every_peak, times: scope.times.clone(), holding: Some(&holding), ..*scope };
        let relaxation = Relaxation::new(&scope, None);
        let session = effort.solver.open(&relaxation.program, &effort.settings);
        let mut session = session.map_err(|failure| failure.to_string())?;
        session.set_objective(&relaxation.program.stages[0]);
        let mut tightening = Tightening {
            relaxation: &relaxation,
            session,
            separation: &mut separation,
            holding,
            columns: Vec::new(),
            peaks_of_rows: Vec::new(),
        };
        let none_is_broken = tightening.run(&mut random, &limits)?;
        holding = tightening.holding;
        if !none_is_broken {
            break;
        }
    }
    Ok(Some(holding))
}

/// A linear program and the rules known so far.
struct Tightening<'t, 's> {
    relaxation: &'t Relaxation,
    session: Box<dyn Session + 't>,
    separation: &'t mut Separation<'s>,
    holding: Holding,
    /// The point of the linear program.
    columns: Vec<f64>,
    /// The number of the peak of each row added.
    peaks_of_rows: Vec<usize>,
}

impl Tightening<'_, '_> {
    /// Round by round; whether the point breaks no rule in the end.
    fn run(&mut self, random: &mut ChaCha8Rng, limits: &Limits<'_>) -> Result<bool, String> {
        let mut bounds: Vec<f64> = Vec::new();
        while limits.stop().is_none() {
            let outcome = self.session.solve(&Request::relaxation(limits.deadline, limits.control));
            match (outcome.stop, outcome.bound, outcome.columns) {
                (StopReason::SolverError(words), ..) => return Err(words),
                (StopReason::Proved, Some(bound), Some(columns)) => {
                    bounds.push(bound);
                    self.columns = columns;
                }
                _ => break,
            }
            let is_slow = bounds.iter().rev().nth(ROUNDS).zip(bounds.last());
            if is_slow.is_some_and(|(before, now)| before - now < LEAST_PROGRESS * now) {
                break;
            }
            if !self.add(random, limits)? {
                return Ok(limits.stop().is_none());
            }
        }
        Ok(false)
    }

    /// Adds rows that the point breaks, of the rules known and of new ones; whether there are any.
    fn add(&mut self, random: &mut ChaCha8Rng, limits: &Limits<'_>) -> Result<bool, String> {
        let is_paid = self.is_paid();
        let mut has_rows = vec![false; is_paid.len()];
        for rule in 0..self.holding.rules.len() {
            self.add_rows(rule, &mut has_rows);
        }
        let mut order = (0..is_paid.len()).collect_vec();
        order.shuffle(random);
        order.sort_by_key(|&peak| !is_paid[peak]);
        let (mut tried, mut found) = (0, 0);
        for peak in order {
            let is_enough = found == MOST_RULES || (tried >= MOST_PEAKS && has_rows.contains(&true));
            if is_enough || limits.stop().is_some() {
                break;
            }
            if has_rows[peak] {
                continue;
            }
            tried += 1;
            if let Some(rule) = self.separation.rule(&self.numbers(peak))? {
                self.holding.rules.push(rule);
                self.add_rows(self.holding.rules.len() - 1, &mut has_rows);
                found += 1;
            }
        }
        Ok(has_rows.contains(&true))
    }

    /// By peak, whether something has a price there. All are alike where the solver tells no prices.
    fn is_paid(&mut self) -> Vec<bool> {
        let mut is_paid = vec![false; self.relaxation.peaks.len()];
        let Some(duals) = self.session.row_duals() else { return is_paid };
        let of_rows = self.peaks_of_rows.iter().zip(&duals[self.relaxation.program.rows.len()..]);
        let of_rows = of_rows.map(|(&peak, &price)| (peak, price));
        let of_sums = self.relaxation.prices(&duals).map(|(peak, _, price)| (peak, price));
        of_sums.chain(of_rows).filter(|paid| paid.1 > LEAST_PRICE).for_each(|paid| is_paid[paid.0] = true);
        is_paid
    }

    /// How many of each kind are there at a peak.
    fn numbers(&self, peak: usize) -> Vec<f64> {
        let mut numbers = vec![0.0; self.separation.kinds];
        for (class, count) in self.relaxation.classes.iter().zip(&self.columns) {
            if class.is_there(peak)
                && let Some(kind) = self.holding.kinds[class.positions[0]]
            {
                numbers[kind] += count;
            }
        }
        numbers
    }

    /// Adds rows at all peaks at which the point breaks a rule, and marks these.
    fn add_rows(&mut self, rule: usize, has_rows: &mut [bool]) {
        let Relaxation { classes, peaks, .. } = self.relaxation;
        let most = self.holding.most(rule);
        let worth = self.holding.worth(rule, classes);
        let mut changes = vec![0.0; peaks.len() + 1];
        for ((class, worth), count) in classes.iter().zip(&worth).zip(&self.columns) {
            if let Some((first, last)) = class.span {
                changes[first] += worth * count;
                changes[last + 1] -= worth * count;
            }
        }
        let mut held = 0.0;
        for (peak, &time) in peaks.iter().enumerate() {
            held += changes[peak];
            if held <= most * (1.0 + LEAST_EXCESS) || !self.holding.rows.insert((time, rule)) {
                continue;
            }
            has_rows[peak] = true;
            self.peaks_of_rows.push(peak);
            self.session.add_row(&Row {
                label: format!("held-{rule}-at[{time}]"),
                lower: f64::NEG_INFINITY,
                upper: most,
                terms: holding::terms(classes, &worth, peak).collect(),
            });
        }
    }
}

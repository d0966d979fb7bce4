//! An offline heuristic: randomised greedy packings, then one server less as long as that works out.

mod best;
mod ejection;
mod greedy;
mod shares;
mod targets;

use crate::heuristics::state::State;
use crate::instance::{Problem, ServerIndex, VmIndex};
use crate::rules::Packing;
use best::Best;
use ejection::Ejection;
use greedy::Greedy;
use ground::Amount;
use kit::{Heuristic, Parameter, ParameterEntry, assign, no_choices, parameter_entries, whole};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use shares::Shares;

/// How much effort a packing is worth.
#[derive(Clone, Copy, Debug)]
pub struct OfflineOptions {
    /// Number of greedy packings; the effort to improve on them grows with it.
    pub tries: u32,
    /// Seed for whatever is random.
    pub seed: u64,
    /// Cost at which no better packing is looked for, such as a proved bound.
    pub stop_at: Option<Amount>,
}

/// Up to so many virtual machines all tries are made.
const EFFORTLESS: u64 = 1_000;

/// The number of tries unless told otherwise.
const USUAL_TRIES: u32 = 40;

impl Default for OfflineOptions {
    fn default() -> Self {
        OfflineOptions { tries: USUAL_TRIES, seed: 0, stop_at: None }
    }
}

/// Packs all virtual machines onto servers of a pool so that those in use cost little; `None` when it finds no packing.
///
/// The order of arrival plays no role. The same problem, pool and options give the same packing.
pub fn pack_offline(problem: &Problem, pool: &[ServerIndex], options: &OfflineOptions) -> Option<Packing> {
    let mut search = Search {
        problem,
        pool,
        shares: Shares::new(problem, pool),
        random: ChaCha8Rng::seed_from_u64(options.seed),
        stop_at: options.stop_at.unwrap_or(Amount::ZERO),
        best: None,
    };
    search.greedy(options.tries);
    search.improve(options.tries);
    search.best.map(|best| best.state.packing())
}

struct Search<'p> {
    problem: &'p Problem,
    pool: &'p [ServerIndex],
    shares: Shares,
    random: ChaCha8Rng,
    stop_at: Amount,
    best: Option<Best<'p>>,
}

impl<'p> Search<'p> {
    /// Takes a packing of all virtual machines if it is cheaper; says whether it is.
    fn offer(&mut self, state: &State<'p>) -> bool {
        let servers: Vec<ServerIndex> =
            self.pool.iter().copied().filter(|&server| state.is_active(server)).collect();
        let cost = targets::cost(self.problem, &servers);
        let better = self.best.as_ref().is_none_or(|best| cost < best.cost);
        if better {
            self.best = Some(Best { cost, servers, state: state.clone() });
        }
        better
    }

    fn is_good_enough(&self) -> bool {
        self.best.as_ref().is_some_and(|best| best.cost <= self.stop_at)
    }

    /// Greedy packings, fewer of them where many virtual machines make each long.
    fn greedy(&mut self, tries: u32) {
        let vms = self.problem.vms.len() as u64;
        let affordable = u64::from(tries) * EFFORTLESS.pow(2) / vms.pow(2).max(1);
        let tries = tries.min(u32::try_from(affordable).unwrap_or(u32::MAX)).max(1);
        let all: Vec<VmIndex> = self.problem.vm_indices().collect();
        for number in 0..tries {
            if self.is_good_enough() {
                return;
            }
            let plan = Greedy::draw(&self.shares, number, &mut self.random);
            let servers = targets::ordered(self.problem, self.pool, &self.shares, &plan.server_weights);
            let mut state = State::new(self.problem, true);
            let unplaced = plan.pack(&mut state, &servers, &all, &self.shares, &mut self.random);
            if unplaced.is_empty() {
                self.offer(&state);
            }
        }
    }

    /// Looks for a packing on cheaper sets of servers until none is found.
    fn improve(&mut self, tries: u32) {
        let mut effort = ejection::effort(self.problem.vms.len(), tries);
        while effort > 0 && !self.is_good_enough() {
            let targets = targets::cheaper(self.problem, self.pool, &self.shares, self.best.as_ref());
            let mut found = false;
            let number = targets.len() as u64;
            for (position, target) in targets.into_iter().enumerate() {
                let share = effort / (number - position as u64);
                found = self.pack_onto(&target, share, &mut effort);
                if found {
                    break;
                }
            }
            if !found {
                return;
            }
        }
    }

    /// Tries to pack onto these servers alone, first from what is known and then from greedy packings.
    fn pack_onto(&mut self, target: &[ServerIndex], share: u64, effort: &mut u64) -> bool {
        const ROUNDS: u64 = 2;
        let all: Vec<VmIndex> = self.problem.vm_indices().collect();
        for round in 0..ROUNDS {
            let mut state = State::new(self.problem, true);
            let unplaced = match &self.best {
                Some(best) if round == 0 => {
                    targets::carry_over(&mut state, target, best.servers.as_slice(), &best.state)
                }
                _ => {
                    let plan = Greedy::draw(&self.shares, round as u32 + 100, &mut self.random);
                    let ordered = targets::ordered(self.problem, target, &self.shares, &plan.server_weights);
                    plan.pack(&mut state, &ordered, &all, &self.shares, &mut self.random)
                }
            };
            let mut ejection = Ejection::new(state, target, &self.shares, &mut self.random);
            let (complete, spent) = ejection.run(unplaced, share / ROUNDS);
            let state = ejection.into_state();
            *effort = effort.saturating_sub(spent);
            if complete && self.offer(&state) {
                return true;
            }
        }
        false
    }
}

/// The heuristic on all servers.
#[derive(Clone, Copy, Debug)]
pub struct Offline {
    /// Number of greedy packings; the effort to improve on them grows with it.
    pub tries: u32,
}

impl Offline {
    /// With the usual effort.
    pub const USUAL: Offline = Offline { tries: USUAL_TRIES };
}

const PARAMETERS: &[Parameter<Offline>] = &[Parameter {
    name: "tries",
    summary: "number of greedy packings; the effort to improve on the best grows with it",
    choices: no_choices,
    get: |offline| Some(offline.tries.to_string()),
    set: |offline, text| whole(text, 1..=100_000).map(|tries| offline.tries = tries),
}];

impl Heuristic<Problem, Packing> for Offline {
    fn name(&self) -> &'static str {
        "offline"
    }

    fn summary(&self) -> &'static str {
        "knows all virtual machines at once: randomised greedy packings with sharing, then emptying of servers"
    }

    fn reference(&self) -> &'static str {
        "this project; ejection pool after Nagata & Bräysy, Operations Research Letters 37 (2009)"
    }

    fn propose(&self, problem: &Problem, seed: u64) -> Packing {
        let pool: Vec<ServerIndex> = problem.server_indices().collect();
        let options = OfflineOptions { tries: self.tries, seed, stop_at: None };
        pack_offline(problem, &pool, &options).unwrap_or_else(|| Packing::empty(problem.vms.len()))
    }

    fn parameters(&self) -> Vec<ParameterEntry> {
        parameter_entries(PARAMETERS, self)
    }

    fn with(&self, values: &[(&str, &str)]) -> Result<Box<dyn Heuristic<Problem, Packing>>, String> {
        let mut adjusted = *self;
        assign(self.name(), PARAMETERS, &mut adjusted, values)?;
        Ok(Box::new(adjusted))
    }
}

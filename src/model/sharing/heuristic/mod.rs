//! Heuristics for the model: each only proposes a packing, the verifier decides.
//!
//! Adding one is a file here and a line in [`HEURISTICS`].

mod offline;
mod online;
mod order;
mod rule;
mod scarcity;
mod state;

pub use offline::{Offline, OfflineOptions, pack_offline};
pub use online::Online;
pub use order::Order;
pub use rule::{Rule, Scan};
pub use scarcity::{Operator, PageUnit};

use super::instance::Problem;
use super::packing::Packing;
use super::parts::ServerIndex;
use crate::cluster::Amount;
use crate::model::{Chosen, Heuristic, choose_heuristic};

/// All heuristics of the model.
pub const HEURISTICS: &[&dyn Heuristic<Problem, Packing>] = &[
    &Online::printed(Rule::Next, false),
    &Online::printed(Rule::First, false),
    &Online::printed(Rule::Best, false),
    &Online::printed(Rule::Worst, false),
    &Online::printed(Rule::Next, true),
    &Online::printed(Rule::First, true),
    &Online::printed(Rule::Best, true),
    &Online::printed(Rule::Worst, true),
    &Offline::USUAL,
];

pub struct OfflineOptions {
    pub tries: u32,
    pub seed: u64,
    pub stop_at: Option<Amount>,
}
pub fn pack_offline(problem: &Problem, pool: &[ServerIndex], options: &OfflineOptions) -> Option<Packing> {
    let _ = (options.tries, options.seed, options.stop_at);
    let mut order: Vec<_> = problem.vm_indices().collect();
    order.sort_by_key(|&vm| std::cmp::Reverse((problem.vm(vm).request.clone(), problem.vm(vm).pages)));
    let mut pool: Vec<ServerIndex> = pool.to_vec();
    pool.sort_by_key(|&s| std::cmp::Reverse((problem.kind_of(s).capacity.clone(), problem.kind_of(s).pages)));
    let mut packing = Packing::empty(problem.vms.len());
    let mut hosted: Vec<Vec<super::parts::VmIndex>> = vec![Vec::new(); pool.len()];
    for vm in order {
        let mut done = false;
        for (at, &server) in pool.iter().enumerate() {
            let mut set = hosted[at].clone();
            set.push(vm);
            set.sort();
            let kind = problem.kind_of(server);
            let ok = super::verify::pages_of(problem, &set) <= kind.pages
                && (0..problem.resources.len()).all(|r| {
                    let used: Amount = set.iter().map(|&v| problem.vm(v).request[r]).sum();
                    kind.capacity[r].is_none_or(|c| used <= c)
                });
            if ok {
                hosted[at] = set;
                packing.set(vm, Some(server));
                done = true;
                break;
            }
        }
        if !done {
            return None;
        }
    }
    Some(packing)
}

/// The heuristic that a text names.
///
/// # Errors
/// When it names none.
pub fn heuristic_named(text: &str) -> Result<Chosen<dyn Heuristic<Problem, Packing>>, String> {
    choose_heuristic(HEURISTICS, text)
}

//! Packings that patterns make up.

use super::pattern::Pattern;
use super::search::Search;
use super::types::Types;
use crate::instance::ServerIndex;
use crate::rules::Packing;
use good_lp::{Expression, constraint, variable};
use milp::{Handle, Program, ProgramBuilder, Sense, StopReason, Work};
use solver::{Options, solve_stages};
use std::collections::BTreeSet;
use std::time::Instant;

/// Nodes after which the choice among patterns that are not all that count is given up.
const MOST_NODES: u64 = 3_000;

/// What packings are looked for. Costs are in units.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// No packing costs less.
    pub least: i128,
    /// The most that one may cost.
    pub most: i128,
    /// Whether every packing of at most that cost consists of parts of the patterns.
    pub complete: bool,
}

/// What a choice among patterns shows.
pub struct Assembled {
    /// No packing costs less, in units.
    pub bound: i128,
    /// The cheapest packing found.
    pub packing: Option<Packing>,
}

/// The program that chooses among patterns, and its columns.
struct Choice<'c> {
    program: Program,
    columns: Vec<(&'c Pattern, Handle)>,
}

impl Types<'_> {
    /// The cheapest packing that the patterns make up, if it is wanted.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn assemble(
        &self,
        patterns: &BTreeSet<Pattern>,
        wanted: Wanted,
        search: &Search<'_>,
        work: &mut Work,
    ) -> Result<Assembled, String> {
        let Wanted { least, most, complete } = wanted;
        let choice = self.choice(patterns, wanted);
        let options = Options {
            time_limit: search.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())),
            node_limit: (!complete).then_some(MOST_NODES),
            settings: search.settings.clone(),
            ..Options::default()
        };
        let staged = solve_stages(search.solver, &choice.program, &options, search.control);
        *work += staged.work;
        if let StopReason::SolverError(words) = staged.stop {
            return Err(format!("{} failed: {words}", search.solver.name()));
        }
        let of_program =
            staged.stages.first().and_then(|stage| stage.bound).map(|bound| bound.round() as i128);
        let bound = match staged.stop {
            _ if !complete => least,
            StopReason::Infeasible => most + 1,
            _ => of_program.unwrap_or(least).clamp(least, most + 1),
        };
        let Some(found) = staged.columns else { return Ok(Assembled { bound, packing: None }) };
        let columns = choice.columns.into_iter();
        let chosen: Vec<(&Pattern, u32)> =
            columns.map(|(pattern, column)| (pattern, column.whole(&found))).collect();
        Ok(Assembled { bound, packing: Some(self.lay_out(&chosen)) })
    }

    /// How many servers get each pattern, so that every type is hosted as often as it is there.
    fn choice<'c>(&self, patterns: &'c BTreeSet<Pattern>, wanted: Wanted) -> Choice<'c> {
        let mut builder = ProgramBuilder::new("sharing-patterns");
        let mut covered = vec![Expression::default(); self.vms.len()];
        let mut servers = vec![Expression::default(); self.kinds.len()];
        let mut cost = Expression::default();
        let mut columns = Vec::new();
        for (number, pattern) in patterns.iter().enumerate() {
            let most = self.kinds[pattern.kind].1.len() as f64;
            let definition = variable().integer().min(0).max(most);
            let column = Handle::add(&mut builder, format!("chosen[{number}]"), definition);
            servers[pattern.kind] += column.variable;
            cost.add_mul(self.cost(pattern.kind) as f64, column.variable);
            for &(vm_type, count) in &pattern.held {
                covered[vm_type].add_mul(f64::from(count), column.variable);
            }
            columns.push((pattern, column));
        }
        for (vm_type, covered) in covered.into_iter().enumerate() {
            let number = f64::from(self.number(vm_type));
            builder.row(format!("covered[{vm_type}]"), constraint!(covered >= number));
        }
        for (kind, servers) in servers.into_iter().enumerate() {
            let number = self.kinds[kind].1.len() as f64;
            builder.row(format!("servers[{kind}]"), constraint!(servers <= number));
        }
        builder.range_row("cost", wanted.least as f64, cost.clone(), wanted.most as f64);
        builder.stage("cost", Sense::Minimize, cost, Some(1.0));
        Choice { program: builder.build(), columns }
    }

    /// Gives servers their patterns, each virtual machine once.
    fn lay_out(&self, chosen: &[(&Pattern, u32)]) -> Packing {
        let mut packing = Packing::empty(self.problem.vms.len());
        let mut servers: Vec<_> = self.kinds.iter().map(|(_, servers)| servers.iter().copied()).collect();
        let mut waiting: Vec<_> = self.vms.iter().map(|vms| vms.iter().copied()).collect();
        for &(pattern, count) in chosen {
            let taken: Vec<ServerIndex> = servers[pattern.kind].by_ref().take(count as usize).collect();
            for server in taken {
                for &(vm_type, count) in &pattern.held {
                    for vm in waiting[vm_type].by_ref().take(count as usize) {
                        packing.set(vm, Some(server));
                    }
                }
            }
        }
        packing
    }
}

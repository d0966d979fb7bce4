//! Packings that patterns make up.

use super::types::Types;
use super::{Pattern, Search};
use crate::milp::{Handle, ProgramBuilder, Sense, StopReason, Work};
use crate::model::sharing::packing::Packing;
use crate::model::sharing::parts::ServerIndex;
use crate::solver::{Options, solve_stages};
use good_lp::{Expression, constraint, variable};
use std::collections::BTreeSet;
use std::time::Instant;

/// Nodes after which the choice among patterns that are not all that count is given up.
const MOST_NODES: u64 = 3_000;

/// What a choice among patterns shows.
pub struct Assembled {
    /// No packing costs less, in units.
    pub bound: i128,
    /// The cheapest packing found.
    pub packing: Option<Packing>,
}

impl Types<'_> {
    /// The cheapest packing that the patterns make up, if it costs at most `most` units; `least` is what is proved. `complete` says
    /// whether every packing of at most that cost consists of parts of the patterns.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn assemble(
        &self,
        patterns: &BTreeSet<Pattern>,
        least: i128,
        most: i128,
        complete: bool,
        search: &Search<'_>,
        work: &mut Work,
    ) -> Result<Assembled, String> {
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
        builder.range_row("cost", least as f64, cost.clone(), most as f64);
        builder.stage("cost", Sense::Minimize, cost, Some(1.0));
        let program = builder.build();
        let options = Options {
            time_limit: search.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())),
            node_limit: (!complete).then_some(MOST_NODES),
            threads: search.threads,
            ..Options::default()
        };
        let staged = solve_stages(search.solver, &program, &options, search.control);
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
        let chosen: Vec<(&Pattern, u32)> =
            columns.iter().map(|&(pattern, column)| (pattern, column.whole(&found))).collect();
        Ok(Assembled { bound, packing: Some(self.lay_out(&chosen)) })
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

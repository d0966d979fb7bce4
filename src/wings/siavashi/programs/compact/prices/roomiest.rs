//! Of fills that cost as little as others those that leave most cores and memory to spare on all machines together, with the workloads that
//! have a place then.

use super::budgets::Budgets;
use super::outline::Outline;
use super::single_gpus::SingleGpus;
use cluster::WorkloadIndex;
use good_lp::{Expression, constraint, variable};
use kit::SolveError;
use milp::{Handle, ProgramBuilder, Sense, StopReason};
use prices::Chosen;
use solver::{StageOptions, prove_stage};
use std::collections::{BTreeMap, BTreeSet};

/// The nodes after which the best fills so far have to do.
const MOST_NODES: u64 = 100;

/// What is to spare may be so much less than possible, relatively.
const NEAR: f64 = 0.01;

/// What is chosen.
pub struct Roomiest {
    /// The fills.
    pub chosen: Vec<Chosen<u32>>,
    /// The workloads that have a place.
    pub admitted: BTreeSet<WorkloadIndex>,
}

/// Fills of GPUs that cost no more than this and leave most to spare of what is least to spare; none if machines in use lack something all
/// together, or if none are found in time.
///
/// # Errors
/// When the solver fails.
pub fn roomiest(
    outline: &Outline<'_, '_>,
    gpus: &SingleGpus<'_>,
    cost: i64,
) -> Result<Option<Roomiest>, SolveError> {
    let (problem, rows) = (outline.stage.problem, outline.rows);
    let budgets = Budgets::new(problem);
    let mut builder = ProgramBuilder::new("siavashi-roomiest");
    let mut totals = vec![Expression::default(); outline.totals.len()];
    let mut costs = Expression::default();
    let mut fills: Vec<Vec<Handle>> = Vec::new();
    for (part, about) in gpus.parts.iter().enumerate() {
        let mut own = Expression::default();
        let mut handles = Vec::new();
        for (content, column) in about.columns.iter().enumerate() {
            let definition = variable().integer().min(0).max(about.number);
            let handle = Handle::add(&mut builder, format!("content[{part},{content}]"), definition);
            own += handle.variable;
            costs.add_mul(column.cost as f64, handle.variable);
            let terms = column.terms.iter();
            terms.for_each(|&(total, amount)| totals[total].add_mul(amount as f64, handle.variable));
            handles.push(handle);
        }
        builder.row(format!("part[{part}]"), constraint!(own == about.number));
        fills.push(handles);
    }
    builder.row("cost", constraint!(costs <= cost as f64));
    // What has a place need not be all that has room.
    let mut accepted = Expression::default();
    let mut spare = [Expression::default(), Expression::default()];
    let mut placed: Vec<(Vec<WorkloadIndex>, Handle)> = Vec::new();
    for (shape, (kind, about)) in gpus.shapes().enumerate() {
        let is_for_all = outline.totals[rows.placed + shape].least == Some(i64::from(kind.count()));
        let mut by_needs: BTreeMap<_, Vec<WorkloadIndex>> = BTreeMap::new();
        for &workload in &kind.members {
            let must_have = is_for_all || problem.must_stay(workload);
            by_needs.entry((must_have, budgets.of(workload))).or_default().push(workload);
        }
        let mut own = Expression::default();
        for ((must_have, needs), members) in by_needs {
            let most = members.len() as u32;
            let definition = variable().integer().min(if must_have { most } else { 0 }).max(most);
            let handle = Handle::add(&mut builder, format!("placed[{shape},{}]", placed.len()), definition);
            own += handle.variable;
            for (spare, needs) in spare.iter_mut().zip(budgets.shares(needs)) {
                spare.add_mul(-needs, handle.variable);
            }
            placed.push((members, handle));
        }
        accepted.add_mul(about.acceptance as f64, &own);
        let room = std::mem::take(&mut totals[rows.placed + shape]);
        builder.row(format!("room[{shape}]"), constraint!(own <= room));
    }
    for (part, machine) in gpus.machines() {
        let in_use = fills[part].last().expect("machines may be in use").variable;
        for (spare, left) in spare.iter_mut().zip(budgets.shares_left(machine)) {
            spare.add_mul(left, in_use);
        }
    }
    let least = Handle::add(&mut builder, "spare".to_owned(), variable().min(0).max(1));
    for (resource, spare) in spare.into_iter().enumerate().filter(|&(resource, _)| budgets.limits(resource)) {
        builder.row(format!("spare[{resource}]"), constraint!(spare >= least.variable));
    }
    for (position, (total, expression)) in outline.totals.iter().zip(totals).enumerate() {
        let is_placed = (0..gpus.shapes().count()).any(|shape| rows.placed + shape == position);
        let expression = if rows.acceptance == Some(position) { accepted.clone() } else { expression };
        if !is_placed {
            let least = total.least.map_or(f64::NEG_INFINITY, |least| least as f64);
            let most = total.most.map_or(f64::INFINITY, |most| most as f64);
            builder.range_row(format!("total[{}]", total.name), least, expression, most);
        }
    }
    builder.stage("spare", Sense::Maximize, least.variable, None);
    let program = builder.build();
    let effort = outline.stage.effort;
    let failed = |words: String| SolveError::Internal(format!("{} failed: {words}", effort.solver.name()));
    let mut session =
        effort.solver.open(&program, &effort.settings).map_err(|failure| failed(failure.to_string()))?;
    let options = StageOptions {
        deadline: outline.deadline,
        node_limit: Some(MOST_NODES),
        relative_gap: NEAR,
        ..StageOptions::default()
    };
    let outcome =
        prove_stage(session.as_mut(), &program, &program.stages[0], &options, outline.stage.control);
    if let StopReason::SolverError(words) = outcome.stop {
        return Err(failed(words));
    }
    let Some(columns) = outcome.columns else { return Ok(None) };
    let mut chosen = Vec::new();
    for (part, handles) in fills.iter().enumerate() {
        let numbers = (0..).zip(handles).map(|(content, handle)| (content, handle.whole(&columns)));
        let taken = numbers.filter(|&(_, number)| number > 0);
        chosen.extend(taken.map(|(content, number)| Chosen { part, content, number }));
    }
    let admitted = placed.iter().flat_map(|(members, handle)| &members[..handle.whole(&columns) as usize]);
    Ok(Some(Roomiest { chosen, admitted: admitted.copied().collect() }))
}

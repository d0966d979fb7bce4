//! Columns that say how many residents keep their slots, where leaving them costs something.

use super::frame::Held;
use super::kept_fills::{KeptFill, KeptFills, is_shiftable, shiftable};
use super::kinds::Kind;
use super::pools::Pool;
use crate::instance::Problem;
use crate::programs::stage_plan::coefficient;
use crate::section::Goal;
use cluster::{Placement, WorkloadIndex};
use good_lp::{Expression, constraint, variable};
use mig::{Counts, ProfileIndex};
use milp::{Handle, ProgramBuilder};
use std::collections::BTreeMap;

/// The layouts of a GPU, by what they keep.
struct Layouts {
    pool: usize,
    /// Each with the column that chooses it.
    all: Vec<(KeptFill, Handle)>,
}

/// The columns of residents that keep their slots; none where moves of the start cost nothing.
#[derive(Default)]
pub struct Keeping {
    /// By kind and pool: residents of the kind that stay on the only GPU of the pool, and those of them that keep their slots.
    kept: BTreeMap<(usize, usize), (Handle, Handle)>,
    layouts: Vec<Layouts>,
}

impl Keeping {
    /// Adds columns and rows: `held` are all columns that count workloads in pools, `stay` those of residents that stay on their GPU.
    pub fn add(
        problem: &Problem,
        builder: &mut ProgramBuilder,
        kinds: &[Kind],
        pools: &[Pool],
        used: &[Handle],
        held: &[Held],
        stay: impl Fn(usize, usize) -> Option<Handle>,
    ) -> Self {
        let mut keeping = Keeping::default();
        let on_gpu = shiftable(problem, kinds);
        let mut kept_fills = KeptFills::default();
        for (position, pool) in pools.iter().enumerate() {
            let Some(residents) = pool.only_gpu().and_then(|gpu| on_gpu.get(&gpu)) else { continue };
            let name = pool.name(problem);
            let column =
                |number| Handle::add(builder, format!("layout[{name},{number}]"), variable().binary());
            let fills = kept_fills.of(problem, kinds, pool, residents);
            let columns: Vec<Handle> = (0..fills.len()).map(column).collect();
            let all: Vec<(KeptFill, Handle)> = fills.into_iter().zip(columns).collect();
            let total = |number: &dyn Fn(&KeptFill) -> u32| -> Expression {
                all.iter().map(|(fill, column)| f64::from(number(fill)) * column.variable).sum()
            };
            let profiles = problem.cluster.boards[pool.board.index()].profiles().len();
            let mut counts = vec![Expression::default(); profiles];
            for entry in held.iter().filter(|entry| entry.pool == position) {
                let profile =
                    kinds[entry.kind].profile_on(problem, pool.board).expect("the pool can hold it");
                counts[profile.index()] += entry.column.variable;
            }
            for (profile, count) in (0u8..).map(ProfileIndex).zip(counts) {
                let held = total(&|fill| fill.counts.get(profile));
                builder.row(format!("layout-hold[{name},{}]", profile.0), constraint!(count <= held));
            }
            builder
                .row(format!("layout-choose[{name}]"), constraint!(total(&|_| 1) <= used[position].variable));
            for (kind, about) in kinds.iter().enumerate() {
                let most = residents.iter().filter(|(other, _)| *other == kind).count();
                let Some(stay) = stay(kind, position).filter(|_| most > 0) else { continue };
                let name = format!("{},{name}", about.name(problem));
                let definition = variable().integer().min(0).max(most as f64);
                let column = Handle::add(builder, format!("keep[{name}]"), definition);
                builder.row(format!("keep[{name}]"), constraint!(column.variable <= stay.variable));
                let kept = total(&|fill| fill.of_kind(kind));
                builder.row(format!("keep-layout[{name}]"), constraint!(column.variable <= kept));
                keeping.kept.insert((kind, position), (stay, column));
            }
            keeping.layouts.push(Layouts { pool: position, all });
        }
        keeping
    }

    /// How many residents of a kind stay on their GPU at another start, where that costs something.
    pub(super) fn shifted(&self, kind: usize) -> Expression {
        let own = self.kept.iter().filter(|((other, _), _)| *other == kind);
        own.map(|(_, (stay, keep))| stay.variable - keep.variable).sum()
    }

    /// What they cost, of all kinds.
    pub(super) fn costs(&self, problem: &Problem, kinds: &[Kind]) -> Expression {
        let mut costs = Expression::default();
        for (kind, about) in kinds.iter().enumerate() {
            let cost = problem.weighted(problem.costs.move_start, about.example);
            costs.add_mul(coefficient(problem, Goal::Migrations, cost), self.shifted(kind));
        }
        costs
    }

    /// Gives the columns the values that follow from a placement.
    pub fn complete(
        &self,
        problem: &Problem,
        kinds: &[Kind],
        pools: &[Pool],
        placement: &Placement,
        columns: &mut [f64],
    ) {
        for layouts in &self.layouts {
            let pool = &pools[layouts.pool];
            let gpu = pool.only_gpu().expect("something runs there");
            let mut counts = Counts::zero(problem.board(gpu).profiles().len());
            let mut kept: Vec<(usize, u32)> = Vec::new();
            for (number, kind) in kinds.iter().enumerate() {
                let here = |workload: &&WorkloadIndex| {
                    placement.of(**workload).is_some_and(|place| place.gpu == gpu)
                };
                let mut stays = 0;
                for &workload in kind.members.iter().filter(here) {
                    let profile = kind.profile_on(problem, pool.board).expect("a valid placement");
                    counts = counts.add_one(profile);
                    let is_kept = placement.of(workload) == problem.current(workload);
                    stays += u32::from(is_kept && is_shiftable(problem, workload));
                }
                if let Some((_, keep)) = self.kept.get(&(number, layouts.pool)).filter(|_| stays > 0) {
                    columns[keep.index] = f64::from(stays);
                    kept.push((number, stays));
                }
            }
            let shown = KeptFill { kept, counts };
            let layout = layouts.all.iter().find(|(fill, _)| shown.is_within(fill));
            if let Some((_, column)) = layout.filter(|_| !shown.counts.is_zero()) {
                columns[column.index] = 1.0;
            }
        }
    }
}

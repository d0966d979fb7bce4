//! Acceptance and hardware without moves: how many workloads of each kind each machine holds.
//!
//! Where residents run now does not matter for these two goals, so that all GPUs of a board in a machine are alike.

use super::frame::{Frame, Held, alike, order_rows};
use super::kinds::{Detail, Kind};
use super::pools::{Grain, Pool};
use crate::instance::{MachineIndex, Problem};
use crate::programs::cluster_rules::{ClusterRules, Party};
use crate::programs::stage_plan::{GoalExpressions, StagePlan};
use good_lp::{Expression, variable};
use milp::{Handle, Program, ProgramBuilder};

/// What a solution puts into a pool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Content {
    /// How many workloads of each kind, by position.
    pub counts: Vec<u32>,
    /// How many GPUs they take.
    pub gpus: u32,
}

/// The program of counts by machine.
pub struct MachineLevel {
    /// The program, with the first stages of the problem's plan.
    pub program: Program,
    /// The kinds of workloads.
    pub kinds: Vec<Kind>,
    /// The pools of GPUs.
    pub pools: Vec<Pool>,
    /// Machines that may change places.
    pub alike: Vec<Vec<MachineIndex>>,
    frame: Frame,
    held: Vec<Held>,
}

impl MachineLevel {
    /// Builds the program with the first `stages` stages of the plan, none of which may be about migrations.
    pub fn new(problem: &Problem, stages: usize) -> Self {
        let mut builder = ProgramBuilder::new("siavashi-machines");
        let kinds = Kind::all(problem, Detail::PlacesForgotten);
        let pools = Pool::all(problem, &kinds, Grain::Machine);
        let mut frame = Frame::new(problem, &mut builder, &pools);
        let held = held_columns(problem, &mut builder, &kinds, &pools);
        frame.add_rows(problem, &mut builder, &kinds, &pools, &held);
        for (position, kind) in kinds.iter().enumerate() {
            let own = held.iter().filter(|entry| entry.kind == position);
            let placed: Expression = own.map(|entry| entry.column.variable).sum();
            let least = kind.must_stay as f64;
            builder.range_row(
                format!("total[{}]", kind.name(problem)),
                least,
                placed,
                f64::from(kind.count()),
            );
        }
        let is_free =
            |machine| pools.iter().all(|pool: &Pool| pool.machine != machine || pool.pinned.is_empty());
        let alike = alike(problem, &pools, is_free);
        order_rows(problem, &mut builder, &frame, &pools, &alike);
        ClusterRules::add(problem, &mut builder, || parties(&kinds, &pools, &held));
        let goals = GoalExpressions([
            frame.acceptance(problem, &kinds, &held),
            frame.hardware(),
            Expression::default(),
        ]);
        StagePlan::new(problem).add_stages(&mut builder, &goals, 0..stages);
        MachineLevel { program: builder.build(), kinds, pools, alike, frame, held }
    }

    /// What a solution puts into each pool.
    pub fn contents(&self, columns: &[f64]) -> Vec<Content> {
        let content =
            |used: &Handle| Content { counts: vec![0; self.kinds.len()], gpus: used.whole(columns) };
        let mut contents: Vec<Content> = self.frame.pool_used.iter().map(content).collect();
        for entry in &self.held {
            contents[entry.pool].counts[entry.kind] = entry.column.whole(columns);
        }
        contents
    }
}

/// n[kind,pool]: workloads of the kind in the pool.
fn held_columns(
    problem: &Problem,
    builder: &mut ProgramBuilder,
    kinds: &[Kind],
    pools: &[Pool],
) -> Vec<Held> {
    let mut held = Vec::new();
    for (kind, about) in kinds.iter().enumerate() {
        for (pool, place) in pools.iter().enumerate() {
            let Some(profile) = about.profile_on(problem, place.board) else { continue };
            let first = place.gpus[0];
            let members = if problem.may_start_on(about.example, first) {
                about.count()
            } else if problem.may_stay_on(about.example, first) {
                about.members_on(problem, first)
            } else {
                0
            };
            let most = members.min(place.size() * place.most(profile));
            if most > 0 {
                let name = format!("n[{},{}]", about.name(problem), place.name(problem));
                let column = Handle::add(builder, name, variable().integer().min(0).max(most));
                held.push(Held { kind, pool, column });
            }
        }
    }
    held
}

/// The kinds with the columns that say where they are, not where they come from.
fn parties(kinds: &[Kind], pools: &[Pool], held: &[Held]) -> Vec<Party> {
    let party = |(position, kind): (usize, &Kind)| {
        let own = held.iter().filter(|entry| entry.kind == position);
        let on = own.map(|entry| (pools[entry.pool].gpus[0], entry.column.variable.into())).collect();
        Party { members: kind.members.clone(), on, stay: None }
    };
    kinds.iter().enumerate().map(party).collect()
}

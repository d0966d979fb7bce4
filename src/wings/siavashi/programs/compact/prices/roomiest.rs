//! Of fills that cost as little as others those that leave most cores and memory to spare on all machines together, with the workloads that
//! have a place then.

use super::budgets::Budgets;
use super::outline::Outline;
use super::single_gpus::SingleGpus;
use cluster::WorkloadIndex;
use good_lp::{Expression, constraint, variable};
use milp::{Handle, Program, ProgramBuilder, Sense};
use prices::Chosen;
use std::collections::{BTreeMap, BTreeSet};

/// Fills, and the workloads that have a place with them.
pub struct Roomiest {
    /// The fills.
    pub chosen: Vec<Chosen<u32>>,
    /// The workloads that have a place.
    pub admitted: BTreeSet<WorkloadIndex>,
}

/// The program that asks for fills of GPUs that cost no more than this and leave most to spare of what is least to spare. It has no solution if
/// machines in use lack something all together.
pub struct RoomiestProgram {
    /// The program.
    pub program: Program,
    /// By part and content: how many take it.
    fills: Vec<Vec<Handle>>,
    /// Workloads that are alike, and how many of them have a place.
    placed: Vec<(Vec<WorkloadIndex>, Handle)>,
}

impl RoomiestProgram {
    /// Builds the program.
    pub fn new(outline: &Outline<'_, '_>, gpus: &SingleGpus<'_>, cost: i64) -> Self {
        let mut draft = Draft::new(outline, gpus);
        draft.add_fills(cost);
        draft.add_workloads();
        draft.add_spare();
        draft.add_totals();
        RoomiestProgram { program: draft.builder.build(), fills: draft.fills, placed: draft.placed }
    }

    /// What a solution says.
    pub fn decode(&self, columns: &[f64]) -> Roomiest {
        let mut chosen = Vec::new();
        for (part, handles) in self.fills.iter().enumerate() {
            let numbers = (0..).zip(handles).map(|(content, handle)| (content, handle.whole(columns)));
            let taken = numbers.filter(|&(_, number)| number > 0);
            chosen.extend(taken.map(|(content, number)| Chosen { part, content, number }));
        }
        let placed = self.placed.iter();
        let admitted = placed.flat_map(|(members, handle)| &members[..handle.whole(columns) as usize]);
        Roomiest { chosen, admitted: admitted.copied().collect() }
    }
}

/// The program while it is written.
struct Draft<'r> {
    outline: &'r Outline<'r, 'r>,
    gpus: &'r SingleGpus<'r>,
    budgets: &'r Budgets,
    builder: ProgramBuilder,
    fills: Vec<Vec<Handle>>,
    placed: Vec<(Vec<WorkloadIndex>, Handle)>,
    /// What fills, and then workloads, add to each total.
    totals: Vec<Expression>,
    /// What is left of cores and of memory, as shares of all that there is.
    spare: [Expression; 2],
}

impl<'r> Draft<'r> {
    fn new(outline: &'r Outline<'r, 'r>, gpus: &'r SingleGpus<'r>) -> Self {
        Draft {
            outline,
            gpus,
            budgets: gpus.budgets(),
            builder: ProgramBuilder::new("siavashi-roomiest"),
            fills: Vec::new(),
            placed: Vec::new(),
            totals: vec![Expression::default(); outline.totals.len()],
            spare: Default::default(),
        }
    }

    /// content[part,number]: how many of a part take a content.
    fn add_fills(&mut self, cost: i64) {
        let mut costs = Expression::default();
        for (part, about) in self.gpus.parts.iter().enumerate() {
            let mut own = Expression::default();
            let mut handles = Vec::new();
            for (content, column) in about.columns.iter().enumerate() {
                let definition = variable().integer().min(0).max(about.number);
                let handle = Handle::add(&mut self.builder, format!("content[{part},{content}]"), definition);
                own += handle.variable;
                costs.add_mul(column.cost as f64, handle.variable);
                for &(total, amount) in &column.terms {
                    self.totals[total].add_mul(amount as f64, handle.variable);
                }
                handles.push(handle);
            }
            self.builder.row(format!("part[{part}]"), constraint!(own == about.number));
            self.fills.push(handles);
        }
        self.builder.row("cost", constraint!(costs <= cost as f64));
        for (part, machine) in self.gpus.machines() {
            let in_use = self.fills[part].last().expect("machines may be in use").variable;
            for (spare, left) in self.spare.iter_mut().zip(self.budgets.shares_left(machine)) {
                spare.add_mul(left, in_use);
            }
        }
    }

    /// placed[shape,number]: how many of some workloads that need as much have a place. There may be room for more of a shape.
    fn add_workloads(&mut self) {
        let (problem, rows) = (self.outline.stage.problem, self.outline.rows);
        let mut accepted = Expression::default();
        for (shape, (kind, about)) in self.gpus.shapes().enumerate() {
            let is_for_all = self.outline.totals[rows.placed + shape].least == Some(i64::from(kind.count()));
            let mut alike: BTreeMap<_, Vec<WorkloadIndex>> = BTreeMap::new();
            for &workload in &kind.members {
                let must_have = is_for_all || problem.must_stay(workload);
                alike.entry((must_have, self.budgets.of(workload))).or_default().push(workload);
            }
            let mut own = Expression::default();
            for ((must_have, needs), members) in alike {
                let most = members.len() as u32;
                let definition = variable().integer().min(if must_have { most } else { 0 }).max(most);
                let name = format!("placed[{shape},{}]", self.placed.len());
                let handle = Handle::add(&mut self.builder, name, definition);
                own += handle.variable;
                for (spare, needs) in self.spare.iter_mut().zip(self.budgets.shares(needs)) {
                    spare.add_mul(-needs, handle.variable);
                }
                self.placed.push((members, handle));
            }
            accepted.add_mul(about.acceptance as f64, &own);
            let room = std::mem::take(&mut self.totals[rows.placed + shape]);
            self.builder.row(format!("room[{shape}]"), constraint!(own <= room));
        }
        if let Some(row) = rows.acceptance {
            self.totals[row] = accepted;
        }
    }

    /// spare: as much of cores and of memory is left, where they are limited, which is to be the most.
    fn add_spare(&mut self) {
        let least = Handle::add(&mut self.builder, "spare".to_owned(), variable().min(0).max(1));
        for (resource, spare) in std::mem::take(&mut self.spare).into_iter().enumerate() {
            if self.budgets.limits(resource) {
                self.builder.row(format!("spare[{resource}]"), constraint!(spare >= least.variable));
            }
        }
        self.builder.stage("spare", Sense::Maximize, least.variable, None);
    }

    /// All totals but those of shapes.
    fn add_totals(&mut self) {
        let first = self.outline.rows.placed;
        let shapes = first..first + self.gpus.shapes().count();
        let totals = self.outline.totals.iter().zip(std::mem::take(&mut self.totals)).enumerate();
        for (_, (total, expression)) in totals.filter(|(position, _)| !shapes.contains(position)) {
            let least = total.least.map_or(f64::NEG_INFINITY, |least| least as f64);
            let most = total.most.map_or(f64::INFINITY, |most| most as f64);
            self.builder.range_row(format!("total[{}]", total.name), least, expression, most);
        }
    }
}

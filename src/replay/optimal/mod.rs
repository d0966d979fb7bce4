//! The policy `optimal`: the siavashi program is solved whenever virtual machines arrive.

mod bounds;
mod capacity;
mod carry_out;
mod few_moves;
mod machines;
mod packing;
mod question;
mod steady;
mod tight;

use super::moment::Moment;
use super::operator::{Decision, Operator, Proof, ReplayError};
use super::trace::Trace;
use bounds::Bounds;
use capacity::Capacity;
use carry_out::carry_out;
use cluster::{Cluster, GpuIndex, Location, Placement};
use fleet::{Fleet, Guest};
use ground::SourceText;
use kit::{SolveOptions, Status, choose_heuristic};
use machines::Machines;
use mig::SliceStart;
use question::Question;
use siavashi::{
    Problem, Residents, Settings, Solved, Verification, heuristics, solve_from, suitable, verify,
};
use solver::{Control, Effort};
use std::sync::Arc;
use std::time::Instant;

/// How the policy decides.
#[derive(Clone)]
pub struct OptimalOptions {
    /// The solver and the limits of each decision. With one thread the decisions are the same from run to run unless the time
    /// limit ends one.
    pub effort: Effort,
    /// How the goals are combined, as in instance files; `None` for acceptance, hardware and migrations one after the other.
    pub objective: Option<String>,
    /// A heuristic, with its parameters, from whose placement the solver starts; `None` for the best of some that are cheap.
    pub warm_start: Option<String>,
    /// Whether decisions that bounds prove optimal are carried out without a program.
    pub shortcuts: bool,
}

impl OptimalOptions {
    /// Decides by acceptance, hardware and migrations one after the other.
    pub fn new(effort: Effort) -> Self {
        OptimalOptions { effort, objective: None, warm_start: None, shortcuts: true }
    }
}

/// The policy at work.
///
/// The program has all virtual machines that run, where they run now, and those that arrive. What runs keeps a place,
/// though perhaps another one, and all weights are 1. The best verified placement is carried out. Without a proof within the
/// limit it is at least as good as that of the heuristic, goal by goal in their order.
///
/// Most decisions need no program: bounds prove that the place for the arrivals that needs the least hardware, and moves none, is
/// optimal, or that few moves found by trying are. Where a program is solved and migrations are its last goal, as few as possible
/// change their start on the same GPU.
pub struct Optimal<'t> {
    trace: &'t Trace,
    options: OptimalOptions,
    settings: Settings,
    machines: Machines,
    /// What bounds are made of; `None` where boards hold too many mixtures.
    capacity: Option<Capacity>,
    control: Control,
}

/// Heuristics from which the solver starts when the user names none.
const WARM_STARTS: [&str; 2] = ["ff", "mcc"];

impl<'t> Optimal<'t> {
    /// The policy for a trace.
    ///
    /// # Errors
    /// When the objective or the heuristic is none, or the weights are too fine to be exact.
    pub fn new(trace: &'t Trace, options: OptimalOptions, control: &Control) -> Result<Self, String> {
        let mut settings = Settings { residents: Residents::Keep, ..Settings::default() };
        if let Some(text) = &options.objective {
            settings.objective = text.parse()?;
        }
        if let Some(text) = &options.warm_start {
            choose_heuristic(&heuristics(), text)?;
        }
        problem(as_if_all_ran(trace.cluster.clone()), &settings)?;
        Ok(Optimal {
            trace,
            options,
            settings,
            machines: Machines::of(&trace.cluster),
            capacity: Capacity::of(&trace.cluster),
            control: control.clone(),
        })
    }

    /// The question of a decision whose optima put something on at most `most` empty machines, on machines that suffice for it and
    /// for these places.
    fn question(
        &self,
        fleet: &Fleet<'_>,
        arrivals: &[Guest],
        places: &[(Guest, Location)],
        most: usize,
    ) -> Result<Question, ReplayError> {
        let also: Vec<GpuIndex> = places.iter().map(|(_, place)| place.gpu).collect();
        let machines = self.machines.sufficient(fleet, most, &also);
        Question::new(self.trace, machines, fleet, arrivals, |cluster| {
            problem(cluster, &self.settings).map_err(ReplayError::Internal)
        })
    }

    /// Starts for the solver beside the placement that needs the least hardware without a move.
    fn warm_starts(&self, problem: &Problem) -> Result<Vec<Placement>, ReplayError> {
        if let Some(text) = &self.options.warm_start {
            let heuristic = choose_heuristic(&heuristics(), text).map_err(ReplayError::Internal)?;
            return Ok(vec![heuristic.propose(problem, 0)]);
        }
        let all = heuristics();
        let cheap = all.iter().filter(|heuristic| WARM_STARTS.contains(&heuristic.name()));
        Ok(cheap.map(|heuristic| heuristic.propose(problem, 0)).collect())
    }

    /// A placement of the same worth from which fewer begin elsewhere on their GPU, as far as the limit allows.
    fn steadied(
        &self,
        problem: &Problem,
        placement: &Placement,
        began: Instant,
    ) -> Result<Placement, ReplayError> {
        let settings = steady::settings(problem, &self.settings);
        let counted = self::problem(Cluster::clone(&problem.cluster), &settings);
        let counted = counted.map_err(ReplayError::Internal)?;
        let solved = self.solve(&counted, vec![placement.clone()], began)?;
        Ok(solved.best.map_or_else(|| placement.clone(), |(steady, _)| steady))
    }

    /// Solves a problem within what is left of the limit.
    fn solve(&self, problem: &Problem, known: Vec<Placement>, began: Instant) -> Result<Solved, ReplayError> {
        let solved = solve_from(problem, suitable(problem), known, &self.solve_options(began), &self.control)
            .map_err(|error| ReplayError::Internal(error.to_string()))?;
        match solved.status {
            Status::Interrupted => Err(ReplayError::Interrupted),
            _ => Ok(solved),
        }
    }

    fn solve_options(&self, began: Instant) -> SolveOptions {
        let effort = &self.options.effort;
        SolveOptions::new(effort.clone().within(effort.time_left(began)))
    }
}

impl<'t> Operator<'t> for Optimal<'t> {
    fn arrive(
        &mut self,
        fleet: &mut Fleet<'t>,
        arrivals: &[Guest],
        _moment: Moment,
    ) -> Result<Decision, ReplayError> {
        let began = Instant::now();
        if self.control.is_interrupted() {
            return Err(ReplayError::Interrupted);
        }
        let accepted = tight::place(self.trace, fleet, arrivals);
        // Every virtual machine has at most one machine.
        let alive = arrivals.len() + fleet.gpu_indices().map(|gpu| fleet.guests(gpu).len()).sum::<usize>();
        let mut question = self.question(fleet, arrivals, &accepted, alive)?;
        let mut tight = question.placement(&accepted);
        let proof = |program, proved, gap| {
            Some(Proof { program, proved, gap, seconds: began.elapsed().as_secs_f64() })
        };
        let Verification { violations, score } = verify(&question.problem, &tight);
        if let Some(capacity) = &self.capacity
            && violations.is_empty()
        {
            let bounds = Bounds::of(&question.problem, capacity);
            if self.options.shortcuts && bounds.prove(&score) {
                let moves = carry_out(self.trace, fleet, &question, &tight);
                return Ok(Decision { moves, proof: proof(false, true, None) });
            }
            if self.options.shortcuts
                && let Some(few) =
                    bounds.least_hardware().and_then(|least| few_moves::search(&question.problem, least))
                && verify(&question.problem, &few).violations.is_empty()
            {
                let moves = carry_out(self.trace, fleet, &question, &few);
                return Ok(Decision { moves, proof: proof(false, true, None) });
            }
            if let Some(most) = bounds.most_machines(&score).filter(|&most| most < alive) {
                question = self.question(fleet, arrivals, &accepted, most)?;
                tight = question.placement(&accepted);
            }
        }
        let problem = &question.problem;
        let mut known = vec![tight];
        known.extend(self.warm_starts(problem)?);
        let solved = self.solve(problem, known, began)?;
        let Some((placement, _)) = &solved.best else {
            let text = "no placement of the virtual machines that run was found, although they run";
            return Err(ReplayError::Internal(text.to_owned()));
        };
        let proved = solved.status == Status::Optimal;
        let steady = match steady::may_be_unsteady(problem, placement) {
            true => Some(self.steadied(problem, placement, began)?),
            false => None,
        };
        let moves = carry_out(self.trace, fleet, &question, steady.as_ref().unwrap_or(placement));
        Ok(Decision { moves, proof: proof(true, proved, solved.gap.filter(|_| !proved)) })
    }
}

/// The cluster as if all ran: what can be exact for this many changes and this much hardware is exact in every decision.
fn as_if_all_ran(mut cluster: Cluster) -> Cluster {
    let anywhere = Location { gpu: GpuIndex(0), start: SliceStart(0) };
    for workload in &mut cluster.workloads {
        workload.current = Some(anywhere);
    }
    cluster
}

/// The problem of a cluster.
fn problem(cluster: Cluster, settings: &Settings) -> Result<Problem, String> {
    let source = SourceText::new("the program of a replay", "");
    Problem::new(&source, Arc::new(cluster), settings).map_err(|error| error.to_string())
}

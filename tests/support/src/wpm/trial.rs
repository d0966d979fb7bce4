//! The optimum of model wpm by trying every GPU for every workload, and every start on each GPU.
//!
//! Shared with the product are the reader of instances, the boards and the resolved costs. What is allowed and what it costs is
//! counted here anew, as the model's page tells it. Worths are added up GPU by GPU, and sums keep their order when the same is
//! added to both; so each GPU may be laid out at its best, or at its best for each set of workloads that change where rules
//! count those over all GPUs.

use super::rules::{Changed, Rules, Set};
use crate::tried::Tried;
use cluster::{GpuIndex, Location, Maintenance, WorkloadIndex};
use ground::Amount;
use mig::{Board, ProfileIndex, SliceStart};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use wpm::{Goal, GpuRole, Objective, Problem, Reading, Role, Shifts, UseCase};

/// Most ways of giving a GPU, or none, to each workload.
const MOST: u64 = 1_000_000;
/// Most workloads, as there is a table of their sets.
const MOST_WORKLOADS: usize = 16;

/// Reward, and what GPUs, migrations and waste cost, in millionths.
type Goals = [i128; 4];
/// What a solution is worth by the stages of the question: the first that differs decides, and more is better.
type Worth = [i128; 4];
/// What a set of workloads on a GPU can come to: nothing while that is not known, no outcome where they do not fit.
type Known = RefCell<Vec<Option<Rc<[Outcome]>>>>;

/// What a GPU, or several, come to: what that is worth, less the migrations where those are counted over all GPUs, and who
/// changes.
#[derive(Clone, Copy)]
struct Outcome {
    worth: Worth,
    changed: Changed,
}

impl Outcome {
    fn and(self, other: &Outcome) -> Outcome {
        Outcome { worth: sum(self.worth, other.worth), changed: self.changed.and(other.changed) }
    }

    /// Whether whatever the other one is part of could have this one instead.
    fn replaces(&self, other: &Outcome) -> bool {
        self.worth >= other.worth && self.changed.is_within(other.changed)
    }
}

/// What the best solution is worth under a reading.
pub fn best_under(problem: &Problem, reading: Reading) -> Tried {
    let decided: Vec<WorkloadIndex> = problem.decided().collect();
    let gpus = problem.cluster.gpus.len() as u64;
    let ways = (gpus + 1).checked_pow(decided.len() as u32);
    if decided.len() > MOST_WORKLOADS || ways.is_none_or(|ways| ways > MOST) {
        return Tried::TooMany;
    }
    let known = (0..gpus).map(|_| RefCell::new(vec![None; 1 << decided.len()])).collect();
    let rules = Rules::of(problem, &decided);
    let trial = Trial { problem, reading, decided, rules, known };
    let mut best = None;
    let nothing = Outcome { worth: [0; 4], changed: Changed::default() };
    trial.assign(0, &mut vec![0; gpus as usize], nothing, &mut best);
    best.map_or(Tried::Infeasible, |worth| Tried::Best(trial.stages(worth)))
}

struct Trial<'p> {
    problem: &'p Problem,
    reading: Reading,
    decided: Vec<WorkloadIndex>,
    rules: Rules<'p>,
    /// By GPU, by set of workloads.
    known: Vec<Known>,
}

impl Trial<'_> {
    /// Tries every GPU, and to wait, for the workloads from a position on; `waiting` is what those that wait come to.
    fn assign(&self, position: usize, sets: &mut [Set], waiting: Outcome, best: &mut Option<Worth>) {
        let gpus = self.problem.cluster.gpu_indices();
        let Some(&workload) = self.decided.get(position) else {
            if self.rules.admit(sets) {
                self.combine(0, sets, waiting, best);
            }
            return;
        };
        if !self.problem.place_all {
            let is_running = self.about(workload).current.is_some();
            let changed =
                if is_running { self.rules.changed(position, true, true) } else { Changed::default() };
            let cost = if is_running && !self.rules.count_moves { self.migration(workload) } else { 0 };
            let waits = Outcome { worth: self.worth([0, 0, cost, 0]), changed };
            self.assign(position + 1, sets, waiting.and(&waits), best);
        }
        for gpu in gpus.filter(|&gpu| self.problem.cluster.admits(workload, gpu)) {
            sets[gpu.index()] |= 1 << position;
            // What does not fit does not fit with more either.
            if !self.outcomes(gpu, sets[gpu.index()]).is_empty() {
                self.assign(position + 1, sets, waiting, best);
            }
            sets[gpu.index()] &= !(1 << position);
        }
    }

    /// Tries every outcome of the GPUs from a number on.
    fn combine(&self, gpu: usize, sets: &[Set], so_far: Outcome, best: &mut Option<Worth>) {
        if gpu == sets.len() {
            if let Some(moved) = self.rules.moved(so_far.changed) {
                let cost: i128 = (0..self.decided.len())
                    .filter(|position| moved >> position & 1 == 1)
                    .map(|position| self.migration(self.decided[position]))
                    .sum();
                *best = (*best).max(Some(sum(so_far.worth, self.worth([0, 0, cost, 0]))));
            }
            return;
        }
        for outcome in self.outcomes(GpuIndex::at(gpu), sets[gpu]).iter() {
            self.combine(gpu + 1, sets, so_far.and(outcome), best);
        }
    }

    /// What a GPU can come to with a set of workloads and with what is pinned there.
    fn outcomes(&self, gpu: GpuIndex, set: Set) -> Rc<[Outcome]> {
        let known = self.known[gpu.index()].borrow()[set].clone();
        known.unwrap_or_else(|| {
            let workloads = self.problem.cluster.workload_indices();
            let pinned = workloads.filter(|&workload| self.problem.role(workload) == Role::Pinned);
            let here = pinned.filter_map(|workload| {
                self.about(workload)
                    .current
                    .filter(|place| place.gpu == gpu)
                    .map(|place| (workload, place.start))
            });
            let members: Vec<WorkloadIndex> = (0..self.decided.len())
                .filter(|position| set >> position & 1 == 1)
                .map(|position| self.decided[position])
                .collect();
            let mut outcomes = Vec::new();
            self.arrange(gpu, &members, &mut here.collect(), &mut outcomes);
            let outcomes: Rc<[Outcome]> = outcomes.into();
            self.known[gpu.index()].borrow_mut()[set] = Some(Rc::clone(&outcomes));
            outcomes
        })
    }

    /// Tries all starts for the members that are not in the contents yet, with and without a repartition at last.
    fn arrange(
        &self,
        gpu: GpuIndex,
        members: &[WorkloadIndex],
        contents: &mut Vec<(WorkloadIndex, SliceStart)>,
        outcomes: &mut Vec<Outcome>,
    ) {
        let Some((&workload, rest)) = members.split_first() else {
            for found in [false, true].into_iter().filter_map(|anew| self.outcome(gpu, contents, anew)) {
                if !outcomes.iter().any(|other| other.replaces(&found)) {
                    outcomes.retain(|other| !found.replaces(other));
                    outcomes.push(found);
                }
            }
            return;
        };
        let Some(profile) = self.profile(gpu, workload) else { return };
        for &start in &self.problem.board(gpu).profile(profile).starts {
            let slots = self.slots(gpu, workload, start);
            let is_free = contents.iter().all(|&(other, at)| self.slots(gpu, other, at) & slots == 0);
            if is_free {
                contents.push((workload, start));
                self.arrange(gpu, rest, contents, outcomes);
                contents.pop();
            }
        }
    }

    /// What a GPU with these contents comes to; `None` where a rule forbids them.
    fn outcome(
        &self,
        gpu: GpuIndex,
        contents: &[(WorkloadIndex, SliceStart)],
        repartitioned: bool,
    ) -> Option<Outcome> {
        let (problem, printed) = (self.problem, self.reading == Reading::Printed);
        let (role, before) = (problem.gpu_role(gpu), &problem.residents[gpu.index()]);
        if contents.is_empty() {
            let nothing = Outcome { worth: [0; 4], changed: Changed::default() };
            return (!repartitioned).then_some(nothing);
        }
        let stays = |workload, start| self.about(workload).current == Some(Location { gpu, start });
        let taken = before.iter().fold(0, |taken, &resident| {
            taken | self.slots(gpu, resident, self.about(resident).current.expect("it runs").start)
        });
        let reuses = contents.iter().any(|&(workload, start)| {
            !stays(workload, start) && self.slots(gpu, workload, start) & taken != 0
        });
        let maintenance = problem.cluster.gpus[gpu.index()].maintenance;
        let is_out_of_service = maintenance != Maintenance::InService;
        let breaks_maintenance = is_out_of_service
            && (repartitioned
                || contents.iter().any(|&(workload, start)| {
                    let must_leave =
                        maintenance == Maintenance::Draining && problem.role(workload) != Role::Pinned;
                    must_leave || !stays(workload, start)
                }));
        let allowed = if repartitioned {
            !before.is_empty() && (!printed || role != GpuRole::Pinned)
        } else {
            role != GpuRole::NotConsidered
                && !(role == GpuRole::Occupied
                    && problem.use_case == UseCase::Reconfiguration
                    && !is_out_of_service)
                && !(printed && reuses)
        };
        if !allowed || breaks_maintenance || !self.obeys_limits(gpu, contents) {
            return None;
        }
        let costs = problem.costs.of_board(problem.board_index(gpu));
        let mut goals = [0, costs.gpu.millionths(), 0, 0];
        let mut changed = Changed::default();
        if repartitioned {
            goals[2] += costs.repartition.millionths();
        }
        for &(workload, start) in contents {
            if problem.role(workload) != Role::Pinned {
                goals[0] += problem.costs.reward_of(workload).millionths();
            }
            let counts_shifts = problem.limits.shifts == Shifts::Counted || (!printed && !repartitioned);
            let migrates = match self.about(workload).current {
                None => false,
                Some(place) if place.gpu == gpu => counts_shifts && place.start != start,
                Some(_) => true,
            };
            if let Some(position) = self.decided.iter().position(|&other| other == workload) {
                let leaves = self.about(workload).current.is_some() && !stays(workload, start);
                changed = changed.and(self.rules.changed(position, migrates, leaves));
            }
            goals[2] += if migrates && !self.rules.count_moves { self.migration(workload) } else { 0 };
            if !printed || repartitioned || !stays(workload, start) {
                let profile = self.profile(gpu, workload).expect("it fits");
                goals[3] += costs.waste.millionths() * wasted(problem.board(gpu), profile, start);
            }
        }
        Some(Outcome { worth: self.worth(goals), changed })
    }

    fn obeys_limits(&self, gpu: GpuIndex, contents: &[(WorkloadIndex, SliceStart)]) -> bool {
        let profiles: Vec<ProfileIndex> =
            contents.iter().map(|&(workload, _)| self.profile(gpu, workload).expect("it fits")).collect();
        let board = self.problem.board(gpu);
        let compute = profiles.iter().map(|&profile| board.profile(profile).compute).sum::<u32>();
        compute <= board.compute()
            && board.limits().iter().all(|limit| {
                profiles.iter().map(|profile| limit.usage[profile.index()]).sum::<u32>() <= limit.capacity
            })
    }

    fn about(&self, workload: WorkloadIndex) -> &cluster::Workload {
        &self.problem.cluster.workloads[workload.index()]
    }

    fn profile(&self, gpu: GpuIndex, workload: WorkloadIndex) -> Option<ProfileIndex> {
        let request = self.about(workload).request;
        self.problem.cluster.requests[request.index()].on_board[self.problem.board_index(gpu).index()]
    }

    /// The slots of a workload at a start, as bits.
    fn slots(&self, gpu: GpuIndex, workload: WorkloadIndex, start: SliceStart) -> u64 {
        let profile = self.profile(gpu, workload).expect("its board serves it");
        ((1u64 << self.problem.board(gpu).profile(profile).size) - 1) << start.0
    }

    fn migration(&self, workload: WorkloadIndex) -> i128 {
        self.problem.costs.migration_of(workload).millionths()
    }

    fn worth(&self, [reward, gpus, migrations, waste]: Goals) -> Worth {
        let mut worth = [0; 4];
        match &self.problem.objective {
            Objective::Weighted => worth[0] = reward - gpus - migrations - waste,
            Objective::Lexicographic(goals) => {
                for (stage, goal) in worth.iter_mut().zip(goals) {
                    *stage = match goal {
                        Goal::Reward => reward,
                        Goal::Gpus => -gpus,
                        Goal::Migrations => -migrations,
                        Goal::Waste => -waste,
                    };
                }
            }
        }
        worth
    }

    /// A worth as values of the stages.
    fn stages(&self, worth: Worth) -> Vec<Amount> {
        match &self.problem.objective {
            Objective::Weighted => vec![Amount::from_millionths(worth[0])],
            Objective::Lexicographic(goals) => {
                let sign = |goal: &Goal| if *goal == Goal::Reward { 1 } else { -1 };
                let stages = goals.iter().zip(worth);
                stages.map(|(goal, worth)| Amount::from_millionths(sign(goal) * worth)).collect()
            }
        }
    }
}

fn sum(one: Worth, other: Worth) -> Worth {
    std::array::from_fn(|stage| one[stage] + other[stage])
}

/// The compute slices that an instance touches but does not have, and the extra slots that it cuts off when it is on the slot before
/// them: those that neither it nor any instance beside it can take.
fn wasted(board: &Board, profile: ProfileIndex, start: SliceStart) -> i128 {
    let profile = board.profile(profile);
    let range = |size: u32, start: SliceStart| u32::from(start.0)..u32::from(start.0) + size;
    let slots = range(profile.size, start);
    let slots_of_slice = board.slots() / board.compute();
    let last_slice = board.compute() - 1;
    let mut touched: Vec<u32> = slots.clone().map(|slot| (slot / slots_of_slice).min(last_slice)).collect();
    touched.dedup();
    let extra = slots_of_slice * board.compute()..board.slots();
    let beside = |other: &Range<u32>| other.end <= slots.start || slots.end <= other.start;
    let is_cut_off = |slot: &u32| {
        let places =
            board.profiles().iter().flat_map(|other| other.starts.iter().map(|&at| range(other.size, at)));
        !slots.contains(slot) && !places.filter(beside).any(|other| other.contains(slot))
    };
    let is_before_extra = slots.contains(&(extra.start - 1));
    let cut_off = if is_before_extra { extra.filter(is_cut_off).count() } else { 0 };
    (touched.len() as i128 - i128::from(profile.compute)).max(0) + cut_off as i128
}

//! Random small wpm instances, and the best solution by trying all.

use cluster::{GpuIndex, HostResources, Location, WorkloadIndex, check};
use ground::Amount;
use migopt::testing::strategies::wpm::Parameters;
use migopt::testing::strategies::{Sample, wpm_with};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use wpm::{Goal, Objective, Problem, Reading, Score, Solution};

/// Random instances with several GPUs. Those with three are on the smallest board, so that all placements can be tried.
pub fn samples() -> impl Strategy<Value = Sample> {
    let of = |gpus| Parameters::default().most_gpus(gpus).most_workloads(6);
    let drawn = prop_oneof![
        6 => wpm_with(of(2).own_geometry(false)),
        2 => wpm_with(of(2).boards(&[])),
        2 => wpm_with(of(3).boards(&["A30-24GB"]).own_geometry(false)),
    ];
    drawn.prop_filter("one GPU alone", |sample| sample.file.gpus.len() > 1)
}

/// The problem that a sample poses.
pub fn problem(sample: &Sample) -> Problem {
    let problem = sample.instance.problem::<wpm::Wpm>();
    Arc::unwrap_or_clone(problem.unwrap_or_else(|error| panic!("{error}{sample:?}")))
}

/// The worth of a score in the order of the problem's objective: larger is better, the first differing entry decides.
pub fn worth(problem: &Problem, score: &Score) -> Vec<Amount> {
    let of = |goal: &Goal| match goal {
        Goal::Reward => score.reward,
        goal => Amount::ZERO - score.goal(*goal),
    };
    match &problem.objective {
        Objective::Weighted => vec![score.profit],
        Objective::Lexicographic(goals) => goals.iter().map(of).collect(),
    }
}

/// There are too many placements to try.
pub struct TooMany;

/// What trying all finds.
#[derive(Default)]
pub struct Truth {
    /// The best worth; `None` when no placement obeys all rules.
    pub best: Option<Vec<Amount>>,
    /// The values of all goals, in the order of [`Goal::ALL`], that some solution has.
    pub attainable: BTreeSet<[Amount; 4]>,
}

/// The worth of all placements, by trying every start of every GPU for every workload. On the way it finds out whether a placement
/// without repartitions gets those with which it is worth most.
///
/// # Errors
/// When there are more than `most` placements to try.
pub fn brute_force(problem: &Problem, reading: Reading, most: u64) -> Result<Truth, TooMany> {
    let decided: Vec<WorkloadIndex> = problem.decided().collect();
    let options: Vec<Vec<Option<Location>>> =
        decided.iter().map(|&workload| locations(problem, workload)).collect();
    let mut search = Search { problem, reading, decided, options, tried: 0, most, truth: Truth::default() };
    let mut placement = problem.cluster.current_placement();
    for &workload in &search.decided {
        placement.set(workload, None);
    }
    if search.place(0, &mut placement) { Ok(search.truth) } else { Err(TooMany) }
}

fn locations(problem: &Problem, workload: WorkloadIndex) -> Vec<Option<Location>> {
    let request = problem.cluster.workloads[workload.index()].request;
    let mut list = vec![None];
    for gpu in problem.cluster.gpu_indices() {
        let on_board = &problem.cluster.requests[request.index()].on_board;
        if let Some(profile) = on_board[problem.board_index(gpu).index()] {
            let starts = &problem.board(gpu).profile(profile).starts;
            list.extend(starts.iter().map(|&start| Some(Location { gpu, start })));
        }
    }
    list
}

struct Search<'a> {
    problem: &'a Problem,
    reading: Reading,
    decided: Vec<WorkloadIndex>,
    options: Vec<Vec<Option<Location>>>,
    tried: u64,
    most: u64,
    truth: Truth,
}

impl Search<'_> {
    /// Whether the search from here on ended within the allowed number of trials.
    fn place(&mut self, depth: usize, placement: &mut cluster::Placement) -> bool {
        if depth == self.decided.len() {
            self.judge(placement);
            return true;
        }
        let workload = self.decided[depth];
        for position in 0..self.options[depth].len() {
            self.tried += 1;
            if self.tried > self.most {
                return false;
            }
            placement.set(workload, self.options[depth][position]);
            let legal = check(&self.problem.cluster, placement, HostResources::Ignored).is_empty();
            if legal && !self.place(depth + 1, placement) {
                return false;
            }
        }
        placement.set(workload, None);
        true
    }

    fn judge(&mut self, placement: &cluster::Placement) {
        let occupied: Vec<GpuIndex> = self
            .problem
            .cluster
            .gpu_indices()
            .filter(|gpu| !self.problem.residents[gpu.index()].is_empty())
            .collect();
        let mut here = None;
        for choice in 0..1u32 << occupied.len() {
            let mut repartitioned = vec![false; self.problem.cluster.gpus.len()];
            for (number, gpu) in occupied.iter().enumerate() {
                repartitioned[gpu.index()] = choice >> number & 1 == 1;
            }
            let solution = Solution { reading: self.reading, placement: placement.clone(), repartitioned };
            let score = self.score_of(&solution);
            here = here.max(score.as_ref().map(|score| worth(self.problem, score)));
            self.truth.attainable.extend(score.map(|score| Goal::ALL.map(|goal| score.goal(goal))));
        }
        let completed = Solution::from_placement(self.problem, self.reading, placement.clone());
        let worth = self.score_of(&completed).map(|score| worth(self.problem, &score));
        // What counts over several GPUs is only promised to be obeyed.
        let counts_over_gpus = self.problem.limits.max_migrations.is_some()
            || self.problem.cluster.groups.iter().any(|group| group.rules.as_one);
        let is_promised = if counts_over_gpus { worth.is_some() == here.is_some() } else { worth == here };
        assert!(is_promised, "repartitions left out: {placement:?}{:?}", self.problem);
        self.truth.best = self.truth.best.take().max(here);
    }

    /// The score of a solution if it obeys all rules.
    fn score_of(&self, solution: &Solution) -> Option<Score> {
        let verdict = wpm::verify(self.problem, solution);
        verdict.violations.is_empty().then_some(verdict.score)
    }
}

//! Random small wpm instances, and the best solution by trying all.

use migopt::cluster::{Amount, GpuIndex, HostResources, Location, SourceText, WorkloadIndex, check};
use migopt::mig::{Board, GpuInstance, Lookup, SlotMask, catalogue};
use migopt::model::Instance;
use migopt::model::wpm::{self, Goal, Objective, Problem, Reading, Score, Solution};
use proptest::prelude::*;
use std::fmt::Write;
use std::sync::Arc;

/// Boards of the random instances: the smallest real one, the common one, and one with twelve slots.
pub const BOARDS: [&str; 3] = ["A30-24GB", "A100-80GB", "RTX PRO 6000 Blackwell 96GB"];

pub const USE_CASES: [&str; 4] = ["initial", "compaction", "reconfiguration", "joint"];

/// What a random workload wants and where it would like to be.
#[derive(Clone, Debug)]
pub struct Wish {
    pub profile: usize,
    /// GPU and number of the start among the profile's starts; taken back where the place is taken.
    pub place: Option<(usize, usize)>,
    pub pinned: bool,
    pub reward: u32,
    pub migration: u32,
}

/// A random instance before it is written down.
#[derive(Clone, Debug)]
pub struct Case {
    /// One board per GPU.
    pub gpus: Vec<usize>,
    pub wishes: Vec<Wish>,
    pub use_case: usize,
    /// GPU, repartition, waste.
    pub costs: [u32; 3],
    /// Whether workloads have rewards and migration costs of their own, else one per memory slice.
    pub own_weights: bool,
    pub per_slice: [u32; 2],
    pub objective: &'static str,
}

/// Random cases. Excluded: more than three GPUs, more than six workloads, more than one profile name per workload.
pub fn cases() -> impl Strategy<Value = Case> {
    let wish = (
        0..64usize,
        proptest::option::weighted(0.6, (0..3usize, 0..7usize)),
        any::<u8>(),
        0..40u32,
        0..12u32,
    )
        .prop_map(|(profile, place, pinned, reward, migration)| Wish {
            profile,
            place,
            pinned: pinned < 60,
            reward,
            migration,
        });
    let objective = prop_oneof![
        6 => Just("weighted"),
        2 => Just("lexicographic"),
        1 => Just("lexicographic:reward,migrations,gpus,waste"),
        1 => Just("lexicographic:gpus,reward"),
    ];
    (
        prop_oneof![3 => Just(vec![0, 0]), 3 => Just(vec![1, 1]), 1 => Just(vec![2, 2]), 1 => Just(vec![0, 1]), 1 => Just(vec![0, 0, 0])],
        proptest::collection::vec(wish, 1..=6),
        0..4usize,
        [0..60u32, 0..20u32, 0..8u32],
        any::<bool>(),
        [0..60u32, 0..12u32],
        objective,
    )
        .prop_map(|(gpus, wishes, use_case, costs, own_weights, per_slice, objective)| Case {
            gpus,
            wishes,
            use_case,
            costs,
            own_weights,
            per_slice,
            objective,
        })
}

fn board(index: usize) -> Arc<Board> {
    match catalogue().find(BOARDS[index]) {
        Lookup::Found(board) => board,
        other => panic!("{other:?}"),
    }
}

impl Case {
    /// The instance as YAML.
    pub fn yaml(&self) -> String {
        self.yaml_with(&|kind, number| format!("{kind}{number}"), &(0..self.wishes.len()).collect::<Vec<_>>())
    }

    /// The instance with names and order of workloads of the caller's choice.
    pub fn yaml_with(&self, name: &dyn Fn(&str, usize) -> String, order: &[usize]) -> String {
        let mut occupied = vec![SlotMask::EMPTY; self.gpus.len()];
        let mut remaining: Vec<_> = self.gpus.iter().map(|&gpu| board(gpu).full_limits()).collect();
        let mut entries = Vec::new();
        for (number, wish) in self.wishes.iter().enumerate() {
            // The profile is one of the board that the workload would like to be on.
            let gpu = wish.place.map_or(number, |(gpu, _)| gpu) % self.gpus.len();
            let on = board(self.gpus[gpu]);
            let profile = wish.profile % on.profiles().len();
            let data = &on.profiles()[profile];
            let mut entry = format!("  - {{name: {}, profile: {}", name("w", number), data.name);
            if let Some((_, start)) = wish.place {
                let profile = on.profile_indices().nth(profile).expect("in range");
                let instance = GpuInstance { profile, start: data.starts[start % data.starts.len()] };
                let fits = !on.footprint(instance).intersects(occupied[gpu]);
                if let Some(left) = remaining[gpu].take(&on, profile).filter(|_| fits) {
                    occupied[gpu] = occupied[gpu].union(on.footprint(instance));
                    remaining[gpu] = left;
                    write!(entry, ", current: {{gpu: {}, start: {}}}", name("g", gpu), instance.start.0)
                        .unwrap();
                    if wish.pinned {
                        entry += ", movable: false";
                    }
                }
            }
            if self.own_weights {
                write!(entry, ", reward: {}, migration_cost: {}", wish.reward, wish.migration).unwrap();
            }
            entries.push(entry + "}\n");
        }
        let mut yaml = "name: random\ngpus:\n".to_owned();
        for (number, &gpu) in self.gpus.iter().enumerate() {
            writeln!(yaml, "  - {{name: {}, board: {}}}", name("g", number), BOARDS[gpu]).unwrap();
        }
        yaml += "workloads:\n";
        order.iter().for_each(|&number| yaml += &entries[number]);
        let [gpu, repartition, waste] = self.costs;
        let [reward, migration] = self.per_slice;
        writeln!(
            yaml,
            "wpm:\n  use_case: {}\n  objective: {}\n  costs: {{reward_per_slice: {reward}, gpu: {gpu}, repartition: \
             {repartition}, migration_per_slice: {migration}, waste: {waste}}}",
            USE_CASES[self.use_case], self.objective
        )
        .unwrap();
        yaml
    }
}

/// The problem that a text poses.
pub fn problem(yaml: &str) -> Problem {
    let instance =
        Instance::parse(SourceText::new("test.yaml", yaml)).unwrap_or_else(|error| panic!("{error}\n{yaml}"));
    instance.wpm_problem().unwrap_or_else(|error| panic!("{error}\n{yaml}"))
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

/// The best worth over all placements, by trying every start of every GPU for every workload; `None` when there are
/// more than `most` placements to try.
pub fn brute_force(problem: &Problem, reading: Reading, most: u64) -> Option<Vec<Amount>> {
    let decided: Vec<WorkloadIndex> = problem.decided().collect();
    let options: Vec<Vec<Option<Location>>> =
        decided.iter().map(|&workload| locations(problem, workload)).collect();
    let mut search = Search { problem, reading, decided, options, tried: 0, most, best: None };
    let mut placement = problem.cluster.current_placement();
    for &workload in &search.decided {
        placement.set(workload, None);
    }
    search.place(0, &mut placement).then_some(search.best?)
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
    best: Option<Vec<Amount>>,
}

impl Search<'_> {
    /// Whether the search from here on ended within the allowed number of trials.
    fn place(&mut self, depth: usize, placement: &mut migopt::cluster::Placement) -> bool {
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

    fn judge(&mut self, placement: &migopt::cluster::Placement) {
        let occupied: Vec<GpuIndex> = self
            .problem
            .cluster
            .gpu_indices()
            .filter(|gpu| !self.problem.residents[gpu.index()].is_empty())
            .collect();
        for choice in 0..1u32 << occupied.len() {
            let mut repartitioned = vec![false; self.problem.cluster.gpus.len()];
            for (number, gpu) in occupied.iter().enumerate() {
                repartitioned[gpu.index()] = choice >> number & 1 == 1;
            }
            let solution = Solution { reading: self.reading, placement: placement.clone(), repartitioned };
            let verdict = wpm::verify(self.problem, &solution);
            if verdict.violations.is_empty() {
                let worth = worth(self.problem, &verdict.score);
                if self.best.as_ref().is_none_or(|best| worth > *best) {
                    self.best = Some(worth);
                }
            }
        }
    }
}

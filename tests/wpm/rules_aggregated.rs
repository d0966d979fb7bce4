//! The aggregated programs obey rules on nodes, groups, hosts and change: random small instances against trying all placements.

use ground::{Amount, SourceText};
use kit::{Formulation as _, SolveOptions, Status};
use mig::{GpuInstance, Remaining, SlotMask};
use models::Instance;
use proptest::prelude::*;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use solver::{Control, Solver};
use solvers::solvers;
use std::collections::BTreeSet;
use support::instances::problem;
use support::page::{bold_code, families_of, set};
use support::tried::Tried;
use support::wpm::trial::best_under;
use wpm::{Objective, Problem, Reading, Score, Solved, verify};

/// A GPU with what is on it so far.
struct Gpu {
    name: String,
    /// Its node, by position.
    node: usize,
    board: &'static str,
    used: SlotMask,
    left: Remaining,
}

/// A node with what its workloads need so far.
struct Node {
    name: String,
    zone: &'static str,
    /// What it is, without CPU and memory.
    about: String,
    is_host: bool,
    /// What it has of both beyond what runs there; nothing where that is not limited.
    spare: Option<[u32; 2]>,
    used: [u32; 2],
}

/// An instance with rules of all kinds, as text.
struct Draw {
    rng: ChaCha8Rng,
    gpus: Vec<Gpu>,
    nodes: Vec<Node>,
}

impl Node {
    fn entry(&self) -> String {
        let room = self.spare.filter(|_| self.is_host).map(|[cpu, memory]| {
            format!(", cpu: {}.5, memory_gib: {}", cpu + self.used[0], memory + self.used[1])
        });
        format!("  - {{{}{}}}\n", self.about, room.unwrap_or_default())
    }
}

const A30: &[&str] = &["1g.6gb", "1g.6gb", "2g.12gb", "2g.12gb", "4g.24gb", "1g.6gb+me", "2g.12gb+me"];
const A100: &[&str] = &["1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb", "1g.10gb+me"];

impl Draw {
    /// The instance of a seed.
    fn text(seed: u64) -> String {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        let mut draw = Draw { rng, gpus: Vec::new(), nodes: Vec::new() };
        draw.nodes();
        let (groups, workloads, settings) = (draw.groups(), draw.workloads(), draw.settings());
        format!("name: drawn\n{}{groups}{workloads}{settings}", draw.sections())
    }

    fn chance(&mut self, share: f64) -> bool {
        self.rng.random_bool(share)
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        *of.choose(&mut self.rng).expect("there is a choice")
    }

    fn up_to(&mut self, most: u32) -> u32 {
        self.rng.random_range(0..=most)
    }

    fn gpu(&mut self, name: String, board: &'static str) {
        let (node, used) = (self.nodes.len(), SlotMask::EMPTY);
        self.gpus.push(Gpu { name, node, board, used, left: support::board(board).full_limits() });
    }

    /// Two to four GPUs in hosts of one or two, or outside any host.
    fn nodes(&mut self) {
        let boards: &[&'static str] =
            self.one(&[&["A30-24GB"][..], &["A30-24GB"], &["A100-80GB"], &["A30-24GB", "A100-80GB"]]);
        let most = if boards == ["A30-24GB"] { 4 } else { 3 };
        let number = self.rng.random_range(2..=most);
        while self.gpus.len() < number {
            let zone = self.one(&["a", "a", "b"]);
            let (name, board) = (format!("n{}", self.gpus.len()), self.one(boards));
            let is_host = self.chance(0.7);
            let mut about = format!("name: {name}, labels: {{zone: {zone}}}");
            if self.chance(0.15) {
                about += self.one(&[", cordoned: true", ", drain: true"]);
            }
            if is_host {
                if self.chance(0.2) {
                    about += &format!(", max_disrupted: {}", self.up_to(2));
                }
                about += &format!(", gpus: [{{board: {board}, count: 1}}");
                self.gpu(format!("{name}/0"), board);
                if self.gpus.len() < number && self.chance(0.6) {
                    let second = self.one(boards);
                    about += &format!(", {{board: {second}, count: 1}}");
                    self.gpu(format!("{name}/1"), second);
                }
                about += "]";
            } else {
                about += &format!(", board: {board}");
                self.gpu(name.clone(), board);
            }
            let spare = self.chance(0.6).then(|| [self.up_to(4), self.up_to(6)]);
            self.nodes.push(Node { name, zone, about, is_host, spare, used: [0, 0] });
        }
    }

    /// Hosts and GPUs outside hosts.
    fn sections(&self) -> String {
        let section = |name: &str, hosts: bool| {
            let nodes = self.nodes.iter().filter(|node| node.is_host == hosts);
            let entries: String = nodes.map(Node::entry).collect();
            if entries.is_empty() { entries } else { format!("{name}:\n{entries}") }
        };
        section("hosts", true) + &section("gpus", false)
    }

    fn groups(&mut self) -> String {
        let mut text = "groups:\n".to_owned();
        for name in ["p", "q", "r"] {
            let mut rules = String::new();
            if self.chance(0.55) {
                let all = [
                    ", apart: node",
                    ", apart: gpu",
                    ", together: node",
                    ", together: gpu",
                    ", apart: gpu, together: node",
                ];
                rules += self.one(&all);
            }
            if self.chance(0.35) {
                rules += ", as_one: true";
            }
            text += &format!("  - {{name: {name}{rules}}}\n");
        }
        text
    }

    fn workloads(&mut self) -> String {
        let mut text = "workloads:\n".to_owned();
        let own_weights = self.chance(0.3);
        for number in 0..self.rng.random_range(2..=5) {
            let (small, large) = (self.one(A30), self.one(A100));
            let boards: Vec<&str> = self.gpus.iter().map(|gpu| gpu.board).collect();
            let mut line = match (boards.contains(&"A30-24GB"), boards.contains(&"A100-80GB")) {
                (true, true) => format!("{{name: w{number}, profile: [{small}, {large}]"),
                (true, false) => format!("{{name: w{number}, profile: {small}"),
                _ => format!("{{name: w{number}, profile: {large}"),
            };
            let needs = if self.chance(0.6) { [self.up_to(3), self.up_to(5)] } else { [0, 0] };
            if self.chance(0.7)
                && let Some(place) = self.current([small, large], needs)
            {
                line += &place;
                if self.chance(0.15) {
                    line += ", movable: false";
                }
            }
            let node = self.rng.random_range(0..self.nodes.len());
            if self.chance(0.2) {
                line += &format!(", node_selector: {{zone: {}}}", self.nodes[node].zone);
            } else if self.chance(0.15) {
                line += &format!(", nodes: [{}]", self.nodes[node].name);
            }
            if self.chance(0.6) {
                line += &format!(", group: [{}]", self.one(&["p", "p", "q", "p, q", "q, r"]));
            }
            line += &format!(", cpu: {}, memory_gib: {}", needs[0], needs[1]);
            if own_weights {
                line += &format!(", reward: {}, migration_cost: {}", self.up_to(40), self.up_to(12));
            }
            text += &format!("  - {line}}}\n");
        }
        text
    }

    /// A place where a profile fits beside what is there.
    fn current(&mut self, [small, large]: [&str; 2], needs: [u32; 2]) -> Option<String> {
        let number = self.rng.random_range(0..self.gpus.len());
        let board = support::board(self.gpus[number].board);
        let profile =
            board.find_profile(if self.gpus[number].board == "A30-24GB" { small } else { large })?;
        let gpu = &mut self.gpus[number];
        let left = gpu.left.take(&board, profile)?;
        let fits = |start: &&mig::SliceStart| {
            let footprint = board.footprint(GpuInstance { profile, start: **start });
            !footprint.intersects(gpu.used)
        };
        let starts: Vec<&mig::SliceStart> = board.profile(profile).starts.iter().filter(fits).collect();
        let start = **starts.choose(&mut self.rng)?;
        gpu.used = gpu.used.union(board.footprint(GpuInstance { profile, start }));
        gpu.left = left;
        let used = &mut self.nodes[gpu.node].used;
        *used = [used[0] + needs[0], used[1] + needs[1]];
        Some(format!(", current: {{gpu: {}, start: {}}}", gpu.name, start.0))
    }

    fn settings(&mut self) -> String {
        let use_case = self.one(&["joint", "joint", "compaction", "reconfiguration", "initial"]);
        let objective = self.one(&[
            "weighted",
            "weighted",
            "lexicographic",
            "'lexicographic:gpus,reward'",
            "'lexicographic:reward,migrations,gpus,waste'",
        ]);
        let mut settings = format!("use_case: {use_case}, objective: {objective}");
        for (share, field, most) in [(0.3, "max_migrations", 2), (0.25, "max_disrupted", 3)] {
            if self.chance(share) {
                settings += &format!(", {field}: {}", self.up_to(most));
            }
        }
        for (share, field) in
            [(0.15, "place_all: true"), (0.3, "shifts: counted"), (0.6, "host_resources: true")]
        {
            if self.chance(share) {
                settings += &format!(", {field}");
            }
        }
        let [reward, gpu, repartition, migration, waste] = [60, 60, 15, 8, 4].map(|most| self.up_to(most));
        format!(
            "wpm: {{{settings}, costs: {{reward_per_slice: {reward}, gpu: {gpu}, repartition: {repartition}, \
             migration_per_slice: {migration}, waste: {waste}}}}}\n"
        )
    }
}

fn values(problem: &Problem, score: &Score) -> Vec<Amount> {
    match &problem.objective {
        Objective::Weighted => vec![score.profit],
        Objective::Lexicographic(goals) => goals.iter().map(|&goal| score.goal(goal)).collect(),
    }
}

/// The answer, unless an assertion of the solver's own library fails, as now and then one of CBC does.
fn solve(problem: &Problem, formulation: &str, solver: &'static dyn Solver, text: &str) -> Option<Solved> {
    let options = SolveOptions::exact(solver);
    let solved = crate::formulation(formulation).solve(problem, None, &options, &Control::silent());
    match solved {
        Ok(solved) => Some(solved),
        Err(error) if error.to_string().contains("CBC aborted by itself") => None,
        Err(error) => panic!("{formulation} with {}: {error}\n{text}", solver.name()),
    }
}

/// The optimum's columns satisfy the program from which they come, and stand for a solution of the same worth.
fn check_columns(problem: &Problem, formulation: &str, solved: &Solved, text: &str) {
    let Some((solution, score)) = &solved.best else { return };
    let encoding = crate::formulation(formulation).build(problem).expect("it was built before");
    let columns = encoding.encode(solution).unwrap_or_else(|| panic!("{formulation} knows its own\n{text}"));
    assert_eq!(encoding.program().violations(&columns, 1e-6), [], "{formulation}\n{text}");
    let verdict = verify(problem, &encoding.decode(&columns));
    assert_eq!(verdict.violations, [], "{formulation}\n{text}");
    assert_eq!(values(problem, &verdict.score), values(problem, score), "{formulation}\n{text}");
}

fn check(text: &str, problem: &Problem) {
    for (formulation, reading) in [("compact", Reading::Printed), ("exact-index", Reading::ExactIndex)] {
        let truth = match best_under(problem, reading) {
            Tried::TooMany => return,
            Tried::Infeasible => None,
            Tried::Best(values) => Some(values),
        };
        for solver in solvers() {
            let Some(solved) = solve(problem, formulation, *solver, text) else { continue };
            let found = solved.best.as_ref().map(|(_, score)| values(problem, score));
            assert_eq!(found, truth, "{formulation} with {} finds another optimum\n{text}", solver.name());
            let expected = if truth.is_some() { Status::Optimal } else { Status::Infeasible };
            assert_eq!(solved.status, expected, "{formulation} with {}\n{text}", solver.name());
            check_columns(problem, formulation, &solved, text);
        }
    }
}

/// Every rule can exclude something here.
const ALL_RULES: &str = "
name: all-rules
hosts:
  - {name: h, cpu: 4, max_disrupted: 0, gpus: {board: A30-24GB, count: 2}}
  - {name: i, cpu: 4, labels: {zone: b}, gpus: {board: A30-24GB, count: 2}}
groups:
  - {name: apart, apart: node}
  - {name: together, together: node}
  - {name: pod, as_one: true}
  - {name: other, as_one: true}
workloads:
  - {name: spread, profile: 1g.6gb, replicas: 2, group: apart, cpu: 2}
  - {name: near, profile: 1g.6gb, replicas: 2, group: together, cpu: 1, node_selector: {zone: b}}
  - {name: runs, profile: 1g.6gb, replicas: 2, group: [pod, other], current: [{gpu: h/0, start: 0}, {gpu: i/0, start: 0}]}
  - {name: too, profile: 2g.12gb, replicas: 2, group: other, current: [{gpu: h/1, start: 0}, {gpu: i/1, start: 0}]}
wpm: {max_migrations: 2, max_disrupted: 3, host_resources: true}
";

#[test]
fn the_page_tells_the_rows_and_columns_of_rules() {
    let page = include_str!("../../models/wpm.md");
    let start = page.find("### Rules in the aggregated programs").expect("the page has the section");
    let section = &page[start..];
    let section = &section[..section.find("\n## ").expect("sections follow")];
    let problem = problem::<wpm::Wpm>(ALL_RULES);
    let programs = ["compact", "exact-index"].map(|name| {
        let encoding = crate::formulation(name).build(&problem).expect("the formulation applies");
        encoding.program().clone()
    });
    let (rows, columns) = families_of(programs.to_vec());
    let base_rows = set(&["A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8"]);
    let base_columns = set(&["keep", "fill", "fresh", "leave", "cross", "take", "assign", "pending", "gpus"]);
    let own = &(&rows - &base_rows) | &(&columns - &base_columns);
    assert_eq!(bold_code(section).map(str::to_owned).collect::<BTreeSet<String>>(), own);
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 0, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rules_of_all_kinds_against_trying_all(seed in any::<u64>()) {
        let text = Draw::text(seed);
        // Some are refused: nodes that cannot serve a profile, or what is pinned apart and is to be together.
        let problem = Instance::parse(SourceText::new("drawn.yaml", text.clone()));
        let problem = problem.and_then(|instance| instance.problem::<wpm::Wpm>());
        prop_assume!(problem.is_ok(), "{}", problem.unwrap_err());
        check(&text, &problem.expect("it is posed"));
    }
}

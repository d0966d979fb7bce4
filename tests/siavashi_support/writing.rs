//! Random instances as YAML.

use super::cases::{Case, Machine, Wish};
use super::parse;
use migopt::mig::{Board, GpuInstance, Remaining, SlotMask};
use std::fmt::Write;
use std::sync::{Arc, LazyLock};

/// Boards of the random instances: the paper's, the smallest real one, one with twelve slots, and three that no vendor has.
/// Half of them have starts that are not the multiples of the size. The hull of `gaps` holds counts that no GPU can, that of
/// `pairs` counts that no two GPUs can.
pub const BOARDS: [&str; 6] =
    ["A100-40GB", "A30-24GB", "RTX PRO 6000 Blackwell 96GB", "tiny", "gaps", "pairs"];

const OWN_BOARDS: &str = "\
boards:
  tiny:
    slots: 4
    compute: 4
    profiles:
      - {name: t1, compute: 1, size: 1, starts: [0, 2, 3]}
      - {name: t2, compute: 2, size: 2, starts: [1]}
      - {name: t3, compute: 3, size: 3, starts: [0, 1]}
  gaps:
    slots: 11
    compute: 7
    profiles:
      - {name: g2, compute: 1, size: 2, starts: [4, 5, 7]}
      - {name: g3, compute: 1, size: 3, starts: [5, 8]}
      - {name: g1, compute: 1, size: 1, starts: [0, 4, 8, 9, 10]}
  pairs:
    slots: 8
    compute: 7
    profiles:
      - {name: p4, compute: 1, size: 4, starts: [0, 4], maximum: 1}
      - {name: p2, compute: 1, size: 2, starts: [0, 1, 3, 5, 6]}
      - {name: p1, compute: 1, size: 1, starts: [2, 5, 6, 7]}
      - {name: p4-low, compute: 1, size: 4, starts: [0, 1]}
";

/// What moves and evictions cost: `move_machine`, `move_gpu`, `move_start` and `evict`; the first are those of the paper.
pub const COSTS: [[&str; 4]; 7] = [
    ["4", "2", "0", "2"],
    ["3", "1", "0", "5"],
    ["2.5", "2.5", "0", "0.25"],
    ["1", "0", "0", "0"],
    ["4", "2", "1", "2"],
    ["3", "3", "0.5", "10"],
    ["0.2", "0.1", "0.1", "1"],
];

fn board(index: usize) -> Arc<Board> {
    static ALL: LazyLock<Vec<Arc<Board>>> = LazyLock::new(|| {
        let numbered = BOARDS.iter().enumerate();
        let gpus: Vec<String> =
            numbered.map(|(number, name)| format!("{{name: g{number}, board: {name}}}")).collect();
        let text = format!("name: boards\n{OWN_BOARDS}gpus: [{}]\n", gpus.join(", "));
        parse(&text).cluster.boards.clone()
    });
    ALL[index].clone()
}

/// How an instance is written down.
pub struct Writing<'w> {
    /// Names of machines, GPUs and workloads by their kind and number.
    pub name: &'w dyn Fn(&str, usize) -> String,
    /// The workloads by their numbers.
    pub order: Vec<usize>,
    /// Whether machines are written from last to first.
    pub machines_reversed: bool,
}

impl Case {
    /// The instance as YAML.
    pub fn yaml(&self) -> String {
        let name = |kind: &str, number| format!("{kind}{number}");
        let order = (0..self.workloads()).collect();
        self.yaml_as(&Writing { name: &name, order, machines_reversed: false })
    }

    /// How many workloads there are.
    pub fn workloads(&self) -> usize {
        self.wishes.len()
    }

    /// The instance in other words.
    pub fn yaml_as(&self, writing: &Writing<'_>) -> String {
        let costs = ["move_machine", "move_gpu", "move_start", "evict"].iter().zip(COSTS[self.costs]);
        let costs: Vec<String> = costs.map(|(name, cost)| format!("{name}: {cost}")).collect();
        format!(
            "name: random\n{OWN_BOARDS}{}{}siavashi:\n  objective: \"{}\"\n  residents: {}\n  active_gpus: {}\n  \
             migration_costs: {{{}}}\n",
            self.machine_sections(writing),
            self.workload_section(writing),
            self.objective.text(),
            if self.keep { "keep" } else { "evictable" },
            if self.whole_machine { "whole-machine" } else { "used" },
            costs.join(", ")
        )
    }

    /// Machine and position of every GPU.
    fn gpus(&self) -> Vec<(usize, usize)> {
        let of_machine = |(machine, about): (usize, &Machine)| {
            (0..about.boards.len()).map(move |gpu| (machine, gpu)).collect::<Vec<_>>()
        };
        self.machines.iter().enumerate().flat_map(of_machine).collect()
    }

    fn gpu_name(&self, writing: &Writing<'_>, (machine, gpu): (usize, usize)) -> String {
        let name = (writing.name)("m", machine);
        format!("{name}{}{gpu}", if self.machines[machine].is_host { "/" } else { "-" })
    }

    fn machine_sections(&self, writing: &Writing<'_>) -> String {
        let (mut hosts, mut alone) = ("hosts:\n".to_owned(), "gpus:\n".to_owned());
        let mut order: Vec<usize> = (0..self.machines.len()).collect();
        if writing.machines_reversed {
            order.reverse();
        }
        for (number, machine) in order.into_iter().map(|number| (number, &self.machines[number])) {
            if !machine.is_host {
                for (gpu, &board) in machine.boards.iter().enumerate() {
                    let name = self.gpu_name(writing, (number, gpu));
                    writeln!(alone, "  - {{name: {name}, board: {}}}", BOARDS[board]).unwrap();
                }
                continue;
            }
            write!(hosts, "  - {{name: {}", (writing.name)("m", number)).unwrap();
            for (field, capacity) in ["cpu", "memory_gib"].iter().zip(machine.capacities) {
                if let Some(halves) = capacity {
                    write!(hosts, ", {field}: {}", f64::from(halves) / 2.0).unwrap();
                }
            }
            if let Some(weight) = machine.weight {
                write!(hosts, ", weight: {weight}").unwrap();
            }
            let gpus: Vec<String> =
                machine.boards.iter().map(|&board| format!("{{board: {}}}", BOARDS[board])).collect();
            writeln!(hosts, ", gpus: [{}]}}", gpus.join(", ")).unwrap();
        }
        [hosts, alone].into_iter().filter(|section| section.contains('{')).collect()
    }

    fn workload_section(&self, writing: &Writing<'_>) -> String {
        let mut state = State::of(self);
        let mut entries: Vec<String> = Vec::new();
        let mut kind: Option<(&Wish, String)> = None;
        for (number, wish) in self.wishes.iter().enumerate() {
            let (like, profile) = match kind.take().filter(|_| wish.like_previous) {
                Some(kind) => kind,
                None => (wish, self.profile_of(number)),
            };
            let mut entry = format!("  - {{name: {}, profile: ", (writing.name)("w", number));
            let others = like.other_profile.map(|(on, profile)| profile_name(on, profile));
            match others.filter(|other| *other != profile) {
                Some(other) => write!(entry, "[{profile}, {other}]").unwrap(),
                None => entry += &profile,
            }
            let [cpu, memory] = like.resources.map(|halves| f64::from(halves) / 2.0);
            write!(entry, ", cpu: {cpu}, memory_gib: {memory}").unwrap();
            if let Some(weight) = like.acceptance {
                write!(entry, ", acceptance_weight: {weight}").unwrap();
            }
            if let Some(weight) = like.migration {
                write!(entry, ", migration_weight: {weight}").unwrap();
            }
            let spot = wish.place.and_then(|place| state.take(self, place, &profile, like.resources));
            if let Some((gpu, start)) = spot {
                write!(entry, ", current: {{gpu: {}, start: {start}}}", self.gpu_name(writing, gpu)).unwrap();
                if wish.pinned {
                    entry += ", movable: false";
                }
            }
            entries.push(entry + "}\n");
            kind = Some((like, profile));
        }
        writing.order.iter().fold("workloads:\n".to_owned(), |text, &number| text + &entries[number])
    }

    /// A profile of the board that the workload would like to be on.
    fn profile_of(&self, number: usize) -> String {
        let (wish, gpus) = (&self.wishes[number], self.gpus());
        let (machine, gpu) = match wish.place {
            Some((gpu, _)) => gpus[gpu % gpus.len().min(self.spread)],
            None => gpus[number % gpus.len()],
        };
        profile_name(self.machines[machine].boards[gpu], wish.profile)
    }
}

fn profile_name(on: usize, number: usize) -> String {
    let board = board(on);
    board.profiles()[number % board.profiles().len()].name.clone()
}

/// What the residents that are written down leave free.
struct State {
    occupied: Vec<SlotMask>,
    remaining: Vec<Remaining>,
    resources: Vec<[u32; 2]>,
}

impl State {
    fn of(case: &Case) -> Self {
        let gpus = case.gpus();
        let on = |&(machine, gpu): &(usize, usize)| board(case.machines[machine].boards[gpu]).full_limits();
        State {
            occupied: vec![SlotMask::EMPTY; gpus.len()],
            remaining: gpus.iter().map(on).collect(),
            resources: vec![[0, 0]; case.machines.len()],
        }
    }

    /// Takes a place for a workload, if the GPU has the profile and everything is free; its GPU and start.
    fn take(
        &mut self,
        case: &Case,
        (gpu, start): (usize, usize),
        profile: &str,
        resources: [u32; 2],
    ) -> Option<((usize, usize), u8)> {
        let gpus = case.gpus();
        let number = gpu % gpus.len().min(case.spread);
        let (machine, gpu) = gpus[number];
        let about = &case.machines[machine];
        let on = board(about.boards[gpu]);
        let profile = on.find_profile(profile)?;
        let starts = &on.profile(profile).starts;
        let instance = GpuInstance { profile, start: starts[start % starts.len()] };
        let taken = on.footprint(instance);
        let used = [0, 1].map(|which| self.resources[machine][which] + resources[which]);
        let exceeds = |which: usize| about.capacities[which].is_some_and(|most| used[which] > most);
        let crowded = about.is_host && (exceeds(0) || exceeds(1));
        let left = self.remaining[number].take(&on, profile)?;
        if crowded || taken.intersects(self.occupied[number]) {
            return None;
        }
        self.occupied[number] = self.occupied[number].union(taken);
        self.remaining[number] = left;
        self.resources[machine] = used;
        Some(((machine, gpu), instance.start.0))
    }
}

//! Project-HAMi's dynamic MIG.

use super::scheduler::Scheduler;
use super::{halves, starts, walk};
use cluster::{GpuIndex, Location};
use fleet::{Fleet, Placements, Policy, Request};
use kit::{Choice, Choices, Parameter, put_choice};
use mig::{GpuInstance, ProfileIndex, SliceStart, SlotMask};
use num_rational::Ratio;

/// The most or least used node, there the least or most used GPU, and a start by one of three rules.
#[derive(Clone, Copy, Debug)]
pub struct Hami {
    /// Which node is preferred.
    pub nodes: Packing,
    /// Which GPU of the node is preferred.
    pub gpus: Packing,
    /// The start on the GPU.
    pub starts: Starts,
}

/// Whether what is used most or least is preferred.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// What is used most.
    Binpack,
    /// What is used least.
    Spread,
}

impl Choices for Packing {
    const ALL: &'static [Choice<Packing>] = &[
        Choice { name: "binpack", help: "the one that is used most", value: Packing::Binpack },
        Choice { name: "spread", help: "the one that is used least", value: Packing::Spread },
    ];
}

/// How HAMi has chosen starts over time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Starts {
    /// After pull request 2855.
    Halves,
    /// What pull request 2855 proposed at first.
    LongestRun,
    /// Before it.
    ByName,
}

impl Choices for Starts {
    const ALL: &'static [Choice<Starts>] = &[
        Choice {
            name: "halves",
            help: "keeps a half of the board untouched, as since September 2026",
            value: Starts::Halves,
        },
        Choice {
            name: "longest-run",
            help: "keeps the longest run of free slots, as first proposed in August 2026",
            value: Starts::LongestRun,
        },
        Choice {
            name: "by-name",
            help: "the highest start for 1g and 3g profiles, the lowest for others, as in version 2.10.0",
            value: Starts::ByName,
        },
    ];
}

impl Hami {
    /// As it is set up by default.
    pub const DEFAULT: Hami = Hami { nodes: Packing::Binpack, gpus: Packing::Spread, starts: Starts::Halves };

    fn start(self, placements: &Placements, occupied: SlotMask, profile: ProfileIndex) -> Option<SliceStart> {
        match self.starts {
            Starts::Halves => halves::start(placements, occupied, profile),
            Starts::LongestRun => starts::longest_run(placements, occupied, profile),
            Starts::ByName => starts::by_name(placements, occupied, profile),
        }
    }
}

impl Packing {
    /// The less, the better.
    fn key(self, usage: Ratio<i64>) -> Ratio<i64> {
        match self {
            Packing::Binpack => -usage,
            Packing::Spread => usage,
        }
    }
}

impl Scheduler for Hami {
    const PARAMETERS: &'static [Parameter<Hami>] = &[
        Parameter {
            name: "nodes",
            summary: "which node is preferred by instances, compute slices and memory slots in use, of equal ones the first",
            choices: Packing::entries,
            get: |hami| Some(hami.nodes.name().to_owned()),
            set: |hami, text| put_choice(&mut hami.nodes, text),
        },
        Parameter {
            name: "gpus",
            summary: "which GPU of the node is preferred by the same sum",
            choices: Packing::entries,
            get: |hami| Some(hami.gpus.name().to_owned()),
            set: |hami, text| put_choice(&mut hami.gpus, text),
        },
        Parameter {
            name: "starts",
            summary: "how the start on the GPU is chosen",
            choices: Starts::entries,
            get: |hami| Some(hami.starts.name().to_owned()),
            set: |hami, text| put_choice(&mut hami.starts, text),
        },
    ];

    fn name(&self) -> &'static str {
        "hami"
    }

    fn summary(&self) -> &'static str {
        "HAMi (dynamic MIG): the most used node, its least used GPU with room, a start that keeps half of the board untouched"
    }

    fn reference(&self) -> &'static str {
        "Project-HAMi/HAMi pkg/device/nvidia/mig_topology.go (pull request 2855, September 2026; by-name: v2.10.0), \
         pkg/scheduler/policy/{node,gpu}_policy.go"
    }

    fn begin(&self, _: &Fleet<'_>) -> Box<dyn Policy> {
        Box::new(*self)
    }
}

impl Policy for Hami {
    fn choose(&mut self, fleet: &Fleet<'_>, request: Request<'_>) -> Option<Location> {
        let start =
            walk::by_slots(fleet, |placements, occupied, profile| self.start(placements, occupied, profile));
        let on_gpu = |gpu, instance| {
            let mut use_of_gpu = Usage::of(fleet, gpu);
            use_of_gpu.count(fleet, gpu, instance);
            self.gpus.key(use_of_gpu.share())
        };
        walk::on_best_node(
            fleet,
            |gpus| self.nodes.key(gpus.iter().map(|&gpu| Usage::of(fleet, gpu)).sum::<Usage>().share()),
            |gpus| walk::on_best_gpu(fleet, gpus, request, &start, on_gpu),
        )
    }
}

/// Instances, compute slices and memory slots: in use, and all.
#[derive(Clone, Copy, Default)]
struct Usage {
    used: [i64; 3],
    all: [i64; 3],
}

impl Usage {
    fn of(fleet: &Fleet<'_>, gpu: GpuIndex) -> Usage {
        let board = fleet.board_of(gpu).board();
        let most = board.profiles().iter().map(|profile| profile.maximum).max().unwrap_or(1);
        let all = [most, board.compute(), board.slots()].map(i64::from);
        let mut usage = Usage { used: [0; 3], all };
        fleet.instances(gpu).for_each(|instance| usage.count(fleet, gpu, instance));
        usage
    }

    fn count(&mut self, fleet: &Fleet<'_>, gpu: GpuIndex, instance: GpuInstance) {
        let profile = fleet.board_of(gpu).board().profile(instance.profile);
        let more = [1, profile.compute, profile.size].map(i64::from);
        self.used.iter_mut().zip(more).for_each(|(used, more)| *used += more);
    }

    /// The three shares, added up.
    fn share(&self) -> Ratio<i64> {
        self.used.iter().zip(self.all).map(|(&used, all)| Ratio::new(used, all)).sum()
    }
}

impl std::iter::Sum for Usage {
    fn sum<I: Iterator<Item = Usage>>(usages: I) -> Usage {
        usages.fold(Usage::default(), |mut sum, usage| {
            for resource in 0..3 {
                sum.used[resource] += usage.used[resource];
                sum.all[resource] += usage.all[resource];
            }
            sum
        })
    }
}

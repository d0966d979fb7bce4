//! All placements of a small problem, and what they are worth.

use cluster::{GpuIndex, Location, Placement, Workload, WorkloadIndex};
use ground::Amount;
use mig::{Board, ProfileIndex, SliceStart};
use siavashi::{ActiveGpus, Problem, Residents};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Acceptance, hardware and migrations in millionths.
pub type Goals = [i128; 3];

/// Which arrangement on a GPU is cheapest, for each set of workloads: nothing while it is not known, `Some(None)` where there
/// is none.
type Cheapest = RefCell<Vec<Option<Option<i128>>>>;

/// A problem whose placements are tried one by one.
pub struct Trial<'p> {
    problem: &'p Problem,
    keep: bool,
    /// By GPU, by set of workloads.
    cheapest: Vec<Cheapest>,
}

impl<'p> Trial<'p> {
    /// A problem as it is, or with another answer to whether residents may be evicted.
    pub fn new(problem: &'p Problem, residents: Residents) -> Self {
        let sets = 1 << problem.cluster.workloads.len();
        let cheapest = problem.cluster.gpus.iter().map(|_| RefCell::new(vec![None; sets])).collect();
        Trial { problem, keep: residents == Residents::Keep, cheapest }
    }

    /// The goals of all legal placements; of those that differ in starts alone, of one with the cheapest starts.
    pub fn attainable(&self) -> BTreeSet<Goals> {
        let mut found = BTreeSet::new();
        self.assign(0, &mut vec![None; self.workloads().len()], &mut found);
        found
    }

    /// The goals of a placement; `None` when it is not legal.
    pub fn goals_of(&self, placement: &Placement) -> Option<Goals> {
        let indices = self.problem.cluster.workload_indices();
        let places: Vec<Option<Location>> = indices.map(|workload| placement.of(workload)).collect();
        let on: Vec<Option<GpuIndex>> = places.iter().map(|place| place.map(|place| place.gpu)).collect();
        for gpu in self.problem.cluster.gpu_indices() {
            let here = places.iter().enumerate().filter_map(|(workload, place)| {
                place.filter(|place| place.gpu == gpu).map(|place| (workload, place.start))
            });
            let mut taken = 0;
            for (workload, start) in here {
                taken = self.beside(gpu, workload, start, taken)?;
            }
        }
        let legal = (0..places.len()).all(|workload| {
            let about = &self.workloads()[workload];
            let stays = about.movable || about.current.is_none() || places[workload] == about.current;
            stays && self.may_be_on(workload, on[workload]) && self.has_room(workload, &on)
        });
        let within_limits =
            self.problem.cluster.gpu_indices().all(|gpu| self.obeys_limits(gpu, set_on(&on, gpu)));
        let starts = (0..places.len()).map(|workload| self.cost_of_start(workload, places[workload]));
        (legal && within_limits).then(|| self.goals(&on, starts.sum()))
    }

    /// A legal placement drawn at random.
    pub fn random_placement(&self, seed: u64) -> Placement {
        let mut random = seed;
        let mut placement = self.problem.cluster.current_placement();
        for _ in 0..4 * self.workloads().len() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let number = (random >> 33) as usize;
            let workload = WorkloadIndex::at(number % self.workloads().len());
            let before = placement.of(workload);
            let places = self.places(workload.index());
            placement.set(workload, places[number / self.workloads().len() % places.len()]);
            if self.goals_of(&placement).is_none() {
                placement.set(workload, before);
            }
        }
        placement
    }

    fn workloads(&self) -> &[Workload] {
        &self.problem.cluster.workloads
    }

    /// Nowhere, and every start of every GPU that has a profile for the workload.
    fn places(&self, workload: usize) -> Vec<Option<Location>> {
        let mut places = vec![None];
        for gpu in self.problem.cluster.gpu_indices() {
            let starts = self.profile(gpu, workload).map(|profile| &self.board(gpu).profile(profile).starts);
            let starts = starts.into_iter().flatten();
            places.extend(starts.map(|&start| Some(Location { gpu, start })));
        }
        places
    }

    fn board(&self, gpu: GpuIndex) -> &Board {
        self.problem.cluster.board_of(gpu)
    }

    fn profile(&self, gpu: GpuIndex, workload: usize) -> Option<ProfileIndex> {
        let cluster = &self.problem.cluster;
        let board = cluster.gpus[gpu.index()].board;
        cluster.requests[self.workloads()[workload].request.index()].on_board[board.index()]
    }

    /// Whether a workload may lose its place, or be on another GPU than now.
    fn may_be_on(&self, workload: usize, gpu: Option<GpuIndex>) -> bool {
        match self.workloads()[workload].current {
            None => true,
            Some(current) if !self.workloads()[workload].movable => gpu == Some(current.gpu),
            Some(_) => gpu.is_some() || !self.keep,
        }
    }

    /// Whether the host of a workload has the cores and the memory for all that is there.
    fn has_room(&self, workload: usize, on: &[Option<GpuIndex>]) -> bool {
        let cluster = &self.problem.cluster;
        let host_of = |gpu: Option<GpuIndex>| gpu.and_then(|gpu| cluster.gpus[gpu.index()].host);
        let Some(host) = host_of(on[workload]) else { return true };
        let used = |amount: fn(&Workload) -> Amount| -> i128 {
            let here = (0..on.len()).filter(|&other| host_of(on[other]) == Some(host));
            here.map(|other| amount(&self.workloads()[other]).millionths()).sum()
        };
        let about = &cluster.hosts[host.index()];
        about.cpu.is_none_or(|cpu| used(|workload| workload.cpu) <= cpu.millionths())
            && about.memory.is_none_or(|memory| used(|workload| workload.memory) <= memory.millionths())
    }

    /// Tries every GPU for the workloads from the given one on.
    fn assign(&self, workload: usize, on: &mut Vec<Option<GpuIndex>>, found: &mut BTreeSet<Goals>) {
        if workload == on.len() {
            let gpus = self.problem.cluster.gpu_indices();
            let starts = gpus.map(|gpu| self.arranged(gpu, set_on(on, gpu)).expect("tried before"));
            found.insert(self.goals(on, starts.sum()));
            return;
        }
        for gpu in std::iter::once(None).chain(self.problem.cluster.gpu_indices().map(Some)) {
            on[workload] = gpu;
            let fits = |gpu| self.arranged(gpu, set_on(on, gpu)).is_some();
            if self.may_be_on(workload, gpu) && self.has_room(workload, on) && gpu.is_none_or(fits) {
                self.assign(workload + 1, on, found);
            }
        }
        on[workload] = None;
    }

    /// What the cheapest starts of a set of workloads on a GPU cost; `None` when they do not fit.
    fn arranged(&self, gpu: GpuIndex, set: usize) -> Option<i128> {
        let known = self.cheapest[gpu.index()].borrow()[set];
        known.unwrap_or_else(|| {
            let members: Vec<usize> =
                (0..self.workloads().len()).filter(|member| set >> member & 1 == 1).collect();
            let mut best = None;
            if self.obeys_limits(gpu, set) {
                self.arrange(gpu, &members, 0, 0, &mut best);
            }
            self.cheapest[gpu.index()].borrow_mut()[set] = Some(best);
            best
        })
    }

    fn arrange(&self, gpu: GpuIndex, members: &[usize], taken: u64, cost: i128, best: &mut Option<i128>) {
        if best.is_some_and(|best| best <= cost) {
            return;
        }
        let Some((&workload, rest)) = members.split_first() else {
            *best = Some(cost);
            return;
        };
        let Some(profile) = self.profile(gpu, workload) else { return };
        for &start in &self.board(gpu).profile(profile).starts {
            let about = &self.workloads()[workload];
            let place = Some(Location { gpu, start });
            let stays = about.movable || about.current.is_none() || about.current == place;
            let beside = self.beside(gpu, workload, start, taken);
            if let Some(taken) = beside.filter(|_| stays) {
                self.arrange(gpu, rest, taken, cost + self.cost_of_start(workload, place), best);
            }
        }
    }

    /// The slots that are taken with a workload at a start; `None` where it may not begin or something is already.
    fn beside(&self, gpu: GpuIndex, workload: usize, start: SliceStart, taken: u64) -> Option<u64> {
        let profile = self.board(gpu).profile(self.profile(gpu, workload)?);
        let own = ((1u64 << profile.size) - 1) << start.0;
        (profile.starts.contains(&start) && own & taken == 0).then_some(own | taken)
    }

    /// Whether a GPU has profiles for a set of workloads, and engines and instances enough.
    fn obeys_limits(&self, gpu: GpuIndex, set: usize) -> bool {
        let members = (0..self.workloads().len()).filter(|member| set >> member & 1 == 1);
        let profiles: Option<Vec<ProfileIndex>> = members.map(|member| self.profile(gpu, member)).collect();
        profiles.is_some_and(|profiles| {
            self.board(gpu).limits().iter().all(|limit| {
                profiles.iter().map(|profile| limit.usage[profile.index()]).sum::<u32>() <= limit.capacity
            })
        })
    }

    fn cost_of_start(&self, workload: usize, place: Option<Location>) -> i128 {
        let shifts = |before: Location| place.is_some_and(|after| after.gpu == before.gpu && after != before);
        match self.workloads()[workload].current.filter(|&before| shifts(before)) {
            Some(_) => self.weighted(self.problem.costs.move_start, workload),
            None => 0,
        }
    }

    /// A cost times a workload's migration weight.
    fn weighted(&self, cost: Amount, workload: usize) -> i128 {
        let weight = or_one(self.workloads()[workload].particulars().migration_weight);
        cost.millionths() * weight / 1_000_000
    }

    /// The goals of what is on which GPU, with what moves of starts cost.
    fn goals(&self, on: &[Option<GpuIndex>], starts: i128) -> Goals {
        let cluster = &self.problem.cluster;
        let placed = (0..on.len()).filter(|&workload| on[workload].is_some());
        let acceptance =
            placed.map(|workload| or_one(self.workloads()[workload].particulars().acceptance_weight)).sum();

        let machine = |gpu: GpuIndex| cluster.gpus[gpu.index()].host.ok_or(gpu);
        let gpus: BTreeSet<GpuIndex> = on.iter().copied().flatten().collect();
        let mut machines: Vec<_> = gpus.iter().map(|&gpu| machine(gpu)).collect();
        machines.dedup();
        let mut hardware = 0;
        for each in machines {
            let weight = each.map_or(1_000_000, |host| or_one(cluster.hosts[host.index()].weight));
            let counts = |gpu: &GpuIndex| machine(*gpu) == each;
            let counted = match self.problem.active_gpus {
                ActiveGpus::Used => gpus.iter().copied().filter(counts).count(),
                ActiveGpus::WholeMachine => cluster.gpu_indices().filter(counts).count(),
            };
            hardware += weight * (1 + counted as i128);
        }

        let mut migrations = starts;
        for (workload, about) in self.workloads().iter().enumerate() {
            let Some(before) = about.current else { continue };
            let cost = match on[workload] {
                None => self.problem.costs.evict,
                Some(after) if machine(after) != machine(before.gpu) => self.problem.costs.move_machine,
                Some(after) if after != before.gpu => self.problem.costs.move_gpu,
                Some(_) => Amount::ZERO,
            };
            migrations += self.weighted(cost, workload);
        }
        [acceptance, hardware, migrations]
    }
}

/// The set of workloads on a GPU.
fn set_on(on: &[Option<GpuIndex>], gpu: GpuIndex) -> usize {
    (0..on.len()).filter(|&workload| on[workload] == Some(gpu)).map(|workload| 1 << workload).sum()
}

/// A weight in millionths; 1 where there is none.
fn or_one(weight: Option<Amount>) -> i128 {
    weight.map_or(1_000_000, Amount::millionths)
}

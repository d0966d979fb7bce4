//! All placements of a small problem with rules of clusters, place by place.

use super::trial::{Goals, Trial};
use cluster::{Group, Location, Maintenance, Placement, Site, SiteKind, WorkloadIndex};
use mig::SliceStart;
use siavashi::{Problem, Residents};
use std::collections::{BTreeMap, BTreeSet};

/// Most ways of giving each workload one of its places.
const MOST: usize = 100_000;

/// A problem whose placements are tried one by one.
pub struct Ruled<'p> {
    problem: &'p Problem,
    trial: Trial<'p>,
    pinned: Vec<bool>,
}

impl<'p> Ruled<'p> {
    /// A problem as it is.
    pub fn new(problem: &'p Problem) -> Self {
        let workloads = &problem.cluster.workloads;
        let mut pinned: Vec<bool> =
            workloads.iter().map(|workload| workload.current.is_some() && !workload.movable).collect();
        // As often as there are workloads is as often as pins can spread.
        for _ in workloads {
            for group in problem.cluster.groups.iter().filter(|group| group.rules.as_one) {
                if group.members.iter().any(|member| pinned[member.index()]) {
                    for member in &group.members {
                        pinned[member.index()] |= workloads[member.index()].current.is_some();
                    }
                }
            }
        }
        Ruled { problem, trial: Trial::new(problem, problem.residents), pinned }
    }

    /// The goals of all placements that obey all rules; none where there are too many.
    pub fn attainable(&self) -> Option<BTreeSet<Goals>> {
        let workloads = self.problem.cluster.workload_indices();
        let options: Vec<Vec<Option<Location>>> = workloads.map(|workload| self.options(workload)).collect();
        let ways = options.iter().try_fold(1usize, |ways, options| ways.checked_mul(options.len()));
        if ways.is_none_or(|ways| ways > MOST) {
            return None;
        }
        let mut found = BTreeSet::new();
        let mut placement = Placement::new(vec![None; options.len()]);
        self.assign(0, &options, &mut placement, &mut found);
        Some(found)
    }

    /// The goals of a placement; `None` when it breaks a rule.
    pub fn goals_of(&self, placement: &Placement) -> Option<Goals> {
        let mut goals = self.trial.goals_of(placement)?;
        goals[2] += self.joint_costs(placement);
        self.obeys(placement).then_some(goals)
    }

    fn current(&self, workload: WorkloadIndex) -> Option<Location> {
        self.problem.cluster.workloads[workload.index()].current
    }

    fn is_pinned(&self, workload: WorkloadIndex) -> bool {
        self.pinned[workload.index()]
    }

    fn is_resident(&self, workload: WorkloadIndex) -> bool {
        self.current(workload).is_some() && !self.is_pinned(workload)
    }

    fn options(&self, workload: WorkloadIndex) -> Vec<Option<Location>> {
        let current = self.current(workload);
        if self.is_pinned(workload) {
            return vec![current];
        }
        let keeps = current.is_some() && self.problem.residents == Residents::Keep;
        let mut options = if keeps { Vec::new() } else { vec![None] };
        for gpu in self.problem.cluster.gpu_indices() {
            let at = |start| Location { gpu, start };
            let Some(instance) = self.problem.cluster.instance_at(workload, at(SliceStart(0))) else {
                continue;
            };
            let starts = &self.problem.board(gpu).profile(instance.profile).starts;
            options.extend(
                starts.iter().map(|&start| at(start)).filter(|&place| self.may_be(workload, place)).map(Some),
            );
        }
        options
    }

    fn may_be(&self, workload: WorkloadIndex, place: Location) -> bool {
        let is_open = match self.problem.cluster.gpus[place.gpu.index()].maintenance {
            Maintenance::InService => true,
            Maintenance::Cordoned => self.current(workload) == Some(place),
            Maintenance::Draining => false,
        };
        is_open && self.problem.cluster.admits(workload, place.gpu)
    }

    fn assign(
        &self,
        number: usize,
        options: &[Vec<Option<Location>>],
        placement: &mut Placement,
        found: &mut BTreeSet<Goals>,
    ) {
        let Some(own) = options.get(number) else {
            found.extend(self.goals_of(placement));
            return;
        };
        let workload = WorkloadIndex::at(number);
        for &place in own {
            if place.is_none_or(|place| self.is_free(number, place, placement)) {
                placement.set(workload, place);
                self.assign(number + 1, options, placement, found);
            }
        }
        placement.set(workload, None);
    }

    /// Whether none of the workloads before overlaps with one at a place.
    fn is_free(&self, number: usize, place: Location, placement: &Placement) -> bool {
        let board = self.problem.board(place.gpu);
        let slots = |workload: WorkloadIndex, place: Location| {
            let instance = self.problem.cluster.instance_at(workload, place).expect("the board serves it");
            board.footprint(instance)
        };
        let own = slots(WorkloadIndex::at(number), place);
        let before = (0..number).map(WorkloadIndex::at);
        before
            .filter_map(|other| Some((other, placement.of(other).filter(|there| there.gpu == place.gpu)?)))
            .all(|(other, there)| !slots(other, there).intersects(own))
    }

    fn obeys(&self, placement: &Placement) -> bool {
        let cluster = &self.problem.cluster;
        let mut workloads = cluster.workload_indices();
        let in_place = workloads.all(|workload| match placement.of(workload) {
            place if self.is_pinned(workload) => place == self.current(workload),
            Some(place) => self.may_be(workload, place),
            None => true,
        });
        in_place
            && cluster.groups.iter().all(|group| self.group_obeys(group, placement))
            && self.within_budgets(placement)
    }

    fn group_obeys(&self, group: &Group, placement: &Placement) -> bool {
        let at_sites = |kind: SiteKind| {
            let mut sites: BTreeMap<Site, (usize, usize)> = BTreeMap::new();
            for &member in &group.members {
                if let Some(place) = placement.of(member) {
                    let count = sites.entry(self.problem.cluster.site_of(place.gpu, kind)).or_default();
                    *count = (count.0 + 1, count.1 + usize::from(self.is_pinned(member)));
                }
            }
            sites
        };
        let apart = group
            .rules
            .apart
            .is_none_or(|kind| at_sites(kind).values().all(|&(all, pinned)| all <= pinned.max(1)));
        let together = group.rules.together.is_none_or(|kind| at_sites(kind).len() <= 1);
        let decided = group.members.iter().filter(|member| !self.is_pinned(**member));
        let placed: BTreeSet<bool> = decided.map(|&member| placement.of(member).is_some()).collect();
        apart && together && (!group.rules.as_one || placed.len() <= 1)
    }

    /// The residents of whom something is true by themselves, or of one that counts as one with them.
    fn with_groups(&self, by_itself: impl Fn(WorkloadIndex) -> bool) -> Vec<WorkloadIndex> {
        let is_changed = |workload: WorkloadIndex| self.is_resident(workload) && by_itself(workload);
        let joined = |workload: WorkloadIndex| {
            let mut groups = self.problem.cluster.groups.iter().filter(|group| group.rules.as_one);
            groups.any(|group| {
                group.members.contains(&workload) && group.members.iter().any(|&other| is_changed(other))
            })
        };
        let workloads = self.problem.cluster.workload_indices();
        workloads
            .filter(|&workload| self.is_resident(workload) && (is_changed(workload) || joined(workload)))
            .collect()
    }

    fn moved(&self, placement: &Placement) -> Vec<WorkloadIndex> {
        self.with_groups(|workload| !self.is_on_its_gpu(placement, workload))
    }

    fn is_on_its_gpu(&self, placement: &Placement, workload: WorkloadIndex) -> bool {
        placement.of(workload).map(|place| place.gpu) == self.current(workload).map(|place| place.gpu)
    }

    fn within_budgets(&self, placement: &Placement) -> bool {
        let cluster = &self.problem.cluster;
        let within = |most: Option<u32>, count: usize| most.is_none_or(|most| count <= most as usize);
        let disrupted = self.with_groups(|workload| placement.of(workload) != self.current(workload));
        let hosts = cluster.hosts.iter().enumerate().all(|(number, host)| {
            let is_there = |workload: &&WorkloadIndex| {
                let place = self.current(**workload).expect("it runs");
                cluster.gpus[place.gpu.index()].host.is_some_and(|host| host.index() == number)
            };
            within(host.max_disrupted, disrupted.iter().filter(is_there).count())
        });
        hosts
            && within(self.problem.limits.max_disrupted, disrupted.len())
            && within(self.problem.limits.max_migrations, self.moved(placement).len())
    }

    /// Who counts as moved and is on its GPU costs as much as another GPU, whatever its start.
    fn joint_costs(&self, placement: &Placement) -> i128 {
        let moved = self.moved(placement);
        let stay = moved.into_iter().filter(|&workload| self.is_on_its_gpu(placement, workload));
        stay.map(|workload| {
            let costs = self.problem.costs;
            let is_shifted = placement.of(workload) != self.current(workload);
            let paid = if is_shifted { costs.move_start.millionths() } else { 0 };
            let weight = self.problem.cluster.workloads[workload.index()].particulars().migration_weight;
            (costs.move_gpu.millionths() - paid) * weight.map_or(1_000_000, |weight| weight.millionths())
                / 1_000_000
        })
        .sum()
    }
}

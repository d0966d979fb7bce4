//! Carries a plan out, one operation after the other, on the slots of the GPUs. Shares nothing with what makes plans.

use crate::document::Counts;
use crate::finding::Finding;
use crate::moves::{Kind, Move, Plan, Round};
use crate::operations::Operation;
use crate::place::{Place, illegal, is_pinned};
use crate::transition::Transition;
use cluster::{GpuIndex, GroupIndex, Handover, WorkloadIndex};
use itertools::Itertools;
use mig::GpuInstance;
use std::collections::{BTreeMap, BTreeSet};

/// What came of a plan.
pub struct Run {
    /// The rules that it breaks. An operation that cannot be done ends the run.
    pub findings: Vec<Finding>,
    /// What it costs, counted from what was done; what was done before the end of the run.
    pub counts: Counts,
    /// Where every workload is in the end.
    pub end: Vec<Option<Place>>,
}

/// Carries a plan out.
pub fn carry_out(transition: &Transition, plan: &Plan, operations: &[Vec<Operation>]) -> Run {
    let mut run = Simulator::new(transition);
    for (number, done) in operations.iter().enumerate() {
        let before = run.clone_places();
        let was_down: BTreeSet<WorkloadIndex> = run.down_now();
        run.interrupted.clear();
        for operation in done {
            if let Err(message) = run.step(operation) {
                let message = format!("round {}: {message}", number + 1);
                run.findings.push(Finding { rule: "operation", message });
                return run.finish(number + 1);
            }
        }
        run.close_round(number, &before, &was_down, plan.rounds.get(number).unwrap_or(&Vec::new()));
    }
    run.finish(operations.len())
}

struct Simulator<'t> {
    transition: &'t Transition,
    /// The instances of each GPU, and who uses them.
    instances: BTreeMap<GpuIndex, BTreeMap<GpuInstance, Option<WorkloadIndex>>>,
    /// The copies of each workload that run; the first one serves.
    copies: Vec<Vec<Place>>,
    /// Who has run at any time.
    has_run: Vec<bool>,
    /// Who was interrupted in the round at hand.
    interrupted: BTreeSet<WorkloadIndex>,
    /// Per workload: its interruptions by stop that are not over, as the number of rounds so far.
    entries: Vec<u64>,
    stops: Vec<u64>,
    restarts: Vec<u64>,
    downtime: Vec<u64>,
    /// Who was down in which round.
    down: Vec<BTreeSet<WorkloadIndex>>,
    hardware: BTreeSet<(usize, usize)>,
    changed: BTreeSet<GpuIndex>,
    touched: BTreeSet<GpuIndex>,
    /// The rounds in which each group moves that counts as one.
    groups: BTreeMap<GroupIndex, BTreeSet<usize>>,
    findings: Vec<Finding>,
}

impl<'t> Simulator<'t> {
    fn new(transition: &'t Transition) -> Self {
        let count = transition.cluster.workloads.len();
        let mut run = Simulator {
            transition,
            instances: BTreeMap::new(),
            copies: vec![Vec::new(); count],
            has_run: vec![false; count],
            interrupted: BTreeSet::new(),
            entries: vec![0; count],
            stops: vec![0; count],
            restarts: vec![0; count],
            downtime: vec![0; count],
            down: Vec::new(),
            hardware: BTreeSet::new(),
            changed: BTreeSet::new(),
            touched: BTreeSet::new(),
            groups: BTreeMap::new(),
            findings: Vec::new(),
        };
        for (workload, place) in transition.present() {
            run.instances.entry(place.gpu).or_default().insert(place.instance, Some(workload));
            run.copies[workload.index()].push(place);
            run.has_run[workload.index()] = true;
        }
        run
    }

    fn name(&self, workload: WorkloadIndex) -> &'t str {
        &self.transition.cluster.workloads[workload.index()].name
    }

    fn place_name(&self, place: Place) -> String {
        place.name(&self.transition.cluster)
    }

    /// Does one thing, if it can be done; then the layout of the GPU must be legal.
    fn step(&mut self, operation: &Operation) -> Result<(), String> {
        let gpu = match *operation {
            Operation::Create(place) => self.create(place)?,
            Operation::Destroy(place) => self.destroy(place)?,
            Operation::Repartition(gpu, ref layout) => self.repartition(gpu, layout)?,
            Operation::Start(workload, place) => self.start(workload, place)?,
            Operation::Switch(workload, place) => self.switch(workload, place)?,
            Operation::Stop(workload, place) => self.stop(workload, place)?,
        };
        let layout =
            self.instances.get(&gpu).into_iter().flat_map(|layout| layout.keys().copied()).collect_vec();
        illegal(&self.transition.cluster, gpu, &layout).map_or(Ok(()), Err)
    }

    fn create(&mut self, place: Place) -> Result<GpuIndex, String> {
        self.only_beside(place, "made")?;
        let layout = self.instances.entry(place.gpu).or_default();
        if layout.insert(place.instance, None).is_some() {
            return Err(format!("{} is made, and is there already", self.place_name(place)));
        }
        self.changed.insert(place.gpu);
        Ok(place.gpu)
    }

    fn destroy(&mut self, place: Place) -> Result<GpuIndex, String> {
        self.only_beside(place, "removed")?;
        let layout = self.instances.entry(place.gpu).or_default();
        match layout.remove(&place.instance) {
            Some(None) => {}
            Some(Some(user)) => {
                let user = self.name(user);
                return Err(format!("{} is removed while `{user}` uses it", self.place_name(place)));
            }
            None => return Err(format!("{} is removed, and is not there", self.place_name(place))),
        }
        self.changed.insert(place.gpu);
        Ok(place.gpu)
    }

    /// Whether instances are changed beside others at all.
    fn only_beside(&self, place: Place, done: &str) -> Result<(), String> {
        if self.transition.unit_of(place.gpu).is_none() {
            return Ok(());
        }
        let place = self.place_name(place);
        Err(format!("{place} is {done} beside others, but this backend lays GPUs out as a whole"))
    }

    fn repartition(&mut self, gpu: GpuIndex, layout: &[GpuInstance]) -> Result<GpuIndex, String> {
        let name = &self.transition.cluster.gpus[gpu.index()].name;
        let Some(unit) = self.transition.unit_of(gpu) else {
            return Err(format!(
                "{name} is laid out as a whole, but this backend makes instances one by one"
            ));
        };
        let in_unit =
            self.instances.iter().filter(|(other, _)| self.transition.unit_of(**other) == Some(unit));
        if let Some(user) = in_unit.flat_map(|(_, layout)| layout.values()).flatten().next() {
            return Err(format!(
                "{name} is laid out anew while `{}` runs there or on its node",
                self.name(*user)
            ));
        }
        self.instances.insert(gpu, layout.iter().map(|&instance| (instance, None)).collect());
        if self.instances[&gpu].len() < layout.len() {
            return Err(format!("{name} is to have an instance twice"));
        }
        self.changed.insert(gpu);
        Ok(gpu)
    }

    fn start(&mut self, workload: WorkloadIndex, place: Place) -> Result<GpuIndex, String> {
        let (name, where_to) = (self.name(workload), self.place_name(place));
        let about = &self.transition.cluster.workloads[workload.index()];
        if is_pinned(&self.transition.cluster, workload) {
            return Err(format!("`{name}` starts at {where_to}, but may not be moved"));
        }
        if !self.transition.is_open(place.gpu) {
            return Err(format!("`{name}` starts at {where_to}, on a GPU that is cordoned or to be drained"));
        }
        if !self.transition.cluster.admits(workload, place.gpu) {
            let message = format!("`{name}` starts at {where_to}, on a node where it may not be");
            self.find("wrong-node", self.down.len(), message);
        }
        let serves = self.transition.cluster.requests[about.request.index()].on_board
            [self.transition.cluster.gpus[place.gpu.index()].board.index()];
        if serves != Some(place.instance.profile) {
            return Err(format!("`{name}` starts at {where_to}, which is not of the profile that it needs"));
        }
        match self.copies[workload.index()].len() {
            0 => {}
            1 if about.handover == Handover::Surge => {}
            1 => {
                return Err(format!(
                    "a second copy of `{name}` starts at {where_to}, but it has to stop first"
                ));
            }
            _ => return Err(format!("a third copy of `{name}` starts at {where_to}")),
        }
        match self.instances.entry(place.gpu).or_default().get_mut(&place.instance) {
            None => return Err(format!("`{name}` starts at {where_to}, where there is no such instance")),
            Some(Some(user)) => {
                let user = *user;
                return Err(format!("`{name}` starts at {where_to}, which `{}` uses", self.name(user)));
            }
            Some(user) => *user = Some(workload),
        }
        self.copies[workload.index()].push(place);
        self.entries[workload.index()] += 1;
        self.has_run[workload.index()] = true;
        self.touched.insert(place.gpu);
        Ok(place.gpu)
    }

    fn switch(&mut self, workload: WorkloadIndex, place: Place) -> Result<GpuIndex, String> {
        let name = self.name(workload);
        match self.copies[workload.index()].as_mut_slice() {
            [first, second] if *second == place => std::mem::swap(first, second),
            _ => return Err(format!("no second copy of `{name}` runs at {}", self.place_name(place))),
        }
        Ok(place.gpu)
    }

    fn stop(&mut self, workload: WorkloadIndex, place: Place) -> Result<GpuIndex, String> {
        let (name, at) = (self.name(workload), self.place_name(place));
        if is_pinned(&self.transition.cluster, workload) {
            return Err(format!("`{name}` stops at {at}, but may not be moved"));
        }
        let copies = &mut self.copies[workload.index()];
        match copies.as_slice() {
            [.., last] if *last == place => drop(copies.pop()),
            [first, _] if *first == place => {
                return Err(format!("`{name}` stops at {at} before its second copy has taken over"));
            }
            _ => return Err(format!("`{name}` stops at {at}, where it does not run")),
        }
        if copies.is_empty() {
            self.interrupted.insert(workload);
        }
        let layout = self.instances.entry(place.gpu).or_default();
        layout.insert(place.instance, None);
        self.touched.insert(place.gpu);
        Ok(place.gpu)
    }

    fn clone_places(&self) -> Vec<Option<Place>> {
        self.copies.iter().map(|copies| copies.first().copied()).collect()
    }

    fn down_now(&self) -> BTreeSet<WorkloadIndex> {
        let all = self.transition.cluster.workload_indices();
        all.filter(|workload| self.has_run[workload.index()] && self.copies[workload.index()].is_empty())
            .collect()
    }

    fn find(&mut self, rule: &'static str, round: usize, message: String) {
        self.findings.push(Finding { rule, message: format!("round {}: {message}", round + 1) });
    }

    /// What holds of a round as a whole.
    fn close_round(
        &mut self,
        number: usize,
        before: &[Option<Place>],
        was_down: &BTreeSet<WorkloadIndex>,
        listed: &Round,
    ) {
        let mut moves = Vec::new();
        for workload in self.transition.cluster.workload_indices() {
            let index = workload.index();
            if self.copies[index].len() > 1 {
                let message = format!("two copies of `{}` run at its end", self.name(workload));
                self.find("copies", number, message);
            }
            let (from, to) = (before[index], self.copies[index].first().copied());
            let kind = match (from, to) {
                (None, None) => continue,
                (from, to) if from == to && !self.interrupted.contains(&workload) => continue,
                (Some(_), Some(_)) if self.interrupted.contains(&workload) => Kind::Restart,
                (Some(_), Some(_)) => Kind::Surge,
                (Some(_), None) => Kind::Stop,
                (None, Some(_)) => Kind::Start,
            };
            moves.push(Move { workload, from, to, kind, via: false });
        }
        let told = listed.iter().map(|step| Move { via: false, ..*step }).sorted().collect_vec();
        if moves != told {
            let differing = moves
                .iter()
                .find(|step| !told.contains(step))
                .or(told.iter().find(|step| !moves.contains(step)));
            let who = differing.map_or_else(String::new, |step| format!(": `{}`", self.name(step.workload)));
            self.find(
                "moves",
                number,
                format!("its operations do something else than its list of moves says{who}"),
            );
        }
        self.check_side_by_side(number, before, &moves);
        self.check_as_one(number, before, &moves);
        self.check_limits(number, &moves);
        for step in &moves {
            match step.kind {
                Kind::Restart => {
                    self.stops[step.workload.index()] += 1;
                    self.restarts[step.workload.index()] += 1;
                }
                Kind::Stop => self.stops[step.workload.index()] += 1,
                Kind::Surge | Kind::Start => {}
            }
        }
        let down_after = self.down_now();
        for workload in &down_after {
            self.downtime[workload.index()] += 1;
        }
        let down = was_down.union(&down_after).chain(&self.interrupted).copied().collect();
        self.down.push(down);
        let nodes = self.changed.iter().map(|&gpu| (self.transition.node_of(gpu), number)).collect_vec();
        self.hardware.extend(nodes);
        self.changed.clear();
    }

    /// Everything runs at once: what is held at the beginning of a round and what is entered in it must not be in each other's way.
    fn check_side_by_side(&mut self, number: usize, before: &[Option<Place>], moves: &[Move]) {
        let mut on: BTreeMap<GpuIndex, Vec<GpuInstance>> = BTreeMap::new();
        for place in moves.iter().filter_map(|step| step.to) {
            on.entry(place.gpu).or_default().push(place.instance);
        }
        for place in before.iter().flatten() {
            if let Some(instances) = on.get_mut(&place.gpu) {
                instances.push(place.instance);
            }
        }
        for (gpu, instances) in on {
            if let Some(what) = illegal(&self.transition.cluster, gpu, &instances) {
                let message =
                    format!("its moves cannot run side by side: {what} before any workload has left");
                self.find("side-by-side", number, message);
            }
        }
    }

    /// What counts as one moves at once; by a second copy only where all of it moves.
    fn check_as_one(&mut self, number: usize, before: &[Option<Place>], moves: &[Move]) {
        let cluster = &self.transition.cluster;
        for step in moves {
            for (index, group) in cluster.groups_of(step.workload).filter(|(_, group)| group.rules.as_one) {
                self.groups.entry(index).or_default().insert(number);
                let stays = |member: &&WorkloadIndex| {
                    before[member.index()].is_some() && moves.iter().all(|other| other.workload != **member)
                };
                if let Some(other) = group.members.iter().find(stays).filter(|_| step.kind == Kind::Surge) {
                    let message = format!(
                        "a second copy of `{}` starts, but not of `{}`, which counts as one with it",
                        self.name(step.workload),
                        self.name(*other)
                    );
                    self.find("as-one", number, message);
                }
            }
        }
    }

    fn check_limits(&mut self, number: usize, moves: &[Move]) {
        let limits = self.transition.limits;
        if let Some(most) = limits.max_parallel.filter(|&most| moves.len() > most as usize) {
            self.find("max-parallel", number, format!("{} things happen, at most {most} may", moves.len()));
        }
        let Some(most) = limits.max_parallel_per_node else { return };
        for (what, end) in
            [("come to", (|step| step.to) as fn(&Move) -> Option<Place>), ("leave", |step| step.from)]
        {
            let mut counts: BTreeMap<usize, u32> = BTreeMap::new();
            for place in moves.iter().filter_map(end) {
                *counts.entry(self.transition.node_of(place.gpu)).or_default() += 1;
            }
            if let Some((node, count)) = counts.into_iter().find(|(_, count)| *count > most) {
                let hosts = &self.transition.cluster.hosts;
                let node = hosts.get(node).map_or("a GPU without host", |host| host.name.as_str());
                let message = format!("{count} workloads {what} {node}, at most {most} may");
                self.find("max-parallel-per-node", number, message);
            }
        }
    }

    fn finish(mut self, rounds: usize) -> Run {
        if let Some(most) = self.transition.limits.max_rounds.filter(|&most| rounds > most as usize) {
            self.findings.push(Finding {
                rule: "max-rounds",
                message: format!("{rounds} rounds, at most {most} may be"),
            });
        }
        for (group, rounds) in self.groups.iter().filter(|(_, rounds)| rounds.len() > 1) {
            let name = &self.transition.cluster.groups[group.index()].rules.name;
            let rounds = rounds.iter().map(|round| round + 1).join(", ");
            let message =
                format!("the workloads of group `{name}` count as one, but move in rounds {rounds}");
            self.findings.push(Finding { rule: "as-one", message });
        }
        self.check_budgets();
        // Who does not run on was not interrupted, but ended.
        let runs_on = |index: usize| !self.copies[index].is_empty();
        let sum = |numbers: &[u64]| {
            let kept = numbers.iter().enumerate().filter(|(index, _)| runs_on(*index));
            kept.map(|(_, number)| *number).sum()
        };
        let ran = |index: usize| self.transition.cluster.workloads[index].current.is_some();
        let entries = self.entries.iter();
        let starts =
            entries.clone().enumerate().filter(|&(index, &entries)| entries > 0 && !ran(index)).count()
                as u64;
        let counts = Counts {
            stops: sum(&self.stops),
            restarts: sum(&self.restarts),
            downtime: sum(&self.downtime),
            bounces: entries.clone().map(|entries| entries.saturating_sub(1)).sum(),
            rounds: rounds as u64,
            moves: entries.sum::<u64>() - starts,
            starts,
            plugin_restarts: self.hardware.len() as u64,
            gpus: self.touched.len() as u64,
        };
        Run { end: self.clone_places(), findings: self.findings, counts }
    }

    fn check_budgets(&mut self) {
        let cluster = &self.transition.cluster;
        for (round, down) in self.down.iter().enumerate() {
            let mut counts = vec![0; cluster.budgets.len()];
            for workload in down {
                // Who ends for good is no longer one of those whom the budget protects.
                if self.copies[workload.index()].is_empty() {
                    continue;
                }
                for budget in cluster.workloads[workload.index()].particulars().budgets.iter() {
                    counts[budget.index()] += 1;
                }
            }
            for (budget, count) in cluster.budgets.iter().zip(counts) {
                if count > budget.allowed {
                    let message = format!(
                        "round {}: {count} workloads of the budget `{}` are down, at most {} may be",
                        round + 1,
                        budget.name,
                        budget.allowed
                    );
                    self.findings.push(Finding { rule: "budget", message });
                }
            }
        }
    }
}

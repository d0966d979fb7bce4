//! What GPUs have before and after each round of a plan.

use inventory::{ClusterLock, LockedGpu, LockedInstance, LockedState};
use mig::{Board, GpuInstance, Lookup, ProfileIndex, SliceStart, catalogue};
use plan::{InstanceEntry, MoveEntry, OperationEntry, OperationName, PlanFile};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A GPU instance that a GPU has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Profile and start.
    pub instance: GpuInstance,
    /// Whether it has no compute instance, so that nothing can use it.
    pub is_bare: bool,
}

/// What a GPU has, by first slots.
pub type Layout = BTreeMap<SliceStart, Held>;

/// What a round does to a GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// What it has before the round.
    pub before: Layout,
    /// Idle instances that are removed before others are made.
    pub in_the_way: Vec<Held>,
    /// Instances that are made before workloads move.
    pub made: Vec<Held>,
    /// Instances that are removed when workloads have moved.
    pub left: Vec<Held>,
}

impl Change {
    /// What the GPU has after the round.
    pub fn after(&self) -> Layout {
        let mut layout = self.before.clone();
        for held in self.in_the_way.iter().chain(&self.left) {
            layout.remove(&held.instance.start);
        }
        layout.extend(self.made.iter().map(|held| (held.instance.start, *held)));
        layout
    }
}

/// A round.
#[derive(Clone, Debug)]
pub struct Stage<'a> {
    /// What happens to GPUs, by name; those that keep all that they have are not here.
    pub changes: BTreeMap<&'a str, Change>,
    /// What workloads do.
    pub moves: &'a [MoveEntry],
    /// A workload that runs on a GPU when the round begins, by the GPU's name.
    pub users: BTreeMap<&'a str, String>,
}

/// A plan, carried out on the GPUs of a lock.
#[derive(Clone, Debug)]
pub struct Course<'a> {
    /// The cluster.
    pub lock: &'a ClusterLock,
    /// The name of the plan's instance.
    pub name: &'a str,
    boards: BTreeMap<&'a str, Arc<Board>>,
    /// The rounds.
    pub stages: Vec<Stage<'a>>,
    /// What GPUs have before the plan, by name.
    pub before: BTreeMap<&'a str, Layout>,
    /// What of it is held.
    pub held: BTreeMap<&'a str, Layout>,
    /// What GPUs have after the plan, by name.
    pub after: BTreeMap<&'a str, Layout>,
    /// The profiles that workloads get, by round and name.
    pub profiles: BTreeMap<(usize, &'a str), ProfileIndex>,
}

const ANEW: &str = "Import the cluster again, and plan from what it has now";

impl<'a> Course<'a> {
    /// Carries a plan out.
    ///
    /// # Errors
    /// When the plan is not of the cluster as the lock has it.
    pub fn of(plan: &'a PlanFile, lock: &'a ClusterLock) -> Result<Self, String> {
        let mut boards = BTreeMap::new();
        for gpu in lock.gpus.values() {
            let Lookup::Found(board) = catalogue().find(&gpu.board) else {
                return Err(format!(
                    "the lock names the board \"{}\", which the catalogue does not have.",
                    gpu.board
                ));
            };
            boards.insert(gpu.board.as_str(), board);
        }
        let mut course = Course {
            lock,
            name: &plan.instance.name,
            boards,
            stages: Vec::new(),
            before: BTreeMap::new(),
            held: BTreeMap::new(),
            after: BTreeMap::new(),
            profiles: BTreeMap::new(),
        };
        for (name, gpu) in &lock.gpus {
            let layout = course.imported(name, gpu)?;
            course.after.insert(name, layout);
        }
        course.before = course.after.clone();
        course.compare(plan)?;
        let mut users = course.users();
        for (&name, layout) in &course.before {
            let mut held = layout.clone();
            held.retain(|start, _| users.contains_key(&(name, start.0)));
            course.held.insert(name, held);
        }
        if plan.operations.is_empty() && !plan.rounds.is_empty() {
            return Err(
                "the plan lists moves, but not its `operations`, which files are made of. Let `migopt plan` write it.".to_owned(),
            );
        }
        for (number, round) in (1..).zip(&plan.rounds) {
            let operations = plan.operations.iter().filter(|operation| operation.round == number);
            let begun = users.iter().map(|(&(gpu, _), user)| (gpu, user.clone())).collect();
            for operation in operations.clone() {
                let Some(start) = operation.start else { continue };
                let place = (operation.gpu.as_str(), start);
                match operation.operation {
                    OperationName::Start => {
                        let workload = operation.workload.as_deref().unwrap_or_default();
                        let profile = operation.profile.as_deref().unwrap_or_default();
                        let profile = course.instance(&operation.gpu, profile, start)?.profile;
                        course.profiles.insert((number as usize, workload), profile);
                        users.insert(place, workload.to_owned());
                    }
                    OperationName::Stop => {
                        users.remove(&place);
                    }
                    _ => {}
                }
            }
            let changes = course.carry_out(operations)?;
            course.stages.push(Stage { changes, moves: &round.moves, users: begun });
        }
        Ok(course)
    }

    /// The board of a GPU.
    pub fn board_of(&self, gpu: &str) -> &Board {
        &self.boards[self.lock.gpus[gpu].board.as_str()]
    }

    /// What a GPU is called in the lock.
    pub fn gpu(&self, name: &str) -> &'a LockedGpu {
        &self.lock.gpus[name]
    }

    /// The UUID of a GPU.
    ///
    /// # Errors
    /// When the lock does not hold it.
    pub fn uuid_of(&self, name: &str) -> Result<&'a str, String> {
        let gpu = self.gpu(name);
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        let uuid = gpu.uuid.as_deref().filter(|uuid| !uuid.is_empty() && uuid.chars().all(is_plain));
        uuid.ok_or_else(|| {
            format!(
                "the lock does not hold the UUID of {name}. Run `nvidia-smi -L` on {} and import its answer too.",
                gpu.node
            )
        })
    }

    /// Nodes with their GPUs in the order of their indices.
    pub fn nodes(&self) -> BTreeMap<&'a str, Vec<&'a str>> {
        let mut nodes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, gpu) in &self.lock.gpus {
            nodes.entry(&gpu.node).or_default().push(name);
        }
        for gpus in nodes.values_mut() {
            gpus.sort_by_key(|&name| self.gpu(name).index);
        }
        nodes
    }

    /// Who uses the instances at the beginning, by GPU and first slot.
    fn users(&self) -> BTreeMap<(&'a str, u8), String> {
        let mut users = BTreeMap::new();
        for (name, gpu) in &self.lock.gpus {
            for locked in &gpu.instances {
                if matches!(locked.state, LockedState::InUse | LockedState::Unknown) {
                    let known = match locked.users.is_empty() {
                        true => "an unknown user".to_owned(),
                        false => locked.users.join(", "),
                    };
                    users.insert((name.as_str(), locked.start), known);
                }
            }
        }
        users
    }

    fn imported(&self, name: &str, gpu: &LockedGpu) -> Result<Layout, String> {
        let held = |locked: &LockedInstance| {
            let instance = self.instance(name, &locked.profile, locked.start)?;
            let is_bare = locked.state == LockedState::NoComputeInstance;
            Ok((instance.start, Held { instance, is_bare }))
        };
        gpu.instances.iter().map(held).collect()
    }

    fn instance(&self, gpu: &str, profile: &str, start: u8) -> Result<GpuInstance, String> {
        let board = self.board_of(gpu);
        let instance = board
            .find_profile(profile)
            .map(|profile| GpuInstance { profile, start: SliceStart(start) })
            .filter(|&instance| board.is_legal(instance));
        instance.ok_or_else(|| {
            format!(
                "{gpu} is a {}, on which no {profile} can start at slot {start}. The plan is not of this cluster; give the lock that was \
                 written with its instance.",
                board.name()
            )
        })
    }

    /// Compares what the plan expects with what the lock has.
    fn compare(&self, plan: &PlanFile) -> Result<(), String> {
        if plan.instance.name != self.lock.cluster {
            return Err(format!(
                "the plan is for the instance \"{}\", the lock of \"{}\". Give the lock that was written with the plan's instance.",
                plan.instance.name, self.lock.cluster
            ));
        }
        if let Some(spare) = plan.spares.iter().find(|spare| !self.lock.gpus.contains_key(&spare.name)) {
            return Err(format!(
                "the plan uses the lent GPU `{}` ({}), which the cluster does not have. Add such a GPU to the cluster, import it, and plan \
                 without --spare.",
                spare.name, spare.board
            ));
        }
        for expected in &plan.expects {
            let layout = self.layout(&expected.gpu)?;
            for InstanceEntry { profile, start } in &expected.layout {
                let instance = self.instance(&expected.gpu, profile, *start)?;
                let found = layout.get(&instance.start);
                if !found.is_some_and(|held| held.instance == instance && !held.is_bare) {
                    return Err(format!(
                        "the plan expects {} at slot {start} of {}, the lock has no such instance there. {ANEW}.",
                        profile, expected.gpu
                    ));
                }
            }
            let expects = |locked: &LockedInstance| {
                expected.layout.iter().any(|instance| instance.start == locked.start)
            };
            let in_use = |locked: &&LockedInstance| {
                matches!(locked.state, LockedState::InUse | LockedState::Unknown) && !expects(locked)
            };
            if let Some(used) = self.gpu(&expected.gpu).instances.iter().find(in_use) {
                return Err(format!(
                    "the lock has {} at slot {} of {}, in use or with an unknown user, of which the plan does not know. {ANEW}.",
                    used.profile, used.start, expected.gpu
                ));
            }
        }
        Ok(())
    }

    fn layout(&self, gpu: &str) -> Result<&Layout, String> {
        self.after.get(gpu).ok_or_else(|| {
            let known: Vec<&str> = self.after.keys().copied().collect();
            format!(
                "the plan names the GPU `{gpu}`, which the lock does not have. It has {}. Give the lock that was written with the plan's \
                 instance.",
                known.join(", ")
            )
        })
    }

    /// Carries the operations of a round out.
    fn carry_out(
        &mut self,
        operations: impl Iterator<Item = &'a OperationEntry>,
    ) -> Result<BTreeMap<&'a str, Change>, String> {
        let mut changes: BTreeMap<&'a str, Change> = BTreeMap::new();
        for operation in operations {
            let gpu = operation.gpu.as_str();
            let layout = self.layout(gpu)?;
            let instance = || {
                let start = operation.start.ok_or_else(|| format!("an operation on {gpu} lacks `start`."))?;
                self.instance(gpu, operation.profile.as_deref().unwrap_or_default(), start)
            };
            let (removed, made) = match operation.operation {
                OperationName::Start | OperationName::Switch | OperationName::Stop => continue,
                OperationName::Create => {
                    let instance = instance()?;
                    if layout.get(&instance.start) == Some(&Held { instance, is_bare: false }) {
                        continue;
                    }
                    (self.in_the_way(gpu, layout, instance), vec![instance])
                }
                OperationName::Destroy => {
                    let instance = instance()?;
                    let found = layout.get(&instance.start).filter(|held| held.instance == instance);
                    let held = *found.ok_or_else(|| {
                        format!(
                            "the plan removes {} of {gpu}, which is not there then.",
                            self.board_of(gpu).instance_name(instance)
                        )
                    })?;
                    let before = layout.clone();
                    let change = changes.entry(gpu).or_insert_with(|| Change { before, ..Change::default() });
                    change.left.push(held);
                    self.after.get_mut(gpu).expect("its layout was found").remove(&instance.start);
                    continue;
                }
                OperationName::Repartition => {
                    let wanted = |entry: &InstanceEntry| self.instance(gpu, &entry.profile, entry.start);
                    let wanted: Vec<GpuInstance> =
                        operation.layout.iter().map(wanted).collect::<Result<_, String>>()?;
                    let stays = |held: &Held| !held.is_bare && wanted.contains(&held.instance);
                    let removed: Vec<Held> = layout.values().filter(|held| !stays(held)).copied().collect();
                    let there = |instance: &GpuInstance| {
                        layout.values().any(|held| stays(held) && held.instance == *instance)
                    };
                    (removed, wanted.iter().filter(|instance| !there(instance)).copied().collect())
                }
            };
            let before = layout.clone();
            let change = changes.entry(gpu).or_insert_with(|| Change { before, ..Change::default() });
            let layout = self.after.get_mut(gpu).expect("its layout was found");
            for held in removed {
                layout.remove(&held.instance.start);
                change.in_the_way.push(held);
            }
            for instance in made {
                let held = Held { instance, is_bare: false };
                layout.insert(instance.start, held);
                change.made.push(held);
            }
        }
        Ok(changes)
    }

    /// What has to go before an instance can be made: what overlaps it, then what takes more of a limit of the board than there is.
    fn in_the_way(&self, gpu: &str, layout: &Layout, wanted: GpuInstance) -> Vec<Held> {
        let board = self.board_of(gpu);
        let footprint = board.footprint(wanted);
        let (mut removed, mut others): (Vec<Held>, Vec<Held>) =
            layout.values().partition(|held| board.footprint(held.instance).intersects(footprint));
        for limit in board.limits() {
            let usage = |instance: GpuInstance| limit.usage[instance.profile.index()];
            while usage(wanted) + others.iter().map(|held| usage(held.instance)).sum::<u32>() > limit.capacity
            {
                let idle = |held: &Held| usage(held.instance) > 0 && !self.is_used(gpu, held.instance);
                let Some(position) = others.iter().position(idle) else { break };
                removed.push(others.remove(position));
            }
        }
        removed
    }

    /// Whether an instance had a user when the cluster was imported.
    fn is_used(&self, gpu: &str, instance: GpuInstance) -> bool {
        let is_it = |locked: &&LockedInstance| locked.start == instance.start.0;
        let found = self.gpu(gpu).instances.iter().find(is_it);
        found.is_none_or(|locked| matches!(locked.state, LockedState::InUse | LockedState::Unknown))
    }
}

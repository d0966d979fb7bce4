//! Pictures of a cluster while a plan is carried out.

use crate::picture::{GpuRow, Picture, Piece, PieceChange, Waiting};
use cluster::{Cluster, GpuIndex};
use plan::{Kind, Place, Plan, Round};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// With more GPUs than this, rounds are drawn with those alone that the plan touches.
const MOST_GPUS: usize = 40;

/// The cluster before a plan, and before and after each of its rounds.
pub(super) struct Rounds<'p> {
    cluster: &'p Cluster,
    /// Before the first round, and after each.
    states: Vec<State>,
    plan: &'p Plan,
}

/// Who is where.
#[derive(Clone)]
struct State {
    /// The place of each workload.
    places: Vec<Option<Place>>,
    /// Whether that is a temporary one.
    temporary: Vec<bool>,
}

impl<'p> Rounds<'p> {
    pub fn of(cluster: &'p Cluster, plan: &'p Plan) -> Self {
        let place = |workload: cluster::WorkloadIndex| {
            let location = cluster.workloads[workload.index()].current?;
            Some(Place { gpu: location.gpu, instance: cluster.instance_at(workload, location)? })
        };
        let places: Vec<Option<Place>> = cluster.workload_indices().map(place).collect();
        let mut state = State { temporary: vec![false; places.len()], places };
        let mut states = vec![state.clone()];
        for round in &plan.rounds {
            for step in round {
                state.places[step.workload.index()] = step.to;
                state.temporary[step.workload.index()] = step.via;
            }
            states.push(state.clone());
        }
        Rounds { cluster, states, plan }
    }

    /// The GPUs that a workload enters or leaves.
    pub fn touched(&self) -> BTreeSet<GpuIndex> {
        let steps = self.plan.rounds.iter().flatten();
        steps.flat_map(|step| [step.from, step.to]).flatten().map(|place| place.gpu).collect()
    }

    /// Whether rounds are drawn without the GPUs that the plan does not touch.
    pub fn leaves_out(&self) -> bool {
        self.cluster.gpus.len() > MOST_GPUS
    }

    /// The cluster before the plan and after it.
    pub fn whole(&self) -> Picture<'p> {
        let [first, last] = [0, self.states.len() - 1];
        let interrupted = self.plan.rounds.iter().flat_map(interrupted).collect();
        self.picture(Cow::from(&self.cluster.name), (first, last), &interrupted, &self.all())
    }

    /// Before and after a round, counted from 0.
    pub fn round(&self, number: usize) -> Picture<'p> {
        let gpus = if self.leaves_out() { self.touched() } else { self.all() };
        let title = format!("{}: round {} of {}", self.cluster.name, number + 1, self.plan.rounds.len());
        let interrupted = interrupted(&self.plan.rounds[number]).collect();
        self.picture(Cow::from(title), (number, number + 1), &interrupted, &gpus)
    }

    fn all(&self) -> BTreeSet<GpuIndex> {
        self.cluster.gpu_indices().collect()
    }

    /// Some GPUs in a state and in a later one, with the workloads that are interrupted between them.
    fn picture(
        &self,
        title: Cow<'p, str>,
        (before, after): (usize, usize),
        interrupted: &BTreeSet<usize>,
        gpus: &BTreeSet<GpuIndex>,
    ) -> Picture<'p> {
        let (old, new) = (&self.states[before], &self.states[after]);
        let mut rows: Vec<(Vec<Piece>, Vec<Piece>)> = vec![Default::default(); self.cluster.gpus.len()];
        let mut pending = Vec::new();
        for (number, workload) in self.cluster.workloads.iter().enumerate() {
            let (from, to) = (old.places[number], new.places[number]);
            let is_interrupted = interrupted.contains(&number);
            if let Some(from) = from {
                let change = match to {
                    Some(to) if to == from => PieceChange::Stays,
                    Some(to) if to.gpu == from.gpu => PieceChange::Shifts,
                    _ => PieceChange::Leaves,
                };
                let stops = is_interrupted && to.is_none();
                let piece = self.piece(number, from, change);
                let piece = Piece { temporary: old.temporary[number], interrupted: stops, ..piece };
                rows[from.gpu.index()].0.push(piece);
            }
            match to {
                Some(to) => {
                    let change = match from {
                        Some(from) if from == to => PieceChange::Stays,
                        Some(from) if from.gpu == to.gpu => PieceChange::Shifts,
                        Some(_) => PieceChange::Migrates,
                        None => PieceChange::Starts,
                    };
                    let piece = self.piece(number, to, change);
                    let temporary = new.temporary[number];
                    rows[to.gpu.index()].1.push(Piece { temporary, interrupted: is_interrupted, ..piece });
                }
                None => {
                    let names = &self.cluster.requests[workload.request.index()].names;
                    let profile = Cow::from(names.join("|"));
                    pending.push(Waiting { workload: Cow::from(&workload.name), profile });
                }
            }
        }
        let row = |&index: &GpuIndex| {
            let gpu = &self.cluster.gpus[index.index()];
            let board = self.cluster.board_of(index);
            let (mut before, mut after) = std::mem::take(&mut rows[index.index()]);
            before.sort_by_key(|piece| piece.start);
            after.sort_by_key(|piece| piece.start);
            let layout = |pieces: &[Piece]| -> Vec<(u32, u32)> {
                pieces.iter().map(|piece| (piece.start, piece.size)).collect()
            };
            GpuRow {
                name: Cow::from(&gpu.name),
                board: Cow::from(board.name()),
                slots: board.slots(),
                repartitioned: layout(&before) != layout(&after),
                before,
                after: Some(after),
                maintenance: gpu.maintenance,
            }
        };
        Picture { title, gpus: gpus.iter().map(row).collect(), pending }
    }

    fn piece(&self, workload: usize, place: Place, change: PieceChange) -> Piece<'p> {
        let board = self.cluster.board_of(place.gpu);
        let profile = board.profile(place.instance.profile);
        let about = &self.cluster.workloads[workload];
        Piece {
            workload: Cow::from(&about.name),
            profile: Cow::from(&profile.name),
            start: u32::from(place.instance.start.0),
            size: profile.size,
            change,
            wasted: board.waste(place.instance),
            pinned: !about.movable,
            temporary: false,
            interrupted: false,
        }
    }
}

/// The workloads that a round interrupts, or that end an interruption in it.
fn interrupted(round: &Round) -> impl Iterator<Item = usize> + '_ {
    let steps = round.iter().filter(|step| matches!(step.kind, Kind::Restart | Kind::Stop));
    steps.map(|step| step.workload.index())
}

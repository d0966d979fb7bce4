//! Pictures of clusters and solutions.

use crate::{GpuRow, Picture, Piece, PieceChange, Waiting};
use cluster::{Cluster, Maintenance};
use ground::NameIndex;
use itertools::Itertools;
use kit::{Change, InstanceDetails, SolutionDocument};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The current state of a cluster; newcomers wait.
pub fn picture_of_cluster(cluster: &Cluster) -> Picture<'_> {
    let by_gpu = cluster.current_placement().by_gpu(cluster);
    let rows = cluster.gpus.iter().zip(by_gpu.iter()).map(|(gpu, workloads)| {
        let board = &cluster.boards[gpu.board.index()];
        let pieces = workloads.iter().filter_map(|&index| {
            let workload = &cluster.workloads[index.index()];
            let instance = cluster.instance_at(index, workload.current?)?;
            let profile = board.profile(instance.profile);
            Some(Piece {
                workload: Cow::from(&workload.name),
                profile: Cow::from(&profile.name),
                start: u32::from(instance.start.0),
                size: profile.size,
                change: PieceChange::Stays,
                wasted: board.waste(instance),
                pinned: !workload.movable,
                temporary: false,
                interrupted: false,
            })
        });
        GpuRow {
            name: Cow::from(&gpu.name),
            board: Cow::from(board.name()),
            slots: board.slots(),
            before: pieces.collect(),
            after: None,
            repartitioned: false,
            maintenance: gpu.maintenance,
        }
    });
    let waiting =
        cluster.workloads.iter().filter(|workload| workload.current.is_none()).map(|workload| Waiting {
            workload: Cow::from(&workload.name),
            profile: any_of(&cluster.requests[workload.request.index()].names),
        });
    Picture { title: Cow::from(&cluster.name), gpus: rows.collect(), pending: waiting.collect() }
}

/// A solution: every GPU before and after.
pub fn picture_of_solution(solution: &SolutionDocument) -> Picture<'_> {
    let name_at = |position: usize| solution.gpus[position].name.as_str();
    let gpus = NameIndex::of(solution.gpus.len(), name_at);
    let mut before: Vec<Vec<Piece>> = vec![Vec::new(); solution.gpus.len()];
    let mut after = before.clone();
    // Pieces on GPUs that the solution does not list are not drawn.
    let place_of = |gpu: &str| gpus.find(gpu, name_at);
    for placed in solution.placement.iter().flatten() {
        let change = match placed.change.unwrap_or(Change::Stays) {
            Change::Stays => PieceChange::Stays,
            Change::Shifts => PieceChange::Shifts,
            Change::Migrates => PieceChange::Migrates,
            Change::Starts => PieceChange::Starts,
        };
        let old_change = if change == PieceChange::Migrates { PieceChange::Leaves } else { change };
        let gpu = place_of(&placed.gpu);
        if let Some(gpu) = gpu {
            let new = piece(&placed.workload, placed.start, &placed.details, change);
            after[gpu].push(Piece { wasted: placed.details.wasted, ..new });
        }
        let stays = change == PieceChange::Stays;
        let (old_gpu, old_start) = match &placed.details.from {
            Some(from) => (place_of(&from.gpu), from.start),
            None => (gpu.filter(|_| stays), placed.start),
        };
        if let Some(gpu) = old_gpu {
            before[gpu].push(piece(&placed.workload, old_start, &placed.details, old_change));
        }
    }
    for pending in &solution.pending {
        let from = pending.details.from.as_ref();
        if let Some((from, gpu)) = from.and_then(|from| Some((from, place_of(&from.gpu)?))) {
            before[gpu].push(piece(&pending.workload, from.start, &pending.details, PieceChange::Leaves));
        }
    }
    before.iter_mut().chain(&mut after).for_each(|pieces| pieces.sort_by_key(|piece| piece.start));
    let repartitioned: BTreeSet<&str> = solution.repartitioned.iter().flatten().map(String::as_str).collect();
    let gpus = solution.gpus.iter().zip(before).zip(after).map(|((gpu, before), after)| GpuRow {
        name: Cow::from(&gpu.name),
        board: Cow::from(&gpu.board),
        slots: gpu.slots,
        before,
        after: Some(after),
        repartitioned: repartitioned.contains(gpu.name.as_str()),
        maintenance: Maintenance::InService,
    });
    let gpus = gpus.collect();
    let pending = solution.pending.iter().map(|pending| Waiting {
        workload: Cow::from(&pending.workload),
        profile: Cow::from(profile_of(&pending.details)),
    });
    Picture { title: Cow::from(&solution.instance.name), gpus, pending: pending.collect() }
}

fn profile_of(details: &InstanceDetails) -> &str {
    details.profile.as_deref().unwrap_or_default()
}

/// A piece of a workload, without what it wastes.
fn piece<'s>(workload: &'s str, start: u8, details: &'s InstanceDetails, change: PieceChange) -> Piece<'s> {
    Piece {
        workload: Cow::from(workload),
        profile: Cow::from(profile_of(details)),
        start: u32::from(start),
        size: details.size.unwrap_or(1),
        change,
        wasted: 0,
        pinned: details.pinned,
        temporary: false,
        interrupted: false,
    }
}

/// Profiles any of which will do.
fn any_of(names: &[String]) -> Cow<'_, str> {
    if let [name] = names { Cow::from(name) } else { Cow::from(names.iter().join("|")) }
}

//! Pictures of clusters and solutions.

use crate::{GpuRow, Picture, Piece, PieceChange, Waiting};
use cluster::Cluster;
use itertools::Itertools;
use kit::{Change, InstanceDetails, SolutionDocument};
use std::collections::BTreeMap;

/// The current state of a cluster; newcomers wait.
pub fn picture_of_cluster(cluster: &Cluster) -> Picture {
    let by_gpu = cluster.current_placement().by_gpu(cluster);
    let rows = cluster.gpus.iter().zip(by_gpu).map(|(gpu, workloads)| {
        let board = &cluster.boards[gpu.board.index()];
        let pieces = workloads.into_iter().filter_map(|index| {
            let workload = &cluster.workloads[index.index()];
            let instance = cluster.instance_at(index, workload.current?)?;
            let profile = board.profile(instance.profile);
            Some(Piece {
                workload: workload.name.clone(),
                profile: profile.name.clone(),
                start: u32::from(instance.start.0),
                size: profile.size,
                change: PieceChange::Stays,
                wasted: board.waste(instance),
                pinned: !workload.movable,
            })
        });
        GpuRow {
            name: gpu.name.clone(),
            board: board.name().to_owned(),
            slots: board.slots(),
            before: pieces.collect(),
            after: None,
            repartitioned: false,
        }
    });
    let waiting =
        cluster.workloads.iter().filter(|workload| workload.current.is_none()).map(|workload| Waiting {
            workload: workload.name.clone(),
            profile: cluster.requests[workload.request.index()].names.iter().join("|"),
        });
    Picture { title: cluster.name.clone(), gpus: rows.collect(), pending: waiting.collect() }
}

/// A solution: every GPU before and after.
pub fn picture_of_solution(solution: &SolutionDocument) -> Picture {
    let mut before: BTreeMap<&str, Vec<Piece>> = BTreeMap::new();
    let mut after: BTreeMap<&str, Vec<Piece>> = BTreeMap::new();
    let piece = |workload: &str, start: u8, details: &InstanceDetails, change| Piece {
        workload: workload.to_owned(),
        profile: details.profile.clone().unwrap_or_default(),
        start: u32::from(start),
        size: details.size.unwrap_or(1),
        change,
        wasted: 0,
        pinned: details.pinned,
    };
    for placed in solution.placement.iter().flatten() {
        let change = match placed.change.unwrap_or(Change::Stays) {
            Change::Stays => PieceChange::Stays,
            Change::Shifts => PieceChange::Shifts,
            Change::Migrates => PieceChange::Migrates,
            Change::Starts => PieceChange::Starts,
        };
        let old_change = if change == PieceChange::Migrates { PieceChange::Leaves } else { change };
        let new = Piece {
            wasted: placed.details.wasted,
            ..piece(&placed.workload, placed.start, &placed.details, change)
        };
        after.entry(&placed.gpu).or_default().push(new);
        if let Some(from) = &placed.details.from {
            let old = piece(&placed.workload, from.start, &placed.details, old_change);
            before.entry(&from.gpu).or_default().push(old);
        } else if change == PieceChange::Stays {
            let old = piece(&placed.workload, placed.start, &placed.details, change);
            before.entry(&placed.gpu).or_default().push(old);
        }
    }
    for pending in &solution.pending {
        if let Some(from) = &pending.details.from {
            let old = piece(&pending.workload, from.start, &pending.details, PieceChange::Leaves);
            before.entry(&from.gpu).or_default().push(old);
        }
    }
    let rows_of = |pieces: &mut BTreeMap<&str, Vec<Piece>>, gpu: &str| {
        let mut pieces = pieces.remove(gpu).unwrap_or_default();
        pieces.sort_by_key(|piece| piece.start);
        pieces
    };
    let repartitioned: std::collections::BTreeSet<&str> =
        solution.repartitioned.iter().flatten().map(String::as_str).collect();
    let gpus = solution.gpus.iter().map(|gpu| GpuRow {
        name: gpu.name.clone(),
        board: gpu.board.clone(),
        slots: gpu.slots,
        before: rows_of(&mut before, &gpu.name),
        after: Some(rows_of(&mut after, &gpu.name)),
        repartitioned: repartitioned.contains(gpu.name.as_str()),
    });
    let gpus = gpus.collect();
    let pending = solution.pending.iter().map(|pending| Waiting {
        workload: pending.workload.clone(),
        profile: pending.details.profile.clone().unwrap_or_default(),
    });
    Picture { title: solution.instance.name.clone(), gpus, pending: pending.collect() }
}

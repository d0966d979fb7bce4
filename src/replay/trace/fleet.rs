//! Clusters as traces need them: hosts from a table, a part of a fleet, virtual machines in the order of their arrival.

use super::Visit;
use cluster::{
    BoardIndex, Cluster, Gpu, GpuIndex, Host, HostIndex, Maintenance, MemoryUnit, Request, RequestIndex,
    Workload,
};
use ground::Amount;
use mig::Board;
use std::sync::Arc;

/// A fleet without virtual machines, to which hosts are added one by one.
pub(super) fn empty(name: String) -> Cluster {
    Cluster { name, memory_unit: MemoryUnit::Mebibyte, ..Cluster::default() }
}

/// Adds a host with GPUs of one board.
pub(super) fn add_host(cluster: &mut Cluster, host: Host, board: &Arc<Board>, gpus: u64) {
    let known = cluster.boards.iter().position(|known| Arc::ptr_eq(known, board));
    let position = known.unwrap_or_else(|| {
        cluster.boards.push(Arc::clone(board));
        cluster.boards.len() - 1
    });
    let index = HostIndex::at(cluster.hosts.len());
    cluster.gpus.extend((0..gpus).map(|number| Gpu {
        name: format!("{}/{number}", host.name),
        host: Some(index),
        board: BoardIndex::at(position),
        maintenance: Maintenance::InService,
    }));
    cluster.hosts.push(host);
}

/// A request by the names of profiles, most wanted first, for the boards of the cluster.
pub(super) fn request(cluster: &Cluster, names: Vec<String>) -> Request {
    let find = |board: &Arc<Board>| names.iter().find_map(|name| board.find_profile(name));
    let on_board = cluster.boards.iter().map(find).collect();
    Request { names, on_board }
}

/// A virtual machine that has no place yet.
pub(super) fn newcomer(name: String, request: RequestIndex, cpu: Amount, memory: Amount) -> Workload {
    Workload { cpu, memory, ..Workload::newcomer(name, request) }
}

/// The cluster with these hosts and GPUs alone, in this order; every GPU that has a host is on one of them. Boards that no GPU
/// has any more are gone; a request may then be served by none.
pub(crate) fn with_fleet(cluster: &Cluster, hosts: &[HostIndex], gpus: &[GpuIndex]) -> Cluster {
    let mut host_numbers = vec![None; cluster.hosts.len()];
    for (position, host) in hosts.iter().enumerate() {
        host_numbers[host.index()] = Some(HostIndex::at(position));
    }
    let mut boards: Vec<BoardIndex> = Vec::new();
    let mut kept = Vec::with_capacity(gpus.len());
    for gpu in gpus {
        let gpu = &cluster.gpus[gpu.index()];
        let known = boards.iter().position(|board| *board == gpu.board);
        let board = known.unwrap_or_else(|| {
            boards.push(gpu.board);
            boards.len() - 1
        });
        kept.push(Gpu {
            name: gpu.name.clone(),
            host: gpu.host.and_then(|host| host_numbers[host.index()]),
            board: BoardIndex::at(board),
            maintenance: gpu.maintenance,
        });
    }
    let on_kept = |request: &Request| Request {
        names: request.names.clone(),
        on_board: boards.iter().map(|board| request.on_board[board.index()]).collect(),
    };
    Cluster {
        name: cluster.name.clone(),
        memory_unit: cluster.memory_unit,
        hosts: hosts.iter().map(|host| cluster.hosts[host.index()].clone()).collect(),
        gpus: kept,
        boards: boards.iter().map(|board| Arc::clone(&cluster.boards[board.index()])).collect(),
        requests: cluster.requests.iter().map(on_kept).collect(),
        classes: cluster.classes.clone(),
        budgets: cluster.budgets.clone(),
        groups: Vec::new(),
        node_sets: Vec::new(),
        workloads: cluster.workloads.clone(),
        notes: cluster.notes.clone(),
    }
}

/// Puts virtual machines in the order of their arrival; those that arrive at one moment stay as they are.
pub(super) fn sort_by_arrival(workloads: &mut Vec<Workload>, visits: &mut Vec<Visit>) {
    let mut both: Vec<(Workload, Visit)> = workloads.drain(..).zip(visits.drain(..)).collect();
    both.sort_by_key(|(_, visit)| visit.arrival);
    (*workloads, *visits) = both.into_iter().unzip();
}

/// Puts requests in the order of the boards' profiles, so that tables list the small ones first; those that no board tells apart
/// stay as they are.
pub(super) fn sort_requests(cluster: &mut Cluster) {
    let rank = |request: &Request| -> Vec<u8> {
        request.on_board.iter().map(|profile| profile.map_or(u8::MAX, |profile| profile.0)).collect()
    };
    let mut order: Vec<usize> = (0..cluster.requests.len()).collect();
    order.sort_by_key(|&position| rank(&cluster.requests[position]));
    let mut numbers = vec![RequestIndex::at(0); order.len()];
    for (position, &old) in order.iter().enumerate() {
        numbers[old] = RequestIndex::at(position);
    }
    cluster.requests = order.into_iter().map(|position| cluster.requests[position].clone()).collect();
    for workload in &mut cluster.workloads {
        workload.request = numbers[workload.request.index()];
    }
}

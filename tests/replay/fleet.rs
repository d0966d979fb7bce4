//! Traces made in memory, and replays of them.

use cluster::{
    BoardIndex, Cluster, Gpu, Host, HostIndex, Maintenance, MemoryUnit, Request, RequestIndex, Workload,
};
use ground::Amount;
use mig::Board;
use replay::{Moment, OnlineOperator, Reading, Replay, Trace, Visit, replay};
use siavashi::policy_named;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::sync::Arc;
use support::board;

/// A fleet without hosts, whose virtual machines may ask for these profiles.
pub fn empty(boards: &[&str], profiles: &[&[&str]]) -> Trace {
    let boards: Vec<Arc<Board>> = boards.iter().map(|name| board(name)).collect();
    let request = |names: &&[&str]| Request {
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        on_board: boards.iter().map(|board| names.iter().find_map(|name| board.find_profile(name))).collect(),
    };
    let requests = profiles.iter().map(request).collect();
    let cluster = Cluster {
        name: "trace".to_owned(),
        memory_unit: MemoryUnit::Mebibyte,
        hosts: Vec::new(),
        gpus: Vec::new(),
        boards,
        requests,
        workloads: Vec::new(),
        ..Cluster::default()
    };
    Trace { cluster, visits: Vec::new() }
}

/// Adds a host with GPUs of one board; thousandths of a core and MiB.
pub fn add_host(trace: &mut Trace, limits: Option<(i128, i128)>, gpus: usize, board: usize) {
    let cluster = &mut trace.cluster;
    let number = cluster.hosts.len();
    cluster.hosts.push(Host {
        name: format!("h{number}"),
        cpu: limits.map(|(cpu, _)| Amount::from_millionths(cpu * 1000)),
        memory: limits.map(|(_, memory)| Amount::whole(memory)),
        weight: None,
        max_disrupted: None,
    });
    for gpu in 0..gpus {
        let (name, host) = (format!("h{number}/{gpu}"), Some(HostIndex::at(number)));
        cluster.gpus.push(Gpu {
            name,
            host,
            board: BoardIndex::at(board),
            maintenance: Maintenance::InService,
        });
    }
}

/// Adds a virtual machine; thousandths of a core, MiB and microseconds.
pub fn add_machine(trace: &mut Trace, request: usize, cpu: i128, memory: i128, from: u64, to: Option<u64>) {
    trace.cluster.workloads.push(Workload {
        cpu: Amount::from_millionths(cpu * 1000),
        memory: Amount::whole(memory),
        ..Workload::newcomer(format!("vm{}", trace.visits.len()), RequestIndex::at(request))
    });
    trace.visits.push(Visit { arrival: Moment(from), departure: to.map(Moment) });
}

pub fn run(trace: &Trace, reading: &Reading, policy: &str, consolidates_every: u64) -> Replay {
    let online = policy_named(policy).unwrap();
    let mut operator = OnlineOperator::new(trace, online, NonZeroU64::new(consolidates_every).unwrap());
    replay(trace, reading, policy, &mut operator, &mut |_| ControlFlow::Continue(())).unwrap()
}

//! What tells a trace from others.

use super::Trace;
use cluster::MemoryUnit;
use ground::{Amount, Fingerprint};
use mig::Board;
use std::fmt::Write;

/// The first 32 digits of the SHA-256 of a trace: boards with their geometry, hosts, GPUs, virtual machines and their times, each
/// on a line, memory in MiB. Two files that say the same in different forms have the same fingerprint.
pub(super) fn fingerprint(trace: &Trace) -> String {
    let cluster = &trace.cluster;
    let memory = |amount: Amount| match cluster.memory_unit {
        MemoryUnit::Mebibyte => amount,
        MemoryUnit::Gibibyte => amount * 1024,
    };
    let limit = |amount: Option<Amount>| amount.map_or("-".to_owned(), |amount| amount.to_string());
    let mut text = String::new();
    let mut line = |words: std::fmt::Arguments<'_>| writeln!(text, "{words}").expect("writing to a string");
    for board in &cluster.boards {
        line(format_args!("board\t{}", geometry(board)));
    }
    for host in &cluster.hosts {
        let memory = host.memory.map(memory);
        line(format_args!("host\t{}\t{}\t{}", host.name, limit(host.cpu), limit(memory)));
    }
    for gpu in &cluster.gpus {
        let host = gpu.host.map_or("-".to_owned(), |host| host.0.to_string());
        line(format_args!("gpu\t{}\t{host}\t{}", gpu.name, gpu.board.0));
    }
    for request in &cluster.requests {
        line(format_args!("request\t{}", request.names.join("|")));
    }
    for (machine, visit) in cluster.workloads.iter().zip(&trace.visits) {
        let departure = visit.departure.map_or("-".to_owned(), |departure| departure.0.to_string());
        line(format_args!(
            "vm\t{}\t{}\t{}\t{}\t{}\t{departure}",
            machine.name,
            machine.request.0,
            machine.cpu,
            memory(machine.memory),
            visit.arrival.0
        ));
    }
    Fingerprint::of(&text)
}

/// A board with its profiles.
fn geometry(board: &Board) -> String {
    let mut text = format!("{}\t{}\t{}", board.name(), board.slots(), board.compute());
    for profile in board.profiles() {
        let starts: Vec<String> = profile.starts.iter().map(|start| start.0.to_string()).collect();
        let (name, starts) = (&profile.name, starts.join(","));
        write!(text, "\t{name}:{}:{}:{}:{starts}", profile.compute, profile.size, profile.maximum)
            .expect("writing to a string");
    }
    text
}

//! The same instance in other words.

use cluster::OneOrMany;
use models::InstanceFile;
use std::collections::BTreeMap;

/// An instance whose hosts, GPUs and workloads have other names and stand in another order; it asks the same question.
pub fn in_other_words(file: &InstanceFile, shift: usize) -> InstanceFile {
    let mut other = file.clone();
    let mut gpus: BTreeMap<String, String> = BTreeMap::new();
    for (number, host) in other.hosts.iter_mut().enumerate() {
        let before = std::mem::replace(&mut host.value.name, new_name("host", number));
        let of_host = 0..host.value.gpus.as_slice().len();
        gpus.extend(of_host.map(|gpu| (format!("{before}/{gpu}"), format!("{}/{gpu}", host.value.name))));
    }
    for (number, gpu) in other.gpus.iter_mut().enumerate() {
        let before = std::mem::replace(&mut gpu.value.name, new_name("gpu", number));
        gpus.insert(before, gpu.value.name.clone());
    }
    for (number, workload) in other.workloads.iter_mut().enumerate() {
        workload.value.name = new_name("workload", number);
        if let Some(OneOrMany::One(spot)) = &mut workload.value.current {
            spot.gpu = gpus[&spot.gpu].clone();
        }
    }
    other.hosts.reverse();
    other.gpus.reverse();
    other.workloads.reverse();
    let count = other.workloads.len();
    other.workloads.rotate_left(shift % count);
    other
}

/// Names that sort the other way round.
fn new_name(kind: &str, number: usize) -> String {
    format!("{}-{kind}", (b'z' - number as u8) as char)
}

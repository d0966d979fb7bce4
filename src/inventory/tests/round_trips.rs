//! A random cluster, written in a format and imported again, is the same.

use super::joined;
use super::written::{Laid, Mock, board, pod};
use crate::gather::{State, User};
use crate::{InputFile, Inventory};
use mig::{GpuInstance, layouts};
use proptest::prelude::*;
use std::sync::LazyLock;

static LAYOUTS: LazyLock<Vec<Vec<GpuInstance>>> = LazyLock::new(|| {
    let board = board();
    layouts(&board, &board.profile_indices().collect::<Vec<_>>())
});

fn clusters() -> impl Strategy<Value = Mock> {
    let gpu = (0..LAYOUTS.len(), any::<u8>()).prop_map(|(number, used)| -> Laid {
        (0..).zip(&LAYOUTS[number]).map(|(bit, &instance)| (instance, used >> bit & 1 == 1)).collect()
    });
    proptest::collection::vec(proptest::collection::vec(gpu, 1..4), 1..4).prop_map(|nodes| Mock { nodes })
}

/// GPU by GPU the instances in the order of their slots, each with its pod.
type Found = Vec<(String, Vec<(GpuInstance, Option<String>)>)>;

fn expected(mock: &Mock, with_idle: bool) -> Found {
    let mut found = Vec::new();
    for (node, gpus) in mock.nodes.iter().enumerate() {
        for (gpu, laid) in gpus.iter().enumerate() {
            let named = laid.iter().enumerate().filter(|(_, (_, is_used))| with_idle || *is_used);
            let mut named: Vec<_> = named
                .map(|(id, (instance, is_used))| (*instance, is_used.then(|| pod(node, gpu, id))))
                .collect();
            named.sort_by_key(|(instance, _)| instance.start);
            found.push((format!("n{node}/{gpu}"), named));
        }
    }
    found
}

fn found(inventory: &Inventory) -> Found {
    let gpu = |gpu: &crate::Gpu| {
        let instances = gpu.instances.iter().map(|instance| {
            assert_ne!(instance.state(), State::Unknown);
            let user = instance.users.first().map(|user| match user {
                User::Pod { name, .. } => name.clone(),
                other => other.to_string(),
            });
            (instance.instance, user)
        });
        (gpu.name(), instances.collect())
    };
    inventory.gpus.iter().map(gpu).collect()
}

fn imported(files: Vec<InputFile>) -> Result<Found, TestCaseError> {
    let inventory = joined(files).map_err(|error| TestCaseError::fail(error.to_string()))?;
    Ok(found(&inventory))
}

proptest! {
    #[test]
    fn in_every_format_with_starts(mock in clusters()) {
        let whole = expected(&mock, true);
        let with = |mut files: Vec<InputFile>, more: Vec<InputFile>| {
            files.extend(more);
            files
        };
        prop_assert_eq!(&imported(with(mock.listings(), mock.kubelets()))?, &whole);
        prop_assert_eq!(&imported(with(mock.listings(), mock.pod_resources()))?, &whole);
        prop_assert_eq!(&imported(with(mock.listings(), vec![mock.metrics()]))?, &whole);
        let all = with(with(mock.checkpoints(), mock.listings()), mock.kubelets());
        prop_assert_eq!(&imported(all)?, &whole);
        let used = expected(&mock, false);
        prop_assert_eq!(&imported(vec![mock.claims()])?, &used);
        prop_assert_eq!(&imported(vec![mock.annotations()])?, &used);
    }

    #[test]
    fn checkpoints_alone_have_the_same_layouts(mock in clusters()) {
        let mut files = mock.checkpoints();
        files.extend(mock.listings().into_iter().filter(|file| file.source.name().ends_with(".L.txt")));
        let inventory = joined(files).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let layouts: Vec<Vec<GpuInstance>> = inventory.gpus.iter().map(|gpu| gpu.instances.iter().map(|instance| instance.instance).collect()).collect();
        let wanted: Vec<Vec<GpuInstance>> = expected(&mock, true).into_iter().map(|(_, gpu)| gpu.into_iter().map(|(instance, _)| instance).collect()).collect();
        prop_assert_eq!(layouts, wanted);
    }

    #[test]
    fn files_in_another_order_say_the_same(mock in clusters(), seed: u64) {
        let mut files = mock.listings();
        files.extend(mock.kubelets());
        let one = joined(files.clone()).unwrap();
        let turn = (seed as usize) % files.len();
        files.rotate_left(turn);
        files.reverse();
        let other = joined(files).unwrap();
        prop_assert_eq!(one.to_yaml().unwrap(), other.to_yaml().unwrap());
    }
}

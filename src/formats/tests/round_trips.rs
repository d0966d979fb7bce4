//! What is written reads the same.

use super::contents;
use crate::dcgm::{self, Holder, Metric};
use crate::dra::{MigDeviceName, PublishedGpu, write_claim, write_slice};
use crate::hami::{Allocation, Realised, RegisteredGpu, write_node, write_pod};
use crate::kubelet::checkpoint::{self, Checkpoint, DeviceEntry};
use crate::kubelet::pod_resources::{self, ContainerDevices};
use crate::kubernetes::list;
use crate::mig_parted::{self, Device, Instance};
use crate::nvidia_smi::compute_instances::{self, ComputeInstanceRow};
use crate::nvidia_smi::devices::{self, GpuLine, MigDevice};
use crate::nvidia_smi::gpu_instances::{self, GpuInstanceRow};
use crate::nvidia_smi::mig_minors::{self, Capability};
use crate::nvidia_smi::query::{self, DeviceQuery, GpuQuery, Process};
use crate::{Contents, Place, Record, values};
use mig::{Board, GpuInstance, catalogue};
use proptest::prelude::*;
use std::sync::Arc;

fn record<T>(value: T) -> Record<T> {
    Record { value, place: Place::Line(1) }
}

fn boards() -> impl Strategy<Value = Arc<Board>> {
    let known = |board: &&Arc<Board>| {
        board.profiles().iter().all(|profile| profile.driver_id.is_some() && profile.nvml_enum.is_some())
    };
    let boards: Vec<Arc<Board>> = catalogue().boards().iter().filter(known).cloned().collect();
    (0..boards.len()).prop_map(move |number| boards[number].clone())
}

/// A board with instances that it allows at these places, be it not all at once.
fn instances() -> impl Strategy<Value = (Arc<Board>, Vec<GpuInstance>)> {
    boards().prop_flat_map(|board| {
        let legal = board.profile_indices().flat_map(|profile| {
            board
                .profile(profile)
                .starts
                .iter()
                .map(move |&start| GpuInstance { profile, start })
                .collect::<Vec<_>>()
        });
        let legal: Vec<GpuInstance> = legal.collect();
        (Just(board), proptest::sample::subsequence(legal.clone(), 1..=legal.len().min(9)))
    })
}

fn name() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9.-]{0,12}[a-z0-9]"
}

proptest! {
    #[test]
    fn listings_of_instances((board, laid_out) in instances()) {
        let rows: Vec<GpuInstanceRow> = (0..).zip(&laid_out).map(|(id, &instance)| {
            let profile = board.profile(instance.profile);
            let (name, profile_id) = (profile.name.clone(), profile.driver_id.unwrap());
            GpuInstanceRow { gpu: id % 3, profile: name, profile_id, gpu_instance: id, start: instance.start.0, size: profile.size }
        }).collect();
        let Contents::GpuInstances(read) = contents(&gpu_instances::write(&rows)) else { panic!() };
        let read: Vec<GpuInstanceRow> = read.rows().iter().map(|row| row.value.clone()).collect();
        prop_assert_eq!(&read, &rows);
        for (row, &instance) in read.iter().zip(&laid_out) {
            prop_assert_eq!(row.on(&board), Ok(instance));
        }

        for has_slices in [true, false] {
            let computes: Vec<ComputeInstanceRow> = rows.iter().map(|row| ComputeInstanceRow {
                gpu: row.gpu,
                gpu_instance: row.gpu_instance,
                profile: row.profile.clone(),
                profile_id: row.profile_id,
                compute_instance: row.gpu_instance % 7,
                slices: has_slices.then_some((0, row.size)),
            }).collect();
            let Contents::ComputeInstances(read) = contents(&compute_instances::write(&computes)) else { panic!() };
            prop_assert_eq!(read.rows().iter().map(|row| row.value.clone()).collect::<Vec<_>>(), computes);
        }
    }

    #[test]
    fn checkpoints_of_mig_parted((board, laid_out) in instances(), mig: bool, computes in 0..3_u32) {
        let instance = |&instance: &GpuInstance| {
            let profile = board.profile(instance.profile);
            let compute_instances = (0..computes).map(|engine| (profile.compute - 1, engine)).collect();
            let (start, size) = (instance.start.0, profile.size);
            record(Instance { profile: profile.nvml_enum.unwrap(), start, size, compute_instances })
        };
        let written = Device { uuid: "GPU-1".to_owned(), mig, instances: laid_out.iter().map(instance).collect() };
        let Contents::Checkpoint(read) = contents(&mig_parted::write([&written])) else { panic!() };
        let read = &read[0].value;
        prop_assert_eq!((&read.uuid, read.mig), (&written.uuid, mig));
        prop_assert_eq!(values(read.instances.clone()), values(written.instances));
        for (read, &instance) in read.instances.iter().zip(&laid_out) {
            prop_assert_eq!(read.value.on(&board), Ok(instance));
        }
    }

    #[test]
    fn names_of_devices((board, laid_out) in instances(), minor in 0..16_u32) {
        for instance in laid_out {
            let name = MigDeviceName::of(minor, &board, instance).unwrap();
            prop_assert!(name.to_string().bytes().all(|letter| letter.is_ascii_alphanumeric() || letter == b'-'));
            let read = MigDeviceName::parse(&name.to_string()).unwrap();
            prop_assert_eq!(&read, &name);
            prop_assert_eq!(read.on(&board), Ok(instance));
        }
    }

    #[test]
    fn devices_and_queries(product in "[A-Za-z][A-Za-z0-9 &<-]{0,20}[A-Za-z0-9]", minor in 0..9_u32, ids in proptest::collection::vec(0..14_u32, 0..6), mig: Option<bool>) {
        let devices = ids.iter().zip(0..).map(|(id, index)| {
            record(MigDevice { profile: format!("{}g.5gb", id % 7 + 1), index, uuid: format!("MIG-{id}-{index}") })
        });
        let gpu = GpuLine { gpu: 3, product: product.clone(), uuid: "GPU-x".to_owned(), devices: devices.collect() };
        let Contents::Devices(read) = contents(&devices::write([&gpu])) else { panic!() };
        prop_assert_eq!((read[0].value.gpu, &read[0].value.product), (3, &product));
        prop_assert_eq!(values(read[0].value.devices.clone()), values(gpu.devices));

        let devices = ids.iter().zip(0..).map(|(&gpu_instance, index)| record(DeviceQuery { index, gpu_instance, compute_instance: 0 }));
        let processes = ids.iter().map(|&id| {
            record(Process { gpu_instance: Some(id), compute_instance: None, pid: id + 100, name: "python3 a&b".to_owned() })
        });
        let gpu = GpuQuery {
            pci: "00000000:07:00.0".to_owned(),
            product: Some(product.clone()),
            uuid: Some("GPU-x".to_owned()),
            minor: Some(minor),
            mig,
            pending_mig: mig,
            devices: devices.collect(),
            processes: processes.collect(),
        };
        let Contents::Query(read) = contents(&query::write([&gpu])) else { panic!() };
        let read = &read[0].value;
        prop_assert_eq!((&read.pci, &read.product, &read.uuid, read.minor), (&gpu.pci, &gpu.product, &gpu.uuid, gpu.minor));
        prop_assert_eq!((read.mig, read.pending_mig), (mig, mig));
        prop_assert_eq!(values(read.devices.clone()), values(gpu.devices));
        prop_assert_eq!(values(read.processes.clone()), values(gpu.processes));
    }

    #[test]
    fn capabilities(all in proptest::collection::vec((0..8_u32, 0..14_u32, proptest::option::of(0..7_u32), 0..999_u32), 1..9)) {
        let all: Vec<Capability> = all.into_iter().map(|(gpu_minor, gpu_instance, compute_instance, number)| {
            Capability { gpu_minor, gpu_instance, compute_instance, number }
        }).collect();
        let Contents::Capabilities(read) = contents(&mig_minors::write(&all)) else { panic!() };
        prop_assert_eq!(values(read), all);
    }

    #[test]
    fn the_kubelets_files(entries in proptest::collection::vec((name(), name(), proptest::option::of(-1..4_i64)), 1..6)) {
        let is_old = entries.iter().any(|(.., numa)| numa.is_none());
        let entry = |(number, (pod_uid, container, numa)): (usize, &(String, String, Option<i64>))| record(DeviceEntry {
            pod_uid: pod_uid.clone(),
            container: container.clone(),
            resource: "nvidia.com/mig-1g.5gb".to_owned(),
            devices: vec![(numa.filter(|_| !is_old), format!("MIG-{number}::2"))],
        });
        let registered = [("nvidia.com/mig-1g.5gb".to_owned(), vec!["MIG-1".to_owned()])].into();
        let written = Checkpoint { entries: entries.iter().enumerate().map(entry).collect(), registered };
        let Contents::DeviceEntries(read) = contents(&checkpoint::write(&written)) else { panic!() };
        prop_assert_eq!(&read.registered, &written.registered);
        prop_assert_eq!(values(read.entries), values(written.entries));

        let held: Vec<ContainerDevices> = entries.iter().map(|(pod, container, _)| ContainerDevices {
            namespace: "n".to_owned(),
            pod: pod.clone(),
            container: container.clone(),
            devices: vec![("nvidia.com/mig-1g.5gb".to_owned(), "MIG-1".to_owned())],
            claimed: vec![("gpu.nvidia.com".to_owned(), "gpu-a".to_owned(), "gpu-0-mig-1g5gb-19-0".to_owned())],
        }).collect();
        let Contents::PodResources(read) = contents(&pod_resources::write(&held)) else { panic!() };
        prop_assert_eq!(values(read), held);
    }

    #[test]
    fn metrics(pods in proptest::collection::vec(("[a-z\\\\\"{},]{0,9}", 0..2_u32), 1..6)) {
        let metric = |(gi, (pod, told)): (u32, &(String, u32))| Metric {
            node: "gpu-a".to_owned(),
            gpu: 1,
            uuid: Some("GPU-1".to_owned()),
            minor: Some(0),
            pci: Some("00000000:07:00.0".to_owned()),
            product: Some("NVIDIA A100-SXM4-40GB".to_owned()),
            instance: Some(("1g.5gb+me".to_owned(), gi)),
            holder: match (pod.as_str(), told) {
                (_, 0) => Holder::NotTold,
                ("", _) => Holder::Nobody,
                (name, _) => Holder::Pod { namespace: "n".to_owned(), name: name.to_owned(), container: "c".to_owned() },
            },
        };
        let written: Vec<Metric> = (0..).zip(&pods).map(metric).collect();
        let Contents::Metrics(read) = contents(&dcgm::write(&written)) else { panic!() };
        prop_assert_eq!(values(read), written);
    }

    #[test]
    fn objects_of_dra_and_hami((board, laid_out) in instances(), namespace in name(), pod in name(), realised: bool) {
        let gpu = PublishedGpu { minor: 2, uuid: "GPU-1", pci: "0000:07:00.0", product: "NVIDIA A", board: &board };
        let instance = laid_out[0];
        let device = MigDeviceName::of(2, &board, instance).unwrap().to_string();
        let profile = &board.profile(instance.profile).name;
        let allocation = Allocation {
            container: 0,
            device: 1,
            gpu_uuid: "GPU-1".to_owned(),
            profile: profile.clone(),
            start: instance.start.0,
            size: board.profile(instance.profile).size,
            realised: realised.then(|| Realised { mig_uuid: "MIG-1".to_owned(), gpu_instance: 7, compute_instance: 0 }),
        };
        let registered = vec![RegisteredGpu { uuid: "GPU-1".to_owned(), index: Some(4), product: "NVIDIA A".to_owned(), is_mig: true }];
        let text = list(vec![
            write_slice("gpu-a", 1, &gpu),
            write_claim(&namespace, &pod, profile, Some(("gpu-a", &device))),
            write_claim(&namespace, "waits", profile, None),
            write_node("gpu-a", &registered),
            write_pod(&namespace, &pod, "gpu-a", std::slice::from_ref(&allocation)),
        ]);
        let Contents::Objects(objects) = contents(&text) else { panic!() };
        let starts: usize = board.profiles().iter().map(|profile| profile.starts.len()).sum();
        prop_assert_eq!(objects.slices[0].value.devices.len(), starts);
        prop_assert!(objects.slices[0].value.devices.iter().any(|record| record.value.name == device));
        let (claim, waits) = (&objects.claims[0].value, &objects.claims[1].value);
        prop_assert_eq!((&claim.allocated[0].value.device, &claim.reserved_for[0].name), (&device, &pod));
        prop_assert_eq!((&waits.requests[0].profiles, waits.is_allocated), (&vec![profile.clone()], false));
        prop_assert_eq!(objects.nodes[0].value.hami.as_ref(), Some(&registered));
        prop_assert_eq!(objects.pods[0].value.hami.as_ref(), Some(&vec![allocation]));
    }
}

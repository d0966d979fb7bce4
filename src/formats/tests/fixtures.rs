//! What the fixtures hold, told from their content.

use super::fixture;
use crate::nvidia_smi::Listing;
use crate::{Contents, read, slurm};

fn contents(name: &str) -> Contents {
    read(&fixture(name))
        .unwrap_or_else(|error| panic!("{error}"))
        .unwrap_or_else(|| panic!("{name} is not recognised"))
}

#[test]
fn tables_of_both_widths_and_answers_without_one_are_read() {
    let Contents::GpuInstances(Listing::Rows(wide)) = contents("nvidia-smi/gpu-a.lgi.txt") else { panic!() };
    let rows: Vec<_> =
        wide.iter().map(|row| (row.value.gpu, row.value.profile.as_str(), row.value.start)).collect();
    let expected = [
        (0, "1g.5gb", 6),
        (0, "2g.10gb", 4),
        (0, "3g.20gb", 0),
        (1, "1g.5gb", 0),
        (1, "1g.5gb", 1),
        (1, "1g.5gb", 5),
    ];
    assert_eq!(rows, expected);
    let Contents::GpuInstances(Listing::Rows(narrow)) = contents("nvidia-smi/gpu-b.lgi.txt") else {
        panic!()
    };
    assert_eq!((narrow.len(), narrow[3].value.gpu_instance, narrow[3].value.profile_id), (5, 13, 20));
    assert!(matches!(contents("nvidia-smi/empty.lgi.txt"), Contents::GpuInstances(Listing::NoInstances)));
    assert!(matches!(contents("nvidia-smi/mig-off.lgi.txt"), Contents::GpuInstances(Listing::NoMig)));
}

#[test]
fn compute_instances_are_read_with_placement_and_without() {
    let Contents::ComputeInstances(with) = contents("nvidia-smi/gpu-a.lci.txt") else { panic!() };
    assert_eq!(with.rows()[2].value.slices, Some((0, 3)));
    let Contents::ComputeInstances(without) = contents("nvidia-smi/gpu-b.lci.txt") else { panic!() };
    assert_eq!(without.rows().iter().map(|row| row.value.gpu_instance).collect::<Vec<_>>(), [2, 1, 13, 4]);
    assert!(without.rows().iter().all(|row| row.value.slices.is_none()));
}

#[test]
fn mig_devices_of_old_drivers_tell_their_instance() {
    let Contents::Devices(gpus) = contents("nvidia-smi/old-driver.L.txt") else { panic!() };
    let devices = &gpus[0].value.devices;
    assert_eq!(
        devices.iter().map(|device| device.value.instance_in_uuid()).collect::<Vec<_>>(),
        [Some((2, 0)), Some((5, 0))]
    );
    let Contents::Devices(gpus) = contents("nvidia-smi/gpu-b.L.txt") else { panic!() };
    assert_eq!(gpus[1].value.devices[1].value.profile, "1g.5gb+me");
    assert_eq!(gpus[1].value.devices[1].value.instance_in_uuid(), None);
}

#[test]
fn the_query_tells_minors_modes_and_processes() {
    let Contents::Query(gpus) = contents("nvidia-smi/gpu-b.q.xml") else { panic!() };
    let second = &gpus[1].value;
    assert_eq!((second.minor, second.mig, second.pending_mig), (Some(0), Some(true), Some(true)));
    assert_eq!(second.devices.iter().map(|device| device.value.gpu_instance).collect::<Vec<_>>(), [4, 13]);
    assert_eq!(second.processes[1].value.pid, 20240);
    let source = fixture("nvidia-smi/gpu-b.q.xml");
    let line = second.processes[1].place.line(&source) as usize;
    let text = source.text().lines().nth(line - 1).unwrap();
    assert_eq!(text.trim(), "<process_info>");
    assert!(source.text().lines().nth(line).unwrap().contains("<gpu_instance_id>13<"));
}

#[test]
fn the_other_files_are_what_their_folders_say() {
    let Contents::Checkpoint(devices) = contents("mig-parted/gpu-b.checkpoint.json") else { panic!() };
    assert!(devices[1].value.instances[0].value.compute_instances.is_empty());
    let Contents::DeviceEntries(kubelet) = contents("kubernetes/gpu-a.kubelet_internal_checkpoint") else {
        panic!()
    };
    assert_eq!((kubelet.entries.len(), kubelet.registered["nvidia.com/mig-1g.5gb"].len()), (6, 4));
    assert_eq!(kubelet.entries[5].value.devices[0].0, Some(-1));
    let Contents::PodResources(held) = contents("kubernetes/gpu-b.podresources.json") else { panic!() };
    assert_eq!(held[3].value.devices[0].0, "nvidia.com/mig-1g.5gb.me");
    let Contents::Objects(objects) = contents("kubernetes/pods.json") else { panic!() };
    assert_eq!(objects.pods.len(), 10);
    assert!(objects.pods[9].value.waits() && objects.pods[9].value.forbids_eviction.is_some());
    let Contents::Objects(objects) = contents("kubernetes/pdbs.json") else { panic!() };
    assert_eq!(objects.budgets[1].value.allowed, Some(0));
    let Contents::Objects(objects) = contents("kubernetes/nodes.json") else { panic!() };
    assert_eq!(objects.nodes[1].value.allocatable["nvidia.com/mig-1g.5gb.me"], 1);
    for name in ["dra/resourceslices.k8s-1.34.json", "dra/resourceslices.k8s-1.35.json"] {
        let Contents::Objects(objects) = contents(name) else { panic!() };
        let pools = crate::dra::pools(objects.slices.iter().map(|slice| (0, &slice.value)));
        assert!(pools.iter().all(|pool| pool.slices.0 == pool.slices.1 && pool.devices.len() == 50));
    }
    let Contents::Objects(objects) = contents("dra/resourceclaims.json") else { panic!() };
    let waiting: Vec<_> = objects.claims.iter().filter(|claim| !claim.value.is_allocated).collect();
    assert_eq!(
        (waiting.len(), waiting[0].value.requests[0].profiles.as_slice()),
        (1, &["4g.20gb".to_owned()][..])
    );
    let Contents::Objects(objects) = contents("hami/pods.json") else { panic!() };
    let video = objects.pods[8].value.hami.as_ref().unwrap();
    assert_eq!(
        (video[0].profile.as_str(), video[0].realised.as_ref().unwrap().gpu_instance),
        ("1g.5gb+me", 13)
    );
    let Contents::Metrics(metrics) = contents("dcgm/metrics.prom") else { panic!() };
    assert_eq!((metrics.len(), metrics[2].value.holder.clone()), (10, crate::dcgm::Holder::Nobody));
    let Contents::SlurmDevices(devices) = contents("slurm/gpu-b.slurmd-G.txt") else { panic!() };
    let video = &devices[1].value;
    assert_eq!((video.node.as_deref(), video.minor, video.capabilities[0]), (Some("gpu-b"), Some(0), 120));
    assert_eq!((video.profile(), video.product()), (Some("1g.5gb+me"), Some("nvidia_a100-sxm4-40gb")));
    let Contents::SlurmJobs(jobs) = contents("slurm/gpu-a.scontrol-job.txt") else { panic!() };
    let batch = &jobs[2].value;
    assert_eq!(
        (batch.id, batch.name.as_str(), batch.requeue, batch.user.as_str()),
        (4700, "batch-0", true, "alice")
    );
    assert_eq!(batch.devices[0].value.gres[0].positions, Some(vec![3]));
    let Contents::SlurmNodes(nodes) = contents("slurm/gpu-a.scontrol-node.txt") else { panic!() };
    let one_g: &slurm::Gres = &nodes[0].value.used[0];
    assert_eq!(
        (one_g.profile(), one_g.count, one_g.positions.clone()),
        (Some("1g.5gb"), 3, Some(vec![3, 4, 5]))
    );
    for name in ["nvidia-smi/gpu-a.lgip.txt", "nvidia-smi/gpu-a.lgipp.txt", "mig-parted/config.yaml"] {
        assert!(matches!(contents(name), Contents::BesideThePoint { .. }), "{name}");
    }
    for name in ["README.md", "expected/instance.yaml", "expected/who-sits-where.csv"] {
        assert!(read(&fixture(name)).unwrap().is_none(), "{name}");
    }
}

#[test]
fn prometheus_answers_a_query_with_the_same_labels() {
    let answer = r#"{"status":"success","data":{"resultType":"vector","result":[
        {"metric":{"__name__":"DCGM_FI_DEV_FB_USED","gpu":"1","Hostname":"gpu-b","GPU_I_ID":"13","GPU_I_PROFILE":"1g.5gb+me",
                   "device":"nvidia0","pod":"dcgm-exporter-x","namespace":"monitoring","exported_pod":"video-0",
                   "exported_namespace":"serving","exported_container":"encoder"},"value":[1762074900,"3648"]}]}}"#;
    let Contents::Metrics(metrics) = super::contents(answer) else { panic!() };
    let metric = &metrics[0].value;
    assert_eq!(
        (metric.gpu, metric.minor, metric.instance.clone()),
        (1, Some(0), Some(("1g.5gb+me".to_owned(), 13)))
    );
    assert!(
        matches!(&metric.holder, crate::dcgm::Holder::Pod { namespace, name, .. } if namespace == "serving" && name == "video-0")
    );
}

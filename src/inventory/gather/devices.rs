//! Compute instances and UUIDs of MIG devices, brought to the instances that they are of.

use super::facts::{Gpu, Origin};
use super::gpus::Nodes;
use super::reading::{Read, origin};
use formats::{Contents, Place};
use ground::InputError;
use itertools::Itertools;
use mig::ComputeInstance;
use std::collections::{BTreeMap, BTreeSet};

/// What files tell of a compute instance.
struct Compute {
    /// Its GPU instance.
    instance: Option<u32>,
    id: Option<u32>,
    profile: Option<String>,
    uuid: Option<String>,
    from: Origin,
}

/// Compute instances by node and index of the GPU.
type Computes = BTreeMap<(String, u32), Vec<Compute>>;

/// Attaches all that is told.
pub(super) fn attach(nodes: &mut Nodes, read: &Read) -> Result<(), InputError> {
    // By node, index and number of the MIG device.
    let mut queried: BTreeMap<(String, u32, u32), (u32, u32, Origin)> = BTreeMap::new();
    // Nodes of which all compute instances are listed with the instance that they are in.
    let mut complete: BTreeSet<String> = BTreeSet::new();
    for (file, node, gpus) in read.each(|contents| match contents {
        Contents::Query(gpus) => Some(gpus),
        _ => None,
    }) {
        complete.insert(node.to_owned());
        for record in gpus {
            let of_node = nodes.nodes.get(node).into_iter().flatten();
            let is_meant = |gpu: &&Gpu| {
                gpu.uuid.is_some() && gpu.uuid == record.value.uuid
                    || gpu.pci.as_deref().is_some_and(|pci| pci.eq_ignore_ascii_case(&record.value.pci))
            };
            let Some(index) = of_node.clone().find(is_meant).and_then(|gpu| gpu.index) else { continue };
            for device in &record.value.devices {
                let (key, value) = ((node.to_owned(), index, device.value.index), &device.value);
                let from = origin(file, device.place);
                queried.insert(key, (value.gpu_instance, value.compute_instance, from));
            }
        }
    }
    let mut computes = listed(read, &mut queried);
    for ((node, index, _), (instance, id, from)) in queried {
        let compute = Compute { instance: Some(instance), id: Some(id), profile: None, uuid: None, from };
        computes.entry((node, index)).or_default().push(compute);
    }
    for (file, node, listing) in read.each(|contents| match contents {
        Contents::ComputeInstances(listing) => Some(listing),
        _ => None,
    }) {
        complete.insert(node.to_owned());
        for record in listing.rows() {
            let row = &record.value;
            computes.entry((node.to_owned(), row.gpu)).or_default().push(Compute {
                instance: Some(row.gpu_instance),
                id: Some(row.compute_instance),
                profile: Some(row.profile.clone()),
                uuid: None,
                from: origin(file, record.place),
            });
        }
    }
    for ((node, index), computes) in computes {
        if let Some(gpu) = nodes.of_index(&node, index) {
            attach_to(read, gpu, &computes)?;
        }
    }
    check_uuids(nodes, read)?;
    for gpu in nodes.all().filter(|gpu| complete.contains(&gpu.node)) {
        for instance in gpu.instances.iter_mut().filter(|instance| instance.id.is_some()) {
            instance.has_compute = Some(!instance.computes.is_empty());
        }
    }
    Ok(())
}

/// MIG devices of `nvidia-smi -L`, with the instance that the query has for their number.
fn listed(read: &Read, queried: &mut BTreeMap<(String, u32, u32), (u32, u32, Origin)>) -> Computes {
    let mut computes = Computes::new();
    for (file, node, gpus) in read.each(|contents| match contents {
        Contents::Devices(gpus) => Some(gpus),
        _ => None,
    }) {
        for line in gpus {
            let index = line.value.gpu;
            for record in &line.value.devices {
                let device = &record.value;
                let queried = queried.remove(&(node.to_owned(), index, device.index));
                let queried = queried.map(|(instance, id, _)| (instance, id));
                let (instance, id) = device.instance_in_uuid().or(queried).unzip();
                computes.entry((node.to_owned(), index)).or_default().push(Compute {
                    instance,
                    id,
                    profile: Some(device.profile.clone()),
                    uuid: Some(device.uuid.clone()),
                    from: origin(file, record.place),
                });
            }
        }
    }
    computes
}

fn attach_to(read: &Read, gpu: &mut Gpu, computes: &[Compute]) -> Result<(), InputError> {
    let name = gpu.name();
    let Some(board) = gpu.board.clone().filter(|_| gpu.has_layout) else { return Ok(()) };
    let has_all_ids = gpu.instances.iter().all(|instance| instance.id.is_some());
    // Of what is told without its instance, how often each profile is there.
    // A list with UUIDs and one without may tell the same.
    let key = |compute: &'_ Compute| (compute.profile.clone(), compute.uuid.is_some());
    let counts: BTreeMap<_, usize> = computes.iter().map(key).counts().into_iter().collect();
    for compute in computes {
        gpu.files.insert(compute.from.file);
        let profile = compute.profile.as_deref();
        let whole = profile.map(|profile| ComputeInstance::named(profile).map_or(profile, |part| part.of));
        let index = whole.and_then(|profile| board.find_profile(profile));
        let by_id =
            compute.instance.and_then(|id| gpu.instances.iter().position(|known| known.id == Some(id)));
        let position = match (by_id, compute.instance) {
            (Some(position), _) => Some(position),
            (None, Some(id)) if has_all_ids => {
                let message = format!(
                    "GPU {name} has a MIG device in GPU instance {id} here, which the list of its instances lacks. One of the files is \
                     older or was cut; collect them again."
                );
                return Err(read.error(compute.from, message));
            }
            _ => {
                let is_meant = |at: &usize| {
                    let known = &gpu.instances[*at];
                    Some(known.instance.profile) == index
                        && (known.id.is_none() || compute.instance.is_none())
                };
                let fits: Vec<usize> = (0..gpu.instances.len()).filter(is_meant).collect();
                let is_alone = counts[&key(compute)] == 1;
                let of_profile =
                    gpu.instances.iter().filter(|known| Some(known.instance.profile) == index).count();
                match fits[..] {
                    [position] if is_alone && of_profile == 1 => Some(position),
                    [] if index.is_some() && of_profile == 0 => {
                        let message = format!(
                            "GPU {name} has a MIG device {} here, which the list of its instances lacks. One of the files is older or \
                             was cut; collect them again.",
                            profile.unwrap_or_default()
                        );
                        return Err(read.error(compute.from, message));
                    }
                    _ => None,
                }
            }
        };
        let Some(position) = position else { continue };
        let known = &mut gpu.instances[position];
        if index.is_some_and(|index| index != known.instance.profile) {
            let message = format!(
                "GPU {name} has a MIG device {} in GPU instance {} here, which is a {} at {}. One of the files is older; collect them again.",
                profile.unwrap_or_default(),
                compute.instance.map(|id| id.to_string()).unwrap_or_default(),
                board.profile(known.instance.profile).name,
                read.words(known.origin)
            );
            return Err(read.error(compute.from, message));
        }
        known.id = known.id.or(compute.instance);
        known.has_compute = Some(true);
        let is_same = |(id, uuid): &&mut (Option<u32>, Option<String>)| {
            uuid.is_some() && *uuid == compute.uuid
                || id.is_some() && *id == compute.id
                || (id.is_none() || compute.id.is_none()) && (uuid.is_none() || compute.uuid.is_none())
        };
        match known.computes.iter_mut().find(is_same) {
            Some((id, uuid)) => {
                *id = id.or(compute.id);
                *uuid = uuid.take().or_else(|| compute.uuid.clone());
            }
            None => known.computes.push((compute.id, compute.uuid.clone())),
        }
    }
    Ok(())
}

/// Every compute instance has a UUID once `nvidia-smi -L` of its node is there.
fn check_uuids(nodes: &mut Nodes, read: &Read) -> Result<(), InputError> {
    let lists = read.each(|contents| match contents {
        Contents::Devices(gpus) => Some(gpus),
        _ => None,
    });
    for (file, node, gpus) in lists {
        let place = gpus
            .last()
            .map_or(Place::Line(1), |last| last.value.devices.last().map_or(last.place, |last| last.place));
        let of_node = nodes.nodes.get(node).into_iter().flatten();
        let lacks = |gpu: &&Gpu| {
            gpu.instances.iter().flat_map(|instance| &instance.computes).any(|(_, uuid)| uuid.is_none())
        };
        if let Some(gpu) = of_node.clone().find(lacks) {
            let message = format!(
                "this list lacks a MIG device of GPU {} that another file has. One of the files is older or was cut; collect them again.",
                gpu.name()
            );
            return Err(read.error(origin(file, place), message));
        }
    }
    Ok(())
}

//! Where instances are: listings of the driver, checkpoints of mig-parted, devices and claims of dynamic resource allocation, HAMi's
//! annotations.

use super::facts::{Gpu, Instance, Mig, Origin};
use super::gpus::Nodes;
use super::reading::{Read, origin};
use formats::Contents;
use formats::dra::{DRIVER, DeviceKind, MigDeviceName};
use formats::nvidia_smi::Listing;
use formats::nvidia_smi::gpu_instances::on_board;
use ground::InputError;
use mig::{Board, Counts, GpuInstance};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many instances of a GPU a file lists that lists all of them.
type Complete = BTreeMap<(String, u32), Vec<(Origin, usize)>>;

/// Takes in the instances of all files.
pub(super) fn read(nodes: &mut Nodes, read: &Read) -> Result<(), InputError> {
    let mut complete = Complete::new();
    from_listings(nodes, read, &mut complete)?;
    from_checkpoints(nodes, read, &mut complete)?;
    from_cluster(nodes, read)?;
    for gpu in nodes.all() {
        let Some(index) = gpu.index else { continue };
        check_agreement(read, gpu, complete.get(&(gpu.node.clone(), index)).map_or(&[], Vec::as_slice))?;
        check_limits(read, gpu)?;
    }
    Ok(())
}

fn board_of(read: &Read, gpu: &Gpu, from: Origin) -> Result<Arc<Board>, InputError> {
    gpu.board.clone().ok_or_else(|| {
        let why = match &gpu.product {
            None => "no file tells its product. Add the answer of `nvidia-smi -L` on its node, or give --board NAME.".to_owned(),
            Some(product) => format!(
                "its product `{product}` is not in the catalogue (`migopt list boards`). Give the board that it is like: --board NAME."
            ),
        };
        read.error(from, format!("the board of GPU {} is not known: {why}", gpu.name()))
    })
}

/// Adds an instance to a GPU, or finds it there.
fn add<'g>(
    read: &Read,
    gpu: &'g mut Gpu,
    instance: GpuInstance,
    id: Option<u32>,
    from: Origin,
) -> Result<&'g mut Instance, InputError> {
    let board = board_of(read, gpu, from)?;
    gpu.files.insert(from.file);
    let name = board.instance_name(instance);
    if let Some(position) = gpu.instances.iter().position(|known| known.instance == instance) {
        let known = &gpu.instances[position];
        if let (Some(known_id), Some(id)) = (known.id, id)
            && known_id != id
        {
            let message = format!(
                "instance {name} of GPU {} has id {id} here, but {known_id} at {}. One of the files is older; collect both again.",
                gpu.name(),
                read.words(known.origin)
            );
            return Err(read.error(from, message));
        }
        let known = &mut gpu.instances[position];
        known.id = known.id.or(id);
        return Ok(known);
    }
    let slots = board.footprint(instance);
    if let Some(other) = gpu.instances.iter().find(|known| board.footprint(known.instance).intersects(slots))
    {
        let message = format!(
            "instance {name} of GPU {} overlaps {}, which is told of at {}. If both are in one file it is no listing of a driver; else one \
             of the files is older, and both must be collected again.",
            gpu.name(),
            board.instance_name(other.instance),
            read.words(other.origin)
        );
        return Err(read.error(from, message));
    }
    gpu.instances.push(Instance {
        instance,
        id,
        computes: Vec::new(),
        has_compute: None,
        users: Vec::new(),
        is_told: false,
        origin: from,
    });
    Ok(gpu.instances.last_mut().expect("it was pushed"))
}

fn from_listings(nodes: &mut Nodes, read: &Read, complete: &mut Complete) -> Result<(), InputError> {
    for (file, node, listing) in read.each(|contents| match contents {
        Contents::GpuInstances(listing) => Some(listing),
        _ => None,
    }) {
        let whole = origin(file, formats::Place::Line(1));
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for record in listing.rows() {
            let (row, from) = (&record.value, origin(file, record.place));
            let gpu = nodes.of_index(node, row.gpu).expect("listed GPUs were made known");
            if gpu.mig == Mig::Off {
                let message = format!(
                    "GPU {} has an instance here, but MIG is off by another file. One of them is older; collect both again.",
                    gpu.name()
                );
                return Err(read.error(from, message));
            }
            let board = board_of(read, gpu, from)?;
            let instance = row
                .on(&board)
                .map_err(|message| read.error(from, format!("GPU {}: {message}", gpu.name())))?;
            add(read, gpu, instance, Some(row.gpu_instance), from)?;
            *counts.entry(row.gpu).or_default() += 1;
        }
        for gpu in nodes.nodes.get_mut(node).into_iter().flatten() {
            match listing {
                Listing::NoMig => {
                    if gpu.mig == Mig::NotTold {
                        gpu.mig = Mig::Off;
                    }
                }
                Listing::NoInstances | Listing::Rows(_) => gpu.has_layout = true,
            }
            gpu.files.insert(file);
            if let Some(index) = gpu.index {
                let count = counts.get(&index).copied().unwrap_or_default();
                complete.entry((node.to_owned(), index)).or_default().push((whole, count));
            }
        }
    }
    Ok(())
}

fn from_checkpoints(nodes: &mut Nodes, read: &Read, complete: &mut Complete) -> Result<(), InputError> {
    for (file, node, devices) in read.each(|contents| match contents {
        Contents::Checkpoint(devices) => Some(devices),
        _ => None,
    }) {
        for record in devices {
            let device = &record.value;
            let gpu = nodes.of_uuid(&device.uuid).expect("GPUs of checkpoints were made known");
            for record in &device.instances {
                let from = origin(file, record.place);
                let board = board_of(read, gpu, from)?;
                let name = gpu.name();
                let instance = record.value.on(&board);
                let instance =
                    instance.map_err(|message| read.error(from, format!("GPU {name}: {message}")))?;
                let known = add(read, gpu, instance, None, from)?;
                known.has_compute = Some(!record.value.compute_instances.is_empty());
            }
            gpu.has_layout |= device.mig;
            if let Some(index) = gpu.index {
                let count = (origin(file, record.place), device.instances.len());
                complete.entry((node.to_owned(), index)).or_default().push(count);
            }
        }
    }
    Ok(())
}

fn from_cluster(nodes: &mut Nodes, read: &Read) -> Result<(), InputError> {
    for (file, (_, contents)) in read.files.iter().enumerate() {
        let Contents::Objects(objects) = contents else { continue };
        for record in objects.slices.iter().filter(|record| record.value.driver == DRIVER) {
            for device in &record.value.devices {
                if let DeviceKind::Mig { uuid: Some(uuid), name, .. } = &device.value.kind {
                    let from = origin(file, device.place);
                    let known = device_of(nodes, read, &record.value.pool, name, from)?;
                    known.has_compute = Some(true);
                    known.computes.push((None, Some(uuid.clone())));
                }
            }
        }
        for record in &objects.claims {
            for allocated in &record.value.allocated {
                let from = origin(file, allocated.place);
                let (pool, device) = (&allocated.value.pool, &allocated.value.device);
                match MigDeviceName::parse(device) {
                    // A GPU of which there are claims but no slices is left out.
                    Some(name) if nodes.of_minor(pool, name.minor).is_some_and(|gpu| gpu.index.is_none()) => {
                    }
                    Some(name) => {
                        device_of(nodes, read, pool, &name, from)?.has_compute = Some(true);
                    }
                    None => {
                        let minor = device.strip_prefix("gpu-").and_then(|minor| minor.parse().ok());
                        if let Some(gpu) = minor.and_then(|minor| nodes.of_minor(pool, minor)) {
                            gpu.given_whole =
                                Some(format!("{}/{}", record.value.namespace, record.value.name));
                        }
                    }
                }
            }
        }
        for record in &objects.pods {
            if record.value.is_over()
                || record.value.hami_node.as_ref().or(record.value.node.as_ref()).is_none()
            {
                continue;
            }
            for allocation in record.value.hami.iter().flatten() {
                let from = origin(file, record.place);
                let gpu = nodes.of_uuid(&allocation.gpu_uuid).expect("GPUs of allocations were made known");
                let (board, name) = (board_of(read, gpu, from)?, gpu.name());
                let instance = on_board(&board, &allocation.profile, allocation.start, allocation.size);
                let instance =
                    instance.map_err(|message| read.error(from, format!("GPU {name}: {message}")))?;
                let id = allocation.realised.as_ref().map(|realised| realised.gpu_instance);
                let known = add(read, gpu, instance, id, from)?;
                known.has_compute = Some(true);
                if let Some(realised) = &allocation.realised {
                    let compute = (Some(realised.compute_instance), Some(realised.mig_uuid.clone()));
                    if !known.computes.contains(&compute) {
                        known.computes.push(compute);
                    }
                }
                gpu.has_layout = true;
            }
        }
    }
    Ok(())
}

/// The instance that a device's name stands for.
fn device_of<'n>(
    nodes: &'n mut Nodes,
    read: &Read,
    pool: &str,
    name: &MigDeviceName,
    from: Origin,
) -> Result<&'n mut Instance, InputError> {
    let gpu = nodes.of_minor(pool, name.minor).expect("GPUs of devices were made known");
    gpu.has_layout = true;
    let board = board_of(read, gpu, from)?;
    let instance =
        name.on(&board).map_err(|message| read.error(from, format!("GPU {}: {message}", gpu.name())))?;
    add(read, gpu, instance, None, from)
}

/// Two lists of all instances of a GPU must have the same ones.
fn check_agreement(read: &Read, gpu: &Gpu, complete: &[(Origin, usize)]) -> Result<(), InputError> {
    let all = gpu.instances.len();
    let Some((from, count)) = complete.iter().find(|(_, count)| *count != all) else { return Ok(()) };
    let missing = gpu.instances.iter().find(|instance| instance.origin.file != from.file);
    let other = missing.map(|instance| read.words(instance.origin)).unwrap_or_default();
    let message = format!(
        "this file lists {} of GPU {}, all files together {all}; one that it lacks is at {other}. One of the files is older or was cut; \
         collect them again.",
        ground::counted(count, "instance"),
        gpu.name()
    );
    Err(read.error(*from, message))
}

/// No GPU has more of anything than its board allows.
fn check_limits(read: &Read, gpu: &Gpu) -> Result<(), InputError> {
    let (Some(board), Some(last)) = (&gpu.board, gpu.instances.last()) else { return Ok(()) };
    let instances: Vec<GpuInstance> = gpu.instances.iter().map(|instance| instance.instance).collect();
    let counts = Counts::from_instances(board.profiles().len(), &instances);
    match board.limits().iter().find(|limit| limit.used_by(&counts) > limit.capacity) {
        None => Ok(()),
        Some(limit) => Err(read.error(
            last.origin,
            format!(
                "the instances of GPU {} take {} {}, of which a {} has {}. The listing is not of such a board; check the board.",
                gpu.name(),
                limit.used_by(&counts),
                limit.name,
                board.name(),
                limit.capacity
            ),
        )),
    }
}

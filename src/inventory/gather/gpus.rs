//! Which GPUs there are: each by its index, its UUID, its minor number and its PCI address, as different tools call it.

use super::facts::{Gpu, Mig, Origin, Told};
use super::reading::{Read, origin};
use super::slurm_devices::slurm_devices;
use formats::Contents;
use formats::dra::{self, DeviceKind, MigDeviceName};
use ground::InputError;
use itertools::Itertools;
use std::collections::{BTreeMap, BTreeSet};

/// What a tool calls a GPU.
#[derive(Clone, Debug, Default)]
pub(super) struct Identity {
    pub index: Option<u32>,
    pub uuid: Option<String>,
    pub minor: Option<u32>,
    pub pci: Option<String>,
}

/// The GPUs by node.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    pub nodes: BTreeMap<String, Vec<Gpu>>,
    /// Node and position of the GPU of a UUID.
    by_uuid: BTreeMap<String, (String, usize)>,
}

/// A PCI address in the form of `nvidia-smi`.
fn canonical(pci: &str) -> String {
    let pci = pci.to_ascii_uppercase();
    match pci.split_once(':') {
        Some((domain, rest)) if rest.contains(':') => format!("{domain:0>8}:{rest}"),
        _ => format!("00000000:{pci}"),
    }
}

impl Nodes {
    /// The GPU of this identity on a node, which then has all its names.
    pub fn gpu(
        &mut self,
        read: &Read,
        node: &str,
        identity: Identity,
        from: Origin,
    ) -> Result<&mut Gpu, InputError> {
        let pci = identity.pci.as_deref().map(canonical);
        if let Some((other, _)) = identity.uuid.as_ref().and_then(|uuid| self.by_uuid.get(uuid))
            && other != node
        {
            let message = format!(
                "GPU {} is on node {node} here, and on node {other} in another file. A GPU is in one node; the files of two nodes were \
                 mixed up, or one is older.",
                identity.uuid.unwrap_or_default()
            );
            return Err(read.error(from, message));
        }
        let gpus = self.nodes.entry(node.to_owned()).or_default();
        let is_same = |known: &Gpu| {
            let same = |one: &Option<String>, other: &Option<String>| one.is_some() && one == other;
            same(&known.uuid, &identity.uuid)
                || same(&known.pci, &pci)
                || known.index.is_some() && known.index == identity.index
                || known.minor.is_some() && known.minor == identity.minor
        };
        let position = gpus.iter().position(is_same).unwrap_or_else(|| {
            gpus.push(Gpu { node: node.to_owned(), origin: Some(from), ..Gpu::default() });
            gpus.len() - 1
        });
        let gpu = &mut gpus[position];
        let number = |number: Option<u32>| number.map(|number| number.to_string());
        let names = [
            ("index", number(gpu.index), number(identity.index)),
            ("UUID", gpu.uuid.clone(), identity.uuid.clone()),
            ("minor number", number(gpu.minor), number(identity.minor)),
            ("PCI address", gpu.pci.clone(), pci.clone()),
        ];
        for (what, known, given) in names {
            if let (Some(known), Some(given)) = (known, given)
                && known != given
            {
                let first = gpu.origin.map(|first| read.words(first)).unwrap_or_default();
                let message = format!(
                    "the {what} of GPU {} is {given} here, but {known} by another file (the GPU is told of at {first}). The files are not \
                     of one node at one time; collect them again.",
                    gpu.name()
                );
                return Err(read.error(from, message));
            }
        }
        gpu.index = gpu.index.or(identity.index);
        gpu.minor = gpu.minor.or(identity.minor);
        gpu.pci = gpu.pci.take().or(pci);
        if let (None, Some(uuid)) = (&gpu.uuid, identity.uuid) {
            self.by_uuid.insert(uuid.clone(), (node.to_owned(), position));
            gpu.uuid = Some(uuid);
        }
        gpu.files.insert(from.file);
        Ok(gpu)
    }

    /// The GPU of a UUID.
    pub fn of_uuid(&mut self, uuid: &str) -> Option<&mut Gpu> {
        let (node, position) = self.by_uuid.get(uuid)?;
        self.nodes.get_mut(node)?.get_mut(*position)
    }

    /// The GPU of a node by its index.
    pub fn of_index(&mut self, node: &str, index: u32) -> Option<&mut Gpu> {
        self.nodes.get_mut(node)?.iter_mut().find(|gpu| gpu.index == Some(index))
    }

    pub fn of_minor(&mut self, node: &str, minor: u32) -> Option<&mut Gpu> {
        self.nodes.get_mut(node)?.iter_mut().find(|gpu| gpu.minor == Some(minor))
    }

    pub fn all(&mut self) -> impl Iterator<Item = &mut Gpu> {
        self.nodes.values_mut().flatten()
    }

    /// Takes in what all files but listings of instances tell of GPUs.
    pub fn identify(&mut self, read: &Read) -> Result<(), InputError> {
        self.add_from_lists(read)?;
        self.add_from_cluster(read)?;
        self.add_from_queries(read)?;
        self.add_from_checkpoints(read)?;
        self.add_from_slices(read)?;
        self.add_from_claims(read)?;
        self.add_from_slurm(read)
    }

    fn add_from_lists(&mut self, read: &Read) -> Result<(), InputError> {
        for (file, node, gpus) in read.each(|contents| match contents {
            Contents::Devices(gpus) => Some(gpus),
            _ => None,
        }) {
            for record in gpus {
                let line = &record.value;
                let identity =
                    Identity { index: Some(line.gpu), uuid: Some(line.uuid.clone()), ..Identity::default() };
                let gpu = self.gpu(read, node, identity, origin(file, record.place))?;
                gpu.product = Some(line.product.clone());
            }
        }
        Ok(())
    }

    fn add_from_cluster(&mut self, read: &Read) -> Result<(), InputError> {
        for (file, (_, contents)) in read.files.iter().enumerate() {
            match contents {
                Contents::Metrics(metrics) => {
                    for record in metrics {
                        let metric = &record.value;
                        let identity = Identity {
                            index: Some(metric.gpu),
                            uuid: metric.uuid.clone(),
                            minor: metric.minor,
                            pci: metric.pci.clone(),
                        };
                        let gpu = self.gpu(read, &metric.node, identity, origin(file, record.place))?;
                        gpu.product = gpu.product.take().or_else(|| metric.product.clone());
                    }
                }
                Contents::Objects(objects) => {
                    for record in &objects.nodes {
                        for registered in record.value.hami.iter().flatten() {
                            let uuid = Some(registered.uuid.clone());
                            let identity = Identity { index: registered.index, uuid, ..Identity::default() };
                            let gpu =
                                self.gpu(read, &record.value.name, identity, origin(file, record.place))?;
                            gpu.product = gpu.product.take().or_else(|| Some(registered.product.clone()));
                            gpu.is_cordoned |= record.value.cordoned_gpus.contains(&registered.uuid);
                            if registered.is_mig {
                                gpu.mig = Mig::On;
                                gpu.has_layout = true;
                            } else {
                                gpu.mig = Mig::Off;
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn add_from_queries(&mut self, read: &Read) -> Result<(), InputError> {
        let listed = read.each(|contents| matches!(contents, Contents::Devices(_)).then_some(()));
        let listed: BTreeSet<&str> = listed.map(|(_, node, ())| node).collect();
        for (file, node, gpus) in read.each(|contents| match contents {
            Contents::Query(gpus) => Some(gpus),
            _ => None,
        }) {
            for (position, record) in (0..).zip(gpus) {
                let query = &record.value;
                let is_new = query.uuid.as_ref().is_some_and(|uuid| !self.by_uuid.contains_key(uuid));
                if is_new && listed.contains(node) {
                    let message = format!(
                        "GPU {} is here, which `nvidia-smi -L` of the node lacks. The files are not of one node at one time, or one was \
                         cut; collect them again.",
                        query.uuid.as_deref().unwrap_or_default()
                    );
                    return Err(read.error(origin(file, record.place), message));
                }
                let identity = Identity {
                    index: None,
                    uuid: query.uuid.clone(),
                    minor: query.minor,
                    pci: Some(query.pci.clone()),
                };
                let gpu = self.gpu(read, node, identity, origin(file, record.place))?;
                gpu.product = gpu.product.take().or_else(|| query.product.clone());
                gpu.mig = match (query.mig, query.pending_mig) {
                    (Some(now), Some(pending)) if now != pending => Mig::ResetDue,
                    (Some(true), _) => Mig::On,
                    _ => Mig::Off,
                };
                self.take_index(node, position, query.uuid.as_deref(), Some(&canonical(&query.pci)));
            }
        }
        Ok(())
    }

    /// Gives a GPU the index of its position in a file, if no file tells it, and no other GPU has it.
    fn take_index(&mut self, node: &str, position: u32, uuid: Option<&str>, pci: Option<&str>) {
        let gpus = self.nodes.entry(node.to_owned()).or_default();
        let is_taken = gpus.iter().any(|gpu| gpu.index == Some(position));
        let is_meant = |gpu: &&mut Gpu| {
            uuid.is_some() && gpu.uuid.as_deref() == uuid || pci.is_some() && gpu.pci.as_deref() == pci
        };
        if let Some(gpu) = gpus.iter_mut().find(is_meant)
            && gpu.index.is_none()
            && !is_taken
        {
            gpu.index = Some(position);
        }
    }

    fn add_from_checkpoints(&mut self, read: &Read) -> Result<(), InputError> {
        for (file, node, devices) in read.each(|contents| match contents {
            Contents::Checkpoint(devices) => Some(devices),
            _ => None,
        }) {
            for (position, record) in (0..).zip(devices) {
                let device = &record.value;
                let identity = Identity { uuid: Some(device.uuid.clone()), ..Identity::default() };
                let gpu = self.gpu(read, node, identity, origin(file, record.place))?;
                if gpu.mig == Mig::NotTold {
                    gpu.mig = if device.mig { Mig::On } else { Mig::Off };
                }
                self.take_index(node, position, Some(&device.uuid), None);
            }
        }
        Ok(())
    }

    fn add_from_slices(&mut self, read: &Read) -> Result<(), InputError> {
        let slices = read.each(|contents| match contents {
            Contents::Objects(objects) => Some(&objects.slices),
            _ => None,
        });
        let slices: Vec<_> = slices
            .flat_map(|(file, _, slices)| slices.iter().map(move |slice| (file, &slice.value)))
            .collect();
        for pool in dra::pools(slices) {
            if pool.slices.0 != pool.slices.1 {
                let file = pool.devices.first().map_or(0, |(file, _)| *file);
                return Err(dra::incomplete(read.source(file), &pool));
            }
            let mut seen: BTreeSet<(u32, Option<&str>)> = BTreeSet::new();
            for (file, record) in &pool.devices {
                let device = &record.value;
                let (minor, uuid, is_mig) = match &device.kind {
                    DeviceKind::Gpu { uuid, minor } => (*minor, uuid, false),
                    DeviceKind::Mig { gpu_uuid, name, .. } => (Some(name.minor), gpu_uuid, true),
                    DeviceKind::Other => continue,
                };
                // A GPU has dozens of devices.
                if is_mig && !seen.insert((minor.unwrap_or_default(), uuid.as_deref())) {
                    continue;
                }
                let identity = Identity { index: None, uuid: uuid.clone(), minor, pci: device.pci.clone() };
                let gpu = self.gpu(read, pool.name, identity, origin(*file, record.place))?;
                gpu.product = gpu.product.take().or_else(|| device.product.clone());
                if is_mig && gpu.mig == Mig::NotTold {
                    gpu.mig = Mig::On;
                }
                gpu.has_layout |= is_mig;
            }
        }
        Ok(())
    }

    fn add_from_claims(&mut self, read: &Read) -> Result<(), InputError> {
        for (file, _, objects) in read.each(|contents| match contents {
            Contents::Objects(objects) => Some(objects),
            _ => None,
        }) {
            for record in objects.claims.iter().flat_map(|claim| &claim.value.allocated) {
                if let Some(name) = MigDeviceName::parse(&record.value.device) {
                    let identity = Identity { minor: Some(name.minor), ..Identity::default() };
                    self.gpu(read, &record.value.pool, identity, origin(file, record.place))?;
                }
            }
            for record in objects.pods.iter().filter(|record| !record.value.is_over()) {
                let pod = &record.value;
                let Some(node) = pod.hami_node.as_ref().or(pod.node.as_ref()) else { continue };
                for allocation in pod.hami.iter().flatten() {
                    let uuid = Some(allocation.gpu_uuid.clone());
                    let identity = Identity { uuid, ..Identity::default() };
                    self.gpu(read, node, identity, origin(file, record.place))?;
                }
            }
        }
        Ok(())
    }

    fn add_from_slurm(&mut self, read: &Read) -> Result<(), InputError> {
        for (file, node, devices) in read.each(|contents| match contents {
            Contents::SlurmDevices(devices) => Some(devices),
            _ => None,
        }) {
            for record in devices {
                let device = &record.value;
                let node = device.node.as_deref().unwrap_or(node);
                let identity = Identity { minor: device.minor, ..Identity::default() };
                if device.minor.is_some() {
                    let gpu = self.gpu(read, node, identity, origin(file, record.place))?;
                    gpu.product = gpu.product.take().or_else(|| device.product().map(str::to_owned));
                }
            }
        }
        Ok(())
    }

    /// Finds the indices of GPUs that are known by other names alone. `nvidia-smi` counts GPUs in the order of their PCI addresses; where
    /// these are not known either, the instances of a GPU may tell which one it is.
    pub fn find_indices(&mut self, read: &Read) {
        for gpus in self.nodes.values_mut() {
            if gpus.iter().all(|gpu| gpu.index.is_none() && gpu.pci.is_some()) {
                let order: Vec<usize> = (0..gpus.len()).sorted_by_key(|&at| gpus[at].pci.clone()).collect();
                for (index, position) in (0..).zip(order) {
                    gpus[position].index = Some(index);
                }
            }
        }
        let listed = listed_by_index(read);
        let by_minor = known_by_minor(read);
        for (node, gpus) in &mut self.nodes {
            let Some(listed) = listed.get(node) else { continue };
            loop {
                let taken: BTreeSet<u32> = gpus.iter().filter_map(|gpu| gpu.index).collect();
                let mut found = Vec::new();
                for (position, gpu) in gpus.iter().enumerate().filter(|(_, gpu)| gpu.index.is_none()) {
                    let Some(known) = gpu.minor.and_then(|minor| by_minor.get(&(node.as_str(), minor)))
                    else {
                        continue;
                    };
                    let free = listed.iter().filter(|(index, _)| !taken.contains(index));
                    let fits: Vec<u32> =
                        free.filter(|(_, all)| known.is_subset(all)).map(|(index, _)| *index).collect();
                    if let [index] = fits[..] {
                        found.push((position, index));
                    }
                }
                // Two that fit to the same one are not told apart.
                found.retain(|(_, index)| gpus.iter().all(|gpu| gpu.index != Some(*index)));
                let counts = found.iter().map(|(_, index)| *index).counts();
                let clear: Vec<_> = found.into_iter().filter(|(_, index)| counts[index] == 1).collect();
                if clear.is_empty() {
                    break;
                }
                for (position, index) in clear {
                    gpus[position].index = Some(index);
                }
            }
        }
    }

    /// Makes known the GPUs of which only their listed instances tell.
    pub fn add_from_listings(&mut self, read: &Read) -> Result<(), InputError> {
        for (file, node, listing) in read.each(|contents| match contents {
            Contents::GpuInstances(listing) => Some(listing),
            _ => None,
        }) {
            self.nodes.entry(node.to_owned()).or_default();
            for record in listing.rows() {
                let identity = Identity { index: Some(record.value.gpu), ..Identity::default() };
                self.gpu(read, node, identity, origin(file, record.place))?;
            }
        }
        Ok(())
    }

    /// The GPUs that can be planned for, and those that cannot, each with the reason.
    pub fn finish(self, told: &mut Told) -> (Vec<Gpu>, Vec<(String, String)>) {
        let mut kept = Vec::new();
        let mut left_out = Vec::new();
        for (node, mut gpus) in self.nodes {
            gpus.sort_by_key(|gpu| (gpu.index.is_none(), gpu.index, gpu.minor));
            for mut gpu in gpus {
                gpu.instances.sort_by_key(|instance| instance.instance.start);
                match reason_to_leave_out(&gpu) {
                    None => kept.push(gpu),
                    Some((reason, command)) => {
                        if let Some(command) = command {
                            told.unknown(gpu.name(), reason.clone(), &format!("{command} (on {node})"));
                        }
                        left_out.push((gpu.name(), reason));
                    }
                }
            }
        }
        (kept, left_out)
    }
}

fn reason_to_leave_out(gpu: &Gpu) -> Option<(String, Option<&'static str>)> {
    let whole = gpu.given_whole.as_ref().map(|user| format!("all of it is given to {user}"));
    match gpu.mig {
        Mig::Off => return Some(("MIG is off".to_owned(), None)),
        Mig::ResetDue => return Some(("MIG changes with a reset that is due".to_owned(), None)),
        Mig::On | Mig::NotTold => {}
    }
    match () {
        () if whole.is_some() => whole.map(|whole| (whole, None)),
        () if gpu.index.is_none() => {
            Some(("its index on the node is not told".to_owned(), Some("nvidia-smi -q -x")))
        }
        () if !gpu.has_layout => {
            Some(("where its instances are is not told".to_owned(), Some("nvidia-smi mig -lgi")))
        }
        () if gpu.mig == Mig::NotTold && gpu.instances.is_empty() => Some((
            "it has no instance, and whether MIG is on is not told".to_owned(),
            Some("nvidia-smi -q -x"),
        )),
        () => None,
    }
}

type InstanceNames = BTreeSet<(u32, String)>;

/// Ids and profiles of instances by node and index.
fn listed_by_index(read: &Read) -> BTreeMap<String, BTreeMap<u32, InstanceNames>> {
    let mut found: BTreeMap<String, BTreeMap<u32, InstanceNames>> = BTreeMap::new();
    for (_, node, listing) in read.each(|contents| match contents {
        Contents::GpuInstances(listing) => Some(listing),
        _ => None,
    }) {
        for record in listing.rows() {
            let row = &record.value;
            let of_node = found.entry(node.to_owned()).or_default();
            of_node.entry(row.gpu).or_default().insert((row.gpu_instance, row.profile.clone()));
        }
    }
    found
}

/// Ids and profiles of instances by node and minor number, from Slurm's devices and the list of capabilities.
fn known_by_minor(read: &Read) -> BTreeMap<(&str, u32), InstanceNames> {
    let mut found: BTreeMap<(&str, u32), InstanceNames> = BTreeMap::new();
    for device in slurm_devices(read).into_values().flatten() {
        if let (Some((minor, id)), Some(profile)) = (device.instance, device.line.profile()) {
            found.entry((device.node, minor)).or_default().insert((id, profile.to_owned()));
        }
    }
    found
}

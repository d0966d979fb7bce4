//! Packings as documents: names instead of indices.

use crate::instance::{Problem, ServerIndex, VmIndex};
use crate::rules::{Packing, pages_of};
use ground::{Amount, InputError, SourceText, did_you_mean};
use kit::{
    InstanceDetails, InstanceReference, PackedServer, PendingWorkload, ResourceLoad, ServerLoad,
    SolutionDocument,
};
use std::collections::BTreeMap;

impl Packing {
    /// Writes the packing down, without what it is worth.
    pub fn document(&self, problem: &Problem, fingerprint: &str) -> SolutionDocument {
        let hosted = self.by_server(problem.servers.len());
        let packed = problem.server_indices().zip(&hosted).filter(|(_, vms)| !vms.is_empty());
        let packed = packed.map(|(server, vms)| PackedServer {
            server: problem.servers[server.index()].name.clone(),
            vms: vms.iter().map(|&vm| problem.vm(vm).name.clone()).collect(),
            load: Some(load(problem, server, vms)),
        });
        let waiting = problem.vm_indices().filter(|&vm| self.of(vm).is_none()).map(|vm| PendingWorkload {
            workload: problem.vm(vm).name.clone(),
            details: InstanceDetails {
                profile: problem.vm(vm).vm_type.clone(),
                ..InstanceDetails::default()
            },
            count: None,
        });
        SolutionDocument {
            model: Some("sharing".to_owned()),
            instance: InstanceReference::new(&problem.name, fingerprint),
            reading: None,
            placement: None,
            packing: Some(packed.collect()),
            plan: None,
            pending: waiting.collect(),
            repartitioned: None,
            gpus: Vec::new(),
            score: None,
        }
    }

    /// Every server of a problem, empty, and its virtual machines without a place: what there is before a heuristic packs.
    pub fn of_nothing(problem: &Problem, fingerprint: &str) -> SolutionDocument {
        let empty = |server: ServerIndex| PackedServer {
            server: problem.servers[server.index()].name.clone(),
            vms: Vec::new(),
            load: Some(load(problem, server, &[])),
        };
        SolutionDocument {
            packing: Some(problem.server_indices().map(empty).collect()),
            ..Packing::empty(problem.vms.len()).document(problem, fingerprint)
        }
    }

    /// Reads a packing back for a problem.
    ///
    /// # Errors
    /// When it belongs to another instance, has no `packing`, names unknown servers or virtual machines, or names one twice.
    pub fn resolve(
        document: &SolutionDocument,
        problem: &Problem,
        fingerprint: &str,
        source: &SourceText,
    ) -> Result<Packing, InputError> {
        document.check_instance(&problem.name, fingerprint, source)?;
        let packed = document.packing.as_ref().ok_or_else(|| {
            source.error("the solution has no `packing`. List every server that hosts virtual machines.")
        })?;
        let names = problem.servers.iter().map(|server| server.name.as_str());
        let servers: BTreeMap<&str, ServerIndex> = names.zip((0..).map(ServerIndex)).collect();
        let names = problem.vms.iter().map(|vm| vm.name.as_str());
        let vms: BTreeMap<&str, VmIndex> = names.zip((0..).map(VmIndex)).collect();
        let mut packing = Packing::empty(problem.vms.len());
        for entry in packed {
            let server = servers.get(entry.server.as_str()).copied().ok_or_else(|| {
                let guess = did_you_mean(&entry.server, servers.keys().copied());
                let message = format!(
                    "the solution names the server `{}`, which the instance does not have{guess}.",
                    entry.server
                );
                source.error_at_entry("server", &entry.server, message)
            })?;
            for name in &entry.vms {
                let wrong = |message: String| source.error_at_entry("server", &entry.server, message);
                let vm = vms.get(name.as_str()).copied().ok_or_else(|| {
                    let guess = did_you_mean(name, vms.keys().copied());
                    wrong(format!(
                        "the solution names the virtual machine `{name}`, which the instance does not have{guess}."
                    ))
                })?;
                if packing.of(vm).is_some() {
                    return Err(wrong(format!("the virtual machine `{name}` has two servers. Keep one.")));
                }
                packing.set(vm, Some(server));
            }
        }
        Ok(packing)
    }
}

/// How full a server is.
fn load(problem: &Problem, server: ServerIndex, vms: &[VmIndex]) -> ServerLoad {
    let kind = problem.kind_of(server);
    let resource = |(position, name): (usize, &String)| {
        let used: Amount = vms.iter().map(|&vm| problem.vm(vm).request[position]).sum();
        (name.clone(), ResourceLoad { used, capacity: kind.capacity[position] })
    };
    let pages = pages_of(problem, vms);
    let requested: u64 = vms.iter().map(|&vm| problem.vm(vm).pages).sum();
    let by_one_alone: u64 = (0..vms.len())
        .map(|left_out| {
            let others: Vec<VmIndex> = vms
                .iter()
                .enumerate()
                .filter(|&(position, _)| position != left_out)
                .map(|(_, &vm)| vm)
                .collect();
            pages - pages_of(problem, &others)
        })
        .sum();
    ServerLoad {
        group: kind.group.clone(),
        resources: problem.resources.iter().enumerate().map(resource).collect(),
        page_kib: problem.page_kib,
        capacity_pages: kind.pages,
        pages,
        shared_pages: pages - by_one_alone,
        saved_pages: requested - pages,
    }
}

//! Reasons, visible without any search, why not everybody can have a server.

use super::instance::{Problem, ServerIndex, VmIndex};
use super::verify::pages_of;
use crate::cluster::{Amount, grouped};
use itertools::Itertools;

/// Why there is no packing, in words for a person who can change something; `None` if that cannot be seen at once.
pub fn impossible(problem: &Problem) -> Option<String> {
    alone(problem).or_else(|| in_total(problem))
}

/// A virtual machine that no server can host even alone.
fn alone(problem: &Problem) -> Option<String> {
    let homeless: Vec<VmIndex> = problem
        .vm_indices()
        .filter(|&vm| problem.kinds.iter().all(|kind| problem.lacks(kind, vm).is_some()))
        .collect();
    let &vm = homeless.first()?;
    let about = problem.vm(vm);
    let lacking = problem.kinds.iter().filter_map(|kind| problem.lacks(kind, vm)).unique().collect_vec();
    let detail = |resource: &&str| match problem.resources.iter().position(|name| name == resource) {
        Some(position) => {
            let most = problem.kinds.iter().filter_map(|kind| kind.capacity[position]).max();
            format!(
                "{resource} ({} requested, {} at most)",
                about.request[position],
                most.unwrap_or_default()
            )
        }
        None => {
            let most = problem.kinds.iter().map(|kind| kind.pages).max().unwrap_or_default();
            format!("memory ({} pages requested, {most} at most)", about.pages)
        }
    };
    let several = if lacking.len() > 1 { "Each server lacks one of: " } else { "All servers lack " };
    let others = match homeless.len() {
        1 => String::new(),
        number => format!(" The same holds for {} more virtual machine(s).", number - 1),
    };
    Some(format!(
        "The virtual machine `{}` fits no server, not even an empty one. {several}{}. Add a larger server, or take the virtual machine \
         out.{others}",
        about.name,
        lacking.iter().map(detail).join(", ")
    ))
}

/// A resource of which all servers together have too little.
fn in_total(problem: &Problem) -> Option<String> {
    let servers: Vec<ServerIndex> = problem.server_indices().collect();
    for (position, name) in problem.resources.iter().enumerate() {
        let requested: Amount = problem.vms.iter().map(|vm| vm.request[position]).sum();
        let capacities: Option<Vec<Amount>> =
            servers.iter().map(|&server| problem.kind_of(server).capacity[position]).collect();
        let Some(capacities) = capacities else { continue };
        let available: Amount = capacities.into_iter().sum();
        if requested > available {
            return Some(format!(
                "All virtual machines together request {requested} of {name}, all {} servers together have {available}: {} are \
                 missing. Add servers, or take virtual machines out.",
                servers.len(),
                requested - available
            ));
        }
    }
    let everybody: Vec<VmIndex> = problem.vm_indices().collect();
    let needed = pages_of(problem, &everybody);
    let available: u64 = servers.iter().map(|&server| problem.kind_of(server).pages).sum();
    (needed > available).then(|| {
        format!(
            "All virtual machines together need {} pages of memory even if each page is held once, all {} servers together have {}: {} \
             are missing. Add servers, or take virtual machines out.",
            grouped(&needed.to_string()),
            servers.len(),
            grouped(&available.to_string()),
            grouped(&(needed - available).to_string())
        )
    })
}

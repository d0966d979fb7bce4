//! Reasons, visible without any search, why not every VM can have a server.

use super::pages::pages_of;
use crate::instance::{Problem, ServerIndex, VmIndex};
use ground::{Amount, grouped};
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
    let requested = |resource: &str| match problem.resources.iter().position(|name| name == resource) {
        Some(position) => format!("{} of {resource}", about.request[position].grouped()),
        None => format!("{} pages of memory", grouped(&about.pages.to_string())),
    };
    let reason = match lacking.as_slice() {
        [] => "there is no server".to_owned(),
        [resource] => {
            let most = match problem.resources.iter().position(|name| name == resource) {
                Some(position) => {
                    let capacities = problem.kinds.iter().filter_map(|kind| kind.capacity[position]);
                    capacities.max().unwrap_or_default().grouped()
                }
                None => {
                    let most = problem.kinds.iter().map(|kind| kind.pages).max();
                    grouped(&most.unwrap_or_default().to_string())
                }
            };
            format!("it requests {}, and no server has more than {most}", requested(resource))
        }
        several => {
            let requests = several.iter().map(|resource| requested(resource)).join(" and ");
            format!("it requests {requests}, and no server has enough of each")
        }
    };
    let others = match homeless.len() {
        1 => String::new(),
        2 => " One more virtual machine fits no server either.".to_owned(),
        number => format!(" {} more virtual machines fit no server either.", number - 1),
    };
    Some(format!(
        "The virtual machine `{}` fits no server, not even an empty one: {reason}. Add a larger server, or take the virtual machine \
         out.{others}",
        about.name
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
                "All virtual machines together request {} of {name}, and all servers together have {}, which is {} too little. Add \
                 servers, or take virtual machines out.",
                requested.grouped(),
                available.grouped(),
                (requested - available).grouped()
            ));
        }
    }
    let all: Vec<VmIndex> = problem.vm_indices().collect();
    let needed = pages_of(problem, &all);
    let available: u64 = servers.iter().map(|&server| problem.kind_of(server).pages).sum();
    (needed > available).then(|| {
        format!(
            "All virtual machines together need {} pages of memory even if each page is held once, and all servers together have {}, \
             which is {} too few. Add servers, or take virtual machines out.",
            grouped(&needed.to_string()),
            grouped(&available.to_string()),
            grouped(&(needed - available).to_string())
        )
    })
}

//! From GPUs, instances and users to workloads: what runs, and what waits.

use crate::classes::Classes;
use crate::gather::{Gathered, Gpu, KnownPod, State, Unknown, User};
use crate::grouping::group;
use crate::host::Host;
use crate::host_resources;
use crate::joined::{Inventory, Options};
use crate::lock::{LockedBudget, LockedNode};
use crate::movability::{Movability, of_user};
use crate::nodes::{Admitted, Nodes};
use crate::rules::Subject;
use crate::workload::{NodeRule, Place, Workload};
use formats::kubernetes::Pod;
use ground::{Amount, Complaints, InputError, did_you_mean, unfit_for_a_name};
use itertools::Itertools;
use mig::Board;
use std::collections::{BTreeMap, BTreeSet};

/// A workload before the last word on its name and class.
struct Draft {
    name: String,
    profiles: Vec<String>,
    current: Option<Place>,
    node: String,
    users: Vec<User>,
    fixed: Option<String>,
    /// Whether it is one of several instances of a user.
    is_part: bool,
}

pub(crate) fn assemble(gathered: Gathered, options: &Options) -> Result<Inventory, InputError> {
    if gathered.gpus.is_empty() {
        return Err(nothing_to_plan(&gathered));
    }
    let mut remarks = gathered.remarks.clone();
    let mut drafts = running(&gathered, options, &mut remarks);
    drafts.extend(waiting(&gathered, &mut remarks)?);
    let mut nodes_known = Nodes::of(&gathered);
    let mut workloads = named(drafts, &gathered, options, &mut nodes_known, &mut remarks);
    let (groups, unsaid) = group(&gathered, &mut workloads);
    remarks.extend(unsaid);
    let mut hosts = hosts(&gathered, &nodes_known, &workloads);
    remarks.extend(host_resources::fill(&gathered, &mut workloads, &mut hosts));
    let budgets = gathered.cluster.budgets.iter();
    let budgets = budgets
        .map(|budget| LockedBudget { name: budget.full_name(), allowed: budget.allowed })
        .sorted_by(|one, other| one.name.cmp(&other.name))
        .collect();
    Ok(Inventory {
        name: options.name.clone(),
        workloads,
        groups,
        hosts,
        nodes: nodes(&gathered),
        budgets,
        files: gathered.files.iter().map(|file| file.source.name().to_owned()).collect(),
        gpus: gathered.gpus,
        left_out: gathered.left_out,
        unknown: gathered.unknown,
        remarks,
    })
}

fn nothing_to_plan(gathered: &Gathered) -> InputError {
    let left_out =
        gathered.left_out.iter().take(5).map(|(gpu, reason)| format!("{gpu}: {reason}")).join("; ");
    let commands =
        gathered.unknown.iter().map(|Unknown { command, .. }| command.as_str()).unique().take(5).join("; ");
    let message = match (left_out.is_empty(), commands.is_empty()) {
        (true, _) => "no GPU is told of in these files. Add, of each node, `nvidia-smi -L` and `nvidia-smi mig -lgi`, or \
                      `kubectl get resourceslices,resourceclaims,pods -A -o json`."
            .to_owned(),
        (false, true) => format!("no GPU of these files has instances to plan for ({left_out})."),
        (false, false) => format!("no GPU of these files can be planned for ({left_out}). What would tell: {commands}."),
    };
    match gathered.files.first() {
        Some(file) => file.source.error(message),
        None => InputError { file: "import".to_owned(), message, ..InputError::default() },
    }
}

fn running(gathered: &Gathered, options: &Options, remarks: &mut Vec<String>) -> Vec<Draft> {
    let instances = gathered.gpus.iter().flat_map(|gpu| &gpu.instances);
    let held = instances.flat_map(|instance| &instance.users).counts();
    let mut numbers: BTreeMap<&User, usize> = BTreeMap::new();
    let mut drafts = Vec::new();
    for gpu in &gathered.gpus {
        let Some(board) = &gpu.board else { continue };
        for instance in &gpu.instances {
            let start = instance.instance.start.0;
            let place = Place { gpu: gpu.name(), start };
            let is_part = instance.users.iter().any(|user| held[user] > 1);
            let draft = |name: String, fixed: Option<String>| Draft {
                is_part,
                name,
                profiles: vec![board.profile(instance.instance.profile).name.clone()],
                current: Some(place.clone()),
                node: gpu.node.clone(),
                users: instance.users.clone(),
                fixed,
            };
            match instance.state() {
                State::InUse => {
                    let mut name = instance.users.iter().join("+");
                    if let Some(user) = instance.users.iter().find(|user| held[user] > 1) {
                        let number = numbers.entry(user).or_default();
                        *number += 1;
                        name = format!("{name}/{number}");
                    }
                    drafts.push(draft(name, None));
                }
                State::Unknown => {
                    let why = "no file tells who uses the instance".to_owned();
                    drafts.push(draft(format!("unknown@{}:{start}", place.gpu), Some(why)));
                }
                State::Idle | State::NoComputeInstance if options.keep_idle => {
                    let why = "the instance is idle, and idle instances are kept".to_owned();
                    drafts.push(draft(format!("idle@{}:{start}", place.gpu), Some(why)));
                }
                State::Idle | State::NoComputeInstance => {}
            }
        }
    }
    for (user, count) in held.into_iter().filter(|(_, count)| *count > 1).sorted() {
        remarks.push(format!("{user} has {count} instances, which move as one"));
    }
    drafts
}

/// What boards of the cluster call a profile.
fn profile_on<'b>(boards: &[&'b Board], name: &str) -> Option<&'b str> {
    boards
        .iter()
        .find_map(|board| board.find_profile(name).map(|profile| board.profile(profile).name.as_str()))
}

/// Who waits: pods without a node, claims without devices, jobs in the queue.
fn waiting(gathered: &Gathered, remarks: &mut Vec<String>) -> Result<Vec<Draft>, InputError> {
    let cluster = &gathered.cluster;
    let boards: Vec<&Board> =
        gathered.gpus.iter().filter_map(|gpu| gpu.board.as_deref()).unique_by(|board| board.name()).collect();
    let mut complaints = Complaints::default();
    let mut drafts: Vec<Draft> = Vec::new();
    let newcomer = |user: &User, profiles: Vec<String>| Draft {
        name: user.to_string(),
        profiles,
        current: None,
        node: String::new(),
        users: vec![user.clone()],
        fixed: None,
        is_part: false,
    };
    let mut add = |user: User, wanted: Vec<(Vec<String>, u32)>| {
        let total: u32 = wanted.iter().map(|(_, count)| count).sum();
        let mut number = 0;
        for (profiles, count) in wanted {
            for _ in 0..count {
                number += 1;
                let mut draft = newcomer(&user, profiles.clone());
                if total > 1 {
                    draft.name = format!("{user}/{number}");
                    draft.is_part = true;
                }
                drafts.push(draft);
            }
        }
        if total > 1 {
            remarks.push(format!("{user} waits for {total} instances, which are placed as one"));
        }
    };
    let mut pods = BTreeSet::new();
    for KnownPod { pod, origin } in cluster.pods.iter().filter(|known| known.pod.waits()) {
        let source = &gathered.files[origin.file].source;
        let wanted = pod_wants(pod, gathered, &boards).map_err(|message| origin.place.error(source, message));
        let Some(wanted) = complaints.keep(wanted).filter(|wanted| !wanted.is_empty()) else { continue };
        pods.insert((pod.namespace.clone(), pod.name.clone()));
        add(User::Pod { namespace: pod.namespace.clone(), name: pod.name.clone() }, wanted);
    }
    for (claim, origin) in cluster.claims.iter().filter(|(claim, _)| !claim.is_allocated) {
        let name = claim.pod.as_ref().map_or(&claim.name, |pod| &pod.name).clone();
        if pods.contains(&(claim.namespace.clone(), name.clone())) {
            continue;
        }
        let source = &gathered.files[origin.file].source;
        let mut wanted = Vec::new();
        for request in claim.requests.iter().filter(|request| request.is_mig()) {
            let names = request.profiles.iter().map(|profile| known_profile(&boards, profile));
            let names = names.collect::<Result<Vec<_>, _>>().map_err(|message| {
                origin.place.error(source, format!("claim {}/{}: {message}", claim.namespace, claim.name))
            });
            let Some(mut names) = complaints.keep(names) else { continue };
            if names.is_empty() {
                // Any device of the class serves.
                names = boards
                    .iter()
                    .flat_map(|board| board.profiles())
                    .map(|profile| profile.name.clone())
                    .unique()
                    .collect();
            }
            wanted.push((names, request.count));
        }
        if !wanted.is_empty() {
            add(User::Pod { namespace: claim.namespace.clone(), name }, wanted);
        }
    }
    for known in cluster.jobs.values().filter(|known| known.job.waits()) {
        let source = &gathered.files[known.origin.file].source;
        let mut wanted = Vec::new();
        for gres in &known.job.wanted {
            let Some(profile) = gres.profile() else { continue };
            let name = known_profile(&boards, profile).map_err(|message| {
                known.origin.place.error(source, format!("job {}: {message}", known.job.id))
            });
            wanted.extend(complaints.keep(name).map(|name| (vec![name], gres.count * known.job.nodes)));
        }
        if !wanted.is_empty() {
            add(User::Job { id: known.job.id, name: known.job.name.clone() }, wanted);
        }
    }
    complaints.finish(Some(drafts))
}

fn known_profile(boards: &[&Board], name: &str) -> Result<String, String> {
    profile_on(boards, name).map(str::to_owned).ok_or_else(|| {
        let known: Vec<&str> =
            boards.iter().flat_map(|board| board.profiles()).map(|profile| profile.name.as_str()).unique().collect();
        let short = name.trim_start_matches("nvidia.com/mig-");
        format!(
            "no board of the cluster has a profile {short}{}. Profiles: {}. Add the files of the nodes that have it, or leave the workload out.",
            did_you_mean(short, known.iter().copied()),
            known.join(", ")
        )
    })
}

/// The instances that a pod waits for.
fn pod_wants(pod: &Pod, gathered: &Gathered, boards: &[&Board]) -> Result<Vec<(Vec<String>, u32)>, String> {
    let mut wanted = Vec::new();
    for resource in &pod.resources {
        let name = resource.name.strip_suffix(".shared").unwrap_or(&resource.name);
        if name.starts_with("nvidia.com/mig-") {
            let name = known_profile(boards, name)
                .map_err(|message| format!("pod {}: {message}", pod.full_name()))?;
            wanted.push((vec![name], resource.count));
        } else if name == "nvidia.com/gpu" {
            // Under strategy `single` an instance is called a GPU, and all of a node have one profile.
            let profiles = gathered.cluster.nodes.values().filter_map(|node| node.single_profile());
            let profiles = profiles
                .filter_map(|profile| profile_on(boards, profile))
                .map(str::to_owned)
                .unique()
                .collect_vec();
            if !profiles.is_empty() {
                wanted.push((profiles, resource.count));
            }
        }
    }
    Ok(wanted)
}

fn named<'g>(
    drafts: Vec<Draft>,
    gathered: &'g Gathered,
    options: &Options,
    nodes: &mut Nodes<'g>,
    remarks: &mut Vec<String>,
) -> Vec<Workload> {
    let mut by_name: Vec<String> = Vec::new();
    let mut names = BTreeSet::new();
    // Containers of a class that differ make classes of their own, numbered as they come.
    let mut templates: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut workloads = Vec::with_capacity(drafts.len());
    for mut draft in drafts {
        let admitted = nodes.admitted(&draft.users);
        if !admitted.has_any() {
            let why = "no node here has what it asks for, or what nodes have is not told (kubectl get nodes -o json)";
            if draft.current.is_none() {
                remarks.push(format!("{} waits, and is left out: {why}", draft.name));
                continue;
            }
            draft.fixed.get_or_insert_with(|| why.to_owned());
        }
        let mut name: String = draft
            .name
            .chars()
            .map(|letter| if unfit_for_a_name(&letter.to_string()).is_some() { '_' } else { letter })
            .collect();
        let plain = name.clone();
        let mut number = 1;
        while !names.insert(name.clone()) {
            number += 1;
            name = format!("{plain}.{number}");
        }
        let (movability, reason) = movability(&draft, &name, gathered, options, nodes, &admitted);
        // Of what stays where it could not come, its nodes say nothing.
        let stays = draft.current.is_some() && movability == Movability::Never;
        let is_said = !stays || nodes.admits(&admitted, &draft.node);
        let rule = admitted.rule.filter(|_| is_said);
        if matches!(rule, Some(NodeRule::Names(_))) {
            by_name.push(name.clone());
        }
        let class = match (&draft.users[..], &draft.fixed) {
            ([user], None) if !draft.is_part => options.classes.of_user(user, gathered, &draft.profiles[0]),
            _ => None,
        };
        let class = class.map(|(class, template)| {
            let known = templates.entry(class.clone()).or_default();
            let position = known.iter().position(|known| *known == template).unwrap_or_else(|| {
                known.push(template);
                known.len() - 1
            });
            if position == 0 { class } else { format!("{class}.{}", position + 1) }
        });
        workloads.push(Workload {
            name,
            profiles: draft.profiles,
            current: draft.current,
            movability,
            reason,
            class,
            budgets: budgets_of(&draft.users, gathered),
            nodes: rule,
            groups: Vec::new(),
            cpu: Amount::ZERO,
            memory: Amount::ZERO,
            users: draft.users,
        });
    }
    if let Some(first) = by_name.first() {
        remarks.push(format!(
            "{} bound to the names of nodes, since labels alone do not say what they ask for: {first}{}",
            match by_name.len() {
                1 => "1 workload is".to_owned(),
                several => format!("{several} workloads are"),
            },
            if by_name.len() > 1 { ", ..." } else { "" }
        ));
    }
    workloads
}

fn movability(
    draft: &Draft,
    name: &str,
    gathered: &Gathered,
    options: &Options,
    nodes: &Nodes<'_>,
    admitted: &Admitted,
) -> (Movability, String) {
    let controller = match &draft.users[..] {
        [User::Pod { namespace, name }] => gathered
            .cluster
            .pod_named(namespace, name)
            .and_then(|known| known.pod.controller.as_ref())
            .map(|controller| format!("{}/{}", controller.kind, controller.name)),
        _ => None,
    };
    let subject = Subject {
        workload: name,
        node: &draft.node,
        profile: &draft.profiles[0],
        controller: controller.as_deref().unwrap_or_default(),
    };
    if let Some(reason) = &draft.fixed {
        return (Movability::Never, reason.clone());
    }
    if let Some(ruled) = options.rules.movability(&subject) {
        return ruled;
    }
    if let Some(reason) = nodes.cannot_come_back(&draft.users, admitted, &draft.node) {
        return (Movability::Never, reason);
    }
    // Several users of one instance move together or not at all.
    let of_users = draft.users.iter().map(|user| of_user(user, gathered));
    of_users
        .reduce(|one, other| if other.0 > one.0 { other } else { one })
        .unwrap_or_else(|| (Movability::Never, "no file tells who uses it".to_owned()))
}

fn budgets_of(users: &[User], gathered: &Gathered) -> Vec<String> {
    let mut found = BTreeSet::new();
    for user in users {
        let User::Pod { namespace, name } = user else { continue };
        let Some(known) = gathered.cluster.pod_named(namespace, name) else { continue };
        let protects =
            gathered.cluster.budgets.iter().filter(|budget| {
                budget.namespace == *namespace && budget.selector.selects(&known.pod.labels)
            });
        found.extend(protects.map(|budget| budget.full_name()));
    }
    found.into_iter().collect()
}

/// What the instance file says of nodes: the labels that workloads name.
fn hosts(gathered: &Gathered, nodes: &Nodes<'_>, workloads: &[Workload]) -> BTreeMap<String, Host> {
    let named = workloads.iter().filter_map(|workload| match &workload.nodes {
        Some(NodeRule::Labels(labels)) => Some(labels.keys().map(String::as_str)),
        Some(NodeRule::Names(_)) | None => None,
    });
    let named: BTreeSet<&str> = named.flatten().collect();
    let names = gathered.gpus.iter().map(|gpu| gpu.node.as_str()).dedup();
    let host = |name: &str| Host { labels: nodes.labels(name, &named), ..Host::default() };
    names.map(|name| (name.to_owned(), host(name))).collect()
}

/// Nodes that have GPUs here, with what Kubernetes or Slurm says of them.
fn nodes(gathered: &Gathered) -> Vec<LockedNode> {
    let names: BTreeSet<&str> = gathered.gpus.iter().map(|gpu: &Gpu| gpu.node.as_str()).collect();
    let locked = |name: &str| {
        let node = gathered.cluster.nodes.get(name);
        let slurm = gathered.cluster.slurm_nodes.get(name);
        let labels = node.into_iter().flat_map(|node| &node.labels);
        LockedNode {
            name: name.to_owned(),
            cordoned: node.is_some_and(|node| node.is_cordoned)
                || slurm.is_some_and(|node| node.is_cordoned()),
            // What feature discovery finds out about processors and kernels is of no use here.
            labels: labels
                .filter(|(label, _)| !label.starts_with("feature.node.kubernetes.io/"))
                .map(|(label, value)| (label.clone(), value.clone()))
                .collect(),
            taints: node
                .into_iter()
                .flat_map(|node| &node.taints)
                .map(|taint| format!("{}={}:{}", taint.key, taint.value, taint.effect))
                .collect(),
        }
    };
    names.into_iter().map(locked).collect()
}

impl Options {
    /// Options for a cluster of a name, with everything else as usual.
    pub fn named(name: impl Into<String>) -> Self {
        Options { name: name.into(), classes: Classes::default(), ..Options::default() }
    }
}

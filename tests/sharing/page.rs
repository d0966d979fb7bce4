//! The page of model sharing says what the programs are: labels, families, counts and names are held against the code.

use ground::Amount;
use itertools::Itertools;
use kit::Rule;
use milp::Program;
use models::{InstanceFile, model_of};
use sharing::{
    Compact, Detail, Encoding as _, Family, GeneratorOptions, Goal, Optimum, Printed, Problem, Section,
    ServerCost, ServerKind, ServerSection, Sharing, Violation, VmIndex, VmSection, generate,
};
use std::collections::{BTreeMap, BTreeSet};
use support::instances::{all_problems, posed, written};
use support::page::{Families, Page, bold_code, compare, families, set};
use support::sharing::problem;

const PAGE: Page = Page(include_str!("../../models/sharing.md"));

// ---------------------------------------------------------------------------------------------------------------------
// Instances
// ---------------------------------------------------------------------------------------------------------------------

fn generated(family: Family, sharing: Detail, cost: ServerCost, optimum: Optimum) -> (String, Problem) {
    let options = GeneratorOptions {
        family,
        vms: Some(9),
        servers: Some(11),
        low_thousandths: Some(850),
        sharing,
        shuffle: 0,
        page_kib: 1024,
        cost,
        optimum,
        seed: 4,
    };
    let file = InstanceFile::of::<Sharing>(generate(&options));
    let problem = posed::<Sharing>(&written(&file));
    (file.name, problem)
}

/// Resources that not every server limits, requests that hardly open a server, like ones and unlike ones of everything.
fn mixed() -> (String, Problem) {
    let text = "
name: mixed
sharing:
  optimum: first-m-of-the-order
  servers:
    - {name: wide, count: 3, memory_pages: 90000, capacity: {cpu: 5000}, cost: 2}
    - {name: narrow, count: 2, memory_pages: 400, capacity: {cpu: 8, disk: 3}}
    - {name: last, memory_pages: 90000, capacity: {cpu: 5000, idle: 4}, cost: 1.5}
  components: {base: 30, tool: 7}
  vms:
    - {name: nothing, memory_pages: 0}
    - {name: little, memory_pages: 3, request: {disk: 0.001}}
    - {name: like, replicas: 3, memory_pages: 60, request: {cpu: 1.5}, components: [base, tool]}
    - {name: large, memory_pages: 60000, request: {cpu: 1}, components: [base]}
";
    ("mixed".to_owned(), problem(text))
}

fn problems() -> Vec<(String, Problem)> {
    let random = [
        generated(Family::Paper, Detail::Lean, ServerCost::Unit, Optimum::AnyServers),
        generated(Family::Stream, Detail::Rich, ServerCost::Capacity, Optimum::FirstMOfTheOrder),
        generated(Family::Desktops, Detail::None, ServerCost::Unit, Optimum::AnyServers),
    ];
    all_problems::<Sharing>().into_iter().chain(random).chain([mixed()]).collect()
}

// ---------------------------------------------------------------------------------------------------------------------
// The page
// ---------------------------------------------------------------------------------------------------------------------

#[test]
fn the_page_has_its_fixed_headings_in_order() {
    let expected = [
        "Sets and parameters",
        "Equations",
        "Errata of the paper",
        "Instance",
        "Settings and objectives",
        "Compact formulation",
        "Creates",
        "Exactness",
        "Search",
        "Certificate",
        "What the verifier checks",
        "Heuristics",
        "Metrics",
        "Generator",
        "Reference",
    ];
    assert_eq!(PAGE.headings(), expected);
}

#[test]
fn the_page_tells_every_field_of_the_section() {
    PAGE.check_fields::<Section>("field of `sharing`");
    PAGE.check_fields::<ServerSection>("field of a server");
    PAGE.check_fields::<VmSection>("field of a virtual machine");
}

#[test]
fn the_example_of_the_page_is_an_instance() {
    let problem = problem(PAGE.example("Instance"));
    assert_eq!((problem.servers.len(), problem.vms.len()), (3, 3));
}

#[test]
fn the_page_tells_every_heuristic_with_its_parameters() {
    PAGE.check_heuristics::<Sharing>();
}

#[test]
fn the_page_tells_every_metric_with_its_unit() {
    PAGE.check_metrics::<Sharing>();
}

#[test]
fn the_page_names_every_rule_of_the_verifier() {
    let name = String::new;
    let violations = [
        Violation::Unplaced { vm: name() },
        Violation::OverCapacity {
            server: name(),
            resource: name(),
            used: Amount::ZERO,
            capacity: Amount::ZERO,
        },
        Violation::OverMemory { server: name(), pages: 0, capacity: 0 },
    ];
    PAGE.check_rules(violations.iter().map(Violation::rule));
}

#[test]
fn the_page_tells_every_flag_of_the_generator() {
    PAGE.check_flags::<Sharing>();
    let parameters = model_of::<Sharing>().generator_parameters();
    let families =
        parameters.iter().find(|parameter| parameter.name == "family").expect("there are families");
    let families: BTreeSet<String> = families.choices.iter().map(|family| family.name.to_owned()).collect();
    let told = PAGE.first_cells("Generator", "family");
    assert_eq!(told, families);
}

fn printed(problem: &Problem) -> Option<Program> {
    Printed::new(problem).ok().map(|printed| printed.program().clone())
}

fn compact(problem: &Problem) -> Program {
    Compact::new(problem).program().clone()
}

#[test]
fn the_labels_of_page_and_code_are_the_same() {
    let problems = || problems().into_iter().map(|(_, problem)| problem);
    PAGE.check_labels("Equations", "printed", problems().filter_map(|problem| printed(&problem)));
    PAGE.check_labels("Compact formulation", "compact", problems().map(|problem| compact(&problem)));
    assert_eq!(PAGE.first_cells("Equations", "goal"), set(&Goal::ALL.map(Goal::name)));
    let beyond = ["Errata of the paper", "Exactness"].map(|heading| bold_code(PAGE.section(heading)).count());
    assert_eq!(beyond, [0, 0], "labels stand in the tables alone");
}

// ---------------------------------------------------------------------------------------------------------------------
// The counts of section Creates
// ---------------------------------------------------------------------------------------------------------------------

fn has_reach(problem: &Problem) -> bool {
    problem.optimum == Optimum::FirstMOfTheOrder
}

/// All parts of two or more of the classes: the sets with common pages. None where a class is too large to be taken apart.
fn sets_with_common_pages(problem: &Problem) -> Option<BTreeSet<Vec<VmIndex>>> {
    let classes = &problem.page_classes.shared;
    let is_small = classes.iter().all(|class| class.vms.len() <= 12);
    let parts = classes.iter().filter(|_| is_small).flat_map(|class| class.vms.iter().copied().powerset());
    is_small.then(|| parts.filter(|part| part.len() > 1).collect())
}

/// Whether a request, or the memory, is at least a thousandth of the capacity, cut to what all need together.
fn opens(problem: &Problem, vm: VmIndex, kind: &ServerKind) -> bool {
    let classes = &problem.page_classes;
    let of_classes: u64 = classes.shared.iter().map(|class| class.pages).sum();
    let union = classes.private.iter().sum::<u64>() + of_classes;
    let is_large = |amount: i128, capacity: i128| amount > 0 && amount * 1000 >= capacity;
    let resource = |position: usize| {
        let all: i128 = problem.vms.iter().map(|vm| vm.request[position].millionths()).sum();
        let request = problem.vm(vm).request[position].millionths();
        kind.capacity[position].is_some_and(|capacity| is_large(request, capacity.millionths().min(all)))
    };
    is_large(problem.vm(vm).pages.into(), kind.pages.min(union).into())
        || (0..problem.resources.len()).any(resource)
}

/// Pairs of a server and a resource that it limits, of those resources that are asked for.
fn limited(problem: &Problem, asked: impl Fn(usize) -> bool) -> usize {
    let of_server = |server| {
        let capacities = problem.kind_of(server).capacity.iter().enumerate();
        capacities.filter(|(resource, capacity)| capacity.is_some() && asked(*resource)).count()
    };
    problem.server_indices().map(of_server).sum()
}

/// Rows and columns of the printed program, as section Creates counts them.
fn printed_counts(problem: &Problem) -> Option<(Families, Families)> {
    let sets = sets_with_common_pages(problem)?;
    let (even, odd): (Vec<usize>, Vec<usize>) = sets.iter().map(Vec::len).partition(|size| size % 2 == 0);
    let (vms, servers) = (problem.vms.len(), problem.servers.len());
    let requested = |resource: usize| problem.vms.iter().any(|vm| vm.request[resource] > Amount::ZERO);
    let pairs = problem.vm_indices().cartesian_product(problem.server_indices().collect_vec());
    let open = pairs.filter(|&(vm, server)| !opens(problem, vm, problem.kind_of(server))).count();
    let reach = if has_reach(problem) { servers } else { 0 };
    let rows = families([
        ("6", vms),
        ("7", limited(problem, requested)),
        ("8", servers),
        ("8a", servers * even.iter().sum::<usize>()),
        ("8b", servers * odd.len()),
        ("open", open),
        ("reach", reach),
        ("prefix", reach.saturating_sub(1)),
    ]);
    let columns = families([("y", servers), ("x", vms * servers), ("w", sets.len() * servers), ("r", reach)]);
    Some((rows, columns))
}

/// Whether servers of one kind can do all that servers of the other can, at no greater cost.
fn is_no_worse(one: &ServerKind, other: &ServerKind) -> bool {
    let covers = |(one, other): (&Option<Amount>, &Amount)| one.is_none_or(|one| one >= *other);
    let unlimited = |(one, other): &(&Option<Amount>, &Option<Amount>)| other.is_some() || one.is_none();
    let mut capacities = one.capacity.iter().zip(&other.capacity);
    one.cost <= other.cost
        && one.pages >= other.pages
        && capacities.clone().all(|pair| unlimited(&pair))
        && capacities.all(|(one, other)| other.is_none() || covers((one, &other.unwrap_or_default())))
}

/// Pairs of servers, one dominating the other, without a third between them.
fn dominating_pairs(problem: &Problem) -> usize {
    let kind = |server: usize| &problem.kinds[problem.servers[server].kind.index()];
    let dominates = |better: usize, worse: usize| {
        let mutual = is_no_worse(kind(worse), kind(better));
        better != worse && is_no_worse(kind(better), kind(worse)) && (!mutual || better < worse)
    };
    let servers = 0..problem.servers.len();
    let pairs = servers.clone().cartesian_product(servers.clone());
    let pairs = pairs.filter(|&(better, worse)| dominates(better, worse));
    let direct = pairs.filter(|&(better, worse)| {
        !servers.clone().any(|between| dominates(better, between) && dominates(between, worse))
    });
    direct.filter(|(better, worse)| !has_reach(problem) || better < worse).count()
}

/// Rows and columns of the compact program on all servers, as section Creates counts them.
fn compact_counts(problem: &Problem) -> (Families, Families) {
    let (vms, servers) = (problem.vms.len(), problem.servers.len());
    let classes = &problem.page_classes.shared;
    let large = classes.iter().filter(|class| class.vms.len() > 2).count();
    let alike = |vm: &VmIndex| {
        let classes = &problem.page_classes;
        (problem.vm(*vm).request.clone(), classes.private[vm.index()], classes.of_vm[vm.index()].clone())
    };
    let kinds_of_vms: BTreeMap<_, usize> =
        problem.vm_indices().counts_by(|vm| alike(&vm)).into_iter().collect();
    let reach = if has_reach(problem) { servers } else { 0 };
    let all_limited = limited(problem, |_| true);
    let rows = families([
        ("placed", vms),
        ("resource", all_limited),
        ("memory", servers),
        ("opens", vms * servers),
        ("holds", servers * classes.iter().map(|class| class.vms.len()).sum::<usize>()),
        ("held-opens", classes.len() * servers),
        ("class-resource", all_limited * large),
        ("class-memory", servers * large),
        ("cost", 1),
        ("before", dominating_pairs(problem)),
        ("like-servers", vms * (servers - problem.kinds.len())),
        ("like-vms", servers * (vms - kinds_of_vms.len())),
        ("reached", reach),
        ("prefix", reach.saturating_sub(1)),
    ]);
    let columns = families([
        ("used", servers),
        ("on", vms * servers),
        ("holds", classes.len() * servers),
        ("reached", reach),
    ]);
    (rows, columns)
}

#[test]
fn the_printed_program_has_the_counts_of_the_page() {
    let compared = compare(problems(), |problem| Some((printed(problem)?, printed_counts(problem)?)));
    assert!(compared >= 15, "{compared}");
}

#[test]
fn the_compact_program_has_the_counts_of_the_page() {
    compare(problems(), |problem| Some((compact(problem), compact_counts(problem))));
}

#[test]
fn the_instances_cover_what_the_formulas_distinguish() {
    let all = problems();
    let covers = |what: &dyn Fn(&Problem) -> bool| assert!(all.iter().any(|(_, problem)| what(problem)));
    covers(&has_reach);
    covers(&|problem| problem.sigma.is_some());
    covers(&|problem| problem.kinds.iter().any(|kind| kind.capacity.contains(&None)));
    covers(&|problem| problem.page_classes.shared.is_empty());
    covers(&|problem| problem.page_classes.shared.iter().any(|class| class.vms.len() > 2));
    covers(&|problem| problem.servers.len() > problem.kinds.len());
    covers(&|problem| has_reach(problem) && dominating_pairs(problem) > 0);
    covers(&|problem| printed_counts(problem).is_some_and(|(rows, _)| rows.contains_key("open")));
    covers(&|problem| printed_counts(problem).is_some_and(|(rows, _)| rows.contains_key("8b")));
}

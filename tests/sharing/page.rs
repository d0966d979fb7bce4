//! The page of model sharing says what the programs are: labels, families, counts and names are held against the code.

use ground::{Amount, SourceText};
use itertools::Itertools;
use kit::Rule;
use milp::Program;
use models::Instance;
use models::{InstanceFile, model_of};
use sharing::{
    Compact, Detail, Encoding as _, Family, GeneratorOptions, Goal, Optimum, Printed, Problem, Section,
    ServerCost, ServerKind, ServerSection, Sharing, Violation, VmIndex, VmSection, generate,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use support::page::{Families, Page, bold_code, families, labels_in_tables, set};

const PAGE: Page = Page(include_str!("../../models/sharing.md"));

// ---------------------------------------------------------------------------------------------------------------------
// Instances
// ---------------------------------------------------------------------------------------------------------------------

fn problem_of(source: SourceText) -> Problem {
    let instance = Instance::parse(source).expect("a valid instance");
    Arc::unwrap_or_clone(instance.problem::<sharing::Sharing>().expect("a problem of model sharing"))
}

fn shipped() -> Vec<(String, Problem)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("instances/sharing");
    let entries = std::fs::read_dir(folder).expect("there are instances").map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| path.extension().is_some_and(|ending| ending == "yaml")).sorted();
    files.map(|path| (path.display().to_string(), problem_of(SourceText::read(&path).unwrap()))).collect()
}

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
    let text = serde_json::to_string(&file).expect("an instance file is plain data");
    (file.name, problem_of(SourceText::new("test.json", text)))
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
    ("mixed".to_owned(), problem_of(SourceText::new("test.yaml", text)))
}

fn problems() -> Vec<(String, Problem)> {
    let random = [
        generated(Family::Paper, Detail::Lean, ServerCost::Unit, Optimum::AnyServers),
        generated(Family::Stream, Detail::Rich, ServerCost::Capacity, Optimum::FirstMOfTheOrder),
        generated(Family::Desktops, Detail::None, ServerCost::Unit, Optimum::AnyServers),
    ];
    shipped().into_iter().chain(random).chain([mixed()]).collect()
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
    let schemas = [
        ("field of `sharing`", schemars::schema_for!(Section)),
        ("field of a server", schemars::schema_for!(ServerSection)),
        ("field of a virtual machine", schemars::schema_for!(VmSection)),
    ];
    for (title, schema) in schemas {
        let properties = schema.as_value()["properties"].as_object().expect("an object has properties");
        let fields: BTreeSet<String> = properties.keys().cloned().collect();
        assert_eq!(PAGE.first_cells("Instance", title), fields, "{title}");
    }
}

#[test]
fn the_example_of_the_page_is_an_instance() {
    let yaml = PAGE.section("Instance").split("```yaml\n").nth(1).expect("an example");
    let problem = problem_of(SourceText::new("page.yaml", yaml.split("```").next().unwrap()));
    assert_eq!((problem.servers.len(), problem.vms.len()), (3, 3));
}

#[test]
fn the_page_tells_every_heuristic_with_its_parameters() {
    let all = sharing::HEURISTICS;
    let names: BTreeSet<String> = all.iter().map(|heuristic| heuristic.name().to_owned()).collect();
    assert_eq!(PAGE.first_cells("Heuristics", "heuristic"), names);
    let parameters = all.iter().flat_map(|heuristic| heuristic.parameters()).map(|parameter| parameter.name);
    let parameters: BTreeSet<String> = parameters.map(str::to_owned).collect();
    assert_eq!(PAGE.first_cells("Heuristics", "parameter"), parameters);
    // Those of a few heuristics say of which.
    for parameter in parameters.iter().filter(|name| *name != "order") {
        let takes = |name: &&str| {
            let of_name = all.iter().find(|heuristic| heuristic.name() == *name);
            of_name.is_some_and(|heuristic| heuristic.parameters().iter().any(|one| one.name == parameter))
        };
        let taking: BTreeSet<&str> = all.iter().map(|heuristic| heuristic.name()).filter(takes).collect();
        let row =
            PAGE.section("Heuristics").lines().find(|line| line.starts_with(&format!("| `{parameter}` |")));
        let cell = row.and_then(|row| row.split(" | ").nth(1)).expect("the parameter has a row");
        assert_eq!(cell.split('`').skip(1).step_by(2).collect::<BTreeSet<&str>>(), taking, "{parameter}");
    }
}

#[test]
fn the_page_tells_every_metric_with_its_unit() {
    let metrics = model_of::<Sharing>().metrics();
    for metric in &metrics {
        let row = format!("\n| `{}` | {} |", metric.name, metric.unit);
        assert!(PAGE.section("Metrics").contains(&row), "{}", metric.name);
    }
    assert_eq!(PAGE.first_cells("Metrics", "metric").len(), metrics.len());
    for of_group in metrics.iter().flat_map(|metric| metric.definition.split_whitespace()) {
        if let Some(name) = of_group.strip_suffix(":GROUP") {
            assert!(PAGE.section("Metrics").contains(&format!("`{name}:GROUP`")), "{name}");
        }
    }
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
    let rules: BTreeSet<String> = violations.iter().map(|violation| violation.rule().to_owned()).collect();
    assert_eq!(PAGE.first_cells("What the verifier checks", "violation"), rules);
}

#[test]
fn the_page_tells_every_flag_of_the_generator() {
    let told = PAGE.first_cells("Generator", "flag");
    let told: BTreeSet<&str> = told.iter().filter_map(|flag| flag.split(' ').next()).collect();
    let parameters = model_of::<Sharing>().generator_parameters();
    let flags: BTreeSet<String> =
        parameters.iter().map(|parameter| format!("--{}", parameter.name)).collect();
    // These two are the same for all models.
    let expected: BTreeSet<&str> = flags.iter().map(String::as_str).chain(["--seed", "--count"]).collect();
    assert_eq!(told, expected);
    let families =
        parameters.iter().find(|parameter| parameter.name == "family").expect("there are families");
    let families: BTreeSet<String> = families.choices.iter().map(|family| family.name.to_owned()).collect();
    let told = PAGE.first_cells("Generator", "family");
    assert_eq!(told, families);
}

/// The families of all programs: of rows, and of columns.
fn families_of(programs: &[Program]) -> (BTreeSet<String>, BTreeSet<String>) {
    let rows = programs.iter().flat_map(|program| program.row_families().into_keys()).collect();
    let columns = programs.iter().flat_map(|program| program.column_families().into_keys()).collect();
    (rows, columns)
}

fn printed(problem: &Problem) -> Option<Program> {
    Printed::new(problem).ok().map(|printed| printed.program().clone())
}

fn compact(problem: &Problem) -> Program {
    Compact::new(problem).program().clone()
}

#[test]
fn the_labels_of_page_and_code_are_the_same() {
    let problems = problems();
    let of_printed: Vec<Program> = problems.iter().filter_map(|(_, problem)| printed(problem)).collect();
    let of_compact: Vec<Program> = problems.iter().map(|(_, problem)| compact(problem)).collect();
    let programs = [("Equations", "printed", &of_printed), ("Compact formulation", "compact", &of_compact)];
    for (heading, formulation, programs) in programs {
        let (rows, columns) = families_of(programs);
        let section = PAGE.section(heading);
        assert_eq!(labels_in_tables(section, "label"), rows, "rows, {formulation}");
        assert_eq!(labels_in_tables(section, "column"), columns, "columns, {formulation}");
        let counted = labels_in_tables(PAGE.section("Creates"), &format!("family of `{formulation}`"));
        assert_eq!(counted, &rows | &columns, "table of counts, {formulation}");
    }
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
    let mut compared = 0;
    for (name, problem) in problems() {
        let (Some(program), Some((rows, columns))) = (printed(&problem), printed_counts(&problem)) else {
            continue;
        };
        assert_eq!(program.row_families(), rows, "rows, {name}");
        assert_eq!(program.column_families(), columns, "columns, {name}");
        compared += 1;
    }
    assert!(compared >= 15, "{compared}");
}

#[test]
fn the_compact_program_has_the_counts_of_the_page() {
    for (name, problem) in problems() {
        let (program, (rows, columns)) = (compact(&problem), compact_counts(&problem));
        assert_eq!(program.row_families(), rows, "rows, {name}");
        assert_eq!(program.column_families(), columns, "columns, {name}");
    }
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

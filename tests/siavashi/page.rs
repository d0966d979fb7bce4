//! The page of model siavashi says what the programs are: labels, families and counts are held against the code.

use cluster::{GpuIndex, Location, RequestIndex, WorkloadIndex};
use ground::Amount;
use itertools::Itertools;
use kit::Rule;
use mig::{
    Counts, Decomposition, GpuInstance, Hull, Profile, ProfileIndex, SliceStart, SlotMask, fill_table,
    layouts,
};
use milp::Program;
use models::InstanceFile;
use siavashi::{GeneratorOptions, MachineIndex, Mix, Problem, Residents, Siavashi};
use std::collections::{BTreeMap, BTreeSet};
use support::board;
use support::instances::{all_problems, posed, written};
use support::page::{
    Families, Page, bold_code, compare, families, labels_in_tables, set, violations_of_rules,
    violations_on_gpus, violations_on_hosts,
};
use support::siavashi::problem;

const PAGE: Page = Page(include_str!("../../models/siavashi.md"));

// ---------------------------------------------------------------------------------------------------------------------
// Instances
// ---------------------------------------------------------------------------------------------------------------------

fn generated(board_name: &str, mix: Mix, seed: u64) -> (String, Problem) {
    let options = GeneratorOptions {
        board: board(board_name),
        workloads: 24,
        load: 0.8,
        mix,
        gpus_per_machine: 3,
        residents: 0.7,
        churn: 1.5,
        setting: Residents::Evictable,
        seed,
    };
    let file = InstanceFile::of::<Siavashi>(siavashi::generate(&options));
    let problem = posed::<Siavashi>(&written(&file));
    (file.name, problem)
}

/// Two boards in one machine and a GPU outside; pins on a machine that is otherwise like another; capacities that bind on
/// one machine only; workloads alike but for one weight.
fn mixed(name: &str, settings: &str) -> (String, Problem) {
    let text = "
name: mixed
hosts:
  - {name: a, count: 3, cpu: 20, gpus: [{board: A100-40GB, count: 2}, {board: A30-24GB}]}
  - {name: b, cpu: 1000, memory_gib: 30, gpus: {board: A100-40GB}}
gpus:
  - {name: alone, board: A30-24GB, count: 2}
workloads:
  - {name: fixed, profile: 2g.10gb, cpu: 4, movable: false, current: {gpu: a-0/1, start: 2}}
  - {name: media, profile: [1g.6gb+me, 1g.5gb+me], replicas: 3, movable: false, current: [{gpu: alone-0, start: 1}, {gpu: a-0/0, start: 6}]}
  - {name: one, profile: [1g.5gb, 1g.6gb], replicas: 4, cpu: 4, memory_gib: 8, current: [{gpu: a-0/1, start: 0}, {gpu: a-1/0, start: 3}, {gpu: alone-0, start: 3}]}
  - {name: like-one, profile: [1g.5gb, 1g.6gb], replicas: 2, cpu: 4, memory_gib: 8, migration_weight: 3, current: {gpu: a-1/0, start: 5}}
  - {name: half, profile: [3g.20gb, 2g.12gb], replicas: 3, cpu: 8, acceptance_weight: 2, current: {gpu: a-1/2, start: 2}}
  - {name: ignored, profile: 4g.20gb, cpu: 8, migration_weight: 0, current: {gpu: b/0, start: 0}}
siavashi: {residents: keep";
    (name.to_owned(), problem(format!("{text}{settings}}}\n")))
}

fn problems() -> Vec<(String, Problem)> {
    let random = [
        generated("A100-40GB", Mix::Light, 1),
        generated("A30-24GB", Mix::Uniform, 2),
        generated("RTX PRO 6000 Blackwell 96GB", Mix::Heavy, 3),
    ];
    let starts = ", migration_costs: {move_machine: 4, move_gpu: 2, move_start: 1}";
    let mixed = [mixed("mixed", ""), mixed("mixed-starts", starts)];
    all_problems::<Siavashi>().into_iter().chain(random).chain(mixed).collect()
}

/// A program of a problem; `None` where the formulation does not apply.
fn program_of(problem: &Problem, formulation: &str) -> Option<Program> {
    crate::formulation(formulation).build(problem).ok().map(|formulation| formulation.program().clone())
}

/// The program of the machine level, for problems that begin with acceptance or hardware.
fn machine_level_of(problem: &Problem) -> Option<Program> {
    let formulation = crate::formulation("compact").build(problem).ok()?;
    let preliminary = formulation.preliminary()?;
    Some(preliminary.program.clone())
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
        "Settings and objectives",
        "Accepts",
        "Slots formulation",
        "Compact formulation",
        "Creates",
        "Exactness",
        "Rules of clusters",
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
fn the_page_tells_every_heuristic_with_its_parameters() {
    PAGE.check_heuristics::<Siavashi>();
}

#[test]
fn the_page_tells_every_metric_with_its_unit() {
    PAGE.check_metrics::<Siavashi>();
}

#[test]
fn the_page_names_every_rule_of_the_verifier() {
    let own = [
        siavashi::Violation::PinnedMoved { workload: String::new() },
        siavashi::Violation::Evicted { workload: String::new() },
    ];
    let hardware = violations_on_gpus().into_iter().chain(violations_on_hosts());
    let of_cluster = violations_of_rules().map(siavashi::Violation::Cluster);
    let all = hardware.map(siavashi::Violation::Hardware).chain(own).chain(of_cluster);
    PAGE.check_rules(all.map(|violation| violation.rule()));
}

/// All programs of a formulation.
fn programs(formulation: &str) -> impl Iterator<Item = Program> {
    problems().into_iter().flat_map(move |(_, problem)| {
        let smaller = if formulation == "compact" { machine_level_of(&problem) } else { None };
        program_of(&problem, formulation).into_iter().chain(smaller)
    })
}

#[test]
fn the_labels_of_page_and_code_are_the_same() {
    PAGE.check_labels("Equations", "printed", programs("printed"));
    PAGE.check_labels("Slots formulation", "slots", programs("slots"));
    PAGE.check_labels("Compact formulation", "compact", programs("compact"));
    assert_eq!(labels_in_tables(PAGE.section("Equations"), "goal"), set(&["S3", "S4", "S5"]));
    let beyond = ["Errata of the paper", "Exactness"].map(|heading| bold_code(PAGE.section(heading)).count());
    assert_eq!(beyond, [0, 0], "labels stand in the tables alone");
}

/// A file whose rules need all rows and columns, and the same without its rules.
const RULED: [&str; 2] = [
    "
name: ruled
hosts:
  - {name: a, cordoned: true, max_disrupted: 1, gpus: {board: A100-40GB}}
  - {name: b, gpus: {board: A100-40GB, count: 2}}
gpus: [{name: alone, board: A30-24GB}]
groups: [{name: far, apart: node}, {name: near, together: gpu}, {name: pod, as_one: true}, {name: pair, as_one: true}]
workloads:
  - {name: one, profile: 1g.5gb, replicas: 2, group: [pod, pair, far], current: [{gpu: a/0, start: 0}, {gpu: a/0, start: 3}]}
  - {name: two, profile: 1g.5gb, group: pair, current: {gpu: b/1, start: 2}}
  - {name: new, profile: [1g.5gb, 1g.6gb], replicas: 2, group: near}
siavashi: {max_migrations: 1, max_disrupted: 2}
",
    "
name: plain
hosts:
  - {name: a, gpus: {board: A100-40GB}}
  - {name: b, gpus: {board: A100-40GB, count: 2}}
gpus: [{name: alone, board: A30-24GB}]
workloads:
  - {name: one, profile: 1g.5gb, replicas: 2, current: [{gpu: a/0, start: 0}, {gpu: a/0, start: 3}]}
  - {name: two, profile: 1g.5gb, current: {gpu: b/1, start: 2}}
  - {name: new, profile: [1g.5gb, 1g.6gb], replicas: 2}
",
];

#[test]
fn the_labels_of_rules_on_page_and_in_code_are_the_same() {
    let slots = |text: &str| {
        let starts = "migration_costs: {move_machine: 4, move_gpu: 2, move_start: 1}";
        let text = match text.contains("siavashi: {") {
            true => text.replace("siavashi: {", &format!("siavashi: {{{starts}, ")),
            false => format!("{text}siavashi: {{{starts}}}\n"),
        };
        program_of(&problem(text), "slots").expect("it applies")
    };
    let printed = |text: &str| program_of(&problem(text), "printed").expect("it applies");
    let (mut rows, mut columns) = (BTreeSet::new(), BTreeSet::new());
    for program in [slots(RULED[0]), printed(RULED[0])] {
        rows.extend(program.row_families().into_keys());
        columns.extend(program.column_families().into_keys());
    }
    for program in [slots(RULED[1]), printed(RULED[1])] {
        let (plain_rows, plain_columns) = (program.row_families(), program.column_families());
        rows.retain(|label| !plain_rows.contains_key(label));
        columns.retain(|name| !plain_columns.contains_key(name));
    }
    let section = PAGE.section("Rules of clusters");
    assert_eq!(labels_in_tables(section, "label"), rows);
    assert_eq!(labels_in_tables(section, "column"), columns);
}

// ---------------------------------------------------------------------------------------------------------------------
// The counts of section Creates
// ---------------------------------------------------------------------------------------------------------------------

fn workloads(problem: &Problem) -> impl Iterator<Item = WorkloadIndex> + '_ {
    problem.cluster.workload_indices()
}

fn profile_on(problem: &Problem, workload: WorkloadIndex, gpu: GpuIndex) -> Option<ProfileIndex> {
    let place = Location { gpu, start: SliceStart(0) };
    Some(problem.cluster.instance_at(workload, place)?.profile)
}

/// A pair in E with its profile.
type Pair<'p> = (WorkloadIndex, GpuIndex, &'p Profile);

fn served(problem: &Problem) -> Vec<Pair<'_>> {
    let pairs = workloads(problem).cartesian_product(problem.cluster.gpu_indices().collect_vec());
    let about = |(workload, gpu)| {
        Some((workload, gpu, problem.board(gpu).profile(profile_on(problem, workload, gpu)?)))
    };
    pairs.filter_map(about).collect()
}

fn is_regular(profile: &Profile) -> bool {
    let starts = profile.starts.iter().map(|start| u32::from(start.0)).collect_vec();
    starts == (0..=starts[starts.len() - 1]).step_by(profile.size as usize).collect_vec()
}

/// How many machines have binding cores, and how many binding memory.
fn binding(problem: &Problem) -> [usize; 2] {
    let all = &problem.cluster.workloads;
    let cpu: Amount = all.iter().map(|workload| workload.cpu).sum();
    let memory: Amount = all.iter().map(|workload| workload.memory).sum();
    let machines = problem.machines.iter();
    [
        machines.clone().filter(|machine| machine.cpu.is_some_and(|capacity| capacity < cpu)).count(),
        machines.filter(|machine| machine.memory.is_some_and(|capacity| capacity < memory)).count(),
    ]
}

fn limits(problem: &Problem) -> usize {
    problem.cluster.gpu_indices().map(|gpu| problem.board(gpu).limits().len()).sum()
}

/// Rows and columns of the printed program, as section Creates counts them.
fn printed_counts(problem: &Problem) -> (Families, Families) {
    let pairs = served(problem);
    let on_machine = pairs.iter().map(|&(workload, gpu, _)| (workload, problem.machine_of(gpu))).unique();
    let on_machine = on_machine.collect_vec();
    let counts = |workload| problem.migration_weight(workload) > Amount::ZERO;
    let by_gpu = pairs.iter().map(|(_, gpu, _)| gpu).counts();
    let alpha = by_gpu.values().map(|number| number * (number - 1) / 2).sum();
    let (regular, other): (Vec<Pair<'_>>, Vec<Pair<'_>>) =
        pairs.iter().copied().partition(|(.., profile)| is_regular(profile));
    let m = on_machine.iter().filter(|&&(workload, _)| counts(workload)).count();
    let omega = pairs.iter().filter(|&&(workload, ..)| counts(workload)).count();
    let (all, gpus) = (problem.cluster.workloads.len(), problem.cluster.gpus.len());
    let [cpu, memory] = binding(problem);
    let rows = families([
        ("S6", cpu),
        ("S7", memory),
        ("S8", all),
        ("S9", all),
        ("S10", on_machine.len()),
        ("S11", pairs.len()),
        ("S12", alpha),
        ("S13", alpha),
        ("S14", regular.len()),
        ("S15", regular.len()),
        ("S16-choice", other.len()),
        ("S16-offset", other.len()),
        ("S19", on_machine.len()),
        ("S20", pairs.len()),
        ("S21", gpus),
        ("S22", m),
        ("S23", m),
        ("S24", omega),
        ("S25", omega),
        ("limit", limits(problem)),
    ]);
    let columns = families([
        ("x", on_machine.len()),
        ("y", pairs.len()),
        ("z", pairs.len()),
        ("alpha", alpha),
        ("beta", regular.iter().map(|(workload, ..)| workload).unique().count()),
        ("start", other.iter().map(|(.., profile)| profile.starts.len()).sum()),
        ("phi", problem.machines.len()),
        ("gamma", gpus),
        ("m", m),
        ("omega", omega),
    ]);
    (rows, columns)
}

/// Rows and columns of the program `slots`, as section Creates counts them.
fn slots_counts(problem: &Problem) -> (Families, Families) {
    let free = served(problem).into_iter().filter(|&(workload, ..)| !problem.is_pinned(workload));
    let pinned = workloads(problem).filter(|&workload| problem.is_pinned(workload)).count();
    let gpus = problem.cluster.gpus.len();
    let blocks = problem.cluster.gpu_indices().map(|gpu| problem.board(gpu).slots() as usize).sum();
    let [cpu, memory] = binding(problem);
    let rows = families([
        ("place", problem.cluster.workloads.len()),
        ("slot", blocks),
        ("limit", limits(problem)),
        ("gpu", gpus),
        ("cpu", cpu),
        ("memory", memory),
    ]);
    let columns = families([
        ("w", free.map(|(.., profile)| profile.starts.len()).sum::<usize>() + pinned),
        ("phi", problem.machines.len()),
        ("gamma", gpus),
    ]);
    (rows, columns)
}

/// The two programs of the formulation `compact`.
#[derive(Clone, Copy, PartialEq)]
enum Level {
    Machines,
    Bins,
}

/// What makes workloads alike: request, cores, memory, weight a, and in the bins the weight of residents.
type Likeness = (RequestIndex, Amount, Amount, Amount, Option<Amount>);

fn kinds(problem: &Problem, level: Level) -> BTreeMap<Likeness, Vec<WorkloadIndex>> {
    let alike = |&workload: &WorkloadIndex| {
        let about = &problem.cluster.workloads[workload.index()];
        let resident = about.current.filter(|_| level == Level::Bins);
        let weight = resident.map(|_| problem.migration_weight(workload));
        (about.request, about.cpu, about.memory, problem.acceptance_weight(workload), weight)
    };
    workloads(problem)
        .filter(|&workload| !problem.is_pinned(workload))
        .into_group_map_by(alike)
        .into_iter()
        .collect()
}

/// GPUs that count together.
struct Pool {
    machine: MachineIndex,
    gpus: Vec<GpuIndex>,
    maximal: Vec<Counts>,
    /// Number of facets, where these describe any number of GPUs.
    facets: Option<usize>,
}

impl Pool {
    fn takes(&self, problem: &Problem, workload: WorkloadIndex) -> bool {
        let profile = profile_on(problem, workload, self.gpus[0]);
        profile.is_some_and(|profile| self.maximal.iter().any(|fill| fill.get(profile) > 0))
    }
}

fn running(problem: &Problem, gpu: GpuIndex) -> Vec<WorkloadIndex> {
    let here = |workload| problem.current(workload).is_some_and(|place: Location| place.gpu == gpu);
    workloads(problem).filter(|&workload| here(workload)).collect()
}

fn pools(problem: &Problem, level: Level) -> Vec<Pool> {
    let apart = |gpu: &GpuIndex| {
        let on_gpu = running(problem, *gpu);
        match level {
            Level::Machines => on_gpu.iter().any(|&workload| problem.is_pinned(workload)),
            Level::Bins => !on_gpu.is_empty(),
        }
    };
    let mut pools = Vec::new();
    for machine in problem.machine_indices() {
        let (single, shared): (Vec<GpuIndex>, Vec<GpuIndex>) =
            problem.machine(machine).gpus.iter().partition(|gpu| apart(gpu));
        let shared = shared.into_iter().into_group_map_by(|gpu| problem.cluster.gpus[gpu.index()].board);
        let groups = single.into_iter().map(|gpu| vec![gpu]).chain(shared.into_values());
        pools.extend(groups.map(|gpus| pool(problem, machine, gpus)));
    }
    pools
}

fn pool(problem: &Problem, machine: MachineIndex, gpus: Vec<GpuIndex>) -> Pool {
    let gpu = gpus[0];
    let board = problem.board(gpu);
    let (mut occupied, mut left) = (SlotMask::EMPTY, board.full_limits());
    for workload in running(problem, gpu).into_iter().filter(|&workload| problem.is_pinned(workload)) {
        let place = problem.current(workload).expect("it runs");
        let instance = problem.cluster.instance_at(workload, place).expect("a legal state");
        occupied = occupied.union(board.footprint(instance));
        left = left.take(board, instance.profile).expect("a legal state");
    }
    let free = workloads(problem).filter(|&workload| !problem.is_pinned(workload));
    let wanted =
        free.filter_map(|workload| profile_on(problem, workload, gpu)).sorted().dedup().collect_vec();
    let fills = fill_table(board, occupied, &left).of_profiles(&wanted);
    let hull = Hull::of(&fills).filter(|hull| hull.decomposition() == Decomposition::Holds);
    let maximal = fills.maximal().into_iter().cloned().collect();
    Pool { machine, gpus, maximal, facets: hull.map(|hull| hull.facets().len()) }
}

/// The residents of a GPU for which another start costs something, with their kinds.
fn shiftable(problem: &Problem, gpu: GpuIndex) -> Vec<(Likeness, GpuInstance)> {
    let kinds = kinds(problem, Level::Bins);
    let here = running(problem, gpu).into_iter();
    let costs = |&workload: &WorkloadIndex| {
        !problem.is_pinned(workload) && problem.weighted(problem.costs.move_start, workload) > Amount::ZERO
    };
    let with_kind = |workload: WorkloadIndex| {
        let kind = kinds.iter().find(|(_, members)| members.contains(&workload)).expect("it is not pinned").0;
        let place = problem.current(workload).expect("it runs");
        (*kind, problem.cluster.instance_at(workload, place).expect("a legal state"))
    };
    here.filter(costs).map(with_kind).collect()
}

/// The layouts of such a GPU that are maximal in what they hold, by profile, and in what they keep, by kind.
fn kept_fills(problem: &Problem, gpu: GpuIndex) -> usize {
    let (board, residents) = (problem.board(gpu), shiftable(problem, gpu));
    let fixed: Vec<GpuInstance> = running(problem, gpu)
        .into_iter()
        .filter(|&workload| problem.is_pinned(workload))
        .map(|workload| problem.cluster.instance_at(workload, problem.current(workload).unwrap()).unwrap())
        .collect();
    let free = workloads(problem).filter(|&workload| !problem.is_pinned(workload));
    let wanted: Vec<ProfileIndex> = free.filter_map(|workload| profile_on(problem, workload, gpu)).collect();
    let profiles: Vec<ProfileIndex> = board.profile_indices().collect();
    let all: BTreeSet<(Counts, Vec<u32>)> = layouts(board, &profiles)
        .into_iter()
        .filter(|layout| fixed.iter().all(|instance| layout.contains(instance)))
        .filter_map(|layout| {
            let added: Vec<GpuInstance> =
                layout.into_iter().filter(|instance| !fixed.contains(instance)).collect();
            added.iter().all(|instance| wanted.contains(&instance.profile)).then_some(added)
        })
        .map(|added| {
            let kept = |kind: &Likeness| {
                residents.iter().filter(|(other, home)| other == kind && added.contains(home)).count() as u32
            };
            let kinds: BTreeSet<&Likeness> = residents.iter().map(|(kind, _)| kind).collect();
            let counts = Counts::from_instances(board.profiles().len(), &added);
            (counts, kinds.into_iter().map(kept).collect())
        })
        .collect();
    let is_below = |one: &(Counts, Vec<u32>), other: &(Counts, Vec<u32>)| {
        one.0.fits_within(&other.0) && one.1.iter().zip(&other.1).all(|(few, many)| few <= many)
    };
    all.iter().filter(|one| !all.iter().any(|other| *one != other && is_below(one, other))).count()
}

/// Machines that may change places, less one in each group of those that are alike.
fn order_rows(problem: &Problem, level: Level) -> usize {
    let is_free = |machine: &MachineIndex| {
        let on_machine = problem.machine(*machine).gpus.iter().flat_map(|&gpu| running(problem, gpu));
        on_machine.filter(|&workload| level == Level::Bins || problem.is_pinned(workload)).count() == 0
    };
    let shape = |machine: &MachineIndex| {
        let about = problem.machine(*machine);
        let boards = about.gpus.iter().map(|gpu| problem.cluster.gpus[gpu.index()].board).collect_vec();
        (boards, about.cpu, about.memory, about.weight, about.gpu_weight)
    };
    let groups = problem.machine_indices().filter(is_free).counts_by(|machine| shape(&machine));
    groups.values().map(|size| size - 1).sum()
}

/// Rows and columns of a program of the formulation `compact`, as section Creates counts them.
fn compact_counts(problem: &Problem, level: Level) -> (Families, Families) {
    let (kinds, pools) = (kinds(problem, level), pools(problem, level));
    let profiles = |pool: &Pool| problem.board(pool.gpus[0]).profiles().len();
    let without_facets = || pools.iter().filter(|pool| pool.facets.is_none());
    let [cpu, memory] = binding(problem);
    let pairs = |holds: &dyn Fn(&[WorkloadIndex], &Pool) -> bool| {
        kinds.values().cartesian_product(&pools).filter(|(members, pool)| holds(members, pool)).count()
    };
    let machine_of = |workload: WorkloadIndex| {
        let gpu = problem.current(workload).expect("kinds of residents run").gpu;
        (gpu, problem.machine_of(gpu))
    };
    let is_resident = |members: &[WorkloadIndex]| problem.current(members[0]).is_some();
    let comes = |members: &[WorkloadIndex], pool: &Pool, from: &dyn Fn(GpuIndex, MachineIndex) -> bool| {
        let mut sources = members.iter().map(|&workload| machine_of(workload));
        is_resident(members)
            && pool.takes(problem, members[0])
            && sources.any(|(gpu, machine)| from(gpu, machine))
    };
    let own = match level {
        Level::Machines => {
            vec![("n", pairs(&|members, pool| pool.takes(problem, members[0])))]
        }
        Level::Bins => vec![
            ("stay", pairs(&|members, pool| comes(members, pool, &|gpu, _| pool.gpus == [gpu]))),
            (
                "intra",
                pairs(&|members, pool| {
                    comes(members, pool, &|gpu, machine| machine == pool.machine && pool.gpus != [gpu])
                }),
            ),
            ("inter", pairs(&|members, pool| comes(members, pool, &|_, machine| machine != pool.machine))),
            ("new", pairs(&|members, pool| !is_resident(members) && pool.takes(problem, members[0]))),
        ],
    };
    let shifting: Vec<GpuIndex> = match level {
        Level::Machines => Vec::new(),
        Level::Bins => {
            problem.cluster.gpu_indices().filter(|&gpu| !shiftable(problem, gpu).is_empty()).collect()
        }
    };
    let keep = |&gpu: &GpuIndex| {
        let kinds: BTreeSet<Likeness> = shiftable(problem, gpu).into_iter().map(|(kind, _)| kind).collect();
        kinds.len()
    };
    let keep: usize = shifting.iter().map(keep).sum();
    let own_rows = match level {
        Level::Machines => Vec::new(),
        Level::Bins => {
            let residents = kinds.values().filter(|members| is_resident(members));
            let from = residents.map(|members| members.iter().map(|&one| machine_of(one).1).unique().count());
            let profiles = shifting.iter().map(|&gpu| problem.board(gpu).profiles().len());
            vec![
                ("stay", own[0].1),
                ("from", from.sum()),
                ("keep", keep),
                ("keep-layout", keep),
                ("layout-hold", profiles.sum()),
                ("layout-choose", shifting.len()),
            ]
        }
    };
    let rows = families(
        [
            ("gpus", pools.len()),
            ("facet", pools.iter().filter_map(|pool| pool.facets).sum()),
            ("hold", without_facets().map(profiles).sum()),
            ("choose", without_facets().count()),
            ("cpu", cpu),
            ("memory", memory),
            ("sum", 2),
            ("total", kinds.len()),
            ("order", order_rows(problem, level)),
        ]
        .into_iter()
        .chain(own_rows),
    );
    let columns = families(
        [
            ("phi", problem.machines.len()),
            ("Gamma", pools.len()),
            ("sum", 2),
            ("pattern", without_facets().map(|pool| pool.maximal.len()).sum()),
            ("keep", keep),
            ("layout", shifting.iter().map(|&gpu| kept_fills(problem, gpu)).sum()),
        ]
        .into_iter()
        .chain(own),
    );
    (rows, columns)
}

#[test]
fn the_printed_program_has_the_counts_of_the_page() {
    let printed = |problem: &_| Some((program_of(problem, "printed")?, printed_counts(problem)));
    assert!(compare(problems(), printed) >= 20);
}

#[test]
fn the_slots_program_has_the_counts_of_the_page() {
    let slots = |problem: &_| Some((program_of(problem, "slots")?, slots_counts(problem)));
    assert!(compare(problems(), slots) >= 20);
}

#[test]
fn the_compact_programs_have_the_counts_of_the_page() {
    let bins = |problem: &_| Some((program_of(problem, "compact")?, compact_counts(problem, Level::Bins)));
    let machines = |problem: &_| Some((machine_level_of(problem)?, compact_counts(problem, Level::Machines)));
    assert!(compare(problems(), bins) >= 20 && compare(problems(), machines) >= 18);
}

#[test]
fn the_instances_cover_what_the_formulas_distinguish() {
    let all = problems();
    let covers = |what: &dyn Fn(&Problem) -> bool| assert!(all.iter().any(|(_, problem)| what(problem)));
    covers(&|problem| problem.cluster.boards.len() > 1);
    covers(&|problem| workloads(problem).any(|workload| problem.is_pinned(workload)));
    covers(&|problem| served(problem).iter().any(|(.., profile)| !is_regular(profile)));
    covers(&|problem| pools(problem, Level::Bins).iter().any(|pool| pool.facets.is_none()));
    covers(&|problem| pools(problem, Level::Bins).iter().any(|pool| pool.gpus.len() > 1));
    covers(&|problem| order_rows(problem, Level::Machines) > 0);
    covers(&|problem| order_rows(problem, Level::Bins) > 0);
    covers(&|problem| binding(problem)[0] > 0 && binding(problem)[1] > 0);
    covers(&|problem| problem.machines.iter().any(|machine| machine.host.is_none()));
    covers(&|problem| problem.never_placeable().next().is_some());
    covers(&|problem| problem.starts_cost());
}

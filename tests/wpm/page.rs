//! The page of model wpm says what the programs are: labels, families and counts are held against the code.

use cluster::{Cluster, GpuIndex, Maintenance, RequestIndex, WorkloadIndex};
use ground::Amount;
use itertools::Itertools;
use kit::Rule;
use mig::{
    Counts, ProfileIndex, Remaining, SlotMask, catalogue, check_bin_view, fill_table, free_partitions,
    occupancy_masks, partition_fill_table, patterns,
};
use milp::Program;
use models::InstanceFile;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use support::instances::{posed, problem, written};
use support::page::{
    Families, Page, bold_code, compare, families, families_of, set, violations_of_rules, violations_on_gpus,
    violations_on_hosts,
};
use wpm::{GpuRole, Problem, Role, UseCase};

const PAGE: Page = Page(include_str!("../../models/wpm.md"));
const USE_CASES: [UseCase; 4] =
    [UseCase::Initial, UseCase::Compaction, UseCase::Reconfiguration, UseCase::Joint];

// ---------------------------------------------------------------------------------------------------------------------
// Instances
// ---------------------------------------------------------------------------------------------------------------------

fn generated(options: &wpm::GeneratorOptions) -> Problem {
    posed::<wpm::Wpm>(&written(&InstanceFile::of::<wpm::Wpm>(wpm::generate(options))))
}

/// Random instances of every use case, with and without pinned workloads, on three kinds of boards.
fn generated_problems() -> Vec<(String, Problem)> {
    let shapes = [
        ("A100-80GB", 4, 0.0),
        ("A100-80GB", 9, 0.3),
        ("A30-24GB", 7, 0.2),
        ("RTX PRO 6000 Blackwell 96GB", 5, 0.2),
    ];
    let all = shapes.into_iter().cartesian_product(USE_CASES).cartesian_product([1, 2]);
    all.map(|(((board, gpus, pinned_share), use_case), seed)| {
        let on = support::board(board);
        let options =
            wpm::GeneratorOptions { gpus, board: on, seed, use_case, pinned_share, ..Default::default() };
        (format!("{use_case} on {gpus} x {board}, seed {seed}"), generated(&options))
    })
    .collect()
}

/// Three board types; profile alternatives; rewards and migration costs that differ inside a profile, so that the limit
/// on media extensions is contested; a pin.
fn mixed(use_case: UseCase) -> (String, Problem) {
    let text = format!(
        "
name: mixed
gpus:
  - {{name: a, board: A100-80GB, count: 3}}
  - {{name: h, board: H100-80GB, count: 2}}
  - {{name: e, board: A30-24GB, count: 3}}
workloads:
  - {{name: chat, profile: 3g.40gb, replicas: 3, current: [{{gpu: a-0, start: 0}}, {{gpu: h-0, start: 4}}]}}
  - {{name: code, profile: 2g.20gb, replicas: 2, migration_cost: 9, current: [{{gpu: a-0, start: 4}}, {{gpu: a-1, start: 0}}]}}
  - {{name: media, profile: [1g.6gb+me, 1g.10gb+me], replicas: 3, reward: 15, current: [{{gpu: a-1, start: 3}}, {{gpu: e-0, start: 1}}]}}
  - {{name: urgent, profile: [1g.6gb+me, 1g.10gb+me], replicas: 2, reward: 50}}
  - {{name: wide, profile: [2g.12gb+me], current: {{gpu: e-1, start: 0}}, movable: false}}
  - {{name: rank, profile: [2g.12gb, 1g.20gb], replicas: 3, current: [{{gpu: e-1, start: 2}}, {{gpu: h-1, start: 6}}]}}
wpm: {{use_case: {use_case}, costs: {{gpu: 10, repartition: 6, waste: 1, boards: {{A30-24GB: {{gpu: 4}}}}}}}}
"
    );
    (format!("{use_case}, three boards"), problem::<wpm::Wpm>(text))
}

/// The same problem with every third GPU cordoned and every third one to be drained.
fn with_maintenance((name, problem): (String, Problem)) -> (String, Problem) {
    let mut gpu_roles = problem.gpu_roles.clone();
    let mut cluster = Cluster::clone(&problem.cluster);
    let states = [Maintenance::Cordoned, Maintenance::InService, Maintenance::Draining];
    for (gpu, maintenance) in cluster.gpus.iter_mut().zip(states.into_iter().cycle()) {
        gpu.maintenance = maintenance;
    }
    let is_empty = |gpu: usize| problem.residents[gpu].is_empty();
    for (gpu, role) in gpu_roles.iter_mut().enumerate() {
        if is_empty(gpu) && !cluster.gpus[gpu].maintenance.is_in_service() {
            *role = GpuRole::NotConsidered;
        }
    }
    (
        format!("{name}, some GPUs out of service"),
        Problem { cluster: Arc::new(cluster), gpu_roles, ..problem },
    )
}

fn problems() -> Vec<(String, Problem)> {
    let all: Vec<_> = generated_problems().into_iter().chain(USE_CASES.map(mixed)).collect();
    let out_of_service = all.clone().into_iter().map(with_maintenance);
    all.clone().into_iter().chain(out_of_service).collect()
}

fn program_of(problem: &Problem, formulation: &str) -> Program {
    crate::formulation(formulation).build(problem).expect("the formulation applies").program().clone()
}

// ---------------------------------------------------------------------------------------------------------------------
// The page
// ---------------------------------------------------------------------------------------------------------------------

fn is_row_label(text: &str) -> bool {
    let mut letters = text.chars();
    matches!(letters.next(), Some('A' | 'W')) && letters.next().is_some_and(|next| next.is_ascii_digit())
}

fn row_labels(text: &str) -> BTreeSet<String> {
    bold_code(text).filter(|code| is_row_label(code)).map(str::to_owned).collect()
}

fn column_families(text: &str) -> BTreeSet<String> {
    bold_code(text).filter(|code| !is_row_label(code)).map(str::to_owned).collect()
}

/// The programs of all problems under some formulations.
fn programs(formulations: &[&str]) -> Vec<Program> {
    let all = problems().into_iter().cartesian_product(formulations);
    all.map(|((_, problem), formulation)| program_of(&problem, formulation)).collect()
}

#[test]
fn the_page_has_its_fixed_headings_in_order() {
    let expected = [
        "Sets and parameters",
        "Boards",
        "Equations",
        "Errata of the paper",
        "Use cases",
        "Rules of clusters",
        "Objectives",
        "Accepts",
        "Compact formulation",
        "Creates",
        "Exactness",
        "Exact-index formulation",
        "Indexing step",
        "Search",
        "Certificate",
        "What the verifier checks",
        "Heuristics",
        "Generator",
        "Reference",
    ];
    assert_eq!(PAGE.headings(), expected);
}

#[test]
fn the_page_tells_every_heuristic() {
    PAGE.check_heuristics::<wpm::Wpm>();
}

#[test]
fn the_row_labels_of_page_and_code_are_the_same() {
    let (printed, _) = families_of(programs(&["printed"]));
    assert_eq!(row_labels(PAGE.section("Equations")), &printed | &set(&["W2a"]), "printed program");
    let (compact, _) = families_of(programs(&["compact", "exact-index"]));
    assert_eq!(row_labels(PAGE.section("Compact formulation")), compact, "aggregated programs");
    assert_eq!(row_labels(PAGE.section("Creates")), &printed | &compact, "table of counts");
}

#[test]
fn the_column_families_of_page_and_code_are_the_same() {
    let (_, printed) = families_of(programs(&["printed"]));
    assert_eq!(column_families(PAGE.section("Equations")), printed, "printed program");
    let (_, compact) = families_of(programs(&["compact", "exact-index"]));
    assert_eq!(column_families(PAGE.section("Compact formulation")), compact, "aggregated programs");
    assert_eq!(column_families(PAGE.section("Creates")), &printed | &compact, "table of counts");
}

/// Of all rules at once, what the program without them does not have.
#[test]
fn the_rules_of_clusters_of_page_and_code_are_the_same() {
    let text = "
name: rules
hosts: [{name: n, cpu: 3, max_disrupted: 1, gpus: {board: A100-80GB, count: 2}}]
gpus: [{name: c, board: A100-80GB}]
groups: [{name: far, apart: gpu, as_one: true}, {name: near, together: node, as_one: true}]
workloads:
  - {name: w, profile: 1g.10gb, cpu: 2, group: [far, near], replicas: 2, current: [{gpu: n/0, start: 0}, {gpu: c, start: 0}]}
wpm: {max_migrations: 1, max_disrupted: 1, host_resources: true}
";
    let (rows, columns) = families_of([program_of(&problem::<wpm::Wpm>(text), "printed")]);
    let (usual_rows, usual_columns) = families_of(programs(&["printed"]));
    let section = PAGE.section("Rules of clusters");
    assert_eq!(row_labels(section), &rows - &usual_rows);
    assert_eq!(column_families(section), &columns - &usual_columns);
}

#[test]
fn the_page_names_every_rule_of_the_verifier() {
    let (workload, gpu) = (String::new, String::new);
    let own = [
        wpm::Violation::PinnedMoved { workload: workload() },
        wpm::Violation::NotConsidered { workload: workload() },
        wpm::Violation::FreeGpuUsed { gpu: gpu() },
        wpm::Violation::OccupiedSlotsReused { workload: workload(), gpu: gpu() },
        wpm::Violation::PinnedRepartitioned { gpu: gpu() },
        wpm::Violation::NothingToRepartition { gpu: gpu() },
        wpm::Violation::NotLaidOutAnew { gpu: gpu() },
        wpm::Violation::RepartitionedOutOfService { gpu: gpu() },
        wpm::Violation::Pending { workload: workload() },
    ];
    let hardware = violations_on_gpus().into_iter().chain(violations_on_hosts());
    let of_cluster = violations_of_rules().map(wpm::Violation::Cluster);
    let all = hardware.map(wpm::Violation::Hardware).chain(own).chain(of_cluster);
    PAGE.check_rules(all.map(|violation| violation.rule()));
}

// ---------------------------------------------------------------------------------------------------------------------
// The counts of section Creates
// ---------------------------------------------------------------------------------------------------------------------

/// All slots that are occupied on a GPU at first.
fn occupied(problem: &Problem, gpu: GpuIndex) -> SlotMask {
    let instances =
        problem.residents[gpu.index()].iter().filter_map(|&workload| problem.current_instance(workload));
    problem.board(gpu).used_slots(&instances.collect_vec())
}

fn profile_on(problem: &Problem, workload: WorkloadIndex, board: usize) -> Option<ProfileIndex> {
    let request = problem.cluster.workloads[workload.index()].request;
    problem.cluster.requests[request.index()].on_board[board]
}

/// Rows and columns of the printed program, as section Creates counts them.
fn printed_counts(problem: &Problem) -> (Families, Families) {
    let with_role =
        |role: GpuRole| problem.cluster.gpu_indices().filter(move |&gpu| problem.gpu_role(gpu) == role);
    let in_state = |gpu: &GpuIndex, state| problem.cluster.gpus[gpu.index()].maintenance == state;
    let in_service = |gpu: &GpuIndex| in_state(gpu, Maintenance::InService);
    let free = with_role(GpuRole::Free).collect_vec();
    let twins = with_role(GpuRole::Occupied).filter(in_service).collect_vec();
    let cordoned = with_role(GpuRole::Occupied).filter(|gpu| in_state(gpu, Maintenance::Cordoned));
    let stayable = if problem.use_case == UseCase::Reconfiguration { Vec::new() } else { twins.clone() };
    let as_is = with_role(GpuRole::Pinned).chain(stayable.iter().copied()).chain(cordoned).collect_vec();
    let whole =
        free.iter().chain(&twins).map(|&gpu| (gpu, problem.board(gpu).compute(), problem.board(gpu).slots()));
    let parts = as_is.iter().filter(|gpu| in_service(gpu)).flat_map(|&gpu| {
        let parts = free_partitions(problem.board(gpu), occupied(problem, gpu));
        parts.into_iter().map(move |part| (gpu, part.compute, part.size))
    });
    let parts = parts.collect_vec();
    let bins = whole.chain(parts.iter().copied()).collect_vec();
    let fits = |&(gpu, compute, size): &(GpuIndex, u32, u32)| {
        let profiles = problem
            .decided()
            .filter_map(move |workload| profile_on(problem, workload, problem.board_index(gpu).index()));
        let profiles = profiles.map(move |profile| problem.board(gpu).profile(profile));
        profiles.filter(|profile| profile.compute <= compute && profile.size <= size).count()
    };
    let not_drained = as_is.iter().filter(|gpu| !in_state(gpu, Maintenance::Draining));
    let movable = not_drained.flat_map(|gpu| &problem.residents[gpu.index()]);
    let movable = movable.filter(|&&workload| problem.role(workload) == Role::Resident).count();
    let limits = |gpus: &[GpuIndex]| gpus.iter().map(|&gpu| problem.board(gpu).limits().len()).sum::<usize>();
    let (all, opened) = (bins.len(), free.len() + twins.len());
    let rows = families([
        ("W2b", opened),
        ("W2c", parts.len()),
        ("W2d", as_is.len()),
        ("W2d'", as_is.len()),
        ("W2e", problem.decided().count()),
        ("W2f", all),
        ("W2g", all),
        ("W2h", stayable.len()),
        ("W2i", all),
        ("W2j-lower", all),
        ("W2j-upper", all),
        ("W2k", all),
        ("W2l", limits(&free) + limits(&twins) + limits(&as_is)),
    ]);
    let columns = families([
        ("x", bins.iter().map(fits).sum()),
        ("y", opened + as_is.len()),
        ("z", parts.len()),
        ("s", movable),
        ("u", all),
        ("v", all),
        ("U", all),
        ("V", all),
        ("delta", all),
    ]);
    (rows, columns)
}

/// A pool: what a workload asks for and what placing it earns.
type Pool = (RequestIndex, Amount);
/// A class of residents on one board type: their pool and their cost of migration.
type Class = (Pool, Amount);
/// Residents by class.
type Contents = BTreeMap<Class, u32>;
/// What can be added, with the waste of it.
type Additions = BTreeMap<Counts, u32>;

fn pool_of(problem: &Problem, workload: WorkloadIndex) -> Pool {
    (problem.cluster.workloads[workload.index()].request, problem.costs.reward_of(workload))
}

/// All contents with no more of any class than `contents`; classes for which `fixed` holds keep their number.
fn below(contents: &Contents, fixed: impl Fn(&Class) -> bool) -> Vec<Contents> {
    contents.iter().fold(vec![Contents::new()], |found, (class, &number)| {
        let least = if fixed(class) { number } else { 0 };
        let extended = found.iter().cartesian_product(least..=number).map(|(contents, number)| {
            let mut contents = contents.clone();
            contents.insert(*class, number);
            contents
        });
        extended.collect()
    })
}

/// What one board type contributes to the compact program, as section Creates counts it.
#[derive(Default)]
struct KindCounts {
    keep: usize,
    fill: usize,
    fresh: usize,
    leave: usize,
    cross: usize,
    take: usize,
    assign: usize,
    a1: usize,
    a2: usize,
    a4: usize,
    a5: usize,
}

fn kind_counts(problem: &Problem, number: usize) -> KindCounts {
    let board = problem.cluster.boards[number].as_ref();
    let profile_of = |workload| profile_on(problem, workload, number);
    let mut demand = Counts::zero(board.profiles().len());
    let mut pools: BTreeMap<Pool, ProfileIndex> = BTreeMap::new();
    for (workload, profile) in
        problem.decided().filter_map(|workload| Some((workload, profile_of(workload)?)))
    {
        demand = demand.add_one(profile);
        pools.insert(pool_of(problem, workload), profile);
    }
    let contested = |profile: ProfileIndex| {
        let users = |limit: &mig::Limit| pools.values().filter(|&&user| limit.usage_of(user) > 0).count();
        board.limits().iter().any(|limit| limit.usage_of(profile) > 0 && users(limit) > 1)
    };
    let gpus = problem.cluster.gpu_indices().filter(|&gpu| problem.board_index(gpu).index() == number);
    let (mut classes, mut states, mut nodes) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut anew = 0;
    for gpu in gpus {
        let pinned = match problem.gpu_role(gpu) {
            GpuRole::Pinned => true,
            GpuRole::Occupied => false,
            GpuRole::Free => {
                anew += 1;
                continue;
            }
            GpuRole::NotConsidered => continue,
        };
        let mut contents = Contents::new();
        let mut left: Remaining = board.full_limits();
        for &resident in &problem.residents[gpu.index()] {
            if problem.role(resident) == Role::Resident {
                let class = (pool_of(problem, resident), problem.costs.migration_of(resident));
                *contents.entry(class).or_default() += 1;
            } else {
                left = left.take(board, profile_of(resident).expect("it runs here")).expect("a legal state");
            }
        }
        let after = |kept: &Contents| {
            let kept = kept
                .iter()
                .flat_map(|((pool, _), &number)| std::iter::repeat_n(pools[pool], number as usize));
            kept.fold(left.clone(), |left, profile| left.take(board, profile).expect("a legal state"))
        };
        let additions = |kept: &Contents| -> Additions {
            let table = fill_table(board, occupied(problem, gpu), &after(kept)).waste_of;
            table.into_iter().filter(|(added, _)| !added.is_zero() && added.fits_within(&demand)).collect()
        };
        let may_stay = pinned || problem.use_case != UseCase::Reconfiguration;
        let maintenance = problem.cluster.gpus[gpu.index()].maintenance;
        let departs = !pinned && maintenance == Maintenance::InService;
        let nothing = || contents.keys().map(|class| (*class, 0)).collect::<Contents>();
        let ways = match maintenance {
            Maintenance::InService if may_stay => below(&contents, |(pool, _)| !contested(pools[pool])),
            Maintenance::InService => Vec::new(),
            Maintenance::Cordoned if pinned => vec![contents.clone()],
            Maintenance::Cordoned => vec![contents.clone(), nothing()],
            Maintenance::Draining => vec![nothing()],
        };
        let takes = |kept: &Contents| match maintenance {
            Maintenance::InService => additions(kept),
            Maintenance::Cordoned | Maintenance::Draining => Additions::new(),
        };
        let ways: BTreeMap<Contents, Additions> =
            ways.into_iter().map(|kept| (kept.clone(), takes(&kept))).collect();
        states.extend(ways.values().cloned());
        if departs {
            anew += 1;
            nodes.extend(below(&contents, |_| false).into_iter().map(without_zeros));
        }
        classes.insert((contents, pinned, departs, ways));
    }
    let laid_out: BTreeSet<Counts> = patterns(board)
        .waste_of
        .into_keys()
        .filter(|counts| anew > 0 && counts.fits_within(&demand))
        .collect();
    let steps = laid_out.iter().cartesian_product(board.profile_indices().collect_vec());
    KindCounts {
        keep: classes.iter().map(|(_, _, _, ways)| ways.len()).sum(),
        fill: states.iter().map(BTreeMap::len).sum(),
        fresh: laid_out.len().saturating_sub(1),
        leave: nodes.iter().map(BTreeMap::len).sum(),
        cross: nodes.len(),
        take: steps.filter(|(counts, profile)| laid_out.contains(&counts.add_one(*profile))).count(),
        assign: pools.len(),
        a1: states.iter().filter(|state| !state.is_empty()).count(),
        a2: classes.iter().filter(|(_, _, departs, ways)| !departs || ways.len() > 1).count(),
        a4: laid_out.len().max(1),
        a5: pools.values().unique().count(),
    }
}

fn without_zeros(mut contents: Contents) -> Contents {
    contents.retain(|_, number| *number > 0);
    contents
}

/// Rows and columns of the compact program, as section Creates counts them.
fn compact_counts(problem: &Problem) -> (Families, Families) {
    let kinds = (0..problem.cluster.boards.len()).map(|number| kind_counts(problem, number)).collect_vec();
    let total = |of: &dyn Fn(&KindCounts) -> usize| kinds.iter().map(of).sum::<usize>();
    let pools = problem.decided().map(|workload| pool_of(problem, workload)).unique().count();
    let joint = usize::from(kinds.len() > 1);
    let rows = families([
        ("A1", total(&|kind| kind.a1)),
        ("A2", total(&|kind| kind.a2)),
        ("A3", total(&|kind| kind.cross)),
        ("A4", total(&|kind| kind.a4)),
        ("A5", total(&|kind| kind.a5)),
        ("A6", pools),
        ("A7", kinds.len()),
        ("A8", joint),
    ]);
    let columns = families([
        ("keep", total(&|kind| kind.keep)),
        ("fill", total(&|kind| kind.fill)),
        ("fresh", total(&|kind| kind.fresh)),
        ("leave", total(&|kind| kind.leave)),
        ("cross", total(&|kind| kind.cross)),
        ("take", total(&|kind| kind.take)),
        ("assign", total(&|kind| kind.assign)),
        ("pending", pools),
        ("gpus", kinds.len() + joint),
    ]);
    (rows, columns)
}

#[test]
fn the_printed_program_has_the_counts_of_the_page() {
    compare(problems(), |problem| Some((program_of(problem, "printed"), printed_counts(problem))));
}

#[test]
fn the_compact_program_has_the_counts_of_the_page() {
    compare(problems(), |problem| Some((program_of(problem, "compact"), compact_counts(problem))));
}

#[test]
fn the_instances_cover_what_the_formulas_distinguish() {
    let all = problems();
    assert!(all.len() >= 20);
    for use_case in USE_CASES {
        let with_pins = |problem: &Problem| problem.gpu_roles.contains(&GpuRole::Pinned);
        assert!(all.iter().any(|(_, problem)| problem.use_case == use_case && with_pins(problem)));
    }
    let has = |family: &str| all.iter().any(|(_, problem)| compact_counts(problem).0.contains_key(family));
    assert!(has("A2") && has("A8"), "some GPU may stay in several ways, and some cluster has several boards");
    let drops = |problem: &Problem| {
        problem.use_case == UseCase::Joint && compact_counts(problem).0.contains_key("A2")
    };
    assert!(all.iter().any(|(_, problem)| drops(problem)), "some limit is contested");
}

#[test]
fn the_compact_program_does_not_grow_with_the_cluster() {
    let size = |gpus, use_case| {
        let options = wpm::GeneratorOptions { gpus, use_case, ..Default::default() };
        program_of(&generated(&options), "compact").sizes()
    };
    for use_case in USE_CASES {
        let size = size(8_000, use_case);
        assert!(size.columns <= 2_100 && size.rows <= 300, "{use_case}: {size:?}");
    }
    let (large, huge) = (size(8_000, UseCase::Joint), size(100_000, UseCase::Joint));
    assert!(huge.columns <= large.columns + 40 && huge.rows <= large.rows + 4, "{large:?} grew to {huge:?}");
}

// ---------------------------------------------------------------------------------------------------------------------
// What section Exactness presumes of the boards
// ---------------------------------------------------------------------------------------------------------------------

#[test]
fn the_boards_of_the_catalogue_are_bins_even_when_residents_give_their_limits_back() {
    for board in catalogue().boards() {
        assert_eq!(check_bin_view(board), Ok(()));
        for mask in occupancy_masks(board) {
            let full = board.full_limits();
            let (bins, slots) = (partition_fill_table(board, mask, &full), fill_table(board, mask, &full));
            assert_eq!(bins, slots, "{} with {mask:?} occupied", board.name());
        }
    }
}

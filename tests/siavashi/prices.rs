//! Intervals with so many machines that stages are left to prices of machines.

use ground::Amount;
use kit::{Formulation, SolveOptions, Status};
use models::InstanceFile;
use siavashi::{
    COMPACT, COMPACT_BY_PRICES, COMPACT_BY_PROGRAMS, COMPACT_BY_TIGHT_MACHINES, GeneratorOptions, Mix,
    Problem, Residents, Solved, Staged, verify,
};
use solver::{Control, Effort, Solver};
use solvers::solvers;
use std::time::Duration;
use support::instances::{instance, posed, written};

/// What an interval is drawn with.
fn options(
    mix: Mix,
    workloads: u32,
    load: f64,
    setting: Residents,
    gpus_per_machine: u32,
) -> GeneratorOptions {
    GeneratorOptions {
        workloads,
        load,
        mix,
        gpus_per_machine,
        setting,
        seed: 3,
        ..GeneratorOptions::default()
    }
}

fn interval(mix: Mix, workloads: u32, load: f64, setting: Residents, gpus_per_machine: u32) -> Problem {
    drawn(&options(mix, workloads, load, setting, gpus_per_machine))
}

fn drawn(options: &GeneratorOptions) -> Problem {
    drawn_with(options, 0)
}

/// What is drawn, where another start on the same GPU costs so much.
fn drawn_with(options: &GeneratorOptions, move_start: i128) -> Problem {
    let mut draft = siavashi::generate(options);
    draft
        .section
        .iter_mut()
        .for_each(|section| section.migration_costs.move_start = Amount::whole(move_start));
    posed::<siavashi::Siavashi>(&written(&InstanceFile::of::<siavashi::Siavashi>(draft)))
}

fn solve(problem: &Problem, formulation: &Staged, options: &SolveOptions) -> Solved {
    formulation.solve(problem, None, options, &Control::silent()).unwrap()
}

fn exact(solver: &'static dyn Solver) -> SolveOptions {
    SolveOptions::exact(solver)
}

/// Values and bounds of all stages, checked against the verifier.
fn stages(problem: &Problem, solved: &Solved) -> Vec<String> {
    assert_eq!(solved.status, Status::Optimal, "{:?}", solved.stages);
    let (placement, score) = solved.best.as_ref().unwrap();
    let verdict = verify(problem, placement);
    assert_eq!((verdict.violations, &verdict.score), (Vec::new(), score));
    solved.stages.iter().map(|stage| format!("{} {:?} {:?}", stage.name, stage.value, stage.bound)).collect()
}

#[test]
fn prices_and_programs_agree_on_whole_intervals() {
    let drawn = [
        (Mix::Trace, 30, 1.0, Residents::Evictable, 2),
        (Mix::Trace, 30, 0.8, Residents::Keep, 2),
        (Mix::Uniform, 30, 0.6, Residents::Keep, 2),
        (Mix::Light, 40, 0.6, Residents::Evictable, 2),
    ];
    for (mix, workloads, load, setting, gpus) in drawn {
        let problem = interval(mix, workloads, load, setting, gpus);
        let by_programs = stages(&problem, &solve(&problem, &COMPACT_BY_PROGRAMS, &exact(solvers()[0])));
        for &solver in solvers() {
            let solved = solve(&problem, &COMPACT, &exact(solver));
            assert_eq!(stages(&problem, &solved), by_programs, "{}", solver.name());
            assert!(priced(&solved).contains(&"migrations"), "{:?}", solved.notes);
        }
    }
}

/// The stages that were proved by prices.
fn priced(solved: &Solved) -> Vec<&str> {
    solved.notes.iter().filter_map(|note| note.split_once(" by prices of ").map(|note| note.0)).collect()
}

/// Prices prove hardware, of GPUs, and migrations, and programs the same.
fn assert_migrations_are_priced_as_by_programs(problem: &Problem) {
    let solved = solve(problem, &COMPACT, &exact(solvers()[0]));
    assert_eq!(priced(&solved), ["hardware", "migrations"]);
    let by_programs = solve(problem, &COMPACT_BY_PROGRAMS, &exact(solvers()[0]));
    assert_eq!(stages(problem, &solved), stages(problem, &by_programs));
}

/// Machines of one GPU to eight, with and without more asked for than fits.
#[test]
fn prices_and_programs_agree_on_machines_of_all_sizes() {
    let mut all = 0;
    for seed in 0..2 {
        for gpus_per_machine in [1, 2, 4, 8] {
            for (mix, load) in [(Mix::Trace, 0.7), (Mix::Uniform, 0.9), (Mix::Light, 1.2), (Mix::Heavy, 1.1)]
            {
                for setting in [Residents::Keep, Residents::Evictable] {
                    let options = GeneratorOptions {
                        workloads: 16,
                        load,
                        mix,
                        gpus_per_machine,
                        setting,
                        seed,
                        ..GeneratorOptions::default()
                    };
                    let problem = drawn(&options);
                    let by_prices = solve(&problem, &COMPACT_BY_PRICES, &exact(solvers()[0]));
                    let by_programs = solve(&problem, &COMPACT_BY_PROGRAMS, &exact(solvers()[0]));
                    assert_eq!(stages(&problem, &by_prices), stages(&problem, &by_programs), "{options:?}");
                    all += usize::from(priced(&by_prices).len() == 3);
                }
            }
        }
    }
    assert!(all > 32, "{all} of 64");
}

/// Workloads that differ in what they need have too many fills by shape, but GPUs alone prove how many of them are in use.
#[test]
fn gpus_alone_prove_what_cores_do_not_confine() {
    let workload = |number: usize| {
        let profile = ["1g.5gb", "3g.20gb", "4g.20gb", "7g.40gb"][number % 4];
        format!("  - {{name: w{number}, replicas: 4, profile: {profile}, cpu: {}}}\n", number + 1)
    };
    let workloads: String = (0..40).map(workload).collect();
    let hosts = "  - {name: h, count: 32, cpu: 160, gpus: {board: A100-40GB, count: 2}}\n";
    let problem: Problem =
        posed::<siavashi::Siavashi>(&instance(format!("name: many\nhosts:\n{hosts}workloads:\n{workloads}")));
    let solved = solve(&problem, &COMPACT, &exact(solvers()[0]));
    let stages = stages(&problem, &solved);
    assert!(stages[0].starts_with("acceptance Some(138"), "{stages:?}");
    assert_eq!(priced(&solved), ["hardware"], "{stages:?}");
}

/// Cores and memory confine how many machines are in use, but not what each of them holds: workloads that are shared out as GPUs alone say
/// leave no machine short.
#[test]
fn machines_are_filled_as_gpus_alone_say() {
    let mut notes: Vec<String> = Vec::new();
    for (mix, workloads, load, setting, gpus, seed, expected) in [
        (Mix::Trace, 320, 0.8, Residents::Evictable, 8, 2, 238),
        // Few contents of these machines leave none short.
        (Mix::Trace, 500, 0.6, Residents::Evictable, 8, 0, 386),
        // Programs come first where machines are so few, and took longest.
        (Mix::Uniform, 100, 0.8, Residents::Evictable, 4, 1, 62),
        // Little memory is to spare, and has to come together by exchanges between machines that lack none.
        (Mix::Trace, 200, 1.2, Residents::Evictable, 4, 3, 133),
    ] {
        let options = options(mix, workloads, load, setting, gpus);
        let problem = drawn(&GeneratorOptions { seed, ..options });
        let solved = solve(&problem, &COMPACT, &exact(solvers()[0]));
        assert_eq!(stages(&problem, &solved)[1], format!("hardware Some({expected}) Some({expected})"));
        assert_eq!(priced(&solved), ["hardware", "migrations"]);
        notes.push(solved.notes[0].clone());
    }
    insta::assert_snapshot!(notes.join("\n"), @r"
    hardware by prices of GPUs: 30 rounds, 26 contents of GPUs, 3 nodes
    hardware by prices of GPUs: 33 rounds, 26 contents of GPUs, 3 nodes
    hardware by prices of GPUs: 29 rounds, 24 contents of GPUs, 3 nodes
    hardware by prices of GPUs: 26 rounds, 23 contents of GPUs, 3 nodes
    ");
}

/// Of the fills that are as good as any, those that come first take workloads of which there are not enough cores for all.
#[test]
fn the_fills_that_leave_most_to_spare_are_shared_out() {
    let options = options(Mix::Light, 500, 0.9, Residents::Keep, 4);
    let problem = drawn(&GeneratorOptions { seed: 1, ..options });
    let solved = solve(&problem, &COMPACT, &exact(solvers()[0]));
    assert_eq!(stages(&problem, &solved)[1], "hardware Some(190) Some(190)");
    insta::assert_snapshot!(solved.notes[0], @"hardware by prices of GPUs: 26 rounds, 21 contents of GPUs, 3 nodes");
}

/// Where starts cost something, residents change places with others that would keep their slots there, but only with those that need as much,
/// though GPUs alone tell no more of them apart.
#[test]
fn residents_keep_slots_in_place_of_those_that_need_as_much() {
    let options = options(Mix::Trace, 60, 1.2, Residents::Keep, 4);
    let problem = drawn_with(&GeneratorOptions { seed: 3, ..options }, 1);
    let solved = solve(&problem, &COMPACT, &exact(solvers()[0]));
    assert_eq!(stages(&problem, &solved)[1], "hardware Some(39) Some(39)");
    assert!(solved.notes[0].starts_with("hardware by prices of GPUs"), "{:?}", solved.notes);
}

/// Small workloads that differ in what they need have too many fills to tell all apart: the machines that lack cores are told apart, and no
/// others. Residents with many cores have to share machines with those that need few, as newcomers fit beside neither's likes.
#[test]
fn machines_that_lack_cores_are_told_apart() {
    let problem = tight("", "");
    let solved = solve(&problem, &COMPACT, &exact(solvers()[0]));
    let by_programs = solve(&problem, &COMPACT_BY_PROGRAMS, &exact(solvers()[0]));
    assert_eq!(stages(&problem, &solved), stages(&problem, &by_programs));
    assert_eq!(priced(&solved), ["hardware", "migrations"]);
    assert!(solved.best.unwrap().1.moved_machine > 0);
}

/// Beside these, four moves that GPUs alone ask for. Where others than the most modest would have to leave a machine that lacks cores, a
/// placement within the gap is known before any machine is told apart.
#[test]
fn a_gap_ends_the_telling_apart_of_machines() {
    let (mut hosts, mut workloads) = (String::new(), String::new());
    for number in 0..4 {
        hosts += &format!("  - {{name: g{number}, cpu: 16, gpus: {{board: A100-40GB, count: 2}}}}\n");
        for gpu in 0..2 {
            let current = format!("{{gpu: g{number}/{gpu}, start: 0}}");
            workloads +=
                &format!("  - {{name: t{number}-{gpu}, profile: 3g.20gb, cpu: 0.5, current: {current}}}\n");
        }
        workloads += &format!("  - {{name: o{number}, profile: 7g.40gb, cpu: 7.5}}\n");
    }
    let problem = tight(&hosts, &workloads);
    let effort = Effort { relative_gap: 0.95, ..Effort::exact(solvers()[0]) };
    let solved = solve(&problem, &COMPACT, &SolveOptions::new(effort));
    assert_eq!(solved.status, Status::WithinGap);
    let (value, bound) = (solved.stages[2].value.unwrap(), solved.stages[2].bound.unwrap());
    let best = solve(&problem, &COMPACT, &exact(solvers()[0])).stages[2].value.unwrap();
    assert!(bound > Amount::ZERO && bound < best && best <= value, "{bound} {best} {value}");
}

/// Cores let the second newcomer come to a machine in use only if a resident leaves its machine, which migrations forbid.
#[test]
fn no_resident_leaves_for_one_that_needs_less_where_moves_are_limited() {
    let problem: Problem = posed::<siavashi::Siavashi>(&instance(
        "
name: kept
siavashi: {residents: keep, objective: 'lexicographic:acceptance,migrations,hardware'}
hosts:
- {name: a, cpu: 10, gpus: {board: A100-40GB, count: 2}}
- {name: b, cpu: 20, gpus: {board: A100-40GB, count: 2}}
- {name: c, cpu: 20, gpus: {board: A100-40GB, count: 2}}
workloads:
- {name: many, profile: 7g.40gb, cpu: 8, current: {gpu: a/0, start: 0}}
- {name: few, profile: 7g.40gb, cpu: 1, current: {gpu: b/0, start: 0}}
- {name: one, profile: 7g.40gb, cpu: 4}
- {name: other, profile: 7g.40gb, cpu: 4}
",
    ));
    let solved = solve(&problem, &COMPACT_BY_TIGHT_MACHINES, &exact(solvers()[0]));
    let by_programs = solve(&problem, &COMPACT_BY_PROGRAMS, &exact(solvers()[0]));
    assert_eq!(stages(&problem, &solved), stages(&problem, &by_programs));
    assert!(priced(&solved).contains(&"hardware"), "{:?}", solved.notes);
    assert_eq!(solved.best.unwrap().1.moved_machine, 0);
}

/// Small workloads that differ in what they need, and large ones with many cores and few; more hosts and workloads beside them.
fn tight(more_hosts: &str, more_workloads: &str) -> Problem {
    let quarters = |number: usize, quarters: usize| (4 * number + quarters) as f64 / 4.0;
    let mut workloads = String::new();
    for pair in 0..4 {
        let (many, few) = (quarters(10, pair), quarters(2, pair));
        for (host, cpu) in [(2 * pair, many), (2 * pair + 1, few)] {
            workloads += &format!(
                "  - {{name: r{host}, profile: 7g.40gb, cpu: {cpu}, current: {{gpu: h-{host}/0, start: 0}}}}\n"
            );
        }
        workloads +=
            &format!("  - {{name: n{pair}, profile: 7g.40gb, cpu: {}}}\n", quarters(7, 2 + pair % 3));
        workloads +=
            &format!("  - {{name: m{pair}, profile: 7g.40gb, cpu: {}}}\n", quarters(7, 2 + pair % 2));
    }
    for number in 0..14 {
        let cpu = (2 + number) as f64 / 8.0;
        workloads += &format!("  - {{name: s{number}, profile: 1g.5gb, cpu: {cpu}}}\n");
    }
    let hosts = "  - {name: h, count: 9, cpu: 16, gpus: {board: A100-40GB, count: 2}}\n";
    posed::<siavashi::Siavashi>(&instance(format!(
        "name: tight\nhosts:\n{hosts}{more_hosts}workloads:\n{workloads}{more_workloads}"
    )))
}

/// The linear program of prices may prefer the best placement known to a mixture of others, with fractional totals; these are branched on
/// all the same. The program leaves the migrations of such intervals open after a minute.
#[test]
fn fractional_totals_are_branched_on_whatever_the_best_placement_hides() {
    let problem = interval(Mix::Trace, 100, 0.6, Residents::Keep, 4);
    let solved = solve(&problem, &COMPACT, &exact(solvers()[0]));
    stages(&problem, &solved);
    assert!(priced(&solved).contains(&"migrations"), "{:?}", solved.notes);
}

/// Goals in either order have the same points; where programs take no minute for them, they find these as well.
#[test]
fn frontiers_by_prices_are_those_of_programs() {
    let problem = interval(Mix::Trace, 40, 0.8, Residents::Evictable, 1);
    let frontier = |formulation: &Staged, goals: [&str; 2]| {
        let frontier =
            formulation.frontier(&problem, &goals.join(","), &exact(solvers()[0]), &Control::silent());
        let frontier = frontier.unwrap();
        assert_eq!(frontier.status, Status::Optimal);
        for point in &frontier.points {
            let verdict = verify(&problem, &point.solution);
            assert_eq!((verdict.violations, &verdict.score), (Vec::new(), &point.score));
        }
        let values = frontier.points.iter().map(|point| point.values).collect::<Vec<_>>();
        (values, frontier.notes)
    };
    for (goals, is_quick) in [(["hardware", "migrations"], true), (["acceptance", "hardware"], false)] {
        let [first, second] = goals;
        let (points, notes) = frontier(&COMPACT, goals);
        let (mut reversed, notes_of_reversed) = frontier(&COMPACT, [second, first]);
        reversed.iter_mut().for_each(|values| values.reverse());
        reversed.reverse();
        assert_eq!(points, reversed, "{goals:?}");
        assert!(points.len() > 20, "{goals:?} {points:?}");
        let is_priced = |notes: &[String]| notes.iter().any(|note| note.contains(" by prices: "));
        assert!(is_priced(&notes) && is_priced(&notes_of_reversed), "{notes:?} {notes_of_reversed:?}");
        if is_quick {
            assert_eq!(frontier(&COMPACT_BY_PROGRAMS, goals), (points, Vec::new()));
        }
    }
}

/// Machines that are alike hold so many small workloads in so many ways that samples of them miss what dives find.
#[test]
fn dives_prove_the_hardware_of_many_small_workloads() {
    let options = options(Mix::Light, 500, 1.2, Residents::Evictable, 4);
    let problem = drawn(&GeneratorOptions { seed: 0, ..options });
    let solved = solve(&problem, &COMPACT, &exact(solvers()[0]));
    stages(&problem, &solved);
    assert_eq!(priced(&solved), ["hardware", "migrations"]);
}

/// Two machines: the program comes first, and gives up.
#[test]
fn what_the_program_of_few_machines_leaves_open_is_priced() {
    let options = options(Mix::Light, 50, 1.2, Residents::Keep, 8);
    let problem = drawn(&GeneratorOptions { seed: 0, ..options });
    let solved = solve(&problem, &COMPACT, &exact(solvers()[0]));
    stages(&problem, &solved);
    assert_eq!(priced(&solved), ["migrations"]);
}

/// What a search does is the same on every machine.
#[test]
fn prices_take_so_many_rounds() {
    let counted = [
        (Mix::Trace, 60, 0.6, Residents::Evictable, 4),
        (Mix::Trace, 100, 0.6, Residents::Keep, 8),
        (Mix::Trace, 60, 0.6, Residents::Evictable, 2),
        // More than thirty kinds: tables do at first.
        (Mix::Light, 200, 0.6, Residents::Evictable, 2),
    ];
    let notes = counted.map(|(mix, workloads, load, setting, gpus)| {
        solve(&interval(mix, workloads, load, setting, gpus), &COMPACT, &exact(solvers()[0])).notes.join("\n")
    });
    insta::assert_snapshot!(notes.join("\n\n"), @r"
    hardware by prices of GPUs: 27 rounds, 27 contents of GPUs, 3 nodes
    migrations by prices of machines: 54 rounds, 324 contents of machines, 3 nodes

    hardware by prices of GPUs: 23 rounds, 20 contents of GPUs, 3 nodes
    migrations by prices of machines: 51 rounds, 424 contents of machines, 3 nodes

    hardware by prices of machines: 124 rounds, 90 contents of machines, 14 nodes
    migrations by prices of machines: 48 rounds, 169 contents of machines, 3 nodes

    hardware by prices of machines: 168 rounds, 100 contents of machines, 8 nodes
    migrations by prices of machines: 65 rounds, 388 contents of machines, 3 nodes
    ");
}

#[test]
fn an_interval_with_many_machines_is_left_to_prices_with_the_same_work_every_time() {
    let problem = interval(Mix::Trace, 60, 0.6, Residents::Evictable, 4);
    let told = || solve(&problem, &COMPACT, &exact(solvers()[0])).notes;
    let first = told();
    assert!(first.iter().any(|note| note.starts_with("migrations by prices")), "{first:?}");
    assert_eq!(first, told());
}

#[test]
fn few_machines_are_left_to_the_programs_where_there_is_room_or_they_hold_many_workloads() {
    for (mix, workloads, load, gpus) in
        [(Mix::Trace, 12, 0.6, 4), (Mix::Light, 50, 1.2, 8), (Mix::Light, 100, 0.6, 8)]
    {
        let problem = interval(mix, workloads, load, Residents::Evictable, gpus);
        assert_eq!(solve(&problem, &COMPACT, &exact(solvers()[0])).notes, Vec::<String>::new());
    }
}

/// The relaxation of the program has the value of the least migrations, where prices would have to choose from too many contents.
#[test]
fn some_machines_are_left_to_the_programs_where_they_hold_many_workloads_and_there_is_room() {
    for (setting, load, move_start, expected) in [
        (Residents::Keep, 0.6, 0, &["hardware"][..]),
        (Residents::Evictable, 0.6, 0, &["hardware"]),
        (Residents::Evictable, 0.9, 0, &["hardware", "migrations"]),
        (Residents::Keep, 0.9, 1, &["hardware", "migrations"]),
    ] {
        let problem = drawn_with(&options(Mix::Light, 200, load, setting, 8), move_start);
        assert!((8..=20).contains(&problem.machines.len()), "{}", problem.machines.len());
        let solved = solve(&problem, &COMPACT, &exact(solvers()[0]));
        stages(&problem, &solved);
        assert_eq!(priced(&solved), expected, "{setting:?}, load {load}");
    }
}

#[test]
fn few_machines_without_room_are_priced_where_they_hold_few_workloads() {
    for (workloads, setting, gpus) in [(20, Residents::Evictable, 4), (30, Residents::Keep, 8)] {
        let problem = interval(Mix::Trace, workloads, 1.2, setting, gpus);
        assert_migrations_are_priced_as_by_programs(&problem);
    }
}

/// Machines of eight GPUs have so many contents that prices leave sixteen thousand of them, which cases divide before a program chooses.
#[test]
fn thousands_of_contents_are_told_apart_by_cases() {
    let options = options(Mix::Trace, 100, 1.0, Residents::Keep, 8);
    let problem = drawn(&GeneratorOptions { seed: 1, ..options });
    let solved = solve(&problem, &COMPACT, &exact(solvers()[0]));
    let stages = stages(&problem, &solved);
    assert_eq!(stages[2], "migrations Some(4) Some(4)");
    assert_eq!(priced(&solved), ["hardware", "migrations"]);
}

#[test]
fn few_machines_without_room_are_priced_where_residents_keep_their_place_and_starts_cost() {
    for (mix, workloads, load) in [(Mix::Light, 50, 1.2), (Mix::Uniform, 40, 1.2)] {
        let problem = drawn_with(&options(mix, workloads, load, Residents::Keep, 8), 1);
        assert!((2..5).contains(&problem.machines.len()));
        assert_migrations_are_priced_as_by_programs(&problem);
    }
}

/// Neither the contents met, nor a sample, nor two dives have a solution of the bound: a third dive has.
#[test]
fn dives_are_tried_before_prices_give_up() {
    let options = options(Mix::Uniform, 60, 0.6, Residents::Evictable, 4);
    let problem = drawn_with(&GeneratorOptions { seed: 14, ..options }, 1);
    let solved = solve(&problem, &COMPACT, &exact(solvers()[0]));
    assert_eq!(stages(&problem, &solved)[2], "migrations Some(28) Some(28)");
    assert_eq!(priced(&solved), ["hardware", "migrations"]);
}

/// A limit keeps a bound that is none too high, nor below nothing at all, and a placement that is none too good.
#[test]
fn a_limit_keeps_bound_and_placement() {
    let roomy = interval(Mix::Trace, 60, 0.6, Residents::Evictable, 4);
    let crowded = drawn_with(&options(Mix::Uniform, 90, 1.2, Residents::Keep, 8), 1);
    for problem in [roomy, crowded] {
        let optimum = solve(&problem, &COMPACT, &exact(solvers()[0]));
        let optimum = optimum.stages[2].value.unwrap();
        for milliseconds in [1, 30, 100, 200, 300] {
            let limit = Some(Duration::from_millis(milliseconds));
            let effort = Effort::exact(solvers()[0]).within(limit);
            let solved = solve(&problem, &COMPACT, &SolveOptions::new(effort));
            let stage = &solved.stages[2];
            let is_reached = solved.stages[..2].iter().all(|stage| stage.value == stage.bound);
            assert!(stage.bound.is_none_or(|bound| (Amount::ZERO..=optimum).contains(&bound)), "{stage:?}");
            assert!(!is_reached || stage.value.is_none_or(|value| value >= optimum), "{stage:?}");
        }
    }
}

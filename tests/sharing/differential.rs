//! Random small instances: every formulation, every solver and trying all packings agree; and so do the ways of counting pages.

use ground::Amount;
use kit::Choices;
use kit::{SolveOptions, Status};
use milp::StopReason;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sharing::{
    COMPACT, Encoding, FORMULATIONS, Goal, Optimum, PageClasses, Problem, SigmaTable, VmIndex, pages_of,
    power_set, solve,
};
use solver::{Control, Options, Solver, solve_stages};
use solvers::solvers;
use std::collections::BTreeMap;
use support::sharing::random::{Family, instance};
use support::sharing::{best_values, problem, values};

const SMALL: Family = Family { most_vms: 7, most_servers: 3 };

/// What a program counts in.
fn unit(problem: &Problem, goal: Goal) -> Amount {
    match goal {
        Goal::Reach => Amount::ONE,
        Goal::Servers => Amount::greatest_common_unit(problem.kinds.iter().map(|kind| kind.cost)),
    }
}

fn check_solver(
    problem: &Problem,
    formulation: &dyn Encoding,
    solver: &dyn Solver,
    truth: Option<&Vec<Amount>>,
    about: &str,
) {
    let staged = solve_stages(solver, formulation.program(), &Options::default(), &Control::silent());
    let Some(truth) = truth else {
        assert_eq!(staged.stop, StopReason::Infeasible, "{about}");
        return;
    };
    assert_eq!(staged.stop, StopReason::Proved, "{:?}\n{about}", staged.stages);
    for ((&goal, result), &best) in problem.optimum.goals().iter().zip(&staged.stages).zip(truth) {
        let claimed = result.value.expect("a proved stage has a value");
        assert_eq!(claimed.fract(), 0.0, "{goal:?}\n{about}");
        assert_eq!(unit(problem, goal) * claimed as i128, best, "{goal:?}\n{about}");
        assert_eq!(result.bound, result.value, "{goal:?}\n{about}");
    }
    let packing = formulation.decode(&staged.columns.expect("a proved optimum comes with a point"));
    assert_eq!(values(problem, &packing).as_ref(), Some(truth), "{about}");
}

#[test]
fn all_formulations_solvers_and_trying_all_agree() {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for seed in 0..300 {
        let yaml = instance(seed, &SMALL);
        let problem = problem(&yaml);
        let truth = best_values(&problem);
        for entry in FORMULATIONS {
            let formulation = crate::formulation(entry.name())
                .build(&problem)
                .unwrap_or_else(|error| panic!("{error}\n{yaml}"));
            for &solver in solvers() {
                let about = format!("{} with {}\n{yaml}", entry.name(), solver.name());
                check_solver(&problem, formulation.as_ref(), solver, truth.as_ref(), &about);
            }
        }
        let mut count = |what, is_there| *counts.entry(what).or_default() += u32::from(is_there);
        let unshared = Problem {
            page_classes: PageClasses::default(),
            sigma: Some(SigmaTable::default()),
            ..problem.clone()
        };
        count("infeasible", truth.is_none());
        count("the order counts", problem.optimum.goals().len() > 1);
        count("a table of shared pages", problem.sigma.is_some());
        count("sharing saves", truth.is_some() && truth != best_values(&unshared));
        count("costs", problem.kinds.iter().any(|kind| kind.cost != Amount::ONE));
        count("unlimited resources", problem.kinds.iter().any(|kind| kind.capacity.contains(&None)));
        count("needs nothing", problem.vms.iter().any(|vm| vm.pages == 0));
        count("more than three share", power_set(&problem).unwrap().iter().any(|set| set.vms.len() > 3));
    }
    assert!(counts.values().all(|&count| count >= 20) && counts["infeasible"] < 150, "{counts:?}");
}

/// Bounds, heuristics, patterns and programs of what is left, for both questions.
#[test]
fn the_search_agrees_with_trying_all() {
    let mut infeasible = 0;
    for seed in 0..300 {
        let yaml = instance(seed, &SMALL);
        let mut problem = problem(&yaml);
        for optimum in [Optimum::AnyServers, Optimum::FirstMOfTheOrder] {
            problem.optimum = optimum;
            let truth = best_values(&problem);
            for &solver in solvers() {
                let about = format!("{} with {}\n{yaml}", optimum.name(), solver.name());
                let options = SolveOptions::exact(solver);
                let solved = solve(&problem, &COMPACT, None, &options, &Control::silent())
                    .unwrap_or_else(|error| panic!("{error}: {about}"));
                assert_eq!(solved.formulation, "compact");
                let Some(truth) = &truth else {
                    assert_eq!(solved.status, Status::Infeasible, "{about}");
                    infeasible += 1;
                    continue;
                };
                assert_eq!(solved.status, Status::Optimal, "{about}");
                for (stage, &best) in solved.stages.iter().zip(truth) {
                    assert_eq!((stage.value, stage.bound), (Some(best), Some(best)), "{about}");
                }
                let (packing, _) = solved.best.expect("an optimum is a packing");
                assert_eq!(values(&problem, &packing).as_ref(), Some(truth), "{about}");
            }
        }
    }
    assert!(infeasible > 20, "{infeasible}");
}

/// Pages of the union of all classes that meet a set.
fn by_classes(problem: &Problem, set: &[VmIndex]) -> u64 {
    let classes = &problem.page_classes;
    let alone = set.iter().map(|vm| classes.private[vm.index()]);
    let shared = classes.shared.iter().filter(|class| class.vms.iter().any(|vm| set.contains(vm)));
    alone.sum::<u64>() + shared.map(|class| class.pages).sum::<u64>()
}

/// The left side of row (8) at any point, over the survivors of the power set.
fn by_power_set(problem: &Problem, point: &[f64]) -> f64 {
    let alone = problem.vms.iter().zip(point).map(|(vm, x)| vm.pages as f64 * x);
    let several = power_set(problem).unwrap().into_iter().map(|set| {
        let product: f64 = set.vms.iter().map(|vm| point[vm.index()]).product();
        (if set.is_added() { 1.0 } else { -1.0 }) * set.pages as f64 * product
    });
    alone.sum::<f64>() + several.sum::<f64>()
}

/// The same polynomial by page classes: `sum n_A (1 - product (1 - x_j))`.
fn by_class_polynomial(problem: &Problem, point: &[f64]) -> f64 {
    let classes = &problem.page_classes;
    let alone = classes.private.iter().zip(point).map(|(&pages, x)| pages as f64 * x);
    let shared = classes.shared.iter().map(|class| {
        let nobody: f64 = class.vms.iter().map(|vm| 1.0 - point[vm.index()]).product();
        class.pages as f64 * (1.0 - nobody)
    });
    alone.sum::<f64>() + shared.sum::<f64>()
}

#[test]
fn power_set_and_page_classes_are_each_others_inverse() {
    for seed in 0..600 {
        let yaml = instance(seed, &SMALL);
        let problem = problem(&yaml);
        let sets = power_set(&problem).unwrap();
        let table = SigmaTable::new(sets.into_iter().map(|set| (set.vms, set.pages)).collect());
        if let Some(given) = &problem.sigma {
            assert_eq!(&table, given, "{yaml}");
        }
        let memories: Vec<u64> = problem.vms.iter().map(|vm| vm.pages).collect();
        assert_eq!(table.invert(&memories).as_ref(), Ok(&problem.page_classes), "{yaml}");
    }
}

#[test]
fn pages_of_random_sets_are_the_same_in_every_way_of_counting() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for seed in 0..600 {
        let yaml = instance(seed, &SMALL);
        let problem = problem(&yaml);
        for _ in 0..5 {
            let set: Vec<VmIndex> = problem.vm_indices().filter(|_| random.random_bool(0.5)).collect();
            let point: Vec<f64> =
                problem.vm_indices().map(|vm| f64::from(u8::from(set.contains(&vm)))).collect();
            let pages = pages_of(&problem, &set);
            assert_eq!(pages, by_classes(&problem, &set), "{set:?}\n{yaml}");
            assert_eq!(pages as f64, by_power_set(&problem, &point), "{set:?}\n{yaml}");
            // Quarters, so that the polynomials are evaluated without rounding.
            let point: Vec<f64> =
                problem.vms.iter().map(|_| f64::from(random.random_range(0..=4u8)) / 4.0).collect();
            assert_eq!(
                by_power_set(&problem, &point),
                by_class_polynomial(&problem, &point),
                "{point:?}\n{yaml}"
            );
        }
    }
}

//! The library's front: what its few names answer, and how they refuse.

use migopt::{
    Amount, Instance, Options, Overrides, Solution, Status, Unscored, Unsolved, answer, gap, propose, score,
    solve, verify,
};
use models::{MODELS, Model, model_named};
use solver::Control;
use std::path::Path;
use std::time::Duration;
use support::instances::all_shipped;

/// The model of a name.
fn model(name: &str) -> &'static dyn Model {
    model_named(name).unwrap()
}

const TWO_GPUS: &str = "
name: two
gpus: [{name: gpu, board: A100-80GB, count: 2}]
workloads:
  - {name: chat, profile: 3g.40gb, current: {gpu: gpu-1, start: 0}}
  - {name: code, profile: 4g.40gb}
";

fn instance(text: &str) -> Instance {
    Instance::from_yaml(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Nothing moves; a second GPU is used.
fn spread(instance: &Instance) -> Solution {
    Solution::of(instance).place("chat", "gpu-1", 0).place("code", "gpu-0", 0)
}

/// Small enough to be proved at once.
fn is_small(path: &Path) -> bool {
    std::fs::metadata(path).unwrap().len() < 1_000
}

#[test]
fn an_instance_asks_under_the_model_of_its_section() {
    for &model in MODELS {
        for path in all_shipped(model.name()) {
            let instance = Instance::from_file(&path).unwrap();
            let sections = std::fs::read_to_string(&path).unwrap();
            let has_section = MODELS
                .iter()
                .any(|model| sections.lines().any(|line| line.starts_with(&format!("{}:", model.name()))));
            let expected = if has_section { model.name() } else { "wpm" };
            assert_eq!(instance.model.name(), expected, "{}", path.display());
        }
    }
    let both = format!("{TWO_GPUS}wpm: {{}}\nsiavashi: {{}}\n");
    assert_eq!(instance(&both).model.name(), "wpm");
    assert_eq!(instance(&both).under(model("siavashi")).model.name(), "siavashi");
    assert_eq!(instance(&format!("{TWO_GPUS}siavashi: {{}}\n")).model.name(), "siavashi");
}

#[test]
fn every_optimum_has_no_gap_and_every_heuristic_has_that_of_its_values() {
    for &model in MODELS {
        for path in all_shipped(model.name()).into_iter().filter(|path| is_small(path)) {
            let about = path.display();
            let instance = Instance::from_file(&path).unwrap().under(model);
            let proved = match solve(&instance, &Options::default()) {
                Ok(proved) => proved,
                Err(Unsolved::Infeasible(result)) => {
                    assert_eq!(result.status, Status::Infeasible, "{about}");
                    continue;
                }
                Err(other) => panic!("{about}: {other}"),
            };
            assert!(proved.stages().iter().all(|stage| stage.value == stage.bound && stage.value.is_some()));
            assert_eq!(score(&instance, &proved).unwrap(), *proved.score(), "{about}");
            let own = gap(&instance, &proved, &Options::default()).unwrap();
            assert!(own.is_optimal() && own.relative == 0.0, "{about}: {}", own.distance);
            for heuristic in model.heuristics() {
                let proposal = propose(&instance, heuristic.name, 1).unwrap();
                let gap = gap(&instance, &proposal.solution, &Options::default()).unwrap();
                let differs = proposal
                    .stages
                    .iter()
                    .zip(gap.proof.stages())
                    .find(|(one, other)| one.value != other.value);
                assert_eq!(gap.stage.as_deref(), differs.map(|(one, _)| one.name.as_str()), "{about}");
                if let Some((one, other)) = differs {
                    assert_eq!((Some(gap.value), Some(gap.optimum)), (one.value, other.value), "{about}");
                    assert!(gap.relative > 0.0, "{about}");
                }
            }
        }
    }
}

#[test]
fn a_solution_of_ones_own_is_judged() {
    let instance = instance(TWO_GPUS);
    let own = spread(&instance);
    let verdict = verify(&instance, &own).unwrap();
    assert_eq!(verdict.violations, []);
    let distance = gap(&instance, &own, &Options::default()).unwrap().distance;
    assert_eq!(distance.stage.as_deref(), Some("profit"));
    let relative = (distance.optimum - distance.value).to_f64() / distance.optimum.to_f64();
    assert!((distance.relative - relative).abs() < 1e-12 && relative > 0.0);
    assert!(distance.to_string().contains("against the optimum's"), "{distance}");

    let overlapping = Solution::of(&instance).place("chat", "gpu-0", 0).place("code", "gpu-0", 0);
    assert_eq!(verify(&instance, &overlapping).unwrap().violations[0].rule, "overlap");
    let Err(Unscored::Broken(violations)) = score(&instance, &overlapping) else { panic!("it has no score") };
    assert_eq!(violations[0].rule, "overlap");
    assert!(matches!(gap(&instance, &overlapping, &Options::default()), Err(Unscored::Broken(_))));

    let same = Solution::of_placement(&instance, &instance.cluster.current_placement());
    assert_eq!(same.pending.len(), 1);
    let empty = self::instance("name: empty\ngpus: [{name: g, board: A30}]\n");
    assert_eq!(verify(&empty, &Solution::of(&empty)).unwrap().violations, []);
    assert_eq!(verify(&instance, &same).unwrap().violations, []);
}

/// In the order of its goals the optimum leaves the first for a later one never.
#[test]
fn a_lexicographic_gap_is_that_of_the_first_goal_that_differs() {
    let lexicographic = Overrides::default().with("objective", "lexicographic");
    let instance = instance(TWO_GPUS).with_settings(&lexicographic).unwrap();
    let distance = gap(&instance, &spread(&instance), &Options::default()).unwrap().distance;
    assert_eq!((distance.stage.as_deref(), distance.relative), (Some("gpus"), 1.0));
    let without_code = Solution::of(&instance).place("chat", "gpu-1", 0);
    let distance = gap(&instance, &without_code, &Options::default()).unwrap().distance;
    assert_eq!(distance.stage.as_deref(), Some("reward"));
}

/// Where something is pinned, the question is read with exact indexes; a solution under the printed reading is compared by
/// the same rules.
#[test]
fn readings_are_not_mixed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("instances/wpm/pinned.yaml");
    let instance = Instance::from_file(path).unwrap();
    let printed = solve(&instance, &Options::default().formulation("printed")).unwrap();
    let exact = solve(&instance, &Options::default()).unwrap();
    assert_ne!(printed.reading, exact.reading);
    let gap = gap(&instance, &printed, &Options::default()).unwrap();
    assert!(!gap.is_optimal() && gap.verdict.solution.reading == exact.reading);
}

#[test]
fn what_is_not_proved_is_not_called_proved() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("instances/siavashi/interval.yaml");
    let instance = Instance::from_file(path).unwrap().under(model("siavashi"));
    let none = Options::default().time_limit(Duration::ZERO);
    let Err(Unsolved::Open(result)) = solve(&instance, &none) else { panic!("no time, no proof") };
    assert!(!result.proved && result.status == Status::TimeLimit);
    assert!(Unsolved::Open(result).to_string().contains("not proved"));
    assert_eq!(answer(&instance, &none, &Control::silent()).unwrap().status, Status::TimeLimit);

    let loose = Options::default().relative_gap(0.9).formulation("printed");
    let small = self::instance(TWO_GPUS);
    match solve(&small, &loose) {
        Ok(proved) => assert_eq!(proved.result().status, Status::Optimal),
        Err(Unsolved::Open(result)) => assert_eq!(result.status, Status::WithinGap),
        Err(other) => panic!("{other}"),
    }

    let infeasible =
        format!("{TWO_GPUS}  - {{name: many, profile: 7g.80gb, replicas: 3}}\nwpm: {{place_all: true}}\n");
    let infeasible = self::instance(&infeasible);
    let Err(Unsolved::Infeasible(result)) = solve(&infeasible, &Options::default()) else {
        panic!("no place for all")
    };
    assert!(result.proved && result.reason.is_some());
    let own = spread(&infeasible);
    assert!(matches!(gap(&infeasible, &own, &Options::default()), Err(Unscored::Broken(_))));
}

#[test]
fn what_is_wrong_is_said() {
    let instance = instance(TWO_GPUS);
    let cases = [
        (Options::default().formulation("compcat"), "did you mean \"compact\"?"),
        (Options::default().solver("hihgs"), "did you mean \"highs\"?"),
        (Options::default().warm_start("first-fitt"), "did you mean \"first-fit\"?"),
        (Options::default().threads(0), "Give one from 1 to 256"),
        (Options::default().relative_gap(-1.0), "Give a number of at least 0"),
        (Options::default().relative_gap(f64::NAN), "Give a number of at least 0"),
    ];
    for (options, words) in cases {
        let Err(Unsolved::BadInput(text)) = solve(&instance, &options) else { panic!("{words}") };
        assert!(text.contains(words), "{text}");
    }
    let error = Instance::from_yaml("name: x\ngpus: [{name: a, board: A100-81GB}]\n").unwrap_err();
    assert_eq!(error.line, Some(2));
    assert!(error.to_string().starts_with("instance:2:"), "{error}");
    assert!(
        Instance::from_file("no-such-file.yaml").unwrap_err().to_string().contains("there is no such file")
    );

    let text = |error: &dyn std::fmt::Display| error.to_string();
    let other = Solution::of(&self::instance(&TWO_GPUS.replace("two", "three"))).place("chat", "gpu-0", 0);
    assert!(text(&verify(&instance, &other).unwrap_err()).contains("belongs to another instance"));
    let unknown = Solution::of(&instance).place("chta", "gpu-0", 0);
    assert!(text(&verify(&instance, &unknown).unwrap_err()).contains("did you mean \"chat\"?"));
    let wrong_kind = Solution::of(&instance).pack("gpu-0", ["chat"]);
    assert!(text(&verify(&instance, &wrong_kind).unwrap_err()).contains("no `placement`"));
    let wrong_model = spread(&instance).clone();
    let asked = instance.clone().under(model("siavashi"));
    assert!(text(&verify(&asked, &wrong_model).unwrap_err()).contains("asked under model siavashi"));
    for model in ["sharing", "migrator"].map(model) {
        let refused = solve(&instance.clone().under(model), &Options::default()).unwrap_err();
        assert!(text(&refused).contains("has no section"), "{refused}");
    }
    let residents = Overrides::default().with("residents", "keep");
    assert!(text(&instance.clone().with_settings(&residents).unwrap_err()).contains("only siavashi has"));
    assert!(text(&propose(&instance, "fist-fit", 0).unwrap_err()).contains("did you mean \"first-fit\"?"));
}

#[test]
fn other_solvers_and_formulations_prove_the_same() {
    let instance = instance(TWO_GPUS);
    let values = |options: &Options| -> Vec<Option<Amount>> {
        solve(&instance, options).unwrap().stages().iter().map(|stage| stage.value).collect()
    };
    let expected = values(&Options::default());
    for solver in solvers::solvers() {
        for formulation in model("wpm").formulations() {
            let options = Options::default().solver(solver.name()).formulation(formulation.name);
            assert_eq!(values(&options.warm_start("first-fit")), expected);
        }
    }
}

//! The heuristics of model migrator: legal plans on random windows, and exact ones on windows that can be worked out by hand.

use crate::small::draw;
use ground::Amount;
use kit::choose_heuristic;
use migrator::{
    Allocation, Exact, HEURISTICS, Migrator, Plan, Problem, Retraining, SizeIndex, TaskPlan, impossible,
    verify,
};
use models::model_of;
use support::instances::instance;
use support::migrator::problem;

const VARIANTS: [&str; 5] = [
    "ekya:forecast=oracle",
    "hysteresis:look=1",
    "hysteresis:look=3,forecast=last",
    "astraea:interference=0",
    "ekya:forecast=mean",
];

fn propose(problem: &Problem, heuristic: &str) -> Plan {
    choose_heuristic(HEURISTICS, heuristic).unwrap_or_else(|message| panic!("{message}")).propose(problem, 0)
}

fn goodput(problem: &Problem, heuristic: &str) -> Exact {
    let verdict = verify(problem, &propose(problem, heuristic));
    assert_eq!(verdict.violations, [], "{heuristic}");
    verdict.goodput
}

#[test]
fn plans_are_legal_wherever_there_is_one() {
    let names: Vec<&str> = HEURISTICS.iter().map(|heuristic| heuristic.name()).chain(VARIANTS).collect();
    let mut legal = 0;
    for seed in 0..400 {
        let problem = &problem(draw(seed));
        let reason = impossible(problem);
        legal += u32::from(reason.is_none());
        for name in &names {
            let plan = propose(problem, name);
            assert_eq!(plan, propose(problem, name), "seed {seed}, {name}");
            assert_eq!(plan.beside.is_some(), name.starts_with("astraea"), "{name}");
            let violations = verify(problem, &plan).violations;
            assert_eq!(
                violations.is_empty(),
                reason.is_none(),
                "seed {seed}, {name}: {violations:?}\n{}",
                draw(seed)
            );
        }
    }
    assert!((100..350).contains(&legal), "{legal}");
}

/// The best goodput without a change of allocations, with all retrainings from slot 0 on beside each other.
fn best_static(problem: &Problem) -> Option<Exact> {
    fn extend(
        problem: &Problem,
        used: &Allocation,
        lists: &[Vec<Allocation>],
        chosen: &mut Vec<TaskPlan>,
        best: &mut Option<Exact>,
    ) {
        let Some(model) = problem.model_indices().nth(chosen.len()) else {
            let verdict = verify(problem, &Plan::new(chosen.clone()));
            if verdict.violations.is_empty() && best.is_none_or(|known| verdict.goodput > known) {
                *best = Some(verdict.goodput);
            }
            return;
        };
        for (size, slots) in problem.retraining_sizes(model) {
            for allocation in &lists[model.index()] {
                let used = used.plus(allocation).plus_one(size);
                if problem.gpu.fits(&used) {
                    let retraining = Some(Retraining { size, from: 0, until: slots });
                    let inference = vec![allocation.clone(); problem.slots as usize];
                    chosen.push(TaskPlan { retraining, inference });
                    extend(problem, &used, lists, chosen, best);
                    chosen.pop();
                }
            }
        }
    }
    let lists: Vec<_> = problem.model_indices().map(|model| problem.allocations(model)).collect();
    let mut best = None;
    extend(problem, &problem.gpu.nothing(), &lists, &mut Vec::new(), &mut best);
    best
}

#[test]
fn static_best_is_the_best_of_all_static_plans() {
    let mut compared = 0;
    for seed in 0..150 {
        let problem = &problem(draw(seed));
        if let Some(best) = best_static(problem) {
            compared += 1;
            assert_eq!(goodput(problem, "static-best"), best, "seed {seed}\n{}", draw(seed));
            let plan = propose(problem, "paris");
            assert!(plan.tasks.iter().all(|task| task.retraining.unwrap().from == 0), "seed {seed}");
        }
        if impossible(problem).is_none() {
            for name in ["static-best", "paris"] {
                let plan = propose(problem, name);
                assert!(plan.tasks.iter().all(|task| task.runs().count() == 1), "seed {seed}, {name}");
            }
        }
    }
    assert!(compared > 40, "{compared}");
}

/// Where reconfigurations cost nothing, what decides with more freedom and more knowledge is worth more.
#[test]
fn freedom_pays_where_reconfigurations_are_free() {
    for seed in 0..300 {
        let mut problem = problem(draw(seed));
        for tasks in &mut problem.models {
            tasks.reconfiguration = Amount::ZERO;
        }
        problem.count_units().unwrap();
        if impossible(&problem).is_some() {
            continue;
        }
        let of = |heuristic: &str| goodput(&problem, heuristic);
        assert!(of("ekya:forecast=oracle") >= of("static-best"), "seed {seed}\n{}", draw(seed));
        assert!(of("greedy") >= of("ekya"), "seed {seed}\n{}", draw(seed));
        assert_eq!(of("greedy"), of("hysteresis:look=1"), "seed {seed}");
        assert!(of("greedy") >= of("hysteresis:look=20"), "seed {seed}");
    }
}

/// One model that serves a request per GPC and slot, of five in each of four slots; retrained it answers all correctly, before
/// that half of them. A reconfiguration takes half a slot.
const ONE: &str = "name: x
migrator:
  window_seconds: 4
  models:
  - name: a
    capability: {1g: 1, 2g: 2, 3g: 3, 4g: 4, 7g: 7}
    accuracy: {before: 0.5, after: 1}
    retraining_seconds: {1g: 4, 2g: 2, 3g: 1}
    reconfiguration_seconds: 0.5
    requests: [5, 5, 5, 5]
";

#[test]
fn one_model_is_worked_out_by_hand() {
    let problem = &problem(ONE);
    let tenths = |tenths: i128| Exact::new(tenths, 10);
    // On 2g two slots, beside 5 GPCs: 2 x 5 x 0.5 + 2 x 5; on 3g beside 4 GPCs 4 x 0.5 + 3 x 4, on 1g 4 x 5 x 0.5.
    assert_eq!(goodput(problem, "static-best"), tenths(150));
    // On 3g one slot beside 4 GPCs, then 7 GPCs of which half a slot is lost: 4 x 0.5 + 3.5 + 2 x 5.
    for name in ["ekya", "ekya:forecast=oracle", "greedy", "hysteresis", "hysteresis:forecast=last"] {
        assert_eq!(goodput(problem, name), tenths(155), "{name}");
    }
    // A third of the GPCs for the retraining is nearest to 2g, and 5 GPCs serve all requests from then on.
    assert_eq!(goodput(problem, "astraea"), tenths(150));
}

#[test]
fn sharing_by_mps_is_worked_out_by_hand() {
    let instance = instance(ONE);
    let problem = &*instance.problem::<Migrator>().unwrap();
    // 7/3 GPCs retrain at 2/3 per slot, less the interference, and so for two slots; 14/3 GPCs serve meanwhile.
    for (heuristic, goodput, served) in
        [("astraea", "14.166667", "18.333333"), ("astraea:interference=0", "14.666667", "19.333333")]
    {
        let estimate = propose(problem, heuristic).beside.unwrap();
        assert_eq!(estimate.goodput.to_string(), goodput);
        assert_eq!(estimate.served.to_string(), served);
        assert_eq!(estimate.received, Amount::whole(20));
    }
    let question = model_of::<Migrator>().pose(&instance).unwrap();
    for (heuristic, has_estimate) in [("astraea", true), ("greedy", false)] {
        let metrics = question.propose(heuristic, 0).unwrap().metrics.unwrap();
        for name in ["mps_goodput_share", "mps_slo_attainment", "mps_accuracy"] {
            assert_eq!(metrics.contains_key(name), has_estimate, "{heuristic}, {name}");
        }
    }
    let metrics = question.propose("astraea", 0).unwrap().metrics.unwrap();
    assert!((metrics["mps_goodput_share"].as_f64().unwrap() - 14.166667 / 20.0).abs() < 1e-9);
}

/// Two models whose requests take turns.
const TURNS: &str = "name: x
migrator:
  window_seconds: 6
  models:
  - name: a
    capability: {1g: 1, 2g: 2, 3g: 3, 4g: 4, 7g: 7}
    accuracy: {before: 1, after: 1}
    retraining_seconds: {1g: 1}
    reconfiguration_seconds: 1
    requests: [5, 1, 5, 1, 5, 1]
  - name: b
    capability: {1g: 1, 2g: 2, 3g: 3, 4g: 4, 7g: 7}
    accuracy: {before: 1, after: 1}
    retraining_seconds: {1g: 1}
    reconfiguration_seconds: 1
    requests: [1, 5, 1, 5, 1, 5]
";

#[test]
fn hysteresis_does_not_pay_for_what_does_not_last() {
    let problem = &problem(TURNS);
    // All six requests of slot 0; in each later slot both models are reconfigured and serve nothing.
    assert_eq!(goodput(problem, "greedy"), Exact::from_integer(6));
    // Six GPCs that stay serve 3 x (6 + 2); the seventh, free from slot 2 on, brings at most one more than it costs.
    let patient = goodput(problem, "hysteresis");
    assert!((24..=25).contains(&patient.to_integer()), "{patient}");
    assert!(goodput(problem, "hysteresis:look=1") <= patient);
}

/// Two models with retrainings of a slot on any size, of which one takes three times the computation.
fn uneven(gflops: Option<[u32; 2]>) -> String {
    let mut text = "name: x\nmigrator:\n  window_seconds: 2\n  models:\n".to_owned();
    for (position, one) in [1, 3].into_iter().enumerate() {
        let capability: Vec<String> = [1, 2, 3, 4, 7].map(|size| format!("{size}g: {}", size * one)).to_vec();
        text += &format!(
            "  - name: m{position}\n    capability: {{{}}}\n    accuracy: {{before: 0.5, after: 0.9}}\n    retraining_seconds: {{1g: \
             1, 2g: 1, 3g: 1, 4g: 1}}\n    reconfiguration_seconds: 1\n    requests: [50, 50]\n",
            capability.join(", ")
        );
        if let Some(gflops) = gflops {
            text += &format!("    gflops: {}\n", gflops[position]);
        }
    }
    text
}

#[test]
fn paris_divides_by_compute_intensity() {
    // Of 7 GPCs 21/8 for each task of the intense model, and at least 1 for each of the other one.
    for (gflops, intense) in [(Some([30, 10]), 0), (None, 0), (Some([10, 30]), 1)] {
        let problem = &problem(uneven(gflops));
        let plan = propose(problem, "paris");
        assert_eq!(verify(problem, &plan).violations, []);
        let gpcs = |model: usize| {
            let task = &plan.tasks[model];
            (problem.gpu.gpcs(&task.inference[0]), task.retraining.unwrap().size)
        };
        assert_eq!(gpcs(intense), (3, SizeIndex(1)), "{gflops:?}");
        assert_eq!(gpcs(1 - intense), (1, SizeIndex(0)), "{gflops:?}");
    }
}

#[test]
fn retrainings_that_do_not_fit_beside_each_other_take_turns() {
    let text = TURNS.replace("retraining_seconds: {1g: 1}", "retraining_seconds: {2g: 3}").replacen(
        "    capability",
        "    minimum_instance: 4g\n    capability",
        1,
    );
    let problem = &problem(&text);
    for heuristic in HEURISTICS {
        let plan = heuristic.propose(problem, 0);
        assert_eq!(verify(problem, &plan).violations, [], "{}", heuristic.name());
        let mut starts: Vec<u32> = plan.tasks.iter().map(|task| task.retraining.unwrap().from).collect();
        starts.sort_unstable();
        assert_eq!(starts, [0, 3], "{}", heuristic.name());
    }
}

/// So many models, each with a wave of requests, which together are about as many as a GPU can serve.
fn waves(slots: u32, models: u32) -> String {
    let mut text = format!("name: x\nmigrator:\n  window_seconds: {slots}\n  models:\n");
    for model in 0..models {
        let wave = (0..slots).map(|slot| (slot + 40 * model) % 97 * 3 + (slot * 7 + model) % 31);
        let wave: Vec<String> = wave.map(|requests| (requests * 2 / models).to_string()).collect();
        let seconds =
            [700, 390, 280, 220, 140].map(|seconds| seconds * slots / 3600 / models * 2 + 1 + model);
        let [one, two, three, four, seven] = seconds;
        text += &format!(
            "  - name: m{model}\n    capability: {{1g: 40.5, 2g: 77, 3g: 110, 4g: 141, 7g: 225}}\n    accuracy: {{before: 0.61, \
             after: 0.83}}\n    retraining_seconds: {{1g: {one}, 2g: {two}, 3g: {three}, 4g: {four}, 7g: {seven}}}\n    \
             reconfiguration_seconds: 1.05\n    requests: [{}]\n",
            wave.join(", ")
        );
    }
    text
}

#[test]
fn long_windows_and_many_models_are_planned_too() {
    for (slots, models) in [(3600, 2), (200, 3), (200, 4), (200, 5), (200, 6)] {
        let problem = &problem(waves(slots, models));
        assert_eq!(impossible(problem), None);
        for heuristic in HEURISTICS.iter().map(|heuristic| heuristic.name()).chain(VARIANTS) {
            let began = std::time::Instant::now();
            let plan = propose(problem, heuristic);
            let seconds = began.elapsed().as_secs_f64();
            let verdict = verify(problem, &plan);
            assert_eq!(verdict.violations, [], "{heuristic}");
            let score = verdict.score;
            println!(
                "{models} models, {slots} slots, {heuristic}: {seconds:.3} s, {} of {}",
                score.goodput, score.received
            );
        }
    }
}

#[test]
fn wrong_names_and_values_are_named() {
    for (text, words) in [
        (
            "ekia",
            "\"ekia\" is not a heuristic (did you mean \"ekya\"?). Heuristics: static-best, paris, ekya, astraea, greedy, hysteresis.",
        ),
        ("paris:forecast=mean", "the heuristic paris takes no parameters"),
        ("greedy:look=2", "the heuristic greedy takes no parameters"),
        (
            "ekya:forecast=median",
            "the value of forecast is \"median\". \"median\" is not one of the values (did you mean \"mean\"?). Values: mean, oracle.",
        ),
        ("hysteresis:look=0", "the value of look is \"0\". Give a whole number from 1 to 1000."),
        (
            "hysteresis:forecast=mean",
            "the value of forecast is \"mean\". \"mean\" is not one of the values. Values: ",
        ),
        ("hysteresis:lok=3", "\"lok\" is not a parameter of hysteresis"),
        ("astraea:interference=-0.1", "the value of interference is \"-0.1\". Give a number from 0 to 10."),
        ("astraea:interference=NaN", "the value of interference is \"NaN\". Give a number from 0 to 10."),
    ] {
        let message =
            choose_heuristic(HEURISTICS, text).err().unwrap_or_else(|| panic!("{text} is accepted"));
        assert!(message.starts_with(words), "{text}: {message}");
    }
}

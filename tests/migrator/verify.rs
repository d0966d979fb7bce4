//! The simulator of model migrator: each rule broken, goodput by hand, and plans as documents.

use ground::{Amount, SourceText};
use kit::SolutionDocument;
use migrator::{
    Allocation, Deployment, Layout, Migrator, Plan, Problem, Readings, Reconfiguration, Retraining,
    Signature, SizeIndex, TaskPlan, Verification, series, verify,
};
use support::instances::instance;
use support::migrator::problem;

/// Two models; slots of half a second. A slot's full capability of `a` is 10 requests with 1g, 18 with 2g, 25 with 3g.
const INSTANCE: &str = "
name: window
migrator:
  board: A100-40GB
  window_seconds: 3
  basis_seconds: 0.5
  models:
  - name: a
    minimum_instance: 2g
    capability: {1g: 20, 2g: 36, 3g: 50, 7g: 90}
    accuracy: {before: 0.5, after: 0.75}
    retraining_seconds: {1g: 1.4, 2g: 0.6, 7g: 0.1}
    reconfiguration_seconds: 1.25
    requests: [20, 20, 20, 100, 100, 100]
  - name: b
    capability: {1g: 10}
    accuracy: {before: 0.4, after: 0.3}
    retraining_seconds: {1g: 1}
    reconfiguration_seconds: 0
    requests: [8, 8, 8, 4, 4, 4]
";

const SLOTS: usize = 6;

fn amount(text: &str) -> Amount {
    text.parse().unwrap()
}

/// Sizes of an allocation on an A100, by GPCs.
fn of(gpcs: &[u32]) -> Allocation {
    let nothing = Allocation::from_counts(vec![0; 5]);
    gpcs.iter().fold(nothing, |allocation, &gpcs| allocation.plus_one(size(gpcs)))
}

/// The size with so many GPCs.
fn size(gpcs: u32) -> SizeIndex {
    SizeIndex::at([1, 2, 3, 4, 7].iter().position(|&of| of == gpcs).unwrap())
}

fn retraining(gpcs: u32, from: u32, until: u32) -> Option<Retraining> {
    Some(Retraining { size: size(gpcs), from, until })
}

/// A plan that obeys all rules: `a` is retrained on 2g in slots 1 and 2, `b` on 1g in slots 3 and 4.
fn plan() -> Plan {
    let a = TaskPlan { retraining: retraining(2, 1, 3), inference: vec![of(&[3]); SLOTS] };
    let b = TaskPlan { retraining: retraining(1, 3, 5), inference: vec![of(&[1]); SLOTS] };
    Plan::new(vec![a, b])
}

/// The rules that a plan breaks, in words.
fn complaints(problem: &Problem, plan: &Plan) -> Vec<(&'static str, String)> {
    let verification = verify(problem, plan);
    verification.violations.iter().map(|violation| (violation.rule(), violation.to_string())).collect()
}

fn changed(change: impl FnOnce(&mut Plan)) -> Plan {
    let mut plan = plan();
    change(&mut plan);
    plan
}

#[track_caller]
fn assert_complaint(problem: &Problem, plan: &Plan, rule: &str, words: &str) {
    assert_eq!(complaints(problem, plan), [(rule, words.to_owned())]);
}

#[test]
fn a_plan_that_obeys_all_rules_is_scored() {
    let problem = problem(INSTANCE);
    let Verification { violations, score, .. } = verify(&problem, &plan());
    assert_eq!(violations, []);
    // a serves 20, 20, 20 and then 25 of 100, the latter retrained; b serves 5, 5, 5, 4, 4, 4, the last one retrained.
    assert_eq!(score.served, amount("162"));
    assert_eq!(score.goodput, amount("96.65"));
    assert_eq!(score.received, amount("396"));
    assert_eq!((score.reconfigurations, score.unseen_changes), (0, 0));
    let [a, b] = &score.models[..] else { panic!("{score:?}") };
    assert_eq!((a.model.as_str(), a.goodput, a.served), ("a", amount("86.25"), amount("135")));
    assert_eq!((b.model.as_str(), b.goodput, b.served), ("b", amount("10.4"), amount("27")));
    assert_eq!((a.retrained_from, b.retrained_from), (3, 5));
}

#[test]
fn what_a_slot_holds_must_fit() {
    let problem = problem(INSTANCE);
    let too_much = changed(|plan| plan.tasks[1].inference[2] = of(&[1, 1, 1]));
    assert_complaint(&problem, &too_much, "does-not-fit", "in slot 2 the GPU cannot hold 3g+2g+3x1g");
    // Seven GPCs, but nine memory slots.
    let no_memory = changed(|plan| plan.tasks[1].inference[0] = of(&[3, 1]));
    assert_complaint(&problem, &no_memory, "does-not-fit", "in slot 0 the GPU cannot hold 2x3g+1g");
    let just_fits = changed(|plan| plan.tasks[1].inference[0] = of(&[3]));
    assert_eq!(complaints(&problem, &just_fits), []);
}

#[test]
fn every_inference_task_is_deployed_in_every_slot() {
    let mut problem = problem(INSTANCE);
    let split = changed(|plan| plan.tasks[0].inference[4] = of(&[1, 1]));
    let words =
        "in slot 4 the inference task of `a` has less than one instance of 2g, which it needs at least";
    assert_complaint(&problem, &split, "not-deployed", words);
    let nothing = changed(|plan| plan.tasks[1].inference[5] = of(&[]));
    let words =
        "in slot 5 the inference task of `b` has less than one instance of 1g, which it needs at least";
    assert_complaint(&problem, &nothing, "not-deployed", words);
    problem.readings.deployment = Deployment::Gpcs;
    assert_eq!(complaints(&problem, &split), []);
    let small = changed(|plan| plan.tasks[0].inference[4] = of(&[1]));
    let words = "in slot 4 the inference task of `a` has less than 2 GPCs, which it needs at least";
    assert_complaint(&problem, &small, "not-deployed", words);
}

#[test]
fn every_model_is_retrained_without_interruption_within_the_window() {
    let problem = problem(INSTANCE);
    let never = changed(|plan| plan.tasks[1].retraining = None);
    assert_complaint(&problem, &never, "not-retrained", "`b` is not retrained");
    let short = changed(|plan| plan.tasks[0].retraining = retraining(2, 1, 2));
    let words = "the retraining of `a` has 1 slots on 2g, where it takes 2 without interruption";
    assert_complaint(&problem, &short, "retraining-length", words);
    // 1.4 seconds are three slots.
    let on_one = changed(|plan| plan.tasks[0].retraining = retraining(1, 0, 3));
    assert_eq!(complaints(&problem, &on_one), []);
    let on_three = changed(|plan| {
        let inference = vec![of(&[2]); SLOTS];
        plan.tasks[0] = TaskPlan { retraining: retraining(3, 1, 3), inference };
    });
    assert_complaint(&problem, &on_three, "retraining-size", "`a` has no retraining time on 3g");
    let late = changed(|plan| plan.tasks[0].retraining = retraining(2, 5, 7));
    let words = "the retraining of `a` ends with slot 7, after the window of 6 slots";
    assert_complaint(&problem, &late, "beyond-window", words);
    let just_in_time = changed(|plan| plan.tasks[0].retraining = retraining(2, 4, 6));
    let verification = verify(&problem, &just_in_time);
    assert_eq!((verification.violations.len(), verification.score.models[0].retrained_from), (0, 6));
    assert_eq!(verification.score.models[0].goodput, amount("67.5"));
}

/// The capability of `a` in each slot when it has these allocations, and how often it is reconfigured.
fn capability(
    reconfiguration: Reconfiguration,
    signature: Signature,
    first: Option<Allocation>,
    allocations: [&[u32]; SLOTS],
) -> ([String; SLOTS], u64, u64) {
    let mut problem = problem(INSTANCE);
    problem.readings = Readings { reconfiguration, signature, ..Readings::default() };
    problem.models[0].first = first;
    problem.count_units().unwrap();
    let plan = changed(|plan| plan.tasks[0].inference = allocations.map(of).to_vec());
    let rows = series(&problem, &problem.models[0], &plan.tasks[0]);
    let served = |row: &[Amount; 3]| assert_eq!(row[2], row[1].min(row[0]));
    rows.iter().for_each(served);
    let score = verify(&problem, &plan).score;
    let texts: Vec<String> = rows.iter().map(|row| row[1].to_string()).collect();
    (texts.try_into().unwrap(), score.reconfigurations, score.unseen_changes)
}

fn texts(numbers: [&str; SLOTS]) -> [String; SLOTS] {
    numbers.map(str::to_owned)
}

const CHANGES: [&[u32]; SLOTS] = [&[2], &[3], &[3], &[3], &[3], &[2, 2]];

#[test]
fn reconfigurations_cost_what_the_reading_says() {
    use Reconfiguration::{Carry, Charge, Clip, Frac};
    // 1.25 seconds are two and a half slots.
    let of_reading = |reading| capability(reading, Signature::Count, None, CHANGES);
    assert_eq!(of_reading(Clip), (texts(["18", "0", "25", "25", "25", "0"]), 2, 0));
    assert_eq!(of_reading(Carry), (texts(["18", "0", "0", "12.5", "25", "0"]), 2, 0));
    // With two instances 0.625 seconds, still more than a slot.
    assert_eq!(of_reading(Frac), (texts(["18", "0", "25", "25", "25", "0"]), 2, 0));
    // 50 requests per second for 0.5 - 1.25 seconds; 72 for as long.
    assert_eq!(of_reading(Charge), (texts(["18", "-37.5", "25", "25", "25", "-54"]), 2, 0));
}

#[test]
fn more_instances_lose_less_under_frac() {
    // 1.25 seconds among three instances are 5/12: 1/12 of a second is left. 1g is too small for `a` and serves nothing, but counts.
    let (slots, changes, _) = capability(
        Reconfiguration::Frac,
        Signature::Count,
        None,
        [&[3], &[2, 2, 2], &[2, 2, 2], &[2, 1, 1, 1, 1], &[2], &[2]],
    );
    assert_eq!(slots, texts(["25", "9", "54", "9", "0", "18"]));
    assert_eq!(changes, 3);
}

#[test]
fn a_new_reconfiguration_restarts_the_outage() {
    let allocations: [&[u32]; SLOTS] = [&[2], &[3], &[2], &[2], &[2], &[2]];
    let (slots, changes, _) = capability(Reconfiguration::Carry, Signature::Count, None, allocations);
    assert_eq!((slots, changes), (texts(["18", "0", "0", "0", "9", "18"]), 2));
    // Here the first outage is over.
    let allocations: [&[u32]; SLOTS] = [&[2], &[3], &[3], &[3], &[2], &[2]];
    let (slots, changes, _) = capability(Reconfiguration::Carry, Signature::Count, None, allocations);
    assert_eq!((slots, changes), (texts(["18", "0", "0", "12.5", "0", "0"]), 2));
}

#[test]
fn changes_of_equal_signature_are_free_and_counted() {
    // Two instances with four GPCs each time.
    let allocations: [&[u32]; SLOTS] = [&[2, 2], &[3, 1], &[3, 1], &[2, 2], &[2, 2], &[2, 2]];
    let of_signature = |signature| capability(Reconfiguration::Clip, signature, None, allocations);
    assert_eq!(of_signature(Signature::Count), (texts(["36", "25", "25", "36", "36", "36"]), 0, 2));
    assert_eq!(of_signature(Signature::Multiset), (texts(["36", "0", "25", "0", "36", "36"]), 2, 0));
    // An outage goes on when the mix changes without a reconfiguration.
    let allocations: [&[u32]; SLOTS] = [&[2], &[2, 2], &[3, 1], &[3, 1], &[3, 1], &[3, 1]];
    let carried = capability(Reconfiguration::Carry, Signature::Count, None, allocations);
    assert_eq!(carried, (texts(["18", "0", "0", "12.5", "25", "25"]), 1, 1));
}

#[test]
fn what_a_task_has_before_the_window_counts() {
    let of_first = |first| capability(Reconfiguration::Carry, Signature::Count, first, [&[3]; SLOTS]);
    assert_eq!(of_first(None), (texts(["25"; SLOTS]), 0, 0));
    assert_eq!(of_first(Some(of(&[3]))), (texts(["25"; SLOTS]), 0, 0));
    assert_eq!(of_first(Some(of(&[]))), (texts(["0", "0", "12.5", "25", "25", "25"]), 1, 0));
    let of_first = |first| capability(Reconfiguration::Clip, Signature::Count, first, [&[3, 1]; SLOTS]);
    assert_eq!(of_first(Some(of(&[2, 2]))), (texts(["25"; SLOTS]), 0, 1));
}

#[test]
fn instances_below_the_minimum_serve_only_where_gpcs_are_counted() {
    let mut problem = problem(INSTANCE);
    let beside = changed(|plan| plan.tasks[0].inference = vec![of(&[2, 1]); SLOTS]);
    let served = |problem: &Problem| series(problem, &problem.models[0], &beside.tasks[0])[5][1];
    assert_eq!(served(&problem), amount("18"));
    problem.readings.deployment = Deployment::Gpcs;
    assert_eq!(served(&problem), amount("28"));
}

#[test]
fn plans_survive_their_documents() {
    let instance = instance(INSTANCE);
    let problem = instance.problem::<Migrator>().unwrap();
    let with_changes = changed(|plan| plan.tasks[0].inference = CHANGES.map(of).to_vec());
    let without_retraining = changed(|plan| plan.tasks[1].retraining = None);
    let with_a_gap = changed(|plan| plan.tasks[0].inference[3] = of(&[]));
    for plan in [plan(), with_changes, without_retraining, with_a_gap] {
        let document = plan.document(&problem, &Layout::default(), &instance.fingerprint);
        let text = serde_json::to_string(&document).unwrap();
        let read: SolutionDocument = serde_json::from_str(&text).unwrap();
        let source = SourceText::new("plan.json", text);
        let resolved = Plan::resolve(&read, &problem, &instance.fingerprint, &source).unwrap();
        assert_eq!(resolved, plan);
    }
}

/// What is wrong with a solution of the instance that says this of its plan.
fn refusal(plan: &str) -> String {
    let instance = instance(INSTANCE);
    let text = format!("model: migrator\ninstance: {{name: window}}\n{plan}");
    let source = SourceText::new("plan.yaml", text);
    let document: SolutionDocument = source.parse().unwrap_or_else(|error| panic!("{error}"));
    let problem = instance.problem::<Migrator>().unwrap();
    Plan::resolve(&document, &problem, &instance.fingerprint, &source).unwrap_err().to_string()
}

#[test]
fn documents_that_make_no_plan_are_refused() {
    let task = |about: &str| format!("plan:\n  tasks:\n  - {{model: a, {about}}}\n");
    for (plan, words) in [
        (String::new(), "the solution has no `plan`"),
        (
            "plan: {tasks: [{model: aa, retraining: null, inference: []}]}".to_owned(),
            "names the model `aa`, which the instance does not have",
        ),
        (
            task("retraining: null, inference: []}\n  - {model: a, retraining: null, inference: []"),
            "the model `a` is planned twice",
        ),
        (
            task("retraining: {instance: 5g, from: 0, until: 1}, inference: []"),
            "names the size 5g, which the GPU does not have. Its sizes: 1g, 2g, 3g, 4g, 7g",
        ),
        (
            task("retraining: null, inference: [{from: 4, until: 7, instances: [3g]}]"),
            "a run from slot 4 until 7, which is not a part of the window of 6 slots",
        ),
        (
            task(
                "retraining: null, inference: [{from: 0, until: 3, instances: [3g]}, {from: 2, until: 6, instances: [2g]}]",
            ),
            "has two allocations in slot 2",
        ),
    ] {
        let found = refusal(&plan);
        assert!(found.contains(words), "{found}");
    }
}

#[test]
fn what_a_document_leaves_out_is_missing() {
    let instance = instance(INSTANCE);
    let problem = instance.problem::<Migrator>().unwrap();
    let text = "model: migrator\ninstance: {name: window}\nplan:\n  tasks:\n  - model: a\n    retraining: {instance: 2g, from: 1, \
                until: 3}\n    inference: [{from: 1, until: 6, instances: [3g]}]\n";
    let source = SourceText::new("plan.yaml", text);
    let document: SolutionDocument = source.parse().unwrap();
    let plan = Plan::resolve(&document, &problem, &instance.fingerprint, &source).unwrap();
    let found: Vec<&str> = complaints(&problem, &plan).into_iter().map(|(rule, _)| rule).collect();
    assert_eq!(found, ["not-deployed", "not-retrained", "not-deployed"]);
}

//! Start slots of a plan's instances: against all sequences of layouts on small windows, and by hand.

use ground::Amount;
use kit::TaskKind;
use mig::{GpuInstance, SlotMask, catalogue};
use migrator::{
    Allocation, Gpu, Layout, ModelIndex, ModelTasks, Plan, Problem, Readings, Retraining, Signature,
    SizeIndex, TaskPlan, lay_out, verify,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// So many models on a board with slots of a second, reconfigured in so many seconds.
fn problem(board: &str, models: usize, slots: u32, reconfiguration: &str) -> Problem {
    let board = catalogue().boards().iter().find(|known| known.name() == board).expect("in the catalogue");
    let gpu = Gpu::new(board.clone()).expect("its contents can be listed");
    let sizes = gpu.sizes.len();
    let tasks = |position: usize| ModelTasks {
        name: format!("model-{position}"),
        minimum: SizeIndex(0),
        capability: vec![Amount::ONE; sizes],
        requests: vec![Amount::ONE; slots as usize],
        before: Amount::ONE,
        after: Amount::ONE,
        retraining: vec![None; sizes],
        reconfiguration: reconfiguration.parse().unwrap(),
        gflops: None,
        first: None,
    };
    Problem {
        name: "window".to_owned(),
        gpu,
        basis: Amount::ONE,
        slots,
        readings: Readings::default(),
        models: (0..models).map(tasks).collect(),
        units: 1,
        warnings: Vec::new(),
    }
}

/// `3g+2x1g` as an allocation; nothing for an empty text.
fn allocation(problem: &Problem, text: &str) -> Allocation {
    let mut allocation = problem.gpu.nothing();
    for part in text.split('+').filter(|part| !part.is_empty()) {
        let (count, size) = part.split_once('x').unwrap_or(("1", part));
        for _ in 0..count.parse::<u32>().unwrap() {
            allocation = allocation.plus_one(problem.gpu.size_named(size).expect("a size of the board"));
        }
    }
    allocation
}

/// So many slots with an allocation, then the next ones.
type Runs<'a> = &'a [(u32, &'a str)];

/// The runs of a model, and its retraining: size, first slot and the slot after the last one.
type Given<'a> = (Runs<'a>, Option<(&'a str, u32, u32)>);

/// A plan from runs like `3x 2g+1g` of each model.
fn plan(problem: &Problem, models: &[Given]) -> Plan {
    let task = |(runs, retraining): &Given| TaskPlan {
        retraining: retraining.map(|(size, from, until)| Retraining {
            size: problem.gpu.size_named(size).expect("a size of the board"),
            from,
            until,
        }),
        inference: runs
            .iter()
            .flat_map(|&(slots, text)| vec![allocation(problem, text); slots as usize])
            .collect(),
    };
    Plan::new(models.iter().map(task).collect())
}

/// What lies on the GPU: model, task, instance.
type Lying = BTreeSet<(ModelIndex, TaskKind, GpuInstance)>;

fn lying(layout: &Layout, slot: u32) -> Lying {
    let there = layout.lifetimes.iter().filter(|lifetime| (lifetime.from..lifetime.until).contains(&slot));
    there.map(|lifetime| (lifetime.model, lifetime.task, lifetime.instance)).collect()
}

/// What the tasks have in a slot, each instance on its own.
fn wanted(problem: &Problem, plan: &Plan, slot: u32) -> Vec<(ModelIndex, TaskKind, SizeIndex)> {
    let mut wanted = Vec::new();
    for (model, task) in problem.model_indices().zip(&plan.tasks) {
        wanted.extend(task.inference[slot as usize].sizes().map(|size| (model, TaskKind::Inference, size)));
        let retraining =
            task.retraining.filter(|retraining| (retraining.from..retraining.until).contains(&slot));
        wanted.extend(retraining.map(|retraining| (model, TaskKind::Retraining, retraining.size)));
    }
    wanted
}

/// All layouts of what is wanted, instance by instance at every start.
fn all_layouts(problem: &Problem, wanted: &[(ModelIndex, TaskKind, SizeIndex)]) -> BTreeSet<Lying> {
    let Some((&(model, task, size), rest)) = wanted.split_first() else {
        return BTreeSet::from([Lying::new()]);
    };
    let board = &problem.gpu.board;
    let profile = problem.gpu.size(size).profile;
    let mut found = BTreeSet::new();
    for others in all_layouts(problem, rest) {
        for &start in &board.profile(profile).starts {
            let instance = GpuInstance { profile, start };
            let footprint = board.footprint(instance);
            if others.iter().all(|other| !board.footprint(other.2).intersects(footprint)) {
                found.insert(others.iter().copied().chain([(model, task, instance)]).collect());
            }
        }
    }
    found
}

/// Times that a running retraining moves, instances destroyed, and seconds that are not hidden: less is better. Exact for
/// reconfigurations of at most a slot.
type Cost = (u64, u64, Amount);

fn cost_of_change(problem: &Problem, plan: &Plan, slot: u32, before: &Lying, after: &Lying) -> Cost {
    let destroyed: Vec<_> = before.difference(after).collect();
    let moved = destroyed.iter().filter(|(model, task, _)| {
        *task == TaskKind::Retraining && after.iter().any(|other| (other.0, other.1) == (*model, *task))
    });
    let occupied: SlotMask = before
        .iter()
        .flat_map(|held| problem.gpu.board.footprint(held.2).iter().collect::<Vec<_>>())
        .collect();
    let mut open = Amount::ZERO;
    for (model, task) in problem.model_indices().zip(&plan.tasks) {
        let signature = |slot: u32| problem.signature(&task.inference[slot as usize]);
        let is_created =
            |held: &&(ModelIndex, TaskKind, GpuInstance)| (held.0, held.1) == (model, TaskKind::Inference);
        let is_blocked = after
            .difference(before)
            .filter(is_created)
            .any(|held| problem.gpu.board.footprint(held.2).intersects(occupied));
        if signature(slot - 1) != signature(slot) && is_blocked {
            open += problem.model(model).reconfiguration;
        }
    }
    (moved.count() as u64, destroyed.len() as u64, open)
}

/// The least cost over all sequences of layouts; `may_move` says whether instances may move where nothing else changes.
fn least_cost(problem: &Problem, plan: &Plan, may_move: bool) -> Cost {
    fn extend(costs: &[Vec<Vec<Option<Cost>>>], so_far: Cost, before: usize, best: &mut Option<Cost>) {
        let Some((first, rest)) = costs.split_first() else {
            *best = Some(best.map_or(so_far, |best| best.min(so_far)));
            return;
        };
        for (layout, cost) in first[before].iter().enumerate() {
            if let Some((moved, destroyed, open)) = *cost {
                let cost_then = (so_far.0 + moved, so_far.1 + destroyed, so_far.2 + open);
                extend(rest, cost_then, layout, best);
            }
        }
    }
    let choices: Vec<BTreeSet<Lying>> =
        (0..problem.slots).map(|slot| all_layouts(problem, &wanted(problem, plan, slot))).collect();
    let cost = |slot: u32, before: &Lying, after: &Lying| {
        let stays = wanted(problem, plan, slot - 1) == wanted(problem, plan, slot);
        let moves = stays && before != after;
        (may_move || !moves).then(|| cost_of_change(problem, plan, slot, before, after))
    };
    let costs: Vec<Vec<Vec<Option<Cost>>>> = (1..)
        .zip(choices.windows(2))
        .map(|(slot, pair)| {
            pair[0]
                .iter()
                .map(|before| pair[1].iter().map(|after| cost(slot, before, after)).collect())
                .collect()
        })
        .collect();
    let mut best = None;
    for first in 0..choices[0].len() {
        extend(&costs, (0, 0, Amount::ZERO), first, &mut best);
    }
    best.expect("the plan fits")
}

/// Checks that a layout is one of the plan, and that its documents say the same.
fn check(problem: &Problem, plan: &Plan, layout: &Layout) -> Cost {
    let mut cost = (0, 0, Amount::ZERO);
    for slot in 0..problem.slots {
        let here = lying(layout, slot);
        assert!(
            all_layouts(problem, &wanted(problem, plan, slot)).contains(&here),
            "slot {slot}: {layout:?}"
        );
        if slot > 0 {
            let before = lying(layout, slot - 1);
            let change = cost_of_change(problem, plan, slot, &before, &here);
            cost = (cost.0 + change.0, cost.1 + change.1, cost.2 + change.2);
        }
    }
    assert!(layout.lifetimes.is_sorted_by_key(|lifetime| lifetime.from));
    let summary = layout.summary(problem);
    assert_eq!((summary.moved_retrainings, summary.destroyed), (cost.0, cost.1));
    let score = verify(problem, plan).score;
    let changes = layout.changes(problem);
    let reconfigured = changes.iter().flat_map(|change| &change.reconfigured).count();
    assert_eq!(reconfigured as u64, score.reconfigurations);
    assert!(changes.is_sorted_by_key(|change| change.slot));
    let mut standing = BTreeSet::new();
    for change in &changes {
        assert!(change.destroyed.iter().all(|destroyed| standing.remove(destroyed)));
        for created in &change.created {
            assert!(standing.insert(created.clone()));
        }
        let there = layout.instances(problem);
        let there = there.iter().filter(|entry| (entry.from..entry.until).contains(&change.slot));
        assert_eq!(there.count(), standing.len());
    }
    check_what_is_ahead(problem, layout);
    cost
}

/// No two instances claim a memory slot at one time, created ahead or not.
fn check_what_is_ahead(problem: &Problem, layout: &Layout) {
    let scale = Amount::ONE.millionths();
    let mut claims: Vec<(SlotMask, i128, i128)> = Vec::new();
    for (lifetime, document) in layout.lifetimes.iter().zip(layout.instances(problem)) {
        let from = i128::from(lifetime.from) * scale - document.prepared_seconds.millionths();
        let until = i128::from(lifetime.until) * scale;
        let footprint = problem.gpu.board.footprint(lifetime.instance);
        assert!(from >= 0 && document.prepared_seconds <= problem.model(lifetime.model).reconfiguration);
        for &(other, other_from, other_until) in &claims {
            assert!(!footprint.intersects(other) || until <= other_from || other_until <= from);
        }
        claims.push((footprint, from, until));
    }
}

/// A stream of numbers from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % bound as u64) as usize
    }
}

/// A plan that fits, with at most so many instances at a time: allocations last some slots, and models are retrained on 1g or
/// 2g for a while.
fn random_plan(problem: &Problem, most: u32, numbers: &mut Numbers) -> Plan {
    loop {
        let tasks = (0..problem.models.len()).map(|_| {
            let small: Vec<&Allocation> =
                problem.gpu.fitting().filter(|one| (1..=3).contains(&one.instances())).collect();
            let mut inference: Vec<Allocation> = Vec::new();
            while inference.len() < problem.slots as usize {
                let run = 1 + numbers.below(2);
                inference.extend(vec![small[numbers.below(small.len())].clone(); run]);
            }
            inference.truncate(problem.slots as usize);
            let from = numbers.below(problem.slots as usize) as u32;
            let until = (from + 1 + numbers.below(3) as u32).min(problem.slots);
            let retraining = Retraining { size: SizeIndex::at(numbers.below(2)), from, until };
            TaskPlan { retraining: (numbers.below(3) > 0).then_some(retraining), inference }
        });
        let plan = Plan::new(tasks.collect());
        let fits = (0..problem.slots).all(|slot| {
            let wanted = wanted(problem, &plan, slot);
            wanted.len() <= most as usize && !all_layouts(problem, &wanted).is_empty()
        });
        if fits {
            return plan;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn an_a30_is_laid_out_as_well_as_by_any_sequence_of_layouts(seed in any::<u64>()) {
        let mut problem = problem("A30-24GB", 2, 4, "0.75");
        problem.readings.signature = if seed % 2 == 0 { Signature::Count } else { Signature::Multiset };
        let plan = random_plan(&problem, 4, &mut Numbers(seed));
        let layout = lay_out(&problem, &plan);
        let cost = check(&problem, &plan, &layout);
        let least = least_cost(&problem, &plan, true);
        prop_assert_eq!((cost.0, cost.1), (least.0, least.1), "{:?}", &plan);
        prop_assert_eq!(cost, least_cost(&problem, &plan, false), "{:?}", &plan);
        let summary = layout.summary(&problem);
        prop_assert_eq!(summary.reconfiguration_seconds - summary.hidden_seconds, cost.2);
    }

    #[test]
    fn few_instances_on_an_a100_too(seed in any::<u64>()) {
        let problem = problem("A100-40GB", 2, 3, "1");
        let plan = random_plan(&problem, 3, &mut Numbers(seed));
        let cost = check(&problem, &plan, &lay_out(&problem, &plan));
        prop_assert_eq!(cost, least_cost(&problem, &plan, false), "{:?}", &plan);
    }

    #[test]
    fn what_is_created_ahead_does_not_collide(seed in any::<u64>()) {
        let mut problem = problem("A100-40GB", 3, 30, "2.5");
        problem.models[1].reconfiguration = Amount::whole(7);
        let mut numbers = Numbers(seed);
        let small = ["1g", "2g", "2x1g"].map(|text| allocation(&problem, text));
        let mut task = |_: usize| {
            let mut inference: Vec<Allocation> = Vec::new();
            while inference.len() < 30 {
                let run = 1 + numbers.below(6);
                inference.extend(vec![small[numbers.below(small.len())].clone(); run]);
            }
            inference.truncate(30);
            TaskPlan { retraining: None, inference }
        };
        let plan = Plan::new((0..3).map(&mut task).collect());
        check_what_is_ahead(&problem, &lay_out(&problem, &plan));
    }
}

/// The example of the paper's Fig. 6: while tasks 1 and 2 have 2g and 1g, a 4g for task 1 is created ahead. Task 2's 2g can
/// only be where task 1's was or task 1's new instance cannot be created ahead.
#[test]
fn the_papers_example_of_pre_initialisation() {
    let problem = problem("A100-40GB", 2, 20, "5");
    let plan = plan(&problem, &[(&[(10, "2g"), (10, "4g")], None), (&[(10, "1g"), (10, "2g+1g")], None)]);
    let layout = lay_out(&problem, &plan);
    let summary = layout.summary(&problem);
    assert_eq!((summary.destroyed, summary.reconfiguration_seconds), (1, Amount::whole(10)));
    assert_eq!(summary.hidden_seconds, Amount::whole(5));
    let change = &layout.changes(&problem)[1];
    assert_eq!((change.slot, change.destroyed.len(), change.created.len()), (10, 1, 2));
    let hidden: Vec<Amount> = change.reconfigured.iter().map(|task| task.hidden_seconds).collect();
    assert_eq!(hidden.iter().copied().sum::<Amount>(), Amount::whole(5));
}

/// Where task 1's reconfiguration takes longer, it is task 1's that is hidden.
#[test]
fn of_equal_layouts_the_one_that_hides_more_is_taken() {
    let two_models = || problem("A100-40GB", 2, 20, "2");
    let hidden = |slow: usize| {
        let mut problem = two_models();
        problem.models[slow].reconfiguration = Amount::whole(3);
        let plan = plan(&problem, &[(&[(10, "2g"), (10, "4g")], None), (&[(10, "1g"), (10, "2g+1g")], None)]);
        let changes = lay_out(&problem, &plan).changes(&problem);
        changes[1].reconfigured.iter().map(|task| task.hidden_seconds.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(hidden(0), ["3", "0"]);
    assert_eq!(hidden(1), ["0", "3"]);
}

/// Beside 4g and 2g a retraining on 1g can only be at slot 6, beside 3g, 2g and 1g it cannot be there.
#[test]
fn a_retraining_moves_only_where_it_must() {
    let problem = problem("A100-40GB", 2, 9, "1");
    let moving =
        plan(&problem, &[(&[(5, "4g+2g"), (4, "3g+2g")], Some(("1g", 2, 7))), (&[(5, ""), (4, "1g")], None)]);
    let layout = lay_out(&problem, &moving);
    let moved = |layout: &Layout| layout.summary(&problem).moved_retrainings;
    assert_eq!(moved(&layout), 1);
    let starts = layout.lifetimes.iter().filter(|lifetime| lifetime.task == TaskKind::Retraining);
    let starts: Vec<(u8, u32, u32)> =
        starts.map(|lifetime| (lifetime.instance.start.0, lifetime.from, lifetime.until)).collect();
    assert_eq!(starts[0], (6, 2, 5));
    assert_eq!((starts[1].1, starts[1].2), (5, 7));
    let staying = plan(&problem, &[(&[(5, "4g+2g"), (4, "3g+2g")], Some(("1g", 2, 7))), (&[(9, "")], None)]);
    assert_eq!(moved(&lay_out(&problem, &staying)), 0);
}

/// A running retraining stays, though its move would keep more instances.
#[test]
fn a_retraining_stays_whatever_else_must_go() {
    let problem = problem("A30-24GB", 3, 4, "1");
    let runs: [Runs; 3] = [&[(2, "1g"), (2, "2g")], &[(4, "1g")], &[(4, "")]];
    let plan = plan(&problem, &[(runs[0], None), (runs[1], Some(("1g", 0, 4))), (runs[2], None)]);
    let summary = lay_out(&problem, &plan).summary(&problem);
    assert_eq!((summary.moved_retrainings, summary.destroyed), (0, 1));
}

#[test]
fn seconds_ahead_are_those_for_which_the_memory_is_free() {
    let mut problem = problem("A30-24GB", 2, 10, "2.5");
    let ahead = |problem: &Problem, retraining| {
        let plan = plan(problem, &[(&[(5, "1g"), (5, "2g+1g")], None), (&[(10, "1g")], retraining)]);
        let layout = lay_out(problem, &plan);
        let instances = layout.instances(problem);
        let new = instances.iter().find(|instance| instance.from == 5 && instance.instance == "2g").unwrap();
        let changes = layout.changes(problem);
        let change = changes.iter().find(|change| !change.reconfigured.is_empty()).unwrap();
        assert_eq!((change.slot, change.reconfigured[0].hidden_seconds), (5, new.prepared_seconds));
        assert!(instances.iter().all(|instance| {
            instance.task == TaskKind::Inference || instance.prepared_seconds == Amount::ZERO
        }));
        new.prepared_seconds.to_string()
    };
    assert_eq!(ahead(&problem, None), "2.5");
    assert_eq!(ahead(&problem, Some(("2g", 0, 3))), "2");
    assert_eq!(ahead(&problem, Some(("2g", 1, 4))), "1");
    assert_eq!(ahead(&problem, Some(("2g", 2, 5))), "0");
    problem.basis = "0.5".parse().unwrap();
    assert_eq!(ahead(&problem, Some(("2g", 0, 3))), "1");
    assert_eq!(ahead(&problem, None), "2.5");
}

/// A task that only gives instances back has nothing to wait for, and one that changes at slot 0 had no time before it.
#[test]
fn what_creates_nothing_is_hidden_and_what_begins_the_window_is_not() {
    let mut problem = problem("A30-24GB", 2, 6, "2");
    problem.models[1].first = Some(allocation(&problem, "1g"));
    let plan = plan(&problem, &[(&[(3, "2g+1g"), (3, "1g")], None), (&[(6, "2x1g")], None)]);
    assert!(lay_out(&problem, &plan).lifetimes.is_empty(), "2g and 3 x 1g do not fit an A30");
    let plan = self::plan(&problem, &[(&[(3, "2x1g"), (3, "1g")], None), (&[(6, "2x1g")], None)]);
    let layout = lay_out(&problem, &plan);
    let told: Vec<(u32, String, String)> = layout
        .changes(&problem)
        .iter()
        .flat_map(|change| change.reconfigured.iter().map(|task| (change.slot, task)))
        .map(|(slot, task)| (slot, task.model.clone(), task.hidden_seconds.to_string()))
        .collect();
    assert_eq!(told, [(0, "model-1".into(), "0".into()), (3, "model-0".into(), "2".into())]);
    let summary = layout.summary(&problem);
    assert_eq!((summary.destroyed, summary.hidden_seconds), (1, Amount::whole(2)));
}

/// Seven instances of seven models, the most layouts that there are, whose turns are taken by an eighth.
#[test]
fn the_most_layouts_are_searched() {
    let problem = problem("A100-40GB", 8, 16, "1");
    let runs: Vec<Vec<(u32, &str)>> = (0..8)
        .map(|model| (0..16).map(|slot| (1, if slot / 2 == model { "" } else { "1g" })).collect())
        .collect();
    let models: Vec<(Runs, _)> = runs.iter().map(|runs| (runs.as_slice(), None)).collect();
    let plan = plan(&problem, &models);
    let layout = lay_out(&problem, &plan);
    assert_eq!(layout.summary(&problem).destroyed, 7);
    let mut by_slot: BTreeMap<u32, usize> = BTreeMap::new();
    for lifetime in &layout.lifetimes {
        *by_slot.entry(lifetime.from).or_default() += 1;
    }
    assert_eq!(by_slot[&0], 7);
}

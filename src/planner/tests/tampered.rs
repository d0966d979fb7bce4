//! Plans and claims that were changed must be refused.

use super::cases::{PLAIN, Recipe, draw};
use super::theorems::{found, options};
use cluster::{Cluster, Maintenance};
use ground::SourceText;
use plan::{Kind, PlanFile, Transition, judge};
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use solvers::solvers;
use std::sync::Arc;

/// The rules that a plan breaks.
fn broken(found: &crate::Found, change: impl FnOnce(&mut PlanFile)) -> Vec<&'static str> {
    let mut file = found.file.clone();
    file.instance.name = "case".to_owned();
    change(&mut file);
    let source = SourceText::new("plan.json", "{}");
    let resolved = file.resolve(&found.transition.cluster, "", &source).unwrap();
    judge(&file, &resolved).findings.iter().map(|finding| finding.rule).collect()
}

#[test]
fn plans_that_were_changed_are_refused() {
    let mut random = ChaCha8Rng::seed_from_u64(21);
    let (mut cases, mut chains, mut cycles) = (0, 0, 0);
    while cases < 40 {
        let transition = draw(PLAIN, &mut random);
        let Some(found) = found(&transition, &options(solvers()[0])) else { continue };
        if found.plan.rounds.len() < 2 {
            continue;
        }
        cases += 1;
        assert_eq!(broken(&found, |_| ()), [] as [&str; 0], "{:#?}", found.file);
        // The operations follow from the rounds, so that they are left out where the rounds are changed.
        let without = |file: &mut PlanFile| file.operations.clear();
        assert!(
            !broken(&found, |file| {
                without(file);
                file.rounds.reverse()
            })
            .is_empty()
        );
        assert!(
            !broken(&found, |file| {
                without(file);
                drop(file.rounds[0].moves.pop())
            })
            .is_empty()
        );
        assert!(
            !broken(&found, |file| {
                without(file);
                let rest: Vec<_> = file.rounds.drain(1..).flat_map(|round| round.moves).collect();
                file.rounds[0].moves.extend(rest);
            })
            .is_empty()
        );
        assert_eq!(broken(&found, |file| drop(file.operations.remove(0))), ["operation"]);
        assert!(
            !broken(&found, |file| {
                let last = file.operations.len() - 1;
                file.operations.swap(0, last);
            })
            .is_empty()
        );
        if found.file.rounds[0].moves[0].kind == Kind::Surge {
            assert_eq!(broken(&found, |file| file.rounds[0].moves[0].kind = Kind::Restart), ["moves"]);
        }
        assert_eq!(broken(&found, |file| file.rounds[0].moves[0].via ^= true), ["via"]);
        assert!(broken(&found, |file| file.counts.as_mut().unwrap().moves += 1).contains(&"counts"));
        assert_eq!(broken(&found, |file| file.expects[0].hash.clear()), ["layout"]);
        assert!(broken(&found, |file| file.limits.max_rounds = Some(1)).contains(&"max-rounds"));
        let claims = |file: &mut PlanFile| file.bounds.as_mut().unwrap().rounds.as_mut().unwrap().value += 1;
        assert!(broken(&found, claims).contains(&"bound"));
        let bounds = found.file.bounds.as_ref().unwrap();
        if !bounds.rounds.as_ref().unwrap().chain.is_empty() {
            chains += 1;
            let cut = |file: &mut PlanFile| {
                file.bounds.as_mut().unwrap().rounds.as_mut().unwrap().chain.reverse();
            };
            assert_eq!(broken(&found, cut), ["bound"]);
        }
        if !bounds.bounces.as_ref().unwrap().cycles.is_empty() {
            cycles += 1;
            let cut = |file: &mut PlanFile| {
                drop(file.bounds.as_mut().unwrap().bounces.as_mut().unwrap().cycles[0].pop());
            };
            assert_eq!(broken(&found, cut), ["bound"]);
        }
    }
    assert!(chains > 5 && cycles > 5, "{chains} chains, {cycles} circles");
}

#[test]
fn temporary_places_on_cordoned_gpus_are_refused() {
    let mut random = ChaCha8Rng::seed_from_u64(22);
    let mut cases = 0;
    while cases < 5 {
        let transition = draw(Recipe { gpus: 3, ..PLAIN }, &mut random);
        let Some(mut found) = found(&transition, &options(solvers()[0])) else { continue };
        let steps = found.plan.rounds.iter().flatten();
        let mut aside = steps.filter(|step| step.via).filter_map(|step| step.to);
        let is_target =
            |gpu| transition.classes.iter().flat_map(|class| class.targets()).any(|to| to.gpu == gpu);
        let Some(place) = aside.find(|place| !is_target(place.gpu)) else { continue };
        cases += 1;
        let mut cluster = Cluster::clone(&transition.cluster);
        cluster.gpus[place.gpu.index()].maintenance = Maintenance::Cordoned;
        found.transition.cluster = Arc::new(cluster);
        assert_eq!(broken(&found, |_| ()), ["operation"], "{:#?}", found.file);
    }
}

#[test]
fn targets_that_start_something_on_a_cordoned_gpu_are_refused() {
    let mut random = ChaCha8Rng::seed_from_u64(23);
    let transition = draw(PLAIN, &mut random);
    let enters = transition.classes.iter().flat_map(|class| class.targets()).next().expect("somebody moves");
    for maintenance in [Maintenance::Cordoned, Maintenance::Draining] {
        let mut cluster = Cluster::clone(&transition.cluster);
        cluster.gpus[enters.gpu.index()].maintenance = maintenance;
        let target = transition.target.clone();
        let refused = Transition::new(Arc::new(cluster), target, transition.limits, transition.backend);
        let message = refused.expect_err("nothing may start there");
        let name = &transition.cluster.gpus[enters.gpu.index()].name;
        assert!(message.contains(name.as_str()) && message.contains("cordoned"), "{message}");
    }
}

#[test]
fn plans_that_break_rules_on_nodes_and_groups_are_refused() {
    let mut random = ChaCha8Rng::seed_from_u64(22);
    let (mut wrong_nodes, mut groups) = (0, 0);
    for _ in 0..200 {
        let transition = draw(Recipe { gpus: 3, as_one: true, ..PLAIN }, &mut random);
        let Some(mut found) = found_or_stopped(&transition) else { continue };
        let moved = found.plan.rounds.iter().flatten().find_map(|step| Some((step.workload, step.to?)));
        let Some((workload, to)) = moved else { continue };
        if let [group] = transition.as_one.as_slice()
            && group.stay.is_empty()
        {
            let judged = |found: &crate::Found| broken(found, |file| file.operations.clear());
            assert_eq!(judged(&found), [] as [&str; 0]);
            let of_group = |step: &plan::MoveEntry| step.workload == "w0";
            let changed = broken(&found, |file| {
                file.operations.clear();
                let round = file.rounds.iter_mut().find(|round| round.moves.iter().any(of_group)).unwrap();
                let position = round.moves.iter().position(of_group).unwrap();
                let late = round.moves.remove(position);
                file.rounds.push(plan::RoundEntry { moves: vec![late] });
            });
            assert!(!changed.is_empty());
            groups += usize::from(changed.contains(&"as-one"));
        }
        // The same plan, where the GPU to which one moves is none of its nodes.
        let mut cluster: Cluster = (*transition.cluster).clone();
        let has_gpu = cluster.gpu_indices().map(|gpu| gpu != to.gpu).collect();
        cluster.node_sets = vec![cluster::NodeSet { has_gpu }];
        let own = cluster.workloads[workload.index()].particulars.get_or_insert_default();
        Arc::make_mut(own).nodes = Some(cluster::NodeSetIndex(0));
        found.transition.cluster = Arc::new(cluster);
        let run = plan::carry_out(
            &found.transition,
            &found.plan,
            &plan::operations(&found.transition, &found.plan),
        );
        assert!(run.findings.iter().any(|finding| finding.rule == "wrong-node"), "{:?}", run.findings);
        wrong_nodes += 1;
    }
    assert!(wrong_nodes > 50 && groups > 20, "{wrong_nodes} {groups}");
}

/// A plan, where one is found.
fn found_or_stopped(transition: &Transition) -> Option<crate::Found> {
    let answer = crate::plan(transition, &options(solvers()[0]), &solver::Control::silent()).unwrap();
    if let crate::Answer::Found(found) = answer { Some(*found) } else { None }
}

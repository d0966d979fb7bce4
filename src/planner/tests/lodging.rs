//! Lodgings against all ways to lodge.

use super::cases::{PLAIN, Recipe, draw};
use super::theorems::options;
use crate::graph::Waits;
use crate::greedy::greedy;
use crate::history::{Absence, History};
use crate::late::late;
use crate::lodging::lodged;
use crate::means::{MOST_COLUMNS, Means};
use crate::minimum_feedback;
use cluster::GpuIndex;
use mig::GpuInstance;
use plan::{Place, Transition, illegal};
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use solver::Control;
use solvers::solvers;
use std::time::Instant;

/// Per round, what is held at its beginning or entered in it.
fn in_play(transition: &Transition, history: &History) -> Vec<Vec<Place>> {
    let mut held: Vec<Place> = transition.present().map(|(_, place)| place).collect();
    let mut rounds = Vec::new();
    for steps in &history.rounds {
        for step in steps.values() {
            held.extend(&step.entered);
        }
        rounds.push(held.clone());
        held.retain(|place| !steps.values().any(|step| step.left.contains(place)));
    }
    rounds
}

fn is_legal(transition: &Transition, places: &[Place]) -> bool {
    transition.cluster.gpu_indices().all(|gpu| {
        let here: Vec<GpuInstance> =
            places.iter().filter(|place| place.gpu == gpu).map(|place| place.instance).collect();
        illegal(&transition.cluster, gpu, &here).is_none()
    })
}

/// The most that can be lodged, by trying everything.
fn most(transition: &Transition, rounds: &mut Vec<Vec<Place>>, absences: &[Absence]) -> usize {
    let Some((absence, rest)) = absences.split_first() else { return 0 };
    let mut best = most(transition, rounds, rest);
    let board = &transition.cluster.boards[0];
    let request = &transition.cluster.requests[transition.classes[absence.class].request.index()];
    let profile = request.on_board[0].unwrap();
    for gpu in 0..transition.cluster.gpus.len() {
        for &start in &board.profile(profile).starts {
            let place = Place { gpu: GpuIndex::at(gpu), instance: GpuInstance { profile, start } };
            let stay = absence.from..=absence.to;
            stay.clone().for_each(|round| rounds[round].push(place));
            if stay.clone().all(|round| is_legal(transition, &rounds[round])) {
                best = best.max(1 + most(transition, rounds, rest));
            }
            for round in stay {
                rounds[round].pop();
            }
        }
    }
    best
}

#[test]
fn as_many_are_lodged_as_can_be() {
    let mut random = ChaCha8Rng::seed_from_u64(51);
    let options = options(solvers()[0]);
    let control = Control::silent();
    let (mut some, mut all, mut later) = (0, 0, 0);
    for case in 0..400 {
        let gpus = random.random_range(2..=4);
        let recipe = Recipe { gpus, most_workloads: 14, crowded: case % 2 == 0, ..PLAIN };
        let transition = draw(recipe, &mut random);
        let waits = Waits::of(&transition);
        let graph = waits.single_graph();
        let (set, _) = minimum_feedback(&graph, &vec![1; graph.len()], &mut || true).unwrap();
        let parks = set.iter().map(|&class| waits.sources_of[class][0]).collect();
        let history = greedy(&transition, &waits, &parks).unwrap();
        let means =
            Means { transition: &transition, options: &options, control: &control, began: Instant::now() };
        let lodge = |history: &History| {
            let absences: Vec<Absence> = history.absences().into_iter().take(4).collect();
            let (with, homeless) = lodged(&means, history, &absences, MOST_COLUMNS).unwrap();
            assert!(in_play(&transition, &with).iter().all(|places| is_legal(&transition, places)));
            let truth = most(&transition, &mut in_play(&transition, history), &absences);
            assert_eq!(absences.len() - homeless.len(), truth, "case {case}");
            (truth, absences.len())
        };
        let (early, absences) = lodge(&history);
        some += usize::from(0 < early && early < absences);
        all += usize::from(0 < early && early == absences);
        if !history.rounds.is_empty() {
            let late = late(&transition, &waits, &history, history.rounds.len());
            assert!(in_play(&transition, &late).iter().all(|places| is_legal(&transition, places)));
            later += usize::from(lodge(&late).0 > early);
        }
    }
    eprintln!("{some} {all} {later}");
    assert!(some > 5 && all > 30 && later > 3, "{some} {all} {later}");
}

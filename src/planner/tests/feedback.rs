//! Feedback vertex sets, against all subsets and against the program.

use super::cases::{PLAIN, draw};
use crate::graph::{Waits, knots};
use crate::minimum_feedback;
use crate::objective::Objective;
use crate::program::{Absent, Shape, direct, pose};
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use solver::{Control, Options, solve_stages};
use solvers::solvers;

fn is_acyclic_without(graph: &[Vec<usize>], removed: u32) -> bool {
    let kept = |vertex: usize| removed >> vertex & 1 == 0;
    let rest: Vec<Vec<usize>> = (0..graph.len())
        .map(|vertex| graph[vertex].iter().copied().filter(|&next| kept(vertex) && kept(next)).collect())
        .collect();
    // Depth-first, by colours: not by components, as the code under test does.
    let mut colour = vec![0; graph.len()];
    fn visit(graph: &[Vec<usize>], vertex: usize, colour: &mut [u8]) -> bool {
        colour[vertex] = 1;
        let fine = graph[vertex]
            .iter()
            .all(|&next| colour[next] != 1 && (colour[next] == 2 || visit(graph, next, colour)));
        colour[vertex] = 2;
        fine
    }
    (0..graph.len()).all(|vertex| colour[vertex] == 2 || visit(&rest, vertex, &mut colour))
}

#[test]
fn the_cheapest_set_is_found_and_circles_have_nothing_in_common() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let mut cyclic = 0;
    for _ in 0..400 {
        let size = random.random_range(1..=9);
        let density = random.random_range(0.05..0.4);
        let graph: Vec<Vec<usize>> =
            (0..size).map(|_| (0..size).filter(|_| random.random_bool(density)).collect()).collect();
        let weights: Vec<u64> = (0..size).map(|_| random.random_range(1..=3)).collect();
        let (set, circles) = minimum_feedback(&graph, &weights, &mut || true).unwrap();
        let cost = |mask: u32| (0..size).filter(|at| mask >> at & 1 == 1).map(|at| weights[at]).sum::<u64>();
        let truth = (0..1 << size).filter(|&mask| is_acyclic_without(&graph, mask)).map(cost).min().unwrap();
        assert_eq!(set.iter().map(|&at| weights[at]).sum::<u64>(), truth, "{graph:?} {weights:?}");
        assert!(is_acyclic_without(&graph, set.iter().map(|at| 1 << at).sum()));
        assert_eq!(knots(&graph).is_empty(), truth == 0);
        let mut seen = std::collections::BTreeSet::new();
        for circle in &circles {
            let next = |at: usize| circle[(at + 1) % circle.len()];
            assert!(
                (0..circle.len()).all(|at| graph[circle[at]].contains(&next(at))),
                "{circle:?} {graph:?}"
            );
            assert!(circle.iter().all(|&vertex| seen.insert(vertex)));
        }
        cyclic += usize::from(truth > 0);
    }
    assert!(cyclic > 100);
}

#[test]
fn the_program_steps_aside_as_often_as_the_cheapest_set_has_members() {
    let mut random = ChaCha8Rng::seed_from_u64(12);
    let mut aside = 0;
    for _ in 0..150 {
        let transition = draw(PLAIN, &mut random);
        let waits = Waits::of(&transition);
        let graph = waits.single_graph();
        let (set, _) = minimum_feedback(&graph, &vec![1; graph.len()], &mut || true).unwrap();
        for solver in solvers() {
            let rounds = waits.targets.len() + waits.sources.len() + 1;
            let shape = Shape {
                transition: &transition,
                rounds,
                absent: Absent::Aside,
                pairs: direct(&transition),
                stages: vec![Objective::Bounces],
                most: Vec::new(),
                beside: None,
                is_limited: true,
            };
            let mut program = pose(shape).program;
            program.rows.retain(|row| !row.terms.is_empty());
            if program.columns.is_empty() {
                continue;
            }
            let solved = solve_stages(*solver, &program, &Options::default(), &Control::silent());
            assert_eq!(solved.stages[0].value, Some(set.len() as f64), "{}", solver.name());
        }
        aside += set.len();
    }
    assert!(aside > 20, "{aside}");
}

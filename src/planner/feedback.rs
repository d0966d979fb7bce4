//! Minimum feedback vertex sets: the cheapest vertices without which a graph has no circle.

use crate::graph::knots;
use std::collections::BTreeSet;

/// The cheapest set of vertices without which the graph has no circle, exactly, and circles that have no vertex in common. `None` when
/// `may_go_on` says no before the search is over.
pub fn minimum_feedback(
    graph: &[Vec<usize>],
    weights: &[u64],
    may_go_on: &mut dyn FnMut() -> bool,
) -> Option<(Vec<usize>, Vec<Vec<usize>>)> {
    let (mut set, mut circles) = (Vec::new(), Vec::new());
    for knot in knots(graph) {
        let alive: BTreeSet<usize> = knot.into_iter().collect();
        let (greedy, _) = upper(graph, weights, &alive);
        let mut best = greedy;
        search(graph, weights, alive.clone(), Vec::new(), &mut best, may_go_on)?;
        set.extend(best);
        circles.extend(packing(graph, &alive));
    }
    set.sort_unstable();
    Some((set, circles))
}

fn cost(weights: &[u64], set: &[usize]) -> u64 {
    set.iter().map(|&vertex| weights[vertex]).sum()
}

/// Branch and bound on the shortest circle: one of its vertices is in every set.
fn search(
    graph: &[Vec<usize>],
    weights: &[u64],
    mut alive: BTreeSet<usize>,
    chosen: Vec<usize>,
    best: &mut Vec<usize>,
    may_go_on: &mut dyn FnMut() -> bool,
) -> Option<()> {
    if !may_go_on() {
        return None;
    }
    trim(graph, &mut alive);
    let Some(circle) = shortest_circle(graph, &alive) else {
        if cost(weights, &chosen) < cost(weights, best) {
            *best = chosen;
        }
        return Some(());
    };
    let lower: u64 = packing(graph, &alive)
        .iter()
        .map(|circle| circle.iter().map(|&vertex| weights[vertex]).min().unwrap_or(0))
        .sum();
    if cost(weights, &chosen) + lower >= cost(weights, best) {
        return Some(());
    }
    // Cheap ones with many arcs first.
    let mut order = circle;
    order.sort_by_key(|&vertex| (weights[vertex], std::cmp::Reverse(graph[vertex].len()), vertex));
    for vertex in order {
        let mut without = alive.clone();
        without.remove(&vertex);
        let more = [chosen.as_slice(), &[vertex]].concat();
        search(graph, weights, without, more, best, may_go_on)?;
    }
    Some(())
}

/// Removes what is on no circle: vertices without a way in or out.
fn trim(graph: &[Vec<usize>], alive: &mut BTreeSet<usize>) {
    loop {
        let entered: BTreeSet<usize> = alive
            .iter()
            .flat_map(|&vertex| &graph[vertex])
            .copied()
            .filter(|next| alive.contains(next))
            .collect();
        let is_on = |vertex: &usize| {
            entered.contains(vertex) && graph[*vertex].iter().any(|next| alive.contains(next))
        };
        let kept: BTreeSet<usize> = alive.iter().copied().filter(is_on).collect();
        if kept.len() == alive.len() {
            return;
        }
        *alive = kept;
    }
}

/// A circle with the fewest vertices.
fn shortest_circle(graph: &[Vec<usize>], alive: &BTreeSet<usize>) -> Option<Vec<usize>> {
    let mut best: Option<Vec<usize>> = None;
    for &root in alive {
        let most = best.as_ref().map_or(usize::MAX, Vec::len);
        if let Some(circle) = circle_through(graph, alive, root, most) {
            best = Some(circle);
        }
        if best.as_ref().is_some_and(|circle| circle.len() == 1) {
            break;
        }
    }
    best
}

/// The shortest circle through a vertex, if it has fewer vertices than `most`.
fn circle_through(
    graph: &[Vec<usize>],
    alive: &BTreeSet<usize>,
    root: usize,
    most: usize,
) -> Option<Vec<usize>> {
    let mut parents = std::collections::BTreeMap::new();
    let mut layer = vec![root];
    for length in 1..most {
        let mut next_layer = Vec::new();
        for &vertex in &layer {
            for &next in graph[vertex].iter().filter(|next| alive.contains(next)) {
                if next == root {
                    let mut circle = vec![vertex];
                    while *circle.last().expect("it is not empty") != root {
                        circle.push(parents[circle.last().expect("it is not empty")]);
                    }
                    circle.reverse();
                    debug_assert_eq!(circle.len(), length);
                    return Some(circle);
                }
                parents.entry(next).or_insert_with(|| {
                    next_layer.push(next);
                    vertex
                });
            }
        }
        if next_layer.is_empty() {
            return None;
        }
        layer = next_layer;
    }
    None
}

/// Circles without a common vertex, the shortest first.
fn packing(graph: &[Vec<usize>], alive: &BTreeSet<usize>) -> Vec<Vec<usize>> {
    let mut alive = alive.clone();
    let mut circles = Vec::new();
    loop {
        trim(graph, &mut alive);
        let Some(circle) = shortest_circle(graph, &alive) else { return circles };
        for vertex in &circle {
            alive.remove(vertex);
        }
        circles.push(circle);
    }
}

/// A set that breaks all circles, taken greedily.
fn upper(graph: &[Vec<usize>], weights: &[u64], alive: &BTreeSet<usize>) -> (Vec<usize>, u64) {
    let mut alive = alive.clone();
    let mut set = Vec::new();
    loop {
        trim(graph, &mut alive);
        let degree = |vertex: usize| {
            let out = graph[vertex].iter().filter(|next| alive.contains(next)).count();
            let into = alive.iter().filter(|&&other| graph[other].contains(&vertex)).count();
            (out * into) as u64
        };
        let Some(&vertex) =
            alive.iter().max_by_key(|&&vertex| (degree(vertex) * 1000 / weights[vertex].max(1), vertex))
        else {
            return (set.clone(), cost(weights, &set));
        };
        alive.remove(&vertex);
        set.push(vertex);
    }
}

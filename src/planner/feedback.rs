//! Minimum feedback vertex sets: the cheapest vertices without which a graph has no circle.

use crate::graph::knots;
use crate::kernel::Kernel;
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
        set.extend(search(Kernel::of(graph, &knot), weights, u64::MAX, may_go_on).ok()?.unwrap_or_default());
        circles.extend(packing(graph, &knot.into_iter().collect()));
    }
    set.sort_unstable();
    Some((set, circles))
}

/// There was no time left.
struct Interrupted;

fn cost(weights: &[u64], set: &[usize]) -> u64 {
    set.iter().map(|&vertex| weights[vertex]).sum()
}

/// The cheapest set that costs less than `below`, if there is one: part by part, and in each a vertex is either in the set or not.
fn search(
    mut kernel: Kernel,
    weights: &[u64],
    below: u64,
    may_go_on: &mut dyn FnMut() -> bool,
) -> Result<Option<Vec<usize>>, Interrupted> {
    if !may_go_on() {
        return Err(Interrupted);
    }
    let mut set = kernel.reduce(weights);
    let mut left = match below.checked_sub(cost(weights, &set)) {
        None | Some(0) => return Ok(None),
        Some(left) => left,
    };
    if kernel.is_empty() {
        return Ok(Some(set));
    }
    let parts = kernel.split();
    let least: Vec<u64> = parts.iter().map(|part| lower(part, weights)).collect();
    if parts.len() > 1 || parts.iter().any(|part| part.arcs() < kernel.arcs()) {
        let mut others: u64 = least.iter().sum();
        for (part, least) in parts.into_iter().zip(least) {
            others -= least;
            let Some(room) = left.checked_sub(others) else { return Ok(None) };
            let Some(best) = search(part, weights, room, may_go_on)? else { return Ok(None) };
            left -= cost(weights, &best);
            set.extend(best);
        }
        return Ok(Some(set));
    }
    if least[0] >= left {
        return Ok(None);
    }
    let vertex = kernel.busiest(weights);
    let mut best = None;
    if weights[vertex] < left {
        let with = search(kernel.without(vertex), weights, left - weights[vertex], may_go_on)?;
        best = with.map(|with| [with.as_slice(), &[vertex]].concat());
        left = best.as_ref().map_or(left, |best| cost(weights, best));
    }
    if let Some(without) = search(kernel.bypassed(vertex), weights, left, may_go_on)? {
        best = Some(without);
    }
    Ok(best.map(|best| [best, set].concat()))
}

/// What every set costs: circles without a common vertex have a vertex each.
fn lower(kernel: &Kernel, weights: &[u64]) -> u64 {
    let (graph, names) = kernel.numbered();
    let cheapest =
        |circle: &Vec<usize>| circle.iter().map(|&vertex| weights[names[vertex]]).min().unwrap_or(0);
    packing(&graph, &(0..graph.len()).collect()).iter().map(cheapest).sum()
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

/// A circle with the fewest vertices, or the first one with no more than so many.
fn shortest_circle(graph: &[Vec<usize>], alive: &BTreeSet<usize>, enough: usize) -> Option<Vec<usize>> {
    let mut best: Option<Vec<usize>> = None;
    for &root in alive {
        let most = best.as_ref().map_or(usize::MAX, Vec::len);
        if let Some(circle) = circle_through(graph, alive, root, most) {
            best = Some(circle);
        }
        if best.as_ref().is_some_and(|circle| circle.len() <= enough) {
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
    let mut circles: Vec<Vec<usize>> = Vec::new();
    loop {
        trim(graph, &mut alive);
        // No circle of what is left is shorter than the last one.
        let enough = circles.last().map_or(1, Vec::len);
        let Some(circle) = shortest_circle(graph, &alive, enough) else { return circles };
        for vertex in &circle {
            alive.remove(vertex);
        }
        circles.push(circle);
    }
}

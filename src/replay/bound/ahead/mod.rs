//! Schedules that look ahead: many partial schedules side by side, arrival by arrival.
//!
//! All of them have decided the same arrivals. Each makes successors with the next arrival in every place that differs, or without it; of
//! those that differ in nothing that counts later one is kept, and of the others the most promising ones. What is promising is seen at
//! *tight moments*, at which those chosen take all GPUs: guests that stay until then are where they are, and those that come until then
//! are packed beside them. What finds no place there is likely to be lost.
//!
//! A plan of a linear program can be the guide instead. What guests hold beyond it at times to come is likely to be lost to others,
//! at the prices of the program. Then all may be chosen from, and the search decides whom to accept.

mod content;
mod moments;
mod scene;
mod search;

use super::plan::Plan;
use super::schedule::Schedule;
use super::timeline::Timeline;
use cluster::Cluster;
use moments::Moments;
use scene::Scene;
use search::Search;

/// How many partial schedules are kept side by side, search after search.
const WIDTHS: [usize; 2] = [30, 300];
/// On larger fleets partial schedules take too long to compare.
const MOST_GPUS: usize = 64;
/// The most decisions that are remembered.
const MOST_STEPS: usize = 10_000_000;

/// The best schedule found of the chosen, which `chosen_ones` describes in words; wider searches follow until one accepts as many
/// as wanted. None on large fleets, or where the search is over before.
pub fn best(
    cluster: &Cluster,
    timeline: &Timeline,
    chosen: &[bool],
    plan: Option<&Plan>,
    chosen_ones: &str,
    wanted: usize,
    is_over: &dyn Fn() -> bool,
) -> Option<Schedule> {
    if cluster.gpus.len() > MOST_GPUS {
        return None;
    }
    let nothing = Plan::nothing(timeline.arrivals());
    let scene = Scene::of(cluster, timeline, chosen, plan.unwrap_or(&nothing));
    let moments = if plan.is_some() { Moments::none() } else { Moments::of(&scene) };
    let mut best: Option<Schedule> = None;
    for width in WIDTHS.into_iter().filter(|width| width * timeline.arrivals() <= MOST_STEPS) {
        if best.as_ref().is_some_and(|best| best.accepted() >= wanted) {
            break;
        }
        let Some(placement) = Search::new(&scene, &moments, width).run(is_over) else { break };
        let found = Schedule { placement, found_by: format!("looking ahead among {chosen_ones}") };
        match &mut best {
            Some(best) => best.replace_if_better(found),
            None => best = Some(found),
        }
    }
    best
}

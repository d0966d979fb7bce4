//! How values and bounds came together, on the instances where that took longest.

use super::group::{Group, Instance};
use super::numbers;
use crate::convergence::{Search, figure, objectives};
use crate::page::Block;
use itertools::Itertools;

/// Charts of a group, at most.
const DRAWN: usize = 4;

/// An objective of an instance, with what each method came to know of it over time.
struct Contest<'r> {
    instance: &'r str,
    objective: &'r str,
    searches: Vec<Search<'r>>,
}

/// What is said of the searches of a group; nothing where no search has more than one moment.
pub(super) fn blocks(group: &Group) -> Vec<Block> {
    let all = group.instances.iter().flat_map(|instance| contests(group, instance));
    let mut contests: Vec<Contest> =
        all.filter(|contest| contest.searches.iter().any(Search::is_curve)).collect();
    let number = contests.len();
    // Sorting is stable: of the same length, the first instance and its first objective come first.
    contests.sort_by(|one, other| other.seconds().total_cmp(&one.seconds()));
    let drawn = contests.iter().take(DRAWN);
    let figures =
        drawn.map(|contest| Block::Figure(figure(&contest.searches, contest.objective, contest.instance)));
    let remark = (number > DRAWN).then(|| {
        Block::Paragraph(format!(
            "The {DRAWN} searches that took longest are drawn, of {} whose values and bounds are known over time.",
            numbers::whole(number)
        ))
    });
    remark.into_iter().chain(figures).collect()
}

fn contests<'r>(group: &Group<'r>, instance: &Instance<'r>) -> Vec<Contest<'r>> {
    let names = instance.rows.iter().flat_map(|row| objectives(&row.record.trace)).unique();
    let contest = |objective: &'r str| {
        let searches = instance.rows.iter().map(|row| {
            let method = row.record.method.as_str();
            let rank = group.methods.iter().position(|known| *known == method).unwrap_or_default();
            Search::of(&row.record.trace, objective, Some(method), rank)
        });
        let searches = searches.filter(|search| !search.points.is_empty()).collect();
        Contest { instance: instance.name(), objective, searches }
    };
    names.map(contest).collect()
}

impl Contest<'_> {
    /// Seconds of its longest search.
    fn seconds(&self) -> f64 {
        self.searches.iter().map(Search::seconds).fold(0.0, f64::max)
    }
}

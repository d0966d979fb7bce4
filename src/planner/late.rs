//! Histories in which what holds places without need is put off.

use crate::graph::Waits;
use crate::history::History;
use plan::Transition;

/// The same history with so many rounds, in which newcomers start in the last round, and workloads that step aside do so only when
/// somebody needs their place: so that more room is left for temporary places. For limits that count what happens in a round, this may be
/// too much at once.
pub fn late(transition: &Transition, waits: &Waits, history: &History, rounds: usize) -> History {
    let mut late = history.clone();
    while late.rounds.len() < rounds {
        late.rounds.push(Default::default());
    }
    for (class, about) in transition.classes.iter().enumerate() {
        if about.present.is_empty() && !about.target.is_empty() {
            let mut entered = Vec::new();
            for steps in &mut late.rounds {
                entered.extend(steps.remove(&class).into_iter().flat_map(|step| step.entered));
            }
            late.step(rounds - 1, class).entered = entered;
        }
    }
    for absence in late.absences() {
        if waits.is_single(absence.class)
            && let Some(from) =
                needed(transition, waits, &late, absence.class).filter(|&from| from > absence.from)
        {
            let left = std::mem::take(&mut late.step(absence.from, absence.class).left);
            late.step(from.min(absence.to), absence.class).left = left;
        }
    }
    late
}

/// The last round in which the only place of a class can be left, so that nobody comes later than in the history.
fn needed(transition: &Transition, waits: &Waits, history: &History, class: usize) -> Option<usize> {
    let source = &waits.sources[waits.sources_of[class][0]];
    let board = transition.cluster.board_of(source.place.gpu);
    let profile = source.place.instance.profile.index();
    let shares = |other: &plan::Place| {
        let other = other.instance.profile.index();
        board.limits().iter().any(|limit| limit.usage[profile] > 0 && limit.usage[other] > 0)
    };
    let blocked = |place: &plan::Place| {
        let mut blocks = source.blocks.iter().map(|&target| waits.targets[target].place);
        place.gpu == source.place.gpu && (blocks.any(|blocked| blocked == *place) || shares(place))
    };
    let enters = |round: usize| history.rounds[round].values().any(|step| step.entered.iter().any(blocked));
    let left = (0..history.rounds.len())
        .find(|&round| history.rounds[round].get(&class).is_some_and(|step| !step.left.is_empty()))?;
    (left + 1..history.rounds.len()).find(|&round| enters(round)).map(|round| round - 1)
}

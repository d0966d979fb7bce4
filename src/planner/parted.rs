//! The search part by part: what steps aside and how many rounds that takes is found for each part alone, as if there were room for all
//! temporary places; then lodgings are found for all of them together. Where there are enough, nothing can be better.

use crate::detours::Anew;
use crate::graph::{Waits, knots};
use crate::greedy::greedy;
use crate::history::{Absence, History};
use crate::late::late;
use crate::lodging::lodged;
use crate::lower::Lower;
use crate::means::{End, FEW_COLUMNS, MANY_COLUMNS, MOST_COLUMNS, Means};
use crate::objective::Objective;
use crate::parts::{Part, parts};
use crate::program::{Absent, Shape};
use cluster::Handover;
use plan::{Limits, Transition};
use std::collections::BTreeSet;

/// Lodgings are looked for in so many rounds more than are needed if there is room for all of them.
const MORE_ROUNDS: usize = 3;

/// What was found part by part.
pub struct Parted {
    /// How many restarting and how many other workloads have to step aside, at least.
    pub parks: (u64, u64),
    /// Whether more have to than the circles ask for.
    pub is_searched: bool,
    /// Rounds that are needed if no more step aside.
    pub rounds: u64,
    /// A plan in which no more step aside, all of them with a temporary place or restarting anyway.
    pub history: Option<History>,
}

/// Plans a transition part by part. None where not even the parts could be settled.
///
/// # Errors
/// When the solver fails.
pub fn parted(
    means: &Means<'_>,
    waits: &Waits,
    lower: &Lower,
    is_legal: &dyn Fn(&History) -> bool,
) -> Result<Option<Parted>, String> {
    let mut search = Search::new(means, waits);
    if !search.settle_parks(lower)? {
        return Ok(None);
    }
    let Some(rounds) = search.settle_rounds(lower.by_limits.max(1) as usize)? else { return Ok(None) };
    let parks = search.courses.iter().fold((0, 0), |sum, course| add(sum, course.parks));
    let is_searched = search.courses.iter().any(|course| course.is_searched);
    let mut parted = Parted { parks, is_searched, rounds: rounds as u64, history: None };
    let most = means.transition.limits.max_rounds.map_or(usize::MAX, |most| most as usize);
    let mut last = most.min(rounds + MORE_ROUNDS);
    for columns in [FEW_COLUMNS, MANY_COLUMNS] {
        for rounds in parted.rounds as usize..=last {
            if means.is_over() {
                return Ok(Some(parted));
            }
            match search.lodge(rounds, columns, is_legal)? {
                Lodged::Found(history) => {
                    parted.history = Some(history);
                    // More columns may do with fewer rounds.
                    last = rounds - 1;
                    break;
                }
                Lodged::Impossible if parted.rounds == rounds as u64 => parted.rounds += 1,
                Lodged::Impossible | Lodged::Unknown => {}
            }
        }
    }
    Ok(Some(parted))
}

fn add(one: (u64, u64), other: (u64, u64)) -> (u64, u64) {
    (one.0 + other.0, one.1 + other.1)
}

/// What is known of a part.
struct Course {
    part: Part,
    /// What it does, as if there were room for all temporary places.
    history: History,
    /// How many restarting and how many other workloads step aside: no plan has fewer.
    parks: (u64, u64),
    /// Whether that was found by a program.
    is_searched: bool,
}

enum Lodged {
    Found(History),
    /// There is no such plan within these rounds.
    Impossible,
    Unknown,
}

struct Search<'a> {
    means: &'a Means<'a>,
    waits: &'a Waits,
    courses: Vec<Course>,
    /// Classes that are on a circle.
    tied: BTreeSet<usize>,
}

impl<'a> Search<'a> {
    fn new(means: &'a Means<'a>, waits: &'a Waits) -> Self {
        let course = |part| Course { part, history: History::default(), parks: (0, 0), is_searched: false };
        Search {
            means,
            waits,
            courses: parts(means.transition, waits).into_iter().map(course).collect(),
            tied: knots(&waits.single_graph()).into_iter().flatten().collect(),
        }
    }

    fn transition(&self) -> &'a Transition {
        self.means.transition
    }

    fn restarts(&self, class: usize) -> bool {
        self.transition().classes[class].handover == Handover::Restart
    }

    /// How many restarting and how many other workloads step aside in a history.
    fn parks(&self, history: &History) -> (u64, u64) {
        let of = |absence: Absence| match self.restarts(absence.class) {
            true => ((absence.to - absence.from) as u64, 0),
            false => (0, 1),
        };
        history.absences().into_iter().map(of).fold((0, 0), add)
    }

    /// The fewest who step aside in each part: by its circles where a plan keeps to them, else by a program. Whether all are known.
    fn settle_parks(&mut self, lower: &Lower) -> Result<bool, String> {
        let feedback: BTreeSet<usize> =
            lower.feedback.iter().map(|&class| self.waits.sources_of[class][0]).collect();
        let mut free = self.transition().clone();
        free.limits = Limits::default();
        let greedy = greedy(&free, self.waits, &feedback);
        for number in 0..self.courses.len() {
            let course = &self.courses[number];
            let in_part = |class: &&usize| course.part.classes.binary_search(class).is_ok();
            let known = lower.feedback.iter().filter(in_part).map(|&class| match self.restarts(class) {
                true => (1, 0),
                false => (0, 1),
            });
            let known = known.fold((0, 0), add);
            let own = greedy.as_ref().map(|greedy| greedy.of_classes(&course.part.classes).compacted());
            if let Some(own) = own.filter(|own| self.parks(own) == known) {
                self.courses[number].history = own;
                self.courses[number].parks = known;
                continue;
            }
            let Some(history) = self.fewest(&course.part)? else { return Ok(false) };
            let parks = self.parks(&history);
            if parks < known {
                return Err("the program lets fewer step aside than the circles ask for".to_owned());
            }
            let course = &mut self.courses[number];
            (course.parks, course.is_searched, course.history) = (parks, parks != known, history);
        }
        Ok(true)
    }

    /// The history of a part in which the fewest step aside.
    fn fewest(&self, part: &Part) -> Result<Option<History>, String> {
        let rounds = part.most_rounds();
        if rounds * part.pairs.len() > MOST_COLUMNS {
            return Ok(None);
        }
        let stages = vec![Objective::Downtime, Objective::Bounces];
        Ok(match self.means.solve(self.shape(part, rounds, Absent::Aside, stages, Vec::new()))? {
            End::Found(history, true) => Some(history.compacted()),
            _ => None,
        })
    }

    fn shape(
        &self,
        part: &Part,
        rounds: usize,
        absent: Absent,
        stages: Vec<Objective>,
        most: Vec<(Objective, u64)>,
    ) -> Shape<'a> {
        let pairs = part.pairs.clone();
        let transition = self.transition();
        Shape { transition, rounds, absent, pairs, stages, most, beside: None, is_limited: false }
    }

    /// The fewest rounds in which no more step aside, from so many on; none if that was not found.
    fn settle_rounds(&mut self, least: usize) -> Result<Option<usize>, String> {
        let mut order: Vec<usize> = (0..self.courses.len()).collect();
        order.sort_by_key(|&number| std::cmp::Reverse(self.courses[number].history.rounds.len()));
        let mut rounds = least;
        for number in order {
            while self.courses[number].history.rounds.len() > rounds {
                let Course { part, parks, .. } = &self.courses[number];
                let absent = if *parks == (0, 0) { Absent::Never } else { Absent::Aside };
                let most = vec![(Objective::Downtime, parks.0), (Objective::Bounces, parks.1)];
                match self.means.solve(self.shape(part, rounds, absent, Vec::new(), most))? {
                    End::Found(history, _) => self.courses[number].history = history,
                    End::Infeasible => rounds += 1,
                    End::Stopped => return Ok(None),
                }
            }
        }
        Ok(Some(rounds))
    }

    /// Lodgings for all who step aside: beside the plans of the parts as they are, else with more and more parts planned anew.
    fn lodge(
        &self,
        rounds: usize,
        columns: usize,
        is_legal: &dyn Fn(&History) -> bool,
    ) -> Result<Lodged, String> {
        let mut together = History::empty(rounds);
        for course in &self.courses {
            together.join(&course.history);
        }
        let together = late(self.transition(), self.waits, &together, rounds);
        let absences: Vec<Absence> =
            together.absences().into_iter().filter(|absence| !self.restarts(absence.class)).collect();
        let (with, homeless) = lodged(self.means, &together, &absences, columns)?;
        if homeless.is_empty() && is_legal(&with) {
            return Ok(Lodged::Found(with));
        }
        let classes: BTreeSet<usize> = homeless.iter().map(|absence| absence.class).collect();
        let is_without = |course: &Course| course.part.classes.iter().any(|class| classes.contains(class));
        let steps_aside = |course: &Course| course.parks.1 > 0;
        let is_limited = is_limited(self.transition());
        let chosen = |wanted: &dyn Fn(&Course) -> bool| -> Vec<usize> {
            (0..self.courses.len()).filter(|&number| wanted(&self.courses[number])).collect()
        };
        let mut choices = match is_limited {
            true => Vec::new(),
            false => vec![chosen(&is_without), chosen(&steps_aside)],
        };
        choices.push(chosen(&|_| true));
        choices.dedup();
        for chosen in choices {
            let is_all = chosen.len() == self.courses.len();
            let (end, is_exact) = self.anew(&chosen, &with, rounds, columns, is_limited)?;
            match end {
                Some(history) if is_legal(&history) => return Ok(Lodged::Found(history)),
                None if is_all && is_exact => return Ok(Lodged::Impossible),
                _ => {}
            }
        }
        Ok(Lodged::Unknown)
    }

    /// The plan with some parts planned anew, if there is such a plan; and whether that is certain.
    fn anew(
        &self,
        chosen: &[usize],
        known: &History,
        rounds: usize,
        most_columns: usize,
        is_limited: bool,
    ) -> Result<(Option<History>, bool), String> {
        let courses = || chosen.iter().map(|&number| &self.courses[number]);
        let classes: Vec<usize> = courses().flat_map(|course| course.part.classes.iter().copied()).collect();
        let others = known.without(&classes);
        let guests: Vec<usize> = courses().flat_map(|course| self.guests(course)).collect();
        let anew = Anew {
            pairs: courses().flat_map(|course| course.part.pairs.iter().copied()).collect(),
            guests: &guests,
            parks: courses().fold((0, 0), |sum, course| add(sum, course.parks)),
            others: &others,
            rounds,
            most_columns,
            is_limited,
        };
        Ok(match anew.solve(self.means)? {
            (End::Found(mut history, _), is_exact) => {
                history.join(&others);
                (Some(history), is_exact)
            }
            (End::Infeasible, is_exact) => (None, is_exact),
            (End::Stopped, _) => (None, false),
        })
    }

    /// The classes of a part that may have temporary places: those on circles, where nothing else has to step aside.
    fn guests(&self, course: &Course) -> Vec<usize> {
        let classes = course.part.classes.iter().copied();
        let is_plain = !course.is_searched && classes.clone().all(|class| self.waits.is_single(class));
        let may = |class: &usize| {
            course.parks.1 > 0
                && !self.restarts(*class)
                && !self.transition().classes[*class].present.is_empty()
                && (!is_plain || self.tied.contains(class))
        };
        classes.filter(may).collect()
    }
}

/// Whether anything limits what happens in a round.
pub fn is_limited(transition: &Transition) -> bool {
    let limits = transition.limits;
    limits.max_parallel.is_some()
        || limits.max_parallel_per_node.is_some()
        || !transition.cluster.budgets.is_empty()
}

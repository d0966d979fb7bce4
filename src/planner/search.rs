//! The search for the best plan, with its proof.

use crate::graph::Waits;
use crate::greedy::greedy;
use crate::history::{Absence, History};
use crate::lodging::lodged;
use crate::lower::Lower;
use crate::means::{End, FEW_COLUMNS, MOST_COLUMNS, Means};
use crate::names::named;
use crate::objective::Objective;
use crate::options::Options;
use crate::parted::{is_limited, parted};
use crate::program::{Absent, Pair, Shape, direct, everywhere};
use cluster::Handover;
use itertools::Itertools;
use plan::{
    AsOne, Bound, Bounds, By, Class, Counts, Judgement, Plan, PlanFile, Resolved, Transition, Unit,
    carry_out, is_stuck, judge, operations,
};
use solver::Control;
use std::collections::BTreeSet;
use std::time::Instant;

/// What came of a search.
pub enum Answer {
    /// The best plan that was found, carried out by the simulator, with its bounds.
    Found(Box<Found>),
    /// There is no plan; why.
    Impossible(String),
    /// No plan was found before a limit; which.
    Stopped(String),
}

/// A plan that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// What it is a plan for.
    pub transition: Transition,
    /// The plan.
    pub plan: Plan,
    /// The plan as a file, but for the instance that it belongs to.
    pub file: PlanFile,
    /// What the simulator says.
    pub judgement: Judgement,
}

/// Temporary places are looked for in so many rounds more than a plan needs that has room for all of them.
const MORE_ROUNDS: usize = 3;

/// The best plan of a transition.
///
/// # Errors
/// When the simulator refuses a plan, or a solver fails: never to be taken for an answer.
pub fn plan(transition: &Transition, options: &Options, control: &Control) -> Result<Answer, String> {
    Search::new(transition, options, control).run()
}

struct Search<'a> {
    transition: &'a Transition,
    options: &'a Options,
    means: Means<'a>,
    waits: Waits,
    lower: Lower,
    best: Option<(Vec<u64>, Plan, Counts)>,
    /// Rounds of which a search has shown that fewer do not suffice, given the best of what comes before them.
    proved_rounds: u64,
    /// What is proved of objectives after the rounds.
    proved_later: Vec<(Objective, u64)>,
    notes: Vec<String>,
}

impl<'a> Search<'a> {
    fn new(transition: &'a Transition, options: &'a Options, control: &'a Control) -> Self {
        let means = Means { transition, options, control, began: Instant::now() };
        let waits = Waits::of(transition);
        let lower = Lower::of(transition, &waits, &mut || !means.is_over());
        let (proved_rounds, proved_later) = (0, Vec::new());
        Search {
            transition,
            options,
            means,
            waits,
            lower,
            best: None,
            proved_rounds,
            proved_later,
            notes: Vec::new(),
        }
    }

    fn run(mut self) -> Result<Answer, String> {
        if let Some(reason) = self.impossible() {
            return Ok(Answer::Impossible(reason));
        }
        if self.waits.targets.is_empty() && self.waits.sources.is_empty() {
            self.offer(&History::default())?;
            return self.finish();
        }
        if self.transition.backend.unit() == Unit::Instance {
            self.without_search()?;
            if !self.is_proved() && self.is_usual() {
                let is_settled = self.is_additive() && self.part_by_part()?;
                if !self.is_proved() && !is_settled {
                    self.with_room_to_spare()?;
                }
            }
        }
        if !self.is_proved()
            && let Some(reason) = self.everywhere()?
        {
            return Ok(Answer::Impossible(reason));
        }
        self.finish()
    }

    /// Why there is no plan at all, where that is plain.
    fn impossible(&self) -> Option<String> {
        let (transition, cluster) = (self.transition, &self.transition.cluster);
        for budget in &cluster.budgets {
            let is_under = |class: &&Class| {
                class.budgets.iter().any(|own| cluster.budgets[own.index()] == *budget)
                    && class.handover == Handover::Restart
            };
            let restarts: usize = transition.classes.iter().filter(is_under).map(Class::movers).sum();
            if restarts > 0 && budget.allowed == 0 {
                return Some(format!(
                    "the disruption budget `{}` allows no workload to be down, and {restarts} under it have to move by a restart",
                    budget.name
                ));
            }
        }
        if let Some(most) =
            transition.limits.max_rounds.filter(|&most| u64::from(most) < self.lower.by_limits)
        {
            let needed = self.lower.by_limits;
            return Some(format!(
                "at most {most} rounds are allowed, and the limits on each of them ask for {needed}"
            ));
        }
        let present: BTreeSet<_> = transition.present().map(|(_, place)| place).collect();
        let new = self.waits.targets.iter().filter(|target| !present.contains(&target.place));
        new.filter_map(|target| Some((target, transition.unit_of(target.place.gpu)?))).find_map(|(target, unit)| {
            let mut pinned = transition.pinned();
            let (who, _) = pinned.find(|(_, place)| transition.unit_of(place.gpu) == Some(unit))?;
            Some(format!(
                "{} has to be laid out anew, for which {} has to be empty, and `{}`, which may not be moved, runs there",
                cluster.gpus[target.place.gpu.index()].name,
                if transition.backend.unit() == Unit::Gpu { "it" } else { "its node" },
                cluster.workloads[who.index()].name
            ))
        })
    }

    fn is_over(&self) -> bool {
        self.means.is_over()
    }

    fn before_rounds(&self) -> &'a [Objective] {
        let order = &self.options.order;
        let rounds = order.iter().position(|&objective| objective == Objective::Rounds);
        &order[..rounds.unwrap_or(order.len())]
    }

    /// Whether stops and temporary places count more than rounds, so that as few as possible step aside.
    fn is_usual(&self) -> bool {
        let before = self.before_rounds();
        let at = |wanted: Objective| before.iter().position(|&objective| objective == wanted);
        let late = [Objective::PluginRestarts, Objective::Gpus];
        let (stops, downtime, bounces) =
            (at(Objective::Stops), at(Objective::Downtime), at(Objective::Bounces));
        // What counts as one moves at once, of which only the program over all places knows.
        self.transition.as_one.is_empty()
            && stops.is_some()
            && stops < bounces
            // Whether a restarting workload or another one steps aside is a matter of the downtime.
            && (self.lower.restarts == 0 || stops < downtime && downtime < bounces)
            // The fewest moves are those with the fewest temporary places.
            && at(Objective::Moves).is_none_or(|moves| bounces.is_some_and(|bounces| bounces < moves))
            && !before.iter().any(|objective| late.contains(objective))
            && (self.lower.parks.1 == 0
                || !self.options.order.iter().any(|objective| late.contains(objective)))
    }

    /// Whether what is minimised after the rounds follows from what comes before them.
    fn is_additive(&self) -> bool {
        self.later().iter().all(|&objective| match objective {
            Objective::Moves => true,
            Objective::Downtime => self.lower.restarts == 0,
            _ => false,
        })
    }

    /// The least that is known of an objective.
    fn least(&self, objective: Objective) -> u64 {
        let searched = self.proved_later.iter().find(|(known, _)| *known == objective);
        if let Some(&(_, value)) = searched {
            return value;
        }
        let instance = self.transition.backend.unit() == Unit::Instance;
        let order = &self.options.order;
        let after = |one: Objective| {
            let at = |wanted: Objective| order.iter().position(|&objective| objective == wanted);
            at(one).is_some_and(|one| at(objective).is_none_or(|own| one < own))
        };
        match objective {
            Objective::Stops => self.least_stops(),
            Objective::Downtime if after(Objective::Stops) && self.meets_stops() => self.lower.parks.0,
            Objective::Bounces
                if after(Objective::Stops)
                    && self.meets_stops()
                    && (self.lower.restarts == 0 || after(Objective::Downtime) && self.meets_downtime()) =>
            {
                self.lower.parks.1
            }
            Objective::Downtime | Objective::Bounces => 0,
            Objective::Rounds => {
                let known = match self.is_usual() && self.meets_stops() {
                    true if self.meets_downtime() => self.lower.rounds(),
                    _ if instance => self.lower.by_limits.max(1),
                    _ => self.lower.by_limits,
                };
                let any = !(self.waits.targets.is_empty() && self.waits.sources.is_empty());
                let searched = if self.meets_before() { self.proved_rounds } else { 0 };
                if any { known.max(searched) } else { 0 }
            }
            Objective::Moves => {
                // Each temporary place is a move more.
                let aside = if after(Objective::Bounces) { self.least(Objective::Bounces) } else { 0 };
                self.lower.moves + aside
            }
            Objective::PluginRestarts => {
                let changed = self.changed().map(|gpu| self.transition.node_of(gpu));
                if instance { changed.unique().count() as u64 } else { 0 }
            }
            Objective::Gpus => self.changed().count() as u64,
        }
    }

    fn least_stops(&self) -> u64 {
        let aside = self.best.as_ref().is_some_and(|(_, _, counts)| counts.stops > self.lower.restarts);
        let stuck = aside && self.lower.restarts == 0 && self.is_stuck();
        self.lower.restarts + u64::from(stuck)
    }

    /// Whether the best plan stops no workload that need not be stopped; unknown plans are hoped to.
    fn meets_stops(&self) -> bool {
        self.best.as_ref().is_none_or(|(_, _, counts)| counts.stops == self.lower.restarts)
    }

    /// Whether the best plan has no workload down for longer than need be.
    fn meets_downtime(&self) -> bool {
        self.best.as_ref().is_none_or(|(_, _, counts)| counts.downtime == self.lower.parks.0)
    }

    /// Whether the best plan is as good as any in what comes before the rounds; unknown plans are hoped to be.
    fn meets_before(&self) -> bool {
        self.best.as_ref().is_none_or(|(_, _, counts)| {
            self.before_rounds().iter().all(|&objective| objective.of(counts) == self.least(objective))
        })
    }

    /// GPUs that a workload has to enter or leave.
    fn changed(&self) -> impl Iterator<Item = cluster::GpuIndex> + '_ {
        let sources = self.waits.sources.iter().map(|source| source.place.gpu);
        sources.chain(self.waits.targets.iter().map(|target| target.place.gpu)).unique()
    }

    fn is_stuck(&self) -> bool {
        let all = everywhere(self.transition);
        let held: Vec<_> = self.transition.present().map(|(_, place)| place).collect();
        self.transition.backend.unit() == Unit::Instance
            && !all.iter().any(|pair| {
                let here: Vec<_> = held.iter().copied().filter(|place| place.gpu == pair.place.gpu).collect();
                !self.transition.classes[pair.class].present.is_empty()
                    && crate::fits::fits(self.transition, &here, pair.place)
            })
    }

    fn is_proved(&self) -> bool {
        let Some((_, _, counts)) = &self.best else { return false };
        self.options.order.iter().all(|&objective| objective.of(counts) == self.least(objective))
    }

    /// Gives names to a history, carries it out, and keeps it if it is better than what there was.
    fn offer(&mut self, history: &History) -> Result<(), String> {
        let plan = named(self.transition, &history.clone().compacted());
        let run = carry_out(self.transition, &plan, &operations(self.transition, &plan));
        if let Some(finding) = run.findings.first() {
            return Err(format!("the simulator refuses a plan: {}", finding.message));
        }
        let worth: Vec<u64> = self.options.order.iter().map(|objective| objective.of(&run.counts)).collect();
        if self.best.as_ref().is_none_or(|(best, ..)| worth < *best) {
            self.best = Some((worth, plan, run.counts));
        }
        Ok(())
    }

    /// A history in which some step aside: with temporary places for those who need not be stopped, as far as there are any. Whether there
    /// are for all.
    fn offer_aside(&mut self, history: &History) -> Result<bool, String> {
        let surges = |absence: &Absence| self.transition.classes[absence.class].handover == Handover::Surge;
        let absences: Vec<Absence> = history.absences().into_iter().filter(surges).collect();
        let (history, homeless) = lodged(&self.means, history, &absences, FEW_COLUMNS)?;
        let within = |rounds: u32| history.rounds.len() <= rounds as usize;
        // To stop those who found no temporary place may break a budget.
        if !self.transition.limits.max_rounds.is_none_or(within)
            || !homeless.is_empty() && self.broken(&history).is_some()
        {
            return Ok(false);
        }
        self.offer(&history)?;
        Ok(homeless.is_empty())
    }

    /// A rule that a history breaks.
    fn broken(&self, history: &History) -> Option<&'static str> {
        let plan = named(self.transition, &history.clone().compacted());
        let run = carry_out(self.transition, &plan, &operations(self.transition, &plan));
        run.findings.first().map(|finding| finding.rule)
    }

    /// What can be had without a program: every workload as early as possible.
    fn without_search(&mut self) -> Result<(), String> {
        // What counts as one does not go each as early as possible.
        if !self.transition.as_one.is_empty() {
            return Ok(());
        }
        let feedback: BTreeSet<usize> =
            self.lower.feedback.iter().map(|&class| self.waits.sources_of[class][0]).collect();
        if let Some(history) = greedy(self.transition, &self.waits, &feedback) {
            self.offer_aside(&history)?;
        }
        Ok(())
    }

    /// Solves a program of a shape; the options' later objectives follow as stages.
    fn solve(
        &self,
        rounds: usize,
        absent: Absent,
        pairs: Vec<Pair>,
        most: Vec<(Objective, u64)>,
        stages: Vec<Objective>,
    ) -> Result<End, String> {
        let transition = self.transition;
        let shape = Shape { transition, rounds, absent, pairs, stages, most, beside: None, is_limited: true };
        Ok(match self.means.solve(shape)? {
            End::Found(history, is_proved) => End::Found(history.compacted(), is_proved),
            end => end,
        })
    }

    fn most_rounds(&self) -> Option<usize> {
        self.transition.limits.max_rounds.map(|most| most as usize)
    }

    /// Objectives that a program minimises after the rounds are settled.
    fn later(&self) -> Vec<Objective> {
        let wanted = [
            Objective::PluginRestarts,
            Objective::Gpus,
            Objective::Downtime,
            Objective::Stops,
            Objective::Bounces,
            Objective::Moves,
        ];
        let after = self.options.order.iter().skip(self.before_rounds().len());
        after.copied().filter(|objective| wanted.contains(objective)).collect()
    }

    /// The search part by part. Whether it settled all that can be known without all places.
    fn part_by_part(&mut self) -> Result<bool, String> {
        let is_legal = |history: &History| self.broken(history).is_none();
        let Some(found) = parted(&self.means, &self.waits, &self.lower, &is_legal)? else { return Ok(false) };
        if found.is_searched {
            self.lower.parks = found.parks;
            self.lower.is_searched = true;
        }
        self.proved_rounds = self.proved_rounds.max(found.rounds);
        if let Some(history) = &found.history {
            self.offer(history)?;
        }
        Ok(!is_limited(self.transition))
    }

    /// P(k) in which as few as possible step aside, for whom temporary places are found afterwards.
    fn with_room_to_spare(&mut self) -> Result<(), String> {
        let pairs = direct(self.transition);
        let known = self.best_parks();
        let mut rounds = self.lower.rounds() as usize;
        // Every round fills a place, or a workload steps aside: more rounds are of no use.
        let last = self.waits.targets.len() + self.waits.sources.len() + 1;
        while !self.is_over() && rounds <= self.most_rounds().map_or(last, |most| most.min(last)) {
            if known == Some(self.lower.parks)
                && self.best.as_ref().is_some_and(|(_, _, counts)| counts.rounds <= rounds as u64)
                && self.later().iter().all(|&objective| objective == Objective::Moves)
            {
                // What was found greedily is as good as can be.
                self.proved_rounds = self.proved_rounds.max(rounds as u64);
                return Ok(());
            }
            if pairs.len() * rounds > MOST_COLUMNS {
                return Ok(());
            }
            let (restarting, others) = self.lower.parks;
            // Each of the restarting ones is down for a round at least.
            let most = vec![(Objective::Downtime, restarting), (Objective::Bounces, others)];
            let absent = if (restarting, others) == (0, 0) { Absent::Never } else { Absent::Aside };
            let stages = self.later();
            match self.solve(rounds, absent, pairs.clone(), most, stages.clone())? {
                End::Found(history, is_proved) => {
                    let found = self.offer_aside(&history)?;
                    if found && is_proved {
                        self.settle(&history, &stages);
                    }
                    return Ok(());
                }
                End::Stopped => return Ok(()),
                End::Infeasible => {
                    self.proved_rounds = self.proved_rounds.max(rounds as u64 + 1);
                    rounds += 1;
                    // Perhaps more have to step aside than is known.
                    let is_open =
                        !self.lower.is_searched && known.is_none_or(|known| known > self.lower.parks);
                    if is_open && rounds > 1 + self.lower.rounds() as usize {
                        if !self.count_parks(&pairs)? {
                            return Ok(());
                        }
                        if self.lower.is_searched {
                            rounds = self.lower.rounds() as usize;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// How many step aside in the best plan so far.
    fn best_parks(&self) -> Option<(u64, u64)> {
        let (_, _, counts) = self.best.as_ref()?;
        (counts.stops == self.lower.restarts).then_some((counts.downtime, counts.bounces))
    }

    /// Finds out how many have to step aside, in any number of rounds. Whether that is known now.
    fn count_parks(&mut self, pairs: &[Pair]) -> Result<bool, String> {
        let rounds = self.waits.targets.len() + self.waits.sources.len() + 1;
        if pairs.len() * rounds > MOST_COLUMNS {
            self.notes.push("how many have to step aside was not searched to the end".to_owned());
            return Ok(false);
        }
        let stages = vec![Objective::Downtime, Objective::Bounces];
        let end = self.solve(rounds, Absent::Aside, pairs.to_vec(), Vec::new(), stages)?;
        let End::Found(history, is_proved) = end else { return Ok(false) };
        let restarts =
            |absence: &Absence| self.transition.classes[absence.class].handover == Handover::Restart;
        let (restarting, others): (Vec<Absence>, Vec<Absence>) =
            history.absences().into_iter().partition(restarts);
        let downtime: usize = restarting.iter().map(|absence| absence.to - absence.from).sum();
        let parks = (downtime as u64, others.len() as u64);
        if !is_proved || parks == self.lower.parks {
            return Ok(is_proved);
        }
        if parks < self.lower.parks {
            return Err("the program lets fewer step aside than the circles ask for".to_owned());
        }
        self.lower.parks = parks;
        self.lower.is_searched = true;
        // A chain holds only while no workload steps aside.
        self.proved_rounds = 0;
        Ok(true)
    }

    /// Takes the values of a plan for proved optimal in these objectives.
    fn settle(&mut self, history: &History, stages: &[Objective]) {
        self.proved_rounds = self.proved_rounds.max(history.rounds.len() as u64);
        let Some((_, _, counts)) = &self.best else { return };
        self.proved_later = stages.iter().map(|&objective| (objective, objective.of(counts))).collect();
    }

    /// P(k) with all places that there are: temporary places and stops where they have to be. A reason if there is no plan at all.
    fn everywhere(&mut self) -> Result<Option<String>, String> {
        let pairs = everywhere(self.transition);
        let before = self.before_rounds().to_vec();
        let first = self.least(Objective::Rounds).max(1) as usize;
        let last = self.most_rounds().unwrap_or(
            first + MORE_ROUNDS + usize::from(self.transition.backend.unit() != Unit::Instance) * 2,
        );
        if 2 * pairs.len() * last > MOST_COLUMNS {
            self.notes.push(
                "temporary places were not searched to the end, as the cluster is too large for that"
                    .to_owned(),
            );
            return Ok(None);
        }
        let goal: Vec<(Objective, u64)> =
            before.iter().map(|&objective| (objective, self.goal(objective))).collect();
        for rounds in first..=last {
            if self.is_over() {
                return Ok(None);
            }
            let stages = self.later();
            match self.solve(rounds, Absent::Stopped, pairs.clone(), goal.clone(), stages.clone())? {
                End::Found(history, is_proved) => {
                    self.offer(&history)?;
                    if is_proved {
                        self.settle_all(&history, &goal, &stages);
                    }
                    return Ok(None);
                }
                End::Infeasible => self.proved_rounds = self.proved_rounds.max(rounds as u64 + 1),
                End::Stopped => return Ok(None),
            }
        }
        // Nothing is as good as it could be: the best within these rounds.
        self.proved_rounds = 0;
        let mut stages = before.clone();
        stages.extend(self.later());
        match self.solve(last, Absent::Stopped, pairs, Vec::new(), stages)? {
            End::Found(history, is_proved) => {
                self.offer(&history)?;
                if is_proved && self.most_rounds().is_some() {
                    let Some((_, _, counts)) = &self.best else { return Ok(None) };
                    self.proved_later =
                        before.iter().map(|&objective| (objective, objective.of(counts))).collect();
                    self.notes.push(format!("the bounds hold among plans of at most {last} rounds"));
                }
                Ok(None)
            }
            End::Infeasible if self.most_rounds().is_some() => {
                Ok(Some(format!("a search through all plans of at most {last} rounds found none")))
            }
            End::Infeasible => {
                self.notes.push(format!("no plan has fewer than {} rounds", last + 1));
                Ok(None)
            }
            End::Stopped => Ok(None),
        }
    }

    /// The value that an objective is hoped to reach.
    fn goal(&self, objective: Objective) -> u64 {
        match objective {
            Objective::Stops => self.lower.restarts,
            Objective::Bounces if self.options.order.contains(&Objective::Stops) => {
                let hoped = self.options.order.iter().position(|&known| known == Objective::Stops);
                let own = self.options.order.iter().position(|&known| known == objective);
                if hoped < own { self.lower.parks.1 } else { 0 }
            }
            other => self.least(other),
        }
    }

    /// What a search through all places has proved.
    fn settle_all(&mut self, history: &History, goal: &[(Objective, u64)], stages: &[Objective]) {
        self.settle(history, stages);
        self.proved_later.extend(goal);
    }

    /// The answer.
    fn finish(mut self) -> Result<Answer, String> {
        let Some((_, plan, counts)) = self.best.take() else {
            return Ok(Answer::Stopped(match self.is_over() {
                true => "no plan was found in time".to_owned(),
                false => self.notes.pop().unwrap_or_else(|| "no plan was found".to_owned()),
            }));
        };
        self.best = Some((Vec::new(), plan.clone(), counts));
        let mut bounds = Bounds::default();
        let mut proved = true;
        for &objective in &self.options.order {
            let (least, found) = (self.least(objective), objective.of(&counts));
            if proved && least > found {
                let text =
                    format!("{} of a plan are {found}, though {least} were proved least", objective.name());
                return Err(text);
            }
            // A bound holds among the plans that are best in what comes before, of which this one need not be.
            let value = least.min(found);
            proved &= value == found;
            *objective.bound(&mut bounds) = Some(self.bound(objective, value, &counts));
        }
        if !proved && self.is_over() {
            self.notes.push("stopped before the proof was complete".to_owned());
        }
        let mut file = PlanFile {
            minimize: self.options.order.iter().map(|objective| objective.name().to_owned()).collect(),
            proved,
            notes: notes_on_groups(self.transition).into_iter().chain(self.notes.clone()).collect(),
            counts: Some(counts),
            bounds: Some(bounds),
            ..PlanFile::default()
        };
        file.describe(self.transition, &plan);
        let resolved = Resolved {
            transition: self.transition.clone(),
            has_target: true,
            operations: operations(self.transition, &plan),
            plan: plan.clone(),
        };
        let judgement = judge(&file, &resolved);
        if let Some(finding) = judgement.findings.first() {
            return Err(format!("the verifier refuses a plan: {}: {}", finding.rule, finding.message));
        }
        Ok(Answer::Found(Box::new(Found { transition: self.transition.clone(), plan, file, judgement })))
    }

    /// A bound with the reason that people can check, where there is one.
    fn bound(&self, objective: Objective, value: u64, counts: &Counts) -> Bound {
        let by = |by: By| Bound { value, by, chain: Vec::new(), cycles: Vec::new() };
        let straight = counts.bounces == 0 && counts.stops == counts.restarts;
        match objective {
            Objective::Stops if value <= self.lower.restarts => by(By::Difference),
            Objective::Stops if value == 1 && is_stuck(self.transition) => by(By::Stuck),
            Objective::Downtime | Objective::Bounces if value == 0 => by(By::Difference),
            Objective::Bounces if value == self.lower.parks.1 && self.lower.parks.0 == 0 => {
                self.lower.park_bound(self.transition, &self.waits, value)
            }
            Objective::Rounds if straight => self.lower.round_bound(self.transition, value),
            Objective::Rounds if value <= 1 => by(By::Difference),
            Objective::Rounds if value <= self.lower.by_limits => by(By::Limits),
            Objective::Moves if value <= self.lower.moves => by(By::Difference),
            Objective::Gpus if value <= self.changed().count() as u64 => by(By::Difference),
            _ => by(By::Search),
        }
    }
}

/// Who restarts in its place, as others that count as one with it move.
fn notes_on_groups(transition: &Transition) -> Vec<String> {
    let cluster = &transition.cluster;
    let partly = transition.as_one.iter().filter(|group| !group.stay.is_empty());
    let note = |group: &AsOne| {
        format!(
            "group `{}` counts as one and restarts as a whole; in their places stay {}",
            cluster.groups[group.group.index()].rules.name,
            group
                .stay
                .iter()
                .map(|workload| format!("`{}`", cluster.workloads[workload.index()].name))
                .join(", ")
        )
    };
    partly.map(note).collect()
}

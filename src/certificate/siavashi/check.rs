//! Whether multipliers prove that no placement is better.

use super::best::Most;
use super::counted::Counted;
use super::kinds::Kinds;
use super::machine::{Footing, Held, Machine};
use super::question::Question;
use super::search::Effort;
use super::totals::{Total, Totals};
use super::worths::{Worths, steps, unit};
use crate::cases::{Case, Range, Refutes};
use crate::format::Leaf;
use crate::magnitude::{add, product, sum};
use crate::refusal::Refusal;
use cluster::WorkloadIndex;
use ground::Amount;
use std::collections::BTreeMap;

/// A question with its workloads and machines counted.
pub struct Checker<'q> {
    pub(super) question: &'q Question<'q>,
    pub(super) counted: Counted,
    pub(super) kinds: Kinds,
    totals: Totals,
    /// By goal: its unit, and what a unit of every term is worth in it.
    units: Vec<(Amount, [i128; 3])>,
}

impl<'q> Checker<'q> {
    /// Counts workloads and machines.
    ///
    /// # Errors
    /// When the question contradicts itself, or a GPU can hold its workloads in too many ways.
    pub fn new(question: &'q Question<'q>) -> Result<Self, Refusal> {
        let counted = Counted::of(question)?;
        let kinds = Kinds::of(question, &counted)?;
        let totals = Totals::of(&counted, &kinds, question.max_migrations);
        let units =
            question.stages.iter().map(|&stage| Ok((unit(stage, &counted)?, steps(stage, &counted)?)));
        let units = units.collect::<Result<_, Refusal>>()?;
        Ok(Checker { question, counted, kinds, totals, units })
    }

    /// The unit in which a goal is counted, by its position, and what a unit of every term is worth in it.
    pub fn unit(&self, goal: usize) -> (Amount, [i128; 3]) {
        self.units[goal]
    }

    /// The units in which acceptance, hardware and migrations are counted.
    pub fn terms(&self) -> [Amount; 3] {
        self.counted.units.terms
    }

    /// How many types of workloads there are.
    pub fn types(&self) -> usize {
        self.counted.types.len()
    }

    /// The type of a workload, by position; none of what is pinned.
    pub fn type_of(&self, workload: WorkloadIndex) -> Option<usize> {
        self.counted.type_of[workload.index()]
    }

    /// What accepting one of a type counts, in units.
    pub fn acceptance(&self, of_type: usize) -> i128 {
        self.counted.types[of_type].acceptance
    }

    /// What one of a type is charged before it has a place, in units of migrations: what it costs without one.
    pub fn charged(&self, of_type: usize) -> i128 {
        self.counted.types[of_type].spared.map_or(0, |spared| spared.charged)
    }

    /// Acceptance of what is pinned, in units.
    pub fn pinned_acceptance(&self) -> i128 {
        self.counted.pinned
    }

    /// How many kinds of machines there are.
    pub fn kinds(&self) -> usize {
        self.kinds.list.len()
    }

    /// The kind of a machine, by their positions.
    pub fn kind_of(&self, machine: usize) -> usize {
        self.kinds.of[machine]
    }

    /// The first kind that is like this one where it does not matter what runs where now.
    pub fn alike(&self, kind: usize) -> usize {
        self.kinds.list[kind].alike
    }

    /// How many machines of a kind there are.
    pub fn number_of(&self, kind: usize) -> u32 {
        self.kinds.list[kind].number
    }

    /// What a machine of a kind counts when it is in use, and each of its GPUs, in units of hardware.
    pub fn weights(&self, kind: usize) -> (i128, i128) {
        let about = &self.kinds.list[kind].kind;
        (about.weight, about.gpu_weight)
    }

    /// How many of its GPUs carry something pinned.
    pub fn pinned_gpus(&self, kind: usize) -> i128 {
        self.kinds.list[kind].kind.pinned() as i128
    }

    /// How many of the running workloads of a machine of a kind may be moved, and what they are charged together.
    pub fn at_home(&self, kind: usize) -> (i128, i128) {
        let of_type = |(&of_type, &number): (&usize, &u32)| {
            let charged = self.counted.types[of_type].spared.map_or(0, |spared| spared.charged);
            (i128::from(number), charged * i128::from(number))
        };
        let home = self.kinds.list[kind].kind.home.iter().map(of_type);
        home.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
    }

    /// The name of a total in certificates.
    pub fn name(&self, total: Total) -> String {
        self.totals.name(total, &self.counted, &self.kinds)
    }

    /// The most that goals, in their units and times their multipliers, costs with the opposite sign, add up to for a placement in a
    /// case: what is paid for totals at their bounds, and the most that every machine by itself can be worth.
    ///
    /// # Errors
    /// When the multipliers name what is not there, are too large, or prove nothing by their signs.
    pub fn bound(&self, leaf: &Leaf, case: &Case<Total>, effort: Effort) -> Result<i128, Refusal> {
        let worths = self.worths(leaf)?;
        let most = self.most_of_kinds(&worths, effort)?;
        self.together(&worths, case, &most)
    }

    /// By kind, the most that a machine is worth.
    pub(super) fn most_of_kinds(&self, worths: &Worths, effort: Effort) -> Result<Vec<i64>, Refusal> {
        let mut known: BTreeMap<usize, i64> = BTreeMap::new();
        let most = |position: usize| {
            let of_kind = self.evaluated(position, worths);
            let most = match known.get(&of_kind) {
                Some(&most) => most,
                None => self.most_of(of_kind, worths, effort)?.bound,
            };
            known.insert(of_kind, most);
            Ok(most)
        };
        (0..self.kinds.list.len()).map(most).collect()
    }

    /// What placements of a case are worth at most, where machines of each kind are worth so much.
    pub(super) fn together(
        &self,
        worths: &Worths,
        case: &Case<Total>,
        most: &[i64],
    ) -> Result<i128, Refusal> {
        let mut bound = self.shared(worths, case)?;
        for (machines, &most) in self.kinds.list.iter().zip(most) {
            add(&mut bound, i128::from(machines.number), i128::from(most))?;
        }
        Ok(bound)
    }

    /// The first kind that is worth as much as this one.
    fn evaluated(&self, kind: usize, worths: &Worths) -> usize {
        let is_alike = !worths.knows_places() && !worths.tells_kinds_apart();
        if is_alike { self.kinds.list[kind].alike } else { kind }
    }

    /// What placements are worth apart from their machines, at most: what is pinned, what residents are charged, totals.
    fn shared(&self, worths: &Worths, case: &Case<Total>) -> Result<i128, Refusal> {
        let mut shared = 0;
        add(&mut shared, worths.acceptance(), self.counted.pinned)?;
        add(&mut shared, -worths.spared(self.counted.charged())?, 1)?;
        add(&mut shared, -worths.of_total(Total::Moved), self.counted.residents())?;
        for (total, multiplier) in worths.totals() {
            let range = self.range(total, case);
            add(&mut shared, multiplier, if multiplier > 0 { range.greatest } else { range.least })?;
        }
        Ok(shared)
    }

    fn machine(&self, kind: usize, worths: &Worths, footing: Footing) -> Result<Machine<'_>, Refusal> {
        Machine::new(&self.counted, &self.kinds, kind, (worths, footing))
    }

    /// The most that a machine of a kind is worth. No content is worth more on either footing; that with the lower table is searched.
    fn most_of(&self, kind: usize, worths: &Worths, effort: Effort) -> Result<Most, Refusal> {
        let near = self.machine(kind, worths, Footing::Near)?;
        if !worths.knows_places() || self.kinds.list[kind].kind.home.is_empty() {
            return Ok(Most::of(&near, effort));
        }
        let level = self.machine(kind, worths, Footing::Level)?;
        let tables = [&near, &level].map(|machine| Most::of(machine, Effort::TABLES));
        let lower = if tables[1].bound < tables[0].bound { &level } else { &near };
        let searched = (effort != Effort::TABLES).then(|| Most::of(lower, effort));
        let found = || searched.iter().chain(&tables);
        let bound = found().map(|most| most.bound).min().unwrap_or(i64::MAX);
        Ok(Most { bound, contents: found().flat_map(|most| most.contents.iter().cloned()).collect() })
    }

    /// The worths at the multipliers of a leaf.
    ///
    /// # Errors
    /// As for [`Checker::bound`].
    pub fn worths(&self, leaf: &Leaf) -> Result<Worths, Refusal> {
        let mut terms = [0; 3];
        for (name, multiplier) in &leaf.goals {
            let named = self.question.stages.iter().position(|stage| stage.name() == name);
            let goal = named.ok_or_else(|| Refusal::of(format!("`{name}` is no goal.")))?;
            for (term, step) in terms.iter_mut().zip(self.units[goal].1) {
                *term = sum(*term, product(i128::from(*multiplier), step)?)?;
            }
        }
        Worths::new(&self.counted, terms, self.totals_of(leaf)?)
    }

    /// The most that a machine of a kind is worth, and what it may hold that is worth much.
    ///
    /// # Errors
    /// As for [`Checker::bound`].
    pub fn most(&self, kind: usize, worths: &Worths, effort: Effort) -> Result<(i64, Vec<Held>), Refusal> {
        let machine = self.machine(kind, worths, Footing::Near)?;
        let most = self.most_of(kind, worths, effort)?;
        let held = most.contents.iter();
        let held = held.filter_map(|fills| machine.held(&self.counted, kind, worths, fills));
        Ok((most.bound, held.collect()))
    }

    /// As [`refute`](Refutes::refute), with searches of so much effort.
    ///
    /// # Errors
    /// When the multipliers of the leaf do not prove that.
    pub fn refute_within(
        &self,
        leaf: &Leaf,
        values: &[Amount],
        case: &Case<Total>,
        effort: Effort,
    ) -> Result<(), Refusal> {
        let is_empty = |(_, range): &(Total, Range)| range.least > range.greatest;
        if case.iter().any(is_empty) {
            return Ok(());
        }
        let claimed = self.claimed(leaf, values)?;
        let bound = self.bound(leaf, case, effort)?;
        if claimed <= bound {
            return Err(Refusal::of(format!(
                "a better placement is not refuted: it would be worth {claimed}, and the machines together can be worth {bound}."
            )));
        }
        Ok(())
    }

    /// What a placement would be worth at least that has these values of the first goals but the last, and is better in that one.
    ///
    /// # Errors
    /// When the leaf names what is no goal up to this one, or proves nothing by its signs.
    pub(super) fn claimed(&self, leaf: &Leaf, values: &[Amount]) -> Result<i128, Refusal> {
        let mut claimed = 0;
        for (name, multiplier) in &leaf.goals {
            let mut goals = self.question.stages.iter().zip(values).enumerate();
            let named = goals.find(|(_, (stage, _))| stage.name() == name);
            let (position, (stage, value)) =
                named.ok_or_else(|| Refusal::of(format!("`{name}` is no goal up to this one.")))?;
            let value = value.in_units_of(self.units[position].0);
            let value = value
                .ok_or_else(|| Refusal::of(format!("{} is no value of goal `{name}`.", values[position])))?;
            let (is_last, multiplier) = (position + 1 == values.len(), i128::from(*multiplier));
            if is_last && multiplier < 0 {
                let reason = "the multiplier of the goal itself is negative: that proves nothing.";
                return Err(Refusal::of(reason));
            }
            add(&mut claimed, multiplier * stage.sign(), value)?;
            add(&mut claimed, multiplier, i128::from(is_last))?;
        }
        Ok(claimed)
    }
}

impl Refutes for Checker<'_> {
    type Total = Total;

    fn goals(&self) -> Vec<&'static str> {
        self.question.stages.iter().map(|stage| stage.name()).collect()
    }

    fn total_named(&self, name: &str) -> Option<Total> {
        self.totals.named(name)
    }

    fn range_in_all(&self, total: Total) -> Range {
        self.totals.range(total, &self.counted, &self.kinds)
    }

    fn refute(&self, leaf: &Leaf, values: &[Amount], case: &Case<Total>) -> Result<(), Refusal> {
        // Mostly tables suffice.
        let at_once = self.refute_within(leaf, values, case, Effort::TABLES);
        at_once.or_else(|_| self.refute_within(leaf, values, case, Effort::FULL))
    }
}

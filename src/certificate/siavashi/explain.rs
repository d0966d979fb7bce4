//! What the numbers of a case say of workloads and machines.

use super::best::Most;
use super::check::Checker;
use super::kinds::Kinds;
use super::machine::{Footing, Held, Machine};
use super::question::Stage;
use super::search::Effort;
use super::totals::Total;
use super::worths::Worths;
use crate::cases::{Case, Refutes};
use crate::explanation::{Explained, Explains, Goal, Part, Priced};
use crate::format::Leaf;
use crate::magnitude::{add, product, sum};
use crate::refusal::Refusal;
use ground::Amount;
use std::collections::BTreeMap;

impl Explains for Checker<'_> {
    /// What each machine holds.
    type Outcome = Vec<Held>;

    fn name_of(&self, total: Total) -> String {
        self.name(total)
    }

    fn explain(
        &self,
        leaf: &Leaf,
        values: &[Amount],
        case: &Case<Total>,
        best: Option<&Vec<Held>>,
    ) -> Result<Explained, Refusal> {
        let goal = values.len().checked_sub(1).map(|last| {
            let stage: Stage = self.question.stages[last];
            Goal { name: stage.name(), sign: stage.sign(), unit: self.unit(last).0, value: values[last] }
        });
        let multiplier = goal.as_ref().map_or(0, |goal| goal.multiplier(leaf));
        let sign = goal.as_ref().filter(|_| multiplier != 0).map_or(1, |goal| goal.sign);
        let effort = match self.refute_within(leaf, values, case, Effort::TABLES) {
            Ok(()) => Effort::TABLES,
            Err(_) => Effort::FULL,
        };
        let worths = self.worths(leaf)?;
        let most = self.most_of_kinds(&worths, effort)?;
        let (needed, possible) = (self.claimed(leaf, values)?, self.together(&worths, case, &most)?);
        let mut parts = self.one_more(&worths, case, effort)?;
        for (of_bare, part) in parts.iter_mut() {
            part.change *= sign;
            if let Some(best) = best.filter(|_| multiplier != 0) {
                part.below = Some(self.below(&worths, &most, best, of_bare)?);
            }
        }
        Ok(Explained {
            multiplier,
            unit: goal.as_ref().map_or(Amount::ONE, |goal| goal.unit),
            bound: goal.map_or(Ok(0), |goal| goal.bound(multiplier, needed, possible))?,
            items: self.one_less(&worths, case, sign),
            limits: self.limits(&worths, case, sign),
            places: self.places(&worths, sign)?,
            parts: parts.into_iter().map(|(_, part)| part).collect(),
            ..Explained::of_nothing(needed, possible)
        })
    }
}

impl Checker<'_> {
    /// The multipliers of totals, with the bounds for which they are paid, and whether those are the question's own.
    fn paid<'p>(
        &'p self,
        worths: &'p Worths,
        case: &'p Case<Total>,
    ) -> impl Iterator<Item = (Total, i128, i128, bool)> + 'p {
        worths.totals().filter(|&(_, multiplier)| multiplier != 0).map(|(total, multiplier)| {
            let (range, all) = (self.range(total, case), self.range_in_all(total));
            match multiplier > 0 {
                true => (total, multiplier, range.greatest, range.greatest == all.greatest),
                false => (total, multiplier, range.least, range.least == all.least),
            }
        })
    }

    /// Newcomers of which one less changes the bound: as many fewer can have a place.
    fn one_less(&self, worths: &Worths, case: &Case<Total>, sign: i128) -> Vec<Priced> {
        let mut changes: BTreeMap<usize, i128> = BTreeMap::new();
        for (total, multiplier, _, is_own) in self.paid(worths, case) {
            match total {
                Total::Placed(of_type) | Total::PlacedOn(of_type, _) if is_own && multiplier > 0 => {
                    *changes.entry(of_type).or_insert(0) -= sign * multiplier;
                }
                _ => {}
            }
        }
        let newcomers =
            changes.into_iter().filter(|(of_type, _)| self.counted.types[*of_type].spared.is_none());
        let priced = newcomers.map(|(of_type, change)| {
            let about = &self.counted.types[of_type];
            Priced { name: about.name.clone(), number: i128::from(about.number), change }
        });
        priced.collect()
    }

    /// Workloads to which a place beside all machines is of use.
    fn places(&self, worths: &Worths, sign: i128) -> Result<Vec<Priced>, Refusal> {
        let mut places = Vec::new();
        for (of_type, about) in self.counted.types.iter().enumerate() {
            let spared = worths.spared(about.spared.map_or(0, |spared| spared.abroad))?;
            let change = sign * sum(worths.place_anywhere(of_type), spared)?.max(0);
            places.push(Priced { name: about.name.clone(), number: i128::from(about.number), change });
        }
        places.retain(|place| place.change != 0);
        Ok(places)
    }

    /// Bounds of totals that neither workloads nor machines set by their numbers.
    fn limits(&self, worths: &Worths, case: &Case<Total>, sign: i128) -> Vec<Priced> {
        let limits = self.paid(worths, case).filter(|&(total, multiplier, number, is_own)| {
            let is_set = total == Total::Moved && multiplier > 0 && number < self.counted.residents();
            !is_own || is_set
        });
        let priced = limits.map(|(total, multiplier, number, _)| Priced {
            name: self.name(total),
            number,
            change: sign * multiplier.abs(),
        });
        priced.collect()
    }

    /// The machines by what they are like where nothing runs, with what one more of these adds to what is possible. It counts in no
    /// total of a kind.
    fn one_more(
        &self,
        worths: &Worths,
        case: &Case<Total>,
        effort: Effort,
    ) -> Result<Vec<(Vec<usize>, Part)>, Refusal> {
        let (bare, of_any) = (Kinds::of_bare(self.question, &self.counted)?, worths.of_any_kind());
        let mut machines = vec![Vec::new(); bare.list.len()];
        for (machine, &position) in bare.of.iter().enumerate() {
            machines[position].push(machine);
        }
        let part = |(position, machines): (usize, Vec<usize>)| {
            let of_bare = &bare.list[position];
            let machine = Machine::new(&self.counted, &bare, position, (&of_any, Footing::Near))?;
            let mut change = i128::from(Most::of(&machine, effort).bound);
            for (total, multiplier, _, is_own) in self.paid(worths, case) {
                let more = match total {
                    Total::Machines => 1,
                    Total::Gpus => of_bare.kind.slots.len() as i128,
                    _ => 0,
                };
                add(&mut change, more, if is_own { multiplier.max(0) } else { 0 })?;
            }
            let (like, number) = (of_bare.name.clone(), i128::from(of_bare.number));
            Ok((machines, Part { like, number, change, below: None }))
        };
        machines.into_iter().enumerate().map(part).collect()
    }

    /// Which of some machines are worth less in a placement than they could be, and by how much.
    fn below(
        &self,
        worths: &Worths,
        most: &[i64],
        best: &[Held],
        machines: &[usize],
    ) -> Result<Vec<(String, i128)>, Refusal> {
        let mut below = Vec::new();
        for &machine in machines {
            let kind = self.kind_of(machine);
            let missing = i128::from(most[kind]) - self.worth_of(kind, worths, &best[machine])?;
            if missing != 0 {
                below.push((self.question.machines[machine].name.to_owned(), missing));
            }
        }
        Ok(below)
    }

    /// What a machine of a kind is worth with what it holds.
    fn worth_of(&self, kind: usize, worths: &Worths, held: &Held) -> Result<i128, Refusal> {
        if held.gpus == 0 {
            return Ok(0);
        }
        let (weight, gpu_weight) = self.weights(kind);
        let mut worth = worths.machine(kind, weight)?;
        add(&mut worth, worths.gpu(kind, gpu_weight)?, held.gpus)?;
        for (&of_type, &number) in &held.placed {
            add(&mut worth, worths.place(of_type, kind)?, number)?;
        }
        add(&mut worth, product(worths.of_total(Total::Moved), held.stay)?, 1)?;
        add(&mut worth, worths.spared(held.spared)?, 1)?;
        Ok(worth)
    }
}

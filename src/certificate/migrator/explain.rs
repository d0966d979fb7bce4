//! What the prices of a case say of models and of instances.

use super::check::Checker;
use super::question::Question;
use super::starts::Total;
use super::task::NEVER;
use crate::cases::Case;
use crate::explanation::{Explained, Explains, Priced, Span};
use crate::format::Leaf;
use crate::magnitude::product;
use crate::refusal::Refusal;
use ground::Amount;
use std::collections::BTreeSet;

/// The unit of values.
const MILLIONTH: Amount = Amount::from_millionths(1);

impl Explains for Checker<'_> {
    type Outcome = ();

    fn name_of(&self, total: Total) -> String {
        self.total_name(total)
    }

    fn explain(
        &self,
        leaf: &Leaf,
        values: &[Amount],
        case: &Case<Total>,
        _: Option<&()>,
    ) -> Result<Explained, Refusal> {
        let models = self.question.models.len() as i128;
        let [value] = values else { return Ok(Explained::of_nothing(models, models - 1)) };
        let Some(possible) = self.bound(leaf, case, NEVER)? else { return Ok(Explained::of_nothing(1, 0)) };
        let (atoms, value) = (self.atoms(), value.millionths());
        // What the prices leave open was looked through: there is no better plan.
        let bound = possible.min(product(value, atoms)?);
        let mut items = Vec::new();
        for (model, name) in self.models().iter().enumerate() {
            if let Some(others) = self.without(model, leaf, case)? {
                items.push(Priced { name: name.clone(), number: 1, change: others - bound });
            }
        }
        Ok(Explained {
            multiplier: atoms,
            unit: MILLIONTH,
            bound,
            items,
            spans: self.spans(leaf),
            ..Explained::of_nothing(product(value + 1, atoms)?, possible)
        })
    }
}

impl Checker<'_> {
    /// What all plans without a model are worth at most at the same prices, if there are other models.
    fn without(&self, model: usize, leaf: &Leaf, case: &Case<Total>) -> Result<Option<i128>, Refusal> {
        if self.question.models.len() == 1 {
            return Ok(None);
        }
        let mut question: Question<'_> = self.question.clone();
        question.models.remove(model);
        let others = Checker::new(&question)?;
        let known: BTreeSet<&str> = others.priced().collect();
        let series = leaf.series.iter().filter(|(name, _)| known.contains(name.as_str())).cloned();
        let leaf = Leaf { series: series.collect(), ..leaf.clone() };
        let case = case.iter().filter(|(total, _)| total.model != model);
        let case = case.map(|&(total, range)| {
            (Total { model: total.model - usize::from(total.model > model), ..total }, range)
        });
        others.bound(&leaf, &case.collect::<Vec<_>>(), NEVER)
    }

    /// What an instance of each size costs, slot by slot.
    fn spans(&self, leaf: &Leaf) -> Vec<Span> {
        let unit = leaf.prices.last().map_or(1, |(_, unit)| i128::from(*unit));
        let mut of_sizes = Vec::new();
        for size in &self.question.sizes {
            let mut prices = Vec::with_capacity(self.question.slots);
            for run in leaf.series.iter().filter(|(name, _)| name == size.name).flat_map(|(_, runs)| runs) {
                let price = Amount::from_millionths(i128::from(run.number) * unit);
                prices.extend(std::iter::repeat_n(price, run.count as usize));
            }
            prices.resize(self.question.slots, Amount::ZERO);
            of_sizes.push((size.name, prices));
        }
        let prices_in = |slot: usize| -> Vec<(String, Amount)> {
            of_sizes.iter().map(|(name, prices)| ((*name).to_owned(), prices[slot])).collect()
        };
        let mut spans: Vec<Span> = Vec::new();
        for slot in 0..self.question.slots {
            let prices = prices_in(slot);
            match spans.last_mut() {
                Some(span) if span.prices == prices => span.until = slot + 1,
                _ => spans.push(Span { from: slot, until: slot + 1, prices }),
            }
        }
        spans
    }
}

//! Rules that tell a point of a relaxation from what machines can hold.

use super::holding::HoldingRule;
use super::machine::{Content, Machine};
use super::machines::Machines;
use cluster::Cluster;
use itertools::Itertools;
use prices::{Column, Effort as PartEffort, Inquiry, Limits, ONE, Part, Priced, Split, Total, prove};
use solver::Effort;

/// Numbers of virtual machines are fractions in a linear program. They are counted in parts of this size, on so many times the machines.
const FINENESS: u32 = 1 << 10;
/// What a rule must be broken by, as a share of what machines can hold.
const LEAST_EXCESS: f64 = 1e-4;
/// How many of the contents met last are given to the search for the next rule.
const MOST_REMEMBERED: usize = 100;

/// A search for rules.
pub struct Separation<'s> {
    machines: Vec<Machine<'s>>,
    /// How many kinds there are.
    pub kinds: usize,
    effort: &'s Effort,
    limits: &'s Limits<'s>,
    /// Contents, each with the number of its class of machines.
    met: Vec<(usize, Content)>,
}

impl<'s> Separation<'s> {
    /// For the machines of a fleet.
    ///
    /// # Errors
    /// When the solver refuses a program.
    pub fn new(
        cluster: &Cluster,
        fleet: &Machines,
        effort: &'s Effort,
        limits: &'s Limits<'s>,
    ) -> Result<Self, String> {
        let machines = fleet.parts(cluster, effort, limits)?;
        Ok(Separation { machines, kinds: fleet.kinds.len(), effort, limits, met: Vec::new() })
    }

    /// A rule that so many of each kind break, if one is found.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn rule(&mut self, numbers: &[f64]) -> Result<Option<HoldingRule>, String> {
        let parts_of = |number: f64| (number * f64::from(FINENESS)).round() as i64;
        let present = numbers.iter().positions(|&number| parts_of(number) > 0).collect_vec();
        let total = |&kind: &usize| Total {
            name: kind.to_string(),
            least: None,
            most: Some(parts_of(numbers[kind])),
            excess_cost: Some(1),
            split: Split::Never,
        };
        let totals = present.iter().map(total).collect_vec();
        let (kinds, effort) = (self.kinds, self.effort);
        let fine = |machine| Fine { machine, present: &present, kinds, met: Vec::new() };
        let mut parts = self.machines.iter_mut().map(fine).collect_vec();
        let is_of_present =
            |content: &Content| content.0.iter().all(|(_, kind, _)| present.binary_search(kind).is_ok());
        let start = self.met.iter().rev().filter(|met| is_of_present(&met.1));
        let inquiry = Inquiry {
            totals: &totals,
            start: start.take(MOST_REMEMBERED).cloned().collect(),
            known: -totals.iter().filter_map(|total| total.most).sum::<i64>(),
            confines: 1.0,
        };
        let proof = prove(&mut parts, inquiry, effort.solver, &effort.settings, self.limits)?;
        let met = parts.into_iter().map(|part| part.met).enumerate();
        let met = met.flat_map(|(class, met)| met.into_iter().map(move |content| (class, content)));
        self.met.extend(met);
        let Some(proof) = proof else { return Ok(None) };
        let prices = spread(&proof.prices, &present, kinds);
        let worth = prices.iter().map(|price| ONE + price).collect_vec();
        let of_class = |machine: &mut Machine<'_>| {
            i64::from(machine.number()) * machine.price(&prices, PartEffort::Exact).most
        };
        let most: i64 = self.machines.iter_mut().map(of_class).sum();
        let held: f64 = worth.iter().zip(numbers).map(|(&worth, number)| worth as f64 * number).sum();
        Ok((held > most as f64 * (1.0 + LEAST_EXCESS)).then_some(HoldingRule { worth, most }))
    }
}

/// Prices of all kinds: those of the kinds that are present, and those at which others are worth nothing.
fn spread(prices: &[i64], present: &[usize], kinds: usize) -> Vec<i64> {
    let mut of_all = vec![-ONE; kinds];
    for (&kind, &price) in present.iter().zip(prices) {
        of_all[kind] = price.clamp(-ONE, 0);
    }
    of_all
}

/// So many times the machines, for the kinds that are present.
struct Fine<'f, 's> {
    machine: &'f mut Machine<'s>,
    present: &'f [usize],
    kinds: usize,
    met: Vec<Content>,
}

impl Part for Fine<'_, '_> {
    type Content = Content;

    fn number(&self) -> u32 {
        self.machine.number() * FINENESS
    }

    fn plain(&self) -> Content {
        Content::default()
    }

    fn column(&self, content: &Content) -> Column {
        let Column { cost, terms } = self.machine.column(content);
        let of_present = |(kind, count)| Some((self.present.binary_search(&kind).ok()?, count));
        Column { cost, terms: terms.into_iter().filter_map(of_present).collect() }
    }

    fn price(&mut self, prices: &[i64], effort: PartEffort) -> Priced<Content> {
        let priced = self.machine.price(&spread(prices, self.present, self.kinds), effort);
        self.met.extend(priced.contents.iter().cloned());
        priced
    }

    fn list(&mut self, _: &[i64], _: i64, _: usize) -> Option<Vec<Content>> {
        None
    }
}

//! Whether multipliers prove that no packing is better.

use super::content::{Worths, most};
use super::counted::{Counted, Kind};
use super::question::{Question, Stage};
use crate::cases::{Case, Range, Refutes};
use crate::format::Leaf;
use crate::magnitude::{add, product, sum};
use crate::names::one_word;
use crate::refusal::Refusal;
use ground::Amount;

/// The total that counts pages on servers, each once per server.
const PAGES: &str = "pages";

/// A question with its virtual machines and servers counted.
pub struct Checker<'q> {
    pub(super) question: &'q Question<'q>,
    pub(super) counted: Counted,
}

/// The packings that are refuted.
pub(super) struct Scope {
    /// They use these first servers alone.
    pub first: usize,
    /// The servers in use cost at most this, in units.
    pub most: Option<i128>,
}

/// The multipliers of a leaf.
pub(super) struct Multipliers {
    pub worths: Worths,
    /// What every packing earns at least.
    pub earned: i128,
    /// That of the cost.
    pub cost: i128,
}

impl<'q> Checker<'q> {
    /// The effort of a search for the most that a server can be worth: its nodes, times what there is to look at in each.
    pub const MOST_EFFORT: u64 = 2_000_000;

    /// Counts virtual machines and servers.
    ///
    /// # Errors
    /// When the question contradicts itself.
    pub fn new(question: &'q Question<'q>) -> Result<Self, Refusal> {
        Ok(Checker { question, counted: Counted::of(question)? })
    }

    /// The names of all types of virtual machines in prices.
    pub fn type_names(&self) -> impl Iterator<Item = &str> {
        self.counted.types.iter().map(|about| about.name.as_str())
    }

    /// The position of the type of a virtual machine.
    pub fn type_of(&self, vm: usize) -> usize {
        self.counted.type_of[vm]
    }

    /// The position of the kind of a server.
    pub fn kind_of(&self, server: usize) -> usize {
        self.counted.kind_of[server]
    }

    /// How many kinds of servers there are.
    pub fn kinds(&self) -> usize {
        self.counted.kinds.len()
    }

    /// The name of the total that counts servers of a kind in use.
    pub fn total_of(&self, kind: usize) -> String {
        format!("servers:{}", self.counted.kinds[kind].name)
    }

    /// The name of the total that counts what is requested of a resource.
    pub fn requested(&self, resource: usize) -> String {
        format!("requested:{}", one_word(&self.question.resources[resource]))
    }

    /// The unit of costs.
    pub fn unit(&self) -> Amount {
        self.counted.unit
    }

    /// How many servers count for a goal, given the values up to it, and what those in use may cost; none where no value is better.
    pub(super) fn scope(&self, values: &[Amount]) -> Result<Option<Scope>, Refusal> {
        let mut scope = Scope { first: self.question.servers.len(), most: None };
        for (position, (&value, stage)) in values.iter().zip(&self.question.stages).enumerate() {
            let unit = if *stage == Stage::Reach { Amount::ONE } else { self.counted.unit };
            let units = value.in_units_of(unit);
            let units = units
                .ok_or_else(|| Refusal::of(format!("{value} is no value of goal `{}`.", stage.name())))?;
            let most = if position + 1 == values.len() { units.saturating_sub(1) } else { units };
            match stage {
                Stage::Reach => match usize::try_from(most) {
                    Ok(most) => scope.first = scope.first.min(most),
                    Err(_) => return Ok(None),
                },
                Stage::Servers => scope.most = Some(most),
            }
        }
        Ok(Some(scope))
    }

    pub(super) fn multipliers(&self, leaf: &Leaf) -> Result<Multipliers, Refusal> {
        let types = &self.counted.types;
        let mut of_types = vec![0; types.len()];
        for (name, price) in &leaf.prices {
            let position = self.counted.type_named.get(name);
            let &position =
                position.ok_or_else(|| Refusal::of(format!("`{name}` is no type of virtual machines.")))?;
            of_types[position] = sum(of_types[position], not_negative(name, *price)?)?;
        }
        let mut page = 0;
        for (name, multiplier) in &leaf.totals {
            let multiplier = not_negative(name, *multiplier)?;
            let resource =
                (0..self.question.resources.len()).find(|&resource| self.requested(resource) == *name);
            match resource {
                Some(resource) => {
                    for (worth, about) in of_types.iter_mut().zip(types) {
                        *worth = sum(*worth, product(multiplier, about.request[resource])?)?;
                    }
                }
                None if name == PAGES => page = multiplier,
                None => return Err(Refusal::of(format!("`{name}` is no total with a multiplier."))),
            }
        }
        for (worth, about) in of_types.iter_mut().zip(types) {
            *worth = sum(*worth, product(page, about.private)?)?;
        }
        // The pages of a class are on one server at least.
        let mut earned = product(page, self.counted.common)?;
        for (worth, about) in of_types.iter().zip(types) {
            add(&mut earned, *worth, about.number)?;
        }
        let mut cost = 0;
        for (name, multiplier) in &leaf.goals {
            if name != Stage::Servers.name() {
                return Err(Refusal::of(format!("`{name}` is no goal with a multiplier.")));
            }
            cost = not_negative(name, *multiplier)?;
        }
        Ok(Multipliers { worths: Worths { of_types, page }, earned, cost })
    }

    /// What every packing earns at least at the multipliers of a leaf, and the most that all servers together can be worth in a case, which
    /// is what they earn less their costs times the multiplier. Contents of servers are searched for with so much effort.
    ///
    /// # Errors
    /// When the multipliers name what is not there, are too large, or prove nothing by their signs.
    pub fn bound(
        &self,
        leaf: &Leaf,
        first: usize,
        case: &Case<usize>,
        effort: u64,
    ) -> Result<(i128, i128), Refusal> {
        let multipliers = self.multipliers(leaf)?;
        let mut bound = 0;
        for (position, kind) in self.counted.kinds.iter().enumerate() {
            let Range { least, greatest } = self.range(position, case);
            let greatest = greatest.min(kind.number_in(first));
            if greatest == 0 {
                continue;
            }
            let worth = self.worth(kind, &multipliers, least > 0, effort)?;
            add(&mut bound, worth, if worth > 0 { greatest } else { least })?;
        }
        Ok((multipliers.earned, bound))
    }

    /// The most that one server of a kind can be worth, less its cost; 0 is enough to know where it need not be in use.
    pub(super) fn worth(
        &self,
        kind: &Kind,
        multipliers: &Multipliers,
        is_in_use: bool,
        effort: u64,
    ) -> Result<i128, Refusal> {
        let cost = product(multipliers.cost, kind.cost)?;
        // Where none of the kind has to be in use, nothing that is worth less than its cost matters.
        let known = if is_in_use { 0 } else { cost };
        let things = (self.counted.types.as_slice(), self.question.classes.as_slice());
        Ok(most(things, kind, &multipliers.worths, known, effort)? - cost)
    }

    /// As [`refute`](Refutes::refute), with searches of so much effort.
    ///
    /// # Errors
    /// When the multipliers of the leaf do not prove that.
    pub fn refute_within(
        &self,
        leaf: &Leaf,
        values: &[Amount],
        case: &Case<usize>,
        effort: u64,
    ) -> Result<(), Refusal> {
        let Some(Scope { first, most }) = self.scope(values)? else { return Ok(()) };
        let is_empty = |(kind, _): &(usize, Range)| {
            let Range { least, greatest } = self.range(*kind, case);
            least > greatest.min(self.counted.kinds[*kind].number_in(first))
        };
        if case.iter().any(is_empty) {
            return Ok(());
        }
        let multiplier = self.multipliers(leaf)?.cost;
        if most.is_none() && multiplier != 0 {
            return Err(Refusal::of("the cost is not limited here: its multiplier proves nothing."));
        }
        let (mut worth, bound) = self.bound(leaf, first, case, effort)?;
        add(&mut worth, -multiplier, most.unwrap_or_default())?;
        if worth <= bound {
            return Err(Refusal::of(format!(
                "a better packing is not refuted: its servers would be worth {worth}, and they can be worth {bound} together."
            )));
        }
        Ok(())
    }
}

/// A multiplier, which proves nothing if it is negative.
fn not_negative(name: &str, multiplier: i64) -> Result<i128, Refusal> {
    if multiplier < 0 {
        return Err(Refusal::of(format!("the multiplier of `{name}` is negative: that proves nothing.")));
    }
    Ok(i128::from(multiplier))
}

impl Refutes for Checker<'_> {
    /// The servers in use of a kind, by the position of the kind.
    type Total = usize;

    fn goals(&self) -> Vec<&'static str> {
        self.question.stages.iter().map(|stage| stage.name()).collect()
    }

    fn total_named(&self, name: &str) -> Option<usize> {
        (0..self.counted.kinds.len()).find(|&kind| self.total_of(kind) == name)
    }

    fn range_in_all(&self, kind: usize) -> Range {
        Range { least: 0, greatest: self.counted.kinds[kind].servers.len() as i128 }
    }

    fn refute(&self, leaf: &Leaf, values: &[Amount], case: &Case<usize>) -> Result<(), Refusal> {
        // Mostly relaxations suffice.
        let at_once = self.refute_within(leaf, values, case, 0);
        at_once.or_else(|_| self.refute_within(leaf, values, case, Self::MOST_EFFORT))
    }
}

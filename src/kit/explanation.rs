//! What the numbers of a proof say of its goals, as a document.

use super::stage::SenseName;
use certificate::{Claimed, Explained, Part, Priced, Span};
use ground::Amount;
use schemars::JsonSchema;
use serde::Serialize;

/// Why nothing is better.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExplanationDocument {
    /// What the proof looks at one by one, such as GPUs.
    pub parts: &'static str,
    /// What asks for places there, such as workloads.
    pub items: &'static str,
    /// What is proved, goal by goal.
    pub claims: Vec<ClaimDocument>,
}

/// Why nothing is better in a goal, given the values of the goals before it; or why there is no solution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClaimDocument {
    /// The goal; null where there is no solution.
    pub goal: Option<String>,
    /// Its direction.
    pub sense: Option<SenseName>,
    /// Its best value.
    pub value: Option<Amount>,
    /// The next better value, of which it is proved that no solution has it.
    pub next: Option<Amount>,
    /// The cases that the proof tells apart. One of them has to hold.
    pub cases: Vec<CaseDocument>,
}

/// Why nothing in a case is better. Numbers are rounded to millionths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CaseDocument {
    /// What is supposed in it.
    pub supposed: Vec<SupposedDocument>,
    /// No solution of the case goes beyond this in the goal; null where the case contradicts what is known already, whatever the
    /// goal is worth: then `needed` is more than is `possible`, and changes are those of what is possible.
    pub bound: Option<Amount>,
    /// What a better solution would be worth, in points of the proof.
    pub needed: Amount,
    /// What any can be worth, in points of the proof.
    pub possible: Amount,
    /// What asks for places, such as workloads that are to start: without one of them the bound changes by this. Without one of what is
    /// not named it stays a bound. In a window of time, the models: without one of them the bound changes by this.
    pub items: Vec<PricedDocument>,
    /// Limits: loosened by one, they change the bound by this.
    pub limits: Vec<PricedDocument>,
    /// What a place is worth: with one place more for one of these, beside all parts and at no cost, the bound changes by this. With one
    /// for something that is not named it stays a bound.
    pub places: Vec<PricedDocument>,
    /// What offers places, by kind: with one more of them on which nothing runs the bound changes by this.
    pub parts: Vec<PartDocument>,
    /// What GPU instances cost, from one span of time to the next, in a window of time. At these prices no plan is worth more than
    /// `possible` says; allocations may have prices beside those of their instances, which the certificate names.
    pub spans: Vec<SpanDocument>,
}

/// Slots of time in which instances cost the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SpanDocument {
    /// The first slot, counted from 0.
    pub from: usize,
    /// The slot after the last one.
    pub until: usize,
    /// What an instance of each size costs in each of these slots.
    pub prices: Vec<PriceDocument>,
}

/// A price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PriceDocument {
    /// Of what.
    pub name: String,
    /// In the unit of the goal.
    pub price: Amount,
}

/// What is supposed of a total.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SupposedDocument {
    /// The total, as certificates call it.
    pub total: String,
    /// Its least value.
    pub least: Amount,
    /// Its greatest value.
    pub greatest: Amount,
}

/// Things that are alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PricedDocument {
    /// What certificates call them.
    pub name: String,
    /// How many there are.
    pub number: Amount,
    /// How the bound changes.
    pub change: Amount,
}

/// Parts that are alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PartDocument {
    /// The first of them.
    pub like: String,
    /// How many there are.
    pub number: Amount,
    /// How the bound changes.
    pub change: Amount,
    /// Those that do less for the goal in the solution than they could at these prices, and by how much; null without a solution, and
    /// where there are several cases. All others are at their best.
    pub below: Option<Vec<BelowDocument>>,
}

/// A part that is not at its best.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BelowDocument {
    /// Its name.
    pub name: String,
    /// By how much.
    pub by: Amount,
}

impl ClaimDocument {
    /// What a claim says. `sense_of` knows the directions of goals.
    pub fn new((claimed, cases): (Claimed, Vec<Explained>), sense_of: impl Fn(&str) -> SenseName) -> Self {
        let unit = cases.first().map_or(Amount::ONE, |explained| explained.unit);
        let cases = cases.iter().map(CaseDocument::new).collect();
        let Claimed::Best { stage, value } = claimed else {
            return ClaimDocument { goal: None, sense: None, value: None, next: None, cases };
        };
        let sense = sense_of(&stage);
        let next = if sense == SenseName::Maximize { value + unit } else { value - unit };
        ClaimDocument { goal: Some(stage), sense: Some(sense), value: Some(value), next: Some(next), cases }
    }
}

impl CaseDocument {
    fn new(explained: &Explained) -> Self {
        let has_bound = explained.multiplier != 0;
        // What numbers of the proof are in the goal.
        let in_goal = |number: i128| match has_bound {
            true => rounded(number, explained.unit, explained.multiplier),
            false => Amount::whole(number),
        };
        let priced = |priced: &Priced| PricedDocument {
            name: priced.name.clone(),
            number: Amount::whole(priced.number),
            change: in_goal(priced.change),
        };
        let below = |(name, by): &(String, i128)| BelowDocument { name: name.clone(), by: in_goal(*by) };
        let part = |part: &Part| PartDocument {
            like: part.like.clone(),
            number: Amount::whole(part.number),
            change: in_goal(part.change),
            below: part.below.as_ref().map(|parts| parts.iter().map(below).collect()),
        };
        let supposed = explained.supposed.iter().map(|(total, range)| SupposedDocument {
            total: total.clone(),
            least: Amount::whole(range.least),
            greatest: Amount::whole(range.greatest),
        });
        CaseDocument {
            supposed: supposed.collect(),
            bound: has_bound.then(|| in_goal(explained.bound)),
            needed: Amount::whole(explained.needed),
            possible: Amount::whole(explained.possible),
            items: explained.items.iter().map(priced).collect(),
            limits: explained.limits.iter().map(priced).collect(),
            places: explained.places.iter().map(priced).collect(),
            parts: explained.parts.iter().map(part).collect(),
            spans: explained.spans.iter().map(SpanDocument::new).collect(),
        }
    }
}

impl SpanDocument {
    fn new(span: &Span) -> Self {
        let price = |(name, price): &(String, Amount)| PriceDocument { name: name.clone(), price: *price };
        SpanDocument { from: span.from, until: span.until, prices: span.prices.iter().map(price).collect() }
    }
}

/// A number of units through a divisor, to the nearest millionth.
fn rounded(number: i128, unit: Amount, divisor: i128) -> Amount {
    let product = number.saturating_mul(unit.millionths());
    Amount::from_millionths(product.saturating_add(divisor / 2).div_euclid(divisor))
}

//! What the numbers of a proof say, case by case: how far nothing goes beyond, and what would change that.

use crate::cases::{Case, Range, Refutes};
use crate::format::{Certificate, Claimed, Leaf};
use crate::magnitude::add;
use crate::refusal::Refusal;
use ground::Amount;

/// A case of a proof. Its numbers are [`multiplier`](Explained::multiplier) times what they say of the goal in its unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// What is supposed in the case: totals, and the values that they have.
    pub supposed: Vec<(String, Range)>,
    /// The multiplier of the goal; 0 where the case is refuted whatever the goal is worth, and numbers are what they are.
    pub multiplier: i128,
    /// The unit of the goal.
    pub unit: Amount,
    /// No solution of the case goes beyond this in the goal; nothing where the multiplier is 0.
    pub bound: i128,
    /// What a better solution would be worth.
    pub needed: i128,
    /// What it can be worth.
    pub possible: i128,
    /// What asks for places: how the bound changes without one.
    pub items: Vec<Priced>,
    /// Bounds of totals that matter: how the bound changes when they are loosened by one.
    pub limits: Vec<Priced>,
    /// What asks for places: how the bound changes with a place more for one of them, beside all parts.
    pub places: Vec<Priced>,
    /// What offers places.
    pub parts: Vec<Part>,
    /// What instances cost, from one span of time to the next.
    pub spans: Vec<Span>,
}

impl Explained {
    /// So much is needed, and so much possible; nothing is told of anything.
    pub fn of_nothing(needed: i128, possible: i128) -> Self {
        Explained {
            supposed: Vec::new(),
            multiplier: 0,
            unit: Amount::ONE,
            bound: 0,
            needed,
            possible,
            items: Vec::new(),
            limits: Vec::new(),
            places: Vec::new(),
            parts: Vec::new(),
            spans: Vec::new(),
        }
    }
}

/// Slots of time in which instances cost the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first slot, counted from 0.
    pub from: usize,
    /// The slot after the last one.
    pub until: usize,
    /// What an instance of each size costs in each of them.
    pub prices: Vec<(String, Amount)>,
}

/// Things that are alike, by which the bound changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Priced {
    /// What certificates call them.
    pub name: String,
    /// How many there are.
    pub number: i128,
    /// How the bound changes.
    pub change: i128,
}

/// Parts of a solution that are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The first of them.
    pub like: String,
    /// How many there are.
    pub number: i128,
    /// How the bound changes with one more.
    pub change: i128,
    /// Those that are worth less in the best solution than they could be, and by how much. Nothing where that is not asked.
    pub below: Option<Vec<(String, i128)>>,
}

/// The goal that a case is about.
pub struct Goal<'g> {
    /// Its name.
    pub name: &'g str,
    /// 1 if more of it is better, else -1.
    pub sign: i128,
    /// Its unit.
    pub unit: Amount,
    /// Its best value.
    pub value: Amount,
}

impl Goal<'_> {
    /// Its multiplier in a leaf.
    pub fn multiplier(&self, leaf: &Leaf) -> i128 {
        let named = leaf.goals.iter().find(|(name, _)| name == self.name);
        named.map_or(0, |(_, multiplier)| i128::from(*multiplier))
    }

    /// The bound of the goal times its multiplier, where a better solution would be worth what is needed, and none is worth more than what is
    /// possible.
    ///
    /// # Errors
    /// When the numbers are too large.
    pub fn bound(&self, multiplier: i128, needed: i128, possible: i128) -> Result<i128, Refusal> {
        let units = self.value.in_units_of(self.unit).unwrap_or_default();
        // What the goals before it are worth is in both.
        let mut bound = 0;
        add(&mut bound, self.sign, possible - needed)?;
        add(&mut bound, multiplier, units + self.sign)?;
        Ok(bound)
    }
}

/// A checker that says what the numbers of a case say.
pub trait Explains: Refutes {
    /// What is told of a solution.
    type Outcome;

    /// What a case says, and where the best solution is given, what it leaves to be desired.
    ///
    /// # Errors
    /// When the leaf proves nothing.
    fn explain(
        &self,
        leaf: &Leaf,
        values: &[Amount],
        case: &Case<Self::Total>,
        best: Option<&Self::Outcome>,
    ) -> Result<Explained, Refusal>;

    /// The name of a total.
    fn name_of(&self, total: Self::Total) -> String;

    /// What each claim of a certificate says, case by case.
    ///
    /// # Errors
    /// When it is no proof.
    fn explain_all(
        &self,
        certificate: &Certificate,
        best: Option<&Self::Outcome>,
    ) -> Result<Vec<(Claimed, Vec<Explained>)>, Refusal> {
        self.check(certificate)?;
        let (mut values, mut claims) = (Vec::new(), Vec::new());
        for claim in &certificate.claims {
            if let Claimed::Best { value, .. } = &claim.claimed {
                values.push(*value);
            }
            // The best solution is in one of the cases alone, where there are several.
            let best = best.filter(|_| claim.proof.len() == 1);
            let mut cases = Vec::new();
            self.each_case(claim, &mut |leaf, case| {
                let supposed = self.latest(case).map(|(total, range)| (self.name_of(total), range)).collect();
                cases.push(Explained { supposed, ..self.explain(leaf, &values, case, best)? });
                Ok(())
            })?;
            claims.push((claim.claimed.clone(), cases));
        }
        Ok(claims)
    }

    /// The totals of a case, each with the last range that it has there.
    fn latest<'c>(&'c self, case: &'c Case<Self::Total>) -> impl Iterator<Item = (Self::Total, Range)> + 'c {
        let is_last =
            |position: usize| case[position + 1..].iter().all(|(other, _)| *other != case[position].0);
        (0..case.len()).filter(move |&position| is_last(position)).map(|position| case[position])
    }
}

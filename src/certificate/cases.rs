//! From a whole certificate to its cases: what is common to the checkers of all models.

use crate::format::{Certificate, Claim, Claimed, Leaf, Multipliers, Step};
use crate::refusal::Refusal;
use ground::Amount;
use std::collections::BTreeMap;

/// The least and the greatest value of a total.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The least.
    pub least: i128,
    /// The greatest.
    pub greatest: i128,
}

/// What is known of totals in a case; of several ranges of a total the last one holds.
pub type Case<T> = [(T, Range)];

/// What a certificate proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// No solution obeys all rules.
    Infeasible,
    /// A solution with these values of the goals, in their order, is the best.
    Optimal(Vec<Amount>),
}

/// The most cases that lie within each other.
const MOST_NESTED: usize = 1000;

/// What is done with a leaf of a proof, in its case.
type Visit<'v, T> = &'v mut dyn FnMut(&Leaf, &Case<T>) -> Result<(), Refusal>;

/// A checker: it decides whether multipliers refute a case, and whether a certificate is a proof.
pub trait Refutes {
    /// A number that every solution has, and by which cases are told apart.
    type Total: Copy + PartialEq;

    /// The reading of the rules, for a model with several.
    fn reading(&self) -> Option<&str> {
        None
    }

    /// The names of the goals, one after the other.
    fn goals(&self) -> Vec<&'static str>;

    /// The total of a name.
    fn total_named(&self, name: &str) -> Option<Self::Total>;

    /// The values that a total can have, by the question alone.
    fn range_in_all(&self, total: Self::Total) -> Range;

    /// Refutes a case: no solution in it has these values of the first goals but the last, and is better in the last. Without values, that
    /// there is a solution at all.
    ///
    /// # Errors
    /// When the multipliers of the leaf do not prove that.
    fn refute(&self, leaf: &Leaf, values: &[Amount], case: &Case<Self::Total>) -> Result<(), Refusal>;

    /// Checks a whole certificate. That a legal solution has the values which it proves the best is for the verifier to say.
    ///
    /// # Errors
    /// When it is no proof: the first line that does not hold.
    fn check(&self, certificate: &Certificate) -> Result<Accepted, Refusal> {
        match (self.reading(), certificate.reading.as_deref()) {
            (Some(reading), named) if named != Some(reading) => {
                return Err(Refusal::of(format!("it is not about the reading `{reading}` of the rules.")));
            }
            (None, Some(named)) => {
                let reason = format!("it is about a reading `{named}`, and the model has one reading alone.");
                return Err(Refusal::of(reason));
            }
            _ => {}
        }
        if let [claim @ Claim { claimed: Claimed::Infeasible, .. }] = certificate.claims.as_slice() {
            self.check_claim(claim, &[])?;
            return Ok(Accepted::Infeasible);
        }
        let goals = self.goals();
        let mut values = Vec::new();
        for (claim, &goal) in certificate.claims.iter().zip(&goals) {
            let Claimed::Best { stage: named, value } = &claim.claimed else {
                return Err(Refusal::at(claim.line, "`infeasible` stands alone."));
            };
            if named != goal {
                let reason = format!("the goal that comes here is `{goal}`, not `{named}`.");
                return Err(Refusal::at(claim.line, reason));
            }
            values.push(*value);
            self.check_claim(claim, &values)?;
        }
        let (claims, goals) = (certificate.claims.len(), goals.len());
        if claims != goals {
            return Err(Refusal::of(format!("it has {claims} goals, and the question has {goals}.")));
        }
        Ok(Accepted::Optimal(values))
    }

    /// Checks a claim, given the values of the goals up to it.
    ///
    /// # Errors
    /// When it is not proved.
    fn check_claim(&self, claim: &Claim, values: &[Amount]) -> Result<(), Refusal> {
        self.each_case(claim, &mut |leaf, case| {
            self.refute(leaf, values, case).map_err(|refusal| refusal.in_line(leaf.line))
        })
    }

    /// Does something with each leaf of a proof, in its case.
    ///
    /// # Errors
    /// When the cases are none, or it fails.
    fn each_case(&self, claim: &Claim, visit: Visit<'_, Self::Total>) -> Result<(), Refusal> {
        // The second cases that are still to come, and how much of the present case they share.
        let mut open: Vec<(usize, (Self::Total, Range))> = Vec::new();
        let mut case: Vec<(Self::Total, Range)> = Vec::new();
        for step in &claim.proof {
            match step {
                Step::Split { line, total, at } => {
                    let total = self.total(total).map_err(|refusal| refusal.in_line(*line))?;
                    if open.len() >= MOST_NESTED {
                        let reason = format!("more than {MOST_NESTED} cases lie within each other.");
                        return Err(Refusal::at(*line, reason));
                    }
                    let [first, second] = self.split(total, i128::from(*at), &case);
                    open.push((case.len(), (total, second)));
                    case.push((total, first));
                }
                Step::Leaf(leaf) => {
                    visit(leaf, &case)?;
                    let Some((shared, second)) = open.pop() else { continue };
                    case.truncate(shared);
                    case.push(second);
                }
            }
        }
        Ok(())
    }

    /// The total of a name.
    ///
    /// # Errors
    /// When there is none.
    fn total(&self, name: &str) -> Result<Self::Total, Refusal> {
        self.total_named(name).ok_or_else(|| Refusal::of(format!("`{name}` is no total of this instance.")))
    }

    /// The multipliers of totals in a leaf, where prices are those of places.
    ///
    /// # Errors
    /// When there is no such total, or it has two multipliers.
    fn totals_of(&self, leaf: &Leaf) -> Result<BTreeMap<Self::Total, i128>, Refusal>
    where
        Self::Total: Ord,
    {
        let mut totals = BTreeMap::new();
        let mut take = |multipliers: &Multipliers, prefix: &str| {
            for (name, multiplier) in multipliers {
                let total = self.total(&format!("{prefix}{name}"))?;
                if totals.insert(total, i128::from(*multiplier)).is_some() {
                    return Err(Refusal::of(format!("`{name}` has two multipliers.")));
                }
            }
            Ok(())
        };
        take(&leaf.prices, "placed:")?;
        take(&leaf.totals, "")?;
        Ok(totals)
    }

    /// The values that a total can have in a case.
    fn range(&self, total: Self::Total, case: &Case<Self::Total>) -> Range {
        let known = case.iter().rev().find(|(other, _)| *other == total);
        known.map_or_else(|| self.range_in_all(total), |(_, range)| *range)
    }

    /// The values of a total in the two cases of a split: at most `at`, and more.
    fn split(&self, total: Self::Total, at: i128, case: &Case<Self::Total>) -> [Range; 2] {
        let range = self.range(total, case);
        let first = Range { greatest: range.greatest.min(at), ..range };
        [first, Range { least: range.least.max(at + 1), ..range }]
    }
}

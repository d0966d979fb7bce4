//! Explanations of certificates, held against instances that differ in one thing.

use ground::Amount;
use kit::{CaseDocument, ExplanationDocument, SenseName};

/// Numbers of documents are rounded to millionths.
const ROUNDED: Amount = Amount::from_millionths(20);

/// Bounds of other instances that were looked at, and how many of them something attains.
#[derive(Clone, Copy, Debug, Default)]
pub struct Looked {
    pub bounds: u32,
    pub attained: u32,
}

/// No solution of another instance is beyond the bounds of all cases, where these change as it is said. Solutions are the values of the
/// goals that are proved, one after the other.
///
/// # Panics
/// When one is.
pub fn check_changed(
    explanation: &ExplanationDocument,
    attainable: &[Vec<Amount>],
    change_of: impl Fn(&CaseDocument) -> Amount,
    looked: &mut Looked,
    about: &str,
) {
    for (number, claim) in explanation.claims.iter().enumerate() {
        let Some(sense) = claim.sense else { continue };
        let before: Vec<Amount> =
            explanation.claims[..number].iter().filter_map(|claim| claim.value).collect();
        let others = attainable.iter().filter(|values| values[..number] == before);
        let others = others.map(|values| values[number]);
        let best = if sense == SenseName::Maximize { others.max() } else { others.min() };
        looked.bounds += 1;
        let Some(best) = best else { continue };
        let allows = |case: &CaseDocument| {
            let change = change_of(case);
            match (case.bound, sense) {
                (Some(bound), SenseName::Maximize) => best <= bound + change + ROUNDED,
                (Some(bound), SenseName::Minimize) => best >= bound + change - ROUNDED,
                (None, _) => case.needed <= case.possible + change,
            }
        };
        assert!(claim.cases.iter().any(allows), "{best} is beyond the bounds of {claim:?} in {about}");
        let is_attained = |case: &CaseDocument| {
            let bound = case.bound.map(|bound| bound + change_of(case) - best);
            bound.is_some_and(|beyond| beyond.millionths().abs() <= ROUNDED.millionths())
        };
        looked.attained += u32::from(claim.cases.iter().any(is_attained));
    }
}

/// How the bound of a case changes with one more of a part.
pub fn one_more(case: &CaseDocument, like: &str) -> Amount {
    case.parts.iter().find(|part| part.like == like).map_or(Amount::ZERO, |part| part.change)
}

/// How the bound of a case changes without one of some things.
pub fn one_less(case: &CaseDocument, name: &str) -> Amount {
    case.items.iter().find(|item| item.name == name).map_or(Amount::ZERO, |item| item.change)
}

/// How the bound of a case changes with a place more for one of some things.
pub fn one_place(case: &CaseDocument, name: &str) -> Amount {
    case.places.iter().find(|place| place.name == name).map_or(Amount::ZERO, |place| place.change)
}

/// What parts do less than they could is no more than what the bound is beyond the value.
///
/// # Panics
/// When it is more.
pub fn check_below(explanation: &ExplanationDocument) {
    for claim in &explanation.claims {
        let [case] = claim.cases.as_slice() else { continue };
        let (Some(bound), Some(value)) = (case.bound, claim.value) else { continue };
        let below = case.parts.iter().flat_map(|part| part.below.as_ref().expect("there is a solution"));
        let below: Vec<i128> = below.map(|below| below.by.millionths()).collect();
        assert!(below.iter().all(|by| *by > 0), "{claim:?}");
        let beyond = (bound - value).millionths().abs();
        assert!(below.iter().sum::<i128>() <= beyond + ROUNDED.millionths(), "{claim:?}");
    }
}

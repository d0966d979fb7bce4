//! What a publication says about replays: the file `claims.yaml` of a collection.

use ground::{Amount, InputError, Located, SourceText};
use serde::Deserialize;

/// Claims about the replays of a collection, each with the expression over their numbers that it is about.
///
/// ```yaml
/// paper: "A. Author: A paper"        # who claims
/// stated: as-printed                 # name of the replay that is the paper's stated set-up
/// claims:
///   - claim: GRMU accepts 22 % more virtual machines than MCC
///     source: section 8.3.1          # where the paper says so
///     printed: 22                    # the number that it prints
///     decimals: 0                    # how many digits it prints after the point
///     value: {percent_more: [{accepted: grmu}, {accepted: mcc}]}
///     note: what else is to be said  # optional
/// ```
///
/// A policy is named by its whole text, or by its name without parameters if the replay has one policy of that name.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    /// Who claims.
    pub(super) paper: String,
    /// The replay that is the set-up which is said to lead to the numbers.
    pub(super) stated: String,
    /// The claims in the order of the report.
    claims: Vec<Located<Claim>>,
}

/// A number that is printed, and where.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claim {
    /// In words.
    pub claim: String,
    /// The place in the paper.
    pub source: String,
    /// The number.
    pub printed: Amount,
    /// Digits after the point that are printed: up to six.
    pub decimals: u8,
    /// What it is about.
    pub value: Expression,
    /// What else is to be said.
    #[serde(default)]
    pub note: Option<String>,
}

/// A number over the results of one replay.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Expression {
    /// Virtual machines of the trace.
    VirtualMachines,
    /// Hosts.
    Hosts,
    /// GPUs.
    Gpus,
    /// Virtual machines that a policy accepted.
    Accepted(String),
    /// The same in percent of those that arrived.
    Share(String),
    /// Virtual machines of one profile that a policy accepted.
    AcceptedOf(OfProfile),
    /// Migrations of a policy.
    Migrations(String),
    /// Area under the curve of active hardware of a policy, in percent times intervals.
    AreaPlain(String),
    /// The same with every GPU of a host in use counted.
    AreaStrict(String),
    /// The sum of all.
    Sum(Vec<Expression>),
    /// The first over the second.
    Ratio(Pair),
    /// The first less the second.
    Difference(Pair),
    /// The first in percent of the second.
    Percent(Pair),
    /// By how many percent the first is above the second.
    PercentMore(Pair),
    /// By how many percent the first is below the second.
    PercentLess(Pair),
}

/// Two numbers in order.
pub(super) type Pair = Box<(Expression, Expression)>;

/// A policy and a profile.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OfProfile {
    /// The policy.
    pub policy: String,
    /// The profile.
    pub profile: String,
}

impl Claims {
    /// Reads claims about replays of these names.
    ///
    /// # Errors
    /// When the text is no such file, `stated` names none of the replays, or a number has more digits than it says.
    pub fn parse<'n>(
        source: &SourceText,
        replays: impl Iterator<Item = &'n str>,
    ) -> Result<Self, InputError> {
        let claims: Claims = source.parse()?;
        let names: Vec<&str> = replays.collect();
        if !names.contains(&claims.stated.as_str()) {
            let message = format!(
                "`stated`: {:?} is no replay of this collection. Name one of its folders: {}.",
                claims.stated,
                names.join(", ")
            );
            return Err(source.error_at_key(&["stated"], message));
        }
        for entry in &claims.claims {
            let claim = &entry.value;
            let complain = |field, message: String| Err(source.error_at(entry.at, Some(field), message));
            if claim.decimals > 6 {
                return complain(
                    "decimals",
                    format!("`decimals` is {}, but at most 6 are kept.", claim.decimals),
                );
            }
            let unit = Amount::from_millionths(10i128.pow(6 - u32::from(claim.decimals)));
            if claim.printed.in_units_of(unit).is_none() {
                let message = format!(
                    "`printed` is {}, which has more digits after the point than the {} that `decimals` says.",
                    claim.printed, claim.decimals
                );
                return complain("printed", message);
            }
        }
        Ok(claims)
    }

    /// The claims in the order of the file.
    pub(super) fn all(&self) -> impl Iterator<Item = &Claim> {
        self.claims.iter().map(|entry| &entry.value)
    }
}

//! What a certificate says, and how it is written.

use super::refusal::Refusal;
use ground::Amount;
use std::fmt;

/// The version of the format.
pub const VERSION: u32 = 1;

/// The largest magnitude of a multiplier, so that products with amounts stay within 128 bits.
pub const LARGEST_MULTIPLIER: i64 = 1 << 62;

/// A certificate. Its `Display` is the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The model.
    pub model: String,
    /// Fingerprint of the instance.
    pub fingerprint: String,
    /// Name of the instance.
    pub instance: String,
    /// Under which reading of the rules, for a model with several.
    pub reading: Option<String>,
    /// What is proved, in the order of the goals.
    pub claims: Vec<Claim>,
}

/// One statement and its proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The line in which it stands.
    pub line: usize,
    /// The statement.
    pub claimed: Claimed,
    /// The proof: a tree, every node before its two branches.
    pub proof: Vec<Step>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// No solution obeys all rules.
    Infeasible,
    /// No solution with the values of the earlier goals is better in this one.
    Best {
        /// The goal.
        stage: String,
        /// The value.
        value: Amount,
    },
}

/// A node of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Two cases: a total is at most `at`, which the next steps prove; or it is at least `at + 1`, which the steps after those prove.
    Split {
        /// The line in which it stands.
        line: usize,
        /// The total.
        total: String,
        /// The greatest value of the first case.
        at: i64,
    },
    /// A case that is refuted by multipliers.
    Leaf(Leaf),
}

/// The multipliers that refute a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leaf {
    /// The line in which it begins.
    pub line: usize,
    /// Prices of what the parts of a solution share.
    pub prices: Multipliers,
    /// Multipliers of goals.
    pub goals: Multipliers,
    /// Multipliers of bounds of totals.
    pub totals: Multipliers,
    /// Prices in one slot of time after the other, by name; of what is not named, and of slots that are not there, 0.
    pub series: Vec<(String, Series)>,
}

/// Whole numbers, one after the other.
pub type Series = Vec<Run>;

/// The same number some times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The number.
    pub number: i64,
    /// How often, at least once.
    pub count: u32,
}

/// Whole numbers by name; what is not named has 0.
pub type Multipliers = Vec<(String, i64)>;

impl Certificate {
    /// The certificate, if it is about this instance under this model.
    ///
    /// # Errors
    /// When it is about another.
    pub fn of(self, model: &str, fingerprint: &str) -> Result<Self, Refusal> {
        if self.model != model {
            let reason = format!("it is about model {}, and the answer about model {model}.", self.model);
            return Err(Refusal::of(reason));
        }
        if self.fingerprint != fingerprint {
            let reason = format!(
                "it is about the instance `{}` with the fingerprint {}, and this one has {fingerprint}.",
                self.instance, self.fingerprint
            );
            return Err(Refusal::of(reason));
        }
        Ok(self)
    }

    /// Whether it says that no solution obeys all rules.
    pub fn says_infeasible(&self) -> bool {
        self.claims.iter().all(|claim| claim.claimed == Claimed::Infeasible)
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "migopt-certificate {VERSION}")?;
        writeln!(formatter, "model {}", self.model)?;
        writeln!(formatter, "instance {} {}", self.fingerprint, self.instance)?;
        if let Some(reading) = &self.reading {
            writeln!(formatter, "reading {reading}")?;
        }
        for claim in &self.claims {
            match &claim.claimed {
                Claimed::Infeasible => writeln!(formatter, "infeasible")?,
                Claimed::Best { stage, value } => writeln!(formatter, "stage {stage} {value}")?,
            }
            for step in &claim.proof {
                match step {
                    Step::Split { total, at, .. } => writeln!(formatter, "split {total} {at}")?,
                    Step::Leaf(leaf) => {
                        write_multipliers(formatter, "prices", &leaf.prices)?;
                        write_multipliers(formatter, "goals", &leaf.goals)?;
                        if !leaf.totals.is_empty() {
                            write_multipliers(formatter, "totals", &leaf.totals)?;
                        }
                        for (name, series) in &leaf.series {
                            write_series(formatter, name, series)?;
                        }
                    }
                }
            }
        }
        writeln!(formatter, "end")
    }
}

fn write_series(formatter: &mut fmt::Formatter<'_>, name: &str, series: &Series) -> fmt::Result {
    write!(formatter, "series {name}")?;
    for &Run { number, count } in series {
        match count {
            1 => write!(formatter, " {number}")?,
            several => write!(formatter, " {number}*{several}")?,
        }
    }
    writeln!(formatter)
}

fn write_multipliers(
    formatter: &mut fmt::Formatter<'_>,
    word: &str,
    multipliers: &Multipliers,
) -> fmt::Result {
    formatter.write_str(word)?;
    for (name, multiplier) in multipliers {
        write!(formatter, " {name} {multiplier}")?;
    }
    writeln!(formatter)
}

//! The rules, by what breaks them.

/// A rule that a plan breaks.
#[expect(missing_docs, reason = "each field is the thing that its name says")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Rows (1), (2): the instances of a slot do not fit the GPU together.
    DoesNotFit { slot: u32, contents: String },
    /// Row (5b): an inference task cannot be deployed.
    NotDeployed { model: String, slot: u32, minimum: String },
    /// Row (4): a model is not retrained.
    NotRetrained { model: String },
    /// Row (3): a retraining is shorter or longer than it takes on its instance.
    RetrainingLength { model: String, instance: String, planned: u32, needed: u32 },
    /// A retraining is on an instance for which no time is known.
    RetrainingSize { model: String, instance: String },
    /// Row (4): a retraining is not complete at the end of the window.
    BeyondWindow { model: String, until: u32, slots: u32 },
}

impl Violation {
    /// The rule's short, stable name.
    pub fn rule(&self) -> &'static str {
        match self {
            Violation::DoesNotFit { .. } => "does-not-fit",
            Violation::NotDeployed { .. } => "not-deployed",
            Violation::NotRetrained { .. } => "not-retrained",
            Violation::RetrainingLength { .. } => "retraining-length",
            Violation::RetrainingSize { .. } => "retraining-size",
            Violation::BeyondWindow { .. } => "beyond-window",
        }
    }
}

impl std::fmt::Display for Violation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Violation::DoesNotFit { slot, contents } => {
                write!(formatter, "in slot {slot} the GPU cannot hold {contents}")
            }
            Violation::NotDeployed { model, slot, minimum } => {
                write!(
                    formatter,
                    "in slot {slot} the inference task of `{model}` has less than {minimum}, which it needs at least"
                )
            }
            Violation::NotRetrained { model } => write!(formatter, "`{model}` is not retrained"),
            Violation::RetrainingLength { model, instance, planned, needed } => write!(
                formatter,
                "the retraining of `{model}` has {planned} slots on {instance}, where it takes {needed} without interruption"
            ),
            Violation::RetrainingSize { model, instance } => {
                write!(formatter, "`{model}` has no retraining time on {instance}")
            }
            Violation::BeyondWindow { model, until, slots } => write!(
                formatter,
                "the retraining of `{model}` ends with slot {until}, after the window of {slots} slots"
            ),
        }
    }
}

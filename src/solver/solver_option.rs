//! What a user may choose about a solver's own search.

/// The options of a solver that steer its search and leave its answers exact, and what is wrong with some others.
#[derive(Debug)]
pub struct SolverOptions {
    /// The options that may be chosen.
    pub allowed: &'static [SolverOption],
    /// Options that may not, with the reason.
    pub refused: &'static [(&'static str, &'static str)],
}

/// An option of a solver.
#[derive(Debug)]
pub struct SolverOption {
    /// The solver's name for it.
    pub name: &'static str,
    /// What it can be.
    pub values: OptionValues,
    /// What it is.
    pub help: &'static str,
}

/// What an option can be.
#[derive(Debug, Clone, Copy)]
pub enum OptionValues {
    /// One of some words.
    Words(&'static [&'static str]),
    /// A whole number between two others.
    Whole(i32, i32),
    /// A number from 0 to 1.
    Share,
}

impl OptionValues {
    /// Whether a text is one of the values.
    ///
    /// # Errors
    /// The values that there are, in words.
    pub fn check(self, text: &str) -> Result<(), String> {
        let is_one = match self {
            OptionValues::Words(words) => words.contains(&text),
            OptionValues::Whole(least, most) => {
                text.parse::<i32>().is_ok_and(|number| (least..=most).contains(&number))
            }
            OptionValues::Share => text.parse::<f64>().is_ok_and(|share| (0.0..=1.0).contains(&share)),
        };
        if is_one { Ok(()) } else { Err(self.words()) }
    }

    /// The values in words.
    pub fn words(self) -> String {
        match self {
            OptionValues::Words(words) => words.join(", "),
            OptionValues::Whole(least, i32::MAX) => format!("a whole number of at least {least}"),
            OptionValues::Whole(least, most) => format!("a whole number from {least} to {most}"),
            OptionValues::Share => "a number from 0 to 1".to_owned(),
        }
    }
}

//! What a solution is worth, line by line, for readers.

use ground::Amount;

/// A line about what a solution is worth: an amount that a goal consists of, or words alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorthLine {
    /// What it is about.
    pub name: String,
    /// How much of it there is, where that is said.
    pub amount: Option<Amount>,
    /// What else there is to say.
    pub words: String,
}

impl WorthLine {
    /// An amount with words about it.
    pub fn amount(name: &str, amount: Amount, words: String) -> Self {
        WorthLine { name: name.to_owned(), amount: Some(amount), words }
    }

    /// Words alone.
    pub fn words(name: &str, words: String) -> Self {
        WorthLine { name: name.to_owned(), amount: None, words }
    }
}

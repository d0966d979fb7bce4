//! Parts of a problem, as the search meets them.

/// What a content costs and adds to the totals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// The cost.
    pub cost: i64,
    /// What it adds to totals, by their position, which ascends; no zeros.
    pub terms: Vec<(usize, i64)>,
}

impl Column {
    /// What it is worth at some prices, in units of price.
    pub fn worth(&self, prices: &[i64]) -> i64 {
        let earned: i64 = self.terms.iter().map(|&(total, amount)| prices[total] * amount).sum();
        earned - self.cost * super::ONE
    }

    /// What it adds to a total.
    pub fn amount(&self, total: usize) -> i64 {
        self.terms.binary_search_by_key(&total, |term| term.0).map_or(0, |at| self.terms[at].1)
    }
}

/// The beam with which best contents are looked for at first, unless parts have another one.
pub const BEAM: usize = 300;

/// How hard a part looks for its best content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Keeps so many partial contents at a time.
    Beam(usize),
    /// Until the best one is found, as far as the part's own limits allow.
    Exact,
}

/// What a part says at some prices.
#[derive(Clone, Debug)]
pub struct Priced<C> {
    /// No content is worth more.
    pub most: i64,
    /// Whether one of the contents is worth that.
    pub is_exact: bool,
    /// Contents of great worth, the best first.
    pub contents: Vec<C>,
}

/// A part of a problem, or several parts that are alike. Every one of them takes a content.
pub trait Part {
    /// What it may take.
    type Content: Clone + Ord;

    /// How many are alike.
    fn number(&self) -> u32;

    /// A content that it may take whatever the others do.
    fn plain(&self) -> Self::Content;

    /// What a content costs and adds to the totals.
    fn column(&self, content: &Self::Content) -> Column;

    /// The beam with which its best content is looked for at first.
    fn first_beam(&self) -> usize {
        BEAM
    }

    /// How many contents one round takes at most.
    fn contents_at_a_time(&self) -> usize {
        6
    }

    /// Looks for the content of the greatest [worth](Column::worth).
    fn price(&mut self, prices: &[i64], effort: Effort) -> Priced<Self::Content>;

    /// The same where it is of no use to know that no content is worth less than `enough`: as much need not be proved.
    fn price_up_to(&mut self, prices: &[i64], effort: Effort, enough: i64) -> Priced<Self::Content> {
        let _ = enough;
        self.price(prices, effort)
    }

    /// All contents that are worth at least so much, but for those that others replace in every solution at no cost; none if there are
    /// more than `most`, or if there is too much to look through.
    fn list(&mut self, prices: &[i64], least: i64, most: usize) -> Option<Vec<Self::Content>>;

    /// Some of the contents that are worth at least so much, where there are more than can be listed.
    fn sample(&mut self, prices: &[i64], least: i64, most: usize) -> Vec<Self::Content> {
        self.list(prices, least, most).unwrap_or_default()
    }
}

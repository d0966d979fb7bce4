//! Machines of a kind as a part of the problem, priced by the search of the checker.

use super::aim::Aim;
use certificate::siavashi::{Effort as Depth, Held, Total, Worths};
use prices::{BEAM, Column, Effort, ONE, Part, Priced};
use std::cell::RefCell;
use std::rc::Rc;

/// From so many kinds of machines on, what tables show has to do at first.
const MANY_KINDS: usize = 12;

/// How many steps a search takes at most for each partial content that it follows at a time.
const STEPS_OF_STATE: u64 = 400;

/// What no worth of a content exceeds where prices prove nothing.
const NOTHING_PROVED: i64 = i64::MAX / 1024;

/// Prices that were asked about, and what everything is worth at them, if they prove anything.
type Asked = (Vec<i64>, Rc<Option<Worths>>);

/// What all machines share: what is aimed at, and the worths at the last prices.
pub struct Priceable<'a> {
    /// What is aimed at.
    pub aim: &'a Aim<'a>,
    last: RefCell<Option<Asked>>,
}

impl<'a> Priceable<'a> {
    /// Nothing was priced yet.
    pub fn new(aim: &'a Aim<'a>) -> Self {
        Priceable { aim, last: RefCell::new(None) }
    }

    /// The worths at some prices; none where these prove nothing.
    fn worths(&self, prices: &[i64]) -> Rc<Option<Worths>> {
        let mut last = self.last.borrow_mut();
        if let Some((_, worths)) = last.as_ref().filter(|(known, _)| known == prices) {
            return worths.clone();
        }
        let worths = Rc::new(self.aim.checker.worths(&self.aim.leaf(prices, ONE)).ok());
        *last = Some((prices.to_vec(), worths.clone()));
        worths
    }
}

/// Machines of a kind, by its position.
pub struct Machines<'a> {
    /// What they share with others.
    pub shared: Rc<Priceable<'a>>,
    /// The kind.
    pub kind: usize,
    /// How many they are.
    pub number: u32,
}

impl Machines<'_> {
    /// What a machine is worth before anything has a place in it: what residents are charged, and that they count as moved.
    fn charged(&self, worths: &Worths) -> Option<i64> {
        let (residents, charged) = self.shared.aim.checker.at_home(self.kind);
        let charged = worths.spared(charged).ok()? + worths.of_total(Total::Moved) * residents;
        i64::try_from(charged).ok()
    }

    fn priced(&self, prices: &[i64], depth: Depth) -> Option<Priced<Held>> {
        let worths = self.shared.worths(prices);
        let worths = worths.as_ref().as_ref()?;
        let checker = self.shared.aim.checker;
        let (most, mut contents) = checker.most(self.kind, worths, depth).ok()?;
        let most = most.checked_sub(self.charged(worths)?)?;
        contents.push(self.plain());
        let mut contents: Vec<(i64, Held)> =
            contents.into_iter().map(|held| (self.column(&held).worth(prices), held)).collect();
        contents.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        contents.dedup();
        let is_exact = contents.first().is_some_and(|content| content.0 >= most);
        Some(Priced { most, is_exact, contents: contents.into_iter().map(|content| content.1).collect() })
    }
}

impl Part for Machines<'_> {
    type Content = Held;

    fn number(&self) -> u32 {
        self.number
    }

    fn plain(&self) -> Held {
        Held { gpus: self.shared.aim.checker.pinned_gpus(self.kind), ..Held::default() }
    }

    fn column(&self, content: &Held) -> Column {
        self.shared.aim.column(self.kind, content)
    }

    fn first_beam(&self) -> usize {
        if self.shared.aim.checker.kinds() >= MANY_KINDS { 0 } else { BEAM }
    }

    fn price(&mut self, prices: &[i64], effort: Effort) -> Priced<Held> {
        let depth = match effort {
            Effort::Beam(states) => Depth { states, steps: states as u64 * STEPS_OF_STATE },
            Effort::Exact => Depth::FULL,
        };
        let nothing = Priced { most: NOTHING_PROVED, is_exact: false, contents: Vec::new() };
        self.priced(prices, depth).unwrap_or(nothing)
    }

    fn list(&mut self, _: &[i64], _: i64, _: usize) -> Option<Vec<Held>> {
        None
    }
}

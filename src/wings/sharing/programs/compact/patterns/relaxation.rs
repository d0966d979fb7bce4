//! What can still be added to a server at most, from prices of what is left of it.
//!
//! Whatever is added pays for what it takes, and what is left of the server is what is paid at most. A class that is not here is paid for
//! by the types that may bring it, each a part of what its pages cost: of those that have room together, whichever they are, no more
//! than that. Who is worth little pays no more than it is worth, and leaves more to the others. Any prices that are not negative are
//! right; better ones say more.

use super::load::Load;

/// Types that may be added to a server.
#[derive(Clone, Copy)]
pub struct Offer {
    /// The type.
    pub vm_type: usize,
    /// What each is worth.
    pub price: i64,
    /// How many more there are and have room.
    pub most: u32,
}

/// How prices of room are improved.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Care {
    /// For an empty server: from far away.
    Thorough,
    /// While it is filled: what has no price gets none.
    Quick,
}

/// By what parts, as powers of one half.
const PARTS: &[u32] = &[1, 2, 3, 4, 6];
const FEW_PARTS: &[u32] = &[4];

/// Bits of the sum of all that offers are worth, and the most of a unit.
const BITS: u32 = 58;
const MOST_FINE: u32 = 40;

/// The bound, and room for the work.
pub struct Relaxation {
    /// Worths are counted in units of one by 2 to this.
    fine: u32,
    /// Prices of pages and of resources at which nothing is worth adding.
    pub largest: Vec<i64>,
    /// Classes with few members first.
    order: Vec<usize>,
    /// By class the offers that are in it, if it is not on the server.
    members: Vec<Vec<u32>>,
    /// The classes that have such, and how many of them have room together.
    absent: Vec<(usize, usize)>,
    /// By offer what all are worth above what they pay: at the prices that were tried last, and at the best ones.
    gains: Vec<i64>,
    best_gains: Vec<i64>,
    /// The bound at the best ones.
    best: i64,
    of_class: Vec<i64>,
}

impl Relaxation {
    /// For what is on offer for an empty server.
    pub fn new(load: &Load<'_>, offers: &[Offer]) -> Self {
        let takes = load.takes;
        let sum: i128 = offers.iter().map(|offer| i128::from(offer.price) * i128::from(offer.most)).sum();
        let fine = (0..MOST_FINE).rev().find(|&fine| sum << fine < 1 << BITS).unwrap_or(0);
        let ratio = |offer: &Offer, position: usize| {
            let need = match position {
                0 => i128::from(match takes.private[offer.vm_type] {
                    0 => load.need(offer.vm_type),
                    private => private,
                }),
                resource => takes.requests[offer.vm_type][resource - 1],
            };
            (need > 0).then(|| saturated((i128::from(offer.price) << fine) / need))
        };
        let largest = |position| offers.iter().filter_map(|offer| ratio(offer, position)).max().unwrap_or(0);
        let mut members = vec![0; takes.pages.len()];
        let classes = offers.iter().flat_map(|offer| &takes.classes[offer.vm_type]);
        classes.for_each(|&class| members[class] += 1);
        let mut order: Vec<usize> = (0..members.len()).filter(|&class| members[class] > 0).collect();
        order.sort_by_key(|&class| members[class]);
        Relaxation {
            fine,
            largest: (0..=load.resources.len()).map(largest).collect(),
            order,
            members: vec![Vec::new(); members.len()],
            absent: Vec::new(),
            gains: Vec::new(),
            best_gains: Vec::new(),
            best: 0,
            of_class: Vec::new(),
        }
    }

    /// Turns to what is on offer for a server, in ascending order of private pages.
    pub fn aim(&mut self, load: &Load<'_>, offers: &[Offer]) {
        let takes = load.takes;
        self.order.iter().for_each(|&class| self.members[class].clear());
        for (position, offer) in offers.iter().enumerate() {
            for &class in takes.classes[offer.vm_type].iter().filter(|&&class| !load.holds(class)) {
                self.members[class].push(position as u32);
            }
        }
        self.absent.clear();
        for &class in self.order.iter().filter(|&&class| !self.members[class].is_empty()) {
            let mut room = load.pages - takes.pages[class];
            let fits = |member: &&u32| {
                room -= takes.private[offers[**member as usize].vm_type];
                room >= 0
            };
            let together = self.members[class].iter().take_while(fits).count();
            self.absent.push((class, together));
        }
    }

    /// No addition is worth more at some prices of pages and resources, which become better ones as long as that is more than `enough`.
    pub fn most(
        &mut self,
        load: &Load<'_>,
        offers: &[Offer],
        prices: &mut [i64],
        (enough, care): (i64, Care),
    ) -> i64 {
        let enough = self.in_fine_units(enough);
        self.best = self.bound(load, offers, prices);
        std::mem::swap(&mut self.gains, &mut self.best_gains);
        for &part in if care == Care::Thorough { PARTS } else { FEW_PARTS } {
            let mut is_better = true;
            while is_better && self.best > enough {
                is_better = false;
                for position in 0..prices.len() {
                    let before = prices[position];
                    let step = match before {
                        0 if care == Care::Quick => continue,
                        0 => self.largest[position] >> part,
                        before => before >> part,
                    };
                    for price in [before.saturating_add(step), (before - step).max(0)] {
                        prices[position] = price;
                        let bound = self.bound(load, offers, prices);
                        if bound < self.best {
                            (self.best, is_better) = (bound, true);
                            std::mem::swap(&mut self.gains, &mut self.best_gains);
                            break;
                        }
                        prices[position] = before;
                    }
                }
            }
        }
        self.best >> self.fine
    }

    /// What all of an offer are worth above what they pay, at the best prices.
    pub fn gain(&self, position: usize) -> i64 {
        self.best_gains[position]
    }

    /// The classes that are not on the server, and how many of the offers are in each.
    pub fn absent(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.absent.iter().map(|&(class, _)| (class, self.members[class].len()))
    }

    /// Whether nothing that leaves an offer out is worth more than `enough`, as the best prices say.
    pub fn suffices_without(&self, position: usize, enough: i64) -> bool {
        self.best.saturating_sub(self.best_gains[position]) <= self.in_fine_units(enough)
    }

    /// The most that is worth no more than so much.
    fn in_fine_units(&self, enough: i64) -> i64 {
        saturated(((i128::from(enough) + 1) << self.fine) - 1)
    }

    fn bound(&mut self, load: &Load<'_>, offers: &[Offer], prices: &[i64]) -> i64 {
        let takes = load.takes;
        let mut bound = prices[0].saturating_mul(load.pages);
        for (&price, &left) in prices[1..].iter().zip(&load.resources) {
            bound = bound.saturating_add(paid(price, left));
        }
        self.gains.clear();
        for offer in offers {
            let mut all = prices[0].saturating_mul(takes.private[offer.vm_type]);
            for (&price, &request) in prices[1..].iter().zip(&takes.requests[offer.vm_type]) {
                all = all.saturating_add(paid(price, request));
            }
            let gain = (offer.price << self.fine).saturating_sub(all).max(0);
            self.gains.push(gain.saturating_mul(i64::from(offer.most)));
        }
        for &(class, together) in &self.absent {
            let cost = prices[0].saturating_mul(takes.pages[class]);
            let members = &self.members[class];
            self.of_class.clear();
            self.of_class.extend(members.iter().map(|&member| self.gains[member as usize]));
            let part = part(&mut self.of_class, together, cost);
            for &member in members {
                let gain = &mut self.gains[member as usize];
                *gain -= part.min(*gain);
            }
        }
        self.gains.iter().fold(bound, |bound, &gain| bound.saturating_add(gain))
    }
}

/// The most that each may pay of a cost, all that it gains at most, so that no `together` of them pay more than that.
fn part(gains: &mut [i64], together: usize, cost: i64) -> i64 {
    let dearest = gains.iter().copied().max().unwrap_or(0);
    let sum = gains.iter().fold(0i64, |sum, &gain| sum.saturating_add(gain));
    if sum <= cost || together == 0 {
        return dearest;
    }
    let richest = if together < gains.len() {
        gains.select_nth_unstable_by(together - 1, |one, other| other.cmp(one));
        &gains[..together]
    } else {
        gains
    };
    let mut part = cost / richest.len() as i64;
    loop {
        let poor = richest.iter().filter(|&&gain| gain <= part);
        let (number, paid) = poor.fold((0, 0), |(number, paid), gain| (number + 1, paid + gain));
        if number == richest.len() {
            return dearest;
        }
        let next = (cost - paid) / (richest.len() - number) as i64;
        if next == part {
            return part;
        }
        part = next;
    }
}

/// What an amount costs.
fn paid(price: i64, amount: i128) -> i64 {
    if price == 0 { 0 } else { saturated(i128::from(price).saturating_mul(amount)) }
}

fn saturated(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

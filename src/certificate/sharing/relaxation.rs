//! The most that can still be put on a server, from multipliers of what is left of it.
//!
//! Whatever is put there pays for what it takes, so much for each page and each unit of a resource, and what is left of the server is
//! what is paid at most. Any multipliers that are not negative are right; better ones say more.

/// What multipliers and bounds are counted in: a worth of one is so much.
pub const SCALE: i128 = 1 << 16;

/// By what parts multipliers are improved, as powers of one half: of a server as a whole, and while items are decided.
const PARTS: [u32; 7] = [1, 2, 3, 5, 7, 10, 14];
const FEW_PARTS: [u32; 3] = [2, 4, 7];

/// Virtual machines of a type that a server may host.
pub struct Item {
    /// What each is worth.
    pub worth: i128,
    /// What each takes: private pages, and then of the limited resources.
    pub needs: Vec<i128>,
    /// Its classes.
    pub classes: Vec<usize>,
    /// How many there are and have room.
    pub number: i128,
}

/// What a server may host.
pub struct Items {
    /// In the order in which they are decided.
    pub items: Vec<Item>,
    /// Pages by class.
    pub pages: Vec<i128>,
    /// What a page on the server is worth, counted once.
    pub page: i128,
    /// By class the items that are in it, ascending; those classes first of which there are fewest.
    members: Vec<(usize, Vec<usize>)>,
}

/// A server of which some items are decided.
#[derive(Clone)]
pub struct Node {
    /// The first item that is not decided.
    pub position: usize,
    /// What is on it is worth this.
    pub worth: i128,
    /// What is left: pages, and the limited resources.
    pub room: Vec<i128>,
    /// By class whether it is there.
    pub held: Vec<bool>,
    /// Multipliers of what is left, in units of 1/[`SCALE`].
    pub multipliers: Vec<i128>,
}

impl Items {
    /// Items with the classes that they are in.
    pub fn new(items: Vec<Item>, pages: Vec<i128>, page: i128) -> Self {
        let mut members: Vec<(usize, Vec<usize>)> =
            (0..pages.len()).map(|class| (class, Vec::new())).collect();
        for (position, item) in items.iter().enumerate() {
            item.classes.iter().for_each(|&class| members[class].1.push(position));
        }
        members.retain(|(_, members)| !members.is_empty());
        members.sort_by_key(|(class, members)| (members.len(), *class));
        Items { items, pages, page, members }
    }

    /// How much there is to look at: items, and their classes.
    pub fn size(&self) -> u64 {
        self.items.iter().map(|item| 1 + item.classes.len() as u64).sum::<u64>().max(1)
    }

    /// What a node can be worth at most, with all that may be added. Sums that leave 128 bits stay at their limits, far above all worths.
    pub fn bound(&self, node: &Node, multipliers: &[i128]) -> i128 {
        let paid = |amounts: &[i128]| {
            let paid = amounts
                .iter()
                .zip(multipliers)
                .map(|(&amount, &multiplier)| amount.saturating_mul(multiplier));
            paid.fold(0, i128::saturating_add)
        };
        let mut gains: Vec<i128> = self.items[node.position..]
            .iter()
            .map(|item| {
                (item.worth * SCALE).saturating_sub(paid(&item.needs)).max(0).saturating_mul(item.number)
            })
            .collect();
        let mut bound = paid(&node.room).saturating_add(node.worth * SCALE);
        let of_page = multipliers[0].saturating_sub(self.page * SCALE);
        for (class, members) in self.members.iter().filter(|(class, _)| !node.held[*class]) {
            let undecided = members.iter().filter(|&&member| member >= node.position);
            let mut cost = of_page.saturating_mul(self.pages[*class]);
            if cost < 0 && undecided.clone().next().is_some() {
                bound = bound.saturating_sub(cost);
            }
            // The pages of the class are paid by those that would bring it, as far as they gain enough.
            for &member in undecided {
                let share = cost.clamp(0, gains[member - node.position]);
                gains[member - node.position] -= share;
                cost -= share;
            }
        }
        gains.into_iter().fold(bound, i128::saturating_add).div_euclid(SCALE)
    }

    /// Multipliers that say as much as possible of a server on which nothing is yet, or that it is worth no more than `enough`.
    pub fn multipliers(&self, empty: &Node, enough: i128) -> Vec<i128> {
        let largest = self.largest();
        let alone = (0..largest.len()).map(|position| {
            let mut multipliers = vec![0; largest.len()];
            multipliers[position] = largest[position];
            multipliers
        });
        let starts = alone.chain(std::iter::once(vec![0; largest.len()]));
        let mut best: Option<(i128, Vec<i128>)> = None;
        for start in starts {
            let improved = self.improve(empty, start, &PARTS, enough);
            if best.as_ref().is_none_or(|best| improved.0 < best.0) {
                best = Some(improved);
            }
            if best.as_ref().is_some_and(|best| best.0 <= enough) {
                break;
            }
        }
        best.map(|(_, multipliers)| multipliers).unwrap_or_default()
    }

    /// The bound of a node with better multipliers than those that it has, unless `enough` is reached before.
    pub fn improved(&self, node: &Node, enough: i128) -> (i128, Vec<i128>) {
        self.improve(node, node.multipliers.clone(), &FEW_PARTS, enough)
    }

    fn improve(
        &self,
        node: &Node,
        mut multipliers: Vec<i128>,
        parts: &[u32],
        enough: i128,
    ) -> (i128, Vec<i128>) {
        let largest = self.largest();
        let mut bound = self.bound(node, &multipliers);
        for &part in parts {
            let mut is_better = true;
            while is_better && bound > enough {
                is_better = false;
                for (position, &largest) in largest.iter().enumerate() {
                    for sign in [1, -1] {
                        let before = multipliers[position];
                        let step = sign * (if before == 0 { largest } else { before } >> part);
                        multipliers[position] = before.saturating_add(step).max(0);
                        let other = self.bound(node, &multipliers);
                        if other < bound {
                            (bound, is_better) = (other, true);
                        } else {
                            multipliers[position] = before;
                        }
                    }
                }
            }
        }
        (bound, multipliers)
    }

    /// Multipliers at which nothing gains anything, each by itself.
    fn largest(&self) -> Vec<i128> {
        let needs = self.items.first().map_or(0, |item| item.needs.len());
        let ratio = |item: &Item, position: usize| {
            let common = || item.classes.iter().map(|&class| self.pages[class]).sum();
            let need = match item.needs[position] {
                0 if position == 0 => common(),
                need => need,
            };
            (need > 0).then(|| (item.worth * SCALE + need - 1).div_euclid(need))
        };
        let largest = |position: usize| self.items.iter().filter_map(|item| ratio(item, position)).max();
        (0..needs).map(|position| largest(position).unwrap_or_default().max(self.page * SCALE)).collect()
    }
}

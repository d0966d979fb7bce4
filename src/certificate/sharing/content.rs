//! The most that what one server hosts can be worth at the multipliers of a leaf.

use super::counted::{Kind, Type};
use super::relaxation::{Item, Items, Node, SCALE};
use crate::magnitude::{product, sum};
use crate::refusal::Refusal;

/// With more types than this the search is left out, and the bound at its root is taken.
const MOST_TYPES: usize = 1_000;

/// What things are worth at the multipliers of a leaf.
pub struct Worths {
    /// By type: one of its virtual machines.
    pub of_types: Vec<i128>,
    /// A page on a server, counted once.
    pub page: i128,
}

/// No content of a server of a kind is worth more than what is returned, which is at least `known`. After so much effort, what is left of
/// the search is bounded by its relaxation.
///
/// # Errors
/// When the numbers are too large.
pub fn most(
    (types, classes): (&[Type], &[u64]),
    kind: &Kind,
    worths: &Worths,
    known: i128,
    effort: u64,
) -> Result<i128, Refusal> {
    let classes: Vec<i128> = classes.iter().map(|&pages| i128::from(pages)).collect();
    let limited =
        || kind.capacity.iter().enumerate().filter_map(|(resource, left)| Some((resource, (*left)?)));
    let room: Vec<i128> = std::iter::once(kind.pages).chain(limited().map(|(_, left)| left)).collect();
    let (mut items, mut all) = (Vec::new(), product(worths.page, classes.iter().sum())?);
    for (about, &worth) in types.iter().zip(&worths.of_types) {
        let needs = limited().map(|(resource, _)| about.request[resource]);
        let needs: Vec<i128> = std::iter::once(about.private).chain(needs).collect();
        let common: i128 = about.classes.iter().map(|&class| classes[class]).sum();
        let number = fitting(&room, &needs, common).min(about.number);
        if number > 0 && (worth > 0 || worths.page > 0) {
            all = sum(all, product(worth, number)?)?;
            items.push(Item { worth, needs, classes: about.classes.clone(), number });
        }
    }
    if items.is_empty() || all <= known {
        return Ok(known);
    }
    let held = vec![false; classes.len()];
    let empty = Node { position: 0, worth: 0, room, held, multipliers: Vec::new() };
    let items = Items::new(items, classes, worths.page);
    let multipliers = items.multipliers(&empty, known);
    let empty = Node { multipliers, ..empty };
    let nodes = effort / items.size();
    if nodes == 0 || items.items.len() > MOST_TYPES {
        return Ok(items.bound(&empty, &empty.multipliers).max(known));
    }
    let mut search =
        Search { items: in_order(items, &empty.multipliers), best: known, given_up: known, nodes };
    search.visit(&empty);
    Ok(search.best.max(search.given_up))
}

/// How many virtual machines have room that need each so much, and so many pages together.
fn fitting(room: &[i128], needs: &[i128], common: i128) -> i128 {
    let mut most = i128::MAX;
    for (position, (&room, &need)) in room.iter().zip(needs).enumerate() {
        let left = if position == 0 { room - common } else { room };
        if left < 0 {
            return 0;
        }
        most = most.min(left.checked_div(need).unwrap_or(i128::MAX));
    }
    most
}

/// The items, those first that gain most where they pay for what they take.
fn in_order(items: Items, multipliers: &[i128]) -> Items {
    let Items { items: mut list, pages, page, .. } = items;
    list.sort_by_cached_key(|item| {
        let paid = item.needs.iter().zip(multipliers);
        let paid =
            paid.map(|(&need, &multiplier)| need.saturating_mul(multiplier)).fold(0, i128::saturating_add);
        paid.saturating_sub(item.worth * SCALE)
    });
    Items::new(list, pages, page)
}

/// A search depth first.
struct Search {
    items: Items,
    /// The most that a content met so far is worth.
    best: i128,
    /// What is not searched is worth no more.
    given_up: i128,
    /// Nodes left.
    nodes: u64,
}

impl Search {
    fn visit(&mut self, node: &Node) {
        self.best = self.best.max(node.worth);
        if node.position == self.items.items.len() || self.items.bound(node, &node.multipliers) <= self.best {
            return;
        }
        let (bound, multipliers) = self.items.improved(node, self.best);
        if bound <= self.best {
            return;
        }
        if self.nodes == 0 {
            self.given_up = self.given_up.max(bound);
            return;
        }
        let skipped = Node { position: node.position + 1, multipliers, ..node.clone() };
        let mut taken = Vec::new();
        while let Some(more) = self.with_one_more(taken.last().unwrap_or(&skipped), taken.len()) {
            taken.push(more);
        }
        self.nodes = self.nodes.saturating_sub(1 + taken.len() as u64);
        taken.iter().rev().for_each(|child| self.visit(child));
        self.visit(&skipped);
    }

    /// The node with one more of the item before its position, of which it has so many, if there is one and room for it.
    fn with_one_more(&self, node: &Node, number: usize) -> Option<Node> {
        let item = &self.items.items[node.position - 1];
        if number as i128 >= item.number {
            return None;
        }
        let mut node = node.clone();
        node.worth += item.worth;
        for &class in item.classes.iter() {
            if !std::mem::replace(&mut node.held[class], true) {
                node.room[0] -= self.items.pages[class];
                node.worth += self.items.page * self.items.pages[class];
            }
        }
        for (room, need) in node.room.iter_mut().zip(&item.needs) {
            *room -= need;
        }
        node.room.iter().all(|&room| room >= 0).then_some(node)
    }
}

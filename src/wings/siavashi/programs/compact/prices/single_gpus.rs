//! Single GPUs as parts of a problem where cores and memory are left out: a machine then holds whatever its GPUs do.

use super::super::kinds::Kind;
use super::budgets::Budgets;
use super::content::Content;
use super::listed::Listed;
use super::outline::Outline;
use super::slot::Slot;
use super::stock::{Group, Stock};
use super::terms::Shape;
use crate::instance::MachineIndex;
use prices::{Chosen, Column, Split, Total};
use std::iter::repeat_n;
use std::ops::Range;

/// GPUs of machines that are alike.
struct Gpus {
    /// Their part.
    part: usize,
    /// Which ones they are of each machine.
    slots: Range<usize>,
    /// By content of the part: the number of the fill.
    fills: Vec<u32>,
}

/// Single GPUs, and the machines that have them, as parts.
pub struct SingleGpus<'s> {
    stock: &'s Stock,
    /// The parts.
    pub parts: Vec<Listed>,
    /// By group: the part of its machines, and its GPUs.
    groups: Vec<(usize, Vec<Gpus>)>,
}

impl<'s> SingleGpus<'s> {
    /// The GPUs of a stock without cores, memory and places. What machines and their GPUs share becomes part of the outline.
    pub fn new(stock: &'s Stock, outline: &mut Outline<'_, '_>) -> Self {
        let mut gpus = SingleGpus { stock, parts: Vec::new(), groups: Vec::new() };
        stock.groups.iter().for_each(|group| gpus.add(group, outline));
        gpus
    }

    /// Adds a group. Where nothing is pinned, machines in use have one GPU in use at least, and as many as they have at most; else they are
    /// in use anyway.
    fn add(&mut self, group: &Group, outline: &mut Outline<'_, '_>) {
        let name = self.groups.len();
        let number = group.machines.len() as u32;
        let is_pinned = group.slots.iter().any(|slot| slot.is_pinned);
        let mut shared = |name: String, least, most| {
            outline.totals.push(Total { name, least, most, excess_cost: None, split: Split::Never });
            outline.totals.len() - 1
        };
        let least = (!is_pinned).then(|| shared(format!("least-{name}"), Some(0), None));
        let mut of_machine: Vec<(usize, i64)> = least.iter().map(|&least| (least, -1)).collect();
        let mut of_gpus: Vec<(&Slot, Range<usize>, Option<usize>)> = Vec::new();
        for (position, slot) in group.slots.iter().enumerate() {
            match of_gpus.last_mut() {
                Some((last, slots, _)) if *last == slot => slots.end += 1,
                _ => of_gpus.push((slot, position..position + 1, None)),
            }
        }
        for (_, slots, most) in of_gpus.iter_mut().filter(|_| !is_pinned) {
            let row = shared(format!("most-{name}-{}", slots.start), None, Some(0));
            of_machine.push((row, -(slots.len() as i64)));
            *most = Some(row);
        }
        let in_use = self.column(outline, of_machine, (outline.rows.machines, group.weights.0), &[]);
        let not_in_use = (!is_pinned).then(Column::default);
        let machines = self.parts.len();
        self.parts.push(Listed { number, columns: not_in_use.into_iter().chain([in_use]).collect() });
        let mut gpus: Vec<Gpus> = Vec::new();
        for (slot, slots, most) in of_gpus {
            let fills = useful(slot, outline.covers);
            let column = |&fill: &u32| {
                let counts = &slot.fills.all[fill as usize].counts;
                if counts.is_empty() && !slot.is_pinned {
                    return Column::default();
                }
                let of_machine = least.into_iter().chain(most).map(|row| (row, 1)).collect();
                self.column(outline, of_machine, (outline.rows.gpus, group.weights.1), counts)
            };
            let columns = fills.iter().map(column).collect();
            gpus.push(Gpus { part: self.parts.len(), fills, slots: slots.clone() });
            self.parts.push(Listed { number: number * slots.len() as u32, columns });
        }
        self.groups.push((machines, gpus));
    }

    /// What a machine or a GPU in use costs and adds to totals: to this one by being in use at so many units of hardware, and by what it holds.
    fn column(
        &self,
        outline: &Outline<'_, '_>,
        mut terms: Vec<(usize, i64)>,
        (in_use, hardware): (usize, i64),
        counts: &[(usize, u32)],
    ) -> Column {
        let (rows, aim, shapes) = (outline.rows, outline.aim, &self.stock.shared().shapes);
        let accepted: i64 =
            counts.iter().map(|&(shape, number)| shapes[shape].acceptance * i64::from(number)).sum();
        terms.push((in_use, 1));
        terms.extend(rows.acceptance.map(|row| (row, accepted)));
        terms.extend(rows.hardware.map(|row| (row, hardware)));
        terms.extend(counts.iter().map(|&(shape, number)| (rows.placed + shape, i64::from(number))));
        terms.sort_unstable();
        terms.retain(|term| term.1 != 0);
        Column { cost: aim.hardware * hardware - aim.acceptance * accepted, terms }
    }

    /// The parts that are machines, with one of these each, all of which have as much.
    pub fn machines(&self) -> impl Iterator<Item = (usize, MachineIndex)> {
        let groups = self.groups.iter().zip(&self.stock.groups);
        groups.map(|((part, _), group)| (*part, group.machines[0].0))
    }

    /// What workloads need and machines have.
    pub fn budgets(&self) -> &Budgets {
        &self.stock.budgets
    }

    /// The workloads of each shape, and what each shape is.
    pub fn shapes(&self) -> impl Iterator<Item = (&Kind, &Shape)> {
        let shared = self.stock.shared();
        shared.kinds.iter().zip(&shared.shapes)
    }

    /// The machines with the fills that are chosen for their GPUs.
    pub fn dealt(&self, chosen: &[Chosen<u32>]) -> Vec<Chosen<Content>> {
        let of_part = |part: usize| {
            let own = chosen.iter().filter(move |chosen| chosen.part == part);
            own.flat_map(|chosen| repeat_n(chosen.content as usize, chosen.number as usize))
        };
        let shapes = self.stock.shared().shapes.len();
        let mut dealt = Vec::new();
        for (part, (group, (machines, gpus))) in self.stock.groups.iter().zip(&self.groups).enumerate() {
            let in_use = self.parts[*machines].columns.len() - 1;
            let machines = of_part(*machines).filter(|&content| content == in_use).count();
            let mut fills = vec![vec![0; group.slots.len()]; machines];
            let mut turn = (0..machines).cycle();
            for Gpus { part, slots, fills: numbers } in gpus {
                let in_use = of_part(*part).map(|content| numbers[content]).filter(|&fill| fill > 0);
                for (position, fill) in in_use.enumerate() {
                    let machine = turn.next().expect("GPUs in use are those of machines in use");
                    fills[machine][slots.start + position / machines] = fill;
                }
            }
            let content = |fills| Content::of(&group.slots, shapes, fills);
            dealt.extend(fills.into_iter().map(|fills| Chosen { part, content: content(fills), number: 1 }));
        }
        dealt
    }
}

/// The fills of a GPU, the empty one first; of those that are part of others none where more of everything is as good.
fn useful(slot: &Slot, covers: bool) -> Vec<u32> {
    let fills = &slot.fills;
    let is_part = |fill: u32| {
        let with_one_more = |shape: usize| {
            let mut counts = fills.all[fill as usize].counts.clone();
            match counts.binary_search_by_key(&shape, |count| count.0) {
                Ok(at) => counts[at].1 += 1,
                Err(at) => counts.insert(at, (shape, 1)),
            }
            fills.number_of(&counts)
        };
        (0..fills.most.len()).any(|shape| with_one_more(shape).is_some())
    };
    (0..fills.all.len() as u32).filter(|&fill| fill == 0 || !covers || !is_part(fill)).collect()
}

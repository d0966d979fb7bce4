//! Parts of a multiset, and which of them can stand so that an instance finds no start.
//!
//! The driver chooses among the free starts. Whatever it chose for some instances is a layout of them, and every layout of them
//! comes about in any order in which they are created, as its instances do not overlap. So creating one more instance can fail after a part
//! of the multiset if, and only if, some layout of that part leaves it no start. Layouts are read from the lowest slot to the
//! highest: between two neighbours there must be no room for a legal start. The parts are the numbers below the product of all counts plus one,
//! in a mixed radix, and sets of them are sets of bits; so all parts are decided in one pass over the slots. A multiset that has a layout has
//! at most as many parts as its board has multisets, of which [`mig::Board`] allows 50,000.

use mig::{Board, Counts, GpuInstance, ProfileIndex, SliceStart};
use std::collections::BTreeSet;

/// Profiles that occupy the same slots and so stand for each other.
struct Shape {
    size: u32,
    starts: Vec<SliceStart>,
    /// Position of the parts that have one more of it.
    stride: usize,
    members: Vec<(ProfileIndex, u32)>,
}

impl Shape {
    fn count(&self) -> usize {
        self.members.iter().map(|(_, count)| *count as usize).sum()
    }
}

/// A shape, by its position.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ShapeIndex(usize);

/// A part of the multiset, as a number.
pub type Part = usize;

/// All parts of a multiset.
pub struct Lattice {
    slots: u32,
    shapes: Vec<Shape>,
    parts: usize,
}

impl Lattice {
    /// The parts of `counts`, which must have a layout, at least without one of the instances.
    pub fn of(board: &Board, counts: &Counts) -> Self {
        let mut shapes: Vec<Shape> = Vec::new();
        for (index, count) in counts.iter() {
            let profile = board.profile(index);
            let alike = |shape: &&mut Shape| shape.size == profile.size && shape.starts == profile.starts;
            match shapes.iter_mut().find(alike) {
                Some(shape) => shape.members.push((index, count)),
                None => shapes.push(Shape {
                    size: profile.size,
                    starts: profile.starts.clone(),
                    stride: 0,
                    members: vec![(index, count)],
                }),
            }
        }
        // The largest first: orders then begin with what is hardest to place.
        shapes.sort_by_key(|shape| std::cmp::Reverse(shape.size));
        let mut parts = 1;
        for shape in &mut shapes {
            shape.stride = parts;
            parts *= shape.count() + 1;
        }
        Lattice { slots: board.slots(), shapes, parts }
    }

    pub fn shapes(&self) -> impl Iterator<Item = ShapeIndex> + use<> {
        (0..self.shapes.len()).map(ShapeIndex)
    }

    /// The shape of a profile of the multiset.
    pub fn shape_of(&self, profile: ProfileIndex) -> ShapeIndex {
        let has = |shape: &Shape| shape.members.iter().any(|(member, _)| *member == profile);
        ShapeIndex(self.shapes.iter().position(has).expect("the profile is in the multiset"))
    }

    /// The whole multiset.
    pub fn whole(&self) -> Part {
        self.parts - 1
    }

    pub fn parts(&self) -> std::ops::Range<Part> {
        0..self.parts
    }

    /// The part with one more of a shape; none if the multiset has no more.
    pub fn with(&self, part: Part, shape: ShapeIndex) -> Option<Part> {
        let shape = &self.shapes[shape.0];
        (self.count_in(part, shape) < shape.count()).then_some(part + shape.stride)
    }

    /// Number of instances of a part.
    pub fn total(&self, part: Part) -> usize {
        self.shapes.iter().map(|shape| self.count_in(part, shape)).sum()
    }

    fn count_in(&self, part: Part, shape: &Shape) -> usize {
        part / shape.stride % (shape.count() + 1)
    }

    /// The parts that have a layout.
    pub fn laid_out(&self) -> Parts {
        self.standing(None)
    }

    /// The parts that have a layout beside which the shape has no start.
    pub fn blocking(&self, shape: ShapeIndex) -> Parts {
        self.standing(Some(shape))
    }

    fn standing(&self, blocked: Option<ShapeIndex>) -> Parts {
        // By the slot behind the last instance.
        let mut ending = vec![Parts::none(self.parts); self.slots as usize + 1];
        ending[0].insert(0);
        let room: Vec<Parts> = self.shapes.iter().map(|shape| self.room_for(shape)).collect();
        for slot in 0..self.slots {
            let begin_here: Vec<usize> = (0..self.shapes.len())
                .filter(|&shape| self.shapes[shape].starts.contains(&SliceStart(slot as u8)))
                .collect();
            if begin_here.is_empty() {
                continue;
            }
            let mut open = Parts::none(self.parts);
            for end in (0..=slot).filter(|&end| self.farthest(end, blocked) >= slot) {
                open.add(&ending[end as usize]);
            }
            for shape in begin_here {
                let more = open.and(&room[shape]).shifted(self.shapes[shape].stride);
                ending[(slot + self.shapes[shape].size) as usize].add(&more);
            }
        }
        let mut found = Parts::none(self.parts);
        for end in (0..=self.slots).filter(|&end| self.farthest(end, blocked) >= self.slots) {
            found.add(&ending[end as usize]);
        }
        found
    }

    /// The last slot at which the next instance may begin, or the board may end, behind an instance that ends before `end`, so that the
    /// blocked shape fits nowhere between.
    fn farthest(&self, end: u32, blocked: Option<ShapeIndex>) -> u32 {
        let Some(shape) = blocked.map(|index| &self.shapes[index.0]) else { return self.slots };
        let next = shape.starts.iter().find(|start| u32::from(start.0) >= end);
        next.map_or(self.slots, |start| u32::from(start.0) + shape.size - 1)
    }

    /// The parts to which one more of a shape can be added.
    fn room_for(&self, shape: &Shape) -> Parts {
        let mut room = Parts::none(self.parts);
        self.parts()
            .filter(|&part| self.count_in(part, shape) < shape.count())
            .for_each(|part| room.insert(part));
        room
    }

    /// A layout of a part, from the lowest slot on, and an instance of the shape more for which it leaves no start; none if every layout
    /// leaves one.
    pub fn layout_blocking(&self, part: Part, shape: ShapeIndex) -> Option<(Vec<GpuInstance>, ProfileIndex)> {
        let mut standing = Vec::new();
        if !self.extend(0, part, shape, &mut standing, &mut BTreeSet::new()) {
            return None;
        }
        let mut members = self.members();
        let named = standing.iter().map(|&(shape, start)| {
            let profile = members[shape].next().expect("no more than there are");
            GpuInstance { profile, start }
        });
        let named = named.collect();
        Some((named, members[shape.0].next()?))
    }

    fn extend(
        &self,
        end: u32,
        missing: Part,
        blocked: ShapeIndex,
        standing: &mut Vec<(usize, SliceStart)>,
        failed: &mut BTreeSet<(u32, Part)>,
    ) -> bool {
        let farthest = self.farthest(end, Some(blocked));
        if missing == 0 {
            return farthest >= self.slots;
        }
        if failed.contains(&(end, missing)) {
            return false;
        }
        for slot in end..=farthest.min(self.slots - 1) {
            let start = SliceStart(slot as u8);
            for (position, shape) in self.shapes.iter().enumerate() {
                if self.count_in(missing, shape) == 0 || !shape.starts.contains(&start) {
                    continue;
                }
                standing.push((position, start));
                if self.extend(slot + shape.size, missing - shape.stride, blocked, standing, failed) {
                    return true;
                }
                standing.pop();
            }
        }
        failed.insert((end, missing));
        false
    }

    /// An order of shapes as one of profiles.
    pub fn profiles_in(&self, order: &[ShapeIndex]) -> Vec<ProfileIndex> {
        let mut members = self.members();
        order.iter().map(|shape| members[shape.0].next().expect("no more than there are")).collect()
    }

    fn members(&self) -> Vec<impl Iterator<Item = ProfileIndex>> {
        let each = |&(profile, count): &(ProfileIndex, u32)| (0..count).map(move |_| profile);
        self.shapes.iter().map(|shape| shape.members.iter().flat_map(each)).collect()
    }
}

/// A set of parts.
#[derive(Clone)]
pub struct Parts(Vec<u64>);

impl Parts {
    fn none(parts: usize) -> Self {
        Parts(vec![0; parts.div_ceil(64)])
    }

    fn insert(&mut self, part: Part) {
        self.0[part / 64] |= 1 << (part % 64);
    }

    pub fn contains(&self, part: Part) -> bool {
        self.0[part / 64] >> (part % 64) & 1 == 1
    }

    fn add(&mut self, other: &Parts) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, other)| *mine |= other);
    }

    fn and(&self, other: &Parts) -> Parts {
        Parts(self.0.iter().zip(&other.0).map(|(mine, other)| mine & other).collect())
    }

    /// All parts moved up by a stride, which none of them leaves.
    fn shifted(&self, stride: usize) -> Parts {
        let (words, bits) = (stride / 64, stride % 64);
        let word = |at: Option<usize>| at.and_then(|at| self.0.get(at)).copied().unwrap_or(0);
        let moved = (0..self.0.len()).map(|at| {
            let high = word(at.checked_sub(words)) << bits;
            let low = if bits == 0 { 0 } else { word(at.checked_sub(words + 1)) >> (64 - bits) };
            high | low
        });
        Parts(moved.collect())
    }
}

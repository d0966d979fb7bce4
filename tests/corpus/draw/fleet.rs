//! GPUs that fill up while an instance is drawn.

use super::dice::Dice;
use mig::{Board, GpuInstance, Lookup, Profile, Remaining, SlotMask, catalogue};
use serde_json::{Value, json};
use std::sync::Arc;

/// Boards that no vendor has. The starts of `tiny`, `gaps` and `pairs` are not the multiples of the sizes. The counts that two
/// boards `pairs` hold are fewer than its facets admit. `half` has more slots than compute slices, and `decoders` engines that
/// run out before the slots do.
fn geometry(name: &str) -> Option<Value> {
    let decoders =
        |count: u32| json!({"copy": 0, "decode": count, "encode": 0, "jpeg": 0, "optical_flow": 0});
    Some(match name {
        "tiny" => json!({"slots": 4, "compute": 4, "profiles": [
            {"name": "t1", "compute": 1, "size": 1, "starts": [0, 2, 3]},
            {"name": "t2", "compute": 2, "size": 2, "starts": [1]},
            {"name": "t3", "compute": 3, "size": 3, "starts": [0, 1]},
        ]}),
        "gaps" => json!({"slots": 11, "compute": 7, "profiles": [
            {"name": "g2", "compute": 1, "size": 2, "starts": [4, 5, 7]},
            {"name": "g3", "compute": 1, "size": 3, "starts": [5, 8]},
            {"name": "g1", "compute": 1, "size": 1, "starts": [0, 4, 8, 9, 10]},
        ]}),
        "pairs" => json!({"slots": 8, "compute": 7, "profiles": [
            {"name": "p4", "compute": 1, "size": 4, "starts": [0, 4], "maximum": 1},
            {"name": "p2", "compute": 1, "size": 2, "starts": [0, 1, 3, 5, 6]},
            {"name": "p1", "compute": 1, "size": 1, "starts": [2, 5, 6, 7]},
            {"name": "p4-low", "compute": 1, "size": 4, "starts": [0, 1]},
        ]}),
        "half" => json!({"slots": 4, "compute": 3, "profiles": [
            {"name": "h1", "compute": 1, "size": 1, "starts": [0, 1, 2]},
            {"name": "h1-double", "compute": 1, "size": 2, "starts": [0, 2]},
            {"name": "h3", "compute": 3, "size": 4, "starts": [0]},
        ]}),
        "decoders" => json!({"slots": 4, "compute": 4, "profiles": [
            {"name": "d1", "compute": 1, "size": 1, "starts": [0, 1, 2, 3], "engines": decoders(0)},
            {"name": "d1-video", "compute": 1, "size": 1, "starts": [0, 1, 2, 3], "engines": decoders(1)},
            {"name": "d2-video", "compute": 2, "size": 2, "starts": [0, 2], "engines": decoders(2)},
            {"name": "d4", "compute": 4, "size": 4, "starts": [0], "engines": decoders(3)},
        ]}),
        _ => return None,
    })
}

/// The board of a name: one of the catalogue, or one of ours.
pub fn board(name: &str) -> Arc<Board> {
    match (catalogue().find(name), geometry(name)) {
        (Lookup::Found(board), _) => board,
        (_, Some(geometry)) => {
            let geometry = serde_json::from_value(geometry).expect("a geometry");
            Arc::new(Board::from_geometry(name, &geometry).unwrap_or_else(|error| panic!("{error}")))
        }
        (other, None) => panic!("{other:?}"),
    }
}

/// The geometries among some boards that an instance has to describe.
pub fn geometries<'n>(names: impl Iterator<Item = &'n str>) -> Value {
    names.filter_map(|name| geometry(name).map(|geometry| (name.to_owned(), geometry))).collect()
}

struct Gpu {
    name: String,
    board: Arc<Board>,
    occupied: SlotMask,
    remaining: Remaining,
}

/// GPUs with what runs on them.
pub struct Fleet(Vec<Gpu>);

impl Fleet {
    /// Empty GPUs by name and board.
    pub fn new<'b>(gpus: impl Iterator<Item = (String, &'b str)>) -> Self {
        let gpu = |(name, on): (String, &str)| {
            let board = board(on);
            Gpu { name, occupied: SlotMask::EMPTY, remaining: board.full_limits(), board }
        };
        Fleet(gpus.map(gpu).collect())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The profiles of a GPU.
    pub fn profiles(&self, gpu: usize) -> &[Profile] {
        self.0[gpu].board.profiles()
    }

    /// Lets a workload run on a GPU at one of the starts that are free, if there is one; where, as instances write it.
    pub fn run(&mut self, dice: &mut Dice, gpu: usize, profile: &str) -> Option<Value> {
        let gpu = &mut self.0[gpu];
        let profile = gpu.board.find_profile(profile)?;
        let remaining = gpu.remaining.take(&gpu.board, profile)?;
        let starts = gpu.board.profile(profile).starts.iter();
        let footprint = |start| gpu.board.footprint(GpuInstance { profile, start });
        let free: Vec<_> =
            starts.copied().filter(|&start| !footprint(start).intersects(gpu.occupied)).collect();
        if free.is_empty() {
            return None;
        }
        let start = free[dice.below(free.len())];
        gpu.occupied = gpu.occupied.union(footprint(start));
        gpu.remaining = remaining;
        Some(json!({"gpu": gpu.name, "start": start.0}))
    }
}

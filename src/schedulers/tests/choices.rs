//! Schedulers that compare all GPUs, against trying every place on two GPUs in many pairs of states.

use super::board;
use crate::blocked::blocked;
use crate::{Fgd, LeastGrowth, Scheduler, Typical};
use cluster::{BoardIndex, Gpu, GpuIndex, Location, Maintenance};
use fleet::{Fleet, Guest, Request};
use ground::Amount;
use mig::{Board, GpuInstance, ProfileIndex, SlotMask, distinct_profiles, free_starts, layouts};
use std::sync::Arc;

fn request(on_board: &[Option<ProfileIndex>]) -> Request<'_> {
    Request { on_board, cpu: Amount::ZERO, memory: Amount::ZERO, movable: true, ruled: None }
}

/// The first place, by GPU and then start, at which the measure of the two GPUs together is least.
fn tried(
    board: &Board,
    occupied: [SlotMask; 2],
    profile: ProfileIndex,
    measure: &dyn Fn(SlotMask) -> i64,
) -> Option<Location> {
    let mut found: Option<(i64, Location)> = None;
    for gpu in 0..2 {
        for &start in &board.profile(profile).starts {
            let footprint = board.footprint(GpuInstance { profile, start });
            if footprint.intersects(occupied[gpu]) {
                continue;
            }
            let mut then = occupied;
            then[gpu] = then[gpu].union(footprint);
            let total = measure(then[0]) + measure(then[1]);
            if found.is_none_or(|(least, _)| total < least) {
                found = Some((total, Location { gpu: GpuIndex::at(gpu), start }));
            }
        }
    }
    found.map(|(_, place)| place)
}

fn compare(board: &Arc<Board>, scheduler: impl Scheduler, measure: &dyn Fn(SlotMask) -> i64) {
    let profiles = distinct_profiles(board);
    let on_board: Vec<[Option<ProfileIndex>; 1]> =
        board.profile_indices().map(|profile| [Some(profile)]).collect();
    let states = layouts(board, &profiles);
    let gpu = |name: &str| Gpu {
        name: name.to_owned(),
        host: None,
        board: BoardIndex::at(0),
        maintenance: Maintenance::InService,
    };
    let gpus = [gpu("a"), gpu("b")];
    for (position, one) in states.iter().enumerate().step_by(7) {
        let other = &states[position * 31 % states.len()];
        let mut fleet = Fleet::new(std::slice::from_ref(board), &gpus, Vec::new());
        let mut guests = (0..).map(Guest);
        for (gpu, state) in [one, other].into_iter().enumerate() {
            for (instance, guest) in state.iter().zip(&mut guests) {
                let place = Location { gpu: GpuIndex::at(gpu), start: instance.start };
                fleet.place(guest, request(&on_board[instance.profile.index()]), place);
            }
        }
        let occupied = [one, other].map(|state| board.used_slots(state));
        for &profile in &profiles {
            let found = scheduler.begin(&fleet).choose(&fleet, request(&on_board[profile.index()]));
            assert_eq!(found, tried(board, occupied, profile, measure), "{one:?} {other:?} {profile:?}");
        }
    }
}

#[test]
fn growth_is_least_among_all_places() {
    for name in ["A30-24GB", "A100-40GB"] {
        let board = board(name);
        let profiles = distinct_profiles(&board);
        compare(&board, LeastGrowth, &|occupied| blocked(&board, occupied, &profiles));
        let unusable = |occupied: SlotMask| {
            let free = board.free_slots(occupied);
            let unserved = profiles.iter().filter(|&&profile| free_starts(&board, free, profile) == 0);
            i64::from(free.count()) * unserved.count() as i64
        };
        compare(&board, Fgd { typical: Typical::Profiles }, &unusable);
    }
}

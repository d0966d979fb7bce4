//! The states in which GPUs are while a heuristic works, and what fits there: GPUs in the same state are alike.

use cluster::BoardIndex;
use ground::index_type;
use mig::{Board, GpuInstance, ProfileIndex, Remaining, SliceStart, SlotMask, preferred_starts};
use std::collections::BTreeMap;
use std::sync::Arc;

index_type!(
    /// A state, by its position in the order in which states were met.
    StateIndex
);

/// In which order the legal starts of a GPU are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Starts {
    /// From slot 0 on.
    Ascending,
    /// Those first that leave the greatest choice on an empty board (the paper's Table 1).
    Preferred,
}

/// What matters about a GPU when a place is sought.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct State {
    pub board: BoardIndex,
    pub occupied: SlotMask,
    pub remaining: Remaining,
    /// Memory and compute slices of the instances.
    pub used: u32,
}

/// The first start with room for an instance, by profile.
type FirstStarts = Vec<Option<SliceStart>>;

/// The states met so far: among many GPUs there are few.
#[derive(Clone)]
pub struct States<'p> {
    boards: &'p [Arc<Board>],
    met: Vec<State>,
    numbers: BTreeMap<State, StateIndex>,
    /// By state, with starts tried in ascending order.
    ascending: Vec<FirstStarts>,
    /// By state, with preferred starts tried first.
    preferred: Vec<FirstStarts>,
    /// By board and profile.
    preferred_starts: Vec<Vec<Vec<SliceStart>>>,
}

impl<'p> States<'p> {
    /// No state met yet.
    pub fn new(boards: &'p [Arc<Board>]) -> Self {
        let of_board = |board: &Arc<Board>| {
            board.profile_indices().map(|profile| preferred_starts(board, profile)).collect()
        };
        States {
            boards,
            met: Vec::new(),
            numbers: BTreeMap::new(),
            ascending: Vec::new(),
            preferred: Vec::new(),
            preferred_starts: boards.iter().map(of_board).collect(),
        }
    }

    /// The number of a state.
    pub fn number(&mut self, state: State) -> StateIndex {
        if let Some(&number) = self.numbers.get(&state) {
            return number;
        }
        let number = StateIndex::at(self.met.len());
        let board: &Board = &self.boards[state.board.index()];
        let preferred = &self.preferred_starts[state.board.index()];
        let first =
            |profile: ProfileIndex, starts: &[SliceStart]| first_start(board, &state, profile, starts);
        let profiles = board.profile_indices();
        let ascending = profiles.map(|profile| first(profile, &board.profile(profile).starts));
        self.ascending.push(ascending.collect());
        let preferred = board.profile_indices().zip(preferred);
        self.preferred.push(preferred.map(|(profile, starts)| first(profile, starts)).collect());
        self.numbers.insert(state.clone(), number);
        self.met.push(state);
        number
    }

    /// The number of the state of an empty GPU.
    pub fn number_of_empty(&mut self, board: BoardIndex) -> StateIndex {
        let remaining = self.boards[board.index()].full_limits();
        self.number(State { board, occupied: SlotMask::EMPTY, remaining, used: 0 })
    }

    /// What a number stands for.
    pub fn get(&self, number: StateIndex) -> &State {
        &self.met[number.index()]
    }

    /// The first place for an instance of the profile.
    pub fn fit(&self, number: StateIndex, profile: ProfileIndex, starts: Starts) -> Option<GpuInstance> {
        let by_state = match starts {
            Starts::Ascending => &self.ascending,
            Starts::Preferred => &self.preferred,
        };
        by_state[number.index()][profile.index()].map(|start| GpuInstance { profile, start })
    }

    /// The profiles for which there is room.
    pub fn fitting(&self, number: StateIndex) -> impl Iterator<Item = ProfileIndex> + '_ {
        let profiles = self.boards[self.get(number).board.index()].profile_indices();
        profiles.filter(move |&profile| self.fit(number, profile, Starts::Ascending).is_some())
    }
}

fn first_start(
    board: &Board,
    state: &State,
    profile: ProfileIndex,
    starts: &[SliceStart],
) -> Option<SliceStart> {
    state.remaining.take(board, profile)?;
    let is_free = |start: &SliceStart| {
        let instance = GpuInstance { profile, start: *start };
        !board.footprint(instance).intersects(state.occupied)
    };
    starts.iter().copied().find(is_free)
}

//! The boards that strategies draw from.

use ground::Located;
use kit::{board_of_catalogue, located};
use mig::{Board, Geometry, ProfileGeometry};
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A board that a strategy may draw.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub board: Arc<Board>,
    /// What a file must say about it, if the catalogue does not have it.
    geometry: Option<Geometry>,
}

/// One of some boards of the catalogue and, if asked for and half as often, of three that no vendor has. Shrinks to the first.
///
/// # Panics
/// When there are none, or the catalogue does not have one of the names.
pub(super) fn one_of(
    names: &[String],
    with_own_geometry: bool,
) -> impl Strategy<Value = Choice> + Clone + use<> {
    let of_catalogue = |name: &String| {
        let board = board_of_catalogue(name).unwrap_or_else(|message| panic!("board {message}"));
        Choice { board, geometry: None }
    };
    let mut choices: Vec<Choice> = names.iter().chain(names).map(of_catalogue).collect();
    if with_own_geometry {
        choices.extend(own_boards());
    }
    assert!(!choices.is_empty(), "the parameters must allow at least one board");
    select(choices)
}

/// What a file must say about the boards that it uses: the section `boards`.
pub(super) fn section<'c>(used: impl IntoIterator<Item = &'c Choice>) -> BTreeMap<String, Located<Geometry>> {
    let described = |choice: &Choice| {
        let geometry = choice.geometry.clone()?;
        Some((choice.board.name().to_owned(), located(geometry)))
    };
    used.into_iter().filter_map(described).collect()
}

/// Boards with starts that are not the multiples of the size. `tiny` runs out of compute slices before its slots are taken; the hull of
/// `gaps` holds counts that no GPU can, that of `pairs` counts that no two GPUs can.
fn own_boards() -> [Choice; 3] {
    let tiny =
        vec![profile("t1", [1, 1], &[0, 2, 3]), profile("t2", [2, 2], &[1]), profile("t3", [3, 3], &[0, 1])];
    let gaps = vec![
        profile("g2", [1, 2], &[4, 5, 7]),
        profile("g3", [1, 3], &[5, 8]),
        profile("g1", [1, 1], &[0, 4, 8, 9, 10]),
    ];
    let pairs = vec![
        ProfileGeometry { maximum: Some(1), ..profile("p4", [1, 4], &[0, 4]) },
        profile("p2", [1, 2], &[0, 1, 3, 5, 6]),
        profile("p1", [1, 1], &[2, 5, 6, 7]),
        profile("p4-low", [1, 4], &[0, 1]),
    ];
    [("tiny", 4, 3, tiny), ("gaps", 11, 7, gaps), ("pairs", 8, 7, pairs)].map(
        |(name, slots, compute, profiles)| {
            let geometry = Geometry { slots, compute, profiles };
            let board = Board::from_geometry(name, &geometry).expect("the geometry is legal");
            Choice { board: Arc::new(board), geometry: Some(geometry) }
        },
    )
}

fn profile(name: &str, [compute, size]: [u32; 2], starts: &[u8]) -> ProfileGeometry {
    ProfileGeometry {
        name: name.to_owned(),
        compute,
        size,
        starts: starts.to_vec(),
        maximum: None,
        aliases: Vec::new(),
        engines: None,
    }
}

//! What a type of board holds of that which a trace asks for.

use cluster::{BoardIndex, Cluster};
use itertools::Itertools;
use mig::{FillTable, ProfileIndex, patterns};

/// What a board holds of the profiles that serve any request there.
pub fn fills_asked_for(cluster: &Cluster, board: BoardIndex) -> FillTable {
    let on_board = cluster.requests.iter().filter_map(|request| request.on_board[board.index()]);
    let wanted: Vec<ProfileIndex> = on_board.sorted().dedup().collect();
    patterns(&cluster.boards[board.index()]).of_profiles(&wanted)
}

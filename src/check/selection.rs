//! Which entries of a configuration are meant for which GPUs of a node.

use super::configuration::{Configuration, Entry, Filter, device_number};
use super::state::{Gpu, Node};
use mig::{Board, catalogue};

/// An entry and a GPU that it matches, by their positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Match {
    /// The entry in its configuration.
    pub entry: usize,
    /// The GPU in its node.
    pub gpu: usize,
}

/// The matches in the order in which mig-parted walks through them: entry by entry, in each GPU by GPU.
pub fn matches(configuration: &Configuration, node: &Node) -> Vec<Match> {
    let of_entry = |(entry, section): (usize, &Entry)| {
        let meant = node.gpus.iter().enumerate().filter(|(_, gpu)| is_meant(section, gpu));
        meant.map(|(gpu, _)| Match { entry, gpu }).collect::<Vec<_>>()
    };
    configuration.entries.iter().enumerate().flat_map(of_entry).collect()
}

fn is_meant(entry: &Entry, gpu: &Gpu) -> bool {
    let is_board = || entry.filters.iter().any(|filter| is_of_board(&filter.value, &gpu.board));
    entry.devices.value.include(gpu.index) && (entry.has_no_filter() || is_board())
}

/// Whether the filter has a number of the board. A board whose numbers are not known may have any.
fn is_of_board(filter: &Filter, board: &Board) -> bool {
    let Some(device) = filter.device else { return false };
    let mut numbers = numbers_of(board).peekable();
    numbers.peek().is_none() || numbers.any(|number| number == device)
}

/// Boards of the catalogue that a filter matches.
pub fn boards_of(filter: &Filter) -> impl Iterator<Item = &'static str> {
    let device = filter.device;
    let known = catalogue().boards().iter().map(|board| (board.name(), board.provenance()));
    let unavailable =
        catalogue().unavailable().iter().map(|board| (board.name.as_str(), Some(&board.provenance)));
    let has_it = move |provenance: Option<&mig::Provenance>| {
        let texts = provenance.into_iter().flat_map(|provenance| &provenance.pci_device_ids);
        texts.map(|text| number(text)).any(|number| number.is_some() && number == device)
    };
    known.chain(unavailable).filter(move |(_, provenance)| has_it(*provenance)).map(|(name, _)| name)
}

fn numbers_of(board: &Board) -> impl Iterator<Item = u32> {
    let texts = board.provenance().into_iter().flat_map(|provenance| &provenance.pci_device_ids);
    texts.filter_map(|text| number(text))
}

/// The number in an entry of the catalogue, behind which the product may stand in brackets.
fn number(text: &str) -> Option<u32> {
    device_number(text.split(' ').next()?)
}

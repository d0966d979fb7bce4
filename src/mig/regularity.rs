//! Is a board regular enough for a program that sees bins instead of slots?

use std::collections::BTreeMap;

use thiserror::Error;

use super::board::Board;
use super::counts::Counts;
use super::fill::{FillTable, fill_table, patterns};
use super::free_partition::{FreePartition, bin_contents, free_partitions, partition_fill_table};
use super::instance::{GpuInstance, SliceStart};
use super::layout::smallest_layouts;
use super::slot_mask::SlotMask;

/// Largest number of states of a board that are compared; the boards of the catalogue have at most some hundreds.
const STATE_BUDGET: usize = 20_000;

/// Why a board must not be seen as bins of compute slices and memory slots.
#[derive(Clone, Eq, PartialEq, Debug, Error)]
pub enum BinViewCounterexample {
    /// The bins and the slots give different answers for some addition to some state of the board.
    #[error("{explanation}")]
    Mismatch {
        /// Instances that stand on the board; a smallest such layout.
        occupied: Vec<GpuInstance>,
        /// The bins that were used: the empty board as one bin, or the free partitions of Algorithm 1.
        bins: Vec<FreePartition>,
        /// The addition on which the answers differ; a smallest one.
        added: Box<Counts>,
        /// Least waste of the addition in bins; `None` if the bins cannot hold it.
        waste_in_bins: Option<u32>,
        /// Least physical waste of the addition in slots; `None` if it has no layout.
        waste_in_slots: Option<u32>,
        /// All of this in words.
        explanation: String,
    },
    /// The board has too many states to compare them all.
    #[error(
        "the board `{board}` has more than {STATE_BUDGET} states, too many to check that bins describe them"
    )]
    Undecided {
        /// The board's name.
        board: String,
    },
}

/// Whether the bin view of the printed program of Turkkan et al. is exact on a board.
///
/// Two things are compared with the layouts, waste included: the empty board as a single bin (Assumption 1), and the
/// free partitions of Algorithm 1 beside every set of slots that a layout can occupy, with all limits left.
///
/// # Errors
/// A smallest counterexample: fewest standing instances, then fewest added ones.
pub fn check_bin_view(board: &Board) -> Result<(), BinViewCounterexample> {
    let whole = FreePartition { start: SliceStart(0), compute: board.compute(), size: board.slots() };
    let contents = bin_contents(board, whole.compute, whole.size, &board.full_limits());
    let in_bin = FillTable { waste_of: contents.into_iter().collect() };
    compare(board, &[], &[whole], &in_bin, &patterns(board))?;
    for (occupied, layout) in occupied_states(board)? {
        // Limits only restrict the counts: what holds with all of them left holds with less.
        let in_bins = partition_fill_table(board, occupied, &board.full_limits());
        let in_slots = fill_table(board, occupied, &board.full_limits());
        compare(board, &layout, &free_partitions(board, occupied), &in_bins, &in_slots)?;
    }
    Ok(())
}

/// The sets of slots that a layout can occupy, each with a smallest layout, those with the fewest instances first.
fn occupied_states(board: &Board) -> Result<Vec<(SlotMask, Vec<GpuInstance>)>, BinViewCounterexample> {
    let undecided = || BinViewCounterexample::Undecided { board: board.name().to_owned() };
    let all = smallest_layouts(board, STATE_BUDGET).ok_or_else(undecided)?;
    let mut smallest: BTreeMap<SlotMask, Vec<GpuInstance>> = BTreeMap::new();
    for ((occupied, _), layout) in all {
        let known = smallest.entry(occupied).or_insert_with(|| layout.clone());
        if layout.len() < known.len() {
            *known = layout;
        }
    }
    let mut states: Vec<(SlotMask, Vec<GpuInstance>)> = smallest.into_iter().collect();
    states.sort_by_key(|(occupied, layout)| (layout.len(), *occupied));
    Ok(states)
}

fn compare(
    board: &Board,
    occupied: &[GpuInstance],
    bins: &[FreePartition],
    in_bins: &FillTable,
    in_slots: &FillTable,
) -> Result<(), BinViewCounterexample> {
    let differs = |counts: &&Counts| in_bins.waste_of.get(*counts) != in_slots.waste_of.get(*counts);
    let all = in_bins.waste_of.keys().chain(in_slots.waste_of.keys());
    let Some(added) = all.filter(differs).min_by_key(|counts| (counts.total(), (*counts).clone())) else {
        return Ok(());
    };
    let waste_in_bins = in_bins.waste_of.get(added).copied();
    let waste_in_slots = in_slots.waste_of.get(added).copied();
    let mut occupied = occupied.to_vec();
    occupied.sort_unstable();
    let names: Vec<String> = occupied.iter().map(|instance| board.instance_name(*instance)).collect();
    let sizes: Vec<String> = bins
        .iter()
        .map(|bin| format!("({} compute, {} slots)@{}", bin.compute, bin.size, bin.start.0))
        .collect();
    let explanation = format!(
        "board `{}` occupied by [{}]: {} {} in the bins [{}] but {} in the slots",
        board.name(),
        names.join(", "),
        board.counts_name(added),
        in_words(waste_in_bins),
        sizes.join(", "),
        in_words(waste_in_slots),
    );
    let (bins, added) = (bins.to_vec(), Box::new(added.clone()));
    Err(BinViewCounterexample::Mismatch { occupied, bins, added, waste_in_bins, waste_in_slots, explanation })
}

fn in_words(waste: Option<u32>) -> String {
    waste.map_or_else(|| "does not fit".to_owned(), |waste| format!("has waste {waste}"))
}

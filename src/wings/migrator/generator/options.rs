//! What the generated windows look like.

use super::recorded::Recording;
use super::workloads::Workload;
use crate::instance::Gpu;
use crate::section::{Readings, usual_board};
use ground::Amount;
use kit::board_of_catalogue;

/// The part of a reconfiguration that the paper's pre-initialisation leaves: it hides 83 %.
pub const USUAL_PSI_SHARE: Amount = Amount::from_millionths(170_000);
/// Seconds of a recording in a second of the window; an hour becomes six minutes.
pub const USUAL_COMPRESSION: Amount = Amount::from_millionths(10_000_000);

/// What the generated windows look like.
#[derive(Clone, Debug)]
pub struct GeneratorOptions {
    /// What runs.
    pub workload: Workload,
    /// On which GPU.
    pub gpu: Gpu,
    /// Seconds of the window: a whole number of slots.
    pub window: Amount,
    /// Seconds of a slot: a whole number of half seconds.
    pub basis: Amount,
    /// Requests, as a multiple of the usual ones.
    pub load: Amount,
    /// Retraining data, as a multiple of the usual ones.
    pub volume: Amount,
    /// The part of a reconfiguration that pre-initialisation leaves.
    pub psi_share: Amount,
    /// How the paper's ambiguous rules are read.
    pub readings: Readings,
    /// Where requests come from that are not synthetic.
    pub source: Option<Source>,
    /// Seed; the same options and seed give the same instance.
    pub seed: u64,
}

/// Recorded requests.
#[derive(Clone, Debug)]
pub struct Source {
    /// One recording for all models, or one for each.
    pub recordings: Vec<Recording>,
    /// Seconds of the recording in a second of the window.
    pub compression: Amount,
    /// What the requests are multiplied by; without it as much as makes the busiest slot as busy as the peak that is drawn.
    pub scale: Option<Amount>,
}

impl Default for GeneratorOptions {
    /// The paper's GPU and window.
    fn default() -> Self {
        let board = board_of_catalogue(&usual_board()).expect("the catalogue has the paper's board");
        GeneratorOptions {
            workload: Workload::default(),
            gpu: Gpu::new(board).expect("what fits the boards of the catalogue can be listed"),
            window: Amount::whole(200),
            basis: Amount::ONE,
            load: Amount::ONE,
            volume: Amount::ONE,
            psi_share: USUAL_PSI_SHARE,
            readings: Readings::default(),
            source: None,
            seed: 1,
        }
    }
}

impl GeneratorOptions {
    /// Slots of the window.
    pub fn slots(&self) -> u32 {
        self.window.in_units_of(self.basis).and_then(|slots| u32::try_from(slots).ok()).unwrap_or(0)
    }

    /// Seconds of a recording in a slot; `None` if that is not a whole number of microseconds.
    pub fn recorded_slot(&self, source: &Source) -> Option<Amount> {
        self.basis.product(source.compression)
    }
}

impl Source {
    /// The recording of the model at a position.
    pub fn recording(&self, position: usize) -> &Recording {
        &self.recordings[if self.recordings.len() == 1 { 0 } else { position }]
    }
}

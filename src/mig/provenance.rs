//! Where the facts about a board come from, and how far they can be trusted.

use serde::Deserialize;

/// How well the legal starts and sizes of a board are known.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// They were listed by a driver on such a board.
    Captured,
    /// They are those of the board's family, and partial listings or published code agree.
    Family,
    /// They are those of the family or of NVIDIA's mock driver; no listing of the board itself was found.
    NotConfirmed,
}

/// What is known about each part of a board's table, in words.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct ConfidenceNotes {
    /// Names, sizes and engines of the profiles.
    pub profiles: String,
    /// Identifiers of the driver.
    pub ids: String,
    /// Legal starts.
    pub placements: String,
}

/// The origin of a catalogue entry.
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Provenance {
    /// How well the placements are known.
    pub confidence: Confidence,
    /// The same in words, for every part of the table.
    pub confidence_notes: ConfidenceNotes,
    /// Public sources of the facts.
    pub sources: Vec<String>,
    /// Remarks: contradictions between sources, dependence on the driver.
    pub notes: Vec<String>,
    /// PCI device identifiers as mig-parted's `device-filter` writes them, with the product in brackets where needed.
    pub pci_device_ids: Vec<String>,
}

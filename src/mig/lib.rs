//! What the hardware allows: boards, their MIG profiles and start slots, layouts, and what still fits.
//!
//! A board has a row of memory slots. A *profile* is a kind of GPU instance: it occupies `size` consecutive slots and
//! may begin only at some of them. A *GPU instance* is a profile at a start; a *layout* is a set of GPU instances whose
//! slots do not overlap; a *multiset* of profiles is known by its [`Counts`]. Next to the slots a board has a few
//! [`Limit`]s on the counts (compute slices, media engines, `Instances Total`), of which only the binding ones are kept. All counts that fit
//! are the integer points of a [`Hull`], on every board of the catalogue.
//!
//! Everything here is pure: the only data is the built-in [`catalogue`] of boards, compiled into the crate.

mod arrangement;
mod board;
mod capability;
mod catalogue;
mod counts;
mod decomposition;
mod default_placement;
mod fill;
mod fragmentation;
mod free_partition;
mod geometry;
mod hull;
mod instance;
mod layout;
mod limit;
mod multiset;
mod packing;
mod profile;
mod profile_name;
mod provenance;
mod regularity;
mod remaining;
mod room;
mod slot_mask;

pub use arrangement::{ArrangePriority, arrange, arrangements};
pub use board::Board;
pub use capability::{best_arrangement, capability, distinct_profiles, free_starts, preferred_starts};
pub use catalogue::{Catalogue, Lookup, UnavailableBoard, catalogue};
pub use counts::Counts;
pub use decomposition::Decomposition;
pub use default_placement::{PlacementTable, default_start};
pub use fill::{FillTable, fill_table, patterns};
pub use fragmentation::{FRAGMENTATION_UNIT, FragmentationReading, fragmentation};
pub use free_partition::{FreePartition, bin_waste, free_partitions, partition_fill_table};
pub use geometry::{Geometry, GeometryError, ProfileGeometry};
pub use hull::{Facet, Hull};
pub use instance::{GpuInstance, ProfileIndex, SliceStart};
pub use layout::{is_terminal, layouts, occupancy_masks, terminal_layouts};
pub use limit::Limit;
pub use multiset::{feasible_multisets, maximal_multisets};
pub use profile::{Engines, Profile};
pub use profile_name::ComputeInstance;
pub use provenance::{Confidence, ConfidenceNotes, Provenance};
pub use regularity::{BinViewCounterexample, check_bin_view};
pub use remaining::Remaining;
pub use room::Room;
pub use slot_mask::SlotMask;

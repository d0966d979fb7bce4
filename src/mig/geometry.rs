//! A board's geometry as a user writes it, and the rules that it must obey.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::packing::MULTISET_BUDGET;
use super::profile::{Engines, Profile};

/// Largest number of memory slots: a set of slots is one machine word.
pub(super) const MOST_SLOTS: u32 = 64;
/// Largest number of profiles of one board.
pub(super) const MOST_PROFILES: usize = 32;

/// A board that is described in place instead of being named from the catalogue.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Geometry {
    /// Memory slots of the board, from 1 to 64.
    pub slots: u32,
    /// Compute slices of the board, from 1 to the number of slots. Its instances have no more of them together.
    pub compute: u32,
    /// The kinds of GPU instances, from 1 to 32.
    pub profiles: Vec<ProfileGeometry>,
}

/// A profile: one kind of GPU instance that the board can have.
#[derive(Clone, Eq, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileGeometry {
    /// The name, such as `3g.40gb`.
    pub name: String,
    /// Compute slices of one instance.
    pub compute: u32,
    /// Consecutive memory slots of one instance.
    pub size: u32,
    /// Memory slots, counted from 0, at which an instance may begin.
    pub starts: Vec<u8>,
    /// Most instances on one board; without it, as many as the slots and the compute slices allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<u32>,
    /// Other names under which workloads may ask for the profile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Media and copy engines of one instance. Either all profiles list them or none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engines: Option<Engines>,
}

/// A rule of board geometry that is broken, and how to fix it.
#[derive(Clone, Eq, PartialEq, Debug, Error)]
pub enum GeometryError {
    /// The number of slots is out of range.
    #[error("`slots` is {slots}: a board has 1 to {MOST_SLOTS} memory slots")]
    Slots {
        /// The number given.
        slots: u32,
    },
    /// The number of compute slices is out of range.
    #[error(
        "`compute` is {compute}: a board has at least 1 compute slice and no more than it has slots ({slots})"
    )]
    Compute {
        /// The number given.
        compute: u32,
        /// The board's slots.
        slots: u32,
    },
    /// There are no profiles.
    #[error("`profiles` is empty: list at least one profile")]
    NoProfiles,
    /// There are too many profiles.
    #[error(
        "`profiles` has {count} entries: a board has at most {MOST_PROFILES}, drop those that are not used"
    )]
    TooManyProfiles {
        /// The number given.
        count: usize,
    },
    /// A profile has no name, or an alias is empty.
    #[error("profile number {position} has an empty name or alias: write a name such as `1g.10gb`")]
    EmptyName {
        /// Position in the list, from 1.
        position: usize,
    },
    /// Two profiles answer to the same name.
    #[error("the name `{name}` stands for two profiles (names and aliases, ignoring case): rename one")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A profile has no memory slot or more than the board.
    #[error("profile `{profile}`: `size` is {size}, it must lie between 1 and the board's {slots} slots")]
    Size {
        /// The profile.
        profile: String,
        /// The size given.
        size: u32,
        /// The board's slots.
        slots: u32,
    },
    /// A profile has no compute slice or more than the board.
    #[error(
        "profile `{profile}`: `compute` is {compute}, it must lie between 1 and the board's {board} compute slices"
    )]
    ProfileCompute {
        /// The profile.
        profile: String,
        /// The number given.
        compute: u32,
        /// The board's compute slices.
        board: u32,
    },
    /// A profile has no legal start.
    #[error("profile `{profile}`: `starts` is empty, list the slots at which an instance may begin")]
    NoStarts {
        /// The profile.
        profile: String,
    },
    /// A legal start is listed twice.
    #[error("profile `{profile}`: `starts` lists {start} twice, drop one")]
    DuplicateStart {
        /// The profile.
        profile: String,
        /// The start.
        start: u8,
    },
    /// An instance would reach beyond the board.
    #[error(
        "profile `{profile}`: start {start} + size {size} goes beyond the board's {slots} slots; drop the start"
    )]
    BeyondBoard {
        /// The profile.
        profile: String,
        /// The start.
        start: u8,
        /// The profile's size.
        size: u32,
        /// The board's slots.
        slots: u32,
    },
    /// A profile could never be created.
    #[error(
        "profile `{profile}`: `maximum` is 0; drop the profile, or drop `maximum` to let slots and compute slices decide"
    )]
    Maximum {
        /// The profile.
        profile: String,
    },
    /// Some profiles list engines and some do not.
    #[error(
        "profile `{profile}` has no `engines` but other profiles have: list them for every profile or for none"
    )]
    EnginesMissing {
        /// The first profile without engines.
        profile: String,
    },
    /// Engines are listed, but how many the board has cannot be derived.
    #[error(
        "the profiles list `engines`, but none spans all {slots} slots, whose engines would be those of the board: \
         add that profile, or drop `engines` and give `maximum` instead"
    )]
    EnginePoolUnknown {
        /// The board's slots.
        slots: u32,
    },
    /// The geometry has too many multisets to enumerate.
    #[error(
        "the profiles can be combined in more than {MULTISET_BUDGET} ways: use fewer profiles, or fewer and larger slots"
    )]
    TooManyMultisets,
}

/// Checks everything that concerns a profile or the board alone.
pub(super) fn validate(slots: u32, compute: u32, profiles: &[Profile]) -> Result<(), GeometryError> {
    if !(1..=MOST_SLOTS).contains(&slots) {
        return Err(GeometryError::Slots { slots });
    }
    if !(1..=slots).contains(&compute) {
        return Err(GeometryError::Compute { compute, slots });
    }
    if profiles.is_empty() {
        return Err(GeometryError::NoProfiles);
    }
    if profiles.len() > MOST_PROFILES {
        return Err(GeometryError::TooManyProfiles { count: profiles.len() });
    }
    validate_names(profiles)?;
    profiles.iter().try_for_each(|profile| validate_profile(slots, compute, profile))?;
    validate_engines(slots, profiles)
}

fn validate_names(profiles: &[Profile]) -> Result<(), GeometryError> {
    let mut seen = BTreeSet::new();
    for (index, profile) in profiles.iter().enumerate() {
        for name in std::iter::once(&profile.name).chain(&profile.aliases) {
            if name.trim().is_empty() {
                return Err(GeometryError::EmptyName { position: index + 1 });
            }
            if !seen.insert(name.to_ascii_lowercase()) {
                return Err(GeometryError::DuplicateName { name: name.clone() });
            }
        }
    }
    Ok(())
}

fn validate_profile(slots: u32, board: u32, profile: &Profile) -> Result<(), GeometryError> {
    let name = || profile.name.clone();
    let &Profile { size, compute, .. } = profile;
    if !(1..=slots).contains(&size) {
        return Err(GeometryError::Size { profile: name(), size, slots });
    }
    if !(1..=board).contains(&compute) {
        return Err(GeometryError::ProfileCompute { profile: name(), compute, board });
    }
    if profile.starts.is_empty() {
        return Err(GeometryError::NoStarts { profile: name() });
    }
    if let Some(pair) = profile.starts.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(GeometryError::DuplicateStart { profile: name(), start: pair[0].0 });
    }
    if let Some(start) = profile.starts.iter().find(|start| u32::from(start.0) + size > slots) {
        return Err(GeometryError::BeyondBoard { profile: name(), start: start.0, size, slots });
    }
    if profile.maximum == 0 {
        return Err(GeometryError::Maximum { profile: name() });
    }
    Ok(())
}

fn validate_engines(slots: u32, profiles: &[Profile]) -> Result<(), GeometryError> {
    if profiles.iter().all(|profile| profile.engines.is_none()) {
        return Ok(());
    }
    if let Some(profile) = profiles.iter().find(|profile| profile.engines.is_none()) {
        return Err(GeometryError::EnginesMissing { profile: profile.name.clone() });
    }
    if profiles.iter().all(|profile| profile.size != slots) {
        return Err(GeometryError::EnginePoolUnknown { slots });
    }
    Ok(())
}

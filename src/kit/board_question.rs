//! What external heuristics are told about a board, whatever the model.

use mig::{Board, Limit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Geometry of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionProfile {
    /// Compute slices of an instance.
    pub compute: u32,
    /// Consecutive memory slots that an instance occupies.
    pub size: u32,
    /// Slots at which it may begin, ascending.
    pub starts: Vec<u8>,
}

/// A limit of a board.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionLimit {
    /// What is limited.
    pub name: String,
    /// What one board has.
    pub capacity: u32,
    /// What one instance of a profile uses; profiles that use none are left out.
    pub usage: BTreeMap<String, u32>,
}

impl QuestionProfile {
    /// All profiles of a board by name.
    pub fn all(board: &Board) -> BTreeMap<String, QuestionProfile> {
        let entries = board.profiles().iter().map(|profile| {
            let starts = profile.starts.iter().map(|start| start.0).collect();
            (profile.name.clone(), QuestionProfile { compute: profile.compute, size: profile.size, starts })
        });
        entries.collect()
    }
}

impl QuestionLimit {
    /// All limits of a board besides its slots.
    pub fn all(board: &Board) -> Vec<QuestionLimit> {
        let usage = |limit: &Limit| {
            let entries = board
                .profile_indices()
                .map(|profile| (board.profile(profile).name.clone(), limit.usage_of(profile)));
            entries.filter(|(_, usage)| *usage > 0).collect()
        };
        let entry = |limit: &Limit| QuestionLimit {
            name: limit.name.clone(),
            capacity: limit.capacity,
            usage: usage(limit),
        };
        board.limits().iter().map(entry).collect()
    }
}

//! Which profile gets which colour.
//!
//! The hue follows the compute slices, so that a profile has the same hue in every picture and on every board; profiles
//! of the same hue differ in tone, in the order of their names. The hues are those of Okabe and Ito, which people with
//! colour blindness can tell apart, some of them lightened so that dark text is legible on them.

use ground::NameIndex;
use std::collections::BTreeMap;

use super::picture::Picture;
use super::text::{Run, runs};

/// A colour as red, green and blue, and the nearest one of a terminal's 256.
struct Hue {
    rgb: [u8; 3],
    terminal: u8,
}

/// Hues of profiles with 1, 2, 3, 4 and 7 compute slices; the others share the last three.
const HUES: [Hue; 8] = [
    Hue { rgb: [0x56, 0xb4, 0xe9], terminal: 74 },
    Hue { rgb: [0x3d, 0xbb, 0x94], terminal: 36 },
    Hue { rgb: [0xf0, 0xe4, 0x42], terminal: 185 },
    Hue { rgb: [0xe6, 0x9f, 0x00], terminal: 178 },
    Hue { rgb: [0xe8, 0x77, 0x3a], terminal: 209 },
    Hue { rgb: [0xd7, 0x8c, 0xb6], terminal: 175 },
    Hue { rgb: [0xb4, 0xb4, 0xb4], terminal: 249 },
    Hue { rgb: [0x8f, 0xa8, 0xd8], terminal: 110 },
];
const HUES_BY_COMPUTE: [u64; 5] = [1, 2, 3, 4, 7];
/// Hues in an order in which neighbours differ most.
const RANKED: [usize; 8] = [0, 3, 1, 5, 2, 4, 7, 6];

/// The colours of a picture's profiles.
pub(super) struct Palette<'p> {
    shades: BTreeMap<&'p str, Shade>,
    names: Vec<&'p str>,
}

struct Shade {
    hue: usize,
    tone: usize,
}

impl<'p> Palette<'p> {
    /// The palette of a picture.
    pub fn of(picture: &'p Picture<'_>) -> Self {
        let mut names: Vec<&str> = Vec::new();
        let mut known = NameIndex::default();
        for piece in picture.pieces() {
            if known.add(&piece.profile, names.len(), |position| names[position]).is_none() {
                names.push(&piece.profile);
            }
        }
        names.sort_by_cached_key(|name| (runs(name), *name));
        let mut shades = BTreeMap::new();
        let mut tones = [0; HUES.len()];
        let mut others = 0;
        for name in &names {
            let hue = hue_by_compute(name).unwrap_or_else(|| {
                others += 1;
                HUES_BY_COMPUTE.len() + (others - 1) % (HUES.len() - HUES_BY_COMPUTE.len())
            });
            shades.insert(*name, Shade { hue, tone: tones[hue] });
            tones[hue] += 1;
        }
        Self { shades, names }
    }

    /// The profiles, in the order of their names with numbers read as numbers.
    pub fn profiles(&self) -> &[&'p str] {
        &self.names
    }

    /// The colour of a profile of the picture, as `#rrggbb`.
    pub fn fill(&self, profile: &str) -> String {
        let shade = &self.shades[profile];
        mixed(&HUES[shade.hue], shade.tone)
    }

    /// The colour of a profile of the picture among a terminal's 256.
    pub fn terminal(&self, profile: &str) -> u8 {
        HUES[self.shades[profile].hue].terminal
    }
}

/// The colours of what is told apart by its rank alone, such as models: as `#rrggbb`, and among a terminal's 256.
pub(super) fn by_rank(rank: usize) -> (String, u8) {
    let hue = RANKED[rank % RANKED.len()];
    (mixed(&HUES[hue], rank / RANKED.len()), HUES[hue].terminal)
}

/// The colour by rank, lightened the more the smaller a share is.
pub(super) fn by_rank_and_share(rank: usize, share: f64) -> String {
    with_white(&HUES[RANKED[rank % RANKED.len()]], 0.75 * (1.0 - share.clamp(0.0, 1.0)))
}

/// A hue in one of its tones, the first pure and the others lighter and lighter.
fn mixed(hue: &Hue, tone: usize) -> String {
    with_white(hue, 1.0 - 1.0 / (1.0 + 0.4 * tone as f64))
}

/// A hue with a share of white.
fn with_white(hue: &Hue, white: f64) -> String {
    let mixed = hue.rgb.map(|part| part as f64 + (255.0 - part as f64) * white);
    let [red, green, blue] = mixed.map(|part| part.round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn hue_by_compute(profile: &str) -> Option<usize> {
    match runs(profile).as_slice() {
        [Run::Number(compute), Run::Other(unit), ..] if unit.starts_with('g') => {
            HUES_BY_COMPUTE.iter().position(|known| known == compute)
        }
        _ => None,
    }
}

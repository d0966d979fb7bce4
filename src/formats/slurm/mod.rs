//! Slurm: the devices of a node, and jobs that have some of them.

pub mod gres;
mod host_list;
pub mod job;
pub mod node;

use std::ops::RangeInclusive;

/// Numbers such as `0-2,5`.
fn numbers(text: &str) -> Option<Vec<u32>> {
    let mut all = Vec::new();
    for piece in text.split(',').filter(|piece| !piece.is_empty()) {
        all.extend(range(piece)?);
    }
    Some(all)
}

fn range(piece: &str) -> Option<RangeInclusive<u32>> {
    let (first, last) = piece.split_once('-').unwrap_or((piece, piece));
    let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last && last - first < 100_000).then_some(first..=last)
}

/// Devices of a type: `gpu:nvidia_a100-sxm4-40gb_3g.20gb:1(IDX:0)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gres {
    /// The type; empty without one.
    pub kind: String,
    /// How many.
    pub count: u32,
    /// Positions in the node's list of devices, where they are told.
    pub positions: Option<Vec<u32>>,
}

impl Gres {
    /// The GPUs in a list with commas, which may also stand inside brackets.
    fn list(text: &str) -> Option<Vec<Gres>> {
        let mut pieces = Vec::new();
        let (mut depth, mut from) = (0_i32, 0);
        for (at, letter) in text.char_indices() {
            match letter {
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                ',' if depth == 0 => {
                    pieces.push(&text[from..at]);
                    from = at + 1;
                }
                _ => {}
            }
        }
        pieces.push(&text[from..]);
        let gpus = pieces
            .into_iter()
            .filter(|piece| piece.strip_prefix("gres/").unwrap_or(piece).starts_with("gpu"));
        gpus.map(Gres::one).collect()
    }

    fn one(text: &str) -> Option<Gres> {
        let (what, brackets) = text.split_once('(').map_or((text, None), |(what, rest)| (what, Some(rest)));
        let positions = match brackets.map(|brackets| brackets.trim_end_matches(')')) {
            Some(inside) if inside.starts_with("IDX:") => {
                let inside = &inside["IDX:".len()..];
                Some(if inside == "N/A" { Vec::new() } else { numbers(inside)? })
            }
            _ => None,
        };
        let what = what.strip_prefix("gres/").unwrap_or(what);
        let parts: Vec<&str> = what.split([':', '=']).collect();
        let (kind, count) = match parts[..] {
            ["gpu"] => ("", 1),
            ["gpu", last] => last.parse().map_or((last, 1), |count| ("", count)),
            ["gpu", kind, count] => (kind, count.parse().ok()?),
            _ => return None,
        };
        Some(Gres { kind: kind.to_owned(), count, positions })
    }

    /// The profile that a type ends with, where it is one of MIG: `nvidia_a100-sxm4-40gb_3g.20gb`.
    pub fn profile(&self) -> Option<&str> {
        profile_of(&self.kind)
    }
}

/// The profile at the end of a type of devices.
pub(crate) fn profile_of(kind: &str) -> Option<&str> {
    let profile = kind.rsplit_once('_').map_or(kind, |(_, profile)| profile);
    let digits = profile.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && profile[digits..].starts_with("g.")).then_some(profile)
}

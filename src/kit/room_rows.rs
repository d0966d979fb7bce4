//! The rows by which programs confine counts to what GPUs hold together.

use good_lp::{Expression, constraint, variable};
use mig::{ProfileIndex, Room};
use milp::{Handle, ProgramBuilder};

/// Adds rows that confine counts by profile to what so many GPUs with the same room can hold together: a row for each facet, or,
/// where the hull says too little, columns for the number of GPUs with each maximal fill, which are returned. `used` is the
/// number of GPUs, `most` its greatest value.
pub fn room_rows(
    builder: &mut ProgramBuilder,
    name: &str,
    room: &Room,
    counts: &[Expression],
    used: &Expression,
    most: u32,
) -> Vec<Handle> {
    if let Some(hull) = &room.hull {
        for (number, facet) in hull.facets().iter().enumerate() {
            let mut needed = Expression::default();
            for (&coefficient, count) in facet.coefficients.iter().zip(counts) {
                needed.add_mul(f64::from(coefficient), count);
            }
            let label = format!("facet[{name},{number}]");
            builder.row(label, constraint!(needed <= f64::from(facet.capacity) * used.clone()));
        }
        return Vec::new();
    }
    let pattern = |number| {
        let definition = variable().integer().min(0).max(most);
        Handle::add(builder, format!("pattern[{name},{number}]"), definition)
    };
    let patterns: Vec<Handle> = (0..room.maximal.len()).map(pattern).collect();
    for (profile, count) in (0u8..).map(ProfileIndex).zip(counts) {
        let terms = room.maximal.iter().zip(&patterns);
        let held: Expression =
            terms.map(|(fill, pattern)| f64::from(fill.get(profile)) * pattern.variable).sum();
        builder.row(format!("hold[{name},{}]", profile.0), constraint!(count.clone() <= held));
    }
    let chosen: Expression = patterns.iter().map(|pattern| pattern.variable).sum();
    builder.row(format!("choose[{name}]"), constraint!(chosen <= used.clone()));
    patterns
}

//! What several GPUs with the same room hold together.

use super::counts::Counts;
use super::decomposition::Decomposition;
use super::fill::FillTable;
use super::hull::Hull;

/// What can be added to a GPU.
#[derive(Clone, Debug)]
pub struct Room {
    /// The maximal fills.
    pub maximal: Vec<Counts>,
    /// Their convex hull, if sums of fills are all the integer points of its multiples.
    pub hull: Option<Hull>,
}

impl Room {
    /// The room that some fills make up.
    pub fn of(fills: &FillTable) -> Room {
        let hull = Hull::of(fills).filter(|hull| hull.decomposition() == Decomposition::Holds);
        Room { maximal: fills.maximal().into_iter().cloned().collect(), hull }
    }

    /// Splits counts over so many GPUs: one fill for each, the last ones possibly empty. `None` if they do not fit.
    pub fn split(&self, counts: &Counts, gpus: u32) -> Option<Vec<Counts>> {
        match &self.hull {
            Some(hull) => hull.split(counts, gpus),
            None => split_over(&self.maximal, counts, gpus),
        }
    }
}

/// Splits counts into so many fills by trying every maximal fill: for rooms whose hull says too little.
fn split_over(maximal: &[Counts], counts: &Counts, parts: u32) -> Option<Vec<Counts>> {
    if parts == 0 {
        return counts.is_zero().then(Vec::new);
    }
    let rest_of = |part: &Counts| counts.checked_sub(part).expect("a part is not more than the whole");
    let mut choices: Vec<Counts> = maximal.iter().map(|fill| fill.minimum(counts)).collect();
    choices.sort_by_key(|part| std::cmp::Reverse((part.total(), part.clone())));
    choices.dedup();
    choices.into_iter().find_map(|part| {
        let mut rest = split_over(maximal, &rest_of(&part), parts - 1)?;
        rest.insert(0, part);
        Some(rest)
    })
}

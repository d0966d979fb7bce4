//! Pairs of peaks, and what is there at both.

use super::classes::Class;
use super::stays::{Parts, Stays};
use cluster::Cluster;
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// Two of the peaks that have rows, by number, the earlier one first.
pub type Pair = (usize, usize);

/// A point of the program of the bound.
pub struct Point<'p> {
    /// The virtual machines of each column.
    pub classes: &'p [Class],
    /// How many of each are accepted; fractions count as the nearest whole numbers.
    pub columns: &'p [f64],
    /// How many peaks have rows.
    pub peaks: usize,
}

/// Sums over those that stay from one peak to another, and over the others at both.
pub fn parts<T: Default + Clone + AddAssign>(
    classes: &[Class],
    (first, second): Pair,
    cluster: &Cluster,
    profiles: usize,
    of_class: impl Fn(usize) -> T,
) -> Parts<T> {
    let none = || vec![T::default(); profiles];
    let mut parts = Parts { staying: none(), others: [none(), none()] };
    for (number, class) in classes.iter().enumerate() {
        let Some(profile) = class.profile(cluster) else { continue };
        let sums = match (class.is_there(first), class.is_there(second)) {
            (true, true) => &mut parts.staying,
            (true, false) => &mut parts.others[0],
            (false, true) => &mut parts.others[1],
            (false, false) => continue,
        };
        sums[profile] += of_class(number);
    }
    parts
}

/// Pairs of peaks whose rows are broken by a point of the program with its fractions rounded: of each peak at which a facet leaves
/// less than a GPU, the first later such one.
pub fn broken(
    point: &Point<'_>,
    cluster: &Cluster,
    stays: &Stays,
    is_broken: impl Fn(&Parts<u32>) -> bool,
) -> Vec<Pair> {
    let tight = tight(point, cluster, stays);
    let mut known: BTreeMap<Parts<u32>, bool> = BTreeMap::new();
    let mut broken = Vec::new();
    for (number, &first) in tight.iter().enumerate() {
        for &second in &tight[number + 1..] {
            let count = |class: usize| point.columns[class].round() as u32;
            let parts = parts(point.classes, (first, second), cluster, stays.profiles(), count);
            // One alone is on the same GPU at both peaks wherever it is.
            if parts.staying.iter().sum::<u32>() < 2 {
                break;
            }
            if *known.entry(parts).or_insert_with_key(&is_broken) {
                broken.push((first, second));
                break;
            }
        }
    }
    broken
}

/// The peaks at which those accepted leave less than a GPU of some facet.
fn tight(point: &Point<'_>, cluster: &Cluster, stays: &Stays) -> Vec<usize> {
    let mut there = vec![vec![0_i64; stays.profiles()]; point.peaks + 1];
    for (class, &count) in point.classes.iter().zip(point.columns) {
        let (Some((first, last)), Some(profile)) = (class.span, class.profile(cluster)) else { continue };
        there[first][profile] += count.round() as i64;
        there[last + 1][profile] -= count.round() as i64;
    }
    let mut now = vec![0_i64; stays.profiles()];
    let mut tight = Vec::new();
    for (peak, changes) in there[..point.peaks].iter().enumerate() {
        now.iter_mut().zip(changes).for_each(|(now, change)| *now += change);
        if stays.take_all_gpus(&now) {
            tight.push(peak);
        }
    }
    tight
}

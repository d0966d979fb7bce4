//! How many GPU instances of every profile: a multiset of profiles.

use super::instance::{GpuInstance, ProfileIndex};
use smallvec::{SmallVec, smallvec};

/// Number of GPU instances of every profile, in the board's order; up to as many as NVIDIA's boards have are stored in place.
///
/// Counts of the same board have the same length; mixing lengths is a programming error and panics.
#[derive(Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct Counts(SmallVec<[u32; 8]>);

impl Counts {
    /// No instance of any of `len` profiles.
    pub fn zero(len: usize) -> Counts {
        Counts(smallvec![0; len])
    }

    /// One instance of `profile` and none of the other `len` - 1 profiles.
    pub fn unit(len: usize, profile: ProfileIndex) -> Counts {
        Counts::zero(len).add_one(profile)
    }

    /// The counts of a list of instances on a board with `len` profiles.
    pub fn from_instances(len: usize, instances: &[GpuInstance]) -> Counts {
        let mut counts = Counts::zero(len);
        for instance in instances {
            counts.0[instance.profile.index()] += 1;
        }
        counts
    }

    /// Number of profiles that are counted.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no profile is counted at all; boards always have at least one.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of instances of `profile`.
    pub fn get(&self, profile: ProfileIndex) -> u32 {
        self.0[profile.index()]
    }

    /// Replaces the number of instances of `profile`.
    pub fn set(&mut self, profile: ProfileIndex, count: u32) {
        self.0[profile.index()] = count;
    }

    /// These counts with one more instance of `profile`.
    #[must_use]
    pub fn add_one(&self, profile: ProfileIndex) -> Counts {
        let mut counts = self.clone();
        counts.0[profile.index()] += 1;
        counts
    }

    /// These counts with one instance of `profile` less; `None` if there is none.
    #[must_use]
    pub fn remove_one(&self, profile: ProfileIndex) -> Option<Counts> {
        let mut counts = self.clone();
        counts.0[profile.index()] = self.get(profile).checked_sub(1)?;
        Some(counts)
    }

    /// The sum of the two; `None` if a count leaves the range of `u32`.
    #[must_use]
    pub fn checked_add(&self, other: &Counts) -> Option<Counts> {
        self.combine(other, u32::checked_add)
    }

    /// What is left of these counts without `other`; `None` if `other` has more of some profile.
    #[must_use]
    pub fn checked_sub(&self, other: &Counts) -> Option<Counts> {
        self.combine(other, u32::checked_sub)
    }

    /// The smaller count of every profile.
    #[must_use]
    pub fn minimum(&self, other: &Counts) -> Counts {
        self.same_length(other);
        Counts(self.0.iter().zip(&other.0).map(|(a, b)| *a.min(b)).collect())
    }

    /// Whether no profile has more instances here than in `other`.
    pub fn fits_within(&self, other: &Counts) -> bool {
        self.same_length(other);
        self.0.iter().zip(&other.0).all(|(a, b)| a <= b)
    }

    /// Number of instances over all profiles.
    pub fn total(&self) -> u32 {
        self.0.iter().sum()
    }

    /// Whether there is no instance.
    pub fn is_zero(&self) -> bool {
        self.0.iter().all(|count| *count == 0)
    }

    /// The profiles that occur, with their counts, in the board's order.
    pub fn iter(&self) -> impl Iterator<Item = (ProfileIndex, u32)> {
        (0u8..).map(ProfileIndex).zip(self.0.iter().copied()).filter(|(_, count)| *count > 0)
    }

    /// The counts of all profiles, zeros included, in the board's order.
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }

    fn combine(&self, other: &Counts, operation: impl Fn(u32, u32) -> Option<u32>) -> Option<Counts> {
        self.same_length(other);
        self.0.iter().zip(&other.0).map(|(a, b)| operation(*a, *b)).collect::<Option<_>>().map(Counts)
    }

    fn same_length(&self, other: &Counts) {
        assert_eq!(self.len(), other.len(), "counts of boards with different profiles were mixed");
    }
}

impl From<Vec<u32>> for Counts {
    /// One count per profile, in the board's order.
    fn from(counts: Vec<u32>) -> Counts {
        Counts(SmallVec::from_vec(counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_checked() {
        let two_and_one = Counts::from(vec![2, 0, 1]);
        let one = Counts::unit(3, ProfileIndex(0));
        assert_eq!(two_and_one.checked_sub(&one), Some(Counts::from(vec![1, 0, 1])));
        assert_eq!(one.checked_sub(&two_and_one), None);
        assert_eq!(one.remove_one(ProfileIndex(1)), None);
        assert_eq!(one.remove_one(ProfileIndex(0)), Some(Counts::zero(3)));
        assert_eq!(Counts::from(vec![u32::MAX]).checked_add(&Counts::from(vec![1])), None);
    }

    #[test]
    fn comparison_is_by_component() {
        let counts = Counts::from(vec![2, 0, 1]);
        assert!(Counts::from(vec![1, 0, 1]).fits_within(&counts));
        assert!(!Counts::from(vec![0, 1, 0]).fits_within(&counts));
        assert_eq!(counts.minimum(&Counts::from(vec![1, 5, 0])), Counts::from(vec![1, 0, 0]));
        assert_eq!(counts.iter().collect::<Vec<_>>(), [(ProfileIndex(0), 2), (ProfileIndex(2), 1)]);
        assert_eq!(counts.total(), 3);
    }
}

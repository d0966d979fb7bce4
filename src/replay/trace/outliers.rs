//! Interquartile fences: what is far from where most are.

/// The lowest and the highest value within the fences of 1.5 interquartile ranges below the first and above the third quartile,
/// in eighths. A quartile between two values is on the straight line between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fences {
    lowest: i128,
    highest: i128,
}

impl Fences {
    /// The fences of some values; `None` if there are none.
    pub(super) fn of(mut values: Vec<i128>) -> Option<Fences> {
        values.sort_unstable();
        let last = values.len().checked_sub(1)?;
        // Four times the k-th quartile: exactly a whole number.
        let quartile = |k: usize| {
            let (position, part) = (last * k / 4, (last * k % 4) as i128);
            let next = values[(position + 1).min(last)];
            values[position] * (4 - part) + next * part
        };
        let (first, third) = (quartile(1), quartile(3));
        let range = third - first;
        Some(Fences { lowest: 2 * first - 3 * range, highest: 2 * third + 3 * range })
    }

    /// Whether a value is neither below nor above.
    pub(super) fn hold(self, value: i128) -> bool {
        (self.lowest..=self.highest).contains(&(8 * value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_interpolated_and_fences_belong_to_what_they_hold() {
        // Quartiles 1.75 and 5.25, range 3.5: fences at -3.5 and 10.5.
        let fences = Fences::of(vec![0, 7, 1, 6, 2, 5, 3, 4]).unwrap();
        assert_eq!(fences, Fences { lowest: -28, highest: 84 });
        assert!(fences.hold(-3) && !fences.hold(-4) && fences.hold(10) && !fences.hold(11));
        // Quartiles 2 and 4: fences at -1 and 7.
        let fences = Fences::of(vec![1, 2, 3, 4, 100]).unwrap();
        assert!(fences.hold(-1) && fences.hold(7) && !fences.hold(8) && !fences.hold(-2));
        assert!(Fences::of(vec![5]).unwrap().hold(5));
        assert_eq!(Fences::of(Vec::new()), None);
    }
}

//! What paired answers tell beyond chance, by exact tests that need no assumption about gaps.

use statrs::distribution::{Binomial, DiscreteCDF};

/// The chance of error that is accepted.
pub(super) const LEVEL: f64 = 0.05;

/// The chance that `count` throws of a fair coin show heads at most so often.
fn at_most(heads: u64, count: u64) -> f64 {
    Binomial::new(0.5, count).expect("a half is a chance").cdf(heads)
}

/// The sign test, exact and two-sided: the chance that two methods of which neither is better differ at least so much. Instances on
/// which both are alike tell nothing and are left out.
pub(super) fn sign_test(better: usize, worse: usize) -> f64 {
    let (fewer, count) = (better.min(worse) as u64, (better + worse) as u64);
    (2.0 * at_most(fewer, count)).min(1.0)
}

/// Chances of error adjusted for being many, by Holm's method: below the level are as many as may be, so that the chance of any error
/// among them is below it.
pub(super) fn holm(chances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..chances.len()).collect();
    order.sort_by(|&one, &other| chances[one].total_cmp(&chances[other]));
    let mut adjusted = vec![0.0; chances.len()];
    let mut greatest: f64 = 0.0;
    for (rank, &index) in order.iter().enumerate() {
        greatest = greatest.max((chances.len() - rank) as f64 * chances[index]).min(1.0);
        adjusted[index] = greatest;
    }
    adjusted
}

/// Which of so many numbers, from the least on and counted from 0, enclose the median of what they are drawn from, but for a chance of
/// at most [`LEVEL`]; none where they are too few.
pub(super) fn around_the_median(count: usize) -> Option<(usize, usize)> {
    let outside = |rank: &usize| at_most(*rank as u64, count as u64) <= LEVEL / 2.0;
    let rank = (0..count / 2).take_while(outside).last()?;
    Some((rank, count - 1 - rank))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Throws of a coin that show heads at most so often, counted one by one.
    fn counted(heads: u32, count: u32) -> f64 {
        let few = (0..1u32 << count).filter(|throws| throws.count_ones() <= heads).count();
        few as f64 / f64::from(1u32 << count)
    }

    #[test]
    fn the_sign_test_is_that_of_all_throws() {
        for (better, worse) in [(0, 0), (1, 0), (5, 0), (0, 6), (9, 3), (7, 7), (2, 10)] {
            let fewer = better.min(worse);
            let wanted = (2.0 * counted(fewer, better + worse)).min(1.0);
            let found = sign_test(better as usize, worse as usize);
            assert!((found - wanted).abs() < 1e-12, "{better} {worse}: {found} {wanted}");
        }
    }

    #[test]
    fn holm_multiplies_the_least_most_and_keeps_the_order() {
        assert_eq!(holm(&[0.01, 0.04, 0.03, 0.5]), [0.04, 0.09, 0.09, 0.5]);
        assert_eq!(holm(&[0.6, 0.9]), [1.0, 1.0]);
        assert_eq!(holm(&[]), Vec::<f64>::new());
    }

    #[test]
    fn the_interval_of_the_median_is_the_narrowest_that_is_sure_enough() {
        assert_eq!(around_the_median(0), None);
        assert_eq!(around_the_median(5), None);
        assert_eq!(around_the_median(6), Some((0, 5)));
        for count in 6..20 {
            let (least, greatest) = around_the_median(count).unwrap();
            assert_eq!(greatest, count - 1 - least);
            assert!(2.0 * counted(least as u32, count as u32) <= LEVEL, "{count}");
            assert!(2.0 * counted(least as u32 + 1, count as u32) > LEVEL, "{count}");
        }
    }
}

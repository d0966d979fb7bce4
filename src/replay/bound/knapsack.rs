//! What is most valuable under a few rows, by trying: for programs so small that a solver would take longer to look at them.

use itertools::Itertools;
use milp::Program;

/// How many partial choices are tried before it is given up.
const MOST_STEPS: u32 = 200_000;

/// A knapsack with several capacities: each column uses some of each row's capacity, in whole units.
pub struct Knapsack {
    /// By row, what one of each column uses.
    usage: Vec<Vec<i64>>,
    capacities: Vec<i64>,
    /// The greatest number of each column.
    most: Vec<u32>,
}

/// The columns that are worth something, and how far the choice among them has come.
struct Trying<'k> {
    knapsack: &'k Knapsack,
    worth: &'k [i64],
    /// The columns, in the order in which they are decided.
    order: Vec<usize>,
    /// By row, for what is left from each place of the order on: a column that is worth most for what it uses; none if one uses nothing.
    densest: Vec<Vec<Option<usize>>>,
    left: Vec<i64>,
    counts: Vec<u32>,
    best: (i64, Vec<u32>),
    steps: u32,
}

impl Knapsack {
    /// The rows and columns of a program, if they are those of a knapsack in whole numbers.
    pub fn of(program: &Program) -> Option<Self> {
        let whole =
            |value: f64| (value >= 0.0 && value.fract() == 0.0 && value < 1e15).then_some(value as i64);
        let mut usage = Vec::new();
        let mut capacities = Vec::new();
        for row in &program.rows {
            if row.lower != f64::NEG_INFINITY {
                return None;
            }
            let mut of_row = vec![0; program.columns.len()];
            for &(column, coefficient) in &row.terms {
                of_row[column] = whole(coefficient)?;
            }
            usage.push(of_row);
            capacities.push(whole(row.upper)?);
        }
        let most = |column: &milp::Column| {
            let is_plain = column.integer && column.lower == 0.0;
            is_plain.then(|| u32::try_from(whole(column.upper)?).ok()).flatten()
        };
        let most = program.columns.iter().map(most).collect::<Option<Vec<u32>>>()?;
        Some(Knapsack { usage, capacities, most })
    }

    /// The greatest worth, and the number of each column; none if that takes too many steps.
    pub fn best(&self, worth: &[i64]) -> Option<(i64, Vec<u32>)> {
        let share = |column: usize| {
            let rows = self.usage.iter().zip(&self.capacities);
            let shares = rows.map(|(usage, &capacity)| usage[column] as f64 / (capacity as f64).max(1.0));
            shares.fold(0.0, f64::max).max(1e-9)
        };
        let density = |&column: &usize| worth[column] as f64 / share(column);
        let order = (0..worth.len()).filter(|&column| worth[column] > 0 && self.most[column] > 0);
        let order =
            order.sorted_by(|one, other| density(other).total_cmp(&density(one)).then(one.cmp(other)));
        let order = order.collect_vec();
        let densest = self.usage.iter().map(|usage| densest(usage, worth, &order)).collect();
        let mut trying = Trying {
            knapsack: self,
            worth,
            order,
            densest,
            left: self.capacities.clone(),
            counts: vec![0; worth.len()],
            best: (0, vec![0; worth.len()]),
            steps: 0,
        };
        trying.decide(0, 0);
        (trying.steps <= MOST_STEPS).then_some(trying.best)
    }
}

/// For each place of an order, the column from there on that is worth most for what it uses; none if one uses nothing.
fn densest(usage: &[i64], worth: &[i64], order: &[usize]) -> Vec<Option<usize>> {
    let mut densest: Vec<Option<usize>> = Vec::with_capacity(order.len());
    for &column in order.iter().rev() {
        let is_denser = |&other: &usize| {
            i128::from(worth[other]) * i128::from(usage[column])
                >= i128::from(worth[column]) * i128::from(usage[other])
        };
        let before = densest.last().copied().unwrap_or(Some(column));
        let all_use = usage[column] > 0 && before.is_some();
        densest.push(all_use.then(|| before.filter(is_denser).unwrap_or(column)));
    }
    densest.reverse();
    densest
}

impl Trying<'_> {
    /// Decides the columns from a place of the order on, with what those before are worth.
    fn decide(&mut self, place: usize, sum: i64) {
        self.steps += 1;
        if sum > self.best.0 {
            self.best = (sum, self.counts.clone());
        }
        if place == self.order.len() || self.steps > MOST_STEPS || sum + self.most_from(place) <= self.best.0
        {
            return;
        }
        let column = self.order[place];
        let usage = &self.knapsack.usage;
        let rows = (0..usage.len()).filter(|&row| usage[row][column] > 0);
        let most = rows.map(|row| self.left[row] / usage[row][column]).min().unwrap_or(i64::MAX);
        let most = most.min(i64::from(self.knapsack.most[column]));
        for count in (0..=most).rev() {
            self.take(column, count);
            self.decide(place + 1, sum + count * self.worth[column]);
            self.take(column, -count);
        }
    }

    fn take(&mut self, column: usize, count: i64) {
        for (left, usage) in self.left.iter_mut().zip(&self.knapsack.usage) {
            *left -= count * usage[column];
        }
        self.counts[column] = (i64::from(self.counts[column]) + count) as u32;
    }

    /// No more is worth what can be added from a place of the order on: what is left of each row, used in parts for what is worth most there.
    fn most_from(&self, place: usize) -> i64 {
        let of_row = |(row, densest): (usize, &Vec<Option<usize>>)| {
            let column = densest[place]?;
            let worth = i128::from(self.left[row]) * i128::from(self.worth[column]);
            i64::try_from(worth / i128::from(self.knapsack.usage[row][column])).ok()
        };
        self.densest.iter().enumerate().filter_map(of_row).min().unwrap_or(i64::MAX / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// The greatest worth of all choices.
    fn by_trying_all(knapsack: &Knapsack, worth: &[i64]) -> i64 {
        let choices = knapsack.most.iter().map(|&most| 0..=most).multi_cartesian_product();
        let fits = |counts: &Vec<u32>| {
            knapsack.usage.iter().zip(&knapsack.capacities).all(|(usage, &capacity)| {
                usage.iter().zip(counts).map(|(usage, &count)| usage * i64::from(count)).sum::<i64>()
                    <= capacity
            })
        };
        let value =
            |counts: Vec<u32>| counts.iter().zip(worth).map(|(&count, worth)| i64::from(count) * worth).sum();
        choices.filter(fits).map(value).max().expect("nothing fits always")
    }

    #[test]
    fn the_best_of_a_knapsack_is_that_of_all_choices() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..400 {
            let columns = random.random_range(1..6);
            let rows = random.random_range(1..4);
            let knapsack = Knapsack {
                usage: (0..rows).map(|_| (0..columns).map(|_| random.random_range(0..9)).collect()).collect(),
                capacities: (0..rows).map(|_| random.random_range(0..25)).collect(),
                most: (0..columns).map(|_| random.random_range(0..5)).collect(),
            };
            let worth: Vec<i64> = (0..columns).map(|_| random.random_range(-3..30)).collect();
            let (best, counts) = knapsack.best(&worth).expect("it is small");
            assert_eq!(best, by_trying_all(&knapsack, &worth));
            let value: i64 = counts.iter().zip(&worth).map(|(&count, worth)| i64::from(count) * worth).sum();
            assert_eq!(value, best, "the counts are worth as much");
            for (usage, &capacity) in knapsack.usage.iter().zip(&knapsack.capacities) {
                let used: i64 =
                    usage.iter().zip(&counts).map(|(usage, &count)| usage * i64::from(count)).sum();
                assert!(used <= capacity);
            }
        }
    }
}

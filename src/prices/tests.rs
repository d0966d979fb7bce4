//! Random problems of a few parts with few contents each: the search, both solvers and trying all choices agree.

use super::choosing::{Choice, Choosing};
use super::narrowed::{Left, Narrowed, Remaining};
use super::neighbourhoods::neighbourhoods;
use super::part::{Column, Effort, Part, Priced};
use super::selection::{self, Selection, Taken};
use super::total::{Bounds, Split, Total};
use super::{Limits, Looking, ONE, Question, search};
use milp::StopReason;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use solver::{Control, Settings};
use solvers::solvers;

/// Parts that have their contents in a list; a beam sees the first ones only.
struct Listed {
    number: u32,
    columns: Vec<Column>,
}

impl Part for Listed {
    type Content = usize;

    fn number(&self) -> u32 {
        self.number
    }

    fn plain(&self) -> usize {
        0
    }

    fn column(&self, content: &usize) -> Column {
        self.columns[*content].clone()
    }

    fn price(&mut self, prices: &[i64], effort: Effort) -> Priced<usize> {
        let most = self.columns.iter().map(|column| column.worth(prices)).max().unwrap();
        let seen = if effort == Effort::Exact { self.columns.len() } else { self.columns.len().div_ceil(2) };
        let mut contents: Vec<usize> = (0..seen).collect();
        contents.sort_by_key(|&content| std::cmp::Reverse(self.columns[content].worth(prices)));
        contents.truncate(2);
        let best = contents.first().map(|&content| self.columns[content].worth(prices));
        // What a beam has not seen may be worth a little more than there is.
        let most = if effort == Effort::Exact || best == Some(most) { most } else { most + ONE / 3 };
        Priced { most, is_exact: best == Some(most), contents }
    }

    fn list(&mut self, prices: &[i64], least: i64, most: usize) -> Option<Vec<usize>> {
        let listed: Vec<usize> =
            (0..self.columns.len()).filter(|&content| self.columns[content].worth(prices) >= least).collect();
        (listed.len() <= most).then_some(listed)
    }
}

struct Drawn {
    parts: Vec<Listed>,
    totals: Vec<Total>,
}

fn draw(random: &mut ChaCha8Rng) -> Drawn {
    let number = random.random_range(2..5);
    let column = |random: &mut ChaCha8Rng| {
        let amounts = (0..number).map(|total| (total, random.random_range(0..4)));
        let terms = amounts.filter(|term| term.1 != 0).collect();
        Column { cost: random.random_range(-4..9), terms }
    };
    let parts: Vec<Listed> = (0..random.random_range(1..5))
        .map(|_| Listed {
            number: random.random_range(1..4),
            columns: (0..random.random_range(1..7)).map(|_| column(random)).collect(),
        })
        .collect();
    let splits = [Split::Early, Split::Late, Split::Never];
    let total = |position: usize, random: &mut ChaCha8Rng| {
        let bound = random.random_range(2..12);
        let (least, most) = match random.random_range(0..4) {
            0 => (None, Some(bound)),
            1 => (Some(bound), None),
            2 => (Some(bound), Some(bound)),
            _ => (Some(bound - 2), Some(bound + 1)),
        };
        let exceeds = most.is_some() && random.random_bool(0.3);
        Total {
            name: position.to_string(),
            least,
            most,
            excess_cost: exceeds.then(|| random.random_range(0..5)),
            split: splits[random.random_range(0..3)],
        }
    };
    let totals = (0..number).map(|position| total(position, random)).collect();
    Drawn { parts, totals }
}

/// What a choice costs, given what its contents add up to; none if it breaks a bound.
fn cost(totals: &[Total], cost: i64, sums: &[i64]) -> Option<i64> {
    let mut cost = cost;
    for (total, &sum) in totals.iter().zip(sums) {
        if total.least.is_some_and(|least| sum < least) {
            return None;
        }
        let above = total.most.map_or(0, |most| (sum - most).max(0));
        cost += above * if above > 0 { total.excess_cost? } else { 0 };
    }
    Some(cost)
}

/// The least cost of all choices.
fn by_trying(drawn: &Drawn) -> Option<i64> {
    let copies: Vec<&Listed> =
        drawn.parts.iter().flat_map(|part| std::iter::repeat_n(part, part.number as usize)).collect();
    fn rest(copies: &[&Listed], totals: &[Total], so_far: i64, sums: &mut Vec<i64>) -> Option<i64> {
        let Some((first, others)) = copies.split_first() else { return cost(totals, so_far, sums) };
        let mut best = None;
        for column in &first.columns {
            column.terms.iter().for_each(|&(total, amount)| sums[total] += amount);
            let found = rest(others, totals, so_far + column.cost, sums);
            column.terms.iter().for_each(|&(total, amount)| sums[total] -= amount);
            best = best.into_iter().chain(found).min();
        }
        best
    }
    (copies.len() <= 7).then(|| rest(&copies, &drawn.totals, 0, &mut vec![0; drawn.totals.len()]))?
}

fn random_prices(random: &mut impl Rng, totals: usize) -> Vec<i64> {
    (0..totals).map(|_| random.random_range(-5 * ONE..5 * ONE)).collect()
}

/// The optimum of totals is asked for, nothing to begin with, without dives and limits.
fn question(totals: &[Total], known: i64) -> Question<usize> {
    Question {
        totals: totals.to_vec(),
        start: Vec::new(),
        known,
        confines: 1.0,
        relative_gap: 0.0,
        looking: Some(Looking::with_dives(0)),
        most_asked: None,
    }
}

#[test]
fn the_search_agrees_with_trying_all_choices() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let control = Control::silent();
    let limits = Limits { deadline: None, control: &control };
    let (mut solved, mut branched, mut listed) = (0, 0, 0);
    for _ in 0..600 {
        let mut drawn = draw(&mut random);
        let Some(optimum) = by_trying(&drawn) else { continue };
        for _ in 0..5 {
            let bounds = Bounds::of(&drawn.totals);
            let mut prices = random_prices(&mut random, drawn.totals.len());
            bounds.clip(&drawn.totals, &mut prices);
            let most = |part: &mut Listed| {
                i128::from(part.number()) * i128::from(part.price(&prices, Effort::Beam(1)).most)
            };
            let bound = bounds.earned(&prices) - drawn.parts.iter_mut().map(most).sum::<i128>();
            assert!(bound <= i128::from(optimum * ONE), "any prices bound the cost");
        }
        for &solver in solvers() {
            let question = Question {
                looking: Some(Looking {
                    dives: random.random_range(0..3),
                    most_dives: random.random_range(0..6),
                    early_dives: random.random_range(0..3),
                    late_dives: random.random_range(0..3),
                    last_dives: random.random_range(0..3),
                    sparing: random.random_bool(0.5),
                    samples: random.random_bool(0.8),
                }),
                ..question(&drawn.totals, optimum + 3)
            };
            let found = search(&mut drawn.parts, question, solver, &Settings::default(), &limits).unwrap();
            if found.stop == StopReason::NodeLimit {
                assert!(found.bound <= optimum);
                continue;
            }
            assert_eq!((found.bound, found.value, found.stop), (optimum, optimum, StopReason::Proved));
            let chosen = found.chosen.expect("it is better than what is known");
            let mut sums = vec![0; drawn.totals.len()];
            let mut spent = 0;
            for entry in &chosen {
                let column = &drawn.parts[entry.part].columns[entry.content];
                spent += column.cost * i64::from(entry.number);
                column
                    .terms
                    .iter()
                    .for_each(|&(total, amount)| sums[total] += amount * i64::from(entry.number));
            }
            assert_eq!(cost(&drawn.totals, spent, &sums), Some(optimum));
            solved += 1;
            branched += usize::from(found.counters.nodes > 1);
            listed += usize::from(found.counters.listed > 0);
        }
    }
    assert!(solved > 300 && branched > 10 && listed > 50, "{solved} {branched} {listed}");
}

/// Parts that never prove what their best content is worth.
struct Unproved(Listed);

impl Part for Unproved {
    type Content = usize;

    fn number(&self) -> u32 {
        self.0.number()
    }

    fn plain(&self) -> usize {
        self.0.plain()
    }

    fn column(&self, content: &usize) -> Column {
        self.0.column(content)
    }

    fn price(&mut self, prices: &[i64], effort: Effort) -> Priced<usize> {
        let priced = self.0.price(prices, effort);
        Priced { most: priced.most + 2 * ONE, is_exact: false, ..priced }
    }

    fn list(&mut self, _: &[i64], _: i64, _: usize) -> Option<Vec<usize>> {
        None
    }
}

#[test]
fn early_dives_find_solutions_before_anything_is_proved() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let control = Control::silent();
    let limits = Limits { deadline: None, control: &control };
    let (mut asked, mut improved) = (0, 0);
    for _ in 0..600 {
        let drawn = draw(&mut random);
        let Some(optimum) = by_trying(&drawn) else { continue };
        let totals = drawn.totals;
        let mut parts: Vec<Unproved> = drawn.parts.into_iter().map(Unproved).collect();
        let mut ask = |early_dives: usize, sparing: bool| {
            let question = Question {
                confines: 10.0,
                looking: Some(Looking { early_dives, sparing, ..Looking::with_dives(0) }),
                // The proof with wide searches is given up.
                most_asked: Some(60),
                ..question(&totals, optimum + 3)
            };
            let found = search(&mut parts, question, solvers()[0], &Settings::default(), &limits).unwrap();
            assert!(found.bound <= optimum && optimum <= found.value);
            (found.stop, found.value)
        };
        if ask(0, false) != (StopReason::NodeLimit, optimum + 3) {
            continue;
        }
        asked += 1;
        improved += usize::from([false, true].iter().all(|&sparing| ask(3, sparing).1 < optimum + 3));
    }
    // Beams see half of the contents, so that there is not always something to find.
    assert!(asked > 150 && improved > 20, "{asked} {improved}");
}

#[test]
fn more_effort_never_proves_less() {
    let mut random = ChaCha8Rng::seed_from_u64(13);
    let control = Control::silent();
    let limits = Limits { deadline: None, control: &control };
    let mut risen = 0;
    for _ in 0..200 {
        let drawn = draw(&mut random);
        let Some(optimum) = by_trying(&drawn) else { continue };
        let mut parts: Vec<Unproved> = drawn.parts.into_iter().map(Unproved).collect();
        let mut before = i64::MIN;
        for most_asked in 0..40 {
            let question = Question {
                confines: 10.0,
                looking: Some(Looking { early_dives: 2, ..Looking::with_dives(0) }),
                most_asked: Some(most_asked),
                ..question(&drawn.totals, optimum + 3)
            };
            let found = search(&mut parts, question, solvers()[0], &Settings::default(), &limits).unwrap();
            assert!((before..=optimum).contains(&found.bound), "{before} {} {optimum}", found.bound);
            assert!(most_asked == 0 || found.bound > i64::MIN, "what the first round proves is kept");
            risen += usize::from(found.bound > before);
            before = found.bound;
        }
    }
    assert!(risen > 60, "{risen}");
}

#[test]
fn nothing_better_than_what_is_known_is_proved_without_a_choice() {
    let control = Control::silent();
    let limits = Limits { deadline: None, control: &control };
    let mut parts = [Listed { number: 2, columns: vec![Column { cost: 3, terms: vec![] }] }];
    for &solver in solvers() {
        let found = search(&mut parts, question(&[], 6), solver, &Settings::default(), &limits).unwrap();
        assert_eq!((found.bound, found.value, found.chosen), (6, 6, None));
    }
}

#[test]
fn an_interrupted_search_keeps_its_bound_below_the_optimum() {
    let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let control = Control::new(flag, None);
    let limits = Limits { deadline: None, control: &control };
    let mut parts = [Listed { number: 2, columns: vec![Column { cost: 3, terms: vec![] }] }];
    let found = search(&mut parts, question(&[], 9), solvers()[0], &Settings::default(), &limits).unwrap();
    assert!(found.bound <= 6 && found.stop == StopReason::Interrupted, "{found:?}");
}

#[test]
fn bounds_alone_are_proved_without_a_choice() {
    let control = Control::silent();
    let limits = Limits { deadline: None, control: &control };
    let mut parts = [Listed { number: 2, columns: vec![Column { cost: 3, terms: vec![] }] }];
    for (known, stop) in [(6, StopReason::Proved), (9, StopReason::NodeLimit)] {
        let question = Question { looking: None, ..question(&[], known) };
        let found = search(&mut parts, question, solvers()[0], &Settings::default(), &limits).unwrap();
        assert_eq!((found.bound, found.value, found.chosen, found.stop), (6, known, None, stop));
    }
}

/// A choice of many contents, some of which keep all totals.
struct Many {
    totals: Vec<Total>,
    numbers: Vec<u32>,
    columns: Vec<(usize, Column)>,
}

impl Many {
    fn draw(random: &mut ChaCha8Rng, parts: usize, contents: usize, totals: usize, number: u32) -> Self {
        let numbers: Vec<u32> = (0..parts).map(|_| random.random_range(1..=number)).collect();
        let column = |random: &mut ChaCha8Rng| {
            let amounts = (0..totals).map(|total| (total, random.random_range(0..4)));
            let terms: Vec<(usize, i64)> = amounts.filter(|term| term.1 != 0).collect();
            Column { cost: random.random_range(0..3), terms }
        };
        let columns: Vec<(usize, Column)> =
            (0..parts * contents).map(|position| (position % parts, column(random))).collect();
        let mut sums = vec![0; totals];
        for (part, &number) in numbers.iter().enumerate() {
            let (_, column) = &columns[part + parts * random.random_range(0..contents)];
            column.terms.iter().for_each(|&(total, amount)| sums[total] += amount * i64::from(number));
        }
        let total = |(position, sum): (usize, i64)| Total {
            name: position.to_string(),
            least: (position % 3 != 1).then_some(sum),
            most: Some(sum - i64::from(position % 3 == 1)),
            excess_cost: (position % 3 == 1).then_some(1),
            split: Split::Never,
        };
        Many { totals: sums.into_iter().enumerate().map(total).collect(), numbers, columns }
    }

    /// What several ways to choose are asked, with the same contents.
    fn ask<T>(&self, ask: impl FnOnce(&Selection<'_>) -> T) -> T {
        let bounds = Bounds::of(&self.totals);
        let listed: Vec<selection::Listed<'_>> =
            self.columns.iter().map(|(part, column)| selection::Listed { part: *part, column }).collect();
        let (totals, numbers) = (self.totals.as_slice(), self.numbers.as_slice());
        ask(&Selection { totals, bounds: &bounds, numbers, listed: &listed })
    }

    /// The choice, which has to cost what it says.
    fn choose(&self, choosing: &Choosing<'_>, most: i64, enough: i64) -> (Option<i64>, Option<i64>) {
        self.ask(|selection| {
            let Choice { bound, taken, .. } = choosing.choose(selection, most, enough).unwrap();
            let cost = |(cost, taken): (i64, Vec<Taken>)| {
                assert_eq!(selection.cost(&taken), Some(cost));
                cost
            };
            (bound, taken.map(cost))
        })
    }
}

fn choosing<'c>(settings: &'c Settings, limits: &'c Limits<'c>) -> Choosing<'c> {
    Choosing { solver: solvers()[0], settings, limits, nodes: 20_000 }
}

#[test]
fn prices_and_cases_choose_what_a_program_does() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let control = Control::silent();
    let limits = Limits { deadline: None, control: &control };
    let settings = Settings::default();
    let choosing = choosing(&settings, &limits);
    let (mut narrower, mut by_cases) = (0, 0);
    for round in 0..12 {
        let number = if round % 3 == 2 { 3 } else { 1 };
        let contents = if round % 3 == 1 { 1_000 } else { 180 };
        let many = Many::draw(&mut random, 4 + round % 5, contents, 5, number);
        let (bound, optimum) = many.ask(|selection| {
            let all: Vec<usize> = (0..selection.listed.len()).collect();
            let choice = choosing.by_program(selection, &all, 1_000).unwrap();
            (choice.bound, choice.taken.unwrap().0)
        });
        assert_eq!(bound, Some(optimum));
        for most in [optimum + 3, optimum + 1, optimum] {
            assert_eq!(many.choose(&choosing, most, i64::MIN), (Some(optimum), Some(optimum)));
        }
        assert_eq!(many.choose(&choosing, optimum - 1, i64::MIN), (Some(optimum), None));
        for most in [optimum, optimum + 1] {
            let left = many.ask(|selection| remaining(selection, most, &settings, &limits));
            narrower += usize::from(left.positions.len() < many.columns.len());
            by_cases += usize::from(left.positions.len() > 2_000);
        }
    }
    assert!(narrower > 12 && by_cases > 4, "{narrower} {by_cases}");
}

fn remaining(selection: &Selection<'_>, most: i64, settings: &Settings, limits: &Limits<'_>) -> Remaining {
    let program = selection.program(most + 1);
    let mut narrowed = Narrowed::open(*selection, &program, solvers()[0], settings, limits).unwrap();
    match narrowed.narrow((0..selection.listed.len()).collect(), most) {
        Some(Left::Some(remaining)) => remaining,
        _ => panic!("some contents cost no more than the optimum"),
    }
}

#[test]
fn neighbourhoods_of_many_parts_are_choices_of_all() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let control = Control::silent();
    let limits = Limits { deadline: None, control: &control };
    let settings = Settings::default();
    let choosing = choosing(&settings, &limits);
    for parts in [60, 20, 60, 20, 60, 20] {
        let many = Many::draw(&mut random, parts, 2_400 / parts, 6, 1);
        let (bound, cost) = many.choose(&choosing, 1_000, i64::MIN);
        let optimum = cost.unwrap();
        assert_eq!(bound, Some(optimum));
        assert_eq!(many.choose(&choosing, optimum, optimum).1, Some(optimum));
        assert_eq!(many.choose(&choosing, optimum - 1, i64::MIN), (Some(optimum), None));
        many.ask(|selection| {
            let left = remaining(selection, optimum + 2, &settings, &limits);
            let mut chooses = vec![0; parts];
            for near in neighbourhoods(selection, &left) {
                let mut choosing: Vec<usize> =
                    near.positions.iter().map(|&position| selection.listed[position].part).collect();
                choosing.sort_unstable();
                choosing.dedup();
                choosing.iter().for_each(|&part| chooses[part] += 1);
                assert_eq!(choosing.len(), near.numbers.len());
                assert_eq!(choosing.len() + near.taken.len(), parts);
                // What is taken and one choice of the others cost together what the whole choice does.
                let smaller = Selection {
                    totals: selection.totals,
                    bounds: &near.bounds,
                    numbers: &near.numbers,
                    listed: &near.listed,
                };
                let first: Vec<Taken> = (0..choosing.len())
                    .map(|part| (near.listed.iter().position(|listed| listed.part == part).unwrap(), 1))
                    .collect();
                let again = first.iter().map(|&(position, number)| (near.positions[position], number));
                let all: Vec<Taken> = near.taken.iter().copied().chain(again).collect();
                assert_eq!(smaller.cost(&first).map(|cost| cost + near.cost), selection.cost(&all));
            }
            assert!(left.positions.iter().all(|&position| {
                let part = selection.listed[position].part;
                chooses[part] > 0
                    || left.positions.iter().filter(|&&other| selection.listed[other].part == part).count()
                        == 1
            }));
        });
    }
}

#[test]
fn the_best_of_what_remains_are_those_taken_and_those_with_the_least_slack() {
    let remaining = Remaining {
        positions: vec![3, 5, 8, 9, 12],
        shares: vec![0.0, 0.5, 0.0, 0.5, 0.0],
        slack: vec![7, 1, 2, 9, 7],
        bound: 0,
    };
    assert_eq!(remaining.best(1), [5]);
    assert_eq!(remaining.best(3), [5, 8, 9]);
    assert_eq!(remaining.best(4), [3, 5, 8, 9]);
    assert_eq!(remaining.best(9), remaining.positions);
}

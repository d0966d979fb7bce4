//! Random machines with few contents: prices and lists agree with trying all of them.

use super::content::{Content, Frame};
use super::fills::{Fill, Fills};
use super::machine::{GLANCE, Machine};
use super::slot::Slot;
use super::table::{Table, Valued};
use super::terms::{Aim, Rows, Shape};
use itertools::Itertools;
use prices::{Effort, ONE, Part};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::rc::Rc;

const SHAPES: usize = 3;

/// All fills of at most so many workloads together.
fn fills(most: u32, demands: &[(i64, i64)]) -> Fills {
    let numbers = (0..SHAPES).map(|_| 0..=most).multi_cartesian_product();
    let small = numbers.filter(|numbers| numbers.iter().sum::<u32>() <= most);
    let fill = |numbers: Vec<u32>| {
        let counts: Vec<(usize, u32)> = numbers.into_iter().enumerate().filter(|count| count.1 > 0).collect();
        let of = |demand: &dyn Fn(usize) -> i64| {
            counts.iter().map(|&(shape, number)| demand(shape) * i64::from(number)).sum()
        };
        Fill { cpu: of(&|shape| demands[shape].0), memory: of(&|shape| demands[shape].1), counts }
    };
    Fills::new(small.map(fill).collect(), SHAPES)
}

/// A machine, and how many there are of each shape.
fn draw(random: &mut ChaCha8Rng) -> (Machine, Vec<u32>) {
    // Fine units make tables coarse.
    let unit = if random.random_bool(0.7) { 1 } else { 1_009 };
    let mut demand = || random.random_range(0..4) * unit + random.random_range(0..unit.min(7));
    let demands: Vec<(i64, i64)> = (0..SHAPES).map(|_| (demand(), demand())).collect();
    let fills = Rc::new(fills(random.random_range(1..3), &demands));
    let mut slots: Vec<Slot> = (0..random.random_range(1..4))
        .map(|_| {
            let held = &fills.all[random.random_range(0..fills.all.len())].counts;
            let mut residents = vec![0; SHAPES];
            if random.random_bool(0.5) {
                held.iter().for_each(|&(shape, number)| residents[shape] = number);
            }
            let saved = Rc::default();
            Slot { fills: fills.clone(), residents, saved, is_pinned: random.random_bool(0.1) }
        })
        .sorted_by(|one, other| other.residents.cmp(&one.residents))
        .collect();
    let shape = |shape: usize, random: &mut ChaCha8Rng| {
        let residents: u32 = slots.iter().map(|slot| slot.residents[shape]).sum();
        let newcomers = random.random_range(0..3);
        let (move_gpu, more) = (random.random_range(0..3), random.random_range(0..3));
        Shape {
            total: shape,
            number: (residents + newcomers).max(1),
            must_stay: 0,
            newcomers,
            acceptance: random.random_range(0..3),
            leave: move_gpu + more,
            move_gpu,
            move_start: 0,
            inflow: random.random_range(0..3),
        }
    };
    let shapes: Vec<Shape> = (0..SHAPES).map(|number| shape(number, random)).collect();
    let numbers = shapes.iter().map(|shape| shape.number).collect();
    for slot in &mut slots {
        let stay = |&(shape, number): &(usize, u32)| {
            i64::from(number.min(slot.residents[shape])) * shapes[shape].move_gpu
        };
        slot.saved = Rc::new(fills.all.iter().map(|fill| fill.counts.iter().map(stay).sum()).collect());
    }
    let mut one = || random.random_range(0..2);
    let aim = Aim { acceptance: one(), hardware: one(), migrations: one() };
    let rows = Rows {
        machines: 0,
        gpus: 1,
        acceptance: Some(2),
        hardware: Some(3),
        migrations: None,
        placed: 4,
        inflow: Some(4 + SHAPES),
    };
    let frame = Rc::new(Frame { shapes, rows, aim, has_many: random.random_bool(0.5) });
    let mut capacity = || random.random_bool(0.8).then(|| random.random_range(2..14) * unit);
    let capacities = (capacity(), capacity());
    (Machine::new(frame, 1, slots, capacities, (1, 1)).expect("few numbers are packed"), numbers)
}

/// All contents, with their worths; the empty one only where nothing is pinned.
fn all(machine: &Machine, number: &[u32], prices: &[i64]) -> Vec<(i64, Content)> {
    let fills = machine.slots.iter().map(|slot| 0..slot.fills.all.len() as u32).multi_cartesian_product();
    let legal = |fills: &Vec<u32>| {
        let held = || machine.slots.iter().zip(fills).map(|(slot, &fill)| &slot.fills.all[fill as usize]);
        let within = |most: Option<i64>, of: &dyn Fn(&Fill) -> i64| {
            most.is_none_or(|most| held().map(of).sum::<i64>() <= most)
        };
        within(machine.capacities.0, &|fill| fill.cpu) && within(machine.capacities.1, &|fill| fill.memory)
    };
    fills
        .filter(legal)
        .map(|fills| machine.content(fills))
        .filter(|content| content.counts.iter().zip(number).all(|(held, number)| held <= number))
        .map(|content| (machine.column(&content).worth(prices), content))
        .collect()
}

#[test]
fn prices_and_lists_agree_with_trying_all_contents() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let (mut positive, mut listed, mut glances) = (0, 0, 0);
    for _ in 0..300 {
        let (mut machine, number) = draw(&mut random);
        for _ in 0..4 {
            let mut prices: Vec<i64> =
                (0..4 + 2 * SHAPES).map(|_| random.random_range(-ONE..2 * ONE)).collect();
            prices[4 + SHAPES..].iter_mut().for_each(|price| *price = -price.abs());
            let contents = all(&machine, &number, &prices);
            let most = contents.iter().map(|content| content.0).max().expect("there is an empty content");
            let priced = machine.price(&prices, Effort::Exact);
            assert_eq!((priced.most, priced.is_exact), (most, true));
            assert_eq!(machine.column(&priced.contents[0]).worth(&prices), most);
            for beam in [GLANCE, 2] {
                let priced = machine.price(&prices, Effort::Beam(beam));
                assert!(priced.most >= most, "any beam bounds the worth");
                let is_real = |found: &Content| contents.iter().any(|(_, content)| content == found);
                assert!(priced.contents.iter().all(is_real), "{:?}", priced.contents);
                glances += usize::from(beam == GLANCE && priced.is_exact);
            }
            positive += usize::from(priced.contents[0].gpus > 0);
            let least = most - random.random_range(0..2 * ONE);
            let list = machine.list(&prices, least, 10_000).expect("there are few");
            assert!(list.iter().all(|content| machine.column(content).worth(&prices) >= least));
            for (_, content) in contents.iter().filter(|content| content.0 >= least) {
                let cost = machine.column(content).cost;
                let replaces = |other: &Content| {
                    let is_cheap = machine.column(other).cost <= cost;
                    other.counts == content.counts && other.gpus <= content.gpus && is_cheap
                };
                assert!(list.iter().any(replaces), "{content:?} is missing");
            }
            listed += list.len();
        }
    }
    assert!(positive > 400 && listed > 2000, "{positive} {listed}");
    assert!((600..1200).contains(&glances), "{glances} glances suffice");
}

#[test]
fn tables_bound_worths_that_are_too_great_to_be_exact() {
    /// What worths are multiplied by, so that two GPUs are worth more than a float says exactly.
    const GREAT: i64 = 1 << 52;
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut rounded = 0;
    for _ in 0..100 {
        let (machine, _) = draw(&mut random);
        let mut table = Table::new(&machine.slots, machine.capacities);
        let mut valued = |slot: &Slot| {
            let of_fill = |(fill, number): (&Fill, u32)| {
                let worth = if number == 0 { 0 } else { random.random_range(1..100) };
                Valued { worth, fill: number, cpu: fill.cpu, memory: fill.memory }
            };
            let valued = slot.fills.all.iter().zip(0..).map(of_fill);
            valued.sorted_by_key(|valued| (-valued.worth, valued.fill)).collect_vec()
        };
        let small = machine.slots.iter().map(&mut valued).collect_vec();
        let great_of = |valued: &Valued| match valued.worth {
            0 => *valued,
            worth => Valued { worth: worth * GREAT + 1, ..*valued },
        };
        let great = small.iter().map(|valued| valued.iter().map(great_of).collect_vec()).collect_vec();
        table.fill(&small);
        let most = table.most_of_all();
        let used =
            |fills: &[Option<u32>]| fills.iter().filter(|fill| fill.is_some_and(|fill| fill > 0)).count();
        let held = used(&table.fills(&small)) as i64;
        table.fill(&great);
        let bound = table.most_of_all();
        assert!(
            bound >= most * GREAT + i64::from(held > 0),
            "no less than the content of the greatest worth"
        );
        assert!(bound < (most + 1) * GREAT, "and not much more");
        rounded += usize::from(bound > most * GREAT + held);
        let chosen = table.fills(&great);
        let worth = |(fill, valued): (&Option<u32>, &Vec<Valued>)| {
            valued.iter().find(|valued| Some(valued.fill) == *fill).map_or(0, |valued| valued.worth)
        };
        let chosen: i64 = chosen.iter().zip(&small).map(worth).sum();
        assert_eq!(chosen, most, "the same fills or others that are worth as much");
    }
    assert!(rounded > 50, "{rounded} are rounded up");
}

//! The hulls of what boards hold, and sums of fills, against plain enumeration.
//!
//! The numbers of the A100 are those of an independent program (exact double description over the rationals).

use std::collections::BTreeSet;

use itertools::Itertools;
use mig::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use support::board;

fn hull(fills: &FillTable) -> Hull {
    Hull::of(fills).expect("within the budget")
}

fn facet(coefficients: &[u32], capacity: u32) -> Facet {
    Facet { coefficients: coefficients.to_vec(), capacity }
}

/// The A100's fills of the six profiles of Siavashi & Momtazpour.
fn six_profiles() -> FillTable {
    let board = board("A100-40GB");
    patterns(&board).of_profiles(&distinct_profiles(&board))
}

#[test]
fn the_four_facets_of_the_a100() {
    let hull = hull(&six_profiles());
    assert_eq!(
        hull.facets(),
        [
            facet(&[0, 0, 0, 0, 0, 1, 1], 1),
            facet(&[0, 0, 0, 1, 1, 2, 3], 3),
            facet(&[0, 1, 0, 0, 0, 0, 0], 0),
            facet(&[1, 0, 1, 2, 3, 4, 7], 7),
            facet(&[1, 0, 2, 2, 4, 4, 8], 8),
        ]
    );
    assert_eq!(hull.maximal().len(), 28);
}

#[test]
fn the_facets_of_every_board() {
    for board in catalogue().boards() {
        let expected = match board.slots() {
            4 => vec![facet(&[0, 1, 0, 1, 1], 1), facet(&[0, 1, 1, 1, 2], 2), facet(&[1, 1, 2, 2, 4], 4)],
            8 => vec![
                facet(&[0, 0, 0, 0, 0, 1, 1], 1),
                facet(&[0, 0, 0, 1, 1, 2, 3], 3),
                facet(&[0, 1, 0, 0, 0, 0, 1], 1),
                facet(&[0, 1, 0, 0, 1, 1, 2], 2),
                facet(&[0, 1, 1, 1, 2, 2, 4], 4),
                facet(&[1, 1, 1, 2, 3, 4, 7], 7),
                facet(&[1, 1, 2, 2, 4, 4, 8], 8),
            ],
            _ => vec![
                facet(&[0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1], 1),
                facet(&[0, 1, 0, 1, 0, 1, 1, 1, 1, 2, 2], 2),
                facet(&[0, 1, 0, 2, 0, 1, 1, 2, 0, 2, 2], 2),
                facet(&[1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4], 4),
                facet(&[1, 1, 1, 2, 0, 2, 2, 2, 2, 4, 4], 4),
                facet(&[1, 1, 1, 4, 0, 2, 2, 4, 0, 4, 4], 4),
            ],
        };
        assert_eq!(hull(&patterns(board)).facets(), expected, "{}", board.name());
    }
}

#[test]
fn the_facets_of_every_board_describe_exactly_its_fills() {
    for board in catalogue().boards() {
        let fills = patterns(board);
        let hull = hull(&fills);
        check_inequalities(&fills, &hull);
        check_vertices(&fills, &hull);
        assert!(integer_points(&hull, 1).iter().all(|counts| fills.allows(counts)), "{}", board.name());
    }
}

/// What can be added beside any set of occupied slots of the A100.
#[test]
fn residual_hulls_of_the_a100() {
    let board = board("A100-40GB");
    let six = distinct_profiles(&board);
    let tables: BTreeSet<FillTable> = (0..256)
        .map(|occupied| fill_table(&board, SlotMask(occupied), &board.full_limits()).of_profiles(&six))
        .map(|fills| FillTable { waste_of: fills.waste_of.into_keys().map(|counts| (counts, 0)).collect() })
        .collect();
    assert_eq!(tables.len(), 32);
    let mut most = 0;
    for fills in tables {
        let hull = hull(&fills);
        check_inequalities(&fills, &hull);
        check_vertices(&fills, &hull);
        most = most.max(hull.facets().iter().filter(|facet| facet.capacity > 0).count());
        assert_eq!(hull.decomposition(), Decomposition::Holds);
    }
    assert_eq!(most, 5);
}

#[test]
fn the_integer_points_of_several_a100_are_sums_of_fills() {
    let fills = six_profiles();
    let hull = hull(&fills);
    let mut sums = BTreeSet::from([Counts::zero(7)]);
    for (copies, number) in (1..).zip([78, 778, 3_964, 14_110, 40_047, 97_160]) {
        let points = integer_points(&hull, copies);
        assert_eq!(points.len(), number);
        sums = sums_with(&sums, &fills);
        assert!(points == sums, "{copies}");
    }
    assert_eq!(hull.decomposition(), Decomposition::Holds);
}

#[test]
fn every_board_has_the_integer_decomposition_property() {
    for board in catalogue().boards() {
        assert_eq!(hull(&patterns(board)).decomposition(), Decomposition::Holds, "{}", board.name());
    }
}

/// Half of 2 x `b` + 2 x `c` and 2 x `a` + 4 x `c` is an integer point of the hull, but no fill.
#[test]
fn a_board_whose_hull_has_more_integer_points_than_fills() {
    let board = own_board(
        11,
        vec![
            profile("a", 2, &[4, 5, 7], None),
            profile("b", 3, &[5, 8], None),
            profile("c", 1, &[0, 4, 8, 9, 10], None),
        ],
    );
    let fills = patterns(&board);
    assert_eq!(check_everything(&fills), Some(1));
    let counts = Counts::from(vec![1, 1, 3]);
    assert_eq!(hull(&fills).decomposition(), Decomposition::Fails { counts: counts.clone(), copies: 1 });
    assert!(!fills.allows(&counts));
}

/// One board is described by its hull, two are not; without the last profile any number is.
#[test]
fn a_board_that_only_alone_is_described_by_its_hull() {
    let board = own_board(
        8,
        vec![
            profile("a", 4, &[0, 4], Some(1)),
            profile("b", 2, &[0, 1, 3, 5, 6], None),
            profile("c", 1, &[2, 5, 6, 7], None),
            profile("d", 4, &[0, 1], None),
        ],
    );
    assert_eq!(check_everything(&patterns(&board)), Some(2));
    let without_d: Vec<ProfileIndex> = board.profile_indices().take(3).collect();
    assert_eq!(check_everything(&patterns(&board).of_profiles(&without_d)), None);
}

/// Eight profiles of all sizes up to 8 at any start: seven boards have too many contents to try them all.
#[test]
fn a_board_with_too_many_integer_points_is_undecided() {
    let starts = |size: u8| (0..=16 - size).collect::<Vec<u8>>();
    let profiles = (1..=8).map(|size| profile(&format!("p{size}"), u32::from(size), &starts(size), None));
    let hull = hull(&patterns(&own_board(16, profiles.collect())));
    assert_eq!(hull.decomposition(), Decomposition::Undecided);
}

#[test]
fn random_boards() {
    let mut random = ChaCha8Rng::seed_from_u64(20_260_101);
    for _ in 0..400 {
        let board = random_board(&mut random);
        let occupied = SlotMask(random.random_range(0..4));
        check_everything(&fill_table(&board, occupied, &board.full_limits()));
    }
}

#[test]
fn many_fills_are_split() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for board in catalogue().boards() {
        let fills = patterns(board);
        let hull = hull(&fills);
        for parts in [1, 2, 16, 200] {
            let pick = |_| &hull.maximal()[random.random_range(0..hull.maximal().len())];
            let counts = (0..parts).map(pick).fold(Counts::zero(board.profiles().len()), |sum, fill| {
                sum.checked_add(fill).expect("small")
            });
            check_split(&fills, &counts, parts, &hull.split(&counts, parts).expect("it was put together"));
            assert_eq!(hull.split(&counts, 0), None);
        }
    }
    let nothing = Counts::zero(7);
    assert_eq!(hull(&six_profiles()).split(&nothing, 0), Some(Vec::new()));
    assert_eq!(hull(&six_profiles()).split(&nothing, 2), Some(vec![nothing.clone(), nothing]));
}

#[test]
fn a_board_with_too_many_fills_has_no_hull() {
    let starts = |number: u32| (0..8).filter(|start| u32::from(*start) * number % 5 < 3).collect::<Vec<u8>>();
    let profiles =
        (1..=10).map(|number| profile(&format!("p{number}"), 1 + number % 2, &starts(number), None));
    let fills = patterns(&own_board(10, profiles.collect()));
    assert_eq!(fills.maximal().len(), 4_513);
    assert_eq!(Hull::of(&fills), None);
}

fn profile(name: &str, size: u32, starts: &[u8], maximum: Option<u32>) -> ProfileGeometry {
    ProfileGeometry {
        name: name.to_owned(),
        compute: 1,
        size,
        starts: starts.to_vec(),
        maximum,
        aliases: Vec::new(),
        engines: None,
    }
}

fn own_board(slots: u32, profiles: Vec<ProfileGeometry>) -> Board {
    Board::from_geometry("own", &Geometry { slots, compute: slots, profiles }).expect("valid")
}

/// A board of up to nine slots and four profiles with arbitrary starts and maxima.
fn random_board(random: &mut ChaCha8Rng) -> Board {
    let slots = random.random_range(2..=9);
    let profiles = (0..random.random_range(1..=4)).map(|number| {
        let size = random.random_range(1..=slots.min(4));
        let last = (slots - size) as u8;
        let mut starts: Vec<u8> = (0..last).filter(|_| random.random_bool(0.6)).collect();
        starts.push(last);
        profile(&format!("p{number}"), size, &starts, random.random_bool(0.3).then_some(1))
    });
    own_board(slots, profiles.collect())
}

/// All checks of a hull against its fills; the smallest number of boards that it does not describe, if there is one.
fn check_everything(fills: &FillTable) -> Option<u32> {
    let hull = hull(fills);
    check_inequalities(fills, &hull);
    check_vertices(fills, &hull);
    let failing = check_sums(fills, &hull);
    match hull.decomposition() {
        Decomposition::Holds => assert_eq!(failing, None),
        Decomposition::Fails { counts, copies } => {
            assert_eq!(failing, Some(copies));
            assert!(hull.contains(&counts, copies));
            assert_eq!(hull.split(&counts, copies), None);
        }
        Decomposition::Undecided => panic!("the boards are small"),
    }
    failing
}

/// Every fill satisfies every inequality, and every one is met with equality by as many affinely independent fills as
/// the hull has dimensions, so that it is a facet.
fn check_inequalities(fills: &FillTable, hull: &Hull) {
    let occurring = occurring(fills);
    for facet in hull.facets() {
        let capacity = u128::from(facet.capacity);
        assert!(fills.waste_of.keys().all(|fill| facet.used_by(fill) <= capacity));
        let met = fills.waste_of.keys().filter(|fill| facet.used_by(fill) == capacity);
        let rows = met.map(|fill| {
            occurring.iter().map(|profile| i128::from(fill.as_slice()[*profile])).chain([1]).collect()
        });
        let needed = occurring.len() + usize::from(facet.capacity == 0);
        assert_eq!(reduce(rows.collect()).len(), needed, "{facet:?}");
    }
}

/// Every vertex of the polyhedron of the inequalities is a fill, so that the inequalities are complete.
fn check_vertices(fills: &FillTable, hull: &Hull) {
    let profiles = hull.maximal()[0].len();
    let orthant = (0..profiles).map(|axis| (0..=profiles).map(|other| i128::from(other == axis)).collect());
    let row = |facet: &Facet| {
        facet.coefficients.iter().chain([&facet.capacity]).map(|entry| i128::from(*entry)).collect()
    };
    let equations: Vec<Vec<i128>> = hull.facets().iter().map(row).chain(orthant).collect();
    for chosen in equations.iter().cloned().combinations(profiles) {
        let reduced = reduce(chosen);
        // A row is (d on its own axis, 0 on the others, d * coordinate), unless the system is singular.
        if reduced.iter().enumerate().any(|(axis, row)| row[axis] == 0) || reduced.len() < profiles {
            continue;
        }
        let common = reduced.iter().enumerate().fold(1, |common, (axis, row)| lcm(common, row[axis].abs()));
        let vertex: Vec<i128> =
            reduced.iter().enumerate().map(|(axis, row)| row[profiles] * (common / row[axis])).collect();
        let is_inside = vertex.iter().all(|coordinate| *coordinate >= 0)
            && equations.iter().take(hull.facets().len()).all(|row| {
                row.iter().zip(&vertex).map(|(a, b)| a * b).sum::<i128>() <= row[profiles] * common
            });
        if is_inside {
            assert!(vertex.iter().all(|coordinate| coordinate % common == 0), "{vertex:?} / {common}");
            let counts: Vec<u32> = vertex.iter().map(|coordinate| (coordinate / common) as u32).collect();
            assert!(fills.allows(&Counts::from(counts)));
        }
    }
}

/// Whether all integer points are sums for one to four copies, or else the first number of copies where not; and whether
/// exactly the sums can be split.
fn check_sums(fills: &FillTable, hull: &Hull) -> Option<u32> {
    let mut sums = BTreeSet::from([Counts::zero(hull.maximal()[0].len())]);
    let mut failing = None;
    for copies in 1..=4 {
        let points = integer_points(hull, copies);
        sums = sums_with(&sums, fills);
        assert!(points.is_superset(&sums));
        if points != sums {
            failing = failing.or(Some(copies));
        }
        for counts in points.iter().step_by(1 + points.len() / 50) {
            let split = hull.split(counts, copies);
            assert_eq!(split.is_some(), sums.contains(counts));
            split.iter().for_each(|parts| check_split(fills, counts, copies, parts));
        }
    }
    failing
}

fn check_split(fills: &FillTable, counts: &Counts, parts: u32, split: &[Counts]) {
    assert_eq!(split.len(), parts as usize);
    assert!(split.iter().all(|fill| fills.allows(fill)));
    let add = |sum: Counts, fill: &Counts| sum.checked_add(fill).expect("small");
    assert_eq!(split.iter().fold(Counts::zero(counts.len()), add), *counts);
}

/// The positions of the profiles of which some fill has an instance.
fn occurring(fills: &FillTable) -> Vec<usize> {
    let len = fills.waste_of.keys().next().map_or(0, Counts::len);
    (0..len).filter(|profile| fills.waste_of.keys().any(|fill| fill.as_slice()[*profile] > 0)).collect()
}

/// All non-negative integer vectors that the hull contains when scaled, found by adding one instance after the other.
fn integer_points(hull: &Hull, copies: u32) -> BTreeSet<Counts> {
    let len = hull.maximal()[0].len();
    let mut points = vec![Counts::zero(len)];
    for profile in (0..len as u8).map(ProfileIndex) {
        let mut next = 0;
        while let Some(point) = points.get(next) {
            let more = point.add_one(profile);
            if hull.contains(&more, copies) {
                points.push(more);
            }
            next += 1;
        }
    }
    points.into_iter().collect()
}

fn sums_with(sums: &BTreeSet<Counts>, fills: &FillTable) -> BTreeSet<Counts> {
    let add = |(sum, fill): (&Counts, &Counts)| sum.checked_add(fill).expect("small");
    sums.iter().cartesian_product(fills.waste_of.keys()).map(add).collect()
}

/// The non-zero rows of the reduced echelon form, up to a factor per row, in exact integers.
fn reduce(mut rows: Vec<Vec<i128>>) -> Vec<Vec<i128>> {
    let columns = rows.first().map_or(0, Vec::len);
    let mut rank = 0;
    for column in 0..columns {
        let Some(pivot) = (rank..rows.len()).find(|row| rows[*row][column] != 0) else { continue };
        rows.swap(rank, pivot);
        let pivot = rows[rank].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            let factor = row[column];
            if index != rank && factor != 0 {
                row.iter_mut().zip(&pivot).for_each(|(entry, other)| {
                    *entry = *entry * pivot[column] - factor * other;
                });
                let divisor = row.iter().fold(0, |left, right| gcd(left, *right)).max(1);
                row.iter_mut().for_each(|entry| *entry /= divisor);
            }
        }
        rank += 1;
    }
    rows.truncate(rank);
    rows
}

fn gcd(left: i128, right: i128) -> i128 {
    if right == 0 { left.abs() } else { gcd(right, left % right) }
}

fn lcm(left: i128, right: i128) -> i128 {
    left / gcd(left, right) * right
}

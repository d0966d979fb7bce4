//! Random servers and prices: the most valuable pattern and the list of valuable ones against trying all.

use super::load::{Load, Takes};
use super::pattern::Pattern;
use super::server::Servers;
use super::tree::LEAST_MEMBERS;
use super::types::Types;
use crate::instance::{KindIndex, PageClasses, Problem, Server, ServerIndex, ServerKind, Vm, VmIndex};
use crate::section::Optimum;
use ground::Amount;
use itertools::Itertools;
use prices::{Effort, Limits, ONE, Part};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use solver::Control;
use std::collections::BTreeMap;

/// Some types of virtual machines, each a few times, on two kinds of servers.
fn draw(random: &mut ChaCha8Rng) -> Problem {
    let scale = *[1u64, 1, 1_000_003].get(random.random_range(0..3)).unwrap();
    let resources = random.random_range(0..3);
    let types = random.random_range(1..8);
    let likeness: Vec<(Vec<i128>, u64)> = (0..types)
        .map(|_| {
            let request = (0..resources).map(|_| random.random_range(0..6)).collect();
            (request, random.random_range(0..30) * scale)
        })
        .collect();
    let numbers: Vec<usize> = (0..types).map(|_| random.random_range(1..4)).collect();
    let of_type: Vec<usize> =
        numbers.iter().enumerate().flat_map(|(vm_type, &number)| vec![vm_type; number]).collect();
    let mut pages: BTreeMap<Vec<VmIndex>, u64> = BTreeMap::new();
    for _ in 0..random.random_range(0..6) {
        let taken: Vec<bool> = (0..types).map(|_| random.random_bool(0.4)).collect();
        let set = (0..of_type.len()).filter(|&vm| taken[of_type[vm]]).map(VmIndex::at).collect();
        pages.insert(set, random.random_range(1..20) * scale);
    }
    let private = |vm: usize| likeness[of_type[vm]].1;
    (0..of_type.len()).for_each(|vm| *pages.entry(vec![VmIndex::at(vm)]).or_default() += private(vm));
    let page_classes = PageClasses::new(of_type.len(), pages);
    let memory = |vm: usize| {
        let classes = page_classes.of_vm[vm].iter().map(|&class| page_classes.shared[class].pages);
        page_classes.private[vm] + classes.sum::<u64>()
    };
    let vm = |vm: usize| Vm {
        name: format!("v{vm}"),
        vm_type: None,
        request: likeness[of_type[vm]].0.iter().map(|&units| Amount::whole(units)).collect(),
        pages: memory(vm),
        components: Vec::new(),
        ranges: Vec::new(),
        own_pages: private(vm),
    };
    let kind = |random: &mut ChaCha8Rng| ServerKind {
        group: "s".to_owned(),
        capacity: (0..resources)
            .map(|_| random.random_bool(0.8).then(|| Amount::whole(random.random_range(3..14))))
            .collect(),
        pages: random.random_range(20..110) * scale,
        cost: Amount::whole(random.random_range(1..4)),
    };
    let kinds = vec![kind(random), kind(random)];
    let server =
        |number: usize| Server { name: format!("s{number}"), kind: KindIndex::at(number % kinds.len()) };
    Problem {
        name: "drawn".to_owned(),
        page_kib: 1,
        optimum: Optimum::AnyServers,
        resources: (0..resources).map(|resource| format!("r{resource}")).collect(),
        servers: (0..4).map(server).collect(),
        vms: (0..of_type.len()).map(vm).collect(),
        arrival: (0..of_type.len()).map(VmIndex::at).collect(),
        components: Vec::new(),
        sigma: None,
        page_classes,
        kinds,
    }
}

/// All patterns of a kind.
fn all(types: &Types<'_>, kind: usize) -> Vec<Pattern> {
    fn rest(load: &mut Load<'_>, from: usize, patterns: &mut Vec<Pattern>) {
        patterns.push(load.pattern());
        for vm_type in from..load.count.len() {
            if load.fits(vm_type) {
                load.take(vm_type);
                rest(load, vm_type, patterns);
                load.put_back(vm_type);
            }
        }
    }
    let (mut patterns, takes) = (Vec::new(), Takes::new(types, kind));
    rest(&mut Load::new(&takes), 0, &mut patterns);
    patterns
}

#[test]
fn the_most_valuable_patterns_are_those_of_trying_all() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let control = Control::silent();
    let limits = Limits { deadline: None, control: &control };
    let (mut shared, mut large, mut listed_some, mut inexact) = (0, 0, 0, 0);
    for _ in 0..400 {
        let problem = draw(&mut random);
        let pool: Vec<ServerIndex> = problem.server_indices().collect();
        let types = Types::of(&problem, &pool);
        for kind in 0..types.kinds.len() {
            let in_use = random.random_bool(0.5).then_some(types.vms.len());
            let mut servers = Servers::new(&types, kind, types.cost(kind), in_use, &limits);
            let (patterns, takes) = (all(&types, kind), Takes::new(&types, kind));
            let mut prices: Vec<i64> = (0..types.vms.len())
                .map(|_| if random.random_bool(0.2) { 0 } else { random.random_range(0..2 * ONE) })
                .collect();
            prices.extend(in_use.map(|_| -random.random_range(0..ONE)));
            let worth = |servers: &Servers<'_>, pattern: &Pattern| servers.column(pattern).worth(&prices);
            let truth = patterns.iter().map(|pattern| worth(&servers, pattern)).max().unwrap();
            for effort in [Effort::Beam(1), Effort::Beam(300), Effort::Exact] {
                let priced = servers.price(&prices, effort);
                assert!(priced.most >= truth && priced.contents.iter().all(|held| patterns.contains(held)));
                let best = priced.contents.iter().map(|held| worth(&servers, held)).max().unwrap_or(0).max(0);
                assert!(best <= truth);
                if priced.is_exact {
                    assert_eq!((priced.most, best), (truth, truth));
                }
                inexact += usize::from(!priced.is_exact);
                assert!(effort != Effort::Exact || priced.is_exact);
            }
            let least = truth - random.random_range(0..ONE);
            let mut expected: Vec<Pattern> = patterns
                .iter()
                .filter(|pattern| {
                    let is_empty = pattern.0.is_empty();
                    let counts = is_empty || Load::of(&takes, pattern).is_maximal();
                    counts && worth(&servers, pattern) >= least
                })
                .cloned()
                .collect();
            let mut found = servers.list(&prices, least, usize::MAX).unwrap();
            expected.sort();
            found.sort();
            assert_eq!(found, expected);
            listed_some += usize::from(found.len() > 1);
            shared += takes.classes.iter().flatten().count();
            let members = takes.classes.iter().flatten().counts();
            large += members.values().filter(|&&members| members >= LEAST_MEMBERS).count();
        }
    }
    assert!(shared > 500 && large > 100 && listed_some > 200, "{shared} {large} {listed_some} {inexact}");
}

#[test]
fn a_list_that_is_too_long_is_none() {
    let mut random = ChaCha8Rng::seed_from_u64(12);
    let control = Control::silent();
    let limits = Limits { deadline: None, control: &control };
    let mut cut = 0;
    for _ in 0..50 {
        let problem = draw(&mut random);
        let pool: Vec<ServerIndex> = problem.server_indices().collect();
        let types = Types::of(&problem, &pool);
        let mut servers = Servers::new(&types, 0, types.cost(0), None, &limits);
        let prices = vec![ONE; types.vms.len()];
        let number = servers.list(&prices, i64::MIN / 2, usize::MAX).unwrap().len();
        assert_eq!(servers.list(&prices, i64::MIN / 2, number).unwrap().len(), number);
        if number > 1 {
            assert_eq!(servers.list(&prices, i64::MIN / 2, number - 1), None);
            cut += 1;
        }
    }
    assert!(cut > 20, "{cut}");
}

//! The verifier of model sharing, page classes and tables of common pages, against explicit sets of pages.

use crate::small::{Case, Page, common, subsets};
use ground::Amount;
use kit::Rule;
use sharing::{
    Inconsistent, Packing, PageClasses, Problem, ServerIndex, SigmaTable, VmIndex, pages_of, verify,
};
use std::collections::{BTreeMap, BTreeSet};
use support::instances::instance;

const INSTANCE: &str = "
name: x
sharing:
  servers:
  - {name: a, memory_pages: 10, capacity: {cpu: 4, disk: 1}, cost: 2.5}
  - {name: b, memory_pages: 6, capacity: {cpu: 2.5}}
  - {name: c, memory_pages: 6, capacity: {cpu: 2.5}}
  components: {os: 4}
  vms:
  - {name: v, memory_pages: 6, request: {cpu: 1.5}, components: [os]}
  - {name: w, memory_pages: 7, request: {cpu: 1, disk: 1}, components: [os], page_ranges: [[1, 2]]}
  - {name: x, memory_pages: 3, request: {cpu: 1.5}, page_ranges: [[2, 3]]}
  - {name: y, replicas: 2, memory_pages: 5, request: {disk: 0.5}, components: [os]}
";

/// The packing by position of the servers.
fn packing(servers: &[Option<u32>]) -> Packing {
    Packing::new(servers.iter().map(|server| server.map(ServerIndex)).collect())
}

fn complaints(problem: &Problem, servers: &[Option<u32>]) -> Vec<(&'static str, String)> {
    let verdict = verify(problem, &packing(servers));
    verdict.violations.iter().map(|violation| (violation.rule(), violation.to_string())).collect()
}

#[test]
fn every_broken_rule_is_named() {
    let instance = instance(INSTANCE);
    let problem = &*instance.problem::<sharing::Sharing>().unwrap();
    let found = complaints(problem, &[Some(1), Some(1), Some(1), None, Some(0)]);
    // On b: os 4, numbered 1 to 3, own 2 of v, 1 of w, 1 of x. b has no limit of disk.
    let expected = [
        ("unplaced", "`y#0` has no server"),
        ("over-capacity", "`b` has 2.5 of cpu, but 4 is requested"),
        ("over-memory", "`b` has 6 pages, but 11 are needed"),
    ];
    assert_eq!(found, expected.map(|(rule, words)| (rule, words.to_owned())));
    let found = complaints(problem, &[Some(1), Some(0), Some(2), Some(0), Some(2)]);
    let expected = [
        ("over-capacity", "`a` has 1 of disk, but 1.5 is requested"),
        ("over-memory", "`c` has 6 pages, but 8 are needed"),
    ];
    assert_eq!(found, expected.map(|(rule, words)| (rule, words.to_owned())));
}

#[test]
fn a_packing_that_obeys_all_rules_is_scored() {
    let instance = instance(INSTANCE);
    let problem = &*instance.problem::<sharing::Sharing>().unwrap();
    let verdict = verify(problem, &packing(&[Some(2), Some(0), Some(0), Some(2), Some(2)]));
    assert_eq!(complaints(problem, &[Some(2), Some(0), Some(0), Some(2), Some(2)]).len(), 1);
    // c would hold os, 2 of v and 1 of each replica: 8 pages; without v it holds 6.
    assert!(verdict.violations[0].to_string().contains("8 are needed"));
    let verdict = verify(problem, &packing(&[Some(1), Some(0), Some(0), Some(2), Some(2)]));
    assert_eq!(verdict.violations, []);
    let score = verdict.score;
    assert_eq!((score.active_servers, score.reach), (3, 3));
    assert_eq!(score.cost, "4.5".parse::<Amount>().unwrap());
    assert_eq!((score.pages, score.requested_pages), (6 + 9 + 6, 6 + 7 + 3 + 5 + 5));
}

fn union(pages: &[BTreeSet<Page>], set: &[usize]) -> u64 {
    set.iter().flat_map(|&vm| pages[vm].iter()).collect::<BTreeSet<_>>().len() as u64
}

fn indices(set: &[usize]) -> Vec<VmIndex> {
    set.iter().map(|&vm| VmIndex::at(vm)).collect()
}

#[test]
fn unions_are_those_of_explicit_sets() {
    for seed in 0..400 {
        let case = Case::draw(seed);
        for text in [&case.by_content, &case.by_table] {
            let instance = instance(text);
            let problem = &*instance.problem::<sharing::Sharing>().unwrap();
            for set in subsets(case.pages.len()) {
                let expected = union(&case.pages, &set);
                assert_eq!(pages_of(problem, &indices(&set)), expected, "seed {seed}, {set:?}:\n{text}");
                assert_eq!(
                    in_classes(&problem.page_classes, &indices(&set)),
                    expected,
                    "seed {seed}, {set:?}"
                );
            }
        }
    }
}

/// The pages of a server with these virtual machines: of all classes that meet the set.
fn in_classes(classes: &PageClasses, vms: &[VmIndex]) -> u64 {
    let private: u64 = vms.iter().map(|vm| classes.private[vm.index()]).sum();
    let met: BTreeSet<usize> = vms.iter().flat_map(|vm| classes.of_vm[vm.index()].iter().copied()).collect();
    private + met.into_iter().map(|class| classes.shared[class].pages).sum::<u64>()
}

#[test]
fn classes_hold_the_pages_that_exactly_their_members_need() {
    for seed in 0..400 {
        let case = Case::draw(seed);
        let mut expected: BTreeMap<Vec<VmIndex>, u64> = BTreeMap::new();
        for page in case.pages.iter().flatten().collect::<BTreeSet<_>>() {
            let members: Vec<usize> =
                (0..case.pages.len()).filter(|&vm| case.pages[vm].contains(page)).collect();
            *expected.entry(indices(&members)).or_default() += 1;
        }
        let expected = PageClasses::new(case.pages.len(), expected);
        for text in [&case.by_content, &case.by_table] {
            assert_eq!(
                instance(text).problem::<sharing::Sharing>().unwrap().page_classes,
                expected,
                "seed {seed}:\n{text}"
            );
        }
    }
}

#[test]
fn classes_give_the_table_that_gives_the_classes() {
    for seed in 0..400 {
        let pages = Case::draw(seed).pages;
        let several = subsets(pages.len()).filter(|set| set.len() > 1);
        let shared = several.map(|set| (indices(&set), common(&pages, &set).len() as u64));
        let table = SigmaTable::new(shared.collect());
        let single: Vec<u64> = pages.iter().map(|pages| pages.len() as u64).collect();
        let classes = table.invert(&single).unwrap();
        let mut again: BTreeMap<Vec<VmIndex>, u64> = BTreeMap::new();
        for set in subsets(pages.len()).filter(|set| set.len() > 1) {
            let set = indices(&set);
            let contains = |class: &&sharing::PageClass| set.iter().all(|vm| class.vms.contains(vm));
            let common: u64 = classes.shared.iter().filter(contains).map(|class| class.pages).sum();
            again.insert(set, common);
        }
        assert_eq!(SigmaTable::new(again), table, "seed {seed}");
    }
}

fn inverted(pages: &[u64], shared: &[(&[usize], u64)]) -> Result<PageClasses, Inconsistent> {
    SigmaTable::new(shared.iter().map(|&(set, pages)| (indices(set), pages)).collect()).invert(pages)
}

#[test]
fn tables_that_no_memories_have_are_refused() {
    let more = inverted(&[9, 9, 9], &[(&[0, 1], 2), (&[0, 2], 3), (&[1, 2], 3), (&[0, 1, 2], 3)]);
    let expected = Inconsistent::SupersetSharesMore {
        superset: indices(&[0, 1, 2]),
        pages: 3,
        subset: indices(&[0, 1]),
        fewer: 2,
    };
    assert_eq!(more, Err(expected));
    // More than one of the two has at all, and a set without entry.
    assert!(matches!(
        inverted(&[1, 9], &[(&[0, 1], 2)]),
        Err(Inconsistent::SupersetSharesMore { fewer: 1, .. })
    ));
    assert!(matches!(
        inverted(&[9, 9, 9], &[(&[0, 1, 2], 1)]),
        Err(Inconsistent::SupersetSharesMore { fewer: 0, .. })
    ));
    // The first has three pages, but two with the second and two others with the third.
    let negative = inverted(&[3, 2, 2], &[(&[0, 1], 2), (&[0, 2], 2)]);
    assert_eq!(negative, Err(Inconsistent::NegativeClass { set: indices(&[0]), common: 3, larger: 4 }));
    assert!(inverted(&[4, 2, 2], &[(&[0, 1], 2), (&[0, 2], 2)]).is_ok());
}

//! The heuristics of model sharing: the online algorithms against an independent implementation, and the offline one.

use crate::heuristic_named;
use crate::small::Case;
use ground::Amount;
use kit::Rule;
use sharing::{HEURISTICS, OfflineOptions, pack_offline};
use sharing::{Packing, Problem, ServerIndex, verify};
use std::collections::BTreeMap;
use std::path::Path;
use support::instances::instance;

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sharing").join(name);
    std::fs::read_to_string(path).unwrap()
}

fn places(problem: &Problem, heuristic: &str) -> Vec<i64> {
    let packing = heuristic_named(heuristic).unwrap().propose(problem, 0);
    problem.vm_indices().map(|vm| packing.of(vm).map_or(-1, |server| i64::from(server.0))).collect()
}

/// `online.json` names every parameter that an algorithm has, so that all of their values are compared.
#[test]
fn online_algorithms_put_everybody_where_the_independent_implementation_does() {
    let expected: BTreeMap<String, BTreeMap<String, Vec<i64>>> =
        serde_json::from_str(&fixture("online.json")).unwrap();
    assert_eq!(expected.len(), 19);
    for (name, algorithms) in expected {
        let instance = instance(fixture(&format!("{name}.yaml")));
        let problem = &*instance.problem::<sharing::Sharing>().unwrap();
        assert_eq!(algorithms.len(), 66, "{name}");
        for (algorithm, expected) in algorithms {
            assert_eq!(places(problem, &algorithm), expected, "{name}, {algorithm}");
        }
    }
}

#[test]
fn without_parameters_the_algorithms_are_as_printed() {
    let instance = instance(fixture("mem-rich-0.yaml"));
    let problem = &*instance.problem::<sharing::Sharing>().unwrap();
    for (name, full) in [
        ("nfs", "nfs:order=given"),
        ("ff", "ff:order=given"),
        ("bf", "bf:order=given,scan=active"),
        ("bfs", "bfs:order=given,scan=active,page-unit=page"),
        ("wf", "wf:order=given,scan=active,operator=min"),
        ("wfs", "wfs:order=given,scan=active,page-unit=page,operator=min"),
    ] {
        assert_eq!(places(problem, name), places(problem, full), "{name}");
    }
    // Pages of the instance are of one MiB.
    assert_eq!(places(problem, "bfs:page-unit=mib"), places(problem, "bfs"));
}

#[test]
fn sharing_aware_algorithms_name_the_oblivious_ones() {
    for name in ["nf", "ff", "bf", "wf", "offline"] {
        assert_eq!(heuristic_named(name).unwrap().counterpart(), None, "{name}");
    }
    for (name, oblivious) in [("nfs", "nf"), ("ffs", "ff"), ("bfs", "bf"), ("wfs", "wf")] {
        assert_eq!(heuristic_named(name).unwrap().counterpart(), Some(oblivious));
        assert_eq!(heuristic_named(&format!("{name}:order=random")).unwrap().counterpart(), Some(oblivious));
    }
}

#[test]
fn wrong_values_of_parameters_are_named() {
    for (text, words) in [
        ("ffs:order=largest", "the value of order is \"largest\". \"largest\" is not one of the values"),
        ("bfs:scan=none", "the value of scan is \"none\". \"none\" is not one of the values"),
        ("wfs:page-unit=kib", "the value of page-unit is \"kib\". \"kib\" is not one of the values"),
        ("wf:operator=mean", "the value of operator is \"mean\". \"mean\" is not one of the values"),
        ("ffs:scan=all", "\"scan\" is not a parameter of ffs"),
        ("bf:page-unit=gib", "\"page-unit\" is not a parameter of bf"),
        ("offline:tries=0", "the value of tries is \"0\". Give a whole number from 1 to 100000."),
    ] {
        let message = heuristic_named(text).err().unwrap_or_else(|| panic!("{text} is accepted"));
        assert!(message.starts_with(words), "{text}: {message}");
    }
}

/// One server type per line, then virtual machines a, b, … by CPU and pages.
fn written(servers: &[(u32, u32)], vms: &[(u32, u32)]) -> String {
    let mut text = "name: x\nsharing:\n  servers:\n".to_owned();
    for (position, (cpu, pages)) in servers.iter().enumerate() {
        text += &format!("  - {{name: s{position}, memory_pages: {pages}, capacity: {{cpu: {cpu}}}}}\n");
    }
    text += "  vms:\n";
    for (position, (cpu, pages)) in vms.iter().enumerate() {
        text += &format!("  - {{name: v{position}, memory_pages: {pages}, request: {{cpu: {cpu}}}}}\n");
    }
    text
}

#[test]
fn next_fit_tests_every_server_and_never_goes_back() {
    // The last server is too small for the second: Algorithm 1 as printed would put it there without a test.
    let instance = instance(written(&[(4, 10), (8, 10), (1, 10)], &[(4, 1), (8, 1), (4, 1), (1, 1)]));
    assert_eq!(places(&instance.problem::<sharing::Sharing>().unwrap(), "nfs"), [0, 1, -1, -1]);
    assert_eq!(places(&instance.problem::<sharing::Sharing>().unwrap(), "ffs"), [0, 1, -1, 2]);
}

#[test]
fn servers_of_one_size_keep_their_order() {
    let instance = instance(written(&[(4, 10), (8, 5), (4, 10), (8, 9)], &[(4, 5), (4, 5), (4, 5), (4, 4)]));
    let problem = &*instance.problem::<sharing::Sharing>().unwrap();
    assert_eq!(places(problem, "nf:order=largest-first"), [3, 1, 0, 2]);
    assert_eq!(places(problem, "nf:order=smallest-first"), [0, 2, 1, 3]);
}

#[test]
fn offline_reaches_known_optima() {
    for (name, optimum) in [("vdi-lean-0", 5), ("vdi-lean-1", 5), ("mem-lean-0", 4), ("mem-lean-1", 3)] {
        let instance = instance(fixture(&format!("{name}.yaml")));
        let problem = &*instance.problem::<sharing::Sharing>().unwrap();
        let packing = heuristic_named("offline").unwrap().propose(problem, 0);
        let verdict = verify(problem, &packing);
        assert!(verdict.violations.is_empty(), "{name}");
        assert_eq!(verdict.score.active_servers, optimum, "{name}");
    }
}

#[test]
fn offline_keeps_to_its_pool_and_minimises_costs() {
    let text = "name: x\nsharing:\n  servers:\n  - {name: big, count: 2, memory_pages: 100, cost: 5}\n  - {name: small, count: 4, \
                memory_pages: 50}\n  vms:\n  - {name: a, replicas: 4, memory_pages: 50}\n";
    let instance = instance(text);
    let problem = &*instance.problem::<sharing::Sharing>().unwrap();
    let pool: Vec<ServerIndex> = problem.server_indices().collect();
    let cost = |pool: &[ServerIndex]| {
        let packing = pack_offline(problem, pool, &OfflineOptions::default())?;
        let verdict = verify(problem, &packing);
        assert!(verdict.violations.is_empty());
        assert!(problem.vm_indices().all(|vm| pool.contains(&packing.of(vm).unwrap())));
        Some(verdict.score.cost)
    };
    assert_eq!(cost(&pool), Some(Amount::whole(4)));
    assert_eq!(cost(&pool[..2]), Some(Amount::whole(10)));
    assert_eq!(cost(&pool[1..4]), Some(Amount::whole(7)));
    assert_eq!(cost(&pool[..1]), None);
    assert_eq!(cost(&[]), None);
}

/// Who is on a server fits there; the same seed gives the same packing.
#[test]
fn proposals_break_no_rule_but_leaving_somebody_out() {
    let variants = [
        "ffs:order=random",
        "bfs:scan=all,page-unit=gib",
        "wfs:operator=max,order=largest-first",
        "wf:scan=all",
    ];
    let names = HEURISTICS.iter().map(|heuristic| heuristic.name()).chain(variants);
    for (seed, text) in names.flat_map(|text| (0..150).map(move |seed| (seed, text))) {
        let instance = instance(&Case::draw(seed).by_content);
        let problem = &*instance.problem::<sharing::Sharing>().unwrap();
        let heuristic = heuristic_named(text).unwrap();
        let packing = heuristic.propose(problem, seed % 3);
        assert_eq!(packing, heuristic.propose(problem, seed % 3), "seed {seed}, {text}");
        for violation in verify(problem, &packing).violations {
            assert_eq!(violation.rule(), "unplaced", "seed {seed}, {text}: {violation}");
        }
    }
}

#[test]
fn a_table_and_the_content_that_it_was_taken_from_give_the_same_packings() {
    for seed in 0..150 {
        let case = Case::draw(seed);
        let (by_content, by_table) = (instance(&case.by_content), instance(&case.by_table));
        for name in ["nfs", "ffs", "bfs", "wfs", "offline"] {
            let one = places(&by_content.problem::<sharing::Sharing>().unwrap(), name);
            assert_eq!(
                one,
                places(&by_table.problem::<sharing::Sharing>().unwrap(), name),
                "seed {seed}, {name}"
            );
        }
    }
}

#[test]
fn offline_finds_the_optimum_of_tiny_instances() {
    for seed in 0..300 {
        let case = Case::draw(seed);
        let instance = instance(&case.by_content);
        let problem = &*instance.problem::<sharing::Sharing>().unwrap();
        let pool: Vec<ServerIndex> = problem.server_indices().collect();
        let packing = pack_offline(problem, &pool, &OfflineOptions::default());
        let cost = packing.map(|packing| verify(problem, &packing).score.cost);
        assert_eq!(cost, least_cost(problem), "seed {seed}:\n{}", case.by_content);
    }
}

/// First fit, whose plan counts pages in classes, agrees with the verifier on who fits.
#[test]
fn first_fit_leaves_out_only_whom_no_server_could_take() {
    for seed in 0..300 {
        let instance = instance(&Case::draw(seed).by_content);
        let problem = &*instance.problem::<sharing::Sharing>().unwrap();
        let packing = heuristic_named("ffs").unwrap().propose(problem, 0);
        let mut so_far = Packing::empty(problem.vms.len());
        for &vm in &problem.arrival {
            so_far.set(vm, packing.of(vm));
            if packing.of(vm).is_some() {
                continue;
            }
            for server in problem.server_indices() {
                so_far.set(vm, Some(server));
                let violations = verify(problem, &so_far).violations;
                assert!(violations.iter().any(|violation| violation.rule() != "unplaced"), "seed {seed}");
            }
            so_far.set(vm, None);
        }
    }
}

/// The least cost of a packing of everybody, by trying all.
fn least_cost(problem: &Problem) -> Option<Amount> {
    let servers = problem.servers.len();
    (0..servers.pow(problem.vms.len() as u32))
        .filter_map(|mut number| {
            let mut digit = || {
                let server = ServerIndex::at(number % servers);
                number /= servers;
                Some(server)
            };
            let verdict = verify(problem, &Packing::new(problem.vms.iter().map(|_| digit()).collect()));
            verdict.violations.is_empty().then_some(verdict.score.cost)
        })
        .min()
}

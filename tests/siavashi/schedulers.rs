//! The schedulers that people run: cases worked out by hand from their sources.

use crate::policies::{one_host, places};
use siavashi::Problem;
use support::siavashi::problem;

/// Where the last of two instances goes that arrive on one A100-40GB.
fn second(heuristic: &str, first: &str, second: &str) -> String {
    let requests = [format!("name: a, profile: {first}"), format!("name: b, profile: {second}")];
    let problem = one_host(1, &requests.each_ref().map(String::as_str));
    places(&problem, heuristic)[1].trim_start_matches("b h/0 ").to_owned()
}

/// Two hosts called `h` and `k` with a given supply and a GPU each.
fn two_hosts(supply: [&str; 2], workloads: &str) -> Problem {
    let host =
        |name: &str, supply: &str| format!("  - {{name: {name}, {supply}gpus: {{board: A100-40GB}}}}\n");
    let hosts = host("h", supply[0]) + &host("k", supply[1]);
    problem(format!("name: x\nhosts:\n{hosts}workloads:\n{workloads}"))
}

#[test]
fn the_lowest_start_of_a_half_blocks_the_other_profile_of_a_half() {
    for heuristic in ["dra", "instaslice"] {
        assert_eq!(second(heuristic, "3g.20gb", "4g.20gb"), "b -", "{heuristic}");
        assert_eq!(second(heuristic, "4g.20gb", "3g.20gb"), "4", "{heuristic}");
        assert_eq!(second(heuristic, "1g.5gb", "1g.5gb"), "1", "{heuristic}");
    }
}

#[test]
fn hami_has_had_three_rules_of_starts() {
    let by_name = "hami:starts=by-name";
    assert_eq!(second(by_name, "2g.10gb", "4g.20gb"), "b -");
    assert_eq!(second(by_name, "3g.20gb", "4g.20gb"), "0");
    assert_eq!(second(by_name, "1g.5gb", "1g.5gb"), "5");
    assert_eq!(second("hami", "3g.20gb", "4g.20gb"), "0");
    assert_eq!(second("hami", "1g.5gb", "2g.10gb"), "2");
    assert_eq!(second("hami", "2g.10gb", "4g.20gb"), "b -");
    // A 2g at 0 leaves a run of 6 slots, at 4 one of 4; a 1g at 0 leaves 7 slots, at 6 a run of 6.
    assert_eq!(second("hami:starts=longest-run", "2g.10gb", "4g.20gb"), "b -");
    assert_eq!(second("hami:starts=longest-run", "1g.5gb", "4g.20gb"), "b -");
    assert_eq!(second("hami:starts=longest-run", "3g.20gb", "4g.20gb"), "0");
}

/// The 5 cores leave 50 % of the 10 and 75 % of the 20.
#[test]
fn kube_scheduler_scores_nodes_in_percent() {
    let problem = two_hosts(["cpu: 10, ", "cpu: 20, "], "  - {name: a, profile: 1g.5gb, cpu: 5}\n");
    assert_eq!(places(&problem, "dra"), ["a k/0 0"]);
    assert_eq!(places(&problem, "dra:nodes=least-allocated"), ["a k/0 0"]);
    assert_eq!(places(&problem, "dra:nodes=most-allocated"), ["a h/0 0"]);
    assert_eq!(places(&problem, "dra:nodes=listed"), ["a h/0 0"]);
    // Less than a percent apart: equal, and the first is taken.
    let problem = two_hosts(["cpu: 1000, ", "cpu: 1001, "], "  - {name: a, profile: 1g.5gb, cpu: 5}\n");
    assert_eq!(places(&problem, "dra"), ["a h/0 0"]);
}

#[test]
fn instaslice_spreads_over_nodes_and_hami_fills_them() {
    let problem = two_hosts(["", ""], "  - {name: a, profile: 1g.5gb, replicas: 3}\n");
    assert_eq!(places(&problem, "instaslice"), ["a#0 h/0 0", "a#1 k/0 0", "a#2 h/0 1"]);
    assert_eq!(places(&problem, "instaslice:nodes=listed"), ["a#0 h/0 0", "a#1 h/0 1", "a#2 h/0 2"]);
    assert_eq!(places(&problem, "hami"), ["a#0 h/0 0", "a#1 h/0 1", "a#2 h/0 2"]);
    assert_eq!(places(&problem, "hami:nodes=spread"), ["a#0 h/0 0", "a#1 k/0 0", "a#2 h/0 1"]);
    let problem = one_host(2, &["name: a, profile: 1g.5gb, replicas: 3"]);
    assert_eq!(places(&problem, "instaslice"), ["a#0 h/0 0", "a#1 h/0 1", "a#2 h/0 2"]);
    assert_eq!(places(&problem, "hami"), ["a#0 h/0 0", "a#1 h/1 0", "a#2 h/0 1"]);
    assert_eq!(places(&problem, "hami:gpus=binpack"), ["a#0 h/0 0", "a#1 h/0 1", "a#2 h/0 2"]);
}

/// The first set with a 1g is 4g, 2g and 1g, the first with two of them 4g and three 1g; none has a double-memory 1g.
#[test]
fn nos_changes_sets_around_what_is_in_use() {
    assert_eq!(second("nos", "1g.5gb", "2g.10gb"), "4");
    assert_eq!(second("nos", "1g.5gb", "4g.20gb"), "0");
    assert_eq!(second("nos", "3g.20gb", "3g.20gb"), "4");
    assert_eq!(second("nos", "1g.5gb", "1g.10gb"), "b -");
    assert_eq!(second("nos", "1g.5gb", "7g.40gb"), "b -");
    let problem = one_host(1, &["name: a, profile: 1g.5gb, replicas: 8"]);
    let places = places(&problem, "nos");
    assert_eq!(places.iter().filter(|place| place.ends_with('-')).count(), 1, "{places:?}");
}

#[test]
fn kai_has_the_instances_that_were_made() {
    assert_eq!(second("kai", "1g.5gb", "4g.20gb"), "b -");
    assert_eq!(second("kai", "3g.20gb", "3g.20gb"), "b -");
    assert_eq!(second("kai:geometry=all-3g", "3g.20gb", "3g.20gb"), "4");
    assert_eq!(second("kai:geometry=all-1g", "1g.5gb", "2g.10gb"), "b -");
    let problem = two_hosts(["", ""], "  - {name: a, profile: 1g.5gb, replicas: 3}\n");
    let nodes = |order: &str| {
        let places = places(&problem, &format!("kai:geometry=all-1g,nodes={order}"));
        places.iter().map(|place| place.split(' ').nth(1).unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(nodes("binpack"), ["h/0", "h/0", "h/0"]);
    assert_eq!(nodes("spread"), ["h/0", "k/0", "h/0"]);
}

/// Beside a 4g on one GPU the second 3g goes where it spoils no 4g or 7g; a GPU of its own would lose both.
#[test]
fn measures_of_fragmentation_keep_whole_gpus() {
    let workloads = [
        "name: a, profile: 4g.20gb, current: {gpu: h/1, start: 0}",
        "name: b, profile: 3g.20gb",
        "name: c, profile: 7g.40gb",
    ];
    for heuristic in ["fgd:typical=profiles", "least-growth", "spread-then-pack:threshold=0", "best-fit-safe"]
    {
        assert_eq!(places(&one_host(2, &workloads), heuristic)[1..], ["b h/1 4", "c h/0 0"], "{heuristic}");
    }
    for heuristic in ["spread-then-pack", "first-fit-safe", "dra"] {
        let places = places(&one_host(2, &workloads), heuristic);
        assert!(places[1].starts_with("b h/0 ") && places[2] == "c -", "{heuristic}: {places:?}");
    }
}

/// Those that arrived ask for 1g alone: then a 1g may go anywhere, and the lowest start of the first GPU is taken.
#[test]
fn typical_requests_are_those_that_arrived() {
    let problem = one_host(2, &["name: a, profile: 1g.5gb"]);
    assert_eq!(places(&problem, "fgd"), ["a h/0 0"]);
}

#[test]
fn safe_starts_keep_both_halves() {
    for heuristic in ["first-fit-safe", "best-fit-safe"] {
        assert_eq!(second(heuristic, "1g.5gb", "4g.20gb"), "0", "{heuristic}");
        assert_eq!(second(heuristic, "3g.20gb", "4g.20gb"), "0", "{heuristic}");
    }
}

#[test]
fn wrong_parameters_are_explained() {
    let error = |text: &str| kit::choose_heuristic(&siavashi::heuristics(), text).err().unwrap();
    assert_eq!(
        error("least-growth:a=1"),
        "the heuristic least-growth takes no parameters. Write `least-growth`."
    );
    assert!(error("hami:starts=halfs").contains("did you mean \"halves\""), "{}", error("hami:starts=halfs"));
    assert_eq!(
        error("spread-then-pack:threshold=101"),
        "the value of threshold is \"101\". Give a whole number from 0 to 100."
    );
}

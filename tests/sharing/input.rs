//! What can be wrong with the section `sharing`, and what the command says of it; and reasons why there is no packing.

use ground::SourceText;
use models::Instance;
use sharing::{Inconsistent, Sharing, SigmaTable, VmIndex, impossible};
use std::collections::BTreeMap;
use support::cli::complaints::{Case, case, check_form, check_under};
use support::cli::schemas::{self, schema};
use support::cli::{BAD_INPUT, Folder, PROVED, run};
use support::instances::{all_shipped, posed, read};
use support::sharing::problem;

fn check(cases: Vec<Case>) {
    check_under("sharing", cases);
}

/// A section with a server and a virtual machine; the lines given begin at line 5.
fn section(name: &'static str, rest: &str, place: &'static str, parts: &'static [&'static str]) -> Case {
    let text = format!(
        "name: x\nsharing:\n  servers: [{{name: s, memory_pages: 100}}]\n  vms: [{{name: v, memory_pages: 5}}]\n{rest}"
    );
    case(name, &text, place, parts)
}

/// A server `s`; the fields given begin at line 6.
fn server(name: &'static str, fields: &str, place: &'static str, parts: &'static [&'static str]) -> Case {
    let text = format!(
        "name: x\nsharing:\n  vms: [{{name: v, memory_pages: 5}}]\n  servers:\n    - name: s\n      {fields}\n"
    );
    case(name, &text, place, parts)
}

/// A virtual machine `b` after another one, `a` at line 7, with the components `os` and `app`; the fields given begin at line 9.
fn vm(name: &'static str, fields: &str, place: &'static str, parts: &'static [&'static str]) -> Case {
    let text = format!(
        "name: x\nsharing:\n  servers:\n    - {{name: s, memory_pages: 100, capacity: {{cpu: 8}}}}\n  components: {{os: 5, app: 3}}\n  \
         vms:\n    - {{name: a, memory_pages: 10}}\n    - name: b\n      {fields}\n"
    );
    case(name, &text, place, parts)
}

/// The virtual machines `a`, `b` and `c` of 10 pages each; the lines given begin at line 8.
fn trio(name: &'static str, rest: &str, place: &'static str, parts: &'static [&'static str]) -> Case {
    let vms = ["a", "b", "c"].map(|name| format!("    - {{name: {name}, memory_pages: 10}}\n")).concat();
    let text = format!("name: x\nsharing:\n  servers: [{{name: s, memory_pages: 100}}]\n  vms:\n{vms}{rest}");
    case(name, &text, place, parts)
}

#[test]
fn sections() {
    check(vec![
        section("page of 0", "  page_kib: 0\n", "5:13: ", &["`page_kib` is 0", "such as 4"]),
        section("half a page", "  page_kib: 0.5\n", "5:13: ", &["`page_kib`", "a whole number"]),
        section(
            "unknown optimum",
            "  optimum: first\n",
            "5:12: ",
            &["`first`", "any-servers, first-m-of-the-order"],
        ),
        section(
            "unknown field",
            "  component: {os: 5}\n",
            "5:3: ",
            &["`component`", "did you mean \"components\"?", "page_kib, optimum, servers, components, vms"],
        ),
        case(
            "no servers",
            "name: x\nsharing:\n  servers: []\n  vms: []\n",
            "3:12: ",
            &["`servers` is empty", "List at least one"],
        ),
        case("no list of servers", "name: x\nsharing:\n  vms: []\n", "3:3: ", &["`servers` is missing"]),
        case(
            "no list of virtual machines",
            "name: x\nsharing:\n  servers: [{name: s, memory_pages: 5}]\n",
            "3:3: ",
            &["`vms` is missing"],
        ),
        case("a list", "name: x\nsharing: []\n", "2:10: ", &["`sharing`", "an entry with fields"]),
        case(
            "another model's instance",
            "name: x\ngpus:\n  - {name: g, board: A30}\n",
            " ",
            &["no section `sharing`", "instances/sharing/", "another model"],
        ),
    ]);
    let text =
        "name: x\nsharing:\n  servers: [{name: s, memory_pages: 5}]\n  vms: [{name: v, memory_pages: 5}]\n";
    for model in ["wpm", "siavashi"] {
        let parts = &["no GPUs", "but it has a section `sharing`", "Use --model sharing"];
        check_under(model, vec![case("sharing alone", text, " ", parts)]);
    }
}

#[test]
fn servers() {
    check(vec![
        server(
            "no memory",
            "cost: 1",
            "5:13: ",
            &["server `s` has no memory", "`memory_gib` or `memory_pages`"],
        ),
        server(
            "memory given twice",
            "memory_gib: 2\n      memory_pages: 7",
            "7:21: ",
            &["server `s` has both", "Keep one"],
        ),
        server(
            "memory below zero",
            "memory_gib: -2",
            "6:19: ",
            &["server `s`", "`memory_gib` is -2", "not be negative"],
        ),
        server(
            "pages below zero",
            "memory_pages: -2",
            "6:21: ",
            &["`memory_pages`", "a whole number from 0"],
        ),
        server(
            "memory beyond measure",
            "memory_gib: 999999999999999",
            "6:19: ",
            &["server `s`", "`memory_gib`", "too much for pages of 4 KiB", "raise `page_kib`"],
        ),
        server(
            "pages beyond measure",
            "memory_pages: 2000000000000000",
            "5:7: ",
            &["up to server `s`", "2^50 or more pages", "Raise `page_kib`"],
        ),
        server(
            "memory among the resources",
            "memory_pages: 9\n      capacity: {cpu: 4, memory: 64}",
            "7:34: ",
            &["server `s` has `memory` in `capacity`", "Write `memory_gib` or `memory_pages` beside"],
        ),
        server(
            "capacity below zero",
            "memory_pages: 9\n      capacity:\n        gbps: 1\n        cpu: -4",
            "9:14: ",
            &["server `s`", "`cpu` is -4", "not be negative"],
        ),
        server("resource beside capacity", "cpu: 4", "6:7: ", &["unknown field `cpu`", "capacity, cost"]),
        server(
            "cost below zero",
            "memory_pages: 9\n      cost: -1",
            "7:13: ",
            &["`cost` is -1", "not be negative"],
        ),
        server(
            "cost that is no number",
            "memory_pages: 9\n      cost: .nan",
            "7:13: ",
            &["`cost`", "finite"],
        ),
        server("count of 0", "memory_pages: 9\n      count: 0", "7:14: ", &["server `s`", "`count` is 0"]),
        server(
            "count too high",
            "memory_pages: 9\n      count: 6000000",
            "7:14: ",
            &["`count` is above 5000000"],
        ),
        server(
            "one name for two",
            "memory_pages: 9\n    - {name: s, memory_pages: 7}",
            "7:14: ",
            &["two servers are called `s`", "at line 5", "Rename one"],
        ),
        server(
            "one name for one of several",
            "memory_pages: 9\n      count: 2\n    - {name: s-1, memory_pages: 7}",
            "8:14: ",
            &["two servers are called `s-1`"],
        ),
        server(
            "too many",
            "memory_pages: 9\n      count: 4000000\n    - {name: t, memory_pages: 9, count: 4000000}",
            "8:7: ",
            &["more than 5000000 servers"],
        ),
    ]);
}

/// Servers after a first one `s` at line 5; the lines given begin at line 6.
fn costs(name: &'static str, rest: &str, place: &'static str, parts: &'static [&'static str]) -> Case {
    let text = format!(
        "name: x\nsharing:\n  vms: [{{name: v, memory_pages: 5}}]\n  servers:\n    - {{name: s, memory_pages: 9, cost: 0}}\n{rest}"
    );
    case(name, &text, place, parts)
}

#[test]
fn costs_that_cannot_be_added_up_exactly() {
    check(vec![
        costs(
            "a large cost and a fine one",
            "    - {name: t, memory_pages: 9, cost: 3}\n    - name: u\n      memory_pages: 9\n      cost: 0.000001\n",
            "9:13: ",
            &[
                "server `u`: `cost` is 0.000001",
                "multiples of 0.000001",
                "the largest has 3000000",
                "Round the costs",
            ],
        ),
        costs(
            "a large cost after a fine one",
            "    - {name: t, memory_pages: 9, cost: 0.000003, count: 4}\n    - {name: u, memory_pages: 9, cost: 7.1}\n",
            "7:40: ",
            &["server `u`: `cost` is 7.1", "the largest has 7100000"],
        ),
        costs(
            "too much in all",
            "    - {name: t, memory_pages: 9, cost: 0.000001}\n    - {name: u, memory_pages: 9, cost: 2, count: 40000}\n",
            "7:40: ",
            &["all together have 80000000001", "more than solver tolerances tell apart", "bring them nearer"],
        ),
    ]);
}

/// The largest cost and sum of costs that are still counted exactly; the common unit is what counts, not the costs as such.
#[test]
fn costs_up_to_the_limits_are_taken() {
    let is_taken = |servers: &str| {
        let text = format!("name: x\nsharing:\n  vms: [{{name: v, memory_pages: 5}}]\n  servers:\n{servers}");
        Instance::parse(SourceText::new("x.yaml", text)).is_ok()
    };
    let servers = |cost: &str, count: u32| {
        let fine = "    - {name: fine, memory_pages: 9, cost: 0.000001}\n";
        format!("{fine}    - {{name: s, memory_pages: 9, cost: {cost}, count: {count}}}\n")
    };
    assert!(is_taken(&servers("2.097152", 32767)));
    assert!(!is_taken(&servers("2.097153", 1)));
    assert!(!is_taken(&servers("2.097152", 32768)), "one unit more than 2^36");
    assert!(is_taken("    - {name: s, memory_pages: 9, cost: 123456789.123456, count: 9}\n"));
    assert!(is_taken(
        "    - {name: s, memory_pages: 9, cost: 0}\n    - {name: t, memory_pages: 9, cost: 900000000}\n"
    ));
}

#[test]
fn virtual_machines() {
    check(vec![
        vm("no memory", "replicas: 2", "8:13: ", &["virtual machine `b` has no memory", "`components`"]),
        vm(
            "memory given twice",
            "memory_gib: 1\n      memory_pages: 7",
            "10:21: ",
            &["`b` has both", "Keep one"],
        ),
        vm(
            "memory below zero",
            "memory_gib: -1",
            "9:19: ",
            &["`b`", "`memory_gib` is -1", "not be negative"],
        ),
        vm(
            "less memory than content",
            "components: [os, app]\n      memory_pages: 7",
            "10:21: ",
            &["`b`", "`memory_pages` stands for 7 pages of 4 KiB", "have 8", "more memory, or less content"],
        ),
        vm(
            "fewer GiB than content",
            "components: [os]\n      page_ranges: [[0, 9]]\n      memory_gib: 0.00005",
            "11:19: ",
            &["`memory_gib` stands for 14 pages", "have 15"],
        ),
        vm(
            "unknown resource",
            "memory_pages: 9\n      request: {cpus: 4}",
            "10:16: ",
            &[
                "`b` requests `cpus`",
                "no server has",
                "did you mean \"cpu\"?",
                "Resources of the servers: cpu.",
            ],
        ),
        vm(
            "memory among the resources",
            "memory_pages: 9\n      request: {memory_gib: 4}",
            "10:29: ",
            &["`b` has `memory_gib` in `request`", "beside `request`"],
        ),
        vm(
            "request below zero",
            "memory_pages: 9\n      request: {cpu: -4}",
            "10:22: ",
            &["`cpu` is -4", "not be negative"],
        ),
        vm(
            "memory without a unit",
            "memory: 9",
            "9:7: ",
            &["unknown field `memory`", "memory_gib, memory_pages"],
        ),
        vm("replicas of 0", "memory_pages: 9\n      replicas: 0", "10:17: ", &["`b`", "`replicas` is 0"]),
        vm(
            "one name for two",
            "memory_pages: 9\n    - {name: a, memory_pages: 9}",
            "10:14: ",
            &["two virtual machines are called `a`", "at line 7"],
        ),
        vm(
            "one name for one of several",
            "memory_pages: 9\n      replicas: 2\n    - {name: \"b#1\", memory_pages: 9}",
            "11:14: ",
            &["two virtual machines are called `b#1`", "at line 8"],
        ),
        vm(
            "pages beyond measure",
            "memory_pages: 900000000000\n      replicas: 4000",
            "8:7: ",
            &["up to virtual machine `b#1250`", "2^50 or more pages"],
        ),
    ]);
}

#[test]
fn contents() {
    let components = |text: &str| {
        format!(
            "name: x\nsharing:\n  servers: [{{name: s, memory_pages: 9}}]\n  vms: []\n  components:\n{text}"
        )
    };
    check(vec![
        case(
            "component of 0",
            &components("    os: 5\n    app: 0\n"),
            "7:10: ",
            &["`app` has 0 pages", "from 1 on"],
        ),
        case("component below zero", &components("    os: -5\n"), "6:9: ", &["`os`", "a whole number"]),
        case(
            "component beyond measure",
            &components("    os: 2000000000000000\n"),
            "6:9: ",
            &["component `os` has 2^50 or more pages"],
        ),
        case(
            "component given twice",
            &components("    os: 5\n    os: 6\n"),
            "7:5: ",
            &["`os` is given twice"],
        ),
        vm(
            "unknown component",
            "components: [os, ap]",
            "9:19: ",
            &["`b` names the component `ap`", "does not list", "did you mean \"app\"?", "correct the name"],
        ),
        vm(
            "component named twice",
            "components: [os, app, os]",
            "9:19: ",
            &["`b` names the component `os` twice", "Keep one"],
        ),
        vm(
            "inverted range",
            "page_ranges: [[0, 3], [9, 4]]",
            "9:20: ",
            &["the page range [9, 4] ends before it begins", "[first, last]"],
        ),
        vm(
            "ranges that overlap",
            "page_ranges: [[4, 9], [0, 4]]",
            "9:20: ",
            &["[0, 4] and [4, 9] overlap", "join or separate them"],
        ),
        vm("range beyond measure", "page_ranges: [[0, 2000000000000000]]", "9:20: ", &["goes beyond 2^50"]),
        vm(
            "range without an end",
            "page_ranges: [[0]]",
            "9:21: ",
            &["`page_ranges`", "a list of 2 values, found one of 1"],
        ),
        vm("one range without brackets", "page_ranges: [0, 4]", "9:21: ", &["`page_ranges`", "a list"]),
    ]);
}

#[test]
fn arrivals() {
    check(vec![
        trio(
            "unknown",
            "  arrival:\n    - a\n    - bb\n    - c\n",
            "10:7: ",
            &["`arrival` names the virtual machine `bb`", "did you mean \"b\"?"],
        ),
        trio("twice", "  arrival: [a, b, a, c]\n", "8:19: ", &["`arrival`", "`a` twice", "Keep one"]),
        trio(
            "one missing",
            "  arrival: [a, b]\n",
            "8:12: ",
            &["leaves out the virtual machine `c`. Name every one"],
        ),
        trio("none", "  arrival: []\n", "8:12: ", &["leaves out the virtual machine `a` and 2 more"]),
        trio(
            "several by one name",
            "    - {name: web, replicas: 2, memory_pages: 1}\n  arrival: [a, b, c, web]\n",
            "9:22: ",
            &["`arrival` names `web`, which stands for several", "`web#0`, `web#1`"],
        ),
    ]);
}

#[test]
fn tables_of_shared_pages() {
    check(vec![
        trio(
            "unknown",
            "  shared_pages:\n    - {vms: [a, cc], pages: 2}\n",
            "9:13: ",
            &["a set of `shared_pages` names the virtual machine `cc`", "did you mean \"c\"?"],
        ),
        trio(
            "set of one",
            "  shared_pages:\n    - {vms: [a], pages: 2}\n",
            "9:13: ",
            &["the set [a] has fewer than two virtual machines", "remove the entry"],
        ),
        trio(
            "one twice in a set",
            "  shared_pages:\n    - {vms: [a, b, a], pages: 2}\n",
            "9:13: ",
            &["the set [a, b, a] names a virtual machine twice"],
        ),
        trio(
            "a set listed twice",
            "  shared_pages:\n    - {vms: [a, b], pages: 2}\n    - {vms: [b, a], pages: 2}\n",
            "10:13: ",
            &["the set [b, a] is listed twice"],
        ),
        trio(
            "pages beyond measure",
            "  shared_pages:\n    - {vms: [a, b], pages: 2000000000000000}\n",
            "9:13: ",
            &["the set [a, b] has 2^50 or more pages"],
        ),
        trio(
            "contents beside the table",
            "    - {name: d, page_ranges: [[0, 3]]}\n  shared_pages:\n    - {vms: [a, b], pages: 2}\n",
            "9:3: ",
            &["`shared_pages`", "virtual machine `d`", "Keep the table or the contents"],
        ),
        trio(
            "more in common than one has",
            "  shared_pages:\n    - vms: [a, b]\n      pages: 11\n",
            "10:14: ",
            &["all of [a, b] have 11 pages in common", "`b` has only 10 in all", "give it more memory"],
        ),
        trio(
            "more in common than a part has",
            "  shared_pages:\n    - {vms: [a, b], pages: 3}\n    - {vms: [a, c], pages: 4}\n    - {vms: [b, c], pages: 4}\n    - \
             {vms: [c, b, a], pages: 4}\n",
            "12:31: ",
            &[
                "all of [a, b, c] have 4 pages in common",
                "those of [a, b] only 3",
                "Lower the first number, or raise",
            ],
        ),
        trio(
            "more in common than a part that is not listed",
            "  shared_pages:\n    - {vms: [a, b, c], pages: 4}\n",
            "9:31: ",
            &["those of [b, c] only 0", "a set that is not listed has 0"],
        ),
        trio(
            "more in sets than a virtual machine has",
            "  shared_pages:\n    - {vms: [a, b], pages: 6}\n    - {vms: [a, c], pages: 6}\n",
            "8:3: ",
            &[
                "virtual machine `a` has 10 pages",
                "make 12 different ones",
                "lower the numbers of these sets",
            ],
        ),
        trio(
            "more in larger sets than a set has",
            "    - {name: d, memory_pages: 10}\n  shared_pages:\n    - {vms: [a, b, c], pages: 2}\n    - {vms: [a, b, d], pages: 2}\n    - \
             {vms: [a, b], pages: 3}\n    - {vms: [a, c], pages: 3}\n    - {vms: [a, d], pages: 3}\n    - {vms: [b, c], pages: 3}\n    - \
             {vms: [b, d], pages: 3}\n",
            "12:28: ",
            &["all of [a, b] have 3 pages in common", "make 4 different ones", "Raise the number of [a, b]"],
        ),
    ]);
}

/// The same two contradictions, as the library tells them.
#[test]
fn contradictions_of_sigma_are_told_apart() {
    let set = |members: &[u32]| members.iter().copied().map(VmIndex).collect::<Vec<_>>();
    let invert = |pages: &[u64], shared: &[(&[u32], u64)]| {
        let shared: BTreeMap<_, _> = shared.iter().map(|&(members, pages)| (set(members), pages)).collect();
        SigmaTable::new(shared).invert(pages)
    };
    assert_eq!(
        invert(&[5, 9], &[(&[0, 1], 6)]),
        Err(Inconsistent::SupersetSharesMore {
            superset: set(&[0, 1]),
            pages: 6,
            subset: set(&[0]),
            fewer: 5
        })
    );
    assert_eq!(
        invert(&[10, 10, 10], &[(&[0, 1], 6), (&[1, 2], 5)]),
        Err(Inconsistent::NegativeClass { set: set(&[1]), common: 10, larger: 11 })
    );
    let consistent =
        invert(&[4, 6, 5], &[(&[0, 1], 3), (&[0, 2], 3), (&[1, 2], 3), (&[0, 1, 2], 2)]).unwrap();
    let shared: Vec<u64> = consistent.shared.iter().map(|class| class.pages).collect();
    assert_eq!((consistent.private, shared), (vec![0, 2, 1], vec![1, 2, 1, 1]));
}

#[test]
fn flags_of_other_models() {
    let folder = Folder::new();
    let text =
        "name: x\nsharing:\n  servers: [{name: s, memory_pages: 5}]\n  vms: [{name: v, memory_pages: 5}]\n";
    let path = folder.write("x.yaml", text);
    let gpus = folder.write("gpus.yaml", "name: x\ngpus: [{name: g, board: A30}]\n");
    let cases: &[(&[&str], &[&str])] = &[
        (&[&path, "--model", "sharing", "--objective", "lexicographic"], &["--objective: ", "--optimum"]),
        (&[&path, "--model", "sharing", "--use-case", "joint"], &["--use-case: ", "only wpm"]),
        (&[&path, "--model", "sharing", "--residents", "keep"], &["--residents: ", "only siavashi"]),
        (&[&path, "--model", "sharing", "--optimum", "first-m"], &["'first-m'", "first-m-of-the-order"]),
        (&[&gpus, "--optimum", "any-servers"], &["--optimum: ", "only sharing"]),
        (&[&gpus, "--model", "siavashi", "--optimum", "any-servers"], &["--optimum: ", "only sharing"]),
    ];
    for (arguments, parts) in cases {
        let done = run(&[&["solve"], *arguments].concat(), BAD_INPUT);
        for part in *parts {
            assert!(done.stderr.contains(part), "{arguments:?} does not say `{part}`: {}", done.stderr);
        }
    }
    let done = run(&["solve", &path, "--model", "wpm"], BAD_INPUT);
    check_form("another model", &done);
    run(&["solve", &path, "--quiet"], PROVED);
}

fn reason(sharing: &str) -> Option<String> {
    let text = format!("name: x\nsharing:\n{sharing}");
    impossible(&problem(text))
}

#[test]
fn a_virtual_machine_without_a_home_is_named() {
    let servers = "  servers:
    - {name: cores, memory_pages: 3000, capacity: {cpu: 24}}
    - {name: pages, memory_pages: 9000, capacity: {cpu: 12}}
    - {name: more-pages, memory_pages: 8000, capacity: {cpu: 12, gpu: 1}}
";
    for (vms, expected) in [
        (
            "{name: v, memory_pages: 10000}",
            "The virtual machine `v` fits no server, not even an empty one: it requests 10,000 pages of memory, and no server has \
             more than 9,000. Add a larger server, or take the virtual machine out.",
        ),
        (
            "{name: v, replicas: 2, memory_pages: 1, request: {cpu: 25.5}}",
            "The virtual machine `v#0` fits no server, not even an empty one: it requests 25.5 of cpu, and no server has more than \
             24. Add a larger server, or take the virtual machine out. One more virtual machine fits no server either.",
        ),
        (
            "{name: v, replicas: 4, memory_pages: 5000, request: {cpu: 16}}",
            "The virtual machine `v#0` fits no server, not even an empty one: it requests 5,000 pages of memory and 16 of cpu, and \
             no server has enough of each. Add a larger server, or take the virtual machine out. 3 more virtual machines fit no \
             server either.",
        ),
    ] {
        assert_eq!(reason(&format!("{servers}  vms: [{vms}]\n")).as_deref(), Some(expected));
    }
    assert_eq!(
        reason(&format!("{servers}  vms: [{{name: v, memory_pages: 9000, request: {{gpu: 9}}}}]\n")),
        None
    );
}

#[test]
fn what_is_missing_in_total_is_counted() {
    let servers = "  servers: [{name: s, count: 2, memory_pages: 700, capacity: {cpu: 4.5}}]\n  components: {os: 300}\n";
    let vms = |number: u32, cpu: &str| {
        let fields = format!("memory_pages: 500, request: {{cpu: {cpu}}}, components: [os]");
        reason(&format!("{servers}  vms: [{{name: v, replicas: {number}, {fields}}}]\n"))
    };
    assert_eq!(
        vms(4, "2.5").as_deref(),
        Some(
            "All virtual machines together request 10 of cpu, and all servers together have 9, which is 1 too little. Add servers, \
             or take virtual machines out."
        )
    );
    assert_eq!(
        vms(6, "1").as_deref(),
        Some(
            "All virtual machines together need 1,500 pages of memory even if each page is held once, and all servers together \
             have 1,400, which is 100 too few. Add servers, or take virtual machines out."
        )
    );
    assert_eq!(vms(5, "1"), None);
}

/// Shipped instances are valid, obey the schema, are called like their files, and say why where it can be seen at once that there
/// is no packing.
#[test]
fn shipped_instances_are_in_order() {
    let of_instance = schema(&["instance"]);
    let mut reasons = BTreeMap::new();
    for path in all_shipped("sharing") {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let document = support::from_yaml(&std::fs::read_to_string(&path).unwrap());
        schemas::check(&of_instance, &document);
        let problem = &posed::<Sharing>(&read(&path));
        assert_eq!(problem.name, name);
        if let Some(reason) = impossible(problem) {
            reasons.insert(name, reason);
        }
    }
    assert_eq!(reasons.keys().collect::<Vec<_>>(), ["no-home", "too-little-memory"]);
    assert!(
        reasons["no-home"].contains("`large`") && reasons["no-home"].contains("16 of cpu"),
        "{reasons:?}"
    );
    assert!(reasons["too-little-memory"].contains("10 too few"), "{reasons:?}");
}

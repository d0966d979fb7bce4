//! Generated instances of model sharing: what the seed decides, and what the other options change.

use crate::small::options;
use ground::Amount;
use models::InstanceFile;
use sharing::{
    Detail, Family, GeneratorOptions, Section, ServerCost, VmIndex, VmSection, generate, impossible, pages_of,
};
use std::collections::BTreeMap;
use support::cli::{BAD_INPUT, Folder, PROVED, run};
use support::instances::written;

const FAMILIES: [Family; 4] = [Family::Paper, Family::MemoryBound, Family::Desktops, Family::Stream];
const DETAILS: [Detail; 4] = [Detail::None, Detail::Os, Detail::Lean, Detail::Rich];

fn section(options: &GeneratorOptions) -> Section {
    generate(options).section.unwrap()
}

/// The file of the instance that the options ask for.
fn drawn(options: &GeneratorOptions) -> InstanceFile {
    InstanceFile::of::<sharing::Sharing>(generate(options))
}

fn vms(section: &Section) -> Vec<&VmSection> {
    section.vms.iter().map(|vm| &vm.value).collect()
}

/// Pages of the instance if everything were on one server.
fn different_pages(options: &GeneratorOptions) -> u64 {
    let instance = written(&drawn(options));
    let problem = &*instance.problem::<sharing::Sharing>().unwrap();
    let all: Vec<VmIndex> = problem.vm_indices().collect();
    pages_of(problem, &all)
}

#[test]
fn instances_are_valid_and_nothing_is_visibly_impossible() {
    for family in FAMILIES {
        for number in [1, 2, 6, 20, 50] {
            for sharing in DETAILS {
                for seed in 1..=5 {
                    let instance =
                        written(&drawn(&GeneratorOptions { sharing, seed, ..options(family, number) }));
                    let problem = &*instance.problem::<sharing::Sharing>().unwrap();
                    assert_eq!(problem.vms.len(), number as usize);
                    assert_eq!(impossible(problem), None, "{}", problem.name);
                }
            }
        }
    }
}

#[test]
fn software_is_as_in_section_6_1_3() {
    let tiny = ["n1s1", "n1c2", "n1c4"];
    let servers = ["ubuntu-server", "centos", "windows-server"];
    let mut systems = BTreeMap::new();
    for family in FAMILIES {
        let section = section(&options(family, 400));
        for vm in vms(&section) {
            let of_kind = |kind: &str| vm.components.iter().filter(|name| name.starts_with(kind)).count();
            assert_eq!(of_kind("os:"), 1, "{vm:?}");
            assert!((1..=4).contains(&of_kind("app:")), "{vm:?}");
            let system = vm.components.iter().find_map(|name| name.strip_prefix("os:")).unwrap();
            *systems.entry(system.to_owned()).or_insert(0) += 1;
            let is_server = servers.iter().any(|server| system.starts_with(server));
            let is_tiny = tiny.contains(&vm.vm_type.as_deref().unwrap());
            assert!(!(is_server && (is_tiny || family == Family::Desktops)), "{vm:?}");
        }
    }
    assert_eq!(systems.len(), 10);
    assert!(systems.values().all(|&times| times > 50), "{systems:?}");
}

#[test]
fn detail_changes_what_is_common_and_nothing_else() {
    let without_content = |sharing| {
        let section = section(&GeneratorOptions { sharing, ..options(Family::Stream, 60) });
        let bare = |vm: &VmSection| VmSection { components: Vec::new(), ..vm.clone() };
        (section.servers, section.vms.iter().map(|vm| bare(&vm.value)).collect::<Vec<_>>())
    };
    assert!(DETAILS.windows(2).all(|pair| without_content(pair[0]) == without_content(pair[1])));
    let with = |sharing| GeneratorOptions { sharing, ..options(Family::Stream, 60) };
    let pages = [Detail::None, Detail::Os, Detail::Lean].map(|sharing| different_pages(&with(sharing)));
    assert!(pages.is_sorted_by(|more, less| more > less), "{pages:?}");
    let software = [Detail::Os, Detail::Lean, Detail::Rich]
        .map(|sharing| section(&with(sharing)).components.values().map(|pages| pages.value).sum::<u64>());
    assert!(software.is_sorted_by(|more, less| more > less), "{software:?}");
}

#[test]
fn pages_of_other_sizes_hold_the_same_software() {
    let large = section(&options(Family::Paper, 20));
    for page_kib in [1, 4, 64, 2048] {
        let other = section(&GeneratorOptions { page_kib, ..options(Family::Paper, 20) });
        assert_eq!(other.vms, large.vms);
        for (name, pages) in &other.components {
            assert_eq!(pages.value * page_kib, large.components[name].value * 1024, "{name}");
        }
    }
}

#[test]
fn shuffling_changes_the_order_alone() {
    let stream = GeneratorOptions { seed: 3, ..options(Family::Stream, 200) };
    let drawn = section(&stream);
    let in_order = |section: &Section| vms(section).into_iter().map(|vm| vm.name.clone()).collect::<Vec<_>>();
    assert!(in_order(&drawn).is_sorted());
    let mut orders = vec![in_order(&drawn)];
    for shuffle in 1..=5 {
        let mut copy = section(&GeneratorOptions { shuffle, ..stream.clone() });
        assert!(!orders.contains(&in_order(&copy)));
        orders.push(in_order(&copy));
        copy.vms.sort_by(|one, other| one.value.name.cmp(&other.value.name));
        assert_eq!(copy, drawn);
    }
    assert_ne!(section(&GeneratorOptions { seed: 4, ..stream }), drawn);
}

#[test]
fn streams_have_their_share_of_low_requests_and_the_mixture_of_servers() {
    let low = ["n1s1", "n1s2", "n1c2", "n1m2", "n1c4", "n1c8"];
    for (number, low_thousandths, expected) in [(1000, 850, 850), (500, 50, 25), (10, 0, 0), (10, 1000, 10)] {
        let section = section(&GeneratorOptions {
            low_thousandths: Some(low_thousandths),
            ..options(Family::Stream, number)
        });
        let is_low = |vm: &&VmSection| low.contains(&vm.vm_type.as_deref().unwrap());
        assert_eq!(vms(&section).into_iter().filter(is_low).count(), expected);
        // Low requests come in no order.
        let first_half = vms(&section).into_iter().take(number as usize / 2).filter(is_low).count();
        assert!(expected == 0 || first_half < expected, "{first_half} of {expected}");
    }
    let servers = |number| {
        let section = section(&options(Family::Stream, number));
        let entry = |server: &sharing::ServerSection| (server.group.clone().unwrap(), server.count.unwrap());
        section.servers.iter().map(|server| entry(&server.value)).collect::<Vec<_>>()
    };
    let expected = [
        ("(12, 64)", 10),
        ("(24, 32)", 4),
        ("(24, 64)", 307),
        ("(24, 128)", 535),
        ("(24, 196)", 79),
        ("(24, 256)", 1),
        ("(48, 128)", 1),
        ("(48, 256)", 63),
    ];
    assert_eq!(servers(1000), expected.map(|(group, count)| (group.to_owned(), count)));
    assert_eq!(servers(500).iter().map(|(_, count)| count).sum::<u32>(), 500);
}

#[test]
fn small_instances_have_the_servers_of_the_paper() {
    let counts = |options: &GeneratorOptions| {
        section(options).servers.iter().map(|server| server.value.count.unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(counts(&options(Family::Paper, 20)), [2, 2, 3, 4, 1, 1, 1, 1]);
    assert_eq!(counts(&options(Family::Paper, 40)), [4, 4, 6, 8, 2, 2, 2, 2]);
    assert_eq!(counts(&options(Family::MemoryBound, 20)), [4, 5, 6]);
    assert_eq!(counts(&options(Family::Desktops, 20)), [15]);
    assert_eq!(counts(&GeneratorOptions { servers: Some(4), ..options(Family::Desktops, 6) }), [4]);
    assert_eq!([1, 6, 15, 20, 21, 100].map(|vms| Family::Paper.usual_servers(vms)), [1, 6, 15, 15, 16, 75]);
}

#[test]
fn servers_cost_1_or_by_their_capacity() {
    let costs = |cost| {
        let section = section(&GeneratorOptions { cost, ..options(Family::Paper, 20) });
        section.servers.iter().map(|server| server.value.cost.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(costs(ServerCost::Unit), ["1"; 8]);
    assert_eq!(costs(ServerCost::Capacity), ["1", "1.25", "1.5", "2", "2.53125", "3", "3", "4"]);
    assert!(
        section(&options(Family::Paper, 20)).servers.iter().all(|server| server.value.cost == Amount::ONE)
    );
}

#[test]
fn the_same_flags_write_the_same_bytes_and_names_tell_them() {
    let named = |flags: &[&str], name: &str, family: &str| {
        let arguments = [&["generate", "sharing", "--output", "-"], flags].concat();
        let one = run(&arguments, PROVED).stdout;
        assert_eq!(one, run(&arguments, PROVED).stdout);
        let instance: InstanceFile = support::from_yaml(&one);
        assert_eq!((instance.name.as_str(), instance.family.as_deref()), (name, Some(family)));
        assert!(instance.description.unwrap().starts_with("Generated: "));
    };
    named(&[], "sharing-paper-20-lean-seed1", "sharing paper 20 VMs, lean");
    named(
        &["--family", "stream", "--vms", "1000", "--low", "0.85", "--shuffle", "3", "--seed", "7"],
        "sharing-stream-1000-low85-lean-r3-seed7",
        "sharing stream 1000 VMs, 85 % low, lean",
    );
    named(
        &["--family", "stream", "--low", "0.125", "--sharing", "rich"],
        "sharing-stream-500-low12.5-rich-seed1",
        "sharing stream 500 VMs, 12.5 % low, rich",
    );
    named(
        &[
            "--family=desktops",
            "--servers=9",
            "--page-kib=4",
            "--cost=capacity",
            "--optimum=first-m-of-the-order",
        ],
        "sharing-desktops-20x9-lean-page4-capacity-cost-first-m-of-the-order-seed1",
        "sharing desktops 20 VMs, 9 servers, lean, pages of 4 KiB, cost by capacity, first-m-of-the-order",
    );
    let folder = Folder::new();
    run(&["generate", "sharing", "--count", "3", "--seed", "5", "--output", &folder.text("")], PROVED);
    assert_eq!(folder.files(), [5, 6, 7].map(|seed| format!("sharing-paper-20-lean-seed{seed}.yaml")));
}

/// The shipped instances that say which command makes them.
#[test]
fn shipped_instances_can_be_made_again() {
    for (name, family, seed) in [
        ("twenty-vms", Family::Paper, 1),
        ("memory-bound", Family::MemoryBound, 5),
        ("desktop-pool", Family::Desktops, 9),
    ] {
        let path = format!("{}/instances/sharing/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
        let shipped: InstanceFile = support::from_yaml(&std::fs::read_to_string(path).unwrap());
        let made = section(&GeneratorOptions { seed, ..options(family, 20) });
        let [shipped, made] =
            [&shipped.sharing.unwrap(), &made].map(|section| serde_json::to_value(section).unwrap());
        assert_eq!(shipped, made, "{name}");
    }
}

#[test]
fn flags_that_do_not_fit_are_refused() {
    let cases: &[(&[&str], &str)] = &[
        (&["--low", "0.5"], "--low: only streams have a share of low requests, not the family paper"),
        (&["--family", "stream", "--low", "1.5"], "from 0 to 1"),
        (&["--family", "stream", "--low", "0.8501"], "at most three digits after the point"),
        (&["--page-kib", "3"], "a power of two from 1 to 2048"),
        (&["--page-kib", "4096"], "so that the software has whole pages"),
        (&["--vms", "0"], "from 1 to 100000"),
        (&["--family", "papers"], "paper"),
        (&["--sharing", "all"], "none, os, lean, rich"),
    ];
    for (flags, part) in cases {
        let done = run(&[&["generate", "sharing", "--output", "-"], *flags].concat(), BAD_INPUT);
        assert!(done.stdout.is_empty() && done.stderr.contains(part), "{flags:?}: {}", done.stderr);
    }
}

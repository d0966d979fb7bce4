//! Drawings of packed servers: what they show, and that they are well-formed whatever is drawn.

use crate::drawings::{check_terminal, check_well_formed, in_colour, without_escapes};
use kit::SolutionDocument;
use proptest::prelude::*;
use report::{Drawing, Screen, ServerPicture};
use serde_json::{Value, json};
use support::cli::{Folder, PROVED, run};

/// Pages of 4 KiB in a GiB.
const GIB: u64 = 262_144;

/// A server of 64 GiB and 24 cores with so many tenths of GiB in use, shared and saved.
fn server(name: &str, vms: &[&str], cpu: u32, [used, shared, saved]: [u64; 3]) -> Value {
    json!({
        "server": name, "vms": vms,
        "load": {
            "group": "(24,64)", "page_kib": 4, "capacity_pages": 64 * GIB, "pages": used * GIB / 10,
            "shared_pages": shared * GIB / 10, "saved_pages": saved * GIB / 10,
            "resources": { "cpu": { "used": cpu, "capacity": 24 }, "storage_gib": { "used": 100 } }
        }
    })
}

fn drawing(packing: Vec<Value>, pending: Value) -> Drawing<'static> {
    let document = json!({ "model": "sharing", "instance": { "name": "stream" }, "packing": packing, "pending": pending });
    let solution: SolutionDocument = serde_json::from_value(document).unwrap();
    Drawing::Servers(ServerPicture::of(&solution).unwrap())
}

fn three() -> Drawing<'static> {
    let servers = vec![
        server("s0", &["web#0", "web#1", "db<&>"], 24, [320, 80, 120]),
        server("s1", &["lone"], 4, [150, 0, 0]),
        json!({ "server": "by-hand", "vms": ["mystery"] }),
    ];
    let pending =
        json!([{ "workload": "late", "profile": "n1m8" }, { "workload": "later", "profile": "n1m8" }]);
    drawing(servers, pending)
}

#[test]
fn servers_in_a_terminal() {
    insta::assert_snapshot!(three().draw(Screen::of_width(110)), @r"
    stream
    3 servers in use  5 virtual machines placed  2 pending  memory 47.0 of 128.0 GiB
    12.0 GiB (20.3 %) saved by sharing

     server   group    cpu         storage_gib  memory in GiB                      saved  virtual machines
     s0       (24,64)  ████ 24/24          100  █████████▒▒▒··········· 32.0/64.0   12.0  3: web#0, web#1, db<&>
     s1       (24,64)  █···  4/24          100  █████·················· 15.0/64.0         1: lone
     by-hand                                                                              1: mystery

    █ memory of one virtual machine  ▒ shared by several, counted once  · free
    saved: what they would need in addition without sharing

    2 virtual machines pending:
      2 of n1m8: late, later
    ");
}

#[test]
fn a_narrow_terminal_keeps_the_numbers() {
    insta::assert_snapshot!(three().draw(Screen::of_width(60)), @r"
    stream
    3 servers in use  5 virtual machines placed  2 pending
    memory 47.0 of 128.0 GiB  12.0 GiB (20.3 %) saved by sharing

     server   group    cpu    storage_gib  memory in GiB
     s0       (24,64)  24/24          100  ████▒····· 32.0/64.0
     s1       (24,64)   4/24          100  ██········ 15.0/64.0
     by-hand

    █ memory of one virtual machine
    ▒ shared by several, counted once  · free
    saved: what they would need in addition without sharing

    2 virtual machines pending:
      2 of n1m8: late, later
    ");
}

#[test]
fn colours_only_add_escape_sequences() {
    let coloured = three().draw(in_colour(100));
    assert!(coloured.contains('\u{1b}'));
    assert_eq!(without_escapes(&coloured), three().draw(Screen::of_width(100)));
}

#[test]
fn empty_servers_share_a_line_and_many_servers_too() {
    let empty = |name: &str| server(name, &[], 0, [0, 0, 0]);
    let text = drawing(vec![empty("a"), empty("b"), server("c", &["x"], 1, [10, 0, 0])], json!([]))
        .draw(Screen::of_width(100));
    assert!(text.contains(" 2 servers ") && text.contains("alike: a, b") && text.contains(" c "), "{text}");
    let alike = (0..60).map(|rank| server(&format!("s{rank}"), &[&format!("vm{rank}")], 2, [20, 0, 0]));
    let text = drawing(alike.collect(), json!([])).draw(Screen::of_width(100));
    assert!(text.contains("60 servers in use") && text.contains("alike: s0, s1, s2"), "{text}");
}

#[test]
fn what_is_left_out_is_told_and_shown_on_request() {
    let servers = (0..300).map(|rank| server(&format!("s{rank}"), &["vm"], 1, [rank, 0, 0]));
    let drawing = drawing(servers.collect(), json!([]));
    let text = drawing.draw(Screen::of_width(100));
    assert!(text.contains("240 servers more not shown: --all shows all"), "{text}");
    assert!(text.lines().count() < 75);
    let all = drawing.draw_all(Screen::of_width(100));
    assert!((0..300).all(|rank| all.contains(&format!(" s{rank} "))));
}

#[test]
fn servers_as_svg() {
    let svg = three().svg();
    check_well_formed(&svg);
    let count = |class: &str| svg.matches(&format!("class=\"{class}\"")).count();
    assert_eq!([count("private"), count("shared"), count("saved"), count("other")], [2, 1, 1, 2]);
    assert!(svg.contains("db&lt;&amp;&gt;") && !svg.contains("db<"));
    assert!(svg.contains("24.0 GiB of one virtual machine · 8.0 GiB shared · 12.0 GiB saved"));
    assert!(svg.contains("2 virtual machines pending") && svg.contains("prefers-color-scheme: dark"));
}

/// What one would need without sharing is drawn beyond the end of the bar.
#[test]
fn memory_that_only_sharing_makes_fit_goes_beyond_the_bar() {
    let edge = |saved: u64| {
        let svg = drawing(vec![server("s", &["a", "b"], 2, [600, 300, saved])], json!([])).svg();
        let part = svg.split("class=\"saved\"").nth(1).unwrap().split('>').next().unwrap().to_owned();
        let number = |name: &str| {
            let text = part.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap();
            text.parse::<f64>().unwrap()
        };
        number("width")
    };
    // 320 pixels are 64 GiB.
    assert_eq!([edge(40), edge(200)], [20.0, 100.0]);
}

/// An instance without GPUs, as a file.
fn instance() -> (Folder, String) {
    let folder = Folder::new();
    folder.write(
        "small.yaml",
        "name: small
sharing:
  servers:
    - {name: a, count: 30, group: \"(12,64)\", memory_gib: 64, capacity: {cpu: 12}}
    - {name: b, memory_gib: 32, capacity: {cpu: 24}}
  components: {ubuntu: 200000}
  vms:
    - {name: web, replicas: 3, type: n1s1, memory_gib: 3.75, request: {cpu: 1}, components: [ubuntu]}
    - {name: db, memory_gib: 30, request: {cpu: 8}}
",
    );
    let path = folder.text("small.yaml");
    (folder, path)
}

#[test]
fn the_command_draws_an_instance_by_groups_and_its_waiting_virtual_machines() {
    let (folder, path) = instance();
    insta::assert_snapshot!(run(&["show", &path], PROVED).stdout, @r"
    small
    31 servers  0 in use  0 virtual machines placed  4 pending

     server      group    cpu            memory in GiB                   saved  virtual machines
     30 servers  (12,64)  ········ 0/12  ····················· 0.0/64.0         alike: a-0, a-1, +28
     b           b        ········ 0/24  ····················· 0.0/32.0

    · free

    4 virtual machines pending:
      1: db
      3 of n1s1: web#0, web#1, web#2
    ");
    let all = run(&["show", &path, "--all-gpus"], PROVED).stdout;
    assert!(all.contains(" a-0 ") && all.contains(" a-29 "), "{all}");
    assert_eq!(run(&["show", &path, "--all"], PROVED).stdout, all);
    run(&["show", &path, "--picture", &folder.text("p.svg")], PROVED);
    check_well_formed(&folder.read("p.svg"));
}

#[test]
fn the_command_draws_a_solution() {
    let (folder, _) = instance();
    folder.write(
        "solution.yaml",
        "model: sharing\ninstance: {name: small}\npacking:\n- server: b\n  vms: [web#0, db]\npending: []\n",
    );
    let text = run(&["show", &folder.text("solution.yaml")], PROVED).stdout;
    assert!(text.contains("1 server in use") && text.contains("2: web#0, db"), "{text}");
}

/// Servers of any load, overfull ones too: a drawing must not depend on a packing that obeys the rules.
fn any_server() -> impl Strategy<Value = Value> {
    let name = || prop_oneof!["[a-z]{1,12}", "[a-z]{1,8}-[0-9]{1,3}", any::<String>()];
    let pages = || prop_oneof![0..100_u64, 0..50_000_000_u64, Just(u64::MAX / 2)];
    let amount = || prop_oneof![0..100_u64, 0..10_000_000_u64];
    let resources = prop::collection::btree_map(name(), (amount(), prop::option::of(amount())), 0..4);
    let load = (name(), resources, pages(), pages(), pages(), pages());
    (name(), prop::collection::vec(name(), 0..6), prop::option::of(load)).prop_map(|(server, vms, load)| {
        let load = load.map(|(group, resources, capacity, pages, shared, saved)| {
            let resources: serde_json::Map<String, Value> = resources
                .into_iter()
                .map(|(name, (used, capacity))| (name, json!({ "used": used, "capacity": capacity })))
                .collect();
            json!({
                "group": group, "page_kib": 4, "capacity_pages": capacity, "pages": pages, "shared_pages": shared,
                "saved_pages": saved, "resources": resources
            })
        });
        json!({ "server": server, "vms": vms, "load": load })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_terminal_drawing_keeps_to_its_width(servers in prop::collection::vec(any_server(), 0..50), width in 0..140_usize) {
        let drawing = drawing(servers, json!([]));
        check_terminal(width, |screen| drawing.draw(screen));
    }

    #[test]
    fn an_svg_is_well_formed_and_repeatable(servers in prop::collection::vec(any_server(), 0..8)) {
        let svg = drawing(servers.clone(), json!([])).svg();
        check_well_formed(&svg);
        prop_assert_eq!(drawing(servers, json!([])).svg(), svg);
    }
}

/// Memory is told in a unit of which the largest server has one.
#[test]
fn tiny_pages_are_told_in_small_units() {
    let server = |page_kib: u64, capacity: u64| {
        json!({
            "server": "s", "vms": ["a", "b"],
            "load": {
                "group": "", "page_kib": page_kib, "capacity_pages": capacity, "pages": 6, "shared_pages": 2, "saved_pages": 2,
                "resources": {}
            }
        })
    };
    for (page_kib, capacity, [memory, head, digits, saved]) in [
        (1, 10, ["memory 6 of 10 KiB", "memory in KiB", "6/10", "2 KiB (25.0 %)"]),
        (512, 16, ["memory 3.0 of 8.0 MiB", "memory in MiB", "3.0/8.0", "1.0 MiB (25.0 %)"]),
        (524_288, 10, ["memory 3.0 of 5.0 GiB", "memory in GiB", "3.0/5.0", "1.0 GiB (25.0 %)"]),
    ] {
        let drawing = drawing(vec![server(page_kib, capacity)], json!([]));
        let text = drawing.draw(Screen::of_width(110));
        for words in [memory, head, digits, saved] {
            assert!(text.contains(words), "{words}: {text}");
        }
        let svg = drawing.svg();
        let unit = head.trim_start_matches("memory in ");
        assert!(svg.contains(memory) && svg.contains(&format!("{digits} {unit}")), "{svg}");
    }
}

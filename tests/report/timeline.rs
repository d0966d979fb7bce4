//! Drawings of windows of time: what they show, and that they are well-formed whatever is drawn.

use crate::drawings::{check_terminal, check_well_formed, in_colour, without_escapes};
use kit::SolutionDocument;
use proptest::prelude::*;
use report::{Drawing, Screen, Timeline};
use serde_json::{Value, json};
use support::cli::{Folder, PROVED, run};

fn drawing(plan: Value) -> Drawing<'static> {
    let document = json!({ "model": "migrator", "instance": { "name": "window" }, "plan": plan });
    let solution: SolutionDocument = serde_json::from_value(document).unwrap();
    Drawing::Timeline(Timeline::of(&solution).unwrap())
}

/// A window of 20 slots in which `bert` gets a larger instance created ahead, and `vit` is retrained.
fn two() -> Value {
    let bert = json!({
        "model": "bert<&>", "retraining": null,
        "inference": [
            { "from": 0, "until": 10, "instances": ["2g"] },
            { "from": 10, "until": 20, "instances": ["4g"] }
        ],
        "series": {
            "requests": (0..20).map(|slot| if slot < 10 { 18 } else { 45 }).collect::<Vec<u32>>(),
            "capability": (0..20).map(|slot| if slot < 10 { 20 } else { 40 }).collect::<Vec<u32>>(),
            "served": (0..20).map(|slot| if slot < 10 { 18 } else { 40 }).collect::<Vec<u32>>()
        }
    });
    let vit = json!({
        "model": "vit", "retraining": { "instance": "1g", "from": 4, "until": 12 },
        "inference": [{ "from": 0, "until": 20, "instances": ["1g"] }],
        "series": { "requests": vec![5; 20], "capability": vec![10; 20], "served": vec![5; 20] }
    });
    let instance = |model: &str, task: &str, size: &str, start: u32, slots: u32, from: u32, until: u32| {
        json!({
            "model": model, "task": task, "instance": size, "start": start, "size": slots, "from": from,
            "until": until, "prepared_seconds": if size == "4g" { 2.5 } else { 0.0 }
        })
    };
    let changed = |size: &str, start: u32| json!([{ "model": "bert<&>", "task": "inference", "instance": size, "start": start }]);
    json!({
        "tasks": [bert, vit],
        "window": { "board": "A100-40GB", "memory_slots": 8, "slots": 20, "basis_seconds": 0.5 },
        "instances": [
            instance("bert<&>", "inference", "2g", 4, 2, 0, 10),
            instance("vit", "inference", "1g", 6, 1, 0, 20),
            instance("vit", "retraining", "1g", 7, 1, 4, 12),
            instance("bert<&>", "inference", "4g", 0, 4, 10, 20)
        ],
        "changes": [
            { "slot": 10, "destroyed": changed("2g", 4), "created": changed("4g", 0),
              "reconfigured": [{ "model": "bert<&>", "seconds": 2.5, "hidden_seconds": 2.5 }] }
        ]
    })
}

#[test]
fn a_window_in_a_terminal() {
    insta::assert_snapshot!(drawing(two()).draw(Screen::of_width(73)), @r"
    window
    A100-40GB  20 slots of 0.5 s  93.2 % of 730 requests served
    1 reconfiguration (2.5 of 2.5 s hidden)  1 instance destroyed

    bert<&>
      92.1 % of 630 requests served  1 reconfiguration  █ 90 per second
      requests   ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄██████████████████████████████
      can serve  ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄██████████████████████████████
      not served ······························▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁
      inference  │2g                           │4g

    vit
      100.0 % of 100 requests served  retrained on 1g from 2 s to 6 s
      █ 20 per second
      requests   ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄
      can serve  ████████████████████████████████████████████████████████████
      inference  │1g
      retraining ············▒1g▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒························
                 0 s         2 s         4 s         6 s         8 s

    in short runs: GPCs  ▒ retraining
    ");
}

#[test]
fn colours_only_add_escape_sequences() {
    let coloured = drawing(two()).draw(in_colour(100));
    assert!(coloured.contains('\u{1b}'));
    assert_eq!(without_escapes(&coloured), drawing(two()).draw(Screen::of_width(100)));
}

#[test]
fn many_models_are_shown_on_request() {
    let task = |rank: usize| json!({ "model": format!("m{rank}"), "retraining": null, "inference": [] });
    let drawing = drawing(json!({ "tasks": (0..30).map(task).collect::<Vec<Value>>() }));
    let text = drawing.draw(Screen::of_width(80));
    assert!(text.contains("18 models more not shown: --all shows all") && !text.contains("m12"), "{text}");
    let all = drawing.draw_all(Screen::of_width(80));
    assert!((0..30).all(|rank| all.lines().any(|line| line == format!("m{rank}"))), "{all}");
}

#[test]
fn a_window_as_svg() {
    let svg = drawing(two()).svg();
    check_svg(&svg);
    assert!(svg.contains("prefers-color-scheme: dark") && !svg.contains("bert<"));
    for words in [
        "bert&lt;&amp;&gt; · inference on 4g · memory slots 0 to 3 · from 5 s until 10 s · created 2.5 s ahead",
        "vit · retraining on 1g · memory slots 7 to 7 · from 2 s until 6 s",
        "bert&lt;&amp;&gt; · inference on 2g · from 0 s until 5 s",
        "not served in time",
        "1 reconfiguration (2.5 of 2.5 s hidden) · 1 instance destroyed",
    ] {
        assert!(svg.contains(words), "{words}");
    }
    // Half a window is 500 pixels, a memory slot 20.
    let large = piece(&svg, "memory slots 0 to 3");
    assert_eq!([large[2], large[3]], [500.0, 80.0]);
    let retraining = piece(&svg, "memory slots 7 to 7");
    assert_eq!([retraining[0] - piece(&svg, "memory slots 6 to 6")[0], retraining[2]], [200.0, 400.0]);
    let pieces: Vec<[f64; 4]> =
        ["memory slots 0 to 3", "memory slots 4 to 5", "memory slots 6 to 6", "memory slots 7 to 7"]
            .map(|tip| piece(&svg, tip))
            .to_vec();
    for (rank, one) in pieces.iter().enumerate() {
        for other in &pieces[..rank] {
            let beside =
                |at: usize| one[at] + one[at + 2] <= other[at] || other[at] + other[at + 2] <= one[at];
            assert!(beside(0) || beside(1), "{one:?} and {other:?}");
        }
    }
    // Two and a half seconds are five slots of 50 pixels.
    let ahead = svg.split("class=\"ahead\"").nth(1).unwrap().split("/>").next().unwrap();
    assert!(ahead.contains("h250v80h-250z"), "{ahead}");
}

/// Left, upper end, width and height of the first rectangle below a tip that contains the words.
fn piece(svg: &str, words: &str) -> [f64; 4] {
    let element = svg.split(words).nth(1).unwrap().split("<rect").nth(1).unwrap().split('>').next().unwrap();
    ["x", "y", "width", "height"].map(|name| {
        let text = element.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap();
        text.parse().unwrap()
    })
}

/// An hour of changes every other second stays a small file, and an instance less than a pixel wide is drawn.
#[test]
fn an_hour_is_not_too_much() {
    let slots = 3600;
    let models: Vec<Value> = (0..4)
        .map(|model| {
            let requests: Vec<u32> = (0..slots).map(|slot| (slot * (7 + model) + slot * slot) % 97).collect();
            let served: Vec<u32> = requests.iter().map(|&requests| requests.min(60)).collect();
            let runs: Vec<Value> = (0..slots / 2)
                .map(|run| json!({ "from": 2 * run, "until": 2 * run + 2, "instances": if run % 2 == 0 { ["1g"] } else { ["2g"] } }))
                .collect();
            json!({
                "model": format!("m{model}"), "retraining": null, "inference": runs,
                "series": { "requests": requests, "capability": vec![60; slots as usize], "served": served }
            })
        })
        .collect();
    let instances: Vec<Value> = (0..slots / 2)
        .flat_map(|run| (0..4).map(move |model| (run, model)))
        .map(|(run, model)| {
            json!({
                "model": format!("m{model}"), "task": "inference", "instance": "1g", "start": 2 * model,
                "size": 1 + run % 2, "from": 2 * run, "until": 2 * run + 2, "prepared_seconds": 0.5
            })
        })
        .collect();
    let window = json!({ "board": "A100-40GB", "memory_slots": 8, "slots": slots, "basis_seconds": 1 });
    let drawing = drawing(json!({ "tasks": models, "window": window, "instances": instances }));
    let svg = drawing.svg();
    check_svg(&svg);
    assert!(svg.len() < 500_000, "{} bytes", svg.len());
    assert!(svg.contains("class=\"together\"") && svg.contains("class=\"capability range\""));
    assert!(drawing.draw(Screen::of_width(120)).contains("3000 s"));
}

#[test]
fn the_command_draws_the_requests_of_an_instance() {
    let folder = Folder::new();
    folder.write(
        "small.yaml",
        "name: small
migrator:
  window_seconds: 6
  models:
  - name: bert
    capability: {1g: 10, 2g: 20}
    accuracy: {before: 0.5, after: 0.9}
    retraining_seconds: {1g: 2}
    reconfiguration_seconds: 1
    requests: [1, 2, 4, 8, 4, 0]
",
    );
    let path = folder.text("small.yaml");
    insta::assert_snapshot!(run(&["show", &path], PROVED).stdout, @r"
    small
    A100-40GB  6 slots of 1 s  19 requests

    bert  19 requests  █ 8 per second
      requests   ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▂▂▂▂▂▂▂▂▂▂▂▂▂▂▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄██████████████▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄··············
                 0 s            1 s           2 s            3 s           4 s            5 s
    ");
    run(&["show", &path, "--picture", &folder.text("p.svg")], PROVED);
    check_svg(&folder.read("p.svg"));
}

#[test]
fn the_command_draws_a_solution_written_by_hand() {
    let folder = Folder::new();
    folder.write(
        "solution.yaml",
        "model: migrator
instance: {name: small}
plan:
  tasks:
  - model: bert
    retraining: {instance: 1g, from: 0, until: 2}
    inference: [{from: 0, until: 6, instances: [2g, 1g, 1g]}]
pending: []
",
    );
    let text = run(&["show", &folder.text("solution.yaml")], PROVED).stdout;
    assert!(text.contains("│2g+2x1g") && text.contains("retrained on 1g from 0 s to 2 s"), "{text}");
}

/// Checks that a drawing is well-formed and has a number wherever one belongs.
fn check_svg(svg: &str) {
    check_well_formed(svg);
    assert!(!svg.contains("NaN") && !svg.contains("inf\""));
}

/// Whatever a file can say: a drawing must not depend on a plan that obeys the rules.
fn any_plan() -> impl Strategy<Value = Value> {
    let name = || prop_oneof!["[a-c]", "[a-z]{1,30}", any::<String>()];
    let size = || prop_oneof!["[1-7]g", any::<String>()];
    let slot = || prop_oneof![0..30_u32, any::<u32>()];
    let amount =
        || prop_oneof![0.0..50.0, -5.0..1e9_f64].prop_map(|number: f64| (number * 100.0).round() / 100.0);
    let amounts = move || prop::collection::vec(amount(), 0..40);
    let run = (slot(), slot(), prop::collection::vec(size(), 0..4))
        .prop_map(|(from, until, instances)| json!({ "from": from, "until": until, "instances": instances }));
    let series = (amounts(), amounts(), amounts()).prop_map(
        |(requests, capability, served)| json!({ "requests": requests, "capability": capability, "served": served }),
    );
    let retraining = (size(), slot(), slot())
        .prop_map(|(instance, from, until)| json!({ "instance": instance, "from": from, "until": until }));
    let task = (name(), prop::option::of(retraining), prop::collection::vec(run, 0..6), prop::option::of(series))
        .prop_map(|(model, retraining, inference, series)| {
            json!({ "model": model, "retraining": retraining, "inference": inference, "series": series })
        });
    let instance = (name(), any::<bool>(), size(), [slot(), slot(), slot(), slot()], amount()).prop_map(
        |(model, retrains, instance, [start, size, from, until], ahead)| {
            let task = if retrains { "retraining" } else { "inference" };
            json!({
                "model": model, "task": task, "instance": instance, "start": start, "size": size, "from": from,
                "until": until, "prepared_seconds": ahead
            })
        },
    );
    let change = (slot(), name(), amount()).prop_map(|(slot, model, seconds)| {
        let task = json!({ "model": model, "seconds": seconds, "hidden_seconds": seconds });
        json!({ "slot": slot, "destroyed": [], "created": [], "reconfigured": [task] })
    });
    let window = (name(), slot(), slot(), amount()).prop_map(|(board, memory_slots, slots, basis)| {
        json!({ "board": board, "memory_slots": memory_slots, "slots": slots, "basis_seconds": basis })
    });
    let tasks = prop::collection::vec(task, 0..5);
    let instances = prop::collection::vec(instance, 0..12);
    let changes = prop::collection::vec(change, 0..8);
    (tasks, prop::option::of(window), instances, changes).prop_map(|(tasks, window, instances, changes)| {
        json!({ "tasks": tasks, "window": window, "instances": instances, "changes": changes })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_terminal_drawing_keeps_to_its_width(plan in any_plan(), width in 0..140_usize) {
        let drawing = drawing(plan);
        check_terminal(width, |screen| drawing.draw(screen));
    }

    #[test]
    fn an_svg_is_well_formed_and_repeatable(plan in any_plan()) {
        let svg = drawing(plan.clone()).svg();
        check_svg(&svg);
        prop_assert_eq!(drawing(plan).svg(), svg);
    }
}

//! Instances of model wpm that are told outright, from trivial ones to those in which everything is alike.

use serde_json::{Value, json};

const A100: &str = "A100-80GB";

/// All of them.
pub fn all() -> Vec<Value> {
    [trivial(), ties(), symmetric(), infeasible()].concat()
}

/// What is told of an instance: what it is about, a board for each GPU, its workloads and its settings.
type Told = (&'static str, Vec<&'static str>, Vec<Value>, Value);

/// Instances of a family, numbered.
fn family(name: &str, told: Vec<Told>) -> Vec<Value> {
    let instance = |(number, (description, boards, workloads, settings)): (usize, Told)| {
        let gpus: Vec<Value> = boards
            .iter()
            .enumerate()
            .map(|(number, board)| json!({"name": format!("g{number}"), "board": board}))
            .collect();
        json!({
            "name": format!("{name}-{:03}", number + 1),
            "description": description,
            "family": name,
            "gpus": gpus,
            "workloads": workloads,
            "wpm": settings,
        })
    };
    told.into_iter().enumerate().map(instance).collect()
}

fn newcomer(name: &str, profile: &str) -> Value {
    json!({"name": name, "profile": profile})
}

fn runs(name: &str, profile: &str, gpu: usize, start: u8) -> Value {
    json!({"name": name, "profile": profile, "current": {"gpu": format!("g{gpu}"), "start": start}})
}

fn pinned(name: &str, profile: &str, gpu: usize, start: u8) -> Value {
    let mut workload = runs(name, profile, gpu, start);
    workload["movable"] = json!(false);
    workload
}

fn several(count: usize, profile: &str) -> Vec<Value> {
    (0..count).map(|number| newcomer(&format!("w{number}"), profile)).collect()
}

fn asks(use_case: &str) -> Value {
    json!({"use_case": use_case, "objective": "weighted"})
}

fn asks_for_all(use_case: &str) -> Value {
    json!({"use_case": use_case, "objective": "weighted", "place_all": true})
}

fn trivial() -> Vec<Value> {
    let alone = || vec![runs("w0", "1g.10gb", 0, 3)];
    family(
        "trivial",
        vec![
            ("nothing to place", vec![A100], vec![], asks("joint")),
            ("nothing to place on three GPUs", vec![A100; 3], vec![], asks("initial")),
            ("one newcomer, one GPU", vec![A100], several(1, "2g.20gb"), asks("joint")),
            ("one newcomer, two GPUs", vec![A100; 2], several(1, "3g.40gb"), asks("initial")),
            ("one that runs may stay", vec![A100; 2], alone(), asks("joint")),
            ("one that runs, and no free GPU is used", vec![A100; 2], alone(), asks("compaction")),
            ("one that runs is laid out anew", vec![A100; 2], alone(), asks("reconfiguration")),
            ("newcomers are not considered", vec![A100], several(2, "1g.10gb"), asks("compaction")),
            ("a whole GPU", vec![A100], several(1, "7g.80gb"), asks("joint")),
            (
                "a GPU is full",
                vec![A100],
                vec![runs("w0", "7g.80gb", 0, 0), newcomer("w1", "1g.10gb")],
                asks("initial"),
            ),
            ("a pinned workload alone", vec![A100], vec![pinned("w0", "1g.10gb", 0, 5)], asks("joint")),
            ("no board serves the newcomer", vec!["A30-24GB"], several(1, "7g.80gb"), asks("joint")),
        ],
    )
}

/// Several solutions are equally good.
fn ties() -> Vec<Value> {
    let spread = |profile: &str, start: u8, gpus: usize| -> Vec<Value> {
        (0..gpus).map(|gpu| runs(&format!("w{gpu}"), profile, gpu, start)).collect()
    };
    let with = |mut workloads: Vec<Value>, more: Vec<Value>| {
        workloads.extend(more);
        workloads
    };
    family(
        "ties",
        vec![
            ("either GPU will do", vec![A100; 2], several(2, "3g.40gb"), asks("joint")),
            ("two of three must share", vec![A100; 2], several(3, "4g.40gb"), asks("initial")),
            (
                "one may be vacated, no matter which",
                vec![A100; 2],
                spread("3g.40gb", 4, 2),
                asks("compaction"),
            ),
            ("two of three may be vacated", vec![A100; 3], spread("2g.20gb", 0, 3), asks("compaction")),
            ("one of four stays in use", vec![A100; 4], spread("1g.10gb", 6, 4), asks("joint")),
            (
                "all are laid out anew on any of them",
                vec![A100; 3],
                spread("2g.20gb", 4, 3),
                asks("reconfiguration"),
            ),
            (
                "alike newcomers beside alike residents",
                vec![A100; 2],
                with(spread("3g.40gb", 0, 2), vec![newcomer("n0", "3g.40gb"), newcomer("n1", "3g.40gb")]),
                asks("joint"),
            ),
            (
                "one of two newcomers waits",
                vec![A100],
                vec![newcomer("n0", "7g.80gb"), newcomer("n1", "7g.80gb")],
                asks("joint"),
            ),
            (
                "the same memory in one or two workloads",
                vec![A100],
                vec![newcomer("n0", "3g.40gb"), newcomer("n1", "4g.40gb"), newcomer("n2", "7g.80gb")],
                asks("joint"),
            ),
            (
                "any of the alike newcomers has the media engines",
                vec!["A30-24GB"; 2],
                several(3, "1g.6gb+me"),
                asks("initial"),
            ),
            (
                "equal by two goals",
                vec![A100; 2],
                with(spread("1g.20gb", 6, 2), several(0, "1g.20gb")),
                json!({"use_case": "joint", "objective": "lexicographic:reward,gpus"}),
            ),
            (
                "everything is free of charge",
                vec![A100; 2],
                spread("2g.20gb", 2, 2),
                json!({"use_case": "joint", "objective": "weighted", "costs": {"reward_per_slice": 0, "gpu": 0, "repartition": 0, "migration_per_slice": 0, "waste": 0}}),
            ),
        ],
    )
}

/// GPUs that all carry the same.
fn symmetric() -> Vec<Value> {
    let contents: [&[(&str, u8)]; 4] = [
        &[("1g.10gb", 0), ("2g.20gb", 4)],
        &[("3g.40gb", 4)],
        &[("1g.20gb", 2), ("1g.10gb", 5)],
        &[("2g.20gb", 0), ("2g.20gb", 2)],
    ];
    let mut told = Vec::new();
    for use_case in ["compaction", "joint", "reconfiguration", "initial"] {
        for content in contents {
            let on = |gpu: usize| {
                content.iter().enumerate().map(move |(number, &(profile, start))| {
                    runs(&format!("w{gpu}-{number}"), profile, gpu, start)
                })
            };
            let mut workloads: Vec<Value> = (0..3).flat_map(on).collect();
            if matches!(use_case, "joint" | "initial") {
                workloads.extend([newcomer("n0", "4g.40gb"), newcomer("n1", "4g.40gb")]);
            }
            told.push(("three GPUs that carry the same", vec![A100; 3], workloads, asks(use_case)));
        }
    }
    family("symmetric", told)
}

/// Not all can be placed, although all must.
fn infeasible() -> Vec<Value> {
    let four_pinned =
        (0..4).map(|number| pinned(&format!("w{number}"), "1g.10gb", 0, 2 * number)).collect::<Vec<_>>();
    let with = |mut workloads: Vec<Value>, more: Value| {
        workloads.push(more);
        workloads
    };
    let scattered = vec![runs("w0", "1g.10gb", 0, 1), runs("w1", "1g.10gb", 1, 5), newcomer("n0", "7g.80gb")];
    family(
        "infeasible",
        vec![
            ("two whole GPUs on one", vec![A100], several(2, "7g.80gb"), asks_for_all("joint")),
            ("three halves on one GPU", vec![A100], several(3, "3g.40gb"), asks_for_all("initial")),
            (
                "two 4g on one GPU, though memory suffices",
                vec![A100],
                several(2, "4g.40gb"),
                asks_for_all("joint"),
            ),
            ("eight slices of compute on seven", vec![A100], several(8, "1g.10gb"), asks_for_all("initial")),
            (
                "two with media engines on one GPU",
                vec![A100],
                several(2, "1g.10gb+me"),
                asks_for_all("joint"),
            ),
            ("no board serves it", vec!["A30-24GB"; 2], several(1, "3g.40gb"), asks_for_all("joint")),
            (
                "what is pinned leaves no room in one piece",
                vec![A100],
                with(four_pinned, newcomer("n0", "3g.40gb")),
                asks_for_all("joint"),
            ),
            ("nothing may be moved to make room", vec![A100; 2], scattered.clone(), asks_for_all("initial")),
            (
                "three 2g on one GPU, which holds two",
                vec!["A30-24GB"],
                several(3, "2g.12gb"),
                asks_for_all("joint"),
            ),
            (
                "a whole GPU beside another workload",
                vec!["H100-80GB"],
                vec![newcomer("n0", "7g.80gb"), newcomer("n1", "1g.10gb")],
                asks_for_all("joint"),
            ),
            (
                "in order of the goals",
                vec![A100],
                several(3, "3g.40gb"),
                json!({"use_case": "joint", "objective": "lexicographic", "place_all": true}),
            ),
            (
                "five wholes on three GPUs",
                vec![A100, A100, "A30-24GB"],
                several(5, "7g.80gb"),
                asks_for_all("joint"),
            ),
        ],
    )
}

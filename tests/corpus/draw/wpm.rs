//! The instances of model wpm: some told outright, the others random by recipes.

use super::dice::Dice;
use super::fleet::{Fleet, geometries};
use super::wpm_told;
use mig::catalogue;
use serde_json::{Map, Value, json};
use std::ops::RangeInclusive;

const USE_CASES: [&str; 4] = ["initial", "compaction", "reconfiguration", "joint"];
/// Those that move what runs.
const MOVING: [&str; 3] = ["compaction", "reconfiguration", "joint"];
const A100: &str = "A100-80GB";
const A30: &str = "A30-24GB";
const RTX: &str = "RTX PRO 6000 Blackwell 96GB";
const WEIGHTED: &[&str] = &["weighted"];
const ORDERS: &[&str] = &[
    "lexicographic",
    "lexicographic:reward,migrations,gpus,waste",
    "lexicographic:gpus,reward",
    "lexicographic:reward,waste,migrations",
    "lexicographic:migrations,reward,gpus",
    "lexicographic:waste,gpus,reward,migrations",
    "lexicographic:reward",
];

/// How the random instances of a family are made.
#[derive(Clone)]
struct Recipe {
    family: &'static str,
    count: usize,
    /// Sets of GPUs to choose from, each a board per GPU.
    fleets: &'static [&'static [&'static str]],
    use_cases: &'static [&'static str],
    workloads: RangeInclusive<usize>,
    /// How many workloads in a hundred run already, if there is room for them.
    running: usize,
    /// How many of those in a hundred are pinned.
    pinned: usize,
    /// Which profiles are asked for.
    profiles: fn(&str) -> bool,
    /// How many workloads in a hundred accept a profile of another board as well.
    alternatives: usize,
    /// Whether workloads have rewards and migration costs of their own.
    own_weights: bool,
    /// Whether GPUs, repartitions and waste have costs that are told.
    own_costs: bool,
    objectives: &'static [&'static str],
    place_all: bool,
}

/// What recipes have in common.
const BASE: Recipe = Recipe {
    family: "",
    count: 10,
    fleets: &[&[A100, A100], &[A100, A100, A100]],
    use_cases: &USE_CASES,
    workloads: 4..=8,
    running: 60,
    pinned: 0,
    profiles: |_| true,
    alternatives: 0,
    own_weights: false,
    own_costs: false,
    objectives: &["weighted", "lexicographic"],
    place_all: false,
};

fn is_media(profile: &str) -> bool {
    profile.contains("+me") || profile.contains("video")
}

/// Profiles that do not take all slots, so that there is something to decide.
fn is_partial(profile: &str) -> bool {
    !profile.starts_with("7g") && !profile.starts_with("4g.24gb") && !profile.starts_with("4g.96gb")
}

const RECIPES: &[Recipe] = &[
    Recipe { family: "initial", use_cases: &["initial"], profiles: is_partial, running: 50, ..BASE },
    Recipe { family: "compaction", use_cases: &["compaction"], profiles: is_partial, running: 90, ..BASE },
    Recipe { family: "reconfiguration", use_cases: &["reconfiguration"], running: 90, ..BASE },
    Recipe { family: "joint", use_cases: &["joint"], profiles: is_partial, ..BASE },
    Recipe { family: "crowded", profiles: is_partial, workloads: 8..=9, running: 30, ..BASE },
    Recipe {
        family: "mixed-boards",
        count: 16,
        fleets: &[&[A100, A30], &[A30, RTX], &["A100-40GB", "H100-80GB", A30], &["B200-180GB", "H200-141GB"]],
        alternatives: 60,
        ..BASE
    },
    Recipe {
        family: "own-geometry",
        count: 20,
        fleets: &[
            &["tiny", "tiny", "tiny"],
            &["gaps", "gaps"],
            &["pairs", "pairs"],
            &["half", "half", "half"],
            &["half", A30],
            &["decoders", "decoders"],
        ],
        ..BASE
    },
    Recipe {
        family: "pinned",
        count: 20,
        use_cases: &MOVING,
        pinned: 40,
        running: 70,
        profiles: is_partial,
        ..BASE
    },
    Recipe { family: "pinned-initial", count: 4, use_cases: &["initial"], pinned: 50, ..BASE },
    Recipe {
        family: "media",
        count: 20,
        fleets: &[
            &[A100, A100],
            &[RTX, RTX],
            &[A30, A30, A30],
            &["decoders", "decoders"],
            &["H100-80GB", "H100-80GB"],
        ],
        profiles: |profile| is_media(profile) || profile.starts_with("1g") || profile.starts_with("d1"),
        ..BASE
    },
    Recipe {
        family: "contested-media",
        count: 10,
        fleets: &[&[A30, A30], &["decoders", "decoders"], &[RTX, RTX]],
        use_cases: &MOVING,
        profiles: is_media,
        own_weights: true,
        own_costs: true,
        running: 50,
        ..BASE
    },
    Recipe {
        family: "rewards",
        count: 12,
        own_weights: true,
        profiles: is_partial,
        objectives: &["lexicographic"],
        ..BASE
    },
    Recipe {
        family: "costs",
        count: 14,
        fleets: &[&[A100, A100], &[A30, A30, A30], &[A100, A30]],
        own_costs: true,
        objectives: WEIGHTED,
        ..BASE
    },
    Recipe {
        family: "rewards-and-costs",
        count: 16,
        own_weights: true,
        own_costs: true,
        use_cases: &MOVING,
        objectives: WEIGHTED,
        ..BASE
    },
    Recipe {
        family: "orders",
        count: 21,
        objectives: ORDERS,
        own_weights: true,
        profiles: is_partial,
        ..BASE
    },
    Recipe {
        family: "place-all",
        count: 16,
        use_cases: &["initial", "joint"],
        workloads: 5..=8,
        profiles: is_partial,
        place_all: true,
        ..BASE
    },
];

/// What the search for hard cases draws from.
const HARD: Recipe = Recipe {
    fleets: &[&[A100, A100], &[A100, A100, A100], &[A30, A30, A30], &[A100, A30]],
    objectives: &["lexicographic"],
    workloads: 5..=8,
    ..BASE
};

/// By the family of each heuristic the seeds for which [`candidate`] is farthest from the optimum, found by the test `search`.
const FAR: &[(&str, &[u64])] = &[
    ("far-first-fit", &[965, 1453, 1389, 230, 441, 581, 1169, 25]),
    ("far-load-balanced", &[577, 1170, 1203, 1423, 1535, 208, 463, 509]),
    ("far-rule-based", &[725, 749, 1199, 1542, 1419, 1511, 219, 222]),
];

/// All of them, each an instance as it stands in files.
pub fn draw() -> Vec<Value> {
    let mut drawn = wpm_told::all();
    for (number, board) in catalogue().boards().iter().enumerate() {
        for (turn, use_case) in ["joint", "initial", "compaction"].into_iter().enumerate() {
            let name = format!("boards-{:03}", 3 * number + turn + 1);
            let recipe = Recipe { family: "boards", ..BASE };
            drawn.push(random(&recipe, &mut Dice::of_name(&name), &name, &[board.name(); 2], use_case));
        }
    }
    for recipe in RECIPES {
        for number in 1..=recipe.count {
            let name = format!("{}-{number:03}", recipe.family);
            drawn.push(of_recipe(recipe, &mut Dice::of_name(&name), &name, number));
        }
    }
    for &(family, seeds) in FAR {
        for (number, &seed) in seeds.iter().enumerate() {
            drawn.push(hard(seed, family, number + 1));
        }
    }
    drawn
}

/// A candidate for the hard cases.
pub fn candidate(seed: u64) -> Value {
    hard(seed, "far", 0)
}

fn hard(seed: u64, family: &'static str, number: usize) -> Value {
    let recipe = Recipe { family, ..HARD };
    let mut dice = Dice::of_seed(seed);
    let turn = dice.below(4);
    of_recipe(&recipe, &mut dice, &format!("{family}-{number:03}"), turn)
}

/// A random instance; the number takes turns through the use cases.
fn of_recipe(recipe: &Recipe, dice: &mut Dice, name: &str, number: usize) -> Value {
    let fleet = dice.pick(recipe.fleets);
    random(recipe, dice, name, fleet, recipe.use_cases[number % recipe.use_cases.len()])
}

fn random(recipe: &Recipe, dice: &mut Dice, name: &str, boards: &[&str], use_case: &str) -> Value {
    let named: Vec<(String, &str)> =
        boards.iter().enumerate().map(|(number, board)| (format!("g{number}"), *board)).collect();
    let gpus: Vec<Value> = named.iter().map(|(name, board)| json!({"name": name, "board": board})).collect();
    let mut fleet = Fleet::new(named.into_iter());
    let (least, most) = recipe.workloads.clone().into_inner();
    let count = least + dice.below(most - least + 1);
    let workloads: Vec<Value> = (0..count).map(|number| workload(recipe, dice, &mut fleet, number)).collect();
    let mut settings = json!({"use_case": use_case, "objective": dice.pick(recipe.objectives)});
    if recipe.place_all {
        settings["place_all"] = json!(true);
    }
    if recipe.own_costs {
        settings["costs"] = costs(dice, boards);
    }
    json!({
        "name": name,
        "family": recipe.family,
        "boards": geometries(boards.iter().copied()),
        "gpus": gpus,
        "workloads": workloads,
        "wpm": settings,
    })
}

fn workload(recipe: &Recipe, dice: &mut Dice, fleet: &mut Fleet, number: usize) -> Value {
    let gpu = dice.below(fleet.len());
    let profile = profile_of(recipe, dice, fleet, gpu);
    let mut workload = Map::new();
    workload.insert("name".to_owned(), json!(format!("w{number}")));
    let mut accepted = vec![profile.clone()];
    if dice.percent(recipe.alternatives) {
        let other = dice.below(fleet.len());
        let other = profile_of(recipe, dice, fleet, other);
        accepted.extend((other != profile).then_some(other));
    }
    workload.insert("profile".to_owned(), if accepted.len() == 1 { json!(profile) } else { json!(accepted) });
    let runs = dice.percent(recipe.running);
    if let Some(spot) = runs.then(|| fleet.run(dice, gpu, &profile)).flatten() {
        workload.insert("current".to_owned(), spot);
        if dice.percent(recipe.pinned) {
            workload.insert("movable".to_owned(), json!(false));
        }
    }
    if recipe.own_weights {
        workload.insert("reward".to_owned(), json!(dice.below(40)));
        workload.insert("migration_cost".to_owned(), json!(dice.below(24) as f64 / 2.0));
    }
    Value::Object(workload)
}

/// A profile of a GPU that the recipe asks for; any where it has none of these.
fn profile_of(recipe: &Recipe, dice: &mut Dice, fleet: &Fleet, gpu: usize) -> String {
    let names: Vec<&str> = fleet.profiles(gpu).iter().map(|profile| profile.name.as_str()).collect();
    let wanted: Vec<&str> = names.iter().copied().filter(|name| (recipe.profiles)(name)).collect();
    dice.pick(if wanted.is_empty() { &names } else { &wanted }).to_owned()
}

/// Costs that do not guarantee an order of the goals, some by board.
fn costs(dice: &mut Dice, boards: &[&str]) -> Value {
    let mut costs = json!({
        "reward_per_slice": dice.below(60),
        "gpu": dice.below(120) as f64 / 2.0,
        "repartition": dice.below(20),
        "migration_per_slice": dice.below(12),
        "waste": dice.below(32) as f64 / 4.0,
    });
    if dice.percent(40) {
        let board = dice.pick(boards);
        costs["boards"] = json!({board: {"gpu": dice.below(80), "waste": dice.below(5)}});
    }
    costs
}

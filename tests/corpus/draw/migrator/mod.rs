//! The instances of model migrator.

mod far;
mod impossible;
mod readings;
mod requests;
mod retrainings;
mod slow;
mod tasks;

use super::family::{Family, one_of, several};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

/// All of them, each an instance as it stands in files.
pub fn draw() -> Vec<Value> {
    let drawn = [
        readings::draw(),
        tasks::draw(),
        requests::draw(),
        retrainings::draw(),
        impossible::draw(),
        far::draw(),
    ];
    let is_quick = |instance: &Value| slow::SLOW.iter().all(|slow| instance["name"] != *slow);
    drawn.concat().into_iter().filter(is_quick).collect()
}

const A30: &str = "A30-24GB";
const A100: &str = "A100-40GB";
const RTX: &str = "RTX PRO 6000 Blackwell 96GB";

/// A family whose name says what it is about.
fn family(name: &'static str) -> Family {
    about(name, "")
}

/// A family that needs an explanation.
fn about(name: &'static str, description: &'static str) -> Family {
    Family { section: "migrator", name, description }
}

/// A window under the usual readings, with slots of a second.
fn window(random: &mut ChaCha8Rng, board: &str, models: usize, slots: u64) -> Value {
    let models = several("m", models, |_| model(random, board, slots));
    json!({"board": board, "window_seconds": slots, "models": models})
}

/// A window of a few slots, as many as the printed program can bear.
fn short_window(random: &mut ChaCha8Rng, board: &str, models: usize) -> Value {
    let slots = match (sizes(board).len(), models) {
        (3, 1) => random.random_range(4..=6),
        (3, 2) => random.random_range(3..=4),
        (_, 1) => random.random_range(3..=4),
        _ => 3,
    };
    window(random, board, models, slots)
}

/// A model that can be retrained on some sizes within half of the window.
fn model(random: &mut ChaCha8Rng, board: &str, slots: u64) -> Value {
    let one = random.random_range(3..=12);
    let lost = random.random_range(0..=one / 3);
    let before = random.random_range(8..=14);
    let after = before + random.random_range(1..=5);
    let work = random.random_range(1..=slots.div_ceil(2));
    let requests: Vec<u64> = (0..slots).map(|_| random.random_range(0..=one * 4)).collect();
    let offered = &sizes(board)[..random.random_range(1..=sizes(board).len())];
    json!({
        "capability": by_size(sizes(board), |gpcs| one * gpcs - lost * (gpcs - 1) / 2),
        "accuracy": {"before": f64::from(before) / 20.0, "after": f64::from(after) / 20.0},
        "retraining_seconds": by_size(offered, |gpcs| work.div_ceil(gpcs)),
        "reconfiguration_seconds": one_of(random, &[0.0, 0.5, 0.5, 1.0, 1.5, 2.5]),
        "requests": requests
    })
}

/// GPCs of the sizes of a board.
fn sizes(board: &str) -> &'static [u64] {
    if board == A30 || board == RTX { &[1, 2, 4] } else { &[1, 2, 3, 4, 7] }
}

/// A number for each size.
fn by_size(sizes: &[u64], number: impl Fn(u64) -> u64) -> Value {
    sizes.iter().map(|&gpcs| (format!("{gpcs}g"), json!(number(gpcs)))).collect()
}

/// The models of a window.
fn models(window: &mut Value) -> &mut Vec<Value> {
    window["models"].as_array_mut().expect("a window has a list of models")
}

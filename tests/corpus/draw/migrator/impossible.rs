//! Windows without a plan, of each kind.

use super::{A30, A100, RTX, about, models, one_of, window};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

pub fn draw() -> Vec<Value> {
    [
        about("minima-too-large", "infeasible: the inference tasks do not fit beside each other")
            .draw(12, minima_too_large),
        about("no-room", "infeasible: a retraining fits beside the inference tasks on none of its sizes")
            .draw(10, no_room),
        about("too-long", "infeasible: a retraining takes longer than the window on every size that fits")
            .draw(8, too_long),
        about(
            "not-all-finished",
            "infeasible: each retraining fits, but one after the other they take too long",
        )
        .draw(8, not_all_finished),
    ]
    .concat()
}

/// A window with these smallest instances.
fn with_minima(random: &mut ChaCha8Rng, board: &str, minima: &[&str], slots: u64) -> Value {
    let mut window = window(random, board, minima.len(), slots);
    for (model, minimum) in models(&mut window).iter_mut().zip(minima) {
        model["minimum_instance"] = json!(minimum);
    }
    window
}

/// Too many GPCs, or on an A100 two instances of 3g, which take all memory slots.
fn minima_too_large(random: &mut ChaCha8Rng) -> Value {
    let (board, minima) = one_of(
        random,
        &[
            (A100, &["4g", "4g"][..]),
            (A100, &["3g", "3g", "1g"]),
            (A100, &["7g", "1g"]),
            (A100, &["2g", "2g", "2g", "2g"]),
            (A30, &["4g", "1g"]),
            (A30, &["2g", "2g", "1g"]),
            (RTX, &["4g", "2g"]),
        ],
    );
    with_minima(random, board, minima, 3)
}

fn no_room(random: &mut ChaCha8Rng) -> Value {
    let (board, minima, retraining) = one_of(
        random,
        &[
            (A100, &["4g", "3g"][..], "1g"),
            (A100, &["3g", "3g"], "1g"),
            (A100, &["4g"], "4g"),
            (A100, &["7g"], "1g"),
            (A30, &["2g", "1g"], "2g"),
            (A30, &["2g", "2g"], "1g"),
            (RTX, &["2g", "1g"], "2g"),
        ],
    );
    let mut window = with_minima(random, board, minima, 3);
    for model in models(&mut window) {
        model["retraining_seconds"] = json!({(retraining): 1});
    }
    window
}

fn too_long(random: &mut ChaCha8Rng) -> Value {
    let (board, minima) = one_of(random, &[(A100, &["1g", "3g"][..]), (A30, &["1g"]), (RTX, &["1g", "1g"])]);
    let slots = random.random_range(2..=5);
    let mut window = with_minima(random, board, minima, slots);
    // Quick enough on 4g, beside which there is no room for the inference tasks.
    let model = models(&mut window).last_mut().expect("there are models");
    model["retraining_seconds"] = json!({"1g": 2 * slots, "2g": slots + 1, "4g": 1});
    window
}

fn not_all_finished(random: &mut ChaCha8Rng) -> Value {
    let (board, minima, retraining) = one_of(
        random,
        &[
            (A30, ["1g", "1g"], "2g"),
            (RTX, ["1g", "1g"], "2g"),
            (A100, ["2g", "1g"], "4g"),
            (A100, ["1g", "1g"], "3g"),
        ],
    );
    let seconds = [random.random_range(1..=2), 2];
    let mut window = with_minima(random, board, &minima, seconds.iter().sum::<u64>() - 1);
    for (model, seconds) in models(&mut window).iter_mut().zip(seconds) {
        model["retraining_seconds"] = json!({(retraining): seconds});
    }
    window
}

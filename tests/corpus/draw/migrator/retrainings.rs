//! Retrainings that hardly fit, or that do not pay.

use super::{A30, A100, RTX, about, models, one_of, short_window, window};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

pub fn draw() -> Vec<Value> {
    [
        about("just-in-time", "the retraining takes the whole window").draw(8, just_in_time),
        about("one-after-another", "retrainings that do not fit beside each other and fill the window")
            .draw(10, one_after_another),
        about("worse-after", "the retraining lowers the accuracy, so that it had better end late")
            .draw(8, worse_after),
    ]
    .concat()
}

fn just_in_time(random: &mut ChaCha8Rng) -> Value {
    let board = one_of(random, &[A30, A100, RTX]);
    let mut window = short_window(random, board, 1);
    let slots = window["window_seconds"].as_u64().expect("whole seconds");
    // On the smaller size it takes too long.
    models(&mut window)[0]["retraining_seconds"] =
        json!({"1g": slots + random.random_range(1..=3), "2g": slots});
    window
}

fn one_after_another(random: &mut ChaCha8Rng) -> Value {
    let (board, size) = one_of(random, &[(A30, "2g"), (RTX, "2g"), (A30, "2g"), (A100, "4g")]);
    let seconds = [1, random.random_range(1..=2)];
    let mut window = window(random, board, 2, seconds.iter().sum());
    for (model, seconds) in models(&mut window).iter_mut().zip(seconds) {
        model["retraining_seconds"] = json!({(size): seconds});
    }
    window
}

fn worse_after(random: &mut ChaCha8Rng) -> Value {
    let (board, number) = one_of(random, &[(A30, 2), (A100, 1)]);
    let mut window = short_window(random, board, number);
    for model in models(&mut window) {
        model["accuracy"] = json!({"before": 0.8, "after": one_of(random, &[0.0, 0.3, 0.75])});
    }
    window
}

//! Every board and every reading.

use super::{A30, A100, RTX, about, family, models, one_of, short_window};
use itertools::iproduct;
use mig::catalogue;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

pub fn draw() -> Vec<Value> {
    [boards(), all_readings(), family("half-seconds").draw(8, half_seconds)].concat()
}

/// Three windows on each board that can be used.
fn boards() -> Vec<Value> {
    let names = catalogue().boards().iter().map(|board| board.name());
    let windows = iproduct!(names, [1, 1, 2]).zip(1..).map(|((board, models), seed)| {
        let random = &mut ChaCha8Rng::seed_from_u64(seed);
        short_window(random, board, models)
    });
    family("boards").of(windows)
}

/// Five windows under each combination of readings; reconfigurations take time, and often the first one counts.
fn all_readings() -> Vec<Value> {
    let readings = iproduct!(
        ["clip", "carry", "frac", "charge"],
        ["instance", "gpcs"],
        ["count", "multiset"],
        [(A30, 1), (A30, 2), (A100, 1), (A100, 1), (RTX, 2)]
    );
    let windows =
        readings.zip(1..).map(|((reconfiguration, deployment, signature, (board, number)), seed)| {
            let random = &mut ChaCha8Rng::seed_from_u64(seed);
            let mut window = short_window(random, board, number);
            window["reconfiguration"] = json!(reconfiguration);
            window["deployment"] = json!(deployment);
            window["signature"] = json!(signature);
            for model in models(&mut window) {
                model["reconfiguration_seconds"] = json!(one_of(random, &[0.5, 1.0, 1.5, 2.5]));
                if random.random_bool(0.4) {
                    model["minimum_instance"] = json!(if number == 1 { "2g" } else { "1g" });
                    model["first_allocation"] = json!(one_of(random, &[["1g", "1g"], ["2g", "1g"]]));
                }
            }
            window
        });
    let description = "all ways to read what the paper says of reconfigurations and deployments";
    about("readings", description).of(windows)
}

fn half_seconds(random: &mut ChaCha8Rng) -> Value {
    let board = one_of(random, &[A30, A100]);
    let mut window = short_window(random, board, 1);
    window["basis_seconds"] = json!(0.5);
    window["window_seconds"] = json!(window["window_seconds"].as_f64().expect("a number") / 2.0);
    for model in models(&mut window) {
        model["retraining_seconds"] = json!({"1g": 1.2, "2g": 0.7});
    }
    window
}

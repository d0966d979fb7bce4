//! How many models there are, how alike they are, and what they need and have before the window.

use super::{A30, A100, RTX, about, family, models, one_of, several, short_window};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

pub fn draw() -> Vec<Value> {
    [
        family("one-model").draw(12, |random| any_board(random, 1)),
        family("two-models").draw(16, |random| any_board(random, 2)),
        family("three-models").draw(12, three_models),
        about("minimum", "models that cannot be deployed on the smallest size").draw(12, minimum),
        about("first-allocation", "instances before the window, which to keep costs nothing")
            .draw(12, first_allocation),
        about("ties", "many plans are worth the same").draw(12, ties),
        about("symmetric", "models that differ in their names alone").draw(12, symmetric),
        about("uneven", "a larger instance may serve less, and some sizes serve nothing").draw(10, uneven),
    ]
    .concat()
}

fn any_board(random: &mut ChaCha8Rng, models: usize) -> Value {
    let board = one_of(random, &[A30, A100, RTX]);
    short_window(random, board, models)
}

fn three_models(random: &mut ChaCha8Rng) -> Value {
    let board = one_of(random, &[A30, RTX]);
    let mut window = short_window(random, board, 3);
    for model in models(&mut window) {
        model["retraining_seconds"] = json!({"1g": 1});
    }
    window
}

fn minimum(random: &mut ChaCha8Rng) -> Value {
    let (board, minima) = one_of(
        random,
        &[(A30, &["2g"][..]), (A30, &["2g", "1g"]), (A100, &["3g"]), (A100, &["4g", "1g"]), (RTX, &["2g"])],
    );
    let mut window = short_window(random, board, minima.len());
    for (model, minimum) in models(&mut window).iter_mut().zip(minima) {
        model["minimum_instance"] = json!(minimum);
    }
    window["deployment"] = json!(one_of(random, &["instance", "gpcs"]));
    window
}

fn first_allocation(random: &mut ChaCha8Rng) -> Value {
    let mut window = any_board(random, 1);
    if random.random_bool(0.5) {
        window = short_window(random, A30, 2);
    }
    for model in models(&mut window) {
        model["first_allocation"] = json!(one_of(random, &[&["1g"][..], &["2g"], &["1g", "1g"], &["4g"]]));
        model["reconfiguration_seconds"] = json!(one_of(random, &[0.5, 1.0, 2.5]));
    }
    window["reconfiguration"] = json!(one_of(random, &["clip", "carry", "frac"]));
    window
}

fn ties(random: &mut ChaCha8Rng) -> Value {
    let number = random.random_range(1..=2);
    let mut window = any_board(random, number);
    let slots = window["window_seconds"].as_u64().expect("whole seconds");
    let requests = random.random_range(5..=25);
    for model in models(&mut window) {
        model["accuracy"] = json!({"before": 0.5, "after": 0.75});
        model["requests"] = json!(vec![requests; slots as usize]);
        model["reconfiguration_seconds"] = json!(0);
    }
    window
}

fn symmetric(random: &mut ChaCha8Rng) -> Value {
    let number = if random.random_bool(0.3) { 3 } else { 2 };
    let board = one_of(random, if number == 3 { &[A30, RTX] } else { &[A30, A100] });
    let mut window = short_window(random, board, number);
    let mut like = models(&mut window)[0].clone();
    if number == 3 {
        like["retraining_seconds"] = json!({"1g": 1});
    }
    window["models"] = several("m", number, |_| like.clone()).into();
    window
}

fn uneven(random: &mut ChaCha8Rng) -> Value {
    let number = random.random_range(1..=2);
    let mut window = short_window(random, A30, number);
    for model in models(&mut window) {
        let capability = [("1g", [0, 5, 9]), ("2g", [0, 4, 20]), ("4g", [0, 12, 30])]
            .map(|(size, numbers)| (size.to_owned(), json!(one_of(random, &numbers))));
        model["capability"] = capability.into_iter().collect();
    }
    window
}

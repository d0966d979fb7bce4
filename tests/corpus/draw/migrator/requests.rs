//! How requests change from slot to slot.

use super::{A30, A100, RTX, about, family, models, one_of, short_window};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

pub fn draw() -> Vec<Value> {
    [
        about("no-requests", "nothing to serve: any plan will do, if there is one")
            .draw(6, |random| with_requests(random, |_, _, _| 0)),
        family("flat").draw(8, |random| {
            let level = random.random_range(4..=30);
            with_requests(random, move |_, _, _| level)
        }),
        about("swinging", "what one model gets more, the other gets less").draw(14, |random| {
            with_requests(random, |_, model, slot| if (model + slot) % 2 == 0 { 40 } else { 3 })
        }),
        about("bursty", "hardly any requests, and a burst now and then").draw(14, |random| {
            with_requests(
                random,
                |random, _, _| if random.random_bool(0.25) { 90 } else { random.random_range(0..=4) },
            )
        }),
    ]
    .concat()
}

/// One or two models, whose requests are told by model and slot.
fn with_requests(random: &mut ChaCha8Rng, requests: impl Fn(&mut ChaCha8Rng, usize, usize) -> u64) -> Value {
    let (board, number) = one_of(random, &[(A30, 2), (A30, 2), (A100, 1), (RTX, 2)]);
    let mut window = short_window(random, board, number);
    let slots = window["window_seconds"].as_u64().expect("whole seconds") as usize;
    for (position, model) in models(&mut window).iter_mut().enumerate() {
        let series: Vec<u64> = (0..slots).map(|slot| requests(random, position, slot)).collect();
        model["requests"] = json!(series);
    }
    window
}

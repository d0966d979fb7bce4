//! Random tiny instances of model migrator.

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write;

/// A random window of at most seven slots with at most four models, of which about a third cannot be planned.
pub fn draw(seed: u64) -> String {
    let random = &mut ChaCha8Rng::seed_from_u64(seed);
    let board = ["A100-40GB", "A100-40GB", "H100-80GB", "A30-24GB"].choose(random).unwrap();
    let sizes: &[u32] = if *board == "A30-24GB" { &[1, 2, 4] } else { &[1, 2, 3, 4, 7] };
    let slots: u32 = random.random_range(1..=7);
    let basis = *[1.0, 1.0, 0.5].choose(random).unwrap();
    let mut text = format!(
        "name: x\nmigrator:\n  board: {board}\n  window_seconds: {}\n  basis_seconds: {basis}\n  reconfiguration: {}\n  \
         deployment: {}\n  signature: {}\n  models:\n",
        f64::from(slots) * basis,
        ["clip", "carry", "frac", "charge"].choose(random).unwrap(),
        ["instance", "gpcs"].choose(random).unwrap(),
        ["count", "multiset"].choose(random).unwrap(),
    );
    for model in 0..*[1, 2, 2, 2, 3, 4].choose(random).unwrap() {
        let minimum: u32 = *[1, 1, 1, 2, 2, 4].choose(random).unwrap();
        let one: u32 = random.random_range(1..20);
        let capability =
            sizes.iter().map(|size| format!("{size}g: {}", one * size + random.random_range(0..3)));
        let capability: Vec<String> = capability.collect();
        let work: u32 = random.random_range(1..=slots * 2);
        let offered = sizes.iter().filter(|_| random.random_bool(0.7)).collect::<Vec<_>>();
        let offered = if offered.is_empty() { vec![&sizes[0]] } else { offered };
        let seconds =
            offered.iter().map(|size| format!("{size}g: {}", f64::from(work.div_ceil(**size)) * basis));
        let seconds: Vec<String> = seconds.collect();
        let requests = (0..slots).map(|_| random.random_range(0..one * 5).to_string()).collect::<Vec<_>>();
        write!(
            text,
            "  - name: m{model}\n    minimum_instance: {minimum}g\n    capability: {{{}}}\n    accuracy: {{before: 0.{}, after: \
             0.{}}}\n    retraining_seconds: {{{}}}\n    reconfiguration_seconds: {}\n    requests: [{}]\n",
            capability.join(", "),
            random.random_range(30..70),
            random.random_range(60..99),
            seconds.join(", "),
            [0.0, 0.5, 1.0, 2.5].choose(random).unwrap(),
            requests.join(", ")
        )
        .unwrap();
        if random.random_bool(0.5) {
            writeln!(text, "    gflops: {}", random.random_range(1..30)).unwrap();
        }
        if random.random_bool(0.3) {
            let first = [&["1g"][..], &["2g", "1g"], &["2g"]].choose(random).unwrap().join(", ");
            writeln!(text, "    first_allocation: [{first}]").unwrap();
        }
    }
    text
}

//! Certificates that are not as they were made: none is accepted that proves something false, and none ends in a panic.

#[path = "../../fuzz/known.rs"]
mod known;

use crate::certificates::stored_certificates;
use crate::parallel::in_parallel;
use known::{Judged, judge, known};
use models::MODELS;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How many texts are tried, unless the environment asks for another number.
const TEXTS: u64 = 100_000;

/// Streams of texts, each of which is made one after the other.
const STREAMS: u64 = 8;

/// Numbers at which something may go wrong.
const NUMBERS: [i128; 12] =
    [0, 1, -1, 2, 3, 1_000, -1_000, 1 << 31, 1 << 62, -(1 << 62), (1 << 62) + 1, 1 << 70];

/// Words that certificates know.
const WORDS: [&str; 12] = [
    "infeasible",
    "stage",
    "split",
    "prices",
    "goals",
    "totals",
    "end",
    "reading",
    "gpus",
    "repartitions",
    "migrations",
    "pages",
];

#[test]
fn whatever_a_text_says_it_proves_something_true_or_is_refused() {
    let asked = std::env::var("MIGOPT_MUTATIONS").map(|number| number.parse().expect("a number of texts"));
    let texts = asked.unwrap_or(TEXTS);
    let streams: Vec<u64> = (0..STREAMS).collect();
    let counts = in_parallel(&streams, |&stream| try_stream(stream, texts / STREAMS));
    let of = |judged: Judged| -> u64 { counts.iter().map(|counts| counts[judged as usize]).sum() };
    let [unread, refused, accepted] = [Judged::Unread, Judged::Refused, Judged::Accepted].map(of);
    println!(
        "{texts} texts: {unread} are no certificates, {refused} prove nothing, {accepted} prove something true"
    );
    assert!(refused > texts / 20 && accepted > texts / 20, "mutations reach the checkers");
}

/// How often each judgement was passed on the texts of a stream.
fn try_stream(stream: u64, texts: u64) -> [u64; 3] {
    let known = known();
    let stored: Vec<_> = MODELS.iter().map(|&model| stored_certificates(model)).collect();
    let of_known = |fingerprint: &str| stored.iter().find_map(|certificates| certificates.get(fingerprint));
    let seeds: Vec<&str> =
        known.iter().filter_map(|known| of_known(known.fingerprint)).map(String::as_str).collect();
    assert!(!seeds.is_empty());
    let random = &mut ChaCha8Rng::seed_from_u64(stream);
    let mut counts = [0; 3];
    for _ in 0..texts {
        let mut text = (*seeds.choose(random).expect("there are seeds")).to_owned();
        for _ in 0..random.random_range(1..4) {
            let other = *seeds.choose(random).expect("there are seeds");
            text = mutated(random, &text, other);
        }
        counts[judge(&known, &text) as usize] += 1;
    }
    counts
}

/// A text with one thing changed.
fn mutated(random: &mut ChaCha8Rng, text: &str, other: &str) -> String {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let at = random.random_range(0..lines.len());
    match random.random_range(0..24) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[random.random_range(0..lines.len())].clone()),
        2 => {
            let with = random.random_range(0..lines.len());
            lines.swap(at, with);
        }
        3 => {
            let others: Vec<&str> = other.split('\n').collect();
            lines.truncate(at);
            lines
                .extend(others[random.random_range(0..others.len())..].iter().map(|line| (*line).to_owned()));
        }
        4 => {
            let (total, number) = (word(random, text), number(random));
            lines.insert(at, format!("split {total} {number}"));
        }
        5 => return with_a_byte_changed(random, text),
        6 => lines[at] = with_a_word_changed(random, &lines[at], |random, _| word(random, text)),
        // Mostly numbers, as these are what a proof is made of.
        _ => {
            let step = random.random_range(-2..=2);
            lines[at] =
                with_a_word_changed(random, &lines[at], |random, before| match before.parse::<i128>() {
                    Ok(value) if random.random_bool(0.7) => value.saturating_add(step).to_string(),
                    Ok(_) => number(random),
                    Err(_) => before.to_owned(),
                });
        }
    }
    lines.join("\n")
}

fn number(random: &mut ChaCha8Rng) -> String {
    NUMBERS.choose(random).expect("there are numbers").to_string()
}

/// A word of the format, or of the text.
fn word(random: &mut ChaCha8Rng, text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().chain(WORDS).collect();
    (*words.choose(random).expect("there are words")).to_owned()
}

fn with_a_word_changed(
    random: &mut ChaCha8Rng,
    line: &str,
    change: impl FnOnce(&mut ChaCha8Rng, &str) -> String,
) -> String {
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    let at = random.random_range(0..words.len());
    words[at] = change(random, &words[at]);
    words.join(" ")
}

fn with_a_byte_changed(random: &mut ChaCha8Rng, text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let at = random.random_range(0..bytes.len().max(1));
    if let Some(byte) = bytes.get_mut(at) {
        *byte = random.random_range(0..128);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

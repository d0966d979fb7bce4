//! Any text is refused as a certificate, or proves something true.
#![no_main]

#[path = "../known.rs"]
mod known;

use known::{Known, judge, known};
use libfuzzer_sys::fuzz_target;

thread_local! {
    static KNOWN: Vec<Known> = known();
}

fuzz_target!(|text: &str| {
    KNOWN.with(|known| judge(known, text));
});

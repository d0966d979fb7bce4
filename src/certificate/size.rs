//! How large the checkers are, in lines: what has to be believed beside the readers of instances.

/// Lines of what all checkers share, the reader of certificates included.
pub const SHARED_LINES: usize = lines(include_str!("cases.rs"))
    + lines(include_str!("format.rs"))
    + lines(include_str!("magnitude.rs"))
    + lines(include_str!("names.rs"))
    + lines(include_str!("reader/mod.rs"))
    + lines(include_str!("refusal.rs"));

/// Lines of a text.
pub const fn lines(text: &str) -> usize {
    let (bytes, mut position, mut lines) = (text.as_bytes(), 0, 0);
    while position < bytes.len() {
        lines += (bytes[position] == b'\n') as usize;
        position += 1;
    }
    lines
}

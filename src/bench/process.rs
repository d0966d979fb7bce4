//! What sweeps and external heuristics need to know of a child process.

use std::io::Read;
use std::process::ExitStatus;

/// Most characters of a program's own complaints that are repeated.
const LONGEST_COMPLAINT: usize = 400;

/// Reads a pipe to its end, on a thread of its own so that the other pipes can be served meanwhile.
pub fn read_all(mut pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    })
}

/// The end of a program's complaints in one line, after a colon; nothing if it has none.
pub fn end_of(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let words = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let line: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let line = line.join(" ");
    let length = line.chars().count();
    match length {
        0 => String::new(),
        _ if length <= LONGEST_COMPLAINT => format!(": {line}"),
        _ => {
            let end: String = line.chars().skip(length - LONGEST_COMPLAINT).collect();
            format!(": ...{end}")
        }
    }
}

/// How a process ended: its exit code or the signal that ended it.
pub fn in_words(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => match signal {
            6 => "signal 6 (aborted)".to_owned(),
            9 => "signal 9 (killed)".to_owned(),
            11 => "signal 11 (segmentation fault)".to_owned(),
            signal => format!("signal {signal}"),
        },
        (None, None) => "an unknown status".to_owned(),
    }
}

//! Wrong instances and what the command must say of each: one paragraph that names file, line, rule and mend, and exit code 2.

use super::{BAD_INPUT, Folder, Run, run};

/// A wrong instance, the place that the message must name, and what else must be in it.
pub struct Case {
    pub name: &'static str,
    pub text: String,
    pub place: &'static str,
    pub parts: &'static [&'static str],
}

pub fn case(name: &'static str, text: &str, place: &'static str, parts: &'static [&'static str]) -> Case {
    Case { name, text: text.to_owned(), place, parts }
}

/// Runs `solve` under a model on a text and returns its message without the file's name.
pub fn complaint(model: &str, text: &[u8]) -> (Run, String) {
    let folder = Folder::new();
    let path = folder.write("case.yaml", text);
    let done = run(&["solve", &path, "--model", model], BAD_INPUT);
    let message = done.stderr.strip_prefix(&format!("migopt: {path}:")).map(str::to_owned);
    let message = message.unwrap_or_else(|| panic!("the file is not named: {done:?}"));
    (done, message)
}

/// One paragraph, nothing else, in the words of the product.
pub fn check_form(name: &str, done: &Run) {
    assert_eq!(done.stdout, "", "{name}");
    assert_eq!(done.stderr.matches('\n').count(), 1, "{name}: {}", done.stderr);
    assert!(done.stderr.ends_with(".\n"), "{name}: {}", done.stderr);
    for foreign in ["panicked", "untagged", "struct ", "u32", "serde", "os error", "Policy", "..\n"] {
        assert!(!done.stderr.contains(foreign), "{name} says `{foreign}`: {}", done.stderr);
    }
}

pub fn check_under(model: &str, cases: Vec<Case>) {
    let mut wrong = String::new();
    for case in cases {
        let (done, message) = complaint(model, case.text.as_bytes());
        check_form(case.name, &done);
        if !message.starts_with(case.place) {
            wrong += &format!("{}: not at {}: {message}", case.name, case.place);
        }
        for part in case.parts.iter().filter(|part| !message.contains(**part)) {
            wrong += &format!("{}: does not say `{part}`: {message}", case.name);
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

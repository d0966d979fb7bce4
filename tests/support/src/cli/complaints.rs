//! Wrong instances and what the command must say of each: one paragraph that names file, line, rule and fix, below it the line with a
//! mark under the place, and exit code 2.

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

/// Runs `solve` under a model on a text and returns its first paragraph without the file's name.
pub fn complaint(model: &str, text: &[u8]) -> (Run, String) {
    let folder = Folder::new();
    let path = folder.write("case.yaml", text);
    let done = run(&["solve", &path, "--model", model], BAD_INPUT);
    let message = done.stderr.strip_prefix(&format!("migopt: {path}:"));
    let message = message.unwrap_or_else(|| panic!("the file is not named: {done:?}"));
    let paragraph = message.split_inclusive('\n').next().unwrap_or_default().to_owned();
    (done, paragraph)
}

/// Paragraphs, each with the line that it is about, nothing else, in the words of the product.
pub fn check_form(name: &str, done: &Run) {
    assert_eq!(done.stdout, "", "{name}");
    for foreign in ["panicked", "untagged", "struct ", "u32", "serde", "os error", "Policy", "..\n"] {
        assert!(!done.stderr.contains(foreign), "{name} says `{foreign}`: {}", done.stderr);
    }
    assert!(done.stderr.ends_with('\n'), "{name}: {}", done.stderr);
    let mut lines = done.stderr.lines().peekable();
    while let Some(paragraph) = lines.next() {
        let is_end = paragraph.starts_with("... and ") && lines.peek().is_none();
        assert!(paragraph.ends_with('.') || is_end, "{name}: {}", done.stderr);
        let Some(shown) = lines.next_if(|line| line.starts_with("  ")) else { continue };
        let mark = lines.next().unwrap_or_default();
        check_excerpt(paragraph, shown, mark).unwrap_or_else(|| panic!("{name}: {}", done.stderr));
    }
}

/// The excerpt is of the line that the paragraph names, and its mark is below the column.
fn check_excerpt(paragraph: &str, shown: &str, mark: &str) -> Option<()> {
    let (number, content) = shown.split_once(" | ")?;
    let (margin, caret) = mark.split_once(" | ")?;
    let number = number.trim();
    assert!(margin.trim().is_empty() && margin.len() == number.len() + 2, "{mark}");
    let (_, place) = paragraph.split_once(&format!(":{number}:"))?;
    let column: usize = place.split(':').next()?.parse().ok()?;
    let position = caret.strip_suffix('^').filter(|before| before.trim().is_empty())?.chars().count();
    assert!(content.starts_with('…') || position + 1 == column, "{paragraph}\n{shown}\n{mark}");
    assert!(position <= content.chars().count(), "{paragraph}\n{shown}\n{mark}");
    Some(())
}

pub fn check_under(model: &str, cases: Vec<Case>) {
    let mut wrong = String::new();
    for case in cases {
        let (done, message) = complaint(model, case.text.as_bytes());
        check_form(case.name, &done);
        if !message.starts_with(case.place) {
            wrong += &format!("{}: not at {}: {}", case.name, case.place, done.stderr);
        }
        for part in case.parts.iter().filter(|part| !message.contains(**part)) {
            wrong += &format!("{}: does not say `{part}`: {}", case.name, done.stderr);
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Checks all that is told of a text: places and a part of each message, in the order of the file.
pub fn check_all(model: &str, file: &str, text: &str, wanted: &[(&str, &str)]) {
    let folder = Folder::new();
    let path = folder.write(file, text);
    let done = run(&["solve", &path, "--model", model], BAD_INPUT);
    check_form(file, &done);
    let told = done.stderr.strip_prefix("migopt: ").unwrap_or_default();
    let told: Vec<&str> = told.lines().filter_map(|line| line.strip_prefix(&format!("{path}:"))).collect();
    let is_right = told.len() == wanted.len()
        && told
            .iter()
            .zip(wanted)
            .all(|(told, (place, part))| told.starts_with(place) && told.contains(part));
    assert!(is_right, "wanted {wanted:#?}\n{}", done.stderr);
}

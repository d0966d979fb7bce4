//! The page of a model, and what it is held against.

mod checks;
mod programs;

pub use checks::{violations_of_rules, violations_on_gpus, violations_on_hosts};
pub use programs::{Families, compare, families, families_of};

use std::collections::BTreeSet;

pub fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// A page under `models/`.
pub struct Page(pub &'static str);

impl Page {
    pub fn headings(&self) -> Vec<&'static str> {
        self.0.lines().filter_map(|line| line.strip_prefix("## ")).collect()
    }

    /// The text of a section, from its heading to the next one of the same depth.
    pub fn section(&self, heading: &str) -> &'static str {
        let start = self.0.find(&format!("\n## {heading}\n"));
        let text = &self.0[start.unwrap_or_else(|| panic!("the page has a section {heading}")) + 1..];
        text[1..].find("\n## ").map_or(text, |end| &text[..end + 1])
    }

    /// The rows of the tables of a section whose first column has this title, each as its cells.
    pub fn rows_of(&self, heading: &str, title: &str) -> Vec<Vec<&'static str>> {
        let head = format!("| {title} |");
        let mut rows = Vec::new();
        let mut inside = false;
        for line in self.section(heading).lines() {
            let is_head = line.starts_with(&head);
            if inside && !is_head && line.starts_with('|') && !line.starts_with("|--") {
                let cells = line.trim_start_matches("| ").trim_end_matches(" |").split(" |").map(str::trim);
                rows.push(cells.collect());
            }
            inside = is_head || (inside && line.starts_with('|'));
        }
        rows
    }

    /// Everything in code in the first cells of the tables of a section whose first column has this title.
    pub fn first_cells(&self, heading: &str, title: &str) -> BTreeSet<String> {
        self.rows_of(heading, title).iter().flat_map(|cells| code(cells[0])).map(str::to_owned).collect()
    }

    /// The first instance of a section that stands there as a file.
    pub fn example(&self, heading: &str) -> &'static str {
        let (_, example) = self.section(heading).split_once("```yaml\n").expect("the section has an example");
        example.split("```").next().unwrap_or(example)
    }
}

/// Everything in code.
pub fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Everything in bold code: the labels of rows, such as `W2b`, and the families of columns.
pub fn bold_code(text: &str) -> impl Iterator<Item = &str> {
    text.split("**").skip(1).step_by(2).filter_map(|bold| bold.strip_prefix('`')?.strip_suffix('`'))
}

/// Everything in bold code in those tables of a text whose first column has this title.
pub fn labels_in_tables(text: &str, title: &str) -> BTreeSet<String> {
    let head = format!("| {title} |");
    let mut labels = BTreeSet::new();
    let mut inside = false;
    for line in text.lines() {
        inside = line.starts_with(&head) || (inside && line.starts_with('|'));
        if inside {
            labels.extend(bold_code(line).map(str::to_owned));
        }
    }
    labels
}

//! Who may import whom: the rooms of the crate and the floors they are on.

use migopt::model::MODELS;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Rooms from the ground up; a room may use rooms before it. Rooms on one floor do not use each other.
const FLOORS: &[&[&str]] = &[
    &["mig"],
    &["cluster"],
    &["milp"],
    &["solver"],
    &["model"],
    &["bench", "replay"],
    &["report"],
    &["front"],
    &["oracle", "testing"],
    &["cli"],
];

/// Exported macros stand at the root of the crate, wherever they are written.
const MACROS: [&str; 3] = ["assert_gap_at_most", "assert_optimal", "assert_valid"];

fn sources() -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    found.sort();
    found
}

fn relative(path: &Path) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    path.strip_prefix(root).unwrap().to_string_lossy().into_owned()
}

/// The code of a file without its tests, comments and doc comments, and without what only links in doc comments import.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut lines: Vec<&str> = Vec::new();
    let mut is_for_docs = false;
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        if !is_for_docs {
            lines.push(line);
        }
        is_for_docs = line == "#[cfg(doc)]";
    }
    lines.join("\n")
}

/// Rooms named by `crate::room` anywhere in the code, grouped imports included.
fn rooms_used(code: &str) -> BTreeSet<String> {
    let mut rooms = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let names = match rest.strip_prefix('{') {
            Some(group) => group.split('}').next().unwrap_or_default().split(',').map(str::trim).collect(),
            None => vec![rest],
        };
        for name in names {
            let room: String = name
                .chars()
                .take_while(|character| character.is_alphanumeric() || *character == '_')
                .collect();
            if !MACROS.contains(&room.as_str()) {
                rooms.insert(room);
            }
        }
    }
    rooms
}

fn floor_of(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

#[test]
fn rooms_use_only_rooms_on_lower_floors() {
    for (path, text) in sources() {
        let name = relative(&path);
        let Some((room, _)) = name.split_once('/') else { continue };
        let own = floor_of(room).unwrap_or_else(|| panic!("src/{room} is on no floor: add it to FLOORS"));
        for used in rooms_used(&code(&text)).into_iter().filter(|used| used != room) {
            let floor =
                floor_of(&used).unwrap_or_else(|| panic!("{name} names crate::{used}, which is no room"));
            assert!(floor < own, "{name} imports crate::{used}, which is not below {room}");
        }
    }
}

#[test]
fn neither_mig_nor_milp_nor_report_touches_a_solver_crate() {
    for (path, text) in sources() {
        let name = relative(&path);
        let code = code(&text);
        if !name.starts_with("solver/") {
            for banned in ["highs::", "highs_sys", "coin_cbc"] {
                assert!(!code.contains(banned), "{name} names {banned}: only solver/ may");
            }
        }
        if name.starts_with("report/") {
            for banned in ["crate::milp", "crate::solver"] {
                assert!(!code.contains(banned), "{name} imports {banned}");
            }
        }
    }
}

#[test]
fn verifier_and_heuristics_share_no_code_with_the_programs() {
    let banned = [
        "milp",
        "solver",
        "printed",
        "compact",
        "lattice",
        "exact_index",
        "states",
        "objective",
        "formulation",
        "power_set",
        "multilinear",
        "to_the_page",
        "bound",
        "patterns",
        "search",
    ];
    let mut seen = 0;
    for (path, text) in sources() {
        let name = relative(&path);
        if !(name.ends_with("/verify.rs") && name.starts_with("model/") || name.contains("/heuristic/")) {
            continue;
        }
        seen += 1;
        for line in code(&text).lines().filter(|line| line.trim_start().starts_with("use ")) {
            for banned in banned {
                let named = line.split(|character: char| !character.is_alphanumeric() && character != '_');
                assert!(!named.into_iter().any(|word| word == banned), "{name} imports {banned}: {line}");
            }
        }
    }
    assert!(seen >= 3, "the verifier and the heuristics are where they were");
}

#[test]
fn commands_sweeps_and_reports_know_no_model_by_name() {
    for (path, text) in sources() {
        let (name, code) = (relative(&path), code(&text));
        if ["cli/", "bench/", "report/"].iter().any(|room| name.starts_with(room)) {
            for model in MODELS {
                assert!(
                    !code.contains(&format!("{}::", model.name())),
                    "{name} knows model {}",
                    model.name()
                );
            }
        }
    }
}

#[test]
fn builders_do_not_solve() {
    for (path, text) in sources() {
        let name = relative(&path);
        let builders = [
            "printed.rs",
            "compact.rs",
            "exact_index.rs",
            "lattice.rs",
            "states.rs",
            "objective.rs",
            "multilinear.rs",
            "power_set.rs",
            "bound.rs",
        ];
        let is_builder = builders.iter().any(|builder| name.ends_with(builder))
            || ["/printed/", "/compact/"].iter().any(|folder| name.contains(folder));
        if name.starts_with("model/") && is_builder {
            assert!(!code(&text).contains("crate::solver"), "{name} imports the solver room");
        }
    }
}

#[test]
fn no_cycles_between_files_of_a_wing() {
    let sources: Vec<(String, String)> =
        sources().into_iter().map(|(path, text)| (relative(&path), code(&text))).collect();
    for model in MODELS {
        check_wing(&format!("model/{}/", model.name()), &sources);
    }
}

fn check_wing(wing: &str, sources: &[(String, String)]) {
    let modules: BTreeMap<String, BTreeSet<String>> = sources
        .iter()
        .filter(|(name, _)| name.starts_with(wing) && !name.ends_with("mod.rs"))
        .map(|(name, code)| {
            let module = name.trim_start_matches(wing).trim_end_matches(".rs").replace('/', "::");
            let mut used = BTreeSet::new();
            for (at, _) in code.match_indices("super::") {
                let rest = code[at..].trim_start_matches("super::");
                used.insert(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
            }
            (module, used)
        })
        .collect();
    fn reaches(
        modules: &BTreeMap<String, BTreeSet<String>>,
        from: &str,
        to: &str,
        seen: &mut BTreeSet<String>,
    ) -> bool {
        modules.get(from).is_some_and(|used| {
            used.iter()
                .any(|next| next == to || (seen.insert(next.clone()) && reaches(modules, next, to, seen)))
        })
    }
    assert!(!modules.is_empty(), "{wing} has files");
    for module in modules.keys() {
        assert!(
            !reaches(&modules, module, module, &mut BTreeSet::new()),
            "{wing}{module} imports itself in a circle"
        );
    }
}

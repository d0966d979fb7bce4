//! `migopt solve --certificate-format vipr`, whose files a checker accepts that shares nothing with migopt: scripts/check-vipr, which is
//! in Python and adds fractions, and `viprchk` of VIPR itself, if `VIPRCHK` names it.

use std::process::Command;
use support::cli::{BAD_INPUT, Folder, INFEASIBLE, LIMIT, PROVED, instance_of, run};
use support::root;

/// A model, an instance, flags, the exit code, and the endings of the files that are written.
type Case = (&'static str, &'static str, &'static [&'static str], i32, &'static [&'static str]);

/// Cases of every model.
const CASES: &[Case] = &[
    ("wpm", "fig6-waste", &[], PROVED, &["proof.vipr"]),
    ("wpm", "eight-gpus", &[], PROVED, &["proof.vipr"]),
    (
        "wpm",
        "classes",
        &["--objective", "lexicographic"],
        PROVED,
        &["proof.1-reward.vipr", "proof.2-gpus.vipr", "proof.3-migrations.vipr", "proof.4-waste.vipr"],
    ),
    ("wpm", "too-much-demand", &[], INFEASIBLE, &["proof.vipr"]),
    ("siavashi", "fragmented", &[], PROVED, STAGES_OF_SIAVASHI),
    ("siavashi", "interval", &[], PROVED, STAGES_OF_SIAVASHI),
    ("siavashi", "fragmented", &["--objective", "weighted"], PROVED, &["proof.vipr"]),
    ("siavashi", "fragmented", &["--formulation", "slots"], PROVED, STAGES_OF_SIAVASHI),
    ("sharing", "eight-unique-pages", &[], PROVED, &["proof.vipr"]),
    (
        "sharing",
        "eight-unique-pages",
        &["--optimum", "first-m-of-the-order"],
        PROVED,
        &["proof.1-reach.vipr", "proof.2-servers.vipr"],
    ),
    ("sharing", "too-little-memory", &[], INFEASIBLE, &["proof.vipr"]),
];

const STAGES_OF_SIAVASHI: &[&str] =
    &["proof.1-acceptance.vipr", "proof.2-hardware.vipr", "proof.3-migrations.vipr"];

/// Whether the checkers accept a file, and what the one in Python says.
fn checked(path: &str) -> (bool, String) {
    let done = Command::new(root().join("scripts/check-vipr")).arg(path).output();
    let done = done.expect("Python runs (./scripts/setup --tests installs it)");
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert_eq!(String::from_utf8_lossy(&done.stderr), "", "{path}");
    if let Some(other) = std::env::var_os("VIPRCHK") {
        let other = Command::new(other).arg(path).output().expect("VIPRCHK names a program");
        let agrees = String::from_utf8_lossy(&other.stdout).contains("Successfully verified");
        assert_eq!(agrees, done.status.success(), "{path}: {said}");
    }
    (done.status.success(), said)
}

/// The arguments that solve a case.
fn arguments<'a>(path: &'a str, model: &'a str, flags: &[&'a str], file: &'a str) -> Vec<&'a str> {
    let asked = ["solve", path, "--model", model, "--certified", "--certificate", file];
    [asked.as_slice(), &["--certificate-format", "vipr"], flags].concat()
}

#[test]
fn every_goal_has_a_file_that_proves_it() {
    for (model, name, flags, code, expected) in CASES {
        let folder = Folder::new();
        let path = instance_of(model, name);
        let done = run(&arguments(&path, model, flags, &folder.text("proof.vipr")), *code);
        assert!(
            done.stdout.contains("note: there is a proof about the program in the format VIPR"),
            "{done:?}"
        );
        assert_eq!(folder.files(), *expected, "{model} {name}");
        for file in *expected {
            let (is_proved, said) = checked(&folder.text(file));
            assert!(is_proved, "{said}");
            let words =
                if *code == INFEASIBLE { "there is no solution" } else { "no solution is better than" };
            assert!(said.contains(words), "{said}");
            let first = folder.read(file);
            let first = first.lines().next().expect("files begin with comments");
            assert!(
                first.starts_with("% ") && first.contains(&format!(", model {model}, formulation ")),
                "{first}"
            );
        }
    }
}

/// The values of both sides of what is to be proved.
fn range(text: &str) -> (i64, i64) {
    let line = text.lines().find(|line| line.starts_with("RTP range")).expect("something is to be proved");
    let sides: Vec<i64> = line.split(' ').skip(2).map(|side| side.parse().expect("a whole number")).collect();
    (sides[0], sides[1])
}

#[test]
fn a_file_that_claims_too_much_is_refused() {
    let folder = Folder::new();
    let path = instance_of("siavashi", "interval");
    run(&arguments(&path, "siavashi", &[], &folder.text("proof.vipr")), PROVED);
    for (file, better) in STAGES_OF_SIAVASHI.iter().zip([1, -1, -1]) {
        let text = folder.read(file);
        let (value, other) = range(&text);
        assert_eq!(value, other);
        let refused = |changed: String| {
            assert_ne!(changed, text);
            let (is_proved, said) = checked(&folder.write("changed.vipr", changed));
            assert!(!is_proved && said.contains(": refused: "), "{file}: {said}");
        };
        let claimed = |value: i64| {
            text.replace(&format!("RTP range {other} {other}"), &format!("RTP range {value} {value}"))
        };
        refused(claimed(value + better));
        refused(claimed(value - better));
        let derivations = text.find("\nDER ").expect("something is derived");
        refused(text[..derivations].to_owned() + "\nDER 0\n");
        let without_point = text.lines().map(|line| if line.starts_with("best ") { "best 0" } else { line });
        refused(without_point.collect::<Vec<_>>().join("\n"));
    }
}

#[test]
fn what_is_not_proved_has_no_file() {
    let folder = Folder::new();
    let path = instance_of("wpm", "eight-gpus");
    let done = run(&arguments(&path, "wpm", &["--time-limit", "0"], &folder.text("proof.vipr")), LIMIT);
    assert!(done.stdout.contains("note: no certificate: nothing is proved"), "{done:?}");
    assert_eq!(folder.files(), Vec::<String>::new());
}

/// Also not by the name that a goal's file gets.
#[test]
fn the_instance_is_not_overwritten() {
    let folder = Folder::new();
    let text = std::fs::read_to_string(instance_of("siavashi", "fragmented")).expect("the instance is there");
    let path = folder.write("proof.1-acceptance.vipr", &text);
    let done = run(&arguments(&path, "siavashi", &[], &folder.text("proof.vipr")), BAD_INPUT);
    assert!(
        done.stderr.contains("this file is read by the same command and would be overwritten"),
        "{done:?}"
    );
    assert_eq!(folder.read("proof.1-acceptance.vipr"), text);
}

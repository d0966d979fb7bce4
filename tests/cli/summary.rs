//! What `solve`, `heuristic` and `verify` print: one block, in the same words.

use support::cli::{Folder, PROVED, run};
use support::root;

/// A shipped instance of a model, and a heuristic of the model.
const EXAMPLES: [(&str, &str, &str); 4] = [
    ("wpm", "eight-gpus", "first-fit"),
    ("siavashi", "interval", "ff"),
    ("sharing", "bin-packing", "ff"),
    ("migrator", "tiny", "greedy"),
];

/// The paragraphs of a text.
fn paragraphs(text: &str) -> Vec<&str> {
    text.trim_end().split("\n\n").collect()
}

/// Lines on goals without their bounds.
fn unbounded(goals: &str) -> Vec<String> {
    let line = |line: &str| {
        let direction = ["   max", "   min"].into_iter().find_map(|sense| Some((line.find(sense)?, sense)));
        match direction {
            Some((at, sense)) => line[..at + sense.len()].to_owned(),
            None => line.to_owned(),
        }
    };
    goals.lines().map(line).collect()
}

#[test]
fn a_solution_is_described_alike_by_whoever_describes_it() {
    for (model, name, heuristic) in EXAMPLES {
        let folder = Folder::new();
        let path = root().join(format!("instances/{model}/{name}.yaml")).display().to_string();
        let output = folder.text("answer.json");
        let flags = ["--model", model, "--output", &output];
        for command in [&["solve", &path][..], &["heuristic", &path, "--policy", heuristic]] {
            let answered = run(&[command, &flags].concat(), PROVED).stdout;
            let judged = run(&["verify", &path, &output], PROVED).stdout;
            let (answered, judged) = (paragraphs(&answered), paragraphs(&judged));
            let (title, verdict) = judged[0].split_once(": ").unwrap();
            assert!(verdict.starts_with(&format!("valid (verified; not proved optimal)\nmodel {model}")));
            let (same, _) = answered[0].split_once(": ").unwrap();
            assert!(same == title && answered[0].contains(&format!("\nmodel {model}, ")), "{answered:?}");
            // What the goals have come to where they are summed up, goals with what they consist of, then metrics.
            assert_eq!(judged.len(), if model == "wpm" { 4 } else { 3 }, "{judged:?}");
            for (answered, judged) in answered.iter().zip(&judged).skip(1) {
                assert_eq!(unbounded(answered), unbounded(judged), "{model}");
            }
        }
    }
}

#[test]
fn numbers_stand_below_each_other_and_are_rounded() {
    let path = root().join("instances/wpm/eight-gpus.yaml").display().to_string();
    let text = run(&["solve", &path], PROVED).stdout;
    let table: Vec<&str> = paragraphs(&text)[2..4].iter().flat_map(|paragraph| paragraph.lines()).collect();
    // After two columns of blanks and the names come numbers that end in one column, then three blanks and words.
    let end = table[0].find("   max").unwrap();
    for line in &table {
        let (number, words) = line.split_at(end);
        assert!(number.ends_with(|last: char| last.is_ascii_digit()) && words.starts_with("   "), "{line}");
    }
    assert!(table.iter().any(|line| line.contains("2,821,455   18 of 18 workloads placed")), "{text}");
    assert!(
        table.iter().any(|line| line.contains("1 workload migrated at 260 per slice, 1 GPU repartitioned"))
    );
    assert!(table.iter().any(|line| line.ends_with("94.6   %")), "{text}");
}

//! The scoreboard of a sweep: ranks, intervals and chances computed by hand.

use bench::Record;
use report::SweepReport;
use serde_json::{Value, json};

/// A row with accepted workloads and machines in use; none accepted is no answer.
fn row(instance: usize, method: &str, seed: Option<u64>, answer: Option<[i64; 2]>) -> Value {
    let mut row = json!({
        "instance": format!("i{instance:02}"), "path": "i.yaml", "fingerprint": format!("print-{instance}"), "model": "siavashi",
        "question": "keep", "cluster_gpus": 8, "workloads": instance, "method": method, "seed": seed,
        "outcome": if answer.is_some() { "valid" } else { "failed" }, "seconds": 0.5
    });
    if let Some([accepted, hardware]) = answer {
        row["stages"] = json!([
            { "name": "acceptance", "sense": "maximize", "value": accepted, "bound": null },
            { "name": "hardware", "sense": "minimize", "value": hardware, "bound": null }
        ]);
    }
    row
}

/// What is proved of an instance: ten accepted on four machines.
fn proved(instance: usize) -> Value {
    let mut row = row(instance, "library", None, Some([10, 4]));
    row["outcome"] = json!("optimal");
    for (stage, bound) in [(0, 10), (1, 4)] {
        row["stages"][stage]["bound"] = json!(bound);
    }
    row
}

fn markdown(rows: &[Value]) -> String {
    let records: Vec<Record> = rows.iter().map(|row| serde_json::from_value(row.clone()).unwrap()).collect();
    SweepReport::of(&records).scoreboard_markdown("test")
}

/// The cells of the first line behind a heading that has a cell.
fn line(markdown: &str, heading: &str, cell: &str) -> Vec<String> {
    let part = markdown.split(heading).nth(1).unwrap_or_else(|| panic!("no {heading}:\n{markdown}"));
    let lines = part
        .lines()
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect());
    let found: Option<Vec<String>> =
        lines.into_iter().find(|cells: &Vec<String>| cells.iter().any(|known| known == cell));
    found.unwrap_or_else(|| panic!("no {cell} behind {heading}:\n{markdown}"))
}

/// Twelve instances: `a` is optimal but once, `b` wastes a machine, `c` accepts fewer on fewer machines, and fails once.
fn three() -> Vec<Value> {
    let of = |instance: usize| {
        let a = if instance == 1 { [10, 5] } else { [10, 4] };
        let c = (instance != 2).then_some([8, 1]);
        [
            proved(instance),
            row(instance, "a", Some(0), Some(a)),
            row(instance, "b", Some(0), Some([10, 5])),
            row(instance, "c", Some(0), c),
        ]
    };
    (1..=12).flat_map(of).collect()
}

#[test]
fn earlier_objectives_decide_and_no_answer_is_the_worst() {
    let text = markdown(&three());
    let a = line(&text, "## Model siavashi", "a");
    // On the first instance both are alike: (1.5 + 11) / 12.
    assert_eq!(a[..6], ["1", "a", "1.04", "0 %", "0 %", "25 %"].map(str::to_owned), "{text}");
    assert_eq!(a[6], "91.7 % (11 of 12)");
    // Against `b`: better on 11, worse on none: 2 / 2^11.
    assert_eq!(a[a.len() - 3..], ["11", "0", "0.0010"].map(str::to_owned));
    let c = line(&text, "## Model siavashi", "c");
    assert_eq!(c[..6], ["3", "c", "3.00", "20 %", "20 %", "no answer"].map(str::to_owned), "{text}");
    assert_eq!(c[7], "1");
    assert_eq!(c[c.len() - 3..], [""; 3].map(str::to_owned));
}

#[test]
fn pairs_are_marked_where_they_differ_beyond_chance() {
    let text = markdown(&three());
    assert_eq!(line(&text, "### Pairs", "1 a"), ["1 a", "–", "11–0 ★", "12–0 ★"]);
    assert_eq!(line(&text, "### Pairs", "3 c"), ["3 c", "0–12 ★", "0–12 ★", "–"]);
    let few: Vec<Value> = three().into_iter().take(16).collect();
    assert_eq!(line(&markdown(&few), "### Pairs", "1 a"), ["1 a", "–", "3–0", "4–0"]);
}

#[test]
fn sizes_are_told_apart() {
    let text = markdown(&three());
    let b = line(&text, "### By size", "b");
    assert_eq!(b, ["b", "25 %", "25 %", "0.50", "0.50"]);
    assert!(text.contains("up to 10 (10)") && text.contains("11 to 100 (2)"), "{text}");
}

#[test]
fn of_several_seeds_the_middle_run_counts() {
    let mut rows =
        vec![proved(1), row(1, "steady", Some(0), Some([10, 6])), row(1, "steady", Some(1), Some([10, 6]))];
    rows.extend([row(1, "steady", Some(2), Some([10, 6]))]);
    for (seed, hardware) in [(0, 4), (1, 5), (2, 9)] {
        rows.push(row(1, "random", Some(seed), Some([10, hardware])));
    }
    let text = markdown(&rows);
    assert_eq!(
        line(&text, "## Model siavashi", "random")[..4],
        ["1", "random", "1.00", "25 %"].map(str::to_owned)
    );
    // Of two runs the worse one counts.
    rows.retain(|row| row["seed"] != 1);
    let text = markdown(&rows);
    assert_eq!(line(&text, "## Model siavashi", "steady")[..3], ["1", "steady", "1.00"].map(str::to_owned));
}

#[test]
fn instances_without_a_run_of_all_are_left_out_and_told() {
    let mut rows = three();
    rows.retain(|row| !(row["instance"] == "i05" && row["method"] == "b"));
    let text = markdown(&rows);
    assert!(text.contains("1 instance left out") && text.contains("on 11 instances"), "{text}");
}

#[test]
fn without_heuristics_there_is_nothing_to_rank() {
    assert!(markdown(&[proved(1)]).contains("The sweep has no runs of heuristics."));
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let mut rows = three();
    let before = markdown(&rows);
    rows.reverse();
    assert_eq!(markdown(&rows), before);
}

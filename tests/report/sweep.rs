//! The report on a sweep: gaps, intervals, shares and percentiles computed by hand.

use bench::{Record, read_rows};
use report::SweepReport;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use support::cli::{BAD_INPUT, Folder, PROVED, run};

/// A row of a cluster of eight GPUs where one costs 100.
fn row(instance: &str, method: &str, outcome: &str) -> Value {
    json!({
        "instance": instance, "path": format!("instances/{instance}.yaml"), "fingerprint": format!("print-{instance}"),
        "model": "wpm", "use_case": "joint", "cluster_gpus": 8, "workloads": 20, "method": method, "seed": null,
        "outcome": outcome, "gpu_cost": 100, "seconds": 0.5
    })
}

/// A row with a profit.
fn profit(instance: &str, method: &str, outcome: &str, value: i64, bound: Option<i64>) -> Value {
    let mut row = row(instance, method, outcome);
    row["stages"] = json!([{ "name": "profit", "sense": "maximize", "value": value, "bound": bound }]);
    row
}

/// A row of an instance that asks for reward first and few GPUs next.
fn ordered(instance: &str, method: &str, outcome: &str, reward: [i64; 2], gpus: [Option<i64>; 2]) -> Value {
    let mut row = row(instance, method, outcome);
    row["stages"] = json!([
        { "name": "reward", "sense": "maximize", "value": reward[0], "bound": reward[1] },
        { "name": "gpus", "sense": "minimize", "value": gpus[0], "bound": gpus[1] }
    ]);
    row
}

fn failed(instance: &str, method: &str, reason: &str) -> Value {
    let mut row = row(instance, method, "failed");
    row["reason"] = json!(reason);
    row
}

fn with_metrics(mut row: Value, gpus: f64, availability: f64) -> Value {
    row["metrics"] = json!({ "gpus": gpus, "availability": availability });
    row
}

fn records(rows: &[Value]) -> Vec<Record> {
    rows.iter().map(|row| serde_json::from_value(row.clone()).unwrap()).collect()
}

fn markdown(rows: &[Value]) -> String {
    SweepReport::of(&records(rows)).markdown("test", &|_| None)
}

/// The lines of the CSV by instance and method, each by column.
fn csv(rows: &[Value]) -> BTreeMap<(String, String), BTreeMap<String, String>> {
    let text = SweepReport::of(&records(rows)).csv();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let lines = reader.deserialize::<BTreeMap<String, String>>();
    lines.map(Result::unwrap).map(|line| ((line["instance"].clone(), line["method"].clone()), line)).collect()
}

/// Gap of a row: lower end, upper end, objective.
fn gap(rows: &[Value], instance: &str, method: &str) -> Option<(f64, f64, String)> {
    let lines = csv(rows);
    let line = &lines[&(instance.to_owned(), method.to_owned())];
    let number = |name: &str| line[name].parse::<f64>().ok();
    Some((number("gap_low")?, number("gap_high")?, line["gap_stage"].clone()))
}

/// The line of a Markdown table below a heading that starts with some cell, as cells.
fn line(markdown: &str, heading: &str, first: &str) -> Vec<String> {
    let section = markdown.split(&format!("### {heading}\n")).nth(1).unwrap();
    let section = section.split("\n#").next().unwrap();
    let line = section.lines().find(|line| line.starts_with(&format!("| {first} |"))).unwrap_or_else(|| {
        panic!("no line {first:?} below {heading:?} in:\n{section}");
    });
    line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()
}

/// One proved instance, one bounded, one infeasible, one with a single solution, one with two and no bound.
fn mixed() -> Vec<Value> {
    vec![
        profit("a-proved", "optimum", "optimal", 1000, Some(1000)),
        profit("a-proved", "first-fit", "valid", 900, None),
        profit("a-proved", "mine", "valid", 1000, None),
        profit("b-bounded", "optimum", "time-limit", 950, Some(1000)),
        profit("b-bounded", "first-fit", "valid", 900, None),
        failed("b-bounded", "mine", "exit code 1"),
        row("c-infeasible", "optimum", "infeasible"),
        failed("c-infeasible", "first-fit", "no place for all"),
        failed("c-infeasible", "mine", "exit code 1"),
        failed("d-single", "optimum", "out of memory"),
        profit("d-single", "first-fit", "valid", 700, None),
        failed("d-single", "mine", "exit code 1"),
        failed("e-open", "optimum", "out of memory"),
        profit("e-open", "first-fit", "valid", 640, None),
        profit("e-open", "mine", "valid", 800, None),
    ]
}

#[test]
fn gaps_are_exact_where_the_optimum_is_proved_and_intervals_elsewhere() {
    let rows = mixed();
    assert_eq!(gap(&rows, "a-proved", "first-fit"), Some((0.1, 0.1, "profit".to_owned())));
    assert_eq!(gap(&rows, "a-proved", "mine"), Some((0.0, 0.0, String::new())));
    assert_eq!(gap(&rows, "b-bounded", "first-fit"), Some((50.0 / 950.0, 0.1, "profit".to_owned())));
    assert_eq!(gap(&rows, "b-bounded", "optimum"), Some((0.0, 0.05, "profit".to_owned())));
    assert_eq!(gap(&rows, "d-single", "first-fit"), None, "nothing to compare with");
    assert_eq!(gap(&rows, "e-open", "first-fit"), Some((0.2, f64::INFINITY, "profit".to_owned())));
    assert_eq!(gap(&rows, "c-infeasible", "optimum"), None);
    let line = &csv(&rows)[&("b-bounded".to_owned(), "first-fit".to_owned())];
    assert_eq!((line["gap_gpus_low"].as_str(), line["gap_gpus_high"].as_str()), ("0.5", "1"));
}

#[test]
fn statistics_of_intervals_are_intervals() {
    let markdown = markdown(&mixed());
    // first-fit: 10 %, 5.26 to 10 %, and at least 20 %: the third has no upper end, which the median does not need.
    assert_eq!(
        line(&markdown, "Gap to the optimum", "first-fit")[1..5],
        ["10 %", "at least 11.75 %", "at least 20 %", "at least 20 %"]
    );
    // optimum: 0 and 0 to 5 %.
    assert_eq!(
        line(&markdown, "Gap to the optimum", "optimum")[1..5],
        ["0 to 2.50 %", "0 to 2.50 %", "0 to 5 %", "0 to 5 %"]
    );
    // Three of the four solutions of first-fit have a gap.
    assert_eq!(line(&markdown, "Gap to the optimum", "first-fit")[9..], ["3", "1"]);
    assert!(markdown.contains("1 proved, 1 bounded, 2 no bound, 1 infeasible"), "{markdown}");
}

#[test]
fn every_line_of_a_table_has_a_cell_for_each_column() {
    let ordered = [
        ordered("one", "optimum", "optimal", [3, 3], [Some(2), Some(2)]),
        ordered("one", "mine", "valid", [3, 3], [Some(3), None]),
    ];
    for (rows, count) in [(&mixed()[..], 8), (&ordered, 8), (&[failed("lone", "mine", "it crashed")], 7)] {
        let markdown = markdown(rows);
        let lines: Vec<&str> = markdown.lines().collect();
        let tables: Vec<&[&str]> =
            lines.split(|line| !line.starts_with('|')).filter(|table| !table.is_empty()).collect();
        assert_eq!(tables.len(), count);
        for table in tables {
            let widths: BTreeSet<usize> = table.iter().map(|line| line.matches(" | ").count()).collect();
            assert_eq!(widths.len(), 1, "{table:#?}");
        }
    }
    let gaps = line(&markdown(&mixed()), "Gap to the optimum", "method");
    assert_eq!(gaps[1..3], ["relative gap: median", "relative gap: mean"]);
    assert_eq!(
        gaps[8..],
        ["lost profit in costs of a GPU: worst", "runs whose gap is: known", "runs whose gap is: unknown"]
    );
}

#[test]
fn outcomes_count_failures_with_their_reasons() {
    let markdown = markdown(&mixed());
    assert_eq!(line(&markdown, "Outcomes", "mine")[1..6], ["5", "2", "0", "0", "3"]);
    assert_eq!(line(&markdown, "Outcomes", "optimum")[1..6], ["5", "2", "1", "1", "2"]);
    assert_eq!(line(&markdown, "Outcomes", "first-fit")[6], "0.0 % (0 of 1)");
    assert_eq!(line(&markdown, "Outcomes", "mine")[6], "100.0 % (1 of 1)");
    assert!(markdown.contains("- mine failed in 3 runs: 3 × exit code 1"), "{markdown}");
}

#[test]
fn a_failed_run_is_not_at_the_optimum() {
    let rows = [
        profit("one", "optimum", "optimal", 10, Some(10)),
        profit("two", "optimum", "optimal", 10, Some(10)),
        profit("one", "mine", "valid", 10, None),
        failed("two", "mine", "it crashed"),
    ];
    assert_eq!(line(&markdown(&rows), "Outcomes", "mine")[6], "50.0 % (1 of 2)");
}

#[test]
fn percentiles_interpolate_as_documented() {
    // Gaps of 1 to 10 %: the 90th percentile is at (10 + 1/3) * 0.9 + 1/3 = 9.633.
    let rows: Vec<Value> = (1..=10)
        .flat_map(|rank| {
            let name = format!("i{rank}");
            [
                profit(&name, "optimum", "optimal", 1000, Some(1000)),
                profit(&name, "first-fit", "valid", 1000 - 10 * rank, None),
            ]
        })
        .collect();
    let gaps = &line(&markdown(&rows), "Gap to the optimum", "first-fit")[1..9];
    assert_eq!(gaps, ["5.50 %", "5.50 %", "9.63 %", "10 %", "0.55", "0.55", "0.96", "1"]);
}

#[test]
fn a_bound_and_a_value_of_different_rows_make_a_proof() {
    let rows =
        [profit("one", "optimum", "time-limit", 90, Some(100)), profit("one", "mine", "valid", 100, None)];
    assert_eq!(gap(&rows, "one", "mine"), Some((0.0, 0.0, String::new())));
    assert_eq!(gap(&rows, "one", "optimum"), Some((0.1, 0.1, "profit".to_owned())));
}

#[test]
fn ordered_objectives_are_compared_in_the_first_that_differs() {
    let rows = [
        ordered("one", "optimum", "time-limit", [10, 10], [Some(4), Some(3)]),
        ordered("one", "same-reward", "valid", [10, 10], [Some(5), None]),
        ordered("one", "less-reward", "valid", [9, 10], [Some(2), None]),
        // Its bound of gpus holds for a reward of 8 only.
        ordered("one", "other", "time-limit", [8, 10], [Some(4), Some(4)]),
    ];
    let reward = |gap: f64| Some((gap, gap, "reward".to_owned()));
    assert_eq!(gap(&rows, "one", "less-reward"), reward(0.1), "the optimum of the first objective is proved");
    assert_eq!(gap(&rows, "one", "other"), reward(0.2));
    assert_eq!(gap(&rows, "one", "same-reward"), Some((0.25, 2.0 / 3.0, "gpus".to_owned())));
    assert_eq!(gap(&rows, "one", "optimum"), Some((0.0, 1.0 / 3.0, "gpus".to_owned())));
    assert!(markdown(&rows).contains("- less-reward: reward in 1 run"));
    let line = &csv(&rows)[&("one".to_owned(), "optimum".to_owned())];
    assert_eq!((line["stage_gpus_value"].as_str(), line["stage_gpus_bound"].as_str()), ("4", "3"));
}

#[test]
fn where_the_optimum_may_be_zero_the_gap_may_be_anything() {
    let rows =
        [profit("one", "optimum", "time-limit", -50, Some(50)), profit("one", "mine", "valid", -100, None)];
    assert_eq!(gap(&rows, "one", "mine"), Some((1.0, 1e8, "profit".to_owned())));
}

#[test]
fn rows_that_contradict_each_other_are_told() {
    let rows =
        [profit("odd", "optimum", "optimal", 100, Some(100)), profit("odd", "mine", "valid", 101, None)];
    assert_eq!(gap(&rows, "odd", "mine"), None);
    let markdown = markdown(&rows);
    assert!(markdown.contains("**Warning:** Rows contradict each other in 1 instance"), "{markdown}");
    assert_eq!(line(&markdown, "Gap to the optimum", "mine")[5..], ["0", "1"]);
}

#[test]
fn missing_runs_are_told() {
    let rows = [
        profit("one", "optimum", "optimal", 10, Some(10)),
        profit("two", "optimum", "optimal", 10, Some(10)),
        profit("one", "mine", "valid", 10, None),
    ];
    assert!(markdown(&rows).contains("Missing: mine in 1."));
}

#[test]
fn metrics_are_compared_with_the_proved_solution_in_their_bad_direction() {
    let rows = [
        with_metrics(profit("one", "optimum", "optimal", 100, Some(100)), 6.0, 10.0),
        with_metrics(profit("one", "first-fit", "valid", 80, None), 8.0, 7.0),
        with_metrics(profit("two", "optimum", "optimal", 100, Some(100)), 6.0, 10.0),
        with_metrics(profit("two", "first-fit", "valid", 90, None), 5.0, 10.0),
    ];
    let markdown = markdown(&rows);
    let metrics = markdown.split("### Metrics").nth(1).unwrap();
    // median, mean, 90th percentile, worst, share without a difference.
    assert!(
        metrics.contains("| GPUs | GPUs | less | first-fit | 2 | +0.50 | +0.50 | +2 | +2 | 0.0 % (0 of 2) |")
    );
    assert!(metrics.contains(
        "| availability | compute slices | more | first-fit | 2 | -1.50 | -1.50 | -3 | -3 | 50.0 % (1 of 2) |"
    ));
}

#[test]
fn run_times_leave_failures_out() {
    let timed = |mut row: Value, seconds: f64| {
        row["seconds"] = json!(seconds);
        row
    };
    let rows = [
        timed(profit("one", "optimum", "optimal", 10, Some(10)), 0.0),
        timed(profit("two", "optimum", "optimal", 10, Some(10)), 0.99),
        timed(failed("three", "optimum", "it crashed"), 1e6),
    ];
    // sqrt(0.01 * 1) - 0.01.
    assert_eq!(line(&markdown(&rows), "Run time", "optimum")[1..], ["2", "1", "0.090", "0.99"]);
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let mut rows = mixed();
    rows.push(ordered("f", "optimum", "optimal", [3, 3], [Some(2), Some(2)]));
    let forward = records(&rows);
    rows.rotate_left(7);
    rows.reverse();
    let backward = records(&rows);
    let (one, other) = (SweepReport::of(&forward), SweepReport::of(&backward));
    assert_eq!(one.html("s", &|_| None), other.html("s", &|_| None));
    assert_eq!(one.markdown("s", &|_| None), other.markdown("s", &|_| None));
    assert_eq!(one.csv(), other.csv());
}

#[test]
fn groups_keep_questions_apart() {
    let mut rows = mixed();
    let mut other = profit("z", "optimum", "optimal", 5, Some(5));
    other["use_case"] = json!("compaction");
    let mut larger = profit("y", "optimum", "optimal", 5, Some(5));
    larger["cluster_gpus"] = json!(80);
    rows.extend([other, larger]);
    let text = markdown(&rows);
    let sections: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
    assert_eq!(
        sections,
        ["## wpm, joint, 8 GPUs", "## wpm, compaction, 8 GPUs", "## wpm, joint, 80 GPUs", "## Definitions"],
        "the largest group comes first"
    );
    let html = SweepReport::of(&records(&rows)).html("s", &|_| None);
    assert!(html.contains("<a href=\"#section-0\">wpm, joint, 8 GPUs</a>"));
}

#[test]
fn the_verdict_over_all_groups_comes_first() {
    let mut rows = mixed();
    let mut larger = [
        profit("y", "optimum", "optimal", 100, Some(100)),
        profit("y", "first-fit", "valid", 60, None),
        profit("y", "mine", "valid", 90, None),
    ];
    for row in &mut larger {
        row["cluster_gpus"] = json!(80);
    }
    rows.extend(larger);
    let markdown = markdown(&rows);
    let verdict = markdown.split("\n## ").next().unwrap();
    let cells = |first: &str| -> Vec<String> {
        let line = verdict.lines().find(|line| line.starts_with(&format!("| {first} |"))).unwrap();
        line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()
    };
    // mine: 0, 10 %, and at least 0 on the instance without a bound.
    assert_eq!(cells("mine")[1..6], ["6", "3", "0 to 10 %", "at least 10 %", "50.0 % (1 of 2)"]);
    assert_eq!(cells("optimum")[..3], ["optimum", "6", "2"]);
    assert!(
        verdict.contains("The optimum is proved on 2 of 6 instances. 1 instance proved infeasible."),
        "{verdict}"
    );
    let html = SweepReport::of(&records(&rows)).html("s", &|_| None);
    assert!(html.find("<caption>All instances").unwrap() < html.find("<nav").unwrap());
}

/// A row of a problem without GPUs: so many servers, of two groups.
fn packed(instance: &str, family: Option<&str>, method: &str, groups: [i64; 2]) -> Value {
    let servers = groups[0] + groups[1];
    json!({
        "instance": instance, "path": "x.yaml", "fingerprint": format!("print-{instance}"), "model": "sharing",
        "use_case": "any-servers", "family": family, "cluster_gpus": 0, "workloads": 20, "method": method, "seed": null,
        "outcome": "valid", "seconds": 0.5, "metrics": { "active_servers": servers, "active_servers_of:(24,64)": groups[0],
        "active_servers_of:(12,64)": groups[1], "lonely_of:one": 1 },
        "stages": [{ "name": "servers", "sense": "minimize", "value": servers, "bound": null }]
    })
}

/// Nine methods on two instances of each of some families, `low-5` and so on.
fn families(count: usize) -> Vec<Value> {
    const METHODS: [&str; 9] = ["bf", "bfs", "ff", "ffs", "nf", "nfs", "wf", "wfs", "optimum"];
    let rows = (1..=count).flat_map(|family| {
        (0..2).flat_map(move |chance| {
            METHODS.iter().enumerate().map(move |(rank, method)| {
                let name = format!("low-{}", 5 * family);
                packed(
                    &format!("{name}/{chance}"),
                    Some(&name),
                    method,
                    [rank as i64 + chance, family as i64],
                )
            })
        })
    });
    rows.collect()
}

#[test]
fn values_are_averaged_within_families() {
    let mut rows = families(2);
    // What only some methods answered is not averaged.
    rows.push(packed("low-5/third", Some("low-5"), "ff", [1000, 1000]));
    rows.push(packed("alone", None, "ff", [1000, 1000]));
    let markdown = markdown(&rows);
    let header = line(&markdown, "Values by family", "family");
    assert_eq!(header[..4], ["family", "instances", "compared", "mean: bf"]);
    assert_eq!(header.len(), 12);
    assert_eq!(
        line(&markdown, "Values by family", "low-5")[..6],
        ["low-5", "3", "2", "1.50", "2.50", "3.50"]
    );
    assert_eq!(line(&markdown, "Values by family", "low-10")[..4], ["low-10", "2", "2", "2.50"]);
    assert!(markdown.contains("- Families: low-5, low-10\n"), "in the order of the numbers");
    assert!(markdown.contains("averaged only within families of instances"));
    let lines = csv(&rows);
    assert_eq!(lines[&("low-5/0".to_owned(), "ff".to_owned())]["family"], "low-5");
    assert_eq!(lines[&("alone".to_owned(), "ff".to_owned())]["family"], "");
}

#[test]
fn a_method_without_any_answer_to_a_family_leaves_the_others_their_means() {
    let mut rows = families(2);
    rows.retain(|row| row["family"] == "low-5" || row["method"] != "optimum");
    let markdown = markdown(&rows);
    let low_10 = line(&markdown, "Values by family", "low-10");
    assert_eq!((low_10[3].as_str(), low_10[9].as_str()), ("2.50", "–"), "{low_10:?}");
}

#[test]
fn few_families_are_bars_and_many_a_map() {
    let html = |count| SweepReport::of(&records(&families(count))).html("s", &|_| None);
    let drawing = |html: &str| {
        let figures: Vec<&str> =
            html.split("<figure").filter(|part| part.contains("Mean servers by family")).collect();
        assert_eq!(figures.len(), 1);
        figures[0].split("</svg>").next().unwrap().to_owned()
    };
    let (few, many) = (drawing(&html(6)), drawing(&html(7)));
    // Nine bars for each family and nine marks of the legend; a cell for each family and method, and no colour is used twice.
    let filled = |svg: &str| svg.matches("<rect").count();
    assert_eq!((filled(&few), filled(&many)), (6 * 9 + 9, 7 * 9));
    let colours: BTreeSet<&str> = few
        .split("<rect")
        .skip(1)
        .filter_map(|part| part.split("fill=\"").nth(1)?.split('"').next())
        .collect();
    assert_eq!(colours.len(), 9, "{colours:?}");
    assert!(many.find(">\nlow-5\n").unwrap() < many.find(">\nlow-10\n").unwrap());
}

#[test]
fn metrics_with_several_indices_are_averaged_by_index() {
    let markdown = markdown(&families(2));
    let table = markdown.split("Mean active servers by group and method:").nth(1).unwrap();
    let lines: Vec<&str> = table.trim().lines().take(8).collect();
    assert!(
        lines[0].starts_with("| family | group | instances | compared | mean: bf | mean: bfs |"),
        "{}",
        lines[0]
    );
    let starts = [
        "| all | (12,64) | 4 | 4 | 1.50 | 1.50 |",
        "| all | (24,64) | 4 | 4 | 0.50 | 1.50 |",
        "| low-5 | (12,64) | 2 | 2 | 1 | 1 |",
        "| low-5 | (24,64) | 2 | 2 | 0.50 | 1.50 |",
        "| low-10 | (12,64) | 2 | 2 | 2 | 2 |",
    ];
    for (line, start) in lines[2..].iter().zip(starts) {
        assert!(line.starts_with(start), "{line}");
    }
    assert!(!markdown.contains("lonely of"), "a single index needs no plot");
}

#[test]
fn problems_without_gpus_are_headed_by_their_workloads() {
    let titles = |rows: &[Value]| {
        let text = markdown(rows);
        text.lines().filter(|line| line.starts_with("## sharing")).map(str::to_owned).collect::<Vec<_>>()
    };
    let mut rows = families(1);
    assert_eq!(titles(&rows), ["## sharing, any-servers, 20 workloads"]);
    let mut larger = packed("larger", None, "ff", [1, 1]);
    larger["workloads"] = json!(1000);
    rows.push(larger.clone());
    assert_eq!(
        titles(&rows),
        ["## sharing, any-servers, 20 to 1,000 workloads"],
        "one instance makes no group"
    );
    larger["instance"] = json!("other");
    larger["fingerprint"] = json!("other");
    rows.push(larger);
    assert_eq!(
        titles(&rows),
        ["## sharing, any-servers, 20 workloads", "## sharing, any-servers, 1,000 workloads"]
    );
}

#[test]
fn run_times_are_told_by_quartiles() {
    let rows: Vec<Value> = (1..=7)
        .map(|rank| {
            let mut row = profit(&format!("i{rank}"), "mine", "valid", 1, None);
            row["seconds"] = json!(rank);
            row
        })
        .collect();
    let text = markdown(&rows);
    let table = text.split("Distribution of run times:").nth(1).unwrap();
    assert!(table.contains("| mine | 7 | 1 | 2.17 | 4 | 5.83 | 7 |"), "{table}");
}

/// One instance may be asked about under several models, with methods of the same name.
#[test]
fn models_are_kept_apart() {
    let one = profit("a", "optimum", "optimal", 1, Some(1));
    let mut other = profit("a", "optimum", "optimal", 7, Some(7));
    other["model"] = json!("another");
    other["use_case"] = json!("another question");
    let folder = folder(&[one, other], "");
    let text = run(&["report", &folder.text("")], 0).stdout;
    assert!(text.contains("another question") && text.contains("wpm"), "{text}");
}

#[test]
fn the_page_needs_nothing_else_and_takes_names_as_they_are() {
    let evil = "<script>alert('x')</script>";
    let mut rows = mixed();
    rows.push(profit("a-proved", evil, "valid", 990, None));
    let html = SweepReport::of(&records(&rows)).html("a & b", &|_| None);
    assert!(!html.contains(evil) && html.contains("&lt;script&gt;alert"));
    assert!(html.contains("<title>Sweep a &amp; b</title>"));
    for needed in ["src=", "@import", "url(", "https:"] {
        assert!(!html.contains(needed), "{needed}");
    }
    let addresses = html.matches("http:").count();
    assert_eq!(addresses, html.matches("http://www.w3.org/2000/svg").count(), "only the name of SVG");
    assert!(html.contains("name=\"viewport\"") && html.contains("prefers-color-scheme: dark"));
}

#[test]
fn long_lists_end_and_say_so() {
    let rows: Vec<Value> = (0..501)
        .flat_map(|rank| {
            let name = format!("i{rank:03}");
            [
                profit(&name, "optimum", "optimal", 10_000, Some(10_000)),
                profit(&name, "mine", "valid", 10_000 - rank, None),
            ]
        })
        .collect();
    let html = SweepReport::of(&records(&rows)).html("s", &|_| None);
    assert!(html.contains("The 500 of 501 instances with the worst gaps"));
    assert!(
        html.contains("<td>i500</td>") && html.contains("<td>i001</td>") && !html.contains("<td>i000</td>")
    );
    assert_eq!(csv(&rows).len(), 1002, "the CSV has all");
}

#[test]
fn csv_keeps_every_field() {
    let mut row = with_metrics(profit("with, \"comma\"", "mine", "time-limit", 90, Some(100)), 6.0, -2.5);
    row["seed"] = json!(7);
    row["reason"] = json!("two\nlines");
    row["work"] = json!({ "columns": 1, "rows": 2, "nonzeros": 3, "nodes": 4, "iterations": 5 });
    row["metrics"]["own_metric"] = json!(0.1);
    let lines = csv(&[row]);
    let line = &lines[&("with, \"comma\"".to_owned(), "mine".to_owned())];
    for (column, value) in [
        ("seed", "7"),
        ("reason", "two\nlines"),
        ("outcome", "time-limit"),
        ("cluster_gpus", "8"),
        ("seconds", "0.5"),
        ("gpu_cost", "100"),
        ("work_nonzeros", "3"),
        ("gpus", "6"),
        ("availability", "-2.5"),
        ("own_metric", "0.1"),
        ("memory_waste", ""),
        ("stage_profit_value", "90"),
        ("stage_profit_bound", "100"),
        ("optimum", "bounded"),
        ("gap_low", "0"),
        ("gap_high", "0.1"),
    ] {
        assert_eq!(line[column], value, "{column}");
    }
}

/// A sweep's folder with these lines and whatever follows the last line break.
fn folder(rows: &[Value], torn: &str) -> Folder {
    let folder = Folder::new();
    let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
    folder.write("rows.jsonl", lines + torn);
    folder
}

#[test]
fn a_torn_last_line_is_ignored() {
    let whole = format!("{}", profit("z", "mine", "valid", 1, None));
    for torn in ["", "{\"instance\": \"hal", &whole] {
        let folder = folder(&mixed(), torn);
        assert_eq!(read_rows(&folder.path("rows.jsonl")).unwrap(), records(&mixed()), "{torn}");
    }
}

#[test]
fn the_command_writes_what_the_ending_asks_for() {
    let folder = folder(&mixed(), "");
    let sweep = folder.text("");
    let printed = run(&["report", &sweep], PROVED).stdout;
    assert!(printed.starts_with("# Sweep ") && printed.contains("### Gap to the optimum"));
    for (name, start) in [
        ("r.html", "<!DOCTYPE html>"),
        ("r.HTM", "<!DOCTYPE html>"),
        ("r.md", "# Sweep "),
        ("r.csv", "model,"),
    ] {
        let told = run(&["report", &sweep, "--output", &folder.text(name)], PROVED).stdout;
        assert_eq!(told, format!("{}\n", folder.text(name)));
        assert!(folder.read(name).starts_with(start), "{name}");
    }
    assert_eq!(run(&["report", &sweep, "--quiet", "--output", &folder.text("r.md")], PROVED).stdout, "");
}

#[test]
fn instances_in_the_folder_are_linked_from_wherever_the_report_is() {
    let outer = Folder::new();
    std::fs::create_dir_all(outer.path("my sweep/instances")).unwrap();
    std::fs::create_dir_all(outer.path("reports")).unwrap();
    std::fs::write(outer.path("my sweep/instances/a-proved.yaml"), "name: a-proved\n").unwrap();
    let lines: String = mixed().iter().map(|row| format!("{row}\n")).collect();
    std::fs::write(outer.path("my sweep/rows.jsonl"), lines).unwrap();
    let sweep = outer.text("my sweep");
    run(&["report", &sweep, "--output", &outer.text("my sweep/report.html")], PROVED);
    run(&["report", &sweep, "--output", &outer.text("reports/report.md")], PROVED);
    let (inside, outside) = (outer.read("my sweep/report.html"), outer.read("reports/report.md"));
    assert!(inside.contains("<a href=\"./instances/a-proved.yaml\">a-proved</a>"));
    assert!(inside.contains("<td>b-bounded</td>"), "there is no such file to link to");
    assert!(outside.contains("[a-proved](./../my%20sweep/instances/a-proved.yaml)"), "{outside}");
}

/// Runs the command on bad input, and expects one paragraph that says all of these.
fn refused(arguments: &[&str], expected: &[&str]) {
    let told = run(arguments, BAD_INPUT).stderr;
    assert_eq!(told.trim_end().lines().count(), 1, "one paragraph: {told}");
    for expected in expected {
        assert!(told.contains(expected), "{expected:?} is not in: {told}");
    }
}

#[test]
fn bad_folders_and_endings_are_refused() {
    let good = folder(&mixed(), "");
    let empty = Folder::new();
    refused(&["report", &good.text("nowhere")], &["nowhere: there is no such folder", "rows.jsonl"]);
    refused(
        &["report", &good.text("rows.jsonl")],
        &["this is neither a folder nor a result", "Name the folder of a sweep"],
    );
    refused(
        &["report", &empty.text("")],
        &["there is nothing to report in this folder", "Name the folder of a sweep"],
    );
    refused(&["report", &folder(&[], "").text("")], &["rows.jsonl: no row is complete", "Run the sweep"]);
    refused(&["report", &folder(&[], "{\"insta").text("")], &["no row is complete"]);
    refused(&["report", &good.text(""), "--output", "r.pdf"], &["--output r.pdf", "Use .html, .md or .csv"]);
    refused(&["report", &good.text(""), "--output", "-"], &["--output -", "Use .html, .md or .csv"]);
}

#[test]
fn bad_rows_are_named_by_line() {
    let bad = |rows: &[Value]| folder(rows, "");
    let one = profit("a", "mine", "valid", 1, None);
    let changed = |field: &str, value: Value| {
        let mut row = profit("a", "other", "valid", 1, None);
        row[field] = value;
        row
    };
    let refused = |folder: Folder, expected: &[&str]| refused(&["report", &folder.text("")], expected);
    refused(
        bad(&[one.clone(), json!({ "instance": 5 })]),
        &["rows.jsonl:2:", "not a row of a sweep", "Delete the line"],
    );
    refused(
        bad(&[one.clone(), changed("colour", json!("red"))]),
        &["rows.jsonl:2:", "unknown field `colour`"],
    );
    refused(bad(&[changed("seconds", json!(-1.0))]), &["rows.jsonl:1: `seconds` is -1"]);
    refused(
        bad(&[one.clone(), changed("method", json!("x")), one.clone()]),
        &["rows.jsonl:3: line 1 already has the row of instance \"a\", method \"mine\" and no seed"],
    );
    refused(
        bad(&[one.clone(), changed("use_case", json!("initial"))]),
        &["rows.jsonl:2:", "as in line 1", "another question"],
    );
    refused(
        bad(&[one, ordered("a", "other", "valid", [1, 1], [Some(1), None])]),
        &["rows.jsonl:2:", "as in line 1", "other objectives"],
    );
    let folder = Folder::new();
    folder.write("rows.jsonl", b"\xff\xfe\n");
    refused(folder, &["rows.jsonl:1:", "not a row of a sweep"]);
}

#[test]
fn only_searches_with_more_than_a_moment_are_drawn_and_the_longest_of_them() {
    let traced = |instance: &str, points: &[(f64, Option<f64>, f64)]| {
        let point = |(seconds, incumbent, bound): &(f64, Option<f64>, f64)| json!({ "seconds": seconds, "stage": "profit", "incumbent": incumbent, "bound": bound, "nodes": 0 });
        let mut row = profit(instance, "optimum", "optimal", 10, Some(10));
        row["trace"] = points.iter().map(point).collect();
        row
    };
    let html = |rows: &[Value]| SweepReport::of(&records(rows)).html("test", &|_| None);
    let moment = traced("moment", &[(0.5, Some(10.0), 10.0)]);
    assert!(
        !html(&[profit("none", "optimum", "optimal", 10, Some(10)), moment.clone()]).contains("Convergence")
    );
    let mut rows = vec![moment];
    let lengths = [3.0, 1.0, 5.0, 2.0, 4.0];
    rows.extend(lengths.iter().enumerate().map(|(rank, length)| {
        traced(&format!("run-{rank}"), &[(0.1, None, 14.0), (0.1 + length, Some(10.0), 10.0)])
    }));
    let page = html(&rows);
    let titles = page.split("<title>Convergence of ").skip(1);
    let titles: Vec<&str> = titles.map(|rest| rest.split("</title>").next().unwrap()).collect();
    assert_eq!(titles, ["profit: run-2", "profit: run-4", "profit: run-0", "profit: run-3"]);
    assert!(
        page.contains("The 4 searches that took longest are drawn, of 5 "),
        "the rest is not passed over in silence"
    );
}

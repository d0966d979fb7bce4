//! The report on replays: tables, plots and claims over folders that the tests write.

use serde_json::{Value, json};
use std::path::Path;
use support::cli::{BAD_INPUT, Folder, PROVED, run};

const HOURS_HEAD: &str = "begins,arrived,accepted,rejected,departed,resident,active_gpus,active_hosts,\
    gpus_of_active_hosts,migrations,free_capability,unproved,gap\n";

/// A policy on a trace of 10 virtual machines, 4 of `1g.5gb` and 6 of `7g.40gb`, over three hours.
struct Policy {
    name: &'static str,
    /// Accepted by profile.
    accepted: [usize; 2],
    migrations: usize,
    /// GPUs, hosts, and GPUs of the hosts in use at the end of each hour.
    active: [[usize; 3]; 3],
    planning: Option<Value>,
    gaps: [Option<f64>; 3],
}

impl Policy {
    fn new(name: &'static str, accepted: [usize; 2]) -> Self {
        let active = [[1, 1, 2], [2, 1, 2], [3, 2, 4]];
        Policy { name, accepted, migrations: 0, active, planning: None, gaps: [None; 3] }
    }

    fn totals(&self) -> Value {
        let sum = |part: usize| self.active.iter().map(|active| active[part]).sum::<usize>();
        let mut totals = json!({
            "policy": self.name, "arrived": 10, "accepted": self.accepted[0] + self.accepted[1], "departed": 1,
            "profiles": profiles(self.accepted), "migrations": self.migrations, "intervals": 3,
            "active_sums": { "gpus": sum(0), "hosts": sum(1), "gpus_of_hosts": sum(2) },
            "digest": "0123456789abcdef", "seconds": 0.25
        });
        if let Some(planning) = &self.planning {
            totals["planning"] = planning.clone();
        }
        totals
    }

    /// The first accepted arrive in the first hour, all others in the last; the second has no arrival.
    fn hours(&self) -> String {
        let accepted = self.accepted[0] + self.accepted[1];
        let early = accepted.min(4);
        let counts = [(4, early, 0), (0, 0, 1), (6, accepted - early, 0)];
        let mut text = HOURS_HEAD.to_owned();
        for (rank, (arrived, accepted, departed)) in counts.into_iter().enumerate() {
            let [gpus, hosts, strict] = self.active[rank];
            let migrations = if rank == 2 { self.migrations } else { 0 };
            let (unproved, gap) = self.gaps[rank].map_or((0, String::new()), |gap| (2, gap.to_string()));
            text += &format!(
                "{},{arrived},{accepted},{},{departed},{accepted},{gpus},{hosts},{strict},{migrations},9,{unproved},{gap}\n",
                7200 + 3600 * rank,
                arrived - accepted
            );
        }
        text
    }

    fn write(&self, folder: &Folder, path: &str) {
        folder.write(&format!("{path}/totals.json"), self.totals().to_string());
        folder.write(&format!("{path}/hours.csv"), self.hours());
    }
}

fn profiles(accepted: [usize; 2]) -> Value {
    json!([
        { "profile": "1g.5gb", "arrived": 4, "accepted": accepted[0] },
        { "profile": "7g.40gb", "arrived": 6, "accepted": accepted[1] }
    ])
}

fn conditions() -> Value {
    json!({
        "version": "0.1.0",
        "trace": {
            "files": ["hosts.csv", "pods & <b>.csv"], "fingerprint": "f00d", "hosts": 2, "gpus": 4, "boards": ["A100-40GB"],
            "profiles": [["1g.5gb", 4], ["7g.40gb", 6]], "arrivals": [7300.0, 16000.5],
            "notes": ["3 pods <script>alert(1)</script> were left out."]
        },
        "reading": {
            "interval": 3600, "departures": true, "host_limits": false, "gpus_per_host": "trace",
            "lifetime_millionths": 1500000, "batch": null, "until": "last-arrival"
        }
    })
}

fn bound() -> Value {
    json!({
        "free_migration": { "accepted": 9, "proof": "rounds of <cuts>" },
        "no_migration": { "accepted": 8, "proof": "branch and bound" },
        "schedule": { "accepted": 7, "profiles": profiles([3, 4]), "found_by": "local search", "digest": "d" },
        "seconds": 12.5
    })
}

fn write_replay(folder: &Folder, path: &str, policies: &[Policy], with_bound: bool) {
    folder.write(&format!("{path}/replay.json"), conditions().to_string());
    for (rank, policy) in policies.iter().enumerate() {
        // Folders in an order that has nothing to do with that of the policies.
        policy.write(folder, &format!("{path}/{}-policy", ["q", "c", "z", "a"][rank]));
    }
    if with_bound {
        folder.write(&format!("{path}/bound/bound.json"), bound().to_string());
    }
}

fn policies() -> Vec<Policy> {
    vec![
        Policy {
            planning: Some(json!({
                "decisions": 9, "programs": 5, "unproved": 2, "worst_gap": 0.125, "seconds": 2.5, "slowest_seconds": 1.0
            })),
            gaps: [None, None, Some(0.125)],
            migrations: 3,
            ..Policy::new("optimal:limit=1", [4, 3])
        },
        Policy::new("ff", [2, 3]),
        Policy { migrations: 2, ..Policy::new("grmu:odd=<b>|*x*", [3, 3]) },
        Policy::new("mcc", [1, 3]),
    ]
}

fn one(with_bound: bool) -> Folder {
    let folder = Folder::new();
    write_replay(&folder, "run", &policies(), with_bound);
    folder
}

fn markdown(folder: &Folder, path: &str) -> String {
    run(&["report", &folder.text(path)], PROVED).stdout
}

fn file(folder: &Folder, path: &str, output: &str) -> String {
    run(&["report", &folder.text(path), "--output", &folder.text(output), "--quiet"], PROVED);
    std::fs::read_to_string(folder.path(output)).unwrap()
}

/// The part of a Markdown page below a heading of the second level.
fn section<'m>(markdown: &'m str, heading: &str) -> &'m str {
    let section = markdown.split(&format!("\n## {heading}\n")).nth(1);
    let section = section.unwrap_or_else(|| panic!("no section {heading:?} in:\n{markdown}"));
    section.split("\n## ").next().unwrap()
}

/// The line of a table that starts with some cell, as cells.
fn line(section: &str, first: &str) -> Vec<String> {
    let line = section.lines().find(|line| line.starts_with(&format!("| {first} |")));
    let line = line.unwrap_or_else(|| panic!("no line {first:?} in:\n{section}"));
    line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()
}

fn complaint(folder: &Folder, path: &str) -> String {
    let told = run(&["report", &folder.text(path)], BAD_INPUT).stderr;
    let mut lines = told.lines();
    let paragraph = lines.next().unwrap_or_default().to_owned();
    assert!(lines.all(|line| line.starts_with("  ")), "{told}");
    paragraph
}

#[test]
fn the_table_of_policies_has_distances_areas_and_proofs() {
    let markdown = markdown(&one(true), "run");
    let policies = section(&markdown, "Policies");
    let head = line(policies, "policy");
    assert_eq!(
        head[3..7],
        [
            "below the bound without migration: VMs",
            "below the bound without migration: %",
            "below the bound with free migration: VMs",
            "below the bound with free migration: %",
        ]
    );
    // 6 GPUs and 4 hosts in use over the intervals, of 4 and 2: 10 / 6. Strict: 8 + 4 of 6.
    assert_eq!(
        line(policies, "ff")[1..],
        ["5", "50.00", "3", "37.50", "4", "44.44", "0", "166.67", "200.00", "–", "–", "0.25"]
    );
    assert_eq!(
        line(policies, "optimal:limit=1")[1..],
        ["7", "70.00", "1", "12.50", "2", "22.22", "3", "166.67", "200.00", "1", "12.50", "0.25"]
    );
    let order: Vec<usize> =
        ["| ff |", "| mcc |", "| grmu:odd", "| optimal"].map(|name| policies.find(name).unwrap()).to_vec();
    assert!(order.is_sorted(), "{policies}");
    assert!(policies.contains(r"grmu:odd=\<b\>\|\*x\*"), "{policies}");
}

#[test]
fn all_sections_are_there_and_explain_their_columns() {
    let markdown = markdown(&one(true), "run");
    let trace = section(&markdown, "Trace and reading");
    for words in [
        "Files: hosts.csv, pods & ",
        "2 hosts with 4 GPUs (A100-40GB)",
        "Virtual machines: 10, which arrive within 0.10 days; by profile: 1g.5gb 4, 7g.40gb 6",
        "intervals of 1 hour; virtual machines leave after their lifetime; CPU and main memory of the hosts are not limits",
        "lifetimes are multiplied by 1.5",
        "Note: 3 pods",
        "migopt 0.1.0",
    ] {
        assert!(trace.contains(words), "{words}: {trace}");
    }
    let bound = section(&markdown, "Bound");
    assert_eq!(line(bound, "bound with free migration")[1..], ["9", "90.00", r"rounds of \<cuts\>"]);
    assert_eq!(line(bound, "bound without migration")[1..], ["8", "80.00", "branch and bound"]);
    assert_eq!(line(bound, "best schedule")[1..], ["7", "70.00", "local search"]);
    assert_eq!(line(bound, "remaining gap")[1..], ["1", "10.00", "12.50 % of the bound without migration"]);
    let profiles = section(&markdown, "Profiles");
    // Arrived; then accepted and share of ff, mcc, grmu, optimal and the schedule.
    assert_eq!(
        line(profiles, "1g.5gb")[1..],
        ["4", "2", "50.00", "1", "25.00", "3", "75.00", "4", "100.00", "3", "75.00"]
    );
    assert_eq!(line(profiles, "all")[1..4], ["10", "5", "50.00"]);
    for words in ["- area, plain:", "- area, strict:", "- migrations:", "- remaining gap:", "- arrived:"] {
        assert!(markdown.contains(words), "{words}");
    }
    assert!(!markdown.contains("Warning:"), "{markdown}");
}

#[test]
fn without_a_bound_the_report_says_so() {
    let markdown = markdown(&one(false), "run");
    assert!(section(&markdown, "Bound").contains("The folder holds no bound"), "{markdown}");
    assert_eq!(
        line(section(&markdown, "Policies"), "ff")[1..],
        ["5", "50.00", "0", "166.67", "200.00", "–", "–", "0.25"]
    );
}

#[test]
fn policies_that_did_not_end_are_told_and_left_out() {
    let folder = one(true);
    folder.write("run/bf/hours.csv", "begins,arr");
    let markdown = markdown(&folder, "run");
    assert!(markdown.contains("1 policy folder did not finish and is left out: bf."), "{markdown}");
    assert!(!section(&markdown, "Policies").contains("| bf |"));
}

#[test]
fn a_policy_above_a_bound_is_told() {
    let folder = Folder::new();
    let moves = Policy { migrations: 1, ..Policy::new("optimal", [4, 5]) };
    write_replay(&folder, "run", &[Policy::new("ff", [4, 5]), moves], true);
    let markdown = markdown(&folder, "run");
    // Who migrates may be above the bound without migration.
    assert!(
        markdown.contains("so the bound or these results are wrong: ff."),
        "only ff contradicts: {markdown}"
    );
    assert_eq!(line(section(&markdown, "Policies"), "optimal")[3..7], ["-1", "-12.50", "0", "0"]);
}

#[test]
fn pages_are_self_contained_and_escape_names() {
    let folder = one(true);
    let html = file(&folder, "run", "report.html");
    for outside in ["<script src", "<link", "http://www.w3.org/1999", "<b>|", "<script>alert", "<cuts>"] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(html.contains("grmu:odd=&lt;b&gt;|*x*"), "names stand as they are");
    assert_eq!(html.matches("<figure").count(), 5);
    for title in [
        "Acceptance over time by policy: run",
        "Active hardware over time, plain by policy: run",
        "Active hardware over time, strict by policy: run",
        "Distance of every policy to the bounds: run",
        "Acceptance by profile and policy: run",
    ] {
        assert!(html.contains(&format!("<title>{title}</title>")), "{title}");
    }
}

#[test]
fn long_series_make_small_drawings() {
    let folder = Folder::new();
    let intervals: usize = 2000;
    let mut hours = HOURS_HEAD.to_owned();
    for rank in 0..intervals {
        let arrived = if rank == 0 { 10 } else { 0 };
        hours += &format!("{},{arrived},{},{},0,5,3,2,4,0,9,0,\n", 3600 * rank, arrived / 2, arrived / 2);
    }
    let mut totals = Policy::new("ff", [2, 3]).totals();
    totals["intervals"] = json!(intervals);
    totals["departed"] = json!(0);
    totals["active_sums"] =
        json!({ "gpus": 3 * intervals, "hosts": 2 * intervals, "gpus_of_hosts": 4 * intervals });
    folder.write("run/replay.json", conditions().to_string());
    folder.write("run/ff/totals.json", totals.to_string());
    folder.write("run/ff/hours.csv", hours);
    let html = file(&folder, "run", "report.html");
    assert!(html.len() < 100_000, "straight lines need two points each, not {} bytes", html.len());
    assert!(html.contains("drawn are means of 10 intervals"));
}

#[test]
fn csv_has_a_line_for_each_policy_and_interval() {
    let folder = one(true);
    let text = file(&folder, "run", "report.csv");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1 + 4 * 3);
    assert_eq!(
        lines[0],
        "replay,policy,begins,arrived,accepted,rejected,departed,resident,active_gpus,active_hosts,gpus_of_active_hosts,\
         migrations,free_capability,unproved,gap,arrived_so_far,accepted_so_far,active_percent_plain,active_percent_strict"
    );
    assert_eq!(lines[1], "run,ff,7200,4,4,0,0,4,1,1,2,0,9,0,,4,4,33.333333333333336,50");
    assert_eq!(lines[3], "run,ff,14400,6,1,5,0,1,3,2,4,0,9,0,,10,5,83.33333333333333,100");
    assert!(
        lines[12].starts_with("run,optimal:limit=1,14400,6,3,3,0,3,3,2,4,3,9,2,0.125,10,7,"),
        "{}",
        lines[12]
    );
}

#[test]
fn the_same_files_give_the_same_bytes() {
    let (one_way, other_way) = (Folder::new(), Folder::new());
    write_replay(&one_way, "run", &policies(), true);
    // The same policies in folders of other names, made in another order.
    other_way.write("run/bound/bound.json", bound().to_string());
    for (rank, policy) in policies().iter().enumerate().rev() {
        policy.write(&other_way, &format!("run/{}", ["m", "x", "b", "k"][rank]));
    }
    other_way.write("run/replay.json", conditions().to_string());
    for ending in ["html", "md", "csv"] {
        let output = format!("report.{ending}");
        let first = file(&one_way, "run", &output);
        assert_eq!(first, file(&one_way, "run", &output), "{ending}");
        assert_eq!(first, file(&other_way, "run", &output), "{ending}");
    }
}

const CLAIMS: &str = "\
paper: A paper
stated: stated
claims:
  - claim: GRMU accepts 20 % more than FF
    source: section 8
    printed: 20
    decimals: 0
    value: {percent_more: [{accepted: grmu}, {accepted: ff}]}
  - claim: GRMU accepts 2 times as many as MCC
    source: Fig. 9
    printed: 2.0
    decimals: 1
    value: {ratio: [{accepted: grmu}, {accepted: mcc}]}
    note: A note
  - claim: FF has 3.05 times as many of the large profile
    source: Fig. 10
    printed: 3.05
    decimals: 2
    value: {ratio: [{accepted_of: {policy: ff, profile: 7g.40gb}}, {accepted_of: {policy: mcc, profile: 7g.40gb}}]}
  - claim: BF accepts 100
    source: Fig. 11
    printed: 100
    decimals: 0
    value: {accepted: bf}
  - claim: area of FF
    source: Table 6
    printed: 166.67
    decimals: 2
    value: {area_plain: ff}
  - claim: all else
    source: nowhere
    printed: 12
    decimals: 0
    value: {sum: [virtual_machines, hosts, {difference: [{migrations: ff}, {percent: [hosts, gpus]}]},
      {percent_less: [{share: ff}, {area_strict: ff}]}, {migrations: grmu}, gpus]}
";

fn collection() -> Folder {
    let folder = Folder::new();
    write_replay(&folder, "all/stated", &policies(), true);
    let other = vec![Policy::new("ff", [3, 6]), Policy::new("mcc", [1, 2]), Policy::new("grmu", [2, 4])];
    write_replay(&folder, "all/other", &other, false);
    folder.write("all/notes/readme.txt", "no replay");
    folder.write("all/claims.yaml", CLAIMS);
    folder
}

#[test]
fn claims_are_checked_against_every_replay() {
    let markdown = markdown(&collection(), "all");
    let claims = section(&markdown, "What the paper prints, and what follows from its stated set-up");
    assert!(claims.contains("A paper. Of 6 claims 2 follow from its stated set-up"), "{claims}");
    assert_eq!(
        line(claims, "claim")[2..],
        ["printed", "stated (stated)", "other", "verdict on the stated set-up"]
    );
    let verdict = |claim: &str| line(claims, claim)[2..].to_vec();
    assert_eq!(
        verdict("GRMU accepts 20 % more than FF"),
        ["20", "20, follows", "-33.3, does not follow", "follows"]
    );
    assert_eq!(
        verdict("GRMU accepts 2 times as many as MCC"),
        ["2.0", "1.50, does not follow", "2.0, follows", "does not follow"]
    );
    assert_eq!(
        verdict("FF has 3.05 times as many of the large profile"),
        ["3.05", "1.00, does not follow", "3.00, does not follow", "does not follow"]
    );
    assert_eq!(verdict("BF accepts 100"), ["100", "–", "–", "cannot be checked"]);
    assert_eq!(verdict("area of FF"), ["166.67", "166.667, follows", "166.667, follows", "follows"]);
    // 10 + 2 + (0 - 50) + (100 - 25) + 2 + 4.
    assert_eq!(verdict("all else")[1], "43, does not follow");
    for words in [
        "- GRMU accepts 20 % more than FF: follows from stated. No other replay reproduces it or comes near.",
        "- GRMU accepts 2 times as many as MCC: does not follow from stated, which gives 1.50 instead of 2.0. Reproduced by \
         other (2.0). A note.",
        "instead of 3.05. Near: other (3.00).",
        "- BF accepts 100: cannot be checked, as stated has no such number.",
    ] {
        assert!(claims.contains(words), "{words}: {claims}");
    }
}

#[test]
fn collections_have_a_summary_and_every_replay() {
    let folder = collection();
    let markdown = markdown(&folder, "all");
    let titles: Vec<&str> = markdown.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(
        titles,
        [
            "Summary",
            "What the paper prints, and what follows from its stated set-up",
            "Replay other",
            "Replay stated",
            "Definitions"
        ]
    );
    let summary = section(&markdown, "Summary");
    assert!(summary.contains("| other | ff | 9 | 90.00 | – | 0 | 166.67 | 200.00 |"), "{summary}");
    assert!(summary.contains("| stated | ff | 5 | 50.00 | 3 | 0 | 166.67 | 200.00 |"), "{summary}");
    let csv = file(&folder, "all", "report.csv");
    assert_eq!(csv.lines().count(), 1 + 7 * 3);
    assert!(csv.lines().nth(1).unwrap().starts_with("other,ff,"));
    std::fs::remove_file(folder.path("all/claims.yaml")).unwrap();
    let without = run(&["report", &folder.text("all")], PROVED).stdout;
    assert!(!without.contains("What the paper prints"));
}

#[test]
fn wrong_claims_are_refused_with_their_line() {
    let wrong = |old: &str, new: &str, words: &[&str]| {
        let folder = collection();
        folder.write("all/claims.yaml", CLAIMS.replacen(old, new, 1));
        let told = complaint(&folder, "all");
        for words in words {
            assert!(told.contains(words), "{words}: {told}");
        }
    };
    wrong("stated: stated", "stated: sated", &["claims.yaml:2:9: `stated`", "other, stated"]);
    wrong("    note: A note", "    nota: A note", &["claims.yaml:14", "nota", "note"]);
    wrong(
        "{accepted: bf}",
        "{acepted: bf}",
        &["claims.yaml:24:13: ", "unknown value `acepted`", "mean \"accepted\"?"],
    );
    wrong("printed: 3.05", "printed: 3.055", &["claims.yaml:17:14: `printed` is 3.055", "the 2 that"]);
    wrong("decimals: 1", "decimals: 7", &["claims.yaml:12:15: `decimals` is 7"]);
    wrong("profile: 7g.40gb}}, ", "profil: 7g.40gb}}, ", &["claims.yaml:19", "profil"]);
}

#[test]
fn folders_that_are_nothing_are_refused() {
    let folder = Folder::new();
    folder.write("empty/sub/file", "");
    let told = complaint(&folder, "empty");
    for words in ["there is nothing to report in this folder", "rows.jsonl", "replay.json"] {
        assert!(told.contains(words), "{told}");
    }
    assert!(complaint(&folder, "absent").contains("there is no such folder"));
    write_replay(&folder, "bare", &[], false);
    assert!(complaint(&folder, "bare").contains("no policy has finished and there is no bound"));
    write_replay(&folder, "both", &policies(), false);
    folder.write("both/rows.jsonl", "");
    assert!(complaint(&folder, "both").contains("holds both rows.jsonl and replay.json"));
}

#[test]
fn a_bound_alone_is_a_report() {
    let folder = Folder::new();
    write_replay(&folder, "run", &[], true);
    let markdown = markdown(&folder, "run");
    assert!(markdown.contains("No policy finished"), "{markdown}");
    assert_eq!(line(section(&markdown, "Profiles"), "7g.40gb")[1..], ["6", "4", "66.67"]);
    file(&folder, "run", "report.html");
}

/// Replaces a part of a file and reports the complaint about its folder.
fn complaint_after(path: &str, old: &str, new: &str) -> String {
    let folder = one(true);
    let text = std::fs::read_to_string(folder.path(path)).unwrap();
    assert!(text.contains(old), "{path} has no {old:?}: {text}");
    folder.write(path, text.replacen(old, new, 1));
    let told = complaint(&folder, "run");
    assert!(told.contains(Path::new(path).file_name().unwrap().to_str().unwrap()), "{told}");
    told
}

#[test]
fn files_that_contradict_each_other_are_refused() {
    let totals = "run/c-policy/totals.json";
    let hours = "run/c-policy/hours.csv";
    for (path, old, new, words) in [
        ("run/replay.json", "\"hosts\":2", "\"hostz\":2", "hostz"),
        ("run/replay.json", "\"gpus\":4", "\"gpus\":0", "`trace` has no GPU"),
        (totals, "\"accepted\":5", "\"accepted\":6", "`accepted` is 6, but hours.csv has 5"),
        (totals, "\"intervals\":3", "\"intervals\":4", "`intervals` is 4, but hours.csv has 3"),
        (totals, "\"gpus\":6", "\"gpus\":7", "`active_sums.gpus` is 7, but hours.csv has 6"),
        (totals, "\"accepted\":2}", "\"accepted\":1}", "the profiles sum up to 4"),
        (totals, "\"profile\":\"1g.5gb\"", "\"profile\":\"2g.10gb\"", "does not list the profiles"),
        (totals, "\"policy\":\"ff\"", "\"policy\":\"mcc\"", "is also in"),
        (totals, "{", "", "totals.json"),
        (hours, "7200,4,4,0", "7200,4,3,0", "hours.csv:2: `accepted` and `rejected` do not sum up"),
        (hours, "10800", "10801", "hours.csv:3: `begins` is not 3600 seconds after"),
        (hours, "14400,6", "14400,six", "hours.csv:4: this line is not an interval"),
        (hours, "14400,6,", "14400,", "hours.csv:4: this line has 12 fields, but the head has 13"),
        (hours, "2,4,0,9,0,\n", "2,4,0,9,0,", "the last line is cut off"),
        (hours, "free_capability", "capability", "free_capability"),
        ("run/bound/bound.json", "\"accepted\":8", "\"accepted\":6", "none of them may exceed the next"),
        ("run/bound/bound.json", "\"accepted\":9", "\"accepted\":11", "but the trace of replay.json has 10"),
    ] {
        let told = if new == "2,4,0,9,0," { torn(path) } else { complaint_after(path, old, new) };
        assert!(told.contains(words), "{words}: {told}");
    }
    let folder = one(true);
    std::fs::remove_file(folder.path(hours)).unwrap();
    assert!(complaint(&folder, "run").contains("hours.csv: there is no such file"));
}

/// The complaint about a series whose last line break is missing.
fn torn(path: &str) -> String {
    let folder = one(true);
    let text = std::fs::read_to_string(folder.path(path)).unwrap();
    folder.write(path, text.trim_end());
    complaint(&folder, "run")
}

#[test]
fn the_shipped_claims_are_readable() {
    let folder = Folder::new();
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/replay-alibaba/claims.yaml");
    folder.write("all/claims.yaml", std::fs::read_to_string(shipped).unwrap());
    write_replay(&folder, "all/as-printed", &policies(), true);
    let markdown = markdown(&folder, "all");
    assert!(markdown.contains("GRMU performs 37 migrations: does not follow from as-printed"), "{markdown}");
}

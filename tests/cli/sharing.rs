//! Every command with `--model sharing`, on generated instances and on one made by hand.

use serde_json::{Value, json};
use support::cli::schemas::check_schema;
use support::cli::{BAD_INPUT, Folder, INFEASIBLE, LIMIT, PROVED, lines_without_seconds, run};

const INTERNAL: i32 = 1;

/// Two desks need 2072 MiB together, more than a small server has, and a web server and a desk 2304. So one server does not do:
/// the large one has no CPUs left for `batch` beside all others.
const BY_HAND: &str = "\
name: by-hand
sharing:
  page_kib: 1024
  servers:
    - {name: tiny, memory_pages: 900, capacity: {cpu: 4}}
    - {name: small, count: 2, group: small, memory_gib: 2, capacity: {cpu: 4, disk_gib: 100}}
    - {name: large, group: large, memory_gib: 4, capacity: {cpu: 8}, cost: 1.5}
  components: {windows: 1000, debian: 400}
  vms:
    - {name: desk, replicas: 2, memory_gib: 1.5, request: {cpu: 2}, components: [windows]}
    - {name: web, replicas: 2, memory_gib: 0.75, request: {cpu: 1, disk_gib: 60}, components: [debian]}
    - {name: batch, memory_gib: 0.5, request: {cpu: 3}, components: [debian]}
";

/// First fit with sharing, written anew.
const FIRST_FIT: &str = "exec:python3 -c '
import json, sys
q = json.load(sys.stdin)
vms = {vm[\"name\"]: vm for vm in q[\"vms\"]}
hosts = {server[\"name\"]: [] for server in q[\"servers\"]}
def fits(server, names):
    pages = sum(vms[name][\"private_pages\"] for name in names)
    pages += sum(c[\"pages\"] for c in q[\"page_classes\"] if set(c[\"vms\"]) & set(names))
    need = lambda r: sum(vms[name][\"request\"].get(r, 0) for name in names)
    return pages <= server[\"pages\"] and all(need(r) <= most for r, most in server[\"capacity\"].items())
for name in q[\"arrival\"]:
    for server in q[\"servers\"]:
        if fits(server, hosts[server[\"name\"]] + [name]):
            hosts[server[\"name\"]].append(name)
            break
packing = [dict(server=server, vms=names) for server, names in hosts.items() if names]
json.dump(dict(model=q[\"model\"], instance=q[\"instance\"], packing=packing), sys.stdout)
'";

const ONLINE: [&str; 8] = ["nf", "ff", "bf", "wf", "nfs", "ffs", "bfs", "wfs"];

fn by_hand(folder: &Folder) -> String {
    folder.write("by-hand.yaml", BY_HAND)
}

fn shipped(name: &str) -> String {
    format!("{}/instances/sharing/{name}.yaml", env!("CARGO_MANIFEST_DIR"))
}

fn generated(folder: &Folder, flags: &[&str]) -> String {
    let output = folder.text("");
    let given = ["generate", "sharing", "--output", &output];
    run(&[&given, flags].concat(), PROVED).stdout.trim_end().to_owned()
}

fn solved(path: &str, flags: &[&str]) -> Value {
    let arguments = ["solve", path, "--model", "sharing", "--format", "json"];
    run(&[&arguments, flags].concat(), PROVED).json()
}

/// Values of the stages, which must equal the bounds.
fn values(result: &Value) -> Vec<f64> {
    let stages = result["stages"].as_array().unwrap();
    assert!(stages.iter().all(|stage| stage["value"] == stage["bound"]), "{result}");
    stages.iter().map(|stage| stage["value"].as_f64().unwrap()).collect()
}

/// A server and its virtual machines.
type Hosted = (&'static str, &'static [&'static str]);

/// A packing of the instance made by hand.
fn packing(servers: &[Hosted]) -> String {
    let packed: Vec<Value> =
        servers.iter().map(|(server, vms)| json!({"server": server, "vms": vms})).collect();
    json!({"model": "sharing", "instance": {"name": "by-hand"}, "packing": packed}).to_string()
}

#[test]
fn the_answer_tells_goals_score_and_metrics() {
    let folder = Folder::new();
    let path = by_hand(&folder);
    let result = solved(&path, &[]);
    assert_eq!((&result["model"], &result["formulation"]), (&json!("sharing"), &json!("compact")));
    assert_eq!(
        (&result["status"], &result["proved"], &result["gap"]),
        (&json!("optimal"), &json!(true), &json!(0.0))
    );
    assert_eq!(
        (&result["objective"], &result["optimum"]),
        (&json!("lexicographic:servers"), &json!("any-servers"))
    );
    assert_eq!(values(&result), [2.5]);
    let score = &result["score"];
    assert_eq!(
        (&score["active_servers"], &score["cost"], &score["reach"]),
        (&json!(2), &json!(2.5), &json!(4))
    );
    assert_eq!(score["requested_pages"], 2 * 1536 + 2 * 768 + 512);
    for (metric, value) in [("active_servers", 2.0), ("server_cost", 2.5), ("reach", 4.0)] {
        assert_eq!(result["metrics"][metric].as_f64(), Some(value), "{metric}");
    }
    check_schema(&["result"], &result);
    check_schema(&["solution"], &result["solution"]);
    check_schema(&["instance"], &support::from_yaml(BY_HAND));

    let text = run(&["solve", &path, "--model", "sharing"], PROVED).stdout;
    let parts = [
        "by-hand: optimal (proved: bound and verified value meet)",
        "model sharing, formulation compact",
        "optimum any-servers",
        "cost 2.5, the last one at position 4 of the order",
        "desk#0",
    ];
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in {text}");
    }
}

#[test]
fn formulations_solvers_and_starts_give_the_same_values() {
    let folder = Folder::new();
    let by_hand = by_hand(&folder);
    let small = generated(&folder, &["--vms", "6", "--sharing", "os", "--seed", "3"]);
    for path in [by_hand, small] {
        for optimum in ["any-servers", "first-m-of-the-order"] {
            let reference = values(&solved(&path, &["--optimum", optimum]));
            for formulation in ["compact", "printed"] {
                let flags = ["--optimum", optimum, "--formulation", formulation];
                for more in [&[][..], &["--warm-start", "bfs:scan=all"], &["--solver", "cbc"]] {
                    if more.contains(&"cbc") && cfg!(not(feature = "cbc")) {
                        continue;
                    }
                    let result = solved(&path, &[&flags, more].concat());
                    assert_eq!(values(&result), reference, "{flags:?} {more:?}");
                    assert_eq!(
                        (&result["formulation"], &result["optimum"]),
                        (&json!(formulation), &json!(optimum))
                    );
                }
            }
        }
    }
}

/// With the order first the reach decides; the cost of what is then the fewest comes after it.
#[test]
fn the_optimum_may_be_asked_for_on_the_first_servers() {
    let folder = Folder::new();
    let path = folder.write(
        "order.yaml",
        BY_HAND.replace("  servers:\n", "  optimum: first-m-of-the-order\n  servers:\n"),
    );
    let result = solved(&path, &[]);
    assert_eq!(result["objective"], "lexicographic:reach,servers");
    assert_eq!(values(&result), [4.0, 2.5]);
    assert_eq!(values(&solved(&path, &["--optimum", "any-servers"])), [2.5]);
    let text = run(&["solve", &path, "--model", "sharing"], PROVED).stdout;
    assert!(text.contains("optimum first-m-of-the-order") && text.contains("  reach "), "{text}");
}

#[test]
fn what_cannot_be_packed_is_infeasible_with_a_reason() {
    for (name, words) in [
        ("no-home", "`large` fits no server, not even an empty one"),
        ("too-little-memory", "10 too few"),
        ("does-not-divide", "the search proved that no packing keeps every capacity"),
    ] {
        let path = shipped(name);
        for formulation in ["compact", "printed"] {
            let flags = ["solve", &path, "--model", "sharing", "--formulation", formulation];
            let done = run(&flags, INFEASIBLE);
            assert!(done.stdout.contains("infeasible") && done.stdout.contains(words), "{words}: {done:?}");
            let result = run(&[&flags[..], &["--format", "json"]].concat(), INFEASIBLE).json();
            assert_eq!((&result["status"], &result["solution"]), (&json!("infeasible"), &Value::Null));
            check_schema(&["result"], &result);
        }
    }
}

#[test]
fn no_time_at_all_still_gives_a_verified_solution_and_a_bound() {
    let folder = Folder::new();
    let path = by_hand(&folder);
    for optimum in ["any-servers", "first-m-of-the-order"] {
        let output = folder.text("result.json");
        let asked = ["solve", &path, "--model", "sharing", "--optimum", optimum, "--time-limit", "0"];
        let done = run(&[&asked[..], &["--output", &output]].concat(), LIMIT);
        assert!(done.stdout.contains("stopped by the time limit"), "{done:?}");
        let result = folder.json("result.json");
        check_schema(&["result"], &result);
        let stages = result["stages"].as_array().unwrap();
        let bounded = stages.iter().filter(|stage| !stage["bound"].is_null());
        for stage in bounded {
            let [value, bound] = [&stage["value"], &stage["bound"]].map(|number| number.as_f64().unwrap());
            assert!(bound <= value, "{stage}");
        }
        assert!(result["gap"].as_f64().unwrap() > 0.0);
        run(&["verify", &path, &output], PROVED);

        let flags = ["--formulation", "printed", "--format", "json"];
        let result = run(&[&asked[..], &flags].concat(), LIMIT).json();
        assert_eq!(result["status"], "time-limit");
        let started = run(&[&asked[..], &flags, &["--warm-start", "offline"]].concat(), LIMIT).json();
        assert!(started["stages"][0]["value"].as_f64().unwrap() >= 2.5, "{started}");
    }
    let within =
        run(&["solve", &path, "--model", "sharing", "--gap", "0.2", "--format", "json"], PROVED).json();
    assert_eq!((&within["status"], &within["proved"]), (&json!("within-gap"), &json!(false)));
}

#[test]
fn flags_and_files_that_make_no_sense_are_refused() {
    let folder = Folder::new();
    let path = by_hand(&folder);
    let refused: &[(&[&str], &str)] = &[
        (&["--objective", "lexicographic"], "--optimum"),
        (&["--use-case", "joint"], "only wpm has"),
        (&["--residents", "keep"], "only siavashi has"),
        (&["--formulation", "prinetd"], "did you mean \"printed\"?"),
        (&["--optimum", "any"], "any-servers"),
        (&["--warm-start", "ffs:speed=2"], "speed"),
        (&["--warm-start", "ffs:order=largest"], "largest-first"),
    ];
    for (flags, part) in refused {
        let done = run(&[&["solve", &path, "--model", "sharing"], *flags].concat(), BAD_INPUT);
        assert!(done.stderr.contains(part), "{flags:?}: {done:?}");
    }
    let texts = [
        ("debian]", "debain]", "debian"),
        ("memory_gib: 1.5", "memory_gib: 0.5", "desk"),
        ("count: 2", "cuont: 2", "count"),
    ];
    for (given, instead, part) in texts {
        let wrong = folder.write("wrong.yaml", BY_HAND.replacen(given, instead, 1));
        let done = run(&["solve", &wrong, "--model", "sharing"], BAD_INPUT);
        assert!(done.stderr.contains("wrong.yaml:") && done.stderr.contains(part), "{instead}: {done:?}");
    }
    for model in ["wpm", "siavashi"] {
        let done = run(&["solve", &path, "--model", model], BAD_INPUT);
        assert!(done.stderr.contains("Use --model sharing"), "{done:?}");
    }
    let gpus = "name: g\ngpus: [{name: g, board: A100-80GB}]\nworkloads: []\n";
    let done = run(&["solve", &folder.write("gpus.yaml", gpus), "--model", "sharing"], BAD_INPUT);
    assert!(done.stderr.contains("sharing"), "{done:?}");
    run(&["pareto", &path, "--model", "sharing", "--objectives", "reach,servers"], BAD_INPUT);
}

#[test]
fn verify_judges_packings_written_by_hand() {
    let folder = Folder::new();
    let path = by_hand(&folder);
    let optimum: [Hosted; 2] = [("large", &["desk#0", "desk#1", "web#0", "web#1"]), ("small-1", &["batch"])];
    let valid = folder.write("valid.json", packing(&optimum));
    let text = run(&["verify", &path, &valid], PROVED).stdout;
    assert!(
        text.contains(": valid (verified; not proved optimal)\n") && text.contains(" 2   cost 2.5, "),
        "{text}"
    );
    let verdict = run(&["verify", &path, &valid, "--format", "json"], PROVED).json();
    assert_eq!(verdict["score"]["pages"], 1000 + 2 * 536 + 400 + 2 * 368 + 512);

    let cases: [(&str, &str, [Hosted; 2]); 3] = [
        ("unplaced", "`batch` has no server", [optimum[0], ("small-0", &[])]),
        (
            "over-capacity",
            "`small-0` has 100 of disk_gib, but 120 is requested",
            [("large", &["desk#0", "desk#1", "batch"]), ("small-0", &["web#0", "web#1"])],
        ),
        (
            "over-memory",
            "`small-0` has 2048 pages, but 2072 are needed",
            [("small-0", &["desk#0", "desk#1"]), ("large", &["web#0", "web#1", "batch"])],
        ),
    ];
    for (rule, words, packed) in cases {
        let solution = folder.write("solution.json", packing(&packed));
        let verdict = run(&["verify", &path, &solution, "--format", "json"], INFEASIBLE).json();
        let violations = verdict["violations"].as_array().unwrap();
        assert_eq!((violations.len(), &violations[0]["rule"]), (1, &json!(rule)), "{verdict}");
        assert_eq!((&verdict["valid"], &verdict["score"]), (&json!(false), &Value::Null));
        let text = run(&["verify", &path, &solution], INFEASIBLE).stdout;
        assert!(text.contains(": not valid: 1 rule broken\n") && text.contains(words), "{text}");
    }
    let unreadable: [(String, &str); 4] = [
        (packing(&[("lagre", &["desk#0"])]), "did you mean \"large\"?"),
        (packing(&[("large", &["desk"])]), "the virtual machine `desk`"),
        (packing(&[("large", &["batch"]), ("small-0", &["batch"])]), "has two servers"),
        (packing(&optimum).replace("packing", "placement"), "the field `workload` is missing"),
    ];
    for (solution, words) in unreadable {
        let file = folder.write("solution.json", solution);
        let done = run(&["verify", &path, &file], BAD_INPUT);
        assert!(done.stderr.contains(words), "{words}: {done:?}");
    }
}

#[test]
fn verify_accepts_results_and_refuses_tampered_ones() {
    let folder = Folder::new();
    let memory_bound = generated(&folder, &["--family", "memory-bound", "--seed", "4"]);
    for path in [by_hand(&folder), memory_bound] {
        let output = folder.text("result.json");
        run(&["solve", &path, "--model", "sharing", "--quiet", "--output", &output], PROVED);
        let verdict = run(&["verify", &path, &output, "--format", "json"], PROVED).json();
        let mut result = folder.json("result.json");
        assert_eq!((&verdict["valid"], &verdict["score"]), (&json!(true), &result["score"]));
        let other = run(&["verify", &path, &output, "--model", "wpm"], BAD_INPUT).stderr;
        assert!(other.contains("this is a solution of model sharing, not wpm"), "{other}");

        // Everybody onto one server.
        let packed = result["solution"]["packing"].as_array_mut().unwrap();
        let moved: Vec<Value> =
            packed.drain(1..).flat_map(|server| server["vms"].as_array().unwrap().clone()).collect();
        packed[0]["vms"].as_array_mut().unwrap().extend(moved);
        let tampered = folder.write("tampered.json", result.to_string());
        let done = run(&["verify", &path, &tampered], INFEASIBLE);
        assert!(done.stdout.contains("  over-"), "{done:?}");
    }
}

#[test]
fn heuristics_propose_packings_that_are_judged() {
    let folder = Folder::new();
    let path = by_hand(&folder);
    let output = folder.text("proposal.json");
    for policy in ONLINE.into_iter().chain(["offline"]) {
        let arguments = ["heuristic", &path, "--model", "sharing", "--policy", policy, "--output", &output];
        let text = run(&arguments, PROVED).stdout;
        assert!(text.contains("valid (verified; not proved optimal)"), "{policy}: {text}");
        let proposal = folder.json("proposal.json");
        check_schema(&["proposal"], &proposal);
        assert_eq!(proposal["heuristic"], policy);
        assert!(proposal["score"]["cost"].as_f64().unwrap() >= 2.5, "{proposal}");
        run(&["verify", &path, &output], PROVED);
        assert!(run(&["show", &output], PROVED).stdout.contains("batch"));
    }
    for (policy, cost) in [
        ("bfs:order=largest-first,scan=all,page-unit=gib", None),
        ("wfs:operator=max", None),
        ("offline:tries=3", Some(2.5)),
        ("ffs:order=largest-first", Some(2.5)),
    ] {
        let arguments = ["heuristic", &path, "--model", "sharing", "--policy", policy, "--format", "json"];
        let proposal = run(&arguments, PROVED).json();
        assert_eq!((&proposal["valid"], &proposal["heuristic"]), (&json!(true), &json!(policy)));
        assert!(cost.is_none_or(|cost| proposal["score"]["cost"] == cost), "{policy}: {proposal}");
    }
    let refused = ["heuristic", &path, "--model", "sharing", "--policy", "ff:page-unit=gib"];
    assert!(run(&refused, BAD_INPUT).stderr.contains("page-unit"));
}

#[test]
fn external_heuristics_read_the_question_and_are_judged() {
    let folder = Folder::new();
    let desktops = generated(&folder, &["--family", "desktops", "--seed", "9", "--sharing", "rich"]);
    for path in [by_hand(&folder), desktops] {
        let question = folder.text("question.json");
        let keep = format!("exec:cat > {question}; exit 4");
        run(&["heuristic", &path, "--model", "sharing", "--policy", &keep, "--seed", "9"], INTERNAL);
        let question = folder.json("question.json");
        check_schema(&["question", "--model", "sharing"], &question);
        assert_eq!((&question["model"], &question["seed"]), (&json!("sharing"), &json!(9)));

        let proposed = |policy: &str| {
            let arguments =
                ["heuristic", &path, "--model", "sharing", "--policy", policy, "--format", "json"];
            run(&arguments, PROVED).json()
        };
        let (external, own) = (proposed(FIRST_FIT), proposed("ffs"));
        assert_eq!((&external["valid"], &external["score"]), (&json!(true), &own["score"]));
        assert_eq!(external["solution"]["packing"], own["solution"]["packing"]);
    }
    let nobody =
        "exec:echo '{\"model\": \"sharing\", \"instance\": {\"name\": \"by-hand\"}, \"packing\": []}'";
    let done = run(&["heuristic", &by_hand(&folder), "--model", "sharing", "--policy", nobody], INFEASIBLE);
    assert!(done.stdout.contains("unplaced: "), "{done:?}");
}

#[test]
fn sweeps_make_rows_and_reports_read_them() {
    let folder = Folder::new();
    let sweep = folder.text("sweep");
    let arguments = [
        "bench",
        "--model",
        "sharing",
        "--generate",
        "sharing:vms=12,count=2,seed=3",
        "--generate",
        "sharing:family=desktops,vms=14,sharing=rich,optimum=first-m-of-the-order,count=2,seed=5",
        "--methods",
        &format!("optimum,{}", ONLINE.join(",")),
        "--method",
        "ffs:order=largest-first",
        "--output",
        &sweep,
    ];
    assert!(run(&arguments, PROVED).stdout.contains("40 of 40 rows, 40 made now"));
    assert!(run(&arguments, PROVED).stdout.contains("40 of 40 rows, 0 made now"));
    let rows: Vec<Value> =
        folder.read("sweep/rows.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 40);
    for row in &rows {
        check_schema(&["row"], row);
        let proved = row["method"] == "optimum";
        assert_eq!(row["model"], "sharing");
        assert_eq!(row["outcome"], if proved { "optimal" } else { "valid" }, "{row}");
        let optimum =
            rows.iter().find(|other| other["instance"] == row["instance"] && other["method"] == "optimum");
        let values = |row: &Value| -> Vec<f64> {
            let stages = row["stages"].as_array().unwrap();
            stages.iter().map(|stage| stage["value"].as_f64().unwrap()).collect()
        };
        let (own, best) = (values(row), values(optimum.unwrap()));
        assert_eq!(own.len(), best.len());
        assert!(if proved { own == best } else { own >= best }, "{row}");
    }
    let report = run(&["report", &sweep], PROVED).stdout;
    for part in ["sharing, any-servers", "sharing, first-m-of-the-order", "active servers", "wfs"] {
        assert!(report.contains(part), "{part}: {report}");
    }
    run(&["report", &sweep, "--output", &folder.text("report.html")], PROVED);
    assert!(folder.read("report.html").contains("</html>"));
    run(&["report", &sweep, "--output", &folder.text("rows.csv")], PROVED);
    assert_eq!(folder.read("rows.csv").lines().count(), 41);
}

#[test]
fn programs_pictures_and_drawings_are_written() {
    let folder = Folder::new();
    let (path, output) = (by_hand(&folder), folder.text("result.json"));
    for formulation in ["compact", "printed"] {
        for (name, end) in [("program.lp", "end"), ("program.mps", "ENDATA")] {
            let export = folder.text(name);
            let flags = ["--formulation", formulation, "--export", &export, "--output", &output, "--quiet"];
            run(&[&["solve", path.as_str(), "--model", "sharing"], &flags[..]].concat(), PROVED);
            let text = folder.read(name);
            assert!(text.trim_end().ends_with(end) && text.contains("desk"), "{formulation} {name}");
        }
    }
    let export = folder.text("program.mod");
    run(&["solve", &path, "--model", "sharing", "--quiet", "--export", &export], PROVED);
    assert!(folder.read("program.mod").contains("minimize"));
    run(&["solve", &path, "--model", "sharing", "--export", &folder.text("program.txt")], BAD_INPUT);

    let solution = folder.write("solution.json", folder.json("result.json")["solution"].to_string());
    for file in [&path, &output, &solution] {
        let text = run(&["show", file], PROVED).stdout;
        assert!(text.contains("desk#0") && text.contains("large"), "{file}: {text}");
        run(&["show", file, "--picture", &folder.text("picture.svg")], PROVED);
        assert!(folder.read("picture.svg").contains("<svg"), "{file}");
    }
}

#[test]
fn the_same_question_gives_the_same_bytes() {
    let folder = Folder::new();
    let path =
        generated(&folder, &["--family", "desktops", "--vms", "16", "--sharing", "rich", "--seed", "2"]);
    let runs = ["one", "two"].map(|name| {
        let files = ["json", "svg", "lp"].map(|ending| folder.text(&format!("{name}.{ending}")));
        let [output, picture, export] = files.each_ref().map(String::as_str);
        let flags = ["--output", output, "--picture", picture, "--export", export];
        run(&[&["solve", path.as_str(), "--model", "sharing", "--quiet"], &flags[..]].concat(), PROVED);
        let files = ["svg", "lp"].map(|ending| folder.read(&format!("{name}.{ending}")));
        (lines_without_seconds(&folder.read(&format!("{name}.json"))), files)
    });
    assert!(runs[0].0.len() > 40);
    assert!(runs[0] == runs[1]);
}

#[test]
fn lists_and_generated_files_say_what_they_are() {
    let folder = Folder::new();
    assert!(run(&["list", "models"], PROVED).stdout.contains("  sharing "));
    let heuristics = run(&["list", "heuristics"], PROVED).stdout;
    let of_sharing = heuristics.split("Heuristics for sharing").nth(1).unwrap();
    assert!(ONLINE.iter().all(|name| of_sharing.contains(&format!("\n  {name} "))), "{of_sharing}");
    assert!(of_sharing.contains("page-unit="), "{of_sharing}");

    let flags = ["--vms", "9", "--page-kib", "4", "--cost", "capacity", "--shuffle", "2"];
    let path = generated(&folder, &flags);
    let text = std::fs::read_to_string(&path).unwrap();
    let asked = [&["generate", "sharing", "--output", "-"], &flags[..]].concat();
    assert_eq!(run(&asked, PROVED).stdout, text);
    assert!(run(&[&asked[..], &["--seed", "2"]].concat(), PROVED).stdout != text);
    check_schema(&["instance"], &support::from_yaml(&text));
    assert_eq!(solved(&path, &[])["status"], "optimal");
    for (flag, value) in [("--page-kib", "3"), ("--low", "0.5"), ("--family", "paperr"), ("--vms", "0")] {
        let done = run(&[&["generate", "sharing", "--output", "-"], &[flag, value][..]].concat(), BAD_INPUT);
        assert!(done.stderr.contains(flag), "{flag}: {done:?}");
    }
}

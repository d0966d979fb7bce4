//! What can be wrong with the section `migrator` and with the files that it names, and what the command says of it.

use ground::Amount;
use kit::Choices;
use migrator::{Deployment, Migrator, Reconfiguration, Signature};
use models::Instance;
use serde::Serialize;
use support::cli::complaints::{Case, case, check_form, check_under};
use support::cli::{BAD_INPUT, Folder, run};
use support::instances;
use support::migrator::problem;

/// A window of three slots with one model.
const VALID: &str = "\
name: x
migrator:
  window_seconds: 3
  models:
    - name: m
      capability: {1g: 10, 2g: 20}
      accuracy: {before: 0.5, after: 0.7}
      retraining_seconds: {1g: 2}
      reconfiguration_seconds: 0.5
      requests: [1, 2, 3]
";

/// The valid window with another line, or lines, in the place of one.
fn edited(line: usize, text: &str) -> String {
    let lines = (1..).zip(VALID.lines()).map(|(number, old)| if number == line { text } else { old });
    lines.map(|line| format!("{line}\n")).collect()
}

fn check(cases: Vec<Case>) {
    check_under("migrator", cases);
}

fn edit(
    name: &'static str,
    line: usize,
    text: &str,
    place: &'static str,
    parts: &'static [&'static str],
) -> Case {
    case(name, &edited(line, text), place, parts)
}

#[test]
fn windows() {
    check(vec![
        edit(
            "no length",
            3,
            "  window_seconds: 0",
            "3:19: ",
            &["`window_seconds` is 0 but must be above 0 and below 10^7. Give it in seconds."],
        ),
        edit("negative length", 3, "  window_seconds: -3", "3:19: ", &["`window_seconds` is -3 but must be"]),
        edit("beyond measure", 3, "  window_seconds: 10000000", "3:19: ", &["below 10^7"]),
        edit("too fine", 3, "  window_seconds: 3.0000001", "3:19: ", &["`window_seconds`", "six digits"]),
        edit("no number", 3, "  window_seconds: three", "3:19: ", &["`window_seconds`: \"three\"", "finite"]),
        edit("missing", 3, "  basis_seconds: 1", "3:3: ", &["`window_seconds` is missing"]),
        edit(
            "slots without length",
            3,
            "  window_seconds: 3\n  basis_seconds: 0",
            "4:18: ",
            &["`basis_seconds` is 0 but must be above 0 and below 10^7. Give it in seconds."],
        ),
        edit(
            "no whole number of slots",
            3,
            "  basis_seconds: 2\n  window_seconds: 3",
            "4:19: ",
            &[
                "`window_seconds` is 3, which is not a whole number of at most 100000 slots of 2 seconds. Change it or \
               `basis_seconds`.",
            ],
        ),
        edit(
            "too many slots",
            3,
            "  basis_seconds: 0.5\n  window_seconds: 50000.5",
            "4:19: ",
            &[
                "`window_seconds` is 50000.5, which is not a whole number of at most 100000 slots of 0.5 seconds",
            ],
        ),
        edit(
            "unknown board",
            3,
            "  window_seconds: 3\n  board: A100-40G",
            "4:10: ",
            &["A100-40G", "did you mean \"A100-40GB\"?"],
        ),
        edit(
            "unknown reading of a reconfiguration",
            3,
            "  window_seconds: 3\n  reconfiguration: cary",
            "4:20: ",
            &["`cary`", "clip, carry, frac, charge"],
        ),
        edit(
            "unknown reading of the deployment",
            3,
            "  window_seconds: 3\n  deployment: gpc",
            "4:15: ",
            &["`gpc`", "instance, gpcs"],
        ),
        edit(
            "unknown reading of the signature",
            3,
            "  window_seconds: 3\n  signature: counts",
            "4:14: ",
            &["`counts`", "count, multiset"],
        ),
        edit(
            "unknown field",
            3,
            "  window_second: 3",
            "3:3: ",
            &["unknown field `window_second`", "did you mean \"window_seconds\"?"],
        ),
        case(
            "no models",
            "name: x\nmigrator:\n  window_seconds: 3\n  models: []\n",
            "4:11: ",
            &["`models` is empty. List at least one model; see instances/migrator/ for examples."],
        ),
        case(
            "no list of models",
            "name: x\nmigrator:\n  window_seconds: 3\n",
            "3:3: ",
            &["`models` is missing"],
        ),
        case("a list", "name: x\nmigrator: []\n", "2:11: ", &["`migrator`", "an entry with fields"]),
        case(
            "another model's instance",
            "name: x\ngpus:\n  - {name: g, board: A30}\n",
            " ",
            &[
                "the instance has no section `migrator`, in which model migrator finds its window and its models. Add one (see \
               instances/migrator/), or use another model.",
            ],
        ),
    ]);
    for model in ["wpm", "siavashi"] {
        let parts = &["no GPUs", "but it has a section `migrator`", "Use --model migrator"];
        check_under(model, vec![case("migrator alone", VALID, " ", parts)]);
    }
}

#[test]
fn models() {
    check(vec![
        edit("empty name", 5, "    - name: \"\"", "5:13: ", &["a model has an empty name. Give it one."]),
        edit(
            "unfit name",
            5,
            "    - name: my model",
            "5:13: ",
            &["model `my model`: a name must not contain ' '. Leave it out."],
        ),
        case(
            "two of one name",
            &(VALID.to_owned() + &VALID.lines().skip(4).map(|line| format!("{line}\n")).collect::<String>()),
            "11:13: ",
            &["two models are called `m` (the other one at line 5). Rename one."],
        ),
        edit(
            "unknown field",
            9,
            "      reconfiguration_second: 0.5",
            "9:7: ",
            &["unknown field `reconfiguration_second`", "did you mean \"reconfiguration_seconds\"?"],
        ),
        edit(
            "accuracy below 0",
            7,
            "      accuracy:\n        before: -0.5\n        after: 0.7",
            "8:17: ",
            &["model `m`: the accuracy `before` is -0.5 but must be from 0 to 1. Give a share."],
        ),
        edit(
            "accuracy in percent",
            7,
            "      accuracy:\n        before: 0.5\n        after: 70",
            "9:16: ",
            &["model `m`: the accuracy `after` is 70 but must be from 0 to 1. Give a share."],
        ),
        edit("accuracy too fine", 7, "      accuracy: {before: 0.1234567, after: 1}", "7:26: ", &["six digits"]),
        edit("one accuracy", 7, "      accuracy: {before: 0.5}", "7:", &["`after` is missing"]),
        edit(
            "negative reconfiguration",
            9,
            "      reconfiguration_seconds: -1",
            "9:32: ",
            &["model `m`: `reconfiguration_seconds` is -1 but must not be negative. Use 0 or more."],
        ),
        edit(
            "negative work",
            9,
            "      reconfiguration_seconds: 1\n      gflops: -4",
            "10:15: ",
            &["model `m`: `gflops` is -4 but must not be negative. Use 0 or more."],
        ),
        edit(
            "numbers too fine together",
            6,
            "      capability: {1g: 10.123457, 2g: 20.765433, 3g: 30.111111}",
            "4:3: ",
            &["the goodput of the window cannot be counted in whole numbers: the digits of accuracies, capabilities, requests and \
               seconds, multiplied, give more than 2^60 units. Round them to fewer digits after the point."],
        ),
    ]
    .into_iter()
    .map(|mut case| {
        if case.name == "numbers too fine together" {
            case.text = case.text.replace("before: 0.5", "before: 0.123457");
            case.text = case.text.replace("reconfiguration_seconds: 0.5", "reconfiguration_seconds: 0.765433");
        }
        case
    })
    .collect());
}

#[test]
fn sizes() {
    check(vec![
        edit(
            "capability of a size that the board lacks",
            6,
            "      capability:\n        1g: 10\n        5g: 20",
            "8:9: ",
            &["model `m`: `capability` names the size 5g, which the board A100-40GB does not have (did you mean \"1g\"?). Its \
               sizes: 1g, 2g, 3g, 4g, 7g."],
        ),
        edit(
            "negative capability",
            6,
            "      capability:\n        1g: 10\n        2g: -20",
            "8:9: ",
            &["model `m`: `capability` on 2g is -20 but must not be negative. Use 0 or more."],
        ),
        edit(
            "capability beyond measure",
            6,
            "      capability: {1g: 10000000}",
            "6:20: ",
            &["model `m`: `capability` on 1g is 10000000 but must be below 10^7. Check its unit."],
        ),
        edit("no capability", 6, "      gflops: 3", "5:7: ", &["`capability` is missing"]),
        edit(
            "a size twice",
            6,
            "      capability: {1g: 10, 1g: 20}",
            "6:28: ",
            &["`1g` is given twice"],
        ),
        edit(
            "retraining on a size that the board lacks",
            8,
            "      retraining_seconds:\n        1g: 2\n        1g.5gb: 3",
            "10:9: ",
            &["model `m`: `retraining_seconds` names the size 1g.5gb, which the board A100-40GB does not have. Its sizes: 1g, \
               2g, 3g, 4g, 7g."],
        ),
        edit(
            "retraining without time",
            8,
            "      retraining_seconds:\n        2g: 2\n        1g: 0",
            "10:9: ",
            &["model `m`: `retraining_seconds` on 1g is 0. Give more, or leave the size out."],
        ),
        edit(
            "negative retraining",
            8,
            "      retraining_seconds: {1g: -2}",
            "8:28: ",
            &["model `m`: `retraining_seconds` on 1g is -2 but must not be negative. Use 0 or more."],
        ),
        edit(
            "no retraining",
            8,
            "      retraining_seconds: {}",
            "8:27: ",
            &["model `m`: `retraining_seconds` is empty. Give the seconds on at least one size."],
        ),
        edit(
            "minimum that the board lacks",
            9,
            "      reconfiguration_seconds: 0.5\n      minimum_instance: 6g",
            "10:25: ",
            &["model `m`: `minimum_instance` names the size 6g, which the board A100-40GB does not have"],
        ),
        edit(
            "size of another board",
            3,
            "  window_seconds: 3\n  board: A30-24GB",
            " ",
            &[],
        ),
        edit(
            "allocation of a size that the board lacks",
            9,
            "      reconfiguration_seconds: 0.5\n      first_allocation: [1g, 8g]",
            "10:25: ",
            &["model `m`: `first_allocation` names the size 8g, which the board A100-40GB does not have"],
        ),
        edit(
            "allocation that does not fit",
            9,
            "      reconfiguration_seconds: 0.5\n      first_allocation: [4g, 4g]",
            "10:25: ",
            &["model `m`: `first_allocation` is 4g + 4g, which does not fit the board A100-40GB. List what the task has before \
               the window."],
        ),
    ]
    .into_iter()
    .map(|mut case| {
        if case.name == "size of another board" {
            case.text = case.text.replace("2g: 20", "3g: 20");
            case.place = "7:28: ";
            case.parts = &["`capability` names the size 3g, which the board A30-24GB does not have", "1g, 2g, 4g."];
        }
        case
    })
    .collect());
}

#[test]
fn requests() {
    check(vec![
        edit(
            "none",
            10,
            "      gflops: 1",
            "5:13: ",
            &[
                "model `m` has no requests. List those of each slot under `requests`, or name a file with `requests_from: {file: \
               ...}`.",
            ],
        ),
        edit(
            "too few",
            10,
            "      requests: [1, 2]",
            "10:17: ",
            &[
                "model `m`: `requests` has 2 numbers, but the window has 3 slots of 1 s. Give one number per slot, or change \
               `window_seconds` or `basis_seconds`.",
            ],
        ),
        edit(
            "too many",
            10,
            "      requests:\n        - 1\n        - 2\n        - 3\n        - 4",
            "10:7: ",
            &["model `m`: `requests` has 4 numbers, but the window has 3 slots of 1 s."],
        ),
        edit("one", 10, "      requests: [1]", "10:17: ", &["`requests` has 1 number, but"]),
        edit(
            "negative",
            10,
            "      requests: [1, 2, -3]",
            "10:17: ",
            &["model `m`, slot 2: `requests` is -3 but must not be negative. Use 0 or more."],
        ),
        edit(
            "no number",
            10,
            "      requests:\n        - 1\n        - two\n        - 3",
            "12:11: ",
            &["\"two\" cannot be used", "finite"],
        ),
        edit("too fine", 10, "      requests: [1, 2.1234567, 3]", "10:21: ", &["2.1234567", "six digits"]),
        edit(
            "series and file",
            10,
            "      requests: [1, 2, 3]\n      requests_from: {file: x.csv}",
            "11:22: ",
            &["model `m` has both `requests` and `requests_from`. Keep one."],
        ),
        edit(
            "no file",
            10,
            "      requests_from: {file: \"-\"}",
            "10:22: ",
            &["model `m`: `requests_from` names no file. Give a path, from the folder of this file on."],
        ),
        edit(
            "unknown field of a file",
            10,
            "      requests_from: {file: x.csv, colum: a}",
            "10:36: ",
            &["unknown field `colum`", "did you mean \"column\"?"],
        ),
    ]);
}

/// The valid window with its requests in a file, and the paragraph that the command says of it, without the name of the program.
fn complaint_of_file(content: Option<&str>, column: &str) -> String {
    let folder = Folder::new();
    if let Some(content) = content {
        folder.write("requests.csv", content);
    }
    let entry = format!("      requests_from: {{file: requests.csv{column}}}");
    let path = folder.write("case.yaml", edited(10, &entry));
    let done = run(&["solve", &path, "--model", "migrator"], BAD_INPUT);
    check_form("requests.csv", &done);
    let paragraph = done.stderr.split_inclusive('\n').next().unwrap_or_default();
    paragraph.trim_start_matches("migopt: ").replace(&folder.text(""), "")
}

#[test]
fn files_of_requests() {
    let column = ", column: chat";
    let cases = [
        (
            None,
            "",
            "case.yaml:10:22: model `m`: `requests_from` names requests.csv: there is no such file. Check the path.",
        ),
        (
            Some("1\n2\n"),
            "",
            "case.yaml:10:22: model `m`: requests.csv has 2 numbers, but the window has 3 slots of 1 s. Give one number per slot, \
             or change `window_seconds` or `basis_seconds`.",
        ),
        (
            Some("# nothing\n"),
            "",
            "case.yaml:10:22: model `m`: requests.csv has 0 numbers, but the window has 3 slots of 1 s. Give one number per slot, \
             or change `window_seconds` or `basis_seconds`.",
        ),
        (
            Some("requests\n\n# a remark\n1\n2\n3\n4\n"),
            "",
            "case.yaml:10:22: model `m`: requests.csv has 4 numbers, but the window has 3 slots of 1 s. Give one number per slot, \
             or change `window_seconds` or `basis_seconds`.",
        ),
        (
            Some("requests\n\n# a remark\n1\ntwo\n3\n"),
            "",
            "requests.csv:5: \"two\" is not a number of requests: it must be a finite decimal number. Write one number per \
             slot.",
        ),
        (
            Some("1.1234567\n2\n3\n"),
            "",
            "requests.csv:1: \"1.1234567\" is not a number of requests: it may have at most six digits after the decimal point. \
             Write one number per slot.",
        ),
        (
            Some("1\n-2\n3\n"),
            "",
            "requests.csv:2: a number of requests is -2 but must not be negative. Use 0 or more.",
        ),
        (
            Some("1\n2\n10000000\n"),
            "",
            "requests.csv:3: a number of requests is 10000000 but must be below 10^7. Check its unit.",
        ),
        (
            Some("slot, chat\n0, 1\n1, 2\n2, 3\n"),
            "",
            "requests.csv:1: the file has several columns (slot, chat). Name one with `column`.",
        ),
        (
            Some("slot, chats\n0, 1\n1, 2\n2, 3\n"),
            column,
            "requests.csv:1: there is no column \"chat\" (did you mean \"chats\"?). Columns: slot, chats.",
        ),
        (
            Some("1\n2\n3\n"),
            column,
            "requests.csv:1: `column` asks for \"chat\", but the file has no heading. Add one, or leave `column` out.",
        ),
        (
            Some("slot,chat\n0,1\n1\n2,3\n"),
            column,
            "requests.csv:3: the row has 1 cells, and the series is in column 2. Add a number.",
        ),
        (
            Some("slot,chat\n0,1\n1,\n2,3\n"),
            column,
            "requests.csv:3: \"\" is not a number of requests: it must be a finite decimal number. Write one number per slot.",
        ),
    ];
    for (content, column, expected) in cases {
        assert_eq!(complaint_of_file(content, column), format!("{expected}\n"), "{content:?}");
    }
    let folder = Folder::new();
    folder.write("requests.csv", b"1\n\xe9\n3\n");
    let path = folder.write("case.yaml", edited(10, "      requests_from: {file: requests.csv}"));
    let done = run(&["solve", &path, "--model", "migrator"], BAD_INPUT);
    check_form("not UTF-8", &done);
    assert!(done.stderr.contains("requests.csv: this is not UTF-8 text"), "{done:?}");
}

/// A file beside the instance is found wherever the command runs; the series counts, not where it stands.
#[test]
fn series_are_read_from_beside_the_instance_and_are_part_of_the_fingerprint() {
    let folder = Folder::new();
    let read = |name: &str, requests: &str| instances::read(folder.write(name, edited(10, requests)));
    folder.write("there/plain.csv", "1\n2\n3\n");
    folder.write("there/table.csv", "\u{feff}slot,chat,\"vision\"\n0, 1, 9\n# noon\n1, 2, 9\n\n2, 3, 8.5\n");
    let inline = read("there/a.yaml", "      requests: [1, 2, 3]");
    let plain = read("there/b.yaml", "      requests_from: {file: plain.csv}");
    let column = read("there/c.yaml", "      requests_from: {file: table.csv, column: chat}");
    let other = read("d.yaml", "      requests_from: {file: there/table.csv, column: vision}");
    let series = |instance: &Instance| instance.problem::<Migrator>().unwrap().models[0].requests.clone();
    assert_eq!(series(&inline), [1, 2, 3].map(Amount::whole));
    assert_eq!(series(&other), ["9", "9", "8.5"].map(|text| text.parse().unwrap()));
    for same in [&plain, &column] {
        assert_eq!(series(same), series(&inline));
        assert_eq!(same.fingerprint, inline.fingerprint);
    }
    assert_ne!(other.fingerprint, inline.fingerprint);
    folder.write("there/plain.csv", "1\n2\n4\n");
    let changed = read("there/b.yaml", "      requests_from: {file: plain.csv}");
    assert_ne!(changed.fingerprint, plain.fingerprint);
}

#[test]
fn capabilities_that_fall_are_remarked_upon() {
    let remarks = |capability: &str, more: &str| {
        let text = edited(6, &format!("      capability: {capability}{more}"));
        problem(text).warnings
    };
    let falling = "model `m`: an instance of 2g serves 8 requests per second, fewer than one of 1g (10); check `capability`";
    assert_eq!(remarks("{1g: 10, 2g: 8, 3g: 20, 4g: 21, 7g: 22}", ""), [falling]);
    assert_eq!(remarks("{1g: 10, 2g: 10, 3g: 20, 4g: 21, 7g: 22}", ""), [""; 0]);
    // What is below the minimum serves nothing anyway.
    assert_eq!(remarks("{1g: 10, 2g: 8, 3g: 8, 4g: 8, 7g: 8}", "\n      minimum_instance: 2g"), [""; 0]);
}

#[test]
fn flags_and_files_have_the_same_names() {
    fn check<T: Choices + Serialize>() {
        for choice in T::ALL {
            assert_eq!(serde_json::to_value(choice.value).unwrap(), choice.name);
        }
    }
    check::<Reconfiguration>();
    check::<Deployment>();
    check::<Signature>();
}

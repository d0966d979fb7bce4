//! Every way in which an instance can be wrong ends in a paragraph that names file, line, rule and fix, and exit code 2.

use std::time::{Duration, Instant};
use support::cli::complaints::{Case, case, check_all, check_form, check_under, complaint};
use support::cli::{BAD_INPUT, Folder, PROVED, migopt, read, run};

/// An instance of one GPU `g`; what is given begins at line 4.
fn with_gpu(name: &'static str, rest: &str, place: &'static str, parts: &'static [&'static str]) -> Case {
    case(name, &format!("name: x\ngpus:\n  - {{name: g, board: A100-80GB}}\n{rest}"), place, parts)
}

/// A workload `w` on the GPU `g`; the fields given begin at line 7.
fn workload(name: &'static str, fields: &str, place: &'static str, parts: &'static [&'static str]) -> Case {
    with_gpu(name, &format!("workloads:\n  - name: w\n    profile: 1g.10gb\n    {fields}\n"), place, parts)
}

/// A board `mine` in place, which one GPU uses; its second profile has the fields given, at line 7.
fn geometry(name: &'static str, fields: &str, place: &'static str, parts: &'static [&'static str]) -> Case {
    let profiles =
        format!("      - {{name: 1g, compute: 1, size: 1, starts: [0, 1, 2]}}\n      - {{{fields}}}\n");
    let text = format!(
        "name: x\nboards:\n  mine:\n    slots: 4\n    compute: 3\n    profiles:\n{profiles}gpus:\n  - {{name: g, board: mine}}\n"
    );
    case(name, &text, place, parts)
}

fn check(cases: Vec<Case>) {
    check_under("wpm", cases);
}

#[test]
fn what_is_not_yaml() {
    check(vec![
        case(
            "unclosed brace",
            "name: x\ngpus:\n  - {name: g, board: A100-80GB\n",
            "3:5: ",
            &["not valid YAML", "'{'"],
        ),
        case(
            "wrong indentation",
            "name: x\ngpus:\n  - name: g\n   board: A100-80GB\n",
            "4:4: ",
            &["not valid YAML", "indentation"],
        ),
        case("tab", "name: x\ngpus:\n\t- {name: g}\n", "3:2: ", &["not valid YAML", "tabs"]),
        case("zero byte", "name: \"x\0y\"\n", "1:9: ", &["not valid YAML"]),
        case(
            "JSON",
            r#"{"name": "x", "gpus": [{"name": "g"}, "workloads": [}"#,
            "1:50: ",
            &["not valid JSON", "expected `,` or `]`, found `:`", "commas"],
        ),
        case("empty", "", "1:1: ", &["the file is empty", "migopt generate", "migopt schema"]),
        case("only comments", "# nothing\n\n# here\n", "", &["the file is empty"]),
        case(
            "two documents",
            "name: x\n---\nname: y\n",
            "3:1: ",
            &["second YAML document", "one document per file"],
        ),
        case("alias without anchor", "name: x\ngpus: *nope\n", "2:7: ", &["`*nope`", "no anchor"]),
        case("field given twice", "name: x\nname: y\n", "2:1: ", &["`name` is given twice"]),
        case("a single value", "hello\n", "1:1: ", &["an entry with fields", "`hello`"]),
        case("a list", "- a\n- b\n", "1:1: ", &["an entry with fields", "a list"]),
        case("nested too deeply", &format!("name: {}", "[".repeat(5000)), "1:", &["nested too deeply"]),
    ]);
}

#[test]
fn what_is_not_text() {
    let (done, message) = complaint("wpm", b"name: x\ngpus:\n  - {name: caf\xe9, board: A100-80GB}\n");
    check_form("latin-1", &done);
    assert!(message.starts_with("3: this is not UTF-8 text"), "{message}");

    let folder = Folder::new();
    let folder_path = folder.text("");
    for (path, part) in
        [(folder_path, "this is a folder"), (folder.text("missing.yaml"), "there is no such file")]
    {
        let done = run(&["solve", &path], BAD_INPUT);
        check_form(part, &done);
        assert!(done.stderr.contains(&path) && done.stderr.contains(part), "{done:?}");
    }
}

#[test]
fn fields() {
    check(vec![
        case(
            "unknown field",
            "name: x\ngpu:\n  - {name: g, board: A100-80GB}\n",
            "2:1: ",
            &[
                "unknown field `gpu`",
                "did you mean \"gpus\"?",
                "Known fields here: name, description, family, boards, hosts",
            ],
        ),
        workload(
            "unknown field of a workload",
            "replica: 2",
            "7:5: ",
            &["`replica`", "did you mean \"replicas\"?"],
        ),
        with_gpu(
            "unknown section field",
            "wpm:\n  cost: {}\n",
            "5:3: ",
            &["`cost`", "did you mean \"costs\"?"],
        ),
        case(
            "missing name",
            "gpus:\n  - {name: g, board: A100-80GB}\n",
            "1:1: ",
            &["`name` is missing", "Add it"],
        ),
        with_gpu(
            "missing profile",
            "workloads:\n  - {name: v, profile: 1g.10gb}\n  - name: w\n    replicas: 2\n",
            "6:5: ",
            &["`profile` is missing"],
        ),
        case(
            "line breaks and codes in a field",
            "name: x\n\"gp\\n\\n\\e[31mus\": []\n",
            "2:1: ",
            &["unknown field `gp [31mus`"],
        ),
        case(
            "missing name below a comment",
            "# x\ngpus:\n  - {name: g, board: A30}\nworkloads: []\n",
            "2:1: ",
            &["`name` is missing"],
        ),
        case(
            "missing board",
            "name: x\nhosts:\n  - name: h\n    gpus:\n      count: 2\n",
            "5:7: ",
            &["`board` is missing"],
        ),
        workload(
            "a word for a number",
            "replicas: many",
            "7:15: ",
            &["`replicas`", "a whole number", "`many`"],
        ),
        workload("a fraction", "replicas: 2.5", "7:15: ", &["`replicas`", "a whole number", "`2.5`"]),
        workload("a negative number", "replicas: -2", "7:15: ", &["`replicas`", "from 0 to", "`-2`"]),
        workload("a huge number", "replicas: 99999999999", "7:15: ", &["`replicas`", "to 4294967295"]),
        workload(
            "not a truth value",
            "movable: perhaps",
            "7:14: ",
            &["`movable`", "`true` or `false`", "`perhaps`"],
        ),
        case("an entry for a list", "name: x\ngpus: {name: g}\n", "2:7: ", &["`gpus`", "expected a list"]),
        with_gpu(
            "an entry for a profile",
            "workloads:\n  - name: w\n    profile: {a: b}\n",
            "6:14: ",
            &["`profile`", "found an entry with fields"],
        ),
        with_gpu(
            "no profile",
            "workloads:\n  - name: w\n    profile:\n",
            "6:",
            &["`profile`", "a single item or a list", "no value"],
        ),
        with_gpu(
            "an empty list of profiles",
            "workloads:\n  - {name: w, profile: []}\n",
            "5:24: ",
            &["`profile` is an empty list", "at least one"],
        ),
        case(
            "unknown field of a host's GPUs",
            "name: x\nhosts:\n  - name: h\n    gpus: {bord: X}\n",
            "4:12: ",
            &["`bord`", "did you mean \"board\"?", "board, count"],
        ),
        case(
            "a wrong number in a list of GPUs",
            "name: x\nhosts:\n  - name: h\n    gpus:\n      - {board: A30}\n      - {board: A30, count: two}\n",
            "6:29: ",
            &["`count`", "`two`"],
        ),
        case(
            "a name for a host's GPUs",
            "name: x\nhosts:\n  - name: h\n    gpus: A100-80GB\n",
            "4:",
            &["`gpus`", "{board: A100-80GB, count: 2}", "`A100-80GB`"],
        ),
        workload(
            "unknown field of a place",
            "current: {gpu: g, strat: 1}",
            "7:23: ",
            &["`strat`", "did you mean \"start\"?"],
        ),
        workload("missing field of a place", "current: {gpu: g}", "7:", &["`start` is missing"]),
        workload("a name for a place", "current: g", "7:", &["`current`", "{gpu: NAME, start: 0}", "`g`"]),
        workload(
            "a start out of range",
            "current: {gpu: g, start: 300}",
            "7:30: ",
            &["`start`", "from 0 to 255"],
        ),
        with_gpu(
            "use case",
            "wpm:\n  use_case: compact\n",
            "5:13: ",
            &["`compact`", "did you mean \"compaction\"?", "initial, compaction, reconfiguration, joint"],
        ),
        with_gpu(
            "objective",
            "wpm:\n  objective: wieghted\n",
            "5:14: ",
            &["`objective`", "\"wieghted\" is not an objective", "`lexicographic`"],
        ),
        with_gpu(
            "goal",
            "wpm:\n  objective: lexicographic:speed\n",
            "5:14: ",
            &["\"speed\" is not a goal", "reward, gpus, migrations, waste"],
        ),
        with_gpu(
            "goal twice",
            "wpm:\n  objective: lexicographic:gpus,gpus\n",
            "5:14: ",
            &["\"gpus\" is named twice"],
        ),
    ]);
}

#[test]
fn numbers() {
    check(vec![
        workload("not a number", "reward: .nan", "7:13: ", &["`reward`", "a finite number", "`.nan`"]),
        workload("infinite", "reward: .inf", "7:13: ", &["`reward`", "a finite number", "`.inf`"]),
        workload("beyond doubles", "reward: 1e400", "7:13: ", &["`reward`", "a finite number", "`1e400`"]),
        workload(
            "seven digits",
            "reward: 1.2345678",
            "7:13: ",
            &["`reward`", "1.2345678", "at most six digits"],
        ),
        workload(
            "seven digits as text",
            "reward: \"1.2345678\"",
            "7:13: ",
            &["`reward`", "at most six digits"],
        ),
        workload("too large", "reward: 1e15", "7:13: ", &["`reward`", "smaller than 10^15"]),
        workload(
            "too large as text",
            "reward: \"99999999999999999999999\"",
            "7:13: ",
            &["`reward`", "smaller than 10^15"],
        ),
        workload("a word", "reward: much", "7:13: ", &["`reward`", "\"much\""]),
        workload("a list", "reward: [1]", "7:", &["`reward`", "a finite number", "a list"]),
        workload("a truth value", "reward: true", "7:", &["`reward`", "a finite number", "`true`"]),
        workload(
            "negative reward",
            "reward: -5",
            "7:13: ",
            &["workload `w`", "`reward` is -5", "not be negative"],
        ),
        workload(
            "negative demand",
            "cpu: -0.5",
            "7:10: ",
            &["workload `w`", "`cpu` is -0.5", "Use 0 or more"],
        ),
        with_gpu(
            "negative cost",
            "wpm:\n  costs:\n    waste: 1\n    gpu: -5\n",
            "7:10: ",
            &["`wpm.costs.gpu` is -5", "not be negative"],
        ),
        with_gpu(
            "negative cost of a board",
            "wpm:\n  costs:\n    gpu: 5\n    boards:\n      A100-80GB:\n        gpu: -5\n",
            "9:14: ",
            &["`wpm.costs.boards.A100-80GB.gpu` is -5"],
        ),
        with_gpu("infinite cost", "wpm:\n  costs:\n    gpu: .inf\n", "6:10: ", &["`gpu`", "a finite number"]),
        with_gpu(
            "huge cost",
            "wpm:\n  costs:\n    gpu: \"1000000000000000\"\n",
            "6:10: ",
            &["smaller than 10^15"],
        ),
        with_gpu(
            "weights too fine",
            "workloads:\n  - {name: w, profile: 1g.10gb, reward: 100000000000000}\nwpm:\n  costs: {waste: 0.000001, \
             gpu: 100000000000000}\n",
            "7:10: ",
            &["0.000001", "coarser weights", "lexicographic"],
        ),
        case(
            "costs whose sum is no longer exact",
            "name: x\ngpus:\n  - {name: g, board: A100-80GB, count: 100000}\nworkloads:\n  - {name: w, profile: 1g.10gb, \
             replicas: 20000}\nwpm:\n  costs: {waste: 999999999999999}\n",
            "7:10: ",
            &["`wpm.costs`", "more than 10^30", "Use smaller numbers", "lexicographic"],
        ),
    ]);
}

#[test]
fn names() {
    check(vec![
        with_gpu(
            "two workloads",
            "workloads:\n  - {name: w, profile: 1g.10gb}\n  - {name: v, profile: 1g.10gb}\n  - {name: w, profile: 2g.20gb}\n",
            "7:12: ",
            &["two workloads are called `w`", "line 5", "Rename one"],
        ),
        with_gpu(
            "a replica and a workload",
            "workloads:\n  - {name: w, profile: 1g.10gb, replicas: 2}\n  - {name: \"w#1\", profile: 1g.10gb}\n",
            "6:12: ",
            &["two workloads are called `w#1`", "line 5"],
        ),
        case(
            "two GPUs",
            "name: x\ngpus:\n  - {name: g, board: A30, count: 2}\n  - name: g-1\n    board: A30\n",
            "4:11: ",
            &["two GPUs are called `g-1`", "line 3"],
        ),
        case(
            "two hosts",
            "name: x\nhosts:\n  - {name: h, gpus: {board: A30}}\n  - {name: h, gpus: {board: A30}}\n",
            "4:12: ",
            &["two hosts are called `h`", "line 3"],
        ),
        case(
            "two boards",
            "name: x\nboards:\n  Mine: &mine {slots: 1, compute: 1, profiles: [{name: 1g, compute: 1, size: 1, starts: [0]}]}\n  mine: *mine\n",
            "4:9: ",
            &["boards.mine", "`Mine` again", "Rename one"],
        ),
        case(
            "blank",
            "name: x\ngpus:\n  - {name: g 1, board: A30}\n",
            "3:12: ",
            &["GPU `g 1`", "must not contain ' '"],
        ),
        with_gpu(
            "bracket",
            "workloads:\n  - {name: \"w[1]\", profile: 1g.10gb}\n",
            "5:12: ",
            &["workload `w[1]`", "must not contain '['"],
        ),
        case(
            "no name",
            "name: x\ngpus:\n  - {name: \"\", board: A30}\n",
            "3:12: ",
            &["empty name", "Give it one"],
        ),
        case("instance without a name", "name: ' '\ngpus: []\n", "1:7: ", &["`name` is empty"]),
        case("line break", "name: \"x\\ny\"\ngpus: []\n", "1:7: ", &["control character '\\n'"]),
    ]);
}

#[test]
fn boards_and_profiles() {
    check(vec![
        case(
            "unknown board",
            "name: x\ngpus:\n  - name: g\n    board: A100-80G\n",
            "4:12: ",
            &["\"A100-80G\" is not known", "did you mean \"A100-80GB\"?", "H100-80GB", "under `boards`"],
        ),
        case(
            "unknown board in a host",
            "name: x\nhosts:\n  - name: h\n    gpus:\n      - {board: A30}\n      - {board: A31}\n",
            "6:17: ",
            &["\"A31\" is not known", "Known boards: A30-24GB"],
        ),
        case(
            "refused board",
            "name: x\ngpus:\n  - {name: g, board: RTX PRO 5000}\n",
            "3:22: ",
            &[
                "\"RTX PRO 5000\" cannot be used",
                "contradict each other",
                "`nvidia-smi mig -lgip` and `-lgipp`",
                "`boards`",
            ],
        ),
        with_gpu(
            "unknown profile",
            "workloads:\n  - name: w\n    profile: 1g.10g\n",
            "6:14: ",
            &[
                "workload `w`",
                "\"1g.10g\"",
                "did you mean \"1g.10gb\"?",
                "1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb",
            ],
        ),
        with_gpu(
            "costs of another board",
            "wpm:\n  costs:\n    boards:\n      A30-24GB: {gpu: 5}\n",
            "7:17: ",
            &["\"A30-24GB\"", "no such board", "A100-80GB"],
        ),
        geometry(
            "size 0",
            "name: bad, compute: 1, size: 0, starts: [0]",
            "8:16: ",
            &["`bad`", "`size` is 0", "board's 4"],
        ),
        geometry(
            "size 5",
            "name: bad, compute: 1, size: 5, starts: [0]",
            "8:16: ",
            &["`bad`", "`size` is 5"],
        ),
        geometry(
            "start beyond",
            "name: bad, compute: 1, size: 2, starts: [3]",
            "8:16: ",
            &["start 3 + size 2", "drop"],
        ),
        geometry(
            "no start",
            "name: bad, compute: 1, size: 1, starts: []",
            "8:16: ",
            &["`bad`", "`starts` is empty"],
        ),
        geometry(
            "start twice",
            "name: bad, compute: 1, size: 1, starts: [1, 1]",
            "8:16: ",
            &["`starts` lists 1 twice"],
        ),
        geometry(
            "profile twice",
            "name: 1G, compute: 1, size: 2, starts: [0]",
            "8:16: ",
            &["`1G`", "rename one"],
        ),
        geometry(
            "compute",
            "name: bad, compute: 4, size: 1, starts: [0]",
            "8:16: ",
            &["`compute` is 4", "board's 3"],
        ),
        geometry(
            "unknown field",
            "name: bad, compute: 1, size: 1, start: [0]",
            "8:42: ",
            &["did you mean \"starts\"?"],
        ),
        geometry(
            "negative size",
            "name: bad, compute: 1, size: -1, starts: [0]",
            "8:39: ",
            &["`size`", "`-1`"],
        ),
        case(
            "no slots",
            "name: x\nboards:\n  mine: {slots: 0, compute: 1, profiles: []}\ngpus: [{name: g, board: mine}]\n",
            "3:9: ",
            &["boards.mine", "`slots` is 0", "1 to 64"],
        ),
    ]);
}

#[test]
fn counts() {
    check(vec![
        case("no GPU", "name: x\nworkloads: []\n", " ", &["the cluster has no GPU", "`gpus`", "`hosts`"]),
        workload("no replica", "replicas: 0", "7:15: ", &["workload `w`", "`replicas` is 0", "at least 1"]),
        workload(
            "huge replicas",
            "replicas: 4294967295",
            "7:15: ",
            &["`replicas` is above 5000000", "Lower it"],
        ),
        case(
            "count 0",
            "name: x\ngpus:\n  - name: g\n    board: A30\n    count: 0\n",
            "5:12: ",
            &["GPU `g`", "`count` is 0", "remove the entry"],
        ),
        case(
            "count 0 in a host",
            "name: x\nhosts:\n  - name: h\n    count: 2\n    gpus:\n      - {board: A30}\n      - {board: A30, count: 0}\n",
            "7:29: ",
            &["host `h-0`", "`count`", "is 0"],
        ),
        case(
            "huge count",
            "name: x\nhosts:\n  - {name: h, gpus: {board: A30, count: 4294967295}}\n",
            "3:41: ",
            &["more than 5000000 GPUs", "Lower `count`"],
        ),
        case(
            "a number twice in a host",
            "name: x\nhosts:\n  - {name: h, gpus: [{board: A30, numbers: [2, 0]}, {board: A30, numbers: [1, 2]}]}\n",
            "3:44: ",
            &["host `h`", "two GPUs of number 2", "`numbers`"],
        ),
        case(
            "no number in a host",
            "name: x\nhosts:\n  - {name: h, gpus: {board: A30, numbers: []}}\n",
            "3:43: ",
            &["host `h`", "`numbers`", "an empty list"],
        ),
        case(
            "count and numbers in a host",
            "name: x\nhosts:\n  - {name: h, gpus: {board: A30, count: 3, numbers: [0, 1]}}\n",
            "3:53: ",
            &["host `h`", "a `count` that is not that of their `numbers`", "Leave `count` out"],
        ),
        workload(
            "more places than replicas",
            "replicas: 1\n    current: [{gpu: g, start: 0}, {gpu: g, start: 1}]",
            "8:14: ",
            &["workload `w` has 2 current places but 1 replica", "Raise `replicas` or remove places"],
        ),
    ]);
}

#[test]
fn current_state() {
    let host = "name: x\nhosts:\n  - name: h\n    cpu: 8\n    memory_gib: 64\n    gpus: {board: A100-80GB}\nworkloads:\n";
    check(vec![
        workload(
            "unknown GPU",
            "current: {gpu: G, start: 0}",
            "7:20: ",
            &["workload `w`", "no GPU is called \"G\"", "did you mean \"g\"?"],
        ),
        with_gpu(
            "illegal start",
            "workloads:\n  - {name: v, profile: 1g.10gb}\n  - name: w\n    profile: 3g.40gb\n    current:\n      gpu: g\n      start: 2\n",
            "8:5: ",
            &["`w` is a 3g.40gb at start 2 of g", "legal starts are 0, 4", "`current`"],
        ),
        with_gpu(
            "profile of another board",
            "workloads:\n  - {name: w, profile: 1g.6gb, current: {gpu: g, start: 0}}\n",
            "5:41: ",
            &["`w` needs 1g.6gb", "A100-80GB", "no such profile"],
        ),
        with_gpu(
            "overlap",
            "workloads:\n  - {name: v, profile: 3g.40gb, current: {gpu: g, start: 0}}\n  - {name: w, profile: 1g.10gb, current: {gpu: g, start: 3}}\n",
            "6:42: ",
            &["`v` and `w` overlap on g", "slots 3"],
        ),
        workload(
            "overlap of replicas",
            "replicas: 3\n    current:\n      - {gpu: g, start: 0}\n      - {gpu: g, start: 1}\n      - {gpu: g, start: 1}",
            "8:5: ",
            &["`w#1` and `w#2` overlap on g"],
        ),
        with_gpu(
            "two media extensions",
            "workloads:\n  - {name: v, profile: 1g.10gb+me, current: {gpu: g, start: 0}}\n  - {name: w, profile: 1g.10gb+me, current: {gpu: g, start: 3}}\n",
            "6:45: ",
            &["1g.10gb+me", "`v`, `w`"],
        ),
        case(
            "CPU",
            &format!(
                "{host}  - {{name: v, profile: 1g.10gb, cpu: 6, current: {{gpu: h/0, start: 0}}}}\n  \
                 - {{name: w, profile: 1g.10gb, cpu: 4.5, current: {{gpu: h/0, start: 1}}}}\n"
            ),
            "4:10: ",
            &["host h", "10.5 CPU cores of 8: `v`, `w`", "the workloads' `cpu`, or `current` of one of them"],
        ),
        case(
            "main memory",
            &format!(
                "{host}  - {{name: w, profile: 1g.10gb, memory_gib: 64.5, current: {{gpu: h/0, start: 0}}}}\n"
            ),
            "5:17: ",
            &["host h", "64.5 GiB of main memory of 64: `w`", "`memory_gib`"],
        ),
        case(
            "CPU of many workloads",
            &format!(
                "name: x\nhosts:\n  - {{name: h, cpu: 11.5, gpus: {{board: A100-80GB, count: 2}}}}\nworkloads:\n  \
                 - {{name: w, profile: 1g.10gb, replicas: 12, cpu: 1, current: [{}]}}\n",
                (0..12)
                    .map(|n| format!("{{gpu: h/{}, start: {}}}", n / 6, n % 6))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
            "3:20: ",
            &["host h", "12 CPU cores of 11.5", "`w#0`, `w#1`", "`w#9` and 2 more"],
        ),
    ]);
}

/// An instance of one host `h` with 8 cores; what is given begins at line 4.
fn with_host(name: &'static str, rest: &str, place: &'static str, parts: &'static [&'static str]) -> Case {
    let host = "hosts:\n  - {name: h, cpu: 8, gpus: {board: A100-40GB}}";
    case(name, &format!("name: x\n{host}\n{rest}"), place, parts)
}

#[test]
fn settings_of_siavashi() {
    check_under(
        "siavashi",
        vec![
            with_host(
                "goal",
                "siavashi:\n  objective: lexicographic:hardwear\n",
                "5:14: ",
                &[
                    "`objective`",
                    "\"hardwear\" is not a goal",
                    "mean \"hardware\"?",
                    "acceptance, hardware, migrations",
                ],
            ),
            with_host(
                "objective",
                "siavashi:\n  objective: lexicographc\n",
                "5:14: ",
                &["\"lexicographc\" is not an objective", "mean \"lexicographic\"?", "`weighted:acceptance="],
            ),
            with_host(
                "weight of no goal",
                "siavashi:\n  objective: weighted:hardwear=1\n",
                "5:14: ",
                &["\"hardwear\" is not a goal", "mean \"hardware\"?"],
            ),
            with_host(
                "goal without a weight",
                "siavashi:\n  objective: weighted:acceptance\n",
                "5:14: ",
                &["\"acceptance\" is not GOAL=WEIGHT"],
            ),
            with_host(
                "goal weighted twice",
                "siavashi:\n  objective: weighted:hardware=1,hardware=2\n",
                "5:14: ",
                &["\"hardware\" is weighted twice"],
            ),
            with_host(
                "negative weight of a goal",
                "siavashi:\n  objective: weighted:acceptance=-1\n",
                "5:14: ",
                &["the weight of acceptance is -1", "not be negative"],
            ),
            with_host(
                "infinite weight of a goal",
                "siavashi:\n  objective: weighted:acceptance=inf\n",
                "5:14: ",
                &["the weight of acceptance is \"inf\"", "a finite decimal number"],
            ),
            with_host(
                "setting",
                "siavashi:\n  resident: keep\n",
                "5:3: ",
                &[
                    "unknown field `resident`",
                    "mean \"residents\"?",
                    "objective, residents, active_gpus, migration_costs",
                ],
            ),
            with_host(
                "residents",
                "siavashi:\n  residents: kept\n",
                "5:14: ",
                &["`kept`", "mean \"keep\"?", "evictable, keep"],
            ),
            with_host(
                "active GPUs",
                "siavashi:\n  active_gpus: idle\n",
                "5:16: ",
                &["`idle`", "used, whole-machine"],
            ),
            with_host(
                "moves that are disordered",
                "siavashi:\n  migration_costs:\n    move_machine: 3\n    move_gpu: 5\n",
                "7:15: ",
                &[
                    "`siavashi.migration_costs.move_gpu` is 5",
                    "`move_machine`, which is 3",
                    "Lower the former",
                ],
            ),
            with_host(
                "starts that are disordered",
                "siavashi:\n  migration_costs: {move_start: 2.5}\n",
                "5:33: ",
                &["`siavashi.migration_costs.move_start` is 2.5", "`move_gpu`, which is 2"],
            ),
            with_host(
                "negative migration cost",
                "siavashi:\n  migration_costs:\n    evict: -0.5\n",
                "6:12: ",
                &["`siavashi.migration_costs.evict` is -0.5", "not be negative"],
            ),
            with_host(
                "migration cost that is no number",
                "siavashi:\n  migration_costs:\n    evict: .nan\n",
                "6:12: ",
                &["`evict`", "a finite number", "`.nan`"],
            ),
        ],
    );
}

#[test]
fn weights_of_siavashi() {
    check_under(
        "siavashi",
        vec![
            with_host(
                "negative acceptance weight",
                "workloads:\n  - {name: w, profile: 1g.5gb, acceptance_weight: -1}\n",
                "5:51: ",
                &["workload `w`", "`acceptance_weight` is -1", "not be negative"],
            ),
            with_host(
                "infinite acceptance weight",
                "workloads:\n  - name: w\n    profile: 1g.5gb\n    acceptance_weight: .inf\n",
                "7:24: ",
                &["`acceptance_weight`", "a finite number"],
            ),
            with_host(
                "negative migration weight",
                "workloads:\n  - name: w\n    profile: 1g.5gb\n    migration_weight: -2\n",
                "7:23: ",
                &["workload `w`", "`migration_weight` is -2"],
            ),
            with_host(
                "migration weight that is no number",
                "workloads:\n  - name: w\n    profile: 1g.5gb\n    migration_weight: .nan\n",
                "7:23: ",
                &["`migration_weight`", "a finite number"],
            ),
            case(
                "negative weight of a host",
                "name: x\nhosts:\n  - name: h\n    weight: -1\n    gpus: {board: A30}\n",
                "4:13: ",
                &["host `h`", "`weight` is -1", "not be negative"],
            ),
            case(
                "infinite weight of a host",
                "name: x\nhosts:\n  - name: h\n    weight: .inf\n    gpus: {board: A30}\n",
                "4:13: ",
                &["`weight`", "a finite number"],
            ),
            with_host(
                "acceptance weights too far apart",
                "workloads:\n  - {name: v, profile: 1g.5gb}\n  - {name: w, profile: 1g.5gb, acceptance_weight: 999999999999.5}\n",
                "6:51: ",
                &["`acceptance_weight`", "multiples of 0.5", "Use coarser weights"],
            ),
            case(
                "weights of hosts too far apart",
                "name: x\nhosts:\n  - {name: h, gpus: {board: A30}}\n  - {name: i, weight: 1000.000001, gpus: {board: A30}}\n",
                "4:23: ",
                &["`weight`", "multiples of 0.000001", "Use coarser weights"],
            ),
            with_host(
                "products of weights and costs too fine",
                "workloads:\n  - {name: w, profile: 1g.5gb, migration_weight: 0.001, current: {gpu: h/0, start: 0}}\n\
                 siavashi:\n  migration_costs: {evict: 0.0001}\n",
                "7:20: ",
                &["a migration cost of 0.0001", "`migration_weight` of 0.001", "more than six digits"],
            ),
            with_host(
                "weights of goals too far apart",
                "workloads:\n  - {name: w, profile: 1g.5gb}\nsiavashi:\n  objective: weighted:acceptance=0.000001,hardware=10\n",
                "7:14: ",
                &["multiples of 0.000001", "coarser weights", "`--objective lexicographic`"],
            ),
            with_host(
                "weight of a goal too fine",
                "workloads:\n  - {name: w, profile: 1g.5gb, acceptance_weight: 0.5}\nsiavashi:\n  objective: \
                 weighted:acceptance=0.000001\n",
                "7:14: ",
                &["the weight of acceptance is 0.000001", "steps of 0.5", "coarser weights"],
            ),
        ],
    );
}

/// The places of the same mistakes in JSON, with Windows line ends, behind a byte order mark and behind an alias.
#[test]
fn places_in_other_clothes() {
    check(vec![
        case(
            "JSON",
            "{\"name\": \"x\", \"gpus\": [{\"name\": \"g\", \"board\": \"A30\"}],\n \"workloads\": [{\"name\": \"w\",\n  \
             \"profile\": \"1g.6gb\",\n  \"reward\": -1}]}",
            "4:13: ",
            &["`reward` is -1"],
        ),
        case("Windows", "name: x\r\ngpus:\r\n  - {name: g, board: A31}\r\n", "3:22: ", &["\"A31\""]),
        case(
            "byte order mark",
            "\u{feff}name: x\ngpus:\n  - {name: g, board: A31}\n",
            "3:22: ",
            &["\"A31\""],
        ),
        with_gpu(
            "alias",
            "workloads:\n  - {name: &n many, profile: 1g.10gb}\n  - {name: w, profile: 1g.10gb, replicas: *n}\n",
            "6:43: ",
            &["`replicas`", "a whole number", "The alias repeats line 5"],
        ),
    ]);
}

/// What is wrong in one place does not hide what is wrong in another.
#[test]
fn several_mistakes_are_told_at_once() {
    let structure = "name: x\ngpu: []\nhosts:\n  - {name: h, cpus: 8, gpus: {board: A30, count: two}}\ngpus:\n  - {board: A30}\n  \
                     - {name: g, board: A30, count: -1}\nworkloads:\n  - {name: w, profile: 1g.6gb, current: {gpu: g, start: 300}}\n  \
                     - name: v\n    movable: perhaps\nwpm: {use_case: compact}\n";
    check_all(
        "wpm",
        "structure.yaml",
        structure,
        &[
            ("2:1: ", "unknown field `gpu` (did you mean \"gpus\"?)"),
            ("4:15: ", "unknown field `cpus` (did you mean \"cpu\"?)"),
            ("4:50: ", "`count`: expected a whole number from 0 to 4294967295, found `two`."),
            ("6:5: ", "the field `name` is missing"),
            ("7:34: ", "`count`: expected a whole number"),
            ("9:57: ", "`start`: expected a whole number from 0 to 255, found `300`."),
            ("10:5: ", "the field `profile` is missing"),
            ("11:14: ", "`movable`: expected `true` or `false`"),
            ("12:17: ", "unknown value `compact` (did you mean \"compaction\"?)"),
        ],
    );
    let entries = "name: ' '\nhosts:\n  - {name: h, cpu: -8, gpus: {board: A30}}\n  - {name: i, gpus: {board: A31}}\ngpus:\n  \
                   - {name: g, board: A30}\n  - {name: g, board: A30}\nworkloads:\n  \
                   - {name: w, profile: 1g.6gb, reward: -1, current: {gpu: h/0, start: 0}}\n  - {name: v, profile: nothing}\n  \
                   - {name: u, profile: 1g.6gb, replicas: 0}\nsharing:\n  servers: [{name: s}]\n  vms: [{name: t, memory_pages: 1, components: [c]}]\n";
    check_all(
        "wpm",
        "entries.yaml",
        entries,
        &[
            ("1:7: ", "`name` is empty"),
            ("3:20: ", "`cpu` is -8 but must not be negative"),
            ("4:29: ", "board \"A31\" is not known"),
            ("7:12: ", "two GPUs are called `g` (the other one at line 6)"),
            ("9:40: ", "`reward` is -1 but must not be negative"),
            ("11:42: ", "`replicas` is 0"),
            ("13:20: ", "server `s` has no memory"),
            ("14:48: ", "names the component `c`"),
        ],
    );
    let boards = "name: x\nboards:\n  one: {slots: 0, compute: 1, profiles: []}\n  two: {slots: 99, compute: 1, profiles: []}\ngpus:\n  \
                  - {name: g, board: ONE}\n  - {name: h, board: three}\n";
    check_all(
        "wpm",
        "boards.yaml",
        boards,
        &[
            ("3:8: ", "boards.one: `slots` is 0"),
            ("4:8: ", "boards.two: `slots` is 99"),
            ("7:22: ", "board \"three\" is not known"),
        ],
    );
}

/// What runs where it cannot run is told of each pair, and of what follows from other mistakes nothing is said.
#[test]
fn several_workloads_that_cannot_run_where_they_do() {
    let current = |gpu: &str, start: u8| format!("current: {{gpu: {gpu}, start: {start}}}");
    let text = format!(
        "name: x\ngpus:\n  - {{name: g, board: A30, count: 2}}\nworkloads:\n  - {{name: u, profile: 1g.6gb, {}}}\n  \
         - {{name: v, profile: 1g.6gb, {}}}\n  - {{name: w, profile: 2g.12gb, {}}}\n",
        current("g-0", 0),
        current("g-0", 0),
        current("g-1", 1)
    );
    check_all(
        "wpm",
        "case.yaml",
        &text,
        &[("6:41: ", "`u` and `v` overlap on g-0"), ("7:42: ", "`w` is a 2g.12gb at start 1 of g-1")],
    );
}

#[test]
fn mistakes_in_json() {
    let text = "{\"name\": \"x\",\n \"gpus\": [{\"name\": \"g\", \"bord\": \"A30\", \"count\": \"two\"}],\n \"workloads\": [{\"name\": \
                \"w\", \"profile\": {}},\n  7]}";
    check_all(
        "wpm",
        "case.json",
        text,
        &[
            ("2:25: ", "unknown field `bord` (did you mean \"board\"?)"),
            ("2:49: ", "`count`: expected a whole number from 0 to 4294967295, found `two`."),
            ("3:41: ", "`profile`: "),
            ("4:3: ", "expected an entry with fields"),
        ],
    );
    for (text, place, part) in [
        (
            "{\"name\": \"x\",\n \"gpus\": [}",
            "2:11: ",
            "this is not valid JSON: expected a value, found `}`.",
        ),
        (
            "{\"name\": \"x\",}",
            "1:14: ",
            "this is not valid JSON: expected the name of a field in double quotes, found `}`.",
        ),
        (
            "{\"name\": \"x\" \"gpus\": []}",
            "1:14: ",
            "this is not valid JSON: expected `,` or `}`, found `\"`.",
        ),
        ("{\"name\": x", "1:10: ", "this is not valid JSON"),
        ("{name: x, gpus: [}", "1:2: ", "expected the name of a field in double quotes, found `name`."),
        ("{\"name\": \"x\", \"gpus\": [], \"name\": \"y\"}", "1:27: ", "the field `name` is given twice"),
    ] {
        check_all("wpm", "case.json", text, &[(place, part)]);
    }
}

#[test]
fn very_many_mistakes_are_counted() {
    let entries = |count: usize, fields: &str| -> String {
        (0..count).map(|number| format!("  - {{name: g{number}, {fields}}}\n")).collect()
    };
    for (count, end) in
        [(20, ""), (21, "... and 1 more\n"), (99, "... and 79 more\n"), (500, "... and at least 80 more\n")]
    {
        for fields in ["board: 1, cost: 2", "board: A31"] {
            let folder = Folder::new();
            let path = folder.write("case.yaml", format!("name: x\ngpus:\n{}", entries(count, fields)));
            let done = run(&["solve", &path], BAD_INPUT);
            check_form("very many", &done);
            assert_eq!(done.stderr.matches(&path).count(), 20, "{}", done.stderr);
            assert!(done.stderr.ends_with(&format!("^\n{end}")), "{}", done.stderr);
        }
    }
}

/// A mistake at the end of a long file is found as fast as the file is read.
#[test]
fn a_mistake_at_the_end_costs_nothing() {
    let folder = Folder::new();
    let entries: String = (0..200_000)
        .map(|number| format!("  - {{name: w{number}, profile: 1g.6gb, replicas: 2}}\n"))
        .collect();
    let text = |end: &str| format!("name: x\ngpus:\n  - {{name: g, board: A30}}\nworkloads:\n{entries}{end}");
    let seconds = |end: &str, place: &str| {
        let path = folder.write("case.yaml", text(end));
        let began = Instant::now();
        let done = run(&["solve", &path], BAD_INPUT);
        let seconds = began.elapsed();
        assert!(done.stderr.starts_with(&format!("migopt: {path}:{place}")), "{}", done.stderr);
        seconds
    };
    // Read to the end, and only then refused.
    let whole = seconds("wpm: {costs: {gpu: -1}}\n", "200005:20: ");
    for bad in ["  - {name: w, profile: 1g.6gb, replicas: many}\n", "wmp: {}\n"] {
        let seconds = seconds(bad, "200005:");
        assert!(seconds < 2 * whole + Duration::from_millis(300), "{seconds:?}, the whole file in {whole:?}");
    }
}

#[test]
fn alias_bombs_fail_fast() {
    let mut laughs = "name: x\na0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha, ha]\n".to_owned();
    for level in 1..12 {
        let below = vec![format!("*a{}", level - 1); 10].join(", ");
        laughs += &format!("a{level}: &a{level} [{below}]\n");
    }
    let profiles = vec!["1g.10gb"; 2000].join(", ");
    let entries = "  - *w\n".repeat(3000);
    let copies = format!(
        "name: x\ngpus:\n  - {{name: g, board: A30}}\nworkloads:\n  - &w {{name: w, profile: [{profiles}]}}\n{entries}"
    );
    for bomb in [laughs, copies] {
        let began = Instant::now();
        let (done, message) = complaint("wpm", bomb.as_bytes());
        check_form("bomb", &done);
        assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
        assert!(
            message.contains("with its aliases (`*name`) written out, the text is too large"),
            "{message}"
        );
    }
}

/// Anchors and aliases in an honest number are fine, however many.
#[test]
fn aliases_may_save_typing() {
    let folder = Folder::new();
    let entries: String = (1..3000).map(|number| format!("  - {{name: w{number}, profile: *p}}\n")).collect();
    let text = format!(
        "name: x\ngpus:\n  - {{name: g, board: A30}}\nworkloads:\n  - {{name: w0, profile: &p [1g.6gb, 1g.5gb]}}\n{entries}"
    );
    run(&["show", &folder.write("aliases.yaml", text)], 0);
}

#[test]
fn standard_input_is_named() {
    let done = read(migopt().args(["solve", "-"]).write_stdin("name: x\ngpus: []\n").output().unwrap());
    assert_eq!(done.code, Some(BAD_INPUT));
    assert!(done.stderr.starts_with("migopt: standard input: the cluster has no GPU"), "{done:?}");
}

/// Flags are judged like files: what is wrong, what would be right, exit code 2.
#[test]
fn flags() {
    let instance = support::cli::instance("fig6-waste");
    let cases: &[(&[&str], &[&str])] = &[
        (
            &["solve", &instance, "--formulation", "compat"],
            &["--formulation: \"compat\"", "mean \"compact\"?"],
        ),
        (&["solve", &instance, "--solver", "gurobi"], &["gurobi", "highs"]),
        (
            &["solve", &instance, "--objective", "lexicographic:speed"],
            &["\"speed\" is not a goal", "reward, gpus"],
        ),
        (&["solve", &instance, "--objective", "lexicographic:gpus,gpus"], &["named twice"]),
        (&["solve", &instance, "--use-case", "compact"], &["compaction"]),
        (
            &["solve", &instance, "--residents", "keep"],
            &["--residents: model wpm has no such setting, only siavashi"],
        ),
        (
            &["solve", &instance, "--model", "siavashi", "--use-case", "joint"],
            &["--use-case: model siavashi has no such setting, only wpm"],
        ),
        (&["solve", &instance, "--model", "siavashi", "--residents", "kept"], &["'kept'", "evictable, keep"]),
        (
            &["solve", &instance, "--model", "siavashi", "--objective", "lexicographic:hardwear"],
            &["--objective: \"hardwear\" is not a goal", "mean \"hardware\"?"],
        ),
        (
            &["solve", &instance, "--model", "siavashi", "--objective", "wieghted"],
            &["--objective: \"wieghted\" is not an objective", "mean \"weighted\"?"],
        ),
        (
            &["solve", &instance, "--model", "siavashi", "--objective", "weighted:hardware=-3"],
            &["the weight of hardware is -3", "not be negative"],
        ),
        (
            &["solve", &instance, "--model", "siavashi", "--objective", "weighted:hardware=nan"],
            &["the weight of hardware is \"nan\"", "a finite decimal number"],
        ),
        (&["solve", &instance, "--time-limit=-1"], &["--time-limit"]),
        (&["solve", &instance, "--time-limit=nan"], &["at least 0, such as 10, 90s"]),
        (&["solve", &instance, "--gap", "much"], &["a ratio from 0 to 1"]),
        (&["solve", &instance, "--threads", "0"], &["1..=256"]),
        (&["solve", &instance, "--warm-start", "best-fit"], &["--warm-start: \"best-fit\"", "first-fit"]),
        (&["solve", &instance, "--model", "wp"], &["wpm"]),
        (&["generate", "wpm", "--board", "A100-80G", "--output", "-"], &["did you mean \"A100-80GB\"?"]),
        (&["generate", "wpm", "--board", "RTX PRO 5000", "--output", "-"], &["cannot be used", "contradict"]),
        (&["generate", "wpm", "--count", "2", "--output", "-"], &["Drop --count"]),
        (
            &["generate", "wpm", "--allocated", "1.5", "--output", "-"],
            &["the value of --allocated is \"1.5\". Give a number from 0 to 1."],
        ),
        (
            &["generate", "wpm", "--newcomers", "1e300", "--output", "-"],
            &["the value of --newcomers is \"1e300\". Give a number from 0 to 100."],
        ),
        (
            &["generate", "wpm", "--mix", "1g.10gb/2g.20g", "--output", "-"],
            &["the value of --mix is", "\"2g.20g\" is no profile of A100-80GB", "did you mean \"2g.20gb\"?"],
        ),
        (
            &["generate", "wpm", "--mix", "1g.10gb=1/1g.10gb=2", "--output", "-"],
            &["The profile 1g.10gb is named twice. Name it once."],
        ),
        (
            &["generate", "wpm", "--mix", "1g.10gb=0", "--output", "-"],
            &["How often 1g.10gb is drawn must be a number above 0 and up to 1000000"],
        ),
        (
            &["generate", "wpm", "--mix", "", "--output", "-"],
            &["Write profiles with `,` or `/` between them", "1g.10gb=0.3,2g.20gb=0.7"],
        ),
        (
            &["generate", "wpm", "--utilisation", "nan", "--output", "-"],
            &["the value of --utilisation is \"nan\". Give a number from 0 to 100, or `unbounded`."],
        ),
        (
            &["generate", "wpm", "--newcomers-fit", "perhaps", "--output", "-"],
            &["--newcomers-fit", "yes, no"],
        ),
        (
            &["generate", "wpm", "--gpus", "0", "--output", "-"],
            &["the value of --gpus is \"0\". Give a whole number from 1 to 1000000."],
        ),
        (&["frobnicate"], &["frobnicate"]),
        (&[], &["Usage"]),
    ];
    for (arguments, parts) in cases {
        let done = run(arguments, BAD_INPUT);
        assert_eq!(done.stdout, "", "{arguments:?}");
        for part in *parts {
            assert!(done.stderr.contains(part), "{arguments:?} does not say `{part}`: {}", done.stderr);
        }
    }
}

#[test]
fn names_that_do_not_say_which() {
    let mixed = |profile: &str| {
        format!(
            "name: x\ngpus:\n  - {{name: g, board: A100-80GB}}\n  - {{name: h, board: A30}}\nworkloads:\n  \
             - {{name: w, profile: {profile}}}\n"
        )
    };
    check(vec![
        case(
            "a board in several versions",
            "name: x\ngpus:\n  - {name: g, board: A100}\n",
            "3:22: ",
            &["board \"A100\" comes in several versions: A100-40GB or A100-80GB?"],
        ),
        with_gpu(
            "a compute instance",
            "workloads:\n  - {name: w, profile: nvidia.com/mig-1c.3g.40gb}\n",
            "5:24: ",
            &["workload `w`", "is a compute instance: a part of a GPU instance 3g.40gb", "Write `3g.40gb`"],
        ),
        case(
            "an id of two profiles",
            &mixed("14"),
            "6:24: ",
            &[
                "the profile id 14 means 2g.20gb on A100-80GB and 1g.6gb on A30-24GB",
                "`profile: [2g.20gb, 1g.6gb]`",
            ],
        ),
        case("an id of no profile", &mixed("64"), "6:24: ", &["no board has a profile \"64\""]),
        workload(
            "a GPU beside current",
            "gpu: g",
            "7:5: ",
            &["the field `gpu` belongs under `current`. Write `current: {gpu: NAME, start: 0}`."],
        ),
        workload(
            "a start beside current",
            "start: 0",
            "7:5: ",
            &["the field `start` belongs under `current`"],
        ),
        with_gpu(
            "a host's GPUs",
            "hosts:\n  - {name: h, gpus: {board: A30}, gpu: g}\n",
            "5:",
            &["unknown field `gpu`"],
        ),
    ]);
}

/// YAML would take it.
#[test]
fn a_comma_too_many_is_an_error_in_a_json_file() {
    let text = "{\"name\": \"x\",\n \"gpus\": [{\"name\": \"g\", \"board\": \"A30\"},],\n}\n";
    check_all("wpm", "comma.json", text, &[("2:41", "this is not valid JSON: expected a value, found `]`")]);
    let folder = Folder::new();
    run(&["solve", &folder.write("comma.yaml", text)], PROVED);
}

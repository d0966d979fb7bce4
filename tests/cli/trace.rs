//! `migopt trace`: what it says about traces, and what it says about files and flags that are none.

use std::path::Path;
use support::cli::{BAD_INPUT, Folder, PROVED, run};

fn shipped(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("instances/traces").join(name);
    path.to_str().unwrap().to_owned()
}

fn alibaba() -> [String; 4] {
    [
        "--nodes".to_owned(),
        shipped("alibaba-2023/openb_node_list_gpu_node.csv"),
        "--pods".to_owned(),
        shipped("alibaba-2023/openb_pod_list_default.csv"),
    ]
}

/// Runs the command on these flags.
fn trace<S: AsRef<str>>(flags: &[S], code: i32) -> support::cli::Run {
    let flags = flags.iter().map(AsRef::as_ref);
    run(&std::iter::once("trace").chain(flags).collect::<Vec<&str>>(), code)
}

/// Whether a line of an error shows the file's line, or marks the place in it.
fn is_excerpt(line: &str) -> bool {
    line.trim_start_matches(|letter: char| letter == ' ' || letter.is_ascii_digit()).starts_with('|')
}

/// Runs the command on bad input and expects a paragraph with all these parts, or one each for several mistakes in a file, with
/// nothing between them but the lines that they are about.
fn complaint(flags: &[&str], parts: &[&str]) {
    let done = trace(flags, BAD_INPUT);
    assert_eq!(done.stdout, "", "{flags:?}");
    let told: Vec<&str> = done.stderr.lines().filter(|line| !is_excerpt(line)).collect();
    for part in parts {
        assert!(told.iter().any(|line| line.contains(part)), "{flags:?}: no {part:?} in {}", done.stderr);
    }
    if let Some(first) = done.stderr.strip_prefix("migopt: ") {
        let file = first.split_once(':').map_or(first, |(file, _)| file);
        assert!(told[1..].iter().all(|line| line.starts_with(file)), "{}", done.stderr);
    }
}

#[test]
fn the_published_trace_is_described() {
    let text = trace(&alibaba(), PROVED).stdout;
    for part in [
        "openb_node_list_gpu_node.csv and openb_pod_list_default.csv: trace ",
        "note: 75 of 8,152 pods left out",
        "1,213 hosts, 6,212 GPUs",
        "518 hosts with 2 GPUs",
        "15 kinds of hosts",
        "549  8 x A100-40GB, 96 cores, 393,216 MiB",
        "8,063 virtual machines",
        "7g.40gb      5,232   64.89 %",
        "at most 45 virtual machines",
        "24 h   35.09 %",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    assert_eq!(text, trace(&alibaba(), PROVED).stdout);
}

#[test]
fn json_holds_the_conditions_and_the_numbers() {
    let flags = [&alibaba()[..], &["--format", "json", "--hosts", "first:6"].map(str::to_owned)].concat();
    let json = trace(&flags, PROVED).json();
    assert_eq!(json["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(json["trace"]["gpus"], 12);
    assert_eq!(json["trace"]["files"][0], "openb_node_list_gpu_node.csv");
    assert_eq!(json["reading"]["interval"], 3600);
    assert_eq!(json["reading"]["until"], "last-arrival");
    assert_eq!(json["statistics"]["profiles"][5], serde_json::json!(["7g.40gb", 5232]));
    assert_eq!(json["statistics"]["look_back"][0]["predicted"], 8002);

    let path = shipped("two-boards.yaml");
    let asked = "--departures no --enforce-cpu-ram no --gpus-per-host one --lifetime-scale 0.5 --batch 15m --interval 1.5h \
                 --until last-departure --format json";
    let flags: Vec<&str> = ["--trace", &path].into_iter().chain(asked.split_whitespace()).collect();
    let json = trace(&flags, PROVED).json();
    assert_eq!(
        json["reading"],
        serde_json::json!({
            "interval": 5400, "departures": false, "host_limits": false, "gpus_per_host": "one",
            "lifetime_millionths": 500_000, "batch": 900, "until": "last-departure",
        })
    );
    assert_eq!(json["statistics"]["gpus"], 2);
    assert_eq!(json["trace"]["gpus"], 2, "shares are those of the fleet that is replayed");
    assert_eq!(json["statistics"]["lifetimes"]["never_leave"], 14);
}

#[test]
fn own_tables_are_described() {
    let (nodes, arrivals) = (shipped("small/nodes.csv"), shipped("small/arrivals.csv"));
    let text = trace(&["--nodes", &nodes, "--arrivals", &arrivals, "--departures", "no"], PROVED).stdout;
    for part in ["4 hosts, 6 GPUs", "3g.20gb|4g.20gb", "60 never leave", "at most 60 virtual machines"] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    assert!(!text.contains("median"), "{text}");
}

#[test]
fn flags_that_make_no_sense_are_refused() {
    let (nodes, arrivals) = (shipped("small/nodes.csv"), shipped("small/arrivals.csv"));
    let [_, _, _, pods] = &alibaba();
    let yaml = shipped("two-boards.yaml");
    let own = ["--nodes", &nodes, "--arrivals", &arrivals];
    let cases: &[(&[&str], &[&str])] = &[
        (&[], &["no trace is given", "--trace FILE.yaml", "instances/traces"]),
        (&["--pods", pods], &["--pods: the hosts are missing", "--nodes FILE"]),
        (&["--arrivals", &arrivals], &["--arrivals: the hosts are missing"]),
        (&["--nodes", &nodes], &["virtual machines are missing", "--pods FILE or --arrivals FILE"]),
        (&["--trace", &yaml, "--nodes", &nodes], &["Leave out --nodes"]),
        (&["--trace", &yaml, "--board", "A30"], &["--board: a trace in YAML names"]),
        (&["--trace", &nodes], &["--trace takes a trace in YAML", "--nodes"]),
        (&[&own[..], &["--pods", pods]].concat(), &["--pods and --arrivals", "Keep one"]),
        (&[&own[..], &["--profiles", "1g.5gb"]].concat(), &["--profiles: it is about pods"]),
        (&[&own[..], &["--outliers", "keep"]].concat(), &["--outliers: it is about pods"]),
        (&[&own[..], &["--pods-without-gpu", "drop"]].concat(), &["--pods-without-gpu: it is about pods"]),
        (&[&own[..], &["--board", "A100-40G"]].concat(), &["--board \"A100-40G\" is not known", "A100-40GB"]),
        (&[&own[..], &["--interval", "1w"]].concat(), &["--interval", "15m"]),
        (&[&own[..], &["--batch", "0"]].concat(), &["--batch", "longer than 0"]),
        (&[&own[..], &["--lifetime-scale", "0"]].concat(), &["--lifetime-scale", "above 0"]),
        (&[&own[..], &["--departures", "maybe"]].concat(), &["--departures", "yes, no"]),
        (&[&own[..], &["--hosts", "first:0"]].concat(), &["--hosts", "first:6"]),
        (&[&own[..], &["--hosts", "first:x"]].concat(), &["--hosts", "first:6"]),
        (
            &[&own[..], &["--hosts", "first:5"]].concat(),
            &["nodes.csv", "--hosts first:5", "there are 4 hosts"],
        ),
        (&[&own[..], &["--hosts", "nowhere"]].concat(), &["nowhere: there is no such file"]),
        (
            &["--nodes", &nodes, "--pods", pods, "--profiles", "1g.5gb,2g.5gb"],
            &["--profiles: board A100-40GB", "no profile \"2g.5gb\"", "did you mean \"1g.5gb\"", "7g.40gb"],
        ),
        (
            &["--nodes", &nodes, "--pods", pods, "--profiles", "1g.5gb,1G.5GB"],
            &["--profiles: 1g.5gb is given twice"],
        ),
    ];
    for (flags, parts) in cases {
        complaint(flags, parts);
    }
}

const NODES: &str = "sn,cpu_milli,memory_mib,gpu\na,1000,1024,1\nb,1000,1024,2\n";
const PODS: &str = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,creation_time,deletion_time\np,1000,10,1,500,5,9\nq,1000,10,0,0,6,\n";
const ARRIVALS: &str = "name,profile,arrival,departure\np,1g.5gb,0,5\nq,7g.40gb,1,\n";

/// Runs the command on tables of which one is spoilt.
fn tables(nodes: &[u8], others: (&str, &[u8]), flags: &[&str], parts: &[&str]) {
    let folder = Folder::new();
    let nodes = folder.write("nodes.csv", nodes);
    let (flag, content) = others;
    let other = folder.write("machines.csv", content);
    complaint(&[&["--nodes", &nodes, flag, &other], flags].concat(), parts);
}

#[test]
fn tables_for_the_tests_are_good_before_they_are_spoilt() {
    let folder = Folder::new();
    let nodes = folder.write("nodes.csv", NODES);
    let (pods, arrivals) = (folder.write("pods.csv", PODS), folder.write("arrivals.csv", ARRIVALS));
    trace(&["--nodes", &nodes, "--pods", &pods], PROVED);
    trace(&["--nodes", &nodes, "--arrivals", &arrivals], PROVED);
}

#[test]
fn spoilt_host_tables_are_refused_with_line_column_and_mend() {
    let cases: &[(&str, &[&str])] = &[
        ("", &["nodes.csv: the file is empty", "sn,cpu_milli"]),
        ("sn,cpu_milli,memory_mib,gpu\n", &["nodes.csv: the file has no rows"]),
        (
            "sn,cpu_mili,memory_mib,gpu\na,1,1,1\n",
            &["nodes.csv:1: ", "`cpu_milli` is missing", "did you mean \"cpu_mili\""],
        ),
        (
            "sn;cpu_milli;memory_mib;gpu\na;1;1;1\n",
            &["nodes.csv:1: ", "`sn` is missing", "Put commas between"],
        ),
        ("sn,sn,cpu_milli,memory_mib,gpu\na,a,1,1,1\n", &["nodes.csv:1: ", "`sn` is given twice"]),
        (PODS, &["nodes.csv:1: ", "`sn` is missing", "looks like one for --pods"]),
        (ARRIVALS, &["looks like one for --arrivals"]),
        ("sn,cpu_milli,memory_mib,gpu\na,1,1,1\nb,1,1\n", &["nodes.csv:3: ", "3 cells", "4 columns"]),
        (
            "sn,cpu_milli,memory_mib,gpu\n\na,1,1,two\n",
            &["nodes.csv:3: ", "`gpu` is \"two\"", "a whole number from 0"],
        ),
        ("sn,cpu_milli,memory_mib,gpu\na,1.5,1,1\n", &["`cpu_milli` is \"1.5\"", "a whole number"]),
        ("sn,cpu_milli,memory_mib,gpu\na,-1,1,1\n", &["`cpu_milli` is \"-1\""]),
        ("sn,cpu_milli,memory_mib,gpu\na,1,,1\n", &["`memory_mib` is empty", "a number"]),
        ("sn,cpu_milli,memory_mib,gpu\na,1,1,6000000\n", &["`gpu` is \"6000000\"", "5000000"]),
        (
            "sn,cpu_milli,memory_mib,gpu\na,1,1,3000000\nb,1,1,3000000\n",
            &["nodes.csv:3: ", "more than 5000000 GPUs"],
        ),
        (
            "sn,cpu_milli,memory_mib,gpu\na,1,1,1\nb,1,1,1\na,1,1,1\n",
            &["nodes.csv:4: ", "called \"a\"", "line 2"],
        ),
        ("sn,cpu_milli,memory_mib,gpu\n,1,1,1\n", &["`sn` is empty"]),
        ("sn,cpu_milli,memory_mib,gpu\na b,1,1,1\n", &["`sn` is \"a b\"", "must not contain ' '"]),
        ("sn,cpu_milli,memory_mib,gpu\na,1,1,0\n", &["no host has a GPU"]),
        (
            "sn,cpu_milli,memory_mib,gpu,board\na,1,1,1,A31\n",
            &["nodes.csv:2: ", "`board`: \"A31\" is not known"],
        ),
    ];
    for (nodes, parts) in cases {
        tables(nodes.as_bytes(), ("--arrivals", ARRIVALS.as_bytes()), &[], parts);
    }
    let latin = b"sn,cpu_milli,memory_mib,gpu\na,1,1,1\ncaf\xe9,1,1,1\n";
    tables(
        latin,
        ("--arrivals", ARRIVALS.as_bytes()),
        &[],
        &["nodes.csv:3: this is not UTF-8 text", "convert"],
    );
}

#[test]
fn spoilt_pod_tables_are_refused_with_line_column_and_mend() {
    let head = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,creation_time,deletion_time\n";
    let rows: &[(&str, &[&str])] = &[
        ("", &["machines.csv: the file has no rows"]),
        (
            "p,1,1,1,500,9,5\n",
            &["machines.csv:2: ", "`deletion_time` is 5", "`creation_time` is 9", "before it arrives"],
        ),
        ("p,1,1,1,1001,5,9\n", &["machines.csv:2: ", "`gpu_milli` is \"1001\"", "0 to 1000"]),
        ("p,1,1,1,500,soon,9\n", &["machines.csv:2: ", "`creation_time` is \"soon\"", "a number"]),
        ("p,1,1,1,500,2000000000000,\n", &["`creation_time` is 2000000000000", "10^12"]),
        ("p,1,1,1,500,5,9\nq,1,1,1,500,5,9\np,1,1,1,500,5,9\n", &["machines.csv:4: ", "two pods", "line 2"]),
        ("p,1,1,2,1000,5,9\n", &["no pod is left", "more than one GPU"]),
        ("p,1,1,1,500,5\n", &["machines.csv:2: ", "6 cells", "7 columns"]),
    ];
    for (rows, parts) in rows {
        tables(NODES.as_bytes(), ("--pods", (head.to_owned() + rows).as_bytes()), &[], parts);
    }
    let nodes_as_pods: &[&str] = &["machines.csv:1: ", "`name` is missing", "looks like one for --nodes"];
    tables(NODES.as_bytes(), ("--pods", NODES.as_bytes()), &[], nodes_as_pods);
    let arrivals_as_pods: &[&str] = &["`cpu_milli` is missing", "looks like one for --arrivals"];
    tables(NODES.as_bytes(), ("--pods", ARRIVALS.as_bytes()), &[], arrivals_as_pods);
    let only_without = (head.to_owned() + "p,1,1,0,0,5,9\n").into_bytes();
    tables(
        NODES.as_bytes(),
        ("--pods", &only_without),
        &["--pods-without-gpu", "drop"],
        &["they request no GPU"],
    );
}

#[test]
fn spoilt_arrival_tables_are_refused_with_line_column_and_mend() {
    let cases: &[(&str, &[&str])] = &[
        (PODS, &["machines.csv:1: ", "`profile` is missing", "looks like one for --pods"]),
        ("name,profil,arrival,departure\n", &["`profile` is missing", "did you mean \"profil\""]),
        (
            "name,profile,arrival\np,1g.5gb,0\n",
            &["one of the columns `departure` and `lifetime` must be there"],
        ),
        (
            "name,profile,arrival,departure,lifetime\n",
            &["`departure` and `lifetime` say the same", "Keep one"],
        ),
        ("name,profile,arrival,lifetime,cpu,cpu_milli\n", &["`cpu` and `cpu_milli` say the same"]),
        (
            "name,profile,arrival,lifetime,memory_gib,memory_mib\n",
            &["`memory_gib` and `memory_mib` say the same"],
        ),
        ("name,profile,arrival,departure\n", &["the file has no rows"]),
        (
            "name,profile,arrival,departure\np,1g.6gb,0,1\n",
            &["machines.csv:2: ", "\"1g.6gb\"", "did you mean \"1g.5gb\""],
        ),
        ("name,profile,arrival,departure\np,1g.5gb|,0,1\n", &["`profile` is \"1g.5gb|\"", "with | between"]),
        (
            "name,profile,arrival,departure\np,1g.5gb,2,1\n",
            &["`departure` is 1", "`arrival` is 2", "before it arrives"],
        ),
        ("name,profile,arrival,lifetime\np,1g.5gb,2,-1\n", &["machines.csv:2: ", "`lifetime` is \"-1\""]),
        ("name,profile,arrival,lifetime\np,1g.5gb,999999999999,2\n", &["together", "10^12"]),
        (
            "name,profile,arrival,departure\np,1g.5gb,0.1234567,1\n",
            &["`arrival` is \"0.1234567\"", "six decimals"],
        ),
        ("name,profile,arrival,departure\np,1g.5gb,,1\n", &["`arrival` is empty"]),
        ("name,profile,arrival,departure,cpu\np,1g.5gb,0,1,many\n", &["`cpu` is \"many\""]),
        (
            "name,profile,arrival,departure\np,1g.5gb,0,1\np,1g.5gb,0,1\n",
            &["machines.csv:3: ", "called \"p\"", "line 2"],
        ),
        ("name,profile,arrival,departure\np,1g.5gb,0,1,7\n", &["machines.csv:2: ", "5 cells", "4 columns"]),
    ];
    for (arrivals, parts) in cases {
        tables(NODES.as_bytes(), ("--arrivals", arrivals.as_bytes()), &[], parts);
    }
}

#[test]
fn lists_of_hosts_are_checked_line_by_line() {
    let folder = Folder::new();
    for (list, parts) in [
        ("b\nc\n", &["hosts.txt:2: ", "called \"c\"", "such as a, b"][..]),
        ("b\n\na\nb\n", &["hosts.txt:4: ", "\"b\" is listed again", "line 1"]),
        ("\n", &["hosts.txt: the file lists no host"]),
    ] {
        let list = folder.write("hosts.txt", list);
        tables(NODES.as_bytes(), ("--arrivals", ARRIVALS.as_bytes()), &["--hosts", &list], parts);
    }
}

#[test]
fn spoilt_yaml_is_refused_with_line_field_and_mend() {
    let good = "name: x\ngpus:\n  - {name: g, board: A30-24GB}\narrivals:\n  - {name: p, profile: 1g.6gb, arrival: 1}\n";
    let folder = Folder::new();
    let path = folder.write("trace.yaml", good);
    assert!(trace(&["--trace", &path], PROVED).stdout.contains("0 hosts, 1 GPU\n"));
    complaint(
        &["--trace", &path, "--hosts", "first:1"],
        &["trace.yaml: --hosts first:1", "there are 0 hosts"],
    );
    let cases: &[(&str, &str, &[&str])] = &[
        (good, "", &["the file is empty", "two-boards.yaml"]),
        (
            "arrivals:\n  - {name: p, profile: 1g.6gb, arrival: 1}\n",
            "arrivals: []\n",
            &["trace.yaml:4:11: ", "`arrivals` is empty"],
        ),
        ("arrivals:", "workloads:", &["trace.yaml:4:1: ", "unknown field `workloads`", "arrivals"]),
        ("name: x", "name: ''", &["trace.yaml:1:7: ", "`name` is empty"]),
        (
            "board: A30-24GB",
            "board: A30-24GB, cordoned: true",
            &["trace.yaml:3:", "GPU `g` is out of service", "a replay", "Leave it out"],
        ),
        (
            "arrival: 1",
            "arival: 1",
            &["trace.yaml:5:32: ", "unknown field `arival`", "did you mean \"arrival\""],
        ),
        ("arrival: 1", "arrival: soon", &["trace.yaml:5:41: ", "`arrival`", "\"soon\" cannot be used"]),
        (", arrival: 1", "", &["trace.yaml:5:5: ", "`arrival` is missing"]),
        ("arrival: 1", "arrival: -1", &["trace.yaml:5:41: ", "`p`", "`arrival` is -1", "from 0 to 10^12"]),
        (
            "arrival: 1",
            "arrival: 2, departure: 1",
            &["trace.yaml:5:55: ", "`departure` is 1", "`arrival` is 2"],
        ),
        ("arrival: 1", "arrival: 2, departure: 3, lifetime: 1", &["`departure` and `lifetime`", "Keep one"]),
        ("arrival: 1", "arrival: 2, lifetime: -3", &["`lifetime` is -3"]),
        ("arrival: 1", "arrival: 2, replicas: 0", &["trace.yaml:5:54: ", "`replicas` is 0"]),
        ("1g.6gb", "1g.7gb", &["trace.yaml:5:24: ", "no board has a profile \"1g.7gb\"", "did you mean"]),
        ("A30-24GB", "A30-24", &["trace.yaml:3:22: ", "\"A30-24\" is not known"]),
    ];
    for (part, other, parts) in cases {
        let path = folder.write("trace.yaml", good.replacen(part, other, 1));
        complaint(&["--trace", &path], parts);
    }
}

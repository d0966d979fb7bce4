//! Traces: what the shipped files hold, how they are read, and that their forms say the same.

use cluster::MemoryUnit;
use ground::Amount;
use replay::{
    GpusPerHost, HostChoice, KeepOrDrop, Moment, PodReading, Reading, Trace, TraceFiles, TraceForm,
    TraceStatistics, TraceSummary,
};
use std::path::{Path, PathBuf};
use support::board;

const NODES: &str = "openb_node_list_gpu_node.csv";
const PODS: &str = "openb_pod_list_default.csv";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn traces() -> PathBuf {
    root().join("instances/traces")
}

fn load(form: TraceForm, hosts: HostChoice) -> (Trace, TraceSummary) {
    TraceFiles { form, hosts }.load().unwrap_or_else(|error| panic!("{error}"))
}

fn alibaba(reading: PodReading) -> (Trace, TraceSummary) {
    let folder = traces().join("alibaba-2023");
    let (nodes, pods) = (folder.join(NODES), folder.join(PODS));
    load(TraceForm::Pods { nodes, board: board("A100-40GB"), pods, reading }, HostChoice::All)
}

fn small(hosts: HostChoice) -> (Trace, TraceSummary) {
    let folder = traces().join("small");
    let (nodes, arrivals) = (folder.join("nodes.csv"), folder.join("arrivals.csv"));
    load(TraceForm::Arrivals { nodes, board: board("A100-40GB"), arrivals }, hosts)
}

fn two_boards(hosts: HostChoice) -> (Trace, TraceSummary) {
    load(TraceForm::Document(traces().join("two-boards.yaml")), hosts)
}

fn histogram(summary: &TraceSummary) -> Vec<(&str, usize)> {
    summary.profiles.iter().map(|(name, count)| (name.as_str(), *count)).collect()
}

#[test]
fn the_shipped_tables_are_the_published_ones() {
    let published = root().join("../shared/data/alibaba2023");
    if !published.is_dir() {
        return;
    }
    for name in [NODES, PODS] {
        let shipped = std::fs::read(traces().join("alibaba-2023").join(name)).unwrap();
        assert!(shipped == std::fs::read(published.join(name)).unwrap(), "{name} differs");
    }
}

/// The numbers of Siavashi & Momtazpour, section 8.1, and of the independent program in Python.
#[test]
fn the_published_trace_has_the_published_numbers() {
    let (trace, summary) = alibaba(PodReading::default());
    assert_eq!((summary.hosts, summary.gpus), (1213, 6212));
    assert_eq!((trace.cluster.hosts.len(), trace.cluster.gpus.len()), (1213, 6212));
    assert_eq!(summary.boards, ["A100-40GB"]);
    assert_eq!(summary.virtual_machines(), 8063);
    let expected = [
        ("1g.5gb", 1087),
        ("1g.10gb", 7),
        ("2g.10gb", 25),
        ("3g.20gb", 276),
        ("4g.20gb", 1436),
        ("7g.40gb", 5232),
    ];
    assert_eq!(histogram(&summary), expected);
    assert_eq!(summary.arrivals, (8_387_257.0, 12_901_761.0));
    assert_eq!(summary.notes.len(), 2, "{:?}", summary.notes);
    assert!(summary.notes[0].starts_with("75 of 8,152 pods"), "{:?}", summary.notes);
    assert!(summary.notes[1].starts_with("14 of 8,152 pods"), "{:?}", summary.notes);
    assert_eq!(trace.cluster.memory_unit, MemoryUnit::Mebibyte);
    assert_eq!(trace.cluster.hosts[0].memory, Some(Amount::whole(262_144)));
    assert_eq!(trace.cluster.hosts[0].cpu, Some(Amount::whole(64)));
    assert_eq!(trace.cluster.gpus[3].name, "openb-node-0001/1");
    assert!(trace.visits.is_sorted_by_key(|visit| visit.arrival));
    assert_eq!(trace.visits.len(), trace.cluster.workloads.len());

    let statistics = TraceStatistics::of(&trace);
    assert_eq!(statistics.gpus_per_host, [(1, 24), (2, 518), (4, 54), (8, 617)]);
    assert_eq!(statistics.host_kinds.len(), 15);
    assert_eq!(statistics.most_at_once, 45);
    let errors: Vec<(u64, String)> = statistics
        .look_back
        .iter()
        .map(|window| (window.hours, format!("{:.2}", window.error_percent().unwrap())))
        .collect();
    let expected = [(1, "39.12"), (12, "35.48"), (24, "35.09"), (48, "35.09"), (96, "35.11")];
    assert_eq!(errors, expected.map(|(hours, error)| (hours, error.to_owned())));
}

#[test]
fn pods_are_kept_and_mapped_as_asked() {
    let zero = PodReading { without_gpu: KeepOrDrop::Drop, ..PodReading::default() };
    let (_, dropped) = alibaba(zero);
    let without_gpu = dropped.notes.iter().find(|note| note.contains("request no GPU")).expect("a note");
    assert!(without_gpu.starts_with("1,087 of 8,152"), "{without_gpu}");
    assert_eq!(dropped.virtual_machines(), 8063 - 1087);
    // Those without GPU are all that are of the smallest profile.
    assert_eq!(histogram(&dropped)[0], ("1g.5gb", 0));
    assert_eq!(histogram(&dropped)[1..], histogram(&alibaba(PodReading::default()).1)[1..]);

    let (_, all) = alibaba(PodReading { outliers: KeepOrDrop::Keep, ..PodReading::default() });
    assert_eq!(all.virtual_machines(), 8077);

    let halves = ["7G.40GB", "3g.20gb"].map(str::to_owned).to_vec();
    let (trace, two) = alibaba(PodReading { profiles: Some(halves), ..PodReading::default() });
    assert_eq!(trace.cluster.requests.len(), 2);
    // 3g.20gb offers 12 of 56: what wants more than 34/56 of a GPU gets the whole one.
    let text = std::fs::read_to_string(traces().join("alibaba-2023").join(PODS)).unwrap();
    let kept: Vec<&str> = trace.cluster.workloads.iter().map(|machine| machine.name.as_str()).collect();
    let whole = text.lines().skip(1).filter(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let wanted = cells[3].parse::<u64>().unwrap() * cells[4].parse::<u64>().unwrap();
        kept.binary_search(&cells[0]).is_ok() && wanted * 56 >= 34 * 1000
    });
    assert_eq!(histogram(&two), [("7g.40gb", whole.count()), ("3g.20gb", 8063 - two.profiles[0].1)]);
}

#[test]
fn hosts_are_chosen_from_the_top_or_by_name() {
    let (all, whole) = small(HostChoice::All);
    let (first, summary) = small(HostChoice::First(3));
    assert_eq!((summary.hosts, summary.gpus), (3, 5));
    assert_eq!(first.cluster.gpus.last().unwrap().name, "south-0/0");
    assert_ne!(whole.fingerprint, summary.fingerprint);
    assert_eq!(summary.notes, ["3 of 4 hosts and 5 of 6 GPUs chosen"]);

    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("hosts");
    std::fs::write(&list, "south-1\n\n  north-1\r\n").unwrap();
    let (listed, _) = small(HostChoice::Listed(list));
    let names =
        |trace: &Trace| -> Vec<String> { trace.cluster.gpus.iter().map(|gpu| gpu.name.clone()).collect() };
    assert_eq!(names(&listed), ["south-1/0", "north-1/0", "north-1/1"]);
    let hosts: Vec<u32> = listed.cluster.gpus.iter().map(|gpu| gpu.host.unwrap().0).collect();
    assert_eq!(hosts, [0, 1, 1]);
    assert_eq!(listed.visits, all.visits);

    // Without the host that has it, nothing is left of the A30.
    let (left, summary) = two_boards(HostChoice::First(1));
    assert_eq!(summary.boards, ["A100-40GB"]);
    assert!(left.cluster.requests.iter().all(|request| request.on_board.len() == 1));
    assert!(summary.notes[1].starts_with("2 virtual machines ask for profiles that no GPU"), "{summary:?}");
}

#[test]
fn the_small_traces_hold_what_makes_replays_hard() {
    for (trace, summary) in [small(HostChoice::All), two_boards(HostChoice::All)] {
        let visits = &trace.visits;
        assert_eq!(visits.len(), summary.virtual_machines());
        assert!(visits.is_sorted_by_key(|visit| visit.arrival));
        assert!(visits.windows(2).any(|pair| pair[0].arrival == pair[1].arrival), "simultaneous arrivals");
        assert!(visits.iter().any(|visit| visit.departure == Some(visit.arrival)), "a lifetime of 0");
        assert!(visits.iter().any(|visit| visit.departure.is_none()), "one that never leaves");
        let meets = |other: &Moment| visits.iter().any(|visit| visit.departure == Some(*other));
        let mut meetings = visits.iter().filter(|visit| visit.departure != Some(visit.arrival));
        assert!(meetings.any(|visit| meets(&visit.arrival)), "an arrival when another one leaves");
        let statistics = TraceStatistics::of(&trace);
        assert!(statistics.peak_load.gpus > summary.gpus as f64, "more is wanted than there is");
        assert!(statistics.host_kinds.len() > 1);
    }
    let (trace, summary) = two_boards(HostChoice::All);
    assert_eq!(summary.boards, ["A100-40GB", "A30-24GB"]);
    assert_eq!(trace.cluster.memory_unit, MemoryUnit::Gibibyte);
}

#[test]
fn readings_change_what_they_name_and_nothing_else() {
    let (trace, _) = small(HostChoice::All);
    let names = |trace: &Trace| -> Vec<String> {
        trace.cluster.workloads.iter().map(|machine| machine.name.clone()).collect()
    };
    let same = trace.read_as(&Reading::default());
    assert_eq!((names(&same), &same.visits), (names(&trace), &trace.visits));
    assert_eq!(same.cluster.gpus.len(), 6);

    let stay = trace.read_as(&Reading { departures: false, ..Reading::default() });
    assert!(stay.visits.iter().all(|visit| visit.departure.is_none()));
    assert!(stay.visits.iter().zip(&trace.visits).all(|(left, right)| left.arrival == right.arrival));

    let free = trace.read_as(&Reading { host_limits: false, ..Reading::default() });
    assert!(free.cluster.hosts.iter().all(|host| host.cpu.is_none() && host.memory.is_none()));
    assert_eq!(free.visits, trace.visits);

    let one = trace.read_as(&Reading { gpus_per_host: GpusPerHost::One, ..Reading::default() });
    let gpus: Vec<(&str, u32)> =
        one.cluster.gpus.iter().map(|gpu| (gpu.name.as_str(), gpu.host.unwrap().0)).collect();
    assert_eq!(gpus, [("north-0/0", 0), ("north-1/0", 1), ("south-0/0", 2), ("south-1/0", 3)]);

    let hour = 3600 * Moment::SECOND;
    let batched =
        trace.read_as(&Reading { batch: Some(3600), lifetime_millionths: 2_000_000, ..Reading::default() });
    assert_eq!(names(&batched), names(&trace));
    for (read, given) in batched.visits.iter().zip(&trace.visits) {
        assert_eq!(read.arrival.0 % hour, 0);
        assert!(read.arrival >= given.arrival && read.arrival.0 - given.arrival.0 < hour);
        let lifetime = |visit: &replay::Visit| visit.departure.map(|end| end.0 - visit.arrival.0);
        assert_eq!(lifetime(read), lifetime(given).map(|lifetime| 2 * lifetime));
    }

    // The first GPU of the right host is the A30, so one A100 is left.
    let (mixed, _) = two_boards(HostChoice::All);
    let one = mixed.read_as(&Reading { gpus_per_host: GpusPerHost::One, ..Reading::default() });
    let boards: Vec<&str> = one.cluster.gpu_indices().map(|gpu| one.cluster.board_of(gpu).name()).collect();
    assert_eq!(boards, ["A100-40GB", "A30-24GB"]);
}

/// The small trace written as YAML.
fn small_as_yaml() -> String {
    let folder = traces().join("small");
    let rows = |name: &str| -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
    };
    let mut text = "name: small\nhosts:\n".to_owned();
    for row in rows("nodes.csv") {
        let [name, cpu, memory, gpus] = &row[..] else { panic!("{row:?}") };
        let (cpu, memory) = (cpu.parse::<f64>().unwrap() / 1000.0, memory.parse::<f64>().unwrap() / 1024.0);
        text += &format!(
            "  - {{name: {name}, cpu: {cpu}, memory_gib: {memory}, gpus: {{board: A100-40GB, count: {gpus}}}}}\n"
        );
    }
    text += "arrivals:\n";
    for row in rows("arrivals.csv") {
        let [name, profile, arrival, departure, cpu, memory] = &row[..] else { panic!("{row:?}") };
        let profile = profile.replace('|', ", ");
        text += &format!(
            "  - {{name: {name}, profile: [{profile}], arrival: {arrival}, cpu: {cpu}, memory_gib: {memory}"
        );
        if !departure.is_empty() {
            text += &format!(", departure: {departure}");
        }
        text += "}\n";
    }
    text
}

#[test]
fn yaml_and_tables_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.yaml");
    std::fs::write(&path, small_as_yaml()).unwrap();
    let (yaml, yaml_summary) = load(TraceForm::Document(path), HostChoice::All);
    let (tables, summary) = small(HostChoice::All);
    assert_eq!(yaml_summary.fingerprint, summary.fingerprint);
    assert_eq!(yaml_summary.profiles, summary.profiles);
    assert_eq!(yaml.visits, tables.visits);
    assert_eq!(yaml.cluster.requests, tables.cluster.requests);
    assert_eq!(yaml.cluster.hosts[0].memory, Some(Amount::whole(256)));

    // Units, the order of the columns and the way to say when somebody leaves are a matter of taste.
    let nodes = folder.path().join("nodes.csv");
    let write = |text: &str| {
        let arrivals = folder.path().join("arrivals.csv");
        std::fs::write(&nodes, "gpu,sn,model,memory_mib,cpu_milli,board\n1,b,x,1024,2000,\n2,a,y,1024.5,1500,A100-80GB\n0,c,,0,0,\n")
            .unwrap();
        std::fs::write(&arrivals, text).unwrap();
        let form = TraceForm::Arrivals { nodes: nodes.clone(), board: board("A30-24GB"), arrivals };
        load(form, HostChoice::All)
    };
    let (trace, first) = write(
        "name,profile,arrival,departure,cpu,memory_gib\nq,7g.80gb,20,,0,0\np,1g.6gb|1g.10gb,10.5,12,0.25,0.5\n",
    );
    let (_, second) = write(
        "\u{feff}lifetime , memory_mib,remark,cpu_milli,arrival,profile,name\n,0,\"a, b\",0,20,7g.80gb,q\n\n1.5,512,,250,10.5,1g.6gb | 1g.10gb,p\n",
    );
    assert_eq!(first.fingerprint, second.fingerprint);
    assert_eq!(first.boards, ["A30-24GB", "A100-80GB"]);
    assert_eq!(first.notes, ["1 of 3 hosts left out: they have no GPU"]);
    let machines: Vec<(&str, String)> = trace
        .cluster
        .workloads
        .iter()
        .map(|machine| (machine.name.as_str(), machine.cpu.to_string()))
        .collect();
    assert_eq!(machines, [("p", "0.25".to_owned()), ("q", "0".to_owned())]);
    assert_eq!(trace.cluster.workloads[0].memory, Amount::whole(512));
    assert_eq!(trace.visits[0].departure, Some(Moment(12_000_000)));
}

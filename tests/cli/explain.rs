//! `migopt explain`.

use support::cli::schemas::check_schema;
use support::cli::{Folder, INFEASIBLE, LIMIT, PROVED, instance, instance_of, run};

/// Three GPUs and five workloads of 4g.40gb, of which each GPU takes one.
const CROWDED: &str = "
name: crowded
gpus:
  - {name: gpu, board: A100-80GB, count: 3}
workloads:
  - {name: one, profile: 4g.40gb, replicas: 5}
wpm: {use_case: joint, objective: \"lexicographic:reward,gpus\"}
";

#[test]
fn what_one_more_changes_is_told() {
    let folder = Folder::new();
    let path = folder.write("crowded.yaml", CROWDED);
    let done = run(&["explain", &path], PROVED);
    // A GPU more takes a 4g.40gb more, which earns 4; a workload less makes no difference.
    for words in [
        "crowded: why nothing is better (proved by a certificate)\n",
        "\nreward 12 is the greatest\n  nothing is more than 12; the next better value would be 16\n",
        "\n    GPU like gpu-0  +4  3 of them, all at their best\n",
        "\ngpus 3 is the least, with the values above\n",
        "\ncertificate: proved optimal under the printed reading",
    ] {
        assert!(done.stdout.contains(words), "{words}: {done:?}");
    }
    assert!(!done.stdout.contains("without one of these"), "{done:?}");
    let place =
        "\n  with a place more for one of these, that changes by\n    workload 4g.40gb  +4  5 of them\n";
    assert!(done.stdout.contains(place), "{done:?}");
    let larger = folder.write("larger.yaml", CROWDED.replace("count: 3", "count: 4"));
    let done = run(&["explain", &larger], PROVED);
    assert!(done.stdout.contains("\nreward 16 is the greatest\n"), "{done:?}");
}

#[test]
fn answers_and_their_certificates_are_explained_without_solving() {
    let folder = Folder::new();
    let (path, answer, certificate) =
        (instance("eight-gpus"), folder.text("answer.json"), folder.text("proof.cert"));
    run(&["solve", &path, "--certificate", &certificate, "--output", &answer, "--quiet"], PROVED);
    let found = run(&["explain", &path], PROVED);
    assert_eq!(run(&["explain", &path, &answer], PROVED).stdout, found.stdout);
    let flags = ["explain", &path, &answer, "--certificate", &certificate];
    assert_eq!(run(&flags, PROVED).stdout, found.stdout);
    let document = run(&[&flags[..], &["--format", "json"]].concat(), PROVED).json();
    assert_eq!(document["certificate"]["accepted"], true);
    let claims = document["explanation"]["claims"].as_array().unwrap();
    let goals: Vec<&str> = claims.iter().map(|claim| claim["goal"].as_str().unwrap()).collect();
    assert_eq!(goals, ["reward", "gpus", "migrations", "waste"]);
    check_schema(&["explanation"], &document);
    let worthless =
        std::fs::read_to_string(&certificate).unwrap().replacen("goals reward 1", "goals reward 0", 1);
    let worthless = folder.write("worthless.cert", &worthless);
    let done = run(&["explain", &path, &answer, "--certificate", &worthless], INFEASIBLE);
    assert!(
        done.stdout.contains(": not proved\n") && done.stdout.contains("\ncertificate refused: "),
        "{done:?}"
    );
}

#[test]
fn the_want_of_a_solution_is_explained() {
    let done = run(&["explain", &instance("too-much-demand")], PROVED);
    for words in ["\nno solution obeys all rules\n", " points would be needed, and ", "GPU like gpu-0  +1"] {
        assert!(done.stdout.contains(words), "{words}: {done:?}");
    }
}

#[test]
fn servers_are_explained() {
    let done = run(&["explain", &instance_of("sharing", "first-m-of-the-order")], PROVED);
    for words in [
        "\nreach 2 is the least\n  8 points would be needed, and 4 are possible\n",
        "\n    virtual machine a  +3  2 of them\n",
        "\n    server like small-0  +4  1 of them\n",
        "\nservers 2 is the least, with the values above\n",
        "\n    virtual machine a  -0.75  2 of them\n",
    ] {
        assert!(done.stdout.contains(words), "{words}: {done:?}");
    }
}

#[test]
fn machines_are_explained() {
    let done = run(&["explain", &instance_of("siavashi", "pinned")], PROVED);
    for words in
        [" is the greatest\n  nothing is more than ", "\n    machine like ", "\ncertificate: proved optimal"]
    {
        assert!(done.stdout.contains(words), "{words}: {done:?}");
    }
}

#[test]
fn windows_are_explained() {
    let done = run(&["explain", &instance_of("migrator", "tiny"), "--model", "migrator"], PROVED);
    for words in [
        "\ngoodput 219.2 is the greatest\n  nothing is more than 219.2; the next better value would be 219.200001\n",
        "\n  without one of these, that changes by\n    model ",
    ] {
        assert!(done.stdout.contains(words), "{words}: {done:?}");
    }
    let document = run(&["explain", &instance_of("migrator", "w1"), "--format", "json"], PROVED).json();
    let case = &document["explanation"]["claims"][0]["cases"][0];
    let spans = case["spans"].as_array().unwrap();
    let ends: Vec<u64> = spans.iter().map(|span| span["until"].as_u64().unwrap()).collect();
    let begins: Vec<u64> = spans.iter().map(|span| span["from"].as_u64().unwrap()).collect();
    assert_eq!((begins[0], ends[ends.len() - 1]), (0, 200));
    assert_eq!(begins[1..], ends[..ends.len() - 1]);
    assert!(case["items"].as_array().unwrap().len() == 2, "{case}");
    check_schema(&["explanation"], &document);
}

#[test]
fn what_is_not_proved_is_told() {
    let path = instance("eight-gpus");
    let done = run(&["explain", &path, "--time-limit", "0"], LIMIT);
    assert!(
        done.stderr.contains("there is nothing to explain: the limits came before the proof"),
        "{done:?}"
    );
    // A heuristic's placement is not the best.
    let folder = Folder::new();
    let proposal = folder.text("proposal.json");
    run(&["heuristic", &path, "--policy", "first-fit", "--output", &proposal, "--quiet"], PROVED);
    let done = run(&["explain", &path, &proposal], LIMIT);
    assert!(done.stderr.contains("there is nothing to explain: the answer has no certificate"), "{done:?}");
}

//! `migopt solve --certificate` and `migopt verify --certificate`.

use serde_json::Value;
use support::cli::{BAD_INPUT, Folder, INFEASIBLE, LIMIT, PROVED, instance, instance_of, run};

/// Solves an instance with a certificate, and returns the paths of the answer and the certificate.
fn certified(folder: &Folder, path: &str, code: i32) -> (String, String) {
    certified_as(folder, path, "wpm", code)
}

fn certified_as(folder: &Folder, path: &str, model: &str, code: i32) -> (String, String) {
    let (answer, certificate) = (folder.text("answer.json"), folder.text("proof.cert"));
    let flags =
        ["--model", model, "--certified", "--certificate", certificate.as_str(), "--output", answer.as_str()];
    let done = run(&[["solve", path].as_slice(), &flags].concat(), code);
    assert!(done.stdout.contains("note: there is a certificate"), "{done:?}");
    (answer, certificate)
}

#[test]
fn a_certificate_is_accepted_and_says_what_is_trusted() {
    let folder = Folder::new();
    let path = instance("eight-gpus");
    let (answer, certificate) = certified(&folder, &path, PROVED);
    let done = run(&["verify", &path, &answer, "--certificate", &certificate], PROVED);
    for words in [
        ": optimal (verified; proved by a certificate)\n",
        "\ncertificate: proved optimal under the printed reading, for the instance as read: ",
        " workloads, 8 GPUs\n",
        "\ntrusted: the reader of instances, the boards, the verifier and ",
    ] {
        assert!(done.stdout.contains(words), "{words}: {done:?}");
    }
    let done = run(&["verify", &path, &answer, "--certificate", &certificate, "--format", "json"], PROVED);
    let verdict: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(verdict["certificate"]["accepted"], true);
    assert_eq!(verdict["valid"], true);
}

#[test]
fn a_certificate_that_proves_nothing_is_refused_with_its_line() {
    let folder = Folder::new();
    let path = instance("eight-gpus");
    let (answer, certificate) = certified(&folder, &path, PROVED);
    let text = std::fs::read_to_string(&certificate).unwrap();
    let refused = |name: &str, text: &str, words: &str| {
        let file = folder.write(name, text);
        let done = run(&["verify", &path, &answer, "--certificate", &file], INFEASIBLE);
        assert!(done.stdout.contains(&format!("\ncertificate refused: {words}")), "{words}: {done:?}");
        assert!(done.stdout.contains(": valid (verified; not proved optimal)\n"), "{done:?}");
    };
    let halved = &text[..text.len() / 2];
    refused("cut.cert", halved, "line ");
    refused("later.cert", &text.replacen("certificate 1", "certificate 2", 1), "line 1: this is version `2`");
    let (before, after) = text.split_once("goals reward ").unwrap();
    let zero = format!("{before}goals reward 0{}", &after[after.find(['\n', ' ']).unwrap()..]);
    refused("zero.cert", &zero, "line 6: a better placement is not refuted");
    refused("model.cert", &text.replacen("model wpm", "model sharing", 1), "it is about model sharing");
    refused(
        "other.cert",
        &text.replacen("instance ", "instance 0", 1),
        "it is about the instance `eight-gpus`",
    );
}

#[test]
fn that_there_is_no_placement_has_a_certificate_too() {
    let folder = Folder::new();
    let path = instance("too-much-demand");
    let (answer, certificate) = certified(&folder, &path, INFEASIBLE);
    let done = run(&["verify", &path, &answer, "--certificate", &certificate], PROVED);
    assert!(done.stdout.contains(": infeasible (proved by a certificate)\n"), "{done:?}");
    assert!(done.stdout.contains("\ncertificate: proved that no placement obeys all rules"), "{done:?}");
}

/// Rules of clusters are left out of proofs, which is told.
#[test]
fn rules_that_a_proof_makes_no_use_of_are_told() {
    let folder = Folder::new();
    let text = "
name: rules
groups: [{name: g, apart: node}]
hosts:
  - {name: h, max_disrupted: 1, gpus: {board: A100-80GB, count: 2}}
workloads:
  - {name: one, profile: 4g.40gb, group: g}
wpm: {use_case: joint, objective: \"lexicographic:reward,gpus\"}
";
    let path = folder.write("rules.yaml", text);
    let (answer, certificate) = certified(&folder, &path, PROVED);
    let done = run(&["verify", &path, &answer, "--certificate", &certificate], PROVED);
    assert!(
        done.stdout.contains("2 GPUs; the proof makes no use of groups, limits on disruptions\n"),
        "{done:?}"
    );
}

#[test]
fn packings_of_virtual_machines_have_certificates() {
    let folder = Folder::new();
    let path = instance_of("sharing", "twenty-vms");
    let (answer, certificate) = certified_as(&folder, &path, "sharing", PROVED);
    let done = run(&["verify", &path, &answer, "--certificate", &certificate], PROVED);
    for words in [
        ": optimal (verified; proved by a certificate)\n",
        "\ncertificate: proved optimal, for the instance as read: 20 virtual machines, 15 servers\n",
        "\ntrusted: the reader of instances, the verifier and ",
    ] {
        assert!(done.stdout.contains(words), "{words}: {done:?}");
    }
    let other = instance_of("sharing", "memory-bound");
    let done = run(&["verify", &other, &answer, "--certificate", &certificate], BAD_INPUT);
    assert!(done.stderr.contains("this solution belongs to another instance"), "{done:?}");
    let path = instance_of("sharing", "too-little-memory");
    let (answer, certificate) = certified_as(&folder, &path, "sharing", INFEASIBLE);
    let done = run(&["verify", &path, &answer, "--certificate", &certificate], PROVED);
    assert!(done.stdout.contains("\ncertificate: proved that no packing obeys all rules"), "{done:?}");
}

#[test]
fn plans_of_windows_have_certificates() {
    let folder = Folder::new();
    let path = instance_of("migrator", "tiny");
    let (answer, certificate) = certified_as(&folder, &path, "migrator", PROVED);
    let done = run(&["verify", &path, &answer, "--certificate", &certificate], PROVED);
    for words in [
        ": optimal (verified; proved by a certificate)\n",
        "\ncertificate: proved optimal under the readings clip, instance, count, for the instance as read: 2 models, 6 slots\n",
        "\ntrusted: the reader of instances, the boards, the verifier and ",
    ] {
        assert!(done.stdout.contains(words), "{words}: {done:?}");
    }
    let path = instance_of("migrator", "infeasible-retraining");
    let (answer, certificate) = certified_as(&folder, &path, "migrator", INFEASIBLE);
    let done = run(&["verify", &path, &answer, "--certificate", &certificate], PROVED);
    assert!(done.stdout.contains("\ncertificate: proved that no plan obeys all rules"), "{done:?}");
}

#[test]
fn what_is_not_proved_has_no_certificate() {
    let folder = Folder::new();
    let certificate = folder.text("proof.cert");
    let path = instance("eight-gpus");
    let flags = ["--certified", "--certificate", &certificate, "--time-limit", "0"];
    let done = run(&[["solve", path.as_str()].as_slice(), &flags].concat(), LIMIT);
    assert!(done.stdout.contains("note: no certificate: nothing is proved"), "{done:?}");
    assert!(!std::path::Path::new(&certificate).exists());
}

#[test]
fn intervals_have_certificates() {
    let folder = Folder::new();
    let path = instance_of("siavashi", "eviction");
    let (answer, certificate) = certified_as(&folder, &path, "siavashi", PROVED);
    let done = run(&["verify", &path, &answer, "--certificate", &certificate], PROVED);
    for words in [
        ": optimal (verified; proved by a certificate)\n",
        "\ncertificate: proved optimal, for the instance as read: 3 workloads, 2 machines, 2 GPUs\n",
        "\ntrusted: the reader of instances, the boards, the verifier and ",
    ] {
        assert!(done.stdout.contains(words), "{words}: {done:?}");
    }
    let text = std::fs::read_to_string(&certificate).unwrap();
    let file = folder.write("wrong.cert", text.replacen("stage migrations 2", "stage migrations 4", 1));
    let done = run(&["verify", &path, &answer, "--certificate", &file], INFEASIBLE);
    assert!(done.stdout.contains("\ncertificate refused: "), "{done:?}");
}

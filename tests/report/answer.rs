//! `migopt report` on one result of `migopt solve`.

use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::path::Path;

fn migopt(folder: &Path, arguments: &[&str]) -> assert_cmd::assert::Assert {
    Command::cargo_bin("migopt").unwrap().current_dir(folder).args(arguments).assert()
}

fn instance(path: &str) -> String {
    format!("{}/instances/{path}", env!("CARGO_MANIFEST_DIR"))
}

fn report(folder: &Path, ending: &str) -> String {
    let file = format!("answer.{ending}");
    migopt(folder, &["report", "result.json", "--output", &file]).success().stdout(contains(file.as_str()));
    std::fs::read_to_string(folder.join(file)).unwrap()
}

/// Solves an instance of a model and reports on the answer: as HTML, as Markdown and as CSV.
fn reports(path: &str, model: &str) -> [String; 3] {
    let folder = tempfile::tempdir().unwrap();
    let instance = instance(path);
    migopt(folder.path(), &["solve", &instance, "--model", model, "--output", "result.json", "--quiet"]);
    ["html", "md", "csv"].map(|ending| report(folder.path(), ending))
}

#[test]
fn the_answer_of_a_window_shows_its_timeline() {
    let [html, markdown, csv] = reports("migrator/tiny.yaml", "migrator");
    assert!(html.contains("<svg") && html.contains("memory slots of the GPU"), "{html}");
    assert!(html.contains("reconfiguration clip, deployment instance, signature count"), "{html}");
    assert!(markdown.contains("| goodput | max | 219.2 | 219.2 |"), "{markdown}");
    assert!(markdown.contains("# tiny: proved optimal"), "{markdown}");
    assert!(csv.starts_with("metric,value\n") && csv.contains("\ngoodput,219.2\n"), "{csv}");
}

#[test]
fn answers_of_the_other_models_show_their_pictures() {
    for (path, model, goal) in [
        ("wpm/eight-gpus.yaml", "wpm", "profit"),
        ("siavashi/a30.yaml", "siavashi", "acceptance"),
        ("sharing/bin-packing.yaml", "sharing", "servers"),
    ] {
        let [html, markdown, _] = reports(path, model);
        assert!(html.contains("<svg"), "{path}");
        assert!(markdown.contains(&format!("| {goal} |")), "{path}: {markdown}");
    }
}

#[test]
fn an_infeasible_question_has_a_report_without_a_picture() {
    let [html, markdown, csv] = reports("migrator/infeasible-minimum.yaml", "migrator");
    assert!(!html.contains("memory slots of the GPU"), "{html}");
    assert!(markdown.contains("do not fit beside each other"), "{markdown}");
    assert_eq!(csv, "metric,value\n");
}

/// With a certificate the report says why nothing is better.
#[test]
fn a_certificate_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    for (path, model, words) in [
        ("wpm/eight-gpus.yaml", "wpm", "a place more for one workload 1g.10gb"),
        ("siavashi/gpu-bound.yaml", "siavashi", "with one more machine like"),
        ("sharing/first-m-of-the-order.yaml", "sharing", "with one more server like small-0"),
        ("migrator/w1.yaml", "migrator", "| slots "),
    ] {
        let instance = instance(path);
        let solve = ["solve", &instance, "--model", model, "--output", "result.json", "--quiet"];
        migopt(folder.path(), &[&solve[..], &["--certificate", "proof.cert"]].concat()).success();
        let flags = ["--instance", &instance, "--certificate", "proof.cert"];
        let explained = migopt(folder.path(), &[&["report", "result.json"], &flags[..]].concat()).success();
        explained.stdout(
            contains("## Why nothing is better")
                .and(contains(words))
                .and(contains("To be trusted: the reader")),
        );
    }
    let flags = ["--instance", &instance("migrator/w1.yaml"), "--certificate", "proof.cert"];
    let page = [&["report", "result.json", "--output", "answer.html", "--quiet"], &flags[..]].concat();
    migopt(folder.path(), &page).success();
    assert!(
        std::fs::read_to_string(folder.path().join("answer.html")).unwrap().contains("Why nothing is better")
    );
    let proof = std::fs::read_to_string(folder.path().join("proof.cert")).unwrap();
    std::fs::write(folder.path().join("proof.cert"), proof.replacen("stage goodput 3", "stage goodput 2", 1))
        .unwrap();
    migopt(folder.path(), &page).code(3);
    let page = std::fs::read_to_string(folder.path().join("answer.html")).unwrap();
    assert!(page.contains("The certificate is refused: "), "{page}");
    migopt(folder.path(), &["report", "result.json", "--certificate", "proof.cert"]).code(2);
}

#[test]
fn what_is_no_result_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let instance = instance("migrator/tiny.yaml");
    migopt(folder.path(), &["report", &instance]).code(2).stderr(contains("neither a folder nor a result"));
}

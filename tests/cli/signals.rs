//! Ctrl-C stops a solve with its best answer; a reader that goes away stops the printing without a sound.
#![cfg(unix)]

use std::time::{Duration, Instant};
use support::cli::{Folder, LIMIT, PROVED, instance, interrupt, read, run, spawn};

/// The printed program of 80 GPUs keeps the solver busy for minutes.
#[test]
fn control_c_saves_the_best_verified_solution_with_its_bound() {
    let folder = Folder::new();
    run(&["generate", "wpm", "--gpus", "80", "--seed", "1", "--output", &folder.text("")], PROVED);
    let (path, output) = (folder.text("wpm-joint-80-seed1.yaml"), folder.text("result.json"));
    let child = spawn(&["solve", &path, "--formulation", "printed", "--output", &output]);
    std::thread::sleep(Duration::from_millis(1500));
    let interrupted = Instant::now();
    interrupt(&child);
    let done = read(child.wait_with_output().unwrap());
    assert!(interrupted.elapsed() < Duration::from_secs(20), "{:?}", interrupted.elapsed());

    assert_eq!(done.code, Some(LIMIT), "{done:?}");
    assert!(done.stdout.contains("interrupted (best verified solution and bound)"), "{done:?}");
    assert!(done.stderr.contains("stopping with the best solution so far"), "{done:?}");
    let result = folder.json("result.json");
    assert_eq!((&result["status"], &result["proved"]), (&"interrupted".into(), &false.into()));
    let stage = &result["stages"][0];
    let [value, bound] = [&stage["value"], &stage["bound"]].map(|number| number.as_f64().unwrap());
    assert!(value <= bound && bound.is_finite(), "{stage}");
    run(&["verify", &path, &output], PROVED);
}

#[test]
fn closed_pipes_are_no_failure() {
    let path = instance("a30-joint");
    let cases: &[&[&str]] = &[
        &["list"],
        &["--help"],
        &["schema", "result"],
        &["solve", &path],
        &["show", &path],
        &["completions", "zsh"],
    ];
    for arguments in cases {
        let mut child = spawn(arguments);
        drop(child.stdout.take());
        let done = read(child.wait_with_output().unwrap());
        assert_eq!((done.code, done.stderr.as_str()), (Some(PROVED), ""), "{arguments:?}");
    }
    // Nor may a complaint that nobody hears end in a panic.
    let mut child = spawn(&["solve", "no-such-file.yaml"]);
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

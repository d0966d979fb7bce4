//! The oracle's stream: order, lines that are no requests, closed pipes, Ctrl-C.
#![cfg(unix)]

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use support::cli::oracle::{Oracle, answers};
use support::cli::{Folder, LIMIT, PROVED, instance, interrupt, read, run};

const SMALL: &str = r#"{"name": "small", "gpus": [{"name": "g", "board": "A30"}], "workloads": [{"name": "w", "profile": "2g.12gb"}]}"#;

/// A program that keeps a solver busy for minutes.
fn large() -> String {
    let folder = Folder::new();
    run(&["generate", "wpm", "--gpus", "80", "--seed", "1", "--output", &folder.text("")], PROVED);
    folder.read("wpm-joint-80-seed1.yaml")
}

#[test]
fn answers_keep_ids_and_order_whatever_their_difficulty() {
    let text = |name: &str| std::fs::read_to_string(instance(name)).unwrap();
    let (hard, middle, easy) = (text("reconfiguration"), text("eight-gpus"), SMALL.to_owned());
    let requests: Vec<Value> = (0..24)
        .map(|number| {
            let instance = [&hard, &easy, &easy, &middle, &easy][number % 5];
            json!({"instance": instance, "id": {"number": number}})
        })
        .collect();
    let lines: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let [one, four] = ["1", "4"].map(|jobs| answers(&["--jobs", jobs], &lines));
    assert_eq!(four.len(), requests.len());
    for (number, (response, same)) in four.iter().zip(&one).enumerate() {
        assert_eq!((&response["line"], &response["id"]["number"]), (&(number + 1).into(), &number.into()));
        let result = support::cli::without_seconds(response["result"].clone());
        assert_eq!(result["proved"], true);
        assert_eq!(result, support::cli::without_seconds(same["result"].clone()));
    }
}

#[test]
fn an_answer_comes_before_the_next_line_is_sent() {
    let mut oracle = Oracle::start(&["--jobs", "2"]);
    for number in 1..=20 {
        let response = oracle.ask(&json!({"instance": SMALL, "id": number}));
        assert_eq!((&response["id"], &response["result"]["proved"]), (&number.into(), &true.into()));
    }
    let (rest, run) = oracle.finish();
    assert_eq!((rest, run.code, run.stderr.as_str()), (vec![], Some(PROVED), ""));
}

/// An id is repeated as it is written, so that no number loses digits.
#[test]
fn ids_are_repeated_to_the_letter() {
    for id in ["123456789012345678901234567890", "1.50", "null", r#""\u00e9""#, r#"{"b":1,"a":[2]}"#] {
        let line = format!(r#"{{"id": {id}, "instance": {SMALL}, "task": "question"}}"#) + "\n";
        let done = read(support::cli::migopt().arg("oracle").write_stdin(line).output().unwrap());
        assert!(
            done.stdout.starts_with(&format!(r#"{{"line":1,"id":{id},"question":{{"#)),
            "{}",
            done.stdout
        );
    }
}

#[test]
fn lines_that_are_no_requests_get_an_error_and_the_stream_goes_on() {
    let mut input = Vec::new();
    input.extend(b"\n  \t\n\xff\xfe{}\n{\n");
    input.extend(format!("{SMALL}\r\n").bytes());
    input.extend(b"{\"instance\": \"");
    input.resize(input.len() + (64 << 20), b'x');
    input.extend(b"\"}\n");
    // The last line has no end.
    input.extend(SMALL.bytes());
    let responses = answers(&["--jobs", "2"], input);
    let lines: Vec<u64> = responses.iter().map(|response| response["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [3, 4, 5, 6, 7]);
    for (response, words) in [
        (0, "line 3: this is not UTF-8"),
        (1, "line 4: this is not JSON"),
        (3, "line 6: the line is longer than 64 MiB"),
    ] {
        let error = &responses[response]["error"];
        assert_eq!(error["kind"], "bad-input");
        assert!(error["message"].as_str().unwrap().starts_with(words), "{error}");
    }
    for response in [&responses[2], &responses[4]] {
        assert_eq!(response["result"]["status"], "optimal");
    }
}

#[test]
fn nothing_to_read_is_nothing_to_answer() {
    assert!(answers(&[], "").is_empty());
    assert!(answers(&["--jobs", "3"], "\n\n").is_empty());
}

#[test]
fn a_reader_that_goes_away_ends_the_oracle_quietly() {
    // While it waits for a line, and while it works on an answer that takes minutes.
    for line in [SMALL.to_owned(), json!({"instance": large()}).to_string()] {
        let mut oracle = Oracle::start(&["--jobs", "2", "--formulation", "printed"]);
        oracle.ask(&json!({"instance": SMALL}));
        oracle.send(line);
        std::thread::sleep(Duration::from_millis(500));
        let began = Instant::now();
        let (child, _input) = oracle.stop_listening();
        let done = read(child.wait_with_output().unwrap());
        assert_eq!((done.code, done.stderr.as_str()), (Some(PROVED), ""));
        assert!(began.elapsed() < Duration::from_secs(20), "the search is given up: {:?}", began.elapsed());
    }
}

#[test]
fn control_c_answers_what_was_read_with_the_best_so_far() {
    let mut oracle = Oracle::start(&["--formulation", "printed"]);
    oracle.send(SMALL);
    assert_eq!(oracle.receive()["result"]["status"], "optimal");
    oracle.send(json!({"instance": large(), "id": "large"}).to_string());
    std::thread::sleep(Duration::from_millis(1500));
    let interrupted = Instant::now();
    interrupt(&oracle.child);
    let (rest, done) = oracle.rest_with_open_input();
    assert!(interrupted.elapsed() < Duration::from_secs(20), "{:?}", interrupted.elapsed());
    assert_eq!(done.code, Some(LIMIT), "{done:?}");
    assert!(
        done.stderr.contains("stopping; requests already read are answered with the best solution so far"),
        "{done:?}"
    );
    assert_eq!(rest.len(), 1);
    let result = &rest[0]["result"];
    assert_eq!(
        (&rest[0]["id"], &result["status"], &result["proved"]),
        (&"large".into(), &"interrupted".into(), &false.into())
    );
    let [value, bound] =
        [&result["stages"][0]["value"], &result["stages"][0]["bound"]].map(|number| number.as_f64().unwrap());
    assert!(value <= bound, "{value} {bound}");
}

#[test]
fn control_c_ends_an_oracle_that_waits() {
    let mut oracle = Oracle::start(&["--jobs", "2"]);
    oracle.send(SMALL);
    assert_eq!(oracle.receive()["result"]["status"], "optimal");
    interrupt(&oracle.child);
    let (rest, done) = oracle.rest_with_open_input();
    assert_eq!((rest, done.code), (vec![], Some(PROVED)), "nothing was cut short: {}", done.stderr);
}

#[cfg(feature = "cbc")]
#[test]
fn solvers_agree_side_by_side() {
    let text = std::fs::read_to_string(instance("a30-joint")).unwrap();
    let lines: String = (0..12)
        .map(|number| format!("{}\n", json!({"instance": text, "solver": (["highs", "cbc"][number % 2])})))
        .collect();
    for (number, response) in answers(&["--jobs", "4"], lines).iter().enumerate() {
        assert_eq!(response["result"]["solver"], ["highs", "cbc"][number % 2]);
        assert_eq!(response["result"]["stages"][0]["value"], 2779, "{response}");
    }
}

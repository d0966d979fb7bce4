//! The oracle's answers: every task on every model, models, defaults and settings.

use serde_json::{Value, json};
use support::cli::oracle::{Oracle, answers};
use support::cli::schemas::{check, schema};
use support::cli::{PROVED, run, without_seconds};

/// An instance of each model, a heuristic, its first objective, and the optimum of that (`instances/MODEL/truth.csv`, where
/// two solvers prove it).
const CASES: [(&str, &str, &str, &str); 4] = [
    ("wpm", "a30-joint.yaml", "first-fit", "profit"),
    ("siavashi", "start-costs.yaml", "ff", "acceptance"),
    ("migrator", "tiny.yaml", "greedy", "goodput"),
    ("sharing", "bin-packing.yaml", "ff", "servers"),
];

fn path(model: &str, name: &str) -> String {
    format!("{}/instances/{model}/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn text(model: &str, name: &str) -> String {
    std::fs::read_to_string(path(model, name)).unwrap()
}

fn object(model: &str, name: &str) -> Value {
    support::from_yaml(&text(model, name))
}

fn truth(model: &str, name: &str, objective: &str) -> f64 {
    let table = text(model, "truth.csv");
    let line = table.lines().find(|line| line.starts_with(&format!("{name},{objective},"))).unwrap();
    line.split(',').nth(3).unwrap().parse().unwrap()
}

/// An oracle whose requests and responses are compared with their schemas.
struct Checked {
    oracle: Oracle,
    request: jsonschema::Validator,
    response: jsonschema::Validator,
}

impl Checked {
    fn start() -> Self {
        let oracle = Oracle::start(&[]);
        Checked { oracle, request: schema(&["request"]), response: schema(&["response"]) }
    }

    /// The value under the one key that the response has besides `line` and `id`.
    fn ask(&mut self, kind: &str, request: &Value) -> Value {
        check(&self.request, request);
        let mut response = self.oracle.ask(request);
        check(&self.response, &response);
        assert_eq!(response.get("id"), request.get("id"));
        let keys = response
            .as_object()
            .unwrap()
            .keys()
            .filter(|key| !["line", "id", "model", "model_from"].contains(&key.as_str()));
        assert_eq!(keys.collect::<Vec<_>>(), [kind], "{response}");
        response[kind].take()
    }
}

#[test]
fn every_task_on_every_model() {
    let mut oracle = Checked::start();
    for (model, name, heuristic, objective) in CASES {
        let (instance, optimum) = (object(model, name), truth(model, name, objective));
        let ask =
            |task: &str| json!({"id": [model, task], "task": task, "model": model, "instance": instance});

        let result = oracle.ask("result", &ask("solve"));
        assert_eq!((&result["status"], &result["proved"]), (&"optimal".into(), &true.into()), "{result}");
        assert_eq!(result["stages"][0]["name"], objective);
        assert_eq!(result["stages"][0]["value"].as_f64(), Some(optimum));

        let mut request = ask("heuristic");
        request["heuristic"] = heuristic.into();
        let proposal = oracle.ask("proposal", &request);
        assert_eq!((&proposal["valid"], &proposal["heuristic"]), (&true.into(), &heuristic.into()));

        for answer in [&result, &proposal] {
            let mut request = ask("verify");
            request["solution"] = answer["solution"].clone();
            let verdict = oracle.ask("verdict", &request);
            assert_eq!((&verdict["valid"], &verdict["violations"]), (&true.into(), &json!([])));
            assert_eq!(verdict["score"], answer["score"]);
            assert_eq!(verdict["metrics"], answer["metrics"]);
            let value = verdict["stages"][0]["value"].as_f64().unwrap();
            assert_eq!(Some(value), answer["stages"][0]["value"].as_f64());

            request["task"] = "gap".into();
            let gap = oracle.ask("gap", &request);
            assert_eq!(
                (&gap["valid"], &gap["proved"], &gap["verdict"]),
                (&true.into(), &true.into(), &verdict)
            );
            if value == optimum {
                assert!(
                    answer["heuristic"].is_null(),
                    "{model}: the heuristic of this test is not to be optimal"
                );
                assert_eq!((&gap["stage"], &gap["relative"]), (&Value::Null, &0.0.into()));
                assert_eq!(gap["value"], gap["optimum"]);
            } else {
                assert_eq!(gap["stage"], objective);
                assert_eq!(gap["value"].as_f64(), Some(value));
                assert_eq!(gap["optimum"].as_f64(), Some(optimum));
                let relative = gap["relative"].as_f64().unwrap();
                assert!((relative - (value - optimum).abs() / optimum.abs()).abs() < 1e-12, "{relative}");
            }
            assert_eq!(gap["result"]["stages"], result["stages"]);
        }

        let mut request = ask("question");
        request["seed"] = 5.into();
        let question = oracle.ask("question", &request);
        let of_question = run(&["schema", "question", "--model", model], PROVED).json();
        assert!(jsonschema::validator_for(&of_question).unwrap().is_valid(&question), "{question}");
        assert_eq!(question["seed"], 5);
    }
}

#[test]
fn a_solution_that_breaks_a_rule_has_neither_worth_nor_gap() {
    let mut oracle = Checked::start();
    for (model, name, ..) in CASES {
        let mut request = json!({"task": "verify", "model": model, "instance": object(model, name)});
        let result = oracle.ask("result", &json!({"model": model, "instance": object(model, name)}));
        request["solution"] = result["solution"].clone();
        let solution = &mut request["solution"];
        match model {
            "sharing" => solution["packing"][0]["vms"] = json!([]),
            "migrator" => solution["plan"]["tasks"] = json!([]),
            _ => {
                for key in ["gpu", "start"] {
                    solution["placement"][1][key] = solution["placement"][0][key].clone();
                }
            }
        }
        let response = oracle.oracle.ask(&request);
        let verdict = &response["verdict"];
        assert_eq!(
            (&verdict["valid"], &verdict["score"]),
            (&false.into(), &Value::Null),
            "{model}: {response}"
        );
        assert!(!verdict["violations"].as_array().unwrap().is_empty());
        request["task"] = "gap".into();
        let gap = oracle.ask("gap", &request);
        assert_eq!((&gap["valid"], &gap["violations"]), (&false.into(), &verdict["violations"]));
        let nothing = ["stage", "relative", "value", "optimum", "result"];
        assert!(nothing.iter().all(|key| gap[key].is_null()) && gap["proved"] == false, "{gap}");
    }
}

/// A bare instance, a request with the instance as an object and as text, and the command `migopt solve`.
#[test]
fn an_instance_has_one_answer_however_it_is_asked() {
    let mut oracle = Checked::start();
    for (model, name, ..) in CASES {
        let done = run(&["solve", &path(model, name), "--model", model, "--format", "json"], PROVED);
        let expected = without_seconds(done.json());
        let asked = [
            json!({"instance": object(model, name), "model": model}),
            json!({"instance": text(model, name), "model": model}),
            json!({"instance": object(model, name).to_string(), "model": model, "task": "solve", "id": null}),
        ];
        for request in asked {
            assert_eq!(without_seconds(oracle.ask("result", &request)), expected, "{model}");
        }
        let bare = answers(&["--model", model], object(model, name).to_string());
        assert_eq!(without_seconds(bare[0]["result"].clone()), expected, "{model}");
    }
}

#[test]
fn the_model_is_the_requests_or_the_commands_or_that_of_the_only_section() {
    let section = |text: &str| {
        let cluster = r#""name": "x", "gpus": [{"name": "g", "board": "A30"}]"#;
        format!(r#"{{{cluster}{text}}}"#)
    };
    let cases = [
        ("", None, "wpm"),
        ("", Some("siavashi"), "siavashi"),
        (r#", "siavashi": {}"#, None, "siavashi"),
        (r#", "siavashi": {}"#, Some("wpm"), "wpm"),
        (r#", "siavashi": {}, "wpm": {}"#, None, "wpm"),
    ];
    for (sections, flag, expected) in cases {
        let flags = flag.map_or(vec![], |model| vec!["--model", model]);
        let bare = answers(&flags, section(sections));
        assert_eq!(bare[0]["result"]["model"], expected, "{sections} {flag:?}");
        let named = answers(&flags, format!(r#"{{"instance": {}, "model": "siavashi"}}"#, section(sections)));
        assert_eq!(named[0]["result"]["model"], "siavashi");
    }
    for model in ["migrator", "sharing"] {
        let case = CASES.iter().find(|case| case.0 == model).unwrap();
        assert_eq!(answers(&[], object(model, case.1).to_string())[0]["result"]["model"], model);
    }
}

#[test]
fn settings_and_solver_flags_of_requests_come_before_those_of_the_command() {
    let flags = ["--formulation", "printed", "--time-limit", "0", "--threads", "2"];
    let mut oracle = Oracle::start(&flags);
    let instance = object("wpm", "a30-joint.yaml");
    let stopped = oracle.ask(&instance);
    assert_eq!(stopped["result"]["formulation"], "printed");
    assert_eq!(
        (&stopped["result"]["status"], &stopped["result"]["proved"]),
        (&"time-limit".into(), &false.into())
    );
    // Pools of threads of different sizes follow each other in one process.
    for threads in [1, 2, 1] {
        let request = json!({"instance": instance, "time_limit": 60, "formulation": "compact", "threads": threads,
            "objective": "lexicographic:gpus,reward", "use_case": "compaction", "warm_start": "first-fit"});
        let result = &oracle.ask(&request)["result"];
        assert_eq!((&result["status"], &result["use_case"]), (&"optimal".into(), &"compaction".into()));
        assert_eq!(
            (&result["formulation"], &result["stages"][0]["name"]),
            (&"compact".into(), &"gpus".into())
        );
    }
    let request = json!({"instance": instance, "task": "gap", "solution": stopped["result"]});
    if stopped["result"]["solution"].is_object() {
        let gap = &oracle.ask(&request)["gap"];
        assert_eq!(
            (&gap["valid"], &gap["proved"], &gap["relative"]),
            (&true.into(), &false.into(), &Value::Null)
        );
        assert_eq!(gap["result"]["status"], "time-limit");
    }
    let wide = json!({"instance": instance, "time_limit": 60, "relative_gap": 10});
    let result = &oracle.ask(&wide)["result"];
    assert!(["within-gap", "optimal"].contains(&result["status"].as_str().unwrap()), "{result}");
}

/// A result is judged under the question that it answers, whatever the instance says, unless the request says otherwise.
#[test]
fn a_whole_answer_brings_its_question() {
    let mut oracle = Oracle::start(&[]);
    let instance = object("wpm", "a30-joint.yaml");
    let lexicographic = json!({"instance": instance, "objective": "lexicographic:gpus,reward"});
    let result = oracle.ask(&lexicographic)["result"].take();
    let stages = |verdict: &Value| {
        let stages = verdict["verdict"]["stages"].as_array().unwrap();
        stages.iter().map(|stage| stage["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let mut request = json!({"instance": instance, "task": "verify", "solution": result});
    assert_eq!(stages(&oracle.ask(&request)), ["gpus", "reward"]);
    request["solution"] = serde_yaml::to_string(&result).unwrap().into();
    assert_eq!(stages(&oracle.ask(&request)), ["gpus", "reward"]);
    request["objective"] = "weighted".into();
    assert_eq!(stages(&oracle.ask(&request)), ["profit"]);
    request["objective"] = Value::Null;
    request["task"] = "gap".into();
    let gap = oracle.ask(&request);
    assert_eq!((&gap["gap"]["stage"], &gap["gap"]["relative"]), (&Value::Null, &0.0.into()), "{gap}");

    request["solution"] = result["solution"].clone();
    request["model"] = "siavashi".into();
    let message = oracle.ask(&request)["error"]["message"].as_str().unwrap().to_owned();
    assert!(
        message.contains("this is a solution of model wpm, but the question is asked under model siavashi")
    );
}

/// The optimum of the printed reading proves nothing about solutions of the exact-index reading, which pinned instances have.
#[test]
fn a_proof_under_another_reading_is_no_measure() {
    let mut oracle = Oracle::start(&[]);
    let instance = object("wpm", "pinned.yaml");
    let solution = oracle.ask(&instance)["result"]["solution"].take();
    assert_eq!(solution["reading"], "exact-index");
    let mut request = json!({"instance": instance, "task": "gap", "solution": solution});
    assert_eq!(oracle.ask(&request)["gap"]["relative"], 0.0);
    request["formulation"] = "printed".into();
    let error = &oracle.ask(&request)["error"];
    assert_eq!(error["kind"], "bad-input");
    assert!(error["message"].as_str().unwrap().contains("what the formulation printed proves does not hold"));
}

fn values(result: &Value) -> Vec<Value> {
    result["stages"].as_array().unwrap().iter().map(|stage| stage["value"].clone()).collect()
}

/// A solution is a start as an object, within an answer, and as a text; without any time the answer is as good as the start.
#[test]
fn a_solution_is_a_start_in_every_form() {
    let mut oracle = Checked::start();
    let instance = object("siavashi", "fragmented.yaml");
    let ask = |more: Value| {
        let mut request = json!({"model": "siavashi", "instance": instance});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        request
    };
    let best = oracle.ask("result", &ask(json!({})));
    let cold = oracle.ask("result", &ask(json!({"time_limit": 0})));
    assert_ne!(values(&cold), values(&best), "no heuristic of the search finds the optimum");
    let solution = &best["solution"];
    for start in [
        solution.clone(),
        best.clone(),
        json!(solution.to_string()),
        json!(serde_yaml::to_string(solution).unwrap()),
    ] {
        let started = oracle.ask("result", &ask(json!({"time_limit": 0, "warm_start": start})));
        assert_eq!(values(&started), values(&best), "{start}");
    }
    let judged = ask(json!({"task": "gap", "solution": solution, "warm_start": solution}));
    assert_eq!(oracle.ask("gap", &judged)["relative"], 0.0);
}

/// Where nobody names a model, the response says which one was taken, and why.
#[test]
fn the_model_that_is_taken_is_named() {
    let own = object("sharing", "bin-packing.yaml");
    let mut open = object("wpm", "a30-joint.yaml");
    open.as_object_mut().unwrap().remove("wpm");
    let taken = |response: &Value| [response["model"].clone(), response["model_from"].clone()];
    let mut oracle = Oracle::start(&[]);
    assert_eq!(taken(&oracle.ask(&own)), ["sharing", "section"]);
    assert_eq!(taken(&oracle.ask(&open)), ["wpm", "guess"]);
    let question = json!({"instance": open, "task": "question"});
    assert_eq!(taken(&oracle.ask(&question)), ["wpm", "guess"]);
    let named = oracle.ask(&json!({"instance": open, "task": "question", "model": "siavashi"}));
    assert_eq!(taken(&named), [Value::Null, Value::Null]);
    // An answer names the model of the question.
    let proposal = &oracle
        .ask(&json!({"instance": open, "model": "siavashi", "task": "heuristic", "heuristic": "ff"}))["proposal"];
    for task in ["verify", "gap"] {
        let judged = oracle.ask(&json!({"instance": open, "task": task, "solution": proposal}));
        assert_eq!(taken(&judged), ["siavashi", "solution"], "{judged}");
    }
    let mut oracle = Oracle::start(&["--model", "wpm"]);
    assert_eq!(taken(&oracle.ask(&open)), [Value::Null, Value::Null]);
}

//! What the oracle refuses, and whether its documentation and its schemas say so.

use models::settings;
use serde_json::{Value, json};
use support::cli::oracle::{Oracle, answers};
use support::cli::schemas::schema;
use support::cli::{PROVED, migopt, read, run};

/// What every request of a table must be told: the place, and words.
#[test]
fn complaints_name_the_place_and_the_mend() {
    let gpus = json!([{"name": "g", "board": "A30"}]);
    let instance = json!({"name": "x", "gpus": gpus});
    let with = |more: Value| {
        let mut request = json!({"id": "mine", "instance": instance});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        request.to_string()
    };
    let cases: Vec<(String, &str, &str)> = vec![
        ("nonsense".into(), "line 1: ", "this is not JSON"),
        (r#"{"instance": {"name": "x""#.into(), "line 1: ", "this is not JSON"),
        (r#"{"name": "x"} {"name": "y"}"#.into(), "line 1: ", "this is not JSON: trailing characters"),
        (format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)), "line 1: ", "a line is an object"),
        (
            format!(r#"{{"a": {}{}}}"#, "[".repeat(100_000), "]".repeat(100_000)),
            "line 1",
            "nested too deeply",
        ),
        ("[1]".into(), "line 1: ", "a line is an object"),
        ("{}".into(), "line 1:1:1: ", "the field `name` is missing"),
        (r#"{"id": 1, "name": "x"}"#.into(), "line 1: ", "`instance` is missing"),
        (
            r#"{"name": "x", "gpus": [{"name": "g", "bord": "A30"}]}"#.into(),
            "line 1:1:38: ",
            "did you mean \"board\"",
        ),
        (r#"{"name": "x", "name": "y"}"#.into(), "line 1:1:15: ", "given twice"),
        (r#"{"instance": {}, "instance": {}}"#.into(), "line 1:1:18: ", "given twice"),
        (
            with(json!({"tsk": "solve"})),
            "line 1: ",
            "\"tsk\" is not a key of a request (did you mean \"task\"?)",
        ),
        (with(json!({"task": "slove"})), "line 1:", "unknown value `slove` (did you mean \"solve\"?)"),
        (
            with(json!({"model": "wpn"})),
            "line 1: ",
            "`model`: \"wpn\" is not a model (did you mean \"wpm\"?)",
        ),
        (with(json!({"model": "sharing"})), "line 1, instance: ", "no section `sharing`"),
        (with(json!({"use_case": "jiont"})), "line 1:", "did you mean \"joint\""),
        (with(json!({"residents": "keep"})), "line 1: ", "`residents`: model wpm has no such setting"),
        (with(json!({"objective": "speed"})), "line 1: ", "`objective`: "),
        (with(json!({"formulation": "compat"})), "line 1: ", "did you mean \"compact\""),
        (with(json!({"solver": "hihgs"})), "line 1: ", "did you mean \"highs\""),
        (with(json!({"warm_start": "frist-fit"})), "line 1: ", "did you mean \"first-fit\""),
        (
            with(json!({"warm_start": {"instance": {"name": "y"}, "placement": []}})),
            "line 1, warm_start",
            "\"y\"",
        ),
        (
            with(json!({"warm_start": instance})),
            "line 1, warm_start: ",
            "this is an instance, not a solution",
        ),
        (
            with(json!({"warm_start": 5})),
            "line 1: ",
            "expected the name of a heuristic or a solution, found `5`",
        ),
        (
            with(json!({"task": "verify", "solution": {}, "warm_start": "first-fit"})),
            "line 1: ",
            "`warm_start`: the task verify has no use for it",
        ),
        (with(json!({"time_limit": -1})), "line 1: ", "`time_limit`: -1 is no limit"),
        (with(json!({"time_limit": "x"})), "line 1:", "`time_limit`: expected a number, found `x`"),
        (with(json!({"time_limit": "5"})), "line 1: ", "expected a number"),
        (with(json!({"time_limit": 1e300})), "line 1: ", "Give seconds from 0 to 1000000000"),
        (with(json!({"relative_gap": -0.1})), "line 1: ", "relative gap is -0.1"),
        (with(json!({"threads": 0})), "line 1: ", "threads"),
        (with(json!({"threads": 1.5})), "line 1:", "`threads`: expected a whole number"),
        (with(json!({"seed": -1, "task": "question"})), "line 1:", "`seed`: expected a whole number"),
        (with(json!({"instance": null})), "line 1: ", "`instance` is missing, or no document"),
        (with(json!({"instance": [1]})), "line 1: ", "`instance` is missing, or no document"),
        (with(json!({"instance": ""})), "line 1, instance:1:1: ", "the file is empty"),
        (
            with(json!({"instance": "name: x\ngpus:\n- {name: g, bord: A30}\n"})),
            "line 1, instance:3:13: ",
            "did you mean",
        ),
        (
            with(json!({"instance": {"name": "x", "gpus": [{"name": "g", "board": "A31"}]}})),
            "line 1, instance:1",
            "A31",
        ),
        (
            with(json!({"instance": {"instance": {"name": "x"}, "placement": []}})),
            "line 1, instance: ",
            "this is a solution, not an instance",
        ),
        (with(json!({"task": "verify"})), "line 1: ", "`solution` is missing"),
        (with(json!({"task": "gap", "solution": null})), "line 1: ", "`solution` is missing"),
        (
            with(json!({"task": "gap", "solution": {}})),
            "line 1, solution:1:1: ",
            "the field `instance` is missing",
        ),
        (
            with(json!({"task": "verify", "solution": instance})),
            "line 1, solution: ",
            "this is an instance, not a solution",
        ),
        (
            with(json!({"task": "verify", "solution": {"instance": {"name": "y"}, "placement": []}})),
            "line 1, solution",
            "\"y\"",
        ),
        (with(json!({"task": "heuristic"})), "line 1: ", "`heuristic`: it is missing"),
        (
            with(json!({"task": "heuristic", "heuristic": "frist-fit"})),
            "line 1: ",
            "did you mean \"first-fit\"",
        ),
        (with(json!({"task": "heuristic", "heuristic": "exec:true"})), "line 1: ", "is not a heuristic"),
        (
            with(json!({"solution": {}})),
            "line 1: ",
            "`solution`: the task solve has no use for it, only verify and gap",
        ),
    ];
    let mut wrong = String::new();
    for (line, place, words) in cases {
        let response = answers(&[], &line).remove(0);
        let error = &response["error"];
        let message = error["message"].as_str().unwrap_or_else(|| panic!("{line} is answered: {response}"));
        let shown: String = line.chars().take(100).collect();
        if error["kind"] != "bad-input" || !message.starts_with(place) || !message.contains(words) {
            wrong += &format!("{shown}\n  wants {place}...{words}\n  gets  {error}\n");
        }
        if !message.ends_with('.')
            || ["f64", "u32", "u64", "IgnoredAny", "struct"].iter().any(|foreign| message.contains(foreign))
        {
            wrong += &format!("{shown}\n  is told in foreign words: {message}\n");
        }
        assert_eq!(
            response.get("id").is_some(),
            line.contains("mine") || line.contains(r#""id""#),
            "{shown}"
        );
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Which tasks a key is for, as the documentation's table has it.
fn documented_keys() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/oracle.md")).unwrap();
    let table = text.split("| key | tasks | what it is |\n| --- | --- | --- |\n").nth(1).unwrap();
    let rows = table.lines().take_while(|line| !line.is_empty());
    rows.flat_map(|row| {
        let cells: Vec<&str> = row.split(" | ").collect();
        let keys = cells[0].trim_start_matches("| ").split(", ").map(|key| key.trim_matches('`').to_owned());
        keys.map(|key| (key, cells[1].to_owned())).collect::<Vec<_>>()
    })
    .collect()
}

/// A value of the setting of a name, where there are few.
fn value_of_setting(name: &str) -> Option<&'static str> {
    let setting = settings().into_iter().find(|setting| setting.name == name)?;
    setting.choices.first().map(|choice| choice.name)
}

#[test]
fn keys_of_other_tasks_are_refused() {
    let keys = documented_keys();
    let schema = run(&["schema", "request"], PROVED).json();
    let known: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    let mut documented: Vec<&String> = keys.iter().map(|(key, _)| key).collect();
    documented.sort_unstable();
    assert_eq!(documented, known);

    let mut oracle = Oracle::start(&[]);
    for task in ["solve", "verify", "gap", "heuristic", "question"] {
        for (key, tasks) in keys.iter().filter(|(key, _)| !["instance", "task"].contains(&key.as_str())) {
            let value = match key.as_str() {
                "time_limit" | "relative_gap" | "threads" | "seed" => json!(1),
                "solution" | "solver_options" => json!({}),
                _ => value_of_setting(key).unwrap_or("x").into(),
            };
            let mut request = json!({"instance": {"name": "x", "gpus": []}, "task": task});
            request[key] = value;
            let response = oracle.ask(&request);
            let message = response["error"]["message"].as_str().unwrap_or_default();
            let is_for_it = tasks == "all" || tasks.contains(&format!("`{task}`"));
            assert_eq!(message.contains("has no use for it"), !is_for_it, "{task} {key}: {response}");
            assert!(!message.contains("unknown value"), "this test knows the values: {response}");
        }
    }
}

/// An instance has no key that a request has, so that a line is one or the other.
#[test]
fn instances_and_requests_share_no_key() {
    let keys = |document: &str| {
        let schema = run(&["schema", document], PROVED).json();
        schema["properties"].as_object().unwrap().keys().cloned().collect::<Vec<String>>()
    };
    let of_requests = keys("request");
    assert!(keys("instance").iter().all(|key| !of_requests.contains(key)));
    let of_request = schema(&["request"]);
    assert!(!of_request.is_valid(&json!({"instance": {"name": "x"}, "tsk": "solve"})));
    assert!(!of_request.is_valid(&json!({"task": "solve"})));
    assert!(!of_request.is_valid(&json!({"instance": {"name": "x", "gpu": []}})));
}

/// The blocks of a kind in the documentation, a line each.
fn blocks(kind: &str) -> Vec<String> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/oracle.md")).unwrap();
    let fence = format!("```json {kind}\n");
    text.split(&fence).skip(1).map(|block| block.split_inclusive('\n').next().unwrap().to_owned()).collect()
}

/// Whether a document says all that a part of it says.
fn says(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(key, part)| whole.get(key).is_some_and(|whole| says(whole, part)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() == part.len() && whole.iter().zip(part).all(|(whole, part)| says(whole, part))
        }
        _ => whole == part,
    }
}

#[test]
fn the_examples_of_the_documentation_are_true() {
    let (requests, responses) = (blocks("request"), blocks("response"));
    assert!(requests.len() == responses.len() && requests.len() >= 8);
    let answered = answers(&[], requests.concat());
    let of_response = schema(&["response"]);
    for (answer, response) in answered.iter().zip(&responses) {
        let response = serde_json::from_str(response).unwrap();
        assert!(says(answer, &response), "{answer}\nis not\n{response}");
        assert!(of_response.is_valid(answer), "{answer}");
    }
    assert_eq!(answered.len(), responses.len());
}

#[test]
fn the_example_of_the_help_works() {
    let help = run(&["oracle", "--help"], PROVED).stdout;
    let example =
        help.lines().find_map(|line| line.trim().strip_prefix("echo '")?.split_once('\'')).unwrap().0;
    let done = read(migopt().arg("oracle").write_stdin(format!("{example}\n")).output().unwrap());
    assert_eq!((&done.json()["id"], &done.json()["result"]["status"]), (&1.into(), &"optimal".into()));
}

//! The page on one answer in a real browser: the verdict on top, the picture as wide as the window allows, rounded numbers.

use crate::browser::{PHONE, contrast, side, told};
use serde_json::{Value, json};
use support::cli::{Folder, PROVED, run};
use support::root;

/// Runs inside the page, once it is there: measures it, and tells the page around it.
const PROBE: &str = r#"
<script>
addEventListener("load", () => {
  const box = element => { const { left, top, right, bottom } = element.getBoundingClientRect(); return { left, top, right, bottom }; };
  const main = document.querySelector("main");
  const picture = document.querySelector("figure.picture svg");
  const scroll = picture.parentElement;
  const numbers = [...document.querySelectorAll("td.number")];
  const probe = {
    dark: matchMedia("(prefers-color-scheme: dark)").matches, width: innerWidth,
    page: document.documentElement.scrollWidth,
    order: [...main.children].slice(0, 2).map(element => element.tagName + ": " + element.textContent),
    verdict: box(main.children[1]), text: getComputedStyle(main.children[1]).color,
    paper: getComputedStyle(document.body).backgroundColor,
    main: box(main), picture: box(picture), scrolls: scroll.scrollWidth > scroll.clientWidth + 1,
    texts: [...picture.querySelectorAll("text")].map(text => ({ words: text.textContent, kind: text.getAttribute("class"), box: box(text) })),
    cells: numbers.map(cell => cell.textContent), aligned: numbers.every(cell => getComputedStyle(cell).textAlign === "right"),
    said: main.innerText,
  };
  parent.postMessage(encodeURIComponent(JSON.stringify(probe)), "*");
});
</script>"#;

/// Windows on two phones, a laptop and a large screen, and whether they are dark.
const WINDOWS: [(u32, bool); 6] =
    [(PHONE, true), (390, false), (390, true), (1280, false), (1280, true), (1920, false)];

/// The page on the answer to a shipped instance.
fn page(model: &str, name: &str) -> (String, String) {
    let folder = Folder::new();
    let path = root().join(format!("instances/{model}/{name}.yaml")).display().to_string();
    let [result, page] = ["result.json", "page.html"].map(|file| folder.text(file));
    run(&["solve", &path, "--model", model, "--output", &result, "--quiet"], PROVED);
    run(&["report", &result, "--output", &page, "--quiet"], PROVED);
    let title = folder.json("result.json")["instance"].as_str().unwrap().to_owned();
    (title, folder.read("page.html"))
}

fn check(probe: &Value, name: &str, width: u32, dark: bool) {
    assert_eq!((&probe["dark"], &probe["width"]), (&dark.into(), &width.into()));
    assert!(
        probe["page"].as_u64().unwrap() <= u64::from(width),
        "the page scrolls sideways: {}",
        probe["page"]
    );
    assert_eq!(probe["order"][0], format!("H1: {name}: proved optimal"));
    let lead = probe["order"][1].as_str().unwrap();
    assert!(lead.contains("No solution is better"), "{lead}");
    let sum = lead.find("Profit");
    assert!(sum.is_none_or(|sum| lead[..sum].contains("GPUs in use")), "goals before their sum: {lead}");
    assert!(side(&probe["verdict"], "bottom") < 300.0, "the verdict is seen at once: {}", probe["verdict"]);
    assert!(contrast(&probe["text"], &probe["paper"]) >= 7.0);
    check_picture(probe, width);
    check_numbers(probe);
}

/// The picture has the width that there is, and nothing of it is cut off; on a phone it scrolls in its box.
fn check_picture(probe: &Value, width: u32) {
    let (picture, main) = (&probe["picture"], &probe["main"]);
    let drawn = side(picture, "right") - side(picture, "left");
    assert_eq!(probe["scrolls"], width < 1000, "{picture} in {main}");
    let room = side(main, "right") - side(main, "left") - 32.0;
    if width >= 1000 {
        assert!(drawn <= room + 1.0 && drawn >= 0.75 * room, "{drawn} of {room} pixels");
    }
    for text in probe["texts"].as_array().unwrap() {
        let of = &text["box"];
        let inside = side(of, "left") >= side(picture, "left") - 1.0
            && side(of, "right") <= side(picture, "right") + 1.0;
        assert!(inside, "cut off: {text} in {picture}");
        let heads = ["title", "text", "fact", "name"].contains(&text["kind"].as_str().unwrap());
        assert!(!heads || !text["words"].as_str().unwrap().contains('…'), "shortened: {text}");
    }
}

/// Numbers are aligned, grouped and rounded.
fn check_numbers(probe: &Value) {
    assert_eq!(probe["aligned"], true);
    let said = probe["said"].as_str().unwrap();
    let runs = said.split(|symbol: char| !symbol.is_ascii_digit() && symbol != '.' && symbol != ',');
    for run in runs.filter(|run| run.starts_with(|first: char| first.is_ascii_digit())) {
        let (whole, part) = run.trim_end_matches(['.', ',']).split_once('.').unwrap_or((run, ""));
        assert!(part.len() <= 6, "unrounded: {run}");
        let ungrouped = whole.split(',').any(|group| group.len() > 4);
        assert!(!ungrouped, "not grouped: {run}");
    }
    assert!(!said.contains("of which"), "{said}");
    assert!(probe["cells"].as_array().unwrap().len() >= 8, "goals, what they consist of, metrics");
}

#[test]
fn answers_read_well_in_every_window() {
    for (model, name) in
        [("wpm", "eight-gpus"), ("siavashi", "interval"), ("sharing", "desktops"), ("migrator", "tiny")]
    {
        let (title, page) = page(model, name);
        for (width, dark) in WINDOWS {
            if let Some(probe) = told(&page, PROBE, width, dark) {
                check(&probe, &title, width, dark);
            }
        }
    }
}

/// Runs inside the page: measures its plots.
const PLOTS: &str = r#"
<script>
addEventListener("load", () => {
  const box = element => { const { left, top, right, bottom } = element.getBoundingClientRect(); return { left, top, right, bottom }; };
  const plots = [...document.querySelectorAll("svg.plot")].map(plot => ({
    title: plot.querySelector("title").textContent, box: box(plot), lines: plot.querySelectorAll("polyline").length,
    dots: [...plot.querySelectorAll("circle")].map(dot => ({ fill: getComputedStyle(dot).fill, box: box(dot) })),
    texts: [...plot.querySelectorAll("text")].map(text => ({ words: text.textContent.trim(), box: box(text), colour: getComputedStyle(text).fill })),
  }));
  const probe = { page: document.documentElement.scrollWidth, paper: getComputedStyle(document.body).backgroundColor, plots, said: document.body.innerText };
  parent.postMessage(encodeURIComponent(JSON.stringify(probe)), "*");
});
</script>"#;

/// The page on an answer with such a trace.
fn traced(trace: &Value) -> String {
    let folder = Folder::new();
    let path = root().join("instances/wpm/eight-gpus.yaml").display().to_string();
    let [result, page] = ["result.json", "page.html"].map(|file| folder.text(file));
    run(&["solve", &path, "--model", "wpm", "--output", &result, "--quiet"], PROVED);
    let mut answer = folder.json("result.json");
    answer["trace"] = trace.clone();
    answer["root_bound"] = json!(1234.6);
    std::fs::write(&result, answer.to_string()).unwrap();
    run(&["report", &result, "--output", &page, "--quiet"], PROVED);
    folder.read("page.html")
}

fn point(seconds: f64, stage: &str, incumbent: Option<f64>, bound: f64) -> Value {
    json!({ "seconds": seconds, "stage": stage, "incumbent": incumbent, "bound": bound, "nodes": 0 })
}

#[test]
fn value_and_bound_over_time_are_drawn_for_each_goal_that_took_more_than_a_moment() {
    let page = traced(&json!([
        point(0.1, "gpus", None, 3.0),
        point(0.2, "gpus", Some(6.0), 3.0),
        point(4.0, "gpus", Some(5.0), 5.0),
        point(5.0, "migrations", Some(2.0), 1.0),
        point(6.0, "migrations", Some(2.0), 2.0),
        point(6.5, "waste", Some(0.0), 0.0)
    ]));
    assert_eq!(page.matches("<title>Convergence of ").count(), 2, "waste was proved at once");
    for (width, dark) in WINDOWS {
        let Some(probe) = told(&page, PLOTS, width, dark) else { continue };
        assert!(probe["page"].as_u64().unwrap() <= u64::from(width), "the page scrolls sideways");
        assert!(probe["said"].as_str().unwrap().contains("before any branching: 1,235"), "{}", probe["said"]);
        for plot in probe["plots"].as_array().unwrap() {
            check_plot(plot, &probe["paper"], width);
        }
    }
}

fn check_plot(plot: &Value, paper: &Value, width: u32) {
    let (area, texts) = (&plot["box"], plot["texts"].as_array().unwrap());
    assert!(
        side(area, "right") <= f64::from(width) && side(area, "right") - side(area, "left") >= 300.0,
        "{area}"
    );
    let said: Vec<&str> = texts.iter().map(|text| text["words"].as_str().unwrap()).collect();
    for words in ["best solution", "bound", "seconds"] {
        assert!(said.contains(&words), "{words} in {said:?}");
    }
    for text in texts {
        let inside = ["left", "top"].iter().all(|name| side(&text["box"], name) >= side(area, name) - 1.0)
            && ["right", "bottom"].iter().all(|name| side(&text["box"], name) <= side(area, name) + 1.0);
        assert!(inside, "cut off: {text} in {area}");
        assert!(contrast(&text["colour"], paper) >= 4.5, "{text} on {paper}");
    }
    let dots = plot["dots"].as_array().unwrap();
    assert!(dots.len() == 1 && contrast(&dots[0]["fill"], paper) >= 3.0, "the value proved: {dots:?}");
    assert!(side(&dots[0]["box"], "right") <= side(area, "right"), "{dots:?}");
}

#[test]
fn an_answer_found_at_once_has_no_plot() {
    assert!(!traced(&json!([point(0.1, "gpus", Some(5.0), 5.0)])).contains("Convergence"));
}

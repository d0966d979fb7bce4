//! The page on a plan: every round drawn and gone through step by step, with what proves the plan beside it; the same for terminals.

use crate::browser::{PHONE, contrast, side, told};
use serde_json::{Value, json};
use support::cli::{BAD_INPUT, Folder, PROVED, run};
use support::root;

/// Two workloads that have to change places on a full GPU, one that has to stop for it, and an empty GPU beside it.
const CLUSTER: &str = "\
name: swap
gpus:
  - {name: g, board: A100-40GB, count: 2}
workloads:
  - {name: left, profile: 3g.20gb, current: {gpu: g-0, start: 0}}
  - {name: right, profile: 3g.20gb, handover: restart, current: {gpu: g-0, start: 4}}
  - {name: new, profile: 2g.10gb}
";

/// Left steps aside, right restarts, left comes back: three rounds.
const PLAN: &str = "\
instance: {name: swap}
rounds:
  - moves: [{workload: left, from: {gpu: g-0, start: 0}, to: {gpu: g-1, start: 0}, kind: surge, via: true}]
  - moves: [{workload: right, from: {gpu: g-0, start: 4}, to: {gpu: g-0, start: 0}, kind: restart}]
  - moves: [{workload: left, from: {gpu: g-1, start: 0}, to: {gpu: g-0, start: 4}, kind: surge}]
";

/// Runs inside the page: goes through its steps, and tells what is seen.
const PROBE: &str = r#"
<script>
addEventListener("load", () => {
  const box = element => { const { left, top, right, bottom } = element.getBoundingClientRect(); return { left, top, right, bottom }; };
  const titles = () => [...document.querySelectorAll(".step h3")].map(title => title.textContent);
  const [back, next, every] = [...document.querySelectorAll(".controls button")];
  const slider = document.querySelector(".controls input");
  const seen = [titles()];
  const ends = [back.disabled];
  next.click();
  seen.push(titles());
  slider.value = slider.max;
  slider.dispatchEvent(new Event("input"));
  seen.push(titles());
  ends.push(next.disabled);
  back.click();
  seen.push(titles());
  const items = [...document.querySelectorAll(".step li")].map(item => item.textContent);
  const step = document.querySelector(".step");
  const [steps, aside] = [box(document.querySelector(".steps")), box(document.querySelector("aside"))];
  every.click();
  seen.push(titles());
  const probe = {
    page: document.documentElement.scrollWidth, seen, ends, items, steps, aside, said: document.querySelector("aside").textContent,
    label: slider.getAttribute("aria-valuetext"), pressed: every.getAttribute("aria-pressed"),
    reached: [back, next, every, slider].every(control => control.tabIndex === 0),
    text: getComputedStyle(every).color, paper: getComputedStyle(every).backgroundColor,
  };
  parent.postMessage(encodeURIComponent(JSON.stringify(probe)), "*");
});
</script>"#;

/// The page on the plan for a shipped cluster.
fn proved_page() -> String {
    let folder = Folder::new();
    let file = "instances/operators/two-nodes/expected/instance.yaml";
    let cluster = root().join(file).display().to_string();
    let [plan, page, direct] = ["plan.json", "page.html", "direct.html"].map(|file| folder.text(file));
    run(&["plan", &cluster, "--output", &plan, "--report", &direct, "--quiet"], PROVED);
    run(&["report", &plan, "--instance", &cluster, "--output", &page, "--quiet"], PROVED);
    assert_eq!(folder.read("page.html"), folder.read("direct.html"), "a plan and its file make one page");
    folder.read("page.html")
}

#[test]
fn a_plan_is_gone_through_step_by_step() {
    let page = proved_page();
    assert_eq!(page.matches("<section class=\"step\"").count(), 3, "all steps are there without JavaScript");
    assert!(page.contains("proved plan") && page.contains("No plan has fewer stops"), "{page}");
    assert!(
        !page.contains("http://")
            || page.matches("http://").count() == page.matches("http://www.w3.org").count()
    );
    for (width, dark) in [(PHONE, true), (390, false), (1280, false), (1280, true), (1920, false)] {
        let Some(probe) = told(&page, PROBE, width, dark) else { continue };
        assert!(probe["page"].as_u64().unwrap() <= u64::from(width), "it scrolls sideways: {probe}");
        let [whole, first, second] = ["Now and in the end", "Round 1 of 2", "Round 2 of 2"];
        let seen = json!([[whole], [first], [second], [first], [whole, first, second]]);
        assert_eq!(probe["seen"], seen);
        assert_eq!(probe["ends"], json!([true, true]));
        assert_eq!((&probe["label"], &probe["pressed"]), (&json!(first), &json!("true")));
        assert_eq!(probe["reached"], true, "every control is reached by the keyboard");
        assert!(contrast(&probe["text"], &probe["paper"]) >= 7.0);
        let moved = probe["items"][0].as_str().unwrap();
        assert!(
            moved.contains("serving/embed-1 (2g.10gb) moves from gpu-b/1 slot 2 to gpu-b/1 slot 4"),
            "{moved}"
        );
        let said = probe["said"].as_str().unwrap();
        assert!(said.contains("rounds: 2, at least 2") && said.contains("chain: "), "{said}");
        let beside = side(&probe["aside"], "left") >= side(&probe["steps"], "right");
        assert_eq!(beside, width >= 1200, "{} and {}", probe["steps"], probe["aside"]);
    }
}

#[test]
fn temporary_places_and_stops_are_marked() {
    let folder = Folder::new();
    let (cluster, plan) = (folder.write("swap.yaml", CLUSTER), folder.write("plan.yaml", PLAN));
    let page = folder.text("page.html");
    run(&["report", &plan, "--instance", &cluster, "--output", &page, "--quiet"], PROVED);
    let page = folder.read("page.html");
    let steps: Vec<&str> = page.split("<section class=\"step\"").skip(1).collect();
    let marked = |words: &str| -> Vec<bool> { steps.iter().map(|step| step.contains(words)).collect() };
    // Now and in the end, then the three rounds: left is aside from the first to the third, right restarts in the second.
    assert_eq!(marked(" · a temporary place"), [false, true, true, true]);
    assert_eq!(marked(" · interrupted"), [true, false, true, false]);
    assert!(
        page.contains("The plan claims no bounds")
            && page.contains("3 rounds, 3 moves, 1 stop, 1 temporary place")
    );

    let drawn = run(&["show", &plan, "--instance", &cluster], PROVED).stdout;
    let pictures: Vec<&str> = drawn.split("swap: round ").collect();
    assert_eq!(pictures.len(), 4, "{drawn}");
    assert!(pictures[1].contains("◦ temporary place") && !pictures[1].contains("■ interrupted"), "{drawn}");
    assert!(
        pictures[2].contains("■ interrupted") && pictures[2].contains("right (3g.20gb) restarts"),
        "{drawn}"
    );
    let plain = run(&["show", &plan, "--instance", &cluster, "--ascii"], PROVED).stdout;
    assert!(plain.is_ascii() && plain.contains("o temporary place"), "{plain}");

    let table = folder.text("moves.csv");
    run(&["report", &plan, "--instance", &cluster, "--output", &table, "--quiet"], PROVED);
    let table = folder.read("moves.csv");
    let moves: Vec<&str> = table.lines().skip(1).collect();
    assert_eq!(
        moves,
        ["1,left,surge,g-0,0,g-1,0,yes", "2,right,restart,g-0,4,g-0,0,no", "3,left,surge,g-1,0,g-0,4,no"]
    );
}

#[test]
fn a_plan_that_breaks_rules_is_reported_as_such() {
    let folder = Folder::new();
    let cluster = folder.write("swap.yaml", CLUSTER);
    let plan = PLAN.replace("to: {gpu: g-1, start: 0}", "to: {gpu: g-0, start: 4}");
    let plan =
        folder.write("plan.yaml", plan.replace("from: {gpu: g-1, start: 0}", "from: {gpu: g-0, start: 4}"));
    let page = run(&["report", &plan, "--instance", &cluster], PROVED).stdout;
    assert!(
        page.starts_with("# swap: not a valid plan") && page.contains("must not be carried out"),
        "{page}"
    );
    let drawn = run(&["show", &plan, "--instance", &cluster], PROVED).stdout;
    assert!(drawn.contains("not a valid plan"), "{drawn}");
}

#[test]
fn a_plan_is_drawn_with_its_instance_and_nothing_else_needs_one() {
    let folder = Folder::new();
    let (cluster, plan) = (folder.write("swap.yaml", CLUSTER), folder.write("plan.yaml", PLAN));
    for command in ["report", "show"] {
        let told = run(&[command, &plan], BAD_INPUT).stderr;
        assert!(told.contains("--instance"), "{told}");
    }
    let told = run(&["show", &cluster, "--instance", &cluster], BAD_INPUT).stderr;
    assert!(told.contains("only plans need it"), "{told}");
    let document: Value = run(&["show", &plan, "--format", "json"], PROVED).json();
    assert_eq!(document["rounds"].as_array().unwrap().len(), 3);
}

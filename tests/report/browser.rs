//! The report in a real browser: plots are drawn and legible in light and dark, tables sort, nothing overflows a phone.
//!
//! Needs Chromium (`scripts/setup --tests`). Without it the tests say so and pass, unless `MIGOPT_REQUIRE_BROWSER` is set.

use bench::Record;
use report::SweepReport;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(120);

/// Width in pixels of a small phone.
pub const PHONE: u32 = 360;

/// Runs inside the report, once it is there: measures it, sorts a table, and tells the page around it.
const PROBE: &str = r#"
<script>
addEventListener("load", () => {
  const box = element => { const { left, top, right, bottom } = element.getBoundingClientRect(); return { left, top, right, bottom }; };
  const figures = [...document.querySelectorAll("figure")].map(figure => {
    const svg = figure.querySelector("svg");
    const drawn = svg.getBBox();
    return {
      box: box(svg), drawn: [drawn.width, drawn.height], wide: figure.classList.contains("wide"),
      title: svg.querySelector("title")?.textContent ?? "", caption: figure.querySelector("figcaption")?.textContent ?? "",
      lines: figure.querySelectorAll("details tbody tr").length,
      curves: [...svg.querySelectorAll("polyline")].map(line => ({
        mark: line.getAttribute("stroke"), colour: getComputedStyle(line).stroke, width: line.getBBox().width })),
      texts: [...svg.querySelectorAll("text")].map(text => ({
        words: text.textContent.trim(), box: box(text), colour: getComputedStyle(text).fill })),
    };
  });
  const tables = () => [...document.querySelectorAll("table")];
  const order = table => [...table.tBodies[0].rows].map(line => line.cells[0].textContent);
  const table = tables().find(table => table.caption.textContent === "Instances");
  const headings = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  const press = title => {
    const heading = headings.find(heading => heading.textContent === title);
    const button = heading.querySelector("button");
    button.focus();
    const focused = document.activeElement === button;
    button.click();
    const sorted = headings.filter(heading => heading.hasAttribute("aria-sort")).map(heading => heading.textContent);
    return { order: order(table), mark: heading.getAttribute("aria-sort"), sorted, focused };
  };
  const others = () => tables().filter(other => other !== table).map(order);
  const before = others();
  const presses = [press("gap"), press("gap"), press("instance"), press("instance")];
  const probe = {
    dark: matchMedia("(prefers-color-scheme: dark)").matches, width: innerWidth,
    page: document.documentElement.scrollWidth, paper: getComputedStyle(document.body).backgroundColor,
    text: getComputedStyle(document.body).color, note: getComputedStyle(document.querySelector("figcaption")).color,
    wideTables: [...document.querySelectorAll(".box")].filter(box => box.scrollWidth > box.clientWidth).length,
    figures, presses, othersKept: JSON.stringify(before) === JSON.stringify(others()),
  };
  parent.postMessage(encodeURIComponent(JSON.stringify(probe)), "*");
});
</script>"#;

/// The page around the report, as narrow windows are not to be had. It holds what the probe tells.
fn frame(width: u32) -> String {
    format!(
        "<!DOCTYPE html><meta name=\"color-scheme\" content=\"light dark\"><pre id=\"probe\">nothing</pre><script>\
         addEventListener('message', told => document.getElementById('probe').textContent = told.data);</script>\
         <iframe src=\"report.html\" style=\"border:0; width:{width}px; height:800px\"></iframe>"
    )
}

/// Gaps of 9, 10, 100 and 0.5 %, in this order of instances, and one interval.
fn rows() -> Vec<Record> {
    let row = |instance: &str, method: &str, outcome: &str, value: i64, bound: Option<i64>, seconds: f64| {
        json!({
            "instance": instance, "path": "x.yaml", "fingerprint": instance, "model": "wpm", "use_case": "joint",
            "cluster_gpus": 8, "workloads": 20, "method": method, "seed": null, "outcome": outcome, "gpu_cost": 100,
            "seconds": seconds, "metrics": { "gpus": 4.0, "pending_size": 0.0 },
            "stages": [{ "name": "profit", "sense": "maximize", "value": value, "bound": bound }]
        })
    };
    let mut rows = Vec::new();
    for (instance, value) in [("run-1", 910), ("run-2", 900), ("run-10", 0), ("run-3", 995)] {
        rows.push(row(instance, "optimum", "optimal", 1000, Some(1000), 1.5));
        rows.push(row(instance, "first-fit", "valid", value, None, 0.001));
    }
    rows.push(row("run-4", "optimum", "time-limit", 950, Some(1000), 60.0));
    rows.push(row("run-4", "first-fit", "valid", 800, None, 0.001));
    rows.into_iter().map(|row: Value| serde_json::from_value(row).unwrap()).collect()
}

/// Ten methods on instances of some families, with a metric for each of four parts.
fn rows_of_families(count: u32) -> Vec<Record> {
    let methods = ["optimum", "first-fit", "bf", "bfs", "ff", "ffs", "nf", "nfs", "wf", "wfs"];
    let mut rows = Vec::new();
    for family in 1..=count {
        for (rank, method) in methods.iter().enumerate() {
            let (name, servers) = (format!("500-vms-low-{}", 5 * family), 40 * family + rank as u32);
            let metrics: serde_json::Map<String, Value> = ["(12,64)", "(24,128)", "(24,256)", "(48,256)"]
                .iter()
                .map(|group| (format!("active_servers_of:{group}"), json!(f64::from(servers) / 4.0)))
                .collect();
            rows.push(json!({
                "instance": format!("i-{family}"), "path": "x.yaml", "fingerprint": name, "model": "sharing",
                "use_case": "any-servers", "family": name, "cluster_gpus": 0, "workloads": 500, "method": method, "seed": null,
                "outcome": if rank == 0 { "optimal" } else { "valid" }, "seconds": 0.001 * f64::from(1 + 7 * family), "metrics": metrics,
                "stages": [{ "name": "servers", "sense": "minimize", "value": servers, "bound": null }]
            }));
        }
    }
    rows.into_iter().map(|row: Value| serde_json::from_value(row).unwrap()).collect()
}

/// Two ways to prove optima, of which one takes much longer, with what they knew over time; of the last instance only the end is
/// known.
fn rows_with_traces() -> Vec<Record> {
    let mut rows = Vec::new();
    for (method, pace) in [("optimum", 1.0), ("optimum:solver=cbc", 40.0)] {
        for instance in ["run-1", "run-2", "run-3"] {
            let known = [
                (0.01, None, 2900.5),
                (0.02, Some(2500.0), 2900.5),
                (0.3, Some(2700.0), 2800.0),
                (1.5, Some(2779.0), 2779.0),
            ];
            let known = if instance == "run-3" { &known[3..] } else { &known[..] };
            let trace = known.iter().map(|(seconds, incumbent, bound)| {
                json!({ "seconds": pace * seconds, "stage": "profit", "incumbent": incumbent, "bound": bound, "nodes": 1 })
            });
            rows.push(json!({
                "instance": instance, "path": "x.yaml", "fingerprint": instance, "model": "wpm", "use_case": "joint",
                "cluster_gpus": 8, "workloads": 20, "method": method, "seed": null, "outcome": "optimal", "gpu_cost": 100,
                "seconds": 1.5 * pace, "metrics": { "gpus": 4.0 }, "trace": trace.collect::<Vec<_>>(), "root_bound": 2900.5,
                "stages": [{ "name": "profit", "sense": "maximize", "value": 2779, "bound": 2779 }]
            }));
        }
    }
    rows.into_iter().map(|row: Value| serde_json::from_value(row).unwrap()).collect()
}

fn browser() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    found.into_iter().find(|path| path.is_file())
}

/// What the probe tells of the report on a sweep in a window of some width; none without a browser.
fn probe(rows: &[Record], width: u32, dark: bool) -> Option<Value> {
    told(&SweepReport::of(rows).html("browser", &|_| None), PROBE, width, dark)
}

/// What a script within a page tells of it in a window of some width; none without a browser.
pub fn told(page: &str, script: &str, width: u32, dark: bool) -> Option<Value> {
    let Some(browser) = browser() else {
        assert!(
            std::env::var_os("MIGOPT_REQUIRE_BROWSER").is_none(),
            "no Chromium is installed: run scripts/setup --tests"
        );
        println!("skipped, as no Chromium is installed: scripts/setup --tests installs it");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("report.html"), [page, script].concat()).unwrap();
    std::fs::write(folder.path().join("frame.html"), frame(width)).unwrap();
    let page = dump(&browser, folder.path(), dark);
    let told = page.split("<pre id=\"probe\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    let told = told.unwrap_or_else(|| panic!("the page has no probe: {page}"));
    let probe = serde_json::from_str(&decoded(told)).unwrap_or_else(|error| panic!("{error}: {told}"));
    Some(probe)
}

/// The page in `frame.html` after its scripts.
fn dump(browser: &Path, folder: &Path, dark: bool) -> String {
    let dumped = folder.join("dumped.html");
    let mut command = Command::new(browser);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]);
    command.args(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);
    command.arg(format!("--user-data-dir={}", folder.join("profile").display()));
    if dark {
        command.arg("--blink-settings=preferredColorScheme=0");
    }
    command.args(["--window-size=2000,900", "--virtual-time-budget=10000", "--dump-dom"]);
    command.arg(format!("file://{}", folder.join("frame.html").display()));
    command.stdin(Stdio::null()).stderr(Stdio::null()).stdout(std::fs::File::create(&dumped).unwrap());
    let mut child = command.spawn().unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the browser did not end within {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    std::fs::read_to_string(&dumped).unwrap()
}

/// The text behind `encodeURIComponent`.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = (first == b'%').then(|| std::str::from_utf8(&after[..2]).unwrap());
        bytes.push(code.map_or(first, |code| u8::from_str_radix(code, 16).unwrap()));
        rest = &after[if code.is_some() { 2 } else { 0 }..];
    }
    String::from_utf8(bytes).unwrap()
}

/// Contrast of two colours as `rgb(r, g, b)`, by the Web Content Accessibility Guidelines.
pub fn contrast(one: &Value, other: &Value) -> f64 {
    let luminance = |colour: &Value| {
        let numbers = colour.as_str().unwrap().trim_start_matches("rgb(").trim_end_matches(')');
        let parts: Vec<f64> =
            numbers.split(',').map(|part| part.trim().parse::<f64>().unwrap() / 255.0).collect();
        let linear =
            |part: f64| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) };
        0.2126 * linear(parts[0]) + 0.7152 * linear(parts[1]) + 0.0722 * linear(parts[2])
    };
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

pub fn side(value: &Value, name: &str) -> f64 {
    value[name].as_f64().unwrap()
}

fn words(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect()
}

/// What holds in every window.
fn check(probe: &Value, width: u32, dark: bool) {
    assert_eq!(probe["dark"], dark, "the browser took the colour scheme asked for");
    assert_eq!(probe["width"], width);
    assert!(
        probe["page"].as_u64().unwrap() <= u64::from(width),
        "the page scrolls sideways: {}",
        probe["page"]
    );
    assert!(contrast(&probe["text"], &probe["paper"]) >= 7.0);
    assert!(contrast(&probe["note"], &probe["paper"]) >= 4.5);
    let figures = probe["figures"].as_array().unwrap();
    for figure in figures {
        check_figure(figure, &probe["paper"], width);
    }
}

fn check_figure(figure: &Value, paper: &Value, width: u32) {
    let area = &figure["box"];
    let shown = side(area, "right") - side(area, "left");
    // What is wide scrolls in its own box.
    assert!(shown >= 300.0 && (figure["wide"] == true || side(area, "right") <= f64::from(width)), "{area}");
    assert!(side(area, "bottom") - side(area, "top") >= 80.0, "{area}");
    assert!(figure["drawn"][0].as_f64().unwrap() > 500.0 && figure["drawn"][1].as_f64().unwrap() > 150.0);
    assert!(!figure["title"].as_str().unwrap().is_empty());
    assert!(!figure["caption"].as_str().unwrap().is_empty());
    assert!(figure["lines"].as_u64().unwrap() >= 2, "the numbers behind the plot");
    let texts = figure["texts"].as_array().unwrap();
    let said: Vec<&str> = texts.iter().map(|text| text["words"].as_str().unwrap()).collect();
    let of_methods =
        said.contains(&"optimum") && (said.contains(&"first-fit") || said.contains(&"optimum:solver=cbc"));
    let of_pairs = said.contains(&"ffs less ff");
    assert!(of_methods || of_pairs, "the methods: {said:?}");
    check_texts(texts, area, paper);
    for curve in figure["curves"].as_array().unwrap().iter().filter(|curve| curve["mark"] != "#57606A") {
        assert!(contrast(&curve["colour"], paper) >= 3.0, "{curve} on {paper}");
    }
}

/// What holds of plots of curves.
fn check_curves(figure: &Value) {
    assert!(figure["title"].as_str().unwrap().contains("by method: wpm, joint, 8 GPUs"));
    let is_axis = |curve: &&Value| curve["mark"] == "#57606A";
    let curves: Vec<&Value> =
        figure["curves"].as_array().unwrap().iter().filter(|curve| !is_axis(curve)).collect();
    // The marks of the legend are short; curves run from one end of the axis to the other.
    let across = curves.iter().filter(|curve| curve["width"].as_f64().unwrap() > 500.0);
    let marks: BTreeSet<_> = across.map(|curve| curve["mark"].as_str().unwrap()).collect();
    assert_eq!(marks.len(), 2, "a curve for each method: {marks:?}");
    let texts = figure["texts"].as_array().unwrap();
    let said: Vec<&str> = texts.iter().map(|text| text["words"].as_str().unwrap()).collect();
    let axis = said
        .iter()
        .any(|words| ["gap to the optimum in %", "time over that of the fastest answer"].contains(words));
    assert!(axis && said.contains(&"share of runs in %"), "{said:?}");
}

fn check_texts(texts: &[Value], area: &Value, paper: &Value) {
    for text in texts {
        let of = &text["box"];
        let (wide, high) = (side(of, "right") - side(of, "left"), side(of, "bottom") - side(of, "top"));
        assert!(wide.min(high) >= 10.0 || text["words"].as_str().unwrap().len() < 3, "too small: {text}");
        let inside = side(of, "left") >= side(area, "left") - 1.0
            && side(of, "right") <= side(area, "right") + 1.0
            && side(of, "top") >= side(area, "top") - 1.0
            && side(of, "bottom") <= side(area, "bottom") + 1.0;
        assert!(inside, "cut off: {text} in {area}");
        assert!(contrast(&text["colour"], paper) >= 4.5, "{text} on {paper}");
    }
}

/// What holds of the report on gaps in every window.
fn check_gaps(probe: &Value, width: u32, dark: bool) {
    check(probe, width, dark);
    let figures = probe["figures"].as_array().unwrap();
    assert_eq!(figures.len(), 3, "gaps, run times, performance profile");
    for rank in [0, 2] {
        check_curves(&figures[rank]);
    }
    check_sorting(probe);
}

fn check_sorting(probe: &Value) {
    let presses = probe["presses"].as_array().unwrap();
    // The first column of that title is of first-fit: 0.5, 9, 10, 15.8 to 20 and 100 %.
    let by_gap = ["run-3", "run-1", "run-2", "run-4", "run-10"];
    assert_eq!(words(&presses[0]["order"]), by_gap);
    assert_eq!(presses[0]["mark"], "ascending");
    let mut backwards = by_gap;
    backwards.reverse();
    assert_eq!(words(&presses[1]["order"]), backwards);
    assert_eq!(presses[1]["mark"], "descending");
    assert_eq!(
        words(&presses[2]["order"]),
        ["run-1", "run-2", "run-3", "run-4", "run-10"],
        "numbers in names count"
    );
    assert_eq!(words(&presses[3]["order"]), ["run-10", "run-4", "run-3", "run-2", "run-1"]);
    assert_eq!(words(&presses[3]["sorted"]), ["instance"], "only one heading is marked");
    assert!(presses.iter().all(|press| press["focused"] == true), "headings can be reached by keyboard");
    assert_eq!(probe["othersKept"], true, "other tables stay as they are");
}

#[test]
fn a_wide_light_window_shows_and_sorts_the_report() {
    if let Some(probe) = probe(&rows(), 1200, false) {
        check_gaps(&probe, 1200, false);
    }
}

#[test]
fn a_wide_dark_window_shows_and_sorts_the_report() {
    if let Some(probe) = probe(&rows(), 1200, true) {
        check_gaps(&probe, 1200, true);
    }
}

#[test]
fn a_phone_shows_and_sorts_the_report() {
    for dark in [false, true] {
        if let Some(probe) = probe(&rows(), PHONE, dark) {
            check_gaps(&probe, PHONE, dark);
            assert!(probe["wideTables"].as_u64().unwrap() >= 1, "wide tables scroll in their own box");
        }
    }
}

#[test]
fn families_and_parts_are_legible_in_every_window() {
    for (count, width, dark) in [(3, 1200, true), (9, 1200, false), (9, PHONE, true)] {
        if let Some(probe) = probe(&rows_of_families(count), width, dark) {
            check(&probe, width, dark);
            let figures = probe["figures"].as_array().unwrap();
            let titles: Vec<&str> = figures.iter().map(|figure| figure["title"].as_str().unwrap()).collect();
            assert_eq!(titles.len(), 7, "{titles:?}");
            for title in [
                "Mean servers by family and method",
                "Run times by method",
                "Mean active servers by group",
                "Difference of the mean servers by family",
                "Mean difference of active servers by group",
            ] {
                assert!(titles.iter().any(|known| known.contains(title)), "{title:?} in {titles:?}");
            }
        }
    }
}

#[test]
fn convergence_is_legible_in_every_window_where_it_is_known() {
    for (width, dark) in [(PHONE, true), (390, false), (1280, false), (1280, true), (1920, false)] {
        if let Some(probe) = probe(&rows_with_traces(), width, dark) {
            check(&probe, width, dark);
            let figures = probe["figures"].as_array().unwrap();
            let drawn =
                figures.iter().filter(|figure| figure["title"].as_str().unwrap().contains("Convergence"));
            let drawn: Vec<&Value> = drawn.collect();
            let titles: Vec<&str> = drawn.iter().map(|figure| figure["title"].as_str().unwrap()).collect();
            assert_eq!(titles, ["Convergence of profit: run-1", "Convergence of profit: run-2"]);
            for figure in drawn {
                check_convergence(figure);
            }
        }
    }
}

fn check_convergence(figure: &Value) {
    assert_eq!(figure["lines"], 8, "four moments of each search");
    let texts = figure["texts"].as_array().unwrap();
    let said: Vec<&str> = texts.iter().map(|text| text["words"].as_str().unwrap()).collect();
    // The slower search ends at 60 s.
    for words in ["time, logarithmic", "profit", "10 ms", "100 ms", "1 s", "10 s", "2,600", "dashed: bound"] {
        assert!(said.contains(&words), "{words} in {said:?}");
    }
    let curves = figure["curves"].as_array().unwrap();
    let marks: BTreeSet<&str> = curves.iter().map(|curve| curve["mark"].as_str().unwrap()).collect();
    assert!(marks.contains("#0A7ABF") && marks.contains("#D55E00"), "a colour for each method: {marks:?}");
}

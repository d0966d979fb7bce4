//! What is said of documents that cannot be read, all in one go.

use super::super::{Document, Faults, Lines, Located, Tree};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::{Duration, Instant};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only what cannot be read matters here")]
struct File {
    name: String,
    #[serde(default)]
    parts: Vec<Located<Part>>,
    #[serde(default)]
    sizes: BTreeMap<String, Located<u32>>,
    section: Option<Section>,
    #[serde(default)]
    starts: Vec<u8>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only what cannot be read matters here")]
struct Part {
    name: String,
    count: Option<u32>,
    kind: Option<Kind>,
    #[serde(default)]
    places: Vec<Spot>,
    goal: Option<Goal>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only what cannot be read matters here")]
struct Spot {
    gpu: String,
    start: u8,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    First,
    Second,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only what cannot be read matters here")]
struct Section {
    one: u8,
    two: bool,
    #[serde(default)]
    three: f64,
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Goal;

impl TryFrom<String> for Goal {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        if text == "win" { Ok(Goal) } else { Err(format!("\"{text}\" is not a goal")) }
    }
}

fn faults<T: DeserializeOwned + Debug>(text: &str) -> Faults {
    match Tree::read("test", text) {
        Ok(tree) => Document::new(text, &tree).read::<T>().expect_err("it is wrong"),
        Err(fault) => fault.into(),
    }
}

/// Places and messages.
fn told(text: &str) -> Vec<(u64, u64, String)> {
    let faults = faults::<File>(text);
    assert_eq!(faults.untold, 0);
    let lines = Lines::of(text);
    let place = |at| lines.place(text, at);
    faults
        .told
        .into_iter()
        .map(|fault| (place(fault.at).line, place(fault.at).column, fault.message))
        .collect()
}

fn check(text: &str, wanted: &[(u64, u64, &str)]) {
    let told = told(text);
    let is_same = told.len() == wanted.len()
        && told.iter().zip(wanted).all(|((line, column, message), &(wanted_line, wanted_column, part))| {
            (*line, *column) == (wanted_line, wanted_column) && message.contains(part)
        });
    assert!(is_same, "{text}\n{told:#?}");
}

#[test]
fn one_of_each() {
    let part = |fields: &str| format!("name: x\nparts:\n  - name: p\n    {fields}\n");
    check("parts: []\n", &[(1, 1, "the field `name` is missing. Add it to the entry that starts here.")]);
    check(
        "name: x\npart: []\n",
        &[(
            2,
            1,
            "unknown field `part` (did you mean \"parts\"?). Known fields here: name, parts, sizes, section, starts.",
        )],
    );
    check(
        &part("count: many"),
        &[(4, 12, "`count`: expected a whole number from 0 to 4294967295, found `many`.")],
    );
    check(
        &part("count: [1]"),
        &[(4, 12, "`count`: expected a whole number from 0 to 4294967295, found a list.")],
    );
    check(&part("count: -1"), &[(4, 12, "found `-1`")]);
    check(
        &part("kind: secnd"),
        &[(4, 11, "unknown value `secnd` (did you mean \"second\"?). Known values here: first, second.")],
    );
    check(&part("kind: [first]"), &[(4, 11, "`kind`: expected one value, found a list.")]);
    check(&part("goal: lose"), &[(4, 11, "`goal`: \"lose\" is not a goal.")]);
    check(
        "name: x\nsection: {one: 1, two: maybe}\n",
        &[(2, 24, "`two`: expected `true` or `false`, found `maybe`.")],
    );
    check(
        "name: x\nsection: {one: 1, two: yes, three: x}\n",
        &[(2, 36, "`three`: expected a number, found `x`.")],
    );
    check(&part("kind: {frist: 1}"), &[(4, 12, "unknown value `frist` (did you mean \"first\"?)")]);
    check(&part("kind: {first: 1}"), &[(4, 19, "`kind`: expected no value, found `1`.")]);
    check(&part("kind: {first: , second: }"), &[(4, 11, "`kind`: expected an entry with one field")]);
    check("name:\nparts: []\n", &[(1, 5, "`name`: expected a text, found no value.")]);
    check("name: [x]\n", &[(1, 7, "`name`: expected a single value, found a list.")]);
    check(
        "name: x\nparts: {name: p}\n",
        &[(
            2,
            8,
            "`parts`: expected a list (`[a, b]`, or lines that begin with `- `), found an entry with fields.",
        )],
    );
    check("name: x\nsection: one\n", &[(2, 10, "`section`: expected an entry with fields")]);
    check(
        "name: x\nstarts: [1, 2, 300]\n",
        &[(2, 16, "`starts`: expected a whole number from 0 to 255, found `300`.")],
    );
    check("name: x\nname: y\n", &[(2, 1, "the field `name` is given twice in this entry. Keep one.")]);
    check(
        "hello\n",
        &[(
            1,
            1,
            "expected an entry with fields (lines `field: value`, or `{field: value}`), found `hello`.",
        )],
    );
    check("- a\n", &[(1, 1, "found a list")]);
    check("", &[(1, 1, "the file is empty")]);
    check("# nothing\n", &[(1, 1, "the file is empty")]);
    check("name: x\n---\nname: y\n", &[(3, 1, "a second YAML document begins here")]);
    check("name: *nope\n", &[(1, 7, "the alias `*nope` has no anchor. Mark an entry above with `&name`")]);
    check("name: &a [*a]\n", &[(1, 11, "is inside what it repeats")]);
    check("name: x\n[a]: b\n", &[(2, 1, "expected the name of a field, found a list")]);
    check("name: x\n~: b\n", &[(2, 1, "expected a text, found `~`")]);
}

#[test]
fn behind_an_alias() {
    check(
        "name: &n many\nparts:\n  - {name: p, count: *n}\n",
        &[(
            3,
            22,
            "`count`: expected a whole number from 0 to 4294967295, found `many`. The alias repeats line 1.",
        )],
    );
    // What is wrong within the anchor is told where it stands, and once.
    check("name: x\nparts: [&p {name: p, count: many}, *p, *p]\n", &[(2, 29, "`count`")]);
    check(
        "name: x\nsizes: &s {a: x}\nsection: *s\n",
        &[(2, 15, "`a`: expected a whole number"), (3, 10, "The alias repeats line 2")],
    );
    check(
        "name: x\nparts:\n  - &b {name: b}\n  - {<<: *b, cont: 3}\n  - <<: {name: y, count: z}\n",
        &[(4, 14, "unknown field `cont`"), (5, 26, "`count`")],
    );
}

#[test]
fn all_at_once() {
    check(
        "nam: x\nparts:\n  - {name: p, count: many}\n  - {count: 1}\n  - {name: q, kind: thrid, goal: lose, counts: 5}\n  - 7\n  \
         - {name: r, places: [{gpu: g}, {start: 1}, {gpu: g, start: 300}, {gpu: g, start: 3, strat: 4}]}\n\
         sizes: {a: 1, b: x, c: 2, d: []}\nsection: {one: 300, tow: yes}\nstarts: [1, x, 3, y]\nbanana: 3\n",
        &[
            (1, 1, "unknown field `nam` (did you mean \"name\"?)"),
            (3, 22, "`count`: expected a whole number"),
            (4, 5, "the field `name` is missing"),
            (5, 21, "unknown value `thrid`"),
            (5, 34, "\"lose\" is not a goal"),
            (5, 40, "unknown field `counts` (did you mean \"count\"?)"),
            (6, 5, "`parts`: expected an entry with fields"),
            (7, 24, "`start` is missing"),
            (7, 34, "`gpu` is missing"),
            (7, 62, "`start`: expected a whole number from 0 to 255, found `300`"),
            (7, 87, "unknown field `strat` (did you mean \"start\"?)"),
            (8, 18, "`b`: expected a whole number"),
            (8, 30, "`d`: expected a whole number"),
            (9, 16, "`one`: expected a whole number"),
            (9, 21, "unknown field `tow` (did you mean \"two\"?)"),
            (10, 13, "`starts`: expected"),
            (10, 19, "`starts`: expected"),
            (11, 1, "unknown field `banana`. Known fields"),
        ],
    );
}

/// What was set aside is not missed.
#[test]
fn nothing_is_told_twice() {
    check("name: [x]\nparts: []\n", &[(1, 7, "`name`")]);
    check("name: x\nparts: [{nmae: p}]\n", &[(2, 10, "unknown field `nmae`")]);
    check(
        "name: x\nparts: [{nothing: p}]\n",
        &[(2, 9, "`name` is missing"), (2, 10, "unknown field `nothing`")],
    );
    check("name: x\nsection: {two: x}\n", &[(2, 10, "`one` is missing"), (2, 16, "`two`")]);
    // What else is missing behind it is found once it is right.
    check("name: x\nsection: {one: x}\n", &[(2, 16, "`one`")]);
}

#[test]
fn of_very_many_some_are_told() {
    let entries = |count: usize| -> String {
        (0..count).map(|number| format!("  - {{name: p{number}, count: x}}\n")).collect()
    };
    for (count, untold) in [(19, 0), (20, 0), (21, 1), (99, 79), (100, 80), (500, 80), (5000, 80)] {
        let text = format!("name: x\nparts:\n{}", entries(count));
        let faults = faults::<File>(&text);
        assert_eq!((faults.told.len(), faults.untold), (count.min(20), untold), "{count}");
        let lines: Vec<u64> =
            faults.told.iter().map(|fault| Lines::of(&text).place(&text, fault.at).line).collect();
        assert_eq!(lines, (3..3 + count.min(20) as u64).collect::<Vec<_>>());
    }
}

/// Long lists are not read again for each mistake.
#[test]
fn mistakes_cost_no_time() {
    let good = |count: usize| -> String {
        (0..count)
            .map(|number| {
                format!("  - {{name: p{number}, count: {number}, places: [{{gpu: g, start: 3}}]}}\n")
            })
            .collect()
    };
    let sizes: String = (0..100_000).map(|number| format!("  s{number}: {number}\n")).collect();
    let bad = "  - {name: q, count: x, goal: lose}\n";
    let text = |bad: &str| {
        format!(
            "name: x\nparts:\n{}{bad}{}{bad}sizes:\n{sizes}  last: {}\n",
            good(100_000),
            good(1000),
            bad.len()
        )
    };
    let time = |text: &str| {
        let tree = Tree::read("test", text).unwrap();
        let document = Document::new(text, &tree);
        let began = Instant::now();
        let read = document.read::<File>();
        (began.elapsed(), read)
    };
    let (without, read) = time(&text(""));
    assert!(read.is_ok());
    let (with, read) = time(&text(&bad.repeat(9)));
    assert_eq!(read.unwrap_err().told.len(), 20);
    assert!(
        with < 3 * without + Duration::from_millis(100),
        "{without:?} without mistakes, {with:?} with them"
    );
}

#[test]
fn of_json_as_of_yaml() {
    let yaml = "{name: x, parts: [{name: p, count: many}, {nam: q}], sizes: {a: -1}}";
    let json = "{\"name\": \"x\", \"parts\": [{\"name\": \"p\", \"count\": \"many\"}, {\"nam\": \"q\"}], \"sizes\": {\"a\": -1}}";
    let messages =
        |text: &str| -> Vec<String> { told(text).into_iter().map(|(.., message)| message).collect() };
    assert_eq!(messages(yaml), messages(json));
    check(json, &[(1, 48, "`count`"), (1, 58, "unknown field `nam`"), (1, 87, "`a`")]);
}

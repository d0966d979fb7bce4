//! The same text, read by serde-saphyr and through a tree, gives the same values, or none.

use super::super::{Document, Located, Tree, yaml};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, de};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::Path;

/// Whatever a document may hold, without losing how a visitor was told of it.
#[derive(Clone, Debug, PartialEq)]
enum Anything {
    Nothing,
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    Float(u64),
    Text(String),
    List(Vec<Anything>),
    Entry(Vec<(Anything, Anything)>),
}

impl<'de> Deserialize<'de> for Anything {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Anything;
            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("anything")
            }
            fn visit_unit<E>(self) -> Result<Anything, E> {
                Ok(Anything::Nothing)
            }
            fn visit_bool<E>(self, value: bool) -> Result<Anything, E> {
                Ok(Anything::Bool(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Anything, E> {
                Ok(Anything::Signed(value))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Anything, E> {
                Ok(Anything::Unsigned(value))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Anything, E> {
                Ok(Anything::Float(value.to_bits()))
            }
            fn visit_str<E>(self, value: &str) -> Result<Anything, E> {
                Ok(Anything::Text(value.to_owned()))
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut items: A) -> Result<Anything, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = items.next_element()? {
                    list.push(item);
                }
                Ok(Anything::List(list))
            }
            fn visit_map<A: de::MapAccess<'de>>(self, mut fields: A) -> Result<Anything, A::Error> {
                let mut entry = Vec::new();
                while let Some(field) = fields.next_entry()? {
                    entry.push(field);
                }
                Ok(Anything::Entry(entry))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// A type with most of what the formats of this tool have.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Everything {
    name: String,
    small: Option<u8>,
    #[serde(default)]
    count: u32,
    #[serde(default)]
    signed: i64,
    rate: Option<f64>,
    #[serde(default)]
    is_on: bool,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    parts: BTreeMap<String, u64>,
    kind: Option<Kind>,
    #[serde(default)]
    inner: Vec<Inner>,
    pair: Option<(u8, String)>,
    nothing: Option<()>,
    number_or_text: Option<NumberOrText>,
    by_number: Option<BTreeMap<u32, Anything>>,
    goal: Option<Goal>,
    loose: Option<Loose>,
    unit: Option<Unit>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Unit;

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    First,
    SecondOne,
    With(u32),
    Fields { a: u8, b: Option<String> },
    Two(u8, u8),
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Inner {
    x: u16,
    y: i8,
}

impl Default for Inner {
    fn default() -> Self {
        Inner { x: 7, y: -1 }
    }
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum NumberOrText {
    Number(u64),
    Text(String),
    Fields { deep: BTreeMap<String, f64> },
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
struct Goal(String);

impl TryFrom<String> for Goal {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        if text.starts_with('g') { Ok(Goal(text)) } else { Err(format!("{text} is no goal")) }
    }
}

#[derive(Debug, PartialEq, Deserialize)]
struct Loose {
    a: u8,
    #[serde(flatten)]
    rest: Rest,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Rest {
    b: u32,
    c: Option<String>,
}

fn by_saphyr<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let nodes = text.len().max(1_000_000);
    let options = serde_yaml::options! {
        budget: serde_yaml::budget! {
            max_events: 2 * nodes,
            max_nodes: nodes,
            max_aliases: nodes,
            max_anchors: nodes,
            max_merge_keys: nodes,
            max_recorded_anchor_events: 2 * nodes,
            max_recorded_anchor_bytes: 16 * nodes,
            max_total_scalar_bytes: 16 * nodes,
            enforce_alias_anchor_ratio: false,
        },
        with_snippet: false,
    };
    serde_yaml::from_str_with_options(text, options).map_err(|error| error.to_string())
}

fn by_tree<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let tree = Tree::read("test", text).map_err(|fault| format!("{fault:?}"))?;
    Document::new(text, &tree).read().map_err(|faults| format!("{faults:?}"))
}

fn same<T: DeserializeOwned + Debug + PartialEq>(text: &str) {
    let mut differences = Differences::default();
    differences.compare::<T>(text);
    differences.are_none();
}

/// What is not the same, all of it.
#[derive(Default)]
struct Differences(String, usize);

impl Differences {
    fn compare<T: DeserializeOwned + Debug + PartialEq>(&mut self, text: &str) {
        let (saphyr, tree) = (by_saphyr::<T>(text), by_tree::<T>(text));
        let is_same = match (&saphyr, &tree) {
            (Ok(saphyr), Ok(tree)) => saphyr == tree,
            (Err(_), Err(_)) => true,
            // Lists and entries as keys are refused at once; what begins as JSON is then complained of as that.
            (Ok(_), Err(error)) => {
                let is_about_key = |error: &str| error.contains("expected the name of a field, found");
                let by_yaml = |text: &str| yaml::read(text).err().map(|fault| format!("{fault:?}"));
                is_about_key(error)
                    || error.contains("this is not valid JSON")
                        && by_yaml(text).is_some_and(|error| is_about_key(&error))
            }
            (Err(_), Ok(_)) => false,
        };
        if !is_same {
            self.1 += 1;
            if self.1 <= 20 {
                let kind = std::any::type_name::<T>();
                self.0 += &format!("{text:?} as {kind}:\n  serde-saphyr: {saphyr:?}\n  the tree: {tree:?}\n");
            }
        }
    }

    fn are_none(self) {
        assert!(self.1 == 0, "{} differences:\n{}", self.1, self.0);
    }
}

/// Scalars of all kinds of spelling.
const SCALARS: &[&str] = &[
    "",
    "~",
    "null",
    "Null",
    "NULL",
    "nUll",
    "true",
    "True",
    "TRUE",
    "tRue",
    "yes",
    "Yes",
    "on",
    "y",
    "Y",
    "no",
    "NO",
    "off",
    "n",
    "false",
    "t",
    "0",
    "-0",
    "+0",
    "00",
    "01",
    "-01",
    "1",
    "+1",
    "-1",
    "255",
    "256",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "-9223372036854775809",
    "-128",
    "-129",
    "340282366920938463463374607431768211455",
    "340282366920938463463374607431768211456",
    "1_000",
    "1__0",
    "_1",
    "1_",
    "1_000.5",
    "0x1F",
    "0X1f",
    "0x",
    "0x_1",
    "0x1_f",
    "0xg",
    "-0x10",
    "+0x10",
    "0o17",
    "0O17",
    "0o8",
    "017",
    "0b101",
    "0B2",
    "-0b1",
    "1.0",
    "1.",
    ".5",
    "-.5",
    "+.5",
    "1e3",
    "1E3",
    "1e+3",
    "1e-3",
    "1.5e3",
    "e3",
    "1e",
    "1e400",
    "-1e400",
    "9e999",
    ".nan",
    ".NaN",
    "-.nan",
    "+.nan",
    ".inf",
    "-.inf",
    "+.inf",
    ".Inf",
    "inf",
    "nan",
    "infinity",
    "-inf",
    "Infinity",
    "0.1",
    "0.30000000000000004",
    "123456789012345678",
    "0.1234567890123456789",
    "1000000000000.123456",
    "1,000",
    "1:30",
    "12:30:45",
    "2020-01-01",
    "1.2.3",
    "1g.10gb",
    "- ",
    "-",
    "--",
    "+",
    ".",
    "..",
    "...x",
    "\"\"",
    "''",
    "\"5\"",
    "'5'",
    "\" 5 \"",
    "\"true\"",
    "'null'",
    "\"~\"",
    "\"1.5\"",
    "\"0x10\"",
    "\"a\\nb\"",
    "'it''s'",
    "\"tab\\there\"",
    "\"\\u00e9\"",
    "\"\\U0001F600\"",
    "\"\\ud83d\\ude00\"",
    "\"\\/\"",
    "\"\\x41\"",
    "\"\\e\"",
    "\"\\ \"",
    "naïve",
    "a b",
    "a  b",
    "a#b",
    "a: b",
    "a:b",
    "@x",
    "`x`",
    "%x",
    "!x",
    "&x",
    "*x",
    "!",
    "!!str 5",
    "!!str",
    "!!str null",
    "!!int 5",
    "!!int \"5\"",
    "!!int x",
    "!!float 5",
    "!!float 1e400",
    "!!bool yes",
    "!!bool 5",
    "!!null 5",
    "!!null ''",
    "!!null",
    "! 5",
    "!local 5",
    "!local x",
    "!!timestamp 2020-01-01",
    "!!seq x",
    "!!map x",
    "!first",
    "!with 5",
    "!with x",
    "!Kind first",
    "!other first",
    "!<tag:yaml.org,2002:str> 5",
    "!!unknown 5",
    "|\n  a\n  b\n",
    ">\n  a\n  b\n",
    "|-\n  5\n",
    "\u{a0}",
    "5 # five",
    "\"5\" # five",
    "'a",
    "[",
    "{",
];

#[test]
fn scalars_alone() {
    let mut differences = Differences::default();
    for scalar in SCALARS {
        differences.compare::<Anything>(scalar);
        differences.compare::<u8>(scalar);
        differences.compare::<u16>(scalar);
        differences.compare::<u32>(scalar);
        differences.compare::<u64>(scalar);
        differences.compare::<u128>(scalar);
        differences.compare::<i8>(scalar);
        differences.compare::<i32>(scalar);
        differences.compare::<i64>(scalar);
        differences.compare::<i128>(scalar);
        differences.compare::<f64>(&scalar.replace(".nan", "0").replace(".NaN", "0"));
        differences.compare::<bool>(scalar);
        differences.compare::<String>(scalar);
        differences.compare::<Option<u32>>(scalar);
        differences.compare::<Option<String>>(scalar);
        differences.compare::<Vec<u8>>(scalar);
        differences.compare::<BTreeMap<String, u8>>(scalar);
        differences.compare::<()>(scalar);
        differences.compare::<Kind>(scalar);
        differences.compare::<Goal>(scalar);
        differences.compare::<serde_json::Value>(scalar);
    }
    differences.are_none();
}

#[test]
fn scalars_in_every_field() {
    let mut differences = Differences::default();
    let fields = [
        "name",
        "small",
        "count",
        "signed",
        "rate",
        "is_on",
        "tags",
        "parts",
        "kind",
        "inner",
        "pair",
        "nothing",
        "number_or_text",
        "goal",
        "unit",
        "loose",
        "by_number",
    ];
    for scalar in SCALARS.iter().filter(|scalar| !scalar.to_lowercase().contains("nan")) {
        // Where types have no tags, tags of one's own mean nothing.
        let has_own_tag = scalar.starts_with('!');
        for field in fields.into_iter().filter(|&field| field != "number_or_text" || !has_own_tag) {
            let name = if field == "name" { "" } else { "name: x\n" };
            differences.compare::<Everything>(&format!("{name}{field}: {scalar}\n"));
            differences.compare::<Everything>(&format!("{name}{field}: [{scalar}]\n"));
            differences.compare::<Everything>(&format!("{name}{field}:\n  - {scalar}\n  - {scalar}\n"));
            differences.compare::<Everything>(&format!("{name}{field}: {{a: {scalar}}}\n"));
            differences.compare::<Everything>(&format!("{name}{field}:\n  {scalar}: 1\n"));
            differences.compare::<Everything>(&format!("name: &a {scalar}\n{field}: *a\n"));
        }
    }
    differences.are_none();
}

/// Documents of odd layout.
const LAYOUTS: &[&str] = &[
    "",
    "# only a comment\n",
    "\n\n",
    "---\n",
    "---\n...\n",
    "--- 5\n",
    "5\n...\n",
    "5\n...\ngarbage: [\n",
    "5\n...\n6\n",
    "5\n---\n6\n",
    "a: 1\n---\n",
    "a: 1\n--- # nothing\n",
    "a: 1\n...\n---\nb: 2\n",
    "%YAML 1.2\n---\na: 1\n",
    "%YAML 3.0\n---\na: 1\n",
    "%TAG !e! tag:yaml.org,2002:\n---\na: !e!int 5\n",
    "\u{feff}a: 1\n",
    "\u{feff}# c\na: 1\n",
    "a: 1\r\nb: 2\r\n",
    "a: 1\rb: 2\r",
    "a:\n- 1\n- 2\n",
    "a:\n  - - 1\n    - 2\n  - []\n",
    "- a: 1\n  b: 2\n- a: 3\n",
    "-\n  a: 1\n",
    "- \n-\n- x\n",
    "? a\n: b\n",
    "? a\n",
    "a\n",
    "a: b: c\n",
    "a: 'x\n  y'\n",
    "a: x\n  y\n  z\n",
    "a: \"x\\\n  y\"\n",
    "a: |\n  x\n   y\n\nb: >-\n  p\n  q\n",
    "a: |+\n  x\n\n",
    "a: |2\n   x\n",
    "{a: 1, b: [1, 2, {c: 3}], d: }\n",
    "{a, b: 2}\n",
    "[a: 1, b]\n",
    "{a: 1,}\n",
    "[1, 2,]\n",
    "[,]\n",
    "{a: 1} x\n",
    "{\"a\": 1, 'b': 2, c: 3}\n",
    "{\"a\":1}\n",
    "{ # comment\n a: 1}\n",
    "{\"a\": 1, # comment\n \"b\": 2}\n",
    "[1,\n2,\n3]\n",
    "a: [1,\n2]\n",
    "a: {\nb: 1\n}\n",
    "\ta: 1\n",
    "a:\t1\n",
    "a:\n\t- 1\n",
    "a: 1\n b: 2\n",
    "a: 1\nb\n",
    "a: 1\na: 2\n",
    "a: 1\n\"a\": 2\n",
    "1: a\n0x1: b\n",
    "1: a\n\"1\": b\n",
    "1: a\n1.0: b\n",
    "~: a\nnull: b\n",
    "null: a\n\"null\": b\n",
    "!x a: 1\na: 2\n",
    "!!str a: 1\na: 2\n",
    "{a: 1, a: 2}\n",
    "{\"a\": 1, \"a\": 2}\n",
    "a: &x 1\nb: *x\n",
    "a: &x {p: 1}\nb: *x\nc: [*x, *x]\n",
    "a: &x [1, &y 2, *y]\nb: *x\n",
    "a: &x 1\nb: &x 2\nc: *x\n",
    "a: *x\n",
    "a: &x [*x]\n",
    "a: &x {b: *x}\n",
    "&k a: 1\nb: *k\n",
    "&k a: 1\n*k : 2\n",
    "x: &k a\n*k : 2\n",
    "x: &k [a]\n*k : 2\n",
    "a: &x !!str 5\nb: *x\n",
    "a: !!str &x 5\nb: *x\n",
    "a: &x\nb: *x\n",
    "base: &b {p: 1, q: 2}\nnext: {<<: *b, q: 3}\n",
    "base: &b {p: 1, q: 2}\nnext: {q: 3, <<: *b}\n",
    "base: &b {p: 1}\nnext:\n  <<: *b\n  <<: {r: 5}\n",
    "base: &b {p: 1}\nmore: &m {p: 2, s: 3}\nnext:\n  <<: [*b, *m]\n",
    "base: &b {p: 1}\nmore: &m {<<: *b, s: 3}\nnext:\n  <<: *m\n  t: 1\n",
    "next: {<<: {a: 1, <<: {b: 2, a: 3}}, c: 4}\n",
    "next: {<<: 5}\n",
    "next: {<<: }\n",
    "next: {<<: ~, a: 1}\n",
    "next: {<<: [1]}\n",
    "next: {<<: [[{a: 1}], {b: 2}]}\n",
    "next: {\"<<\": 5}\n",
    "next: {!!merge <<: {a: 1}}\n",
    "next: {!!str <<: {a: 1}}\n",
    "next: {<<: {a: 1, a: 2}}\n",
    "a: << \n",
    "<<: {a: 1}\n",
    "a: [<<]\n",
    "a: !!seq [1]\n",
    "a: !!seq {b: 1}\n",
    "a: !!map {b: 1}\n",
    "a: !!map [b]\n",
    "a: !!str [b]\n",
    "a: !!int {b: 1}\n",
    "a: !x [b]\n",
    "a: ! [b]\n",
    "a: !x {b: 1}\n",
    "!!map\na: 1\n",
    "a: @b\n",
    "a: \"unclosed\n",
    "a: [1, 2\n",
    "a: {b: 1\n",
    "a: ]\n",
    "a: \"\\q\"\n",
    "a: \"\\ud800\"\n",
    "a: \"\0\"\n",
    "\"a\": \"\\u0000\"\n",
    "a: 1 #comment\nb: 2 # comment\n",
    "a: 1#no comment\n",
    "# one\na: # two\n  # three\n  b # four\n",
    "a:\n  b\n  c\nd: e\n",
    "{\"a\": \"line\nbreak\"}\n",
    "{\"a\": 01}\n",
    "{\"a\": +1}\n",
    "{\"a\": .5}\n",
    "{\"a\": 1.}\n",
    "{\"a\": 1e5, \"b\": 1E-5, \"c\": -0, \"d\": -0.0, \"e\": 1e999}\n",
    "{\"a\": true, \"b\": True, \"c\": null, \"d\": nul}\n",
    "{\"a\": \"\\u0041\\n\\t\\\"\\\\\\/\\b\\f\\r\\ud83d\\ude00\"}\n",
    "{\"a\": [], \"b\": {}, \"\": 5}\n",
    "[]\n",
    "{}\n",
    "[[[[[]]]]]\n",
    "{\"a\": 1}}\n",
    "{\"a\": 1}\n---\n{\"b\": 1}\n",
    "{\"a\": 1}\n{\"b\": 1}\n",
    "  {\"a\": 1}  \n\n",
    "\u{feff}{\"a\": 1}",
    "{\"a\" : 1 , \"b\":2}",
    "{\"a\"\n:\n1}",
    "{'a': 1}",
    "[1 2]",
    "[\"a\" \"b\"]",
    "[\"a\", b]",
];

#[test]
fn layouts() {
    let mut differences = Differences::default();
    for text in LAYOUTS {
        differences.compare::<Anything>(text);
        differences.compare::<BTreeMap<String, Anything>>(text);
        differences.compare::<BTreeMap<String, u32>>(text);
        differences.compare::<BTreeMap<String, Vec<u32>>>(text);
        differences.compare::<BTreeMap<String, BTreeMap<String, u32>>>(text);
        differences.compare::<Vec<Anything>>(text);
        differences.compare::<Vec<u32>>(text);
        differences.compare::<Everything>(text);
        differences.compare::<serde_json::Value>(text);
    }
    differences.are_none();
}

#[test]
fn merged_fields_of_types() {
    let mut differences = Differences::default();
    for text in [
        "inner: [&b {x: 1}, {<<: *b, y: 2}, {y: 3, <<: *b}]\nname: n\n",
        "inner: [&b {x: 1}, {<<: *b, x: 2}, {<<: [*b, {y: 4}]}]\nname: n\n",
        "inner: [&b {x: 1}, {<<: *b, z: 2}]\nname: n\n",
        "inner: [&b {x: many}, {<<: *b}]\nname: n\n",
        "<<: {name: x}\n",
        "<<: {name: x, other: y}\n",
        "loose: {a: 1, <<: {b: 5, c: x}}\nname: n\n",
        "loose: {<<: {b: 5, c: x}}\nname: n\n",
    ] {
        differences.compare::<Everything>(text);
    }
    differences.are_none();
}

#[test]
fn enumerations() {
    let mut differences = Differences::default();
    for value in [
        "first",
        "second-one",
        "SecondOne",
        "with",
        "{with: 5}",
        "{with: x}",
        "{with: 5, first: }",
        "{first: }",
        "{first: ~}",
        "{first: 5}",
        "{first: {}}",
        "{fields: {a: 1}}",
        "{fields: {a: 1, b: x}}",
        "{fields: {b: x}}",
        "{two: [1, 2]}",
        "{two: [1]}",
        "{two: [1, 2, 3]}",
        "[first]",
        "{}",
        "\"first\"",
        "!first",
        "!first x",
        "!with 5",
        "!fields {a: 1}",
        "!two [1, 2]",
        "!two [1]",
        "!nope [1]",
        "!nope {a: 1}",
        "!nope first",
        "!Kind first",
    ] {
        differences.compare::<Kind>(value);
        differences.compare::<Vec<Kind>>(&format!("[{value}, {value}]"));
        differences.compare::<Everything>(&format!("name: x\nkind: {value}\ncount: 5\n"));
    }
    differences.are_none();
}

#[test]
fn nesting() {
    let mut differences = Differences::default();
    for depth in [1, 10, 62, 63, 64, 65, 66, 254, 255, 256, 300, 5000] {
        differences.compare::<Anything>(&format!("{}1{}", "[".repeat(depth), "]".repeat(depth)));
        differences.compare::<Anything>(&format!("{}1{}", "{a: ".repeat(depth), "}".repeat(depth)));
        differences.compare::<Anything>(&format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth)));
        differences.compare::<Anything>(&"[".repeat(depth));
        let block: String = (0..depth.min(400)).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
        differences.compare::<Anything>(&block);
        let dashes = "- ".repeat(depth);
        differences.compare::<Anything>(&format!("{dashes}x\n"));
        let half = depth / 2;
        let (open, close) = ("[".repeat(half), "]".repeat(half));
        differences.compare::<Anything>(&format!("a: &a {open}1{close}\nb: {open}*a{close}\n"));
    }
    differences.are_none();
}

#[test]
fn alias_bombs() {
    let mut laughs = "a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha, ha]\n".to_owned();
    for level in 1..8 {
        let below = vec![format!("*a{}", level - 1); 10].join(", ");
        laughs += &format!("a{level}: &a{level} [{below}]\n");
        same::<Counted>(&laughs);
    }
    // Exactly as much as is allowed, and one piece more.
    for (items, aliases) in [(98, 10_000), (98, 10_001), (998, 1000), (998, 1001)] {
        let text =
            format!("a: &a [{}]\nb: [{}]\n", vec!["1"; items].join(","), vec!["*a"; aliases].join(","));
        let (saphyr, tree) = (by_saphyr::<Counted>(&text), by_tree::<Counted>(&text));
        assert_eq!(saphyr.is_ok(), tree.is_ok(), "{items} {aliases}: {saphyr:?} {tree:?}");
    }
}

/// Reads all and keeps nothing.
#[derive(Debug, PartialEq)]
struct Counted;

impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Anything::deserialize(deserializer).map(|_| Counted)
    }
}

/// All files that the product ships.
#[test]
fn shipped_files() {
    let here = [env!("CARGO_MANIFEST_DIR"), file!()].map(Path::new);
    let mut above = here.into_iter().flat_map(Path::ancestors);
    let root = above.find(|folder| folder.join("instances").is_dir());
    let Some(root) = root else { panic!("no folder instances above {}", file!()) };
    let mut folders = vec![root.join("instances"), root.join("tests"), root.join("src/mig")];
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let ends_with =
                |ends: &[&str]| path.extension().is_some_and(|end| ends.iter().any(|&known| end == known));
            if path.is_dir() {
                folders.push(path);
            } else if ends_with(&["yaml", "yml", "json"]) {
                same::<Anything>(&std::fs::read_to_string(path).unwrap());
                count += 1;
            } else if ends_with(&["jsonl"]) {
                for line in std::fs::read_to_string(path).unwrap().lines() {
                    same::<Anything>(line);
                }
                count += 1;
            }
        }
    }
    assert!(count > 100, "{count}");
}

/// Texts that are YAML, nearly YAML, JSON or nearly JSON.
fn texts() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        4 => prop::sample::select(vec!["name", "small", "count", "tags", "inner", "x", "y", "a", "parts", "<<"]),
        4 => prop::sample::select(SCALARS.to_vec()),
        8 => prop::sample::select(vec![
            ": ", ":", ",", ", ", "[", "]", "{", "}", "\n", "\n  ", "\n    ", "\n- ", "\n  - ", "- ", "? ", "\"", "'",
            "&a ", "*a", "*a ", "#", " # c\n", "---\n", "...\n", "|\n", ">\n", "!!str ", "!t ", "\t", "\r\n", "{\"a\": ",
            "}\n", ": [", ": {",
        ]),
    ];
    prop::collection::vec(pieces, 0..14).prop_map(|pieces| pieces.concat())
}

/// Documents of the right layout with all kinds of values.
fn values() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_filter("finite", |value| value.is_finite()).prop_map(Into::into),
        "[ -~äß😀\\n\\t\"]{0,12}".prop_map(Into::into),
        prop::sample::select(SCALARS.to_vec()).prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::btree_map("[a-z ]{0,6}", inner, 0..6)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

#[test]
fn entries_as_keys_in_what_begins_as_json() {
    for text in ["{\"a\": name}: ", "{\"a\": 1E3}: 18446744073709551615small"] {
        assert!(by_saphyr::<Anything>(text).is_ok(), "{text}");
        assert!(by_tree::<Anything>(text).unwrap_err().contains("this is not valid JSON"), "{text}");
        same::<Anything>(text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn random_texts(text in texts()) {
        same::<Anything>(&text);
        same::<Everything>(&text);
        same::<BTreeMap<String, Vec<u32>>>(&text);
    }

    #[test]
    fn random_values(value in values()) {
        let compact = serde_json::to_string(&value).unwrap();
        same::<Anything>(&compact);
        same::<Anything>(&serde_json::to_string_pretty(&value).unwrap());
        let yaml = serde_yaml::to_string(&value).unwrap();
        same::<Anything>(&yaml);
        same::<serde_json::Value>(&yaml);
        prop_assert_eq!(by_tree::<serde_json::Value>(&compact).unwrap(), by_saphyr::<serde_json::Value>(&compact).unwrap());
    }
}

#[test]
fn places_are_those_of_the_parser() {
    let text = "a: &x [1, two]\nb:\n  - *x\n  - {c: d}\nlist: *x\n";
    type Ours = BTreeMap<String, Located<Vec<Located<Anything>>>>;
    type Theirs = BTreeMap<String, serde_yaml::Spanned<Vec<serde_yaml::Spanned<Anything>>>>;
    let tree = Tree::read("test", text).unwrap();
    let document = Document::new(text, &tree);
    let ours: Ours = document.read().unwrap();
    let theirs: Theirs = serde_yaml::from_str(text).unwrap();
    let place = |at: Option<super::super::NodeId>| {
        let place = super::super::Lines::of(text).place(text, document.start(at.unwrap()));
        (place.line, place.column)
    };
    for (ours, theirs) in ours.values().zip(theirs.values()) {
        let referenced = (theirs.referenced.line(), theirs.referenced.column());
        assert_eq!(place(ours.at), referenced);
        for (ours, theirs) in ours.value.iter().zip(&theirs.value) {
            assert_eq!(ours.value, theirs.value);
            assert!([theirs.defined.line(), theirs.referenced.line()].contains(&place(ours.at).0));
        }
    }
}

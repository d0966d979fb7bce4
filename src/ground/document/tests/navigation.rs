//! Finding fields, values and their places without reading types, and what a tree takes of memory.

use super::super::{DECIMAL, Document, Form, Lines, Located, NodeId, Place, Tree};
use serde::{Deserialize, Deserializer, de};

fn with<R>(text: &str, ask: impl FnOnce(Document<'_>) -> R) -> R {
    let tree = Tree::read("test", text).unwrap();
    ask(Document::new(text, &tree))
}

fn place(document: &Document<'_>, text: &str, node: NodeId) -> (u64, u64) {
    let Place { line, column } = Lines::of(text).place(text, document.start(node));
    (line, column)
}

#[test]
fn fields_by_name_and_value() {
    let text = "a: {b: [1, {c: x}, {c: y, d: {c: x}}]}\nlist:\n  - &z 5\n  - *z\n";
    with(text, |document| {
        let at = |node| place(&document, text, node);
        let (key, value) = document.field(NodeId::ROOT, "a").unwrap();
        assert_eq!((at(key), at(value)), ((1, 1), (1, 4)));
        assert_eq!(document.form(value), Form::Entry);
        assert!(document.field(value, "c").is_none());
        let (_, list) = document.field(value, "b").unwrap();
        assert_eq!(document.items(list).count(), 3);
        let (key, found) = document.field_with_value(NodeId::ROOT, "c", "y").unwrap();
        assert_eq!((at(key), at(found)), ((1, 21), (1, 24)));
        let last = document.items(list).last().unwrap();
        assert_eq!(at(document.field_with_value(last, "c", "x").unwrap().1), (1, 34));
        assert!(document.field_with_value(last, "c", "z").is_none());
        let (_, list) = document.field(NodeId::ROOT, "list").unwrap();
        let items: Vec<_> = document.items(list).collect();
        assert_eq!(items.iter().map(|&item| at(item)).collect::<Vec<_>>(), [(3, 8), (4, 5)]);
        assert_eq!(items.iter().map(|&item| document.scalar_text(item)).collect::<Vec<_>>(), [Some("5"); 2]);
        assert_eq!(document.fields(list).count(), 0);
    });
}

#[test]
fn places_come_with_values() {
    #[derive(Deserialize)]
    struct File {
        parts: Vec<Located<String>>,
        whole: Located<Vec<u8>>,
    }
    let text = "parts: [a, &b \"b\", *b]\nwhole:\n  - 1\n";
    with(text, |document| {
        let file: File = document.read().unwrap();
        let places: Vec<_> = file.parts.iter().map(|part| place(&document, text, part.at.unwrap())).collect();
        assert_eq!(places, [(1, 9), (1, 15), (1, 20)]);
        assert_eq!(file.parts.iter().map(|part| part.value.as_str()).collect::<Vec<_>>(), ["a", "b", "b"]);
        assert_eq!(place(&document, text, file.whole.at.unwrap()), (3, 3));
    });
    let parts: Vec<Located<u8>> = serde_json::from_str("[1, 2]").unwrap();
    assert_eq!(parts, [1, 2].map(Located::nowhere));
    assert_eq!(serde_json::to_string(&parts).unwrap(), "[1,2]");
}

/// Takes decimals as they stand.
#[derive(Debug, PartialEq)]
enum Number {
    Digits(String),
    Whole(u64),
    Other,
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Number;
            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a number")
            }
            fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Number, D::Error> {
                deserializer.deserialize_any(self)
            }
            fn visit_bytes<E>(self, digits: &[u8]) -> Result<Number, E> {
                Ok(Number::Digits(String::from_utf8_lossy(digits).into_owned()))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Number, E> {
                Ok(Number::Whole(value))
            }
            fn visit_str<E>(self, _: &str) -> Result<Number, E> {
                Ok(Number::Other)
            }
        }
        deserializer.deserialize_newtype_struct(DECIMAL, Visitor)
    }
}

#[test]
fn decimals_keep_their_digits() {
    let digits = |text: &str| Number::Digits(text.to_owned());
    for (text, number) in [
        ("1000000000000.123456", digits("1000000000000.123456")),
        ("0.10", digits("0.10")),
        ("1e3", digits("1e3")),
        ("5", Number::Whole(5)),
        ("\"0.1\"", Number::Other),
    ] {
        assert_eq!(with(text, |document| document.read::<Number>().unwrap()), number, "{text}");
        let json = format!("[{text}]");
        assert_eq!(with(&json, |document| document.read::<Vec<Number>>().unwrap()), [number], "{text}");
    }
    assert_eq!(with("\"1e400\"", |document| document.read::<Number>().unwrap()), Number::Other);
    assert!(with("1e400", |document| document.read::<Number>().is_err()));
}

/// Eight bytes for each key, value, list and entry, whatever they are.
#[test]
fn nodes_are_small() {
    assert_eq!(size_of::<super::super::tree::Node>(), 8);
    let entry = "{\"name\": \"p\", \"count\": 5}";
    let text = format!("[{}]", vec![entry; 1000].join(","));
    assert_eq!(with(&text, |document| document.size()), 1 + 1000 * 5);
}

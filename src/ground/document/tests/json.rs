//! JSON is read as JSON, and broken JSON is called that.

use super::super::{Document, Lines, Place, Tree};
use serde_json::Value;

fn read(text: &str) -> Result<Value, (u64, u64, String)> {
    let told = |at, message: &str| {
        let Place { line, column } = Lines::of(text).place(text, at);
        (line, column, format!("{message}\n{}", Lines::of(text).excerpt(text, at)))
    };
    let tree = Tree::read("test", text).map_err(|fault| told(fault.at, &fault.message))?;
    let read = Document::new(text, &tree).read();
    read.map_err(|faults| told(faults.told[0].at, &faults.told[0].message))
}

#[test]
fn the_same_as_serde_json() {
    for text in [
        r#"{"a": [1, 2.5, -3e2, true, false, null], "b": {"c": "d"}, "": ""}"#,
        "[\"\\u0041\\n\\t\\\"\\\\\\/\\b\\f\\r\\ud83d\\ude00\", \"\", \"é\"]",
        " [ ] ",
        "{\n\t\"a\" :\r\n 1 }",
        "[[],{},[[]],{\"a\":{}}]",
    ] {
        assert_eq!(read(text).unwrap(), serde_json::from_str::<Value>(text).unwrap(), "{text}");
    }
}

#[test]
fn broken_json() {
    for (text, line, column, part) in [
        (r#"{"a": 1,"#, 1, 9, "expected the name of a field in double quotes, found the end of the text"),
        ("{\"a\": 1\n \"b\": 2}", 2, 2, "expected `,` or `}`, found `\"`"),
        ("{\"a\": [1, 2}", 1, 12, "expected `,` or `]`, found `}`"),
        ("{\"a\": 1}}", 1, 9, "expected nothing more after the value, found `}`"),
        ("{\"a\": 01x, \"b\": ]", 1, 7, "expected a number such as 12, -3 or 0.5, found `01x`"),
        ("{\"a\": \"b, \"c\": 1}", 1, 12, "expected `,` or `}`, found `c`"),
        ("{\"a\": \"b}", 1, 7, "the text in double quotes that begins here has no end"),
        ("[\"\\q\"]", 1, 3, "no such escape"),
        ("[\"\\ud800\"]", 1, 3, "no such escape"),
        ("[\"a\", \"b\" \"c\"]", 1, 11, "expected `,` or `]`"),
        ("{\"a\" 1}", 1, 6, "expected `:` after the name of a field, found `1`"),
        ("{\"a\": tru, \"b\": [}", 1, 7, "expected a value, found `tru`"),
    ] {
        let (at_line, at_column, message) = read(text).unwrap_err();
        assert!(message.contains("this is not valid JSON: "), "{text}: {message}");
        assert!(message.contains(part), "{text}: {message}");
        assert_eq!((at_line, at_column), (line, column), "{text}: {message}");
    }
}

#[test]
fn what_looks_like_json_but_is_yaml() {
    for text in ["{a: 1}", "{'a': [x, y]}", "[x]", "{\"a\": 1, # one\n}", "{\"a\": 1,}", "{\"a\": one}"] {
        assert!(read(text).is_ok(), "{text}: {:?}", read(text));
    }
    let (.., message) = read("{a: [1}").unwrap_err();
    assert!(message.contains("not valid YAML"), "{message}");
}

#[test]
fn what_json_may_not_hold_either() {
    let (line, column, message) = read("{\"a\": 1,\n \"b\": 2, \"a\": 3}").unwrap_err();
    assert_eq!((line, column), (2, 10));
    assert!(message.contains("the field `a` is given twice"), "{message}");
    let (.., message) = read(&"[".repeat(100_000)).unwrap_err();
    assert!(message.contains("nested too deeply"), "{message}");
    let (.., message) = read(&"{\"a\":".repeat(100_000)).unwrap_err();
    assert!(message.contains("nested too deeply"), "{message}");
}

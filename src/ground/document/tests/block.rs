//! What is read line by line gives the tree that the parser of all of YAML makes.

use super::super::{block, yaml};
use proptest::prelude::*;

/// Whether a text is read line by line; then as the parser reads it.
#[track_caller]
fn is_read(text: &str) -> bool {
    let Some(read) = block::read(text) else { return false };
    assert_eq!(read, yaml::read(text), "{text:?}");
    true
}

#[test]
fn what_programs_write_is_read_line_by_line() {
    let texts = [
        "name: small\ngpus:\n- name: a\n  board: A100-40GB\n- name: b\n  board: A100-40GB\nworkloads:\n- name: w\n  profile: 1g.10gb+me\n  current:\n    gpu: a\n    start: 0\nwpm:\n  use_case: joint\n",
        "a:\n  - x\n  - y: 1\n    z: -0.5\n\n  # a comment\n  - y: +3 # another\nb: \"quoted: text\"\nc: 'it is'",
        "a: b, c [d] {e} \"f\" #g is none # h is one   \nb:   trailing   \nc: http://host:80/x\nd: Größe\ne: '#1'\n",
        "- a\n- 1.5\n- b c\n- \"\"\n- d: e\n",
        "a:\n  b:\n    c:\n    - d:\n      - e: 1\n      f: 2\n  g: 3\nh:\n    - i\nj: k\n",
        "a: # nothing here\n  b: 1\n# at the end",
        "-   a: 1\n    b: 2\n-   c: 3\n",
        "1: a\n2: b\nnull: c\ntrue: d\n",
    ];
    for text in texts {
        assert!(is_read(text), "{text:?}");
    }
}

#[test]
fn what_the_builder_refuses_is_refused_at_once() {
    assert!(is_read("a: 1\nb: 2\na: 3\n"));
    let deep: String = (0..80).map(|depth| format!("{}k:\n", " ".repeat(depth))).collect();
    assert!(is_read(&deep));
}

#[test]
fn other_texts_are_left_to_the_parser() {
    let texts = [
        "",
        "\n",
        "a",
        "a b",
        "a:",
        "a:\n",
        "a: 1\n b: 2\n",
        "a: 1\n  more\n",
        "a: b: c\n",
        "a: [1]\n",
        "a: {b: 1}\n",
        "a: &x 1\n",
        "a: *x\n",
        "a: !t 1\n",
        "a: |\n  text\n",
        "a: ~\n",
        "a: 'it''s'\n",
        "a: \"\\n\"\n",
        "a: \"b\n  c\"\n",
        "a: \"b\"c\n",
        "a: b\t\n",
        "\ta: b\n",
        "a: b\r\n",
        "--- \na: b\n",
        "a: b\n...\n",
        "- - a\n",
        "-\n",
        "? a\n",
        "<<: a\n",
        "a : b\n",
        "a:\nb: 1\n",
        "- a\nb: 1\n",
        "a: 1\n- b\n",
        "a:\n  - b\n - c\n",
        "a: \u{85}\n",
        "a: \u{2028}\n",
        "\u{feff}a: b\n",
        "a: \u{1f600}\n",
        "a: \u{7}\n",
        "a: -\n",
        "a: - b\n",
        "%a: b\n",
        "a: 'b'#c\n",
    ];
    for text in texts {
        assert!(!is_read(text), "{text:?}");
    }
}

/// Lines with everything that might go wrong, well-formed more often than not.
fn texts() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec!["a", "b", "c1", "d.e", "name", "1", "null", "x/y", "\"q\"", "k k"]);
    let value = prop::sample::select(vec![
        "v",
        "1",
        "-1",
        "+.5",
        "1g.10gb+me",
        "two words",
        "a:b",
        "a#b",
        "x # c",
        "\"q\"",
        "'q' # c",
        "\"\"",
        "''",
        "it's",
        "é",
        "a, b",
        "#",
        ":",
        "a:",
        "a: b",
        "- x",
        "[x]",
        "~",
        "null",
        "- ",
        "-",
        "...",
        "---",
        "\"open",
        "x  ",
        "",
        " ",
        "?",
        "!x",
        "&x y",
        "*x",
        "|",
        "\u{a0}",
        "日本",
        "%x",
        "`x",
        "0x1F",
        "_",
    ]);
    let shape = 0..7_u8;
    let line = (0..5_usize, 0..12_u8, shape, key, value).prop_map(|(indent, odd, shape, key, value)| {
        let indent = " ".repeat(2 * indent + usize::from(odd == 0));
        match shape {
            0 => format!("{indent}{key}:"),
            1 | 2 => format!("{indent}{key}: {value}"),
            3 => format!("{indent}- {value}"),
            4 | 5 => format!("{indent}- {key}: {value}"),
            _ => [format!("{indent}# {value}"), format!("{indent}-   {key}:"), String::new()]
                [usize::from(odd) % 3]
                .clone(),
        }
    });
    prop::collection::vec(line, 1..9).prop_map(|lines| lines.join("\n") + "\n")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn whatever_is_read_is_read_as_by_the_parser(text in texts()) {
        is_read(&text);
    }
}

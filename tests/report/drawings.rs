//! What the tests of drawings have in common.

use report::Screen;

/// The text without `ESC [ … m`.
pub fn without_escapes(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |shown, part| shown + part.split_once('m').expect("every sequence ends").1)
}

/// Checks that the elements nest and that no text holds a bare markup character.
pub fn check_well_formed(document: &str) {
    let mut open = Vec::new();
    for part in document.split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("every tag ends");
        assert!(!text.contains('>') && tag.matches('"').count().is_multiple_of(2), "{part}");
        let entities = text.matches('&').count();
        assert_eq!(
            entities,
            ["&amp;", "&lt;", "&gt;"].map(|entity| text.matches(entity).count()).iter().sum::<usize>()
        );
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{part}");
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().expect("a tag has a name"));
        }
    }
    assert!(open.is_empty(), "{open:?} not closed");
    assert!(document.chars().all(|symbol| symbol == '\n' || !symbol.is_control()));
}

/// A screen of so many columns that shows colours.
pub fn in_colour(width: usize) -> Screen {
    Screen { color: true, ..Screen::of_width(width) }
}

/// Checks that a drawing for a terminal keeps to its width, and that neither colours nor ASCII change where anything is.
pub fn check_terminal(width: usize, draw: impl Fn(Screen) -> String) {
    let plain = draw(Screen::of_width(width));
    assert!(plain.chars().all(|symbol| symbol == '\n' || !symbol.is_control()));
    for line in plain.lines() {
        assert!(line.chars().count() <= width, "{line}");
    }
    assert_eq!(without_escapes(&draw(in_colour(width))), plain);
    let ascii = draw(Screen { ascii: true, ..Screen::of_width(width) });
    assert!(ascii.is_ascii(), "{ascii}");
    let lengths = |text: &str| text.lines().map(|line| line.chars().count()).collect::<Vec<_>>();
    assert_eq!(lengths(&ascii), lengths(&plain));
}

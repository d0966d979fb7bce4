//! Lines and columns, and how a place looks.

/// Characters of a line that an excerpt shows.
const WIDEST: usize = 100;
/// Characters that an excerpt shows before the place, at least where there are so many.
const BEFORE: usize = 60;

/// Where something stands in a text, as readers and editors count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line from 1.
    pub line: u64,
    /// Column from 1, in characters.
    pub column: u64,
}

/// Where the lines of a text begin.
#[derive(Clone, Debug)]
pub struct Lines(Vec<usize>);

impl Lines {
    /// The lines of a text; they end as in editors, at a line feed, or at a carriage return without one.
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = |&at: &usize| bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
        let breaks =
            bytes.iter().enumerate().filter(|(_, byte)| matches!(byte, b'\n' | b'\r')).map(|(at, _)| at);
        let first = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Lines(std::iter::once(first).chain(breaks.filter(ends).map(|at| at + 1)).collect())
    }

    /// The line of a byte: its position, and what of it stands before and behind that byte.
    fn around<'t>(&self, text: &'t str, offset: usize) -> (usize, &'t str, &'t str) {
        let offset = (0..=offset.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let line = self.0.partition_point(|&start| start <= offset).saturating_sub(1);
        let start = self.0[line].min(offset);
        let end = self.0.get(line + 1).copied().unwrap_or(text.len());
        let behind = text[offset..end.max(offset)].trim_end_matches(['\n', '\r']);
        (line, &text[start..offset], behind)
    }

    /// The place of a byte.
    pub fn place(&self, text: &str, offset: usize) -> Place {
        let (line, before, _) = self.around(text, offset);
        Place { line: line as u64 + 1, column: before.chars().count() as u64 + 1 }
    }

    /// The line of a byte, and below it a mark under the place. Long lines are cut; what would upset a terminal is left out.
    pub fn excerpt(&self, text: &str, offset: usize) -> String {
        let (line, before, behind) = self.around(text, offset);
        // Where there is less on one side there may be more on the other.
        let room = WIDEST - behind.chars().take(WIDEST - BEFORE).count();
        let from = before.char_indices().rev().take(room).last().map_or(before.len(), |(at, _)| at);
        let width = before[from..].chars().count();
        let to = behind.char_indices().nth(WIDEST - width).map_or(behind.len(), |(at, _)| at);
        let left = if from > 0 { "…" } else { "" };
        let right = if to < behind.len() { "…" } else { "" };
        let shown = before[from..].chars().chain(behind[..to].chars());
        let shown: String =
            shown.map(|character| if character.is_control() { ' ' } else { character }).collect();
        let number = (line + 1).to_string();
        let margin = " ".repeat(number.len());
        let caret = " ".repeat(width + left.chars().count());
        format!("  {number} | {left}{}{right}\n  {margin} | {caret}^", shown.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, offset: usize) -> Place {
        Lines::of(text).place(text, offset)
    }

    fn at(text: &str, piece: &str) -> (u64, u64, String) {
        let offset = text.find(piece).unwrap();
        let lines = Lines::of(text);
        let Place { line, column } = lines.place(text, offset);
        (line, column, lines.excerpt(text, offset))
    }

    #[test]
    fn lines_end_as_in_editors() {
        let text = "a: 1\r\nb: 2\rc: 3\nd: 4";
        for (piece, line, column) in
            [("a", 1, 1), ("1", 1, 4), ("b", 2, 1), ("3", 3, 4), ("d", 4, 1), ("4", 4, 4)]
        {
            assert_eq!(place(text, text.find(piece).unwrap()), Place { line, column }, "{piece}");
        }
        assert_eq!(place(text, text.len()), Place { line: 4, column: 5 });
        assert_eq!(place("", 0), Place { line: 1, column: 1 });
        assert_eq!(place("x\n", 2), Place { line: 2, column: 1 });
        assert_eq!(place("x", 99), Place { line: 1, column: 2 });
    }

    #[test]
    fn columns_are_characters() {
        assert_eq!(
            at("name: Größe [x]", "[x]"),
            (1, 13, "  1 | name: Größe [x]\n    |             ^".to_owned())
        );
        assert_eq!(at("\u{feff}name: x", "name").1, 1);
        assert_eq!(at("\t\tname: x", "name").2, "  1 |   name: x\n    |   ^");
    }

    #[test]
    fn long_lines_are_cut() {
        let text = format!("{}here{}", "x".repeat(500), "y".repeat(500));
        let (line, column, excerpt) = at(&text, "here");
        assert_eq!((line, column), (1, 501));
        let lines: Vec<&str> = excerpt.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].chars().count() < 110, "{excerpt}");
        let caret = lines[1].chars().position(|character| character == '^').unwrap();
        assert_eq!(lines[0].chars().skip(caret).take(4).collect::<String>(), "here");
        assert!(lines[0].ends_with('…') && lines[0].contains("| …"));
        for (text, piece) in
            [(format!("here{}", "y".repeat(500)), "here"), (format!("{}here", "x".repeat(500)), "here")]
        {
            let (.., excerpt) = at(&text, piece);
            let lines: Vec<&str> = excerpt.lines().collect();
            let caret = lines[1].chars().position(|character| character == '^').unwrap();
            assert_eq!(lines[0].chars().skip(caret).take(4).collect::<String>(), "here");
            assert_eq!(lines[0].chars().count(), "  1 | ".len() + 101, "{excerpt}");
        }
    }

    #[test]
    fn nothing_upsets_a_terminal() {
        assert!(!at("a: \u{1b}[31mred x", "x").2.contains('\u{1b}'));
    }
}

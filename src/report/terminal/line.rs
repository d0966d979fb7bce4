//! A line of text with colours, cut to a width.

use super::screen::Screen;

/// How a character looks when colours are on.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub(super) enum Ink {
    /// As the terminal has it.
    Plain,
    /// Headings.
    Bold,
    /// What matters less.
    Dim,
    /// One of a terminal's 256 colours.
    Colour(u8),
    /// The same, bold.
    Mark(u8),
}

impl Ink {
    fn code(self) -> String {
        match self {
            Ink::Plain => "0".to_owned(),
            Ink::Bold => "0;1".to_owned(),
            Ink::Dim => "0;2".to_owned(),
            Ink::Colour(colour) => format!("0;38;5;{colour}"),
            Ink::Mark(colour) => format!("0;1;38;5;{colour}"),
        }
    }
}

/// A line under construction.
#[derive(Clone, Default)]
pub(super) struct Line {
    cells: Vec<(char, Ink)>,
}

impl Line {
    /// A line of plain text.
    pub fn of(text: &str, ink: Ink) -> Self {
        let mut line = Self::default();
        line.push(text, ink);
        line
    }

    /// Adds text at the end.
    pub fn push(&mut self, text: &str, ink: Ink) {
        self.cells.extend(text.chars().map(|symbol| (narrow(symbol), ink)));
    }

    /// Fills up with blanks to a length.
    pub fn pad(&mut self, length: usize) {
        let missing = length.saturating_sub(self.length());
        self.cells.extend(std::iter::repeat_n((' ', Ink::Plain), missing));
    }

    /// Overwrites the characters from a position on, as far as the line goes.
    pub fn put(&mut self, at: usize, text: &str, ink: Ink) {
        self.paste(at, &Line::of(text, ink));
    }

    /// Overwrites the characters from a position on with those of another line, as far as this one goes.
    pub fn paste(&mut self, at: usize, other: &Line) {
        for (cell, new) in self.cells.iter_mut().skip(at).zip(&other.cells) {
            *cell = *new;
        }
    }

    /// Columns so far.
    pub fn length(&self) -> usize {
        self.cells.len()
    }

    /// What the screen shows of it: the columns that it has without the blanks at the end, and a line break.
    pub fn render(&self, screen: Screen) -> String {
        let shown = &self.cells[..self.length().min(screen.width)];
        let end = shown.iter().rposition(|(symbol, _)| *symbol != ' ').map_or(0, |last| last + 1);
        let mut text = String::new();
        let mut current = Ink::Plain;
        for (symbol, ink) in &shown[..end] {
            if screen.color && *ink != current && *symbol != ' ' {
                text.push_str(&format!("\u{1b}[{}m", ink.code()));
                current = *ink;
            }
            text.push(screen.symbol(*symbol));
        }
        if current != Ink::Plain {
            text.push_str("\u{1b}[0m");
        }
        text.push('\n');
        text
    }
}

/// Items after a heading, separated by two blanks and broken into lines of at most `width` columns.
pub(super) fn wrap(heading: &str, items: &[String], width: usize, ink: Ink) -> Vec<Line> {
    let mut lines = vec![Line::of(heading, Ink::Dim)];
    let indent = heading.chars().count();
    for item in items {
        let line = lines.last_mut().expect("there is a first line");
        let empty = line.length() <= indent;
        if !empty && line.length() + 2 + item.chars().count() > width {
            let mut next = Line::default();
            next.pad(indent);
            next.push(item, ink);
            lines.push(next);
        } else {
            line.push(if empty { "" } else { "  " }, ink);
            line.push(item, ink);
        }
    }
    lines
}

/// What drawings consist of beyond ASCII.
pub(super) const SYMBOLS: &str = "│·░▒█▁▂▃▄▅▆▇→↔▪◦■↻×…";

/// The character, or a question mark if it may not be exactly one column wide.
fn narrow(symbol: char) -> char {
    let letter = matches!(symbol, '\u{a1}'..='\u{ac}' | '\u{ae}'..='\u{24f}' | '\u{370}'..='\u{52f}');
    let known = symbol == ' ' || symbol.is_ascii_graphic() || SYMBOLS.contains(symbol);
    if known || (letter && (symbol < '\u{370}' || symbol.is_alphanumeric())) { symbol } else { '?' }
}

//! What a terminal can show.

/// What a terminal can show.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Columns that a drawing may have.
    pub width: usize,
    /// Whether it shows colours; without them there are no escape sequences.
    pub color: bool,
    /// Whether it shows ASCII alone.
    pub ascii: bool,
}

impl Screen {
    /// So many columns, without colours, with the symbols of Unicode.
    pub fn of_width(width: usize) -> Self {
        Screen { width, color: false, ascii: false }
    }

    /// The character as the screen shows it, always in one column.
    pub(super) fn symbol(self, symbol: char) -> char {
        if !self.ascii || symbol.is_ascii() {
            return symbol;
        }
        let stand_in = STAND_INS.iter().find(|(drawn, _)| *drawn == symbol);
        stand_in.map_or('?', |(_, ascii)| *ascii)
    }
}

/// The symbols of drawings, and what stands for them in ASCII: of those that occur in one drawing, no two for the same.
const STAND_INS: &[(char, char)] = &[
    ('│', '|'),
    ('·', '.'),
    ('…', '~'),
    ('→', '>'),
    ('↔', '='),
    ('▪', '*'),
    ('◦', 'o'),
    ('■', '!'),
    ('↻', '@'),
    ('×', 'x'),
    ('░', '%'),
    ('▒', ':'),
    ('▁', '_'),
    ('▂', ','),
    ('▃', '-'),
    ('▄', '~'),
    ('▅', '='),
    ('▆', '+'),
    ('▇', '*'),
    ('█', '#'),
];

#[cfg(test)]
mod tests {
    use super::super::line::SYMBOLS;
    use super::*;

    #[test]
    fn every_symbol_of_drawings_has_a_stand_in() {
        let screen = Screen { ascii: true, ..Screen::of_width(80) };
        for symbol in SYMBOLS.chars() {
            let shown = screen.symbol(symbol);
            assert!(shown.is_ascii_graphic() && shown != '?', "{symbol} becomes {shown}");
        }
        assert_eq!(['é', 'a'].map(|letter| screen.symbol(letter)), ['?', 'a']);
    }
}

//! The YAML that programs write, line by line, many times faster than by a parser of all of YAML.
//!
//! Its lines are `key:`, `key: value`, `- value` and `- key: value`, indented by blanks. A value ends with its line and is plain, or in
//! quotes without escapes. Comments and empty lines may stand between. The tree of such a text is that which the parser of all of YAML
//! makes; of other texts this reader says nothing.

use super::builder::{Builder, Given};
use super::complaint::Fault;
use super::tag::Tag;
use super::tree::{Form, Tree};

/// Reads a text that has such lines alone; `None` when it has others.
pub(super) fn read(text: &str) -> Option<Result<Tree, Fault>> {
    let read = Builder::new(text).map_err(Stopped::Refused).and_then(|builder| {
        let inside = Vec::new();
        Reader { text, builder, position: 0, inside, waits: false }.document()
    });
    match read {
        Ok(tree) => Some(Ok(tree)),
        Err(Stopped::Refused(fault)) => Some(Err(fault)),
        Err(Stopped::OtherText) => None,
    }
}

/// Why reading ended.
enum Stopped {
    /// There is something that only the parser of all of YAML reads, or complains of.
    OtherText,
    /// What the builder refuses, it refuses of the parser too.
    Refused(Fault),
}

impl From<Fault> for Stopped {
    fn from(fault: Fault) -> Self {
        Stopped::Refused(fault)
    }
}

/// A list or an entry to which lines may be added.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Open {
    form: Form,
    /// Where its lines begin.
    column: usize,
}

struct Reader<'t> {
    text: &'t str,
    builder: Builder<'t>,
    position: usize,
    inside: Vec<Open>,
    /// Whether the last key has no value yet, so that a list or an entry must follow.
    waits: bool,
}

impl Reader<'_> {
    fn document(mut self) -> Result<Tree, Stopped> {
        while self.position < self.text.len() {
            self.line()?;
        }
        if self.waits || self.inside.is_empty() {
            return Err(Stopped::OtherText);
        }
        for _ in 0..self.inside.len() {
            self.builder.end()?;
        }
        Ok(self.builder.finish())
    }

    fn line(&mut self) -> Result<(), Stopped> {
        let start = self.position;
        self.skip_blanks();
        if matches!(self.peek(), None | Some(b'\n' | b'#')) {
            return self.end_line();
        }
        let column = self.position - start;
        if !self.text[self.position..].starts_with("- ") {
            let key = self.key().ok_or(Stopped::OtherText)?;
            self.enter(Open { form: Form::Entry, column }, start + column)?;
            return self.field(key);
        }
        let dash = self.position;
        self.position += 2;
        self.skip_blanks();
        let first = self.position;
        // To the parser, a list as far left as the key above it begins with its first item.
        let is_as_far_left = self.waits && self.inside.last().is_some_and(|entry| entry.column == column);
        self.enter(Open { form: Form::List, column }, if is_as_far_left { first } else { dash })?;
        match self.key() {
            Some(key) => {
                self.begin(Open { form: Form::Entry, column: first - start }, first)?;
                self.field(key)
            }
            None => self.value(),
        }
    }

    /// Goes to the list or the entry to which a line adds, be it open or new.
    fn enter(&mut self, wanted: Open, start: usize) -> Result<(), Stopped> {
        if std::mem::take(&mut self.waits) {
            // The items of a list may begin right below the key.
            let least =
                self.inside.last().map_or(0, |entry| entry.column + usize::from(wanted.form == Form::Entry));
            return if wanted.column >= least { self.begin(wanted, start) } else { Err(Stopped::OtherText) };
        }
        if self.inside.is_empty() && !self.builder.is_complete() {
            return self.begin(wanted, start);
        }
        while let Some(&open) = self.inside.last().filter(|open| **open != wanted) {
            let is_item_of_none = open.column == wanted.column && open.form == Form::Entry;
            if open.column < wanted.column || is_item_of_none {
                return Err(Stopped::OtherText);
            }
            self.inside.pop();
            self.builder.end()?;
        }
        if self.inside.is_empty() { Err(Stopped::OtherText) } else { Ok(()) }
    }

    fn begin(&mut self, open: Open, start: usize) -> Result<(), Stopped> {
        self.builder.begin(start, open.form, 0, Tag::None)?;
        self.inside.push(open);
        Ok(())
    }

    /// A name and the colon behind it, if they are next.
    fn key(&mut self) -> Option<(usize, usize)> {
        let rest = &self.text.as_bytes()[self.position..];
        let is_in_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./+".contains(byte);
        let length = rest.iter().take(LONGEST_KEY).position(|byte| !is_in_name(byte))?;
        let begins = rest[0].is_ascii_alphanumeric() || rest[0] == b'_';
        let is_key = rest[length] == b':' && matches!(rest.get(length + 1), None | Some(b' ' | b'\n'));
        if !begins || !is_key {
            return None;
        }
        let start = self.position;
        self.position += length + 1;
        Some((start, start + length))
    }

    /// What follows a key: its value, or nothing on this line.
    fn field(&mut self, (start, end): (usize, usize)) -> Result<(), Stopped> {
        self.scalar(start, (start, end), true)?;
        let has_blank = self.skip_blanks();
        match self.peek() {
            None | Some(b'\n') => self.waits = true,
            Some(b'#') if has_blank => self.waits = true,
            _ => return self.value(),
        }
        self.end_line()
    }

    /// A value, which ends with the line.
    fn value(&mut self) -> Result<(), Stopped> {
        let rest = &self.text.as_bytes()[self.position..];
        match rest {
            [quote @ (b'"' | b'\''), rest @ ..] => self.quoted(*quote, rest),
            [b'+' | b'-', second, ..] if second.is_ascii_alphanumeric() || *second == b'.' => {
                self.plain(rest)
            }
            [first, ..] if first.is_ascii_alphanumeric() || b"_./".contains(first) => self.plain(rest),
            _ => Err(Stopped::OtherText),
        }
    }

    fn plain(&mut self, rest: &[u8]) -> Result<(), Stopped> {
        let mut end = 0;
        for (at, &byte) in rest.iter().enumerate() {
            match byte {
                b'\n' => break,
                b' ' => {}
                b'#' if rest[at - 1] == b' ' => break,
                b':' if matches!(rest.get(at + 1), None | Some(b' ' | b'\n')) => {
                    return Err(Stopped::OtherText);
                }
                _ if is_visible(byte) => end = at + 1,
                _ => return Err(Stopped::OtherText),
            }
        }
        let start = self.position;
        self.position += end;
        self.scalar(start, (start, start + end), true)?;
        self.end_line()
    }

    fn quoted(&mut self, quote: u8, rest: &[u8]) -> Result<(), Stopped> {
        let is_content = |&byte: &u8| byte != quote && byte != b'\\' && (byte == b' ' || is_visible(byte));
        let length = rest.iter().position(|byte| !is_content(byte)).ok_or(Stopped::OtherText)?;
        if rest[length] != quote {
            return Err(Stopped::OtherText);
        }
        let start = self.position;
        self.position += length + 2;
        self.scalar(start, (start + 1, start + 1 + length), false)?;
        self.end_line()
    }

    fn scalar(&mut self, start: usize, (from, to): (usize, usize), is_plain: bool) -> Result<(), Stopped> {
        let text = &self.text[from..to];
        let given = Given { start, text, is_plain, is_verbatim: true, anchor: 0, tag: Tag::None };
        Ok(self.builder.scalar(given)?)
    }

    /// Skips what may stand behind the last value of a line: blanks, and behind them a comment.
    fn end_line(&mut self) -> Result<(), Stopped> {
        let begins_line = self.position == 0 || self.text.as_bytes()[self.position - 1] == b'\n';
        let has_blank = self.text.as_bytes()[..self.position].ends_with(b" ") | self.skip_blanks();
        if self.peek() == Some(b'#') && (has_blank || begins_line) {
            let rest = &self.text.as_bytes()[self.position..];
            self.position += rest.iter().take_while(|byte| **byte == b' ' || is_visible(**byte)).count();
        }
        match self.peek() {
            None => Ok(()),
            Some(b'\n') => {
                self.position += 1;
                Ok(())
            }
            Some(_) => Err(Stopped::OtherText),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    /// Whether there were blanks.
    fn skip_blanks(&mut self) -> bool {
        let rest = &self.text.as_bytes()[self.position..];
        let count = rest.iter().take_while(|byte| **byte == b' ').count();
        self.position += count;
        count > 0
    }
}

/// Longer keys are left to the parser.
const LONGEST_KEY: usize = 256;

/// Whether a byte is part of a character that YAML allows everywhere in a line; of some characters beyond ASCII that is not said.
fn is_visible(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~' | 0x80..=0xbf | 0xc3..=0xdf | 0xe1 | 0xe3..=0xec)
}

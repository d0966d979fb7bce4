//! A reader of JSON that knows the place of everything.

use super::builder::{Builder, Given};
use super::complaint::{Fault, shortened};
use super::tag::Tag;
use super::tree::{Form, Tree};
use std::borrow::Cow;

/// Why a text cannot be read as JSON.
pub(super) struct Broken {
    pub fault: Fault,
    /// Whether it is JSON as far as its grammar goes, so that it is not another language either.
    pub is_json: bool,
    /// Whether a text in double quotes was read before, so that it was likely meant to be JSON.
    pub has_begun: bool,
}

/// Whether a text may be JSON: it begins as an object or an array does.
pub(super) fn may_be(text: &str) -> bool {
    text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).starts_with(['{', '['])
}

/// Reads one value, and nothing after it.
pub(super) fn read(text: &str) -> Result<Tree, Broken> {
    let builder = Builder::new(text).map_err(|fault| Broken { fault, is_json: true, has_begun: true })?;
    let position = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = Reader { text, position, builder, inside: Vec::new(), has_begun: false };
    match reader.document() {
        Ok(()) => Ok(reader.builder.finish()),
        Err(Stopped { fault, is_json }) => Err(Broken { fault, is_json, has_begun: reader.has_begun }),
    }
}

struct Stopped {
    fault: Fault,
    is_json: bool,
}

/// What the builder refuses is JSON all the same.
impl From<Fault> for Stopped {
    fn from(fault: Fault) -> Self {
        Stopped { fault, is_json: true }
    }
}

struct Reader<'t> {
    text: &'t str,
    position: usize,
    builder: Builder<'t>,
    /// Arrays and objects that are open.
    inside: Vec<Form>,
    has_begun: bool,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<(), Stopped> {
        loop {
            self.value()?;
            while !self.inside.is_empty() && self.ends_or_goes_on()? {}
            if self.inside.is_empty() {
                break;
            }
        }
        self.skip_blanks();
        if self.position < self.text.len() {
            return Err(self.expected("nothing more after the value"));
        }
        Ok(())
    }

    /// Reads a value, or of a list or an entry all up to its first value.
    fn value(&mut self) -> Result<(), Stopped> {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'{') => {
                    self.begin(Form::Entry)?;
                    if !self.closes(b'}')? {
                        self.name()?;
                        continue;
                    }
                }
                Some(b'[') => {
                    self.begin(Form::List)?;
                    if !self.closes(b']')? {
                        continue;
                    }
                }
                Some(b'"') => self.string()?,
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(b't' | b'f' | b'n') => self.word()?,
                _ => return Err(self.expected("a value")),
            }
            return Ok(());
        }
    }

    /// After a value: whether the list or the entry around it ends here. If not, the next value follows.
    fn ends_or_goes_on(&mut self) -> Result<bool, Stopped> {
        self.skip_blanks();
        let is_list = self.inside.last() == Some(&Form::List);
        match self.peek() {
            Some(b',') => {
                self.position += 1;
                if !is_list {
                    self.name()?;
                }
                Ok(false)
            }
            Some(b']') if is_list => self.closes(b']'),
            Some(b'}') if !is_list => self.closes(b'}'),
            _ => Err(self.expected(if is_list { "`,` or `]`" } else { "`,` or `}`" })),
        }
    }

    fn begin(&mut self, form: Form) -> Result<(), Stopped> {
        self.builder.begin(self.position, form, 0, Tag::None)?;
        self.position += 1;
        self.inside.push(form);
        Ok(())
    }

    fn closes(&mut self, bracket: u8) -> Result<bool, Stopped> {
        self.skip_blanks();
        if self.peek() != Some(bracket) {
            return Ok(false);
        }
        self.position += 1;
        self.inside.pop();
        self.builder.end()?;
        Ok(true)
    }

    /// The name of a field, and the colon after it.
    fn name(&mut self) -> Result<(), Stopped> {
        self.skip_blanks();
        if self.peek() != Some(b'"') {
            return Err(self.expected("the name of a field in double quotes"));
        }
        self.string()?;
        self.skip_blanks();
        if self.peek() != Some(b':') {
            return Err(self.expected("`:` after the name of a field"));
        }
        self.position += 1;
        Ok(())
    }

    fn scalar(&mut self, start: usize, text: &str, is_plain: bool, is_verbatim: bool) -> Result<(), Stopped> {
        let given = Given { start, text, is_plain, is_verbatim, anchor: 0, tag: Tag::None };
        Ok(self.builder.scalar(given)?)
    }

    fn word(&mut self) -> Result<(), Stopped> {
        let text = self.text;
        let rest = &text[self.position..];
        let Some(word) = ["true", "false", "null"].into_iter().find(|word| rest.starts_with(word)) else {
            return Err(self.expected("a value"));
        };
        let start = self.position;
        self.position += word.len();
        if self.peek().is_some_and(|next| next.is_ascii_alphanumeric()) {
            self.position = start;
            return Err(self.expected("a value"));
        }
        self.scalar(start, word, true, true)
    }

    fn number(&mut self) -> Result<(), Stopped> {
        let text = self.text;
        let start = self.position;
        self.position += usize::from(self.peek() == Some(b'-'));
        let whole = self.position;
        let digits = self.digits();
        let mut is_number = digits == 1 || digits > 1 && text.as_bytes()[whole] != b'0';
        if self.peek() == Some(b'.') {
            self.position += 1;
            is_number &= self.digits() > 0;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.position += 1;
            self.position += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            is_number &= self.digits() > 0;
        }
        let goes_on = self.peek().is_some_and(|next| next.is_ascii_alphanumeric() || b"+-._".contains(&next));
        if !is_number || goes_on {
            self.position = start;
            return Err(self.expected("a number such as 12, -3 or 0.5"));
        }
        self.scalar(start, &text[start..self.position], true, true)
    }

    fn digits(&mut self) -> usize {
        let rest = &self.text.as_bytes()[self.position..];
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.position += count;
        count
    }

    fn string(&mut self) -> Result<(), Stopped> {
        let text = self.text;
        let start = self.position;
        self.position += 1;
        self.has_begun = true;
        let mut content = Cow::Borrowed("");
        loop {
            let from = self.position;
            let rest = &text.as_bytes()[from..];
            let special = |byte: &u8| *byte == b'"' || *byte == b'\\' || *byte < b' ';
            let length = rest.iter().position(special).unwrap_or(rest.len());
            self.position += length;
            let piece = &text[from..self.position];
            match content {
                Cow::Borrowed("") => content = Cow::Borrowed(piece),
                _ => content.to_mut().push_str(piece),
            }
            match self.peek() {
                Some(b'"') => {
                    self.position += 1;
                    let is_verbatim = self.position - start == content.len() + 2;
                    return self.scalar(start, &content, false, is_verbatim);
                }
                Some(b'\\') => {
                    let character = self.escape()?;
                    content.to_mut().push(character);
                }
                Some(_) => {
                    return Err(self.expected(
                        "no line break or other control character in a text (`\\n` stands for one)",
                    ));
                }
                None => {
                    self.position = start;
                    return Err(self.broken("the text in double quotes that begins here has no end"));
                }
            }
        }
    }

    /// The character that an escape stands for.
    fn escape(&mut self) -> Result<char, Stopped> {
        let start = self.position;
        self.position += 2;
        let character = match self.text.as_bytes().get(start + 1) {
            Some(b'"') => Some('"'),
            Some(b'\\') => Some('\\'),
            Some(b'/') => Some('/'),
            Some(b'b') => Some('\u{8}'),
            Some(b'f') => Some('\u{c}'),
            Some(b'n') => Some('\n'),
            Some(b'r') => Some('\r'),
            Some(b't') => Some('\t'),
            Some(b'u') => self.unicode(),
            _ => None,
        };
        character.ok_or_else(|| {
            self.position = start;
            self.broken("JSON has no such escape after a `\\`")
        })
    }

    /// The character that four hexadecimal digits stand for, or twice four.
    fn unicode(&mut self) -> Option<char> {
        let first = self.four_digits()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        if !self.text[self.position..].starts_with("\\u") {
            return None;
        }
        self.position += 2;
        let second = self.four_digits().filter(|second| (0xdc00..0xe000).contains(second))?;
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
    }

    fn four_digits(&mut self) -> Option<u32> {
        let digits = self.text.get(self.position..self.position + 4)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        self.position += 4;
        u32::from_str_radix(digits, 16).ok()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn skip_blanks(&mut self) {
        let rest = &self.text.as_bytes()[self.position..];
        self.position += rest.iter().take_while(|byte| b" \t\r\n".contains(byte)).count();
    }

    fn expected(&self, what: &str) -> Stopped {
        let rest = &self.text[self.position..];
        let found = match rest.chars().next() {
            None => "the end of the text".to_owned(),
            Some(first) if first.is_alphanumeric() => {
                let end = rest.find(|end: char| !end.is_alphanumeric()).unwrap_or(rest.len());
                format!("`{}`", shortened(&rest[..end]))
            }
            Some(first) if first.is_control() => format!("{first:?}"),
            Some(first) => format!("`{first}`"),
        };
        self.broken(&format!("expected {what}, found {found}"))
    }

    fn broken(&self, what: &str) -> Stopped {
        let message =
            format!("this is not valid JSON: {what}. Check brackets, quotes and commas around this place.");
        Stopped { fault: Fault::new(self.position, message), is_json: false }
    }
}

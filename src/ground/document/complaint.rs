//! What is wrong with a document, in the words of this tool.

use super::place::Lines;
use super::spot::Spot;
use super::tree::{Document, Form, NodeId};
use serde::de;
use std::fmt::{self, Display};

/// Longest piece of the file that a message repeats.
const LONGEST_QUOTE: usize = 40;

/// One rule broken at one place of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where, in bytes from the beginning of the text.
    pub at: usize,
    /// Field, rule and how to fix it.
    pub message: String,
}

impl Fault {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        Fault { at, message: message.into() }
    }
}

/// A field that people write beside the one under which it belongs.
#[derive(Clone, Copy, Debug)]
pub struct Misplaced {
    /// The field.
    pub field: &'static str,
    /// The field under which it belongs.
    pub under: &'static str,
    /// How to write it.
    pub example: &'static str,
}

/// The beginning of a piece of the file.
pub(super) fn shortened(text: &str) -> String {
    let short: String = text.chars().take(LONGEST_QUOTE).collect();
    let dots = if short.len() < text.len() { "..." } else { "" };
    short + dots
}

/// ` (did you mean "x"?)` when a known name is close to the one given, else nothing.
pub fn did_you_mean<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    closest(given, known).map(|name| format!(" (did you mean \"{name}\"?)")).unwrap_or_default()
}

/// The known name that is close to the one given.
pub(super) fn closest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&given.to_lowercase(), &name.to_lowercase()), name))
        .filter(|&(distance, name)| distance <= 1 + name.len() / 4)
        .min()
        .map(|(_, name)| name)
}

/// What a reader of a type complains about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Something else should stand here.
    Expected(String),
    /// No such field.
    UnknownField { field: String, known: &'static [&'static str] },
    /// No such value.
    UnknownValue { value: String, known: &'static [&'static str] },
    /// A field that an entry must have.
    MissingField(&'static str),
    /// Anything else, in words.
    Other(String),
}

/// A complaint on its way to where it is told; those who hand it on add what they know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Complaint {
    pub kind: Kind,
    pub spot: Option<Spot>,
    /// The field of which the value, or an item of it, is wrong.
    pub field: Option<NodeId>,
    /// Whether what is wrong has been set aside, so that the rest can be read.
    pub is_set_aside: bool,
}

/// Why a type cannot be read.
#[derive(Debug)]
pub struct ReadError(pub(super) Box<Complaint>);

impl ReadError {
    pub(super) fn new(kind: Kind) -> Self {
        ReadError(Box::new(Complaint { kind, spot: None, field: None, is_set_aside: false }))
    }

    pub(super) fn expected(what: impl Into<String>) -> Self {
        ReadError::new(Kind::Expected(what.into()))
    }

    /// The complaint, at this place if it has none.
    pub(super) fn at(mut self, spot: Spot) -> Self {
        self.0.spot.get_or_insert(spot);
        self
    }
}

impl Display for ReadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.kind.words(None))
    }
}

impl std::error::Error for ReadError {}

impl de::Error for ReadError {
    fn custom<T: Display>(message: T) -> Self {
        ReadError::new(Kind::Other(message.to_string()))
    }

    fn invalid_type(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        ReadError::expected(in_words(&expected.to_string()))
    }

    fn invalid_value(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        ReadError::expected(in_words(&expected.to_string()))
    }

    fn invalid_length(_: usize, expected: &dyn de::Expected) -> Self {
        ReadError::expected(in_words(&expected.to_string()))
    }

    fn unknown_variant(value: &str, known: &'static [&'static str]) -> Self {
        ReadError::new(Kind::UnknownValue { value: value.to_owned(), known })
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        ReadError::new(Kind::UnknownField { field: field.to_owned(), known })
    }

    fn missing_field(field: &'static str) -> Self {
        ReadError::new(Kind::MissingField(field))
    }

    fn duplicate_field(field: &'static str) -> Self {
        ReadError::new(Kind::Other(format!("the field `{field}` is given twice in this entry. Keep one.")))
    }
}

impl Kind {
    /// The message about a field that is not unknown but misplaced.
    fn misplaced(&self, misplaced: &Misplaced) -> Option<String> {
        let Misplaced { field, under, example } = misplaced;
        match self {
            Kind::UnknownField { field: given, known } if given == field && known.contains(under) => {
                Some(format!("the field `{field}` belongs under `{under}`. Write `{example}`."))
            }
            _ => None,
        }
    }

    /// The message; where the place is known, with what stands there.
    fn words(&self, here: Option<(&Document<'_>, NodeId)>) -> String {
        match self {
            Kind::Expected(what) => match here {
                // The length is what is wrong.
                Some((document, node))
                    if what.starts_with(A_LIST_OF) && document.form(node) == Form::List =>
                {
                    format!("expected {what}, found one of {}.", document.items(node).count())
                }
                Some((document, node)) => {
                    format!("expected {what}, found {}.", found_at(document, node))
                }
                None => format!("expected {what}."),
            },
            Kind::UnknownField { field, known } => unknown("field", field, known),
            Kind::UnknownValue { value, known } => unknown("value", value, known),
            Kind::MissingField(field) => {
                format!("the field `{field}` is missing. Add it to the entry that starts here.")
            }
            Kind::Other(message) => {
                let message = message.trim();
                let end = if message.ends_with('.') { "" } else { "." };
                format!("{message}{end}")
            }
        }
    }
}

impl Complaint {
    /// The complaint as it is told.
    pub fn told(&self, document: &Document<'_>, misplaced: &[Misplaced]) -> Fault {
        let spot = self.spot.unwrap_or(Spot::of(NodeId::ROOT));
        let belongs_elsewhere = misplaced.iter().find_map(|misplaced| self.kind.misplaced(misplaced));
        let mut message = belongs_elsewhere.unwrap_or_else(|| self.kind.words(Some((document, spot.node))));
        let names_its_field = matches!(self.kind, Kind::Expected(_) | Kind::Other(_));
        if let Some(name) = self.field.filter(|_| names_its_field).and_then(|key| document.scalar_text(key)) {
            message = format!("`{}`: {message}", shortened(name));
        }
        let place = spot.alias.unwrap_or(spot.node);
        let node = document.resolve(spot.node);
        if place != node && document.start(place) != document.start(node) {
            let line = Lines::of(document.text).place(document.text, document.start(node)).line;
            message += &format!(" The alias repeats line {line}.");
        }
        Fault::new(document.start(place), message)
    }
}

fn unknown(kind: &str, given: &str, known: &[&'static str]) -> String {
    let guess = did_you_mean(given, known.iter().copied());
    let given = shortened(given);
    if known.is_empty() {
        return format!("unknown {kind} `{given}`. There is none here; leave it out.");
    }
    format!("unknown {kind} `{given}`{guess}. Known {kind}s here: {}.", known.join(", "))
}

fn found_at(document: &Document<'_>, node: NodeId) -> String {
    match (document.form(node), document.scalar(node)) {
        (Form::List, _) => "a list".to_owned(),
        (Form::Entry, _) => "an entry with fields".to_owned(),
        (Form::Scalar, _) if document.is_left_out(node) => "no value".to_owned(),
        (Form::Scalar, Some(scalar)) if scalar.text.is_empty() => "an empty text".to_owned(),
        (Form::Scalar, scalar) => format!("`{}`", shortened(scalar.map_or("", |scalar| scalar.text))),
    }
}

/// A list, in words.
pub(super) const A_LIST: &str = "a list (`[a, b]`, or lines that begin with `- `)";
/// Begins the words for a list of so many values.
const A_LIST_OF: &str = "a list of ";
/// An entry, in words.
pub(super) const AN_ENTRY: &str = "an entry with fields (lines `field: value`, or `{field: value}`)";
/// A truth value, in words.
pub(super) const A_TRUTH: &str = "`true` or `false`";

/// A list of a length, in words.
pub(super) fn list_of(length: usize) -> String {
    format!("{A_LIST_OF}{length} values")
}

/// The whole numbers of an unsigned type, in words.
pub(super) fn whole_number_to(greatest: u128) -> String {
    format!("a whole number from 0 to {greatest}")
}

/// What readers of types expect, without names of types.
fn in_words(expected: &str) -> String {
    let length =
        ["an array of length ", "a tuple of size "].iter().find_map(|words| expected.strip_prefix(words));
    if let Some(length) = length.and_then(|length| length.parse().ok()) {
        return list_of(length);
    }
    let words = match expected {
        "u8" => return whole_number_to(u8::MAX.into()),
        "u16" => return whole_number_to(u16::MAX.into()),
        "u32" => return whole_number_to(u32::MAX.into()),
        "u64" | "usize" => return whole_number_to(u64::MAX.into()),
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => A_TRUTH,
        "a string" | "a borrowed string" | "a character" => "a text",
        "a sequence" => A_LIST,
        "a map" => AN_ENTRY,
        _ if expected.starts_with("struct ") => AN_ENTRY,
        _ => expected,
    };
    words.to_owned()
}

//! From the events of the YAML parser to a tree.

use super::builder::{Builder, Given, nested_too_deeply, unknown_alias};
use super::complaint::Fault;
use super::tag::Tag;
use super::tree::{Form, Tree};
use granit_parser::{ErrorKind, Event, Marker, Parser, ScalarStyle, ScanError, Span, options};

/// Reads one YAML document.
pub(super) fn read(text: &str) -> Result<Tree, Fault> {
    let mut builder = Builder::new(text)?;
    let settings = options! { emit_comments: false };
    let mut has_ended_expressly = false;
    for event in Parser::new_from_str_with_options(text, settings) {
        let (event, span) = match event {
            Ok(event) => event,
            // What stands behind `...` is no part of the document.
            Err(_) if builder.is_complete() && has_ended_expressly => break,
            Err(error) => return Err(describe(text, &error)),
        };
        let start = offset(text, &span.start);
        if builder.is_complete() && event.is_node() {
            let message = "a second YAML document begins here (`---`). Keep one document per file.";
            return Err(Fault::new(start, message));
        }
        match event {
            Event::DocumentStart(..) => has_ended_expressly = false,
            Event::DocumentEnd => has_ended_expressly = !span.is_empty(),
            _ => {}
        }
        add(&mut builder, text, event, start, &span)?;
    }
    Ok(builder.finish())
}

fn add(
    builder: &mut Builder<'_>,
    text: &str,
    event: Event<'_>,
    start: usize,
    span: &Span,
) -> Result<(), Fault> {
    let read = |tag: Option<&granit_parser::Tag>| tag.map_or(Tag::None, Tag::of);
    match event {
        Event::Scalar(scalar, style, anchor, tag) => {
            let is_plain = style == ScalarStyle::Plain;
            let quoted = matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted);
            let content = start + usize::from(quoted);
            let is_at = text.get(content..content + scalar.len()) == Some(&*scalar);
            let ends_there = quoted && offset(text, &span.end) == content + scalar.len() + 1;
            builder.scalar(Given {
                start,
                text: &scalar,
                is_plain,
                is_verbatim: is_at && (is_plain || ends_there),
                anchor,
                tag: read(tag.as_deref()),
            })
        }
        Event::SequenceStart(_, anchor, tag) => {
            builder.begin(start, Form::List, anchor, read(tag.as_deref()))
        }
        Event::MappingStart(_, anchor, tag) => {
            builder.begin(start, Form::Entry, anchor, read(tag.as_deref()))
        }
        Event::SequenceEnd | Event::MappingEnd => builder.end(),
        Event::Alias(anchor) => builder.alias(start, anchor),
        _ => Ok(()),
    }
}

/// Where the parser stands, in bytes.
fn offset(text: &str, mark: &Marker) -> usize {
    mark.byte_offset().unwrap_or_else(|| {
        let index = text.char_indices().nth(mark.index());
        index.map_or(text.len(), |(offset, _)| offset)
    })
}

fn describe(text: &str, error: &ScanError) -> Fault {
    let start = offset(text, error.marker());
    match error.kind() {
        ErrorKind::RecursionLimitExceeded => nested_too_deeply(start),
        ErrorKind::UnknownAnchor => unknown_alias(text, start),
        _ => {
            let message = format!(
                "this is not valid YAML: {}. Check brackets, quotes and indentation around this place.",
                error.info()
            );
            Fault::new(start, message)
        }
    }
}

//! Tags of YAML, as far as they have a meaning here.

use granit_parser::Tag as YamlTag;

/// Where the tags of YAML itself are defined.
const NAMESPACE: &str = "tag:yaml.org,2002:";

/// What a tag says of its node.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tag {
    /// There is none.
    #[default]
    None,
    /// `!!int`.
    Int,
    /// `!!float`.
    Float,
    /// `!!bool`.
    Bool,
    /// `!!null`.
    Null,
    /// `!!seq`.
    List,
    /// `!!map`.
    Entry,
    /// `!!str`.
    Text,
    /// `!`, which keeps a scalar from being anything but a text.
    Bare,
    /// Types of scalars that no format of this tool has, such as `!!timestamp` and `!!binary`.
    Foreign,
    /// `!!merge`, which makes the key `<<` what it is without a tag.
    Merge,
    /// Any other, which means nothing but to enumerations.
    Other(Box<str>),
}

impl Tag {
    pub(super) fn of(tag: &YamlTag) -> Self {
        let full = tag.to_string();
        let known = tag.suffix_in_namespace(NAMESPACE);
        // Local spellings such as `!int` are taken for the common ones.
        let name = known.as_deref().or_else(|| full.strip_prefix("!!")).or_else(|| full.strip_prefix('!'));
        match name.map(|name| name.strip_prefix('!').unwrap_or(name)) {
            Some("int") => Tag::Int,
            Some("float") => Tag::Float,
            Some("bool") => Tag::Bool,
            Some("null") => Tag::Null,
            Some("seq") => Tag::List,
            Some("map") => Tag::Entry,
            Some("str") => Tag::Text,
            Some("") if known.is_none() => Tag::Bare,
            Some("timestamp" | "time" | "binary" | "degrees" | "radians") => Tag::Foreign,
            Some("merge") if known.is_some() => Tag::Merge,
            _ => Tag::Other(full.into()),
        }
    }

    /// Whether it names one of the types that all of YAML knows.
    pub(super) fn is_core(&self) -> bool {
        match self {
            Tag::Int | Tag::Float | Tag::Bool | Tag::Null | Tag::List | Tag::Entry | Tag::Text => true,
            Tag::None | Tag::Bare | Tag::Foreign | Tag::Merge | Tag::Other(_) => false,
        }
    }

    /// Whether a scalar with it is a text, whatever it looks like.
    pub(super) fn forces_text(&self) -> bool {
        matches!(self, Tag::Text | Tag::Bare)
    }

    /// Whether a scalar with it can be read as a text.
    pub(super) fn allows_text(&self) -> bool {
        self.forces_text() || !(self.is_core() || *self == Tag::Foreign)
    }

    /// Whether it fits a node that is a list, an entry or neither.
    pub(super) fn fits(&self, is_list: bool, is_entry: bool) -> bool {
        match self {
            Tag::List => is_list,
            Tag::Entry => is_entry,
            Tag::None | Tag::Bare | Tag::Other(_) => true,
            Tag::Text | Tag::Int | Tag::Float | Tag::Bool | Tag::Null | Tag::Foreign | Tag::Merge => {
                !is_list && !is_entry
            }
        }
    }

    /// The name that it gives to a variant of an enumeration.
    pub(super) fn variant(&self) -> Option<&str> {
        let Tag::Other(tag) = self else { return None };
        let name = tag.strip_prefix(NAMESPACE).unwrap_or(tag).trim_start_matches('!');
        (!name.is_empty() && !name.contains(['!', ':'])).then_some(name)
    }
}

//! Reading types from a tree.

use super::aside::Aside;
use super::complaint::{A_LIST, A_TRUTH, AN_ENTRY, Kind, ReadError, list_of, whole_number_to};
use super::located::LOCATED;
use super::scalar::{self, Meaning, Scalar};
use super::spot::Spot;
use super::tag::Tag;
use super::tree::{Document, Fields, Form, Items, NodeId};
use super::variant::{Access, Content};
use serde::de::value::U32Deserializer;
use serde::de::{self, IntoDeserializer, Visitor};

/// By this name a type tells that it wants a decimal number as it was written, as bytes, where there is one.
pub const DECIMAL: &str = "migopt decimal";

/// A node that is read into a type.
pub(super) struct Reader<'r, 't> {
    pub document: Document<'t>,
    pub spot: Spot,
    /// The node, aliases followed.
    pub target: NodeId,
    pub aside: &'r mut Aside,
}

impl<'r, 't> Reader<'r, 't> {
    pub fn of_root(document: Document<'t>, aside: &'r mut Aside) -> Self {
        Reader { document, spot: Spot::of(NodeId::ROOT), target: NodeId::ROOT, aside }
    }

    /// A key, a value or an item of what stands behind the same aliases.
    pub fn below(document: Document<'t>, alias: Option<NodeId>, node: NodeId, aside: &'r mut Aside) -> Self {
        let target = document.resolve(node);
        // Fields that `<<` brings from an entry in place stand where they stand.
        let is_elsewhere = document.start(target) != document.start(node);
        let alias = alias.or(is_elsewhere.then_some(node));
        Reader { document, spot: Spot { node, alias }, target, aside }
    }

    pub fn scalar(&self) -> Option<Scalar<'t>> {
        self.document.scalar(self.target)
    }

    pub fn expected(&self, what: impl Into<String>) -> ReadError {
        ReadError::expected(what).at(self.spot)
    }

    /// A scalar that is read as a type of YAML's own.
    fn typed<T>(
        &self,
        tag: &Tag,
        what: impl Into<String>,
        read: fn(&str) -> Option<T>,
    ) -> Result<T, ReadError> {
        let scalar = self.scalar().filter(|scalar| scalar.may_be(tag));
        scalar.and_then(|scalar| read(scalar.text)).ok_or_else(|| self.expected(what))
    }

    fn whole<T: TryFrom<u128>>(&self, greatest: u128) -> Result<T, ReadError> {
        self.typed(&Tag::Int, whole_number_to(greatest), scalar::unsigned)
    }

    fn signed<T: TryFrom<i128>>(&self) -> Result<T, ReadError> {
        self.typed(&Tag::Int, "a whole number", scalar::signed)
    }

    fn float(&self) -> Result<f64, ReadError> {
        self.typed(&Tag::Float, "a number", scalar::float)
    }

    fn text(&self) -> Result<&'t str, ReadError> {
        let Some(scalar) = self.scalar() else { return Err(self.expected("a single value")) };
        let is_nothing = scalar.looks_null() && !scalar.tag.forces_text();
        if is_nothing || !scalar.tag.allows_text() {
            return Err(self.expected("a text"));
        }
        Ok(scalar.text)
    }

    /// A list, of which `length` items are wanted if that is known.
    fn list<V: Visitor<'t>>(self, visitor: V, length: Option<usize>) -> Result<V::Value, ReadError> {
        let Reader { document, spot, target, aside } = self;
        if document.form(target) != Form::List && !document.is_null(target) {
            return Err(ReadError::expected(A_LIST).at(spot));
        }
        let mut items = document.items(target);
        if let Some(start) = aside.start_of(target) {
            items.next = start;
        }
        let mut access = ListAccess { document, spot, target, items, aside };
        let read = visitor.visit_seq(&mut access).map_err(|error| error.at(spot))?;
        match length {
            Some(length) if access.items.next().is_some() => {
                Err(ReadError::expected(list_of(length)).at(spot))
            }
            _ => Ok(read),
        }
    }

    /// An entry, whose fields are names of the type or any.
    fn entry<V: Visitor<'t>>(self, visitor: V, names: Names) -> Result<V::Value, ReadError> {
        let Reader { document, spot, target, aside } = self;
        if document.form(target) != Form::Entry && !document.is_null(target) {
            return Err(ReadError::expected(AN_ENTRY).at(spot));
        }
        let mut fields = document.fields(target);
        if let Some(start) = aside.start_of(target) {
            fields.next = start;
        }
        let access = EntryAccess { document, spot, target, fields, current: None, names, aside };
        visitor.visit_map(access).map_err(|error| error.at(spot))
    }

    /// `Variant`, `{Variant: value}` or `!Variant value`.
    fn variant(
        self,
        name: &'static str,
        variants: &'static [&'static str],
    ) -> Result<Access<'t, Self>, ReadError> {
        let tag = self.document.tag(self.target).variant();
        let (spot, scalar) = (self.spot, self.scalar());
        match (tag.filter(|tag| variants.contains(tag)), scalar) {
            (Some(variant), _) => Ok(Access { variant, spot, content: Content::Tagged(self) }),
            (None, Some(_)) if tag.is_some_and(|tag| tag != name) => {
                Err(ReadError::no_such_value(tag.unwrap_or_default(), variants).at(spot))
            }
            (None, Some(scalar)) => Ok(Access { variant: scalar.text, spot, content: Content::None }),
            (None, None) => self.variant_as_key(),
        }
    }

    /// The one field of an entry.
    fn variant_as_key(self) -> Result<Access<'t, Self>, ReadError> {
        if self.document.form(self.target) == Form::List {
            return Err(self.expected("one value"));
        }
        let mut fields = self.document.fields(self.target);
        let (Some((key, value)), None) = (fields.next(), fields.next()) else {
            return Err(self.expected("an entry with one field"));
        };
        let variant = self.document.scalar_text(key).unwrap_or_default();
        let spot = Spot { node: key, alias: self.spot.alias };
        let value = Reader::below(self.document, self.spot.alias, value, self.aside);
        Ok(Access { variant, spot, content: Content::Field(value) })
    }

    fn meaning<V: Visitor<'t>>(self, scalar: Scalar<'t>, visitor: V) -> Result<V::Value, ReadError> {
        let spot = self.spot;
        let read = match scalar.meaning() {
            Some(Meaning::Nothing) => visitor.visit_unit(),
            Some(Meaning::Bool(truth)) => visitor.visit_bool(truth),
            Some(Meaning::Signed(number)) => visitor.visit_i64(number),
            Some(Meaning::Unsigned(number)) => visitor.visit_u64(number),
            Some(Meaning::Float(number)) if number.is_finite() => visitor.visit_f64(number),
            Some(Meaning::Float(_)) => Err(ReadError::expected("a finite number")),
            Some(Meaning::Text(text)) => visitor.visit_borrowed_str(text),
            None => Err(ReadError::expected(match scalar.tag {
                Tag::Bool => A_TRUTH,
                Tag::Int => "a whole number",
                Tag::Float => "a number",
                _ => "a text",
            })),
        };
        read.map_err(|error| error.at(spot))
    }
}

/// Reads numbers of a type by the method of its name.
macro_rules! numbers {
    ($($method:ident $visit:ident $read:expr;)*) => {$(
        fn $method<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, ReadError> {
            let number = $read(&self)?;
            visitor.$visit(number).map_err(|error: ReadError| error.at(self.spot))
        }
    )*};
}

impl<'t> de::Deserializer<'t> for Reader<'_, 't> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match (self.document.form(self.target), self.scalar()) {
            (Form::List, _) => self.list(visitor, None),
            (_, Some(scalar)) => self.meaning(scalar, visitor),
            (_, None) => self.entry(visitor, Names::OfTheType),
        }
    }

    numbers! {
        deserialize_u8 visit_u8 |reader: &Self| reader.whole(u8::MAX.into());
        deserialize_u16 visit_u16 |reader: &Self| reader.whole(u16::MAX.into());
        deserialize_u32 visit_u32 |reader: &Self| reader.whole(u32::MAX.into());
        deserialize_u64 visit_u64 |reader: &Self| reader.whole(u64::MAX.into());
        deserialize_u128 visit_u128 |reader: &Self| reader.whole(u128::MAX);
        deserialize_i8 visit_i8 Self::signed;
        deserialize_i16 visit_i16 Self::signed;
        deserialize_i32 visit_i32 Self::signed;
        deserialize_i64 visit_i64 Self::signed;
        deserialize_i128 visit_i128 Self::signed;
        deserialize_f64 visit_f64 Self::float;
        deserialize_f32 visit_f32 |reader: &Self| {
            let read = |text: &str| scalar::float(text).map(|_| text.trim().parse().unwrap_or(f32::NAN));
            reader.typed(&Tag::Float, "a number", read)
        };
        deserialize_bool visit_bool |reader: &Self| reader.typed(&Tag::Bool, A_TRUTH, scalar::truth);
        deserialize_str visit_borrowed_str Self::text;
    }

    fn deserialize_string<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_char<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.list(visitor, None)
    }

    fn deserialize_byte_buf<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.list(visitor, None)
    }

    fn deserialize_option<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let spot = self.spot;
        let read =
            if self.document.is_null(self.target) { visitor.visit_none() } else { visitor.visit_some(self) };
        read.map_err(|error| error.at(spot))
    }

    fn deserialize_unit<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, ReadError> {
        if !self.document.is_null(self.target) {
            return Err(self.expected("no value"));
        }
        visitor.visit_unit().map_err(|error: ReadError| error.at(self.spot))
    }

    fn deserialize_unit_struct<V: Visitor<'t>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        if self.document.form(self.target) == Form::Entry
            && self.document.fields(self.target).next().is_none()
        {
            return visitor.visit_unit().map_err(|error: ReadError| error.at(self.spot));
        }
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'t>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let spot = self.spot;
        let scalar = self.scalar().filter(|_| name == DECIMAL);
        let read = match scalar.map(|scalar| (scalar.text, scalar.meaning())) {
            Some((text, Some(Meaning::Float(number)))) if number.is_finite() => {
                visitor.visit_borrowed_bytes(text.as_bytes())
            }
            _ if name == LOCATED => {
                visitor.visit_seq(LocatedAccess { place: Some(spot.node), reader: Some(self) })
            }
            _ => visitor.visit_newtype_struct(self),
        };
        read.map_err(|error| error.at(spot))
    }

    fn deserialize_seq<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.list(visitor, None)
    }

    fn deserialize_tuple<V: Visitor<'t>>(self, length: usize, visitor: V) -> Result<V::Value, ReadError> {
        self.list(visitor, Some(length))
    }

    fn deserialize_tuple_struct<V: Visitor<'t>>(
        self,
        _: &'static str,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.list(visitor, Some(length))
    }

    fn deserialize_map<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.entry(visitor, Names::Any)
    }

    fn deserialize_struct<V: Visitor<'t>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.entry(visitor, Names::OfTheType)
    }

    fn deserialize_enum<V: Visitor<'t>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let spot = self.spot;
        let access = self.variant(name, variants)?;
        visitor.visit_enum(access).map_err(|error| error.at(spot))
    }

    fn deserialize_ignored_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_unit()
    }
}

/// What the fields of an entry are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names {
    /// As its type has it, so that there are few.
    OfTheType,
    /// Anything: there may be very many.
    Any,
}

struct ListAccess<'r, 't> {
    document: Document<'t>,
    spot: Spot,
    target: NodeId,
    items: Items<'t>,
    aside: &'r mut Aside,
}

impl<'t> de::SeqAccess<'t> for ListAccess<'_, 't> {
    type Error = ReadError;

    fn next_element_seed<T: de::DeserializeSeed<'t>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ReadError> {
        let Some(item) = self.items.by_ref().find(|&item| !self.aside.has(item)) else { return Ok(None) };
        let reader = Reader::below(self.document, self.spot.alias, item, self.aside);
        let read = seed.deserialize(reader).map_err(|mut error| {
            error = error.at(Spot { node: item, alias: self.spot.alias });
            self.aside.add(&mut error.0, item);
            self.aside.go_on_at(&self.document, self.target, item);
            error
        });
        read.map(Some)
    }
}

struct EntryAccess<'r, 't> {
    document: Document<'t>,
    spot: Spot,
    target: NodeId,
    fields: Fields<'t>,
    /// The key that was read last, and its value.
    current: Option<(NodeId, NodeId)>,
    names: Names,
    aside: &'r mut Aside,
}

impl EntryAccess<'_, '_> {
    /// Takes note that a field could not be read.
    fn set_aside(&mut self, error: ReadError, key: NodeId) -> ReadError {
        let mut error = error.at(Spot { node: key, alias: self.spot.alias });
        self.aside.add(&mut error.0, key);
        match self.names {
            Names::OfTheType => self.aside.go_on_behind_fields_before(&self.document, self.target, key),
            Names::Any => self.aside.go_on_at(&self.document, self.target, key),
        }
        error
    }
}

impl<'t> de::MapAccess<'t> for EntryAccess<'_, 't> {
    type Error = ReadError;

    fn next_key_seed<K: de::DeserializeSeed<'t>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        self.current = self.fields.by_ref().find(|&(key, _)| !self.aside.has(key));
        let Some((key, _)) = self.current else { return Ok(None) };
        let reader = Reader::below(self.document, self.spot.alias, key, self.aside);
        let read = seed.deserialize(reader).map_err(|error| self.set_aside(error, key));
        read.map(Some)
    }

    fn next_value_seed<V: de::DeserializeSeed<'t>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        let (key, value) =
            self.current.take().ok_or_else(|| ReadError::expected("a key before its value"))?;
        let reader = Reader::below(self.document, self.spot.alias, value, self.aside);
        seed.deserialize(reader).map_err(|mut error| {
            error = error.at(Spot { node: value, alias: self.spot.alias });
            error.0.field.get_or_insert(key);
            self.set_aside(error, key)
        })
    }
}

/// The place of a node, then its value.
struct LocatedAccess<'r, 't> {
    place: Option<NodeId>,
    reader: Option<Reader<'r, 't>>,
}

impl<'t> de::SeqAccess<'t> for LocatedAccess<'_, 't> {
    type Error = ReadError;

    fn next_element_seed<T: de::DeserializeSeed<'t>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ReadError> {
        if let Some(place) = self.place.take() {
            let place: U32Deserializer<ReadError> = place.0.into_deserializer();
            return seed.deserialize(place).map(Some);
        }
        self.reader.take().map(|reader| seed.deserialize(reader)).transpose()
    }
}

impl ReadError {
    /// A value that none of those known is.
    pub(super) fn no_such_value(value: &str, known: &'static [&'static str]) -> Self {
        ReadError::new(Kind::UnknownValue { value: value.to_owned(), known })
    }
}

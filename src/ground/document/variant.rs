//! Reading enumerations: a name, or a name with what belongs to it.

use super::complaint::ReadError;
use super::reader::{Reader, name_of_type};
use super::tag::Tag;
use super::tree::Form;
use serde::de::{self, Deserializer, Visitor};

/// Reads `Variant`, `{Variant: value}` or `!Variant value`.
pub(super) fn read<'t, V: Visitor<'t>>(
    reader: Reader<'_, 't>,
    name: &'static str,
    variants: &'static [&'static str],
    visitor: V,
) -> Result<V::Value, ReadError> {
    let spot = reader.spot;
    let tag = reader.document.tag(reader.target);
    let by_tag = tag.variant().filter(|variant| variants.contains(variant));
    let access = match (by_tag, reader.document.form(reader.target), reader.scalar()) {
        (Some(variant), ..) => Access { variant, spelled: Spelled::AsTag, reader },
        (None, Form::List, _) => return Err(reader.expected("one value")),
        (None, _, Some(scalar)) => {
            if tag.variant().is_some_and(|tag| tag != name) {
                return Err(ReadError::no_such_value(tag.variant().unwrap_or_default(), variants).at(spot));
            }
            Access { variant: scalar.text, spelled: Spelled::Alone, reader }
        }
        (None, ..) => of_entry(reader)?,
    };
    visitor.visit_enum(access).map_err(|error| error.at(spot))
}

/// The one field of an entry.
fn of_entry<'r, 't>(reader: Reader<'r, 't>) -> Result<Access<'r, 't>, ReadError> {
    let document = reader.document;
    let mut fields = document.fields(reader.target);
    let (Some((key, value)), None) = (fields.next(), fields.next()) else {
        return Err(reader.expected("an entry with one field"));
    };
    let variant = document.scalar_text(key).unwrap_or_default();
    let reader = Reader::below(document, reader.spot.alias, value, reader.aside);
    Ok(Access { variant, spelled: Spelled::AsKey, reader })
}

/// How a variant is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelled {
    Alone,
    AsKey,
    AsTag,
}

struct Access<'r, 't> {
    variant: &'t str,
    spelled: Spelled,
    /// What belongs to the variant; the variant itself where it stands alone.
    reader: Reader<'r, 't>,
}

impl<'r, 't> de::EnumAccess<'t> for Access<'r, 't> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<V: de::DeserializeSeed<'t>>(self, seed: V) -> Result<(V::Value, Self), ReadError> {
        let variant =
            seed.deserialize(name_of_type(self.variant)).map_err(|error| error.at(self.reader.spot))?;
        Ok((variant, self))
    }
}

impl<'r, 't> Access<'r, 't> {
    fn content(self) -> Result<Reader<'r, 't>, ReadError> {
        if self.spelled == Spelled::Alone {
            return Err(self.reader.expected(format!("a value for it, as in `{{{}: …}}`", self.variant)));
        }
        Ok(self.reader)
    }
}

impl<'t> de::VariantAccess<'t> for Access<'_, 't> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        let has_content = self.spelled == Spelled::AsKey
            && !self.reader.scalar().is_some_and(|scalar| scalar.is_null() || *scalar.tag == Tag::Null);
        if has_content { Err(self.reader.expected("no value")) } else { Ok(()) }
    }

    fn newtype_variant_seed<T: de::DeserializeSeed<'t>>(self, seed: T) -> Result<T::Value, ReadError> {
        seed.deserialize(self.content()?)
    }

    fn tuple_variant<V: Visitor<'t>>(self, length: usize, visitor: V) -> Result<V::Value, ReadError> {
        self.content()?.deserialize_tuple(length, visitor)
    }

    fn struct_variant<V: Visitor<'t>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.content()?.deserialize_struct("", fields, visitor)
    }
}

//! Enumerations: a name alone, or a name with what belongs to it.

use super::complaint::ReadError;
use super::spot::Spot;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, Deserialize, Deserializer, Visitor};

/// A variant of an enumeration as it stands in a document.
pub(super) struct Access<'t, D> {
    pub variant: &'t str,
    /// Where the variant stands.
    pub spot: Spot,
    pub content: Content<D>,
}

/// What belongs to a variant.
pub(super) enum Content<D> {
    /// Nothing: the variant stands alone.
    None,
    /// What stands behind the variant as a tag; of a variant without content that may be anything.
    Tagged(D),
    /// The value of the field that is called like the variant.
    Field(D),
}

impl<'t, D: Deserializer<'t, Error = ReadError>> de::EnumAccess<'t> for Access<'t, D> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<V: de::DeserializeSeed<'t>>(self, seed: V) -> Result<(V::Value, Self), ReadError> {
        let name = BorrowedStrDeserializer::new(self.variant);
        let variant = seed.deserialize(name).map_err(|error: ReadError| error.at(self.spot))?;
        Ok((variant, self))
    }
}

impl<'t, D: Deserializer<'t, Error = ReadError>> Access<'t, D> {
    fn content(self) -> Result<D, ReadError> {
        match self.content {
            Content::Tagged(value) | Content::Field(value) => Ok(value),
            Content::None => {
                let wanted = format!("a value for it, as in `{{{}: …}}`", self.variant);
                Err(ReadError::expected(wanted).at(self.spot))
            }
        }
    }
}

impl<'t, D: Deserializer<'t, Error = ReadError>> de::VariantAccess<'t> for Access<'t, D> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        match self.content {
            Content::Field(value) => <()>::deserialize(value),
            Content::None | Content::Tagged(_) => Ok(()),
        }
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

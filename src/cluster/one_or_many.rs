//! Lists that may be written as a single item.

use schemars::JsonSchema;
use serde::de::{self, IntoDeserializer};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::marker::PhantomData;

/// A single thing or a list of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum OneOrMany<T> {
    /// One.
    One(T),
    /// A list.
    Many(Vec<T>),
}

impl<T> From<Vec<T>> for OneOrMany<T> {
    fn from(several: Vec<T>) -> Self {
        match <[T; 1]>::try_from(several) {
            Ok([one]) => OneOrMany::One(one),
            Err(several) => OneOrMany::Many(several),
        }
    }
}

impl<T> OneOrMany<T> {
    /// All of them.
    pub fn as_slice(&self) -> &[T] {
        match self {
            OneOrMany::One(one) => std::slice::from_ref(one),
            OneOrMany::Many(many) => many,
        }
    }
}

/// Written by hand because a derived reader tries one variant after the other and so forgets what is wrong inside, and
/// where.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrManyVisitor(PhantomData))
    }
}

struct OneOrManyVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> de::Visitor<'de> for OneOrManyVisitor<T> {
    type Value = OneOrMany<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a single item or a list of items")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        T::deserialize(text.into_deserializer()).map(OneOrMany::One)
    }

    /// A name of digits alone.
    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
        T::deserialize(number.to_string().into_deserializer()).map(OneOrMany::One)
    }

    fn visit_map<A: de::MapAccess<'de>>(self, fields: A) -> Result<Self::Value, A::Error> {
        T::deserialize(de::value::MapAccessDeserializer::new(fields)).map(OneOrMany::One)
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(OneOrMany::Many(list))
    }
}

//! Values that know where they stand.

use super::tree::NodeId;
use serde::de::{self, Deserialize, Deserializer};
use serde::{Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// Where something stands in its document; nowhere if it was not read from one.
pub type At = Option<NodeId>;

/// By this name a reader of documents tells that a place is asked for.
pub(super) const LOCATED: &str = "migopt located";

/// A value together with where it stands in its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub at: At,
}

impl<T> Located<T> {
    /// A value that was not read from a document.
    pub fn nowhere(value: T) -> Self {
        Located { value, at: None }
    }
}

impl<T: Serialize> Serialize for Located<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Located<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(LOCATED, LocatedVisitor(PhantomData))
    }
}

struct LocatedVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> de::Visitor<'de> for LocatedVisitor<T> {
    type Value = Located<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    /// Of readers that know nothing of places.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        T::deserialize(deserializer).map(Located::nowhere)
    }

    /// Of the reader of documents: first the place, then the value.
    fn visit_seq<A: de::SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
        let missing = || de::Error::custom("a place comes with a value");
        let at = parts.next_element::<u32>()?.ok_or_else(missing)?;
        let value = parts.next_element()?.ok_or_else(missing)?;
        Ok(Located { value, at: Some(NodeId(at)) })
    }
}

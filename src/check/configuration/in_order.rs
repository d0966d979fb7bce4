//! Fields of an entry whose names are the user's, in the order of the file.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// The fields.
pub struct InOrder<Key, Value>(pub Vec<(Key, Value)>);

impl<'de, Key: Deserialize<'de>, Value: Deserialize<'de>> Deserialize<'de> for InOrder<Key, Value> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor(PhantomData))
    }
}

struct FieldsVisitor<Key, Value>(PhantomData<(Key, Value)>);

impl<'de, Key: Deserialize<'de>, Value: Deserialize<'de>> Visitor<'de> for FieldsVisitor<Key, Value> {
    type Value = InOrder<Key, Value>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let mut read = Vec::new();
        while let Some(field) = fields.next_entry()? {
            read.push(field);
        }
        Ok(InOrder(read))
    }
}

//! A configuration file as it stands.

use super::in_order::InOrder;
use ground::Located;
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use std::fmt;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileSection {
    pub version: Located<String>,
    #[serde(rename = "mig-configs")]
    pub configurations: Located<InOrder<Located<String>, Vec<Located<EntrySection>>>>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EntrySection {
    #[serde(rename = "device-filter", default)]
    pub filters: Option<Filters>,
    pub devices: Located<Devices>,
    #[serde(rename = "mig-enabled")]
    pub mig_enabled: bool,
    #[serde(rename = "mig-devices", default)]
    pub mig_devices: Option<InOrder<Located<String>, u32>>,
}

/// GPUs of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Devices {
    /// All.
    All,
    /// Those with these indices.
    Listed(Vec<u32>),
}

impl Devices {
    /// Whether a GPU is one of them.
    pub fn include(&self, index: u32) -> bool {
        match self {
            Devices::All => true,
            Devices::Listed(indices) => indices.contains(&index),
        }
    }
}

/// Number of device and vendor on the PCI bus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Filter {
    /// As the file has it.
    pub text: String,
    /// Device and vendor; none where mig-parted cannot read it, so that it matches nothing.
    pub device: Option<u32>,
    /// Whether it names a subsystem as well.
    pub has_subsystem: bool,
}

impl Filter {
    /// What a text such as `0x20B010DE` or `0x233010DE:0x16C010DE` means.
    pub fn of(text: &str) -> Self {
        let mut numbers = text.split(':').map(device_number);
        let (device, subsystem) = (numbers.next().flatten(), numbers.next());
        let is_whole = numbers.next().is_none() && subsystem != Some(None);
        Filter {
            text: text.to_owned(),
            device: device.filter(|_| is_whole),
            has_subsystem: subsystem.is_some(),
        }
    }
}

/// Device and vendor as one number, hexadecimal with `0x` and else decimal.
pub fn device_number(text: &str) -> Option<u32> {
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    match hexadecimal {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

pub(super) struct Filters(pub Vec<Located<Filter>>);

impl<'de> Deserialize<'de> for Filter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FilterVisitor;
        impl Visitor<'_> for FilterVisitor {
            type Value = Filter;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a text in quotes, such as \"0x20B010DE\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Filter, E> {
                Ok(Filter::of(text))
            }
        }
        deserializer.deserialize_any(FilterVisitor)
    }
}

impl<'de> Deserialize<'de> for Filters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Where it stands is known before what it is.
        let several = Located::<OneOrSeveral>::deserialize(deserializer)?;
        Ok(Filters(match several.value {
            OneOrSeveral::One(filter) => vec![Located { value: filter, at: several.at }],
            OneOrSeveral::Several(filters) => filters,
        }))
    }
}

enum OneOrSeveral {
    One(Filter),
    Several(Vec<Located<Filter>>),
}

impl<'de> Deserialize<'de> for OneOrSeveral {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrSeveralVisitor;
        impl<'de> Visitor<'de> for OneOrSeveralVisitor {
            type Value = OneOrSeveral;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a text in quotes, such as \"0x20B010DE\", or a list of such texts")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<OneOrSeveral, E> {
                Ok(OneOrSeveral::One(Filter::of(text)))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<OneOrSeveral, A::Error> {
                let mut filters = Vec::new();
                while let Some(filter) = items.next_element()? {
                    filters.push(filter);
                }
                Ok(OneOrSeveral::Several(filters))
            }
        }
        deserializer.deserialize_any(OneOrSeveralVisitor)
    }
}

impl<'de> Deserialize<'de> for Devices {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DevicesVisitor;
        impl<'de> Visitor<'de> for DevicesVisitor {
            type Value = Devices;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("`all` or a list of indices, such as [0, 1]")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Devices, E> {
                if text == "all" {
                    Ok(Devices::All)
                } else {
                    Err(E::invalid_value(de::Unexpected::Str(text), &self))
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Devices, A::Error> {
                let mut indices = Vec::new();
                while let Some(index) = items.next_element()? {
                    indices.push(index);
                }
                Ok(Devices::Listed(indices))
            }
        }
        deserializer.deserialize_any(DevicesVisitor)
    }
}

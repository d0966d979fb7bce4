//! Exact decimal numbers for costs, rewards, cores and GiB.

use super::document::DECIMAL;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};

use num_integer::gcd;

/// Millionths in one.
const SCALE: i128 = 1_000_000;
/// Largest magnitude that a given number may have.
const LARGEST_GIVEN: f64 = 1e15;

/// An exact decimal number with six digits after the point, so that sums of costs never round. Beyond 10^32, where no model
/// accepts them, sums and products stay at the greatest number.
///
/// Serialised as a JSON number while it is one that every reader keeps exactly (below 2^53), else as a string.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Amount(i128);

/// Why a number cannot be an [`Amount`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AmountError {
    /// Infinite or not a number.
    #[error("it must be a finite decimal number")]
    NotFinite,
    /// Beyond 10^15.
    #[error("it must be smaller than 10^15")]
    TooLarge,
    /// More than six digits after the point.
    #[error("it may have at most six digits after the decimal point")]
    TooFine,
}

impl Amount {
    /// Zero.
    pub const ZERO: Amount = Amount(0);
    /// One.
    pub const ONE: Amount = Amount(SCALE);

    /// A whole number.
    pub fn whole(value: i128) -> Self {
        Amount(value * SCALE)
    }

    /// The number in millionths.
    pub fn millionths(self) -> i128 {
        self.0
    }

    /// The amount of that many millionths.
    pub const fn from_millionths(millionths: i128) -> Self {
        Amount(millionths)
    }

    /// Reads a number as it stands in a file.
    ///
    /// # Errors
    /// When it is not finite, too large, or finer than a millionth.
    pub fn from_f64(value: f64) -> Result<Self, AmountError> {
        if !value.is_finite() {
            return Err(AmountError::NotFinite);
        }
        if value.abs() >= LARGEST_GIVEN {
            return Err(AmountError::TooLarge);
        }
        // The shortest decimal that stands for this double is the one that was written.
        value.to_string().parse()
    }

    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / SCALE as f64
    }

    /// The amount in decimals for readers, its digits in groups of three.
    pub fn grouped(self) -> String {
        grouped(&self.to_string())
    }

    /// Whether it is below zero.
    pub fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// How many whole times `unit` goes into this amount, exactly; `None` when it does not.
    pub fn in_units_of(self, unit: Amount) -> Option<i128> {
        (unit.0 != 0 && self.0 % unit.0 == 0).then(|| self.0 / unit.0)
    }

    /// The product, exactly; `None` when it has more than six digits after the point or is beyond measure.
    pub fn product(self, factor: Amount) -> Option<Amount> {
        let product = self.0.checked_mul(factor.0)?;
        (product % SCALE == 0).then_some(Amount(product / SCALE))
    }

    /// The largest amount of which all given ones are whole multiples; one when all are zero.
    pub fn greatest_common_unit(amounts: impl IntoIterator<Item = Amount>) -> Amount {
        let divisor = amounts.into_iter().fold(0u128, |left, right| gcd(left, right.0.unsigned_abs()));
        if divisor == 0 { Amount::ONE } else { Amount(divisor as i128) }
    }
}

impl Add for Amount {
    type Output = Amount;
    fn add(self, other: Amount) -> Amount {
        Amount(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Amount) {
        self.0 = self.0.saturating_add(other.0);
    }
}

impl Sub for Amount {
    type Output = Amount;
    fn sub(self, other: Amount) -> Amount {
        Amount(self.0.saturating_sub(other.0))
    }
}

impl Mul<i128> for Amount {
    type Output = Amount;
    fn mul(self, times: i128) -> Amount {
        Amount(self.0.saturating_mul(times))
    }
}

impl Sum for Amount {
    fn sum<I: Iterator<Item = Amount>>(amounts: I) -> Amount {
        amounts.fold(Amount::ZERO, Add::add)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, part) = (self.0.unsigned_abs() / SCALE as u128, self.0.unsigned_abs() % SCALE as u128);
        if part == 0 {
            return formatter.pad(&format!("{sign}{whole}"));
        }
        formatter.pad(format!("{sign}{whole}.{part:06}").trim_end_matches('0'))
    }
}

impl fmt::Debug for Amount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl std::str::FromStr for Amount {
    type Err = AmountError;
    fn from_str(text: &str) -> Result<Self, AmountError> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
        if [whole, part]
            .iter()
            .any(|digits| digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()))
        {
            return Err(AmountError::NotFinite);
        }
        if part.len() > 6 {
            return Err(AmountError::TooFine);
        }
        let whole: i128 = whole.parse().map_err(|_| AmountError::TooLarge)?;
        let part: i128 = format!("{part:0<6}").parse().expect("six digits");
        let scaled = whole.checked_mul(SCALE).and_then(|scaled| scaled.checked_add(part));
        scaled.map(|scaled| Amount(sign * scaled)).ok_or(AmountError::TooLarge)
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const EXACT: i128 = 1 << 53;
        if self.0 % SCALE == 0 && (self.0 / SCALE).abs() < EXACT {
            serializer.serialize_i64((self.0 / SCALE) as i64)
        } else if self.0.abs() < EXACT {
            serializer.serialize_f64(self.to_f64())
        } else {
            serializer.collect_str(self)
        }
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Amount;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a finite number with at most six digits after the decimal point")
            }
            fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Amount, D::Error> {
                deserializer.deserialize_any(self)
            }
            /// A decimal number as it stands in a document.
            fn visit_bytes<E: de::Error>(self, digits: &[u8]) -> Result<Amount, E> {
                let text = std::str::from_utf8(digits).unwrap_or_default();
                match text.parse() {
                    Ok(Amount(millionths)) if (millionths.abs() as f64) < LARGEST_GIVEN * SCALE as f64 => {
                        Ok(Amount(millionths))
                    }
                    _ => self.visit_f64(text.trim().parse().unwrap_or(f64::NAN)),
                }
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Amount, E> {
                Ok(Amount::whole(i128::from(value)))
            }
            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Amount, E> {
                Ok(Amount::whole(i128::from(value)))
            }
            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Amount, E> {
                Amount::from_f64(value).map_err(|error| E::custom(format!("{value} cannot be used: {error}")))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Amount, E> {
                text.parse().map_err(|error| E::custom(format!("\"{text}\" cannot be used: {error}")))
            }
        }
        deserializer.deserialize_newtype_struct(DECIMAL, Visitor)
    }
}

impl JsonSchema for Amount {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Amount".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A decimal number with at most six digits after the point; a string where a JSON number would round.",
            "anyOf": [{ "type": "number" }, { "type": "string", "pattern": "^-?[0-9]+(\\.[0-9]{1,6})?$" }]
        })
    }
}

/// Digits in groups of three; what follows a decimal point stays as it is.
pub fn grouped(text: &str) -> String {
    let (number, part) = text.split_at(text.find('.').unwrap_or(text.len()));
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("-", digits));
    let mut groups = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position) % 3 == 0 {
            groups.push(',');
        }
        groups.push(digit);
    }
    format!("{sign}{groups}{part}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_decimals_exactly_and_prints_them_back() {
        for (value, text) in [
            (0.1, "0.1"),
            (2000.0, "2000"),
            (-3.25, "-3.25"),
            (0.000001, "0.000001"),
            (1e12 + 0.5, "1000000000000.5"),
        ] {
            let amount = Amount::from_f64(value).unwrap();
            assert_eq!(amount.to_string(), text);
            assert_eq!(text.parse::<Amount>().unwrap(), amount);
        }
    }

    #[test]
    fn refuses_what_is_not_exact() {
        assert_eq!(Amount::from_f64(f64::NAN), Err(AmountError::NotFinite));
        assert_eq!(Amount::from_f64(f64::INFINITY), Err(AmountError::NotFinite));
        assert_eq!(Amount::from_f64(1e15), Err(AmountError::TooLarge));
        assert_eq!(Amount::from_f64(0.123_456_7), Err(AmountError::TooFine));
    }

    #[test]
    fn refuses_what_is_no_decimal() {
        for text in ["", "-", "--5", "+1", "1.-5", "1.", ".5", "1e3", "ten"] {
            assert_eq!(text.parse::<Amount>(), Err(AmountError::NotFinite), "{text}");
        }
        assert_eq!("9".repeat(60).parse::<Amount>(), Err(AmountError::TooLarge));
    }

    #[test]
    fn common_unit_divides_all() {
        let amounts = ["1.5", "0.9", "6"].map(|text| text.parse::<Amount>().unwrap());
        let unit = Amount::greatest_common_unit(amounts);
        assert_eq!(unit.to_string(), "0.3");
        assert_eq!(amounts.map(|amount| amount.in_units_of(unit).unwrap()), [5, 3, 20]);
        assert_eq!(Amount::greatest_common_unit([Amount::ZERO]), Amount::ONE);
    }

    #[test]
    fn large_amounts_survive_json() {
        let amount = Amount::whole(1 << 60) + "0.5".parse().unwrap();
        let json = serde_json::to_string(&amount).unwrap();
        assert!(json.starts_with('"'));
        assert_eq!(serde_json::from_str::<Amount>(&json).unwrap(), amount);
    }
}

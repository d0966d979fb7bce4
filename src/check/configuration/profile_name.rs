//! Names of profiles as mig-parted reads them.

use std::fmt;

/// A profile by its name: `3g.20gb`, `1g.5gb+me`, or with the compute slices of a part of it, `1c.3g.20gb`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ProfileName {
    /// Compute slices of the compute instance, where the name tells them.
    pub part: Option<u32>,
    /// Compute slices of the GPU instance.
    pub compute: u32,
    /// The name of the GPU instance's profile.
    pub of: String,
}

impl ProfileName {
    /// Reads a name.
    ///
    /// # Errors
    /// When it has not the form of one, with the form.
    pub fn parse(name: &str) -> Result<Self, String> {
        let form =
            || "write it as `nvidia-smi mig -lgip` does, such as 3g.20gb, 1g.5gb+me or 1c.3g.20gb".to_owned();
        let mut fields = name.splitn(2, 'g');
        let slices = fields.next().unwrap_or_default();
        let memory = fields.next().and_then(|rest| rest.strip_prefix('.')).ok_or_else(form)?;
        let (part, compute) = match slices.split_once("c.") {
            Some((part, compute)) => (Some(number(part).ok_or_else(form)?), compute),
            None => (None, slices),
        };
        let digits = memory.find(|character: char| !character.is_ascii_digit()).unwrap_or(memory.len());
        let attributes = memory[digits..].strip_prefix("gb").ok_or_else(form)?;
        let is_known = |character: char| character.is_ascii_alphanumeric() || "+-.,".contains(character);
        let has_form = digits > 0
            && (attributes.is_empty() || (attributes.len() > 1 && attributes.starts_with(['+', '-'])))
            && attributes.chars().all(is_known);
        let compute_slices = number(compute).filter(|_| has_form).ok_or_else(form)?;
        if part.is_some_and(|part| part > compute_slices) {
            return Err(format!("a part of {compute_slices} compute slices has no more of them"));
        }
        Ok(ProfileName { part, compute: compute_slices, of: format!("{compute}g.{memory}") })
    }

    /// Compute slices of each device, where the profile has so many.
    pub fn slices(&self, of_profile: u32) -> u32 {
        self.part.unwrap_or(of_profile)
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part {
            Some(part) => write!(formatter, "{part}c.{}", self.of),
            None => formatter.write_str(&self.of),
        }
    }
}

/// A whole number from 1 on, in digits alone.
fn number(text: &str) -> Option<u32> {
    let is_digits = text.chars().all(|character| character.is_ascii_digit());
    text.parse().ok().filter(|&number| number > 0 && is_digits)
}

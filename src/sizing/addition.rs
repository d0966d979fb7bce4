//! Workloads that the load does not have yet.

/// So many more workloads of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addition {
    /// The profile, as instance files name it.
    pub profile: String,
    /// How many.
    pub count: u32,
}

/// At most so many workloads are added of a profile.
const MOST: u32 = 1_000_000;

impl std::str::FromStr for Addition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let example = "write PROFILE=NUMBER, such as 3g.20gb=5";
        let (profile, count) = text.split_once('=').ok_or_else(|| example.to_owned())?;
        let count = count.parse().ok().filter(|count| (1..=MOST).contains(count));
        match count {
            Some(count) if !profile.is_empty() => Ok(Addition { profile: profile.to_owned(), count }),
            _ => Err(format!("{example}, with a number from 1 to {MOST}")),
        }
    }
}

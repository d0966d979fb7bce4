//! How often each profile is drawn.

use ground::{Amount, did_you_mean};
use mig::{Board, ProfileIndex};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::fmt;
use std::str::FromStr;

/// The word for all profiles of the board, each as often as any other.
const ALL: &str = "all";

/// Profiles by name, and how often each of them is drawn in proportion to the others; without any, all profiles are drawn alike.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mix(Vec<(String, Amount)>);

/// How often each profile of a board is drawn: 0 for those that are not.
pub struct Frequencies(Vec<u64>);

impl Mix {
    /// The frequencies on a board.
    ///
    /// # Errors
    /// When the board does not have a profile, or it is named twice; the message is a sentence without its full stop.
    pub fn frequencies(&self, board: &Board) -> Result<Frequencies, String> {
        if self.0.is_empty() {
            return Ok(Frequencies(vec![1; board.profiles().len()]));
        }
        let mut frequencies = vec![0; board.profiles().len()];
        let unit = Amount::greatest_common_unit(self.0.iter().map(|(_, frequency)| *frequency));
        for (name, frequency) in &self.0 {
            let profile = board.find_profile(name).ok_or_else(|| {
                let known: Vec<&str> = board.profiles().iter().map(|profile| profile.name.as_str()).collect();
                let guess = did_you_mean(name, known.iter().copied());
                format!("\"{name}\" is no profile of {}{guess}. It has {}", board.name(), known.join(", "))
            })?;
            let place = &mut frequencies[profile.index()];
            if *place > 0 {
                return Err(format!(
                    "the profile {} is named twice. Name it once",
                    board.profile(profile).name
                ));
            }
            *place = frequency
                .in_units_of(unit)
                .and_then(|times| u64::try_from(times).ok())
                .expect("frequencies are positive multiples of their unit");
        }
        Ok(Frequencies(frequencies))
    }
}

impl FromStr for Mix {
    type Err = String;

    /// Entries with commas between them, or with slashes where commas separate something else.
    fn from_str(text: &str) -> Result<Self, String> {
        if text == ALL {
            return Ok(Mix::default());
        }
        text.split([',', '/']).map(entry).collect::<Result<_, _>>().map(Mix)
    }
}

/// A profile, and how often it is drawn: as often as any other if that is left out.
fn entry(text: &str) -> Result<(String, Amount), String> {
    let (name, frequency) = text.split_once('=').unwrap_or((text, "1"));
    let most = Amount::whole(1_000_000);
    let frequency = frequency.trim().parse::<Amount>().ok();
    let frequency = frequency.filter(|frequency| *frequency > Amount::ZERO && *frequency <= most);
    match (name.trim(), frequency) {
        ("", _) => Err(format!(
            "write profiles with `,` or `/` between them, each with `=` and how often it is drawn if not alike, such as \
             1g.10gb=0.3,2g.20gb=0.7, or `{ALL}`"
        )),
        (name, None) => Err(format!(
            "how often {name} is drawn must be a number above 0 and up to 1000000, with at most six digits after the point"
        )),
        (name, Some(frequency)) => Ok((name.to_owned(), frequency)),
    }
}

impl fmt::Display for Mix {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return formatter.write_str(ALL);
        }
        let entries: Vec<String> =
            self.0.iter().map(|(name, frequency)| format!("{name}={frequency}")).collect();
        formatter.write_str(&entries.join("/"))
    }
}

impl Frequencies {
    /// The profiles that are drawn at all, in the board's order.
    pub fn drawn(&self) -> impl Iterator<Item = ProfileIndex> + '_ {
        let profiles = self.0.iter().enumerate().filter(|(_, frequency)| **frequency > 0);
        profiles.map(|(profile, _)| ProfileIndex(profile as u8))
    }

    /// One of some profiles that are drawn; none of none.
    pub fn choose(&self, profiles: &[ProfileIndex], random: &mut ChaCha8Rng) -> Option<ProfileIndex> {
        let frequency = |profile: &ProfileIndex| self.0[profile.index()] as usize;
        let all: usize = profiles.iter().map(frequency).sum();
        if all == 0 {
            return None;
        }
        let mut drawn = random.random_range(0..all);
        profiles.iter().copied().find(|profile| {
            let below = drawn < frequency(profile);
            drawn = drawn.saturating_sub(frequency(profile));
            below
        })
    }
}

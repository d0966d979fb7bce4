//! Recorded requests: real traces, from which windows are cut.

use crate::section::{numbers, rows};
use ground::{Amount, InputError, SourceText};
use std::path::Path;

/// The column of times in the traces of Azure's inference services.
const TIMES: &str = "TIMESTAMP";
/// Microseconds of a second.
const SECOND: i128 = 1_000_000;

/// A recording of requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// Its name, of the file without the ending.
    pub name: String,
    /// When there were requests, in microseconds from the first on, and how many; in order.
    requests: Vec<(i128, Amount)>,
    /// The shortest time that can be told apart, in microseconds.
    resolution: i128,
    /// Its length in microseconds.
    length: i128,
}

impl Recording {
    /// Reads a file: CSV with a column `TIMESTAMP`, one row per request; or the requests of each second, one number per line.
    ///
    /// # Errors
    /// When it cannot be read, or a line of it holds neither.
    pub fn read(path: &Path) -> Result<Self, InputError> {
        let text = SourceText::read(path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let first = rows(&text).next();
        let times = first.and_then(|(_, row)| row.iter().position(|heading| heading == TIMES));
        let recording = match times {
            Some(column) => Recording::of_times(name, times_of(&text, column)?),
            None => Recording::of_seconds(name, numbers(&text, None)?),
        };
        if recording.requests.is_empty() {
            let message = format!(
                "there are no requests in it. Write a row per request with its time under the heading {TIMES}, or the requests \
                 of each second, one number per line."
            );
            return Err(text.error(message));
        }
        Ok(recording)
    }

    fn of_times(name: String, mut times: Vec<i128>) -> Self {
        times.sort_unstable();
        let first = times.first().copied().unwrap_or(0);
        let requests: Vec<_> = times.into_iter().map(|time| (time - first, Amount::ONE)).collect();
        let length = requests.last().map_or(0, |(time, _)| time + 1);
        Recording { name, requests, resolution: 1, length }
    }

    fn of_seconds(name: String, counts: Vec<Amount>) -> Self {
        let length = counts.len() as i128 * SECOND;
        let requests = (0..).map(|second| second * SECOND).zip(counts).collect();
        Recording { name, requests, resolution: SECOND, length }
    }

    /// In how many ways a window can be cut out that begins with a whole second; each slot has so many seconds of the
    /// recording.
    ///
    /// # Errors
    /// When the recording is too short for the window, or too coarse for its slots.
    pub fn offsets(&self, slot: Amount, slots: u32) -> Result<u64, String> {
        let Recording { name, .. } = self;
        if slot.millionths() % self.resolution != 0 {
            return Err(format!(
                "{name} has one number for each second, and a slot would have {slot} of them. Give a --compression with which \
                 that is a whole number."
            ));
        }
        let rest = self.length - slot.millionths() * i128::from(slots);
        if rest < 0 {
            return Err(format!(
                "{name} lasts {:.1} s, but a window of {slots} slots takes {} s of it. Lower --compression, or shorten the \
                 --window.",
                self.length as f64 / SECOND as f64,
                slot * i128::from(slots)
            ));
        }
        Ok((rest / SECOND) as u64 + 1)
    }

    /// Requests of each slot from a second of the recording on.
    pub fn cut(&self, offset: u64, slot: Amount, slots: u32) -> Vec<Amount> {
        let beginning = |number: i128| i128::from(offset) * SECOND + number * slot.millionths();
        let position = |time: i128| self.requests.partition_point(|&(at, _)| at < time);
        let of_slot = |number: i128| {
            let requests = &self.requests[position(beginning(number))..position(beginning(number + 1))];
            requests.iter().map(|&(_, count)| count).sum()
        };
        (0..i128::from(slots)).map(of_slot).collect()
    }
}

/// The times of all rows in microseconds.
fn times_of(text: &SourceText, column: usize) -> Result<Vec<i128>, InputError> {
    let time = |(line, row): (u64, csv::StringRecord)| {
        let cell = row.get(column).unwrap_or_default();
        microseconds(cell).ok_or_else(|| {
            let message = format!("\"{cell}\" is not a time. Write it as 2023-11-16 18:17:03.9799600.");
            text.error_at_line(Some(line), message)
        })
    };
    rows(text).skip(1).map(time).collect()
}

/// A date and a time of day in microseconds from some day on; digits beyond a microsecond are cut off.
fn microseconds(text: &str) -> Option<i128> {
    let (date, time) = text.trim_end_matches('Z').split_once([' ', 'T'])?;
    let whole = |digits: &str| digits.parse::<u32>().ok().map(i128::from);
    let [year, month, day] = three(date.split('-'))?;
    let (year, month, day) = (whole(year)?, whole(month)?, whole(day)?);
    let [hours, minutes, seconds] = three(time.split(':'))?;
    let (seconds, fraction) = seconds.split_once('.').unwrap_or((seconds, ""));
    let (hours, minutes, seconds) = (whole(hours)?, whole(minutes)?, whole(seconds)?);
    let is_in_range = (1..=12).contains(&month) && (1..=31).contains(&day);
    if !is_in_range || year > 9999 || hours > 23 || minutes > 59 || seconds > 60 {
        return None;
    }
    let fraction = fraction.get(..fraction.len().min(6))?;
    let fraction = whole(&format!("{fraction:0<6}"))?;
    // Years begin in March, so that the day that some have more is their last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let days = 365 * year + leap_days + (153 * month + 2) / 5 + day;
    Some((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * SECOND + fraction)
}

fn three<'t>(mut parts: impl Iterator<Item = &'t str>) -> Option<[&'t str; 3]> {
    let found = [parts.next()?, parts.next()?, parts.next()?];
    parts.next().is_none().then_some(found)
}

//! Shares of a sweep that processes make side by side, on one machine or many.

use super::rows::{ROWS_FILE, ROWS_OF_SHARDS};
use std::path::{Path, PathBuf};

/// The most shares of a sweep.
const MOST: u32 = 100_000;

/// One of several shares of a sweep. Rows go round: with three shards the first one has the first row of the plan, the fourth, the
/// seventh and so on, so that every shard has rows of easy instances and of hard ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    of: u32,
    number: u32,
}

impl Shard {
    /// Reads `NUMBER/OF`, such as `3/8`, or `auto/OF`: then the number is that of the task of a Slurm array, from 1 on, or the
    /// completion index of an indexed Kubernetes job, from 0 on, which `variable` looks up in the environment.
    ///
    /// # Errors
    /// When the text is neither, and when there is no such shard.
    pub fn read(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let (number, of) = text.split_once('/').ok_or_else(|| {
            format!("\"{text}\" is not NUMBER/OF. Write 3/8 for the third of eight shards, or auto/8.")
        })?;
        let of = whole(of).filter(|of| (1..=MOST).contains(of)).ok_or_else(|| {
            format!("\"{of}\" is not a number of shards. Write one from 1 to {MOST} after the slash.")
        })?;
        if number == "auto" {
            return Shard::from_environment(of, variable);
        }
        let number = whole(number).filter(|number| (1..=of).contains(number)).ok_or_else(|| {
            format!("there is no shard \"{number}\" of {of}. Write a number from 1 to {of}, or auto, before the slash.")
        })?;
        Ok(Shard { of, number })
    }

    fn from_environment(of: u32, variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let (name, first) = [("SLURM_ARRAY_TASK_ID", 1), ("JOB_COMPLETION_INDEX", 0)]
            .into_iter()
            .find(|(name, _)| variable(name).is_some())
            .ok_or(
                "auto takes the number of the shard from SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX, and neither is set. \
                 Start it as a task of a Slurm array or of an indexed Kubernetes job, or write the number itself.",
            )?;
        let value = variable(name).unwrap_or_default();
        let number = whole(&value).and_then(|index| (index + 1).checked_sub(first));
        let number = number.filter(|number| (1..=of).contains(number)).ok_or_else(|| {
            let last = of - 1 + first;
            format!("{name} is \"{value}\", but must be from {first} to {last} for {of} shards. Submit an array of these indices.")
        })?;
        Ok(Shard { of, number })
    }

    /// Whether the row at a position of the plan is one of its own.
    pub fn has(self, position: usize) -> bool {
        position % self.of as usize == self.number as usize - 1
    }

    /// How many of so many rows are its own.
    pub(super) fn rows(self, total: usize) -> usize {
        (total + (self.of - self.number) as usize) / self.of as usize
    }

    /// All shards of a number of shards.
    pub(super) fn all(of: u32) -> impl Iterator<Item = Shard> {
        (1..=of).map(move |number| Shard { of, number })
    }

    /// How many shards there are.
    pub(super) fn of(self) -> u32 {
        self.of
    }

    /// Where it keeps its rows in the sweep's folder.
    pub(super) fn file(self, folder: &Path) -> PathBuf {
        folder.join(format!("{ROWS_OF_SHARDS}{}-of-{}.jsonl", self.number, self.of))
    }

    fn of_file(name: &str) -> Option<Self> {
        let (number, of) = name.strip_prefix(ROWS_OF_SHARDS)?.strip_suffix(".jsonl")?.split_once("-of-")?;
        let (number, of) = (whole(number)?, whole(of)?);
        (1..=of).contains(&number).then_some(Shard { of, number })
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "shard {} of {}", self.number, self.of)
    }
}

/// The shards that have left rows in a folder and the files of these, in order; none if there is no folder.
pub fn shards_in(folder: &Path) -> Vec<(Shard, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let shard = |name: std::ffi::OsString| Shard::of_file(name.to_str()?);
    let mut found: Vec<_> =
        entries.filter_map(|entry| Some((shard(entry.file_name())?, entry.path()))).collect();
    found.sort();
    found
}

/// The files of a folder in which finished rows are, whichever shard made them.
pub(super) fn files_of_rows(folder: &Path) -> Vec<PathBuf> {
    let of_shards = shards_in(folder).into_iter().map(|(_, file)| file);
    [folder.join(ROWS_FILE)].into_iter().chain(of_shards).collect()
}

/// A number in digits alone.
fn whole(text: &str) -> Option<u32> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none(_: &str) -> Option<String> {
        None
    }

    #[test]
    fn every_row_belongs_to_one_shard() {
        for (of, total) in [(1, 0), (1, 7), (3, 7), (8, 3_200), (5, 4)] {
            let mut owners = vec![0; total];
            for shard in Shard::all(of) {
                let own: Vec<usize> = (0..total).filter(|&position| shard.has(position)).collect();
                assert_eq!(own.len(), shard.rows(total), "{shard}, {total} rows");
                own.into_iter().for_each(|position| owners[position] += 1);
            }
            assert!(owners.iter().all(|&owners| owners == 1), "{of} shards, {total} rows");
        }
    }

    #[test]
    fn a_shard_is_read_from_its_words_and_from_the_environment() {
        let shard = |number, of| Ok(Shard { of, number });
        assert_eq!(Shard::read("3/8", none), shard(3, 8));
        let slurm = |name: &str| (name == "SLURM_ARRAY_TASK_ID").then(|| "8".to_owned());
        assert_eq!(Shard::read("auto/8", slurm), shard(8, 8));
        let kubernetes = |name: &str| (name == "JOB_COMPLETION_INDEX").then(|| "0".to_owned());
        assert_eq!(Shard::read("auto/8", kubernetes), shard(1, 8));
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        for text in
            ["", "3", "/8", "0/8", "9/8", "3/0", "-1/8", "+1/8", "1.5/8", "3/8/9", "auto/", "3/100001"]
        {
            assert!(Shard::read(text, none).is_err(), "{text}");
        }
        assert!(Shard::read("auto/8", none).unwrap_err().contains("neither is set"));
        for (name, value) in
            [("SLURM_ARRAY_TASK_ID", "0"), ("SLURM_ARRAY_TASK_ID", "9"), ("JOB_COMPLETION_INDEX", "8")]
        {
            let variable = |asked: &str| (asked == name).then(|| value.to_owned());
            assert!(Shard::read("auto/8", variable).unwrap_err().contains(name), "{name}={value}");
        }
    }

    #[test]
    fn a_file_tells_its_shard() {
        for shard in Shard::all(12) {
            let file = shard.file(Path::new("sweep"));
            assert_eq!(Shard::of_file(file.file_name().unwrap().to_str().unwrap()), Some(shard));
        }
        for name in
            ["rows.jsonl", "rows-of-shard-9-of-8.jsonl", "rows-of-shard-0-of-8.jsonl", "earlier-rows.jsonl"]
        {
            assert_eq!(Shard::of_file(name), None, "{name}");
        }
    }
}

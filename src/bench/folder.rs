//! A sweep's folder as reports read it.

use super::change::Changes;
use super::plan::{PLAN_FILE, Plan};
use super::record::Record;
use super::rows::{EARLIER_FILE, ROWS_FILE, read_lines, read_rows};
use super::shard::files_of_rows;
use ground::InputError;
use std::path::{Path, PathBuf};

/// What a sweep's folder holds.
#[derive(Debug, Default)]
pub struct SweepFolder {
    /// The rows that the last command asked for, as far as they are there.
    pub rows: Vec<Record>,
    /// How many rows the last command asked for; none where its version kept no plan.
    pub asked: Option<usize>,
    /// Rows of earlier commands, which the last one did not ask for, and why they are left out.
    pub left_out: Changes,
}

impl SweepFolder {
    /// The files of the sweep that is kept in a folder, as far as they are there, without instances.
    pub fn files(folder: &Path) -> Vec<PathBuf> {
        let all = [EARLIER_FILE, PLAN_FILE].map(|name| folder.join(name));
        all.into_iter().chain(files_of_rows(folder)).filter(|file| file.is_file()).collect()
    }

    /// Reads a folder.
    ///
    /// # Errors
    /// As for [`read_rows`], and when the plan is broken.
    pub fn read(folder: &Path) -> Result<Self, InputError> {
        let rows = read_rows(&folder.join(ROWS_FILE))?;
        let plan = Plan::read(folder)?;
        let mut left_out = Changes::default();
        if let Some(plan) = &plan {
            let earlier: Vec<Record> = read_lines(&folder.join(EARLIER_FILE))?
                .into_iter()
                .filter_map(|line| line.row.ok())
                .collect();
            let index = plan.index();
            earlier.iter().for_each(|row| left_out.add(index.changes(row)));
        }
        Ok(SweepFolder { rows, asked: plan.map(|plan| plan.rows), left_out })
    }
}

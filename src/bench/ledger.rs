//! The file of finished rows, to which a row is added once and for all.

use super::record::{Key, Record};
use super::rows::{ROWS_FILE, read_rows};
use ground::InputError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Name of the file that says under which conditions the rows were made.
const CONDITIONS_FILE: &str = "sweep.json";

/// What must be equal for rows to be comparable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditions {
    /// Version of migopt.
    pub version: String,
    /// The solver and its version.
    pub solver: String,
    /// Threads of the solver.
    pub threads: u32,
    /// Seconds per row.
    pub time_limit: f64,
    /// GiB of address space per row.
    pub memory_limit: Option<f64>,
}

/// Why rows cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The folder cannot be used.
    #[error("{}: {error}. Name a folder that you may write to.", path.display())]
    Unusable {
        /// The folder or file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// Another sweep writes there.
    #[error(
        "{}: another sweep is writing to this folder. Wait until it has ended, or name another folder.",
        .0.display()
    )]
    Busy(PathBuf),
    /// A file in the folder is broken.
    #[error("{0}")]
    Broken(#[from] InputError),
    /// The rows that are there were made otherwise.
    #[error(
        "{}: the rows in this folder were made with {there}, now it is {here}. Use the same options to go on with that \
         sweep, or name another folder.",
        path.display()
    )]
    OtherConditions {
        /// The folder.
        path: PathBuf,
        /// Conditions of the rows that are there.
        there: String,
        /// Conditions of this sweep.
        here: String,
    },
}

/// The finished rows of a sweep. While it is open no other sweep can write to the folder.
pub struct Ledger {
    file: File,
    path: PathBuf,
    done: BTreeSet<Key>,
}

impl Ledger {
    /// Opens or begins the rows of a folder.
    ///
    /// A line that a killed process left unfinished is cut off: its row was not finished. With `retry_failed` rows that
    /// failed are dropped, so that they are made again.
    ///
    /// # Errors
    /// When the folder cannot be written to, is in use, or holds rows made under other conditions.
    pub fn open(folder: &Path, conditions: &Conditions, retry_failed: bool) -> Result<Ledger, LedgerError> {
        let path = folder.join(ROWS_FILE);
        let unusable = |error| LedgerError::Unusable { path: path.clone(), error };
        std::fs::create_dir_all(folder)
            .map_err(|error| LedgerError::Unusable { path: folder.to_owned(), error })?;
        let mut file = open_locked(folder, &path)?;
        cut_torn_line(&mut file).map_err(unusable)?;
        let empty = file.metadata().map_err(unusable)?.len() == 0;
        check_conditions(folder, conditions, empty)?;
        let mut rows = if empty { Vec::new() } else { read_rows(&path)? };
        if retry_failed && rows.iter().any(Record::is_failed) {
            rows.retain(|row| !row.is_failed());
            replace(&path, &rows).map_err(unusable)?;
            file = open_locked(folder, &path)?;
        }
        file.sync_all().map_err(unusable)?;
        sync_folder(folder).map_err(unusable)?;
        Ok(Ledger { file, path, done: rows.iter().map(Record::key).collect() })
    }

    /// Whether a row is finished.
    pub fn has(&self, key: &Key) -> bool {
        self.done.contains(key)
    }

    /// Number of finished rows.
    pub fn len(&self) -> usize {
        self.done.len()
    }

    /// Whether no row is finished.
    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// Adds a row; when this returns it is on the disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, row: &Record) -> Result<(), LedgerError> {
        let written = self.file.write_all(line(row).as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| LedgerError::Unusable { path: self.path.clone(), error })?;
        self.done.insert(row.key());
        Ok(())
    }
}

/// The file of rows, to add to; as long as it is open no other process can.
fn open_locked(folder: &Path, path: &Path) -> Result<File, LedgerError> {
    let unusable = |error| LedgerError::Unusable { path: path.to_owned(), error };
    let file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(unusable)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(LedgerError::Busy(folder.to_owned())),
        Err(TryLockError::Error(error)) => Err(unusable(error)),
    }
}

/// Puts a file of other rows in the place of the old one, at once.
fn replace(path: &Path, rows: &[Record]) -> std::io::Result<()> {
    let draft = path.with_extension("part");
    let mut file = File::create(&draft)?;
    file.write_all(rows.iter().map(line).collect::<String>().as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&draft, path)
}

fn line(row: &Record) -> String {
    serde_json::to_string(row).expect("a row is plain data") + "\n"
}

/// Cuts off what follows the last line break.
fn cut_torn_line(file: &mut File) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |position| position + 1);
    if whole < bytes.len() { file.set_len(whole as u64) } else { Ok(()) }
}

/// Compares the conditions with those of the rows that are there, or writes them down where there is no row yet.
fn check_conditions(folder: &Path, conditions: &Conditions, empty: bool) -> Result<(), LedgerError> {
    let path = folder.join(CONDITIONS_FILE);
    let in_words = |conditions: &Conditions| serde_json::to_string(conditions).expect("plain data");
    if !empty && path.exists() {
        let there: Conditions = ground::SourceText::read(&path)?.parse()?;
        if there == *conditions {
            return Ok(());
        }
        let (there, here) = (in_words(&there), in_words(conditions));
        return Err(LedgerError::OtherConditions { path: folder.to_owned(), there, here });
    }
    let text = serde_json::to_string_pretty(conditions).expect("plain data") + "\n";
    std::fs::write(&path, text).map_err(|error| LedgerError::Unusable { path, error })
}

/// Makes the names of new files durable.
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

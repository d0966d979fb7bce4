//! The file of finished rows, to which a row is added once and for all.

use super::change::{Change, Changes};
use super::conditions::Conditions;
use super::job::Job;
use super::ledger_error::LedgerError;
use super::plan::{Plan, PlanFile};
use super::record::{Key, ROW_VERSION, Record};
use super::rows::{EARLIER_FILE, Line, ROWS_FILE, read_lines};
use super::shard::{Shard, files_of_rows, shards_in};
use ground::InputError;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Which finished rows are made again although they are what is asked for.
#[derive(Clone, Debug, Default)]
pub struct Redo {
    /// Those that failed.
    pub failed: bool,
    /// Those of these methods.
    pub methods: BTreeSet<String>,
}

impl Redo {
    fn asks_for(&self, row: &Record) -> Option<Change> {
        match () {
            () if self.methods.contains(&row.method) => Some(Change::Remade(row.method.clone())),
            () if self.failed && row.is_failed() => Some(Change::Failed),
            () => None,
        }
    }
}

/// The finished rows of a sweep. While it is open no other sweep can write to the folder; while that of a shard is open, other shards
/// of the same plan can.
pub struct Ledger {
    file: File,
    path: PathBuf,
    /// Keeps whole sweeps out of the folder while a shard runs.
    _shared: Option<File>,
    done: BTreeSet<Key>,
    /// Rows that are made again, with the reasons.
    pub again: Changes,
    /// Rows of earlier commands that are not asked for, with the reasons.
    pub left_out: Changes,
    /// Lines that are no rows.
    pub foreign: Vec<InputError>,
}

impl Ledger {
    /// Opens or begins the rows of a folder for a command that asks for these rows.
    ///
    /// The file of rows then holds rows that are asked for and no others, those of shards among them. What it held besides goes to
    /// a file of its own, from which rows come back when they are asked for again; lines that are no rows go there too. A line that
    /// a killed process left unfinished is cut off: its row was not finished.
    ///
    /// # Errors
    /// When the folder cannot be written to or is in use, or its plan is broken.
    pub fn open(folder: &Path, plan: &Plan, jobs: &[Job<'_>], redo: &Redo) -> Result<Ledger, LedgerError> {
        let path = folder.join(ROWS_FILE);
        let unusable = |error| LedgerError::Unusable { path: path.clone(), error };
        std::fs::create_dir_all(folder)
            .map_err(|error| LedgerError::Unusable { path: folder.to_owned(), error })?;
        let mut file = open_locked(folder, &path)?;
        cut_torn_line(&mut file).map_err(unusable)?;
        let before = match PlanFile::read(folder)? {
            PlanFile::Conditions(conditions) => Some(conditions),
            PlanFile::None | PlanFile::Plan(_) => None,
        };
        let shards = shards_in(folder);
        let (mut rows, earlier) = (read_lines(&path)?, read_lines(&folder.join(EARLIER_FILE))?);
        let (were_rows, were_earlier) = (texts(&rows), texts(&earlier));
        for (_, file) in &shards {
            rows.extend(read_lines(file)?);
        }
        let sorted = Sorted::of(rows, earlier, before.as_ref(), jobs, redo);
        // What is moved is in both files for a moment rather than in none.
        if sorted.earlier != were_earlier {
            replace(&folder.join(EARLIER_FILE), &sorted.earlier).map_err(unusable)?;
        }
        if sorted.rows != were_rows {
            replace(&path, &sorted.rows).map_err(unusable)?;
            file = open_locked(folder, &path)?;
        }
        plan.write(folder, "part").map_err(unusable)?;
        file.sync_all().map_err(unusable)?;
        sync_folder(folder).map_err(unusable)?;
        remove(shards).map_err(unusable)?;
        let (again, left_out) = sorted.reasons(plan, jobs);
        let foreign = sorted.foreign;
        Ok(Ledger { file, path, _shared: None, done: sorted.done, again, left_out, foreign })
    }

    /// Makes a folder ready for the shards of a plan.
    ///
    /// # Errors
    /// When the folder cannot be written to, is in use, or belongs to another plan.
    pub fn prepare(folder: &Path, plan: &Plan) -> Result<(), LedgerError> {
        std::fs::create_dir_all(folder)
            .map_err(|error| LedgerError::Unusable { path: folder.to_owned(), error })?;
        let _shared = open(folder, &folder.join(ROWS_FILE), File::try_lock_shared)?;
        plan.settle(folder, "part")
    }

    /// Opens or begins the rows of a shard of a plan. Rows that are there already count, whichever process made them.
    ///
    /// # Errors
    /// When the folder cannot be written to, when this shard or a whole sweep writes to it, and when it belongs to another plan.
    pub fn open_shard(folder: &Path, plan: &Plan, shard: Shard) -> Result<Ledger, LedgerError> {
        std::fs::create_dir_all(folder)
            .map_err(|error| LedgerError::Unusable { path: folder.to_owned(), error })?;
        let shared = open(folder, &folder.join(ROWS_FILE), File::try_lock_shared)?;
        let path = shard.file(folder);
        let unusable = |error| LedgerError::Unusable { path: path.clone(), error };
        let mut file = open_locked(folder, &path)?;
        cut_torn_line(&mut file).map_err(unusable)?;
        plan.settle(folder, &shard.to_string().replace(' ', "-"))?;
        file.sync_all().map_err(unusable)?;
        sync_folder(folder).map_err(unusable)?;
        let mut done = BTreeSet::new();
        for file in files_of_rows(folder) {
            done.extend(read_lines(&file)?.into_iter().filter_map(|line| Some(line.row.ok()?.key())));
        }
        let (again, left_out) = Default::default();
        Ok(Ledger { file, path, _shared: Some(shared), done, again, left_out, foreign: Vec::new() })
    }

    /// Whether a row is finished.
    pub fn has(&self, key: &Key) -> bool {
        self.done.contains(key)
    }

    /// Adds a row; when this returns it is on the disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, row: &Record) -> Result<(), LedgerError> {
        let written = self.file.write_all((text(row) + "\n").as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| LedgerError::Unusable { path: self.path.clone(), error })?;
        self.done.insert(row.key());
        Ok(())
    }
}

/// The lines of a folder, by what a command makes of them.
#[derive(Default)]
struct Sorted {
    /// Lines of rows that are asked for.
    rows: Vec<String>,
    done: BTreeSet<Key>,
    /// All other lines.
    earlier: Vec<String>,
    /// Rows among the other lines, and those that are given up, each with why it is given up.
    others: Vec<(Record, Option<Change>)>,
    foreign: Vec<InputError>,
}

impl Sorted {
    /// `before` are the conditions of rows that do not tell theirs.
    fn of(
        rows: Vec<Line>,
        earlier: Vec<Line>,
        before: Option<&Conditions>,
        jobs: &[Job<'_>],
        redo: &Redo,
    ) -> Self {
        let asked: BTreeSet<&Key> = jobs.iter().map(|job| &job.key).collect();
        let mut sorted = Sorted::default();
        let lines =
            rows.into_iter().map(|line| (line, true)).chain(earlier.into_iter().map(|line| (line, false)));
        for (line, is_new) in lines {
            let mut row = match line.row {
                Ok(row) => row,
                Err(error) => {
                    sorted.foreign.extend(is_new.then_some(error));
                    sorted.earlier.push(line.text);
                    continue;
                }
            };
            let mut words = line.text;
            if let (None, Some(conditions)) = (&row.conditions, before) {
                row.conditions = Some(conditions.clone().of_row(row.seed.is_none()));
                row.version = ROW_VERSION;
                words = text(&row);
            }
            let key = row.key();
            if let Some(change) = redo.asks_for(&row).filter(|_| asked.contains(&key)) {
                sorted.others.push((row, Some(change)));
            } else if sorted.done.contains(&key) {
                // The same row twice, as a kill amid the moving of rows may leave it.
            } else if asked.contains(&key) {
                sorted.done.insert(key);
                sorted.rows.push(words);
            } else {
                sorted.others.push((row, None));
                sorted.earlier.push(words);
            }
        }
        sorted
    }

    /// Why rows that are missing were not taken from what is there, and why the rest is left out.
    fn reasons(&self, plan: &Plan, jobs: &[Job<'_>]) -> (Changes, Changes) {
        let index = plan.index();
        let (mut again, mut left_out) = (Changes::default(), Changes::default());
        let mut stale: BTreeMap<(&str, &str, &str, Option<u64>), Vec<Change>> = BTreeMap::new();
        // Newer rows come first and count.
        for (row, given_up) in &self.others {
            let changes = match given_up {
                Some(change) => vec![change.clone()],
                None => index.changes(row),
            };
            if changes.iter().any(Change::is_unasked) {
                left_out.add(changes.clone());
            }
            if let Some(fingerprint) = index.fingerprint(row) {
                stale.entry((fingerprint, &row.model, &row.method, row.seed)).or_insert(changes);
            }
        }
        for key in jobs.iter().map(|job| &job.key).filter(|key| !self.done.contains(key)) {
            let place = (key.fingerprint.as_str(), key.model.as_str(), key.method.as_str(), key.seed);
            if let Some(changes) = stale.remove(&place) {
                again.add(changes);
            }
        }
        (again, left_out)
    }
}

pub(super) fn texts(lines: &[Line]) -> Vec<String> {
    lines.iter().map(|line| line.text.clone()).collect()
}

/// The file of rows, to add to; as long as it is open no other process can.
pub(super) fn open_locked(folder: &Path, path: &Path) -> Result<File, LedgerError> {
    open(folder, path, File::try_lock)
}

fn open(
    folder: &Path,
    path: &Path,
    lock: impl Fn(&File) -> Result<(), TryLockError>,
) -> Result<File, LedgerError> {
    let unusable = |error| LedgerError::Unusable { path: path.to_owned(), error };
    let file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(unusable)?;
    match lock(&file) {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(LedgerError::Busy(folder.to_owned())),
        Err(TryLockError::Error(error)) => Err(unusable(error)),
    }
}

/// Removes the files of shards, whose rows are elsewhere now.
pub(super) fn remove(shards: Vec<(Shard, PathBuf)>) -> std::io::Result<()> {
    shards.into_iter().try_for_each(|(_, file)| std::fs::remove_file(file))
}

/// Puts a file of other lines in the place of the old one, at once.
pub(super) fn replace(path: &Path, lines: &[String]) -> std::io::Result<()> {
    let draft = path.with_extension("part");
    let mut file = File::create(&draft)?;
    let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&draft, path)
}

fn text(row: &Record) -> String {
    serde_json::to_string(row).expect("a row is plain data")
}

/// Cuts off what follows the last line break.
fn cut_torn_line(file: &mut File) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |position| position + 1);
    if whole < bytes.len() { file.set_len(whole as u64) } else { Ok(()) }
}

/// Makes the names of new files durable.
pub(super) fn sync_folder(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

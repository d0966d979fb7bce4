//! Writing the folder of a replay.

use super::bound::Bound;
use super::document::{BoundDocument, Conditions, PolicyDocument};
use super::engine::{Replay, profile_name};
use super::folder_reader::{BOUND_FILE, BOUND_FOLDER, CONDITIONS_FILE, HOURS_FILE, TOTALS_FILE};
use super::trace::{Trace, Visit};
use cluster::{Location, Workload};
use ground::{InputError, SourceText};
use itertools::Itertools;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The file in a policy's folder that is written first.
const SETTINGS_FILE: &str = "policy.json";
/// The file in a policy's folder with the places of virtual machines.
const PLACEMENTS_FILE: &str = "placements.csv";
/// The file in a bound's folder with the places of virtual machines.
const SCHEDULE_FILE: &str = "schedule.csv";
/// The file in a policy's folder with decisions on the way to the totals.
const DECISIONS_FILE: &str = "decisions.jsonl";
/// Most differences between conditions that a message names.
const MOST_DIFFERENCES: usize = 5;

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It cannot be written.
    #[error("{}: {error}. Name a folder that you may write to.", path.display())]
    Unusable {
        /// The folder or file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// Another replay writes there.
    #[error(
        "{}: another replay is writing to this folder. Wait until it has ended, or name another folder.",
        .0.display()
    )]
    Busy(PathBuf),
    /// A file in it is broken.
    #[error("{0}")]
    Broken(#[from] InputError),
    /// It holds replays that were made otherwise.
    #[error(
        "{}: this folder holds a replay with other settings: {}. Use the same trace and options to continue it, \
         or name another folder.",
        path.display(),
        differences.join("; ")
    )]
    Otherwise {
        /// The folder, or that of a policy in it.
        path: PathBuf,
        /// What is different.
        differences: Vec<String>,
    },
}

/// A policy's text and what it was told beside it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicySettings {
    policy: String,
    settings: BTreeMap<String, String>,
}

/// The folder of a replay, to write to. As long as it is open no other replay can write there.
pub struct Folder {
    path: PathBuf,
    /// The folder itself, locked.
    _lock: File,
}

impl Folder {
    /// Opens or begins a folder for replays under certain conditions.
    ///
    /// # Errors
    /// When it cannot be written to, is in use, or holds a replay under other conditions.
    pub fn open(path: &Path, conditions: &Conditions) -> Result<Folder, FolderError> {
        let unusable = |error| FolderError::Unusable { path: path.to_owned(), error };
        std::fs::create_dir_all(path).map_err(unusable)?;
        let lock = File::open(path).map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FolderError::Busy(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        agree(path, CONDITIONS_FILE, conditions)?;
        Ok(Folder { path: path.to_owned(), _lock: lock })
    }

    /// The files of the replay that is kept in a folder, as far as they are there.
    pub fn files(path: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        let of_policies = entries.map(|entry| entry.path()).sorted().flat_map(|folder| {
            let names = [
                SETTINGS_FILE,
                TOTALS_FILE,
                DECISIONS_FILE,
                HOURS_FILE,
                PLACEMENTS_FILE,
                BOUND_FILE,
                SCHEDULE_FILE,
            ];
            names.map(|name| folder.join(name))
        });
        let all = [path.join(CONDITIONS_FILE)].into_iter().chain(of_policies);
        all.filter(|file| file.is_file()).collect()
    }

    /// Begins a policy, or finds what is there of it: its totals, if it came to its end.
    ///
    /// # Errors
    /// When its folder cannot be written to, or holds a replay with other settings.
    pub fn begin(
        &self,
        policy: &str,
        settings: BTreeMap<String, String>,
    ) -> Result<Option<PolicyDocument>, FolderError> {
        let folder = self.of_policy(policy);
        std::fs::create_dir_all(&folder)
            .map_err(|error| FolderError::Unusable { path: folder.clone(), error })?;
        agree(&folder, SETTINGS_FILE, &PolicySettings { policy: policy.to_owned(), settings })?;
        let totals = folder.join(TOTALS_FILE);
        Ok(if totals.exists() { Some(SourceText::read(&totals)?.parse()?) } else { None })
    }

    /// The folder of a policy: its text with anything but letters, digits, `.`, `-`, `=` and `_` replaced by `_`.
    pub fn of_policy(&self, policy: &str) -> PathBuf {
        let plain = |character: char| character.is_ascii_alphanumeric() || ".-=_".contains(character);
        let name: String =
            policy.chars().map(|character| if plain(character) { character } else { '_' }).collect();
        self.path.join(name)
    }

    /// Where a policy's decisions are kept until it has come to its end.
    pub fn decisions(&self, policy: &str) -> PathBuf {
        self.of_policy(policy).join(DECISIONS_FILE)
    }

    /// Writes what came of a policy that was [begun](Folder::begin), the totals last; decisions are not needed any more then.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(&self, trace: &Trace, replay: &Replay) -> Result<(), FolderError> {
        let folder = self.of_policy(&replay.document.policy);
        write(&folder.join(HOURS_FILE), &csv(&replay.hours))?;
        write(&folder.join(PLACEMENTS_FILE), &csv(&placements(trace, &replay.first_places(trace))))?;
        write(&folder.join(TOTALS_FILE), &json(&replay.document))?;
        let decisions = folder.join(DECISIONS_FILE);
        match std::fs::remove_file(&decisions) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(FolderError::Unusable { path: decisions, error })
            }
            _ => Ok(()),
        }
    }

    /// Writes a bound in the place of the one that is there, the document last.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn keep_bound(
        &self,
        trace: &Trace,
        bound: &Bound,
        document: &BoundDocument,
    ) -> Result<(), FolderError> {
        let folder = self.path.join(BOUND_FOLDER);
        std::fs::create_dir_all(&folder)
            .map_err(|error| FolderError::Unusable { path: folder.clone(), error })?;
        let place = |workload| bound.schedule.placement.of(workload);
        let places: Vec<Option<Location>> = trace.cluster.workload_indices().map(place).collect();
        write(&folder.join(SCHEDULE_FILE), &csv(&placements(trace, &places)))?;
        write(&folder.join(BOUND_FILE), &json(document))
    }
}

/// A line of `placements.csv` or of `schedule.csv`, about a virtual machine. One that was rejected has no GPU, host and start.
#[derive(Serialize)]
struct PlacementRow<'t> {
    name: &'t str,
    profile: String,
    /// In seconds, as is the departure; without it, it stays.
    arrival: String,
    departure: Option<String>,
    /// The first place.
    gpu: Option<&'t str>,
    host: Option<&'t str>,
    start: Option<u8>,
}

/// All virtual machines in the order in which they arrived.
fn placements<'t>(trace: &'t Trace, places: &[Option<Location>]) -> Vec<PlacementRow<'t>> {
    let cluster = &trace.cluster;
    let row = |((workload, visit), &place): ((&'t Workload, &Visit), &Option<Location>)| {
        let gpu = place.map(|place| &cluster.gpus[place.gpu.index()]);
        let host = gpu.and_then(|gpu| gpu.host).map(|host| cluster.hosts[host.index()].name.as_str());
        PlacementRow {
            name: &workload.name,
            profile: profile_name(trace, workload.request),
            arrival: visit.arrival.seconds().to_string(),
            departure: visit.departure.map(|moment| moment.seconds().to_string()),
            gpu: gpu.map(|gpu| gpu.name.as_str()),
            host,
            start: place.map(|place| place.start.0),
        }
    };
    cluster.workloads.iter().zip(&trace.visits).zip(places).map(row).collect()
}

/// Rows with a line of names above.
fn csv<T: Serialize>(rows: &[T]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.iter().for_each(|row| writer.serialize(row).expect("plain data in memory"));
    writer.into_inner().expect("written to memory")
}

fn json<T: Serialize>(document: &T) -> Vec<u8> {
    (serde_json::to_string_pretty(document).expect("plain data") + "\n").into_bytes()
}

/// Writes a file at once: it is whole or absent.
fn write(path: &Path, bytes: &[u8]) -> Result<(), FolderError> {
    let draft = path.with_extension("part");
    let written = File::create(&draft)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&draft, path));
    written.map_err(|error| FolderError::Unusable { path: path.to_owned(), error })
}

/// Writes a document into a folder, or compares it with the one that is there.
fn agree<T: Serialize + for<'d> Deserialize<'d>>(
    folder: &Path,
    file: &str,
    document: &T,
) -> Result<(), FolderError> {
    let path = folder.join(file);
    if !path.exists() {
        return write(&path, &json(document));
    }
    let there: T = SourceText::read(&path)?.parse()?;
    let [there, here] =
        [&there, document].map(|document| serde_json::to_value(document).expect("plain data"));
    let mut differences = Vec::new();
    compare("", &there, &here, &mut differences);
    differences.truncate(MOST_DIFFERENCES);
    if differences.is_empty() {
        Ok(())
    } else {
        Err(FolderError::Otherwise { path: folder.to_owned(), differences })
    }
}

/// Adds in words where two documents differ.
fn compare(name: &str, there: &Value, here: &Value, differences: &mut Vec<String>) {
    if let (Value::Object(there), Value::Object(here)) = (there, here) {
        for key in there.keys().chain(here.keys()).unique() {
            let inner = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
            let of = |object: &serde_json::Map<String, Value>| object.get(key).cloned().unwrap_or_default();
            compare(&inner, &of(there), &of(here), differences);
        }
    } else if there != here {
        differences.push(format!("`{name}` was {there}, now it is {here}"));
    }
}

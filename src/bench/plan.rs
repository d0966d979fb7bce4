//! What a command asks a sweep for, kept in the sweep's folder for the next command and for reports.

use super::case::Case;
use super::change::Change;
use super::conditions::Conditions;
use super::ledger_error::LedgerError;
use super::method::Method;
use super::program::{Digests, Program};
use super::record::Record;
use ground::{InputError, SourceText};
use itertools::Itertools;
use models::Model;
use serde::{Deserialize, Serialize};
use solver::Effort;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

/// Name of the file in a sweep's folder.
pub const PLAN_FILE: &str = "sweep.json";

/// The version of the file that is written.
const PLAN_VERSION: u32 = 2;

/// What the last command asked for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Version of the format.
    format: u32,
    /// Number of rows.
    pub rows: usize,
    /// The instances.
    pub instances: Vec<PlannedInstance>,
    /// The methods of each model.
    methods: Vec<PlannedMethod>,
    /// The seeds for methods that take one.
    seeds: Vec<u64>,
}

/// An instance of a plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedInstance {
    /// Its file as rows name it.
    pub path: String,
    /// The digest of the instance.
    fingerprint: String,
    /// The model.
    model: String,
    /// Digest of the file as the sweep wrote it, if it did: what has another one was edited since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
}

/// A method of a plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlannedMethod {
    model: String,
    method: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    program: Option<Digests>,
    conditions: Conditions,
}

/// A method for the instances of a model, with what its rows depend on.
pub struct Planned {
    /// The model.
    pub model: &'static dyn Model,
    /// The method.
    pub method: Method,
    /// The program that it runs, if it runs one.
    pub program: Option<Program>,
    /// The conditions of its rows.
    pub conditions: Conditions,
}

impl Planned {
    /// The method as it is now.
    pub fn new(
        model: &'static dyn Model,
        method: Method,
        effort: &Effort,
        memory_limit: Option<f64>,
    ) -> Self {
        let conditions = Conditions::of(&method, effort, memory_limit);
        Planned { model, program: method.program(), conditions, method }
    }
}

/// The file of older versions, which held the conditions of all rows instead of a plan.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OlderFile {
    version: String,
    solver: String,
    threads: u32,
    time_limit: f64,
    memory_limit: Option<f64>,
}

/// What a folder's file says.
pub(super) enum PlanFile {
    /// There is none.
    None,
    /// The conditions of all rows, of an older version.
    Conditions(Conditions),
    /// The plan of the last command.
    Plan(Plan),
}

impl PlanFile {
    /// Reads the file of a folder.
    ///
    /// # Errors
    /// When it is broken.
    pub fn read(folder: &Path) -> Result<Self, InputError> {
        let path = folder.join(PLAN_FILE);
        if !path.exists() {
            return Ok(PlanFile::None);
        }
        let source = SourceText::read(&path)?;
        if let Ok(older) = source.parse::<OlderFile>() {
            let OlderFile { version, solver, threads, time_limit, memory_limit } = older;
            let (solver, threads) = (Some(solver), Some(threads));
            return Ok(PlanFile::Conditions(Conditions {
                version,
                solver,
                threads,
                time_limit,
                memory_limit,
            }));
        }
        Ok(PlanFile::Plan(source.parse()?))
    }

    /// The plan, if there is one.
    pub fn plan(self) -> Option<Plan> {
        match self {
            PlanFile::Plan(plan) => Some(plan),
            PlanFile::None | PlanFile::Conditions(_) => None,
        }
    }
}

impl Plan {
    /// What a command asks for. Some of the instances may be files that the sweep wrote itself, with these digests.
    pub fn new(cases: &[Case], methods: &[Planned], seeds: &[u64], rows: usize) -> Self {
        let instance = |case: &Case| PlannedInstance {
            path: case.label.clone(),
            fingerprint: case.instance.fingerprint.clone(),
            model: case.model.name().to_owned(),
            written: case.written.clone(),
        };
        let method = |planned: &Planned| PlannedMethod {
            model: planned.model.name().to_owned(),
            method: planned.method.to_string(),
            program: planned.program.as_ref().map(Program::digests),
            conditions: planned.conditions.clone(),
        };
        Plan {
            format: PLAN_VERSION,
            rows,
            instances: cases.iter().map(instance).collect(),
            methods: methods.iter().map(method).collect(),
            seeds: seeds.to_vec(),
        }
    }

    /// The plan of the last command that wrote to a folder; none if there is none, or the command's version kept none.
    ///
    /// # Errors
    /// When the file is broken.
    pub fn read(folder: &Path) -> Result<Option<Self>, InputError> {
        PlanFile::read(folder).map(PlanFile::plan)
    }

    /// Writes the plan into a folder, first under a name with another ending, which must be the writer's own.
    pub(super) fn write(&self, folder: &Path, ending: &str) -> std::io::Result<()> {
        let (path, draft) = (folder.join(PLAN_FILE), folder.join(format!("{PLAN_FILE}.{ending}")));
        let mut file = std::fs::File::create(&draft)?;
        file.write_all(self.text().as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&draft, path)
    }

    fn text(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data") + "\n"
    }

    /// Makes the plan that of a folder, unless the folder has it already; `ending` as for [`Plan::write`].
    ///
    /// # Errors
    /// When the folder has another one, and when it cannot be written to.
    pub(super) fn settle(&self, folder: &Path, ending: &str) -> Result<(), LedgerError> {
        let what = match PlanFile::read(folder)? {
            PlanFile::None => {
                let path = folder.join(PLAN_FILE);
                return self.write(folder, ending).map_err(|error| LedgerError::Unusable { path, error });
            }
            PlanFile::Conditions(_) => "a plan of an older version of migopt".to_owned(),
            PlanFile::Plan(there) if there.text() == self.text() => return Ok(()),
            PlanFile::Plan(there) => there.beside(self),
        };
        Err(LedgerError::OtherPlan { folder: folder.to_owned(), what })
    }

    /// What it has that another plan has otherwise, in words.
    fn beside(&self, other: &Plan) -> String {
        let parts = |plan: &Plan| {
            let of_methods =
                |part: &dyn Fn(&PlannedMethod) -> String| plan.methods.iter().map(part).join(" ");
            [
                ("other instances", plan.instances.iter().map(|one| &one.fingerprint).join(" ")),
                ("other names of its instances' files", plan.instances.iter().map(|one| &one.path).join(" ")),
                ("other methods", of_methods(&|one| format!("{} {}", one.model, one.method))),
                ("other programs of its methods", of_methods(&|one| format!("{:?}", one.program))),
                (
                    "other limits or another version of migopt or the solver",
                    of_methods(&|one| one.conditions.key()),
                ),
                ("other seeds", plan.seeds.iter().join(" ")),
            ]
        };
        let differs = parts(self).into_iter().zip(parts(other)).find(|((_, there), (_, here))| there != here);
        differs.map_or("another plan", |((what, _), _)| what).to_owned()
    }

    /// Looks rows up in the plan.
    pub fn index(&self) -> PlanIndex<'_> {
        let (mut by_path, mut known) = (BTreeMap::new(), BTreeMap::new());
        for (position, one) in self.instances.iter().enumerate() {
            by_path.insert((one.model.as_str(), one.path.as_str()), one.fingerprint.as_str());
            known.insert((one.model.as_str(), one.fingerprint.as_str()), position);
        }
        let of = |one: &'_ PlannedMethod| (one.model.clone(), one.method.clone());
        let methods = self.methods.iter().enumerate().map(|(position, one)| (of(one), (position, one)));
        let seeds = self.seeds.iter().enumerate().map(|(position, &seed)| (seed, position));
        PlanIndex { by_path, known, methods: methods.collect(), seeds: seeds.collect() }
    }
}

/// A plan in which rows are looked up.
pub struct PlanIndex<'p> {
    /// Fingerprints of instances by model and path.
    by_path: BTreeMap<(&'p str, &'p str), &'p str>,
    /// Positions of instances by model and fingerprint.
    known: BTreeMap<(&'p str, &'p str), usize>,
    /// Methods and their positions by model and name.
    methods: BTreeMap<(String, String), (usize, &'p PlannedMethod)>,
    /// Positions of seeds.
    seeds: BTreeMap<u64, usize>,
}

impl<'p> PlanIndex<'p> {
    /// The digest that the row's instance has in the plan, also if the row was made of an earlier content of its file.
    pub(super) fn fingerprint(&self, row: &'p Record) -> Option<&'p str> {
        let (model, fingerprint) = (row.model.as_str(), row.fingerprint.as_str());
        if self.known.contains_key(&(model, fingerprint)) {
            return Some(fingerprint);
        }
        self.by_path.get(&(model, row.path.as_str())).copied()
    }

    /// Where a row stands in the plan: positions of its instance, method and seed.
    pub(super) fn position(&self, row: &Record) -> (Option<usize>, Option<usize>, Option<usize>) {
        let method = self.methods.get(&(row.model.clone(), row.method.clone()));
        let seed = row.seed.and_then(|seed| self.seeds.get(&seed));
        let instance = self.known.get(&(row.model.as_str(), row.fingerprint.as_str()));
        (instance.copied(), method.map(|(position, _)| *position), seed.copied())
    }

    /// Why a row is not one of the plan's; nothing if it is.
    pub(super) fn changes(&self, row: &'p Record) -> Vec<Change> {
        let fingerprint = self.fingerprint(row);
        let Some((_, method)) = self.methods.get(&(row.model.clone(), row.method.clone())) else {
            return vec![Change::OtherMethod(row.method.clone())];
        };
        if fingerprint.is_none() {
            return vec![Change::OtherInstance];
        }
        if let Some(seed) = row.seed.filter(|seed| !self.seeds.contains_key(seed)) {
            return vec![Change::OtherSeed(seed)];
        }
        let mut changes = Vec::new();
        if fingerprint != Some(&row.fingerprint) {
            changes.push(Change::File(row.path.clone()));
        }
        changes.extend(programs_differ(row.program.as_ref(), method.program.as_ref()));
        match &row.conditions {
            None => changes.push(Change::Unrecorded),
            Some(conditions) => {
                let words = method.conditions.changes_from(conditions);
                changes.extend(words.into_iter().map(Change::Condition));
            }
        }
        changes
    }
}

/// The files in which two programs differ.
fn programs_differ(earlier: Option<&Digests>, now: Option<&Digests>) -> Vec<Change> {
    let (earlier, now) = match (earlier, now) {
        (None, None) => return Vec::new(),
        (Some(earlier), Some(now)) => (earlier, now),
        _ => return vec![Change::Unrecorded],
    };
    let words: BTreeSet<&String> = earlier.keys().chain(now.keys()).collect();
    let changed = words.into_iter().filter(|word| earlier.get(*word) != now.get(*word));
    changed.map(|word| Change::File(word.clone())).collect()
}

//! The instances of a sweep: files, folders of them, lines of files, and generated ones.

use super::arguments::BenchArguments;
use super::exit::Failure;
use super::files::{FutureFile, make_folder};
use super::format::Format;
use super::generate::{Batch, count, drawn};
use super::library::{OfModel, chosen, make};
use super::output::serialise;
use bench::{Case, PLAN_FILE, Plan};
use ground::{Fingerprint, SourceText};
use kit::whole;
use models::{DocumentKind, Instance, InstanceFile, Model, model_named, parse_instance};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// The instances of a sweep, and what is to be said about them.
#[derive(Default)]
pub struct Cases {
    /// The instances, each once: those given, then those generated.
    pub cases: Vec<Case>,
    /// What is wrong with files that are no instances, file by file.
    pub broken: Vec<Failure>,
    /// Files of the sweep that were edited since it wrote them.
    pub edited: Vec<String>,
    /// Instances that leave their model open, and which one is taken, with the reason.
    pub guessed: Vec<String>,
    /// Files in folders that hold answers instead of instances.
    pub answers: usize,
}

/// A file of which an instance is to be read.
struct Source {
    file: PathBuf,
    /// The file as rows name it.
    label: String,
    /// The model that the sweep was told of the instance.
    model: Option<&'static dyn Model>,
    /// The digest of the file as the sweep wrote it, if it did.
    written: Option<String>,
    /// Whether it is only looked at because it is in a folder.
    found: bool,
}

/// Finds, writes and reads the instances that a command asks for. Files that cannot be read are told, and hinder no others.
///
/// # Errors
/// When a specification of instances to generate is wrong, when files of the sweep cannot be written, and when there is no instance
/// at all.
pub fn cases(task: &BenchArguments) -> Result<Cases, Failure> {
    let mut gathered = Cases::default();
    let mut own = OwnFiles::of(&task.output)?;
    let mut sources = Vec::new();
    for path in &task.paths {
        let found = if path.extension().is_some_and(|ending| ending == "jsonl") {
            own.split_lines(path)
        } else if path.is_dir() {
            folder(path)
        } else {
            Ok(vec![Source { label: path.display().to_string(), ..Source::file(path.clone()) }])
        };
        match found {
            Ok(found) => sources.extend(found),
            Err(failure) => gathered.broken.push(failure),
        }
    }
    for specification in &task.generate {
        let (model, batch, generator) = batch(specification, &own.folder)?;
        for (file, text) in drawn(&batch, generator) {
            sources.push(own.write(file, &text?, Some(model))?);
        }
    }
    for of_model in library(task)? {
        let file = own.folder.join(format!("{}.yaml", of_model.1.name));
        sources.push(own.write(file, &serialise(&make(&of_model)?, Format::Yaml)?, Some(of_model.0))?);
    }
    if sources.is_empty() && gathered.broken.is_empty() {
        return Err(Failure::Input(
            "there are no instances to run. Name files or folders, or use --library, or --generate wpm:gpus=8,count=100,seed=1.".to_owned(),
        ));
    }
    gathered.edited = own.edited;
    let mut seen = BTreeSet::new();
    for source in sources {
        match source.read() {
            Ok(None) => gathered.answers += 1,
            Ok(Some(instance)) => {
                let told = task.model.or(source.model);
                if let (None, Some(why)) = (told, &instance.guess) {
                    gathered.guessed.push(format!(
                        "{}: model {}: {why}",
                        source.label,
                        instance.model.name()
                    ));
                }
                let model = told.unwrap_or(instance.model);
                if seen.insert((model.name(), instance.fingerprint.clone())) {
                    let Source { file, label, written, .. } = source;
                    gathered.cases.push(Case { model, instance, file, label, written });
                }
            }
            Err(failure) => gathered.broken.push(failure),
        }
    }
    if gathered.cases.is_empty() || (task.strict && !gathered.broken.is_empty()) {
        let complaints: Vec<String> = gathered.broken.iter().map(Failure::to_string).collect();
        return Err(Failure::Input(match complaints.as_slice() {
            [] => "the folders hold answers, but no instances. Name other folders.".to_owned(),
            complaints => complaints.join("\n"),
        }));
    }
    Ok(gathered)
}

/// The instances of the library that a command asks for.
fn library(task: &BenchArguments) -> Result<Vec<OfModel>, Failure> {
    let Some(names) = &task.library else { return Ok(Vec::new()) };
    let names: Vec<String> = names.iter().filter(|name| !name.is_empty()).cloned().collect();
    chosen(&names, task.model).map_err(Failure::of_flag("--library"))
}

impl Source {
    fn file(file: PathBuf) -> Self {
        Source { label: String::new(), file, model: None, written: None, found: false }
    }

    /// The instance; nothing if the file was found in a folder and holds an answer.
    fn read(&self) -> Result<Option<Instance>, Failure> {
        let source = SourceText::read(&self.file)?;
        if self.found && DocumentKind::of(&source) != DocumentKind::Instance {
            return Ok(None);
        }
        Ok(Some(parse_instance(source)?))
    }
}

/// The instances of a folder and the folders in it, in the order of their names. Hidden files and sweeps are passed over.
fn folder(path: &Path) -> Result<Vec<Source>, Failure> {
    let is_passed_over = |entry: &DirEntry| {
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        let is_sweep = entry.file_name() == PLAN_FILE || entry.path().join(PLAN_FILE).exists();
        entry.depth() > 0 && (is_hidden || is_sweep)
    };
    let mut found = Vec::new();
    let entries = WalkDir::new(path).follow_links(true).sort_by_file_name().into_iter();
    for entry in entries.filter_entry(|entry| !is_passed_over(entry)) {
        let entry = entry.map_err(|error| {
            let place = error.path().unwrap_or(path).display();
            Failure::Input(format!("{place}: the folder cannot be read: {error}."))
        })?;
        let ending = entry.path().extension().and_then(|ending| ending.to_str());
        if entry.file_type().is_file() && matches!(ending, Some("yaml" | "yml" | "json")) {
            let file = entry.into_path();
            let label = file.display().to_string();
            found.push(Source { label, found: true, ..Source::file(file) });
        }
    }
    if found.is_empty() {
        let text = "holds no instances (files that end in .yaml, .yml or .json). Name another folder.";
        return Err(Failure::Input(format!("{}: {text}", path.display())));
    }
    Ok(found)
}

/// The files that a sweep writes for itself, below its folder.
struct OwnFiles {
    sweep: PathBuf,
    folder: PathBuf,
    /// Digests of files as earlier commands wrote them, by label.
    before: BTreeMap<String, String>,
    /// Files that were edited since.
    edited: Vec<String>,
    /// Which file of lines names its files so.
    stems: BTreeMap<String, PathBuf>,
}

impl OwnFiles {
    fn of(sweep: &Path) -> Result<Self, Failure> {
        let instances = Plan::read(sweep)?.map(|plan| plan.instances).unwrap_or_default();
        let before = instances.into_iter().filter_map(|instance| Some((instance.path, instance.written?)));
        Ok(OwnFiles {
            sweep: sweep.to_owned(),
            folder: sweep.join("instances"),
            before: before.collect(),
            edited: Vec::new(),
            stems: BTreeMap::new(),
        })
    }

    /// Writes a file, unless there is one that was edited.
    fn write(
        &mut self,
        file: PathBuf,
        text: &str,
        model: Option<&'static dyn Model>,
    ) -> Result<Source, Failure> {
        let label = file.strip_prefix(&self.sweep).unwrap_or(&file).display().to_string();
        let before = self.before.get(&label);
        let mut written = Fingerprint::of(text);
        match std::fs::read_to_string(&file) {
            Ok(there) if there == text => {}
            Ok(there) if before != Some(&Fingerprint::of(&there)) => {
                written = before.cloned().unwrap_or(written);
                self.edited.push(file.display().to_string());
            }
            _ => {
                make_folder(&self.folder)?;
                FutureFile::prepare(&file)?.write(text)?;
            }
        }
        Ok(Source { label, model, written: Some(written), ..Source::file(file) })
    }

    /// Writes the instances of a file that has one on each line to files, as every row reads one of its own.
    fn split_lines(&mut self, path: &Path) -> Result<Vec<Source>, Failure> {
        let source = SourceText::read(path)?;
        let stem = self.stem(path);
        let lines = (1..).zip(source.text().lines()).filter(|(_, line)| !line.trim().is_empty());
        let mut written = Vec::new();
        for (number, line) in lines {
            let file = self.folder.join(format!("{stem}-{number:04}.json"));
            let (text, model) = instance_of_line(line)
                .map_err(|message| Failure::Input(format!("{}:{number}: {message}", path.display())))?;
            written.push(self.write(file, text, model)?);
        }
        Ok(written)
    }

    /// What the names of a file's instances begin with: its own name, or with that of its folder if another one has it.
    fn stem(&mut self, path: &Path) -> String {
        let part = |path: Option<&std::ffi::OsStr>| path.unwrap_or_default().to_string_lossy().into_owned();
        let own = part(path.file_stem());
        let with_folder = format!("{}-{own}", part(path.parent().and_then(Path::file_name)));
        let numbered = (2..).map(|number| format!("{own}-{number}"));
        let mut names = [own.clone(), with_folder].into_iter().chain(numbered);
        let free = |name: &String| self.stems.get(name).is_none_or(|other| other == path);
        let name = names.find(free).unwrap_or(own);
        self.stems.insert(name.clone(), path.to_owned());
        name
    }
}

/// The instance on a line, and its model where the line names one: lines of `migopt corpus` and requests of the oracle hold an
/// instance beside other things, all others are one.
fn instance_of_line(line: &str) -> Result<(&str, Option<&'static dyn Model>), String> {
    #[derive(Deserialize)]
    struct Around<'l> {
        #[serde(borrow)]
        instance: &'l RawValue,
        model: Option<String>,
    }
    match serde_json::from_str::<Around<'_>>(line) {
        Err(_) => Ok((line, None)),
        Ok(Around { instance, model }) => {
            let model = model.as_deref().map(model_named).transpose()?;
            Ok((instance.get(), model))
        }
    }
}

/// From a seed to an instance.
type Draw = Box<dyn Fn(u64) -> InstanceFile>;

/// The instances that a specification stands for: `MODEL:KEY=VALUE,...`.
fn batch(specification: &str, folder: &Path) -> Result<(&'static dyn Model, Batch, Draw), Failure> {
    let wrong = |what: &str| {
        let what = what.trim_end_matches('.');
        Failure::Input(format!(
            "--generate \"{specification}\": {what}. Write a model and options of `migopt generate`, such as \
             wpm:gpus=8,count=100,seed=1,use-case=joint."
        ))
    };
    let (model, options) = specification.split_once(':').unwrap_or((specification, ""));
    let model = model_named(model).map_err(|message| wrong(&message))?;
    let mut batch = Batch { seed: 1, count: 1, output: folder.to_owned() };
    let mut values = Vec::new();
    for option in options.split(',').filter(|option| !option.is_empty()) {
        let (key, value) =
            option.split_once('=').ok_or_else(|| wrong(&format!("\"{option}\" is not KEY=VALUE")))?;
        let (key, value) = (key.trim().replace('_', "-"), value.trim());
        match key.as_str() {
            "seed" => {
                batch.seed = whole(value, 0..=u64::MAX).map_err(|rule| wrong(&format!("seed: {rule}")))?
            }
            "count" => batch.count = count(value).map_err(|rule| wrong(&format!("count: {rule}")))?,
            "output" => {
                return Err(wrong("the instances go into the sweep's folder, so `output` has no place here"));
            }
            _ => values.push((key, value)),
        }
    }
    let values: Vec<(&str, &str)> = values.iter().map(|(key, value)| (key.as_str(), *value)).collect();
    let draw = model.generator(&values).map_err(|refused| wrong(&refused.to_string()))?;
    Ok((model, batch, draw))
}

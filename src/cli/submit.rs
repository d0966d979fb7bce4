//! Files of jobs that make the rows of a sweep in shards, on engines that others run.

use super::arguments::BenchArguments;
use super::exit::Failure;
use super::files::FutureFile;
use ground::{counted, did_you_mean};
use kit::whole;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The most shards; more tasks than engines take by default.
const MOST_SHARDS: u64 = 100_000;

/// The image of `Containerfile`, by the name under which its comment builds it.
const IMAGE: &str = "migopt";

/// How often the pod of a shard is started again before the shard counts as failed.
const RESTARTS: u32 = 3;

/// A job to be written.
pub struct Submission {
    engine: Engine,
    shards: u64,
}

enum Engine {
    /// An array of Slurm.
    Slurm,
    /// An indexed job of Kubernetes.
    Kubernetes {
        /// The claim of the volume that holds the current folder.
        claim: String,
        image: String,
        namespace: Option<String>,
    },
}

impl Submission {
    /// Reads `ENGINE:KEY=VALUE,...`.
    pub fn read(text: &str) -> Result<Self, Failure> {
        let wrong = |what: String| {
            Failure::Input(format!(
                "--submit \"{text}\": {what}. Write slurm:shards=8, or kubernetes:shards=8,claim=CLAIM."
            ))
        };
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let known: &[&str] = match name {
            "slurm" => &["shards"],
            "kubernetes" => &["shards", "claim", "image", "namespace"],
            _ => {
                let guess = did_you_mean(name, ["slurm", "kubernetes"]);
                return Err(wrong(format!("\"{name}\" is not an engine{guess}")));
            }
        };
        let mut values = std::collections::BTreeMap::new();
        for option in options.split(',').filter(|option| !option.is_empty()) {
            let (key, value) =
                option.split_once('=').ok_or_else(|| wrong(format!("\"{option}\" is not KEY=VALUE")))?;
            if !known.contains(&key) {
                let guess = did_you_mean(key, known.iter().copied());
                return Err(wrong(format!(
                    "\"{key}\" is not a key of {name}{guess}; its keys are {}",
                    known.join(", ")
                )));
            }
            if values.insert(key, value.to_owned()).is_some() {
                return Err(wrong(format!("`{key}` is given twice")));
            }
        }
        let shards = values.remove("shards").ok_or_else(|| wrong("`shards` is missing".to_owned()))?;
        let shards = whole(&shards, 1..=MOST_SHARDS).map_err(|rule| wrong(format!("shards: {rule}")))?;
        let engine = if name == "slurm" {
            Engine::Slurm
        } else {
            let claim = values.remove("claim").filter(|claim| !claim.is_empty());
            let claim = claim.ok_or_else(|| {
                wrong("`claim` is missing: the claim of the volume that holds the current folder".to_owned())
            })?;
            let image = values.remove("image").unwrap_or_else(|| IMAGE.to_owned());
            Engine::Kubernetes { claim, image, namespace: values.remove("namespace") }
        };
        Ok(Submission { engine, shards })
    }

    /// Writes the file of the job into the sweep's folder, and says how to submit it.
    pub fn write(&self, task: &BenchArguments, rows: usize) -> Result<String, Failure> {
        let folder = task.output.canonicalize();
        let folder =
            folder.map_err(|error| Failure::Input(format!("{}: {error}.", task.output.display())))?;
        let here = std::env::current_dir()
            .map_err(|error| Failure::Internal(format!("the current folder is unknown: {error}")))?;
        let words = words_of_a_shard(self.shards)?;
        let (file, text, submit) = match &self.engine {
            Engine::Slurm => ("sweep.sbatch", self.slurm(task, &folder, &here, words)?, "sbatch"),
            Engine::Kubernetes { claim, image, namespace } => {
                if !folder.starts_with(&here) {
                    return Err(Failure::Input(format!(
                        "--output {}: the volume of the claim is mounted in place of the current folder, {}, and the sweep's folder is not \
                         in it. Name a folder below the current one.",
                        task.output.display(),
                        here.display()
                    )));
                }
                let job = self.kubernetes(task, &folder, &here, &words, (claim, image, namespace.as_deref()));
                let text = serde_yaml::to_string(&job)
                    .map_err(|error| Failure::Internal(format!("the job cannot be written: {error}")))?;
                ("sweep.job.yaml", text, "kubectl create -f")
            }
        };
        let path = task.output.join(file);
        FutureFile::prepare(&path)?.write(&text)?;
        let folder = task.output.display();
        Ok(format!(
            "{folder}: {} in {}; submit again to continue\nnext: {submit} {}\nwhen all shards have ended: migopt bench --gather --output {folder}\n",
            counted(rows, "row"),
            counted(self.shards, "shard"),
            path.display()
        ))
    }

    fn slurm(
        &self,
        task: &BenchArguments,
        folder: &Path,
        here: &Path,
        words: Vec<String>,
    ) -> Result<String, Failure> {
        let program = std::env::current_exe()
            .map_err(|error| Failure::Internal(format!("migopt's own program file is unknown: {error}")))?;
        let words = [text_of(&program)?].into_iter().chain(words).collect::<Vec<_>>();
        let command = shlex::try_join(words.iter().map(String::as_str)).map_err(|error| {
            Failure::Input(format!("the command cannot be written for a shell: {error}."))
        })?;
        let memory = task.memory_limit.map_or(String::new(), |limit| {
            let mebibytes = (limit * 1024.0 * f64::from(task.jobs)).ceil();
            format!("#SBATCH --mem={mebibytes}M\n")
        });
        Ok(format!(
            "#!/bin/sh\n\
             # Makes the rows of a sweep in {shards}. What is there is not made again: submit it again to continue.\n\
             # Partition, account and time go on the command line: sbatch --partition=NAME --time=HH:MM:SS {file}\n\
             #SBATCH --job-name={name}\n\
             #SBATCH --array=1-{last}\n\
             #SBATCH --cpus-per-task={cpus}\n\
             {memory}\
             #SBATCH --requeue\n\
             #SBATCH --open-mode=append\n\
             #SBATCH --chdir={here}\n\
             #SBATCH --output={log}\n\
             exec {command}\n",
            shards = counted(self.shards, "shard"),
            file = task.output.join("sweep.sbatch").display(),
            name = name_of(folder),
            last = self.shards,
            cpus = cpus(task),
            here = quoted(&text_of(here)?),
            log = quoted(&text_of(&folder.join("shard-%a.log"))?),
        ))
    }

    fn kubernetes(
        &self,
        task: &BenchArguments,
        folder: &Path,
        here: &Path,
        words: &[String],
        (claim, image, namespace): (&str, &str, Option<&str>),
    ) -> Value {
        let mut metadata = json!({
            "generateName": format!("{}-", name_of(folder)),
            "labels": {"app.kubernetes.io/name": "migopt"},
        });
        if let Some(namespace) = namespace {
            metadata["namespace"] = json!(namespace);
        }
        let mut requests = json!({"cpu": cpus(task).to_string()});
        if let Some(limit) = task.memory_limit {
            requests["memory"] = json!(format!("{}Mi", (limit * 1024.0 * f64::from(task.jobs)).ceil()));
        }
        let command: Vec<&str> = ["migopt"].into_iter().chain(words.iter().map(String::as_str)).collect();
        json!({
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": metadata,
            "spec": {
                "completionMode": "Indexed",
                "completions": self.shards,
                "parallelism": self.shards,
                "backoffLimitPerIndex": RESTARTS,
                // Bad input stays bad however often it is read.
                "podFailurePolicy": {
                    "rules": [{"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [2]}}],
                },
                "template": {"spec": {
                    "restartPolicy": "Never",
                    "containers": [{
                        "name": "migopt",
                        "image": image,
                        "command": command,
                        "workingDir": here,
                        "resources": {"requests": requests},
                        "volumeMounts": [{"name": "sweep", "mountPath": here}],
                    }],
                    "volumes": [{"name": "sweep", "persistentVolumeClaim": {"claimName": claim}}],
                }},
            },
        })
    }
}

/// What the command line says without `--submit`, for the task that the engine numbers.
fn words_of_a_shard(shards: u64) -> Result<Vec<String>, Failure> {
    let mut words = Vec::new();
    let mut given = std::env::args_os().skip(1);
    while let Some(word) = given.next() {
        match word.to_str() {
            Some("--submit") => drop(given.next()),
            Some(word) if word.starts_with("--submit=") => {}
            Some(word) => words.push(word.to_owned()),
            None => return Err(not_text(Path::new(&word))),
        }
    }
    words.push(format!("--shard=auto/{shards}"));
    Ok(words)
}

/// The processors that a shard keeps busy.
fn cpus(task: &BenchArguments) -> u32 {
    task.jobs * task.effort.threads
}

/// A name for the job, of letters, digits and hyphens.
fn name_of(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let fit =
        |letter: char| if letter.is_ascii_lowercase() || letter.is_ascii_digit() { letter } else { '-' };
    let name: String = name.chars().take(40).map(fit).collect();
    format!("migopt-{}", name.trim_matches('-')).trim_end_matches('-').to_owned()
}

/// A value of a directive of Slurm, which reads quotation marks.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn text_of(path: &Path) -> Result<String, Failure> {
    path.to_str().map(str::to_owned).ok_or_else(|| not_text(path))
}

fn not_text(path: &Path) -> Failure {
    let shown: PathBuf = path.to_owned();
    Failure::Input(format!(
        "{}: the name is not valid UTF-8, in which jobs are written. Use a folder and files with other names.",
        shown.display()
    ))
}

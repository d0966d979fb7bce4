//! Instance files: the cluster and, beside it, one section of settings per model.

use super::catalogue::{InstanceFile, MODELS, Sections, model_named};
use super::model::{Model, Question};
use cluster::Cluster;
use ground::{Complaints, InputError, SourceText};
use kit::{Common, Overrides, RefusedOverride, SolutionDocument, Solvable};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::Arc;

/// A read and validated instance, before a model is chosen.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Instance {
    /// The text it came from, for messages.
    pub source: SourceText,
    /// Its name.
    pub name: String,
    /// Instances of one family differ by chance alone.
    pub family: Option<String>,
    /// The validated cluster; without GPUs where the instance poses a problem of another kind alone.
    pub cluster: Arc<Cluster>,
    /// What each model keeps of the file.
    pub given: Sections,
    /// Names of the models whose section the file has.
    sections: Vec<&'static str>,
    /// The model whose question it asks: the one whose section the file has, where it has exactly one, else the first of
    /// [`MODELS`].
    pub model: &'static dyn Model,
    /// What tells this instance from others: a digest of everything in the file but comments and layout.
    pub fingerprint: String,
}

impl Instance {
    /// Reads and validates the text of an instance file.
    ///
    /// # Errors
    /// The rules broken, with their places in the text.
    pub fn parse(source: SourceText) -> Result<Self, InputError> {
        let mut file: InstanceFile = source.parse()?;
        let mut complaints = Complaints::default();
        complaints.keep(check_name(&source, &file.name));
        let (name, boards) = (file.name.clone(), file.boards.clone());
        let common = Common { source: &source, name: &name, boards: &boards };
        let given = Sections::read(&mut file, common, &mut complaints);
        let sections = file.sections();
        let names_gpus = !(file.hosts.is_empty() && file.gpus.is_empty() && file.workloads.is_empty());
        let poses_without_gpus =
            sections.iter().any(|&model| model_named(model).is_ok_and(|model| !model.needs_gpus()));
        let cluster = if names_gpus || !poses_without_gpus {
            cluster::build(&source, name.clone(), &boards, &file.hosts, &file.gpus, &file.workloads)
        } else {
            Ok(Cluster::default())
        };
        let cluster = complaints.keep(cluster);
        let (given, cluster) = complaints.finish(given.zip(cluster))?;
        Ok(Instance {
            fingerprint: file.fingerprint(),
            model: model_of_sections(&sections),
            source,
            name,
            family: file.family,
            cluster: Arc::new(cluster),
            given,
            sections,
        })
    }

    /// Reads and validates the text of an instance, in YAML or JSON.
    ///
    /// # Errors
    /// The rules broken, with their places in the text.
    pub fn from_yaml(text: &str) -> Result<Self, InputError> {
        Self::parse(SourceText::new("instance", text))
    }

    /// Reads and validates an instance file; `-` is standard input.
    ///
    /// # Errors
    /// When the file cannot be read, and as for [`from_yaml`](Instance::from_yaml).
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, InputError> {
        Self::parse(SourceText::read(path.as_ref())?)
    }

    /// The same instance under another model.
    pub fn under(self, model: &'static dyn Model) -> Self {
        Instance { model, ..self }
    }

    /// The same instance with other settings of its question.
    ///
    /// # Errors
    /// When its model has no such setting, or the setting no such value.
    pub fn with_settings(mut self, settings: &Overrides) -> Result<Self, RefusedOverride> {
        self.model.configure(&mut self, settings)?;
        Ok(self)
    }

    /// The instance's question under its model.
    ///
    /// # Errors
    /// When the settings break a rule.
    pub fn question(&self) -> Result<Box<dyn Question + '_>, InputError> {
        self.model.pose(self)
    }

    /// Names of the models whose section the file has.
    pub fn sections(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.sections.iter().copied()
    }

    /// What there is before anything is placed, of a problem without GPUs: for drawings. None where the instance has GPUs.
    pub fn unplaced(&self) -> Option<SolutionDocument> {
        if !self.cluster.gpus.is_empty() {
            return None;
        }
        MODELS.iter().find_map(|model| model.unplaced(self))
    }
}

impl Solvable for Instance {
    fn blank(&self) -> SolutionDocument {
        self.model.blank(self)
    }

    fn cluster(&self) -> &Cluster {
        &self.cluster
    }
}

/// The model whose section a file has, where it has exactly one; else the default one.
fn model_of_sections(sections: &[&'static str]) -> &'static dyn Model {
    match sections {
        [one] => model_named(one).expect("sections are of models"),
        _ => MODELS[0],
    }
}

/// The rules for the name of the whole file.
pub fn check_name(source: &SourceText, name: &str) -> Result<(), InputError> {
    if name.trim().is_empty() {
        return Err(source.error_at_key(&["name"], "`name` is empty. Give one."));
    }
    if let Some(character) = name.chars().find(|character| character.is_control()) {
        let message = format!("`name` contains the control character {character:?}. Leave it out.");
        return Err(source.error_at_key(&["name"], message));
    }
    Ok(())
}

impl InstanceFile {
    fn fingerprint(&self) -> String {
        /// Feeds a hash without holding the text.
        struct Feed(Sha256);
        impl std::io::Write for Feed {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0.update(bytes);
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let mut feed = Feed(Sha256::new());
        serde_json::to_writer(&mut feed, self).expect("plain data serialises");
        feed.0.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

//! Instance files: the cluster and, beside it, one section of settings per model.

use super::contract::{Model, Question};
use super::overrides::{Overrides, RefusedOverride};
use super::registry::MODELS;
use super::solution::SolutionDocument;
use super::{migrator, sharing, siavashi, wpm};
use crate::cluster::{
    self, Cluster, GpuSection, HostSection, InputError, Located, SourceText, WorkloadSection,
};
use crate::mig::Geometry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// An instance file. The same cluster can be given to every model; a model reads its own section.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "migopt instance")]
#[non_exhaustive]
pub struct InstanceFile {
    /// The instance's name, repeated in answers.
    pub name: String,
    /// What the instance is about, for readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Instances of one family differ by chance alone; reports average over them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// Geometry of boards that the built-in catalogue does not have, or has otherwise.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BTreeMap<String, Geometry>")]
    pub boards: BTreeMap<String, Located<Geometry>>,
    /// Hosts with their GPUs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<HostSection>")]
    pub hosts: Vec<Located<HostSection>>,
    /// GPUs without a host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<GpuSection>")]
    pub gpus: Vec<Located<GpuSection>>,
    /// Workloads, running or waiting.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<WorkloadSection>")]
    pub workloads: Vec<Located<WorkloadSection>>,
    /// Settings of model wpm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wpm: Option<wpm::Settings>,
    /// Settings of model siavashi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub siavashi: Option<siavashi::Settings>,
    /// The problem of model migrator, which has a GPU of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub migrator: Option<migrator::Section>,
    /// The problem of model sharing, which has servers of its own and no GPUs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sharing: Option<sharing::Section>,
}

/// A read and validated instance, before a model is chosen.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Instance {
    /// The text it came from, for messages.
    pub source: SourceText,
    /// Instances of one family differ by chance alone.
    pub family: Option<String>,
    /// The validated cluster; without GPUs where the instance poses a problem of another kind alone.
    pub cluster: Arc<Cluster>,
    /// Settings of model wpm; the defaults when the file has none.
    pub wpm: wpm::Settings,
    /// Settings of model siavashi; the defaults when the file has none.
    pub siavashi: siavashi::Settings,
    /// The problem of model migrator, where the file has one.
    pub migrator: Option<migrator::Problem>,
    /// The problem of model sharing, where the file has one.
    pub sharing: Option<sharing::Problem>,
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
    /// The first rule broken, with its place in the text.
    pub fn parse(source: SourceText) -> Result<Self, InputError> {
        let mut file: InstanceFile = source.parse()?;
        check_name(&source, &file.name)?;
        if let Some(settings) = &file.wpm {
            settings.check_costs(&source)?;
        }
        if let Some(section) = &mut file.migrator {
            migrator::read_requests(&source, section)?;
        }
        let migrator = file.migrator.as_ref();
        let migrator = migrator
            .map(|section| migrator::build(&source, file.name.clone(), &file.boards, section))
            .transpose()?;
        let sharing = file.sharing.as_ref();
        let sharing =
            sharing.map(|section| sharing::build(&source, file.name.clone(), section)).transpose()?;
        let names_gpus = !(file.hosts.is_empty() && file.gpus.is_empty() && file.workloads.is_empty());
        let cluster = if names_gpus || (sharing.is_none() && migrator.is_none()) {
            let name = file.name.clone();
            cluster::build(&source, name, &file.boards, &file.hosts, &file.gpus, &file.workloads)?
        } else {
            Cluster::without_gpus(file.name.clone())
        };
        let (fingerprint, model) = (file.fingerprint(), file.model());
        Ok(Instance {
            source,
            family: file.family,
            cluster: Arc::new(cluster),
            wpm: file.wpm.unwrap_or_default(),
            siavashi: file.siavashi.unwrap_or_default(),
            migrator,
            sharing,
            model,
            fingerprint,
        })
    }

    /// Reads and validates the text of an instance, in YAML or JSON.
    ///
    /// # Errors
    /// The first rule broken, with its place in the text.
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

    /// The wpm problem that the file poses.
    ///
    /// # Errors
    /// When the settings break a rule.
    pub fn wpm_problem(&self) -> Result<wpm::Problem, InputError> {
        wpm::Problem::new(&self.source, self.cluster_with_gpus("wpm")?, &self.wpm)
    }

    /// The siavashi problem that the file poses.
    ///
    /// # Errors
    /// When the settings break a rule.
    pub fn siavashi_problem(&self) -> Result<siavashi::Problem, InputError> {
        siavashi::Problem::new(&self.source, self.cluster_with_gpus("siavashi")?, &self.siavashi)
    }

    /// The sharing problem that the file poses.
    ///
    /// # Errors
    /// When the file has none.
    pub fn sharing_problem(&self) -> Result<&sharing::Problem, InputError> {
        self.sharing.as_ref().ok_or_else(|| {
            self.source.error(
                "the instance has no section `sharing`, in which model sharing finds its servers and virtual machines. Add one (see \
                 instances/sharing/), or use another model.",
            )
        })
    }

    /// The migrator problem that the file poses.
    ///
    /// # Errors
    /// When the file has none.
    pub fn migrator_problem(&self) -> Result<&migrator::Problem, InputError> {
        self.migrator.as_ref().ok_or_else(|| {
            self.source.error(
                "the instance has no section `migrator`, in which model migrator finds its window and its models. Add one (see \
                 instances/migrator/), or use another model.",
            )
        })
    }

    /// What there is before anything is placed, of a problem without GPUs: for drawings. None where the instance has GPUs.
    pub fn unplaced(&self) -> Option<SolutionDocument> {
        if !self.cluster.gpus.is_empty() {
            return None;
        }
        match (&self.migrator, &self.sharing) {
            (Some(problem), _) => Some(migrator::Plan::of_nothing(problem, &self.fingerprint)),
            (None, Some(problem)) => Some(sharing::Packing::of_nothing(problem, &self.fingerprint)),
            (None, None) => None,
        }
    }

    fn cluster_with_gpus(&self, model: &str) -> Result<Arc<Cluster>, InputError> {
        if self.cluster.gpus.is_empty() {
            let other = if self.migrator.is_some() { "migrator" } else { "sharing" };
            return Err(self.source.error(format!(
                "the instance has no GPUs, on which model {model} places workloads, but a section `{other}`. Use --model {other}."
            )));
        }
        Ok(self.cluster.clone())
    }
}

/// The rules for the name of the whole file.
pub(crate) fn check_name(source: &SourceText, name: &str) -> Result<(), InputError> {
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
    /// The model whose section the file has, where it has exactly one; else the default one.
    fn model(&self) -> &'static dyn Model {
        let sections: [(bool, &'static dyn Model); 4] = [
            (self.wpm.is_some(), &wpm::Wpm),
            (self.siavashi.is_some(), &siavashi::Siavashi),
            (self.migrator.is_some(), &migrator::Migrator),
            (self.sharing.is_some(), &sharing::Sharing),
        ];
        let mut present = sections.into_iter().filter(|&(is_present, _)| is_present).map(|(_, model)| model);
        match (present.next(), present.next()) {
            (Some(model), None) => model,
            _ => MODELS[0],
        }
    }

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

//! Instances, each with the model whose question it asks.

use super::catalogue::MODELS;
use super::contents::Contents;
use super::model::Model;
use super::question::Question;
use cluster::Cluster;
use ground::{InputError, SourceText};
use kit::{Overrides, RefusedOverride, SolutionDocument, Solvable};
use std::ops::{Deref, DerefMut};
use std::path::Path;

/// What an instance file says, and the model whose question it asks.
#[derive(Clone, Debug)]
pub struct Instance {
    contents: Contents,
    /// The model whose question it asks: the one whose section the file has, where it has exactly one; else the first of
    /// [`MODELS`] that it may mean.
    pub model: &'static dyn Model,
    /// Why it is that model, where the file leaves it open and none was named.
    pub guess: Option<String>,
}

impl Instance {
    /// Reads and validates the text of an instance file.
    ///
    /// # Errors
    /// The rules broken, with their places in the text.
    pub fn parse(source: SourceText) -> Result<Self, InputError> {
        let contents = Contents::read(source)?;
        let (model, guess) = model_of(&contents);
        Ok(Instance { contents, model, guess })
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
        Instance { model, guess: None, ..self }
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

    /// What there is before anything is placed, of a problem without GPUs: for drawings. None where the instance has GPUs.
    pub fn unplaced(&self) -> Option<SolutionDocument> {
        if !self.cluster.gpus.is_empty() {
            return None;
        }
        MODELS.iter().find_map(|model| model.unplaced(self))
    }
}

impl Deref for Instance {
    type Target = Contents;

    fn deref(&self) -> &Contents {
        &self.contents
    }
}

impl DerefMut for Instance {
    fn deref_mut(&mut self) -> &mut Contents {
        &mut self.contents
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

/// The model that a file asks: the one whose section it has. Where it has several, or none, the first that it may mean, and why.
fn model_of(contents: &Contents) -> (&'static dyn Model, Option<String>) {
    let named = |model: &&&'static dyn Model| contents.sections.contains(&model.name());
    let sections: Vec<&'static dyn Model> = MODELS.iter().filter(named).copied().collect();
    match sections.as_slice() {
        [one] => (*one, None),
        [first, ..] => {
            let why = format!("the file has sections of {}", in_words(&sections));
            (*first, Some(format!("{why}, and this is the first. Name another with --model")))
        }
        [] => {
            let possible: Vec<&'static dyn Model> =
                MODELS.iter().filter(|model| model.needs_gpus()).copied().collect();
            let others = in_words(&possible[1..]);
            let why =
                format!("the file has no section of a model. Name another, such as {others}, with --model");
            (possible[0], Some(why))
        }
    }
}

/// Names of models as a sentence has them.
fn in_words(models: &[&'static dyn Model]) -> String {
    let names: Vec<&str> = models.iter().map(|model| model.name()).collect();
    match names.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    }
}

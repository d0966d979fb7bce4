//! The benchmark library: instances from small to open, which their generators make, with what is proved about each.

use super::catalogue::MODELS;
use super::contents::Contents;
use super::instance_file::InstanceFile;
use super::model::Model;
use ground::{SourceText, did_you_mean};
use itertools::Itertools;
use kit::StageDocument;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An instance of the library: how it is made, and the best that is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryInstance {
    /// Its name, unique among those of all models.
    pub name: String,
    /// Options of the model's generator.
    pub options: BTreeMap<String, String>,
    /// Seed of the generator.
    pub seed: u64,
    /// What the instance that is made must have as its digest.
    pub fingerprint: String,
    /// The objectives in order, each with the best verified value and the best proved bound that are known.
    pub stages: Vec<StageDocument>,
    /// The method that found them, as in sweeps.
    pub method: String,
    /// Processor seconds of its run.
    pub seconds: f64,
    /// Version of migopt that ran.
    pub version: String,
}

impl LibraryInstance {
    /// Whether the optimum is proved: in every objective the bound meets the value.
    pub fn is_proved(&self) -> bool {
        self.stages.iter().all(|stage| stage.value.is_some() && stage.value == stage.bound)
    }

    /// The command that makes the same instance under the generator's own name.
    pub fn command(&self, model: &dyn Model) -> String {
        let word = |value: &str| if value.contains(' ') { format!("'{value}'") } else { value.to_owned() };
        let options = self.options.iter().map(|(name, value)| format!(" --{name} {}", word(value))).join("");
        format!("migopt generate {}{options} --seed {}", model.name(), self.seed)
    }

    /// Makes the instance.
    ///
    /// # Errors
    /// When the generator makes another one than that of which the library speaks.
    pub fn make(&self, model: &dyn Model) -> Result<InstanceFile, String> {
        let broken = |what: String| {
            format!(
                "{}: {what}, so what the library says does not hold for it. This is a bug in migopt; please report it.",
                self.name
            )
        };
        let values: Vec<(&str, &str)> =
            self.options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let draw = model.generator(&values).map_err(|refused| {
            broken(format!(
                "the generator refuses its options ({})",
                refused.to_string().trim_end_matches('.')
            ))
        })?;
        // What generators say in words may change while the instance stays the same.
        let file = InstanceFile { name: self.name.clone(), description: None, ..draw(self.seed) };
        let text = serde_json::to_string(&file).expect("plain data serialises");
        let read =
            Contents::read(SourceText::new(self.name.as_str(), text)).map_err(|error| error.to_string())?;
        if read.fingerprint != self.fingerprint {
            return Err(broken(format!(
                "`{}` makes an instance with the fingerprint {} instead of {}",
                self.command(model),
                read.fingerprint,
                self.fingerprint
            )));
        }
        Ok(file)
    }
}

impl dyn Model {
    /// The instances of the library, in its order.
    pub fn library(&self) -> Vec<LibraryInstance> {
        let read = |line: &str| serde_json::from_str(line).expect("the library is valid");
        self.library_text().lines().map(read).collect()
    }
}

/// The instance of the library with this name, and its model.
///
/// # Errors
/// When there is none.
pub fn library_instance(name: &str) -> Result<(&'static dyn Model, LibraryInstance), String> {
    let all: Vec<_> = MODELS
        .iter()
        .flat_map(|&model| model.library().into_iter().map(move |instance| (model, instance)))
        .collect();
    let guess = did_you_mean(name, all.iter().map(|(_, instance)| instance.name.as_str()));
    let found = all.into_iter().find(|(_, instance)| instance.name == name);
    found.ok_or_else(|| {
        format!("\"{name}\" is not an instance of the library{guess}. `migopt library` lists them.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_instance_than_that_of_the_library_is_refused() {
        for &model in MODELS {
            let first = model.library().remove(0);
            assert_eq!(first.make(model).unwrap().name, first.name);
            let other = LibraryInstance { seed: first.seed + 1, ..first.clone() };
            assert!(other.make(model).unwrap_err().contains("instead of"), "{}", first.name);
            let options = BTreeMap::from([("no-such".to_owned(), "1".to_owned())]);
            let broken = LibraryInstance { options, ..first };
            assert!(broken.make(model).unwrap_err().contains("refuses its options"));
        }
    }

    #[test]
    fn a_name_finds_its_instance_and_a_wrong_one_a_guess() {
        let first = MODELS[0].library().remove(0);
        assert_eq!(library_instance(&first.name).unwrap().1, first);
        let refused = library_instance(&format!("{}x", first.name)).unwrap_err();
        assert!(refused.contains(&format!("did you mean \"{}\"", first.name)), "{refused}");
    }
}

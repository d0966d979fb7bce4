//! The models, a line each, and the instance file with a section for each.

use super::adapter::Of;
use super::instance::Instance;
use super::model::{Corpus, Model};
use cluster::{GpuSection, HostSection, WorkloadSection};
use ground::{Complaints, Located};
use kit::{Common, Draft, MetricEntry, Wing, unknown};
use mig::Geometry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A wing in the catalogue: where its section stands in files and instances.
pub trait Listed: Wing {
    /// The small instances that are shipped with their optima.
    const CORPUS: &'static Corpus;

    /// Its section of a file.
    fn section_mut(file: &mut InstanceFile) -> &mut Option<Self::Section>;

    /// What an instance has for it.
    fn given(instance: &Instance) -> &Self::Given;

    /// What an instance has for it, to be changed.
    fn given_mut(instance: &mut Instance) -> &mut Self::Given;
}

/// Makes the list of models, the sections of the instance file and what is kept of each, from a line for each model.
macro_rules! catalogue {
    ($($(#[$doc:meta])* $name:ident: $wing:ty,)+) => {
        /// The wings themselves: what each model alone has.
        pub mod wings {
            $(pub use ::$name;)+
        }

        /// All models, the default first.
        pub const MODELS: &[&dyn Model] = &[$(&Of::<$wing>::MODEL),+];

        /// An instance file. The same cluster can be given to every model; a model reads its own section.
        #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        #[schemars(title = "migopt instance")]
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
            $(
                $(#[$doc])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $name: Option<<$wing as Wing>::Section>,
            )+
        }

        /// What each model keeps of an instance: its section, read and validated; the defaults where the file has none.
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub struct Sections {
            $(
                $(#[$doc])*
                pub $name: <$wing as Wing>::Given,
            )+
        }

        impl Sections {
            /// Reads the sections of a file; `None` when one of them breaks a rule, of which it then complains.
            pub(super) fn read(
                file: &mut InstanceFile,
                common: Common<'_>,
                complaints: &mut Complaints,
            ) -> Option<Self> {
                $(let $name = complaints.keep(<$wing>::read(common, file.$name.as_mut()));)+
                Some(Sections { $($name: $name?,)+ })
            }
        }

        impl InstanceFile {
            /// Names of the models whose section the file has.
            pub fn sections(&self) -> Vec<&'static str> {
                let present = [$((self.$name.is_some(), <$wing>::NAME)),+];
                present.into_iter().filter(|(is_present, _)| *is_present).map(|(_, name)| name).collect()
            }
        }

        $(
            impl Listed for $wing {
                const CORPUS: &'static Corpus = &Corpus {
                    instances: include_str!(concat!("../../instances/", stringify!($name), "/corpus.jsonl")),
                    optima: include_str!(concat!("../../instances/", stringify!($name), "/truth.csv")),
                };

                fn section_mut(file: &mut InstanceFile) -> &mut Option<Self::Section> {
                    &mut file.$name
                }

                fn given(instance: &Instance) -> &Self::Given {
                    &instance.given.$name
                }

                fn given_mut(instance: &mut Instance) -> &mut Self::Given {
                    &mut instance.given.$name
                }
            }
        )+
    };
}

catalogue! {
    /// Settings of model wpm.
    wpm: wpm::Wpm,
    /// Settings of model siavashi.
    siavashi: siavashi::Siavashi,
    /// The problem of model migrator, which has a GPU of its own.
    migrator: migrator::Migrator,
    /// The problem of model sharing, which has servers of its own and no GPUs.
    sharing: sharing::Sharing,
}

impl InstanceFile {
    /// The file of an instance that a generator drew.
    pub fn of<W: Listed>(draft: Draft<W::Section>) -> Self {
        let mut file = InstanceFile {
            name: draft.name,
            description: draft.description,
            family: draft.family,
            hosts: draft.hosts,
            gpus: draft.gpus,
            workloads: draft.workloads,
            ..InstanceFile::default()
        };
        *W::section_mut(&mut file) = draft.section;
        file
    }
}

/// The model of the given name.
///
/// # Errors
/// When there is none; the message lists those that there are.
pub fn model_named(name: &str) -> Result<&'static dyn Model, String> {
    MODELS.iter().copied().find(|model| model.name() == name).ok_or_else(|| {
        let known: Vec<&str> = MODELS.iter().map(|model| model.name()).collect();
        unknown(name, "a model", "Models", &known)
    })
}

/// The model of a wing.
pub fn model_of<W: Listed>() -> &'static dyn Model {
    model_named(W::NAME).expect("it is in the catalogue")
}

/// The metrics of the named model; none if there is no such model.
pub fn metrics_of(model: &str) -> Vec<MetricEntry> {
    model_named(model).map_or_else(|_| Vec::new(), |model| model.metrics())
}

//! Wings with their place in files and instances.

use super::corpus::Corpus;
use super::instance_file::InstanceFile;
use super::sections::Sections;
use super::wings::wings;
use kit::{Draft, Wing};

/// A wing in the catalogue: where its section stands in files and instances.
pub trait Listed: Wing {
    /// The small instances that are shipped with their optima.
    const CORPUS: &'static Corpus;

    /// The instances of the benchmark library, one as JSON on each line.
    const LIBRARY: &'static str;

    /// Its section of a file.
    fn section_mut(file: &mut InstanceFile) -> &mut Option<Self::Section>;

    /// What an instance has for it.
    fn given(sections: &Sections) -> &Self::Given;

    /// What an instance has for it, to be changed.
    fn given_mut(sections: &mut Sections) -> &mut Self::Given;
}

macro_rules! listed {
    ($($(#[$doc:meta])* $name:ident: $wing:ty,)+) => {
        $(
            impl Listed for $wing {
                const CORPUS: &'static Corpus = &Corpus {
                    instances: include_str!(concat!("../../instances/", stringify!($name), "/corpus.jsonl")),
                    optima: include_str!(concat!("../../instances/", stringify!($name), "/truth.csv")),
                };

                const LIBRARY: &'static str =
                    include_str!(concat!("../../instances/", stringify!($name), "/library.jsonl"));

                fn section_mut(file: &mut InstanceFile) -> &mut Option<Self::Section> {
                    &mut file.$name
                }

                fn given(sections: &Sections) -> &Self::Given {
                    &sections.$name
                }

                fn given_mut(sections: &mut Sections) -> &mut Self::Given {
                    &mut sections.$name
                }
            }
        )+
    };
}
wings!(listed);

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

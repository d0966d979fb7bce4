//! The instance file, with a section for each model.

use super::wings::wings;
use cluster::{DisruptionBudgetSection, GpuSection, GroupSection, HostSection, WorkloadSection};
use ground::{Fingerprint, Located};
use kit::{Shape, Wing};
use mig::Geometry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::BufWriter;

macro_rules! instance_file {
    ($($(#[$doc:meta])* $name:ident: $wing:ty,)+) => {
        /// An instance file. The same cluster can be given to every model; a model reads its own section.
        #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        #[schemars(title = "migopt instance")]
        pub struct InstanceFile {
            /// Name of the instance, which answers repeat.
            pub name: String,
            /// What the instance is about, for readers.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub description: Option<String>,
            /// Family of the instance. Instances of one family differ only in what was drawn at random; reports average over them.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub family: Option<String>,
            /// Boards by name that the catalogue does not have (`migopt list boards`), or that differ from it.
            #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
            #[schemars(with = "BTreeMap<String, Geometry>")]
            pub boards: BTreeMap<String, Located<Geometry>>,
            /// Hosts with their GPUs.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            #[schemars(with = "Vec<HostSection>")]
            pub hosts: Vec<Located<HostSection>>,
            /// GPUs outside any host.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            #[schemars(with = "Vec<GpuSection>")]
            pub gpus: Vec<Located<GpuSection>>,
            /// Workloads: those that run have `current`, the others wait for a place.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            #[schemars(with = "Vec<WorkloadSection>")]
            pub workloads: Vec<Located<WorkloadSection>>,
            /// How many workloads of a group may be down at once while a plan is carried out (`migopt plan`).
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            #[schemars(with = "Vec<DisruptionBudgetSection>")]
            pub disruption_budgets: Vec<Located<DisruptionBudgetSection>>,
            /// Groups of workloads that keep apart or belong together.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            #[schemars(with = "Vec<GroupSection>")]
            pub groups: Vec<Located<GroupSection>>,
            $(
                $(#[$doc])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $name: Option<<$wing as Wing>::Section>,
            )+
        }

        impl InstanceFile {
            /// Names of the models whose section the file has.
            pub fn sections(&self) -> Vec<&'static str> {
                let present = [$((self.$name.is_some(), <$wing>::NAME)),+];
                present.into_iter().filter(|(is_present, _)| *is_present).map(|(_, name)| name).collect()
            }

            /// Whether it has the section of a model that does without GPUs.
            pub(super) fn poses_without_gpus(&self) -> bool {
                let present = [$((self.$name.is_some(), <$wing>::SHAPE)),+];
                present.into_iter().any(|(is_present, shape)| is_present && shape != Shape::Placement)
            }
        }
    };
}
wings!(instance_file);

impl InstanceFile {
    /// What tells it from others: a digest of everything in it but comments and layout.
    pub(super) fn fingerprint(&self) -> String {
        let mut feed = BufWriter::with_capacity(1 << 16, Fingerprint::default());
        serde_json::to_writer(&mut feed, self).expect("plain data serialises");
        let Ok(fingerprint) = feed.into_inner() else { unreachable!("a hash takes whatever it is fed") };
        fingerprint.finish()
    }
}

//! What an instance file says: the cluster and, beside it, a section for each model.

use super::instance_file::InstanceFile;
use super::listed::Listed;
use super::sections::Sections;
use cluster::{Cluster, Described, MISPLACED};
use ground::{Complaints, InputError, SourceText};
use kit::{Common, InstanceReference, Shape};
use std::sync::Arc;

/// A read and validated instance, before a model is chosen.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Contents {
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
    pub(super) sections: Vec<&'static str>,
    /// What tells this instance from others: a digest of everything in the file but comments and layout.
    pub fingerprint: String,
}

impl Contents {
    /// Reads and validates the text of an instance file.
    pub(super) fn read(source: SourceText) -> Result<Self, InputError> {
        let mut file: InstanceFile = source.parse_with(MISPLACED)?;
        let mut complaints = Complaints::default();
        complaints.keep(check_name(&source, &file.name));
        let (name, boards) = (file.name.clone(), file.boards.clone());
        let common = Common { source: &source, name: &name, boards: &boards };
        let given = Sections::read(&mut file, common, &mut complaints);
        let sections = file.sections();
        let fingerprint = file.fingerprint();
        let names_gpus = !(file.hosts.is_empty() && file.gpus.is_empty() && file.workloads.is_empty());
        let cluster = if names_gpus || !file.poses_without_gpus() {
            let (hosts, gpus, workloads) = (file.hosts, file.gpus, file.workloads);
            let (budgets, groups) = (&file.disruption_budgets, &file.groups);
            let described = Described { boards: &boards, hosts, gpus, workloads, budgets, groups };
            cluster::build(&source, name.clone(), described)
        } else {
            Ok(Cluster::default())
        };
        let cluster = complaints.keep(cluster);
        let (given, cluster) = complaints.finish(given.zip(cluster))?;
        Ok(Contents {
            fingerprint,
            source: source.without_tree(),
            name,
            family: file.family,
            cluster: Arc::new(cluster),
            given,
            sections,
        })
    }

    /// Names of the models whose section the file has.
    pub fn sections(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.sections.iter().copied()
    }

    /// The problem of a wing that the file poses.
    ///
    /// # Errors
    /// When the settings break a rule, or the file poses no problem of that kind.
    pub fn problem<W: Listed>(&self) -> Result<Arc<W::Problem>, InputError> {
        if W::SHAPE == Shape::Placement && self.cluster.gpus.is_empty() {
            let other = self.sections().find(|&model| model != W::NAME).unwrap_or("another");
            return Err(self.source.error(format!(
                "the instance has no GPUs for model {} to place workloads on, but it has a section `{other}`. Use --model {other}.",
                W::NAME
            )));
        }
        W::pose(&self.source, &self.cluster, W::given(&self.given))
    }

    /// What solutions refer to it by.
    pub fn reference(&self) -> InstanceReference {
        InstanceReference::new(&self.name, &self.fingerprint)
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

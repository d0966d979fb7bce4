//! Plans from files.

use super::exit::Failure;
use super::input::read_instance;
use ground::SourceText;
use models::{DocumentKind, Instance};
use plan::{Judgement, PlanFile, Resolved, judge};
use report::PlanReport;
use std::path::Path;

/// A plan from a file, resolved for its cluster and judged.
pub struct ReadPlan {
    file: PlanFile,
    resolved: Resolved,
    pub judgement: Judgement,
}

impl ReadPlan {
    /// Reads a plan for the cluster of an instance file, without which it cannot be drawn.
    pub fn of(source: &SourceText, instance: Option<&Path>) -> Result<Self, Failure> {
        let instance = instance.ok_or_else(|| {
            source.error(
                "a plan names places of a cluster, but does not hold it. Name the instance that it was made for with --instance.",
            )
        })?;
        Self::for_instance(source, &read_instance(instance)?)
    }

    /// Reads a plan for an instance.
    pub fn for_instance(source: &SourceText, instance: &Instance) -> Result<Self, Failure> {
        let file = parse_plan(source)?;
        let resolved = file.resolve(&instance.cluster, &instance.fingerprint, source)?;
        let judgement = judge(&file, &resolved);
        Ok(ReadPlan { file, resolved, judgement })
    }

    /// The report on it.
    pub fn report(&self) -> PlanReport<'_> {
        let ReadPlan { file, resolved, judgement } = self;
        PlanReport { file, cluster: &resolved.transition.cluster, plan: &resolved.plan, judgement }
    }
}

/// A plan as its file has it.
pub fn parse_plan(source: &SourceText) -> Result<PlanFile, Failure> {
    match DocumentKind::of(source) {
        DocumentKind::Plan => Ok(source.parse()?),
        _ => Err(source.error("this is not a plan. Give one of `migopt plan`.").into()),
    }
}

/// Refuses an instance beside a document that is no plan.
pub fn refuse_instance(instance: Option<&Path>) -> Result<(), Failure> {
    match instance {
        None => Ok(()),
        Some(_) => Err(Failure::of_flag("--instance")(
            "only plans need it, and answers with --certificate. Leave it out.".to_owned(),
        )),
    }
}

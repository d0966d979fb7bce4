//! What a solution is worth, and how far that is from the optimum.

use super::distance::Distance;
use super::failure::{Unscored, Unsolved};
use super::options::Options;
use super::proved::Proved;
use super::solving::answer;
use ground::{InputError, SourceText};
use kit::{ProposalDocument, Score, SolutionDocument, Verdict};
use models::Instance;
use solver::Control;
use std::ops::Deref;

/// How far a solution is from the proved optimum, with both.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Gap {
    /// The gap itself, to which a `Gap` dereferences.
    pub distance: Distance,
    /// What the verifier says of the solution.
    pub verdict: Verdict,
    /// An optimal solution, and its proof.
    pub proof: Proved<SolutionDocument>,
}

impl Deref for Gap {
    type Target = Distance;

    fn deref(&self) -> &Distance {
        &self.distance
    }
}

/// Judges a solution by the rules alone: the rules that it breaks, or what it is worth.
///
/// # Errors
/// When the instance's settings break a rule, or the solution does not speak of the instance.
pub fn verify(instance: &Instance, solution: &SolutionDocument) -> Result<Verdict, InputError> {
    let source = SourceText::new("solution", "");
    if let Some(other) = solution.model.as_deref().filter(|&model| model != instance.model.name()) {
        let own = instance.model.name();
        return Err(source.error(format!(
            "this is a solution of model {other}, but the question is asked under model {own}. Ask it with `Instance::under`."
        )));
    }
    instance.question()?.judge(solution, &source)
}

/// What a solution is worth.
///
/// # Errors
/// When it breaks a rule, and as for [`verify`].
pub fn score(instance: &Instance, solution: &SolutionDocument) -> Result<Score, Unscored> {
    let verdict = verify(instance, solution)?;
    verdict.score.ok_or(Unscored::Broken(verdict.violations))
}

/// How far a solution is from the optimum, which is proved for it.
///
/// Where solutions of an instance can be read in several ways, both are judged under that of the instance's question.
///
/// # Errors
/// When the solution breaks a rule, when there is no proved optimum or only one under another reading, and as for
/// [`verify`].
pub fn gap(instance: &Instance, solution: &SolutionDocument, options: &Options) -> Result<Gap, Unscored> {
    compare(instance, solution, options, &Control::silent())
}

/// As [`gap`], with a control that interrupts the search for the optimum and hears of its progress.
///
/// # Errors
/// As for [`gap`].
pub fn compare(
    instance: &Instance,
    solution: &SolutionDocument,
    options: &Options,
    control: &Control,
) -> Result<Gap, Unscored> {
    let verdict = verify_comparable(instance, solution)?;
    let proof = Proved::of(answer(instance, options, control)?)?;
    if instance.question()?.comparable(&proof).is_some() {
        let text = format!(
            "{}: what the formulation {} proves does not hold under the rules by which the solution is judged. Use another, or none.",
            instance.name,
            proof.result().formulation
        );
        return Err(Unsolved::BadInput(text).into());
    }
    let distance = Distance::to_optimum(&verdict.stages, proof.stages()).ok_or_else(|| {
        Unsolved::Internal(format!(
            "{}: the verifier finds the solution better than the proved optimum. This is a bug in migopt; please report it.",
            instance.name
        ))
    })?;
    Ok(Gap { distance, verdict, proof })
}

/// The verdict on a solution by the rules under which those of the instance are compared.
///
/// # Errors
/// When it breaks a rule, and as for [`verify`].
pub(crate) fn verify_comparable(
    instance: &Instance,
    solution: &SolutionDocument,
) -> Result<Verdict, Unscored> {
    let comparable = instance.question()?.comparable(solution);
    let verdict = verify(instance, comparable.as_ref().unwrap_or(solution))?;
    if verdict.violations.is_empty() { Ok(verdict) } else { Err(Unscored::Broken(verdict.violations)) }
}

/// Runs a heuristic of the instance's model, `NAME` or `NAME:KEY=VALUE,...`, and judges what it proposes.
///
/// # Errors
/// When the instance's settings break a rule, or there is no such heuristic.
pub fn propose(instance: &Instance, heuristic: &str, seed: u64) -> Result<ProposalDocument, Unsolved> {
    let question = instance.question()?;
    question.propose(heuristic, seed).map_err(Unsolved::BadInput)
}

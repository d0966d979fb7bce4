//! Certificates of an answer, in migopt's own format or about its program in the format VIPR.

use super::exit::Failure;
use super::export::of_stage;
use super::files::{Files, FutureFile, Kind};
use certificate::Certificate;
use clap::ValueEnum;
use ground::counted;
use kit::{FormulationEntry, ResultDocument, SolveOptions, StageClaim};
use models::Question;
use solver::Control;
use std::time::Instant;
use vipr::{Claim, Limits, attained, prove};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CertificateFormat {
    /// About the instance, for `migopt verify --certificate`
    Migopt,
    /// About the program of the formulation, for checkers of others: a VIPR file for each goal
    Vipr,
}

/// A certificate that a checker accepted.
pub enum Made {
    /// About the instance.
    Instance(Certificate),
    /// About the program: goals with the texts of their files.
    Program(Vec<(Option<String>, String)>),
}

impl CertificateFormat {
    /// Makes a certificate of a proved answer.
    ///
    /// # Errors
    /// Why there is none, in words.
    pub fn make(
        self,
        question: &dyn Question,
        answer: &ResultDocument,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<Made, String> {
        match self {
            CertificateFormat::Migopt => question.certify(answer, options, control).map(Made::Instance),
            CertificateFormat::Vipr => {
                let formulation = question.formulation(options.formulation);
                let deadline = options.effort.time_limit.map(|limit| Instant::now() + limit);
                let limits = Limits { effort: &options.effort, deadline, control };
                let claims = question.claims(formulation, answer)?.into_iter();
                let files = claims
                    .map(|claim| Ok((claim.goal.clone(), proved(&claim, answer, formulation, &limits)?)));
                files.collect::<Result<_, String>>().map(Made::Program)
            }
        }
    }
}

/// The file that proves a claim.
fn proved(
    claim: &StageClaim,
    answer: &ResultDocument,
    formulation: FormulationEntry,
    limits: &Limits<'_>,
) -> Result<String, String> {
    let what = match &claim.goal {
        Some(goal) => format!("the value of goal `{goal}`"),
        None => "that there is no solution".to_owned(),
    };
    let tree = prove(&claim.claim, limits)
        .map_err(|why| format!("{what} has no proof about the program `{}`: {why}", formulation.name))?;
    // Of solutions that differ in no goal the program may keep another one than the answer's.
    let point = claim.claim.point.clone().or_else(|| attained(&claim.claim, limits));
    let proved = Claim { point, ..claim.claim.clone() };
    let mut head = vec![format!(
        "{} of {}, model {}, formulation {}; migopt {}.",
        claim.goal.as_deref().unwrap_or("infeasibility"),
        answer.instance,
        answer.model,
        formulation.name,
        env!("CARGO_PKG_VERSION")
    )];
    head.extend(claim.meaning.iter().cloned());
    Ok(vipr::text(&proved, &tree, &head))
}

impl Made {
    /// What is said of it.
    pub fn note(&self) -> String {
        match self {
            Made::Instance(_) => {
                "there is a certificate, which a checker without a solver accepted".to_owned()
            }
            Made::Program(files) => format!(
                "there is a proof about the program in the format VIPR, in {}",
                counted(files.len(), "file")
            ),
        }
    }

    /// Writes it: a file for each goal where there are several.
    pub fn write(&self, file: FutureFile, files: &mut Files) -> Result<(), Failure> {
        let proofs = match self {
            Made::Instance(certificate) => return file.write(&certificate.to_string()),
            Made::Program(proofs) => proofs,
        };
        if let [(_, text)] = proofs.as_slice() {
            return file.write(text);
        }
        for (number, (goal, text)) in (1..).zip(proofs) {
            let path = of_stage(file.path(), number, goal.as_deref().unwrap_or("infeasible"));
            let file = files.writing("--certificate", Some(&path), Kind::Certificate)?;
            file.expect("a path was given").write(text)?;
        }
        Ok(())
    }
}

//! The certificates of the instances of a model, one after the other in certificates.txt of its folder.

use crate::entries::{Entry, folder};
use crate::truth::{INFEASIBLE, Row};
use certificate::Claimed;
use ground::{Amount, SourceText};
use kit::{ResultDocument, SolveOptions};
use models::{Model, Question};
use solver::Control;
use solvers::solvers;
use std::collections::BTreeMap;
use std::path::PathBuf;
use support::instances::posed;

/// How truth.csv calls a certificate.
pub const METHOD: &str = "certificate";

/// With what every certificate begins.
const FIRST_WORD: &str = "migopt-certificate ";

/// Where the certificates of a model are.
pub fn certificates_file(model: &'static dyn Model) -> PathBuf {
    folder(model).join("certificates.txt")
}

/// The certificates of a model by the fingerprints of their instances; none of a model that has no file of them.
pub fn stored_certificates(model: &'static dyn Model) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(certificates_file(model)).unwrap_or_default();
    let certificates = text.split(FIRST_WORD).skip(1).map(|rest| {
        let of_instance = rest.lines().find_map(|line| line.strip_prefix("instance ")).expect("an instance");
        let (fingerprint, _) = of_instance.split_once(' ').expect("a fingerprint and a name");
        (fingerprint.to_owned(), format!("{FIRST_WORD}{rest}"))
    });
    certificates.collect()
}

/// The certificate of a proved result, if one is found.
pub fn make(question: &dyn Question, result: &ResultDocument) -> Result<Option<String>, String> {
    match question.certify(result, &SolveOptions::exact(solvers()[0]), &Control::silent()) {
        Ok(certificate) => check(question, result, certificate.to_string()).map(Some),
        Err(_) => Ok(None),
    }
}

/// The certificate, if it proves a result.
pub fn check(question: &dyn Question, result: &ResultDocument, text: String) -> Result<String, String> {
    let source = SourceText::new("result", "");
    let solution = result.solution.as_ref().map(|solution| (solution, &source));
    let checked = question.check_certificate(&text, solution).map_err(|error| error.to_string())?;
    if checked.accepted { Ok(text) } else { Err(format!("its certificate: {}", checked.message)) }
}

/// Whether a certificate proves what is known of an instance, without a solver and without a solution.
pub fn agrees(
    model: &'static dyn Model,
    entry: &Entry,
    truth: &[Row],
    certificate: Option<&String>,
) -> Result<(), String> {
    let rows: Vec<&Row> =
        truth.iter().filter(|row| row.proved_by.iter().any(|method| method == METHOD)).collect();
    let certificate = certificate.ok_or("it has no certificate")?;
    let question = model.pose(&entry.instance).map_err(|error| error.to_string())?;
    let claims = question.proved_by(certificate).map_err(|refusal| refusal.to_string())?;
    let known = rows.iter().map(|row| (goal(row), row.value.map(|[value, _]| value)));
    let known: Vec<(&str, Option<Amount>)> = known.collect();
    let claimed: Vec<(&str, Option<Amount>)> = claims.iter().map(of_claim).collect();
    let is_sum = match known.as_slice() {
        [("profit", value)] => *value == Some(profit(&claims)),
        [("weighted", value)] => *value == weighted(entry, &claims),
        _ => false,
    };
    if known == claimed || is_sum {
        return Ok(());
    }
    Err(format!("its certificate proves {claimed:?}, known is {known:?}"))
}

/// The goal of a row, after those before it.
fn goal(row: &Row) -> &str {
    row.objective.rsplit(" > ").next().unwrap_or_default()
}

fn of_claim(claim: &Claimed) -> (&str, Option<Amount>) {
    match claim {
        Claimed::Infeasible => (INFEASIBLE, None),
        Claimed::Best { stage, value } => (stage, Some(*value)),
    }
}

/// The profit of model wpm, where its parts are proved one after the other: the reward less all costs.
fn profit(claims: &[Claimed]) -> Amount {
    let signed = claims.iter().map(of_claim).map(|(goal, value)| match value.unwrap_or(Amount::ZERO) {
        reward if goal == "reward" => reward,
        cost => Amount::ZERO - cost,
    });
    signed.fold(Amount::ZERO, |sum, part| sum + part)
}

/// The weighted sum of model siavashi, where its parts are proved one after the other.
fn weighted(entry: &Entry, claims: &[Claimed]) -> Option<Amount> {
    let values: Vec<Amount> = claims.iter().filter_map(|claim| of_claim(claim).1).collect();
    let problem = posed::<siavashi::Siavashi>(&entry.instance);
    Some(problem.weighted_sum()?.of(values.try_into().ok()?))
}

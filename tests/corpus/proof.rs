//! Proves an instance by several methods, which must agree.

use crate::asked::{Answer, Asked, EXACT_INDEX, Method, Reply, proved, questions};
use crate::certificates;
use crate::entries::Entry;
use crate::truth::{INFEASIBLE, Row};
use ground::Amount;
use kit::{FormulationEntry, ResultDocument, SolveOptions, StageDocument};
use models::{Model, Question};
use solver::Control;
use solvers::{by_name, solvers};
use std::time::Duration;

/// How long a formulation may take on a file that is compared with the one which a question chooses by itself.
const SECONDS: u64 = 10;
/// The same on a line. All should take much less; whatever does not belongs in no corpus.
const SECONDS_OF_A_LINE: u64 = 60;
/// Instances above this size are proved by the formulation alone that they choose by themselves: workloads times GPUs, virtual
/// machines times servers in use, or slots times models times 20.
const LARGE: usize = 1000;

/// The formulations that are compared with the one that a question of the model chooses by itself: all others, where that is the
/// default one.
fn compared(model: &'static dyn Model, chosen: &str) -> Vec<FormulationEntry> {
    let mut all = model.formulations();
    let default = all.remove(0);
    all.retain(|other| default.name == chosen && other.name != EXACT_INDEX);
    all
}

/// An instance's truth.
pub struct Proof {
    pub rows: Vec<Row>,
    /// The optimum of the instance as it stands; nothing where there is no solution.
    pub optimum: Option<Vec<StageDocument>>,
    /// The certificate of the instance as it stands, if it has one.
    pub certificate: Option<String>,
}

/// Proves an instance by all methods that apply.
pub fn prove(model: &'static dyn Model, entry: &Entry) -> Result<Proof, String> {
    prove_by(model, entry, &|asked, first, _| every_method(model, entry, asked, first), &certificates::make)
}

/// Makes the certificate of an instance anew; what else proves its truth stays.
pub fn certify(model: &'static dyn Model, entry: &Entry, truth: &[Row]) -> Result<Proof, String> {
    let proof = prove_by(model, entry, &|_, _, _| Ok(Vec::new()), &certificates::make)?;
    check_same(&proof.rows, truth)?;
    let mut rows = truth.to_vec();
    rows.iter_mut().for_each(|row| row.proved_by.retain(|method| method != certificates::METHOD));
    for certified in proof.rows.iter().filter(|row| !row.proved_by.is_empty()) {
        let row = rows.iter_mut().find(|row| row.objective == certified.objective);
        row.expect("both have the same goals").proved_by.push(certificates::METHOD.to_owned());
    }
    Ok(Proof { rows, ..proof })
}

/// Proves an instance by the methods that its truth names, and compares both. `certificate` is the one that is shipped.
pub fn prove_again(
    model: &'static dyn Model,
    entry: &Entry,
    (truth, certificate): (&[Row], Option<&str>),
) -> Result<Proof, String> {
    let answers = |asked: &Asked, _: &ResultDocument, rows: &[Row]| {
        let known =
            |row: &Row| truth.iter().filter(|known| known.objective == row.objective).collect::<Vec<_>>();
        let mut methods: Vec<Method> = Vec::new();
        let names = rows.iter().flat_map(known).flat_map(|known| &known.proved_by);
        for name in names.filter(|name| *name != certificates::METHOD) {
            let is_new =
                |method: &Method| methods.iter().all(|other| other.to_string() != method.to_string());
            methods.extend(Method::named(model, name)?.filter(is_new));
        }
        let answered = methods.into_iter().map(|method| match method.ask(model, asked, None)? {
            Reply::Found(answer) => Ok((method, answer)),
            Reply::DoesNotApply | Reply::Unproved => Err(format!("{method} does not answer any more")),
        });
        answered.collect()
    };
    let shipped = |question: &dyn Question, first: &ResultDocument| {
        certificate.map(|text| certificates::check(question, first, text.to_owned())).transpose()
    };
    let proof = prove_by(model, entry, &answers, &shipped)?;
    check_same(&proof.rows, truth)?;
    Ok(proof)
}

/// Whether two tables have the same values.
fn check_same(rows: &[Row], truth: &[Row]) -> Result<(), String> {
    let found = |rows: &[Row]| {
        let mut found: Vec<_> = rows.iter().map(|row| (row.objective.clone(), row.value)).collect();
        found.sort();
        found.dedup();
        found
    };
    if found(rows) != found(truth) {
        return Err(format!("{:?} is now {:?}", found(truth), found(rows)));
    }
    Ok(())
}

type Answered = Vec<(Method, Answer)>;
/// The answers of some methods to a question, given its first result and its rows.
type Answers<'a> = &'a dyn Fn(&Asked, &ResultDocument, &[Row]) -> Result<Answered, String>;
/// The certificate of the first result of a question, if it has one.
type Certifies<'a> = &'a dyn Fn(&dyn Question, &ResultDocument) -> Result<Option<String>, String>;

/// Proves all questions about an instance by the answers of some methods, and the instance as it stands, which is the first question, by
/// a certificate as well.
fn prove_by(
    model: &'static dyn Model,
    entry: &Entry,
    answers: Answers<'_>,
    certifies: Certifies<'_>,
) -> Result<Proof, String> {
    let mut proof = Proof { rows: Vec::new(), optimum: None, certificate: None };
    let mut certified = 0;
    for asked in questions(model, entry) {
        let (first, expected) = first_answer(model, &asked)?;
        let mut rows = rows_of(&entry.name, &asked, &first, &expected);
        for (method, answer) in answers(&asked, &first, &rows)? {
            if answer != expected {
                return Err(format!(
                    "{method} finds {answer:?}, the default {expected:?} ({})",
                    first.objective()
                ));
            }
            rows.iter_mut().for_each(|row| row.proved_by.push(method.to_string()));
        }
        if proof.rows.is_empty() {
            let question = model.pose(&asked.instance).map_err(|error| error.to_string())?;
            proof.certificate = certifies(question.as_ref(), &first)?;
            certified = if proof.certificate.is_some() { rows.len() } else { 0 };
            proof.optimum = (expected != Answer::Infeasible).then_some(first.stages);
        }
        // Two questions may begin with the same goals.
        rows.retain(|row| !proof.rows.contains(row));
        proof.rows.append(&mut rows);
    }
    for row in &mut proof.rows[..certified] {
        row.proved_by.push(certificates::METHOD.to_owned());
    }
    Ok(proof)
}

/// What the formulation finds that the question chooses by itself, with the default solver.
fn first_answer(model: &'static dyn Model, asked: &Asked) -> Result<(ResultDocument, Answer), String> {
    let question = model.pose(&asked.instance).map_err(|error| error.to_string())?;
    let formulation = asked.as_printed.then(|| model.formulation_named("compact")).transpose()?;
    let options = SolveOptions { formulation, ..SolveOptions::exact(solvers()[0]) };
    let result = question.solve(&options, &Control::silent()).map_err(|error| error.to_string())?;
    let answer = proved(question.as_ref(), &result)?;
    Ok((result, answer))
}

/// The rows of a question, not proved by anything yet.
fn rows_of(instance: &str, asked: &Asked, result: &ResultDocument, answer: &Answer) -> Vec<Row> {
    let prefix = if asked.as_printed { "printed reading: " } else { "" };
    let row = |objective: &str, sense, value| Row {
        instance: instance.to_owned(),
        objective: format!("{prefix}{objective}"),
        sense,
        value,
        proved_by: Vec::new(),
    };
    match answer {
        Answer::Infeasible => vec![row(INFEASIBLE, None, None)],
        Answer::Optimum(values) => {
            let names: Vec<&str> = result.stages.iter().map(|stage| stage.name.as_str()).collect();
            let goals = values.iter().zip(&result.stages).enumerate();
            let row = |(last, (&value, stage)): (usize, (&Amount, &StageDocument))| {
                row(&names[..=last].join(" > "), Some(stage.sense), Some([value, value]))
            };
            goals.map(row).collect()
        }
    }
}

/// The answers of every formulation with every solver, and of trying all. A compared formulation is left out that does not
/// apply, or that a solver does not prove in time.
fn every_method(
    model: &'static dyn Model,
    entry: &Entry,
    asked: &Asked,
    first: &ResultDocument,
) -> Result<Answered, String> {
    let chosen = model.formulation_named(&first.formulation)?;
    let mut answered = every_solver(model, asked, chosen, None)?.unwrap_or_default();
    let limit = Duration::from_secs(if entry.is_line { SECONDS_OF_A_LINE } else { SECONDS });
    let compared = if is_large(first) { Vec::new() } else { compared(model, chosen.name) };
    for formulation in compared {
        match every_solver(model, asked, formulation, Some(limit))? {
            Some(answers) => answered.extend(answers),
            None if entry.is_line => return Err(format!("{} does not prove it in time", formulation.name)),
            None => {}
        }
    }
    if let Reply::Found(answer) = Method::BruteForce.ask(model, asked, None)? {
        answered.push((Method::BruteForce, answer));
    }
    Ok(answered)
}

/// The answers of a formulation by all solvers: no answers where it does not apply, nothing where one of them does not prove it.
fn every_solver(
    model: &'static dyn Model,
    asked: &Asked,
    formulation: FormulationEntry,
    limit: Option<Duration>,
) -> Result<Option<Answered>, String> {
    let mut answered = Vec::new();
    for name in ["highs", "cbc"] {
        let solver = by_name(name).ok_or_else(|| format!("this build has no solver {name}"))?;
        let method = Method::Program { formulation, solver };
        match method.ask(model, asked, limit).map_err(|what| format!("{method}: {what}"))? {
            Reply::Found(answer) => answered.push((method, answer)),
            Reply::DoesNotApply => return Ok(Some(Vec::new())),
            Reply::Unproved => return Ok(None),
        }
    }
    Ok(Some(answered))
}

fn is_large(result: &ResultDocument) -> bool {
    let Some(solution) = &result.solution else { return false };
    let size = if let Some(packing) = &solution.packing {
        packing.iter().map(|server| server.vms.len()).sum::<usize>() * packing.len()
    } else if let Some(plan) = &solution.plan {
        20 * plan.window.as_ref().map_or(0, |window| window.slots as usize) * plan.tasks.len()
    } else {
        let workloads = solution.placement.iter().flatten().count() + solution.pending.len();
        workloads * solution.gpus.len()
    };
    size > LARGE
}

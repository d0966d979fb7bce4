//! Finds certificates: by prices that column generation finds over what machines can hold, made whole; what they leave open is split by
//! totals.
//!
//! A solver is only asked for advice here. What is written was accepted by the checker.

use super::aim::Aim;
use super::contents::contents;
use super::part::{Machines, Priceable};
use super::plain::{plain, values};
use crate::instance::Problem;
use crate::rules::Score;
use certificate::siavashi::{Checker, Effort, Held, Question, Total};
use certificate::{Certificate, Claim, Claimed, Leaf, Range, Refutes, Step};
use cluster::Placement;
use ground::Amount;
use kit::{SolveOptions, read_back};
use prices::{Inquiry, Limits, ONE, Proof, prove};
use solver::Control;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Instant;

/// What prices are multiplied by before they are made whole, one after the other, where those multiplied by [`ONE`] are a proof.
const SCALES: [i64; 10] = [1, 2, 3, 4, 6, 12, 24, 60, 120, 840];

/// The same where there are many kinds of machines.
const FEW_SCALES: [i64; 3] = [2, 12, 120];

/// From so many kinds on there are many.
const MANY_KINDS: usize = 24;

/// The most splits and leaves of the proof of a goal.
const MOST_STEPS: usize = 256;

/// How far from a whole number a total has to be to be split.
const FRACTIONAL: f64 = 1e-5;

/// The share of what something costs at most within which prices are at first.
const CONFINES: f64 = 0.5;

/// A certificate that the best placement is optimal, or that there is none.
///
/// # Errors
/// Why there is no certificate, in words.
pub fn make(
    problem: &Problem,
    fingerprint: &str,
    best: Option<(&Placement, &Score)>,
    (options, control): (&SolveOptions, &Control),
) -> Result<Certificate, String> {
    let question = plain(problem);
    let checker = Checker::new(&question).map_err(|refusal| refusal.to_string())?;
    let deadline = options.effort.time_limit.map(|limit| Instant::now() + limit);
    let limits = Limits { deadline, control };
    let placement = best.map(|(placement, _)| placement);
    let maker = Maker { problem, question: &question, checker: &checker, best: placement, options, limits };
    let claims = match best {
        None => vec![maker.claim(&[], Claimed::Infeasible)?],
        Some((_, score)) => {
            let values = values(problem, &question, score);
            let claim = |(number, stage): (usize, &'static str)| {
                let claimed = Claimed::Best { stage: stage.to_owned(), value: values[number] };
                maker.claim(&values[..=number], claimed)
            };
            checker.goals().into_iter().enumerate().map(claim).collect::<Result<_, _>>()?
        }
    };
    let certificate = Certificate {
        model: "siavashi".to_owned(),
        fingerprint: fingerprint.to_owned(),
        instance: problem.cluster.name.clone(),
        reading: None,
        claims,
    };
    read_back(&checker, &certificate)
}

struct Maker<'m> {
    problem: &'m Problem,
    question: &'m Question<'m>,
    checker: &'m Checker<'m>,
    best: Option<&'m Placement>,
    options: &'m SolveOptions,
    limits: Limits<'m>,
}

/// A proof under construction.
struct Draft<'d> {
    /// The values of the goals up to the one that is proved.
    values: &'d [Amount],
    aim: &'d Aim<'d>,
    /// What machines hold in the best placement, and in others that were of use.
    start: Vec<(usize, Held)>,
    steps: Vec<Step>,
}

impl Maker<'_> {
    /// A claim with its proof, given the values of the goals up to it.
    fn claim(&self, values: &[Amount], claimed: Claimed) -> Result<Claim, String> {
        let what = match &claimed {
            Claimed::Infeasible => "that there is no placement".to_owned(),
            Claimed::Best { stage, .. } => format!("the value of goal `{stage}`"),
        };
        let without = |why: String| format!("{what} has no proof by prices: {why}");
        let aim = Aim::new(self.checker, self.question, values).map_err(without)?;
        let start = self.best.map_or(Vec::new(), |placement| self.contents(&aim, placement));
        let mut draft = Draft { values, aim: &aim, start, steps: Vec::new() };
        self.prove(&mut Vec::new(), &mut draft).map_err(without)?;
        Ok(Claim { line: 0, claimed, proof: draft.steps })
    }

    /// Proves a case: by a leaf, or by two cases.
    fn prove(&self, case: &mut Vec<(Total, Range)>, draft: &mut Draft<'_>) -> Result<(), String> {
        if draft.steps.len() >= MOST_STEPS {
            return Err(format!("it takes more than {MOST_STEPS} steps"));
        }
        let refutes = |leaf: &Leaf| self.checker.refute(leaf, draft.values, case).is_ok();
        if let Some(leaf) = self.simple(draft).into_iter().find(refutes) {
            draft.steps.push(Step::Leaf(leaf));
            return Ok(());
        }
        let proof = self.prices(case, draft)?.ok_or("time is up")?;
        if let Some(leaf) = self.leaf(&proof.prices, case, draft) {
            draft.steps.push(Step::Leaf(leaf));
            return Ok(());
        }
        if self.limits.stop().is_some() {
            return Err("time is up".to_owned());
        }
        let (total, at) = self.fractional(&proof, case, draft).ok_or("no total is left to be split")?;
        draft.steps.push(Step::Split { line: 0, total: self.checker.name(total), at });
        for range in self.checker.split(total, i128::from(at), case) {
            case.push((total, range));
            let proved = self.prove(case, draft);
            case.pop();
            proved?;
        }
        Ok(())
    }

    /// What proves that nothing can be better than if all have places, nothing is in use and nothing changes.
    fn simple(&self, draft: &Draft<'_>) -> [Leaf; 2] {
        let nothing = vec![0; draft.aim.totals.len() + draft.values.len().saturating_sub(1)];
        let plain = draft.aim.leaf(&nothing, 1);
        let accepted = |of_type: usize| {
            let name = self.checker.name(Total::Placed(of_type))["placed:".len()..].to_owned();
            (name, i64::try_from(self.checker.acceptance(of_type)).unwrap_or(0))
        };
        let prices = (0..self.checker.types()).map(accepted).filter(|price| price.1 > 0).collect();
        [plain.clone(), Leaf { prices, ..plain }]
    }

    /// The prices of a case; none if it is stopped.
    fn prices(&self, case: &[(Total, Range)], draft: &Draft<'_>) -> Result<Option<Proof>, String> {
        let shared = Rc::new(Priceable::new(draft.aim));
        let mut numbers: BTreeMap<usize, u32> = BTreeMap::new();
        for kind in 0..self.checker.kinds() {
            *numbers.entry(self.part_of(draft.aim, kind)).or_insert(0) += self.checker.number_of(kind);
        }
        let position_of: BTreeMap<usize, usize> = numbers.keys().copied().zip(0..).collect();
        let machines = numbers.iter();
        let machines = machines.map(|(&kind, &number)| Machines { shared: shared.clone(), kind, number });
        let mut machines: Vec<Machines<'_>> = machines.collect();
        let totals = draft.aim.totals(case);
        let start = draft.start.iter().map(|(kind, held)| (position_of[kind], held.clone())).collect();
        let confines = CONFINES * draft.aim.confines();
        let inquiry = Inquiry { totals: &totals, start, known: draft.aim.known, confines };
        let effort = &self.options.effort;
        prove(&mut machines, inquiry, effort.solver, &effort.settings, &self.limits)
    }

    /// The kind whose part a kind belongs to.
    fn part_of(&self, aim: &Aim<'_>, kind: usize) -> usize {
        if aim.tells_kinds_apart() { kind } else { self.checker.alike(kind) }
    }

    /// The leaf that the checker accepts, if the prices, multiplied and made whole, are one.
    fn leaf(&self, prices: &[i64], case: &[(Total, Range)], draft: &Draft<'_>) -> Option<Leaf> {
        let refutes = |leaf: &Leaf| self.checker.refute(leaf, draft.values, case).is_ok();
        let finest = Some(draft.aim.leaf(prices, ONE)).filter(refutes)?;
        let scales: &[i64] = if self.checker.kinds() >= MANY_KINDS { &FEW_SCALES } else { &SCALES };
        let tables =
            |leaf: &Leaf| self.checker.refute_within(leaf, draft.values, case, Effort::TABLES).is_ok();
        let mut coarser = scales.iter().map(|&scale| draft.aim.leaf(prices, scale));
        let coarse = match self.checker.kinds() >= MANY_KINDS {
            true => coarser.find(tables),
            false => coarser.find(refutes),
        };
        Some(coarse.unwrap_or(finest))
    }

    /// A total that is fractional among the contents met, and the whole number below it, at which both sides are smaller.
    fn fractional(&self, proof: &Proof, case: &[(Total, Range)], draft: &Draft<'_>) -> Option<(Total, i64)> {
        let values = proof.activities.as_ref()?;
        draft.aim.totals.iter().zip(values).find_map(|(&total, value)| {
            let (at, range) = (value.floor() as i64, self.checker.range(total, case));
            let splits = range.least <= i128::from(at) && i128::from(at) < range.greatest;
            (splits && (value - value.round()).abs() > FRACTIONAL).then_some((total, at))
        })
    }

    /// What every machine holds in a placement, with its part.
    fn contents(&self, aim: &Aim<'_>, placement: &Placement) -> Vec<(usize, Held)> {
        let contents = contents(self.problem, self.checker, placement).into_iter().enumerate();
        contents.map(|(machine, held)| (self.part_of(aim, self.checker.kind_of(machine)), held)).collect()
    }
}

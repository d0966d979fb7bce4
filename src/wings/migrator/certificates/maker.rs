//! Finds certificates: prices from the steps of the search, made coarser as far as the checker still closes the case; what they leave
//! open is divided by the starts of retrainings.
//!
//! What is written was accepted by the checker.

use super::leaves::Writer;
use super::plain::plain;
use crate::instance::Problem;
use crate::programs::{Advice, Advised, Cut, Joint, Measure as By};
use crate::rules::{GOODPUT, Score};
use certificate::migrator::{Checker, Measure, Total};
use certificate::{Certificate, Claim, Claimed, Leaf, Range, Refutes, Step};
use ground::Amount;
use itertools::Itertools;
use kit::{SolveOptions, read_back};
use solver::Control;
use std::collections::BTreeSet;
use std::time::Instant;

/// Steps of prices before every try but the first.
const STEPS: u32 = 60;

/// How many places a sweep of the checker may look at in one try after the other.
const EFFORTS: [u64; 4] = [300_000, 1_000_000, 4_000_000, 16_000_000];

/// Units of prices in one try after the other: what the best plan is worth in a slot on average, halved so often.
const FINENESS: [u32; 4] = [7, 10, 14, 40];

/// The most splits and leaves of a proof.
const MOST_STEPS: usize = 1_000;

/// A certificate that the best plan is optimal, or that there is none.
///
/// # Errors
/// Why there is no certificate, in words.
pub fn make(
    problem: &Problem,
    fingerprint: &str,
    best: Option<&Score>,
    (options, control): (&SolveOptions, &Control),
) -> Result<Certificate, String> {
    let question = plain(problem);
    let checker = Checker::new(&question).map_err(|refusal| refusal.to_string())?;
    let claim = match best {
        None => Claim { line: 0, claimed: Claimed::Infeasible, proof: vec![Step::Leaf(Leaf::default())] },
        Some(score) => {
            let deadline = options.effort.time_limit.map(|limit| Instant::now() + limit);
            let is_over =
                || control.is_interrupted() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
            let priced: BTreeSet<&str> = checker.priced().collect();
            let is_priced = |name: &str| priced.contains(name);
            let writer =
                Writer { problem, question: &question, models: checker.models(), is_priced: &is_priced };
            let maker = Maker { checker: &checker, writer, value: score.goodput, is_over: &is_over };
            let joint = Joint::new(problem);
            let mut proof = Vec::new();
            maker.prove(Advice::new(&joint, known(problem, score.goodput)), &mut Vec::new(), &mut proof)?;
            let claimed = Claimed::Best { stage: GOODPUT.to_owned(), value: score.goodput };
            Claim { line: 0, claimed, proof }
        }
    };
    let certificate = Certificate {
        model: "migrator".to_owned(),
        fingerprint: fingerprint.to_owned(),
        instance: problem.name.clone(),
        reading: Some(question.reading.clone()),
        claims: vec![claim],
    };
    read_back(&checker, &certificate)
}

/// The most units of goodput that are this value, rounded down to a millionth.
fn known(problem: &Problem, value: Amount) -> i64 {
    let units = ((value.millionths() + 1) * i128::from(problem.units) - 1).div_euclid(1_000_000);
    i64::try_from(units).expect("the units of a window are few enough")
}

struct Maker<'m> {
    checker: &'m Checker<'m>,
    writer: Writer<'m>,
    value: Amount,
    is_over: &'m dyn Fn() -> bool,
}

impl Maker<'_> {
    /// Proves a case: by a leaf, or by two cases.
    fn prove(
        &self,
        mut advice: Advice<'_, '_>,
        case: &mut Vec<(Total, Range)>,
        proof: &mut Vec<Step>,
    ) -> Result<(), String> {
        if let Some(leaf) = self.leaf(&mut advice, case)? {
            proof.push(Step::Leaf(leaf));
            return Ok(());
        }
        if proof.len() >= MOST_STEPS {
            return Err(format!("it takes more than {MOST_STEPS} steps"));
        }
        let open = "the prices of a single schedule leave more open than the checker looks through";
        let (cut, halves) = advice.divide().ok_or(open)?;
        let (total, at) = self.total(cut);
        let name = self.checker.total_name(total);
        proof.push(Step::Split { line: 0, total: name, at });
        for (half, range) in halves.into_iter().zip(self.checker.split(total, i128::from(at), case)) {
            case.push((total, range));
            let proved = self.prove(half, case, proof);
            case.pop();
            proved?;
        }
        Ok(())
    }

    /// A leaf that the checker accepts, if some steps of prices lead to one.
    fn leaf(&self, advice: &mut Advice<'_, '_>, case: &[(Total, Range)]) -> Result<Option<Leaf>, String> {
        if case.is_empty()
            && let Some(leaf) = self.accepted(&advice.best(), true, case, EFFORTS[0])
        {
            return Ok(Some(leaf));
        }
        for effort in EFFORTS {
            if (self.is_over)() {
                return Err("there was no time left".to_owned());
            }
            advice.improve(STEPS);
            if let Some(leaf) = self.accepted(&advice.best(), false, case, effort) {
                return Ok(Some(leaf));
            }
        }
        Ok(None)
    }

    /// The first of some leaves, the coarsest prices first, that the checker accepts with so much effort.
    fn accepted(
        &self,
        advised: &Advised,
        is_of_sizes: bool,
        case: &[(Total, Range)],
        effort: u64,
    ) -> Option<Leaf> {
        let slots = self.writer.question.slots as i128;
        let of_slot = i64::try_from(self.value.millionths() / slots).unwrap_or(i64::MAX);
        let units = FINENESS.iter().map(|&halvings| (of_slot >> halvings).max(1)).dedup();
        let mut leaves = units.map(|unit| self.writer.leaf(advised, unit, is_of_sizes));
        leaves.find(|leaf| self.checker.refute_within(leaf, &[self.value], case, effort).is_ok())
    }

    /// The number by which a part is divided, in the words of the checker.
    fn total(&self, cut: Cut) -> (Total, i64) {
        let model = cut.model.index();
        let (measure, at) = match cut.measure {
            By::Start => (Measure::Start, cut.at),
            By::End => (Measure::End, cut.at),
            By::Size => (Measure::Gpcs, self.writer.question.sizes[cut.at as usize].gpcs),
        };
        (Total { model, measure }, i64::from(at))
    }
}

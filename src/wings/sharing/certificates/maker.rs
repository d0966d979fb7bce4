//! Finds certificates: by counting, else by prices of virtual machines that column generation finds, made whole; what they leave open is
//! split by the numbers of servers in use.
//!
//! A solver is only asked for advice here. What is written was accepted by the checker.

use super::counting::by_counting;
use super::plain::{plain, values};
use crate::instance::{Problem, ServerIndex};
use crate::programs::{Case, PatternSearch, Prices, prices_of};
use crate::rules::{Goal, Packing, Score};
use certificate::sharing::Checker;
use certificate::{Certificate, Claim, Claimed, Leaf, Range, Refutes, Step};
use ground::Amount;
use kit::{SolveOptions, read_back};
use solver::Control;
use std::time::Instant;

/// What prices are multiplied by before they are made whole, one after the other.
const SCALES: [i64; 12] = [1, 2, 3, 4, 6, 8, 12, 24, 60, 120, 840, prices::ONE];

/// The most splits and leaves of the proof of a goal.
const MOST_STEPS: usize = 128;

/// How far from a whole number the servers in use of a kind have to be to be split.
const FRACTIONAL: f64 = 1e-6;

/// A certificate that the best packing is optimal, or that there is none.
///
/// # Errors
/// Why there is no certificate, in words.
pub fn make(
    problem: &Problem,
    fingerprint: &str,
    best: Option<(&Packing, &Score)>,
    (options, control): (&SolveOptions, &Control),
) -> Result<Certificate, String> {
    let question = plain(problem);
    let checker = Checker::new(&question).map_err(|refusal| refusal.to_string())?;
    let deadline = options.effort.time_limit.map(|limit| Instant::now() + limit);
    let options = PatternSearch {
        solver: options.effort.solver,
        settings: &options.effort.settings,
        relative_gap: 0.0,
        deadline,
        control,
    };
    let maker = Maker { problem, checker: &checker, best: best.map(|(packing, _)| packing), options };
    let claims = match best {
        None => vec![maker.claim(&[], Claimed::Infeasible)?],
        Some((_, score)) => {
            let values = values(problem, score);
            let claim = |(number, goal): (usize, &Goal)| {
                let claimed = Claimed::Best { stage: goal.name().to_owned(), value: values[number] };
                maker.claim(&values[..=number], claimed)
            };
            problem.optimum.goals().iter().enumerate().map(claim).collect::<Result<_, _>>()?
        }
    };
    let certificate = Certificate {
        model: "sharing".to_owned(),
        fingerprint: fingerprint.to_owned(),
        instance: problem.name.clone(),
        reading: None,
        claims,
    };
    read_back(&checker, &certificate)
}

struct Maker<'m> {
    problem: &'m Problem,
    checker: &'m Checker<'m>,
    best: Option<&'m Packing>,
    options: PatternSearch<'m>,
}

/// A proof under construction.
struct Proof<'v> {
    /// The values of the goals up to the one that is proved.
    values: &'v [Amount],
    /// The servers that packings use that are refuted.
    pool: Vec<ServerIndex>,
    /// What they cost at least that are not refuted.
    known: Option<Amount>,
    steps: Vec<Step>,
}

impl Maker<'_> {
    /// A claim with its proof, given the values of the goals up to it.
    fn claim(&self, values: &[Amount], claimed: Claimed) -> Result<Claim, String> {
        let mut proof = self.proof(values);
        let what = match &claimed {
            Claimed::Infeasible => "that there is no packing".to_owned(),
            Claimed::Best { stage, .. } => format!("the value of goal `{stage}`"),
        };
        self.prove(&mut Vec::new(), &mut proof)
            .map_err(|why| format!("{what} has no proof by prices: {why}"))?;
        Ok(Claim { line: 0, claimed, proof: proof.steps })
    }

    fn proof<'v>(&self, values: &'v [Amount]) -> Proof<'v> {
        let mut pool: Vec<ServerIndex> = self.problem.server_indices().collect();
        let mut known = None;
        for (position, (&value, goal)) in values.iter().zip(self.problem.optimum.goals()).enumerate() {
            match goal {
                Goal::Reach => {
                    let reach = value.in_units_of(Amount::ONE).unwrap_or_default();
                    let reach = if position + 1 == values.len() { reach - 1 } else { reach };
                    pool.truncate(usize::try_from(reach).unwrap_or_default());
                }
                Goal::Servers => known = Some(value),
            }
        }
        Proof { values, pool, known, steps: Vec::new() }
    }

    /// Proves a case: by a leaf, or by two cases.
    fn prove(&self, case: &mut Vec<(usize, Range)>, proof: &mut Proof<'_>) -> Result<(), String> {
        if proof.steps.len() >= MOST_STEPS {
            return Err(format!("it takes more than {MOST_STEPS} steps"));
        }
        let unit = self.problem.unit(Goal::Servers);
        let most = proof.known.and_then(|known| known.in_units_of(unit)).map(|units| units - 1);
        let counting = by_counting(self.problem, self.checker, &proof.pool, most);
        let counting = std::iter::once(Leaf::default()).chain(counting);
        let refutes =
            |leaf: &Leaf, effort| self.checker.refute_within(leaf, proof.values, case, effort).is_ok();
        let simple = [Leaf { goals: vec![("servers".to_owned(), 1)], ..Leaf::default() }];
        if let Some(leaf) = counting.chain(simple).find(|leaf| refutes(leaf, 0)) {
            proof.steps.push(Step::Leaf(leaf));
            return Ok(());
        }
        let prices = self.prices(case, proof)?.ok_or("the solver has no prices")?;
        if let Some(leaf) = self.leaf(&prices, case, proof) {
            proof.steps.push(Step::Leaf(leaf));
            return Ok(());
        }
        let (kind, at) = self.fractional(&prices, case).ok_or("no number of servers is left to be split")?;
        proof.steps.push(Step::Split { line: 0, total: self.checker.total_of(kind), at });
        for range in self.checker.split(kind, i128::from(at), case) {
            case.push((kind, range));
            let proved = self.prove(case, proof);
            case.pop();
            proved?;
        }
        Ok(())
    }

    /// The prices of a case.
    fn prices(&self, case: &[(usize, Range)], proof: &Proof<'_>) -> Result<Option<Prices>, String> {
        let kind_of = |server: ServerIndex| self.checker.kind_of(server.index());
        let range = |kind: usize| self.checker.range(kind, case);
        let kinds = self.checker.kinds();
        let case = Case { pool: &proof.pool, kinds, kind_of: &kind_of, range: &range, known: proof.known };
        prices_of(self.problem, &case, self.best, &self.options)
    }

    /// The leaf that the checker accepts, if the prices, multiplied and made whole, are one.
    fn leaf(&self, prices: &Prices, case: &[(usize, Range)], proof: &Proof<'_>) -> Option<Leaf> {
        let leaves = || SCALES.iter().map(|&scale| self.whole(prices, scale, proof.known.is_some()));
        // Mostly relaxations suffice to check one, else searches.
        let accepts =
            |leaf: &Leaf, effort| self.checker.refute_within(leaf, proof.values, case, effort).is_ok();
        leaves()
            .find(|leaf| accepts(leaf, 0))
            .or_else(|| leaves().find(|leaf| accepts(leaf, Checker::MOST_EFFORT)))
    }

    fn whole(&self, prices: &Prices, scale: i64, has_cost: bool) -> Leaf {
        let mut leaf = Leaf::default();
        let mut of_types = vec![0; self.checker.type_names().count()];
        for &(vm, price) in &prices.of_types {
            of_types[self.checker.type_of(vm.index())] =
                (price * scale + prices::ONE / 2).div_euclid(prices::ONE);
        }
        let named = self.checker.type_names().map(str::to_owned).zip(of_types);
        leaf.prices = named.filter(|&(_, price)| price > 0).collect();
        if has_cost {
            leaf.goals.push(("servers".to_owned(), scale));
        }
        leaf
    }

    /// A kind of which a fractional number of servers is in use, and the whole number below it, at which both sides are smaller.
    fn fractional(&self, prices: &Prices, case: &[(usize, Range)]) -> Option<(usize, i64)> {
        let in_use = prices.in_use.as_ref()?;
        in_use.iter().enumerate().find_map(|(kind, value)| {
            let (at, range) = (value.floor() as i64, self.checker.range(kind, case));
            let splits = range.least <= i128::from(at) && i128::from(at) < range.greatest;
            (splits && (value - value.round()).abs() > FRACTIONAL).then_some((kind, at))
        })
    }
}

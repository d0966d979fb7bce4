//! Prices of virtual machines that prove a bound, for certificates.

use super::nowhere::Nowhere;
use super::pattern::Pattern;
use super::search::Search;
use super::server::Servers;
use super::types::Types;
use crate::instance::{Problem, ServerIndex, VmIndex};
use crate::rules::Packing;
use certificate::Range;
use ground::Amount;
use prices::{Column, Effort, Inquiry, Limits, Part, Priced, Split, Total, prove};

/// What is to be proved.
pub struct Case<'c> {
    /// The servers that may be used.
    pub pool: &'c [ServerIndex],
    /// How many kinds there are that are counted.
    pub kinds: usize,
    /// The kind as which a server is counted.
    pub kind_of: &'c dyn Fn(ServerIndex) -> usize,
    /// How many of a kind may be in use.
    pub range: &'c dyn Fn(usize) -> Range,
    /// The cost than which no packing costs less; none if there is no packing at all.
    pub known: Option<Amount>,
}

/// The prices that prove most.
pub struct Prices {
    /// A virtual machine of each type, and the price of each of them, in units of 1/[`ONE`](prices::ONE).
    pub of_types: Vec<(VmIndex, i64)>,
    /// The servers in use of each kind in the linear program of the patterns met, where it has a solution that costs less than what is known.
    pub in_use: Option<Vec<f64>>,
}

/// Looks for prices that prove a case. None if it is stopped at once.
///
/// # Errors
/// When the solver fails.
pub fn prices_of(
    problem: &Problem,
    case: &Case<'_>,
    start: Option<&Packing>,
    search: &Search<'_>,
) -> Result<Option<Prices>, String> {
    let types = Types::of(problem, case.pool);
    let limits = Limits { deadline: search.deadline, control: search.control };
    let mut totals = types.hosted();
    totals.extend((0..case.kinds).map(|kind| in_use(kind, (case.range)(kind))));
    let number = types.vms.len();
    let mut hosts: Vec<Host<'_>> = Vec::new();
    for (kind, (_, servers)) in types.kinds.iter().enumerate() {
        let in_use = Some(number + (case.kind_of)(servers[0]));
        let cost = if case.known.is_some() { types.cost(kind) } else { 0 };
        hosts.push(Host::Servers(Servers::new(&types, kind, cost, in_use, &limits)));
    }
    if case.known.is_none() {
        hosts.push(Host::Nowhere(Nowhere { types: &types }));
    }
    // Without a cost, the question is whether any virtual machine has to stay without a server.
    let known = case.known.map_or(1, |known| types.units(known) as i64);
    let start = start.map(|packing| types.patterns_of(packing)).unwrap_or_default();
    let inquiry = Inquiry {
        totals: &totals,
        start: start.into_iter().chain(types.alone()).collect(),
        known,
        confines: types.confines(),
    };
    let proof = prove(&mut hosts, inquiry, search.solver, search.settings, &limits)?;
    Ok(proof.map(|proof| Prices {
        of_types: (0..number).map(|vm_type| (types.example(vm_type), proof.prices[vm_type])).collect(),
        in_use: proof.activities.map(|activities| activities[number..].to_vec()),
    }))
}

/// The total that counts the servers in use of a kind.
fn in_use(kind: usize, range: Range) -> Total {
    let whole = |value: i128| i64::try_from(value).expect("there are not so many servers");
    let least = (range.least > 0).then(|| whole(range.least));
    let (name, most) = (format!("servers-{kind}"), Some(whole(range.greatest)));
    Total { name, least, most, excess_cost: None, split: Split::Never }
}

/// What hosts virtual machines.
enum Host<'t> {
    Servers(Servers<'t>),
    Nowhere(Nowhere<'t>),
}

impl Part for Host<'_> {
    type Content = Pattern;

    fn number(&self) -> u32 {
        match self {
            Host::Servers(servers) => servers.number(),
            Host::Nowhere(nowhere) => nowhere.number(),
        }
    }

    fn plain(&self) -> Pattern {
        Pattern::default()
    }

    fn column(&self, content: &Pattern) -> Column {
        match self {
            Host::Servers(servers) => servers.column(content),
            Host::Nowhere(nowhere) => nowhere.column(content),
        }
    }

    fn price(&mut self, prices: &[i64], effort: Effort) -> Priced<Pattern> {
        self.price_up_to(prices, effort, 0)
    }

    fn price_up_to(&mut self, prices: &[i64], effort: Effort, enough: i64) -> Priced<Pattern> {
        match self {
            Host::Servers(servers) => servers.price_up_to(prices, effort, enough),
            Host::Nowhere(nowhere) => nowhere.price(prices),
        }
    }

    fn list(&mut self, prices: &[i64], least: i64, most: usize) -> Option<Vec<Pattern>> {
        match self {
            Host::Servers(servers) => servers.list(prices, least, most),
            Host::Nowhere(_) => None,
        }
    }
}

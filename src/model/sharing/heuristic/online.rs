//! NF, FF, BF, WF and their sharing-aware counterparts, with their parameters.

use super::super::instance::Problem;
use super::super::packing::Packing;
use super::order::Order;
use super::rule::{AtWork, Rule, Scan};
use super::scarcity::{Operator, PageUnit, Scarcity};
use super::state::State;
use crate::model::entry::choice;
use crate::model::{Heuristic, ParameterEntry};

/// An online algorithm: virtual machines come in the instance's order of arrival, and each gets a server for good.
///
/// Those that are not sharing-aware count every page of every virtual machine when they plan. One that fits nowhere stays
/// without a server.
#[derive(Clone, Copy, Debug)]
pub struct Online {
    /// Which server a virtual machine goes to.
    pub rule: Rule,
    /// Whether pages that a server holds already need no memory again.
    pub sharing: bool,
    /// The order in which servers are opened.
    pub order: Order,
    /// Which servers BF and WF compare.
    pub scan: Scan,
    /// The unit in which the metric counts memory.
    pub page_unit: PageUnit,
    /// How the metric's ratios become one number.
    pub operator: Operator,
}

impl Online {
    /// An algorithm as it is printed.
    pub const fn printed(rule: Rule, sharing: bool) -> Self {
        let operator = match rule {
            Rule::Worst => Operator::Min,
            _ => Operator::Max,
        };
        Online { rule, sharing, order: Order::Given, scan: Scan::Active, page_unit: PageUnit::Page, operator }
    }
}

const ORDER: ParameterEntry = ParameterEntry {
    name: "order",
    summary: "servers are opened as `given`, `smallest-first`, `largest-first` (by the capacities in the order of the resources' \
              names, then memory) or in `random` order; given",
};
const SCAN: ParameterEntry = ParameterEntry {
    name: "scan",
    summary: "whether `active` servers are ranked and another is opened only if none has room (Algorithm 3), or `all` servers \
              are ranked (Fig. 4); active",
};
const PAGE_UNIT: ParameterEntry = ParameterEntry {
    name: "page-unit",
    summary: "unit of memory in the scarcity metric (3), whose square root depends on it: `page`, `mib` or `gib`; page",
};
const OPERATOR: ParameterEntry = ParameterEntry {
    name: "operator",
    summary: "whether the scarcity metric is the `min` of the ratios, as the text has it for WFS, or their `max`, as in (3); min",
};

const SCANS: &[(&str, Scan)] = &[("active", Scan::Active), ("all", Scan::All)];
const PAGE_UNITS: &[(&str, PageUnit)] =
    &[("page", PageUnit::Page), ("mib", PageUnit::Mib), ("gib", PageUnit::Gib)];
const OPERATORS: &[(&str, Operator)] = &[("min", Operator::Min), ("max", Operator::Max)];

impl Heuristic<Problem, Packing> for Online {
    fn name(&self) -> &'static str {
        match (self.rule, self.sharing) {
            (Rule::Next, false) => "nf",
            (Rule::First, false) => "ff",
            (Rule::Best, false) => "bf",
            (Rule::Worst, false) => "wf",
            (Rule::Next, true) => "nfs",
            (Rule::First, true) => "ffs",
            (Rule::Best, true) => "bfs",
            (Rule::Worst, true) => "wfs",
        }
    }

    fn summary(&self) -> &'static str {
        match (self.rule, self.sharing) {
            (Rule::Next, false) => "next fit: one server at a time is open; pages are not shared",
            (Rule::First, false) => "first fit: the first active server with room; pages are not shared",
            (Rule::Best, false) => {
                "best fit: where the scarcest resource becomes scarcest; pages are not shared"
            }
            (Rule::Worst, false) => "worst fit: where resources stay least scarce; pages are not shared",
            (Rule::Next, true) => "next fit with sharing: one server at a time is open",
            (Rule::First, true) => "first fit with sharing: the first active server with room",
            (Rule::Best, true) => "best fit with sharing: where the scarcest resource becomes scarcest",
            (Rule::Worst, true) => "worst fit with sharing: where resources stay least scarce",
        }
    }

    fn reference(&self) -> &'static str {
        match (self.rule, self.sharing) {
            (_, false) => "Rampersaud & Grosu, section 6: the sharing-oblivious algorithm",
            (Rule::Next, true) => "Rampersaud & Grosu, Algorithm 1",
            (Rule::First, true) => "Rampersaud & Grosu, Algorithm 2",
            (Rule::Best, true) => "Rampersaud & Grosu, Algorithm 3",
            (Rule::Worst, true) => "Rampersaud & Grosu, section 4.4",
        }
    }

    fn propose(&self, problem: &Problem, seed: u64) -> Packing {
        let state = State::new(problem, self.sharing);
        let scarcity = Scarcity::new(problem, self.operator, self.page_unit);
        let order = self.order.servers(problem, seed);
        let mut at_work = AtWork::new(state, self.rule, self.scan, scarcity, order);
        problem.arrival.iter().for_each(|&vm| at_work.admit(vm));
        at_work.into_state().packing()
    }

    fn parameters(&self) -> &'static [ParameterEntry] {
        match (self.rule, self.sharing) {
            (Rule::Next | Rule::First, _) => &[ORDER],
            (Rule::Best, false) => &[ORDER, SCAN],
            (Rule::Best, true) => &[ORDER, SCAN, PAGE_UNIT],
            (Rule::Worst, false) => &[ORDER, SCAN, OPERATOR],
            (Rule::Worst, true) => &[ORDER, SCAN, PAGE_UNIT, OPERATOR],
        }
    }

    fn counterpart(&self) -> Option<&'static str> {
        let oblivious = Online { sharing: false, ..*self };
        self.sharing.then(|| oblivious.name())
    }

    fn with(&self, values: &[(&str, &str)]) -> Result<Box<dyn Heuristic<Problem, Packing>>, String> {
        let mut adjusted = *self;
        for &(key, value) in values {
            match key {
                "order" => adjusted.order = choice(key, value, Order::NAMED)?,
                "scan" => adjusted.scan = choice(key, value, SCANS)?,
                "page-unit" => adjusted.page_unit = choice(key, value, PAGE_UNITS)?,
                _ => adjusted.operator = choice(key, value, OPERATORS)?,
            }
        }
        Ok(Box::new(adjusted))
    }
}

//! NF, FF, BF, WF and their sharing-aware counterparts, with their parameters.

mod fit;
mod order;
mod scarcity;

pub use fit::{Fit, Scan};
pub use order::Order;
pub use scarcity::{Operator, PageUnit};

use crate::heuristics::state::State;
use crate::instance::Problem;
use crate::rules::Packing;
use fit::AtWork;
use kit::{Choices, Heuristic, Parameter, ParameterEntry, assign, parameter_entries, put_choice};
use scarcity::Scarcity;

/// An online algorithm: virtual machines come in the instance's order of arrival, and each gets a server for good.
///
/// Those that are not sharing-aware count every page of every virtual machine when they plan. One that fits nowhere stays
/// without a server.
#[derive(Clone, Copy, Debug)]
pub struct Online {
    /// Which server a virtual machine goes to.
    pub fit: Fit,
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
    pub const fn printed(fit: Fit, sharing: bool) -> Self {
        let operator = match fit {
            Fit::Worst => Operator::Min,
            _ => Operator::Max,
        };
        Online { fit, sharing, order: Order::Given, scan: Scan::Active, page_unit: PageUnit::Page, operator }
    }

    /// The parameters that change anything about it.
    fn adjustable(&self) -> &'static [Parameter<Online>] {
        match (self.fit, self.sharing) {
            (Fit::Next | Fit::First, _) => &[ORDER],
            (Fit::Best, false) => &[ORDER, SCAN],
            (Fit::Best, true) => &[ORDER, SCAN, PAGE_UNIT],
            (Fit::Worst, false) => &[ORDER, SCAN, OPERATOR],
            (Fit::Worst, true) => &[ORDER, SCAN, PAGE_UNIT, OPERATOR],
        }
    }
}

const ORDER: Parameter<Online> = Parameter {
    name: "order",
    summary: "order in which servers are opened",
    choices: Order::entries,
    get: |online| Some(online.order.name().to_owned()),
    set: |online, text| put_choice(&mut online.order, text),
};
const SCAN: Parameter<Online> = Parameter {
    name: "scan",
    summary: "which servers are ranked",
    choices: Scan::entries,
    get: |online| Some(online.scan.name().to_owned()),
    set: |online, text| put_choice(&mut online.scan, text),
};
const PAGE_UNIT: Parameter<Online> = Parameter {
    name: "page-unit",
    summary: "unit of memory in the scarcity metric (3), whose square root depends on it",
    choices: PageUnit::entries,
    get: |online| Some(online.page_unit.name().to_owned()),
    set: |online, text| put_choice(&mut online.page_unit, text),
};
const OPERATOR: Parameter<Online> = Parameter {
    name: "operator",
    summary: "which of the ratios of the resources is the scarcity metric",
    choices: Operator::entries,
    get: |online| Some(online.operator.name().to_owned()),
    set: |online, text| put_choice(&mut online.operator, text),
};

impl Heuristic<Problem, Packing> for Online {
    fn name(&self) -> &'static str {
        match (self.fit, self.sharing) {
            (Fit::Next, false) => "nf",
            (Fit::First, false) => "ff",
            (Fit::Best, false) => "bf",
            (Fit::Worst, false) => "wf",
            (Fit::Next, true) => "nfs",
            (Fit::First, true) => "ffs",
            (Fit::Best, true) => "bfs",
            (Fit::Worst, true) => "wfs",
        }
    }

    fn summary(&self) -> &'static str {
        match (self.fit, self.sharing) {
            (Fit::Next, false) => "next fit: one server at a time is open; pages are not shared",
            (Fit::First, false) => "first fit: the first active server with room; pages are not shared",
            (Fit::Best, false) => {
                "best fit: where the scarcest resource becomes scarcest; pages are not shared"
            }
            (Fit::Worst, false) => "worst fit: where resources stay least scarce; pages are not shared",
            (Fit::Next, true) => "next fit with sharing: one server at a time is open",
            (Fit::First, true) => "first fit with sharing: the first active server with room",
            (Fit::Best, true) => "best fit with sharing: where the scarcest resource becomes scarcest",
            (Fit::Worst, true) => "worst fit with sharing: where resources stay least scarce",
        }
    }

    fn reference(&self) -> &'static str {
        match (self.fit, self.sharing) {
            (_, false) => "Rampersaud & Grosu, section 6: the sharing-oblivious algorithm",
            (Fit::Next, true) => "Rampersaud & Grosu, Algorithm 1",
            (Fit::First, true) => "Rampersaud & Grosu, Algorithm 2",
            (Fit::Best, true) => "Rampersaud & Grosu, Algorithm 3",
            (Fit::Worst, true) => "Rampersaud & Grosu, section 4.4",
        }
    }

    fn propose(&self, problem: &Problem, seed: u64) -> Packing {
        let state = State::new(problem, self.sharing);
        let scarcity = Scarcity::new(problem, self.operator, self.page_unit);
        let order = self.order.servers(problem, seed);
        let mut at_work = AtWork::new(state, self.fit, self.scan, scarcity, order);
        problem.arrival.iter().for_each(|&vm| at_work.admit(vm));
        at_work.into_state().packing()
    }

    fn parameters(&self) -> Vec<ParameterEntry> {
        parameter_entries(self.adjustable(), self)
    }

    fn counterpart(&self) -> Option<&'static str> {
        let oblivious = Online { sharing: false, ..*self };
        self.sharing.then(|| oblivious.name())
    }

    fn with(&self, values: &[(&str, &str)]) -> Result<Box<dyn Heuristic<Problem, Packing>>, String> {
        let mut adjusted = *self;
        assign(self.name(), self.adjustable(), &mut adjusted, values)?;
        Ok(Box::new(adjusted))
    }
}

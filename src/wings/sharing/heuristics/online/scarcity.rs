//! The server resource scarcity metric (3).

use crate::heuristics::state::State;
use crate::instance::{Problem, ServerIndex, VmIndex};
use kit::{Choice, Choices};

/// How the ratios of the resources become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// The largest, as in (3).
    Max,
    /// The smallest, as section 4.4 has it for WFS.
    Min,
}

impl Choices for Operator {
    const ALL: &'static [Choice<Operator>] = &[
        Choice { name: "min", help: "the smallest, as section 4.4 has it for WFS", value: Operator::Min },
        Choice { name: "max", help: "the largest, as in (3)", value: Operator::Max },
    ];
}

/// The unit in which (3) counts memory: its square root makes it depend on one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageUnit {
    /// A page of the instance.
    Page,
    /// A MiB.
    Mib,
    /// A GiB.
    Gib,
}

impl Choices for PageUnit {
    const ALL: &'static [Choice<PageUnit>] = &[
        Choice { name: "page", help: "a page of the instance", value: PageUnit::Page },
        Choice { name: "mib", help: "a MiB", value: PageUnit::Mib },
        Choice { name: "gib", help: "a GiB", value: PageUnit::Gib },
    ];
}

/// The metric: `e_j^k` is the largest (or smallest) of `(q_j^m - sqrt(s_j^k)) / C_k^m` and `q_j^r / C_k^r`, where `C_k` is what is
/// left of server k.
///
/// A limited resource of which nothing is left is infinitely scarce. A resource that the server does not limit has no ratio.
/// The metric is asked for only where the virtual machine fits: the 0 that (3) has elsewhere would be the smallest of all.
#[derive(Clone, Copy, Debug)]
pub struct Scarcity {
    operator: Operator,
    /// Pages in a unit of memory.
    unit: f64,
}

impl Scarcity {
    /// The metric for a problem.
    pub fn new(problem: &Problem, operator: Operator, unit: PageUnit) -> Self {
        let page_kib = problem.page_kib as f64;
        let unit = match unit {
            PageUnit::Page => 1.0,
            PageUnit::Mib => 1024.0 / page_kib,
            PageUnit::Gib => 1024.0 * 1024.0 / page_kib,
        };
        Scarcity { operator, unit }
    }

    /// `e_j^k` of a virtual machine that fits.
    pub fn of(&self, state: &State<'_>, server: ServerIndex, vm: VmIndex) -> f64 {
        let about = state.problem().vm(vm);
        // (q/u - sqrt(s/u)) / (C/u) with everything in pages.
        let shared = state.shared(server, vm) as f64;
        let memory = ratio(about.pages as f64 - (shared * self.unit).sqrt(), state.pages(server) as f64);
        let limited = state.resources(server).iter().zip(&about.request);
        let ratios = limited.filter_map(|(left, request)| Some(ratio(request.to_f64(), (*left)?.to_f64())));
        match self.operator {
            Operator::Max => ratios.fold(memory, f64::max),
            Operator::Min => ratios.fold(memory, f64::min),
        }
    }
}

fn ratio(request: f64, left: f64) -> f64 {
    if left > 0.0 { request / left } else { f64::INFINITY }
}

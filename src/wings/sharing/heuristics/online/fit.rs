//! The rules by which a virtual machine that arrives gets its server.

use super::scarcity::Scarcity;
use crate::heuristics::state::State;
use crate::instance::{ServerIndex, VmIndex};
use kit::{Choice, Choices};

/// Which server a virtual machine goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// NF: one server at a time is open; when it does not suffice it is closed for good.
    Next,
    /// FF: the first active server with room.
    First,
    /// BF: the server on which the scarcest resource becomes the scarcest.
    Best,
    /// WF: the server on which it stays the least scarce.
    Worst,
}

/// Which servers BF and WF compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scan {
    /// Active ones, and the first inactive one with room is opened only if none of them has room, as in Algorithm 3.
    Active,
    /// All, as in the worked example of Fig. 4.
    All,
}

impl Choices for Scan {
    const ALL: &'static [Choice<Scan>] = &[
        Choice {
            name: "active",
            help: "those in use; another is opened only if none of them has room, as in Algorithm 3",
            value: Scan::Active,
        },
        Choice { name: "all", help: "every one, as in the worked example of Fig. 4", value: Scan::All },
    ];
}

/// A rule at work.
pub struct AtWork<'p> {
    state: State<'p>,
    fit: Fit,
    scan: Scan,
    scarcity: Scarcity,
    /// Servers in the order in which they are opened.
    order: Vec<ServerIndex>,
    /// Active servers in the order in which they were opened.
    active: Vec<ServerIndex>,
    /// NF: the position in `order` of the server that is open.
    open: usize,
}

impl<'p> AtWork<'p> {
    /// A rule at its beginning.
    pub fn new(state: State<'p>, fit: Fit, scan: Scan, scarcity: Scarcity, order: Vec<ServerIndex>) -> Self {
        AtWork { state, fit, scan, scarcity, order, active: Vec::new(), open: 0 }
    }

    /// Gives a virtual machine a server, if the rule finds one.
    pub fn admit(&mut self, vm: VmIndex) {
        let chosen = match (self.fit, self.scan) {
            (Fit::Next, _) => self.next(vm),
            (Fit::First, _) => {
                let first = self.active.iter().copied().find(|&server| self.state.fits(server, vm));
                first.or_else(|| self.first_inactive(vm))
            }
            (Fit::Best | Fit::Worst, Scan::Active) => {
                self.ranked(&self.active, vm).or_else(|| self.first_inactive(vm))
            }
            (Fit::Best | Fit::Worst, Scan::All) => self.ranked(&self.distinct(), vm),
        };
        let Some(server) = chosen else { return };
        if !self.state.is_active(server) {
            self.active.push(server);
        }
        self.state.put(server, vm);
    }

    /// The servers as they are now.
    pub fn into_state(self) -> State<'p> {
        self.state
    }

    /// The open server, or the first one after it with room. Those passed over stay closed, also when no other is left.
    fn next(&mut self, vm: VmIndex) -> Option<ServerIndex> {
        while let Some(&server) = self.order.get(self.open) {
            if self.state.fits(server, vm) {
                return Some(server);
            }
            self.open += 1;
        }
        None
    }

    fn first_inactive(&self, vm: VmIndex) -> Option<ServerIndex> {
        let inactive = |server: &ServerIndex| !self.state.is_active(*server);
        self.order.iter().copied().filter(inactive).find(|&server| self.state.fits(server, vm))
    }

    /// All servers in order, but of inactive ones that are alike the first alone, which wins all ties.
    fn distinct(&self) -> Vec<ServerIndex> {
        let problem = self.state.problem();
        let mut seen = vec![false; problem.kinds.len()];
        let is_new = |&server: &ServerIndex| {
            let kind = problem.servers[server.index()].kind.index();
            self.state.is_active(server) || !std::mem::replace(&mut seen[kind], true)
        };
        self.order.iter().copied().filter(is_new).collect()
    }

    /// The server with room that is best by the metric; the first of several.
    fn ranked(&self, servers: &[ServerIndex], vm: VmIndex) -> Option<ServerIndex> {
        let mut best: Option<(f64, ServerIndex)> = None;
        for &server in servers.iter().filter(|&&server| self.state.fits(server, vm)) {
            let scarcity = self.scarcity.of(&self.state, server, vm);
            let better = |(known, _): (f64, ServerIndex)| match self.fit {
                Fit::Worst => scarcity < known,
                _ => scarcity > known,
            };
            if best.is_none_or(better) {
                best = Some((scarcity, server));
            }
        }
        best.map(|(_, server)| server)
    }
}

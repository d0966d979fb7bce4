//! A plan with its layout.

use super::placed::{Layout, lay_out};
use crate::instance::Problem;
use crate::rules::Plan;
use std::sync::OnceLock;

/// A plan of a problem, and where its instances lie, which is found once, when it is first needed.
#[derive(Debug)]
pub struct Solution {
    /// The plan.
    pub plan: Plan,
    layout: OnceLock<Layout>,
}

impl From<Plan> for Solution {
    fn from(plan: Plan) -> Self {
        Solution { plan, layout: OnceLock::new() }
    }
}

impl Solution {
    /// Where its instances lie; the problem is the one of the plan.
    pub fn layout(&self, problem: &Problem) -> &Layout {
        self.layout.get_or_init(|| lay_out(problem, &self.plan))
    }
}

//! Reasons why no plan obeys all rules, told before anything is solved.

use super::instance::Problem;

/// Why the problem has no solution, in words; `None` if it has one.
pub fn impossible(_: &Problem) -> Option<String> {
    None
}

//! Assertions about solutions, whose failures show what is wrong.

use crate::front::{Distance, Gap, Options, Unscored, gap, verify};
use ground::{Amount, counted};
use kit::{SolutionDocument, Verdict};
use models::Instance;
use report::{Screen, Worth, drawing_of_solution};
use std::fmt::Write;

/// Widest drawing in a message, in columns.
const WIDTH: usize = 100;

/// Asserts that a solution obeys all rules, and is at most so far from the proved optimum: `0.05` are 5 per cent of the
/// optimum's magnitude. Returns the [`Gap`](crate::Gap).
///
/// The first two arguments are an [`Instance`](crate::Instance) and a [`Solution`](crate::Solution), or references to them.
/// The message of a failure has the values of both solutions and draws them; more arguments are put before it, as with
/// `assert!`.
#[macro_export]
macro_rules! assert_gap_at_most {
    ($instance:expr, $solution:expr, $most:expr $(, $($words:tt)+)?) => {{
        let (instance, solution) = (&$instance, &$solution);
        match $crate::testing::gap_at_most(
            ::std::borrow::Borrow::<$crate::front::Instance>::borrow(instance),
            ::std::borrow::Borrow::<$crate::front::Solution>::borrow(solution),
            $most,
        ) {
            Ok(gap) => gap,
            Err(failure) => {
                let words: &[String] = &[$(format!($($words)+))?];
                panic!("{}", words.iter().chain([&failure]).map(String::as_str).collect::<Vec<_>>().join(": "))
            }
        }
    }};
}

/// Asserts that a solution is worth as much as the proved optimum, as [`assert_gap_at_most!`](crate::assert_gap_at_most).
#[macro_export]
macro_rules! assert_optimal {
    ($instance:expr, $solution:expr $(, $($words:tt)+)?) => {
        $crate::testing::assert_gap_at_most!($instance, $solution, 0.0 $(, $($words)+)?)
    };
}

/// Asserts that a solution obeys all rules, without solving anything. Returns the [`Verdict`](crate::Verdict).
///
/// The arguments are those of [`assert_gap_at_most!`](crate::assert_gap_at_most).
#[macro_export]
macro_rules! assert_valid {
    ($instance:expr, $solution:expr $(, $($words:tt)+)?) => {{
        let (instance, solution) = (&$instance, &$solution);
        match $crate::testing::valid(
            ::std::borrow::Borrow::<$crate::front::Instance>::borrow(instance),
            ::std::borrow::Borrow::<$crate::front::Solution>::borrow(solution),
        ) {
            Ok(verdict) => verdict,
            Err(failure) => {
                let words: &[String] = &[$(format!($($words)+))?];
                panic!("{}", words.iter().chain([&failure]).map(String::as_str).collect::<Vec<_>>().join(": "))
            }
        }
    }};
}

/// What [`assert_gap_at_most!`](crate::assert_gap_at_most) asserts.
///
/// # Errors
/// The message for people: what is wrong, with the solution and the optimum.
pub fn gap_at_most(instance: &Instance, solution: &SolutionDocument, most: f64) -> Result<Gap, String> {
    valid(instance, solution)?;
    let gap = gap(instance, solution, &Options::default()).map_err(|failure| match failure {
        Unscored::Unsolved(why) => format!("there is no optimum to compare with: {why}"),
        other => other.to_string(),
    })?;
    if gap.relative <= most {
        return Ok(gap);
    }
    let mut text = format!("{}: {}", instance.name, too_far(&gap, most));
    let question = instance.question().map_err(|error| error.to_string())?;
    let worth = Worth::of_verdict(&question.about(), &gap.verdict.clone().into());
    text += &shown("the solution", &worth, &gap.verdict.solution);
    let worth = Worth::of_result(gap.proof.result());
    text += &shown("an optimal solution (proved)", &worth, &gap.proof);
    Err(text)
}

fn too_far(distance: &Distance, most: f64) -> String {
    if distance.optimum == Amount::ZERO {
        return format!("{distance}, which no gap measures");
    }
    format!("{distance}, where at most {:.2} % are allowed", 100.0 * most)
}

/// What [`assert_valid!`](crate::assert_valid) asserts.
///
/// # Errors
/// The message for people: the rules that are broken, and the solution.
pub fn valid(instance: &Instance, solution: &SolutionDocument) -> Result<Verdict, String> {
    let verdict = verify(instance, solution).map_err(|error| error.to_string())?;
    if verdict.violations.is_empty() {
        return Ok(verdict);
    }
    let broken = counted(verdict.violations.len(), "rule");
    let mut text = format!("{}: the solution breaks {broken}", instance.name);
    for violation in &verdict.violations {
        write!(text, "\n  {}: {}", violation.rule, violation.message).expect("writing to a string");
    }
    text += &shown("the solution", &Worth::default(), &verdict.solution);
    Err(text)
}

/// A solution with its worth, drawn.
fn shown(title: &str, worth: &Worth, solution: &SolutionDocument) -> String {
    let [in_words, goals, _] = worth.paragraphs();
    let worth: String = in_words.iter().chain(&goals).map(|line| format!("{line}\n")).collect();
    let drawing = drawing_of_solution(solution).draw(Screen::of_width(WIDTH));
    format!("\n\n{title}:\n{worth}{}", drawing.trim_end())
}

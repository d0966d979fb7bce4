//! What one solve gives back: why it stopped, what it holds, what is proved.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// Why a search ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The search is complete: the incumbent is optimal within the absolute gap that was asked for.
    Proved,
    /// The incumbent is within the relative gap that was asked for, which is more than an exact answer allows.
    GapLimit,
    /// The deadline passed.
    TimeLimit,
    /// The number of nodes that was asked for has been searched.
    NodeLimit,
    /// The user interrupted the search.
    Interrupted,
    /// The solver ran out of the memory that it may use.
    MemoryLimit,
    /// No point satisfies the rows.
    Infeasible,
    /// The objective improves without end.
    Unbounded,
    /// The solver failed, or returned a point that does not satisfy the program; the text is its own explanation.
    SolverError(String),
}

impl StopReason {
    /// Why two searches ended, one after the other, of which the first is settled: as the second, but within the gap where the
    /// first one is no better.
    #[must_use]
    pub fn then(self, later: StopReason) -> StopReason {
        if later == StopReason::Proved { self } else { later }
    }
}

/// Machine-independent measures of the effort of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// The columns of the program.
    pub columns: usize,
    /// The rows of the program.
    pub rows: usize,
    /// The coefficients in the rows of the program.
    pub nonzeros: usize,
    /// Branch-and-bound nodes, accumulated over the solves.
    pub nodes: u64,
    /// Simplex and interior-point iterations, accumulated over the solves.
    pub iterations: u64,
}

impl Add for Work {
    type Output = Work;

    /// Accumulates the nodes and the iterations; the sizes are those of the greater program.
    fn add(self, other: Work) -> Work {
        Work {
            columns: self.columns.max(other.columns),
            rows: self.rows.max(other.rows),
            nonzeros: self.nonzeros.max(other.nonzeros),
            nodes: self.nodes + other.nodes,
            iterations: self.iterations + other.iterations,
        }
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Work) {
        *self = *self + other;
    }
}

impl Sum for Work {
    fn sum<I: Iterator<Item = Work>>(works: I) -> Work {
        works.fold(Work::default(), Add::add)
    }
}

/// The result of one solve of one objective.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Why the search ended.
    pub stop: StopReason,
    /// The incumbent, checked against the program, with exact integers in the integer columns; for a linear relaxation the
    /// point of the relaxation.
    pub columns: Option<Vec<f64>>,
    /// The objective value of `columns`.
    pub primal: Option<f64>,
    /// A point, with exact integers in the integer columns, that the solver takes for one of the program, which it breaks; the
    /// stop is then a [`StopReason::SolverError`].
    pub rejected: Option<Vec<f64>>,
    /// The proved dual bound: no feasible point is better. It is finite.
    pub bound: Option<f64>,
    /// The effort.
    pub work: Work,
    /// The duration in seconds of wall-clock time.
    pub seconds: f64,
}

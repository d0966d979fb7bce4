//! Arithmetic of incumbents, dual bounds and the grid of objective values.

use milp::{Sense, Stage};

/// The relative difference at which the value and the bound of an objective without a step count as equal.
const OPTIMALITY_TOLERANCE: f64 = 1e-6;

/// The part of a step that the difference between the incumbent and the bound may reach while a search goes on. The rest
/// of the step leaves room for [`Grid::tolerance`].
const OPEN_PART_OF_STEP: f64 = 0.9;

/// The greatest rounding error of a bound, as a part of the step.
const ERROR_PART_OF_STEP: f64 = 0.05;

/// The distance of a dual bound from a value, relative to the magnitude of the value; infinite when the value is zero and
/// the bound is not.
pub fn relative_gap(value: f64, bound: f64) -> f64 {
    let difference = (bound - value).abs();
    if difference == 0.0 { 0.0 } else { difference / value.abs() }
}

/// Moves a dual bound of a stage to the nearest value that a feasible point can have: down for a maximization, up for a
/// minimization. Whatever floating-point arithmetic may have taken from the bound is given back before. A stage without a step keeps
/// the bound.
pub fn tighten(stage: &Stage, bound: f64) -> f64 {
    Grid::of(stage).tighten(bound)
}

/// The values that an objective can take, and what follows from them for bounds and proofs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    sense: Sense,
    constant: f64,
    step: Option<f64>,
}

impl Grid {
    /// The grid of a stage's objective.
    pub(super) fn of(stage: &Stage) -> Self {
        Grid { sense: stage.sense, constant: stage.constant, step: stage.step }
    }

    /// Moves a dual bound to the nearest value that a feasible point can have: down for a maximization, up for a
    /// minimization. An objective without a step keeps the bound.
    pub(super) fn tighten(&self, bound: f64) -> f64 {
        let Some(step) = self.step else { return bound };
        let steps = (bound - self.constant) / step;
        let tolerance = self.tolerance(bound, step) / step;
        let whole = match self.sense {
            Sense::Maximize => (steps + tolerance).floor(),
            Sense::Minimize => (steps - tolerance).ceil(),
        };
        self.constant + step * whole
    }

    /// A value between a bound and the next worse one, which all that meets the bound is better than; nothing without a step.
    pub(super) fn target(&self, bound: f64) -> Option<f64> {
        let half = self.step? / 2.0;
        Some(match self.sense {
            Sense::Maximize => self.tighten(bound) - half,
            Sense::Minimize => self.tighten(bound) + half,
        })
    }

    /// Moves the value of a feasible point onto the grid, from which floating-point evaluation may have moved it.
    ///
    /// # Errors
    ///
    /// The error is a sentence that says that the value is not on the grid: the stage's step is wrong.
    pub(super) fn settle(&self, value: f64) -> Result<f64, String> {
        let Some(step) = self.step else { return Ok(value) };
        let steps = (value - self.constant) / step;
        let whole = steps.round();
        if (steps - whole).abs() * step > self.tolerance(value, step) {
            return Err(format!(
                "the objective value {value} of a feasible point is not {} plus a multiple of the promised step {step}",
                self.constant
            ));
        }
        Ok(self.constant + step * whole)
    }

    /// Whether no feasible point can be better than `value` when none is better than `bound`.
    pub(super) fn proves(&self, value: f64, bound: f64) -> bool {
        match self.step {
            Some(step) => {
                !self.sense.better(bound, value) || (bound - value).abs() < step * (1.0 - ERROR_PART_OF_STEP)
            }
            None => {
                !self.sense.better(bound, value)
                    || (bound - value).abs() <= OPTIMALITY_TOLERANCE * value.abs().max(1.0)
            }
        }
    }

    /// The absolute gap at which a search for an exact answer is complete, in units of the objective.
    pub(super) fn absolute_gap(&self) -> f64 {
        match self.step {
            Some(step) => OPEN_PART_OF_STEP * step,
            None => OPTIMALITY_TOLERANCE / 2.0,
        }
    }

    /// The relative gap to ask a solver for, given the one that the user allows.
    pub(super) fn relative_gap(&self, allowed: f64) -> f64 {
        match self.step {
            Some(_) => allowed,
            None => allowed.max(OPTIMALITY_TOLERANCE / 2.0),
        }
    }

    /// The error that floating-point arithmetic may leave in an objective value or a bound: 1e-6 plus 1e-9 of its
    /// magnitude, limited to a small part of the step.
    fn tolerance(&self, value: f64, step: f64) -> f64 {
        (1e-6 + 1e-9 * value.abs()).min(ERROR_PART_OF_STEP * step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(sense: Sense, constant: f64, step: Option<f64>) -> Grid {
        Grid { sense, constant, step }
    }

    #[test]
    fn bounds_move_to_the_grid() {
        let up = grid(Sense::Maximize, 0.5, Some(2.0));
        assert_eq!(up.tighten(7.0), 6.5);
        assert_eq!(up.tighten(6.499_999_9), 6.5);
        assert_eq!(up.tighten(6.499), 4.5);
        let down = grid(Sense::Minimize, 0.0, Some(1.0));
        assert_eq!(down.tighten(6.000_000_1), 6.0);
        assert_eq!(down.tighten(6.1), 7.0);
        assert_eq!(down.tighten(-6.1), -6.0);
        assert_eq!(grid(Sense::Minimize, 0.0, None).tighten(6.1), 6.1);
    }

    #[test]
    fn values_settle_on_the_grid_or_refute_it() {
        let whole = grid(Sense::Maximize, 0.0, Some(1.0));
        assert_eq!(whole.settle(2.999_999_999_6), Ok(3.0));
        assert!(whole.settle(2.5).unwrap_err().contains("promised step 1"));
        assert_eq!(grid(Sense::Maximize, 0.0, None).settle(2.5), Ok(2.5));
    }

    #[test]
    fn a_search_that_stops_within_its_absolute_gap_is_a_proof() {
        for (sense, sign) in [(Sense::Maximize, 1.0), (Sense::Minimize, -1.0)] {
            for value in [0.0, 7.0, 1e6, 3e7] {
                let grid = grid(sense, 0.0, Some(1.0));
                let bound = grid.tighten(value + sign * grid.absolute_gap());
                assert_eq!(bound, value);
                assert!(grid.proves(value, bound));
                assert!(!grid.proves(value, value + sign));
            }
        }
    }

    #[test]
    fn an_objective_without_a_step_is_proved_within_its_tolerance() {
        let grid = grid(Sense::Minimize, 0.0, None);
        for value in [0.0, 3.0, -4e8] {
            let allowed = grid.absolute_gap().max(grid.relative_gap(0.0) * f64::abs(value));
            assert!(grid.proves(value, value - allowed));
        }
        assert!(!grid.proves(3.0, 2.9));
    }

    #[test]
    fn the_relative_gap_of_zero_is_total() {
        assert_eq!(relative_gap(0.0, 0.0), 0.0);
        assert_eq!(relative_gap(0.0, 1.0), f64::INFINITY);
        assert_eq!(relative_gap(-4.0, -3.0), 0.25);
    }
}

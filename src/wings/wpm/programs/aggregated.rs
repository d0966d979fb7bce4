//! The aggregated program as a formulation: its program with the ways from counts to solutions and back.

use super::aggregate::aggregate;
use super::disaggregate::disaggregate;
use super::encoding::Encoding;
use super::lattice::Lattice;
use super::stage_plan::StagePlan;
use crate::rules::{Reading, Solution};
use milp::Program;

impl Encoding for Lattice<'_> {
    fn program(&self) -> &Program {
        &self.program
    }

    fn plan(&self) -> &StagePlan {
        &self.plan
    }

    fn reading(&self) -> Reading {
        self.reading
    }

    fn decode(&self, columns: &[f64]) -> Solution {
        disaggregate(self, columns)
    }

    fn encode(&self, solution: &Solution) -> Option<Vec<f64>> {
        aggregate(self, solution)
    }

    fn network_columns(&self) -> &[usize] {
        &self.network_columns
    }
}

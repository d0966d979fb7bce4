//! Solutions as documents.

use crate::instance::{Problem, Role};
use crate::rules::{Reading, Solution, reading_for};
use cluster::GpuIndex;
use ground::{InputError, SourceText};
use kit::{Choices, GpuNames, InstanceReference, SolutionDocument};

impl Solution {
    /// Writes the solution down, without its worth.
    pub fn document(&self, problem: &Problem, fingerprint: &str) -> SolutionDocument {
        let cluster = &problem.cluster;
        let name = |gpu: GpuIndex| cluster.gpus[gpu.index()].name.clone();
        let repartitioned = cluster.gpu_indices().filter(|gpu| self.repartitioned[gpu.index()]).map(name);
        SolutionDocument {
            reading: Some(self.reading.name().to_owned()),
            repartitioned: Some(repartitioned.collect()),
            ..SolutionDocument::new(
                "wpm",
                InstanceReference::new(&cluster.name, fingerprint),
                cluster,
                &self.placement,
                self.pending(problem),
                |workload| problem.role(workload) == Role::Pinned,
            )
        }
    }

    /// Reads a solution back for a problem.
    ///
    /// # Errors
    /// When it belongs to another instance, names unknown workloads or GPUs, or names a workload twice.
    pub fn resolve(
        document: &SolutionDocument,
        problem: &Problem,
        fingerprint: &str,
        source: &SourceText,
    ) -> Result<Self, InputError> {
        let placement = document.resolve(&problem.cluster, fingerprint, source)?;
        let reading = match &document.reading {
            None => reading_for(problem),
            Some(name) => Reading::named(name)
                .map_err(|message| source.error_at_key(&["reading"], format!("`reading`: {message}")))?,
        };
        let Some(named) = &document.repartitioned else {
            return Ok(Solution::from_placement(problem, reading, placement));
        };
        let gpus = GpuNames::of(&problem.cluster);
        let mut repartitioned = vec![false; problem.cluster.gpus.len()];
        for name in named {
            repartitioned[gpus.find(name, source)?.index()] = true;
        }
        Ok(Solution { reading, placement, repartitioned })
    }
}

//! Any text is either an instance or refused in one paragraph; what is small enough becomes a program and is proposed to.
#![no_main]

use libfuzzer_sys::fuzz_target;
use migopt::cluster::SourceText;
use migopt::model::Instance;
use migopt::model::wpm::heuristic::HEURISTICS;
use migopt::model::wpm::{self, FORMULATIONS, Plan, Reading, Solution};

const MOST_GPUS: usize = 4;
const MOST_WORKLOADS: usize = 6;

fuzz_target!(|text: &str| {
    let instance = match Instance::parse(SourceText::new("fuzz", text)) {
        Ok(instance) => instance,
        Err(error) => {
            assert!(error.each().all(|error| !error.message.contains('\n')), "more than one paragraph: {error}");
            return;
        }
    };
    if instance.cluster.gpus.len() > MOST_GPUS || instance.cluster.workloads.len() > MOST_WORKLOADS {
        return;
    }
    let Ok(problem) = instance.wpm_problem() else { return };
    if Plan::new(&problem).is_err() {
        return;
    }
    for entry in FORMULATIONS {
        // Building may refuse a board or a weight, but must not fail in any other way.
        let _ = wpm::build(&problem, entry.name).map(|formulation| formulation.program().columns.len());
    }
    for heuristic in HEURISTICS {
        let placement = heuristic.propose(&problem, 0);
        for reading in [Reading::Printed, Reading::ExactIndex] {
            let solution = Solution::from_placement(&problem, reading, placement.clone());
            let violations = wpm::verify(&problem, &solution).violations;
            assert!(violations.iter().all(|violation| violation.rule() == "pending"), "{violations:?}");
        }
    }
});

//! Any text is either an instance or refused in one paragraph; what is small enough becomes a program and is proposed to, under each model.
#![no_main]

use ground::SourceText;
use libfuzzer_sys::fuzz_target;
use models::{Instance, MODELS};

/// Larger instances are read alone.
const MOST_SIZE: u64 = 10;

fuzz_target!(|text: &str| {
    let instance = match Instance::parse(SourceText::new("fuzz", text)) {
        Ok(instance) => instance,
        Err(error) => {
            assert!(error.each().all(|error| !error.message.contains('\n')), "more than one paragraph: {error}");
            return;
        }
    };
    for &model in MODELS {
        let instance = instance.clone().under(model);
        let Ok(question) = instance.question() else { continue };
        if model.size(&instance) > MOST_SIZE {
            continue;
        }
        for formulation in model.formulations() {
            // Building may refuse a board or a weight, but must not fail in any other way.
            let _ = question.program(formulation).map(|program| program.columns.len());
        }
        for heuristic in model.heuristics() {
            let proposal = question.propose(heuristic.name, 0).expect("the heuristic is one of the model");
            let source = SourceText::new("proposal", "");
            let verdict = question.judge(&proposal.solution, &source).expect("it is a solution of the instance");
            assert_eq!(verdict.violations.is_empty(), proposal.valid, "what is proposed is judged alike when it is read");
        }
    }
});

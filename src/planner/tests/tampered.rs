//! Plans and claims that were changed must be refused.

use super::cases::{PLAIN, draw};
use super::theorems::{found, options};
use ground::SourceText;
use plan::{Kind, PlanFile, judge};
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use solver::solvers;

/// The rules that a plan breaks.
fn broken(found: &crate::Found, change: impl FnOnce(&mut PlanFile)) -> Vec<&'static str> {
    let mut file = found.file.clone();
    file.instance.name = "case".to_owned();
    change(&mut file);
    let source = SourceText::new("plan.json", "{}");
    let resolved = file.resolve(&found.transition.cluster, "", &source).unwrap();
    judge(&file, &resolved).findings.iter().map(|finding| finding.rule).collect()
}

#[test]
fn plans_that_were_changed_are_refused() {
    let mut random = ChaCha8Rng::seed_from_u64(21);
    let (mut cases, mut chains, mut cycles) = (0, 0, 0);
    while cases < 40 {
        let transition = draw(PLAIN, &mut random);
        let Some(found) = found(&transition, &options(solvers()[0])) else { continue };
        if found.plan.rounds.len() < 2 {
            continue;
        }
        cases += 1;
        assert_eq!(broken(&found, |_| ()), [] as [&str; 0], "{:#?}", found.file);
        // The operations follow from the rounds, so that they are left out where the rounds are changed.
        let without = |file: &mut PlanFile| file.operations.clear();
        assert!(
            !broken(&found, |file| {
                without(file);
                file.rounds.reverse()
            })
            .is_empty()
        );
        assert!(
            !broken(&found, |file| {
                without(file);
                drop(file.rounds[0].moves.pop())
            })
            .is_empty()
        );
        assert!(
            !broken(&found, |file| {
                without(file);
                let rest: Vec<_> = file.rounds.drain(1..).flat_map(|round| round.moves).collect();
                file.rounds[0].moves.extend(rest);
            })
            .is_empty()
        );
        assert_eq!(broken(&found, |file| drop(file.operations.remove(0))), ["operation"]);
        assert!(
            !broken(&found, |file| {
                let last = file.operations.len() - 1;
                file.operations.swap(0, last);
            })
            .is_empty()
        );
        if found.file.rounds[0].moves[0].kind == Kind::Surge {
            assert_eq!(broken(&found, |file| file.rounds[0].moves[0].kind = Kind::Restart), ["moves"]);
        }
        assert_eq!(broken(&found, |file| file.rounds[0].moves[0].via ^= true), ["via"]);
        assert!(broken(&found, |file| file.counts.as_mut().unwrap().moves += 1).contains(&"counts"));
        assert_eq!(broken(&found, |file| file.expects[0].hash.clear()), ["layout"]);
        assert!(broken(&found, |file| file.limits.max_rounds = Some(1)).contains(&"max-rounds"));
        let claims = |file: &mut PlanFile| file.bounds.as_mut().unwrap().rounds.as_mut().unwrap().value += 1;
        assert!(broken(&found, claims).contains(&"bound"));
        let bounds = found.file.bounds.as_ref().unwrap();
        if !bounds.rounds.as_ref().unwrap().chain.is_empty() {
            chains += 1;
            let cut = |file: &mut PlanFile| {
                file.bounds.as_mut().unwrap().rounds.as_mut().unwrap().chain.reverse();
            };
            assert_eq!(broken(&found, cut), ["bound"]);
        }
        if !bounds.bounces.as_ref().unwrap().cycles.is_empty() {
            cycles += 1;
            let cut = |file: &mut PlanFile| {
                drop(file.bounds.as_mut().unwrap().bounces.as_mut().unwrap().cycles[0].pop());
            };
            assert_eq!(broken(&found, cut), ["bound"]);
        }
    }
    assert!(chains > 5 && cycles > 5, "{chains} chains, {cycles} circles");
}

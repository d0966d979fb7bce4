//! Workloads that may not be moved.

use crate::cases;
use ground::Amount;
use kit::SolveOptions;
use models::Instance;
use solver::{Control, Effort};
use solvers::solvers;

#[test]
fn what_is_pinned_keeps_its_gpu_and_shares_it() {
    let text = "\
name: pinned
gpus: [{name: g, board: A100-40GB, count: 3}]
workloads:
  - {name: fixed, profile: 3g.20gb, movable: false, current: {gpu: g-2, start: 4}}
  - {name: free, profile: 3g.20gb, replicas: 2, current: [{gpu: g-0, start: 0}, {gpu: g-1, start: 4}]}
";
    let (load, cases) = cases(&Instance::from_yaml(text).unwrap(), &[], &[]).unwrap();
    assert_eq!((load.running, load.pinned, load.waiting, cases.len()), (3, 1, 0, 1));
    let question = cases[0].instance.question().unwrap();
    for &solver in solvers() {
        let options = SolveOptions::new(Effort::exact(solver));
        let answer = cases[0].sizing(&question.solve(&options, &Control::silent()).unwrap());
        assert_eq!(answer.cost, Some(Amount::whole(2)));
        let shared = answer.layouts.iter().find(|layout| layout.instances == ["3g.20gb@0", "3g.20gb@4"]);
        assert_eq!(shared.unwrap().count, 1);
    }
}

//! The programs of model siavashi as text and in numbers, for readers and against unwanted change.

use milp::Program;
use models::InstanceFile;
use siavashi::{FORMULATIONS, GeneratorOptions, Mix, Problem, Residents};
use support::board;
use support::instances::{posed, written};
use support::programs::lp;
use support::siavashi::problem;

/// A machine with a resident, a machine of two GPUs that is empty, and newcomers of which one has a choice of boards.
const THREE_WORKLOADS: &str = "
name: three-workloads
boards:
  half:
    slots: 2
    compute: 2
    profiles:
      - {name: 1h, compute: 1, size: 1, starts: [0, 1]}
      - {name: 2h, compute: 2, size: 2, starts: [0]}
hosts:
  - {name: a, cpu: 3, gpus: [{board: half}]}
  - {name: b, weight: 2, gpus: [{board: half, count: 2}]}
workloads:
  - {name: old, profile: 1h, cpu: 2, current: {gpu: a/0, start: 1}}
  - {name: new, profile: 1h, cpu: 2}
  - {name: wide, profile: 2h, acceptance_weight: 3}
siavashi: {residents: evictable}
";

fn lp_of(formulation: &str, stage: &str) -> String {
    let problem = problem(THREE_WORKLOADS);
    let formulation = crate::formulation(formulation).build(&problem).expect("the formulation applies");
    lp(formulation.program(), Some(stage))
}

#[test]
fn the_text_is_the_same_every_time() {
    for formulation in FORMULATIONS {
        assert_eq!(lp_of(formulation.name(), "migrations"), lp_of(formulation.name(), "migrations"));
    }
}

/// All but the bounds, which are those of the page: everything is binary but the offsets z and the multiples beta.
#[test]
fn printed_program_of_three_workloads() {
    let text = lp_of("printed", "migrations");
    let rows = text.split("bounds").next().expect("there is text");
    insta::assert_snapshot!(rows, @r"
    \ File written by HiGHS .lp file handler
    min
     obj: +0.5 m(old,a) +0.5 m(old,b) +0.5 omega(old,a_0) +0.5 omega(old,b_0) +0.5 omega(old,b_1)
    st
     S6(a): +1 x(old,a) +1 x(new,a) <= +1
     S8(old): +1 x(old,a) +1 x(old,b) <= +1
     S9(old): +1 y(old,a_0) +1 y(old,b_0) +1 y(old,b_1) <= +1
     S8(new): +1 x(new,a) +1 x(new,b) <= +1
     S9(new): +1 y(new,a_0) +1 y(new,b_0) +1 y(new,b_1) <= +1
     S8(wide): +1 x(wide,a) +1 x(wide,b) <= +1
     S9(wide): +1 y(wide,a_0) +1 y(wide,b_0) +1 y(wide,b_1) <= +1
     S10(old,a): +1 x(old,a) -1 y(old,a_0) <= +0
     S10(old,b): +1 x(old,b) -1 y(old,b_0) -1 y(old,b_1) <= +0
     S10(new,a): +1 x(new,a) -1 y(new,a_0) <= +0
     S10(new,b): +1 x(new,b) -1 y(new,b_0) -1 y(new,b_1) <= +0
     S10(wide,a): +1 x(wide,a) -1 y(wide,a_0) <= +0
     S10(wide,b): +1 x(wide,b) -1 y(wide,b_0) -1 y(wide,b_1) <= +0
     S11(old,a_0): +1 x(old,a) -1 y(old,a_0) >= +0
     S11(old,b_0): +1 x(old,b) -1 y(old,b_0) >= +0
     S11(old,b_1): +1 x(old,b) -1 y(old,b_1) >= +0
     S11(new,a_0): +1 x(new,a) -1 y(new,a_0) >= +0
     S11(new,b_0): +1 x(new,b) -1 y(new,b_0) >= +0
     S11(new,b_1): +1 x(new,b) -1 y(new,b_1) >= +0
     S11(wide,a_0): +1 x(wide,a) -1 y(wide,a_0) >= +0
     S11(wide,b_0): +1 x(wide,b) -1 y(wide,b_0) >= +0
     S11(wide,b_1): +1 x(wide,b) -1 y(wide,b_1) >= +0
     S12(old,new,a_0): +1 y(old,a_0) +1 z(old,a_0) -1 z(new,a_0) -2 alpha(old,new,a_0) <= +0
     S13(old,new,a_0): +1 z(old,a_0) -1 y(new,a_0) -1 z(new,a_0) -2 alpha(old,new,a_0) >= -2
     S12(old,wide,a_0): +1 y(old,a_0) +1 z(old,a_0) -1 z(wide,a_0) -2 alpha(old,wide,a_0) <= +0
     S13(old,wide,a_0): +1 z(old,a_0) -2 y(wide,a_0) -1 z(wide,a_0) -2 alpha(old,wide,a_0) >= -2
     S12(new,wide,a_0): +1 y(new,a_0) +1 z(new,a_0) -1 z(wide,a_0) -2 alpha(new,wide,a_0) <= +0
     S13(new,wide,a_0): +1 z(new,a_0) -2 y(wide,a_0) -1 z(wide,a_0) -2 alpha(new,wide,a_0) >= -2
     S12(old,new,b_0): +1 y(old,b_0) +1 z(old,b_0) -1 z(new,b_0) -2 alpha(old,new,b_0) <= +0
     S13(old,new,b_0): +1 z(old,b_0) -1 y(new,b_0) -1 z(new,b_0) -2 alpha(old,new,b_0) >= -2
     S12(old,wide,b_0): +1 y(old,b_0) +1 z(old,b_0) -1 z(wide,b_0) -2 alpha(old,wide,b_0) <= +0
     S13(old,wide,b_0): +1 z(old,b_0) -2 y(wide,b_0) -1 z(wide,b_0) -2 alpha(old,wide,b_0) >= -2
     S12(new,wide,b_0): +1 y(new,b_0) +1 z(new,b_0) -1 z(wide,b_0) -2 alpha(new,wide,b_0) <= +0
     S13(new,wide,b_0): +1 z(new,b_0) -2 y(wide,b_0) -1 z(wide,b_0) -2 alpha(new,wide,b_0) >= -2
     S12(old,new,b_1): +1 y(old,b_1) +1 z(old,b_1) -1 z(new,b_1) -2 alpha(old,new,b_1) <= +0
     S13(old,new,b_1): +1 z(old,b_1) -1 y(new,b_1) -1 z(new,b_1) -2 alpha(old,new,b_1) >= -2
     S12(old,wide,b_1): +1 y(old,b_1) +1 z(old,b_1) -1 z(wide,b_1) -2 alpha(old,wide,b_1) <= +0
     S13(old,wide,b_1): +1 z(old,b_1) -2 y(wide,b_1) -1 z(wide,b_1) -2 alpha(old,wide,b_1) >= -2
     S12(new,wide,b_1): +1 y(new,b_1) +1 z(new,b_1) -1 z(wide,b_1) -2 alpha(new,wide,b_1) <= +0
     S13(new,wide,b_1): +1 z(new,b_1) -2 y(wide,b_1) -1 z(wide,b_1) -2 alpha(new,wide,b_1) >= -2
     S14(old,a_0): +1 y(old,a_0) +1 z(old,a_0) -1 beta(old) <= +1
     S15(old,a_0): +1 y(old,a_0) -1 z(old,a_0) +1 beta(old) <= +1
     S14(old,b_0): +1 y(old,b_0) +1 z(old,b_0) -1 beta(old) <= +1
     S15(old,b_0): +1 y(old,b_0) -1 z(old,b_0) +1 beta(old) <= +1
     S14(old,b_1): +1 y(old,b_1) +1 z(old,b_1) -1 beta(old) <= +1
     S15(old,b_1): +1 y(old,b_1) -1 z(old,b_1) +1 beta(old) <= +1
     S14(new,a_0): +1 y(new,a_0) +1 z(new,a_0) -1 beta(new) <= +1
     S15(new,a_0): +1 y(new,a_0) -1 z(new,a_0) +1 beta(new) <= +1
     S14(new,b_0): +1 y(new,b_0) +1 z(new,b_0) -1 beta(new) <= +1
     S15(new,b_0): +1 y(new,b_0) -1 z(new,b_0) +1 beta(new) <= +1
     S14(new,b_1): +1 y(new,b_1) +1 z(new,b_1) -1 beta(new) <= +1
     S15(new,b_1): +1 y(new,b_1) -1 z(new,b_1) +1 beta(new) <= +1
     S14(wide,a_0): +1 z(wide,a_0) -2 beta(wide) <= +0
     S15(wide,a_0): +1 z(wide,a_0) -2 beta(wide) >= +0
     S14(wide,b_0): +1 z(wide,b_0) -2 beta(wide) <= +0
     S15(wide,b_0): +1 z(wide,b_0) -2 beta(wide) >= +0
     S14(wide,b_1): +1 z(wide,b_1) -2 beta(wide) <= +0
     S15(wide,b_1): +1 z(wide,b_1) -2 beta(wide) >= +0
     S19(old,a): +1 x(old,a) -1 phi(a) <= +0
     S19(old,b): +1 x(old,b) -1 phi(b) <= +0
     S19(new,a): +1 x(new,a) -1 phi(a) <= +0
     S19(new,b): +1 x(new,b) -1 phi(b) <= +0
     S19(wide,a): +1 x(wide,a) -1 phi(a) <= +0
     S19(wide,b): +1 x(wide,b) -1 phi(b) <= +0
     S20(old,a_0): +1 gamma(a_0) -1 y(old,a_0) >= +0
     S20(old,b_0): +1 gamma(b_0) -1 y(old,b_0) >= +0
     S20(old,b_1): +1 gamma(b_1) -1 y(old,b_1) >= +0
     S20(new,a_0): +1 gamma(a_0) -1 y(new,a_0) >= +0
     S20(new,b_0): +1 gamma(b_0) -1 y(new,b_0) >= +0
     S20(new,b_1): +1 gamma(b_1) -1 y(new,b_1) >= +0
     S20(wide,a_0): +1 gamma(a_0) -1 y(wide,a_0) >= +0
     S20(wide,b_0): +1 gamma(b_0) -1 y(wide,b_0) >= +0
     S20(wide,b_1): +1 gamma(b_1) -1 y(wide,b_1) >= +0
     S21(a_0): +1 gamma(a_0) -1 y(old,a_0) -1 y(new,a_0) -1 y(wide,a_0) <= +0
     S21(b_0): +1 gamma(b_0) -1 y(old,b_0) -1 y(new,b_0) -1 y(wide,b_0) <= +0
     S21(b_1): +1 gamma(b_1) -1 y(old,b_1) -1 y(new,b_1) -1 y(wide,b_1) <= +0
     S22(old,a): +1 x(old,a) -1 m(old,a) <= +1
     S23(old,a): +1 x(old,a) +1 m(old,a) >= +1
     S22(old,b): +1 x(old,b) -1 m(old,b) <= +0
     S23(old,b): +1 x(old,b) +1 m(old,b) >= +0
     S24(old,a_0): +1 y(old,a_0) -1 omega(old,a_0) <= +1
     S25(old,a_0): +1 y(old,a_0) +1 omega(old,a_0) >= +1
     S24(old,b_0): +1 y(old,b_0) -1 omega(old,b_0) <= +0
     S25(old,b_0): +1 y(old,b_0) +1 omega(old,b_0) >= +0
     S24(old,b_1): +1 y(old,b_1) -1 omega(old,b_1) <= +0
     S25(old,b_1): +1 y(old,b_1) +1 omega(old,b_1) >= +0
    ");
}

#[test]
fn slots_program_of_three_workloads() {
    insta::assert_snapshot!(lp_of("slots", "migrations"), @r"
    \ File written by HiGHS .lp file handler
    min
     obj: -1 w(old,a_0,0) -1 w(old,a_0,1) +1 w(old,b_0,0) +1 w(old,b_0,1) +1 w(old,b_1,0) +1 w(old,b_1,1)  +1
    st
     place(old): +1 w(old,a_0,0) +1 w(old,a_0,1) +1 w(old,b_0,0) +1 w(old,b_0,1) +1 w(old,b_1,0) +1 w(old,b_1,1) <= +1
     place(new): +1 w(new,a_0,0) +1 w(new,a_0,1) +1 w(new,b_0,0) +1 w(new,b_0,1) +1 w(new,b_1,0) +1 w(new,b_1,1) <= +1
     place(wide): +1 w(wide,a_0,0) +1 w(wide,b_0,0) +1 w(wide,b_1,0) <= +1
     slot(a_0,0): +1 gamma(a_0) -1 w(old,a_0,0) -1 w(new,a_0,0) -1 w(wide,a_0,0) >= +0
     slot(a_0,1): +1 gamma(a_0) -1 w(old,a_0,1) -1 w(new,a_0,1) -1 w(wide,a_0,0) >= +0
     slot(b_0,0): +1 gamma(b_0) -1 w(old,b_0,0) -1 w(new,b_0,0) -1 w(wide,b_0,0) >= +0
     slot(b_0,1): +1 gamma(b_0) -1 w(old,b_0,1) -1 w(new,b_0,1) -1 w(wide,b_0,0) >= +0
     slot(b_1,0): +1 gamma(b_1) -1 w(old,b_1,0) -1 w(new,b_1,0) -1 w(wide,b_1,0) >= +0
     slot(b_1,1): +1 gamma(b_1) -1 w(old,b_1,1) -1 w(new,b_1,1) -1 w(wide,b_1,0) >= +0
     gpu(a_0): +1 phi(a) -1 gamma(a_0) >= +0
     cpu(a): +1 phi(a) -1 w(old,a_0,0) -1 w(old,a_0,1) -1 w(new,a_0,0) -1 w(new,a_0,1) >= +0
     gpu(b_0): +1 phi(b) -1 gamma(b_0) >= +0
     gpu(b_1): +1 phi(b) -1 gamma(b_1) >= +0
    bounds
     phi(a) <= 1
     phi(b) <= 1
     gamma(a_0) <= 1
     gamma(b_0) <= 1
     gamma(b_1) <= 1
     w(old,a_0,0) <= 1
     w(old,a_0,1) <= 1
     w(old,b_0,0) <= 1
     w(old,b_0,1) <= 1
     w(old,b_1,0) <= 1
     w(old,b_1,1) <= 1
     w(new,a_0,0) <= 1
     w(new,a_0,1) <= 1
     w(new,b_0,0) <= 1
     w(new,b_0,1) <= 1
     w(new,b_1,0) <= 1
     w(new,b_1,1) <= 1
     w(wide,a_0,0) <= 1
     w(wide,b_0,0) <= 1
     w(wide,b_1,0) <= 1
    bin
     phi(a)
     phi(b)
     gamma(a_0)
     gamma(b_0)
     gamma(b_1)
     w(old,a_0,0)
     w(old,a_0,1)
     w(old,b_0,0)
     w(old,b_0,1)
     w(old,b_1,0)
     w(old,b_1,1)
     w(new,a_0,0)
     w(new,a_0,1)
     w(new,b_0,0)
     w(new,b_0,1)
     w(new,b_1,0)
     w(new,b_1,1)
     w(wide,a_0,0)
     w(wide,b_0,0)
     w(wide,b_1,0)
    gen
    semi
    end
    ");
}

#[test]
fn compact_program_of_three_workloads() {
    insta::assert_snapshot!(lp_of("compact", "migrations"), @r"
    \ File written by HiGHS .lp file handler
    min
     obj: -1 stay(old,a_0) +1 inter(old,b_0)  +1
    st
     sum(machines): +1 phi(a) +2 phi(b) -1 sum(machines) = +0
     sum(gpus): +1 Gamma(a_0) +2 Gamma(b_0) -1 sum(gpus) = +0
     facet(a_0,0): +2 Gamma(a_0) -1 stay(old,a_0) -1 new(new,a_0) -2 new(wide,a_0) >= +0
     gpus(a_0): +1 phi(a) -1 Gamma(a_0) >= +0
     facet(b_0,0): +2 Gamma(b_0) -1 inter(old,b_0) -1 new(new,b_0) -2 new(wide,b_0) >= +0
     gpus(b_0): +2 phi(b) -1 Gamma(b_0) >= +0
     cpu(a): +1 phi(a) -1 stay(old,a_0) -1 new(new,a_0) >= +0
     total(old)lo: +1 stay(old,a_0) +1 inter(old,b_0) >= +0
     total(old)up: +1 stay(old,a_0) +1 inter(old,b_0) <= +1
     from(old,a): +1 stay(old,a_0) <= +1
     stay(old,a_0): +1 Gamma(a_0) -1 stay(old,a_0) >= +0
     total(new)lo: +1 new(new,a_0) +1 new(new,b_0) >= +0
     total(new)up: +1 new(new,a_0) +1 new(new,b_0) <= +1
     total(wide)lo: +1 new(wide,a_0) +1 new(wide,b_0) >= +0
     total(wide)up: +1 new(wide,a_0) +1 new(wide,b_0) <= +1
    bounds
     phi(a) <= 1
     phi(b) <= 1
     Gamma(a_0) <= 1
     Gamma(b_0) <= 2
     sum(machines) <= 3
     sum(gpus) <= 5
     stay(old,a_0) <= 1
     inter(old,b_0) <= 1
     new(new,a_0) <= 1
     new(new,b_0) <= 1
     new(wide,a_0) <= 1
     new(wide,b_0) <= 1
    bin
     phi(a)
     phi(b)
     Gamma(a_0)
     stay(old,a_0)
     inter(old,b_0)
     new(new,a_0)
     new(new,b_0)
     new(wide,a_0)
     new(wide,b_0)
    gen
     Gamma(b_0)
     sum(machines)
     sum(gpus)
    semi
    end
    ");
}

/// Acceptance and hardware alone, from counts by machine.
#[test]
fn preliminary_program_of_three_workloads() {
    let problem = problem(THREE_WORKLOADS);
    let compact = crate::formulation("compact").build(&problem).expect("starts cost nothing");
    let preliminary = compact.preliminary().expect("migrations come last");
    insta::assert_snapshot!(lp(preliminary.program, Some("hardware")), @r"
    \ File written by HiGHS .lp file handler
    min
     obj: +1 sum(machines) +1 sum(gpus)
    st
     sum(machines): +1 phi(a) +2 phi(b) -1 sum(machines) = +0
     sum(gpus): +1 Gamma(a_0) +2 Gamma(b_0) -1 sum(gpus) = +0
     facet(a_0,0): +2 Gamma(a_0) -1 n(old,a_0) -2 n(wide,a_0) >= +0
     gpus(a_0): +1 phi(a) -1 Gamma(a_0) >= +0
     facet(b_0,0): +2 Gamma(b_0) -1 n(old,b_0) -2 n(wide,b_0) >= +0
     gpus(b_0): +2 phi(b) -1 Gamma(b_0) >= +0
     cpu(a): +1 phi(a) -1 n(old,a_0) >= +0
     total(old)lo: +1 n(old,a_0) +1 n(old,b_0) >= +0
     total(old)up: +1 n(old,a_0) +1 n(old,b_0) <= +2
     total(wide)lo: +1 n(wide,a_0) +1 n(wide,b_0) >= +0
     total(wide)up: +1 n(wide,a_0) +1 n(wide,b_0) <= +1
    bounds
     phi(a) <= 1
     phi(b) <= 1
     Gamma(a_0) <= 1
     Gamma(b_0) <= 2
     sum(machines) <= 3
     sum(gpus) <= 5
     n(old,a_0) <= 2
     n(old,b_0) <= 2
     n(wide,a_0) <= 1
     n(wide,b_0) <= 1
    bin
     phi(a)
     phi(b)
     Gamma(a_0)
     n(wide,a_0)
     n(wide,b_0)
    gen
     Gamma(b_0)
     sum(machines)
     sum(gpus)
     n(old,a_0)
     n(old,b_0)
    semi
    end
    ");
}

fn generated(board_name: &str, workloads: u32, mix: Mix, load: f64) -> Problem {
    let options = GeneratorOptions {
        board: board(board_name),
        workloads,
        load,
        mix,
        gpus_per_machine: 4,
        residents: 0.7,
        churn: 1.5,
        setting: Residents::Evictable,
        seed: 1,
    };
    let file = InstanceFile::of::<siavashi::Siavashi>(siavashi::generate(&options));
    posed::<siavashi::Siavashi>(&written(&file))
}

/// Columns, rows and coefficients of the programs of an interval.
fn sizes(problem: &Problem) -> String {
    let size = |name: &str, program: &Program| {
        let sizes = program.sizes();
        format!("{name} {} x {}, {} nonzeros", sizes.columns, sizes.rows, sizes.nonzeros)
    };
    let of_formulation = |known: &&dyn kit::Formulation<siavashi::Siavashi>| {
        let formulation = crate::formulation(known.name()).build(problem).expect("the paper's costs");
        let preliminary = formulation.preliminary().map(|smaller| size("machines", smaller.program));
        let whole = size(known.name(), formulation.program());
        format!("  {}", std::iter::once(whole).chain(preliminary).collect::<Vec<_>>().join("; "))
    };
    FORMULATIONS.iter().map(of_formulation).collect::<Vec<_>>().join("\n")
}

#[test]
fn sizes_of_programs() {
    let intervals = [
        ("20 workloads, light, A100", generated("A100-40GB", 20, Mix::Light, 1.2)),
        ("50 workloads, trace, A100", generated("A100-40GB", 50, Mix::Trace, 0.6)),
        ("30 workloads, uniform, A30", generated("A30-24GB", 30, Mix::Uniform, 1.0)),
    ];
    let text = intervals.map(|(name, problem)| format!("{name}:\n{}", sizes(&problem)));
    insta::assert_snapshot!(text.join("\n"), @r"
    20 workloads, light, A100:
      compact 61 x 50, 367 nonzeros; machines 13 x 18, 61 nonzeros
      slots 393 x 62, 1782 nonzeros
      printed 1010 x 2020, 7408 nonzeros
    50 workloads, trace, A100:
      compact 765 x 332, 4922 nonzeros; machines 198 x 139, 1176 nonzeros
      slots 6174 x 638, 37436 nonzeros
      printed 77470 x 154940, 595896 nonzeros
    30 workloads, uniform, A30:
      compact 216 x 95, 950 nonzeros; machines 34 x 31, 132 nonzeros
      slots 1284 x 134, 5928 nonzeros
      printed 8490 x 16980, 64144 nonzeros
    ");
}

//! The programs of model wpm as text, for readers and against unwanted change.

use support::instances::problem;
use support::programs::lp;

/// One occupied and one free GPU; one resident and two newcomers. A GPU costs less than migrations can, so that the goals have
/// no guaranteed order and the objective is the profit.
const THREE_WORKLOADS: &str = "
name: three-workloads
gpus:
  - {name: gpu, board: A30-24GB, count: 2}
workloads:
  - {name: old, profile: 2g.12gb, current: {gpu: gpu-0, start: 2}}
  - {name: new, profile: 2g.12gb}
  - {name: wide, profile: 4g.24gb}
wpm: {costs: {reward_per_slice: 50, gpu: 10, repartition: 6, migration_per_slice: 4, waste: 1}}
";

fn lp_of(formulation: &str) -> String {
    let problem = problem::<wpm::Wpm>(THREE_WORKLOADS);
    let formulation = crate::formulation(formulation).build(&problem).expect("the formulation applies");
    lp(formulation.program(), None)
}

#[test]
fn the_text_is_the_same_every_time() {
    for formulation in wpm::FORMULATIONS {
        assert_eq!(lp_of(formulation.name()), lp_of(formulation.name()), "{}", formulation.name());
    }
}

#[test]
fn printed_program_of_three_workloads() {
    insta::assert_snapshot!(lp_of("printed"), @r"
    \ File written by HiGHS .lp file handler
    max
     obj: -10 y(gpu_0) -16 y(gpu_0~twin) +108 x(old,gpu_0~twin) +100 x(new,gpu_0~twin) +200 x(wide,gpu_0~twin) -1 U(gpu_0~twin) -1 V(gpu_0~twin) -10 y(gpu_1) +100 x(old,gpu_1) +100 x(new,gpu_1) +200 x(wide,gpu_1) -1 U(gpu_1) -1 V(gpu_1) +108 x(old,gpu_0~p0) +100 x(new,gpu_0~p0) -1 U(gpu_0~p0) -1 V(gpu_0~p0) +108 s(old)  -8
    st
     W2b(gpu_0~twin): +4 y(gpu_0~twin) -1 x(old,gpu_0~twin) -1 x(new,gpu_0~twin) -1 x(wide,gpu_0~twin) >= +0
     W2b(gpu_1): +4 y(gpu_1) -1 x(old,gpu_1) -1 x(new,gpu_1) -1 x(wide,gpu_1) >= +0
     W2c(gpu_0~p0): +2 z(gpu_0~p0) -1 x(old,gpu_0~p0) -1 x(new,gpu_0~p0) >= +0
     W2d(gpu_0): +4 y(gpu_0) -1 z(gpu_0~p0) >= +0
     W2d_(gpu_0): +1 y(gpu_0) -1 s(old) >= +0
     W2e(old): +1 x(old,gpu_0~twin) +1 x(old,gpu_1) +1 x(old,gpu_0~p0) +1 s(old) <= +1
     W2e(new): +1 x(new,gpu_0~twin) +1 x(new,gpu_1) +1 x(new,gpu_0~p0) <= +1
     W2e(wide): +1 x(wide,gpu_0~twin) +1 x(wide,gpu_1) <= +1
     W2f(gpu_0~twin): +2 x(old,gpu_0~twin) +2 x(new,gpu_0~twin) +4 x(wide,gpu_0~twin) +1 u(gpu_0~twin) = +4
     W2g(gpu_0~twin): +2 x(old,gpu_0~twin) +2 x(new,gpu_0~twin) +4 x(wide,gpu_0~twin) +1 v(gpu_0~twin) = +4
     W2f(gpu_1): +2 x(old,gpu_1) +2 x(new,gpu_1) +4 x(wide,gpu_1) +1 u(gpu_1) = +4
     W2g(gpu_1): +2 x(old,gpu_1) +2 x(new,gpu_1) +4 x(wide,gpu_1) +1 v(gpu_1) = +4
     W2f(gpu_0~p0): +2 x(old,gpu_0~p0) +2 x(new,gpu_0~p0) +1 u(gpu_0~p0) = +2
     W2g(gpu_0~p0): +2 x(old,gpu_0~p0) +2 x(new,gpu_0~p0) +1 v(gpu_0~p0) = +2
     W2h(gpu_0): +1 y(gpu_0) +1 y(gpu_0~twin) <= +1
     W2i(gpu_0~twin): +1 u(gpu_0~twin) -1 v(gpu_0~twin) -1 U(gpu_0~twin) <= +0
     W2j_lower(gpu_0~twin): +1 u(gpu_0~twin) -1 delta(gpu_0~twin) >= +0
     W2j_upper(gpu_0~twin): +1 u(gpu_0~twin) -4 delta(gpu_0~twin) <= +0
     W2k(gpu_0~twin): +1 v(gpu_0~twin) -1 V(gpu_0~twin) -4 delta(gpu_0~twin) <= +0
     W2i(gpu_1): +1 u(gpu_1) -1 v(gpu_1) -1 U(gpu_1) <= +0
     W2j_lower(gpu_1): +1 u(gpu_1) -1 delta(gpu_1) >= +0
     W2j_upper(gpu_1): +1 u(gpu_1) -4 delta(gpu_1) <= +0
     W2k(gpu_1): +1 v(gpu_1) -1 V(gpu_1) -4 delta(gpu_1) <= +0
     W2i(gpu_0~p0): +1 u(gpu_0~p0) -1 v(gpu_0~p0) -1 U(gpu_0~p0) <= +0
     W2j_lower(gpu_0~p0): +1 u(gpu_0~p0) -1 delta(gpu_0~p0) >= +0
     W2j_upper(gpu_0~p0): +1 u(gpu_0~p0) -2 delta(gpu_0~p0) <= +0
     W2k(gpu_0~p0): +1 v(gpu_0~p0) -1 V(gpu_0~p0) -2 delta(gpu_0~p0) <= +0
     W2l(gpu_0~twin,0): +1 x(wide,gpu_0~twin) <= +1
     W2l(gpu_1,0): +1 x(wide,gpu_1) <= +1
     W2l(gpu_0,0): <= +1
    bounds
     y(gpu_0) <= 1
     y(gpu_0~twin) <= 1
     x(old,gpu_0~twin) <= 1
     x(new,gpu_0~twin) <= 1
     x(wide,gpu_0~twin) <= 1
     u(gpu_0~twin) <= 4
     v(gpu_0~twin) <= 4
     delta(gpu_0~twin) <= 1
     y(gpu_1) <= 1
     x(old,gpu_1) <= 1
     x(new,gpu_1) <= 1
     x(wide,gpu_1) <= 1
     u(gpu_1) <= 4
     v(gpu_1) <= 4
     delta(gpu_1) <= 1
     z(gpu_0~p0) <= 1
     x(old,gpu_0~p0) <= 1
     x(new,gpu_0~p0) <= 1
     u(gpu_0~p0) <= 2
     v(gpu_0~p0) <= 2
     delta(gpu_0~p0) <= 1
     s(old) <= 1
    bin
     y(gpu_0)
     y(gpu_0~twin)
     x(old,gpu_0~twin)
     x(new,gpu_0~twin)
     x(wide,gpu_0~twin)
     delta(gpu_0~twin)
     y(gpu_1)
     x(old,gpu_1)
     x(new,gpu_1)
     x(wide,gpu_1)
     delta(gpu_1)
     z(gpu_0~p0)
     x(old,gpu_0~p0)
     x(new,gpu_0~p0)
     delta(gpu_0~p0)
     s(old)
    gen
    semi
    end
    ");
}

#[test]
fn compact_program_of_three_workloads() {
    insta::assert_snapshot!(lp_of("compact"), @r"
    \ File written by HiGHS .lp file handler
    max
     obj: -6 cross(A30_24GB,0) -8 leave(A30_24GB,1,0) -6 cross(A30_24GB,1) -10 gpus(A30_24GB) -100 pending(0) -200 pending(1)  +400
    st
     A1(A30_24GB,0): +1 keep(A30_24GB,0,0) -1 fill(A30_24GB,0,2g.12gb) >= +0
     A3(A30_24GB,0): +1 cross(A30_24GB,0) -1 leave(A30_24GB,1,0) <= +0
     A3(A30_24GB,1): -1 keep(A30_24GB,0,0) -1 leave(A30_24GB,1,0) -1 cross(A30_24GB,1) = -1
     A4(A30_24GB,0.0.0.0.0): +1 cross(A30_24GB,0) -1 take(A30_24GB,nothing,2g.12gb) -1 take(A30_24GB,nothing,4g.24gb) >= -1
     A4(A30_24GB,0.0.0.0.1): -1 fresh(A30_24GB,4g.24gb) +1 take(A30_24GB,nothing,4g.24gb) = +0
     A4(A30_24GB,0.0.1.0.0): -1 fresh(A30_24GB,2g.12gb) +1 cross(A30_24GB,1) +1 take(A30_24GB,nothing,2g.12gb) -1 take(A30_24GB,2g.12gb,2g.12gb) = +0
     A4(A30_24GB,0.0.2.0.0): -1 fresh(A30_24GB,2x2g.12gb) +1 take(A30_24GB,2g.12gb,2g.12gb) = +0
     A5(A30_24GB,2): +1 fill(A30_24GB,0,2g.12gb) +1 take(A30_24GB,nothing,2g.12gb) +1 take(A30_24GB,2g.12gb,2g.12gb) -1 assign(A30_24GB,0) = +0
     A5(A30_24GB,4): +1 take(A30_24GB,nothing,4g.24gb) -1 assign(A30_24GB,1) = +0
     A7(A30_24GB): +1 keep(A30_24GB,0,0) +1 fresh(A30_24GB,4g.24gb) +1 fresh(A30_24GB,2g.12gb) +1 fresh(A30_24GB,2x2g.12gb) -1 gpus(A30_24GB) = +0
     A6(0): +1 leave(A30_24GB,1,0) -1 assign(A30_24GB,0) -1 pending(0) = -1
     A6(1): -1 assign(A30_24GB,1) -1 pending(1) = -1
    bounds
     keep(A30_24GB,0,0) <= 1
     fill(A30_24GB,0,2g.12gb) <= 1
     fresh(A30_24GB,4g.24gb) <= 2
     fresh(A30_24GB,2g.12gb) <= 2
     fresh(A30_24GB,2x2g.12gb) <= 2
     cross(A30_24GB,0) <= 1
     leave(A30_24GB,1,0) <= 1
     cross(A30_24GB,1) <= 1
     take(A30_24GB,nothing,2g.12gb) <= 2
     take(A30_24GB,nothing,4g.24gb) <= 2
     take(A30_24GB,2g.12gb,2g.12gb) <= 2
     assign(A30_24GB,0) <= 2
     assign(A30_24GB,1) <= 1
     gpus(A30_24GB) <= 2
     pending(0) <= 2
     pending(1) <= 1
    bin
     keep(A30_24GB,0,0)
     fill(A30_24GB,0,2g.12gb)
    gen
     fresh(A30_24GB,4g.24gb)
     fresh(A30_24GB,2g.12gb)
     fresh(A30_24GB,2x2g.12gb)
     gpus(A30_24GB)
    semi
    end
    ");
}

//! Programs in which integer columns are sums of others, as counts of machines are: HiGHS's presolve has lost the optimum of some.

use crate::solvers;
use good_lp::{Expression, Variable, constraint, variable};
use milp::{Program, ProgramBuilder, Sense, StopReason};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use solver::{Control, Options, solve_stages};

/// Up to two machines with their GPUs in use, and up to two kinds of workloads on them.
struct Draw {
    /// GPUs of each machine.
    gpus: Vec<u32>,
    /// What one GPU holds, by machine.
    holds: Vec<u32>,
    /// What the cores of each machine hold, and what a workload of each kind needs of them; nothing where cores do not limit.
    cores: Vec<Option<(u32, Vec<u32>)>>,
    /// Slots of a workload of each kind.
    sizes: Vec<u32>,
    /// Fewest and most workloads of each kind.
    wanted: Vec<(u32, u32)>,
    /// Least sums of machines and of GPUs.
    least: (u32, u32),
}

impl Draw {
    fn of_seed(seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (machines, kinds) = (random.random_range(1..=2), random.random_range(1..=2));
        let mut numbers = |number: usize, least: u32, most: u32| -> Vec<u32> {
            (0..number).map(|_| random.random_range(least..=most)).collect()
        };
        let (gpus, holds) = (numbers(machines, 1, 3), numbers(machines, 2, 5));
        let (sizes, most) = (numbers(kinds, 1, 2), numbers(kinds, 1, 4));
        let fewest = numbers(kinds, 0, 1);
        let cores = (0..machines).map(|_| match numbers(1, 0, 4)[0] {
            0 => None,
            _ => Some((numbers(1, 1, 3)[0], numbers(kinds, 1, 2))),
        });
        let cores = cores.collect();
        let least = (numbers(1, 0, 1)[0], numbers(1, 0, 2)[0]);
        Draw { gpus, holds, cores, sizes, wanted: fewest.into_iter().zip(most).collect(), least }
    }

    fn program(&self) -> Program {
        let mut builder = ProgramBuilder::new("sums");
        let mut column = |name: String, least: u32, most: u32| {
            builder.column(name, variable().integer().min(least).max(most))
        };
        let machines = 0..self.gpus.len();
        let on: Vec<Variable> =
            machines.clone().map(|machine| column(format!("on[{machine}]"), 0, 1)).collect();
        let used: Vec<Variable> = machines
            .clone()
            .map(|machine| column(format!("used[{machine}]"), 0, self.gpus[machine]))
            .collect();
        let most_gpus = self.gpus.iter().sum();
        let sums = [
            column("machines".to_owned(), self.least.0.min(self.gpus.len() as u32), self.gpus.len() as u32),
            column("gpus".to_owned(), self.least.1.min(most_gpus), most_gpus),
        ];
        let placed: Vec<Vec<Variable>> = machines
            .clone()
            .map(|machine| {
                let kinds = self.wanted.iter().enumerate();
                kinds.map(|(kind, wanted)| column(format!("n[{kind},{machine}]"), 0, wanted.1)).collect()
            })
            .collect();
        builder.row("machines", constraint!(on.iter().sum::<Expression>() == sums[0]));
        builder.row("gpus", constraint!(used.iter().sum::<Expression>() == sums[1]));
        for machine in machines.clone() {
            let load = |needs: &[u32]| -> Expression {
                placed[machine].iter().zip(needs).map(|(&count, &need)| f64::from(need) * count).sum()
            };
            builder.row(
                "holds",
                constraint!(load(&self.sizes) <= f64::from(self.holds[machine]) * used[machine]),
            );
            builder.row("on", constraint!(f64::from(self.gpus[machine]) * on[machine] >= used[machine]));
            if let Some((capacity, needs)) = &self.cores[machine] {
                builder.row("cores", constraint!(f64::from(*capacity) * on[machine] >= load(needs)));
            }
        }
        for (kind, &(least, most)) in self.wanted.iter().enumerate() {
            let total: Expression = placed.iter().map(|here| here[kind]).sum();
            builder.range_row("total", f64::from(least), total, f64::from(most));
        }
        let accepted: Expression = placed.iter().flatten().sum();
        builder.stage("accepted", Sense::Maximize, accepted, Some(1.0));
        builder.stage("hardware", Sense::Minimize, sums[0] + sums[1], Some(1.0));
        builder.build()
    }

    /// The most workloads, and the least hardware for so many, by trying all.
    fn best(&self) -> Option<(u32, u32)> {
        let kinds = self.wanted.len();
        let counts: Vec<Vec<u32>> = vectors(&vec![self.wanted.iter().map(|wanted| wanted.1).max()?; kinds]);
        // By machine: what can be placed with how many GPUs in use.
        let on_machine = |machine: usize| {
            let mut found = Vec::new();
            for used in 0..=self.gpus[machine] {
                for placed in &counts {
                    let load = |needs: &[u32]| {
                        placed.iter().zip(needs).map(|(count, need)| count * need).sum::<u32>()
                    };
                    let has_cores = |on: u32| {
                        self.cores[machine]
                            .as_ref()
                            .is_none_or(|(capacity, needs)| load(needs) <= capacity * on)
                    };
                    let on = u32::from(used > 0);
                    let fits = load(&self.sizes) <= self.holds[machine] * used;
                    found.extend(
                        (on..=1).filter(|&on| fits && has_cores(on)).map(|on| (on, used, placed.clone())),
                    );
                }
            }
            found
        };
        let mut all = vec![(0, 0, vec![0; kinds])];
        for machine in 0..self.gpus.len() {
            let here = on_machine(machine);
            let joined = all.iter().flat_map(|(on, used, placed)| {
                here.iter().map(move |(more_on, more_used, more)| {
                    let placed: Vec<u32> = placed.iter().zip(more).map(|(one, other)| one + other).collect();
                    (on + more_on, used + more_used, placed)
                })
            });
            all = joined.collect();
        }
        let is_wanted = |placed: &[u32]| {
            placed.iter().zip(&self.wanted).all(|(count, (least, most))| (least..=most).contains(&count))
        };
        let machines = self.gpus.len() as u32;
        let least = (self.least.0.min(machines), self.least.1.min(self.gpus.iter().sum()));
        let valid = all
            .into_iter()
            .filter(|(on, used, placed)| *on >= least.0 && *used >= least.1 && is_wanted(placed));
        let worth = valid.map(|(on, used, placed)| (placed.iter().sum::<u32>(), on + used));
        worth.max_by_key(|&(accepted, hardware)| (accepted, std::cmp::Reverse(hardware)))
    }
}

/// All vectors with entries from 0 to these.
fn vectors(most: &[u32]) -> Vec<Vec<u32>> {
    most.iter().fold(vec![Vec::new()], |shorter, &most| {
        let longer = shorter.iter().flat_map(|vector: &Vec<u32>| {
            (0..=most).map(move |last| vector.iter().copied().chain([last]).collect())
        });
        longer.collect()
    })
}

#[test]
fn sums_do_not_cost_the_optimum() {
    let mut infeasible = 0;
    for seed in 0..1500 {
        let draw = Draw::of_seed(seed);
        let (program, truth) = (draw.program(), draw.best());
        infeasible += u32::from(truth.is_none());
        for solver in solvers() {
            let staged = solve_stages(*solver, &program, &Options::default(), &Control::silent());
            let about = format!("seed {seed} with {}", solver.name());
            let Some((accepted, hardware)) = truth else {
                assert_eq!(staged.stop, StopReason::Infeasible, "{about}");
                continue;
            };
            assert_eq!(staged.stop, StopReason::Proved, "{about}");
            let values: Vec<Option<f64>> = staged.stages.iter().map(|stage| stage.value).collect();
            assert_eq!(values, [accepted, hardware].map(|value| Some(f64::from(value))), "{about}");
        }
    }
    assert!((10..750).contains(&infeasible), "{infeasible}");
}

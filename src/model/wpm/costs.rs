//! Rewards and costs, with defaults that guarantee the order placement > GPUs > migrations > waste.

use super::roles::{GpuRole, Role};
use super::settings::{BoardCosts, Goal, Objective, Settings, UseCase};
use crate::cluster::{Amount, BoardIndex, Cluster, InputError, LARGEST_AMOUNT, SourceText, WorkloadIndex};
use crate::mig::{Board, GpuInstance};
use itertools::Itertools;

/// Default cost of a migration per memory slice, in units of the migration goal.
const MIGRATION: i128 = 4;
/// Default cost of a repartition in the same units: a little more than moving one slice.
const REPARTITION: i128 = 6;
/// In reconfiguration free GPUs should come first, so that a repartition costs far more than any migration.
const REPARTITION_WHEN_RECONFIGURING: i128 = 200;

/// Largest sum of all rewards and costs.
const LARGEST_TOTAL: i128 = 10_i128.pow(30);

/// Costs of one board type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerBoard {
    /// q: a GPU in use.
    pub gpu: Amount,
    /// gamma^R: a GPU repartitioned.
    pub repartition: Amount,
    /// gamma^W: a slice wasted.
    pub waste: Amount,
}

/// Every reward and cost of a problem, resolved.
#[derive(Clone, Debug)]
pub struct Costs {
    /// p_w per workload.
    pub reward: Vec<Amount>,
    /// gamma^M_w per workload.
    pub migration: Vec<Amount>,
    /// Per board type of the cluster.
    pub board: Vec<PerBoard>,
    /// The general values in the order reward per slice, GPU, repartition, migration per slice, waste.
    pub general: [Amount; 5],
    /// Whether one step of each goal outweighs everything that the goals after it can add up to, in the order
    /// reward, GPUs, migrations, waste: then the weighted optimum is the lexicographic one.
    pub order_guaranteed: bool,
}

impl Costs {
    /// Costs of a board type.
    pub fn of_board(&self, board: BoardIndex) -> &PerBoard {
        &self.board[board.index()]
    }

    /// Reward of a workload.
    pub fn reward_of(&self, workload: WorkloadIndex) -> Amount {
        self.reward[workload.index()]
    }

    /// Cost of migrating a workload.
    pub fn migration_of(&self, workload: WorkloadIndex) -> Amount {
        self.migration[workload.index()]
    }

    /// Applies settings and defaults.
    ///
    /// For the weighted objective every cost left out is chosen from the least goal up: a wasted slice costs 1; a unit
    /// of migration costs more than all waste that the cluster can have; a GPU more than all migrations, repartitions
    /// and waste together; a slice placed earns more than everything else can cost. Lexicographic stages need no
    /// such factors: there a slice earns 1, a GPU costs 1, a migration 4 per slice, a repartition 6, waste 1.
    ///
    /// # Errors
    /// When the settings name a board that the cluster does not have.
    pub fn resolve(
        source: &SourceText,
        cluster: &Cluster,
        settings: &Settings,
        roles: &[Role],
        gpu_roles: &[GpuRole],
    ) -> Result<Self, InputError> {
        refuse_unknown_boards(source, cluster, settings)?;
        let given = &settings.costs;
        let weighted = settings.objective == Objective::Weighted;
        let own = |board: &Board| -> BoardCosts {
            given
                .boards
                .iter()
                .find(|(name, _)| answers_to(board, name))
                .map(|(_, &costs)| costs)
                .unwrap_or_default()
        };
        let own: Vec<BoardCosts> = cluster.boards.iter().map(|board| own(board)).collect();
        let slices =
            |workload: WorkloadIndex| i128::from(cluster.memory_slices(workload).unwrap_or_default());
        let usable = |board: usize| {
            let gpus = cluster.gpus.iter().zip(gpu_roles);
            gpus.filter(|(gpu, role)| gpu.board.index() == board && **role != GpuRole::NotConsidered).count()
                as i128
        };

        let waste = given.waste.unwrap_or(Amount::ONE);
        let waste_of = |board: usize| own[board].waste.unwrap_or(waste);
        let most_waste: Amount = (0..own.len())
            .map(|board| {
                waste_of(board) * (usable(board) * i128::from(most_waste_on(&cluster.boards[board])))
            })
            .sum();

        let unit = if weighted { above(most_waste) } else { Amount::ONE };
        let migration = given.migration_per_slice.unwrap_or(unit * MIGRATION);
        let repartition = given.repartition.unwrap_or(match settings.use_case {
            UseCase::Reconfiguration => unit * REPARTITION_WHEN_RECONFIGURING,
            _ => unit * REPARTITION,
        });
        let repartition_of = |board: usize| own[board].repartition.unwrap_or(repartition);
        let migration_costs: Vec<Amount> = cluster
            .workload_indices()
            .map(|workload| {
                cluster.workloads[workload.index()].migration_cost.unwrap_or(migration * slices(workload))
            })
            .collect();
        let residents = roles
            .iter()
            .zip(&migration_costs)
            .filter(|(role, _)| **role == Role::Resident)
            .map(|(_, &cost)| cost);
        let most_migration: Amount = residents.clone().sum::<Amount>()
            + (0..own.len())
                .map(|board| {
                    let gpus = cluster.gpus.iter().zip(gpu_roles);
                    let carrying = gpus.filter(|(gpu, role)| {
                        gpu.board.index() == board && matches!(role, GpuRole::Occupied | GpuRole::Pinned)
                    });
                    repartition_of(board) * carrying.count() as i128
                })
                .sum();

        let gpu =
            given.gpu.unwrap_or(if weighted { above(most_migration + most_waste) } else { Amount::ONE });
        let gpu_of = |board: usize| own[board].gpu.unwrap_or(gpu);
        let most_gpus: Amount = (0..own.len()).map(|board| gpu_of(board) * usable(board)).sum();

        let everything_else = most_gpus + most_migration + most_waste;
        let per_slice =
            given.reward_per_slice.unwrap_or(if weighted { above(everything_else) } else { Amount::ONE });
        let reward: Vec<Amount> = cluster
            .workload_indices()
            .map(|workload| {
                cluster.workloads[workload.index()].reward.unwrap_or(per_slice * slices(workload))
            })
            .collect();

        if reward.iter().copied().sum::<Amount>() + everything_else >= Amount::whole(LARGEST_TOTAL) {
            let message = "the costs under `wpm.costs`, with the defaults that must outweigh them, add up to more than 10^30. \
                 Use smaller numbers, give the other costs as well, or set `objective: lexicographic`.";
            return Err(source.error_at_key(&["wpm", "costs"], message));
        }
        let board: Vec<PerBoard> = (0..own.len())
            .map(|board| PerBoard {
                gpu: gpu_of(board),
                repartition: repartition_of(board),
                waste: waste_of(board),
            })
            .collect();
        let decided =
            roles.iter().zip(&reward).filter(|(role, _)| role.is_decided()).map(|(_, &reward)| reward);
        let outweighs = |amounts: &mut dyn Iterator<Item = Amount>, rest: Amount| {
            let amounts: Vec<Amount> = amounts.filter(|&amount| amount != Amount::ZERO).collect();
            amounts.is_empty() || Amount::greatest_common_unit(amounts) > rest
        };
        let order_guaranteed = outweighs(&mut decided.clone(), everything_else)
            && outweighs(&mut board.iter().map(|costs| costs.gpu), most_migration + most_waste)
            && outweighs(&mut residents.chain(board.iter().map(|costs| costs.repartition)), most_waste);
        Ok(Costs {
            reward,
            migration: migration_costs,
            board,
            general: [per_slice, gpu, repartition, migration, waste],
            order_guaranteed,
        })
    }

    /// The amounts that a goal adds up, for the unit in which it is counted.
    pub fn amounts_of(&self, goal: Goal, roles: &[Role]) -> Vec<Amount> {
        let of_role = |amounts: &[Amount], wanted: &dyn Fn(Role) -> bool| -> Vec<Amount> {
            let pairs = roles.iter().zip(amounts);
            pairs.filter(|(role, _)| wanted(**role)).map(|(_, &amount)| amount).unique().collect()
        };
        match goal {
            Goal::Reward => of_role(&self.reward, &|role| role.is_decided()),
            Goal::Gpus => self.board.iter().map(|costs| costs.gpu).collect(),
            Goal::Migrations => {
                let mut amounts = of_role(&self.migration, &|role| role == Role::Resident);
                amounts.extend(self.board.iter().map(|costs| costs.repartition));
                amounts
            }
            Goal::Waste => self.board.iter().map(|costs| costs.waste).collect(),
        }
    }
}

impl Settings {
    /// No cost may be negative; and sums of costs stay exact as long as none is beyond all measure.
    ///
    /// # Errors
    /// For the first cost that breaks the rule.
    pub fn check_costs(&self, source: &SourceText) -> Result<(), InputError> {
        let costs = &self.costs;
        let largest = Amount::whole(LARGEST_AMOUNT);
        let general = [
            ("reward_per_slice", costs.reward_per_slice),
            ("gpu", costs.gpu),
            ("repartition", costs.repartition),
            ("migration_per_slice", costs.migration_per_slice),
            ("waste", costs.waste),
        ];
        let of_board = |(board, costs): (_, &BoardCosts)| {
            [("gpu", costs.gpu), ("repartition", costs.repartition), ("waste", costs.waste)]
                .map(|(field, amount)| (vec!["wpm", "costs", "boards", board, field], amount))
        };
        let of_boards = costs.boards.iter().map(|(board, costs)| (board.as_str(), costs)).flat_map(of_board);
        let general = general.into_iter().map(|(field, amount)| (vec!["wpm", "costs", field], amount));
        for (path, amount) in general.chain(of_boards) {
            let rule = match amount {
                Some(amount) if amount.is_negative() => "not be negative. Use 0 or more",
                Some(amount) if amount >= largest => "be smaller than 10^15. Use a larger unit",
                _ => continue,
            };
            let message = format!("`{}` is {} but must {rule}.", path.join("."), amount.unwrap_or_default());
            return Err(source.error_at_key(&path, message));
        }
        Ok(())
    }
}

/// Whether `name` means this board.
fn answers_to(board: &Board, name: &str) -> bool {
    let names = std::iter::once(board.name()).chain(board.aliases().iter().map(String::as_str));
    names.into_iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The least whole number above `amount`.
fn above(amount: Amount) -> Amount {
    Amount::whole(amount.millionths().div_euclid(Amount::ONE.millionths()) + 1)
}

/// No layout of the board can waste more slices than the most wasteful instance times the most instances there can be.
fn most_waste_on(board: &Board) -> u32 {
    let instances = board.profile_indices().flat_map(|profile| {
        board.profile(profile).starts.iter().map(move |&start| GpuInstance { profile, start })
    });
    let most = instances.map(|instance| board.waste(instance)).max().unwrap_or_default();
    let smallest = board.profiles().iter().map(|profile| profile.size).min().unwrap_or(1);
    most * (board.slots() / smallest)
}

fn refuse_unknown_boards(
    source: &SourceText,
    cluster: &Cluster,
    settings: &Settings,
) -> Result<(), InputError> {
    for name in settings.costs.boards.keys() {
        if !cluster.boards.iter().any(|board| answers_to(board, name)) {
            let known = cluster.boards.iter().map(|board| board.name()).join(", ");
            let message = format!(
                "`wpm.costs.boards` names \"{name}\", but the cluster has no such board. Its boards: {known}."
            );
            return Err(source.error_at_key(&["wpm", "costs", "boards", name], message));
        }
    }
    Ok(())
}

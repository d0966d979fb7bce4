//! Rewards and costs, with defaults that guarantee the order placement > GPUs > migrations > waste.

use super::roles::{GpuRole, Role};
use crate::section::{BoardCosts, Goal, Objective, Settings, UseCase};
use cluster::{BoardIndex, Cluster, WorkloadIndex};
use ground::{Amount, InputError, LARGEST_AMOUNT, SourceText};
use itertools::Itertools;
use mig::{Board, GpuInstance};

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
    /// When the settings name a board that the cluster does not have, and when the sums are too large to be exact.
    pub fn resolve(
        source: &SourceText,
        cluster: &Cluster,
        settings: &Settings,
        roles: &[Role],
        gpu_roles: &[GpuRole],
    ) -> Result<Self, InputError> {
        refuse_unknown_boards(source, cluster, settings)?;
        let given = Given::new(cluster, settings, roles, gpu_roles);
        let waste = given.waste();
        let migrations = given.migrations(waste.most);
        let gpus = given.gpus(migrations.most + waste.most);
        let everything_else = gpus.most + migrations.most + waste.most;
        let (per_slice, reward) = given.rewards(everything_else);
        if reward.iter().copied().sum::<Amount>() + everything_else >= Amount::whole(LARGEST_TOTAL) {
            let message = "the costs under `wpm.costs`, with the defaults that must outweigh them, add up to more than 10^30. \
                 Use smaller numbers, give the other costs as well, or set `objective: lexicographic`.";
            return Err(source.error_at_key(&["wpm", "costs"], message));
        }
        let decided = roles.iter().zip(&reward).filter(|(role, _)| role.is_decided());
        let order_guaranteed = outweigh(decided.map(|(_, &reward)| reward), everything_else)
            && outweigh(gpus.of_board.iter().copied(), migrations.most + waste.most)
            && outweigh(migrations.amounts(roles), waste.most);
        let of_board = gpus.of_board.iter().zip(&migrations.of_board).zip(&waste.of_board);
        Ok(Costs {
            reward,
            board: of_board
                .map(|((&gpu, &repartition), &waste)| PerBoard { gpu, repartition, waste })
                .collect(),
            general: [per_slice, gpus.general, migrations.repartition, migrations.per_slice, waste.general],
            order_guaranteed,
            migration: migrations.of_workload,
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

/// What costs are resolved from.
struct Given<'a> {
    cluster: &'a Cluster,
    settings: &'a Settings,
    roles: &'a [Role],
    gpu_roles: &'a [GpuRole],
    /// Per board type what the settings say of it.
    boards: Vec<BoardCosts>,
}

/// A cost that is paid per GPU or slice, per board type.
struct OfBoards {
    /// Where the board has none of its own.
    general: Amount,
    of_board: Vec<Amount>,
    /// What all GPUs together can cost at most.
    most: Amount,
}

/// Costs of moving workloads and of repartitioning GPUs.
struct Migrations {
    per_slice: Amount,
    of_workload: Vec<Amount>,
    /// Where the board has none of its own.
    repartition: Amount,
    /// Of a repartition, per board type.
    of_board: Vec<Amount>,
    /// What all of them together can cost at most.
    most: Amount,
}

impl Migrations {
    /// The amounts that the goal adds up.
    fn amounts(&self, roles: &[Role]) -> impl Iterator<Item = Amount> {
        of_residents(roles, &self.of_workload).chain(self.of_board.iter().copied())
    }
}

impl<'a> Given<'a> {
    fn new(
        cluster: &'a Cluster,
        settings: &'a Settings,
        roles: &'a [Role],
        gpu_roles: &'a [GpuRole],
    ) -> Self {
        let own = |board: &Board| -> BoardCosts {
            let mut named = settings.costs.boards.iter().filter(|(name, _)| board.answers_to(name));
            named.next().map(|(_, &costs)| costs).unwrap_or_default()
        };
        let boards = cluster.boards.iter().map(|board| own(board)).collect();
        Given { cluster, settings, roles, gpu_roles, boards }
    }

    /// A default that outweighs all `rest` where the goals are added up; else the goals need no weights.
    fn outweighing(&self, rest: Amount) -> Amount {
        if self.settings.objective == Objective::Weighted { above(rest) } else { Amount::ONE }
    }

    /// How many GPUs of a board type, by its position, have such a role.
    fn gpus_with(&self, board: usize, has_role: impl Fn(GpuRole) -> bool) -> i128 {
        let gpus = self.cluster.gpus.iter().zip(self.gpu_roles);
        let number = gpus.filter(|(gpu, role)| gpu.board.index() == board && has_role(**role)).count();
        i128::try_from(number).expect("as many GPUs as fit into memory")
    }

    /// How many GPUs of a board type can be used.
    fn usable(&self, board: usize) -> i128 {
        self.gpus_with(board, |role| role != GpuRole::NotConsidered)
    }

    fn memory_slices(&self, workload: WorkloadIndex) -> i128 {
        i128::from(self.cluster.memory_slices(workload).unwrap_or_default())
    }

    /// A wasted slice.
    fn waste(&self) -> OfBoards {
        let general = self.settings.costs.waste.unwrap_or(Amount::ONE);
        let of_board: Vec<Amount> = self.boards.iter().map(|own| own.waste.unwrap_or(general)).collect();
        let most = of_board.iter().zip(&self.cluster.boards).enumerate();
        let most = most
            .map(|(board, (&waste, about))| waste * (self.usable(board) * i128::from(most_waste_on(about))))
            .sum();
        OfBoards { general, of_board, most }
    }

    /// A migration and a repartition, each of whose units outweighs all waste.
    fn migrations(&self, most_waste: Amount) -> Migrations {
        let unit = self.outweighing(most_waste);
        let per_slice = self.settings.costs.migration_per_slice.unwrap_or(unit * MIGRATION);
        let repartition = self.settings.costs.repartition.unwrap_or(match self.settings.use_case {
            UseCase::Reconfiguration => unit * REPARTITION_WHEN_RECONFIGURING,
            _ => unit * REPARTITION,
        });
        let of_workload = |workload: WorkloadIndex| {
            let own = self.cluster.workloads[workload.index()].particulars().migration_cost;
            own.unwrap_or_else(|| per_slice * self.memory_slices(workload))
        };
        let of_workload: Vec<Amount> = self.cluster.workload_indices().map(of_workload).collect();
        let of_board: Vec<Amount> =
            self.boards.iter().map(|own| own.repartition.unwrap_or(repartition)).collect();
        let carrying =
            |board: usize| self.gpus_with(board, |role| matches!(role, GpuRole::Occupied | GpuRole::Pinned));
        let repartitions = of_board.iter().enumerate().map(|(board, &cost)| cost * carrying(board));
        let most = of_residents(self.roles, &of_workload).sum::<Amount>() + repartitions.sum();
        Migrations { per_slice, of_workload, repartition, of_board, most }
    }

    /// A GPU in use, which outweighs all `rest`.
    fn gpus(&self, rest: Amount) -> OfBoards {
        let general = self.settings.costs.gpu.unwrap_or_else(|| self.outweighing(rest));
        let of_board: Vec<Amount> = self.boards.iter().map(|own| own.gpu.unwrap_or(general)).collect();
        let most = of_board.iter().enumerate().map(|(board, &cost)| cost * self.usable(board)).sum();
        OfBoards { general, of_board, most }
    }

    /// The reward of a slice, which outweighs all `rest`, and that of each workload.
    fn rewards(&self, rest: Amount) -> (Amount, Vec<Amount>) {
        let per_slice = self.settings.costs.reward_per_slice.unwrap_or_else(|| self.outweighing(rest));
        let of_workload = |workload: WorkloadIndex| {
            let own = self.cluster.workloads[workload.index()].particulars().reward;
            own.unwrap_or_else(|| per_slice * self.memory_slices(workload))
        };
        (per_slice, self.cluster.workload_indices().map(of_workload).collect())
    }
}

/// The amounts of the residents.
fn of_residents(roles: &[Role], amounts: &[Amount]) -> impl Iterator<Item = Amount> {
    let pairs = roles.iter().zip(amounts);
    pairs.filter(|(role, _)| **role == Role::Resident).map(|(_, &amount)| amount)
}

/// Whether one step of what these amounts add up to, a multiple of their greatest common unit, outweighs all `rest`.
fn outweigh(amounts: impl Iterator<Item = Amount>, rest: Amount) -> bool {
    let amounts: Vec<Amount> = amounts.filter(|&amount| amount != Amount::ZERO).collect();
    amounts.is_empty() || Amount::greatest_common_unit(amounts) > rest
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
        if !cluster.boards.iter().any(|board| board.answers_to(name)) {
            let known = cluster.boards.iter().map(|board| board.name()).join(", ");
            let message = format!(
                "`wpm.costs.boards` names \"{name}\", but the cluster has no such board. Its boards: {known}."
            );
            return Err(source.error_at_key(&["wpm", "costs", "boards", name], message));
        }
    }
    Ok(())
}

//! The options of HiGHS that a user may choose.

use crate::refusals::{
    ENDS_EARLY, OWN_FLAG_GAP, OWN_FLAG_LOG, OWN_FLAG_SEED, OWN_FLAG_THREADS, OWN_FLAG_TIME, TOLERANCE,
};
use solver::OptionValues::{Share, Whole, Words};
use solver::{OptionValues, SolverOption, SolverOptions};

/// What a switch can be.
const SWITCH: OptionValues = Words(&["true", "false"]);

/// The options, by the names of HiGHS.
pub(super) const OPTIONS: SolverOptions = SolverOptions { allowed: ALLOWED, refused: REFUSED };

const fn option(name: &'static str, values: OptionValues, help: &'static str) -> SolverOption {
    SolverOption { name, values, help }
}

const ALLOWED: &[SolverOption] = &[
    option("presolve", Words(&["choose", "on", "off"]), "presolve of linear and integer programs"),
    option("solver", Words(&["choose", "simplex", "ipm"]), "algorithm for linear programs"),
    option("run_crossover", Words(&["choose", "on"]), "from an interior point to a vertex"),
    option("simplex_strategy", Whole(0, 4), "0 chosen, 1 dual serial, 2 and 3 dual parallel, 4 primal"),
    option("simplex_scale_strategy", Whole(0, 4), "scaling of linear programs"),
    option("simplex_dual_edge_weight_strategy", Whole(-1, 2), "pricing of the dual simplex method"),
    option("simplex_primal_edge_weight_strategy", Whole(-1, 2), "pricing of the primal simplex method"),
    option("mip_detect_symmetry", SWITCH, "whether symmetries are used"),
    option("mip_allow_restart", SWITCH, "whether the search may begin again with a smaller program"),
    option("mip_allow_cut_separation_at_nodes", SWITCH, "whether cuts are looked for below the root"),
    option("mip_root_presolve_only", SWITCH, "whether presolve runs at the root alone"),
    option("mip_lifting_for_probing", Whole(-1, i32::MAX), "level of lifting for probing"),
    option("mip_lp_age_limit", Whole(0, 32767), "rounds after which an unused cut leaves the linear program"),
    option("mip_pool_age_limit", Whole(0, 1000), "rounds after which an unused cut leaves the pool"),
    option("mip_pool_soft_limit", Whole(1, i32::MAX), "cuts in the pool"),
    option("mip_pscost_minreliable", Whole(0, i32::MAX), "branchings until pseudo costs count as reliable"),
    option("mip_heuristic_effort", Share, "share of the effort that goes into heuristics"),
    option("mip_heuristic_run_rins", SWITCH, "heuristic RINS"),
    option("mip_heuristic_run_rens", SWITCH, "heuristic RENS"),
    option("mip_heuristic_run_root_reduced_cost", SWITCH, "heuristic of reduced costs at the root"),
    option("mip_heuristic_run_zi_round", SWITCH, "heuristic ZI Round"),
    option("mip_heuristic_run_shifting", SWITCH, "heuristic Shifting"),
    option(
        "mip_lp_solver",
        Words(&["choose", "simplex", "ipm"]),
        "algorithm for the linear programs of the search",
    ),
];

const LOSES_OPTIMA: &str = "HiGHS loses the optimum of some programs with other values than migopt's";
const WRITES: &str = "migopt writes programs (--export) and solutions (--output) itself";
const CHANGES: &str = "it changes the program that is solved";

const REFUSED: &[(&str, &str)] = &[
    ("primal_feasibility_tolerance", TOLERANCE),
    ("dual_feasibility_tolerance", TOLERANCE),
    ("mip_feasibility_tolerance", TOLERANCE),
    ("primal_residual_tolerance", TOLERANCE),
    ("dual_residual_tolerance", TOLERANCE),
    ("optimality_tolerance", TOLERANCE),
    ("ipm_optimality_tolerance", TOLERANCE),
    ("pdlp_optimality_tolerance", TOLERANCE),
    ("kkt_tolerance", TOLERANCE),
    ("small_matrix_value", CHANGES),
    ("large_matrix_value", CHANGES),
    ("infinite_cost", CHANGES),
    ("infinite_bound", CHANGES),
    ("user_objective_scale", CHANGES),
    ("user_bound_scale", CHANGES),
    ("objective_bound", ENDS_EARLY),
    ("objective_target", ENDS_EARLY),
    ("simplex_iteration_limit", ENDS_EARLY),
    ("ipm_iteration_limit", ENDS_EARLY),
    ("mip_max_nodes", ENDS_EARLY),
    ("mip_max_stall_nodes", ENDS_EARLY),
    ("mip_max_leaves", ENDS_EARLY),
    ("mip_max_improving_sols", ENDS_EARLY),
    ("mip_rel_gap", OWN_FLAG_GAP),
    ("mip_abs_gap", OWN_FLAG_GAP),
    ("time_limit", OWN_FLAG_TIME),
    ("threads", OWN_FLAG_THREADS),
    ("parallel", OWN_FLAG_THREADS),
    ("random_seed", OWN_FLAG_SEED),
    ("output_flag", OWN_FLAG_LOG),
    ("log_to_console", OWN_FLAG_LOG),
    ("log_file", OWN_FLAG_LOG),
    ("presolve_rule_off", LOSES_OPTIMA),
    ("mip_heuristic_run_feasibility_jump", "HiGHS crashes in it on some small programs"),
    ("write_model_file", WRITES),
    ("write_model_to_file", WRITES),
    ("solution_file", WRITES),
    ("write_solution_to_file", WRITES),
    ("write_presolved_model_file", WRITES),
    ("mip_improving_solution_file", WRITES),
];

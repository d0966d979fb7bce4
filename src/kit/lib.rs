//! What placement models have in common: what a model is made of, the documents about its answers, and what solving means.
//!
//! Nothing here names a model.

mod answer;
mod board_question;
mod certified;
mod choice;
mod claims;
mod counted;
mod draft;
mod entry;
mod explanation;
mod export;
mod formulation;
mod frontier;
mod generating;
mod goals;
mod heuristic;
mod metric;
mod parameter;
mod plan;
mod program_size;
mod proposal;
mod room_rows;
mod runs;
mod score;
mod setting;
mod solution;
mod solver_choice;
mod solving;
mod stage;
mod terms;
mod trace;
mod unknown;
mod verdict;
mod verification;
mod weights;
mod wing;
mod worth;
mod written;

pub use answer::{ResultDocument, SecondsDocument, WorkDocument};
pub use board_question::{QuestionLimit, QuestionProfile};
pub use certified::{CertificateDocument, left_out, proved, read_back};
pub use choice::{Choice, ChoiceEntry, Choices};
pub use claims::{StageClaim, Unclaimed, claims};
pub use draft::Draft;
pub use entry::{FormulationEntry, HeuristicEntry, MetricEntry, MetricValues};
pub use explanation::{
    BelowDocument, CaseDocument, ClaimDocument, ExplanationDocument, PartDocument, PriceDocument,
    PricedDocument, SpanDocument, SupposedDocument,
};
pub use export::{ExportedProgram, ExportedPrograms, ProgramGoal, exported};
pub use formulation::{Formulation, SolvedBy};
pub use frontier::{Frontier, FrontierDocument, FrontierPoint, GoalEntry, Point};
pub use generating::{board_of_catalogue, located};
pub use goals::Goals;
pub use heuristic::{Chosen, Heuristic, choose, choose_heuristic, heuristic_entries, takes_none};
pub use metric::{Metric, fraction, metric_values, no_parts, whole_or_fraction};
pub use parameter::{
    Parameter, ParameterEntry, RefusedValues, assign, no_choices, number, parameter_entries, put_choice,
    share, whole,
};
pub use plan::{
    ChangedInstance, LayoutChange, PlanDocument, PlannedInstance, PlannedRetraining, PlannedRun, PlannedTask,
    PlannedWindow, ReconfiguredTask, TaskKind, TaskSeries,
};
pub use program_size::check_size;
pub use proposal::ProposalDocument;
pub use room_rows::room_rows;
pub use score::{SCORE, Score};
pub use setting::{Overrides, RefusedOverride, Setting};
pub use solution::{
    Change, GpuEntry, GpuNames, InstanceDetails, InstanceReference, PackedServer, PendingWorkload,
    PlacedWorkload, ResourceLoad, ServerLoad, SolutionDocument,
};
pub use solver_choice::{solver_named, solver_options, solver_seed};
pub use solving::{SolveError, SolveOptions, Solved, Status, WarmStart, agrees, gap, unserved};
pub use stage::{SenseName, StageDocument, compare_stages, relative_to_optimum};
pub use terms::Terms;
pub use trace::{Recorder, TracePoint, root_bound};
pub use unknown::unknown;
pub use verdict::{ABOUT, About, READING, REMARKS, SETTINGS, Verdict, VerdictDocument, ViolationDocument};
pub use verification::{Rule, Verification};
pub use weights::{WeightsTooFine, exact_unit};
pub use wing::{Common, Generate, Generator, NoRemarks, Shape, Wing};
pub use worth::WorthLine;
pub use written::Solvable;

//! The placement models, a wing each, and what they share.

mod answer;
mod answer_file;
mod board_question;
mod contract;
mod entry;
mod file;
mod frontier;
mod generating;
mod goals;
mod heuristic;
pub mod migrator;
mod overrides;
mod plan;
mod proposal;
mod registry;
mod room_rows;
pub mod sharing;
pub mod siavashi;
mod solution;
mod solving;
mod stage;
mod verdict;
mod weights;
pub mod wpm;
mod written;

pub use answer::{ResultDocument, SecondsDocument, WorkDocument};
pub use answer_file::{AnswerFile, DocumentKind, parse_instance};
pub use board_question::{QuestionLimit, QuestionProfile};
pub use contract::{Model, Question};
pub(crate) use entry::unknown;
pub use entry::{FormulationEntry, HeuristicEntry, MetricEntry, MetricValues, ParameterEntry};
pub(crate) use file::check_name;
pub use file::{Instance, InstanceFile};
pub use frontier::{FrontierDocument, FrontierPoint, GoalEntry};
pub(crate) use generating::{board_named, board_of_catalogue, located, positive_number, share};
pub use goals::Goals;
pub use heuristic::{Chosen, Heuristic, choose, choose_heuristic, heuristic_entries};
pub use overrides::{Overrides, RefusedOverride};
pub use plan::{
    ChangedInstance, LayoutChange, PlanDocument, PlannedInstance, PlannedRetraining, PlannedRun, PlannedTask,
    PlannedWindow, ReconfiguredTask, TaskKind, TaskSeries,
};
pub use proposal::ProposalDocument;
pub use registry::{MODELS, metrics_of, model_named};
pub(crate) use room_rows::room_rows;
pub use solution::{
    Change, GpuEntry, GpuNames, InstanceDetails, InstanceReference, PackedServer, PendingWorkload,
    PlacedWorkload, ResourceLoad, ServerLoad, SolutionDocument,
};
pub use solving::{SolveError, SolveOptions, Solved, Status};
pub(crate) use solving::{agrees, gap, name_some, unserved};
pub use stage::{SenseName, StageDocument, compare_stages, relative_to_optimum};
pub use verdict::{About, ScoreDocument, Verdict, ViolationDocument};
pub use weights::{WeightsTooFine, exact_unit};

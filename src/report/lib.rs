//! What people read: drawings of a placement, for a terminal and as SVG, and the reports on a sweep and on replays.
//!
//! A [`SweepReport`] says how far each method is from the optimum, a [`ReplayReport`] and a [`CollectionReport`] how far each
//! policy is from what a trace allowed, an [`AnswerReport`] what one answer says, a [`PlanReport`] how a cluster changes. A [`Picture`] says where every GPU instance stands,
//! before and after, a [`ServerPicture`] how full every server is, a [`Timeline`] what happens during a window of time; a
//! [`Drawing`] is one of them and turns it into text. Everything here is a pure function of its input: the same picture gives
//! the same bytes.

mod answer;
mod bars;
mod categories;
mod chart;
mod convergence;
mod drawing;
mod effort;
mod explained;
mod from_model;
mod frontier;
mod legend;
mod memory_unit;
mod metric_line;
mod page;
mod palette;
mod picture;
mod plan;
mod replay;
mod rows;
mod server_picture;
mod summary;
mod svg;
mod sweep;
mod terminal;
mod text;
mod timeline;
mod worth;

pub use answer::AnswerReport;
pub use drawing::{Drawing, drawing_of_instance, drawing_of_solution};
pub use effort::{seconds_in_words, work_in_words};
pub use explained::paragraphs as explanation_in_words;
pub use from_model::{picture_of_cluster, picture_of_solution};
pub use frontier::{frontier_svg, frontier_table};
pub use metric_line::{MetricLine, metric_lines};
pub use picture::{GpuRow, Picture, Piece, PieceChange, Waiting};
pub use plan::{PlanReport, plan_verdict};
pub use replay::{Claims, CollectionReport, ReplayReport, reading_in_words};
pub use server_picture::ServerPicture;
pub use svg::svg;
pub use sweep::{Link, SweepReport};
pub use terminal::{SHOW_ALL_OPTION, Screen, draw, draw_all};
pub use timeline::{ModelTimeline, Timeline};
pub use worth::Worth;

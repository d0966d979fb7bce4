//! The catalogue of the placement models, and instance files. The only room that names them all.

mod adapter;
mod answer_file;
mod catalogue;
mod instance;
mod model;
mod schemas;
mod settings;

pub use answer_file::{AnswerFile, DocumentKind, parse_instance};
pub use catalogue::{InstanceFile, Listed, MODELS, Sections, metrics_of, model_named, model_of, wings};
pub use instance::{Instance, check_name};
pub use model::{Corpus, Model, ModelSchemas, Question};
pub use schemas::document_schema;
pub use settings::{capitalised, setting_help, settings};

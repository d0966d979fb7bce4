//! The catalogue of the placement models, and instance files. The only room that names them all.

mod adapter;
mod answer_file;
mod catalogue;
mod contents;
mod corpus;
mod instance;
mod instance_file;
mod library;
mod listed;
mod model;
mod question;
mod schemas;
mod sections;
mod settings;
pub mod wings;

pub use answer_file::{AnswerFile, DocumentKind, parse_instance};
pub use catalogue::{MODELS, metrics_of, model_named, model_of};
pub use contents::{Contents, check_name};
pub use corpus::Corpus;
pub use instance::Instance;
pub use instance_file::InstanceFile;
pub use library::{LibraryInstance, library_instance};
pub use listed::Listed;
pub use model::Model;
pub use question::Question;
pub use schemas::document_schema;
pub use sections::Sections;
pub use settings::{models_with, setting_help, settings};

//! `migopt schema`.

use super::arguments::{DocumentName, SchemaArguments};
use super::exit::{EXIT_PROVED, Failure};
use super::explain::Explained;
use super::format::Format;
use super::output::{print, serialise};
use super::plan::NoPlan;
use crate::oracle::{Request, Response};
use bench::Record;
use check::CheckDocument;
use clap::ValueEnum;
use inventory::{ClusterLock, Rules};
use kit::{FrontierDocument, ProposalDocument, ResultDocument, SolutionDocument};
use models::{InstanceFile, document_schema};
use plan::PlanFile;
use replay::TraceDocument;
use sizing::SizingDocument;

pub fn run(task: &SchemaArguments) -> Result<u8, Failure> {
    let mut schema = match task.document {
        DocumentName::Instance => document_schema::<InstanceFile>(),
        DocumentName::Solution => document_schema::<SolutionDocument>(),
        DocumentName::Result => document_schema::<ResultDocument>(),
        DocumentName::Proposal => document_schema::<ProposalDocument>(),
        DocumentName::Question => task.model.question_schema(),
        DocumentName::Row => document_schema::<Record>(),
        DocumentName::Frontier => document_schema::<FrontierDocument>(),
        DocumentName::Check => document_schema::<CheckDocument>(),
        DocumentName::Trace => document_schema::<TraceDocument>(),
        DocumentName::Plan => document_schema::<PlanFile>(),
        DocumentName::NoPlan => document_schema::<NoPlan>(),
        DocumentName::Request => document_schema::<Request>(),
        DocumentName::Response => document_schema::<Response>(),
        DocumentName::Lock => document_schema::<ClusterLock>(),
        DocumentName::Rules => document_schema::<Rules>(),
        DocumentName::Explanation => document_schema::<Explained<'static>>(),
        DocumentName::Sizing => document_schema::<SizingDocument>(),
    };
    schema.insert("$id".to_owned(), identity(task).into());
    print(&serialise(&schema, Format::Json)?)?;
    Ok(EXIT_PROVED)
}

/// The name by which a schema is told from others.
fn identity(task: &SchemaArguments) -> String {
    let name = task.document.to_possible_value().expect("every document has a name");
    match task.document {
        DocumentName::Question => format!("urn:migopt:schema:question:{}", task.model.name()),
        _ => format!("urn:migopt:schema:{}", name.get_name()),
    }
}

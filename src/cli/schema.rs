//! `migopt schema`.

use super::arguments::{DocumentName, SchemaArguments};
use super::exit::{EXIT_PROVED, Failure};
use super::format::Format;
use super::output::{print, serialise};
use crate::oracle::{Request, Response};
use bench::Record;
use kit::{FrontierDocument, ProposalDocument, ResultDocument, SolutionDocument};
use models::{InstanceFile, document_schema};
use replay::TraceDocument;

pub fn run(task: &SchemaArguments) -> Result<u8, Failure> {
    let schema = match task.document {
        DocumentName::Instance => document_schema::<InstanceFile>(),
        DocumentName::Solution => document_schema::<SolutionDocument>(),
        DocumentName::Result => document_schema::<ResultDocument>(),
        DocumentName::Proposal => document_schema::<ProposalDocument>(),
        DocumentName::Question => task.model.question_schema(),
        DocumentName::Row => document_schema::<Record>(),
        DocumentName::Frontier => document_schema::<FrontierDocument>(),
        DocumentName::Trace => document_schema::<TraceDocument>(),
        DocumentName::Request => document_schema::<Request>(),
        DocumentName::Response => document_schema::<Response>(),
    };
    print(&serialise(&schema, Format::Json)?)?;
    Ok(EXIT_PROVED)
}

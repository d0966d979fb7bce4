//! `migopt schema`.

use super::arguments::{DocumentName, Format, SchemaArguments};
use super::exit::{EXIT_PROVED, Failure};
use super::output::{print, serialise};
use crate::bench::Record;
use crate::model::{FrontierDocument, InstanceFile, ProposalDocument, ResultDocument, SolutionDocument};
use crate::oracle::{Request, Response};
use crate::replay::TraceDocument;
use schemars::schema_for;

pub fn run(task: &SchemaArguments) -> Result<u8, Failure> {
    let schema = match task.document {
        DocumentName::Instance => schema_for!(InstanceFile),
        DocumentName::Solution => schema_for!(SolutionDocument),
        DocumentName::Result => schema_for!(ResultDocument),
        DocumentName::Proposal => schema_for!(ProposalDocument),
        DocumentName::Question => task.model.question_schema(),
        DocumentName::Row => schema_for!(Record),
        DocumentName::Frontier => schema_for!(FrontierDocument),
        DocumentName::Trace => schema_for!(TraceDocument),
        DocumentName::Request => schema_for!(Request),
        DocumentName::Response => schema_for!(Response),
    };
    print(&serialise(&schema, Format::Json)?)?;
    Ok(EXIT_PROVED)
}

//! The forms of reports.

use super::exit::Failure;
use report::PlanReport;
use std::path::Path;

/// What a report can be.
#[derive(Clone, Copy)]
pub enum Form {
    Html,
    Markdown,
    Csv,
}

impl Form {
    /// The report on a plan in this form.
    pub fn of_plan(self, report: &PlanReport) -> String {
        match self {
            Form::Html => report.html(),
            Form::Markdown => report.markdown(),
            Form::Csv => report.csv(),
        }
    }
}

/// The form that the ending of a file asks for, which a flag names.
pub fn form_of(flag: &str, path: &Path) -> Result<Form, Failure> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        "html" | "htm" => Ok(Form::Html),
        "md" => Ok(Form::Markdown),
        "csv" => Ok(Form::Csv),
        _ => Err(Failure::Input(format!(
            "{flag} {}: the ending chooses the format, and this one is not known. Use .html, .md or .csv.",
            path.display()
        ))),
    }
}

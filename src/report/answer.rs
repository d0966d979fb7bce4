//! The report on one answer of `migopt solve`: the verdict, what the solution is worth, its picture, how it was found.

use super::convergence;
use super::drawing::drawing_of_solution;
use super::effort::{seconds_in_words, work_in_words};
use super::explained;
use super::metric_line::{MetricLine, metric_lines};
use super::page::numbers;
use super::page::table::{Cell, Column, Table};
use super::page::{Block, Document, Picture, Section};
use ground::{Amount, capitalised};
use itertools::Itertools;
use kit::{
    CertificateDocument, ExplanationDocument, ResultDocument, SenseName, StageDocument, Status, WorthLine,
};
use models::model_named;

/// The report on one answer.
pub struct AnswerReport<'a> {
    result: &'a ResultDocument,
    certificate: Option<(&'a CertificateDocument, Option<&'a ExplanationDocument>)>,
}

impl<'a> AnswerReport<'a> {
    /// The report on an answer.
    pub fn of(result: &'a ResultDocument) -> Self {
        AnswerReport { result, certificate: None }
    }

    /// With what its certificate comes to, and what it says where it is a proof.
    pub fn with_certificate(
        self,
        certificate: &'a CertificateDocument,
        explanation: Option<&'a ExplanationDocument>,
    ) -> Self {
        AnswerReport { certificate: Some((certificate, explanation)), ..self }
    }

    /// One HTML file with the picture of the solution.
    pub fn html(&self) -> String {
        self.document().html()
    }

    /// The same without the picture.
    pub fn markdown(&self) -> String {
        self.document().markdown()
    }

    /// Its metrics, one per line.
    pub fn csv(&self) -> String {
        let metrics = self.result.metrics.iter().flatten();
        let lines = metrics.map(|(name, value)| format!("{name},{value}\n"));
        std::iter::once("metric,value\n".to_owned()).chain(lines).collect()
    }

    fn document(&self) -> Document {
        let result = self.result;
        let tables =
            [goals(&result.stages), self.worth()].into_iter().filter(|table| !table.lines.is_empty());
        let mut worth: Vec<Block> = tables.map(Block::Table).collect();
        worth.extend(result.notes.iter().cloned().map(Block::Paragraph));
        let picture = result.solution.iter().map(|solution| {
            let title = format!("The solution of {}", result.instance);
            Block::Picture(Picture { svg: drawing_of_solution(solution).svg(), title })
        });
        let metrics = Some(self.metrics()).filter(|metrics| !metrics.lines.is_empty()).map(Block::Table);
        let sections = [
            ("What it is worth", worth),
            ("Solution", picture.collect()),
            ("Metrics", metrics.into_iter().collect()),
            ("Question and effort", vec![Block::List(self.facts())]),
        ];
        let sections = sections.into_iter().filter(|(_, blocks)| !blocks.is_empty());
        let mut sections: Vec<Section> =
            sections.map(|(title, blocks)| Section { title: title.to_owned(), blocks }).collect();
        // Before what the question was.
        let why =
            self.certificate.map(|(certificate, explanation)| explained::section(certificate, explanation));
        let before = why.into_iter().chain(convergence::section(result));
        sections.splice(sections.len() - 1..sections.len() - 1, before);
        Document {
            title: format!("{}: {}", result.instance, verdict(result.status)),
            introduction: [Some(self.lead()), result.reason.clone()].into_iter().flatten().collect(),
            verdict: Vec::new(),
            sections,
        }
    }

    /// What the goals have come to, where the value of their sum does not say it.
    fn goals_in_words(&self) -> Option<String> {
        let model = model_named(&self.result.model).ok()?;
        let words = model.goals_in_words(self.result.score.as_ref()?, &self.result.fields())?;
        Some(format!("{}.", capitalised(&words)))
    }

    /// What the goals have come to, and the verdict, in a few sentences.
    fn lead(&self) -> String {
        self.goals_in_words().into_iter().chain([capitalised(&self.verdict_in_words())]).join(" ")
    }

    fn verdict_in_words(&self) -> String {
        let result = self.result;
        let reached = |stage: &StageDocument| Some(format!("{} {}", stage.name, stage.value?.grouped()));
        let reached: Vec<String> = result.stages.iter().filter_map(reached).collect();
        let open = result.stages.iter().find(|stage| stage.bound != stage.value);
        let bound = open.and_then(|stage| Some((stage, stage.bound?.grouped())));
        let values = if reached.is_empty() { "No solution was found".to_owned() } else { reached.join(", ") };
        match (result.status, bound) {
            (Status::Infeasible, _) => "No solution obeys all rules.".to_owned(),
            (Status::Optimal, _) => {
                format!("{values}. No solution is better: the bound and the verified value meet.")
            }
            (_, Some((stage, bound))) => {
                let away = result.gap.map(|gap| format!(", {} % away", numbers::decimal(100.0 * gap)));
                let away = away.unwrap_or_default();
                format!(
                    "{values}. The bound of {} is {bound}{away}: no solution is better than that.",
                    stage.name
                )
            }
            (_, None) => format!("{values}. No bound is known on how much better a solution may be."),
        }
    }

    fn facts(&self) -> Vec<String> {
        let result = self.result;
        let model = model_named(&result.model).ok();
        let settings = model.map(|model| model.read_back(&result.about).to_string()).unwrap_or_default();
        let question = [format!("model {}", result.model), settings];
        let question: Vec<String> = question.into_iter().filter(|words| !words.is_empty()).collect();
        let root = result.root_bound.map(|bound| {
            format!("bound of the first objective before any branching: {}", numbers::decimal(bound))
        });
        let facts = [
            question.join(", "),
            format!(
                "formulation {}, solver {} {}: {}",
                result.formulation,
                result.solver,
                result.solver_version,
                work_in_words(result)
            ),
            seconds_in_words(result),
        ];
        facts.into_iter().chain(root).collect()
    }

    fn worth(&self) -> Table {
        let (result, fields) = (self.result, self.result.fields());
        let model = model_named(&result.model).ok();
        let lines = model.zip(result.score.as_ref()).map(|(model, score)| model.worth(score, &fields));
        let line =
            |line: WorthLine| vec![Cell::words(line.name), amount(line.amount), Cell::words(line.words)];
        Table {
            caption: "What the goals consist of".to_owned(),
            columns: vec![Column::words("part"), Column::numbers("amount"), Column::words("in words")],
            lines: lines.unwrap_or_default().into_iter().map(line).collect(),
        }
    }

    fn metrics(&self) -> Table {
        let values = self.result.metrics.as_ref();
        let lines = values.map(|values| metric_lines(&self.result.model, values)).unwrap_or_default();
        let line = |line: MetricLine| {
            let part = line.part.as_ref().map_or_else(String::new, |part| format!(" of {part}"));
            // What is counted is said once, for all parts together.
            let definition = if line.part.is_none() { line.metric.definition } else { "" };
            vec![
                Cell::words(format!("{}{part}", line.metric.title)),
                Cell::number(line.number, line.digits),
                Cell::words(line.unit),
                Cell::words(definition),
            ]
        };
        Table {
            caption: "Metrics of the best solution, as the verifier counts them".to_owned(),
            columns: vec![
                Column::words("metric"),
                Column::numbers("value"),
                Column::words("unit"),
                Column::words("what it is"),
            ],
            lines: lines.into_iter().map(line).collect(),
        }
    }
}

fn verdict(status: Status) -> &'static str {
    match status {
        Status::Optimal => "proved optimal",
        Status::WithinGap => "within the gap asked for",
        Status::TimeLimit => "stopped by the time limit",
        Status::Interrupted => "interrupted",
        Status::MemoryLimit => "out of memory",
        Status::Infeasible => "proved infeasible",
    }
}

fn goals(stages: &[StageDocument]) -> Table {
    let line = |stage: &StageDocument| {
        let sense = match stage.sense {
            SenseName::Maximize => "max",
            SenseName::Minimize => "min",
        };
        vec![Cell::words(&stage.name), Cell::words(sense), amount(stage.value), amount(stage.bound)]
    };
    Table {
        caption: "Goals, the most important first".to_owned(),
        columns: vec![
            Column::words("goal"),
            Column::words("direction"),
            Column::numbers("value"),
            Column::numbers("bound"),
        ],
        lines: stages.iter().map(line).collect(),
    }
}

fn amount(amount: Option<Amount>) -> Cell {
    amount.map_or_else(Cell::none, |amount| Cell::number(amount.to_f64(), amount.grouped()))
}

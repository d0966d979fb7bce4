//! The report on one answer of `migopt solve`: what was asked, what is proved, what it is worth, and its picture.

use super::drawing::drawing_of_solution;
use super::page::numbers;
use super::page::table::{Cell, Column, Table};
use super::page::{Block, Document, Figure, Section};
use ground::Amount;
use kit::{ResultDocument, SenseName, StageDocument};
use models::{metrics_of, model_named};

/// The report on one answer.
pub struct AnswerReport<'a> {
    result: &'a ResultDocument,
}

impl<'a> AnswerReport<'a> {
    /// The report on an answer.
    pub fn of(result: &'a ResultDocument) -> Self {
        AnswerReport { result }
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
        let mut answer = vec![Block::List(self.facts())];
        answer.extend(result.reason.clone().map(Block::Warning));
        if !result.stages.is_empty() {
            answer.push(Block::Table(goals(&result.stages)));
        }
        let worth = model_named(&result.model).map(|model| model.score_lines(result)).unwrap_or_default();
        if !worth.is_empty() {
            answer.push(Block::List(worth.iter().map(|line| line.trim().to_owned()).collect()));
        }
        answer.extend(result.notes.iter().cloned().map(Block::Paragraph));
        let mut sections = vec![Section { title: "Answer".to_owned(), blocks: answer }];
        if let Some(solution) = &result.solution {
            let figure = Figure {
                svg: drawing_of_solution(solution).svg(),
                wide: true,
                caption: "Its metrics, as the verifier counts them, are below.".to_owned(),
                numbers: self.metrics(),
                listed: true,
            };
            sections.push(Section { title: "Solution".to_owned(), blocks: vec![Block::Figure(figure)] });
        }
        Document {
            title: format!("{}, model {}", result.instance, result.model),
            introduction: vec![match result.proved {
                true => "Proved: no solution is better than this one, or there is none.".to_owned(),
                false => "Not proved: a better solution may exist, up to the bound.".to_owned(),
            }],
            verdict: Vec::new(),
            sections,
        }
    }

    fn facts(&self) -> Vec<String> {
        let result = self.result;
        let status = serde_json::to_value(result.status).ok();
        let status = status.as_ref().and_then(|status| status.as_str()).unwrap_or_default();
        let mut facts = vec![
            format!("status {status}, objective {}", result.objective()),
            format!(
                "formulation {}, solver {} {}, {} columns and {} rows, {} seconds",
                result.formulation,
                result.solver,
                result.solver_version,
                result.work.columns,
                result.work.rows,
                numbers::decimal(result.seconds.total)
            ),
        ];
        let model = model_named(&result.model).ok();
        let settings = model.map(|model| model.read_back(&result.about).without("objective").to_string());
        let settings = settings.unwrap_or_default();
        if !settings.is_empty() {
            facts.push(settings);
        }
        facts
    }

    fn metrics(&self) -> Table {
        let known = metrics_of(&self.result.model);
        let line = |(name, value): (&String, &serde_json::Number)| {
            let entry = known.iter().find(|entry| entry.name == name);
            let unit = entry.map_or("", |entry| entry.unit);
            let number = value.as_f64().unwrap_or_default();
            vec![Cell::words(name), Cell::number(number, value.to_string()), Cell::words(unit)]
        };
        Table {
            caption: "The best solution found".to_owned(),
            columns: vec![Column::words("metric"), Column::numbers("value"), Column::words("unit")],
            lines: self.result.metrics.iter().flatten().map(line).collect(),
        }
    }
}

fn goals(stages: &[StageDocument]) -> Table {
    let amount = |amount: Option<Amount>| {
        amount.map_or_else(Cell::none, |amount| Cell::number(amount.to_f64(), amount.grouped()))
    };
    let line = |stage: &StageDocument| {
        let sense = match stage.sense {
            SenseName::Maximize => "more is better",
            SenseName::Minimize => "less is better",
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

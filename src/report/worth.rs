//! What a solution is worth as lines of text: its goals in words, their values, what they consist of, its metrics.

use super::metric_line::metric_lines;
use ground::Amount;
use kit::{About, MetricValues, ResultDocument, Score, SenseName, StageDocument, VerdictDocument};
use models::{Model, model_named};
use serde_json::{Map, Value};

/// What a solution is worth, ready to be written with its numbers below each other.
#[derive(Default)]
pub struct Worth {
    goals_in_words: Option<String>,
    goals: Vec<Row>,
    parts: Vec<Row>,
    metrics: Vec<Row>,
}

/// A name, a number, words about it.
struct Row {
    name: String,
    digits: String,
    words: String,
}

impl Worth {
    /// What the best solution of an answer is worth, with the bounds of the goals.
    pub fn of_result(result: &ResultDocument) -> Self {
        let mut goals: Vec<Row> = result.stages.iter().map(|stage| goal(stage, &bound(stage))).collect();
        goals.extend(result.gap.filter(|&gap| gap > 0.0).map(|gap| Row {
            name: "gap".to_owned(),
            digits: format!("{:.4}", 100.0 * gap),
            words: "%".to_owned(),
        }));
        Worth { goals, ..Worth::default() }.with(
            &result.model,
            result.score.as_ref(),
            &result.fields(),
            result.metrics.as_ref(),
        )
    }

    /// What the verifier says that a solution is worth; nothing where it breaks a rule.
    pub fn of_verdict(about: &About, verdict: &VerdictDocument) -> Self {
        Self::judged(
            about.model,
            &verdict.stages,
            verdict.score.as_ref(),
            &about.fields,
            verdict.metrics.as_ref(),
        )
    }

    /// What a judged solution is worth: its goals without bounds, its score with the fields of the question, its metrics.
    pub fn judged(
        model: &str,
        stages: &[StageDocument],
        score: Option<&Score>,
        fields: &Map<String, Value>,
        metrics: Option<&MetricValues>,
    ) -> Self {
        let goals = stages.iter().map(|stage| goal(stage, "")).collect();
        Worth { goals, ..Worth::default() }.with(model, score, fields, metrics)
    }

    fn with(
        self,
        model: &str,
        score: Option<&Score>,
        fields: &Map<String, Value>,
        metrics: Option<&MetricValues>,
    ) -> Self {
        let known: Option<&dyn Model> = model_named(model).ok();
        let known = known.zip(score);
        let goals_in_words = known.and_then(|(known, score)| known.goals_in_words(score, fields));
        let parts = known.map(|(known, score)| known.worth(score, fields)).unwrap_or_default();
        let parts = parts.into_iter().map(|line| Row {
            name: format!("  {}", line.name),
            digits: line.amount.map_or_else(String::new, Amount::grouped),
            words: line.words,
        });
        let metrics = metrics.map(|metrics| metric_lines(model, metrics)).unwrap_or_default();
        let metrics = metrics.into_iter().filter(|line| line.part.is_none()).map(|line| Row {
            name: line.metric.title.to_owned(),
            digits: line.digits,
            words: line.unit.to_owned(),
        });
        Worth { goals_in_words, parts: parts.collect(), metrics: metrics.collect(), ..self }
    }

    /// Its lines: what the goals have come to where their sum does not say it, the goals with what they consist of, and the metrics.
    pub fn paragraphs(&self) -> [Vec<String>; 3] {
        let rows = || self.goals.iter().chain(&self.parts).chain(&self.metrics);
        let widest = |of: fn(&Row) -> &str| rows().map(|row| of(row).chars().count()).max().unwrap_or(0);
        let (name, digits) = (widest(|row| &row.name), widest(|row| &row.digits));
        let lines = |rows: &[Row]| rows.iter().map(|row| row.line(name, digits)).collect::<Vec<_>>();
        let in_words = self.goals_in_words.iter().map(|words| format!("  {words}")).collect();
        [in_words, [lines(&self.goals), lines(&self.parts)].concat(), lines(&self.metrics)]
    }
}

impl Row {
    fn line(&self, name: usize, digits: usize) -> String {
        format!("  {:<name$}  {:>digits$}   {}", self.name, self.digits, self.words).trim_end().to_owned()
    }
}

fn goal(stage: &StageDocument, bound: &str) -> Row {
    let sense = if stage.sense == SenseName::Maximize { "max" } else { "min" };
    Row {
        name: stage.name.clone(),
        digits: stage.value.map_or_else(|| "none".to_owned(), Amount::grouped),
        words: format!("{sense}{bound}"),
    }
}

fn bound(stage: &StageDocument) -> String {
    match (stage.bound, stage.value) {
        (None, _) => ", not reached".to_owned(),
        (Some(bound), Some(value)) if bound == value => ", = bound, proved".to_owned(),
        (Some(bound), _) => format!(", bound {}", bound.grouped()),
    }
}

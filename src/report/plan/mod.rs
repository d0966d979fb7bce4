//! The report on a plan: what it costs and what proves that, and the cluster round by round.

mod rounds;
mod words;

use super::page::{Block, Document, Picture, Section, Step, Steps};
use super::svg::svg;
use super::terminal::{self, Screen};
use cluster::Cluster;
use ground::{capitalised, counted};
use plan::{Judgement, Plan, PlanFile};
use planner::Objective;
use rounds::Rounds;
use std::fmt::Write;
pub use words::plan_verdict;
use words::{certificate, in_words, reason, summary};

/// The report on a plan.
pub struct PlanReport<'a> {
    /// What it says.
    pub file: &'a PlanFile,
    /// The cluster that it changes, with the GPUs that are lent to it.
    pub cluster: &'a Cluster,
    /// Its rounds.
    pub plan: &'a Plan,
    /// What was found out about it.
    pub judgement: &'a Judgement,
}

impl PlanReport<'_> {
    /// For readers at a terminal: its rounds, what proves it, who has to step aside and why, and what is not touched.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let _ =
            writeln!(text, "{}: {} ({})\n", self.cluster.name, summary(&self.judgement.counts), self.state());
        for number in 0..self.plan.rounds.len() {
            let _ = writeln!(text, "round {}", number + 1);
            for line in self.moves(number) {
                let _ = writeln!(text, "  {line}");
            }
        }
        if !self.plan.rounds.is_empty() {
            text.push('\n');
        }
        text + &self.ending()
    }

    /// For readers at a terminal: like [`text`](PlanReport::text), with the cluster drawn before the first round and after each. With
    /// `all`, every GPU is drawn, however many there are.
    pub fn draw(&self, screen: Screen, all: bool) -> String {
        if !self.is_valid() {
            return plan_verdict(&self.cluster.name, self.judgement);
        }
        let draw = |picture| {
            if all { terminal::draw_all(&picture, screen) } else { terminal::draw(&picture, screen) }
        };
        let rounds = self.rounds();
        let mut text = draw(super::picture_of_cluster(self.cluster));
        for number in 0..self.plan.rounds.len() {
            let _ = writeln!(text, "\n{}", draw(rounds.round(number)));
            for line in self.moves(number) {
                let _ = writeln!(text, "  {line}");
            }
        }
        let counts = summary(&self.judgement.counts);
        let _ = writeln!(text, "\n{}: {counts} ({})", self.cluster.name, self.state());
        text + &self.ending()
    }

    /// The cluster before the plan and after it, as SVG.
    pub fn svg(&self) -> String {
        svg(&self.rounds().whole())
    }

    /// One HTML file with every round drawn, to go through step by step.
    pub fn html(&self) -> String {
        self.document().html()
    }

    /// The same without the drawings.
    pub fn markdown(&self) -> String {
        self.document().markdown()
    }

    /// Its moves, one per line.
    pub fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut write = |line: [&str; 8]| {
            writer.write_record(line).expect("all lines have as many fields, and memory takes them");
        };
        write(["round", "workload", "kind", "from_gpu", "from_start", "to_gpu", "to_start", "temporary"]);
        for (number, round) in (1..).zip(&self.file.rounds) {
            for entry in &round.moves {
                let gpu = |spot: &Option<cluster::Spot>| {
                    spot.as_ref().map_or_else(String::new, |spot| spot.gpu.clone())
                };
                let start = |spot: &Option<cluster::Spot>| {
                    spot.as_ref().map_or_else(String::new, |spot| spot.start.to_string())
                };
                write([
                    &i32::to_string(&number),
                    &entry.workload,
                    &entry.kind.to_string(),
                    &gpu(&entry.from),
                    &start(&entry.from),
                    &gpu(&entry.to),
                    &start(&entry.to),
                    if entry.via { "yes" } else { "no" },
                ]);
            }
        }
        String::from_utf8(writer.into_inner().expect("memory takes them")).expect("fields are text")
    }

    fn rounds(&self) -> Rounds<'_> {
        Rounds::of(self.cluster, self.plan)
    }

    fn is_valid(&self) -> bool {
        self.judgement.findings.is_empty()
    }

    fn state(&self) -> &'static str {
        if self.file.proved { "proved" } else { "not proved optimal" }
    }

    /// The moves of a round in words.
    fn moves(&self, number: usize) -> Vec<String> {
        let steps = self.plan.rounds[number].iter();
        steps.map(|step| in_words(self.cluster, step)).collect()
    }

    /// Bounds, what is not touched, and notes, for the end of a text.
    fn ending(&self) -> String {
        let mut text = String::new();
        for (bound, certificate) in self.bounds() {
            let _ = writeln!(text, "{bound}");
            for line in certificate {
                let _ = writeln!(text, "  {line}");
            }
        }
        let _ = writeln!(text, "{}", self.untouched());
        for note in &self.file.notes {
            let _ = writeln!(text, "note: {note}");
        }
        text
    }

    /// Each bound in words, and the chain or the circles that prove it.
    fn bounds(&self) -> Vec<(String, Vec<String>)> {
        let mut bounds = self.file.bounds.clone().unwrap_or_default();
        let objectives = self.file.minimize.iter().filter_map(|name| Objective::named(name).ok());
        let bound = |objective: Objective| {
            let bound = objective.bound(&mut bounds).take()?;
            let value = objective.of(&self.judgement.counts);
            let why = reason(objective, &bound);
            Some((
                format!("{}: {value}, at least {} {why}", objective.name(), bound.value),
                certificate(&bound),
            ))
        };
        objectives.filter_map(bound).collect()
    }

    fn untouched(&self) -> String {
        let gpus = self.cluster.gpus.len();
        format!("not touched: {} of {}", gpus - self.rounds().touched().len(), counted(gpus, "GPU"))
    }

    fn document(&self) -> Document {
        let name = &self.cluster.name;
        if !self.is_valid() {
            let finding = |finding: &plan::Finding| format!("{}: {}", finding.rule, finding.message);
            let findings = self.judgement.findings.iter().map(finding).collect();
            let section = Section { title: "What it breaks".to_owned(), blocks: vec![Block::List(findings)] };
            return Document {
                title: format!("{name}: not a valid plan"),
                introduction: vec!["This plan breaks rules and must not be carried out.".to_owned()],
                verdict: Vec::new(),
                sections: vec![section],
            };
        }
        let proved = if self.file.proved { "proved plan" } else { "a plan, not proved optimal" };
        let mut rest = vec![self.untouched()];
        rest.extend(self.file.notes.iter().cloned());
        let sections = [("Round by round", vec![self.steps()]), ("Besides", vec![Block::List(rest)])];
        let section = |(title, blocks): (&str, Vec<Block>)| Section { title: title.to_owned(), blocks };
        Document {
            title: format!("{name}: {proved}"),
            introduction: vec![self.lead()],
            verdict: Vec::new(),
            sections: sections.map(section).into(),
        }
    }

    /// The verdict in a sentence or two.
    fn lead(&self) -> String {
        let counts = capitalised(&summary(&self.judgement.counts));
        let order = self.file.minimize.join(", then ");
        match (self.file.proved, order.is_empty()) {
            (true, false) => format!("{counts}. No plan has fewer {order}: every bound is met."),
            (false, false) => format!("{counts}. Whether another plan has fewer {order} is not known."),
            (_, true) => format!("{counts}. It obeys all rules; nothing is claimed about better ones."),
        }
    }

    /// The cluster now and in the end, then every round.
    fn steps(&self) -> Block {
        let rounds = self.rounds();
        let picture =
            |title: &str, picture| Block::Picture(Picture { svg: svg(&picture), title: title.to_owned() });
        let title = if self.plan.rounds.is_empty() { "Now" } else { "Now and in the end" };
        let mut steps = vec![Step { title: title.to_owned(), blocks: vec![picture(title, rounds.whole())] }];
        for number in 0..self.plan.rounds.len() {
            let title = format!("Round {} of {}", number + 1, self.plan.rounds.len());
            let mut blocks = vec![Block::List(self.moves(number)), picture(&title, rounds.round(number))];
            if rounds.leaves_out() {
                blocks.push(Block::Paragraph("Only GPUs that the plan touches are drawn.".to_owned()));
            }
            steps.push(Step { title, blocks });
        }
        Block::Steps(Steps { noun: "round", steps, beside: self.beside() })
    }

    /// The bounds, for the space beside the rounds.
    fn beside(&self) -> Vec<Block> {
        let mut blocks = vec![Block::Heading("Why no plan is better")];
        let bounds = self.bounds();
        if bounds.is_empty() {
            blocks = vec![Block::Paragraph("The plan claims no bounds.".to_owned())];
        } else if !self.file.proved {
            blocks = vec![Block::Heading("What no plan goes below")];
        }
        for (bound, certificate) in bounds {
            blocks.push(Block::Paragraph(bound));
            blocks.extend((!certificate.is_empty()).then_some(Block::List(certificate)));
        }
        blocks
    }
}

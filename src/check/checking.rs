//! A configuration file, judged.

use super::apply::DryRun;
use super::configuration::{Configuration, ConfigurationFile, Entry};
use super::demand::{Demand, UnknownProfile};
use super::document::{
    CheckDocument, ConfigurationDocument, EffectDocument, ImpossibleDocument, LayoutDocument, LintDocument,
    PlaceDocument, ReasonDocument, TrapDocument, VerdictName,
};
use super::impossible::Impossible;
use super::lints::{Lint, Strategy, Subject, lints};
use super::state::{Node, State};
use super::verdict::{Trap, Verdict, judge};
use ground::{At, SourceText, did_you_mean};
use itertools::Itertools;
use mig::{Board, GpuInstance, ProfileIndex};
use std::collections::BTreeMap;
use std::sync::Arc;

/// No node has more GPUs, whatever index a file names.
const MOST_ASSUMED: u32 = 1024;

/// The nodes on which configurations are judged.
#[derive(Clone, Debug)]
pub enum Fleet {
    /// Nodes with what they have now.
    Known(State),
    /// Any node with so many GPUs of a board; where their number is not given, as many as the file names.
    Like(Arc<Board>, Option<u32>),
}

/// Judges the configurations of a file, or one of them.
///
/// # Errors
/// When the file has no configuration of the selected name.
pub fn check(
    file: &ConfigurationFile,
    fleet: &Fleet,
    selected: Option<&str>,
    strategy: Option<Strategy>,
) -> Result<CheckDocument, String> {
    let chosen: Vec<&Configuration> = file
        .configurations
        .iter()
        .filter(|configuration| selected.is_none_or(|name| configuration.name == name))
        .collect();
    if let Some(name) = selected.filter(|_| chosen.is_empty()) {
        return Err(unknown_configuration(file, name));
    }
    let gpus_assumed = matches!(fleet, Fleet::Like(_, None));
    let state = match fleet {
        Fleet::Known(state) => state.clone(),
        Fleet::Like(board, gpus) => {
            let named = || file.greatest_index().map_or(1, |index| index.saturating_add(1).min(MOST_ASSUMED));
            State::of_board(board, gpus.unwrap_or_else(named))
        }
    };
    let is_known = matches!(fleet, Fleet::Known(_));
    let mut judged = Judged::default();
    let configurations: Vec<ConfigurationDocument> = chosen
        .into_iter()
        .map(|configuration| {
            let subject = Subject::new(configuration, &state, is_known);
            configuration_document(file, &subject, strategy, &mut judged)
        })
        .collect();
    let verdict = configurations.iter().filter_map(|configuration| configuration.verdict).max();
    Ok(CheckDocument { file: file.source.name().to_owned(), gpus_assumed, verdict, configurations })
}

fn unknown_configuration(file: &ConfigurationFile, name: &str) -> String {
    let known: Vec<&str> =
        file.configurations.iter().map(|configuration| configuration.name.as_str()).collect();
    format!(
        "{} has no configuration \"{name}\"{}. It has {}.",
        file.source.name(),
        did_you_mean(name, known.iter().copied()),
        known.join(", ")
    )
}

/// Verdicts by board and counts, as nodes are alike.
#[derive(Default)]
struct Judged(BTreeMap<(String, mig::Counts), Verdict>);

impl Judged {
    fn verdict(&mut self, board: &Board, counts: &mig::Counts) -> &Verdict {
        let key = (board.name().to_owned(), counts.clone());
        self.0.entry(key).or_insert_with(|| judge(board, counts))
    }
}

fn configuration_document(
    file: &ConfigurationFile,
    subject: &Subject<'_>,
    strategy: Option<Strategy>,
    judged: &mut Judged,
) -> ConfigurationDocument {
    let configuration = subject.configuration;
    let layouts: Vec<LayoutDocument> =
        groups(subject).into_iter().map(|group| group.document(file, configuration, judged)).collect();
    let mut apply = DryRun::of(configuration);
    let effects = |node: &Node| -> Vec<EffectDocument> {
        let effects = node.gpus.iter().zip(apply.on(node));
        let told = effects.map(|(gpu, effect)| EffectDocument {
            gpu: node.gpu_name(gpu),
            action: effect.action,
            in_the_way: if effect.action.destroys() { gpu.users() } else { Vec::new() },
            first_attempt_fails: effect.first_attempt_fails,
        });
        told.collect()
    };
    let known = subject.state.nodes.iter().filter(|_| subject.is_known);
    ConfigurationDocument {
        name: configuration.name.clone(),
        line: file.source.line_of(configuration.at),
        verdict: layouts.iter().map(|layout| layout.verdict).max(),
        layouts,
        lints: lints(file, subject, strategy)
            .into_iter()
            .map(|lint| lint_document(&file.source, lint))
            .collect(),
        apply: known.flat_map(effects).collect(),
    }
}

fn lint_document(source: &SourceText, lint: Lint) -> LintDocument {
    LintDocument {
        rule: lint.rule.to_owned(),
        level: lint.level,
        place: place(source, lint.at),
        message: lint.message,
    }
}

/// Line and column.
fn place(source: &SourceText, at: At) -> String {
    let error = source.error_at(at, None, "");
    format!("{}:{}", error.line.unwrap_or(0), error.column.unwrap_or(0))
}

/// Like GPUs that an entry matches.
struct Group<'a> {
    entry: usize,
    board: &'a Arc<Board>,
    /// Their indices, the same on each node.
    indices: Vec<u32>,
    gpus: Vec<String>,
}

/// The matches of all nodes, by entry, board and indices on a node.
fn groups<'a>(subject: &Subject<'a>) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut known: BTreeMap<(usize, &str, Vec<u32>), usize> = BTreeMap::new();
    for (node, found) in subject.nodes() {
        let mut of_node: BTreeMap<(usize, &str), Vec<usize>> = BTreeMap::new();
        for found in found {
            let board = node.gpus[found.gpu].board.name();
            of_node.entry((found.entry, board)).or_default().push(found.gpu);
        }
        for ((entry, board), gpus) in of_node {
            let indices: Vec<u32> = gpus.iter().map(|&gpu| node.gpus[gpu].index).collect();
            let position = *known.entry((entry, board, indices.clone())).or_insert_with(|| {
                let board = &node.gpus[gpus[0]].board;
                groups.push(Group { entry, board, indices, gpus: Vec::new() });
                groups.len() - 1
            });
            groups[position].gpus.extend(gpus.iter().map(|&gpu| node.gpu_name(&node.gpus[gpu])));
        }
    }
    groups.sort_by_key(|group| group.entry);
    groups
}

impl Group<'_> {
    fn document(
        &self,
        file: &ConfigurationFile,
        configuration: &Configuration,
        judged: &mut Judged,
    ) -> LayoutDocument {
        let entry = &configuration.entries[self.entry];
        let blank = LayoutDocument {
            line: file.source.line_of(entry.at),
            board: self.board.name().to_owned(),
            gpus: self.gpus.clone(),
            mig_enabled: entry.mig_enabled,
            devices: devices_in_words(entry),
            verdict: VerdictName::Safe,
            order: Vec::new(),
            trap: None,
            layout: Vec::new(),
            command: None,
            impossible: None,
        };
        let demand = match Demand::of(self.board, &entry.mig_devices) {
            Ok(demand) => demand,
            Err(unknown) => return without_profile(blank, unknown),
        };
        let board = &**self.board;
        let verdict = judged.verdict(board, &demand.counts);
        let layout = verdict.layout().unwrap_or_default();
        let known = LayoutDocument {
            layout: places(board, layout.iter().copied().sorted_by_key(|instance| instance.start)),
            command: command(board, &self.indices, layout, &demand),
            ..blank
        };
        match verdict {
            Verdict::Safe { .. } => known,
            Verdict::SafeInOrder { order, trap, .. } => LayoutDocument {
                verdict: VerdictName::SafeInOrder,
                order: order.iter().map(|profile| board.profile(*profile).name.clone()).collect(),
                trap: Some(trap_document(board, trap)),
                ..known
            },
            Verdict::DependsOnDriver { trap, .. } => LayoutDocument {
                verdict: VerdictName::DependsOnTheDriver,
                trap: Some(trap_document(board, trap)),
                ..known
            },
            Verdict::Impossible(impossible) => LayoutDocument {
                verdict: VerdictName::Impossible,
                impossible: Some(impossible_document(board, impossible)),
                ..known
            },
        }
    }
}

fn devices_in_words(entry: &Entry) -> String {
    if !entry.mig_enabled {
        return "no MIG".to_owned();
    }
    let listed = entry.mig_devices.iter().filter(|devices| devices.count > 0);
    let words: Vec<String> = listed
        .map(|devices| match devices.count {
            1 => devices.profile.to_string(),
            count => format!("{count} x {}", devices.profile),
        })
        .collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(" + ") }
}

fn without_profile(blank: LayoutDocument, unknown: Vec<UnknownProfile>) -> LayoutDocument {
    let reasons = unknown
        .into_iter()
        .map(|unknown| ReasonDocument { reason: "profile".to_owned(), message: unknown.message });
    let impossible = ImpossibleDocument { smallest: String::new(), reasons: reasons.collect() };
    LayoutDocument { verdict: VerdictName::Impossible, impossible: Some(impossible), ..blank }
}

fn impossible_document(board: &Board, impossible: &Impossible) -> ImpossibleDocument {
    let reasons = impossible
        .reasons
        .iter()
        .map(|reason| ReasonDocument { reason: reason.name().to_owned(), message: reason.words() });
    ImpossibleDocument { smallest: board.counts_name(&impossible.smallest), reasons: reasons.collect() }
}

fn trap_document(board: &Board, trap: &Trap) -> TrapDocument {
    TrapDocument {
        standing: places(board, trap.standing.iter().copied()),
        refused: board.profile(trap.refused).name.clone(),
    }
}

fn places(board: &Board, instances: impl Iterator<Item = GpuInstance>) -> Vec<PlaceDocument> {
    let place = |instance: GpuInstance| PlaceDocument {
        profile: board.profile(instance.profile).name.clone(),
        start: instance.start.0,
    };
    instances.map(place).collect()
}

/// What creates a layout on the GPUs of these indices with the starts told.
fn command(board: &Board, indices: &[u32], layout: &[GpuInstance], demand: &Demand) -> Option<String> {
    if layout.is_empty() {
        return None;
    }
    let id = |profile: ProfileIndex| {
        let profile = board.profile(profile);
        profile.driver_id.map_or_else(|| profile.name.clone(), |id| id.to_string())
    };
    let placed = layout.iter().sorted_by_key(|instance| instance.start);
    let placed = placed.map(|instance| format!("{}:{}", id(instance.profile), instance.start.0)).join(",");
    // Parts of GPU instances are made one by one.
    let whole = if demand.has_parts { "" } else { " -C" };
    Some(format!("nvidia-smi mig -i {} -cgi {placed}{whole}", indices.iter().join(",")))
}

//! What a check says, as text for a terminal.

use super::apply::Action;
use super::document::{
    CheckDocument, ConfigurationDocument, EffectDocument, LayoutDocument, PlaceDocument, TrapDocument,
    VerdictName,
};
use super::lints::{Level, gpus_in_words};
use itertools::Itertools;

/// How a word stands out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// A heading.
    Heading,
    /// All is well.
    Good,
    /// Something wants attention.
    Doubtful,
    /// Something cannot be.
    Bad,
}

/// The document as text; `paint` makes words stand out.
pub fn text(document: &CheckDocument, paint: &dyn Fn(Tone, &str) -> String) -> String {
    let mut lines = Vec::new();
    for configuration in &document.configurations {
        lines.extend(configuration_lines(document, configuration, paint));
        lines.push(String::new());
    }
    lines.push(summary(document));
    lines.join("\n") + "\n"
}

fn summary(document: &CheckDocument) -> String {
    let verdicts = document.configurations.iter().map(|configuration| configuration.verdict);
    // What matches nothing comes last.
    let counts = verdicts.sorted_by_key(|verdict| (verdict.is_none(), *verdict)).dedup_with_count();
    let counts = counts.map(|(count, verdict)| format!("{count} {}", verdict_in_words(verdict))).join(", ");
    let assumed = if document.gpus_assumed {
        "; a node was taken to have as many GPUs as the file names (--gpus gives another number)"
    } else {
        ""
    };
    format!("{}: {counts}{assumed}", document.file)
}

fn verdict_in_words(verdict: Option<VerdictName>) -> &'static str {
    verdict.map_or("matches no GPU", VerdictName::words)
}

fn tone_of(verdict: Option<VerdictName>) -> Tone {
    match verdict {
        Some(VerdictName::Safe | VerdictName::SafeInOrder) => Tone::Good,
        Some(VerdictName::DependsOnTheDriver) | None => Tone::Doubtful,
        Some(VerdictName::Impossible) => Tone::Bad,
    }
}

fn configuration_lines(
    document: &CheckDocument,
    configuration: &ConfigurationDocument,
    paint: &dyn Fn(Tone, &str) -> String,
) -> Vec<String> {
    let verdict = paint(tone_of(configuration.verdict), verdict_in_words(configuration.verdict));
    let mut lines = vec![format!("{}: {verdict}", paint(Tone::Heading, &configuration.name))];
    lines.extend(configuration.layouts.iter().flat_map(|layout| layout_lines(layout, configuration, paint)));
    for lint in &configuration.lints {
        let (tone, level) = match lint.level {
            Level::Warning => (Tone::Doubtful, "warning"),
            Level::Note => (Tone::Heading, "note"),
        };
        let level = paint(tone, level);
        lines.push(format!("  {}:{}: {level}: {} ({})", document.file, lint.place, lint.message, lint.rule));
    }
    if !configuration.apply.is_empty() {
        lines.push("  an apply now:".to_owned());
        lines.extend(configuration.apply.iter().map(|effect| effect_line(effect, paint)));
    }
    lines
}

fn layout_lines(
    layout: &LayoutDocument,
    configuration: &ConfigurationDocument,
    paint: &dyn Fn(Tone, &str) -> String,
) -> Vec<String> {
    let mut first = format!("  {}: {}", gpus_in_words(&layout.gpus), layout.devices);
    if configuration.layouts.len() > 1 {
        first += &format!(": {}", paint(tone_of(Some(layout.verdict)), layout.verdict.words()));
    }
    let mut lines = vec![first];
    let refused = |trap: &TrapDocument| {
        format!("the driver may put {}, which leaves no start for {}", places(&trap.standing), trap.refused)
    };
    match (layout.verdict, &layout.trap) {
        (VerdictName::SafeInOrder, Some(trap)) => {
            lines.push(format!("    safe in this order: {}", in_order(&layout.order)));
            lines.push(format!("    in another one, {}", refused(trap)));
        }
        (VerdictName::DependsOnTheDriver, Some(trap)) => {
            lines.push(format!("    no order is safe without start indices: in one, {}", refused(trap)));
            lines.push(format!("    it fits as {}:", places(&layout.layout)));
            lines.extend(layout.command.as_ref().map(|command| format!("    {command}")));
        }
        _ => {}
    }
    if let Some(impossible) = &layout.impossible {
        let reasons = impossible.reasons.iter().map(|reason| &reason.message).join("; ");
        let part = Some(&impossible.smallest).filter(|part| !part.is_empty());
        lines.push(part.map_or_else(|| format!("    {reasons}"), |part| format!("    {part} {reasons}")));
    }
    lines
}

/// `3g.20gb@4, 1g.5gb@0`.
fn places(places: &[PlaceDocument]) -> String {
    places.iter().map(|place| format!("{}@{}", place.profile, place.start)).join(", ")
}

/// An order in which the same profiles that follow each other are told once.
fn in_order(order: &[String]) -> String {
    let runs = order.iter().dedup_with_count();
    runs.map(|(count, profile)| if count == 1 { profile.clone() } else { format!("{count} x {profile}") })
        .join(", then ")
}

fn effect_line(effect: &EffectDocument, paint: &dyn Fn(Tone, &str) -> String) -> String {
    let (tone, words) = match effect.action {
        Action::Untouched => (Tone::Good, "untouched"),
        Action::Filled => (Tone::Good, "filled, as it has no GPU instances"),
        Action::Cleared => (Tone::Doubtful, "cleared"),
        Action::Reset => (Tone::Bad, "reset with all GPUs of the node"),
    };
    let mut line = format!("    {}: {}", effect.gpu, paint(tone, words));
    if !effect.in_the_way.is_empty() {
        line += &format!("; in the way: {}", effect.in_the_way.join(", "));
    }
    if effect.first_attempt_fails {
        line += "; the first attempt fails for lack of room";
    }
    line
}

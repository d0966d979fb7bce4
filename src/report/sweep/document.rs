//! What the report says, in which order.

use super::box_plot;
use super::curves::{Curve, gap_distribution, performance_profile};
use super::extent::Extent;
use super::group::Group;
use super::link::Link;
use super::means;
use super::numbers;
use super::plots::{self, Labels};
use super::reference::State;
use super::searches;
use super::statistics::PERCENTILE_DEFINITION;
use super::table::{Cell, Column, Table};
use super::tables::indices::Indexed;
use super::tables::{counterparts, families, gaps, indices, instances, metrics, outcomes, runtimes, verdict};
use crate::page::{Block, Document, Figure, Section};
use itertools::Itertools;
use std::cmp::Reverse;

/// Composes the report: the verdict over all groups, a section for each group, the largest first, and one for definitions.
pub(super) fn of(all: &[Group], extent: &Extent, name: &str, link: &Link) -> Document {
    let mut groups: Vec<&Group> = all.iter().collect();
    groups.sort_by_key(|group| Reverse(group.instances.len()));
    let mut sections: Vec<Section> = groups.iter().map(|group| section(group, link)).collect();
    sections.push(definitions(&groups));
    let rows: usize = groups.iter().map(|group| group.rows().count()).sum();
    let instances: usize = groups.iter().map(|group| group.instances.len()).sum();
    let averages = if groups.iter().all(|group| group.families.is_empty()) {
        "Objective values are never averaged, as their size depends on the instance: all averages are of gaps and differences."
    } else {
        "Objective values are averaged only within families of instances, as their size depends on the instance."
    };
    let introduction = format!(
        "{} on {} in {}. {averages} The last section says how each number is defined.",
        numbers::counted(rows, "run"),
        numbers::counted(instances, "instance"),
        numbers::counted(groups.len(), "group")
    );
    let mut verdict = vec![Block::Paragraph(verdict::sentences(all))];
    verdict.push(Block::Table(verdict::table(all)));
    verdict.extend(extent.incomplete(rows).map(Block::Warning));
    if !extent.left_out.is_empty() {
        verdict
            .push(Block::Paragraph("Rows of earlier commands that the last one did not ask for:".to_owned()));
        verdict.push(Block::List(extent.left_out.in_words("left out")));
    }
    Document { title: format!("Sweep {name}"), introduction: vec![introduction], verdict, sections }
}

fn section(group: &Group, link: &Link) -> Section {
    let mut blocks = vec![Block::List(facts(group))];
    blocks.extend(warnings(group).into_iter().map(Block::Warning));
    blocks.push(Block::Heading("Gap to the optimum"));
    blocks.push(Block::Table(gaps::table(group)));
    let stages = gaps::stages(group);
    if !stages.is_empty() {
        blocks.push(Block::Paragraph("First objectives that fall short, by method:".to_owned()));
        blocks.push(Block::List(stages));
    }
    blocks.push(Block::Figure(gap_figure(group)));
    if let Some(figure) = families::figure(group) {
        blocks.push(Block::Heading("Values by family"));
        blocks.push(Block::Figure(figure));
    }
    blocks.push(Block::Heading("Outcomes"));
    blocks.push(Block::Table(outcomes::table(group)));
    let failures = outcomes::failures(group);
    if !failures.is_empty() {
        blocks.push(Block::List(failures));
    }
    blocks.push(Block::Heading("Run time"));
    blocks.push(Block::Table(runtimes::table(group)));
    blocks.extend(box_plot::figure(group).map(Block::Figure));
    blocks.push(Block::Figure(profile_figure(group)));
    let searches = searches::blocks(group);
    if !searches.is_empty() {
        blocks.push(Block::Heading("Convergence"));
        blocks.extend(searches);
    }
    blocks.push(Block::Heading("Metrics"));
    blocks.push(Block::Table(metrics::table(group)));
    blocks.extend(Indexed::all(group).iter().map(|metric| Block::Figure(indices::figure(group, metric))));
    let compared = counterparts::blocks(group);
    if !compared.is_empty() {
        blocks.push(Block::Heading("Against their counterparts"));
        blocks.extend(compared);
    }
    blocks.push(Block::Heading("Instances"));
    blocks.push(Block::Paragraph(instances::explanation(group)));
    blocks.push(Block::Table(instances::table(group, link)));
    Section { title: group.title(), blocks }
}

/// Instances, methods, seeds, and what is known of the optima.
fn facts(group: &Group) -> Vec<String> {
    let states = group.states();
    let listed = State::ALL.iter().filter_map(|state| {
        let number = states.get(state)?;
        Some(format!("{} {}", numbers::whole(*number), state.name()))
    });
    let seeds = match group.seeds.len() {
        0 => "none given".to_owned(),
        1..=5 => group.seeds.iter().join(", "),
        more => format!("{} different ones", numbers::whole(more)),
    };
    let mut facts = vec![
        format!("Instances: {}", numbers::whole(group.instances.len())),
        format!("Their optima: {}", listed.collect_vec().join(", ")),
        format!("Methods: {}", group.methods.iter().join(", ")),
        format!("Seeds: {seeds}"),
        format!("Runs: {}", numbers::whole(group.rows().count())),
    ];
    if !group.families.is_empty() {
        facts.insert(1, format!("Families: {}", group.families.iter().join(", ")));
    }
    facts
}

/// What makes the numbers of a group mean less than they seem to.
fn warnings(group: &Group) -> Vec<String> {
    let mut warnings = Vec::new();
    let names = |instances: Vec<&str>| {
        let more = if instances.len() > 5 { " and others" } else { "" };
        format!("{}{more}", instances.iter().take(5).join(", "))
    };
    let contradictory =
        group.instances.iter().filter(|instance| instance.reference.state == State::Contradictory);
    let contradictory: Vec<&str> = contradictory.map(|instance| instance.name()).collect();
    if !contradictory.is_empty() {
        warnings.push(format!(
            "Rows contradict each other in {}: a verified value is better than a proved bound, so at least one of the rows is \
             wrong. Their gaps count as unknown: {}.",
            numbers::counted(contradictory.len(), "instance"),
            names(contradictory)
        ));
    }
    let has = |rows: &[super::group::Row], method: &str| rows.iter().any(|row| row.record.method == method);
    let missing = group.methods.iter().filter_map(|&method| {
        let without = group.instances.iter().filter(|instance| !has(&instance.rows, method)).count();
        (without > 0).then(|| format!("{method} in {}", numbers::whole(without)))
    });
    let missing = missing.collect_vec();
    if !missing.is_empty() {
        warnings.push(format!(
            "Not every method has a run on every instance, so methods are compared on different instances. Missing: {}.",
            missing.join(", ")
        ));
    }
    warnings
}

fn gap_figure(group: &Group) -> Figure {
    let curves = gap_distribution(group);
    let labels = Labels {
        title: &format!("Distribution of gaps by method: {}", group.title()),
        x: "gap to the optimum in %",
        y: "share of runs in %",
        dashed: "dashed: gap to the proved bound",
    };
    let caption = "Share of each method's runs whose gap is at most this large: the higher, the better. \
                   Optima are at 0; the scale is linear up to its first mark, logarithmic beyond, and ends at 1,000 % \
                   at the latest. Solid lines are gaps to the best solution known; dashed lines, where they differ, gaps to \
                   the proved bound: the truth lies between. \
                   Failed runs and unknown gaps never count as reached; infeasible instances do not count at all.";
    Figure {
        svg: plots::gaps(&curves, &labels),
        wide: false,
        caption: caption.to_owned(),
        numbers: plotted("Distribution of gaps", "gap in %", &curves, 100.0),
        listed: false,
    }
}

fn profile_figure(group: &Group) -> Figure {
    let curves = performance_profile(group);
    let labels = Labels {
        title: &format!("Performance profile of run times by method: {}", group.title()),
        x: "time over that of the fastest answer",
        y: "share of runs in %",
        dashed: "",
    };
    let caption = "Performance profile (Dolan and Moré, 2002): share of each method's runs that answered within so many times \
                   the time of the fastest answer to the same instance. Methods that seek a proof answer by a proved optimum, \
                   all others by a valid solution; infeasible instances do not count, and times below a microsecond count \
                   as one.";
    Figure {
        svg: plots::profile(&curves, &labels),
        wide: false,
        caption: caption.to_owned(),
        numbers: plotted("Performance profile", "times the fastest", &curves, 1.0),
        listed: false,
    }
}

/// The numbers of a plot, a line for each step.
fn plotted(caption: &str, value: &str, curves: &[Curve], scale: f64) -> Table {
    let lines = curves.iter().flat_map(|curve| {
        let kind = if curve.pessimistic { " (to the bound)" } else { "" };
        curve.steps.iter().map(move |&(value, share)| {
            let [value, share] =
                [scale * value, 100.0 * share].map(|number| Cell::number(number, numbers::decimal(number)));
            vec![Cell::words(format!("{}{kind}", curve.method)), value, share]
        })
    });
    Table {
        caption: caption.to_owned(),
        columns: vec![Column::words("method"), Column::numbers(value), Column::numbers("share of runs in %")],
        lines: lines.collect(),
    }
}

fn definitions(groups: &[&Group]) -> Section {
    let by_family = groups.iter().any(|group| !group.families.is_empty());
    let by_index = groups.iter().any(|group| !Indexed::all(group).is_empty());
    let compared = groups.iter().any(|group| counterparts::exist(group));
    let optional = [
        (by_family, "Values by family", families::EXPLANATION),
        (by_family || by_index, "Means of methods", means::EXPLANATION),
        (by_index, "Metrics of parts", indices::EXPLANATION),
        (compared, "Counterparts", counterparts::EXPLANATION),
    ];
    let mut entries = vec![
        ("Verdict", verdict::EXPLANATION.to_owned()),
        ("Gap to the optimum", gaps::EXPLANATION.to_owned()),
        ("Outcomes", outcomes::EXPLANATION.to_owned()),
        ("Run time", runtimes::explanation()),
        ("Percentiles", PERCENTILE_DEFINITION.to_owned()),
        ("Metrics", metrics::EXPLANATION.to_owned()),
    ];
    entries.extend(
        optional.iter().filter(|entry| entry.0).map(|(_, heading, words)| (*heading, (*words).to_owned())),
    );
    let mut blocks = Vec::new();
    for (heading, words) in entries {
        blocks.extend([Block::Heading(heading), Block::Paragraph(words)]);
    }
    blocks.push(Block::Table(metrics::definitions(groups)));
    Section { title: "Definitions".to_owned(), blocks }
}

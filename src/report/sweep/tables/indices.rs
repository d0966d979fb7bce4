//! Metrics that exist once for each part of an instance, such as each group of servers: `BASE:INDEX`.

use super::super::group::{Group, Instance};
use super::super::means::Means;
use super::super::table::{Cell, Column, Table};
use super::families::{cell, of_family};
use crate::bars::{self, Bars, Labels};
use crate::chart::colour;
use crate::page::Figure;
use crate::text::runs;
use models::metrics_of;
use std::collections::{BTreeMap, BTreeSet};

/// What the columns mean, for readers.
pub(in super::super) const EXPLANATION: &str = "Some metrics exist once for each part of an instance, under the name of the metric, \
    a colon and the part. Their means are over all instances that have the metric of the part, and by family where there \
    are families.";

/// A metric with an index.
pub(in super::super) struct Indexed<'r> {
    /// What stands before the colon.
    pub base: &'r str,
    /// What stands behind it, in the order in which people read it; two at least.
    pub indices: Vec<&'r str>,
}

impl<'r> Indexed<'r> {
    /// The metrics of a group that have two indices or more, by name.
    pub fn all(group: &Group<'r>) -> Vec<Self> {
        let mut found: BTreeMap<&'r str, BTreeSet<&'r str>> = BTreeMap::new();
        for row in group.rows() {
            for (base, index) in row.record.metrics.keys().filter_map(|name| name.split_once(':')) {
                found.entry(base).or_default().insert(index);
            }
        }
        let several = found.into_iter().filter(|(_, indices)| indices.len() > 1);
        let metric = several.map(|(base, indices)| {
            let mut indices: Vec<&str> = indices.into_iter().collect();
            indices.sort_by_cached_key(|index| runs(index));
            Indexed { base, indices }
        });
        metric.collect()
    }

    /// The name of the metric of an index.
    pub fn name(&self, index: &str) -> String {
        format!("{}:{index}", self.base)
    }

    /// What is counted, for readers, with its unit.
    pub fn title(&self, group: &Group) -> (String, &'static str) {
        let plain = self.base.strip_suffix("_of").unwrap_or(self.base);
        match metrics_of(group.model).iter().find(|metric| metric.name == plain) {
            Some(metric) => (metric.title.to_owned(), metric.unit),
            None => (plain.replace('_', " "), ""),
        }
    }

    /// What an index is: the word behind `BASE:` in the definition of one of the model's metrics.
    pub fn noun(&self, group: &Group) -> String {
        let start = format!("{}:", self.base);
        let noun = metrics_of(group.model).iter().find_map(|metric| {
            let (_, rest) = metric.definition.split_once(&start)?;
            let word: String = rest.chars().take_while(char::is_ascii_uppercase).collect();
            (!word.is_empty()).then(|| word.to_lowercase())
        });
        noun.unwrap_or_else(|| "index".to_owned())
    }
}

/// A plot of the means of a metric by index and method.
pub(in super::super) fn figure(group: &Group, metric: &Indexed) -> Figure {
    let (counted, unit) = metric.title(group);
    let noun = metric.noun(group);
    let title = format!("Mean {counted} by {noun} and method");
    let of_index = |index: &str, chosen: &dyn Fn(&Instance) -> bool| {
        let name = metric.name(index);
        Means::of(group, chosen, &|row| row.metrics.get(&name).copied())
    };
    let means: Vec<Means> = metric.indices.iter().map(|index| of_index(index, &|_| true)).collect();
    let series: Vec<Bars> = group
        .methods
        .iter()
        .enumerate()
        .map(|(rank, method)| Bars {
            name: (*method).to_owned(),
            colour: colour(rank),
            values: bars::placed(means.iter().map(|means| means.by_method[rank])),
        })
        .collect();
    let values = means.iter().flat_map(|means| means.by_method.iter().flatten().copied());
    let unit = if unit.is_empty() || counted.contains(unit) { String::new() } else { format!(" ({unit})") };
    let labels = Labels {
        title: &format!("{title}: {}", group.title()),
        x: &noun,
        y: &format!("mean {counted}{unit}"),
    };
    let mut columns =
        vec![Column::words(noun.clone()), Column::numbers("instances"), Column::numbers("compared")];
    columns.extend(group.methods.iter().map(|&method| Column::numbers(method).under("mean")));
    let mut lines: Vec<Vec<Cell>> = Vec::new();
    let line = |index: &str, means: &Means| {
        let mut cells = vec![Cell::words(index), Cell::count(means.answered), Cell::count(means.instances)];
        cells.extend(means.by_method.iter().map(|&mean| cell(mean)));
        cells
    };
    let by_family = !group.families.is_empty();
    for (index, means) in metric.indices.iter().zip(&means) {
        let mut cells = line(index, means);
        if by_family {
            cells.insert(0, Cell::words("all"));
        }
        lines.push(cells);
    }
    if by_family {
        columns.insert(0, Column::words("family"));
        for family in &group.families {
            for index in &metric.indices {
                let mut cells = line(index, &of_index(index, &of_family(family)));
                cells.insert(0, Cell::words(*family));
                lines.push(cells);
            }
        }
    }
    Figure {
        svg: bars::grouped(&metric.indices, &series, bars::range_of(values), &labels),
        wide: true,
        caption: format!("Mean of the metrics {}:{} over all instances.", metric.base, noun.to_uppercase()),
        numbers: Table { caption: title, columns, lines },
        listed: true,
    }
}

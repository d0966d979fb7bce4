//! What the first objective is worth on average, by family of instances.

use super::super::group::{Group, Instance};
use super::super::heat_map::{HeatMap, Shade};
use super::super::means::{Means, first_objective};
use super::super::numbers;
use super::super::table::{Cell, Column, Table};
use crate::bars::{self, Bars, Labels};
use crate::chart::colour;
use crate::page::Figure;
use crate::text::apart;
use kit::SenseName;

/// What the columns mean, for readers.
pub(in super::super) const EXPLANATION: &str = "Instances of a family differ by chance alone, which is why their values may be \
    averaged: the mean of the first objective, in the unit of the objective. Instances without a family are left out.";

/// With more families than this, they are drawn as a map instead of bars.
pub(in super::super) const MOST_GROUPS_OF_BARS: usize = 6;

/// Means of the first objective; none where no instance has a family or no run a solution.
pub(in super::super) fn figure(group: &Group) -> Option<Figure> {
    let &stage = group.stages.first()?;
    if group.families.is_empty() {
        return None;
    }
    let means: Vec<Means> = group
        .families
        .iter()
        .map(|&family| Means::of(group, of_family(family), &|row| first_objective(group, row)))
        .collect();
    let title = format!("Mean {stage} by family and method");
    let drawn_title = format!("{title}: {}", group.title());
    let few = group.families.len() <= MOST_GROUPS_OF_BARS;
    let names = FamilyNames::of(group);
    let svg = if few {
        let values = || means.iter().flat_map(|means| means.by_method.iter().flatten().copied());
        let series: Vec<Bars> =
            group.methods.iter().enumerate().map(|(rank, method)| bar(method, rank, &means)).collect();
        let labels = Labels { title: &drawn_title, x: &names.axis(), y: &format!("mean {stage}") };
        bars::grouped(&names.labels(), &series, bars::range_of(values()), &labels)
    } else {
        let best = |means: &Means| best(group, means);
        HeatMap {
            title: &drawn_title,
            columns: &group.methods,
            rows: &names.labels(),
            framed: means.iter().map(best).collect(),
            values: means.iter().map(|means| means.by_method.clone()).collect(),
            shade: Shade::BySize,
        }
        .svg()
    };
    let drawing = if few {
        String::new()
    } else {
        format!(
            " The larger a mean, the stronger its colour; the best means of each family are framed.{}",
            names.sentence()
        )
    };
    Some(Figure {
        svg,
        wide: true,
        caption: format!("Mean of the first objective, {stage}, over the instances of each family.{drawing}"),
        numbers: table(group, &means, title),
        listed: true,
    })
}

/// The names of the families of a group as drawings have them: what tells them apart.
pub(in super::super) struct FamilyNames {
    labels: Vec<String>,
    /// What all names have in common, around an ellipsis; empty where they have nothing.
    words: String,
}

impl FamilyNames {
    /// The names of a group's families.
    pub fn of(group: &Group) -> Self {
        let (labels, words) = apart(&group.families);
        FamilyNames { labels, words }
    }

    /// The names in their order.
    pub fn labels(&self) -> Vec<&str> {
        self.labels.iter().map(String::as_str).collect()
    }

    /// The name of an axis for them.
    pub fn axis(&self) -> String {
        if self.words.is_empty() { "family".to_owned() } else { format!("family: {}", self.words) }
    }

    /// What the names leave out, as a sentence after another one, if they leave anything out.
    pub fn sentence(&self) -> String {
        if self.words.is_empty() { String::new() } else { format!(" Families are: {}.", self.words) }
    }
}

/// Whether an instance is of a family.
pub(in super::super) fn of_family<'f>(family: &'f str) -> impl Fn(&Instance) -> bool + 'f {
    move |instance| instance.family() == Some(family)
}

fn bar(method: &str, rank: usize, means: &[Means]) -> Bars {
    let values = bars::placed(means.iter().map(|means| means.by_method[rank]));
    Bars { name: method.to_owned(), colour: colour(rank), values }
}

/// Which means are the best of their family.
fn best(group: &Group, means: &Means) -> Vec<bool> {
    let values = || means.by_method.iter().flatten().copied();
    let more = group
        .rows()
        .find_map(|row| row.record.stages.first())
        .is_some_and(|stage| stage.sense == SenseName::Maximize);
    let best = if more { values().max_by(f64::total_cmp) } else { values().min_by(f64::total_cmp) };
    means.by_method.iter().map(|value| value.is_some() && *value == best).collect()
}

fn table(group: &Group, means: &[Means], caption: String) -> Table {
    let mut columns =
        vec![Column::words("family"), Column::numbers("instances"), Column::numbers("compared")];
    columns.extend(group.methods.iter().map(|&method| Column::numbers(method).under("mean")));
    let line = |(&family, means): (&&str, &Means)| {
        let mut cells = vec![Cell::words(family), Cell::count(means.answered), Cell::count(means.instances)];
        cells.extend(means.by_method.iter().map(|&mean| cell(mean)));
        cells
    };
    let lines = group.families.iter().zip(means).map(line);
    Table { caption, columns, lines: lines.collect() }
}

/// A mean, if there is one.
pub(in super::super) fn cell(mean: Option<f64>) -> Cell {
    mean.map_or(Cell::none(), |mean| Cell::number(mean, numbers::decimal(mean)))
}

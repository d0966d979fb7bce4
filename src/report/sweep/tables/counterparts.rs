//! Heuristics against those from which they differ in nothing but what is studied.

use super::super::group::{Group, Instance};
use super::super::heat_map::{HeatMap, Shade};
use super::super::means::{Value, first_objective, mean, of_runs};
use super::super::numbers;
use super::super::table::{Cell, Column, Table};
use super::families::{FamilyNames, MOST_GROUPS_OF_BARS, of_family};
use super::indices::Indexed;
use crate::bars::{self, Bars, Labels};
use crate::chart::colour;
use crate::page::{Block, Figure};
use bench::Record;
use kit::{HeuristicEntry, SenseName};
use models::{metrics_of, model_named};

/// What the columns mean, for readers.
pub(in super::super) const EXPLANATION: &str = "A heuristic may differ from another one, its counterpart, in nothing but what is \
    studied. Each difference is the number of the heuristic less that of its counterpart on the same instance (of several \
    seeds: between the means of both); worst is in the bad direction of the objective or metric. Instances that one of the two \
    did not answer are left out.";

/// A heuristic and its counterpart, both of them methods of the group.
struct Pair<'r> {
    method: &'r str,
    counterpart: &'r str,
    /// Rank of the heuristic among the methods, which chooses its colour.
    rank: usize,
}

impl Pair<'_> {
    fn words(&self) -> String {
        format!("{} less {}", self.method, self.counterpart)
    }

    /// The differences on the instances that are chosen, in their order.
    fn differences(&self, group: &Group, chosen: impl Fn(&Instance) -> bool, value: &Value) -> Vec<f64> {
        let difference = |instance: &Instance| {
            Some(of_runs(instance, self.method, value)? - of_runs(instance, self.counterpart, value)?)
        };
        group.instances.iter().filter(|instance| chosen(instance)).filter_map(difference).collect()
    }
}

/// Something that is counted about solutions.
struct Quantity<'g> {
    title: &'g str,
    unit: &'static str,
    more_is_better: bool,
    value: Box<Value<'g>>,
}

/// Whether any method of the group has its counterpart beside it.
pub(in super::super) fn exist(group: &Group) -> bool {
    !pairs_of(group).is_empty()
}

/// Differences in all, by family and by index; nothing where no method has its counterpart beside it.
pub(in super::super) fn blocks(group: &Group) -> Vec<Block> {
    let pairs = pairs_of(group);
    if pairs.is_empty() {
        return Vec::new();
    }
    let quantities = quantities(group);
    let mut blocks = vec![Block::Table(table(group, &pairs, &quantities))];
    if let Some(objective) = quantities.first().filter(|_| !group.families.is_empty()) {
        blocks.push(Block::Figure(by_family(group, &pairs, &quantities, objective)));
    }
    blocks.extend(Indexed::all(group).iter().filter_map(|metric| by_index(group, &pairs, metric)));
    blocks
}

fn pairs_of<'r>(group: &Group<'r>) -> Vec<Pair<'r>> {
    let heuristics = model_named(group.model).map(|model| model.heuristics()).unwrap_or_default();
    pairs(&group.methods, &heuristics)
}

/// The pairs among some methods. Parameters of a method are those of its counterpart too.
fn pairs<'r>(methods: &[&'r str], heuristics: &[HeuristicEntry]) -> Vec<Pair<'r>> {
    let mut pairs: Vec<Pair> = Vec::new();
    for (rank, &method) in methods.iter().enumerate() {
        let (name, parameters) = method.split_at(method.find(':').unwrap_or(method.len()));
        let entry = heuristics.iter().find(|entry| entry.name == name);
        let Some(other) = entry.and_then(|entry| entry.counterpart) else { continue };
        let wanted = format!("{other}{parameters}");
        let Some(&counterpart) = methods.iter().find(|known| **known == wanted) else { continue };
        // Two that name each other are one pair.
        if !pairs.iter().any(|pair| pair.method == counterpart && pair.counterpart == method) {
            pairs.push(Pair { method, counterpart, rank });
        }
    }
    pairs
}

/// The first objective and the plain metrics, as far as rows have them.
fn quantities<'g>(group: &'g Group) -> Vec<Quantity<'g>> {
    let sense = group.rows().find_map(|row| row.record.stages.first()).map(|stage| stage.sense);
    let objective = group.stages.first().map(|&stage| Quantity {
        title: stage,
        unit: "first objective",
        more_is_better: sense == Some(SenseName::Maximize),
        value: Box::new(move |row: &Record| first_objective(group, row)),
    });
    let metrics = metrics_of(group.model).into_iter();
    let metrics =
        metrics.filter(|metric| group.rows().any(|row| row.record.metrics.contains_key(metric.name)));
    let metrics = metrics.map(|metric| Quantity {
        title: metric.title,
        unit: metric.unit,
        more_is_better: metric.more_is_better,
        value: Box::new(move |row: &Record| row.metrics.get(metric.name).copied()),
    });
    objective.into_iter().chain(metrics).collect()
}

/// A line for each pair and quantity.
fn table(group: &Group, pairs: &[Pair], quantities: &[Quantity]) -> Table {
    let mut columns = ["heuristic", "counterpart", "what", "unit", "better"].map(Column::words).to_vec();
    columns.push(Column::numbers("instances"));
    columns.extend(["mean", "worst"].map(|title| Column::numbers(title).under("difference")));
    columns.extend(["better", "alike", "worse"].map(|title| Column::numbers(title).under("instances")));
    let lines = quantities.iter().flat_map(|quantity| pairs.iter().map(move |pair| (quantity, pair)));
    let lines = lines.map(|(quantity, pair)| {
        let differences = pair.differences(group, |_| true, quantity.value.as_ref());
        let better = if quantity.more_is_better { "more" } else { "less" };
        let mut cells =
            [pair.method, pair.counterpart, quantity.title, quantity.unit, better].map(Cell::words).to_vec();
        cells.push(Cell::count(differences.len()));
        cells.extend(mean_and_worst(&differences, quantity.more_is_better));
        let sign = if quantity.more_is_better { -1.0 } else { 1.0 };
        let count = |wanted: std::cmp::Ordering| {
            Cell::count(
                differences
                    .iter()
                    .filter(|&&number| (sign * number).partial_cmp(&0.0) == Some(wanted))
                    .count(),
            )
        };
        cells.extend(
            [std::cmp::Ordering::Less, std::cmp::Ordering::Equal, std::cmp::Ordering::Greater].map(count),
        );
        cells
    });
    Table { caption: "Heuristics less their counterparts".to_owned(), columns, lines: lines.collect() }
}

fn mean_and_worst(differences: &[f64], more_is_better: bool) -> [Cell; 2] {
    let worst = if more_is_better {
        differences.iter().copied().min_by(f64::total_cmp)
    } else {
        differences.iter().copied().max_by(f64::total_cmp)
    };
    [mean(differences), worst].map(cell)
}

fn cell(difference: Option<f64>) -> Cell {
    difference.map_or(Cell::none(), |number| Cell::number(number, numbers::difference(number)))
}

/// Differences by family: of the first objective as a drawing, of all as numbers.
fn by_family(group: &Group, pairs: &[Pair], quantities: &[Quantity], objective: &Quantity) -> Figure {
    let mean_of = |pair: &Pair, family: &str| {
        mean(&pair.differences(group, of_family(family), objective.value.as_ref()))
    };
    let title = format!("Difference of the mean {} by family", objective.title);
    let drawn_title = format!("{title}: {}", group.title());
    let names: Vec<String> = pairs.iter().map(Pair::words).collect();
    let few = group.families.len() <= MOST_GROUPS_OF_BARS;
    let families = FamilyNames::of(group);
    let svg = if few {
        let drawn = |pair: &Pair| bars::placed(group.families.iter().map(|family| mean_of(pair, family)));
        let series = series(pairs, drawn);
        let labels = Labels {
            title: &drawn_title,
            x: &families.axis(),
            y: &format!("difference of {}", objective.title),
        };
        draw(&families.labels(), &series, &labels)
    } else {
        let columns: Vec<&str> = names.iter().map(String::as_str).collect();
        let values: Vec<Vec<Option<f64>>> = group
            .families
            .iter()
            .map(|family| pairs.iter().map(|pair| mean_of(pair, family)).collect())
            .collect();
        HeatMap {
            title: &drawn_title,
            columns: &columns,
            rows: &families.labels(),
            framed: vec![vec![false; pairs.len()]; group.families.len()],
            values,
            shade: Shade::AroundZero { more_is_better: objective.more_is_better },
        }
        .svg()
    };
    let mut columns = vec![Column::words("what"), Column::words("family")];
    for name in &names {
        columns.extend(["mean", "worst"].map(|title| Column::numbers(title).under(name)));
    }
    let lines =
        quantities.iter().flat_map(|quantity| group.families.iter().map(move |family| (quantity, family)));
    let lines = lines.map(|(quantity, family)| {
        let mut cells = [quantity.title, family].map(Cell::words).to_vec();
        for pair in pairs {
            let differences = pair.differences(group, of_family(family), quantity.value.as_ref());
            cells.extend(mean_and_worst(&differences, quantity.more_is_better));
        }
        cells
    });
    let colours = if few {
        String::new()
    } else {
        format!(" Green is better than the counterpart, orange is worse.{}", families.sentence())
    };
    Figure {
        svg,
        wide: true,
        caption: format!(
            "Mean difference of the first objective, {}, between heuristics and their counterparts.{colours} The numbers have the \
             other metrics too.",
            objective.title
        ),
        numbers: Table { caption: "Differences by family".to_owned(), columns, lines: lines.collect() },
        listed: true,
    }
}

/// Differences of a metric by index, and by family where there are families; none if nothing can be compared.
fn by_index(group: &Group, pairs: &[Pair], metric: &Indexed) -> Option<Block> {
    let (counted, _) = metric.title(group);
    let noun = metric.noun(group);
    let mean_of = |pair: &Pair, index: &str, chosen: &dyn Fn(&Instance) -> bool| {
        let name = metric.name(index);
        mean(&pair.differences(group, chosen, &|row| row.metrics.get(&name).copied()))
    };
    let caption = format!("Mean difference of {counted} by {noun}");
    let mut columns = vec![Column::words(noun.clone())];
    columns.extend(pairs.iter().map(|pair| Column::numbers(pair.words())));
    let line = |index: &str, chosen: &dyn Fn(&Instance) -> bool| {
        let means = pairs.iter().map(|pair| cell(mean_of(pair, index, chosen)));
        [Cell::words(index)].into_iter().chain(means).collect::<Vec<Cell>>()
    };
    let mut lines: Vec<Vec<Cell>> = metric.indices.iter().map(|index| line(index, &|_| true)).collect();
    if lines.iter().flatten().all(|cell| cell.number.is_none()) {
        return None;
    }
    if !group.families.is_empty() {
        columns.insert(0, Column::words("family"));
        lines.iter_mut().for_each(|cells| cells.insert(0, Cell::words("all")));
        for family in &group.families {
            lines.extend(metric.indices.iter().map(|index| {
                let mut cells = line(index, &of_family(family));
                cells.insert(0, Cell::words(*family));
                cells
            }));
        }
    }
    let numbers = Table { caption: caption.clone(), columns, lines };
    if !is_part_of_objective(group, metric) {
        return Some(Block::Table(numbers));
    }
    let drawn =
        |pair: &Pair| bars::placed(metric.indices.iter().map(|index| mean_of(pair, index, &|_| true)));
    let labels = Labels {
        title: &format!("{caption}: {}", group.title()),
        x: &noun,
        y: &format!("difference of {counted}"),
    };
    Some(Block::Figure(Figure {
        svg: draw(&metric.indices, &series(pairs, drawn), &labels),
        wide: true,
        caption: format!(
            "Mean difference of the metrics {}:{} over all instances.",
            metric.base,
            noun.to_uppercase()
        ),
        numbers,
        listed: true,
    }))
}

/// Whether the metric splits up an objective: its numbers add up to the value of the same objective in every row.
fn is_part_of_objective(group: &Group, metric: &Indexed) -> bool {
    let names: Vec<String> = metric.indices.iter().map(|index| metric.name(index)).collect();
    group.stages.iter().any(|&stage| {
        group.rows().filter(|row| row.record.has_solution()).all(|row| {
            let sum: f64 = names.iter().filter_map(|name| row.record.metrics.get(name)).sum();
            let value =
                row.record.stages.iter().find(|known| known.name == stage).and_then(|known| known.value);
            value.is_some_and(|value| (value.to_f64() - sum).abs() < 1e-6)
        })
    })
}

fn series(pairs: &[Pair], values: impl Fn(&Pair) -> Vec<(f64, f64)>) -> Vec<Bars> {
    let bars = |pair: &Pair| Bars { name: pair.words(), colour: colour(pair.rank), values: values(pair) };
    pairs.iter().map(bars).collect()
}

fn draw(groups: &[&str], series: &[Bars], labels: &Labels) -> String {
    let values = series.iter().flat_map(|bars| bars.values.iter().map(|&(_, value)| value));
    bars::grouped(groups, series, bars::range_of(values), labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &'static str, counterpart: Option<&'static str>) -> HeuristicEntry {
        HeuristicEntry { name, summary: "", reference: "", parameters: Vec::new(), counterpart }
    }

    #[test]
    fn pairs_are_made_of_methods_with_the_same_parameters() {
        let heuristics = [
            entry("ff", None),
            entry("ffs", Some("ff")),
            entry("one", Some("two")),
            entry("two", Some("one")),
        ];
        let methods = ["ff", "ff:order=a", "ffs", "ffs:order=a", "ffs:order=b", "one", "optimum", "two"];
        let found: Vec<String> = pairs(&methods, &heuristics).iter().map(Pair::words).collect();
        assert_eq!(found, ["ffs less ff", "ffs:order=a less ff:order=a", "one less two"]);
    }

    /// A row of model `m`, of a family, with servers in two groups.
    fn row(instance: u32, family: &str, method: &str, groups: [u32; 2]) -> Record {
        let value = groups[0] + groups[1];
        serde_json::from_value(serde_json::json!({
            "instance": format!("i{instance}"), "path": "x", "fingerprint": format!("{instance}"), "model": "m", "use_case": "q",
            "family": family, "cluster_gpus": 0, "workloads": 20, "method": method, "seed": null, "outcome": "valid",
            "stages": [{ "name": "servers", "sense": "minimize", "value": value, "bound": null }],
            "metrics": { "active_of:small": groups[0], "active_of:large": groups[1] }, "seconds": 0.1
        }))
        .unwrap()
    }

    #[test]
    fn differences_are_those_of_the_same_instance() {
        let rows = [
            row(1, "a", "ff", [3, 1]),
            row(1, "a", "ffs", [2, 1]),
            row(2, "a", "ff", [2, 2]),
            row(2, "a", "ffs", [3, 2]),
            row(3, "b", "ff", [5, 0]),
            row(3, "b", "ffs", [2, 0]),
        ];
        let group = &Group::all(&rows)[0];
        let heuristics = [entry("ffs", Some("ff"))];
        let pairs = pairs(&group.methods, &heuristics);
        let quantities = quantities(group);
        let text = |cells: &[Cell]| cells.iter().map(|cell| cell.text.clone()).collect::<Vec<_>>().join(" ");
        let all = table(group, &pairs, &quantities);
        assert_eq!(text(&all.lines[0]), "ffs ff servers first objective less 3 -1 +1 2 0 1");
        let families = by_family(group, &pairs, &quantities, &quantities[0]).numbers;
        assert_eq!(
            [text(&families.lines[0]), text(&families.lines[1])],
            ["servers a 0 +1", "servers b -3 -3"]
        );
        let indexed = Indexed::all(group);
        assert!(is_part_of_objective(group, &indexed[0]));
        let Some(Block::Figure(by_index)) = by_index(group, &pairs, &indexed[0]) else {
            panic!("no drawing")
        };
        let lines: Vec<String> = by_index.numbers.lines.iter().map(|cells| text(cells)).collect();
        assert_eq!(
            lines,
            ["all large 0", "all small -1", "a large 0", "a small 0", "b large 0", "b small -3"]
        );
    }
}

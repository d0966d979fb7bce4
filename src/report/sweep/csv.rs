//! The report as CSV: a flat line for each row, with its gap.

use super::group::{Group, Instance, Row};
use bench::Record;
use ground::Amount;
use models::metrics_of;

/// Columns before those of metrics and objectives.
const ROW_COLUMNS: [&str; 19] = [
    "model",
    "question",
    "family",
    "cluster_gpus",
    "instance",
    "path",
    "fingerprint",
    "workloads",
    "method",
    "seed",
    "outcome",
    "reason",
    "seconds",
    "gpu_cost",
    "work_columns",
    "work_rows",
    "work_nonzeros",
    "work_nodes",
    "work_iterations",
];

/// Columns about the distance from the optimum: the state of the instance's optimum, the gap as a ratio, the objective in
/// which it is measured, and the gap in GPUs. `inf` is an end that is not known.
const GAP_COLUMNS: [&str; 6] =
    ["optimum", "gap_low", "gap_high", "gap_stage", "gap_gpus_low", "gap_gpus_high"];

/// The rows of all groups, by group, instance, method and seed.
pub(super) fn table(groups: &[Group]) -> String {
    let metrics = metric_names(groups);
    let stages = stage_names(groups);
    let mut columns: Vec<String> = ROW_COLUMNS.map(str::to_owned).to_vec();
    columns.extend(metrics.iter().map(|&name| name.to_owned()));
    columns
        .extend(stages.iter().flat_map(|name| ["value", "bound"].map(|what| format!("stage_{name}_{what}"))));
    columns.extend(GAP_COLUMNS.map(str::to_owned));
    let mut writer = csv::Writer::from_writer(Vec::new());
    let rows = groups.iter().flat_map(|group| &group.instances);
    let rows = rows.flat_map(|instance| instance.rows.iter().map(move |row| (instance, row)));
    let fields = rows.map(|(instance, row)| {
        let mut fields = record_fields(row.record);
        fields.extend(metrics.iter().map(|&name| text(row.record.metrics.get(name))));
        fields.extend(stages.iter().flat_map(|name| stage_fields(row.record, name)));
        fields.extend(gap_fields(instance, row));
        fields
    });
    for line in [columns].into_iter().chain(fields) {
        writer.write_record(line).expect("all lines have as many fields, and memory takes them");
    }
    let bytes = writer.into_inner().expect("memory takes all bytes");
    String::from_utf8(bytes).expect("all fields are text")
}

/// Names of the models' metrics in their order, then those of other metrics.
fn metric_names<'g>(groups: &'g [Group]) -> Vec<&'g str> {
    let mut names: Vec<&'g str> = Vec::new();
    let known = groups.iter().flat_map(|group| metrics_of(group.model)).map(|metric| metric.name);
    let mut given: Vec<&str> = Vec::new();
    for row in groups.iter().flat_map(Group::rows) {
        for name in row.record.metrics.keys() {
            if let Err(place) = given.binary_search(&name.as_str()) {
                given.insert(place, name);
            }
        }
    }
    for name in known.chain(given) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn stage_names<'g>(groups: &'g [Group]) -> Vec<&'g str> {
    let mut names: Vec<&str> = Vec::new();
    for &name in groups.iter().flat_map(|group| &group.stages) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn record_fields(record: &Record) -> Vec<String> {
    let work = record.work.as_ref();
    vec![
        record.model.clone(),
        record.question.clone(),
        text(record.family.as_ref()),
        record.cluster_gpus.to_string(),
        record.instance.clone(),
        record.path.clone(),
        record.fingerprint.clone(),
        record.workloads.to_string(),
        record.method.clone(),
        text(record.seed),
        record.outcome.name().to_owned(),
        text(record.reason.as_ref()),
        record.seconds.to_string(),
        text(record.gpu_cost),
        text(work.map(|work| work.columns)),
        text(work.map(|work| work.rows)),
        text(work.map(|work| work.nonzeros)),
        text(work.map(|work| work.nodes)),
        text(work.map(|work| work.iterations)),
    ]
}

fn stage_fields(record: &Record, name: &str) -> [String; 2] {
    let stage = record.stages.iter().find(|stage| stage.name == name);
    let amount = |amount: Option<Amount>| text(amount);
    [amount(stage.and_then(|stage| stage.value)), amount(stage.and_then(|stage| stage.bound))]
}

fn gap_fields(instance: &Instance, row: &Row) -> [String; 6] {
    let relative = row.gap.map(|gap| gap.relative);
    let gpus = row.gap.and_then(|gap| gap.gpus);
    [
        instance.reference.state.name().to_owned(),
        text(relative.map(|gap| gap.low)),
        text(relative.map(|gap| gap.high)),
        text(row.gap.and_then(|gap| gap.stage)),
        text(gpus.map(|gap| gap.low)),
        text(gpus.map(|gap| gap.high)),
    ]
}

fn text(field: Option<impl ToString>) -> String {
    field.map(|field| field.to_string()).unwrap_or_default()
}

//! What a page must tell of its model: no more, and no less.

use super::{Page, code, families_of, labels_in_tables};
use cluster::MemoryUnit;
use cluster::RuleBroken;
use ground::Amount;
use milp::Program;
use models::{Listed, model_of};
use schemars::JsonSchema;
use std::collections::BTreeSet;

impl Page {
    /// The table with this title has a row for every field of a section of instances.
    pub fn check_fields<Section: JsonSchema>(&self, title: &str) {
        let schema = schemars::schema_for!(Section);
        let properties = schema.as_value()["properties"].as_object().expect("an object has properties");
        let fields: BTreeSet<String> = properties.keys().cloned().collect();
        assert_eq!(self.first_cells("Instance", title), fields, "{title}");
    }

    /// Every heuristic has a row, and every parameter one that says whose it is.
    pub fn check_heuristics<Wing: Listed>(&self) {
        let all = model_of::<Wing>().heuristics();
        let names: BTreeSet<String> = all.iter().map(|heuristic| heuristic.name.to_owned()).collect();
        assert_eq!(self.first_cells("Heuristics", "heuristic"), names);
        let parameters = all.iter().flat_map(|heuristic| &heuristic.parameters);
        let parameters: BTreeSet<String> = parameters.map(|parameter| parameter.name.to_owned()).collect();
        assert_eq!(self.first_cells("Heuristics", "parameter"), parameters);
        for cells in self.rows_of("Heuristics", "parameter") {
            let parameter = code(cells[0]).next().expect("a parameter has a name");
            let takes =
                all.iter().filter(|heuristic| heuristic.parameters.iter().any(|one| one.name == parameter));
            let taking: BTreeSet<&str> = takes.map(|heuristic| heuristic.name).collect();
            // Those of many heuristics say so in a word.
            if !cells[1].starts_with("all ") {
                assert_eq!(code(cells[1]).collect::<BTreeSet<&str>>(), taking, "{parameter}");
            }
        }
    }

    /// Every metric has a row with its unit, in their order; those of parts are named there.
    pub fn check_metrics<Wing: Listed>(&self) {
        let metrics = model_of::<Wing>().metrics();
        let rows = self.rows_of("Metrics", "metric");
        assert_eq!(rows.len(), metrics.len());
        for (metric, cells) in metrics.iter().zip(&rows) {
            assert_eq!(cells[..2], [format!("`{}`", metric.name).as_str(), metric.unit]);
            for of_part in metric.definition.split_whitespace().filter(|word| word.contains("_of:")) {
                assert!(cells[2].contains(&format!("`{of_part}`")), "{of_part}");
            }
        }
    }

    /// Every rule of the verifier has a row.
    pub fn check_rules(&self, rules: impl IntoIterator<Item = &'static str>) {
        let rules: BTreeSet<String> = rules.into_iter().map(str::to_owned).collect();
        assert_eq!(self.first_cells("What the verifier checks", "violation"), rules);
    }

    /// Every flag of the generator has a row.
    pub fn check_flags<Wing: Listed>(&self) {
        let told = self.first_cells("Generator", "flag");
        let told: BTreeSet<&str> = told.iter().filter_map(|flag| flag.split(' ').next()).collect();
        let parameters = model_of::<Wing>().generator_parameters();
        let flags: BTreeSet<String> =
            parameters.iter().map(|parameter| format!("--{}", parameter.name)).collect();
        // These two are the same for all models.
        let expected: BTreeSet<&str> =
            flags.iter().map(String::as_str).chain(["--seed", "--count"]).collect();
        assert_eq!(told, expected);
    }

    /// The tables of a formulation's section, and its table of counts, have the labels of its programs.
    pub fn check_labels(
        &self,
        heading: &str,
        formulation: &str,
        programs: impl IntoIterator<Item = Program>,
    ) {
        let (rows, columns) = families_of(programs);
        let section = self.section(heading);
        assert_eq!(labels_in_tables(section, "label"), rows, "rows, {formulation}");
        assert_eq!(labels_in_tables(section, "column"), columns, "columns, {formulation}");
        let counted = labels_in_tables(self.section("Creates"), &format!("family of `{formulation}`"));
        assert_eq!(counted, &rows | &columns, "table of counts, {formulation}");
    }
}

/// What the hardware forbids on a GPU.
pub fn violations_on_gpus() -> [cluster::Violation; 4] {
    let name = String::new;
    [
        cluster::Violation::UnsupportedProfile {
            workload: name(),
            gpu: name(),
            board: name(),
            wanted: Vec::new(),
        },
        cluster::Violation::IllegalStart {
            workload: name(),
            gpu: name(),
            profile: name(),
            start: 0,
            legal: Vec::new(),
        },
        cluster::Violation::Overlap { first: name(), second: name(), gpu: name(), slots: Vec::new() },
        cluster::Violation::LimitExceeded {
            gpu: name(),
            limit: name(),
            used: 0,
            capacity: 0,
            workloads: Vec::new(),
        },
    ]
}

/// What the rules of a cluster forbid.
pub fn violations_of_rules() -> [RuleBroken; 8] {
    let (name, names) = (String::new, Vec::new);
    [
        RuleBroken::StartsOutOfService { workload: name(), gpu: name() },
        RuleBroken::NotDrained { workload: name(), gpu: name() },
        RuleBroken::WrongNode { workload: name(), node: name() },
        RuleBroken::NotApart { group: name(), site: name(), workloads: names() },
        RuleBroken::NotTogether { group: name(), places: Vec::new() },
        RuleBroken::NotAsOne { group: name(), placed: name(), pending: name() },
        RuleBroken::TooManyMigrations { most: 0, workloads: names() },
        RuleBroken::TooManyDisrupted { host: None, most: 0, workloads: names() },
    ]
}

/// What the hardware forbids on a host.
pub fn violations_on_hosts() -> [cluster::Violation; 2] {
    let (host, workloads) = (String::new(), Vec::new());
    let [used, capacity] = [Amount::ZERO; 2];
    [
        cluster::Violation::HostCpu { host: host.clone(), used, capacity, workloads: workloads.clone() },
        cluster::Violation::HostMemory { host, used, capacity, unit: MemoryUnit::Gibibyte, workloads },
    ]
}

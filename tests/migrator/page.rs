//! The page of model migrator says what the programs are: labels, families, counts and names are held against the code.

use ground::Amount;
use itertools::Itertools;
use kit::Choices;
use migrator::{
    Accuracy, Allocation, Deployment, FORMULATIONS, GOODPUT, GeneratorOptions, Gpu, Migrator, ModelIndex,
    ModelSection, NETWORKS, Problem, Readings, Reconfiguration, RequestsFile, Section, Signature,
    USUAL_PSI_SHARE, Violation, Workload, generate,
};
use milp::Program;
use models::InstanceFile;
use std::collections::BTreeSet;
use support::board;
use support::instances::{self, posed, read, written};
use support::migrator::problem;
use support::page::{Families, Page, bold_code, code, compare, families, labels_in_tables, set};

const PAGE: Page = Page(include_str!("../../models/migrator.md"));
const NAMES: [&str; 2] = ["printed", "compact"];

// ---------------------------------------------------------------------------------------------------------------------
// Instances
// ---------------------------------------------------------------------------------------------------------------------

fn shipped(name: &str) -> Problem {
    posed::<Migrator>(&read(instances::shipped("migrator", name)))
}

fn generated(board_name: &str, slots: i128, readings: Readings, psi_share: Amount) -> Problem {
    let options = GeneratorOptions {
        workload: Workload::of_table_4(8).expect("a workload of Table 4"),
        gpu: Gpu::new(board(board_name)).expect("a board of the catalogue"),
        window: Amount::whole(slots),
        basis: Amount::ONE,
        load: Amount::ONE,
        volume: Amount::from_millionths(50_000),
        psi_share,
        readings,
        source: None,
        seed: 4,
    };
    posed::<Migrator>(&written(&InstanceFile::of::<Migrator>(generate(&options))))
}

/// Windows that differ in everything that the formulas of the page distinguish.
fn problems() -> Vec<(String, Problem)> {
    let names = [
        "tiny",
        "swing",
        "swing-carry",
        "swing-charge",
        "swing-frac",
        "swing-gpcs",
        "swing-multiset",
        "first-allocation",
        "ties",
        "one-model",
    ];
    let named = names.map(|name| (name.to_owned(), shipped(name)));
    let readings =
        |reconfiguration, signature| Readings { reconfiguration, signature, ..Readings::default() };
    let free = readings(Reconfiguration::Clip, Signature::Count);
    let carried = readings(Reconfiguration::Carry, Signature::Multiset);
    let random = [
        ("free".to_owned(), generated("A100-40GB", 12, free, Amount::ZERO)),
        ("long outage".to_owned(), generated("A30-24GB", 14, carried, Amount::ONE)),
        ("whole psi".to_owned(), generated("A30-24GB", 15, Readings::default(), USUAL_PSI_SHARE)),
    ];
    named.into_iter().chain(random).collect()
}

// ---------------------------------------------------------------------------------------------------------------------
// The page
// ---------------------------------------------------------------------------------------------------------------------

#[test]
fn the_page_has_its_fixed_headings_in_order() {
    let expected = [
        "Sets and parameters",
        "Equations",
        "Errata of the paper",
        "Instance",
        "Readings",
        "Compact formulation",
        "Creates",
        "Exactness",
        "Search",
        "Certificate",
        "Start slots",
        "What the verifier checks",
        "Heuristics",
        "Metrics",
        "Generator",
        "What differs from the paper",
        "Measured",
        "Reference",
    ];
    assert_eq!(PAGE.headings(), expected);
}

#[test]
fn the_page_tells_every_field_of_the_section() {
    PAGE.check_fields::<Section>("field of `migrator`");
    PAGE.check_fields::<ModelSection>("field of a model");
    PAGE.check_fields::<Accuracy>("field of `accuracy`");
    PAGE.check_fields::<RequestsFile>("field of `requests_from`");
}

#[test]
fn the_example_of_the_page_is_an_instance() {
    let problem = problem(PAGE.example("Instance"));
    assert_eq!((problem.slots, problem.models.len()), (6, 2));
}

/// The names of all values of a reading.
fn values<V: Choices>() -> BTreeSet<String> {
    V::ALL.iter().map(|choice| choice.name.to_owned()).collect()
}

#[test]
fn the_page_tells_every_reading() {
    assert_eq!(PAGE.first_cells("Readings", "`reconfiguration`"), values::<Reconfiguration>());
    assert_eq!(PAGE.first_cells("Readings", "`deployment`"), values::<Deployment>());
    assert_eq!(PAGE.first_cells("Readings", "`signature`"), values::<Signature>());
    let usual = Readings::default();
    let defaults = [
        ("reconfiguration", usual.reconfiguration.name()),
        ("deployment", usual.deployment.name()),
        ("signature", usual.signature.name()),
    ];
    for (field, default) in defaults {
        let rows = PAGE.rows_of("Readings", &format!("`{field}`"));
        let told = rows.iter().filter(|cells| cells[2].starts_with("default: "));
        assert_eq!(told.flat_map(|cells| code(cells[0])).collect_vec(), [default]);
        let rows = PAGE.rows_of("Instance", "field of `migrator`");
        let row = rows.iter().find(|cells| cells[0] == format!("`{field}`")).expect("the field has a row");
        assert_eq!(row[2], format!("`{default}`"));
    }
}

#[test]
fn the_page_tells_every_heuristic_with_its_parameters() {
    PAGE.check_heuristics::<Migrator>();
}

#[test]
fn the_page_tells_every_metric_with_its_unit() {
    PAGE.check_metrics::<Migrator>();
}

#[test]
fn the_page_names_every_rule_of_the_verifier() {
    let name = String::new;
    let violations = [
        Violation::DoesNotFit { slot: 0, contents: name() },
        Violation::NotDeployed { model: name(), slot: 0, minimum: name() },
        Violation::NotRetrained { model: name() },
        Violation::RetrainingLength { model: name(), instance: name(), planned: 0, needed: 1 },
        Violation::RetrainingSize { model: name(), instance: name() },
        Violation::BeyondWindow { model: name(), until: 2, slots: 1 },
    ];
    PAGE.check_rules(violations.iter().map(Violation::rule));
}

#[test]
fn the_page_tells_every_flag_of_the_generator() {
    PAGE.check_flags::<Migrator>();
}

#[test]
fn the_page_tells_every_network_with_its_operations() {
    let rows = PAGE.rows_of("Generator", "network");
    let told = rows.iter().map(|cells| (cells[0], cells[1], &cells[2][..3])).collect_vec();
    let seconds = NETWORKS.map(|network| format!("{:.1}", network.reconfiguration_seconds));
    let operations = NETWORKS.map(|network| network.gflops.to_string());
    let expected = NETWORKS.iter().zip(&operations).zip(&seconds);
    let expected = expected
        .map(|((network, operations), seconds)| (network.name, operations.as_str(), seconds.as_str()));
    assert_eq!(told, expected.collect_vec());
}

/// The program of a formulation.
fn program(problem: &Problem, name: &str) -> Program {
    let formulation = FORMULATIONS.iter().find(|formulation| formulation.name() == name);
    formulation.expect("a formulation of the model").program(problem).expect("it applies to all windows")
}

#[test]
fn the_labels_of_page_and_code_are_the_same() {
    for (heading, formulation) in ["Equations", "Compact formulation"].into_iter().zip(NAMES) {
        let programs = problems().into_iter().map(|(_, problem)| program(&problem, formulation));
        PAGE.check_labels(heading, formulation, programs);
    }
    assert_eq!(PAGE.first_cells("Equations", "goal"), set(&[GOODPUT]));
    let beyond = ["Errata of the paper", "Exactness", "Search"];
    let beyond = beyond
        .map(|heading| bold_code(PAGE.section(heading)).filter(|label| labels().contains(*label)).count());
    assert_eq!(beyond, [0, 0, 0], "labels stand in the tables alone");
}

/// Labels of rows of both formulations on the page.
fn labels() -> BTreeSet<String> {
    let sections = ["Equations", "Compact formulation"].map(|heading| PAGE.section(heading));
    sections.iter().flat_map(|section| labels_in_tables(section, "label")).collect()
}

/// All labels of the paper's formulas have a row or a word on the page.
#[test]
fn the_page_tells_every_formula_of_the_paper() {
    let section = PAGE.section("Equations");
    let formulas = [
        "1a", "1b", "2", "3a", "3b", "3c", "3d", "3e", "3f", "4", "5a", "5b", "6", "7", "8", "9", "10", "11",
        "12",
    ];
    for formula in formulas {
        let has_row = labels_in_tables(section, "label")
            .iter()
            .any(|label| label == formula || label.starts_with(&format!("{formula}-")));
        assert!(has_row || section.contains(&format!("({formula})")), "{formula}");
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// The counts of section Creates
// ---------------------------------------------------------------------------------------------------------------------

/// A number of the page.
fn number(cell: &str) -> usize {
    cell.replace(',', "").parse().expect("a number")
}

#[test]
fn the_programs_of_two_instances_have_the_sizes_of_the_page() {
    let programs = |formulation: &str| ["tiny", "w1"].map(|name| program(&shipped(name), formulation));
    for formulation in NAMES {
        let programs = programs(formulation);
        for cells in PAGE.rows_of("Creates", &format!("family of `{formulation}`")) {
            for (program, cell) in programs.iter().zip(&cells[2..]) {
                match cells[0] {
                    "all columns" => assert_eq!(program.columns.len(), number(cell), "{formulation}"),
                    "all rows" => assert_eq!(program.rows.len(), number(cell), "{formulation}"),
                    families => check_families(program, families, number(cell)),
                }
            }
        }
    }
}

/// Each of the families has so many columns or rows; both where there are columns and rows of this name.
fn check_families(program: &Program, cell: &str, expected: usize) {
    for family in code(cell) {
        let (columns, rows) = (program.column_families(), program.row_families());
        let found = [columns.get(family), rows.get(family)].into_iter().flatten().copied().collect_vec();
        let found = if found.is_empty() { vec![0] } else { found };
        assert!(found.iter().all(|&found| found == expected), "{family}: {found:?}, the page has {expected}");
    }
}

/// What the formulas of section Creates count.
struct Counts {
    slots: usize,
    models: usize,
    configurations: usize,
    instances: usize,
    /// Those that a retraining can use, over all models.
    usable: usize,
    /// Slots of every start that ends within the window, with its first slot.
    starts: Vec<(usize, usize)>,
    /// By model, whether it has instances before the window.
    has_first: Vec<bool>,
    entries: usize,
    /// By model, the most instances of an allocation.
    most: Vec<usize>,
    /// By model, reconfiguration times in slots, rounded up.
    psi: Vec<usize>,
    /// By model, whether a reconfiguration can cost more than its slot.
    owes: Vec<bool>,
}

impl Counts {
    fn of(problem: &Problem) -> Self {
        let slots = problem.slots as usize;
        let configurations: Vec<&Allocation> = problem.gpu.maximal().collect();
        let models = || problem.models.iter();
        let fits = |length: &Option<u32>| length.is_some_and(|length| length as usize <= slots);
        let usable = models().flat_map(|tasks| {
            let sizes = problem.gpu.size_indices().zip(&tasks.retraining);
            sizes.filter(|(_, length)| fits(length)).map(|(size, _)| {
                configurations.iter().map(|contents| usize::from(contents.count(size))).sum::<usize>()
            })
        });
        let lengths =
            models().flat_map(|tasks| tasks.retraining.iter().flatten().map(|&slots| slots as usize));
        let starts = lengths
            .flat_map(|length| (0..(slots + 1).saturating_sub(length)).map(move |from| (from, length)));
        let most = |(position, _)| {
            let allocations = problem.allocations(ModelIndex::at(position));
            allocations.iter().map(|allocation| allocation.instances() as usize).max().unwrap_or(0)
        };
        let psi = |seconds: Amount| {
            num_integer::div_ceil(seconds.millionths(), problem.basis.millionths()).clamp(0, slots as i128)
                as usize
        };
        Counts {
            slots,
            models: problem.models.len(),
            configurations: configurations.len(),
            instances: configurations.iter().map(|contents| contents.instances() as usize).sum(),
            usable: usable.sum(),
            starts: starts.collect(),
            has_first: models().map(|tasks| tasks.first.is_some()).collect(),
            entries: match problem.readings.signature {
                Signature::Count => 2,
                Signature::Multiset => problem.gpu.sizes.len(),
            },
            most: models().enumerate().map(most).collect(),
            psi: models().map(|tasks| psi(tasks.reconfiguration)).collect(),
            owes: models().map(|tasks| tasks.reconfiguration > problem.basis).collect(),
        }
    }

    /// The pairs B, each with what is counted of its model.
    fn over_changes(&self, of_model: impl Fn(usize) -> usize) -> usize {
        let slots = |model: usize| self.slots - 1 + usize::from(self.has_first[model]);
        (0..self.models).map(|model| slots(model) * of_model(model)).sum()
    }
}

/// Rows and columns of the printed program, as section Creates counts them.
fn printed_counts(problem: &Problem) -> (Families, Families) {
    let counts = Counts::of(problem);
    let reconfiguration = problem.readings.reconfiguration;
    let (places, later) = (counts.slots * counts.models, (counts.slots - 1) * counts.models);
    let changes = counts.over_changes(|_| 1);
    let more = match reconfiguration {
        Reconfiguration::Frac => counts.over_changes(|model| counts.most[model] - 1),
        _ => 0,
    };
    let lost = match reconfiguration {
        Reconfiguration::Frac => {
            counts.over_changes(|model| if counts.psi[model] > 0 { counts.most[model] } else { 0 })
        }
        Reconfiguration::Carry => (0..counts.models)
            .map(|model| {
                let first = if counts.has_first[model] { 0 } else { 1 };
                (first..counts.slots)
                    .map(|change| counts.psi[model].min(counts.slots - change))
                    .sum::<usize>()
            })
            .sum(),
        _ => counts.over_changes(|model| usize::from(counts.psi[model] > 0)),
    };
    let owed = match reconfiguration {
        Reconfiguration::Charge => counts.owes.iter().filter(|&&owes| owes).count() * counts.slots,
        _ => 0,
    };
    let held = counts.starts.iter().filter(|(_, length)| *length >= 2).count();
    let stops = counts.starts.iter().filter(|(from, length)| from + length < counts.slots).count();
    let selected = counts.slots * counts.configurations;
    let entries = changes * counts.entries;
    let rows = families([
        ("1a-used", selected),
        ("1a-selected", selected),
        ("1b", counts.slots),
        ("2", counts.slots * counts.instances),
        ("3a", 2 * places),
        ("3b", places),
        ("3c-running", places),
        ("3c-begun", places),
        ("3c-idle", later),
        ("3d", places),
        ("3e-more", later),
        ("3e-less", later),
        ("3f-least", places),
        ("3f-most", places),
        ("3f-held", held),
        ("3f-stops", stops),
        ("4", counts.models),
        ("5a", places),
        ("5b", places),
        ("9-before", places),
        ("9-after", places),
        ("9-before-owed", owed),
        ("9-after-owed", owed),
        ("10", places),
        ("10-served", places),
        ("10-lost", lost),
        ("10-more", more),
        ("11-more", entries),
        ("11-less", entries),
        ("11-if", entries),
        ("11-only-if", changes),
        ("12-ended", later),
        ("12-ran", later),
        ("12-idle", later),
        ("12-stays", later),
        ("12-complete", later),
        ("12-only", later),
    ]);
    let columns = families([
        ("F", selected),
        ("X", counts.slots * (counts.models * counts.instances + counts.usable)),
        ("N", 2 * places),
        ("Y", 2 * places),
        ("C", places),
        ("z", counts.starts.len()),
        ("e", later),
        ("k", later),
        ("Completion", places),
        ("R", changes),
        ("equal", entries),
        ("more", more),
        ("capability", places),
        ("t0", places),
        ("t1", places),
    ]);
    (rows, columns)
}

#[test]
fn the_printed_program_has_the_counts_of_the_page() {
    compare(problems(), |problem| Some((program(problem, "printed"), printed_counts(problem))));
}

#[test]
fn the_instances_cover_what_the_formulas_distinguish() {
    let all = problems();
    let covers = |what: &dyn Fn(&Problem) -> bool| assert!(all.iter().any(|(_, problem)| what(problem)));
    for reading in Reconfiguration::ALL {
        covers(&|problem| problem.readings.reconfiguration == reading.value);
    }
    covers(&|problem| problem.readings.signature == Signature::Multiset);
    covers(&|problem| problem.models.iter().any(|tasks| tasks.first.is_some()));
    covers(&|problem| problem.models.iter().any(|tasks| tasks.reconfiguration == Amount::ZERO));
    covers(&|problem| {
        let outage = |psi: &usize| *psi > 1;
        problem.readings.reconfiguration == Reconfiguration::Carry
            && Counts::of(problem).psi.iter().any(outage)
    });
    covers(&|problem| {
        problem.readings.reconfiguration == Reconfiguration::Charge
            && Counts::of(problem).owes.contains(&true)
    });
    covers(&|problem| problem.gpu.board.name().starts_with("A30"));
}

//! The proved optima as they stand in truth.csv.

use crate::entries::folder;
use ground::Amount;
use kit::SenseName;
use models::Model;
use std::collections::BTreeMap;
use std::path::PathBuf;

const HEADER: &str = "instance,objective,sense,value,bound,proved_by";

/// The objective of a row that says that there is no solution.
pub const INFEASIBLE: &str = "infeasible";

/// A proved optimum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The file's name, or the name of the line.
    pub instance: String,
    /// A goal after those that go before it, such as `reach > servers`; or [`INFEASIBLE`].
    pub objective: String,
    /// Direction of the goal; nothing where there is no solution.
    pub sense: Option<SenseName>,
    /// Value of the optimum and proved bound; nothing where there is no solution.
    pub value: Option<[Amount; 2]>,
    /// All methods that found it.
    pub proved_by: Vec<String>,
}

impl Row {
    fn line(&self) -> String {
        let [value, bound] = match self.value {
            Some(amounts) => amounts.map(|amount| amount.to_string()),
            None => Default::default(),
        };
        let sense = self.sense.map_or("", name_of);
        let methods = self.proved_by.join(" ");
        format!("{},{},{sense},{value},{bound},{methods}\n", self.instance, self.objective)
    }

    fn of_line(line: &str) -> Row {
        let fields: Vec<&str> = line.split(',').collect();
        let [instance, objective, sense, value, bound, proved_by] = fields[..] else { panic!("{line}") };
        let amount = |text: &str| text.parse().unwrap_or_else(|error| panic!("{error}: {line}"));
        Row {
            instance: instance.to_owned(),
            objective: objective.to_owned(),
            sense: [SenseName::Maximize, SenseName::Minimize]
                .into_iter()
                .find(|&known| name_of(known) == sense),
            value: (!value.is_empty()).then(|| [amount(value), amount(bound)]),
            proved_by: proved_by.split(' ').map(str::to_owned).collect(),
        }
    }
}

fn name_of(sense: SenseName) -> &'static str {
    match sense {
        SenseName::Maximize => "maximize",
        SenseName::Minimize => "minimize",
    }
}

/// Where the truth of a model's instances is.
pub fn truth_file(model: &'static dyn Model) -> PathBuf {
    folder(model).join("truth.csv")
}

/// The rows of a model by instance.
pub fn stored_truth(model: &'static dyn Model) -> BTreeMap<String, Vec<Row>> {
    let text = std::fs::read_to_string(truth_file(model)).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(HEADER));
    let mut truth: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for row in lines.map(Row::of_line) {
        truth.entry(row.instance.clone()).or_default().push(row);
    }
    truth
}

/// The text of a truth.csv.
pub fn table<'r>(rows: impl Iterator<Item = &'r Row>) -> String {
    rows.fold(format!("{HEADER}\n"), |text, row| text + &row.line())
}

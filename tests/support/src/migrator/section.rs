//! Windows of instance files, read without the crate's own builder.

use super::Counts;
use super::board::{BOARDS, TestBoard};
use super::case::{Case, TestModel};
use ground::Amount;
use migrator::{ModelSection, Section};
use std::collections::BTreeMap;

impl Case {
    /// The window of an instance file; none if a number is finer than a thousandth, the board is not of the catalogue, or the
    /// requests are in another file.
    pub fn of(section: &Section) -> Option<Case> {
        let board = BOARDS.iter().find(|board| board.name == section.board)?;
        let (basis, window) = (thousandths(section.basis_seconds)?, thousandths(section.window_seconds)?);
        let models = section.models.iter().map(|model| TestModel::of(&model.value, board));
        Some(Case {
            board,
            slots: usize::try_from(window / basis).ok()?,
            basis,
            readings: section.readings(),
            models: models.collect::<Option<_>>()?,
        })
    }
}

impl TestModel {
    fn of(model: &ModelSection, board: &TestBoard) -> Option<TestModel> {
        let size_named = |name: &String| (0..board.sizes()).find(|&size| board.size_name(size) == *name);
        let by_size = |values: &BTreeMap<String, Amount>| -> Option<Vec<Option<i64>>> {
            let mut found = vec![None; board.sizes()];
            for (name, &value) in values {
                found[size_named(name)?] = Some(thousandths(value)?);
            }
            Some(found)
        };
        let first = |names: &Vec<String>| -> Option<Counts> {
            let mut counts = vec![0; board.sizes()];
            for name in names {
                counts[size_named(name)?] += 1;
            }
            Some(counts)
        };
        Some(TestModel {
            name: model.name.clone(),
            minimum: model.minimum_instance.as_ref().map_or(Some(0), size_named)?,
            capability: by_size(&model.capability)?.into_iter().map(Option::unwrap_or_default).collect(),
            requests: model
                .requests
                .as_ref()?
                .iter()
                .map(|&number| thousandths(number))
                .collect::<Option<_>>()?,
            before: thousandths(model.accuracy.before)?,
            after: thousandths(model.accuracy.after)?,
            retraining: by_size(&model.retraining_seconds)?,
            reconfiguration: thousandths(model.reconfiguration_seconds)?,
            first: match &model.first_allocation {
                Some(names) => Some(first(names)?),
                None => None,
            },
        })
    }
}

/// So many thousandths, if they are whole.
fn thousandths(amount: Amount) -> Option<i64> {
    let millionths = i64::try_from(amount.millionths()).ok()?;
    (millionths % 1000 == 0).then_some(millionths / 1000)
}

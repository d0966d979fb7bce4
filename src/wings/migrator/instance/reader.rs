//! From the `migrator` section of an instance file to a validated problem.

use super::allocation::Allocation;
use super::gpu::{Gpu, SizeIndex};
use super::problem::{ModelTasks, Problem};
use crate::section::{LARGEST_NUMBER, LARGEST_WINDOW, ModelSection, Section, rule_broken, wrong_length};
use cluster::OwnBoards;
use ground::{
    Amount, At, Complaints, InputError, Located, SourceText, did_you_mean, duplicate, unfit_for_a_name,
};
use itertools::Itertools;
use mig::Geometry;
use std::collections::BTreeMap;

/// Builds the problem that the section describes; series of requests must have been read.
///
/// # Errors
/// The rules broken, one for each model, with the line and the field.
pub fn build(
    source: &SourceText,
    name: String,
    boards: &BTreeMap<String, Located<Geometry>>,
    section: &Section,
) -> Result<Problem, InputError> {
    let at_key = |key: &str, message: String| source.error_at_key(&["migrator", key], message);
    let mut complaints = Complaints::default();
    let own_boards = OwnBoards::read(source, boards, &mut complaints);
    if own_boards.has_refused(&section.board) {
        return complaints.finish(None);
    }
    let board = own_boards.find(&section.board);
    let board = board.map_err(|message| at_key("board", message))?;
    let gpu = Gpu::new(board).ok_or_else(|| {
        at_key("board", format!("what fits the board {} cannot be listed. Use another board.", section.board))
    })?;
    let (basis, window) = (section.basis_seconds, section.window_seconds);
    for (key, seconds) in [("basis_seconds", basis), ("window_seconds", window)] {
        if seconds <= Amount::ZERO || seconds >= Amount::whole(LARGEST_NUMBER) {
            let message =
                format!("`{key}` is {seconds} but must be above 0 and below 10^7. Give it in seconds.");
            return Err(at_key(key, message));
        }
    }
    let slots = window.in_units_of(basis).filter(|&slots| slots <= LARGEST_WINDOW).ok_or_else(|| {
        let message = format!(
            "`window_seconds` is {window}, which is not a whole number of at most {LARGEST_WINDOW} slots of {basis} seconds. Change it or \
             `basis_seconds`."
        );
        at_key("window_seconds", message)
    })?;
    if section.models.is_empty() {
        let message = "`models` is empty. List at least one model; see instances/migrator/ for examples.";
        return Err(at_key("models", message.to_owned()));
    }
    let slots = u32::try_from(slots).expect("a window has at most LARGEST_WINDOW slots");
    let builder = Builder { source, gpu: &gpu, basis, slots };
    let mut lines: BTreeMap<&str, At> = BTreeMap::new();
    let mut warnings = Vec::new();
    let models = complaints.keep_each(&section.models, |&Located { value: ref model, at }| {
        if let Some(first) = lines.insert(&model.name, at) {
            return Err(duplicate(source, at, "models", &model.name, first));
        }
        builder.model(at, model, &mut warnings)
    });
    let models = complaints.finish(Some(models))?;
    let mut problem =
        Problem { name, gpu, basis, slots, readings: section.readings(), models, units: 1, warnings };
    problem.count_units().map_err(|error| at_key("models", error.to_string()))?;
    Ok(problem)
}

struct Builder<'a> {
    source: &'a SourceText,
    gpu: &'a Gpu,
    basis: Amount,
    slots: u32,
}

impl Builder<'_> {
    fn model(
        &self,
        at: At,
        model: &ModelSection,
        warnings: &mut Vec<String>,
    ) -> Result<ModelTasks, InputError> {
        let owner = format!("model `{}`", model.name);
        self.check_name(at, &owner, model)?;
        self.check_accuracy(at, &owner, model)?;
        let seconds = model.reconfiguration_seconds;
        self.in_range(at, &owner, "reconfiguration_seconds", seconds)?;
        if let Some(gflops) = model.gflops {
            self.in_range(at, &owner, "gflops", gflops)?;
        }
        let minimum = self.minimum(at, &owner, model)?;
        let capability = self.by_size(at, &owner, "capability", &model.capability)?;
        let capability: Vec<Amount> = capability.into_iter().map(Option::unwrap_or_default).collect();
        warnings.extend(self.decreasing(&owner, minimum, &capability));
        let retraining = self.retraining(at, &owner, model)?;
        let first = model.first_allocation.as_ref().map(|names| self.allocation(at, &owner, names));
        Ok(ModelTasks {
            name: model.name.clone(),
            minimum,
            capability,
            requests: self.requests(at, &owner, model)?,
            before: model.accuracy.before,
            after: model.accuracy.after,
            retraining,
            reconfiguration: model.reconfiguration_seconds,
            gflops: model.gflops,
            first: first.transpose()?,
        })
    }

    fn check_name(&self, at: At, owner: &str, model: &ModelSection) -> Result<(), InputError> {
        let message = match unfit_for_a_name(&model.name) {
            _ if model.name.is_empty() => "a model has an empty name. Give it one.".to_owned(),
            Some(character) => format!("{owner}: a name must not contain {character:?}. Leave it out."),
            None => return Ok(()),
        };
        Err(self.source.error_at(at, Some("name"), message))
    }

    fn check_accuracy(&self, at: At, owner: &str, model: &ModelSection) -> Result<(), InputError> {
        for (field, accuracy) in [("before", model.accuracy.before), ("after", model.accuracy.after)] {
            if accuracy.is_negative() || accuracy > Amount::ONE {
                let message = format!(
                    "{owner}: the accuracy `{field}` is {accuracy} but must be from 0 to 1. Give a share."
                );
                return Err(self.source.error_at(at, Some(field), message));
            }
        }
        Ok(())
    }

    /// The smallest instance on which the inference task can be deployed: the smallest of all if nothing is said.
    fn minimum(&self, at: At, owner: &str, model: &ModelSection) -> Result<SizeIndex, InputError> {
        let field = "minimum_instance";
        let Some(name) = &model.minimum_instance else { return Ok(SizeIndex(0)) };
        let size = self.size(owner, field, name);
        size.map_err(|message| self.source.error_at(at, Some(field), message))
    }

    /// Slots of the retraining by size of the instance: seconds, rounded up.
    fn retraining(&self, at: At, owner: &str, model: &ModelSection) -> Result<Vec<Option<u32>>, InputError> {
        let field = "retraining_seconds";
        let seconds = self.by_size(at, owner, field, &model.retraining_seconds)?;
        if seconds.iter().all(Option::is_none) {
            let message = format!("{owner}: `{field}` is empty. Give the seconds on at least one size.");
            return Err(self.source.error_at(at, Some(field), message));
        }
        if let Some(size) = seconds.iter().position(|&seconds| seconds == Some(Amount::ZERO)) {
            let name = &self.gpu.sizes[size].name;
            let message = format!("{owner}: `{field}` on {name} is 0. Give more, or leave the size out.");
            return Err(self.source.error_in_field(at, field, name, message));
        }
        let in_slots = |seconds: Amount| {
            let slots = num_integer::div_ceil(seconds.millionths(), self.basis.millionths());
            u32::try_from(slots).unwrap_or(u32::MAX)
        };
        Ok(seconds.into_iter().map(|seconds| seconds.map(in_slots)).collect())
    }

    /// Values by size of the GPU; a size of which nothing is said has none.
    fn by_size(
        &self,
        at: At,
        owner: &str,
        field: &str,
        values: &BTreeMap<String, Amount>,
    ) -> Result<Vec<Option<Amount>>, InputError> {
        let mut found = vec![None; self.gpu.sizes.len()];
        for (name, &value) in values {
            let wrong = |message: String| self.source.error_in_field(at, field, name, message);
            let size = self.size(owner, field, name).map_err(wrong)?;
            if let Some(rule) = rule_broken(value) {
                return Err(wrong(format!("{owner}: `{field}` on {name} is {value} but {rule}.")));
            }
            found[size.index()] = Some(value);
        }
        Ok(found)
    }

    /// The size of this name, or what is wrong with it.
    fn size(&self, owner: &str, field: &str, name: &str) -> Result<SizeIndex, String> {
        self.gpu.size_named(name).ok_or_else(|| {
            let known = || self.gpu.sizes.iter().map(|size| size.name.as_str());
            format!(
                "{owner}: `{field}` names the size {name}, which the board {} does not have{}. Its sizes: {}.",
                self.gpu.board.name(),
                did_you_mean(name, known()),
                known().join(", ")
            )
        })
    }

    fn allocation(&self, at: At, owner: &str, names: &[String]) -> Result<Allocation, InputError> {
        let field = "first_allocation";
        let wrong = |message: String| self.source.error_at(at, Some(field), message);
        let mut allocation = self.gpu.nothing();
        for name in names {
            let size = self.size(owner, field, name).map_err(&wrong)?;
            let more = allocation.plus_one(size);
            if !self.gpu.fits(&more) {
                let message = format!(
                    "{owner}: `{field}` is {}, which does not fit the board {}. List what the task has before the window.",
                    names.join(" + "),
                    self.gpu.board.name()
                );
                return Err(wrong(message));
            }
            allocation = more;
        }
        Ok(allocation)
    }

    fn requests(&self, at: At, owner: &str, model: &ModelSection) -> Result<Vec<Amount>, InputError> {
        let Some(requests) = &model.requests else {
            let message = format!(
                "{owner} has no requests. List those of each slot under `requests`, or name a file with `requests_from: {{file: ...}}`."
            );
            return Err(self.source.error_at(at, Some("name"), message));
        };
        if requests.len() != self.slots as usize {
            let what = format!("{owner}: `requests`");
            let message = wrong_length(&what, requests.len(), i128::from(self.slots), self.basis);
            return Err(self.source.error_at(at, Some("requests"), message));
        }
        for (slot, &number) in requests.iter().enumerate() {
            self.in_range(at, &format!("{owner}, slot {slot}"), "requests", number)?;
        }
        Ok(requests.clone())
    }

    fn in_range(&self, at: At, owner: &str, field: &str, amount: Amount) -> Result<(), InputError> {
        match rule_broken(amount) {
            Some(rule) => {
                let message = format!("{owner}: `{field}` is {amount} but {rule}.");
                Err(self.source.error_at(at, Some(field), message))
            }
            None => Ok(()),
        }
    }

    /// A remark if a larger instance serves less than a smaller one on which the task can be deployed.
    fn decreasing(&self, owner: &str, minimum: SizeIndex, capability: &[Amount]) -> Option<String> {
        let usable = (minimum.index()..capability.len()).tuple_windows();
        let (small, large) =
            usable.into_iter().find(|&(small, large)| capability[large] < capability[small])?;
        Some(format!(
            "{owner}: an instance of {} serves {} requests per second, fewer than one of {} ({}); check `capability`",
            self.gpu.sizes[large].name, capability[large], self.gpu.sizes[small].name, capability[small]
        ))
    }
}

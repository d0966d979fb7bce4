//! Plans as documents: names instead of indices.

use crate::instance::{Allocation, ModelTasks, Problem, SizeIndex};
use crate::layout::Layout;
use crate::rules::{Plan, Retraining, TaskPlan, series};
use ground::{InputError, SourceText, did_you_mean};
use kit::{
    InstanceReference, PlanDocument, PlannedRetraining, PlannedRun, PlannedTask, PlannedWindow,
    SolutionDocument, TaskSeries,
};

impl Plan {
    /// Writes the plan down, without its worth.
    pub fn document(&self, problem: &Problem, layout: &Layout, fingerprint: &str) -> SolutionDocument {
        let size_name = |size: SizeIndex| problem.gpu.size(size).name.clone();
        let run = |(from, until, allocation): (u32, u32, &Allocation)| PlannedRun {
            from,
            until,
            instances: allocation.sizes().map(size_name).collect(),
        };
        let task = |(tasks, task): (&ModelTasks, &TaskPlan)| PlannedTask {
            model: tasks.name.clone(),
            retraining: task.retraining.map(|Retraining { size, from, until }| PlannedRetraining {
                instance: size_name(size),
                from,
                until,
            }),
            inference: task.runs().filter(|(_, _, allocation)| !allocation.is_nothing()).map(run).collect(),
            series: Some(task_series(problem, tasks, task)),
        };
        let plan = PlanDocument {
            tasks: problem.models.iter().zip(&self.tasks).map(task).collect(),
            window: Some(window(problem)),
            instances: layout.instances(problem),
            changes: layout.changes(problem),
        };
        empty_solution(problem, plan, fingerprint)
    }

    /// The requests of a problem before anything is planned.
    pub fn of_nothing(problem: &Problem, fingerprint: &str) -> SolutionDocument {
        let task = |tasks: &ModelTasks| PlannedTask {
            model: tasks.name.clone(),
            retraining: None,
            inference: Vec::new(),
            series: Some(TaskSeries {
                requests: tasks.requests.clone(),
                capability: Vec::new(),
                served: Vec::new(),
            }),
        };
        let plan = PlanDocument {
            tasks: problem.models.iter().map(task).collect(),
            window: Some(window(problem)),
            instances: Vec::new(),
            changes: Vec::new(),
        };
        empty_solution(problem, plan, fingerprint)
    }

    /// Reads a plan back for a problem. What the document leaves out is missing in the plan, for the verifier to say.
    ///
    /// # Errors
    /// When it belongs to another instance, has no `plan`, names unknown models or sizes, names a model twice, or gives a slot
    /// two allocations.
    pub fn resolve(
        document: &SolutionDocument,
        problem: &Problem,
        fingerprint: &str,
        source: &SourceText,
    ) -> Result<Plan, InputError> {
        document.check_instance(&problem.name, fingerprint, source)?;
        let planned = document.plan.as_ref().ok_or_else(|| {
            source.error("the solution has no `plan`. Say under `plan: tasks:` what happens to each model.")
        })?;
        let mut tasks: Vec<Option<TaskPlan>> = vec![None; problem.models.len()];
        for entry in &planned.tasks {
            let wrong = |message: String| source.error_at_entry("model", &entry.model, message);
            let position =
                problem.models.iter().position(|tasks| tasks.name == entry.model).ok_or_else(|| {
                    let known = problem.models.iter().map(|tasks| tasks.name.as_str());
                    let guess = did_you_mean(&entry.model, known);
                    wrong(format!(
                        "the solution names the model `{}`, which the instance does not have{guess}.",
                        entry.model
                    ))
                })?;
            let task = task_plan(problem, entry).map_err(wrong)?;
            if tasks[position].replace(task).is_some() {
                return Err(wrong(format!("the model `{}` is planned twice. Keep one entry.", entry.model)));
            }
        }
        let unplanned =
            TaskPlan { retraining: None, inference: vec![problem.gpu.nothing(); problem.slots as usize] };
        let tasks = tasks.into_iter().map(|task| task.unwrap_or_else(|| unplanned.clone())).collect();
        Ok(Plan::new(tasks))
    }
}

fn empty_solution(problem: &Problem, plan: PlanDocument, fingerprint: &str) -> SolutionDocument {
    SolutionDocument {
        model: Some("migrator".to_owned()),
        instance: InstanceReference::new(&problem.name, fingerprint),
        reading: None,
        placement: None,
        packing: None,
        plan: Some(plan),
        pending: Vec::new(),
        repartitioned: None,
        gpus: Vec::new(),
        score: None,
    }
}

fn window(problem: &Problem) -> PlannedWindow {
    PlannedWindow {
        board: problem.gpu.board.name().to_owned(),
        memory_slots: problem.gpu.board.slots(),
        slots: problem.slots,
        basis_seconds: problem.basis,
    }
}

fn task_series(problem: &Problem, tasks: &ModelTasks, task: &TaskPlan) -> TaskSeries {
    let rows = series(problem, tasks, task);
    let column = |position: usize| rows.iter().map(|row| row[position]).collect();
    TaskSeries { requests: column(0), capability: column(1), served: column(2) }
}

/// What a document says of a model; the error is a message without its place.
fn task_plan(problem: &Problem, entry: &PlannedTask) -> Result<TaskPlan, String> {
    let size_named = |name: &str| {
        problem.gpu.size_named(name).ok_or_else(|| {
            let known: Vec<&str> = problem.gpu.sizes.iter().map(|size| size.name.as_str()).collect();
            format!(
                "the plan of `{}` names the size {name}, which the GPU does not have. Its sizes: {}.",
                entry.model,
                known.join(", ")
            )
        })
    };
    let mut inference = vec![problem.gpu.nothing(); problem.slots as usize];
    let mut covered = vec![false; problem.slots as usize];
    for run in &entry.inference {
        if run.from >= run.until || run.until > problem.slots {
            return Err(format!(
                "the plan of `{}` has a run from slot {} until {}, which is not a part of the window of {} slots.",
                entry.model, run.from, run.until, problem.slots
            ));
        }
        let sizes = run.instances.iter().map(|name| size_named(name));
        let sizes: Vec<SizeIndex> = sizes.collect::<Result<_, _>>()?;
        if sizes.len() > usize::from(u8::MAX) {
            return Err(format!("the plan of `{}` has a run of {} instances.", entry.model, sizes.len()));
        }
        let allocation =
            sizes.into_iter().fold(problem.gpu.nothing(), |allocation, size| allocation.plus_one(size));
        for slot in run.from..run.until {
            if std::mem::replace(&mut covered[slot as usize], true) {
                return Err(format!(
                    "the plan of `{}` has two allocations in slot {slot}. Keep one.",
                    entry.model
                ));
            }
            inference[slot as usize] = allocation.clone();
        }
    }
    let retraining = entry.retraining.as_ref().map(|retraining| {
        let size = size_named(&retraining.instance)?;
        Ok::<_, String>(Retraining { size, from: retraining.from, until: retraining.until })
    });
    Ok(TaskPlan { retraining: retraining.transpose()?, inference })
}

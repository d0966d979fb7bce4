//! A loaded HiGHS model behind safe methods. The `highs` crate builds it; what that crate lacks is called directly.

use std::cell::Cell;
use std::ffi::{CStr, CString, c_int, c_void};

use highs::{HighsModelStatus, HighsOptionValue, HighsStatus, Model, RowProblem};
use highs_sys::HighsInt;

use milp::{Program, Row, Sense, Stage};

use super::watch::{self, Watch};

/// A HiGHS model. Every method that can be refused answers with the name of the operation that was.
pub(crate) struct Native {
    model: Model,
    columns: usize,
}

/// The name of the operation that HiGHS refused.
pub(crate) type Refusal = &'static str;

impl Native {
    /// Loads the columns and the rows of a program, without an objective, and silences HiGHS.
    pub(crate) fn load(program: &Program) -> Result<Self, Refusal> {
        let mut problem = RowProblem::new();
        let handles: Vec<highs::Col> = program
            .columns
            .iter()
            .map(|column| {
                problem.add_column_with_integrality(0.0, column.lower..=column.upper, column.integer)
            })
            .collect();
        for row in &program.rows {
            let terms = row.terms.iter().map(|&(column, coefficient)| (handles[column], coefficient));
            problem.add_row(row.lower..=row.upper, terms);
        }
        let mut model = Model::try_new(problem).map_err(|_| "loading the program")?;
        model.make_quiet();
        Ok(Native { model, columns: program.columns.len() })
    }

    /// The version of the library.
    pub(crate) fn version() -> &'static CStr {
        // SAFETY: HiGHS returns a pointer to a static, NUL-terminated string.
        unsafe { CStr::from_ptr(highs_sys::Highs_version()) }
    }

    pub(crate) fn set_option(
        &mut self,
        name: &'static str,
        value: impl HighsOptionValue,
    ) -> Result<(), Refusal> {
        self.model.try_set_option(name, value).map_err(|_| name)
    }

    /// Sets an option of any type from its text.
    pub(crate) fn set_option_of_user(&mut self, name: &str, value: &str) -> Result<(), Refusal> {
        const REFUSED: Refusal = "an option of the user";
        let name = CString::new(name).map_err(|_| REFUSED)?;
        let value = CString::new(value).map_err(|_| REFUSED)?;
        // SAFETY: the model is alive and both texts are NUL-terminated.
        let status = unsafe {
            highs_sys::Highs_setOptionValue(self.model.as_mut_ptr(), name.as_ptr(), value.as_ptr())
        };
        accept(status, REFUSED)
    }

    pub(crate) fn set_objective(&mut self, stage: &Stage) -> Result<(), Refusal> {
        let mut costs = vec![0.0; self.columns];
        for &(column, coefficient) in &stage.terms {
            costs[column] = coefficient;
        }
        let sense = match stage.sense {
            Sense::Maximize => highs_sys::OBJECTIVE_SENSE_MAXIMIZE,
            Sense::Minimize => highs_sys::OBJECTIVE_SENSE_MINIMIZE,
        };
        let pointer = self.model.as_mut_ptr();
        // SAFETY: the model is alive; the cost array has one value for each column of the range.
        unsafe {
            if self.columns > 0 {
                let last = index(self.columns) - 1;
                accept(
                    highs_sys::Highs_changeColsCostByRange(pointer, 0, last, costs.as_ptr()),
                    "changing the costs",
                )?;
            }
            accept(
                highs_sys::Highs_changeObjectiveOffset(pointer, stage.constant),
                "changing the objective offset",
            )?;
            accept(highs_sys::Highs_changeObjectiveSense(pointer, sense), "changing the objective sense")
        }
    }

    pub(crate) fn set_column_bounds(&mut self, column: usize, lower: f64, upper: f64) -> Result<(), Refusal> {
        // SAFETY: the model is alive; HiGHS checks the index.
        let status =
            unsafe { highs_sys::Highs_changeColBounds(self.model.as_mut_ptr(), index(column), lower, upper) };
        accept(status, "changing column bounds")
    }

    pub(crate) fn add_row(&mut self, row: &Row) -> Result<(), Refusal> {
        let columns: Vec<HighsInt> = row.terms.iter().map(|&(column, _)| index(column)).collect();
        let coefficients: Vec<f64> = row.terms.iter().map(|&(_, coefficient)| coefficient).collect();
        // SAFETY: the model is alive; both arrays have the announced length.
        let status = unsafe {
            highs_sys::Highs_addRow(
                self.model.as_mut_ptr(),
                row.lower,
                row.upper,
                index(columns.len()),
                columns.as_ptr(),
                coefficients.as_ptr(),
            )
        };
        accept(status, "adding a row")
    }

    /// Forgets the points and the bases of earlier runs.
    pub(crate) fn forget(&mut self) -> Result<(), Refusal> {
        // SAFETY: the model is alive.
        accept(unsafe { highs_sys::Highs_clearSolver(self.model.as_mut_ptr()) }, "clearing the solver")
    }

    /// Hands over a point from which the next integer search starts.
    pub(crate) fn set_start(&mut self, point: &[f64]) -> Result<(), Refusal> {
        self.model.try_set_solution(Some(point), None, None, None).map_err(|_| "setting the start")
    }

    /// Solves the model with the given number of threads while `watch` listens. The clock of HiGHS starts at zero.
    pub(crate) fn run(&mut self, threads: u32, watch: &Watch) -> Result<(), Refusal> {
        prepare_scheduler(threads);
        let pointer = self.model.as_mut_ptr();
        let user_data = std::ptr::from_ref(watch).cast_mut().cast::<c_void>();
        // SAFETY: the model is alive. The watch is borrowed for the whole run and `watch::callback` only reads it. HiGHS
        // calls back only inside `Highs_run`, and here is the only run.
        unsafe {
            accept(highs_sys::Highs_zeroAllClocks(pointer), "resetting the clock")?;
            accept(
                highs_sys::Highs_setCallback(pointer, Some(watch::callback), user_data),
                "setting the callback",
            )?;
            for &kind in watch.kinds() {
                accept(highs_sys::Highs_startCallback(pointer, kind), "starting a callback")?;
            }
            let status = highs_sys::Highs_run(pointer);
            for &kind in watch.kinds() {
                accept(highs_sys::Highs_stopCallback(pointer, kind), "stopping a callback")?;
            }
            accept(status, "solving")
        }
    }

    /// The status of the model after a run; nothing when this crate does not know HiGHS's number.
    pub(crate) fn status(&self) -> Option<HighsModelStatus> {
        // SAFETY: the model is alive.
        HighsModelStatus::try_from(unsafe { highs_sys::Highs_getModelStatus(self.model.as_ptr()) }).ok()
    }

    /// The values of the columns after a run.
    pub(crate) fn point(&mut self) -> Vec<f64> {
        self.solution().0
    }

    /// The dual values of the rows after a run; nothing when it had none.
    pub(crate) fn row_duals(&mut self) -> Option<Vec<f64>> {
        (self.count(c"dual_solution_status") > 0).then(|| self.solution().1)
    }

    /// The values of the columns and the dual values of the rows.
    fn solution(&mut self) -> (Vec<f64>, Vec<f64>) {
        let rows = self.model.num_rows();
        let (mut values, mut duals) = (vec![0.0; self.columns], vec![0.0; self.columns]);
        let (mut activities, mut prices) = (vec![0.0; rows], vec![0.0; rows]);
        // SAFETY: the model is alive; the arrays have one place for each column and for each row.
        unsafe {
            highs_sys::Highs_getSolution(
                self.model.as_ptr(),
                values.as_mut_ptr(),
                duals.as_mut_ptr(),
                activities.as_mut_ptr(),
                prices.as_mut_ptr(),
            );
        }
        (values, prices)
    }

    /// A floating-point result of the last run; nothing when it is not there or is HiGHS's sentinel infinity.
    pub(crate) fn finite_info(&self, name: &CStr) -> Option<f64> {
        let mut value = f64::NAN;
        // SAFETY: the model is alive, the name is NUL-terminated and HiGHS checks its type.
        let status =
            unsafe { highs_sys::Highs_getDoubleInfoValue(self.model.as_ptr(), name.as_ptr(), &mut value) };
        (status == highs_sys::STATUS_OK && value.is_finite()).then_some(value)
    }

    /// A counter of the last run, zero when it is not there or negative.
    pub(crate) fn count(&self, name: &CStr) -> u64 {
        let mut value: HighsInt = 0;
        // SAFETY: the model is alive, the name is NUL-terminated and HiGHS checks its type.
        let status =
            unsafe { highs_sys::Highs_getIntInfoValue(self.model.as_ptr(), name.as_ptr(), &mut value) };
        if status == highs_sys::STATUS_OK { u64::try_from(value).unwrap_or(0) } else { 0 }
    }

    /// The number of branch-and-bound nodes of the last run.
    pub(crate) fn nodes(&self) -> u64 {
        let mut value: i64 = 0;
        // SAFETY: the model is alive, and the node count is a 64-bit value.
        let status = unsafe {
            highs_sys::Highs_getInt64InfoValue(self.model.as_ptr(), c"mip_node_count".as_ptr(), &mut value)
        };
        if status == highs_sys::STATUS_OK { u64::try_from(value).unwrap_or(0) } else { 0 }
    }

    /// Names the model, its columns and its rows for [`Native::write`].
    pub(crate) fn set_names(&mut self, columns: &[CString], rows: &[CString]) -> Result<(), Refusal> {
        let pointer = self.model.as_mut_ptr();
        for (column, name) in columns.iter().enumerate() {
            // SAFETY: the model is alive, the name is NUL-terminated and HiGHS copies it.
            let status = unsafe { highs_sys::Highs_passColName(pointer, index(column), name.as_ptr()) };
            accept(status, "naming a column")?;
        }
        for (row, name) in rows.iter().enumerate() {
            // SAFETY: as for the columns.
            let status = unsafe { highs_sys::Highs_passRowName(pointer, index(row), name.as_ptr()) };
            accept(status, "naming a row")?;
        }
        Ok(())
    }

    /// Writes the model to a file; the extension decides on the format.
    pub(crate) fn write(&mut self, path: &CStr) -> Result<(), Refusal> {
        // SAFETY: the model is alive and the path is NUL-terminated.
        accept(
            unsafe { highs_sys::Highs_writeModel(self.model.as_mut_ptr(), path.as_ptr()) },
            "writing the model",
        )
    }
}

/// HiGHS counts in `HighsInt`.
fn index(value: usize) -> HighsInt {
    HighsInt::try_from(value).expect("a program has fewer than two thousand million columns and rows")
}

/// A warning is not a refusal: HiGHS warns, for instance, when it stops at a limit.
fn accept(status: c_int, operation: Refusal) -> Result<(), Refusal> {
    match HighsStatus::try_from(status) {
        Ok(HighsStatus::OK | HighsStatus::Warning) => Ok(()),
        _ => Err(operation),
    }
}

/// HiGHS keeps one pool of worker threads for each thread that calls it, and refuses to run with another number of threads
/// than that pool has. A pool of the wrong size is therefore dropped first.
fn prepare_scheduler(threads: u32) {
    thread_local! {
        static POOL: Cell<Option<u32>> = const { Cell::new(None) };
    }
    POOL.with(|pool| {
        if pool.get().is_some_and(|size| size != threads) {
            // SAFETY: the pool belongs to the calling thread alone, which is not inside HiGHS now.
            unsafe { highs_sys::Highs_resetGlobalScheduler(1) };
        }
        pool.set(Some(threads));
    });
}

#[cfg(test)]
impl Native {
    /// Whether HiGHS knows values of the columns from an earlier run.
    pub(crate) fn holds_a_point(&self) -> bool {
        self.count(c"primal_solution_status") > 0
    }

    /// The presolve rules that are switched off, a bit each.
    pub(crate) fn rules_off(&self) -> HighsInt {
        let mut rules = 0;
        // SAFETY: the model is alive, the name is NUL-terminated and HiGHS writes one integer.
        let status = unsafe {
            highs_sys::Highs_getIntOptionValue(self.model.as_ptr(), c"presolve_rule_off".as_ptr(), &mut rules)
        };
        assert_eq!(status, highs_sys::STATUS_OK);
        rules
    }

    /// Whether the search may begin again with a smaller program.
    pub(crate) fn restarts(&self) -> bool {
        let mut restarts = 0;
        // SAFETY: the model is alive, the name is NUL-terminated and HiGHS writes one integer.
        let status = unsafe {
            let name = c"mip_allow_restart".as_ptr();
            highs_sys::Highs_getBoolOptionValue(self.model.as_ptr(), name, &mut restarts)
        };
        assert_eq!(status, highs_sys::STATUS_OK);
        restarts != 0
    }

    /// The optimal objective value of a file, as HiGHS reads it.
    pub(crate) fn optimum_of_file(path: &std::path::Path) -> f64 {
        let path = CString::new(path.to_str().unwrap()).unwrap();
        let mut model = Model::new(RowProblem::new());
        model.make_quiet();
        let pointer = model.as_mut_ptr();
        // SAFETY: the model is alive and the path is NUL-terminated.
        unsafe {
            assert_eq!(highs_sys::Highs_readModel(pointer, path.as_ptr()), highs_sys::STATUS_OK);
            assert_eq!(highs_sys::Highs_run(pointer), highs_sys::STATUS_OK);
            assert_eq!(highs_sys::Highs_getModelStatus(pointer), highs_sys::MODEL_STATUS_OPTIMAL);
            highs_sys::Highs_getObjectiveValue(pointer)
        }
    }
}

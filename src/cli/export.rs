//! Programs for other solvers, as files.

use super::exit::Failure;
use super::files::FutureFile;
use kit::{ExportedProgram, ExportedPrograms, FormulationEntry, ResultDocument, SolveError};
use models::Question;
use std::path::{Path, PathBuf};

/// Where `--export` is to write.
pub struct Export {
    path: PathBuf,
    is_nonlinear: bool,
}

impl Export {
    /// The files that are named after this one.
    ///
    /// # Errors
    /// When its ending is that of no format, or of one that this build does not write.
    pub fn new(file: FutureFile) -> Result<Self, Failure> {
        let path = file.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        match ending {
            Some("lp" | "mps") if cfg!(not(feature = "highs")) => Err(Failure::Input(format!(
                "--export: {} would be written by HiGHS, which is not part of this build. Build migopt with its feature `highs`.",
                path.display()
            ))),
            Some("lp" | "mps" | "mod") => {
                Ok(Export { path: path.to_owned(), is_nonlinear: ending == Some("mod") })
            }
            _ => Err(Failure::Input(format!(
                "cannot tell the format of {}: the name must end in .lp or .mps (or .mod for the nonlinear program that some models \
                 have).",
                path.display()
            ))),
        }
    }

    /// Writes the question of an answer: a file for each objective, or one for all where there is only one. What there is to say
    /// about them.
    pub fn write(
        &self,
        question: &dyn Question,
        formulation: FormulationEntry,
        answer: &ResultDocument,
    ) -> Result<Option<String>, Failure> {
        let refused = |error: SolveError| Failure::of_solve(error, &answer.instance);
        if self.is_nonlinear {
            let text = question.nonlinear_program().map_err(refused)?;
            FutureFile::prepare(&self.path)?.write(&text)?;
            return Ok(None);
        }
        let ExportedPrograms { programs, missing } =
            question.exported(formulation, answer).map_err(refused)?;
        let is_one = programs.len() + missing.len() == 1;
        let mut written = Vec::new();
        for (number, exported) in (1..).zip(&programs) {
            let path = if is_one { self.path.clone() } else { of_stage(&self.path, number, &exported.stage) };
            write(exported, &self.head(answer, exported), &path)?;
            written.push(format!("{} ({})", path.display(), exported.stage));
        }
        if is_one {
            return Ok(None);
        }
        let mut remark = format!("exported: {}", written.join(", "));
        if let Some(last) = programs.last().filter(|_| !missing.is_empty()) {
            remark += &format!(
                "; not {}, whose file needs the proved optimum of {}",
                missing.join(" and "),
                last.stage
            );
        }
        Ok(Some(remark))
    }

    /// The comment at the head of a file.
    fn head(&self, answer: &ResultDocument, exported: &ExportedProgram) -> Vec<String> {
        let mut lines = vec![format!(
            "{} of {}, model {}, formulation {}; migopt {}.",
            exported.stage,
            answer.instance,
            answer.model,
            answer.formulation,
            env!("CARGO_PKG_VERSION")
        )];
        lines.extend(exported.meaning.iter().cloned());
        lines
    }
}

/// The file of one of several objectives: `program.lp` becomes `program.2-hardware.lp`.
pub fn of_stage(path: &Path, number: usize, stage: &str) -> PathBuf {
    let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy())).unwrap_or_default();
    path.with_extension(format!("{number}-{stage}{ending}"))
}

#[cfg(feature = "highs")]
fn write(exported: &ExportedProgram, head: &[String], path: &Path) -> Result<(), Failure> {
    let written = solvers::write_program(&exported.program, None, head, path);
    written.map_err(|error| Failure::Input(format!("{error}.")))
}

#[cfg(not(feature = "highs"))]
fn write(_: &ExportedProgram, _: &[String], _: &Path) -> Result<(), Failure> {
    unreachable!("refused when the flags were read")
}

//! Writes a program to a file that other solvers read.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use milp::{Program, Row, Sense, Stage};

use super::highs::native::{Native, Refusal};

/// The greatest length of a name in bytes; the LP format allows 255.
const GREATEST_LENGTH: usize = 200;

/// A program could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The extension of the file stands for no known format.
    #[error("cannot tell the format of {}: the name must end in .lp or .mps", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The program has no stage of that name.
    #[error("the program has no stage {name}; its stages are {}", stages.join(", "))]
    UnknownStage {
        /// The name that was asked for.
        name: String,
        /// The names that there are.
        stages: Vec<String>,
    },
    /// The file cannot be created or read back.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// HiGHS refused to write the program.
    #[error("cannot write {}: HiGHS refused: {operation}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// The operation that was refused.
        operation: Refusal,
    },
}

/// Writes the columns, the rows and one objective of a program to a file in LP format (`.lp`) or in free MPS format (`.mps`).
///
/// The objective is that of the named stage; without a name it is the first stage's, and nothing when the program has no
/// stages. The MPS format has no common way to ask for a maximum, and readers are known to overlook the one that HiGHS
/// writes; an objective to maximize is therefore written to an MPS file as its negative, to be minimized. CBC reads the MPS
/// file; its LP reader overlooks which columns are integer.
///
/// The lines of `head` come first, as comments.
///
/// Names are kept as they are but for what the LP format cannot express. Brackets become parentheses, so that
/// `x[llama-7b,gpu3]` is written as `x(llama_7b,gpu3)`; every other character but letters, digits and `_ . , ( ) @ # ~` of
/// ASCII becomes an underscore; a name that would be read as a number or as a word of the format gets an underscore in
/// front; a name longer than 200 bytes is cut; and a name that would then occur twice gets `~2`, `~3` and so on behind.
/// Columns and rows are named independently of each other.
///
/// # Errors
///
/// Fails when the extension is neither `.lp` nor `.mps`, when there is no such stage, and when the file cannot be written.
pub fn write_program(
    program: &Program,
    stage: Option<&str>,
    head: &[String],
    path: &Path,
) -> Result<(), ExportError> {
    let (end, comment, minimized) = match path.extension().and_then(|extension| extension.to_str()) {
        Some("lp") => ("end", '\\', false),
        Some("mps") => ("ENDATA", '*', true),
        _ => return Err(ExportError::UnknownFormat { path: path.to_owned() }),
    };
    let objective = match stage {
        None => program.stages.first(),
        Some(name) => match program.stage_index(name) {
            Some(index) => Some(&program.stages[index]),
            None => {
                return Err(ExportError::UnknownStage {
                    name: name.to_owned(),
                    stages: program.stages.iter().map(|stage| stage.name.clone()).collect(),
                });
            }
        },
    };
    let unwritable = |source| ExportError::Unwritable { path: path.to_owned(), source };
    // HiGHS's LP writer does not survive a file that it cannot create.
    File::create(path).map_err(unwritable)?;
    let refused = |operation| ExportError::Refused { path: path.to_owned(), operation };
    let mut native = Native::load(program).map_err(refused)?;
    let mut head = head.to_vec();
    if let Some(objective) = objective {
        let negated = (minimized && objective.sense == Sense::Maximize).then(|| negated(objective));
        if negated.is_some() {
            head.push("MPS has no common way to ask for a maximum: the objective is negated, and so is the optimum.".to_owned());
        }
        native.set_objective(negated.as_ref().unwrap_or(objective)).map_err(refused)?;
    }
    let columns = safe_names(program.columns.iter().map(|column| (column.name.as_str(), false)));
    let rows = safe_names(program.rows.iter().map(|row| (row.label.as_str(), is_boxed(row))));
    native.set_names(&columns, &rows).map_err(refused)?;
    let name = CString::new(path.as_os_str().as_encoded_bytes())
        .map_err(|error| unwritable(io::Error::new(io::ErrorKind::InvalidInput, error)))?;
    native.write(&name).map_err(refused)?;
    // Nor does it notice a full disk.
    let written = std::fs::read_to_string(path).map_err(unwritable)?;
    if !written.trim_end().ends_with(end) {
        return Err(unwritable(io::Error::new(io::ErrorKind::WriteZero, "the file is incomplete")));
    }
    let head: String = head.iter().map(|line| format!("{comment} {}\n", line.replace('\n', " "))).collect();
    match head.is_empty() {
        true => Ok(()),
        false => std::fs::write(path, head + &written).map_err(unwritable),
    }
}

/// The same objective as one to minimize.
fn negated(objective: &Stage) -> Stage {
    Stage {
        sense: Sense::Minimize,
        terms: objective.terms.iter().map(|&(column, coefficient)| (column, -coefficient)).collect(),
        constant: -objective.constant,
        ..objective.clone()
    }
}

/// Whether HiGHS's LP writer splits a row into two, whose labels end in `lo` and `up`.
fn is_boxed(row: &Row) -> bool {
    row.lower < row.upper && row.lower.is_finite() && row.upper.is_finite()
}

/// Makes names that the formats can express and that stay different from each other. The flag says that a name also stands
/// for itself with `lo` and `up` behind.
fn safe_names<'a>(names: impl Iterator<Item = (&'a str, bool)>) -> Vec<CString> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut safe_names = Vec::new();
    for (name, boxed) in names {
        let stem = safe_name(name);
        let mut candidate = stem.clone();
        let mut count = 2;
        loop {
            let uses = match boxed {
                true => vec![candidate.clone(), format!("{candidate}lo"), format!("{candidate}up")],
                false => vec![candidate.clone()],
            };
            if uses.iter().all(|name| !taken.contains(name)) {
                taken.extend(uses);
                break;
            }
            candidate = format!("{stem}~{count}");
            count += 1;
        }
        safe_names.push(CString::new(candidate).expect("a safe name contains no zero byte"));
    }
    safe_names
}

fn safe_name(name: &str) -> String {
    let mut safe: String = name
        .chars()
        .take(GREATEST_LENGTH)
        .map(|character| match character {
            '[' => '(',
            ']' => ')',
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '.' | ',' | '(' | ')' | '@' | '#' | '~' => character,
            _ => '_',
        })
        .collect();
    if is_misread(&safe) {
        safe.insert(0, '_');
    }
    safe
}

/// Whether a reader of the LP format takes the beginning of a name for a number, or the whole for a word of the format.
fn is_misread(name: &str) -> bool {
    const WORDS: [&str; 26] = [
        "bin", "binaries", "binary", "bound", "bounds", "end", "free", "gen", "general", "generals", "int",
        "integer", "integers", "max", "maximise", "maximize", "maximum", "min", "minimise", "minimize",
        "minimum", "obj", "semi", "semis", "sos", "st",
    ];
    let lower = name.to_ascii_lowercase();
    let mut characters = lower.chars();
    let (first, second) = (characters.next(), characters.next());
    match first {
        None => true,
        Some('0'..='9' | '.' | ',' | '(' | ')' | '@' | '#' | '~') => true,
        // The exponent of a number, and the numbers that have names.
        Some('e') if second.is_some_and(|second| second.is_ascii_digit()) => true,
        _ => {
            ["inf", "nan", "sos1", "sos2"].iter().any(|prefix| lower.starts_with(prefix))
                || WORDS.contains(&lower.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use good_lp::{Expression, constraint, variable};

    use super::*;
    use crate::by_name;
    use milp::{ProgramBuilder, StopReason};
    use solver::{Control, Options, solve_stages};

    fn names(names: &[(&str, bool)]) -> Vec<String> {
        safe_names(names.iter().copied()).into_iter().map(|name| name.into_string().unwrap()).collect()
    }

    #[test]
    fn names_change_as_little_as_possible() {
        assert_eq!(names(&[("x[llama-7b,gpu3]", false)]), ["x(llama_7b,gpu3)"]);
        assert_eq!(names(&[("K", false), ("k", false)]), ["K", "k"]);
        assert_eq!(
            names(&[("2x", false), ("e12", false), ("End", false), ("info[a]", false)]),
            ["_2x", "_e12", "_End", "_info(a)"]
        );
        assert_eq!(names(&[("größe[ä]", false)]), ["gr__e(_)"]);
        assert_eq!(names(&[("", false)]), ["_"]);
    }

    #[test]
    fn names_stay_different() {
        assert_eq!(
            names(&[("x[a-b]", false), ("x[a_b]", false), ("x[a b]", false)]),
            ["x(a_b)", "x(a_b)~2", "x(a_b)~3"]
        );
        assert_eq!(
            names(&[("x[a-b]", false), ("x(a_b)~2", false), ("x[a_b]", false)]),
            ["x(a_b)", "x(a_b)~2", "x(a_b)~3"]
        );
        assert_eq!(names(&[("rowlo", false), ("row", true)]), ["rowlo", "row~2"]);
        let long = "x".repeat(300);
        let cut = names(&[(&long, false), (&long, false)]);
        assert_eq!((cut[0].len(), cut[1].len()), (200, 202));
    }

    /// A program with every kind of column and row, and names that need care.
    fn program() -> Program {
        let mut builder = ProgramBuilder::new("export");
        let x = builder.column("x[llama-7b,gpu3]", variable().integer().min(0).max(3));
        let y = builder.column("free", variable().integer().min(-2));
        let z = builder.column("inf[z]", variable().max(8.5));
        let b = builder.column("bin[é]", variable().binary());
        let f = builder.column("1e5", variable().integer().min(2).max(2));
        let unused = builder.column("unused", variable().integer().min(1).max(5));
        builder.row("W2d[gpu3]", constraint!(x + y + z <= 10.25));
        builder.row("st", constraint!(x - y >= -1));
        builder.range_row("range[a-b]", -4.0, 2 * y - 3 * b + Expression::from(f), 7.0);
        builder.row("range[a_b]", constraint!(z + b == 4.5));
        builder.stage("first", Sense::Maximize, 3 * x + 2 * y + 0.5 * z - b + 7, None);
        builder.stage("second", Sense::Minimize, x - y + unused, Some(1.0));
        builder.build()
    }

    #[test]
    fn both_formats_are_read_back_with_the_same_optimum() {
        let directory = tempfile::tempdir().unwrap();
        for stage in ["first", "second"] {
            let mut alone = program();
            alone.stages.retain(|candidate| candidate.name == stage);
            let solver = by_name("highs").unwrap();
            let solved = solve_stages(solver, &alone, &Options::default(), &Control::silent());
            assert_eq!(solved.stop, StopReason::Proved);
            let optimum = solved.stages[0].value.unwrap();
            let sign = if stage == "first" { -1.0 } else { 1.0 };
            for (format, optimum) in [("lp", optimum), ("mps", sign * optimum)] {
                let path = directory.path().join(format!("{stage}.{format}"));
                write_program(&program(), Some(stage), &["about it".to_owned()], &path).unwrap();
                let read = Native::optimum_of_file(&path);
                assert!((read - optimum).abs() < 1e-9, "{stage}.{format}: {read} instead of {optimum}");
            }
        }
    }

    #[test]
    fn the_file_carries_the_names() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("program.lp");
        write_program(&program(), None, &["Its optimum is 1.".to_owned()], &path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        insta::assert_snapshot!(text, @r"
        \ Its optimum is 1.
        \ File written by HiGHS .lp file handler
        max
         obj: +3 x(llama_7b,gpu3) +2 _free +0.5 _inf(z) -1 bin(_)  +7
        st
         W2d(gpu3): +1 x(llama_7b,gpu3) +1 _free +1 _inf(z) <= +10.25
         _st: +1 x(llama_7b,gpu3) -1 _free >= -1
         range(a_b)lo: +2 _free -3 bin(_) +1 _1e5 >= -4
         range(a_b)up: +2 _free -3 bin(_) +1 _1e5 <= +7
         range(a_b)~2: +1 _inf(z) +1 bin(_) = +4.5
        bounds
         x(llama_7b,gpu3) <= 3
         -2 <= _free
         -inf <= _inf(z) <= 8.5
         bin(_) <= 1
         _1e5 = 2
         1 <= unused <= 5
        bin
         bin(_)
        gen
         x(llama_7b,gpu3)
         _free
         _1e5
         unused
        semi
        end
        ");
    }

    #[test]
    fn what_cannot_be_written_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let message = |stage, path: &str| {
            write_program(&program(), stage, &[], &directory.path().join(path)).unwrap_err().to_string()
        };
        assert!(message(None, "program.txt").contains("must end in .lp or .mps"));
        assert!(message(None, "no-such-directory/program.lp").contains("cannot write"));
        assert_eq!(
            message(Some("third"), "program.lp"),
            "the program has no stage third; its stages are first, second"
        );
    }
}

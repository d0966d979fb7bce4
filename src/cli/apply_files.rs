//! `migopt export`: a plan as the files by which operators apply it.

use super::arguments::ExportArguments;
use super::exit::{EXIT_PROVED, Failure};
use super::files::{Files, FutureFile};
use super::output::print;
use ground::SourceText;
use inventory::{ClusterLock, LOCK_VERSION};
use plan::PlanFile;
use std::path::PathBuf;

pub fn run(task: &ExportArguments) -> Result<u8, Failure> {
    let source = SourceText::read(&task.plan)?;
    let plan: PlanFile = source.parse()?;
    let lock_source = SourceText::read(&task.lock)?;
    let lock: ClusterLock = lock_source.parse()?;
    if lock.version != LOCK_VERSION {
        let message = format!(
            "the lock has version {}, this migopt reads version {LOCK_VERSION}. Import the cluster again.",
            lock.version
        );
        return Err(lock_source.error_at_key(&["version"], message).into());
    }
    let files = task.format.files(&plan, &lock).map_err(|message| Failure::from(source.error(message)))?;
    std::fs::create_dir_all(&task.output).map_err(|error| {
        Failure::Input(format!(
            "--output {}: the folder cannot be made: {error}. Name another one.",
            task.output.display()
        ))
    })?;
    let paths: Vec<PathBuf> = files.iter().map(|file| task.output.join(&file.name)).collect();
    Files::reading(&task.plan).and_reading(&task.lock).writing_in("--output", &task.output, &paths)?;
    for (file, path) in files.iter().zip(&paths) {
        FutureFile::prepare(path)?.write(&file.text)?;
        if file.is_script {
            make_executable(path)?;
        }
    }
    if !task.quiet {
        let names: String = paths.iter().map(|path| format!("{}\n", path.display())).collect();
        print(&names)?;
    }
    Ok(EXIT_PROVED)
}

#[cfg(unix)]
fn make_executable(path: &std::path::Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).map_err(|error| {
        Failure::Input(format!(
            "{}: cannot be made executable: {error}. Name another folder.",
            path.display()
        ))
    })
}

#[cfg(not(unix))]
fn make_executable(_: &std::path::Path) -> Result<(), Failure> {
    Ok(())
}

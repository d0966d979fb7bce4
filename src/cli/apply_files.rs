//! `migopt export`: a plan as the files by which operators apply it.

use super::arguments::ExportArguments;
use super::exit::{EXIT_PROVED, Failure};
use super::files::{FutureFile, make_folder};
use super::output::print;
use super::plan_file::parse_plan;
use applying::AppliedFile;
use ground::SourceText;
use inventory::{ClusterLock, LOCK_VERSION};
use std::path::PathBuf;

pub fn run(task: &ExportArguments) -> Result<u8, Failure> {
    let source = SourceText::read(&task.plan)?;
    let plan = parse_plan(&source)?;
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
    make_folder(&task.output)?;
    let paths: Vec<PathBuf> = files.iter().map(|file| task.output.join(&file.name)).collect();
    let is_other = |(file, path): &(&AppliedFile, &PathBuf)| {
        path.exists() && std::fs::read(path).ok().as_deref() != Some(file.text.as_bytes())
    };
    if let Some((file, _)) = files.iter().zip(&paths).find(is_other) {
        return Err(Failure::Input(format!(
            "--output {}: {} is there already and holds something else, perhaps of another plan. Nothing was written. Name another folder, or \
             remove it.",
            task.output.display(),
            file.name
        )));
    }
    let future = paths.iter().map(|path| FutureFile::prepare(path)).collect::<Result<Vec<_>, _>>()?;
    for ((file, path), future) in files.iter().zip(&paths).zip(future) {
        future.write(&file.text)?;
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

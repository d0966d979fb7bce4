//! Why rows cannot be kept.

use ground::InputError;
use std::path::PathBuf;

/// Why rows cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The folder cannot be used.
    #[error("{}: {error}. Name a folder that you may write to.", path.display())]
    Unusable {
        /// The folder or file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// Another sweep writes there.
    #[error(
        "{}: another sweep is writing to this folder. Wait until it has ended, or name another folder.",
        .0.display()
    )]
    Busy(PathBuf),
    /// A file in the folder is broken.
    #[error("{0}")]
    Broken(#[from] InputError),
    /// A shard does not ask for what the others in the folder do.
    #[error(
        "{}: the folder belongs to a sweep with {what}. Start every shard with the same command, the same files and the same version of \
         migopt, or name another folder.",
        folder.display()
    )]
    OtherPlan {
        /// The folder.
        folder: PathBuf,
        /// What is different there.
        what: String,
    },
    /// There is nothing to gather rows for.
    #[error(
        "{}: there is no sweep in this folder. Name the folder that its shards were given with --output.",
        .0.display()
    )]
    NoSweep(PathBuf),
    /// Rows of shards are missing.
    #[error(
        "{}: {missing}, so nothing was gathered. Submit the sweep again to make them. If they were made on a machine that does \
         not share this folder, copy its files rows-of-shard-NUMBER-of-OF.jsonl to the folder first.",
        folder.display()
    )]
    Missing {
        /// The folder.
        folder: PathBuf,
        /// What is missing.
        missing: String,
    },
}

//! The file to which solvers write what they do.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// A file to which solvers write what they do, one after the other.
#[derive(Clone, Debug)]
pub struct Log(Arc<Mutex<File>>);

impl Log {
    /// A new file; one that is there already is replaced.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Log(Arc::new(Mutex::new(File::create(path)?))))
    }

    /// Adds a text. What cannot be written is lost: the answer matters more.
    pub fn write(&self, text: &[u8]) {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = file.write_all(text);
    }

    /// The file itself, for code that writes to a descriptor.
    ///
    /// # Errors
    /// When the system has no descriptor left.
    pub fn file(&self) -> io::Result<File> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).try_clone()
    }
}

/// Logs are equal when they are the same file.
impl PartialEq for Log {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Log {}

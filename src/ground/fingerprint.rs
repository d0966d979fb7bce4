//! What tells contents from others.

use sha2::{Digest, Sha256};
use std::io::{Result, Write};

/// Takes in a content piece by piece and holds none of it.
#[derive(Default)]
pub struct Fingerprint(Sha256);

impl Fingerprint {
    /// The first 32 hexadecimal digits of the SHA-256 of what was taken in.
    pub fn finish(self) -> String {
        self.0.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }

    /// That of a text.
    pub fn of(text: &str) -> String {
        Fingerprint(Sha256::new_with_prefix(text)).finish()
    }
}

impl Write for Fingerprint {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

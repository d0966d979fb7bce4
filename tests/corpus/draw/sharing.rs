//! The instances of model sharing.

use serde_json::Value;

/// All of them, each an instance as it stands in files.
pub fn draw() -> Vec<Value> {
    Vec::new()
}

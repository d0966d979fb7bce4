//! Documents in YAML or JSON: read once into a tree that knows the place of everything, then from the tree into types.
//!
//! A [`Tree`] has eight bytes for each node, be it a key, a value, a list or an entry; scalars stay in the text. From it comes
//! whatever is asked of the document: types ([`Document::read`]), fields and their places ([`Document::field`]), and where in the text
//! a complaint belongs ([`Lines`]).
//!
//! Plain scalars mean what YAML's own deserializer [serde-saphyr](https://docs.rs/serde-saphyr) takes them for, in JSON too. Three things
//! of YAML have no place here: keys that are lists or entries, `!!binary`, and tags within values of types without tags.

mod aside;
mod block;
mod builder;
mod complaint;
mod json;
mod located;
mod place;
mod reader;
mod scalar;
mod spot;
mod tag;
mod tree;
mod variant;
mod yaml;

#[cfg(test)]
mod tests;

pub use complaint::{Fault, Misplaced, ReadError, did_you_mean};
pub use located::{At, Located};
pub use place::{Lines, Place};
pub use reader::DECIMAL;
pub use tree::{Document, Fields, Form, Items, NodeId, Tree};

use aside::Aside;
use reader::Reader;
use serde::Deserialize;

/// So many faults are told; of more, only the number.
pub const MOST_TOLD: usize = 20;
/// Beyond so many, faults are no longer counted.
pub const MOST_COUNTED: usize = 100;

const EMPTY: &str = "the file is empty. `migopt generate` writes instances to start from; `migopt schema` prints the formats.";

/// What is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    /// The faults in the order of the text, at least one.
    pub told: Vec<Fault>,
    /// How many more there are, at least.
    pub untold: usize,
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Faults { told: vec![fault], untold: 0 }
    }
}

impl Tree {
    /// Reads a text: as JSON if it is JSON, else as YAML. What begins as JSON in a file whose name ends with `.json` must be JSON.
    ///
    /// # Errors
    /// When it is neither, or has more in it than a document may have: depth, aliases, fields given twice.
    pub fn read(name: &str, text: &str) -> Result<Tree, Fault> {
        let broken = match json::may_be(text).then(|| json::read(text)) {
            Some(Ok(tree)) => return Ok(tree),
            Some(Err(broken)) if broken.is_json || name.ends_with(".json") => return Err(broken.fault),
            Some(Err(broken)) => Some(broken),
            None => None,
        };
        let read = block::read(text).unwrap_or_else(|| yaml::read(text));
        read.map_err(|fault| match broken {
            Some(broken) if broken.has_begun => broken.fault,
            _ => fault,
        })
    }
}

impl<'t> Document<'t> {
    /// Reads the document into a type.
    ///
    /// # Errors
    /// With everything that is wrong: what could not be read is set aside, and reading goes on.
    pub fn read<T: Deserialize<'t>>(&self) -> Result<T, Faults> {
        self.read_with(&[])
    }

    /// Reads the document into a type, and tells of misplaced fields where they belong.
    ///
    /// # Errors
    /// As for [`read`](Document::read).
    pub fn read_with<T: Deserialize<'t>>(&self, misplaced: &[Misplaced]) -> Result<T, Faults> {
        let mut aside = Aside::default();
        let mut told: Vec<Fault> = Vec::new();
        let mut untold = 0;
        while told.len() + untold < MOST_COUNTED {
            let complaint = match T::deserialize(Reader::of_root(*self, &mut aside)) {
                Ok(value) if told.is_empty() => return Ok(value),
                Ok(_) => break,
                Err(ReadError(complaint)) => complaint,
            };
            if told.is_empty() || !aside.explains(self, &complaint) {
                if told.len() < MOST_TOLD {
                    told.push(complaint.told(self, misplaced));
                } else {
                    untold += 1;
                }
            }
            if !complaint.is_set_aside {
                break;
            }
        }
        if self.is_empty() {
            return Err(Fault::new(0, EMPTY).into());
        }
        told.sort_by_key(|fault| fault.at);
        Err(Faults { told, untold })
    }
}

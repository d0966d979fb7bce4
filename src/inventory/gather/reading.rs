//! Reading all files, each with the node that it is of.

use super::facts::Origin;
use crate::file::InputFile;
use formats::{Contents, Place};
use ground::{Complaints, InputError, SourceText};

/// A file that was read.
pub(crate) struct File {
    pub source: SourceText,
    /// The node that it is of; empty of a file that names nodes itself.
    pub node: String,
}

/// All files with what they hold.
pub(super) struct Read {
    pub files: Vec<(File, Contents)>,
    pub remarks: Vec<String>,
}

impl Read {
    pub fn all(files: Vec<InputFile>) -> Result<Self, InputError> {
        let mut read = Read { files: Vec::new(), remarks: Vec::new() };
        let mut complaints = Complaints::default();
        for file in files {
            if let Some(Some(contents)) = complaints.keep(read.one(&file)) {
                let InputFile { source, node, .. } = file;
                let is_nameless = contents.is_of_a_nameless_node();
                let node = node.filter(|_| is_nameless).unwrap_or_default();
                // The tree of a large file is needed for complaints alone.
                read.files.push((File { source, node }, contents));
            }
        }
        complaints.finish(Some(()))?;
        Ok(read)
    }

    fn one(&mut self, file: &InputFile) -> Result<Option<Contents>, InputError> {
        let source = &file.source;
        let Some(contents) = formats::read(source)? else {
            if file.is_named {
                return Err(formats::foreign(source));
            }
            self.remarks.push(format!("{} is of no tool that is known and was left out", source.name()));
            return Ok(None);
        };
        if let Contents::BesideThePoint { what } = contents {
            self.remarks.push(format!("{} was left out: it is {what}", source.name()));
            return Ok(None);
        }
        if contents.is_of_a_nameless_node() && file.node.is_none() {
            return Err(source.error(
                "the file does not say which node it is of. Name it NODE.lgi.txt or the like, put it into a folder with the name of the \
                 node, or give --node NAME.",
            ));
        }
        Ok(Some(contents))
    }

    /// The files of a kind, each with its number and its node.
    pub fn each<'r, T: 'r>(
        &'r self,
        of_kind: impl Fn(&'r Contents) -> Option<T> + 'r,
    ) -> impl Iterator<Item = (usize, &'r str, T)> + 'r {
        self.files.iter().enumerate().filter_map(move |(number, (file, contents))| {
            Some((number, file.node.as_str(), of_kind(contents)?))
        })
    }

    pub fn source(&self, file: usize) -> &SourceText {
        &self.files[file].0.source
    }

    pub fn error(&self, origin: Origin, message: impl Into<String>) -> InputError {
        origin.place.error(self.source(origin.file), message)
    }

    /// The place of a fact in words.
    pub fn words(&self, origin: Origin) -> String {
        let source = self.source(origin.file);
        format!("{}:{}", source.name(), origin.place.line(source))
    }

    pub fn into_files(self) -> Vec<File> {
        self.files.into_iter().map(|(file, _)| file).collect()
    }
}

pub(super) fn origin(file: usize, place: Place) -> Origin {
    Origin { file, place }
}

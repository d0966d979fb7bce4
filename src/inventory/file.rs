//! The files of an import, and the nodes that they are of.

use ground::{InputError, SourceText};
use std::path::{Path, PathBuf};

/// A file to be joined with others.
#[derive(Clone, Debug)]
pub struct InputFile {
    /// Its text.
    pub source: SourceText,
    /// The node that it is of, where its content does not say.
    pub node: Option<String>,
    /// Whether it was named by itself, so that it must be of a tool that is known.
    pub is_named: bool,
}

/// What files of nodes are usually called. What stands before it in a name, with a dot between, is the node.
const USUAL_NAMES: [&str; 18] = [
    "lgi.txt",
    "lgi",
    "lci.txt",
    "lci",
    "L.txt",
    "L",
    "q.xml",
    "mig-minors.txt",
    "mig-minors",
    "checkpoint.json",
    "kubelet_internal_checkpoint",
    "podresources.json",
    "slurmd-G.txt",
    "slurmd-G",
    "scontrol-job.txt",
    "scontrol-node.txt",
    "lgip.txt",
    "lgipp.txt",
];

impl InputFile {
    /// Reads a file; its name or that of its folder is taken for the node's.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(path: &Path, is_named: bool) -> Result<Self, InputError> {
        Ok(InputFile { source: SourceText::read(path)?, node: node_in_path(path), is_named })
    }
}

/// The node that a path names: by the beginning of the file's name, else by its folder.
fn node_in_path(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let before = USUAL_NAMES.iter().find_map(|usual| name.strip_suffix(usual)?.strip_suffix('.'));
    if let Some(node) = before.filter(|node| !node.is_empty()) {
        return Some(node.to_owned());
    }
    let folder = path.parent()?.file_name()?.to_str()?;
    Some(folder.to_owned())
}

/// The files below a folder, in the order of their names; hidden ones are left out.
///
/// # Errors
/// When a folder cannot be read.
pub fn files_below(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    entries.sort();
    for entry in entries {
        let is_hidden = entry.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        match entry {
            _ if is_hidden => {}
            entry if entry.is_dir() => files.extend(files_below(&entry)?),
            entry => files.push(entry),
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_named_by_files_or_by_folders() {
        for (path, node) in [
            ("nvidia-smi/gpu-a.lgi.txt", Some("gpu-a")),
            ("a/n1.example.com.q.xml", Some("n1.example.com")),
            ("kubernetes/gpu-b.kubelet_internal_checkpoint", Some("gpu-b")),
            ("facts/gpu-a/lgi.txt", Some("gpu-a")),
            ("facts/gpu-a/listing.txt", Some("gpu-a")),
            ("lgi.txt", None),
        ] {
            assert_eq!(node_in_path(Path::new(path)).as_deref(), node, "{path}");
        }
    }
}

//! What a command runs, as far as its words tell: the files that they name, and what its programs are on the search path.

use ground::Fingerprint;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What ends a simple command.
const OPERATORS: &[char] = &[';', '|', '&', '(', ')', '\n'];
/// What a file name within a word may stand behind, as in `--data=jobs.json`.
const JOINTS: &[char] = &['=', ',', '<', ':'];

/// Digests of the files of a program, by the words that name them.
pub type Digests = BTreeMap<String, String>;

/// The files of a program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    files: Vec<ProgramFile>,
}

#[derive(Clone, Debug)]
struct ProgramFile {
    word: String,
    path: PathBuf,
    stamp: Option<Stamp>,
    digest: String,
}

/// What changes whenever a file is written to: cheaper to compare than its content.
type Stamp = (u64, Option<SystemTime>);

impl Program {
    /// The files of a shell command as they are now.
    pub fn of(command: &str) -> Self {
        let search_path = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> = std::env::split_paths(&search_path).collect();
        let files = named_files(command, &folders).into_iter().filter_map(|(word, path)| {
            let stamp = stamp(&path);
            Some(ProgramFile { digest: digest(&path).ok()?, word, path, stamp })
        });
        Program { files: files.collect() }
    }

    /// The digests of its files.
    pub fn digests(&self) -> Digests {
        self.files.iter().map(|file| (file.word.clone(), file.digest.clone())).collect()
    }

    /// The words of those of its files that are not any more what they were.
    pub fn changed(&self) -> Vec<&str> {
        let is_changed = |file: &&ProgramFile| {
            stamp(&file.path) != file.stamp && digest(&file.path).ok().as_ref() != Some(&file.digest)
        };
        self.files.iter().filter(is_changed).map(|file| file.word.as_str()).collect()
    }
}

/// The files that the words of a command name, and those that its programs are in these folders.
fn named_files(command: &str, folders: &[PathBuf]) -> BTreeMap<String, PathBuf> {
    let mut files = BTreeMap::new();
    let mut written = BTreeSet::new();
    for simple in command.split(OPERATORS) {
        let words = words(simple);
        let is_assignment = |word: &&String| word.contains('=') && !word.contains('/');
        if let Some(program) = words.iter().find(|word| !is_assignment(word))
            && let Some(path) = resolve(program, folders)
        {
            files.insert(program.clone(), path);
        }
        written.extend(words.windows(2).filter(|pair| pair[0].ends_with('>')).map(|pair| pair[1].clone()));
    }
    // File names with operators in them, and words within a quoted word.
    let whole = words(command);
    let within = whole.iter().flat_map(|word| words(word));
    let by_operators = command.split(OPERATORS).flat_map(words);
    let all: Vec<String> = whole.iter().cloned().chain(within).chain(by_operators).collect();
    let parts = all.iter().flat_map(|word| word.split(JOINTS)).map(str::to_owned);
    for word in all.iter().cloned().chain(parts) {
        let path = PathBuf::from(&word);
        if !word.contains('>') && !written.contains(&word) && path.is_file() {
            files.entry(word).or_insert(path);
        }
    }
    files
}

/// The words of a command without their quotes.
fn words(command: &str) -> Vec<String> {
    shlex::split(command).unwrap_or_else(|| {
        let quotes: &[char] = &['\'', '"'];
        command.split_whitespace().map(|word| word.trim_matches(quotes).to_owned()).collect()
    })
}

/// The file that a program's word stands for.
fn resolve(word: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    if word.contains('/') {
        return Some(PathBuf::from(word)).filter(|path| path.is_file());
    }
    folders
        .iter()
        .map(|folder| folder.join(word))
        .find(|path| path.metadata().is_ok_and(|file| is_program(&file)))
}

#[cfg(unix)]
fn is_program(file: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.is_file() && file.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_program(file: &Metadata) -> bool {
    file.is_file()
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = path.metadata().ok()?;
    Some((metadata.len(), metadata.modified().ok()))
}

/// A digest of a file's content.
fn digest(path: &Path) -> std::io::Result<String> {
    let mut content = Fingerprint::default();
    std::io::copy(&mut File::open(path)?, &mut content)?;
    Ok(content.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(command: &str) -> Vec<String> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        // Paths in commands are absolute here, as tests may run anywhere.
        let command = command.replace("HERE", &here.display().to_string());
        let files = named_files(&command, &[PathBuf::from("/usr/bin"), PathBuf::from("/bin")]);
        files.into_keys().map(|word| word.replace(&here.display().to_string(), "HERE")).collect()
    }

    #[test]
    fn files_of_a_command_are_found_wherever_they_stand() {
        assert_eq!(named("sh HERE/lib.rs --fast"), ["HERE/lib.rs", "sh"]);
        assert_eq!(
            named("RATE=3 sh -c 'cat HERE/lib.rs; cat HERE/rows.rs' && sort"),
            ["HERE/lib.rs", "HERE/rows.rs", "cat", "sh", "sort"]
        );
        assert_eq!(named("HERE/lib.rs --data=HERE/rows.rs"), ["HERE/lib.rs", "HERE/rows.rs"]);
        assert_eq!(named("sort <HERE/lib.rs | cat"), ["HERE/lib.rs", "cat", "sort"]);
        assert_eq!(named("sh 'HERE/no such file' HERE"), ["sh"]);
    }

    #[test]
    fn what_a_command_writes_is_no_part_of_its_program() {
        assert_eq!(named("cat > HERE/lib.rs"), ["cat"]);
        assert_eq!(named("cat 2>> HERE/lib.rs"), ["cat"]);
        assert_eq!(named("cat 2>HERE/lib.rs"), ["cat"]);
    }

    #[test]
    fn quotes_that_do_not_end_hide_no_file() {
        assert_eq!(named("sh 'HERE/lib.rs"), ["HERE/lib.rs", "sh"]);
    }
}

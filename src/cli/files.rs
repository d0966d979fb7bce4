//! The files of a command: what it reads is never overwritten, what it writes is complete or absent.

use super::exit::Failure;
use itertools::Itertools;
use std::fs::{File, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Bytes that are handed to the system at once.
pub const BUFFER: usize = 1 << 16;

/// What a file that is written holds, which its ending must not deny.
#[derive(Clone, Copy)]
pub enum Kind {
    /// An answer as JSON or YAML.
    Document,
    /// A drawing.
    Picture,
    /// A program for solvers.
    Program,
    /// A report.
    Report,
    /// What a solver tells of its work, under any name.
    Log,
    /// A certificate, under any name.
    Certificate,
}

impl Kind {
    fn endings(self) -> &'static [&'static str] {
        match self {
            Kind::Document => &["json", "yaml", "yml"],
            Kind::Picture => &["svg"],
            Kind::Program => &["lp", "mps", "mod"],
            Kind::Report => &["html", "htm", "md", "csv"],
            Kind::Log | Kind::Certificate => &[],
        }
    }
}

/// Makes a folder for what a command writes where there is none.
pub fn make_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::Input(format!(
            "{}: cannot be created: {error}. Name a folder that you may write to.",
            folder.display()
        ))
    })
}

/// The files that a command reads and writes.
#[derive(Default)]
pub struct Files {
    read: Vec<(Identity, PathBuf)>,
    written: Vec<(Identity, String)>,
}

impl Files {
    /// The files of a command that reads this one, or standard input for `-`.
    pub fn reading(path: &Path) -> Self {
        Files::default().and_reading(path)
    }

    /// One more file that is read.
    pub fn and_reading(mut self, path: &Path) -> Self {
        let source = if path == Path::new("-") { Path::new("/dev/stdin") } else { path };
        self.read.extend(Identity::of(source).map(|identity| (identity, path.to_owned())));
        self
    }

    /// More files that are read.
    pub fn and_reading_all(self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        paths.into_iter().fold(self, |files, path| files.and_reading(&path))
    }

    /// A folder whose files may be written anew, on behalf of a flag.
    ///
    /// # Errors
    /// When one of these files is read.
    pub fn writing_in(&self, flag: &str, folder: &Path, files: &[PathBuf]) -> Result<(), Failure> {
        let lost = files.iter().find_map(|path| self.source_of(&Identity::of(path)?));
        lost.map_or(Ok(()), |source| {
            Err(Failure::Input(format!(
                "{flag} {}: the file {} is read by the same command, which could overwrite it there. Name another folder.",
                folder.display(),
                source.display()
            )))
        })
    }

    /// The path under which a file is read, if it is.
    fn source_of(&self, identity: &Identity) -> Option<&Path> {
        self.read.iter().find(|(other, _)| other == identity).map(|(_, source)| source.as_path())
    }

    /// A file to be written on behalf of a flag, if the flag was given.
    ///
    /// # Errors
    /// When the file is one of those that are read or written already, when its ending promises something else, and when it
    /// cannot be written.
    pub fn writing(
        &mut self,
        flag: &str,
        path: Option<&PathBuf>,
        kind: Kind,
    ) -> Result<Option<FutureFile>, Failure> {
        let Some(path) = path else { return Ok(None) };
        let refuse = |what: String| Failure::Input(format!("{flag} {}: {what}", path.display()));
        if let Some(identity) = Identity::of(path) {
            if let Some(source) = self.source_of(&identity) {
                let what = match source == Path::new("-") {
                    true => "this file is read as standard input".to_owned(),
                    false if source == path => "this file is read by the same command".to_owned(),
                    false => {
                        format!("this is the file {}, which is read by the same command", source.display())
                    }
                };
                return Err(refuse(format!("{what} and would be overwritten. Name another file.")));
            }
            if let Some((_, other)) = self.written.iter().find(|(other, _)| *other == identity) {
                return Err(refuse(format!("{other} writes this file too. Name another file.")));
            }
            self.written.push((identity, flag.to_owned()));
        }
        let file = FutureFile::prepare(path)?;
        if file.draft.is_some() {
            check_ending(path, kind).map_err(refuse)?;
        }
        Ok(Some(file))
    }
}

/// Refuses an ending that promises something else.
fn check_ending(path: &Path, kind: Kind) -> Result<(), String> {
    let Some(ending) = path.extension() else { return Ok(()) };
    let endings = kind.endings();
    if endings.is_empty() || endings.iter().any(|known| ending.eq_ignore_ascii_case(known)) {
        return Ok(());
    }
    let shown = ending.to_string_lossy();
    let (last, first) = endings.split_last().expect("every kind has an ending");
    let known = match first {
        [] => format!(".{last}"),
        first => format!("{} or .{last}", first.iter().map(|ending| format!(".{ending}")).join(", ")),
    };
    let what = match kind {
        Kind::Document => "answers are written as JSON or YAML",
        Kind::Picture => "pictures are written as SVG",
        Kind::Program => "programs are written as LP, MPS or AMPL",
        Kind::Report => "reports are written as HTML, Markdown or CSV",
        Kind::Log => "logs are written as text",
        Kind::Certificate => "certificates are written as text",
    };
    Err(format!("{what}, not as .{shown}. Use a name that ends in {known}."))
}

/// What makes two paths the same file.
#[derive(PartialEq, Eq)]
enum Identity {
    /// A file that exists.
    Node { device: u64, number: u64 },
    /// A file that does not exist yet, by the folder in which it will.
    Name(PathBuf),
}

impl Identity {
    /// The identity of a file; none for what cannot be overwritten, such as a pipe or a device.
    fn of(path: &Path) -> Option<Self> {
        match std::fs::metadata(path) {
            Ok(metadata) => metadata.is_file().then(|| Identity::of_node(&metadata, path)),
            Err(_) => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
                Some(Identity::Name(folder.join(path.file_name()?)))
            }
        }
    }

    #[cfg(unix)]
    fn of_node(metadata: &Metadata, _: &Path) -> Self {
        use std::os::unix::fs::MetadataExt;
        Identity::Node { device: metadata.dev(), number: metadata.ino() }
    }

    #[cfg(not(unix))]
    fn of_node(_: &Metadata, path: &Path) -> Self {
        Identity::Name(path.canonicalize().unwrap_or_else(|_| path.to_owned()))
    }
}

/// A file to be written at the end of long work. That it can be written is checked at the beginning; it appears, or
/// replaces an older one, only when it is complete.
pub struct FutureFile {
    path: PathBuf,
    /// Where the text is written first; nowhere for a device or pipe, which cannot be replaced.
    draft: Option<PathBuf>,
}

impl FutureFile {
    /// Checks that the file can be written, and leaves no trace of it.
    pub fn prepare(path: &Path) -> Result<Self, Failure> {
        let refuse = |error: std::io::Error| {
            Failure::Input(format!(
                "{}: cannot be written: {error}. Name a file in a folder that exists and that you may write to.",
                path.display()
            ))
        };
        if path == Path::new("-") {
            return Err(refuse(std::io::Error::other(
                "it is not a file name (`--format` chooses what is printed)",
            )));
        }
        if path.is_dir() {
            return Err(refuse(std::io::Error::other("it is a folder")));
        }
        if path.exists() && !path.is_file() {
            return Ok(FutureFile { path: path.to_owned(), draft: None });
        }
        if path.is_file() {
            std::fs::OpenOptions::new().append(true).open(path).map_err(refuse)?;
        }
        let name = path.file_name().ok_or_else(|| refuse(std::io::Error::other("it has no file name")))?;
        let mut draft_name = std::ffi::OsString::from(".");
        draft_name.push(name);
        draft_name.push(format!(".{}.part", std::process::id()));
        let draft = path.with_file_name(draft_name);
        std::fs::File::create(&draft).and_then(|_| std::fs::remove_file(&draft)).map_err(refuse)?;
        Ok(FutureFile { path: path.to_owned(), draft: Some(draft) })
    }

    /// Where it is written.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the file.
    pub fn write(self, text: &str) -> Result<(), Failure> {
        self.write_with(|out| out.write_all(text.as_bytes()))
    }

    /// Writes the file piece by piece.
    pub fn write_with(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        let fill = |path: &Path| {
            let mut out = BufWriter::with_capacity(BUFFER, File::create(path)?);
            write(&mut out)?;
            out.flush()
        };
        let written = match &self.draft {
            None => fill(&self.path),
            Some(draft) => fill(draft)
                .and_then(|()| std::fs::rename(draft, &self.path))
                .inspect_err(|_| drop(std::fs::remove_file(draft))),
        };
        written.map_err(|error| {
            Failure::Internal(format!("{}: cannot be written: {error}.", self.path.display()))
        })
    }
}

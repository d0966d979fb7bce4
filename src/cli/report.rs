//! `migopt report`: finds out what a folder is, reads it and writes the report on it.

use super::answered::{Answered, read_answered};
use super::arguments::ReportArguments;
use super::exit::{EXIT_INFEASIBLE, EXIT_PROVED, Failure, until_exit};
use super::explain::explained;
use super::files::{Files, Kind};
use super::form::{Form, form_of};
use super::format::Format;
use super::input::read_instance;
use super::output::{self, Printed, deliver, print};
use super::plan_file::{ReadPlan, refuse_instance};
use bench::{ROWS_FILE, Record, SweepFolder, shards_in};
use ground::SourceText;
use kit::{CertificateDocument, ExplanationDocument, ResultDocument};
use models::DocumentKind;
use replay::{CONDITIONS_FILE, Folder, ReplayFolder, subfolders};
use report::{AnswerReport, Claims, CollectionReport, ReplayReport, SweepReport};
use std::path::{Component, Path, PathBuf};

/// What is claimed of a collection of replays.
const CLAIMS_FILE: &str = "claims.yaml";

pub fn run(task: &ReportArguments) -> Result<u8, Failure> {
    let form = task.output.as_deref().map(|path| form_of("--output", path)).transpose()?;
    let form = form.unwrap_or(Form::Markdown);
    refuse_scoreboard_as_rows(task, form)?;
    let mut files = Files::reading(&task.folder).and_reading_all(files_of(&task.folder));
    for path in task.instance.iter().chain(&task.certificate) {
        files = files.and_reading(path);
    }
    let file = files.writing("--output", task.output.as_ref(), Kind::Report)?;
    let name = name_of(&task.folder);
    let content = Content::read(task)?;
    let content = if task.scoreboard { content.scoreboard(&task.folder)? } else { content };
    let markdown = output::Content::text(|| content.text(&name, Form::Markdown, None));
    let links = task.output.as_ref().map(|path| Links::new(&task.folder, path));
    let written = output::Content::text(|| content.text(&name, form, links.as_ref()));
    // What cannot be written is printed.
    let printed = Printed { format: Format::Text, quiet: file.is_some() };
    deliver(&markdown, printed, [(file, written)])?;
    if let Some(path) = task.output.as_ref().filter(|_| !task.quiet) {
        print(&format!("{}\n", path.display()))?;
    }
    Ok(if content.is_refused() { EXIT_INFEASIBLE } else { EXIT_PROVED })
}

fn refuse_scoreboard_as_rows(task: &ReportArguments, form: Form) -> Result<(), Failure> {
    match (&task.output, form) {
        (Some(path), Form::Csv) if task.scoreboard => Err(Failure::Input(format!(
            "--output {}: a scoreboard is written as HTML or Markdown, not as rows. Use .html or .md, or leave --scoreboard out.",
            path.display()
        ))),
        _ => Ok(()),
    }
}

/// The files that a report on a folder is made from.
fn files_of(folder: &Path) -> Vec<PathBuf> {
    let claims = folder.join(CLAIMS_FILE);
    let of_replays = subfolders(folder).into_iter().flatten().flat_map(|(_, replay)| Folder::files(&replay));
    [SweepFolder::files(folder), Folder::files(folder), vec![claims]]
        .into_iter()
        .flatten()
        .chain(of_replays)
        .collect()
}

/// What a certificate comes to, and what it says where it is a proof.
type Checked = (CertificateDocument, Option<ExplanationDocument>);

/// What a folder holds.
enum Content {
    Answer(Box<ResultDocument>, Option<Checked>),
    Plan(Box<ReadPlan>),
    Sweep(SweepFolder),
    /// A sweep whose heuristics are ranked.
    Scoreboard(SweepFolder),
    Replay(Box<ReplayFolder>),
    /// Replays by the names of their folders.
    Collection(Vec<(String, ReplayFolder)>, Option<Claims>),
}

impl Content {
    fn read(task: &ReportArguments) -> Result<Content, Failure> {
        let (folder, instance) = (task.folder.as_path(), task.instance.as_deref());
        let shown = folder.display();
        let kinds = format!(
            "Name the folder of a sweep, which holds {ROWS_FILE}, that of a replay, which holds {CONDITIONS_FILE}, \
             a folder of such replays, a result of `migopt solve`, or a plan of `migopt plan`"
        );
        if folder.is_file() {
            let source = SourceText::read(folder)?;
            if DocumentKind::of(&source) == DocumentKind::Plan {
                if task.certificate.is_some() {
                    let message =
                        "only results of `migopt solve` have certificates. Leave it out.".to_owned();
                    return Err(Failure::of_flag("--certificate")(message));
                }
                return Ok(Content::Plan(Box::new(ReadPlan::of(&source, instance)?)));
            }
            if DocumentKind::of(&source) == DocumentKind::Result {
                let checked = match (instance, &task.certificate) {
                    (Some(instance), Some(certificate)) => Some(checked(instance, folder, certificate)?),
                    _ => refuse_instance(instance).map(|()| None)?,
                };
                return Ok(Content::Answer(Box::new(source.parse()?), checked));
            }
        }
        refuse_instance(instance)?;
        if !folder.is_dir() {
            let what = if folder.exists() {
                "this is neither a folder nor a result nor a plan"
            } else {
                "there is no such folder"
            };
            return Err(Failure::Input(format!("{shown}: {what}. {kinds}.")));
        }
        if let Some((shard, _)) = shards_in(folder).first() {
            return Err(Failure::Input(format!(
                "{shown}: the rows of {shard} are in a file of their own. Bring the rows of all shards together first: \
                 migopt bench --gather --output {shown}"
            )));
        }
        let sweep = folder.join(ROWS_FILE).exists();
        match (sweep, ReplayFolder::is_one(folder)) {
            (true, true) => Err(Failure::Input(format!(
                "{shown}: the folder holds both {ROWS_FILE} and {CONDITIONS_FILE}, so it is not clear what to report. Move the sweep or \
                 the replay into a folder of its own."
            ))),
            (true, false) => Ok(Content::Sweep(sweep_of(folder)?)),
            (false, true) => Ok(Content::Replay(Box::new(replay_of(folder)?))),
            (false, false) => collection_of(folder)?.ok_or_else(|| {
                Failure::Input(format!("{shown}: there is nothing to report in this folder. {kinds}."))
            }),
        }
    }

    /// Whether it is an answer with a certificate that is no proof.
    fn is_refused(&self) -> bool {
        matches!(self, Content::Answer(_, Some((certificate, _))) if !certificate.accepted)
    }

    /// The ranking of a sweep's heuristics instead of the report.
    fn scoreboard(self, folder: &Path) -> Result<Content, Failure> {
        match self {
            Content::Sweep(sweep) => Ok(Content::Scoreboard(sweep)),
            _ => Err(Failure::Input(format!(
                "{}: --scoreboard ranks the heuristics of a sweep, and this is none. Leave it out, or name the folder of a sweep.",
                folder.display()
            ))),
        }
    }

    /// The report; on a sweep with links if it becomes a file.
    fn text(&self, name: &str, form: Form, links: Option<&Links>) -> String {
        match self {
            Content::Answer(result, checked) => {
                let report = AnswerReport::of(result);
                let report = match checked {
                    Some((certificate, explanation)) => {
                        report.with_certificate(certificate, explanation.as_ref())
                    }
                    None => report,
                };
                match form {
                    Form::Html => report.html(),
                    Form::Markdown => report.markdown(),
                    Form::Csv => report.csv(),
                }
            }
            Content::Plan(read) => form.of_plan(&read.report()),
            Content::Sweep(folder) => {
                let report = SweepReport::of_folder(folder);
                let link = |row: &Record| links.and_then(|links| links.to(&row.path));
                match form {
                    Form::Html => report.html(name, &link),
                    Form::Markdown => report.markdown(name, &link),
                    Form::Csv => report.csv(),
                }
            }
            Content::Scoreboard(folder) => {
                let report = SweepReport::of_folder(folder);
                match form {
                    Form::Html => report.scoreboard_html(name),
                    Form::Markdown | Form::Csv => report.scoreboard_markdown(name),
                }
            }
            Content::Replay(folder) => {
                let report = ReplayReport::of(name, folder);
                match form {
                    Form::Html => report.html(),
                    Form::Markdown => report.markdown(),
                    Form::Csv => report.csv(),
                }
            }
            Content::Collection(replays, claims) => {
                let report = CollectionReport::of(name, replays, claims.as_ref());
                match form {
                    Form::Html => report.html(),
                    Form::Markdown => report.markdown(),
                    Form::Csv => report.csv(),
                }
            }
        }
    }
}

/// What the certificate of an answer to an instance comes to.
fn checked(instance: &Path, answer: &Path, certificate: &Path) -> Result<Checked, Failure> {
    let (instance, source) = (read_instance(instance)?, SourceText::read(answer)?);
    let Answered { instance, solution, source } = read_answered(instance, None, source, true, true)?;
    let question = until_exit(instance).question()?;
    let best = solution.map(|solution| (solution, &source));
    explained(question.as_ref(), SourceText::read(certificate)?.text(), best)
}

fn replay_of(folder: &Path) -> Result<ReplayFolder, Failure> {
    let replay = ReplayFolder::read(folder)?;
    if replay.policies.is_empty() && replay.bound.is_none() {
        return Err(Failure::Input(format!(
            "{}: no policy has finished and there is no bound, so there is nothing to report. Replay until the first \
             policy has finished.",
            folder.display()
        )));
    }
    Ok(replay)
}

/// The replays in a folder's folders; nothing if there are none.
fn collection_of(folder: &Path) -> Result<Option<Content>, Failure> {
    let mut replays = Vec::new();
    for (name, path) in subfolders(folder)? {
        if ReplayFolder::is_one(&path) {
            replays.push((name, ReplayFolder::read(&path)?));
        }
    }
    if replays.is_empty() {
        return Ok(None);
    }
    let claims = folder.join(CLAIMS_FILE);
    let claims = if claims.exists() {
        let names = replays.iter().map(|(name, _)| name.as_str());
        Some(Claims::parse(&SourceText::read(&claims)?, names)?)
    } else {
        None
    };
    Ok(Some(Content::Collection(replays, claims)))
}

fn sweep_of(folder: &Path) -> Result<SweepFolder, Failure> {
    let sweep = SweepFolder::read(folder)?;
    if sweep.rows.is_empty() {
        return Err(Failure::Input(format!(
            "{}: no row is complete, so there is nothing to report. Run the sweep until its first row is written.",
            folder.join(ROWS_FILE).display()
        )));
    }
    Ok(sweep)
}

/// The folder's own name, even if it was named as `.`.
fn name_of(folder: &Path) -> String {
    let absolute = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    absolute.file_name().map_or_else(|| "/".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Finds the way from a report to the instances.
struct Links {
    /// The sweep's folder.
    folder: PathBuf,
    /// The report's folder, absolute; none if it cannot be found.
    report: Option<PathBuf>,
}

impl Links {
    fn new(folder: &Path, report: &Path) -> Self {
        let parent =
            report.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Links { folder: folder.to_owned(), report: parent.canonicalize().ok() }
    }

    /// The reference to an instance's file, if that can be found. Rows name it below the sweep's folder, or as the
    /// command line did.
    fn to(&self, path: &str) -> Option<String> {
        let file = [self.folder.join(path), PathBuf::from(path)].into_iter().find(|file| file.is_file())?;
        let steps = way(self.report.as_ref()?, &file.canonicalize().ok()?)?;
        Some([vec![".".to_owned()], steps].concat().join("/"))
    }
}

/// The steps from an absolute folder to another, or to a file.
fn way(from: &Path, to: &Path) -> Option<Vec<String>> {
    let (from, to): (Vec<Component>, Vec<Component>) =
        (from.components().collect(), to.components().collect());
    let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = from[common..].iter().map(|_| Some("..".to_owned()));
    let down = to[common..].iter().map(|part| part.as_os_str().to_str().map(encoded));
    up.chain(down).collect()
}

/// A part of a path as a reference has it: everything but unreserved characters as `%` and two digits.
fn encoded(part: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    part.bytes().map(encode).collect()
}

//! `scontrol show job -d`: jobs with the positions of their devices.

use super::Gres;
use super::host_list::expanded;
use crate::place::{Place, Record};
use ground::{InputError, SourceText};

/// A job.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its number.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub user: String,
    /// `RUNNING`, `PENDING`, ...
    pub state: String,
    /// Whether Slurm may stop it and start it again.
    pub requeue: bool,
    /// The number that the jobs of an array share.
    pub array: Option<u64>,
    /// Devices by node.
    pub devices: Vec<Record<NodeDevices>>,
    /// What it asks for on each node.
    pub wanted: Vec<Gres>,
    /// How many nodes it asks for at least.
    pub nodes: u32,
    /// Where it may be.
    pub place: JobPlace,
}

/// What a job asks of its nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobPlace {
    /// The partitions in one of which it runs; empty where that is not told.
    pub partitions: Vec<String>,
    /// Features (`--constraint`): of each of these lists a node has one.
    pub features: Vec<Vec<String>>,
    /// Whether there is a constraint on features that cannot be said like this: counts, and alternatives that have several features.
    pub has_other_features: bool,
    /// Nodes that it must have (`--nodelist`).
    pub wanted: Vec<String>,
    /// Nodes that it may not have (`--exclude`).
    pub excluded: Vec<String>,
}

impl JobPlace {
    fn take_features(&mut self, text: &str) {
        let is_plain = |feature: &str| {
            !feature.is_empty() && !feature.contains(['&', ',', '|', '*', '(', ')', '[', ']', '!'])
        };
        for factor in text.split(['&', ',']) {
            let inside = factor
                .strip_prefix('[')
                .and_then(|inside| inside.strip_suffix(']'))
                .or_else(|| factor.strip_prefix('(')?.strip_suffix(')'))
                .unwrap_or(factor);
            let is_alternative = inside.contains('|');
            let any: Vec<String> = inside.split('|').map(str::to_owned).collect();
            // Without brackets `a&b|c` is read in other ways by other versions.
            let is_clear = !is_alternative || inside != factor || factor == text;
            if is_clear && any.iter().all(|feature| is_plain(feature)) {
                self.features.push(any);
            } else {
                self.has_other_features = true;
            }
        }
    }
}

/// Devices of a job on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeDevices {
    /// The node.
    pub node: String,
    /// The devices.
    pub gres: Vec<Gres>,
}

pub(crate) fn recognises(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("JobId=")) || text.trim() == NO_JOBS
}

const NO_JOBS: &str = "No jobs in the system";

/// Reads the jobs.
///
/// # Errors
/// When a job lacks its state, which it does when the file was cut, and when a device cannot be read.
pub fn read(source: &SourceText) -> Result<Vec<Record<Job>>, InputError> {
    let mut jobs: Vec<Record<Job>> = Vec::new();
    for (position, line) in source.text().lines().enumerate() {
        let (place, line) = (Place::line_at(position), line.trim());
        let broken = |what: &str| {
            place.error(
                source,
                format!("{what}. Write the whole output of `scontrol show job -d` to the file again."),
            )
        };
        if let Some(rest) = line.strip_prefix("JobId=") {
            jobs.last().map_or(Ok(()), |job| complete(source, job))?;
            let id = rest.split_whitespace().next().and_then(|id| id.parse().ok());
            let id =
                id.ok_or_else(|| broken("a job begins with its number, as in `JobId=4703 JobName=chat-0`"))?;
            let name = rest.split_once("JobName=").map(|(_, name)| name.trim()).unwrap_or_default();
            let value = Job {
                id,
                name: name.to_owned(),
                user: String::new(),
                state: String::new(),
                requeue: true,
                array: field(rest, "ArrayJobId").and_then(|array| array.parse().ok()),
                devices: Vec::new(),
                wanted: Vec::new(),
                nodes: 1,
                place: JobPlace::default(),
            };
            jobs.push(Record { value, place });
            continue;
        }
        let Some(job) = jobs.last_mut().map(|record| &mut record.value) else { continue };
        if let Some(user) = field(line, "UserId") {
            job.user = user.split_once('(').map_or(user, |(user, _)| user).to_owned();
        }
        if let Some(state) = field(line, "JobState") {
            job.state = state.to_owned();
        }
        if let Some(requeue) = field(line, "Requeue") {
            job.requeue = requeue != "0";
        }
        if let Some(nodes) = field(line, "NumNodes") {
            let least = nodes.split('-').next().unwrap_or_default();
            job.nodes = least.parse().map_err(|_| broken("`NumNodes` must be a number"))?;
        }
        let listed = |text: &str| text.split(',').map(str::to_owned).collect();
        if let Some(partitions) = field(line, "Partition") {
            job.place.partitions = listed(partitions);
        }
        if let Some(features) = field(line, "Features") {
            job.place.take_features(features);
        }
        if let Some(nodes) = field(line, "ReqNodeList") {
            job.place.wanted = expanded(nodes);
        }
        if let Some(nodes) = field(line, "ExcNodeList") {
            job.place.excluded = expanded(nodes);
        }
        if let Some(wanted) = field(line, "TresPerNode").or_else(|| field(line, "TresPerJob")) {
            job.wanted = Gres::list(wanted).ok_or_else(|| broken("the devices cannot be read"))?;
        }
        if let (true, Some(nodes), Some(gres)) =
            (line.starts_with("Nodes="), field(line, "Nodes"), field(line, "GRES"))
        {
            let gres = Gres::list(gres).ok_or_else(|| broken("the devices cannot be read"))?;
            if !gres.is_empty() {
                let of_node = |node| Record { value: NodeDevices { node, gres: gres.clone() }, place };
                job.devices.extend(expanded(nodes).into_iter().map(of_node));
            }
        }
    }
    jobs.last().map_or(Ok(()), |job| complete(source, job))?;
    Ok(jobs)
}

fn field<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let value = line.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='))?;
    (!matches!(value, "" | "(null)" | "N/A")).then_some(value)
}

/// A job that runs has devices on its nodes, or no detail of it was asked for; one without a state was cut.
fn complete(source: &SourceText, job: &Record<Job>) -> Result<(), InputError> {
    if !job.value.state.is_empty() {
        return Ok(());
    }
    let message = format!(
        "job {} has no `JobState`. The file was cut off; write the whole output of `scontrol show job -d` to it again.",
        job.value.id
    );
    Err(job.place.error(source, message))
}

impl Job {
    /// Whether it has its devices now.
    pub fn holds(&self) -> bool {
        matches!(
            self.state.as_str(),
            "RUNNING" | "SUSPENDED" | "COMPLETING" | "CONFIGURING" | "STOPPED" | "SIGNALING"
        )
    }

    /// Whether it waits.
    pub fn waits(&self) -> bool {
        self.state == "PENDING"
    }
}

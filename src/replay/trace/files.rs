//! From the files of a trace to the trace.

use super::super::document::TraceSummary;
use super::super::moment::Moment;
use super::fingerprint::fingerprint;
use super::hosts::HostChoice;
use super::pods::PodReading;
use super::{Trace, Visit, arrivals, document, fleet, nodes, pods};
use cluster::Cluster;
use ground::{InputError, SourceText, grouped};
use mig::Board;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where a trace comes from.
#[derive(Clone, Debug)]
pub struct TraceFiles {
    /// The files.
    pub form: TraceForm,
    /// Which of the hosts there are.
    pub hosts: HostChoice,
}

/// The forms in which traces come.
#[derive(Clone, Debug)]
pub enum TraceForm {
    /// Two tables of Alibaba's GPU trace of 2023.
    Pods {
        /// The table of hosts.
        nodes: PathBuf,
        /// The board of hosts for which the table names none.
        board: Arc<Board>,
        /// The table of pods.
        pods: PathBuf,
        /// How pods become virtual machines.
        reading: PodReading,
    },
    /// The same table of hosts, and a table of virtual machines that name their profiles.
    Arrivals {
        /// The table of hosts.
        nodes: PathBuf,
        /// The board of hosts for which the table names none.
        board: Arc<Board>,
        /// The table of virtual machines.
        arrivals: PathBuf,
    },
    /// Everything in one YAML file.
    Document(PathBuf),
}

impl TraceFiles {
    /// Reads the trace, as it is but for the choice of hosts and pods, and says what it is in numbers.
    ///
    /// # Errors
    /// The first rule that a file breaks, with its line and column or field.
    pub fn load(&self) -> Result<(Trace, TraceSummary), InputError> {
        match &self.form {
            TraceForm::Pods { nodes: path, board, pods: pods_path, reading } => {
                let mut nodes = nodes::read(path, board, stem(pods_path))?;
                let visits = pods::read(pods_path, reading, &mut nodes)?;
                let files = vec![file_name(path), file_name(pods_path)];
                self.finish(&nodes.source, nodes.cluster, visits, files, nodes.notes)
            }
            TraceForm::Arrivals { nodes: path, board, arrivals: arrivals_path } => {
                let mut nodes = nodes::read(path, board, stem(arrivals_path))?;
                let visits = arrivals::read(arrivals_path, &mut nodes)?;
                let files = vec![file_name(path), file_name(arrivals_path)];
                self.finish(&nodes.source, nodes.cluster, visits, files, nodes.notes)
            }
            TraceForm::Document(path) => {
                if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv")) {
                    let message =
                        "--trace takes a trace in YAML. Give tables with --nodes and --pods or --arrivals.";
                    return Err(SourceText::new(path.display().to_string(), "").error(message));
                }
                let source = SourceText::read(path)?;
                let (cluster, visits) = document::read(&source)?;
                self.finish(&source, cluster, visits, vec![file_name(path)], Vec::new())
            }
        }
    }

    /// Chooses the hosts, sorts the virtual machines and sums up.
    fn finish(
        &self,
        source: &SourceText,
        cluster: Cluster,
        mut visits: Vec<Visit>,
        files: Vec<String>,
        mut notes: Vec<String>,
    ) -> Result<(Trace, TraceSummary), InputError> {
        let (hosts, gpus) = (cluster.hosts.len(), cluster.gpus.len());
        let mut cluster = self.hosts.apply(cluster, source)?;
        fleet::sort_by_arrival(&mut cluster.workloads, &mut visits);
        let trace = Trace { cluster, visits };
        let cluster = &trace.cluster;
        if cluster.gpus.len() < gpus {
            let number = |number: usize| grouped(&number.to_string());
            notes.push(format!(
                "{} of {} hosts and {} of {} GPUs chosen",
                number(cluster.hosts.len()),
                number(hosts),
                number(cluster.gpus.len()),
                number(gpus)
            ));
        }
        let profiles = trace.machines_by_request();
        let on_none = cluster.requests.iter().map(|request| request.on_board.iter().all(Option::is_none));
        let unserved: usize =
            profiles.iter().zip(on_none).filter(|(_, none)| *none).map(|(count, _)| count).sum();
        if unserved > 0 {
            let unserved = grouped(&unserved.to_string());
            notes.push(format!(
                "{unserved} virtual machines ask for profiles that no GPU of the fleet has; no policy can accept them"
            ));
        }
        let second =
            |visit: Option<&Visit>| visit.map_or(Moment::default(), |visit| visit.arrival).seconds().to_f64();
        let summary = TraceSummary {
            files,
            fingerprint: fingerprint(&trace),
            hosts: cluster.hosts.len(),
            gpus: cluster.gpus.len(),
            boards: cluster.boards.iter().map(|board| board.name().to_owned()).collect(),
            profiles: cluster.requests.iter().map(|request| request.names.join("|")).zip(profiles).collect(),
            arrivals: (second(trace.visits.first()), second(trace.visits.last())),
            notes,
        };
        Ok((trace, summary))
    }
}

impl Trace {
    /// Number of virtual machines by request.
    pub(super) fn machines_by_request(&self) -> Vec<usize> {
        let mut counts = vec![0; self.cluster.requests.len()];
        for machine in &self.cluster.workloads {
            counts[machine.request.index()] += 1;
        }
        counts
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

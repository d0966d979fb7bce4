//! The table of pods of Alibaba's GPU trace of 2023, whose demands become profiles as in Siavashi & Momtazpour, section 8.1.

use super::nodes::{Names, Nodes, cores};
use super::outliers::Fences;
use super::table::{Row, Table, TableKind};
use super::{Visit, fleet, times};
use cluster::RequestIndex;
use ground::{Amount, InputError, LARGEST_AMOUNT, LARGEST_COUNT, SourceText, did_you_mean, grouped};
use itertools::Itertools;
use kit::{Choice, Choices};
use mig::{Board, ProfileIndex, distinct_profiles};
use std::path::Path;

/// Thousandths of a GPU in a GPU.
const WHOLE_GPU: u64 = 1000;

/// What is done with pods of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeepOrDrop {
    /// They are kept.
    Keep,
    /// They are left out.
    Drop,
}

impl Choices for KeepOrDrop {
    const ALL: &'static [Choice<Self>] = &[
        Choice { name: "keep", help: "they are kept", value: KeepOrDrop::Keep },
        Choice { name: "drop", help: "they are left out", value: KeepOrDrop::Drop },
    ];
}

/// Which pods become virtual machines, and of which profiles.
///
/// A pod that wants more than one GPU is left out. The others want `u = num_gpu * gpu_milli / 1000` of a GPU. A profile offers
/// `U`, its compute slices times its slots. The pod gets the profile whose `U`, divided by the greatest `U`, is nearest to its
/// `u`, divided by the greatest `u` of the pods kept; of two that are equally near, the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PodReading {
    /// The profiles to choose from, of the board of the first host; by default one of each shape that the board has
    /// ([`distinct_profiles`]).
    pub profiles: Option<Vec<String>>,
    /// Pods that want no GPU; those that are kept get a profile like others.
    pub without_gpu: KeepOrDrop,
    /// Pods whose `creation_time` is beyond the interquartile fences: more than 1.5 interquartile ranges below the first or
    /// above the third quartile of all pods.
    pub outliers: KeepOrDrop,
}

impl Default for PodReading {
    fn default() -> Self {
        PodReading { profiles: None, without_gpu: KeepOrDrop::Keep, outliers: KeepOrDrop::Drop }
    }
}

struct Pod<'t> {
    name: &'t str,
    cpu: Amount,
    memory: Amount,
    /// Thousandths of a GPU.
    demand: u64,
    visit: Visit,
}

/// Reads the pods and adds them as virtual machines to the cluster of the hosts, in the order of the file.
pub(super) fn read(path: &Path, reading: &PodReading, nodes: &mut Nodes) -> Result<Vec<Visit>, InputError> {
    let table = Table::read(path, TableKind::Pods)?;
    let pods = pods(&table)?;
    let (kept, notes) = choose(&table, pods, reading)?;
    nodes.notes.extend(notes);
    let board = &nodes.cluster.boards[0];
    let candidates = candidates(board, reading, &nodes.source)?;
    let offers: Vec<u64> = candidates.iter().map(|&profile| offer(board, profile)).collect();
    let names = candidates.iter().map(|&profile| board.profile(profile).name.clone());
    nodes.cluster.requests = names.map(|name| fleet::request(&nodes.cluster, vec![name])).collect();
    let greatest = kept.iter().map(|pod| pod.demand).max().unwrap_or_default();
    nodes.cluster.workloads = kept
        .iter()
        .map(|pod| {
            let request = RequestIndex::at(nearest(pod.demand, greatest, &offers));
            fleet::newcomer(pod.name.to_owned(), request, pod.cpu, pod.memory)
        })
        .collect();
    Ok(kept.into_iter().map(|pod| pod.visit).collect())
}

/// All rows of the table.
fn pods(table: &Table) -> Result<Vec<Pod<'_>>, InputError> {
    let name_column = table.column("name")?;
    let cpu_column = table.column("cpu_milli")?;
    let memory_column = table.column("memory_mib")?;
    let count_column = table.column("num_gpu")?;
    let share_column = table.column("gpu_milli")?;
    let arrival_column = table.column("creation_time")?;
    let departure_column = table.column("deletion_time")?;
    table.must_have_rows()?;
    if table.row_count() > LARGEST_COUNT {
        let message = format!("there are more than {LARGEST_COUNT} pods. Cut the file.");
        return Err(table.source.error(message));
    }
    let mut names = Names::new("pods", name_column.name);
    let pod = |row: Row<'_>, name| {
        let count = row.whole(count_column, LARGEST_COUNT as u64)?;
        let share = row.whole(share_column, WHOLE_GPU)?;
        let refuse = |message: String| row.error(message);
        let arrival = times::moment(arrival_column.name, row.amount(arrival_column)?).map_err(refuse)?;
        let departure = match row.text(departure_column) {
            "" => None,
            _ => {
                let seconds = row.amount(departure_column)?;
                let came = (arrival_column.name, arrival);
                Some(times::departure(came, (departure_column.name, seconds)).map_err(refuse)?)
            }
        };
        Ok(Pod {
            name,
            cpu: cores(row.whole(cpu_column, LARGEST_AMOUNT as u64)?),
            memory: row.amount(memory_column)?,
            demand: count * share,
            visit: Visit { arrival, departure },
        })
    };
    table.rows().map(|row| pod(row, names.add(row, row.text(name_column))?)).collect()
}

/// The pods that become virtual machines, and what to say about the others.
fn choose<'t>(
    table: &Table,
    pods: Vec<Pod<'t>>,
    reading: &PodReading,
) -> Result<(Vec<Pod<'t>>, Vec<String>), InputError> {
    let all = pods.len();
    let moment = |pod: &Pod<'_>| i128::from(pod.visit.arrival.0);
    let fences = match reading.outliers {
        KeepOrDrop::Keep => None,
        KeepOrDrop::Drop => Fences::of(pods.iter().map(moment).collect()),
    };
    let (mut large, mut far, mut without) = (0, 0, 0);
    let is_kept = |pod: &Pod<'_>| {
        let counter = if pod.demand > WHOLE_GPU {
            &mut large
        } else if fences.is_some_and(|fences| !fences.hold(moment(pod))) {
            &mut far
        } else if pod.demand == 0 && reading.without_gpu == KeepOrDrop::Drop {
            &mut without
        } else {
            return true;
        };
        *counter += 1;
        false
    };
    let kept: Vec<Pod<'t>> = pods.into_iter().filter(is_kept).collect();
    let notes: Vec<String> = [
        (large, "they request more than one GPU"),
        (far, "their `creation_time` is beyond the interquartile fences"),
        (without, "they request no GPU"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, why)| {
        let (count, all) = (grouped(&count.to_string()), grouped(&all.to_string()));
        format!("{count} of {all} pods left out: {why}")
    })
    .collect();
    if kept.is_empty() {
        let message = format!("no pod is left: {}. Give others, or keep these.", notes.join("; "));
        return Err(table.source.error(message));
    }
    Ok((kept, notes))
}

/// The profiles that pods are given.
fn candidates(
    board: &Board,
    reading: &PodReading,
    nodes: &SourceText,
) -> Result<Vec<ProfileIndex>, InputError> {
    let Some(names) = &reading.profiles else { return Ok(distinct_profiles(board)) };
    let mut chosen = Vec::new();
    for name in names {
        let known = || board.profiles().iter().map(|profile| profile.name.as_str());
        let profile = board.find_profile(name).ok_or_else(|| {
            let guess = did_you_mean(name, known());
            let known = known().join(", ");
            nodes.error(format!(
                "--profiles: board {}, that of the first host, has no profile \"{name}\"{guess}. Its profiles: {known}.",
                board.name()
            ))
        })?;
        if chosen.contains(&profile) {
            let name = &board.profile(profile).name;
            return Err(nodes.error(format!("--profiles: {name} is given twice. Keep one.")));
        }
        chosen.push(profile);
    }
    Ok(chosen)
}

/// What a profile offers: compute slices times slots.
fn offer(board: &Board, profile: ProfileIndex) -> u64 {
    let profile = board.profile(profile);
    u64::from(profile.compute) * u64::from(profile.size)
}

/// The position of the offer whose share of the greatest offer is nearest to the demand's share of the greatest demand.
fn nearest(demand: u64, greatest: u64, offers: &[u64]) -> usize {
    let most = offers.iter().copied().max().unwrap_or_default();
    // If no pod wants anything, every demand is 0 of whatever.
    let greatest = greatest.max(1);
    let distance = |position: &usize| (offers[*position] * greatest).abs_diff(demand * most);
    (0..offers.len()).min_by_key(distance).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_compared_exactly_and_the_first_of_two_wins() {
        let offers = [1, 2, 4, 12, 16, 56];
        let given: Vec<usize> =
            [0, 27, 360, 359, 643, 642, 1000].map(|demand| nearest(demand, 1000, &offers)).into();
        // 36/56 is halfway between 16/56 and 56/56: 642.857... thousandths.
        assert_eq!(given, [0, 1, 4, 4, 5, 4, 5]);
        assert_eq!(nearest(3, 4, &[1, 2]), 0, "as far from 1/2 as from 2/2");
        assert_eq!(nearest(0, 0, &[7, 3]), 1, "no pod wants anything");
    }
}

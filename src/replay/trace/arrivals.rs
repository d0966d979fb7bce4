//! The user's own table of virtual machines: `name`, `profile`, `arrival`, `departure` or `lifetime`, and what they need of hosts.

use super::nodes::{Names, Nodes, cores};
use super::table::{Column, Row, Table, TableKind};
use super::{Visit, fleet, times};
use cluster::{Cluster, RequestIndex};
use ground::{Amount, InputError, LARGEST_AMOUNT, LARGEST_COUNT, did_you_mean};
use itertools::Itertools;
use std::collections::BTreeMap;
use std::path::Path;

/// MiB in a GiB.
const MEBIBYTES: i128 = 1024;

/// Reads the virtual machines and adds them to the cluster of the hosts, in the order of the file.
pub(super) fn read(path: &Path, nodes: &mut Nodes) -> Result<Vec<Visit>, InputError> {
    let table = Table::read(path, TableKind::Arrivals)?;
    let name_column = table.column("name")?;
    let profile_column = table.column("profile")?;
    let arrival_column = table.column("arrival")?;
    let end_column = table.one_of("departure", "lifetime")?;
    let cpu_column = table.either("cpu", "cpu_milli")?;
    let memory_column = table.either("memory_gib", "memory_mib")?;
    table.must_have_rows()?;
    if table.row_count() > LARGEST_COUNT {
        let message = format!("there are more than {LARGEST_COUNT} virtual machines. Cut the file.");
        return Err(table.source.error(message));
    }
    let cluster = &mut nodes.cluster;
    let mut names = Names::new("virtual machines", name_column.name);
    let mut requests: BTreeMap<&str, RequestIndex> = BTreeMap::new();
    let mut visits = Vec::with_capacity(table.row_count());
    for row in table.rows() {
        let name = names.add(row, row.text(name_column))?;
        let wanted = row.text(profile_column);
        let request = match requests.get(wanted) {
            Some(&request) => request,
            None => {
                let request = request(cluster, row, profile_column)?;
                requests.insert(wanted, request);
                request
            }
        };
        visits.push(visit(row, arrival_column, end_column)?);
        let cpu = match cpu_column {
            None => Amount::ZERO,
            Some(column) if column.name == "cpu" => row.amount(column)?,
            Some(column) => cores(row.whole(column, LARGEST_AMOUNT as u64)?),
        };
        let memory = match memory_column {
            None => Amount::ZERO,
            Some(column) if column.name == "memory_gib" => row.amount(column)? * MEBIBYTES,
            Some(column) => row.amount(column)?,
        };
        cluster.workloads.push(fleet::newcomer(name.to_owned(), request, cpu, memory));
    }
    fleet::sort_requests(cluster);
    Ok(visits)
}

/// The request of a row, which the cluster then has.
fn request(cluster: &mut Cluster, row: Row<'_>, column: Column) -> Result<RequestIndex, InputError> {
    let names: Vec<String> = row.text(column).split('|').map(|name| name.trim().to_owned()).collect();
    for name in &names {
        if name.is_empty() {
            return Err(row.must_be(column, "a profile such as 1g.5gb, or several with | between them"));
        }
        if cluster.boards.iter().all(|board| board.find_profile(name).is_none()) {
            let profiles = cluster.boards.iter().flat_map(|board| board.profiles());
            let known: Vec<&str> = profiles.map(|profile| profile.name.as_str()).unique().collect();
            let guess = did_you_mean(name, known.iter().copied());
            let message = format!(
                "`profile`: no board of the hosts has a profile \"{name}\"{guess}. Their profiles: {}.",
                known.join(", ")
            );
            return Err(row.error(message));
        }
    }
    let known = cluster.requests.iter().position(|request| request.names == names);
    Ok(RequestIndex::at(known.unwrap_or_else(|| {
        cluster.requests.push(fleet::request(cluster, names));
        cluster.requests.len() - 1
    })))
}

fn visit(row: Row<'_>, arrival_column: Column, end_column: Column) -> Result<Visit, InputError> {
    let refuse = |message: String| row.error(message);
    let arrival = times::moment(arrival_column.name, row.amount(arrival_column)?).map_err(refuse)?;
    if row.text(end_column).is_empty() {
        return Ok(Visit { arrival, departure: None });
    }
    let (came, ends) = ((arrival_column.name, arrival), (end_column.name, row.amount(end_column)?));
    let departure =
        if end_column.name == "departure" { times::departure(came, ends) } else { times::after(came, ends) };
    Ok(Visit { arrival, departure: Some(departure.map_err(refuse)?) })
}

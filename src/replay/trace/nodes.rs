//! The table of hosts: `sn`, `cpu_milli`, `memory_mib`, `gpu`, and `board` where the hosts differ.

use super::fleet;
use super::table::{Row, Table, TableKind};
use cluster::{Cluster, Host};
use ground::{Amount, InputError, LARGEST_AMOUNT, LARGEST_COUNT, SourceText, unfit_for_a_name};
use kit::board_of_catalogue;
use mig::Board;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// A millicore in cores.
const MILLICORE: Amount = Amount::from_millionths(1000);

/// The hosts with GPUs, and what to say about the others.
pub(super) struct Nodes {
    pub(super) source: SourceText,
    pub(super) cluster: Cluster,
    pub(super) notes: Vec<String>,
}

/// Reads the hosts. A host whose `board` is not given has the board given here. Hosts without GPU are left out.
pub(super) fn read(path: &Path, board: &Arc<Board>, name: String) -> Result<Nodes, InputError> {
    let table = Table::read(path, TableKind::Nodes)?;
    let name_column = table.column("sn")?;
    let cpu_column = table.column("cpu_milli")?;
    let memory_column = table.column("memory_mib")?;
    let gpu_column = table.column("gpu")?;
    let board_column = table.optional("board")?;
    table.must_have_rows()?;
    let mut cluster = fleet::empty(name);
    let mut names = Names::new("hosts", "sn");
    let mut without_gpu = 0;
    for row in table.rows() {
        let name = names.add(row, row.text(name_column))?;
        let cpu = cores(row.whole(cpu_column, LARGEST_AMOUNT as u64)?);
        let memory = row.amount(memory_column)?;
        let gpus = row.whole(gpu_column, LARGEST_COUNT as u64)?;
        let own = board_column.map_or("", |column| row.text(column));
        let board = match own {
            "" => Arc::clone(board),
            name => board_of_catalogue(name).map_err(|message| row.error(format!("`board`: {message}")))?,
        };
        if gpus == 0 {
            without_gpu += 1;
            continue;
        }
        if cluster.gpus.len() as u64 + gpus > LARGEST_COUNT as u64 {
            let message = format!("`gpu`: the hosts have more than {LARGEST_COUNT} GPUs. Lower it.");
            return Err(row.error(message));
        }
        let host = Host {
            name: name.to_owned(),
            cpu: Some(cpu),
            memory: Some(memory),
            weight: None,
            max_disrupted: None,
        };
        fleet::add_host(&mut cluster, host, &board, gpus);
    }
    if cluster.hosts.is_empty() {
        let message = "no host has a GPU: `gpu` is 0 in every row. Give the hosts that carry GPUs.";
        return Err(table.source.error(message));
    }
    let notes = match without_gpu {
        0 => Vec::new(),
        count => vec![format!("{count} of {} hosts left out: they have no GPU", table.row_count())],
    };
    Ok(Nodes { source: table.source, cluster, notes })
}

/// Cores of a number of millicores.
pub(super) fn cores(millicores: u64) -> Amount {
    MILLICORE * i128::from(millicores)
}

/// Names that were given already, and the rows that give them.
pub(super) struct Names<'t> {
    kind: &'static str,
    column: &'static str,
    rows: BTreeMap<&'t str, Row<'t>>,
}

impl<'t> Names<'t> {
    pub(super) fn new(kind: &'static str, column: &'static str) -> Self {
        Names { kind, column, rows: BTreeMap::new() }
    }

    /// The name, if it is one and no other host has it.
    pub(super) fn add(&mut self, row: Row<'t>, name: &'t str) -> Result<&'t str, InputError> {
        let (kind, column) = (self.kind, self.column);
        if name.is_empty() {
            return Err(row.error(format!("`{column}` is empty. All {kind} need a name; give one.")));
        }
        if let Some(character) = unfit_for_a_name(name) {
            let message =
                format!("`{column}` is \"{name}\": a name must not contain {character:?}. Leave it out.");
            return Err(row.error(message));
        }
        match self.rows.insert(name, row) {
            None => Ok(name),
            Some(first) => {
                let line = first.line().unwrap_or_default();
                let message = format!(
                    "`{column}`: two {kind} are called \"{name}\" (the other one at line {line}). Rename one."
                );
                Err(row.error(message))
            }
        }
    }
}

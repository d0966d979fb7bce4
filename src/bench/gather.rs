//! From the rows of shards to those of a sweep.

use super::ledger::{open_locked, remove, replace, sync_folder, texts};
use super::ledger_error::LedgerError;
use super::plan::Plan;
use super::record::Key;
use super::rows::{EARLIER_FILE, Line, ROWS_FILE, read_lines};
use super::shard::{Shard, shards_in};
use ground::{counted, grouped};
use itertools::Itertools;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Shards that are named where rows of many are missing.
const MOST_NAMED: usize = 5;

/// Brings the rows of all shards into the sweep's file of rows, in the order of the plan, and says how many there are. A row that
/// several shards made counts once; rows that the plan does not ask for go to the file of earlier rows.
///
/// # Errors
/// When a shard still runs, when rows are missing, when there is no sweep in the folder, and when a file there is broken or cannot be
/// written. Nothing is changed then.
pub fn gather(folder: &Path) -> Result<usize, LedgerError> {
    let plan = Plan::read(folder)?.ok_or_else(|| LedgerError::NoSweep(folder.to_owned()))?;
    let path = folder.join(ROWS_FILE);
    let file = open_locked(folder, &path)?;
    let index = plan.index();
    let mut seen: BTreeSet<Key> = BTreeSet::new();
    let (mut asked, mut others) = (Vec::new(), Vec::new());
    let mut take = |file: &Path| -> Result<usize, LedgerError> {
        let before = asked.len();
        for Line { text, row } in read_lines(file)? {
            let row = row?;
            match index.changes(&row).is_empty() {
                true if seen.insert(row.key()) => asked.push((index.position(&row), text)),
                true => {}
                false => others.push(text),
            }
        }
        Ok(asked.len() - before)
    };
    take(&path)?;
    let shards = shards_in(folder);
    let mut found = BTreeMap::new();
    for (shard, file) in &shards {
        found.insert(*shard, take(file)?);
    }
    if asked.len() < plan.rows {
        let missing = missing(plan.rows, asked.len(), &found);
        return Err(LedgerError::Missing { folder: folder.to_owned(), missing });
    }
    asked.sort_by_key(|(position, _)| *position);
    let unusable = |error| LedgerError::Unusable { path: path.clone(), error };
    if !others.is_empty() {
        let earlier = texts(&read_lines(&folder.join(EARLIER_FILE))?);
        replace(&folder.join(EARLIER_FILE), &[others, earlier].concat()).map_err(unusable)?;
    }
    let rows: Vec<String> = asked.into_iter().map(|(_, text)| text).collect();
    replace(&path, &rows).map_err(unusable)?;
    sync_folder(folder).map_err(unusable)?;
    remove(shards).map_err(unusable)?;
    drop(file);
    Ok(rows.len())
}

/// How many rows are missing, and from which shards, where these alone made what is there.
fn missing(asked: usize, there: usize, found: &BTreeMap<Shard, usize>) -> String {
    let verb = if asked - there == 1 { "is" } else { "are" };
    let all =
        format!("{} of {} {verb} missing", grouped(&(asked - there).to_string()), counted(asked, "row"));
    let Ok(of) = found.keys().map(|shard| shard.of()).unique().exactly_one() else { return all };
    let lacks = |shard: Shard| {
        (shard, shard.rows(asked) - found.get(&shard).copied().unwrap_or(0).min(shard.rows(asked)))
    };
    let lacking: Vec<(Shard, usize)> = Shard::all(of).map(lacks).filter(|(_, rows)| *rows > 0).collect();
    if lacking.iter().map(|(_, rows)| rows).sum::<usize>() != asked - there {
        return all;
    }
    let named = lacking
        .iter()
        .take(MOST_NAMED)
        .map(|(shard, rows)| format!("{} of {shard}", grouped(&rows.to_string())));
    let more = match lacking.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and those of {}", counted(more, "other shard")),
    };
    format!("{all}, {}{more}", named.format(", "))
}

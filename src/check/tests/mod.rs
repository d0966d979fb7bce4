//! Verdicts against playing every choice of the driver; configuration files, remarks and dry runs against what mig-parted does.

mod applying;
mod played;
mod reading;
mod remarks;
mod verdicts;

use crate::{CheckDocument, ConfigurationDocument, ConfigurationFile, Fleet, State, Strategy, check};
use ground::SourceText;
use mig::{Board, Lookup, catalogue};
use std::path::Path;
use std::sync::Arc;

fn board(name: &str) -> Arc<Board> {
    match catalogue().find(name) {
        Lookup::Found(board) => board,
        other => panic!("{name}: {other:?}"),
    }
}

fn file(text: &str) -> ConfigurationFile {
    ConfigurationFile::parse(SourceText::new("config.yaml", text)).unwrap_or_else(|error| panic!("{error}"))
}

/// A file of the small cluster in every operator's format.
fn shipped(name: &str) -> SourceText {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instances/operators/two-nodes");
    SourceText::read(&folder.join(name)).unwrap()
}

/// The check of a text for GPUs of a board.
fn checked(text: &str, board_name: &str, gpus: u32) -> CheckDocument {
    check(&file(text), &Fleet::Like(board(board_name), Some(gpus)), None, None).unwrap()
}

/// The check of the one configuration of a text for nodes that are known.
fn checked_on(text: &str, state: State, strategy: Option<Strategy>) -> ConfigurationDocument {
    let mut document = check(&file(text), &Fleet::Known(state), None, strategy).unwrap();
    assert_eq!(document.configurations.len(), 1);
    document.configurations.remove(0)
}

/// Names of the remarks on a configuration, in order.
fn rules(configuration: &ConfigurationDocument) -> Vec<&str> {
    configuration.lints.iter().map(|lint| lint.rule.as_str()).collect()
}

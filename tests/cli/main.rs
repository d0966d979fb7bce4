//! The command `migopt`.

mod certificate;
mod documents;
mod explain;
mod export;
mod input_errors;
mod library;
mod oracle;
mod oracle_page;
mod oracle_stream;
mod pareto;
mod replay;
mod shards;
mod sharing;
mod siavashi;
mod signals;
mod slurm;
mod solve;
mod solvers;
mod summary;
mod sweep;
mod terminal;
mod trace;
mod verify;
mod vipr;

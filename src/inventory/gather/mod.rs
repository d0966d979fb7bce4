//! The join of all files: GPUs, their instances, and who uses these.

mod boards;
mod cluster_facts;
mod devices;
mod facts;
mod gpus;
mod layouts;
mod reading;
mod slurm_devices;
mod users;

use facts::Told;
use gpus::Nodes;
use ground::InputError;
use itertools::Itertools;
use mig::Board;
use reading::Read;
use std::sync::Arc;

pub(crate) use cluster_facts::{ClusterFacts, KnownPod};
pub use facts::{Gpu, Instance, Mig, State, Unknown, User};
pub(crate) use reading::File;

/// What all files tell together.
pub(crate) struct Gathered {
    pub files: Vec<File>,
    pub gpus: Vec<Gpu>,
    pub cluster: ClusterFacts,
    pub left_out: Vec<(String, String)>,
    pub unknown: Vec<Unknown>,
    pub remarks: Vec<String>,
}

impl Gathered {
    /// Reads all files and joins them.
    pub fn join(files: Vec<super::InputFile>, board: Option<&Arc<Board>>) -> Result<Self, InputError> {
        let read = Read::all(files)?;
        let cluster = ClusterFacts::of(&read);
        let mut nodes = Nodes::default();
        nodes.identify(&read)?;
        nodes.find_indices(&read);
        nodes.add_from_listings(&read)?;
        boards::find(&mut nodes, &cluster, board);
        let mut told = Told { unknown: Vec::new(), remarks: read.remarks.clone() };
        layouts::read(&mut nodes, &read)?;
        devices::attach(&mut nodes, &read)?;
        users::find(&mut nodes, &read, &cluster, &mut told);
        let (gpus, left_out) = nodes.finish(&mut told);
        let Told { mut unknown, remarks } = told;
        unknown.sort();
        unknown.dedup();
        let files = read.into_files();
        Ok(Gathered {
            files,
            gpus,
            cluster,
            left_out,
            unknown,
            remarks: remarks.into_iter().unique().collect(),
        })
    }
}

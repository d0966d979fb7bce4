//! Instances of configurations.

use crate::instance::{Allocation, Gpu, SizeIndex};

/// An instance of a configuration, (lambda, gamma).
#[derive(Clone, Copy, Debug)]
pub struct ConfiguredInstance {
    /// The configuration, by its position.
    pub configuration: usize,
    /// Its number among the configuration's instances, the largest first, from 1 on.
    pub number: usize,
    /// Its size.
    pub size: SizeIndex,
}

/// All instances of all configurations.
pub fn instances_of(configurations: &[Allocation]) -> Vec<ConfiguredInstance> {
    let of_one = |(configuration, contents): (usize, &Allocation)| {
        let sizes: Vec<SizeIndex> = contents.sizes().collect();
        (1..).zip(sizes).map(move |(number, size)| ConfiguredInstance { configuration, number, size })
    };
    configurations.iter().enumerate().flat_map(of_one).collect()
}

/// The instance in names of columns and rows: `4g+2g+1g,2`.
pub fn instance_name(gpu: &Gpu, configurations: &[Allocation], instance: &ConfiguredInstance) -> String {
    format!("{},{}", gpu.name(&configurations[instance.configuration]), instance.number)
}

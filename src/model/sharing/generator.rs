//! The flags of `migopt generate sharing`.

use super::generate::{Family, GeneratorOptions, ServerCost, generate};
use super::section::Optimum;
use super::software::Detail;
use crate::model::{InstanceFile, share};
use clap::FromArgMatches;

const LARGEST_PAGE_KIB: u64 = 2048;

/// What the generated instances look like.
#[derive(Debug, clap::Args)]
pub struct GeneratorFlags {
    /// Which virtual machines there are, and on which servers
    #[arg(long, value_enum, default_value_t = Family::Paper)]
    family: Family,
    /// Number of virtual machines [default: 500 for stream, else 20]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    vms: Option<u32>,
    /// Number of servers [default: for stream one for each virtual machine; else 15 for 20, in proportion for more, one each for
    /// fewer up to 15]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    servers: Option<u32>,
    /// Share of the virtual machines of a stream that have a type with low requests, in thousandths at the finest
    /// [default: 0.85]
    #[arg(long, value_parser = thousandths)]
    low: Option<u32>,
    /// Which pages of the software are common to the virtual machines that have it
    #[arg(long, value_enum, default_value_t = Detail::Lean)]
    sharing: Detail,
    /// Order of arrival: 0 as drawn; each other number the same virtual machines in another order, as the paper's copies r1 to r5
    #[arg(long, default_value_t = 0)]
    shuffle: u32,
    /// Size of a page in KiB, a power of two of at most 2048
    #[arg(long, default_value_t = 1024, value_parser = page)]
    page_kib: u64,
    /// What a server counts when it is in use
    #[arg(long, value_enum, default_value_t = ServerCost::Unit)]
    cost: ServerCost,
    /// Setting `optimum` of the instances: which servers the optimum may use
    #[arg(long, value_enum, default_value_t = Optimum::AnyServers)]
    optimum: Optimum,
}

/// The generator that the flags ask for, by seed.
///
/// # Errors
/// When a flag does not go with the family.
pub fn generator(flags: &clap::ArgMatches) -> Result<Box<dyn Fn(u64) -> InstanceFile>, String> {
    let flags = GeneratorFlags::from_arg_matches(flags).map_err(|error| error.to_string())?;
    let family = flags.family;
    if flags.low.is_some() && family != Family::Stream {
        return Err(format!(
            "--low: only streams have a share of low requests, not the family {}. Leave it out, or use --family stream.",
            family.name()
        ));
    }
    let vms = flags.vms.unwrap_or(family.usual_vms());
    Ok(Box::new(move |seed| {
        let options = GeneratorOptions {
            family,
            vms,
            servers: flags.servers.unwrap_or(family.usual_servers(vms)),
            low_thousandths: flags.low.unwrap_or(850),
            sharing: flags.sharing,
            shuffle: flags.shuffle,
            page_kib: flags.page_kib,
            cost: flags.cost,
            optimum: flags.optimum,
            seed,
        };
        generate(&options)
    }))
}

fn thousandths(text: &str) -> Result<u32, String> {
    let thousandths = 1000.0 * share(text)?;
    if (thousandths - thousandths.round()).abs() > 1e-9 {
        return Err("give at most three digits after the point".to_owned());
    }
    Ok(thousandths.round() as u32)
}

fn page(text: &str) -> Result<u64, String> {
    let size: Option<u64> = text.parse().ok();
    let fits = |&size: &u64| size.is_power_of_two() && size <= LARGEST_PAGE_KIB;
    size.filter(fits).ok_or_else(|| {
        format!("give a power of two from 1 to {LARGEST_PAGE_KIB}, so that the software has whole pages")
    })
}

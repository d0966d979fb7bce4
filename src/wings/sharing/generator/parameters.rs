//! The parameters of the generator.

use super::drawing::generate;
use super::family::Family;
use super::options::{GeneratorOptions, ServerCost};
use super::software::Detail;
use crate::section::{Optimum, Section};
use kit::{Choices, Generator, Parameter, assign, no_choices, parameter_entries, put_choice, share, whole};

const LARGEST_PAGE_KIB: u64 = 2048;
/// Virtual machines, and servers, at most.
const MOST: u32 = 100_000;

const PARAMETERS: &[Parameter<GeneratorOptions>] = &[
    Parameter {
        name: "family",
        summary: "which virtual machines there are, and on which servers",
        choices: Family::entries,
        get: |options| Some(options.family.name().to_owned()),
        set: |options, text| put_choice(&mut options.family, text),
    },
    Parameter {
        name: "vms",
        summary: "number of virtual machines; by default 500 for stream, otherwise 20",
        choices: no_choices,
        get: |options| options.vms.map(|vms| vms.to_string()),
        set: |options, text| whole(text, 1..=MOST).map(|vms| options.vms = Some(vms)),
    },
    Parameter {
        name: "servers",
        summary: "number of servers; by default one per virtual machine for stream; otherwise one each for up to 15 virtual machines, \
                  15 for 16 to 20, and three for every four beyond",
        choices: no_choices,
        get: |options| options.servers.map(|servers| servers.to_string()),
        set: |options, text| whole(text, 1..=MOST).map(|servers| options.servers = Some(servers)),
    },
    Parameter {
        name: "low",
        summary: "share of the virtual machines of a stream that have a type with low requests, in thousandths at the finest; by \
                  default 0.85",
        choices: no_choices,
        get: |options| options.low_thousandths.map(|low| (f64::from(low) / 1000.0).to_string()),
        set: |options, text| thousandths(text).map(|low| options.low_thousandths = Some(low)),
    },
    Parameter {
        name: "sharing",
        summary: "which pages of the software are common to the virtual machines that have it",
        choices: Detail::entries,
        get: |options| Some(options.sharing.name().to_owned()),
        set: |options, text| put_choice(&mut options.sharing, text),
    },
    Parameter {
        name: "shuffle",
        summary: "order of arrival: 0 as drawn; any other number gives the same virtual machines in another order, like \
                  the paper's copies r1 to r5",
        choices: no_choices,
        get: |options| Some(options.shuffle.to_string()),
        set: |options, text| whole(text, 0..=u32::MAX).map(|copy| options.shuffle = copy),
    },
    Parameter {
        name: "page-kib",
        summary: "size of a page in KiB, a power of two of at most 2048",
        choices: no_choices,
        get: |options| Some(options.page_kib.to_string()),
        set: |options, text| page(text).map(|size| options.page_kib = size),
    },
    Parameter {
        name: "cost",
        summary: "what a server in use costs",
        choices: ServerCost::entries,
        get: |options| Some(options.cost.name().to_owned()),
        set: |options, text| put_choice(&mut options.cost, text),
    },
    Parameter {
        name: "optimum",
        summary: "setting `optimum` of the instances: which servers the optimum may use",
        choices: Optimum::entries,
        get: |options| Some(options.optimum.name().to_owned()),
        set: |options, text| put_choice(&mut options.optimum, text),
    },
];

/// The model's generator.
pub const GENERATOR: Generator<Section> = Generator {
    parameters: || parameter_entries(PARAMETERS, &GeneratorOptions::default()),
    with: |values| {
        let mut options = GeneratorOptions::default();
        assign("the generator of sharing", PARAMETERS, &mut options, values)?;
        check(&options)?;
        Ok(Box::new(move |seed| generate(&GeneratorOptions { seed, ..options.clone() })))
    },
};

/// Refuses options that do not go with the family.
fn check(options: &GeneratorOptions) -> Result<(), String> {
    if options.low_thousandths.is_none() || options.family == Family::Stream {
        return Ok(());
    }
    Err(format!(
        "--low: only streams have a share of low requests, not the family {}. Leave it out, or use --family stream.",
        options.family.name()
    ))
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

//! Names and descriptions of generated instances.

use super::family::Family;
use super::options::{GeneratorOptions, ServerCost};
use crate::section::Optimum;
use ground::Amount;
use kit::Choices;

/// Everything that was asked for, so that different instances have different names.
pub fn name(options: &GeneratorOptions) -> String {
    let mut parts = vec!["sharing".to_owned(), options.family.name().to_owned(), size(options)];
    parts.extend(low_percent(options).map(|percent| format!("low{percent}")));
    parts.push(options.sharing.name().to_owned());
    parts.extend((options.page_kib != 1024).then(|| format!("page{}", options.page_kib)));
    parts.extend((options.cost == ServerCost::Capacity).then(|| "capacity-cost".to_owned()));
    parts.extend((options.optimum != Optimum::AnyServers).then(|| options.optimum.name().to_owned()));
    parts.extend((options.shuffle > 0).then(|| format!("r{}", options.shuffle)));
    parts.push(format!("seed{}", options.seed));
    parts.join("-")
}

/// The number of virtual machines, and of servers where it is not the usual one.
fn size(options: &GeneratorOptions) -> String {
    if options.servers() == options.family.usual_servers(options.vms()) {
        options.vms().to_string()
    } else {
        format!("{}x{}", options.vms(), options.servers())
    }
}

/// What instances have in common that differ by chance, which is the seed and the order, alone.
pub fn family(options: &GeneratorOptions) -> String {
    let mut parts = vec![format!("sharing {} {} VMs", options.family.name(), options.vms())];
    let usual = options.family.usual_servers(options.vms());
    parts.extend((options.servers() != usual).then(|| format!("{} servers", options.servers())));
    parts.extend(low_percent(options).map(|percent| format!("{percent} % low")));
    parts.push(options.sharing.name().to_owned());
    parts.extend((options.page_kib != 1024).then(|| format!("pages of {} KiB", options.page_kib)));
    parts.extend((options.cost == ServerCost::Capacity).then(|| "cost by capacity".to_owned()));
    parts.extend((options.optimum != Optimum::AnyServers).then(|| options.optimum.name().to_owned()));
    parts.join(", ")
}

pub fn description(options: &GeneratorOptions) -> String {
    let which = match options.family {
        Family::Paper => "types uniform over Table 2 as in section 6.3 of Rampersaud & Grosu",
        Family::MemoryBound => "types with much memory, on small servers",
        Family::Desktops => "small types with desktop systems, on servers of (24, 32)",
        Family::Stream => "a stream as in section 6.1 of Rampersaud & Grosu",
    };
    let low = low_percent(options).map(|percent| format!(", {percent} % low requests")).unwrap_or_default();
    let order = match options.shuffle {
        0 => String::new(),
        copy => format!(", copy r{copy}"),
    };
    format!(
        "Generated: {} virtual machines, {} servers; {which}{low}{order}; sharing {}.",
        options.vms(),
        options.servers(),
        options.sharing.name()
    )
}

fn low_percent(options: &GeneratorOptions) -> Option<Amount> {
    let percent = Amount::from_millionths(i128::from(options.low_thousandths()) * 100_000);
    (options.family == Family::Stream).then_some(percent)
}

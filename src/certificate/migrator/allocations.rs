//! Allocations of the inference tasks, without those that others make superfluous.

use super::fits::{Fits, Number};
use super::question::{Deployment, Model, Question, Reconfiguration};

/// Instances that an inference task can have.
#[derive(Clone)]
pub struct Allocation {
    /// Its number among what fits.
    pub number: Number,
    /// What has to change in a reconfiguration.
    pub signature: Vec<u32>,
    /// By the slots since the last reconfiguration, counted up to the end of the outage: what is served in a slot if there are as many
    /// requests.
    pub served: Vec<i128>,
}

/// Into how many parts a millionth of a second is divided: every number of instances divides that.
pub fn parts(question: &Question<'_>, fits: &Fits) -> i128 {
    let instances = |counts: &Vec<u8>| counts.iter().map(|&count| i128::from(count)).sum::<i128>();
    let multiple = |one: i128, other: i128| one / greatest_divisor(one, other) * other;
    match question.reconfiguration {
        Reconfiguration::Frac => {
            fits.counts.iter().map(instances).filter(|&count| count > 0).fold(1, multiple)
        }
        _ => 1,
    }
}

fn greatest_divisor(one: i128, other: i128) -> i128 {
    if other == 0 { one } else { greatest_divisor(other, one % other) }
}

/// Slots from a reconfiguration on in which something is lost.
pub fn outage(question: &Question<'_>, model: &Model<'_>) -> usize {
    let (seconds, basis) = (model.reconfiguration.millionths(), question.basis.millionths());
    match question.reconfiguration {
        _ if seconds == 0 => 0,
        Reconfiguration::Carry => usize::try_from((seconds + basis - 1) / basis)
            .map_or(question.slots, |slots| slots.min(question.slots)),
        _ => 1,
    }
}

/// By model, all allocations on which its inference task can be deployed beside all others.
pub fn possible(question: &Question<'_>, fits: &Fits) -> Vec<Vec<Number>> {
    let deployed = |model: &Model<'_>| -> Vec<Number> {
        let counts = fits.counts.iter().enumerate();
        counts.filter(|(_, counts)| question.deploys(model, counts)).map(|(number, _)| number).collect()
    };
    let deployed: Vec<Vec<Number>> = question.models.iter().map(deployed).collect();
    let beside = |model: usize| {
        let others = deployed.iter().enumerate().filter(|&(other, _)| other != model);
        let held = fits.together(others.map(|(_, numbers)| numbers.as_slice()));
        let numbers = deployed[model].iter().copied();
        numbers.filter(|&number| fits.has_room(&held, number)).collect()
    };
    (0..deployed.len()).map(beside).collect()
}

/// These allocations of a model, without those that others make superfluous.
pub fn needed(
    question: &Question<'_>,
    fits: &Fits,
    model: &Model<'_>,
    numbers: &[Number],
) -> Vec<Allocation> {
    let all = numbers.iter().map(|&number| allocation(question, fits, model, number));
    let first = model.first.map(|counts| question.signature_of(counts));
    let stands_in = |one: &Allocation, other: &Allocation| {
        fits.stands_in(one.number, other.number)
            && one.served.iter().zip(&other.served).all(|(one, other)| one >= other)
    };
    let mut kept: Vec<Allocation> = Vec::new();
    for allocation in all {
        let is_like = |other: &Allocation| other.signature == allocation.signature;
        if !kept.iter().any(|other| is_like(other) && stands_in(other, &allocation)) {
            kept.retain(|other| !is_like(other) || !stands_in(&allocation, other));
            kept.push(allocation);
        }
    }
    let mut signatures: Vec<Vec<u32>> = kept.iter().map(|allocation| allocation.signature.clone()).collect();
    signatures.sort();
    signatures.dedup();
    for signature in signatures.iter().filter(|&signature| first.as_ref() != Some(signature)) {
        let covers = |other: &Vec<u32>| {
            let of = |one: &&Allocation| one.signature == *signature;
            let of_other = |one: &&Allocation| one.signature == *other;
            kept.iter().filter(of).all(|one| kept.iter().filter(of_other).any(|other| stands_in(other, one)))
        };
        let is_superfluous =
            kept.iter().any(|other| other.signature != *signature && covers(&other.signature));
        if is_superfluous {
            kept.retain(|allocation| allocation.signature != *signature);
        }
    }
    kept
}

fn allocation(question: &Question<'_>, fits: &Fits, model: &Model<'_>, number: Number) -> Allocation {
    let (counts, parts) = (&fits.counts[number], parts(question, fits));
    let basis = question.basis.millionths() * parts;
    let psi = model.reconfiguration.millionths() * parts;
    let outage = outage(question, model);
    let instances: i128 = counts.iter().map(|&count| i128::from(count)).sum();
    let lost = |age: usize| match question.reconfiguration {
        _ if age >= outage => 0,
        Reconfiguration::Clip => psi.min(basis),
        Reconfiguration::Carry => (psi - age as i128 * basis).clamp(0, basis),
        Reconfiguration::Frac => (psi / instances).min(basis),
        Reconfiguration::Charge => psi,
    };
    let is_useful = |size: usize| size >= model.minimum || question.deployment == Deployment::Gpcs;
    let useful = counts.iter().zip(model.capability).enumerate().filter(|&(size, _)| is_useful(size));
    let per_second: i128 =
        useful.map(|(_, (&count, capability))| i128::from(count) * capability.millionths()).sum();
    let served = (0..=outage).map(|age| per_second * (basis - lost(age))).collect();
    Allocation { number, signature: question.signature_of(counts), served }
}

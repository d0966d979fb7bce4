//! Valuable patterns without proof: from each type of virtual machine on, add what is worth most for the room it takes.

use super::filling::Filling;
use super::pattern::Pattern;
use super::types::Types;

/// For each type of virtual machine that is worth something, a pattern of a kind of server with it that is worth much.
pub fn fill(types: &Types<'_>, kind: usize, prices: &[i64]) -> Vec<Pattern> {
    let seeds = (0..types.vms.len()).filter(|&seed| prices[seed] > 0);
    let patterns = seeds.filter_map(|seed| {
        let mut filling = Filling::new(types, kind);
        if !filling.fits(seed) {
            return None;
        }
        filling.take(seed);
        complete(&mut filling, prices);
        Some(filling.pattern())
    });
    patterns.collect()
}

/// Adds what fits, those that are worth most first.
pub fn complete(filling: &mut Filling<'_>, prices: &[i64]) {
    let mut open: Vec<usize> = (0..prices.len()).collect();
    loop {
        // What does not fit now never will.
        open.retain(|&vm_type| filling.fits(vm_type));
        let Some(next) = best(filling, &open, prices) else { return };
        filling.take(next);
    }
}

/// The type that is worth most for the part of what is left that it takes.
fn best(filling: &Filling<'_>, open: &[usize], prices: &[i64]) -> Option<usize> {
    let mut best: Option<(f64, usize)> = None;
    for &vm_type in open {
        let request = filling.types.units.request(filling.types.example(vm_type));
        let parts = filling.room.resources.iter().zip(request).filter_map(|(left, request)| {
            left.filter(|&left| left > 0).map(|left| *request as f64 / left as f64)
        });
        let pages = filling.pages(vm_type) as f64 / filling.room.pages.max(1) as f64;
        let score = prices[vm_type] as f64 / (parts.sum::<f64>() + pages).max(1e-12);
        if best.is_none_or(|(known, _)| score > known) {
            best = Some((score, vm_type));
        }
    }
    best.map(|(_, vm_type)| vm_type)
}

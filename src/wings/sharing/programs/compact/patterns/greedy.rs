//! Valuable patterns without proof: from each type of virtual machine on, add what is worth most for the room it takes.

use super::filling::Filling;
use super::pattern::Pattern;
use super::types::Types;

/// For each kind of server and each type of virtual machine, a pattern with it that is worth much.
pub fn fill(types: &Types<'_>, prices: &[i64]) -> Vec<Pattern> {
    let mut patterns = Vec::new();
    for kind in 0..types.kinds.len() {
        for seed in (0..types.vms.len()).filter(|&seed| prices[seed] > 0) {
            let mut filling = Filling::new(types, kind);
            if !filling.fits(seed) {
                continue;
            }
            filling.take(seed);
            while let Some(next) = best(&filling, prices) {
                filling.take(next);
            }
            patterns.push(filling.pattern());
        }
    }
    patterns
}

/// The type that is worth most for the part of what is left that it takes.
fn best(filling: &Filling<'_>, prices: &[i64]) -> Option<usize> {
    let mut best: Option<(f64, usize)> = None;
    for vm_type in (0..prices.len()).filter(|&vm_type| prices[vm_type] > 0 && filling.fits(vm_type)) {
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

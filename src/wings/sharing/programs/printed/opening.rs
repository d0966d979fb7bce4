//! Which virtual machines open their server by rows (7) and (8) alone.

use crate::instance::{ServerKind, Vm};
use ground::Amount;

/// A request that is a smaller part of the capacity than one in so many would hold the server open by a value of y that
/// solvers may take for 0.
const SMALLEST_PART: u32 = 1000;

/// Whether a row (7) or (8) keeps a virtual machine off servers of a kind that are closed.
pub fn opens_server(vm: &Vm, kind: &ServerKind) -> bool {
    let is_large = |(request, capacity): (&Amount, &Option<Amount>)| {
        let capacity = capacity.filter(|_| *request > Amount::ZERO);
        capacity.is_some_and(|capacity| *request * i128::from(SMALLEST_PART) >= capacity)
    };
    let memory = vm.pages > 0 && vm.pages.saturating_mul(u64::from(SMALLEST_PART)) >= kind.pages;
    memory || vm.request.iter().zip(&kind.capacity).any(is_large)
}

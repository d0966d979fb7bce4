//! What changes of running workloads cost: the rules for the numbers, and exact products.

use crate::section::MigrationCosts;
use ground::{Amount, InputError, LARGEST_AMOUNT, SourceText};

/// Where the migration costs stand in a file.
pub const KEYS: &[&str] = &["siavashi", "migration_costs"];

/// What each change costs for each workload.
pub fn products(migration: &[Amount], costs: &MigrationCosts) -> Result<Vec<Amount>, String> {
    let pairs = migration.iter().flat_map(|&weight| costs.named().map(|(_, cost)| (weight, cost)));
    let products = pairs.map(|(weight, cost)| {
        cost.product(weight).ok_or_else(|| {
            format!(
                "a migration cost of {cost} times a `migration_weight` of {weight} has more than six digits after the decimal \
                 point. Use coarser numbers."
            )
        })
    });
    products.collect()
}

/// A cost times a weight, both checked to have an exact product.
pub fn weighted(cost: Amount, weight: Amount) -> Amount {
    cost.product(weight).expect("every cost has an exact product with every weight")
}

/// No cost may be negative, and the more far-reaching of two changes may not be the cheaper one: identical workloads that
/// change places are then never counted too high.
pub fn check(source: &SourceText, costs: &MigrationCosts) -> Result<(), InputError> {
    for (name, cost) in costs.named() {
        let rule = match cost {
            _ if cost.is_negative() => "not be negative. Use 0 or more",
            _ if cost >= Amount::whole(LARGEST_AMOUNT) => "be smaller than 10^15. Use a larger unit",
            _ => continue,
        };
        let message = format!("`siavashi.migration_costs.{name}` is {cost} but must {rule}.");
        return Err(source.error_at_key(&[KEYS[0], KEYS[1], name], message));
    }
    let moves = &costs.named()[..3];
    for pair in moves.windows(2) {
        let ((far, more), (near, less)) = (pair[0], pair[1]);
        if less > more {
            let message = format!(
                "`siavashi.migration_costs.{near}` is {less} but must not exceed `{far}`, which is {more}: the longer way \
                 includes the shorter one. Lower the former or raise the latter."
            );
            return Err(source.error_at_key(&[KEYS[0], KEYS[1], near], message));
        }
    }
    Ok(())
}

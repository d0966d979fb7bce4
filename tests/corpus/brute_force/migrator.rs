//! The optimum of model migrator by the dynamic program over everything that all tasks can have.

use super::Tried;
use ground::Amount;
use models::{Instance, InstanceFile};
use support::migrator::{Case, UNITS, best as best_goodput, steps};

/// Steps of the dynamic program that take a second or so.
const MOST_STEPS: usize = 20_000_000;

/// What the best plan is worth.
pub fn best(instance: &Instance) -> Tried {
    let file: InstanceFile = instance.source.parse().expect("the instance was read before");
    let section = file.migrator.expect("an instance of model migrator");
    let Some(case) = Case::of(&section) else { return Tried::TooMany };
    // Flags may have changed what the file says.
    let readings = instance.problem::<migrator::Migrator>().expect("it has the section").readings;
    let case = Case { readings, ..case };
    if steps(&case) > MOST_STEPS {
        return Tried::TooMany;
    }
    best_goodput(&case).map_or(Tried::Infeasible, |units| Tried::Best(vec![requests(units)]))
}

/// Units of goodput in requests, rounded down to a millionth.
fn requests(units: i64) -> Amount {
    Amount::from_millionths((i128::from(units) * 1_000_000).div_euclid(i128::from(UNITS)))
}

#[cfg(test)]
mod tests {
    use super::Case;
    use migrator::Reconfiguration;
    use models::InstanceFile;
    use support::instances::instance;
    use support::migrator::{A30, A100, Family};

    /// A window that is written down and read again is the same.
    #[test]
    fn windows_are_read_as_they_were_written() {
        for seed in 0..100 {
            let board = if seed % 2 == 0 { &A30 } else { &A100 };
            let reconfiguration = Reconfiguration::Carry;
            let case = Case::draw(seed, &Family { models: 1..=3, slots: 2..=6, board, reconfiguration });
            let file: InstanceFile = instance(case.yaml()).source.parse().unwrap();
            assert_eq!(Case::of(&file.migrator.unwrap()).as_ref(), Some(&case));
        }
    }
}

//! What the parts of a problem share.

use super::stock::Stock;
use super::terms::{Aim, Rows};
use super::view::View;
use crate::programs::priced::PriceTask;
use crate::section::Goal;
use prices::{Split, Total};

/// The totals that machines share, with their positions.
///
/// Other goals may be better than they have to be: a stage before has its best value already. Where it does not matter what runs where and
/// all that is worth something has a place, machines may hold more than there is: what is too much is left out.
pub fn totals(
    stage: &PriceTask<'_>,
    stock: &Stock,
    aim: &Aim,
    view: View<'_>,
    has_inflow: bool,
    pinned: i64,
) -> (Rows, Vec<Total>) {
    let shapes = &stock.shared().shapes;
    let total = |name: String, least, most, split| Total { name, least, most, excess_cost: None, split };
    let kept = |which| stage.kept.iter().find_map(|&(goal, value)| (goal == which).then_some(value));
    let of_all: i64 = shapes.iter().map(|shape| shape.acceptance * i64::from(shape.number)).sum();
    let all_accepted = kept(Goal::Acceptance).is_some_and(|value| value - pinned == of_all);
    let accepts = kept(Goal::Acceptance).is_some() || aim.acceptance > 0;
    let covers = !view.knows_places && (all_accepted || !accepts) && aim.acceptance == 0;
    let of_hardware = match kept(Goal::Hardware).is_some() || aim.hardware > 0 {
        true => Split::Early,
        false => Split::Late,
    };
    let accepted = kept(Goal::Acceptance).map_or(0, |value| value - pinned);
    let least_machines = stock.budgets.least_machines(stage.problem, accepted) as i64;
    let mut totals = vec![
        total("machines".to_owned(), Some(least_machines), None, of_hardware),
        total("gpus".to_owned(), None, None, of_hardware),
    ];
    let (mut acceptance, mut hardware, mut migrations) = (None, None, None);
    for &(goal, value) in stage.kept {
        let position = Some(totals.len());
        let (least, most) = match goal {
            Goal::Acceptance if covers => continue,
            Goal::Acceptance => {
                acceptance = position;
                (Some(value - pinned), None)
            }
            Goal::Hardware => {
                hardware = position;
                (None, Some(value))
            }
            Goal::Migrations => {
                migrations = position;
                (None, Some(value))
            }
        };
        totals.push(total(goal.name().to_owned(), least, most, Split::Never));
    }
    let placed = totals.len();
    for (number, shape) in shapes.iter().enumerate() {
        let must_stay = (shape.must_stay > 0).then_some(i64::from(shape.must_stay));
        let all = i64::from(shape.number);
        let (least, most) = match covers {
            true if all_accepted && shape.acceptance > 0 => (Some(all), None),
            true => (must_stay, None),
            false => (must_stay, Some(all)),
        };
        totals.push(total(format!("placed-{number}"), least, most, Split::Late));
    }
    let inflow = has_inflow.then_some(totals.len());
    if has_inflow {
        for (number, shape) in shapes.iter().enumerate() {
            let most = Some(i64::from(shape.newcomers));
            let about = total(format!("inflow-{number}"), None, most, Split::Never);
            totals.push(Total { excess_cost: Some(aim.migrations * shape.inflow), ..about });
        }
    }
    (Rows { machines: 0, gpus: 1, acceptance, hardware, migrations, placed, inflow }, totals)
}

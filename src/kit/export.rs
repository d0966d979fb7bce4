//! Programs for other solvers, whose optima are the numbers of the answer.

use super::stage::StageDocument;
use super::weights::exact_unit;
use ground::Amount;
use milp::{Column, Program, Sense, Stage};
use solver::keep_first_stages;

/// What an objective of a program is in the user's terms.
#[derive(Clone, Copy, Debug)]
pub struct ProgramGoal {
    /// What 1 of it is worth.
    pub unit: Amount,
    /// Its value in the best solution.
    pub value: Option<Amount>,
    /// What 1 of it adds to the weighted sum that is asked for, where a sum is asked for and this is a part of it.
    pub share: Option<Amount>,
    /// The value that every solution has, where it is none of the objectives that are asked for.
    pub required: Option<Amount>,
    /// Its coefficients, times this, are whole numbers.
    pub denominator: i64,
}

/// A program with one objective, and what its optimum is.
#[derive(Clone, Debug)]
pub struct ExportedProgram {
    /// The objective's name.
    pub stage: String,
    /// The program; its objective is in the units of the answer.
    pub program: Program,
    /// What the optimum is: sentences, a line each.
    pub meaning: Vec<String>,
}

/// A question as programs of one objective each.
#[derive(Clone, Debug)]
pub struct ExportedPrograms {
    /// The programs that can be written: the first one, and each whose earlier objectives are proved.
    pub programs: Vec<ExportedProgram>,
    /// Objectives without a program, as one before them is not proved.
    pub missing: Vec<String>,
}

/// The programs of a question: the optimum of each is what the answer says of its objective.
///
/// The objectives are those of `program` in turn, the proved values of the earlier ones kept by rows. The parts of a weighted sum
/// become one objective where doubles add them up exactly; where they do not, the last of them is replaced by the sum, in which the
/// parts before it are constant. `goals` has an entry for each stage of the program, `answered` what the answer says.
pub fn exported(program: &Program, goals: &[ProgramGoal], answered: &[StageDocument]) -> ExportedPrograms {
    let parts = goals.iter().position(|goal| goal.share.is_some());
    let value = answered.last().and_then(|answer| answer.value);
    let sum = parts.and_then(|first| exact_sum(program, &goals[first..], first, value));
    let mut exported = ExportedPrograms { programs: Vec::new(), missing: Vec::new() };
    let mut kept = Vec::new();
    for (position, (stage, goal)) in program.stages.iter().zip(goals).enumerate() {
        let is_sum = parts.is_some_and(|first| match &sum {
            Some(_) => position == first,
            None => position + 1 == goals.len() && goals[first..position].iter().all(is_known),
        });
        let answer = match is_sum {
            true => answered.last(),
            false => answered.iter().find(|answer| answer.name == stage.name),
        };
        let name = answer.map_or(&stage.name, |answer| &answer.name).clone();
        let value = answer.map_or(goal.value, |answer| answer.value);
        let is_proved = answer.map_or_else(|| answered.iter().all(is_proved), is_proved);
        if kept.len() < position {
            exported.missing.push(name);
        } else {
            let objective = match (&sum, parts) {
                (Some(sum), _) if is_sum => sum.clone(),
                (None, Some(first)) if is_sum => sum_with_constants(stage, &goals[first..]),
                _ => scaled(stage, goal.unit.to_f64()),
            };
            let mut alone = keep_first_stages(program, &kept);
            alone.stages = vec![Stage { name: name.clone(), ..objective }];
            let mut meaning = earlier(&program.stages[..position], goals);
            meaning.push(optimum(&name, value, answer.and_then(|answer| answer.bound), is_proved));
            exported.programs.push(ExportedProgram { stage: name, program: alone, meaning });
        }
        if is_sum {
            break;
        }
        let value = goal.value.filter(|_| is_proved).and_then(|value| value.in_units_of(goal.unit));
        kept.extend(value.filter(|_| kept.len() == position).map(|value| value as f64));
    }
    exported
}

fn is_known(goal: &ProgramGoal) -> bool {
    goal.value.is_some_and(|value| value.in_units_of(goal.unit).is_some())
}

fn is_proved(answer: &StageDocument) -> bool {
    answer.value.is_some() && answer.value == answer.bound
}

/// The weighted sum of the objectives from `first` on, where solvers can add it up exactly.
fn exact_sum(program: &Program, parts: &[ProgramGoal], first: usize, value: Option<Amount>) -> Option<Stage> {
    let mut weights = vec![Amount::ZERO; program.columns.len()];
    let mut constant = Amount::ZERO;
    for (stage, part) in program.stages[first..].iter().zip(parts) {
        let share = part.share?;
        for &(column, coefficient) in &stage.terms {
            weights[column] += share * whole(coefficient)?;
        }
        constant += share * whole(stage.constant)?;
    }
    let [gain, cost] = reach(&program.columns, &weights, constant);
    let gain = gain?;
    // No point that is as good as the answer costs more than what it can gain beyond the answer.
    let most = cost.or(value.map(|value| magnitude(gain - value)))?;
    let sizes: Vec<Amount> = weights.iter().copied().map(magnitude).collect();
    exact_unit(&sizes, gain + most, "").ok()?;
    let terms = weights.iter().enumerate().filter(|(_, weight)| **weight != Amount::ZERO);
    Some(Stage {
        name: String::new(),
        sense: Sense::Maximize,
        terms: terms.map(|(column, weight)| (column, weight.to_f64())).collect(),
        constant: constant.to_f64(),
        step: None,
    })
}

/// The most that a sum of columns can gain and the most that it can cost; nothing where a column is unbounded.
fn reach(columns: &[Column], weights: &[Amount], constant: Amount) -> [Option<Amount>; 2] {
    let (mut gain, mut cost) = (Some(magnitude(constant)), Some(magnitude(constant)));
    for (column, &weight) in columns.iter().zip(weights).filter(|(_, weight)| **weight != Amount::ZERO) {
        let (up, down) = if weight.is_negative() { (&mut cost, &mut gain) } else { (&mut gain, &mut cost) };
        for (side, bound) in [(up, column.upper.max(0.0)), (down, (-column.lower).max(0.0))] {
            let more = whole(bound.ceil()).map(|bound| magnitude(weight) * bound);
            *side = side.zip(more).map(|(side, more)| side + more);
        }
    }
    [gain, cost]
}

/// The weighted sum of objectives of which all but the last one, `stage`, have their proved values.
fn sum_with_constants(stage: &Stage, parts: &[ProgramGoal]) -> Stage {
    let share = |part: &ProgramGoal| part.share.unwrap_or_default();
    let known = |part: &ProgramGoal| Some(share(part) * part.value?.in_units_of(part.unit)?);
    let (last, earlier) = parts.split_last().expect("a sum has parts");
    let constant: Amount = earlier.iter().filter_map(known).sum();
    let own = scaled(stage, share(last).to_f64());
    Stage { sense: Sense::Maximize, constant: own.constant + constant.to_f64(), ..own }
}

fn scaled(stage: &Stage, factor: f64) -> Stage {
    Stage {
        terms: stage.terms.iter().map(|&(column, coefficient)| (column, coefficient * factor)).collect(),
        constant: stage.constant * factor,
        step: None,
        ..stage.clone()
    }
}

fn whole(value: f64) -> Option<i128> {
    (value.abs() < 2f64.powi(53) && value.fract() == 0.0).then_some(value as i128)
}

fn magnitude(amount: Amount) -> Amount {
    if amount.is_negative() { Amount::ZERO - amount } else { amount }
}

/// What the rows about earlier objectives say, in a sentence if there are any.
fn earlier(stages: &[Stage], goals: &[ProgramGoal]) -> Vec<String> {
    let kept = stages.iter().zip(goals).filter_map(|(stage, goal)| Some((&stage.name, goal.value?)));
    let kept: Vec<String> = kept.map(|(name, value)| format!("{name} = {value}")).collect();
    match kept.is_empty() {
        true => Vec::new(),
        false => {
            vec![format!("Rows stage[...] keep the optima of the objectives before: {}.", kept.join(", "))]
        }
    }
}

/// What the optimum of a program is, in a sentence.
fn optimum(name: &str, value: Option<Amount>, bound: Option<Amount>, is_proved: bool) -> String {
    match (value, bound) {
        (Some(value), _) if is_proved => format!("The optimum is {value}, the {name} that migopt proved."),
        (Some(value), Some(bound)) => {
            format!("The optimum is the best {name}; migopt found {value} and proved the bound {bound}.")
        }
        (Some(value), None) => format!("The optimum is the best {name}; migopt found {value}."),
        (None, _) => format!("The optimum is the best {name}; migopt found no solution."),
    }
}

//! What an answer claims, as claims about programs in whole numbers.

use super::export::ProgramGoal;
use ground::Amount;
use milp::{Program, Sense, Stage};
use num_integer::Integer;
use std::collections::BTreeMap;
use vipr::{Claim, Goal, NotWhole, WholeProgram, WholeRow, check_point, whole_objective};

/// A claim about a program.
#[derive(Clone, Debug)]
pub struct StageClaim {
    /// The goal that it is about; none where it is that there is no solution.
    pub goal: Option<String>,
    /// The claim.
    pub claim: Claim,
    /// What it says in the terms of the answer: sentences, a line each.
    pub meaning: Vec<String>,
}

/// Why an answer cannot be claimed of a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unclaimed {
    /// The program is not in whole numbers.
    #[error("in the program, {0}")]
    NotWhole(#[from] NotWhole),
    /// A value is none of the goal's expression.
    #[error("the value of goal `{0}` is none that its expression in the program can have")]
    Value(String),
}

/// What a proved answer claims about a program: of each goal in turn that nothing is better, where the goals before have their values; or that
/// there is no point.
///
/// `goals` has an entry for each stage of the program, with values if the answer has a solution. Values that goals are required to have are
/// rows of the program. The parts of a weighted sum become one goal. A point that does not obey all rows is left out.
///
/// # Errors
/// When something is not a whole number.
pub fn claims(
    program: &Program,
    goals: &[ProgramGoal],
    name_of_sum: &str,
    point: Option<&[f64]>,
) -> Result<Vec<StageClaim>, Unclaimed> {
    let mut whole = WholeProgram::of(program)?;
    let mut asked = Vec::new();
    for (stage, goal) in program.stages.iter().zip(goals) {
        match goal.required {
            Some(required) => {
                let expression = Expression::of(stage, goal)?;
                whole.rows.push(level(&expression, expression.value(required, None)?)?);
            }
            None => asked.push((stage, goal)),
        }
    }
    let has_values = asked.iter().all(|(_, goal)| goal.value.is_some());
    if !has_values {
        let claim = Claim { program: whole, goal: None, point: None };
        let meaning = vec!["The program has no point.".to_owned()];
        return Ok(vec![StageClaim { goal: None, claim, meaning }]);
    }
    let point = point.map(|point| point.iter().map(|value| value.round() as i64).collect());
    let any = Claim { program: whole, goal: None, point: None };
    let point: Option<Vec<i64>> = point.filter(|point: &Vec<i64>| check_point(&any, point).is_ok());
    let mut whole = any.program;
    let (mut claims, mut before) = (Vec::new(), Vec::new());
    for (expression, answered) in expressions(&asked, name_of_sum)? {
        let value = expression.value(answered, point.as_deref())?;
        let goal = expression.goal(value)?;
        let name = expression.name.clone();
        let claim = Claim { program: whole.clone(), goal: Some(goal), point: None };
        let point = point.clone().filter(|point| check_point(&claim, point).is_ok());
        let meaning = meaning(&expression, answered, &before);
        claims.push(StageClaim { goal: Some(name.clone()), claim: Claim { point, ..claim }, meaning });
        whole.rows.push(level(&expression, value)?);
        before.push(format!("{name} = {answered}"));
    }
    Ok(claims)
}

/// What the objective of a claim is worth.
fn meaning(expression: &Expression, value: Amount, before: &[String]) -> Vec<String> {
    let name = &expression.name;
    let constant = match expression.constant {
        0 => String::new(),
        constant => format!(" and {} more", expression.in_words(constant)),
    };
    let mut lines = vec![
        format!("The optimum is {value}, the {name} that migopt proved."),
        format!("1 of the objective is worth {}{constant}.", expression.in_words(expression.unit())),
    ];
    if !before.is_empty() {
        lines.push(format!(
            "Rows stage[...] keep the optima of the objectives before: {}.",
            before.join(", ")
        ));
    }
    lines
}

/// The objectives that are asked for, with their values; the parts of a sum are one.
fn expressions(
    asked: &[(&Stage, &ProgramGoal)],
    name_of_sum: &str,
) -> Result<Vec<(Expression, Amount)>, Unclaimed> {
    let first = asked.iter().position(|(_, goal)| goal.share.is_some()).unwrap_or(asked.len());
    let (plain, parts) = asked.split_at(first);
    let mut expressions = Vec::new();
    for (stage, goal) in plain {
        expressions.push((Expression::of(stage, goal)?, goal.value.unwrap_or_default()));
    }
    if !parts.is_empty() {
        let mut sum = Expression::new(name_of_sum, Sense::Maximize, 1);
        let mut total = Amount::ZERO;
        for (stage, goal) in parts {
            let share = goal.share.unwrap_or_default();
            sum.add(stage, share)?;
            let units = goal.value.and_then(|value| value.in_units_of(goal.unit));
            total += share * units.ok_or_else(|| Unclaimed::Value(stage.name.clone()))?;
        }
        expressions.push((sum, total));
    }
    Ok(expressions)
}

/// An objective in the units of the answer. Worths are counted in equal parts of a millionth, so that they are whole.
struct Expression {
    name: String,
    sense: Sense,
    /// How many parts a millionth has.
    parts: i128,
    /// What 1 in each column is worth.
    terms: BTreeMap<usize, i128>,
    constant: i128,
}

impl Expression {
    fn new(name: &str, sense: Sense, parts: i64) -> Self {
        Expression { name: name.to_owned(), sense, parts: parts.into(), terms: BTreeMap::new(), constant: 0 }
    }

    fn of(stage: &Stage, goal: &ProgramGoal) -> Result<Self, NotWhole> {
        let mut expression = Expression::new(&stage.name, stage.sense, goal.denominator);
        expression.add(stage, goal.unit)?;
        Ok(expression)
    }

    /// Adds an objective of a program, 1 of which is worth `unit`.
    fn add(&mut self, stage: &Stage, unit: Amount) -> Result<(), NotWhole> {
        let denominator = i64::try_from(self.parts).expect("it was one");
        let (terms, constant) = whole_objective(stage, denominator)?;
        self.constant += unit.millionths() * i128::from(constant);
        for (column, coefficient) in terms {
            *self.terms.entry(column).or_default() += unit.millionths() * i128::from(coefficient);
        }
        Ok(())
    }

    /// What an answered value is: the value of the answer's point, which answers round to millionths, or itself.
    fn value(&self, answered: Amount, point: Option<&[i64]>) -> Result<i128, Unclaimed> {
        let answered = answered.millionths() * self.parts;
        let at = |point: &[i64]| {
            let terms = self.terms.iter().map(|(&column, worth)| worth * i128::from(point[column]));
            self.constant + terms.sum::<i128>()
        };
        match point.map(at) {
            Some(value) if (value - answered).abs() < self.parts => Ok(value),
            _ if self.parts == 1 => Ok(answered),
            _ => Err(Unclaimed::Value(self.name.clone())),
        }
    }

    /// The greatest number of parts of which all worths are multiples.
    fn unit(&self) -> i128 {
        self.terms.values().fold(0, |unit: i128, worth| unit.gcd(worth)).max(1)
    }

    /// The goal that this expression has a best value.
    fn goal(&self, value: i128) -> Result<Goal, Unclaimed> {
        let refused = || Unclaimed::Value(self.name.clone());
        let unit = self.unit();
        let in_units = |worth: i128| i64::try_from(worth / unit).ok().filter(|_| worth % unit == 0);
        let terms = self.terms.iter().filter(|(_, worth)| **worth != 0);
        let terms = terms.map(|(&column, &worth)| Some((column, in_units(worth)?))).collect::<Option<_>>();
        let value = in_units(value - self.constant).ok_or_else(refused)?;
        Ok(Goal { sense: self.sense, terms: terms.ok_or_else(refused)?, value })
    }

    /// So many parts as a number, or as a fraction where it has no end.
    fn in_words(&self, parts: i128) -> String {
        if parts % self.parts == 0 {
            return Amount::from_millionths(parts / self.parts).to_string();
        }
        let all = Amount::ONE.millionths() * self.parts;
        let common = parts.gcd(&all);
        format!("{}/{}", parts / common, all / common)
    }
}

/// The row that keeps the value of an objective.
fn level(expression: &Expression, value: i128) -> Result<WholeRow, Unclaimed> {
    let Goal { terms, value, .. } = expression.goal(value)?;
    let label = format!("stage[{}]", expression.name);
    Ok(WholeRow { label, lower: Some(value), upper: Some(value), terms })
}

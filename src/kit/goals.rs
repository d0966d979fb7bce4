//! Goals that an objective names in the order of their importance: `lexicographic:GOAL,GOAL,...`.

use ground::did_you_mean;
use itertools::Itertools;

/// The goals of a model, for reading and writing its objectives.
pub struct Goals<Goal: 'static> {
    /// All goals in their default order of importance.
    pub all: &'static [Goal],
    /// Name of a goal in files, flags and answers.
    pub name: fn(Goal) -> &'static str,
    /// What else an objective of the model can be, such as `weighted`, each as an example and as a regular expression.
    pub other_objectives: &'static [(&'static str, &'static str)],
}

impl<Goal: Copy + PartialEq> Goals<Goal> {
    /// The goals that an objective names: `lexicographic` means all in their default order.
    ///
    /// # Errors
    /// For anything else than `lexicographic` and `lexicographic:` with goals, each at most once.
    pub fn parse(&self, text: &str) -> Result<Vec<Goal>, String> {
        let (mode, order) = match text.split_once(':') {
            Some((mode, order)) => (mode, Some(order)),
            None => (text, None),
        };
        if mode != "lexicographic" {
            let others = self.other_objectives.iter().map(|&(example, _)| example);
            let guess = did_you_mean(mode, others.chain(["lexicographic"]));
            return Err(format!("\"{text}\" is not an objective{guess}. {}", self.advice()));
        }
        let Some(order) = order else { return Ok(self.all.to_vec()) };
        let mut goals = Vec::new();
        for name in order.split(',').map(str::trim) {
            let goal = self.named(name)?;
            if goals.contains(&goal) {
                return Err(format!("the goal \"{name}\" is named twice. {}", self.advice()));
            }
            goals.push(goal);
        }
        Ok(goals)
    }

    /// The two goals to compare that a text names, with a comma between them.
    ///
    /// # Errors
    /// When it names other than two goals.
    pub fn pair(&self, text: &str) -> Result<[Goal; 2], String> {
        let goals = self.parse(&format!("lexicographic:{text}"));
        let goals =
            goals.map_err(|message| format!("the goals to compare: {}", message.trim_end_matches('.')))?;
        goals.try_into().map_err(|_| "exactly two goals can be compared. Write GOAL,GOAL".to_owned())
    }

    /// The goal of a name.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(&self, name: &str) -> Result<Goal, String> {
        let goal = self.all.iter().copied().find(|&goal| (self.name)(goal) == name);
        goal.ok_or_else(|| {
            let guess = did_you_mean(name, self.names());
            format!("\"{name}\" is not a goal{guess}. {}", self.advice())
        })
    }

    /// The objective that [`parse`](Goals::parse) reads as these goals.
    pub fn text(&self, goals: &[Goal]) -> String {
        format!("lexicographic:{}", goals.iter().map(|&goal| (self.name)(goal)).join(","))
    }

    /// The JSON Schema of the model's objectives.
    pub fn schema(&self) -> schemars::Schema {
        let others: String = self.other_objectives.iter().map(|(_, pattern)| format!("{pattern}|")).collect();
        let goal = format!("({})", self.names().join("|"));
        schemars::json_schema!({
            "description": "How the goals are combined, as a text.",
            "type": "string",
            "pattern": format!("^({others}lexicographic(:{goal}(,{goal})*)?)$")
        })
    }

    fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.all.iter().map(|&goal| (self.name)(goal))
    }

    /// What objectives there are, for messages.
    pub fn advice(&self) -> String {
        let others: String =
            self.other_objectives.iter().map(|(example, _)| format!("`{example}`, ")).collect();
        format!(
            "Use {others}`lexicographic`, or `lexicographic:` and goals separated by commas ({}), each at most once.",
            self.names().join(", ")
        )
    }
}

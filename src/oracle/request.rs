//! What a line asks of the oracle.

use ground::{InputError, SourceText};
use itertools::Itertools;
use kit::{Overrides, ParameterEntry, ProposalDocument, ResultDocument, SolutionDocument, unknown};
use models::{InstanceFile, document_schema, settings};
use schemars::JsonSchema;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

/// The longest time limit, in seconds.
const LONGEST_LIMIT: f64 = 1e9;

/// A request to `migopt oracle`, one line of JSON. A line may also be an instance itself, which is solved.
#[derive(Debug, Default, JsonSchema)]
#[schemars(title = "migopt request", deny_unknown_fields, extend("x-migopt-settings" = true))]
pub struct Request {
    /// What is asked.
    #[schemars(flatten)]
    pub asked: Asked,
    /// Settings of the question that take the place of the instance's.
    #[schemars(skip)]
    pub settings: Overrides,
}

/// What a request says besides the settings of its question. Documents in it are read by themselves.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub struct Asked {
    /// The instance, or a text that holds one in YAML or JSON.
    #[schemars(with = "OrText<InstanceFile>")]
    pub instance: IgnoredAny,
    /// Anything; the response repeats it.
    #[schemars(with = "Option<Value>")]
    pub id: Option<IgnoredAny>,
    /// What is asked of the instance; by default `solve`.
    pub task: Option<Task>,
    /// The model; by default that of the flag `--model`, else the one whose section the instance has, if it has exactly one
    /// of them, else wpm.
    pub model: Option<String>,
    /// Formulation of the problem as a program (solve, gap); by default the one that suits the instance.
    pub formulation: Option<String>,
    /// The solver (solve, gap).
    pub solver: Option<String>,
    /// Seconds after which the search stops (solve, gap).
    #[schemars(range(min = 0.0, max = LONGEST_LIMIT))]
    pub time_limit: Option<f64>,
    /// Accept a solution within this relative gap of the bound (solve, gap); 0, the default, asks for the proved optimum.
    #[schemars(range(min = 0.0))]
    pub relative_gap: Option<f64>,
    /// Threads of the solver (solve, gap).
    #[schemars(range(min = 1, max = 256))]
    pub threads: Option<u32>,
    /// Options of the solver's own by their names (solve, gap), such as `{"presolve": "off"}`; `migopt list solvers` names them.
    pub solver_options: Option<BTreeMap<String, String>>,
    /// Start the solver from this heuristic's solution, or from this solution, also within a whole result or proposal (solve, gap).
    #[schemars(with = "Option<OrText<Answered>>")]
    pub warm_start: Option<IgnoredAny>,
    /// The solution to judge, also within a whole result or proposal, or a text that holds one of these in YAML or JSON
    /// (verify, gap).
    #[schemars(with = "Option<OrText<Answered>>")]
    pub solution: Option<IgnoredAny>,
    /// The heuristic to run, `NAME` or `NAME:KEY=VALUE,...` (heuristic).
    pub heuristic: Option<String>,
    /// Seed of heuristics that draw at random (heuristic, question) and of the solver's own tie-breaking (solve, gap); by default 0.
    pub seed: Option<u64>,
}

/// What is asked of an instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Prove the best placement.
    #[default]
    Solve,
    /// Judge a solution by the rules alone.
    Verify,
    /// Say how far a solution is from the proved optimum.
    Gap,
    /// Run a heuristic and judge what it proposes.
    Heuristic,
    /// Write the question with everything resolved, as external heuristics receive it.
    Question,
}

/// A document, or a text that holds it.
#[derive(JsonSchema)]
#[schemars(rename = "{Document}OrText")]
#[serde(untagged)]
#[expect(dead_code, reason = "it is there for its schema")]
enum OrText<Document> {
    /// The document.
    Document(Document),
    /// Its text in YAML or JSON.
    Text(String),
}

/// The documents that hold a solution.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is there for its schema")]
enum Answered {
    Solution(Box<SolutionDocument>),
    Result(Box<ResultDocument>),
    Proposal(Box<ProposalDocument>),
}

/// The keys that a request may have.
pub(super) fn keys() -> &'static [String] {
    static KEYS: LazyLock<Vec<String>> = LazyLock::new(|| {
        let schema = document_schema::<Request>();
        let properties = schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(|(key, _)| key.clone()).collect()
    });
    &KEYS
}

impl Task {
    const ALL: [Task; 5] = [Task::Solve, Task::Verify, Task::Gap, Task::Heuristic, Task::Question];

    /// Its name in requests.
    pub fn name(self) -> &'static str {
        match self {
            Task::Solve => "solve",
            Task::Verify => "verify",
            Task::Gap => "gap",
            Task::Heuristic => "heuristic",
            Task::Question => "question",
        }
    }

    /// Whether a request for it may have the key.
    fn uses(self, key: &str) -> bool {
        match key {
            "formulation" | "solver" | "solver_options" | "time_limit" | "relative_gap" | "threads"
            | "warm_start" => matches!(self, Task::Solve | Task::Gap),
            "solution" => matches!(self, Task::Verify | Task::Gap),
            "heuristic" => self == Task::Heuristic,
            "seed" => self != Task::Verify,
            _ => true,
        }
    }

    /// Words about a key of which it makes no use.
    fn has_no_use_for(self, key: &str) -> String {
        let others = Task::ALL.into_iter().filter(|task| task.uses(key)).map(Task::name).join(" and ");
        format!("`{key}`: the task {} has no use for it, only {others}. Leave it out.", self.name())
    }
}

/// The keys of a line, with the text of each value.
pub(super) struct Fields<'l> {
    source: &'l SourceText,
    values: BTreeMap<String, &'l RawValue>,
}

impl<'l> Fields<'l> {
    /// Reads the keys of a line.
    ///
    /// # Errors
    /// When the line is no JSON object.
    pub fn of(source: &'l SourceText) -> Result<Self, InputError> {
        let values = serde_json::from_str(source.text()).map_err(|error| {
            source.error(match error.classify() {
                Category::Data => {
                    "a line is an object: an instance, or a request with the key `instance`.".to_owned()
                }
                _ => format!("this is not JSON: {}. A line holds one whole object.", in_one_line(&error)),
            })
        })?;
        Ok(Fields { source, values })
    }

    /// What the response is to repeat.
    pub fn id(&self) -> Option<Box<RawValue>> {
        self.values.get("id").map(|&id| id.to_owned())
    }

    /// The request that the line makes.
    ///
    /// # Errors
    /// When it breaks a rule of requests.
    pub fn request(&self) -> Result<Request, InputError> {
        if self.is_instance() {
            return Ok(Request::default());
        }
        if !self.values.contains_key("instance") {
            return Err(self
                .source
                .error("`instance` is missing. Add it, beside the other keys of the request."));
        }
        if let Some(key) = self.values.keys().find(|key| !keys().contains(key)) {
            let known: Vec<&str> = keys().iter().map(String::as_str).collect();
            return Err(self.source.error(unknown(key, "a key of a request", "Keys", &known)));
        }
        let request = Request { asked: read(self.source)?, settings: self.settings()? };
        let task = request.task();
        let given = self.values.iter().filter(|(_, value)| value.get() != "null");
        let useless = given.map(|(key, _)| key).find(|key| !task.uses(key));
        useless.map_or(Ok(request), |key| Err(self.source.error(task.has_no_use_for(key))))
    }

    /// The settings of the question.
    fn settings(&self) -> Result<Overrides, InputError> {
        let all = settings().into_iter();
        let given = all.filter_map(|setting| {
            let value = self.values.get(setting.name)?;
            Some((setting, value))
        });
        let read = |(setting, value): (ParameterEntry, &&RawValue)| {
            let name = setting.name;
            match serde_json::from_str::<Value>(value.get()) {
                Ok(Value::Null) => Ok(None),
                Ok(Value::String(text)) => Ok(Some((name.to_owned(), text))),
                // The values of a setting are names where there are few; else some are numbers.
                Ok(Value::Number(number)) if setting.choices.is_empty() => {
                    Ok(Some((name.to_owned(), number.to_string())))
                }
                _ => Err(self.source.error(format!("`{name}`: expected a text, found `{}`.", value.get()))),
            }
        };
        Ok(given.map(read).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    /// The text of the instance: the line itself, or the value of its key.
    ///
    /// # Errors
    /// When the value is neither an object nor a text.
    pub fn instance(&self) -> Result<SourceText, InputError> {
        if self.is_instance() { Ok(self.source.clone()) } else { self.document("instance") }
    }

    /// The text of a document that the line holds.
    ///
    /// # Errors
    /// When there is none, or it is neither an object nor a text.
    pub fn document(&self, key: &str) -> Result<SourceText, InputError> {
        let given = self.values.get(key).map_or("null", |value| value.get());
        let text = match given.chars().next() {
            Some('{') => given.to_owned(),
            Some('"') => read(&SourceText::new(self.source.name(), given))?,
            _ => {
                let advice = "Give an object, or a text that holds one in YAML or JSON";
                return Err(self.source.error(format!("`{key}` is missing, or no document. {advice}.")));
            }
        };
        Ok(SourceText::new(format!("{}, {key}", self.source.name()), text))
    }

    /// What the solver is to start from: the name of a heuristic, or a document. A text that begins with a brace or has several
    /// lines holds a document.
    ///
    /// # Errors
    /// When the value is neither an object nor a text.
    pub fn start(&self) -> Result<Option<Start>, InputError> {
        let given = self.values.get("warm_start").map_or("null", |value| value.get());
        match given.chars().next() {
            Some('n') => Ok(None),
            Some('"') => {
                let text: String = read(&SourceText::new(self.source.name(), given))?;
                let is_document = text.trim_start().starts_with('{') || text.trim_end().contains('\n');
                if is_document {
                    self.document("warm_start").map(|text| Some(Start::Solution(text)))
                } else {
                    Ok(Some(Start::Heuristic(text)))
                }
            }
            Some('{') => self.document("warm_start").map(|text| Some(Start::Solution(text))),
            _ => Err(self.source.error(format!(
                "`warm_start`: expected the name of a heuristic or a solution, found `{given}`."
            ))),
        }
    }

    /// Whether the line is an instance itself, which has none of the keys of requests.
    fn is_instance(&self) -> bool {
        self.values.keys().all(|key| !keys().contains(key))
    }
}

/// What a line names for the solver to start from.
pub(super) enum Start {
    /// A heuristic.
    Heuristic(String),
    /// The text of a document that holds a solution.
    Solution(SourceText),
}

impl Request {
    /// What is asked of the instance.
    pub fn task(&self) -> Task {
        self.asked.task.unwrap_or_default()
    }
}

impl Asked {
    /// How long the search may take.
    ///
    /// # Errors
    /// When that is no length of time.
    pub fn time_limit(&self) -> Result<Option<Duration>, String> {
        match self.time_limit {
            Some(seconds) if !(0.0..=LONGEST_LIMIT).contains(&seconds) => {
                Err(format!("{seconds} is no limit. Give seconds from 0 to {LONGEST_LIMIT}."))
            }
            limit => Ok(limit.map(Duration::from_secs_f64)),
        }
    }
}

/// Reads what a line says into `T`, which may leave out some of its keys. Complaints are those of the reader of files.
fn read<T: DeserializeOwned>(source: &SourceText) -> Result<T, InputError> {
    serde_json::from_str(source.text()).map_err(|error| {
        let told = source.parse::<T>().err();
        told.unwrap_or_else(|| source.error(format!("{}.", in_one_line(&error))))
    })
}

/// The words of the JSON reader about a text of one line, without its names of types.
fn in_one_line(error: &serde_json::Error) -> String {
    let words = error.to_string().replace(" at line 1 column ", " at column ");
    words
        .replace(" f64 ", " a number ")
        .replace(" u32 ", " a whole number ")
        .replace(" u64 ", " a whole number ")
}

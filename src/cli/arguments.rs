//! What the command line may say.

use super::certificate::CertificateFormat;
use super::choices::{SettingFlags, formulation_names, heuristic_names, method_names, policy_names};
use super::exit::Failure;
use super::format::Format;
use super::generate::GenerateArguments;
use super::terminal::ScreenFlags;
use super::trace_flags::TraceFlags;
use applying::Tool;
use bench::Shard;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use ground::{Amount, LARGEST_AMOUNT};
use kit::{solver_options, solver_seed};
use models::{MODELS, Model, model_named};
use plan::Backend;
use planner::{DEFAULT_ORDER, Objective};
use replay::seconds_of_duration;
use sizing::Addition;
use solver::{Effort, Settings};
use solvers::{by_name, solvers};
use std::path::PathBuf;
use std::time::Duration;

/// Provably optimal placements for MIG GPUs and servers, and how far every heuristic is from them
#[derive(Debug, Parser)]
#[command(
    name = "migopt",
    version,
    about,
    long_about = "Turns YAML instances into mixed-integer programs, solves them to proved optimality, and checks every answer \
                  independently.\n\nExit codes: 0 proved (or within the gap asked for), 2 bad input, 3 infeasible, 4 stopped \
                  at a limit or by Ctrl-C before the proof (the best verified solution and its bound are printed and saved), \
                  1 internal error.",
    arg_required_else_help = true
)]
pub struct Arguments {
    #[command(subcommand)]
    pub task: Task,
}

#[derive(Debug, Subcommand)]
pub enum Task {
    /// Solve an instance to proved optimality
    Solve(SolveArguments),
    /// List the non-dominated values of two goals, each proved
    Pareto(ParetoArguments),
    /// Order the moves from what runs to an answer: rounds in which nothing stops where that is possible, with a proof
    Plan(PlanArguments),
    /// Find the fewest GPUs of each board that carry the load, or more load
    Whatif(WhatIfArguments),
    /// Check a solution, or a plan, by the rules alone and say what it is worth
    Verify(VerifyArguments),
    /// Say why nothing is better than an answer: what the proof says of goals, workloads and GPUs
    Explain(ExplainArguments),
    /// Run a heuristic, without proof, and judge its placement
    Heuristic(HeuristicArguments),
    /// Answer requests, one per line, until the input ends
    Oracle(OracleArguments),
    /// Run many methods on many instances and keep a row for each
    Bench(BenchArguments),
    /// Report on a sweep, on one or several replays, or on an answer
    Report(ReportArguments),
    /// Make one row of a sweep and print it
    #[command(hide = true)]
    BenchRow(BenchRowArguments),
    /// Replay a trace of virtual machines under policies
    Replay(ReplayArguments),
    /// Prove an upper bound on what any policy could accept of a trace
    ReplayBound(ReplayBoundArguments),
    /// Write random instances
    Generate(GenerateArguments),
    /// Judge a configuration of mig-parted before it is applied
    Check(CheckArguments),
    /// Make an instance from what the tools of a real cluster print
    Import(ImportArguments),
    /// Write a plan as files by which operators apply it
    Export(ExportArguments),
    /// Import a cluster, solve it, plan the moves and export the files that apply them, all at once
    Repack(RepackArguments),
    /// Draw an instance's current state, or a solution
    Show(ShowArguments),
    /// Describe a trace of virtual machines that come and go
    Trace(TraceArguments),
    /// List models, formulations, solvers, heuristics, metrics and boards
    List(ListArguments),
    /// Print the small instances of a model whose optima are proved, one JSON object per line
    Corpus(CorpusArguments),
    /// List the instances of the benchmark library with what is proved about each, or write one
    Library(LibraryArguments),
    /// Print the JSON Schema of a file format
    Schema(SchemaArguments),
    /// Print shell completions
    Completions(CompletionsArguments),
    /// Print the manual page, or write one per subcommand
    Manual(ManualArguments),
}

/// Which solver works, and how hard.
#[derive(Clone, Debug, Args)]
pub struct EffortFlags {
    /// Solver
    #[arg(long, default_value = solvers()[0].name(), value_parser = PossibleValuesParser::new(solvers().iter().map(|solver| solver.name())))]
    pub solver: String,
    /// Stop after this time, such as 10, 90s or 15m, and report what is verified and proved so far
    #[arg(long, value_name = "DURATION", value_parser = seconds)]
    pub time_limit: Option<f64>,
    /// Threads of the solver; only with 1 is the answer the same in every run
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub threads: u32,
}

impl EffortFlags {
    /// The effort that the flags ask for, with a limit where they give none.
    pub fn effort(&self, usual_limit: Option<f64>) -> Result<Effort, Failure> {
        let solver = by_name(&self.solver)
            .ok_or_else(|| Failure::Input(format!("--solver {} is not part of this build.", self.solver)))?;
        if let Some(reason) = solver.unavailable() {
            return Err(Failure::Input(reason.to_owned()));
        }
        let time_limit = self.time_limit.or(usual_limit).map(Duration::from_secs_f64);
        let settings = Settings { threads: self.threads, ..Settings::default() };
        Ok(Effort { settings, time_limit, ..Effort::exact(solver) })
    }

    /// The flags for another process of the same effort.
    pub fn words(&self, usual_limit: f64) -> [String; 3] {
        [
            format!("--solver={}", self.solver),
            format!("--time-limit={}", self.time_limit.unwrap_or(usual_limit)),
            format!("--threads={}", self.threads),
        ]
    }
}

/// How programs are written and solved.
#[derive(Clone, Debug, Args)]
pub struct SolverFlags {
    /// Formulation of the problem as a program; by default the one that suits the instance (see `migopt list formulations`)
    #[arg(long, value_parser = formulation_names(), hide_possible_values = true)]
    pub formulation: Option<String>,
    #[command(flatten)]
    pub effort: EffortFlags,
    /// Seed of the solver's own tie-breaking
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// Option of the solver itself, such as presolve=off (`migopt list solvers` names them); may be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    pub solver_option: Vec<String>,
}

impl SolverFlags {
    /// The effort that the flags ask for.
    pub fn effort(&self) -> Result<Effort, Failure> {
        let mut effort = self.effort.effort(None)?;
        effort.settings.seed = solver_seed(self.seed).map_err(Failure::of_flag("--seed"))?;
        let options = solver_options(effort.solver, self.solver_option.iter().map(String::as_str));
        effort.settings.options = options.map_err(Failure::of_flag("--solver-option"))?;
        Ok(effort)
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  migopt solve instances/wpm/eight-gpus.yaml --model wpm
  migopt solve cluster.yaml --format json --output result.json --picture result.svg
  migopt solve cluster.yaml --formulation printed --time-limit 30
  migopt solve cluster.yaml --objective lexicographic:gpus,migrations
  migopt solve cluster.yaml --export program.mps --time-limit 0
  migopt solve servers.yaml --model sharing --optimum first-m-of-the-order")]
pub struct SolveArguments {
    /// Instance file (YAML or JSON), or - for standard input
    pub instance: PathBuf,
    /// Model; by default the one whose section the instance has. Where that is not clear, migopt takes the first of `migopt list models` that fits, and says so
    #[arg(long, value_parser = model())]
    pub model: Option<&'static dyn Model>,
    #[command(flatten)]
    pub solver: SolverFlags,
    #[command(flatten)]
    pub settings: SettingFlags,
    /// Accept a solution within this gap of the bound in every goal, such as 0.01 or 1%; 0 asks for the proved optimum
    #[arg(long, alias = "relative-gap", value_name = "RATIO", default_value = "0", value_parser = ratio)]
    pub gap: f64,
    /// Start the solver from the solution in this file (.json, .yaml or .yml), or from that of this heuristic (see `migopt list heuristics`)
    #[arg(long, value_name = "FILE|HEURISTIC")]
    pub warm_start: Option<String>,
    /// Write the log of the solver to this file
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Write the result to this file as well; YAML if it ends in .yaml or .yml, else JSON
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// In the result, write entries that continue one another as one with a `count`: replicas that lie alike on successive GPUs
    #[arg(long)]
    pub counts: bool,
    /// Write the program to this file for other solvers: .lp, .mps, or .mod for the nonlinear program that some models have, in AMPL.
    /// Its optimum is the value shown; several objectives become a file each (FILE.1-NAME.mps, FILE.2-NAME.mps, ...)
    #[arg(long, value_name = "FILE")]
    pub export: Option<PathBuf>,
    /// Write a certificate of the proved answer to this file, which `migopt verify --certificate` checks without a solver
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// What the certificate is about and who checks it. A VIPR file proves one goal; several become a file each (FILE.1-NAME.vipr, FILE.2-NAME.vipr, ...)
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = CertificateFormat::Migopt)]
    pub certificate_format: CertificateFormat,
    /// Count an answer without a certificate as not proved: exit code 4
    #[arg(long)]
    pub certified: bool,
    /// Draw the solution into this SVG file
    #[arg(long, value_name = "FILE.svg")]
    pub picture: Option<PathBuf>,
    #[command(flatten)]
    pub screen: ScreenFlags,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 the list is complete, 2 bad input, 3 no solution obeys all rules, 4 stopped at a limit or by Ctrl-C (the points proved so far are \
printed and saved).

Examples:
  migopt pareto instances/wpm/eight-gpus.yaml --objectives gpus,migrations
  migopt pareto instances/siavashi/interval.yaml --model siavashi --objectives acceptance,hardware
  migopt pareto cluster.yaml --model siavashi --objectives hardware,migrations --plot frontier.svg --output frontier.json"
)]
pub struct ParetoArguments {
    /// Instance file (YAML or JSON), or - for standard input
    pub instance: PathBuf,
    /// Model; by default the one whose section the instance has. Where that is not clear, migopt takes the first of `migopt list models` that fits, and says so
    #[arg(long, value_parser = model())]
    pub model: Option<&'static dyn Model>,
    /// The two goals to compare, with a comma between them
    #[arg(long, value_name = "GOAL,GOAL")]
    pub objectives: String,
    #[command(flatten)]
    pub solver: SolverFlags,
    #[command(flatten)]
    pub settings: SettingFlags,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Write the list to this file as well, with a solution for each point; YAML if it ends in .yaml or .yml, else JSON
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Plot the points in this SVG file
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 valid, 2 bad input, 3 a rule is broken (each is named), or the certificate is no proof.

Examples:
  migopt verify instances/wpm/eight-gpus.yaml result.json
  migopt verify instances/wpm/eight-gpus.yaml result.json --certificate proof.cert
  migopt verify cluster.yaml my-heuristics-solution.yaml --format json"
)]
pub struct VerifyArguments {
    /// Instance file
    pub instance: PathBuf,
    /// Solution file, result file of `migopt solve`, or plan file of `migopt plan`
    pub solution: PathBuf,
    /// Model of a solution file that names none; by default that of the instance
    #[arg(long, value_parser = model())]
    pub model: Option<&'static dyn Model>,
    /// Certificate by `migopt solve --certificate` that the solution is optimal, or that there is none
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 explained, 2 bad input, 3 the certificate is no proof, 4 there is no proof within the limits.

Examples:
  migopt explain instances/wpm/eight-gpus.yaml
  migopt explain instances/wpm/eight-gpus.yaml result.json --certificate proof.cert
  migopt explain cluster.yaml --objective lexicographic:gpus,migrations --format json"
)]
pub struct ExplainArguments {
    /// Instance file (YAML or JSON), or - for standard input
    pub instance: PathBuf,
    /// Proved answer: solution file, or result file of `migopt solve`; without one the instance is solved first
    pub answer: Option<PathBuf>,
    /// Model; by default that of the answer, else the one whose section the instance has
    #[arg(long, value_parser = model())]
    pub model: Option<&'static dyn Model>,
    /// Certificate of the answer by `migopt solve --certificate`; without one it is made
    #[arg(long, value_name = "FILE", requires = "answer")]
    pub certificate: Option<PathBuf>,
    #[command(flatten)]
    pub solver: SolverFlags,
    #[command(flatten)]
    pub settings: SettingFlags,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Some heuristics take parameters: --policy NAME:KEY=VALUE,KEY=VALUE (`migopt list heuristics` names them).

An external heuristic reads the question (`migopt schema question`) from standard input and writes a solution \
(`migopt schema solution`) to standard output; see python/examples.

Exit codes: 0 the placement obeys all rules, 1 the external program failed, 2 bad input, 3 a rule is broken (each is named).

Examples:
  migopt heuristic instances/wpm/eight-gpus.yaml --policy rule-based
  migopt heuristic cluster.yaml --policy load-balanced --format json
  migopt heuristic cluster.yaml --policy 'exec:./my-heuristic --fast' --seed 7 --picture gpus.svg"
)]
pub struct HeuristicArguments {
    /// Instance file (YAML or JSON), or - for standard input
    pub instance: PathBuf,
    /// Model; by default the one whose section the instance has. Where that is not clear, migopt takes the first of `migopt list models` that fits, and says so
    #[arg(long, value_parser = model())]
    pub model: Option<&'static dyn Model>,
    /// Heuristic (see `migopt list heuristics`), or exec:COMMAND for a program of your own
    #[arg(long, aliases = ["heuristic", "method"], value_parser = heuristic_names(), hide_possible_values = true)]
    pub policy: String,
    /// Seed of heuristics that draw at random
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub settings: SettingFlags,
    /// Stop an external heuristic after this time, such as 10, 90s or 15m
    #[arg(long, value_name = "DURATION", value_parser = seconds)]
    pub time_limit: Option<f64>,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Write the proposal to this file as well; YAML if it ends in .yaml or .yml, else JSON
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Draw the placement into this SVG file
    #[arg(long, value_name = "FILE.svg")]
    pub picture: Option<PathBuf>,
    #[command(flatten)]
    pub screen: ScreenFlags,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "A line of standard input is an instance as one JSON object, or a request: an object with `instance` and, optionally, `id`, `task` \
(solve, verify, gap, heuristic, question), `model` and more (`migopt schema request`). Each is answered on a line of standard output \
(`migopt schema response`), in order; a line that cannot be answered gets an error, and the next one is read. See docs/oracle.md.

Exit codes: 0 the input ended, whatever the answers were, or the reader closed the pipe, 2 bad command line, 4 Ctrl-C \
stopped a search before its proof (its best verified solution is answered), 1 internal error.

Examples:
  migopt oracle < instances.jsonl > results.jsonl
  migopt oracle --jobs 2 --time-limit 10 < requests.jsonl
  echo '{\"instance\": \"{name: one, gpus: [{name: gpu, board: A30}]}\", \"id\": 1}' | migopt oracle"
)]
pub struct OracleArguments {
    /// Model of requests that name none; by default the one whose section the instance has, else the first of `migopt list models`
    /// that fits
    #[arg(long, value_parser = model())]
    pub model: Option<&'static dyn Model>,
    #[command(flatten)]
    pub solver: SolverFlags,
    /// Number of requests answered at the same time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Each row (instance, method, seed) is computed once, in its own process, and written to disk before the \
next one starts. Run the same command again to continue where it stopped; nothing is repeated. A row is tied to the \
contents of its instance, its method and the program that the method runs, its seed, the limits and the version of migopt: \
when one of these changes, the row is computed again, and migopt says so. For exec:COMMAND the program is the files named in \
the command and the programs it finds on PATH; use --remake METHOD when something else changed. Rows of earlier commands that \
the last one did not ask for are kept in earlier-rows.jsonl, and are reused when a command asks for them.

Methods: optimum (proved), the heuristics (`migopt list heuristics`; `heuristics` stands for all of them), the formulations \
(`migopt list formulations`), library (what the benchmark library knows of its instances; part of every sweep with --library), and \
exec:COMMAND for a program of your own. Heuristics take parameters, NAME:KEY=VALUE,KEY=VALUE; so do optimum and the formulations: \
formulation, solver, threads, seed, warm-start, and the options of the solver (`migopt list solvers`), as in \
optimum:solver=cbc,formulation=printed and optimum:presolve=off. Gaps are measured against the best proved optimum of all methods.

Where one machine is not enough, each of several makes a shard of the rows, in any order, and in a folder that all of them share: the same command \
with --shard 1/8, --shard 2/8 and so on. --submit writes a job that does so. A shard that is started again continues. When all have \
ended, --gather brings their rows together. All shards must be given the same command and the same files.

All rows of an instance are judged by the same rules. In model wpm these are the rules of the reading that suits the instance: exact-index where \
workloads are pinned, otherwise printed. The answer of a formulation under the other reading therefore counts as valid, but not as proved.

Exit codes: 0 every row exists (failed ones say why), 2 bad input (all other instances have their rows, except with --strict), \
4 stopped by Ctrl-C before the last row, or a program changed during the sweep. With --shard the same holds for the rows of the shard; \
--gather ends with 2 where rows are missing.

Examples:
  migopt bench instances/wpm --output results/shipped
  migopt bench instances/sharing --methods optimum,optimum:solver=cbc,optimum:formulation=printed --output results/solvers
  migopt bench --generate wpm:gpus=8,count=100,seed=1 --methods optimum,rule-based,first-fit,load-balanced --output results/run1
  migopt bench --generate wpm:gpus=80,count=20,use-case=compaction --methods optimum --method 'exec:./mine' --jobs 2 --output results/mine
  migopt bench --library --model wpm --methods heuristics --method 'exec:./mine' --output results/mine
  migopt bench instances/wpm --output results/many --submit slurm:shards=8
  migopt bench --gather --output results/many
  migopt report results/run1 --output report.html"
)]
pub struct BenchArguments {
    /// Instance files, folders, which are searched with all folders in them, and files that end in .jsonl with an instance, or a line
    /// of `migopt corpus`, on each line
    pub paths: Vec<PathBuf>,
    /// Model of all instances; by default each has its own: the one whose section it has, else the first of `migopt list models` that
    /// fits, and migopt says so
    #[arg(long, value_parser = model())]
    pub model: Option<&'static dyn Model>,
    /// Instances to generate: MODEL:KEY=VALUE,... with the options of `migopt generate MODEL` (such as wpm:gpus=8,count=100);
    /// may be given several times
    #[arg(long, value_name = "SPECIFICATION")]
    pub generate: Vec<String>,
    /// Instances of the benchmark library (see `migopt library`): those named, with commas between them, else all of them, or of --model;
    /// gaps are then to the best value and bound that the library knows
    #[arg(long, value_name = "NAMES", num_args = 0..=1, require_equals = true, default_missing_value = "", value_delimiter = ',')]
    pub library: Option<Vec<String>>,
    /// Methods, separated by commas; by default the optimum and all heuristics of each model, with --library the heuristics alone
    #[arg(long, value_name = "METHODS", value_delimiter = ',', value_parser = method_names(), hide_possible_values = true)]
    pub methods: Vec<String>,
    /// One more method, such as exec:COMMAND; may be given several times
    #[arg(long, value_name = "METHOD")]
    pub method: Vec<String>,
    /// Seeds for the heuristics, separated by commas; they do not reach the solver
    #[arg(long, value_name = "SEEDS", value_delimiter = ',', default_value = "0")]
    pub seeds: Vec<u64>,
    /// Folder of the sweep: rows.jsonl, earlier-rows.jsonl, sweep.json and the generated instances
    #[arg(long, value_name = "DIR")]
    pub output: PathBuf,
    /// Number of rows computed at the same time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: u32,
    #[command(flatten)]
    pub effort: EffortFlags,
    /// Address space per row in GiB; a row that needs more fails
    #[arg(long, value_name = "GiB", value_parser = gibibytes)]
    pub memory_limit: Option<f64>,
    /// Make one share of the rows: NUMBER/OF, such as 3/8, or auto/8 in a task of a Slurm array or of an indexed Kubernetes job
    #[arg(long, value_name = "NUMBER/OF", value_parser = shard, conflicts_with_all = ["retry_failed", "remake"])]
    pub shard: Option<Shard>,
    /// Write the file of a job that makes the rows in shards, and make none: slurm:shards=8, or kubernetes:shards=8,claim=CLAIM
    /// (also image=IMAGE and namespace=NAMESPACE)
    #[arg(long, value_name = "ENGINE:KEY=VALUE,...", conflicts_with_all = ["shard", "retry_failed", "remake"])]
    pub submit: Option<String>,
    /// Bring the rows of all shards together in the sweep's folder, which alone is named then, and make none
    #[arg(long, conflicts_with_all = ["paths", "model", "generate", "library", "methods", "method", "shard", "submit", "retry_failed", "remake"])]
    pub gather: bool,
    /// Compute failed rows again
    #[arg(long)]
    pub retry_failed: bool,
    /// Compute all rows of this method again; may be given several times
    #[arg(long, value_name = "METHOD")]
    pub remake: Vec<String>,
    /// Run nothing if a file is not an instance; by default the others still run
    #[arg(long)]
    pub strict: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// One row, as the sweep asks its child processes for it.
#[derive(Debug, Args)]
pub struct BenchRowArguments {
    pub instance: PathBuf,
    #[arg(long)]
    pub label: String,
    #[arg(long, value_parser = model())]
    pub model: &'static dyn Model,
    #[arg(long)]
    pub method: String,
    #[arg(long)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub effort: EffortFlags,
    #[arg(long, value_parser = gibibytes)]
    pub memory_limit: Option<f64>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Policies are the heuristics of model siavashi, which decide on each virtual machine as it arrives (`migopt list heuristics` names \
them and their parameters), and `optimal`, which solves the model's program whenever virtual machines arrive, together with those that are \
running and may be moved. The state is checked independently at the end of every interval.

The area is the sum, over all intervals, of the percentage of hosts and GPUs in use at the end of the interval; the strict area counts every \
GPU of a host in use as in use.

With --repack-every, all that runs is laid out anew from time to time on the fewest GPUs that can hold it. Their number is proved in whole numbers, \
for fleets of one board whose hosts limit neither CPU nor main memory. The emptiest GPUs are laid out anew, as few as suffice; what moves counts as \
a migration, the fewest of which are not looked for.

The folder keeps what each finished policy did. Run the same command again to continue where it stopped; nothing is repeated.

Exit codes: 0 every policy finished, 2 bad input, 4 stopped by Ctrl-C before that.

Examples:
  migopt replay --nodes nodes.csv --pods pods.csv --policy ff,mcc,grmu --output replays/all
  migopt replay --nodes nodes.csv --pods pods.csv --hosts first:6 --policy grmu:heavy-capacity=0.5 --output replays/six
  migopt replay --nodes nodes.csv --pods pods.csv --hosts first:6 --policy optimal --time-limit 10 --output replays/six
  migopt report replays/all --output report.html"
)]
pub struct ReplayArguments {
    #[command(flatten)]
    pub trace: TraceFlags,
    /// Policies, separated by commas, or one with parameters: NAME:KEY=VALUE,KEY=VALUE; may be given several times; by default
    /// all heuristics
    #[arg(long, value_name = "POLICY", value_parser = policy_names(), hide_possible_values = true)]
    pub policy: Vec<String>,
    /// Time from one consolidation to the next, a multiple of the interval, for policies that consolidate; by default the interval
    #[arg(long, value_name = "DURATION", value_parser = seconds_of_duration)]
    pub consolidate_every: Option<u64>,
    /// Time from one repack to the next, a multiple of the interval: at its end all that runs is laid out anew on the fewest GPUs that can
    /// hold it, which is proved; by default never
    #[arg(long, value_name = "DURATION", value_parser = seconds_of_duration)]
    pub repack_every: Option<u64>,
    #[command(flatten)]
    pub effort: EffortFlags,
    /// How the policy optimal combines the goals acceptance, hardware and migrations; by default one after the other
    #[arg(long)]
    pub objective: Option<String>,
    /// Heuristic from whose placement the policy optimal starts; by default the best of several cheap ones
    #[arg(long, value_name = "HEURISTIC", value_parser = heuristic_names(), hide_possible_values = true)]
    pub warm_start: Option<String>,
    /// Folder of the replay, which `migopt report` reads
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Two bounds are proved on what a policy can accept: one for policies that may move running virtual machines at any time \
for free, and one for policies that never move any. A schedule without migrations shows how much of the second bound is attainable.

Exit codes: 0 done, 2 bad input, 4 stopped at the limit or by Ctrl-C (the bounds and the schedule found by then are kept).

Examples:
  migopt replay-bound --nodes instances/traces/small/nodes.csv --arrivals instances/traces/small/arrivals.csv
  migopt replay-bound --nodes nodes.csv --pods pods.csv --hosts first:6 --output results/replay1"
)]
pub struct ReplayBoundArguments {
    #[command(flatten)]
    pub trace: TraceFlags,
    /// Folder of the replay, which `migopt report` reads; the bound is kept beside the policies there
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub effort: EffortFlags,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Verdicts: safe (every order of creation succeeds whatever start the driver picks), safe in order (some orders do; one is \
printed), depends on the driver (it fits, but no order is safe without start indices; a command with them is printed), impossible \
(the smallest part without a layout is named, and why it has none).

Exit codes: 0 every configuration can be laid out, if need be with start indices, 2 bad input, 3 one is impossible; with --strict also \
where one depends on the driver or has a warning.

Examples:
  migopt check config.yaml --board A100-40GB
  migopt check config.yaml --board H100-80GB --gpus 8 --select all-balanced
  migopt check config.yaml --state cluster.yaml --node gpu-a --select new-layout --format json"
)]
pub struct CheckArguments {
    /// Configuration file of mig-parted (YAML or JSON), or - for standard input
    pub configuration: PathBuf,
    /// Board of the GPUs (see `migopt list boards`)
    #[arg(long, required_unless_present = "state")]
    pub board: Option<String>,
    /// GPUs of a node; by default as many as the file names
    #[arg(long, value_name = "N", conflicts_with = "state", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub gpus: Option<u32>,
    /// Instance file with the current state of the nodes; shows what an apply would do to each GPU
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Look only at this node of --state; may be given several times
    #[arg(long, value_name = "NAME", requires = "state")]
    pub node: Vec<String>,
    /// Judge only this configuration
    #[arg(long, value_name = "NAME")]
    pub select: Option<String>,
    /// Strategy of the device plugin; single requires one profile on all GPUs of a node
    #[arg(long, value_enum)]
    pub strategy: Option<StrategyName>,
    /// Exit with code 3 also where a configuration depends on the driver or has a warning
    #[arg(long)]
    pub strict: bool,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Write the document to this file as well; YAML if it ends in .yaml or .yml, else JSON
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub screen: ScreenFlags,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Reads the output of nvidia-smi (mig -lgi, mig -lci, -L, -q -x), mig-minors, checkpoints of mig-parted, kubectl get -o json \
(pods, nodes, pdb, resourceslices, resourceclaims), the kubelet's checkpoint and podresources, metrics of dcgm-exporter, and Slurm (slurmd -G, \
scontrol show job -d, scontrol show node -d), in any combination. A file's content tells what it is; its name (gpu-a.lgi.txt) or its folder \
(gpu-a/lgi.txt) tells which node it comes from. scripts/collect writes such folders. The lock beside the output (cluster.lock.json) holds UUIDs \
and ids of instances.

Examples:
  migopt import facts/ --output cluster.yaml
  kubectl get resourceslices,resourceclaims,pods -A -o json > dra.json && migopt import dra.json --output cluster.yaml
  migopt import lgi.txt L.txt q.xml --node gpu-a --output cluster.yaml"
)]
pub struct ImportArguments {
    /// Files, or folders of such files
    #[arg(required = true, value_name = "FILE|FOLDER")]
    pub inputs: Vec<PathBuf>,
    /// Write the instance to this file, and the lock beside it
    #[arg(long, value_name = "FILE.yaml")]
    pub output: PathBuf,
    #[command(flatten)]
    pub reading: ImportFlags,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// How what tools print becomes an instance.
#[derive(Clone, Debug, Args)]
pub struct ImportFlags {
    /// Board of GPUs whose product is in no file, or not in the catalogue (see `migopt list boards`)
    #[arg(long, value_name = "BOARD")]
    pub board: Option<String>,
    /// Node of the files that name none
    #[arg(long, value_name = "NAME")]
    pub node: Option<String>,
    /// Rules that override how workloads can be moved (YAML; see `migopt schema rules`)
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// Keep idle instances where they are, instead of treating them as free room
    #[arg(long)]
    pub keep_idle: bool,
    /// Which workloads of one profile are interchangeable
    #[arg(long, value_enum, default_value_t = ClassChoice::Controller)]
    pub classes: ClassChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ClassChoice {
    /// Those of one controller with the same containers
    Controller,
    /// All
    Profile,
    /// None
    None,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  migopt show instances/wpm/eight-gpus.yaml
  migopt show result.json --picture result.svg")]
pub struct ShowArguments {
    /// Instance, solution, result or plan file
    pub file: PathBuf,
    /// Instance file of a plan, which names places of a cluster but does not hold it
    #[arg(long, value_name = "CLUSTER")]
    pub instance: Option<PathBuf>,
    /// Draw into this SVG file instead of the terminal; of a plan, the cluster before it and after it
    #[arg(long, value_name = "FILE.svg")]
    pub picture: Option<PathBuf>,
    /// Draw every GPU or server, however many there are
    #[arg(long, visible_alias = "all-gpus")]
    pub all: bool,
    /// What to print: the drawing, or a document: the solution, or the instance with everything resolved, as external heuristics
    /// receive it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    #[command(flatten)]
    pub screen: ScreenFlags,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  migopt report sweep/
  migopt report sweep/ --output sweep/report.html
  migopt report sweep/ --output rows.csv --quiet
  migopt report sweep/ --scoreboard --output scoreboard.html
  migopt report replay/ --output replay/report.html
  migopt report result.json --output answer.html
  migopt report result.json --instance cluster.yaml --certificate proof.cert --output answer.html
  migopt report plan.json --instance cluster.yaml --output plan.html")]
pub struct ReportArguments {
    /// Folder of a sweep (which holds rows.jsonl) or of a replay (replay.json), a folder of replays, with or without claims.yaml, a result of `migopt solve`, or a plan of `migopt plan`
    pub folder: PathBuf,
    /// Instance file of a plan, which names places of a cluster but does not hold it, or of a result with a certificate
    #[arg(long, value_name = "CLUSTER")]
    pub instance: Option<PathBuf>,
    /// Certificate of a result by `migopt solve --certificate`: the report says why nothing is better
    #[arg(long, value_name = "FILE", requires = "instance")]
    pub certificate: Option<PathBuf>,
    /// Write the report to this file instead of printing it as Markdown: .html (with plots), .md, or .csv (every row of a sweep, every policy and interval of replays, every metric of a result, every move of a plan)
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Rank the heuristics of a sweep instead: gaps with confidence intervals, run times, sizes, and exact tests of each pair
    #[arg(long)]
    pub scoreboard: bool,
    /// Do not say which file was written
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "A trace is one YAML file (instances/traces/two-boards.yaml is an example), or a table of hosts with a table of \
virtual machines (instances/traces/small) or of pods (instances/traces/alibaba-2023); instances/traces/README.md holds the formats.

Examples:
  migopt trace --nodes instances/traces/alibaba-2023/openb_node_list_gpu_node.csv \
--pods instances/traces/alibaba-2023/openb_pod_list_default.csv
  migopt trace --nodes instances/traces/small/nodes.csv --arrivals instances/traces/small/arrivals.csv --hosts first:2
  migopt trace --trace instances/traces/two-boards.yaml --format json"
)]
pub struct TraceArguments {
    #[command(flatten)]
    pub trace: TraceFlags,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  migopt list
  migopt list boards
  migopt list heuristics --format json")]
pub struct ListArguments {
    /// What to list; everything by default
    #[arg(value_enum)]
    pub topic: Option<Topic>,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Each line gives the `model`, the instance's `name` and `family`, either `infeasible` or the `stages` with \
their optima, and the `instance` itself, in the form that `migopt oracle` and `migopt solve` read.

Example:
  migopt corpus sharing | head -1"
)]
pub struct CorpusArguments {
    /// Model
    #[arg(value_parser = model())]
    pub model: &'static dyn Model,
}

#[derive(Debug, Args)]
#[command(
    after_help = "The instances of the library reach from small to open ones, whose best known value does not meet the best proved bound. Their \
generators make them again; that they are the same is checked by their fingerprints. `migopt bench --library` runs methods on them.

Examples:
  migopt library --model sharing
  migopt library --open
  migopt library wpm-joint-80-1 --output joint.yaml"
)]
pub struct LibraryArguments {
    /// Instance; by default all are listed
    pub name: Option<String>,
    /// List only instances of this model
    #[arg(long, value_parser = model(), conflicts_with = "name")]
    pub model: Option<&'static dyn Model>,
    /// List only instances whose optimum is not proved
    #[arg(long, conflicts_with = "name")]
    pub open: bool,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Write the instance to this file; YAML if it ends in .yaml or .yml, else JSON
    #[arg(long, value_name = "FILE", requires = "name")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Example (then name the file in your editor's YAML settings):
  migopt schema instance > migopt-instance.schema.json")]
pub struct SchemaArguments {
    /// Which file format
    #[arg(value_enum)]
    pub document: DocumentName,
    /// Model of the question; all other formats are the same for every model
    #[arg(long, default_value = MODELS[0].name(), value_parser = model())]
    pub model: &'static dyn Model,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  migopt completions bash > /etc/bash_completion.d/migopt")]
pub struct CompletionsArguments {
    /// Shell
    #[arg(value_enum)]
    pub shell: Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  migopt manual > migopt.1
  migopt manual --output man/")]
pub struct ManualArguments {
    /// Folder for one page per subcommand
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Topic {
    Models,
    Formulations,
    Solvers,
    Heuristics,
    Metrics,
    Boards,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StrategyName {
    Single,
    Mixed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DocumentName {
    Instance,
    Solution,
    Result,
    Proposal,
    Question,
    Row,
    Frontier,
    Check,
    Trace,
    Plan,
    NoPlan,
    Request,
    Response,
    Lock,
    Rules,
    Sizing,
    Explanation,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes: 0 proved, 2 bad input, 3 no plan under these limits (with the reason), 4 stopped at a limit or by Ctrl-C, or not \
proved (the best plan and its bounds are printed and saved).

Examples:
  migopt plan instances/operators/two-nodes/expected/instance.yaml --model wpm
  migopt plan cluster.yaml answer.json --max-parallel 10 --max-parallel-per-node 2 --output plan.json
  migopt verify cluster.yaml plan.json")]
pub struct PlanArguments {
    /// Instance file (YAML or JSON), or - for standard input
    pub instance: PathBuf,
    /// Answer of `migopt solve`, or a solution written by hand; without it, migopt solves the instance first
    pub answer: Option<PathBuf>,
    #[command(flatten)]
    pub wanted: PlanFlags,
    /// Who changes the GPU instances: nvidia-smi, dra and hami beside running ones, mig-parted GPU by GPU, slurm node by node
    #[arg(long, value_parser = backend(), default_value = "nvidia-smi")]
    pub backend: Backend,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Write the plan to this file as well; YAML if it ends in .yaml or .yml, else JSON
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the report on the plan to this file as well: .html (every round drawn), .md, or .csv (every move)
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// What a plan may do and is to be best in.
#[derive(Clone, Debug, Args)]
pub struct PlanFlags {
    /// Model to solve first; by default the one whose section the instance has, else the first of `migopt list models` that it may mean
    #[arg(long, value_parser = model())]
    pub model: Option<&'static dyn Model>,
    /// Most moves, starts and stops in a round
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_parallel: Option<u32>,
    /// Most workloads that come to a node in a round, and most that leave it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_parallel_per_node: Option<u32>,
    /// Most rounds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_rounds: Option<u32>,
    /// Lend empty GPUs of this board, as few as are needed so that nothing stops
    #[arg(long, value_name = "BOARD")]
    pub spare: Option<String>,
    /// Where to go: to the placement of the answer, or to any with the same workloads on no more GPUs that costs less to reach
    #[arg(long, value_enum, default_value_t = PlanTarget::Fixed, conflicts_with = "spare")]
    pub target: PlanTarget,
    /// What to minimise, the most important first: stops, downtime, bounces, rounds, moves, plugin-restarts, gpus
    #[arg(long, value_name = "OBJECTIVE,...", value_delimiter = ',', value_parser = Objective::named,
          default_values = DEFAULT_ORDER.iter().map(|objective| objective.name()))]
    pub minimize: Vec<Objective>,
    #[command(flatten)]
    pub solver: SolverFlags,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Reads what the tools of a cluster print, as `migopt import` does; solves, plans and exports. The folder gets cluster.yaml, cluster.lock.json, \
plan.json, plan.html and, in files/, what is to be run, with steps.txt to begin with. Nothing is applied.

Exit codes: those of `migopt plan`; where there is no plan, the folder holds the cluster alone.

Examples:
  migopt repack facts/ --output repacked/
  migopt repack facts/ --format kubernetes --target open --output repacked/
  kubectl migopt --output repacked/")]
pub struct RepackArguments {
    /// Files, or folders of such files
    #[arg(required = true, value_name = "FILE|FOLDER")]
    pub inputs: Vec<PathBuf>,
    /// Folder for all that is written: a new one, or an empty one
    #[arg(long, value_name = "FOLDER")]
    pub output: PathBuf,
    /// Tool that is to apply the plan; checkpoint is one of mig-parted, kubernetes sets labels of the MIG manager
    #[arg(long, value_parser = tool(), default_value = "nvidia-smi")]
    pub format: Tool,
    #[command(flatten)]
    pub reading: ImportFlags,
    #[command(flatten)]
    pub wanted: PlanFlags,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// Where a plan goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlanTarget {
    /// To the placement of the answer
    Fixed,
    /// To that one, or to another with the same workloads on no more GPUs of any board that one round reaches
    Open,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The load is every workload of the instance, those that run and those that wait. All of it may be laid out anew, but for workloads that are not movable: \
these stay, and so do their GPUs. CPU and memory of hosts are not looked at.

Exit codes: 0 proved, 2 bad input, 3 no number of GPUs is enough on any boards, 4 stopped at a limit or by Ctrl-C (the best choices and their \
bounds are printed and saved).

Examples:
  migopt whatif instances/operators/two-nodes/expected/instance.yaml
  migopt whatif cluster.yaml --add 3g.20gb=5 --add 1g.5gb=10
  migopt whatif cluster.yaml --cost A100-40GB=3 --cost A30=1 --format json")]
pub struct WhatIfArguments {
    /// Instance file (YAML or JSON), or - for standard input
    pub instance: PathBuf,
    /// So many more workloads of a profile; may be given several times
    #[arg(long, value_name = "PROFILE=NUMBER")]
    pub add: Vec<Addition>,
    /// What a GPU of a board costs where boards are mixed; by default as the section wpm of the instance says, else 1
    #[arg(long, value_name = "BOARD=COST", value_parser = board_cost)]
    pub cost: Vec<(String, Amount)>,
    #[command(flatten)]
    pub solver: SolverFlags,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Write the answer to this file as well; YAML if it ends in .yaml or .yml, else JSON
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// Reads a board and what one of its GPUs costs.
fn board_cost(text: &str) -> Result<(String, Amount), String> {
    let example = "write BOARD=COST, such as A30=1, with a cost above 0";
    let (board, cost) = text.rsplit_once('=').ok_or_else(|| example.to_owned())?;
    let cost: Amount = cost.parse().map_err(|_| example.to_owned())?;
    if cost > Amount::ZERO && cost < Amount::whole(LARGEST_AMOUNT) {
        Ok((board.to_owned(), cost))
    } else {
        Err(example.to_owned())
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Nothing is applied: the folder gets the files, and steps.txt says in which order they are used. A plan is refused where the tool cannot \
promise to carry it out. No file is overwritten.

Examples:
  migopt export plan.json --lock cluster.lock.json --format nvidia-smi --output scripts/
  migopt export plan.json --lock cluster.lock.json --format checkpoint --output checkpoints/")]
pub struct ExportArguments {
    /// Plan of `migopt plan`
    pub plan: PathBuf,
    /// Lock that `migopt import` wrote beside the instance
    #[arg(long, value_name = "FILE.lock.json")]
    pub lock: PathBuf,
    /// Tool that is to apply it; checkpoint is one of mig-parted, kubernetes sets labels of the MIG manager
    #[arg(long, value_parser = tool())]
    pub format: Tool,
    /// Folder for the files, made where it is missing
    #[arg(long, value_name = "FOLDER")]
    pub output: PathBuf,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

fn tool() -> impl TypedValueParser<Value = Tool> {
    PossibleValuesParser::new(Tool::ALL.iter().map(|tool| tool.name())).map(|name| {
        let named = Tool::ALL.iter().find(|tool| tool.name() == name);
        *named.expect("only names of tools are possible")
    })
}

fn backend() -> impl TypedValueParser<Value = Backend> {
    PossibleValuesParser::new(Backend::ALL.iter().map(|backend| backend.name())).map(|name| {
        let named = Backend::ALL.iter().find(|backend| backend.name() == name);
        *named.expect("only names of backends are possible")
    })
}

/// The command with all its subcommands, for completions and manual pages.
pub fn command() -> clap::Command {
    Arguments::command()
}

fn model() -> impl TypedValueParser<Value = &'static dyn Model> {
    let names = MODELS.iter().map(|model| PossibleValue::new(model.name()).help(model.summary()));
    PossibleValuesParser::new(names).try_map(|name| model_named(&name))
}

/// Reads a finite number of at least 0.
fn positive_number(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    let number = number.filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "give a number of at least 0".to_owned())
}

/// Reads which shard of a sweep is to be made.
fn shard(text: &str) -> Result<Shard, String> {
    Shard::read(text, |name| std::env::var(name).ok())
}

fn gibibytes(text: &str) -> Result<f64, String> {
    let number = positive_number(text).map_err(|error| format!("{error}, in GiB"))?;
    if (0.1..=1e6).contains(&number) { Ok(number) } else { Err("give between 0.1 and 1e6 GiB".to_owned()) }
}

/// Reads a time: seconds, or a number with a unit.
fn seconds(text: &str) -> Result<f64, String> {
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86_400.0)];
    let with_unit = units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)));
    let (number, factor) = with_unit.unwrap_or((text, 1.0));
    let advice = "such as 10, 90s, 15m or 1h";
    let number = positive_number(number.trim_end()).map_err(|error| format!("{error}, {advice}"))? * factor;
    if number <= 1e9 { Ok(number) } else { Err("give at most 10^9 seconds".to_owned()) }
}

/// Reads a gap: a ratio, or a percentage.
fn ratio(text: &str) -> Result<f64, String> {
    let (number, whole) = text.strip_suffix('%').map_or((text, 1.0), |percent| (percent.trim_end(), 100.0));
    let number: Option<f64> = number.parse().ok();
    let number = number.map(|number| number / whole).filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "give a ratio from 0 to 1, such as 0.05, or a percentage, such as 5%".to_owned())
}

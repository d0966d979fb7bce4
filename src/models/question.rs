//! What the rest of the house meets of an instance's question under a model.

use certificate::{Certificate, Claimed, Refusal};
use ground::{Amount, InputError, SourceText};
use kit::{
    About, CertificateDocument, ExplanationDocument, ExportedPrograms, FormulationEntry, FrontierDocument,
    ProposalDocument, ResultDocument, SolutionDocument, SolveError, SolveOptions, StageClaim, Verdict,
    VerdictDocument,
};
use milp::Program;
use serde_json::Value;
use solver::Control;

/// An instance's question under a model: what can be solved, proposed to and judged.
pub trait Question {
    /// The question as answers repeat it.
    fn about(&self) -> About;

    /// The formulation asked for, or the one that suits the question.
    fn formulation(&self, asked: Option<FormulationEntry>) -> FormulationEntry;

    /// The question as a program.
    ///
    /// # Errors
    /// When the formulation does not apply.
    fn program(&self, formulation: FormulationEntry) -> Result<Program, SolveError>;

    /// The question as programs of one objective each, whose optima are those of an answer by the same formulation.
    ///
    /// # Errors
    /// When the formulation does not apply.
    fn exported(
        &self,
        formulation: FormulationEntry,
        answer: &ResultDocument,
    ) -> Result<ExportedPrograms, SolveError>;

    /// The question as a program with products of columns, in the language AMPL.
    ///
    /// # Errors
    /// When the model has no such program, or it would be too large.
    fn nonlinear_program(&self) -> Result<String, SolveError>;

    /// Solves the question to proved optimality, or as far as the limits allow.
    ///
    /// # Errors
    /// When solvers cannot tell the values of the objective apart, when the formulation or the warm start does not apply, and when
    /// the solver fails or its answer does not pass the verifier.
    fn solve(&self, options: &SolveOptions, control: &Control) -> Result<ResultDocument, SolveError>;

    /// Lists the non-dominated values of two goals, named with a comma between them, and a solution for each.
    ///
    /// # Errors
    /// When the model has no such goals, and as for [`solve`](Question::solve).
    fn frontier(
        &self,
        goals: &str,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<FrontierDocument, SolveError>;

    /// Runs a heuristic of the model, `name` or `name:key=value,...`, and judges what it proposes.
    ///
    /// # Errors
    /// When there is no such heuristic.
    fn propose(&self, heuristic: &str, seed: u64) -> Result<ProposalDocument, String>;

    /// Judges a solution by the rules alone.
    ///
    /// # Errors
    /// When it does not speak of this instance.
    fn judge(&self, solution: &SolutionDocument, source: &SourceText) -> Result<Verdict, InputError>;

    /// As [`judge`](Question::judge), without writing the solution down anew.
    ///
    /// # Errors
    /// As for [`judge`](Question::judge).
    fn judgement(
        &self,
        solution: &SolutionDocument,
        source: &SourceText,
    ) -> Result<VerdictDocument, InputError>;

    /// Makes a certificate of a proved answer: that its solution is optimal, or that there is none.
    ///
    /// # Errors
    /// Why there is no certificate, in words.
    fn certify(
        &self,
        answer: &ResultDocument,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<Certificate, String>;

    /// The same of a solution that obeys all rules, whoever found it, or without one that there is none. What is not optimal has no certificate.
    ///
    /// # Errors
    /// Why there is no certificate, in words.
    fn certify_solution(
        &self,
        solution: Option<&SolutionDocument>,
        options: &SolveOptions,
        control: &Control,
    ) -> Result<Certificate, String>;

    /// What the numbers of a certificate say, and where a solution is given which it proves optimal, what that leaves to be desired.
    ///
    /// # Errors
    /// When the certificate is no proof, or the solution does not speak of this instance.
    fn explain(
        &self,
        certificate: &str,
        solution: Option<(&SolutionDocument, &SourceText)>,
    ) -> Result<ExplanationDocument, InputError>;

    /// What a proved answer by the same formulation claims about its program: of each goal that nothing is better, or that there is no
    /// solution.
    ///
    /// # Errors
    /// Why there is no such claim, in words.
    fn claims(
        &self,
        formulation: FormulationEntry,
        answer: &ResultDocument,
    ) -> Result<Vec<StageClaim>, String>;

    /// Whether a certificate proves that a solution is optimal, or without one that there is none.
    ///
    /// # Errors
    /// When the solution does not speak of this instance.
    fn check_certificate(
        &self,
        certificate: &str,
        solution: Option<(&SolutionDocument, &SourceText)>,
    ) -> Result<CertificateDocument, InputError>;

    /// What a certificate proves by itself, whatever solution is known.
    ///
    /// # Errors
    /// Why it is no proof.
    fn proved_by(&self, certificate: &str) -> Result<Vec<Claimed>, Refusal>;

    /// The solution by which one under other rules is compared with those of this question; `None` where its rules are
    /// those of the question.
    fn comparable(&self, solution: &SolutionDocument) -> Option<SolutionDocument>;

    /// What one unit of hardware in use costs, in units of the first goal, so that gaps can be told in units; for wpm a GPU.
    fn unit_cost(&self) -> Option<Amount>;

    /// The question for external heuristics, with everything resolved.
    fn document(&self, seed: u64) -> Value;
}

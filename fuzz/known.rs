//! Instances with known optima, by which texts are judged that may be certificates: for the fuzzer and for the tests.

use certificate::{Certificate, Claimed};
use kit::{SenseName, StageDocument};
use migopt::testing::{Truth, corpus};
use models::{MODELS, Question};

/// Instances of each model.
const OF_A_MODEL: usize = 3;

/// An instance with its optimum, goal by goal.
pub struct Known {
    model: &'static str,
    /// The fingerprint of the instance.
    pub fingerprint: &'static str,
    question: Box<dyn Question>,
    optimum: &'static [StageDocument],
}

/// What becomes of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judged {
    /// It is no certificate.
    Unread,
    /// It proves nothing of any instance.
    Refused,
    /// It proves something true.
    Accepted,
}

/// Instances of all models that have certificates, out of their corpora.
pub fn known() -> Vec<Known> {
    let mut known = Vec::new();
    for model in MODELS {
        let is_told_by_goal = |truth: &Truth| {
            let optimum = truth.optimum.as_deref().unwrap_or_default();
            // Sums of goals may be proved goal by goal.
            optimum.iter().all(|stage| !["profit", "weighted"].contains(&stage.name.as_str()))
                && !optimum.is_empty()
        };
        let truths: Vec<Truth> = corpus(model.name()).into_iter().filter(is_told_by_goal).collect();
        let apart = (truths.len() / OF_A_MODEL).max(1);
        for truth in truths.into_iter().step_by(apart).take(OF_A_MODEL) {
            // They are needed to the end.
            let truth: &'static Truth = Box::leak(Box::new(truth));
            known.push(Known {
                model: model.name(),
                fingerprint: &truth.instance.fingerprint,
                question: truth.instance.question().expect("the corpus is valid"),
                optimum: truth.optimum.as_deref().unwrap_or_default(),
            });
        }
    }
    known
}

/// Reads a text, and checks it as a certificate of each of the instances of its model.
///
/// # Panics
/// When something false is proved, or what is read is not what is written.
pub fn judge(known: &[Known], text: &str) -> Judged {
    let Ok(mut certificate) = Certificate::parse(text) else { return Judged::Unread };
    let mut judged = Judged::Refused;
    for known in known.iter().filter(|known| known.model == certificate.model) {
        certificate.fingerprint = known.fingerprint.to_owned();
        let written = certificate.to_string();
        let again = Certificate::parse(&written).map(|again| again.to_string());
        assert_eq!(again.as_ref(), Ok(&written), "what is written is read back");
        if let Ok(claims) = known.question.proved_by(&written) {
            assert!(is_true(&claims, known.optimum), "something false is accepted: {written}");
            judged = Judged::Accepted;
        }
    }
    judged
}

/// Whether nothing is better than what is claimed to be the best.
fn is_true(claims: &[Claimed], optimum: &[StageDocument]) -> bool {
    for (claim, stage) in claims.iter().zip(optimum) {
        let (Claimed::Best { value, .. }, Some(best)) = (claim, stage.value) else { return false };
        if *value != best {
            return (*value > best) == (stage.sense == SenseName::Maximize);
        }
    }
    true
}

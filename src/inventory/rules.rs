//! A file of rules by people who know their workloads better than their objects tell.

use crate::movability::Movability;
use ground::{InputError, Located, SourceText};
use schemars::JsonSchema;
use serde::Deserialize;

/// Rules; the first that fits a workload counts.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "migopt rules of an import")]
pub struct Rules {
    /// The rules in order.
    #[schemars(with = "Vec<Rule>")]
    pub rules: Vec<Located<Rule>>,
}

/// What holds for the workloads that fit. Names may have `*` in them for anything; what is left out fits all.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Rule {
    /// The workload's name in the cluster file, such as `serving/chat-*`.
    pub workload: Option<String>,
    /// Its node.
    pub node: Option<String>,
    /// Its profile.
    pub profile: Option<String>,
    /// Its controller: kind and name, such as `Job/*` or `StatefulSet/db`.
    pub controller: Option<String>,
    /// How it can be moved.
    pub movability: Option<Movability>,
    /// Why, for readers.
    pub reason: Option<String>,
}

/// What a rule is held against.
pub(crate) struct Subject<'a> {
    pub workload: &'a str,
    pub node: &'a str,
    pub profile: &'a str,
    pub controller: &'a str,
}

impl Rules {
    /// Reads a file of rules.
    ///
    /// # Errors
    /// When it is none, and when a rule says nothing.
    pub fn read(source: &SourceText) -> Result<Self, InputError> {
        let rules: Rules = source.parse()?;
        match rules.rules.iter().find(|rule| rule.value.movability.is_none()) {
            Some(rule) => Err(source.error_at(
                rule.at,
                None,
                "the rule says nothing about the workloads that fit. Add `movability: surge`, `restart` or `never`.",
            )),
            None => Ok(rules),
        }
    }

    /// What the first rule that fits says, and why.
    pub(crate) fn movability(&self, subject: &Subject<'_>) -> Option<(Movability, String)> {
        let rule = self.rules.iter().map(|rule| &rule.value).find(|rule| rule.fits(subject))?;
        let reason = rule.reason.clone().unwrap_or_else(|| "the file of rules says so".to_owned());
        Some((rule.movability?, reason))
    }
}

impl Rule {
    fn fits(&self, subject: &Subject<'_>) -> bool {
        let fits = |pattern: &Option<String>, text: &str| {
            pattern.as_ref().is_none_or(|pattern| matches(pattern.as_bytes(), text.as_bytes()))
        };
        fits(&self.workload, subject.workload)
            && fits(&self.node, subject.node)
            && fits(&self.profile, subject.profile)
            && fits(&self.controller, subject.controller)
    }
}

/// Whether a text fits a pattern in which `*` stands for anything.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut position) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while position < text.len() {
        if at < pattern.len() && pattern[at] == b'*' {
            last_star = Some((at, position));
            at += 1;
        } else if at < pattern.len() && pattern[at] == text[position] {
            (at, position) = (at + 1, position + 1);
        } else if let Some((star, from)) = last_star {
            last_star = Some((star, from + 1));
            (at, position) = (star + 1, from + 1);
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|letter| *letter == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        let fits = |pattern: &str, text: &str| matches(pattern.as_bytes(), text.as_bytes());
        for (pattern, text) in
            [("*", ""), ("a*", "a"), ("a*b*c", "aXbbYc"), ("*chat-*", "serving/chat-0"), ("abc", "abc")]
        {
            assert!(fits(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("", "a"), ("a*b", "abc"), ("abc", "ab"), ("*x", "y")] {
            assert!(!fits(pattern, text), "{pattern} {text}");
        }
    }
}

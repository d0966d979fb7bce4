//! Reads certificates, and refuses what is not one whole certificate of this version.

use super::format::{
    Certificate, Claim, Claimed, LARGEST_MULTIPLIER, Leaf, Multipliers, Run, Series, Step, VERSION,
};
use super::refusal::Refusal;
use ground::Amount;
use std::collections::BTreeSet;
use std::iter::Peekable;

/// A line with its number.
type Line<'t> = (usize, &'t str);

impl Certificate {
    /// Reads a certificate, in one pass over its lines.
    ///
    /// # Errors
    /// When the text is not one whole certificate of this version: the first line that is not as it should be.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
        let mut reader = Reader { lines: lines.enumerate().map(numbered as fn(_) -> _).peekable(), last: 0 };
        let certificate = reader.certificate()?;
        match reader.lines.find(|(_, line)| !line.is_empty()) {
            None => Ok(certificate),
            Some((line, _)) => Err(Refusal::at(line, "there is more after `end`. Leave it out.")),
        }
    }
}

fn numbered((position, line): (usize, &str)) -> Line<'_> {
    (position + 1, line)
}

struct Reader<'t, L: Iterator<Item = Line<'t>>> {
    lines: Peekable<L>,
    /// The last line that was read.
    last: usize,
}

impl<'t, L: Iterator<Item = Line<'t>>> Reader<'t, L> {
    fn certificate(&mut self) -> Result<Certificate, Refusal> {
        let version = self.word("migopt-certificate")?;
        if version != VERSION.to_string() {
            let reason =
                format!("this is version `{version}` of the format; this migopt reads version {VERSION}.");
            return Err(Refusal::at(self.last, reason));
        }
        let model = self.word("model")?.to_owned();
        let instance = self.word("instance")?;
        let Some((fingerprint, instance)) = instance.split_once(' ') else {
            return Err(Refusal::at(self.last, "after `instance` come its fingerprint and its name."));
        };
        let (fingerprint, instance) = (fingerprint.to_owned(), instance.to_owned());
        let reading = self.optional("reading").map(str::to_owned);
        let mut claims = Vec::new();
        while let Some(claimed) = self.claimed()? {
            let line = self.last;
            claims.push(Claim { line, claimed, proof: self.proof()? });
        }
        self.nothing_after("end")?;
        Ok(Certificate { model, fingerprint, instance, reading, claims })
    }

    /// The statement that comes next, unless the certificate ends.
    fn claimed(&mut self) -> Result<Option<Claimed>, Refusal> {
        if self.peek() == Some("infeasible") {
            self.nothing_after("infeasible")?;
            return Ok(Some(Claimed::Infeasible));
        }
        let Some(rest) = self.optional("stage") else { return Ok(None) };
        let Some((stage, value)) = rest.split_once(' ') else {
            return Err(Refusal::at(self.last, "after `stage` come the goal and its value."));
        };
        let value = value.parse::<Amount>().map_err(|error| {
            Refusal::at(self.last, format!("the value `{value}` cannot be used: {error}."))
        })?;
        Ok(Some(Claimed::Best { stage: stage.to_owned(), value }))
    }

    /// A whole tree.
    fn proof(&mut self) -> Result<Vec<Step>, Refusal> {
        let mut steps = Vec::new();
        let mut open: usize = 1;
        while open > 0 {
            if let Some(rest) = self.optional("split") {
                let Some((total, at)) = rest.split_once(' ') else {
                    return Err(Refusal::at(self.last, "after `split` come a total and a number."));
                };
                let (line, total, at) = (self.last, total.to_owned(), self.number(at)?);
                steps.push(Step::Split { line, total, at });
                open += 1;
                continue;
            }
            let prices = self.multipliers("prices")?;
            let line = self.last;
            let goals = self.multipliers("goals")?;
            let totals =
                if self.peek() == Some("totals") { self.multipliers("totals")? } else { Multipliers::new() };
            let series = self.all_series()?;
            steps.push(Step::Leaf(Leaf { line, prices, goals, totals, series }));
            open -= 1;
        }
        Ok(steps)
    }

    /// The numbers in the next line, which begins with this word.
    fn multipliers(&mut self, word: &str) -> Result<Multipliers, Refusal> {
        let rest = self.rest(word)?;
        let mut multipliers = Multipliers::new();
        let mut named = BTreeSet::new();
        let mut words = rest.split(' ').filter(|_| !rest.is_empty());
        while let Some(name) = words.next() {
            let Some(number) = words.next().filter(|_| !name.is_empty()) else {
                let reason = format!("after `{word}` come names, each with a number and one space between.");
                return Err(Refusal::at(self.last, reason));
            };
            if !named.insert(name) {
                return Err(Refusal::at(self.last, format!("`{name}` is named twice.")));
            }
            multipliers.push((name.to_owned(), self.number(number)?));
        }
        Ok(multipliers)
    }

    /// The lines that begin with `series`, as many as there are.
    fn all_series(&mut self) -> Result<Vec<(String, Series)>, Refusal> {
        let (mut all, mut named) = (Vec::new(), BTreeSet::new());
        while let Some(rest) = self.optional("series") {
            let mut words = rest.split(' ');
            let name = words.next().unwrap_or_default();
            let series = words.map(|word| self.run(word)).collect::<Result<Series, Refusal>>()?;
            if name.is_empty() || series.is_empty() {
                return Err(Refusal::at(
                    self.last,
                    "after `series` come a name and numbers, one space between.",
                ));
            }
            if !named.insert(name) {
                return Err(Refusal::at(self.last, format!("`{name}` has two series.")));
            }
            all.push((name.to_owned(), series));
        }
        Ok(all)
    }

    /// A number, or a number with a `*` and how often it comes.
    fn run(&self, word: &str) -> Result<Run, Refusal> {
        let Some((number, count)) = word.split_once('*') else {
            return Ok(Run { number: self.number(word)?, count: 1 });
        };
        let number = self.number(number)?;
        match u32::try_from(self.number(count)?) {
            Ok(count) if count > 1 => Ok(Run { number, count }),
            _ => Err(Refusal::at(self.last, format!("`{count}` is no number of times."))),
        }
    }

    fn number(&self, text: &str) -> Result<i64, Refusal> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Refusal::at(self.last, format!("`{text}` is not a whole number.")));
        }
        let number = text.parse().ok();
        number.filter(|number: &i64| number.unsigned_abs() <= LARGEST_MULTIPLIER.unsigned_abs()).ok_or_else(
            || Refusal::at(self.last, format!("`{text}` is beyond 2^62, the largest number allowed.")),
        )
    }

    /// The word with which the next line begins.
    fn peek(&mut self) -> Option<&'t str> {
        let (_, line) = self.lines.peek()?;
        line.split(' ').next()
    }

    /// What comes after the word with which the next line must begin.
    fn rest(&mut self, word: &str) -> Result<&'t str, Refusal> {
        match self.lines.next() {
            Some((number, line)) => {
                self.last = number;
                match line.strip_prefix(word) {
                    Some("") => Ok(""),
                    Some(rest) if rest.starts_with(' ') => Ok(&rest[1..]),
                    _ if line.is_empty() => {
                        Err(Refusal::at(number, format!("`{word}` is missing: the text is cut off.")))
                    }
                    _ => Err(Refusal::at(number, format!("a line with `{word}` has to be here."))),
                }
            }
            None => Err(Refusal::at(self.last, format!("`{word}` is missing: the text is cut off."))),
        }
    }

    /// As [`rest`](Reader::rest), where something has to come.
    fn word(&mut self, word: &str) -> Result<&'t str, Refusal> {
        let rest = self.rest(word)?;
        if rest.is_empty() {
            return Err(Refusal::at(self.last, format!("after `{word}` something is missing.")));
        }
        Ok(rest)
    }

    /// What comes after the word, if the next line begins with it.
    fn optional(&mut self, word: &str) -> Option<&'t str> {
        (self.peek() == Some(word)).then(|| self.rest(word).unwrap_or_default())
    }

    fn nothing_after(&mut self, word: &str) -> Result<(), Refusal> {
        match self.rest(word)? {
            "" => Ok(()),
            _ => Err(Refusal::at(self.last, format!("nothing comes after `{word}`."))),
        }
    }
}

#[cfg(test)]
mod tests;

//! Names cut to the room there is.

/// The text with at most `room` characters: what does not fit is replaced by an ellipsis in the middle, because the ends
/// of names tell them apart.
pub(super) fn shorten(text: &str, room: usize) -> String {
    let length = text.chars().count();
    if length <= room {
        return text.to_owned();
    }
    if room == 0 {
        return String::new();
    }
    let head = room / 2;
    let tail = room - 1 - head;
    let front: String = text.chars().take(head).collect();
    let back: String = text.chars().skip(length - tail).collect();
    format!("{front}…{back}")
}

/// The profile's name with at most `room` characters: `1g.10gb+me`, else `1g+me`, else `1g`, else what is left of that.
pub(super) fn shorten_profile(profile: &str, room: usize) -> String {
    let compute = profile.split(['.', '+']).next().unwrap_or(profile);
    let attribute = profile.find(['+', '-']).map_or("", |at| &profile[at..]);
    let candidates = [profile.to_owned(), format!("{compute}{attribute}"), compute.to_owned()];
    let fitting = candidates.into_iter().find(|candidate| candidate.chars().count() <= room);
    fitting.unwrap_or_else(|| compute.chars().take(room).collect())
}

/// As many of the names as fit into `room` characters, separated by commas, and how many more there are. The first one
/// is shortened if need be.
pub(super) fn list<'t>(names: impl ExactSizeIterator<Item = &'t str>, room: usize) -> String {
    let total = names.len();
    let mut text = String::new();
    let mut length = 0;
    for (done, name) in names.enumerate() {
        let rest = total - done - 1;
        let reserve = if rest == 0 { 0 } else { format!(", +{rest}").len() };
        let separator = if done == 0 { "" } else { ", " };
        let wanted = separator.len() + name.chars().count();
        if length + wanted + reserve > room {
            if done > 0 {
                text.push_str(&format!(", +{}", rest + 1));
                return text;
            }
            let first = shorten(name, room.saturating_sub(reserve));
            return if rest == 0 { first } else { shorten(&format!("{first}, +{rest}"), room) };
        }
        text.push_str(separator);
        text.push_str(name);
        length += wanted;
    }
    text
}

/// What tells names apart: each without the words at both ends that all of them have, and these words around an ellipsis.
/// Names without such words stay as they are, and the words are empty.
pub(super) fn apart(names: &[&str]) -> (Vec<String>, String) {
    let words: Vec<Vec<&str>> = names.iter().map(|name| name.split_whitespace().collect()).collect();
    let shortest = words.iter().map(Vec::len).min().unwrap_or(0);
    let alike =
        |word: &dyn Fn(&Vec<&str>) -> String| words.iter().all(|other| word(other) == word(&words[0]));
    if names.len() < 2 || shortest == 0 {
        return (names.iter().map(|name| (*name).to_owned()).collect(), String::new());
    }
    // Each name keeps a word at least.
    let front = (0..shortest - 1).take_while(|&at| alike(&|words| words[at].to_owned())).count();
    let most_behind = shortest - 1 - front;
    let behind =
        (1..=most_behind).take_while(|&at| alike(&|words| words[words.len() - at].to_owned())).count();
    let labels = words.iter().map(|words| words[front..words.len() - behind].join(" ")).collect();
    if front + behind == 0 {
        return (labels, String::new());
    }
    let first = &words[0];
    let parts = [first[..front].join(" "), "…".to_owned(), first[first.len() - behind..].join(" ")];
    (labels, parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "))
}

/// A stretch of digits or of anything else.
#[derive(Eq, PartialEq, Ord, PartialOrd)]
pub(super) enum Run {
    /// Digits.
    Number(u64),
    /// Anything else.
    Other(String),
}

/// The stretches of a name: sorted by them, names stand in the order in which people read them, numbers by size.
pub(super) fn runs(name: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let digits = first.is_ascii_digit();
        let end = rest.find(|other: char| other.is_ascii_digit() != digits).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        runs.push(if digits {
            Run::Number(run.parse().unwrap_or(u64::MAX))
        } else {
            Run::Other(run.to_owned())
        });
        rest = after;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_in_the_middle() {
        assert_eq!(shorten("llama-70b-worker-12", 9), "llam…r-12");
        assert_eq!(shorten("bert", 4), "bert");
        assert_eq!(shorten("bert", 1), "…");
        assert_eq!(shorten("bert", 0), "");
    }

    #[test]
    fn profiles_lose_memory_first() {
        assert_eq!(shorten_profile("1g.10gb+me", 10), "1g.10gb+me");
        assert_eq!(shorten_profile("1g.10gb+me", 9), "1g+me");
        assert_eq!(shorten_profile("1g.24gb-me", 6), "1g-me");
        assert_eq!(shorten_profile("1g.10gb+me", 4), "1g");
        assert_eq!(shorten_profile("3g.40gb", 1), "3");
    }

    #[test]
    fn names_are_told_apart_by_what_differs() {
        let told = |names: &[&str]| {
            let (labels, words) = apart(names);
            format!("{} of {words}", labels.join("|"))
        };
        assert_eq!(
            told(&["stream of 500, 5 % low", "stream of 500, 10 % low"]),
            "5|10 of stream of 500, … % low"
        );
        assert_eq!(told(&["a b", "a c d"]), "b|c d of a …");
        assert_eq!(told(&["a", "a"]), "a|a of ");
        assert_eq!(told(&["low-5", "low-10"]), "low-5|low-10 of ");
        assert_eq!(told(&["alone in the world"]), "alone in the world of ");
        assert_eq!(told(&["", " b"]), "| b of ");
    }

    #[test]
    fn lists_tell_how_many_more() {
        let names = ["alpha", "beta", "gamma"];
        assert_eq!(list(names.into_iter(), 18), "alpha, beta, gamma");
        assert_eq!(list(names.into_iter(), 17), "alpha, beta, +1");
        assert_eq!(list(names.into_iter(), 10), "alpha, +2");
        assert_eq!(list(names.into_iter(), 7), "a…a, +2");
    }
}

//! Certificates that are not as they were made.

/// The text with every number changed in some ways, every line left out and every two neighbours swapped.
pub fn mutations(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut mutated = Vec::new();
    let mut with = |lines: Vec<String>| mutated.push(lines.join("\n") + "\n");
    let owned = || lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    for number in 0..lines.len() {
        let mut fewer = owned();
        fewer.remove(number);
        with(fewer);
        let mut swapped = owned();
        swapped.swap(number, (number + 1).min(lines.len() - 1));
        with(swapped);
        let words: Vec<&str> = lines[number].split(' ').collect();
        for (position, word) in words.iter().enumerate() {
            let Ok(value) = word.parse::<i64>() else { continue };
            for other in [value + 1, value - 1, -value, 0, value.saturating_mul(10)] {
                let mut changed: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
                changed[position] = other.to_string();
                let mut all = owned();
                all[number] = changed.join(" ");
                with(all);
            }
        }
    }
    mutated
}

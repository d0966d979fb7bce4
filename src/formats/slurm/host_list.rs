//! Lists of nodes: `gpu-[a,c],n[01-03]`.

/// The nodes of a list.
pub(super) fn expanded(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let (mut depth, mut from) = (0_i32, 0);
    for (at, letter) in list.char_indices().chain([(list.len(), ',')]) {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth <= 0 => {
                names.extend(one(&list[from..at]));
                from = at + 1;
            }
            _ => {}
        }
    }
    names
}

fn one(piece: &str) -> Vec<String> {
    let piece = piece.trim();
    let Some((before, rest)) = piece.split_once('[') else {
        return if piece.is_empty() { Vec::new() } else { vec![piece.to_owned()] };
    };
    let Some((inside, after)) = rest.split_once(']') else { return vec![piece.to_owned()] };
    let mut names = Vec::new();
    for item in inside.split(',') {
        let ends = item.split_once('-').unwrap_or((item, item));
        match (ends.0.parse::<u32>(), ends.1.parse::<u32>()) {
            (Ok(first), Ok(last)) if last.saturating_sub(first) < 100_000 => {
                let width = ends.0.len();
                names.extend((first..=last).map(|number| format!("{before}{number:0width$}")));
            }
            _ => names.push(format!("{before}{item}")),
        }
    }
    names.into_iter().flat_map(|name| one(&format!("{name}{after}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::expanded;

    #[test]
    fn lists_are_written_out() {
        assert_eq!(expanded("gpu-a"), ["gpu-a"]);
        assert_eq!(expanded("gpu-[a,c],n[08-10]x"), ["gpu-a", "gpu-c", "n08x", "n09x", "n10x"]);
        assert_eq!(expanded("r[1-2]n[1,3]"), ["r1n1", "r1n3", "r2n1", "r2n3"]);
        assert!(expanded("").is_empty());
    }
}

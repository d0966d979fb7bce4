//! What the reader takes, and what it refuses.

use super::*;

const TEXT: &str = "migopt-certificate 1
model wpm
instance 0123abcd two GPUs
reading printed
stage reward 12
prices 3g.40gb 4 1g.10gb -1
goals reward 1
stage gpus 2.5
split gpus 1
prices
goals gpus 2
totals gpus 3
prices
goals
end
";

fn refusal(text: &str) -> Refusal {
    Certificate::parse(text).expect_err(text)
}

#[test]
fn what_is_written_is_read_back() {
    let certificate = Certificate::parse(TEXT).unwrap();
    assert_eq!(certificate.instance, "two GPUs");
    assert_eq!(certificate.claims.len(), 2);
    assert_eq!(certificate.claims[1].proof.len(), 3);
    assert_eq!(certificate.to_string(), TEXT);
    let written_elsewhere = TEXT.replace('\n', "\r\n");
    assert_eq!(Certificate::parse(&written_elsewhere).unwrap(), certificate);
}

#[test]
fn a_text_that_is_cut_off_is_refused() {
    let whole = TEXT.trim_end().len();
    for end in (0..whole).filter(|&end| TEXT.is_char_boundary(end)) {
        refusal(&TEXT[..end]);
    }
    assert_eq!(
        refusal(&TEXT[..TEXT.len() - 4]).to_string(),
        "line 15: `end` is missing: the text is cut off."
    );
}

#[test]
fn what_is_not_as_it_should_be_is_told_with_its_line() {
    let changed = |from: &str, to: &str| refusal(&TEXT.replacen(from, to, 1)).to_string();
    assert_eq!(
        changed("certificate 1", "certificate 2"),
        "line 1: this is version `2` of the format; this migopt reads version 1."
    );
    assert_eq!(changed("3g.40gb 4", "3g.40gb 4.5"), "line 6: `4.5` is not a whole number.");
    assert_eq!(changed("3g.40gb 4", "3g.40gb +4"), "line 6: `+4` is not a whole number.");
    assert_eq!(changed("1g.10gb -1", "3g.40gb -1"), "line 6: `3g.40gb` is named twice.");
    let name_alone = "line 6: after `prices` come names, each with a number and one space between.";
    assert_eq!(changed("1g.10gb -1", "1g.10gb"), name_alone);
    assert_eq!(changed("prices 3g", "prices  3g"), name_alone);
    assert_eq!(
        changed("gpus 3", "gpus 4611686018427387905"),
        "line 12: `4611686018427387905` is beyond 2^62, the largest number allowed."
    );
    assert_eq!(
        changed("gpus 3", "gpus -99999999999999999999"),
        "line 12: `-99999999999999999999` is beyond 2^62, the largest number allowed."
    );
    assert_eq!(
        changed("gpus 2.5", "gpus 2.5x"),
        "line 8: the value `2.5x` cannot be used: it must be a finite decimal number."
    );
    assert_eq!(changed("end\n", "end\nend\n"), "line 16: there is more after `end`. Leave it out.");
    assert_eq!(changed("end\n", "end of it\n"), "line 15: nothing comes after `end`.");
    assert_eq!(
        changed("prices\ngoals\nend", "price\ngoals\nend"),
        "line 13: a line with `prices` has to be here."
    );
    assert_eq!(changed("split gpus 1", "split gpus"), "line 9: after `split` come a total and a number.");
    assert_eq!(changed("model wpm\n", ""), "line 2: a line with `model` has to be here.");
}

#[test]
fn series_are_runs_of_numbers() {
    let with = |series: &str| TEXT.replacen("totals gpus 3\n", &format!("totals gpus 3\n{series}\n"), 1);
    let text = with("series 1g 0*3 -5 7*2\nseries has:chat:2g+1g 1");
    let certificate = Certificate::parse(&text).unwrap();
    let Step::Leaf(leaf) = &certificate.claims[1].proof[1] else { panic!("it is a leaf") };
    let runs = [(0, 3), (-5, 1), (7, 2)].map(|(number, count)| Run { number, count });
    assert_eq!(leaf.series[0], ("1g".to_owned(), runs.to_vec()));
    assert_eq!(certificate.to_string(), text);
    let refused = |series: &str| refusal(&with(series)).to_string();
    let wanted = "line 13: after `series` come a name and numbers, one space between.";
    assert_eq!(refused("series 1g"), wanted);
    assert_eq!(refused("series"), wanted);
    assert_eq!(refused("series 1g  2"), "line 13: `` is not a whole number.");
    assert_eq!(refused("series 1g 2*1"), "line 13: `1` is no number of times.");
    assert_eq!(refused("series 1g 2*-3"), "line 13: `-3` is no number of times.");
    assert_eq!(refused("series 1g 2*4294967296"), "line 13: `4294967296` is no number of times.");
    assert_eq!(refused("series 1g 2\nseries 1g 3"), "line 14: `1g` has two series.");
}

#[test]
fn the_largest_multiplier_is_allowed() {
    let largest = TEXT.replacen("gpus 3", &format!("gpus {LARGEST_MULTIPLIER}"), 1);
    assert_eq!(Certificate::parse(&largest).unwrap().to_string(), largest);
}

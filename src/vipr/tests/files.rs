//! Files of proofs.

use super::random::{claim, proof};
use crate::{Claim, Goal, Leaf, Tree, WholeColumn, WholeProgram, WholeRow, check, text};
use milp::Sense;

fn column(name: &str, upper: i64) -> WholeColumn {
    WholeColumn { name: name.to_owned(), lower: 0, upper }
}

/// From 3x + 3y <= 7 follows x + y <= 2.
#[test]
fn a_file_is_what_the_format_says() {
    let program = WholeProgram {
        columns: vec![column("x of a", 3), column("y%", 1)],
        rows: vec![WholeRow {
            label: "room".to_owned(),
            lower: None,
            upper: Some(7),
            terms: vec![(0, 3), (1, 3)],
        }],
        totals: Vec::new(),
    };
    let goal = Goal { sense: Sense::Maximize, terms: vec![(0, 1), (1, 1)], value: 2 };
    let claim = Claim { program, goal: Some(goal), point: Some(vec![2, 0]) };
    let tree = Tree::Leaf(Leaf { goal: 3, rows: vec![(0, -1)] });
    assert_eq!(check(&claim, &tree), Ok(()));
    let lines = [
        "% two columns",
        "VER 1.0",
        "VAR 2",
        "x_of_a",
        "y_",
        "INT 2",
        "0 1",
        "OBJ max",
        "2 0 1 1 1",
        "CON 5 4",
        "x_of_a:least G 0 1 0 1",
        "x_of_a:most L 3 1 0 1",
        "y_:least G 0 1 1 1",
        "y_:most L 1 1 1 1",
        "room:most L 7 2 0 3 1 3",
        "RTP range 2 2",
        "SOL 1",
        "best 1 0 2",
        "DER 1",
        "D0 L 2 OBJ { rnd 1 4 1/3 } -1",
        "",
    ];
    assert_eq!(text(&claim, &tree, &["two columns".to_owned()]), lines.join("\n"));
}

#[test]
fn the_same_claim_has_the_same_file() {
    for seed in 0..50 {
        let claim = claim(seed);
        let file = || text(&claim, &proof(&claim).expect("it has a proof"), &[]);
        assert_eq!(file(), file());
    }
}

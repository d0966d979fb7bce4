//! Geometry that is written in place: what it becomes, and what is refused with which advice.

use ground::SourceText;
use mig::*;

const SEVEN_SLICES: &str = "
slots: 8
compute: 7
profiles:
  - {name: 1g.10gb, compute: 1, size: 1, starts: [6, 5, 4, 3, 2, 1, 0]}
  - {name: 1g.10gb+me, compute: 1, size: 1, starts: [0, 1, 2, 3, 4, 5, 6], maximum: 1}
  - {name: 1g.20gb, compute: 1, size: 2, starts: [0, 2, 4, 6]}
  - {name: 2g.20gb, compute: 2, size: 2, starts: [0, 2, 4]}
  - {name: 3g.40gb, compute: 3, size: 4, starts: [0, 4], aliases: [3g.39gb]}
  - {name: 4g.40gb, compute: 4, size: 4, starts: [0]}
  - {name: 7g.80gb, compute: 7, size: 8, starts: [0]}
";

fn geometry(text: &str) -> Geometry {
    support::from_yaml(text)
}

fn refusal(text: &str) -> String {
    Board::from_geometry("test", &geometry(text)).expect_err("the geometry is refused").to_string()
}

/// A board with one profile, whose text is given.
fn one_profile(profile: &str) -> String {
    format!("{{slots: 8, compute: 7, profiles: [{profile}]}}")
}

#[test]
fn a_geometry_in_place_equals_the_catalogue() {
    let board = Board::from_geometry("mine", &geometry(SEVEN_SLICES)).expect("valid");
    let known = support::board("A100-80GB");
    assert_eq!(patterns(&board), patterns(&known));
    assert_eq!(board.limits(), known.limits());
    let maxima = |board: &Board| board.profiles().iter().map(|profile| profile.maximum).collect::<Vec<_>>();
    assert_eq!(maxima(&board), maxima(&known));
    assert_eq!(board.find_profile("3G.39GB"), board.find_profile("3g.40gb"));
    assert!(board.provenance().is_none());
    check_bin_view(&board).expect("the A100 is regular");
}

#[test]
fn engines_become_limits() {
    let board = Board::from_geometry(
        "engines",
        &geometry(
            "{slots: 2, compute: 2, profiles: [
               {name: half, compute: 1, size: 1, starts: [0, 1], engines: {decode: 1}},
               {name: whole, compute: 2, size: 2, starts: [0], engines: {decode: 1}}]}",
        ),
    )
    .expect("valid");
    let [limit] = board.limits() else { panic!("{:?}", board.limits()) };
    assert_eq!((limit.name.as_str(), limit.capacity), ("video decoders (NVDEC)", 1));
    assert_eq!(limit.usage, [1, 1]);
    assert_eq!(patterns(&board).len(), 3);
}

/// Five slots for four compute slices: slot 4 is extra, and a fifth instance finds a slot but no compute slice.
#[test]
fn compute_slices_are_a_limit() {
    let text = "{slots: 5, compute: 4, profiles: [{name: one, compute: 1, size: 1, starts: [0, 1, 2, 3, 4]}, {name: two, \
                compute: 2, size: 2, starts: [0]}]}";
    let board = Board::from_geometry("five", &geometry(text)).expect("valid");
    let [limit] = board.limits() else { panic!("{:?}", board.limits()) };
    assert_eq!(
        (limit.name.as_str(), limit.capacity, limit.usage.as_slice()),
        ("compute slices", 4, &[1, 2][..])
    );
    assert_eq!(board.profiles()[0].maximum, 4);
    assert_eq!(board.profiles()[1].maximum, 1);
    let one = |start| GpuInstance { profile: ProfileIndex(0), start: SliceStart(start) };
    assert!(layouts(&board, &[ProfileIndex(0)]).iter().all(|layout| layout.len() <= 4));
    assert!(is_terminal(&board, &[ProfileIndex(0)], &[one(0), one(1), one(2), one(4)]));
    // Slot 4 can still be used beside an instance on slot 3, so that nothing is wasted.
    assert_eq!([0, 3, 4].map(|start| board.waste(one(start))), [0, 0, 0]);
    // Where nothing begins there it is cut off.
    let text = text.replace("3, 4]", "3]");
    let board = Board::from_geometry("four", &geometry(&text)).expect("valid");
    assert!(board.limits().is_empty(), "{:?}", board.limits());
    assert_eq!([0, 3].map(|start| board.waste(one(start))), [0, 1]);
}

/// Two instances on the last compute slice do not waste its extra slot twice.
#[test]
fn an_extra_slot_is_wasted_once() {
    let board = Board::from_geometry(
        "wide",
        &geometry(
            "{slots: 5, compute: 2, profiles: [{name: one, compute: 1, size: 1, starts: [0, 1, 2, 3]}]}",
        ),
    )
    .expect("valid");
    let one = |start| GpuInstance { profile: ProfileIndex(0), start: SliceStart(start) };
    assert_eq!([0, 1, 2, 3].map(|start| board.waste(one(start))), [0, 0, 0, 1]);
}

#[test]
fn broken_rules_are_named() {
    for (text, says) in [
        ("{slots: 0, compute: 1, profiles: []}".to_owned(), "`slots` is 0"),
        ("{slots: 65, compute: 1, profiles: []}".to_owned(), "`slots` is 65"),
        ("{slots: 8, compute: 0, profiles: []}".to_owned(), "`compute` is 0"),
        ("{slots: 4, compute: 7, profiles: []}".to_owned(), "`compute` is 7"),
        ("{slots: 8, compute: 7, profiles: []}".to_owned(), "`profiles` is empty"),
        (one_profile("{name: '', compute: 1, size: 1, starts: [0]}"), "profile number 1 has an empty name"),
        (
            one_profile(
                "{name: a, compute: 1, size: 1, starts: [0]}, {name: b, aliases: [A], compute: 1, size: 1, starts: [0]}",
            ),
            "the name `A` stands for two profiles",
        ),
        (one_profile("{name: a, compute: 1, size: 0, starts: [0]}"), "profile `a`: `size` is 0"),
        (one_profile("{name: a, compute: 1, size: 9, starts: [0]}"), "profile `a`: `size` is 9"),
        (one_profile("{name: a, compute: 0, size: 1, starts: [0]}"), "profile `a`: `compute` is 0"),
        (one_profile("{name: a, compute: 8, size: 1, starts: [0]}"), "profile `a`: `compute` is 8"),
        (one_profile("{name: a, compute: 1, size: 1, starts: []}"), "profile `a`: `starts` is empty"),
        (
            one_profile("{name: a, compute: 1, size: 1, starts: [2, 0, 2]}"),
            "profile `a`: `starts` lists 2 twice",
        ),
        (one_profile("{name: a, compute: 1, size: 4, starts: [0, 5]}"), "profile `a`: start 5 + size 4"),
        (
            one_profile("{name: a, compute: 1, size: 1, starts: [0], maximum: 0}"),
            "profile `a`: `maximum` is 0",
        ),
        (
            one_profile(
                "{name: a, compute: 1, size: 1, starts: [0], engines: {}}, {name: b, compute: 1, size: 8, starts: [0]}",
            ),
            "profile `b` has no `engines`",
        ),
        (
            one_profile("{name: a, compute: 1, size: 1, starts: [0], engines: {decode: 1}}"),
            "none spans all 8 slots",
        ),
    ] {
        let message = refusal(&text);
        assert!(message.starts_with(says) || message.contains(says), "{text}\n{message}");
    }
}

#[test]
fn too_many_profiles_or_combinations_are_refused() {
    let profiles = |count: usize, starts: &str| {
        let one = |index| format!("{{name: p{index}, compute: 1, size: 1, starts: [{starts}]}}");
        (0..count).map(one).collect::<Vec<_>>().join(", ")
    };
    assert!(refusal(&one_profile(&profiles(33, "0"))).contains("33 entries"));
    let starts: Vec<String> = (0..64).map(|slot: u32| slot.to_string()).collect();
    let text = format!("{{slots: 64, compute: 64, profiles: [{}]}}", profiles(32, &starts.join(", ")));
    assert!(refusal(&text).contains("can be combined in more than"));
}

#[test]
fn unknown_fields_are_refused() {
    let error = SourceText::new("geometry", "{slots: 8, compute: 7, profiles: [], gpcs: 7}")
        .parse::<Geometry>()
        .expect_err("unknown");
    assert!(error.to_string().contains("gpcs"), "{error}");
}

/// The sums say that two pairs fit into four slots, but both would begin at slot 1.
#[test]
fn an_irregular_board_has_a_counterexample() {
    let board = Board::from_geometry(
        "irregular",
        &geometry(
            "{slots: 4, compute: 4, profiles: [
               {name: one, compute: 1, size: 1, starts: [0, 1, 2, 3]},
               {name: two, compute: 2, size: 2, starts: [1]}]}",
        ),
    )
    .expect("valid");
    let Err(BinViewCounterexample::Mismatch {
        occupied,
        added,
        waste_in_bins,
        waste_in_slots,
        explanation,
        ..
    }) = check_bin_view(&board)
    else {
        panic!("the board must not pass")
    };
    assert!(occupied.is_empty());
    assert_eq!(board.counts_name(&added), "2 x two");
    assert_eq!((waste_in_bins, waste_in_slots), (Some(0), None));
    assert_eq!(
        explanation,
        "board `irregular` occupied by []: 2 x two has waste 0 in the bins [(4 compute, 4 slots)@0] but does not fit in \
         the slots"
    );
}

/// Every sum is right on the empty board, but Algorithm 1 cuts a run of four slots into three and one, and so misses the
/// two pairs.
#[test]
fn a_counterexample_with_a_standing_instance() {
    let board = Board::from_geometry(
        "unaligned",
        &geometry(
            "{slots: 6, compute: 6, profiles: [
               {name: one, compute: 1, size: 1, starts: [0, 1, 2, 3, 4, 5]},
               {name: two, compute: 2, size: 2, starts: [0, 1, 2, 3, 4]},
               {name: three, compute: 3, size: 3, starts: [0, 1, 2, 3]},
               {name: six, compute: 6, size: 6, starts: [0]}]}",
        ),
    )
    .expect("valid");
    let Err(counterexample) = check_bin_view(&board) else { panic!("the board must not pass") };
    assert_eq!(
        counterexample.to_string(),
        "board `unaligned` occupied by [one@1]: 2 x two does not fit in the bins [(1 compute, 1 slots)@0, (3 compute, 3 \
         slots)@2, (1 compute, 1 slots)@5] but has waste 0 in the slots"
    );
}

#[test]
fn a_board_with_too_many_states_is_undecided() {
    let starts: Vec<String> = (0..64).map(|slot: u32| slot.to_string()).collect();
    let text = format!(
        "{{slots: 64, compute: 64, profiles: [{{name: a, compute: 1, size: 1, starts: [{}]}}]}}",
        starts.join(", ")
    );
    let board = Board::from_geometry("wide", &geometry(&text)).expect("valid");
    assert_eq!(patterns(&board).len(), 65);
    assert!(matches!(check_bin_view(&board), Err(BinViewCounterexample::Undecided { .. })));
}

//! Drawings of placements: what they show, and that they are well-formed whatever is drawn.

use crate::drawings::{check_terminal, check_well_formed, in_colour, without_escapes};
use cluster::Maintenance;
use proptest::prelude::*;
use report::PieceChange::{Leaves, Migrates, Shifts, Starts, Stays};
use report::{GpuRow, Picture, Piece, PieceChange, SHOW_ALL_OPTION, Screen, Waiting, draw, draw_all, svg};

fn piece(workload: &str, profile: &str, start: u32, size: u32, change: PieceChange) -> Piece<'static> {
    let (workload, profile) = (workload.to_owned().into(), profile.to_owned().into());
    Piece {
        workload,
        profile,
        start,
        size,
        change,
        wasted: 0,
        pinned: false,
        temporary: false,
        interrupted: false,
    }
}

fn wasting(wasted: u32, piece: Piece) -> Piece {
    Piece { wasted, ..piece }
}

fn pinned(piece: Piece) -> Piece {
    Piece { pinned: true, ..piece }
}

fn gpu(
    name: &str,
    board: (&'static str, u32),
    before: Vec<Piece<'static>>,
    after: Option<Vec<Piece<'static>>>,
) -> GpuRow<'static> {
    let repartitioned = after.as_ref().is_some_and(|after| *after != before);
    GpuRow {
        name: name.to_owned().into(),
        board: board.0.into(),
        slots: board.1,
        before,
        after,
        repartitioned,
        maintenance: Maintenance::InService,
    }
}

fn waiting(workload: &'static str, profile: &'static str) -> Waiting<'static> {
    Waiting { workload: workload.into(), profile: profile.into() }
}

const A100: (&str, u32) = ("A100-40GB", 8);
const A30: (&str, u32) = ("A30", 4);
const RTX: (&str, u32) = ("RTX PRO 6000", 12);

/// Three boards, and every kind of change.
fn defragmentation() -> Picture<'static> {
    let llama = wasting(1, piece("llama", "3g.20gb", 4, 4, Stays));
    let video = pinned(piece("video", "2g.12gb", 0, 2, Stays));
    let render = pinned(piece("render", "2g.48gb+gfx", 6, 6, Stays));
    Picture {
        title: "Defragmentation".into(),
        gpus: vec![
            gpu(
                "a/0",
                A100,
                vec![
                    piece("bert", "1g.5gb", 1, 1, Shifts),
                    piece("ocr", "1g.5gb+me", 3, 1, Leaves),
                    llama.clone(),
                ],
                Some(vec![
                    piece("bert", "1g.5gb", 0, 1, Shifts),
                    piece("resnet", "2g.10gb", 2, 2, Migrates),
                    llama,
                ]),
            ),
            gpu(
                "a/1",
                A100,
                vec![piece("resnet", "2g.10gb", 4, 2, Leaves), piece("old", "1g.5gb", 6, 1, Leaves)],
                Some(vec![]),
            ),
            gpu("b/0", A30, vec![video.clone()], Some(vec![video, piece("ocr", "1g.6gb", 2, 1, Migrates)])),
            gpu(
                "c/0",
                RTX,
                vec![render.clone()],
                Some(vec![piece("new<&>", "1g.24gb+me.all", 3, 3, Starts), render]),
            ),
        ],
        pending: vec![waiting("old", "1g.5gb"), waiting("large", "7g.40gb"), waiting("other", "1g.5gb")],
    }
}

/// GPUs that take turns in holding one of three layouts.
fn fleet(gpus: usize) -> Picture<'static> {
    let layouts = [
        vec![],
        vec![piece("seven", "7g.40gb", 0, 8, Stays)],
        vec![piece("two", "2g.10gb", 0, 2, Stays), wasting(1, piece("three", "3g.20gb", 4, 4, Stays))],
    ];
    let row = |index: usize| gpu(&format!("gpu{index}"), A100, layouts[index % 3].clone(), None);
    Picture { title: "Fleet".into(), gpus: (0..gpus).map(row).collect(), pending: vec![] }
}

#[test]
fn three_boards_in_a_terminal() {
    insta::assert_snapshot!(draw(&defragmentation(), Screen::of_width(90)), @r"
    Defragmentation
    4 GPUs  3 in use  1 freed  4 repartitioned  2 moved  1 shifted  1 started  1 evicted
    3 pending  1 slice wasted

     A100-40GB       0     1     2     3     4     5     6     7
    ↻a/0          │↔1g  │  ·  │→2g.10gb   │3g.20gb           ░░░░░│ bert, resnet, llama
    ↻a/1          │  ·     ·     ·     ·     ·     ·     ·     ·  │ freed

     A30              0       1       2       3
    ↻b/0          │▪2g.12gb       │→1g.6gb│   ·   │                 video, ocr

     RTX PRO 6000   0   1   2   3   4   5   6   7   8   9   10  11
    ↻c/0          │ ·   ·   · │+1g+me.all │▪2g.48gb+gfx           │ new<&>, render

    → moved here  ↔ shifted  + started  ▪ pinned  ↻ repartitioned  ░ wasted  · free

    3 workloads pending:
      2 of 1g.5gb: old, other
      1 of 7g.40gb: large
    ");
}

#[test]
fn current_state_in_a_narrow_terminal() {
    insta::assert_snapshot!(draw(&fleet(3), Screen::of_width(44)), @r"
    Fleet
    3 GPUs  2 in use  1 slice wasted

     A100-40GB  0  1  2  3  4  5  6  7
     gpu0      │·  ·  ·  ·  ·  ·  ·  · │
     gpu1      │7g.40gb                │
     gpu2      │2g   │·  · │3g.20gb  ░░│

    ░ wasted  · free
    ");
}

#[test]
fn alike_gpus_share_a_line() {
    insta::assert_snapshot!(draw(&fleet(120), Screen::of_width(90)), @r"
    Fleet
    120 GPUs  80 in use  40 slices wasted

     A100-40GB    0     1     2     3     4     5     6     7
     40 GPUs   │  ·     ·     ·     ·     ·     ·     ·     ·  │ alike: gpu0, gpu3, gpu6, +37
     40 GPUs   │7g.40gb                                        │ alike: gpu1, gpu4, gpu7, +37
     40 GPUs   │2g.10gb    │  ·     ·  │3g.20gb           ░░░░░│ alike: gpu2, gpu5, gpu8, +37

    ░ wasted  · free
    ");
}

#[test]
fn everything_is_shown_on_request() {
    let drawing = draw_all(&fleet(120), Screen::of_width(90));
    assert!((0..120).all(|index| drawing.contains(&format!(" gpu{index} "))));
}

#[test]
fn what_is_left_out_is_told() {
    let mut picture = fleet(0);
    for index in 0..500 {
        let start = index % 8;
        let pieces =
            vec![wasting(index / 80, piece("w", &format!("{}g.5gb", index / 8 % 10), start, 1, Stays))];
        picture.gpus.push(gpu(&format!("gpu{index}"), A100, pieces, None));
    }
    let drawing = draw(&picture, Screen::of_width(100));
    let note = drawing.lines().find(|line| line.contains("not shown")).expect("there are too many looks");
    assert!(note.contains(SHOW_ALL_OPTION), "{note}");
    assert!(drawing.lines().count() < 75);
}

#[test]
fn colours_only_add_escape_sequences() {
    let plain = draw(&defragmentation(), Screen::of_width(80));
    let coloured = draw(&defragmentation(), in_colour(80));
    assert!(!plain.contains('\u{1b}') && coloured.contains('\u{1b}'));
    assert_eq!(without_escapes(&coloured), plain);
}

#[test]
fn a_change_as_svg() {
    let drawing = svg(&defragmentation());
    assert_eq!(pieces_in(&drawing), 14);
    assert_eq!(drawing.matches(r#"class="migration""#).count(), 2);
    assert_eq!(drawing.matches(r#"class="bar freed""#).count(), 2, "the GPU and the legend");
    assert!(drawing.contains("new&lt;&amp;&gt;") && !drawing.contains("new<"));
    assert!(drawing.contains("moved from a/1 slot 4") && drawing.contains("moves to a/0 slot 2"));
    assert!(drawing.contains("prefers-color-scheme: dark"));
}

#[test]
fn many_migrations_are_marked_instead_of_drawn() {
    let mut picture = fleet(0);
    for index in 0..61 {
        let name = format!("w{index}");
        let from = vec![piece(&name, "1g.5gb", 0, 1, Leaves)];
        let to = vec![piece(&name, "1g.5gb", 3, 1, Migrates)];
        picture.gpus.push(gpu(&format!("from{index}"), A100, from, Some(vec![])));
        picture.gpus.push(gpu(&format!("to{index}"), A100, vec![], Some(to)));
    }
    let drawing = svg(&picture);
    assert!(!drawing.contains(r#"class="migration""#));
    assert_eq!(drawing.matches(r#"style="stroke:"#).count(), 122);
    picture.gpus.truncate(120);
    assert_eq!(svg(&picture).matches(r#"class="migration""#).count(), 60);
}

#[test]
fn thousands_of_gpus_share_rows_as_svg() {
    let drawing = svg(&fleet(6000));
    assert_eq!(pieces_in(&drawing), 3);
    assert_eq!(drawing.lines().filter(|line| *line == "2,000 GPUs").count(), 3);
    assert!(!drawing.contains("seven"), "no workload stands for those of other GPUs");
}

fn pieces_in(drawing: &str) -> usize {
    drawing.matches(r#"class="piece"#).count()
}

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{1,12}", "[a-z]{1,8}-[0-9]{1,3}", "\\PC{0,8}", any::<String>()]
}

fn any_piece() -> impl Strategy<Value = Piece<'static>> {
    let profile = prop_oneof![
        Just("1g.5gb".to_owned()),
        Just("1g.10gb+me".to_owned()),
        Just("3g.20gb".to_owned()),
        Just("2g.48gb-me".to_owned()),
        any_name(),
    ];
    let change = prop_oneof![Just(Stays), Just(Shifts), Just(Migrates), Just(Starts), Just(Leaves)];
    let size = prop_oneof![9 => 0..9_u32, 1 => Just(u32::MAX)];
    (any_name(), profile, 0..14_u32, size, change, 0..4_u32, any::<[bool; 3]>()).prop_map(
        |(workload, profile, start, size, change, wasted, [pinned, temporary, interrupted])| Piece {
            workload: workload.into(),
            profile: profile.into(),
            start,
            size,
            change,
            wasted,
            pinned,
            temporary,
            interrupted,
        },
    )
}

/// Pictures of any pieces, overlapping and out of bounds too: a drawing must not depend on their being legal.
fn any_picture() -> impl Strategy<Value = Picture<'static>> {
    let pieces = || prop::collection::vec(any_piece(), 0..5);
    let slots = prop_oneof![Just(4_u32), Just(8), Just(12), 0..40_u32, Just(u32::MAX)];
    let row = (any_name(), any_name(), slots, pieces(), prop::option::of(pieces()), any::<bool>()).prop_map(
        |(name, board, slots, before, after, repartitioned)| GpuRow {
            name: name.into(),
            board: board.into(),
            slots,
            before,
            after,
            repartitioned,
            maintenance: Maintenance::InService,
        },
    );
    let pending = (any_name(), any_name())
        .prop_map(|(workload, profile)| Waiting { workload: workload.into(), profile: profile.into() });
    let row = row.boxed();
    let gpus = prop_oneof![prop::collection::vec(row.clone(), 0..6), prop::collection::vec(row, 41..50)];
    (any_name(), gpus, prop::collection::vec(pending, 0..6)).prop_map(|(title, gpus, pending)| Picture {
        title: title.into(),
        gpus,
        pending,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_terminal_drawing_keeps_to_its_width(picture in any_picture(), width in 0..140_usize) {
        check_terminal(width, |screen| draw(&picture, screen));
    }

    #[test]
    fn an_svg_is_well_formed_and_repeatable(picture in any_picture()) {
        let drawing = svg(&picture);
        check_well_formed(&drawing);
        prop_assert_eq!(svg(&picture.clone()), drawing);
    }

    #[test]
    fn an_svg_has_a_rectangle_per_piece(mut picture in any_picture()) {
        let mut expected = 0;
        for gpu in &mut picture.gpus {
            let visible = |piece: &&Piece| piece.start < gpu.slots && piece.size > 0;
            expected += gpu.before.iter().chain(gpu.after.iter().flatten()).filter(visible).count();
        }
        // A GPU without a state after the change keeps its state before it in a picture of a change.
        let change = picture.gpus.iter().any(|gpu| gpu.after.is_some());
        for gpu in picture.gpus.iter().filter(|gpu| change && gpu.after.is_none()) {
            expected += gpu.before.iter().filter(|piece| piece.start < gpu.slots && piece.size > 0).count();
        }
        prop_assert_eq!(pieces_in(&svg(&picture)), expected);
    }
}

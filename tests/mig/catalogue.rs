//! The built-in catalogue of boards: names, limits, waste and refusals.

use std::collections::BTreeSet;

use mig::*;
use support::board;

fn at(board: &Board, profile: &str, start: u8) -> GpuInstance {
    GpuInstance { profile: board.find_profile(profile).expect("known"), start: SliceStart(start) }
}

#[test]
fn usable_and_refused_boards() {
    let usable: Vec<&str> = catalogue().boards().iter().map(|board| board.name()).collect();
    assert_eq!(
        usable,
        [
            "A30-24GB",
            "A100-40GB",
            "A100-80GB",
            "H100-80GB",
            "H100-94GB",
            "H100-96GB / GH200-96GB",
            "GH200-144GB",
            "H200-141GB",
            "B200-180GB",
            "GB200-186GB",
            "RTX PRO 6000 Blackwell 96GB",
        ]
    );
    let refused: Vec<&str> = catalogue().unavailable().iter().map(|board| board.name.as_str()).collect();
    assert_eq!(
        refused,
        [
            "B300-269GB",
            "GB300-278GB",
            "RTX PRO 5000 Blackwell 48GB",
            "RTX PRO 4500 Blackwell 32GB",
            "Thor iGPU (GB10B)",
        ]
    );
    assert!(catalogue().unavailable().iter().all(|board| !board.reason.is_empty()));
}

#[test]
fn names_of_all_kinds_find_a_board() {
    for (name, found) in [
        ("a100-40gb", "A100-40GB"),
        ("NVIDIA A100-SXM4-80GB", "A100-80GB"),
        ("A100-SXM4-80GB", "A100-80GB"),
        ("NVIDIA H100 80GB HBM3", "H100-80GB"),
        ("h100-96gb", "H100-96GB / GH200-96GB"),
        ("GH200-96GB", "H100-96GB / GH200-96GB"),
        ("H100-96GB / GH200-96GB", "H100-96GB / GH200-96GB"),
        ("H200", "H200-141GB"),
        ("nvidia rtx pro 6000 blackwell server edition", "RTX PRO 6000 Blackwell 96GB"),
    ] {
        assert_eq!(board(name).name(), found, "{name}");
    }
    assert!(matches!(catalogue().find("GB300"), Lookup::Unavailable { reason } if reason.contains("proxy")));
    assert!(matches!(catalogue().find("RTX 4090"), Lookup::Unknown));
    for (name, found) in [("nvidia a100", ["A100-40GB", "A100-80GB"]), ("A800", ["A800-40GB", "A800-80GB"])] {
        let Lookup::Several(names) = catalogue().find(name) else { panic!("{name}") };
        assert_eq!(names, found);
        assert!(names.iter().all(|name| matches!(catalogue().find(name), Lookup::Found(_))));
    }
    // One board alone, no whole word, no word.
    for name in ["B200-180", "A10", "nvidia", ""] {
        assert!(matches!(catalogue().find(name), Lookup::Unknown), "{name}");
    }
}

#[test]
fn every_name_stands_for_one_board() {
    let mut names = BTreeSet::new();
    let mut all = 0;
    for (name, aliases) in
        catalogue().boards().iter().map(|board| (board.name(), board.aliases())).chain(
            catalogue().unavailable().iter().map(|board| (board.name.as_str(), board.aliases.as_slice())),
        )
    {
        for name in aliases.iter().map(String::as_str).chain([name]) {
            names.insert(name.to_lowercase().replace([' ', '_'], "-"));
            all += 1;
        }
    }
    assert_eq!(names.len(), all);
}

#[test]
fn usable_boards_are_complete() {
    for board in catalogue().boards() {
        let provenance = board.provenance().expect("catalogue boards have sources");
        assert!(!provenance.sources.is_empty() && !provenance.pci_device_ids.is_empty());
        let ids: BTreeSet<_> = board.profiles().iter().map(|profile| profile.driver_id).collect();
        assert!(!ids.contains(&None) && ids.len() == board.profiles().len(), "{}", board.name());
        let enums: BTreeSet<_> = board.profiles().iter().map(|profile| profile.nvml_enum).collect();
        assert!(!enums.contains(&None) && enums.len() == board.profiles().len(), "{}", board.name());
    }
}

#[test]
fn confidence_is_carried() {
    let confidence = |name| board(name).provenance().map(|provenance| provenance.confidence);
    assert_eq!(confidence("A100-40GB"), Some(Confidence::Captured));
    assert_eq!(confidence("H200"), Some(Confidence::Family));
    assert_eq!(confidence("GH200-144GB"), Some(Confidence::NotConfirmed));
    assert_eq!(confidence("GB200"), Some(Confidence::NotConfirmed));
}

#[test]
fn binding_limits_of_the_catalogue() {
    for board in catalogue().boards() {
        let names: Vec<&str> = board.limits().iter().map(|limit| limit.name.as_str()).collect();
        match board.slots() {
            8 => {
                assert_eq!(names, [format!("instances of {}", board.profiles()[1].name)], "{}", board.name())
            }
            4 => assert_eq!(names, ["optical flow accelerators (OFA)"]),
            _ => assert_eq!(names, ["video decoders (NVDEC)", "instances of 1g.24gb+me"]),
        }
    }
}

#[test]
fn limits_are_taken_and_given_back() {
    let board = board("A30");
    let [small, large] = ["1g.6gb+me", "2g.12gb+me"].map(|name| board.find_profile(name).expect("known"));
    let full = board.full_limits();
    let taken = full.take(&board, small).expect("the first one fits");
    assert_eq!(taken.take(&board, large), None);
    assert_eq!(taken.give_back(&board, small), full);
    assert_eq!(full.after(&board, &Counts::unit(board.profiles().len(), small)), Some(taken));
}

/// Fig. 6 and Table 3 of Turkkan et al.
#[test]
fn physical_waste_of_the_a100() {
    let board = board("A100-80GB");
    let waste = |profile, start| {
        let instance = at(&board, profile, start);
        (board.compute_waste(instance), board.memory_waste(instance))
    };
    assert_eq!(waste("3g.40gb", 0), (1, 0));
    assert_eq!(waste("3g.40gb", 4), (0, 0));
    assert_eq!(waste("4g.40gb", 0), (0, 0));
    assert_eq!(waste("7g.80gb", 0), (0, 0));
    assert_eq!(waste("2g.20gb", 4), (0, 0));
    assert_eq!(waste("1g.20gb", 4), (1, 0));
    assert_eq!(waste("1g.20gb", 6), (0, 0));
    assert_eq!(waste("1g.10gb", 5), (0, 0));
    assert_eq!(waste("1g.10gb", 6), (0, 1));
}

#[test]
fn boards_without_extra_slots_waste_nothing() {
    for name in ["A30", "RTX PRO 6000"] {
        let board = board(name);
        assert!(patterns(&board).waste_of.values().all(|waste| *waste == 0), "{name}");
    }
}

#[test]
fn profile_names_and_aliases() {
    let board = board("A100-80GB");
    assert_eq!(board.find_profile("3G.40GB"), board.find_profile("3g.39gb"));
    assert_eq!(board.find_profile("3g.20gb"), None);
    for (name, found) in [
        ("nvidia.com/mig-3g.40gb", "3g.40gb"),
        ("mig-3g.39gb", "3g.40gb"),
        ("1g.10gb.me", "1g.10gb+me"),
        ("4c.4g.40gb", "4g.40gb"),
        ("19", "1g.10gb"),
    ] {
        assert_eq!(board.find_profile(name), board.find_profile(found), "{name}");
        assert!(board.find_profile(name).is_some(), "{name}");
    }
    assert_eq!(["1c.4g.40gb", "1", "-19", "g.40gb", "mig-"].map(|name| board.find_profile(name)), [None; 5]);
    assert_eq!(board.instance_name(at(&board, "3g.40gb", 4)), "3g.40gb@4");
    let counts = Counts::from_instances(
        7,
        &[at(&board, "2g.20gb", 0), at(&board, "1g.10gb", 2), at(&board, "2g.20gb", 4)],
    );
    assert_eq!(board.counts_name(&counts), "1g.10gb + 2 x 2g.20gb");
    assert!(!board.is_legal(at(&board, "3g.40gb", 2)));
}

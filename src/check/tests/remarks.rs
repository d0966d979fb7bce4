//! What a check says of the shipped file, and each remark.

use super::{board, checked, checked_on, file, rules, shipped};
use crate::{ConfigurationFile, Fleet, Gpu, Level, Node, State, Strategy, VerdictName, check, text};

fn shipped_check() -> crate::CheckDocument {
    let file = ConfigurationFile::parse(shipped("mig-parted/check.yaml")).unwrap();
    check(&file, &Fleet::Like(board("A100-40GB"), None), None, None).unwrap()
}

#[test]
fn the_shipped_file_has_each_verdict_and_each_remark() {
    let document = shipped_check();
    assert!(document.gpus_assumed && !document.is_clean());
    assert_eq!(document.verdict, Some(VerdictName::Impossible));
    let told: Vec<(&str, Option<VerdictName>, Vec<&str>)> = document
        .configurations
        .iter()
        .map(|one| {
            let warnings = one.lints.iter().filter(|lint| lint.level == Level::Warning);
            (one.name.as_str(), one.verdict, warnings.map(|lint| lint.rule.as_str()).collect())
        })
        .collect();
    let (safe, impossible) = (Some(VerdictName::Safe), Some(VerdictName::Impossible));
    let expected = [
        ("safe", safe, vec![]),
        ("depends-on-the-driver", Some(VerdictName::DependsOnTheDriver), vec![]),
        ("safe-in-order", Some(VerdictName::SafeInOrder), vec![]),
        ("impossible-slots", impossible, vec![]),
        ("impossible-placement", impossible, vec![]),
        ("impossible-count", impossible, vec![]),
        ("impossible-media", impossible, vec![]),
        ("wrong-board", impossible, vec![]),
        ("partial-cover", safe, vec!["uncovered"]),
        ("twice", safe, vec!["matched-twice"]),
        ("zero-count", safe, vec!["zero-count"]),
        ("filter-matches-nothing", None, vec!["uncovered", "filter-matches-nothing"]),
        ("mode-change-of-one", Some(VerdictName::SafeInOrder), vec!["mode-change"]),
    ];
    assert_eq!(told, expected);
}

#[test]
fn what_to_type_and_what_is_wrong_is_told() {
    let document = shipped_check();
    let layout = |name: &str| {
        let one = document.configurations.iter().find(|one| one.name == name).unwrap();
        one.layouts[0].clone()
    };
    let in_order = layout("safe-in-order");
    assert_eq!(in_order.order, ["4g.20gb", "3g.20gb"]);
    assert_eq!(in_order.command.as_deref(), Some("nvidia-smi mig -i 0,1 -cgi 5:0,9:4 -C"));
    let depends = layout("depends-on-the-driver");
    assert_eq!(depends.command.as_deref(), Some("nvidia-smi mig -i 0,1 -cgi 19:0,19:1,14:2,9:4 -C"));
    assert_eq!(layout("impossible-slots").impossible.unwrap().smallest, "1g.5gb + 4 x 1g.10gb");
    let wrong_board = layout("wrong-board").impossible.unwrap();
    assert_eq!(wrong_board.reasons[0].reason, "profile");
    assert!(
        wrong_board.reasons[0].message.contains("a profile of that name is on A100-80GB, H100-80GB"),
        "{wrong_board:?}"
    );
    let plain = text(&document, &|_, words| words.to_owned());
    let order = "\n    safe in this order: 4g.20gb, then 3g.20gb\n    in another one, the driver may put 3g.20gb@0, which leaves no start \
                 for 4g.20gb\n";
    assert!(plain.contains(order), "{plain}");
    assert!(
        plain.contains(
            "mode-change-of-one: safe in order\n  GPU 0: 3g.20gb + 2g.10gb + 1g.5gb: safe in order\n"
        ),
        "{plain}"
    );
}

/// One configuration of a text for two A100-40GB.
fn remarks(entries: &str) -> Vec<String> {
    let text = format!("version: v1\nmig-configs:\n  one:\n{entries}");
    let document = checked(&text, "A100-40GB", 2);
    rules(&document.configurations[0]).into_iter().map(str::to_owned).collect()
}

#[test]
fn remarks_appear_where_they_are_due_and_nowhere_else() {
    let all = "    - {devices: all, mig-enabled: true, mig-devices: {3g.20gb: 2}}\n";
    assert!(remarks(all).is_empty());
    assert_eq!(remarks("    - {devices: [0, 1, 2], mig-enabled: false}\n"), ["no-such-gpu"]);
    assert_eq!(
        remarks("    - {device-filter: A100, devices: all, mig-enabled: false}\n"),
        ["uncovered", "filter-matches-nothing"]
    );
    // Entries for other boards are as they should be where one is for this.
    let for_boards = "    - {device-filter: ['0x20B710DE'], devices: all, mig-enabled: false}\n    - {device-filter: ['0x20B010DE'], devices: all, \
                      mig-enabled: false}\n";
    assert!(remarks(for_boards).is_empty());
    let subsystem = "    - {device-filter: '0x20B010DE:0x134F10DE', devices: all, mig-enabled: false}\n";
    assert_eq!(remarks(subsystem), ["subsystem"]);
    let twice = "    - {devices: all, mig-enabled: true, mig-devices: {}}\n    - {devices: [1], mig-enabled: false}\n";
    assert_eq!(remarks(twice), ["matched-twice", "mode-change"]);
    // 1g.10gb has two slots here, and one on an A100-80GB.
    let shape = "    - {devices: all, mig-enabled: true, mig-devices: {1g.10gb: 1}}\n";
    assert_eq!(remarks(shape), ["other-shape"]);
    let filtered =
        "    - {device-filter: '0x20B010DE', devices: all, mig-enabled: true, mig-devices: {1g.10gb: 1}}\n";
    assert!(remarks(filtered).is_empty());
}

fn node(boards: &[&str]) -> State {
    let gpu = |(index, name): (usize, &&str)| Gpu {
        index: index as u32,
        board: board(name),
        mig_enabled: true,
        instances: Vec::new(),
    };
    State { nodes: vec![Node { name: "n".to_owned(), gpus: boards.iter().enumerate().map(gpu).collect() }] }
}

#[test]
fn boards_of_a_node_may_differ() {
    let all = "version: v1\nmig-configs:\n  one:\n    - {devices: all, mig-enabled: true, mig-devices: {3g.40gb: 1}}\n";
    let mixed = checked_on(all, node(&["A100-80GB", "H100-80GB"]), None);
    assert_eq!(rules(&mixed), ["different-boards"]);
    assert_eq!(mixed.layouts.len(), 2);
    assert_eq!(mixed.layouts[1].command.as_deref(), Some("nvidia-smi mig -i 1 -cgi 9:4 -C"));
    assert!(rules(&checked_on(all, node(&["A100-80GB"; 2]), None)).is_empty());
}

#[test]
fn strategy_single_wants_one_profile() {
    let mixed = "version: v1\nmig-configs:\n  one:\n    - {devices: all, mig-enabled: true, mig-devices: {3g.20gb: 1, 4g.20gb: 1}}\n";
    let state = || node(&["A100-40GB"]);
    assert_eq!(rules(&checked_on(mixed, state(), Some(Strategy::Single))), ["mixed-layout"]);
    assert!(rules(&checked_on(mixed, state(), Some(Strategy::Mixed))).is_empty());
    assert!(rules(&checked_on(mixed, state(), None)).is_empty());
    let like = "version: v1\nmig-configs:\n  one:\n    - {devices: all, mig-enabled: true, mig-devices: {3g.20gb: 2}}\n";
    assert!(rules(&checked_on(like, state(), Some(Strategy::Single))).is_empty());
}

#[test]
fn parts_need_whole_instances() {
    let text = "version: v1\nmig-configs:\n  one:\n    - {devices: all, mig-enabled: true, mig-devices: {1c.3g.20gb: 4, 3g.20gb: 1}}\n";
    let one = &checked(text, "A100-40GB", 1).configurations[0];
    assert_eq!(one.verdict, Some(VerdictName::Impossible));
    assert_eq!(one.layouts[0].impossible.as_ref().unwrap().smallest, "3 x 3g.20gb");
    let text = text.replace("1c.3g.20gb: 4", "1c.3g.20gb: 3");
    let one = &checked(&text, "A100-40GB", 1).configurations[0];
    assert_eq!(one.verdict, Some(VerdictName::Safe));
    assert_eq!(one.layouts[0].command.as_deref(), Some("nvidia-smi mig -i 0 -cgi 9:0,9:4"));
}

#[test]
fn an_absurd_index_is_no_number_of_gpus() {
    let file = file("version: v1\nmig-configs: {a: [{devices: [4000000000], mig-enabled: false}]}");
    let document = check(&file, &Fleet::Like(board("A30"), None), None, None).unwrap();
    assert!(rules(&document.configurations[0]).contains(&"no-such-gpu"));
}

#[test]
fn a_configuration_is_selected_by_its_name() {
    let file = file(
        "version: v1\nmig-configs: {a: [{devices: all, mig-enabled: false}], half: [{devices: all, mig-enabled: false}]}",
    );
    let fleet = Fleet::Like(board("A30"), Some(1));
    assert_eq!(check(&file, &fleet, Some("half"), None).unwrap().configurations.len(), 1);
    let told = check(&file, &fleet, Some("halv"), None).unwrap_err();
    assert_eq!(told, "config.yaml has no configuration \"halv\" (did you mean \"half\"?). It has a, half.");
}

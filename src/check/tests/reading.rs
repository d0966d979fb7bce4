//! Configuration files.

use super::{file, shipped};
use crate::{ConfigurationFile, Devices, Filter, ProfileName};
use ground::SourceText;

/// What is wrong with a file, the place first.
fn wrong(text: &str) -> String {
    let error = ConfigurationFile::parse(SourceText::new("config.yaml", text)).unwrap_err();
    error.paragraphs()
}

/// A file with one entry.
fn with_entry(entry: &str) -> String {
    format!("version: v1\nmig-configs:\n  one:\n    - {entry}\n")
}

#[test]
fn the_shipped_files_are_read() {
    let read = ConfigurationFile::parse(shipped("mig-parted/config.yaml")).unwrap();
    let names: Vec<&str> =
        read.configurations.iter().map(|configuration| configuration.name.as_str()).collect();
    assert_eq!(names, ["gpu-a-now", "gpu-b-after"]);
    let entry = &read.configurations[0].entries[0];
    assert_eq!(entry.devices.value, Devices::Listed(vec![0]));
    assert_eq!(entry.filters[0].value.device, Some(0x20B0_10DE));
    let listed: Vec<(String, u32)> =
        entry.mig_devices.iter().map(|devices| (devices.profile.to_string(), devices.count)).collect();
    assert_eq!(listed, [("3g.20gb".to_owned(), 1), ("2g.10gb".to_owned(), 1), ("1g.5gb".to_owned(), 1)]);
    assert_eq!(read.greatest_index(), Some(1));
    assert_eq!(ConfigurationFile::parse(shipped("mig-parted/check.yaml")).unwrap().configurations.len(), 13);
}

#[test]
fn json_says_the_same() {
    let text = r#"{"version": "v1", "mig-configs": {"b": [{"devices": "all", "mig-enabled": false}],
        "a": [{"device-filter": "0x20B010DE", "devices": [1, 0], "mig-enabled": true, "mig-devices": {"1c.3g.20gb": 2}}]}}"#;
    let read = ConfigurationFile::parse(SourceText::new("config.json", text)).unwrap();
    assert_eq!(read.configurations[0].name, "b");
    assert!(!read.configurations[0].entries[0].mig_enabled);
    let entry = &read.configurations[1].entries[0];
    assert_eq!(entry.devices.value, Devices::Listed(vec![1, 0]));
    assert_eq!(entry.mig_devices[0].profile.part, Some(1));
}

#[test]
fn what_mig_parted_refuses_is_told_with_its_place() {
    let cases = [
        (
            "version: v2\nmig-configs: {a: [{devices: all, mig-enabled: false}]}\n".to_owned(),
            "config.yaml:1:10: `version` is v2",
        ),
        (
            "mig-configs: {a: [{devices: all, mig-enabled: false}]}\n".to_owned(),
            "the field `version` is missing",
        ),
        ("version: v1\nmig-configs: {}\n".to_owned(), "config.yaml:2:14: `mig-configs` is empty"),
        ("version: v1\nmig-configs: {a: []}\n".to_owned(), "config.yaml:2:15: `a` has no entries"),
        (with_entry("{devices: all, mig-enabled: true}"), "config.yaml:4:35: `mig-devices` is missing"),
        (
            with_entry("{devices: all, mig-enabled: false, mig-devices: {1g.5gb: 1}}"),
            "`mig-enabled` is false",
        ),
        (with_entry("{mig-enabled: false}"), "config.yaml:4:7: the field `devices` is missing"),
        (
            with_entry("{devices: some, mig-enabled: false}"),
            "config.yaml:4:17: `devices`: expected `all` or a list of indices",
        ),
        (
            with_entry("{devices: [0, x], mig-enabled: false}"),
            "config.yaml:4:21: `devices`: expected a whole number",
        ),
        (
            with_entry("{devices: all, mig-enable: false}"),
            "unknown field `mig-enable` (did you mean \"mig-enabled\"?)",
        ),
        (with_entry("{devices: all, mig-enabled: true, mig-devices: {1g.5gb: -1}}"), "config.yaml:4:63: "),
        (
            with_entry("{devices: all, mig-enabled: true, mig-devices: {19: 1}}"),
            "config.yaml:4:55: `19` is not a profile",
        ),
        (
            with_entry("{device-filter: 0x20B010DE, devices: all, mig-enabled: false}"),
            "expected a text in quotes",
        ),
        (
            with_entry("{device-filter: [0x20B010DE], devices: all, mig-enabled: false}"),
            "expected a text in quotes",
        ),
    ];
    for (text, message) in cases {
        let told = wrong(&text);
        assert!(told.contains(message), "{text}\n{told}");
    }
    // What is wrong in one configuration does not hide what is wrong in another.
    let told = wrong("version: v1\nmig-configs:\n  a: []\n  b:\n    - {devices: all, mig-enabled: true}\n");
    assert_eq!(told.lines().count(), 2, "{told}");
}

#[test]
fn profiles_have_the_names_of_the_driver() {
    let read = |name: &str| ProfileName::parse(name).map(|name| (name.part, name.compute, name.of));
    for (name, part, compute, of) in [
        ("1g.5gb", None, 1, "1g.5gb"),
        ("1g.5gb+me", None, 1, "1g.5gb+me"),
        ("1g.24gb+me.all", None, 1, "1g.24gb+me.all"),
        ("2g.48gb-me", None, 2, "2g.48gb-me"),
        ("1c.3g.20gb", Some(1), 3, "3g.20gb"),
        ("1c.1g.5gb+me", Some(1), 1, "1g.5gb+me"),
    ] {
        assert_eq!(read(name), Ok((part, compute, of.to_owned())), "{name}");
    }
    for name in [
        "",
        "19",
        "1g",
        "1g.5",
        "1g.gb",
        "g.5gb",
        "1g.5gb+",
        "1g.5gb me",
        "MIG 1g.5gb",
        "mig-1g.5gb",
        "4c.3g.20gb",
        "0g.5gb",
        "1g.5gbme",
    ] {
        assert!(read(name).is_err(), "{name}");
    }
}

#[test]
fn filters_are_numbers_with_or_without_subsystem() {
    let plain = Filter::of("0x20b010de");
    assert_eq!((plain.device, plain.has_subsystem), (Some(0x20B0_10DE), false));
    let with_subsystem = Filter::of("0x233010DE:0x16C010DE");
    assert_eq!((with_subsystem.device, with_subsystem.has_subsystem), (Some(0x2330_10DE), true));
    assert_eq!(Filter::of("548409566").device, Some(0x20B0_10DE));
    for text in ["A100", "20B010DE", "0x20B010DE:x", "0x20B010DE:0x1:0x2", ""] {
        assert_eq!(Filter::of(text).device, None, "{text}");
    }
    assert_eq!(
        file("version: v1\nmig-configs: {a: [{devices: all, mig-enabled: false}]}").greatest_index(),
        None
    );
}

//! Files that were cut, are older than others, or were mixed up.

use super::{files, joined};
use crate::InputFile;
use ground::SourceText;

const NAMES: [&str; 5] = [
    "nvidia-smi/?.lgi.txt",
    "nvidia-smi/?.L.txt",
    "nvidia-smi/?.q.xml",
    "kubernetes/?.kubelet_internal_checkpoint",
    "kubernetes/pods.json",
];

/// The files with one of them changed.
fn changed(name: &str, change: impl Fn(&str) -> String) -> Vec<InputFile> {
    let mut all = files(&NAMES);
    let file = all.iter_mut().find(|file| file.source.name().ends_with(name)).unwrap();
    let text = change(file.source.text());
    assert_ne!(text, file.source.text());
    file.source = SourceText::new(name, text);
    all
}

fn complaint(name: &str, change: impl Fn(&str) -> String) -> String {
    joined(changed(name, change)).unwrap_err().to_string()
}

#[test]
fn a_cut_file_is_an_error_with_its_line_or_changes_nothing() {
    let whole = joined(files(&NAMES)).unwrap().to_yaml().unwrap();
    for name in ["gpu-a.lgi.txt", "gpu-b.lgi.txt", "gpu-a.L.txt", "gpu-b.L.txt", "gpu-a.q.xml"] {
        let all = files(&NAMES);
        let file = all.iter().find(|file| file.source.name().ends_with(name)).unwrap();
        let count = file.source.text().lines().count();
        for kept in 0..count {
            let cut = changed(name, |text| text.lines().take(kept).map(|line| format!("{line}\n")).collect());
            match joined(cut) {
                Ok(inventory) => assert_eq!(inventory.to_yaml().unwrap(), whole, "{name}: {kept} lines"),
                Err(error) => {
                    let text = error.to_string();
                    assert!(text.contains("gpu-"), "{name}: {kept} lines: {text}");
                    assert!(kept == 0 || error.line.is_some(), "{name}: {kept} lines: {text}");
                }
            }
        }
    }
}

#[test]
fn contradictions_name_both_files() {
    let moved = complaint("gpu-a.lgi.txt", |text| {
        text.replace("19        9          6:1", "19        8          6:1")
    });
    assert!(moved.starts_with("gpu-a.") || moved.contains("gpu-a.L.txt"), "{moved}");
    let minor = complaint("gpu-a.q.xml", |text| text.replace("GPU-604bb432", "GPU-fec71d3a"));
    assert!(minor.contains("which `nvidia-smi -L` of the node lacks"), "{minor}");
    let mut mixed = files(&NAMES);
    for file in &mut mixed {
        if file.source.name().ends_with("gpu-b.L.txt") {
            file.source = SourceText::new("gpu-b.L.txt", files(&["nvidia-smi/gpu-a.L.txt"])[0].source.text());
        }
    }
    let error = joined(mixed).unwrap_err().to_string();
    assert!(
        error.starts_with("gpu-b.L.txt:1: GPU GPU-604bb432")
            && error.contains("on node gpu-a in another file"),
        "{error}"
    );
}

#[test]
fn rows_that_the_board_does_not_allow_are_refused() {
    for (from, to, rule) in [
        ("19        9          6:1", "19        9          7:1", "cannot start at slot 7"),
        ("19        9          6:1", "20        9          6:1", "has id 19"),
        ("0:4     |", "0:3     |", "occupies 4 memory slots"),
        ("19        8          1:1", "19        8          0:1", "has id 8 here, but 7 at"),
        ("14        5          4:2", "14        5          2:2", "overlaps 2g.10gb@2"),
    ] {
        let error = complaint("gpu-a.lgi.txt", |text| text.replace(from, to));
        assert!(error.starts_with("gpu-a.lgi.txt:") && error.contains(rule), "{error}");
    }
}

#[test]
fn a_profile_that_no_board_has_is_told_with_the_nearest() {
    let error =
        complaint("pods.json", |text| text.replace("nvidia.com/mig-4g.20gb", "nvidia.com/mig-4g.40gb"));
    assert!(
        error.starts_with("pods.json:") && error.contains("profile 4g.40gb (did you mean \"4g.20gb\"?)"),
        "{error}"
    );
}

#[test]
fn what_is_missing_is_said_with_the_command_that_tells_it() {
    let error = joined(files(&["nvidia-smi/?.L.txt"])).unwrap_err().to_string();
    assert!(
        error.contains("where its instances are is not told")
            && error.contains("nvidia-smi mig -lgi (on gpu-a)"),
        "{error}"
    );
    let error = joined(files(&["nvidia-smi/?.lgi.txt"])).unwrap_err().to_string();
    assert!(
        error.contains("the board of GPU gpu-a/0 is not known") && error.contains("--board NAME"),
        "{error}"
    );
    let mut nameless = files(&["nvidia-smi/gpu-a.lgi.txt"]);
    nameless[0].node = None;
    assert!(joined(nameless).unwrap_err().message.contains("--node NAME"));
    let foreign =
        vec![InputFile { source: SourceText::new("x.json", "{\"a\": 1}"), node: None, is_named: true }];
    assert!(
        joined(foreign).unwrap_err().to_string().starts_with("x.json:1: this is not the output of a tool")
    );
}

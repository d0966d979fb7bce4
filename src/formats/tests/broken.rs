//! Files that were cut, edited, or come from somewhere else.

use super::fixture;
use crate::nvidia_smi::gpu_instances::{self, GpuInstanceRow};
use crate::{Contents, foreign, read};
use ground::SourceText;
use mig::{Lookup, catalogue};

/// Files that tell by themselves where they end.
const CLOSED: [&str; 12] = [
    "nvidia-smi/gpu-a.q.xml",
    "mig-parted/gpu-b.checkpoint.json",
    "kubernetes/gpu-a.kubelet_internal_checkpoint",
    "kubernetes/gpu-a.podresources.json",
    "kubernetes/pods.json",
    "kubernetes/nodes.json",
    "kubernetes/pdbs.json",
    "dra/resourceslices.k8s-1.35.json",
    "dra/resourceclaims.json",
    "hami/nodes.json",
    "hami/pods.json",
    "nvidia-smi/gpu-b.q.xml",
];
/// Files whose lines stand for themselves, so that nothing tells that some are missing.
const OPEN: [&str; 9] = [
    "nvidia-smi/gpu-a.lgi.txt",
    "nvidia-smi/gpu-b.lgi.txt",
    "nvidia-smi/gpu-a.lci.txt",
    "nvidia-smi/gpu-b.L.txt",
    "nvidia-smi/gpu-a.mig-minors.txt",
    "dcgm/metrics.prom",
    "slurm/gpu-a.slurmd-G.txt",
    "slurm/gpu-a.scontrol-job.txt",
    "slurm/gpu-a.scontrol-node.txt",
];

/// The text without what stands behind so many bytes.
fn cut(whole: &SourceText, bytes: usize) -> SourceText {
    let end = (0..=bytes).rev().find(|&at| whole.text().is_char_boundary(at)).unwrap();
    SourceText::new(whole.name(), &whole.text()[..end])
}

#[test]
fn what_has_an_end_is_refused_without_it_and_the_line_is_told() {
    for name in CLOSED {
        let whole = fixture(name);
        let length = whole.text().trim_end().len();
        let step = (length / 400).max(1);
        // Of XML the first word must be there.
        for bytes in (5..length).step_by(step) {
            let error = read(&cut(&whole, bytes)).expect_err(&format!("{name} cut at {bytes}"));
            assert!(error.file.ends_with(name) && error.line.is_some(), "{name} cut at {bytes}: {error}");
        }
    }
}

#[test]
fn what_has_lines_alone_is_refused_within_a_line_or_has_fewer_of_them() {
    for name in OPEN {
        let whole = fixture(name);
        for bytes in 1..whole.text().len() {
            if let Err(error) = read(&cut(&whole, bytes)) {
                assert!(error.file.ends_with(name), "{error}");
            }
        }
    }
}

#[test]
fn a_table_that_is_cut_within_rows_is_refused() {
    for name in &OPEN[..3] {
        let whole = fixture(name);
        let lines: Vec<&str> = whole.text().lines().collect();
        for kept in 1..lines.len() {
            let text = lines[..kept].join("\n");
            let is_closed = lines[kept - 1].starts_with("+-") && kept > 6;
            let read = read(&SourceText::new("cut.txt", text));
            match read {
                Ok(Some(_)) => assert!(is_closed, "{name}: {kept} lines"),
                Ok(None) => assert!(kept < 2, "{name}: {kept} lines"),
                Err(error) => {
                    assert!(!is_closed && error.line.is_some(), "{name}: {kept} lines: {error}");
                }
            }
        }
    }
}

#[test]
fn rows_that_no_driver_prints_are_refused_with_the_rule() {
    let Lookup::Found(board) = catalogue().find("NVIDIA A100-SXM4-40GB") else { panic!() };
    let row = |profile: &str, profile_id, start, size| GpuInstanceRow {
        gpu: 0,
        profile: profile.to_owned(),
        profile_id,
        gpu_instance: 1,
        start,
        size,
    };
    assert!(row("1g.5gb+me", 20, 6, 1).on(&board).is_ok());
    for (row, rule) in [
        (row("4g.20gb", 5, 4, 4), "cannot start at slot 4"),
        (row("3g.20gb", 9, 0, 3), "occupies 4 memory slots"),
        (row("1g.5gb", 0, 0, 1), "has id 19 on a A100-40GB, not 0"),
        (row("3g.40gb", 9, 0, 4), "has no profile 3g.40gb (did you mean \"3g.20gb\"?)"),
    ] {
        let error = row.on(&board).unwrap_err();
        assert!(error.contains(rule), "{error}");
    }
}

#[test]
fn what_is_there_twice_is_refused() {
    let twice = |name: &str| {
        let text = fixture(name).text().to_owned();
        read(&SourceText::new("twice", format!("{text}{text}"))).unwrap_err().to_string()
    };
    assert!(
        twice("nvidia-smi/gpu-a.lgi.txt").contains("twice:19: this is not a row of `nvidia-smi mig -lgi`")
    );
    let row = "|   0  MIG 3g.20gb             9        2          4:4     |\n";
    let table = fixture("nvidia-smi/gpu-a.lgi.txt").text().to_owned() + row + "+---+\n";
    let error = read(&SourceText::new("twice", table)).unwrap_err().to_string();
    assert!(
        error.starts_with("twice:18: GPU 0 has two instances of id 2, the other one at line 10."),
        "{error}"
    );
    assert!(
        twice("nvidia-smi/gpu-a.L.txt").contains("twice:9: this GPU is in the list twice, first at line 1.")
    );
    let checkpoint = fixture("mig-parted/gpu-a.checkpoint.json")
        .text()
        .replace("619f8b3f-f9d5-4119-803a-20b87f59d69b", "604bb432-59ff-430f-8e85-c37697c069e8");
    assert!(
        read(&SourceText::new("c", checkpoint))
            .unwrap_err()
            .to_string()
            .contains("is in the checkpoint twice")
    );
}

#[test]
fn other_files_are_not_taken_for_those_of_a_tool() {
    for text in ["{\"a\": 1}", "[1, 2]", "<html></html>", "name: x\ngpus: []\n", "hello\n"] {
        let source = SourceText::new("other", text);
        assert!(read(&source).unwrap().is_none(), "{text}");
        assert!(foreign(&source).to_string().starts_with("other:1: this is not the output of a tool"));
    }
    let empty = read(&SourceText::new("empty.lgi.txt", " \n")).unwrap_err();
    assert!(empty.message.contains("the file is empty"));
    assert!(read(&SourceText::new("broken.json", "{\"kind\": \"List\",")).is_err());
}

#[test]
fn fields_of_another_kind_are_named_with_their_line() {
    for (name, from, to, rule) in [
        (
            "kubernetes/pods.json",
            "\"nvidia.com/mig-3g.20gb\": \"1\"",
            "\"nvidia.com/mig-3g.20gb\": \"one\"",
            "must be a whole number",
        ),
        ("hami/pods.json", "\\\"start\\\":4", "\\\"start\\\":-4", "lacks a usable `start`"),
        ("hami/pods.json", "\\\"gpuInstanceID\\\":5,", "", "lacks a usable `gpuInstanceID`"),
        ("dra/resourceclaims.json", "\"driver\": \"gpu.nvidia.com\",", "", "the field `driver` is missing"),
        (
            "mig-parted/gpu-a.checkpoint.json",
            "\"Version\":\"v1\"",
            "\"Version\":\"v2\"",
            "`Version` must be v1",
        ),
        (
            "kubernetes/gpu-a.kubelet_internal_checkpoint",
            "\"PodUID\":",
            "\"Pod\":",
            "the field `PodUID` is missing",
        ),
    ] {
        let text = fixture(name).text().replacen(from, to, 1);
        assert_ne!(text, fixture(name).text(), "{name}: {from}");
        let error = read(&SourceText::new(name, text)).unwrap_err();
        assert!(error.line.is_some() && error.message.contains(rule), "{error}");
    }
    let rows = gpu_instances::read(&SourceText::new("x", "|====|\n| 0 MIG 1g.5gb 19 9 6.1 |\n+--+\n"));
    assert!(rows.unwrap_err().to_string().starts_with("x:2: this is not a row of `nvidia-smi mig -lgi`"));
    assert!(matches!(read(&fixture("nvidia-smi/empty.lgi.txt")), Ok(Some(Contents::GpuInstances(_)))));
}

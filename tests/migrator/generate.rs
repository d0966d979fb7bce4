//! Generated windows of model migrator: what the seed decides, and what the other options change.

use ground::Amount;
use migrator::{
    GeneratorOptions, Gpu, Migrator, ModelSection, ModelTasks, Problem, Readings, Reconfiguration,
    RetrainingData, Section, Shape, Source, USUAL_COMPRESSION, USUAL_PSI_SHARE, Workload, generate,
    impossible,
};
use migrator::{NETWORKS, Recording, Signature};
use models::InstanceFile;
use std::path::Path;
use support::board;
use support::cli::{BAD_INPUT, Folder, PROVED, run};
use support::instances::{self, posed, shipped, written};

const BOARD: &str = "A100-40GB";

fn gpu(name: &str) -> Gpu {
    Gpu::new(board(name)).unwrap()
}

fn amount(text: &str) -> Amount {
    text.parse().unwrap()
}

fn options(workload: Workload) -> GeneratorOptions {
    GeneratorOptions {
        workload,
        gpu: gpu(BOARD),
        window: Amount::whole(200),
        basis: Amount::ONE,
        load: Amount::ONE,
        volume: Amount::ONE,
        psi_share: USUAL_PSI_SHARE,
        readings: Readings::default(),
        source: None,
        seed: 1,
    }
}

fn workload(number: usize) -> Workload {
    Workload::of_table_4(number).unwrap()
}

fn read(file: &InstanceFile) -> Problem {
    posed::<Migrator>(&written(file))
}

fn problem(options: &GeneratorOptions) -> Problem {
    read(&InstanceFile::of::<Migrator>(generate(options)))
}

fn section(options: &GeneratorOptions) -> Section {
    generate(options).section.unwrap()
}

fn models(section: &Section) -> Vec<&ModelSection> {
    section.models.iter().map(|model| &model.value).collect()
}

fn whole(requests: &[Amount]) -> Vec<i128> {
    requests.iter().map(|number| number.in_units_of(Amount::ONE).expect("whole numbers")).collect()
}

#[test]
fn windows_of_every_workload_basis_and_reading_are_valid() {
    for number in 1..=16 {
        for (basis, window) in [("0.5", 200), ("1", 200), ("3", 201), ("5", 200), ("10", 200)] {
            for seed in 1..=3 {
                let (basis, window) = (amount(basis), Amount::whole(window));
                let options = GeneratorOptions { basis, window, seed, ..options(workload(number)) };
                let problem = problem(&options);
                assert_eq!(problem.warnings, [""; 0]);
                assert_eq!(impossible(&problem), None, "{}", problem.name);
                assert!(problem.models.iter().all(|tasks| tasks.requests.len() == problem.slots as usize));
            }
        }
        for reconfiguration in
            [Reconfiguration::Clip, Reconfiguration::Carry, Reconfiguration::Frac, Reconfiguration::Charge]
        {
            let readings = Readings { reconfiguration, ..Readings::default() };
            problem(&GeneratorOptions { readings, ..options(workload(number)) });
        }
    }
    for board in ["A30-24GB", "H100-80GB", "B200-180GB"] {
        let problem = problem(&GeneratorOptions { gpu: gpu(board), ..options(workload(8)) });
        assert_eq!(problem.gpu.board.name(), board);
        assert_eq!(problem.models[0].capability.len(), problem.gpu.sizes.len());
    }
}

#[test]
fn workloads_are_those_of_table_4() {
    let names = |number| {
        let workload = workload(number);
        (workload.networks.iter().map(|network| network.name).collect::<Vec<_>>(), workload.images)
    };
    let images = [RetrainingData::Cifar10, RetrainingData::Core50];
    assert_eq!(names(1), (vec!["bert", "vit"], images[0]));
    assert_eq!(names(6), (vec!["convnext", "mobilenet"], images[0]));
    assert_eq!(names(8), (vec!["resnet50", "mobilenet"], images[0]));
    assert_eq!(names(9), (vec!["bert", "vit"], images[1]));
    assert_eq!(names(15), (vec!["inception", "resnet50"], images[1]));
    assert_eq!([Workload::of_table_4(0), Workload::of_table_4(17)], [None, None]);
    for number in 1..=8 {
        let [one, other] = [number, number + 8].map(workload);
        assert_eq!(one.networks, other.networks);
        for network in &one.networks {
            let is_bert = network.name == "bert";
            assert_eq!(one.data_of(network) == RetrainingData::Newsgroups20, is_bert);
            assert_eq!(one.data_of(network) == other.data_of(network), is_bert);
        }
    }
    assert_eq!([0, 1, 2].map(Workload::shape), [Shape::Alibaba, Shape::Azure, Shape::Alibaba]);
}

/// The latency of a request is 2 ms and the operations at 1.2 TFLOPS per GPC; training takes three times as long per sample.
#[test]
fn capability_and_retraining_follow_from_gflops() {
    let bert = NETWORKS[0];
    let capabilities = [1, 2, 3, 4, 7].map(|gpcs| bert.capability(gpcs).to_string());
    assert_eq!(capabilities, ["48.78", "88.889", "122.449", "150.943", "215.385"]);
    assert_eq!(bert.retraining_seconds(1_000.0, 1).to_string(), "61.5");
    for seed in 1..=20 {
        let options = GeneratorOptions { seed, ..options(workload(1)) };
        let section = section(&options);
        for (model, usual) in models(&section).into_iter().zip([1_132.0, 2_000.0]) {
            assert!(model.accuracy.before < model.accuracy.after && model.accuracy.after < Amount::ONE);
            let samples =
                |size: &str| model.retraining_seconds[size].to_f64() * model.capability[size].to_f64() / 3.0;
            assert!((0.79..1.21).contains(&(samples("1g") / usual)), "{}", samples("1g"));
            assert!((samples("1g") / samples("7g") - 1.0).abs() < 1e-3);
        }
        let minimum = |position: usize| models(&section)[position].minimum_instance.clone();
        assert!(minimum(0).is_none_or(|size| size == "2g") && minimum(1).is_none());
        let psi = models(&section).into_iter().map(|model| model.reconfiguration_seconds.to_string());
        assert_eq!(psi.collect::<Vec<_>>(), ["1.054", "0.986"]);
    }
    let twice = section(&GeneratorOptions { volume: Amount::whole(2), ..options(workload(1)) });
    let once = section(&options(workload(1)));
    let ratio = models(&twice)[1].retraining_seconds["1g"].to_f64()
        / models(&once)[1].retraining_seconds["1g"].to_f64();
    assert!((ratio - 2.0).abs() < 1e-4, "{ratio}");
    let whole = section(&GeneratorOptions { psi_share: Amount::ONE, ..options(workload(1)) });
    assert_eq!(models(&whole)[0].reconfiguration_seconds.to_string(), "6.2");
}

#[test]
fn requests_vary_between_nothing_and_the_peak() {
    for seed in 1..=20 {
        for model in &problem(&GeneratorOptions { seed, ..options(workload(7)) }).models {
            let requests = whole(&model.requests);
            let (least, most) = (requests.iter().min().unwrap(), requests.iter().max().unwrap());
            let mean = requests.iter().sum::<i128>() / 200;
            assert!(*least >= 0 && *most <= 300 && *most >= 100, "{requests:?}");
            assert!((40..=200).contains(&mean), "{mean}");
            let steps = requests.windows(2).filter(|pair| pair[0] != pair[1]).count();
            assert!(steps > 150, "{requests:?}");
        }
    }
    let total = |load: &str| {
        let problem = problem(&GeneratorOptions { load: amount(load), ..options(workload(7)) });
        problem.models.iter().flat_map(|tasks| whole(&tasks.requests)).sum::<i128>()
    };
    assert!((total("2") - 2 * total("1")).abs() <= 2 && (2 * total("0.5") - total("1")).abs() <= 4);
}

/// The same requests, cut otherwise: what a longer slot or window changes must not be chance.
#[test]
fn slots_windows_and_company_change_nothing_about_the_requests() {
    let requests = |options: &GeneratorOptions, position: usize| {
        whole(models(&section(options))[position].requests.as_ref().unwrap())
    };
    let usual = options(workload(1));
    let seconds = requests(&usual, 1);
    for (basis, slots) in [("0.5", 400), ("5", 40), ("10", 20)] {
        let other = requests(&GeneratorOptions { basis: amount(basis), ..usual.clone() }, 1);
        assert_eq!(other.len(), slots);
        let (short, long) = if slots > 200 { (&other, &seconds) } else { (&seconds, &other) };
        let together = short.len() / long.len();
        assert_eq!(
            short.chunks(together).map(|part| part.iter().sum()).collect::<Vec<i128>>(),
            *long,
            "{basis}"
        );
    }
    let hour = requests(&GeneratorOptions { window: Amount::whole(3600), ..usual.clone() }, 1);
    assert_eq!(hour[..200], seconds);
    let alone = Workload::of_networks(vec![NETWORKS[0]], RetrainingData::Cifar10);
    let [alone, beside] = [options(alone), usual.clone()].map(|options| section(&options));
    assert_eq!(models(&alone)[0], models(&beside)[0]);
    let data = |number| {
        let section = section(&options(workload(number)));
        models(&section).into_iter().cloned().collect::<Vec<_>>()
    };
    let (cifar, core) = (data(1), data(9));
    assert_eq!(cifar[0], core[0]);
    assert_eq!(cifar[1].requests, core[1].requests);
    assert!(cifar[1].retraining_seconds["1g"] < core[1].retraining_seconds["1g"]);
    assert_ne!(requests(&GeneratorOptions { seed: 2, ..usual }, 1), seconds);
}

fn recorded(folder: &Folder, name: &str, content: &str) -> Recording {
    let path = folder.write(name, content);
    Recording::read(Path::new(&path)).unwrap()
}

#[test]
fn recordings_are_counted_by_slot_compressed_and_scaled() {
    let folder = Folder::new();
    // Three requests in the first second, two in the second, one in the fourth, over midnight and a leap day.
    let times = "TIMESTAMP,ContextTokens\n2024-02-28 23:59:59.0000000,1\n2024-02-28 23:59:59.9999999,1\n\
                 2024-02-29 00:00:00.2,1\n2024-02-28 23:59:59.5,1\n2024-02-29 00:00:00.9,1\n2024-02-29T00:00:02.1Z,1\n";
    let recording = recorded(&folder, "times.csv", times);
    let counts = |slot: &str, slots: u32, offset: u64| {
        whole(&recording.cut(offset, amount(slot), slots)).into_iter().collect::<Vec<_>>()
    };
    assert_eq!(counts("1", 3, 0), [3, 2, 0]);
    assert_eq!(counts("1", 3, 1), [2, 0, 1]);
    assert_eq!(counts("0.5", 6, 0), [1, 2, 1, 1, 0, 0]);
    assert_eq!(counts("3", 1, 0), [5]);
    assert_eq!(recording.offsets(Amount::ONE, 3), Ok(1));
    assert_eq!(recording.offsets(Amount::ONE, 1), Ok(3));
    assert!(
        recording
            .offsets(Amount::ONE, 4)
            .unwrap_err()
            .contains("times lasts 3.1 s, but a window of 4 slots takes 4 s")
    );

    let seconds: String = (0..1000).map(|second| format!("{}\n", second % 7)).collect();
    let seconds = recorded(&folder, "seconds.txt", &seconds);
    assert_eq!(whole(&seconds.cut(2, Amount::whole(3), 2)), [2 + 3 + 4, 5 + 6]);
    assert!(
        seconds.offsets(amount("0.5"), 2).unwrap_err().contains("seconds has one number for each second")
    );

    let source = Source { recordings: vec![seconds], compression: amount("2"), scale: Some(amount("1.5")) };
    let of_source = |source: Source, seed| {
        let source = Some(source);
        let window = Amount::whole(100);
        problem(&GeneratorOptions { source, seed, window, ..options(workload(1)) })
    };
    let problem = of_source(source.clone(), 1);
    let requests: Vec<Vec<i128>> = problem.models.iter().map(|tasks| whole(&tasks.requests)).collect();
    // Two seconds of the recording have 1, 5, 9, 6, 3, 7 or 11 requests.
    let scaled = [2, 5, 8, 9, 11, 14, 17, 6, 12];
    assert!(requests.iter().flatten().all(|number| scaled.contains(number)), "{requests:?}");
    assert_ne!(requests[0], requests[1], "each model begins where its own numbers say");
    let peaks = |tasks: &ModelTasks| whole(&tasks.requests).into_iter().max().unwrap();
    let usual = of_source(Source { scale: None, compression: USUAL_COMPRESSION, ..source }, 1);
    assert!(usual.models.iter().map(peaks).all(|peak| (180..=300).contains(&peak)));
}

#[test]
fn the_same_flags_write_the_same_bytes_and_names_tell_them() {
    let folder = Folder::new();
    let seconds: String = (0..3000).map(|second| format!("{}\n", second % 11)).collect();
    let trace = folder.write("my trace.txt", seconds);
    let named = |flags: &[&str], name: &str, family: &str| {
        let arguments = [&["generate", "migrator", "--output", "-"], flags].concat();
        let one = run(&arguments, PROVED).stdout;
        assert_eq!(one, run(&arguments, PROVED).stdout);
        let instance: InstanceFile = support::from_yaml(&one);
        assert_eq!((instance.name.as_str(), instance.family.as_deref()), (name, Some(family)));
        assert!(instance.description.clone().unwrap().starts_with("Generated: "));
        read(&instance);
        // A series is one line, however long.
        assert!(one.lines().count() < 40 * instance.migrator.unwrap().models.len() + 20, "{one}");
    };
    named(&[], "migrator-w1-200s-seed1", "migrator w1, 200 s, basis 1 s");
    named(
        &["--workload", "w16", "--basis", "3", "--load", "1.25", "--seed", "7"],
        "migrator-w16-201s-basis3-load1.25-seed7",
        "migrator w16, 201 s, basis 3 s, load 1.25",
    );
    named(
        &["--models", "bert+vit,mobilenet", "--dataset", "core50", "--window", "60", "--basis", "0.5"],
        "migrator-bert-vit-mobilenet-core50-60s-basis0.5-seed1",
        "migrator bert-vit-mobilenet-core50, 60 s, basis 0.5 s",
    );
    named(
        &[
            "--models=resnet50",
            "--board=A30",
            "--reconfiguration=carry",
            "--deployment=gpcs",
            "--signature=multiset",
            "--psi-share=1",
            "--volume=0.5",
        ],
        "migrator-resnet50-200s-A30-24GB-volume0.5-psi1-carry-gpcs-multiset-seed1",
        "migrator resnet50, 200 s, basis 1 s, A30-24GB, volume 0.5, psi 1, carry, gpcs, multiset",
    );
    named(
        &["--requests-from", &trace, "--compression", "5", "--scale", "3"],
        "migrator-w1-200s-my-trace-compression5-scale3-seed1",
        "migrator w1, 200 s, basis 1 s, my trace, compression 5, scale 3",
    );
    named(
        &["--requests-from", &trace, "--requests-from", &trace, "--signature", "multiset"],
        "migrator-w1-200s-multiset-my-trace-my-trace-seed1",
        "migrator w1, 200 s, basis 1 s, multiset, my trace-my trace",
    );
    let output = folder.text("generated");
    run(&["generate", "migrator", "--count", "2", "--seed", "5", "--output", &output], PROVED);
    let mut files: Vec<_> =
        std::fs::read_dir(&output).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(
        files,
        [5, 6].map(|seed| format!("migrator-w1-200s-seed{seed}.yaml").into()) as [std::ffi::OsString; 2]
    );
}

/// The shipped instances that say which command makes them.
#[test]
fn shipped_instances_can_be_made_again() {
    let networks = |names: &[&str]| {
        let named = |name: &&str| *NETWORKS.iter().find(|network| network.name == *name).unwrap();
        Workload::of_networks(names.iter().map(named).collect(), RetrainingData::Cifar10)
    };
    let of = |workload, seed| GeneratorOptions { seed, ..options(workload) };
    let cases = [
        ("w1", of(workload(1), 1)),
        ("three-models", of(networks(&["vit", "inception", "resnet50"]), 3)),
        ("four-models", of(networks(&["bert", "convnext", "resnet50", "mobilenet"]), 4)),
        ("half-second", GeneratorOptions { basis: amount("0.5"), ..of(workload(2), 2) }),
        ("hour", GeneratorOptions { window: Amount::whole(3600), ..of(workload(7), 1) }),
        ("a30", GeneratorOptions { gpu: gpu("A30-24GB"), window: Amount::whole(100), ..of(workload(8), 1) }),
    ];
    for (name, options) in cases {
        let shipped = posed::<Migrator>(&instances::read(shipped("migrator", name)));
        let made = problem(&options);
        assert_eq!(shipped.models.len(), made.models.len(), "{name}");
        for (shipped, made) in shipped.models.iter().zip(&made.models) {
            assert_eq!(format!("{shipped:?}"), format!("{made:?}"), "{name}");
        }
        assert_eq!((shipped.slots, shipped.basis), (made.slots, made.basis), "{name}");
        assert_eq!(
            (shipped.readings, shipped.gpu.board.name()),
            (made.readings, made.gpu.board.name()),
            "{name}"
        );
        assert_eq!(shipped.readings.signature, Signature::Count, "{name}");
    }
}

#[test]
fn flags_that_do_not_fit_are_refused() {
    let folder = Folder::new();
    let short = folder.write("short.txt", "1\n2\n3\n");
    let bad = folder.write("bad.csv", "TIMESTAMP\n2023-11-16 18:17:03.9\n2023-11-16 25:00:00\n");
    let word = folder.write("word.txt", "1\nmany\n");
    let empty = folder.write("empty.txt", "");
    let cases: &[(&[&str], &str)] = &[
        (&["--workload", "w17"], "the value of --workload is \"w17\". Give one of w1 to w16."),
        (&["--models", "bert,vitt"], "\"vitt\" is not a model to generate (did you mean \"vit\"?)"),
        (&["--models", "bert,bert"], "Name bert once."),
        (&["--models", "bert", "--workload", "w1"], "cannot be used with"),
        (&["--dataset", "core50"], "--models"),
        (&["--basis", "0.3"], "Give a whole number of half seconds up to 3600."),
        (
            &["--basis", "3", "--window", "200"],
            "--window 200: this is not a whole number of slots of 3 s. Change it.",
        ),
        (&["--window", "200000"], "--window 200000: these are more than 100000 slots. Shorten it."),
        (&["--window", "0"], "Give a number above 0."),
        (&["--load", "0"], "Give a number between 0.01 and 1000."),
        (&["--load", "a lot"], "It must be a finite decimal number."),
        (&["--psi-share", "-1"], "-1"),
        (
            &["--board", "A100-40G"],
            "the value of --board is \"A100-40G\". \"A100-40G\" is not known (did you mean \"A100-40GB\"?)",
        ),
        (&["--reconfiguration", "cary"], "clip, carry, frac, charge"),
        (&["--compression", "3"], "--requests-from"),
        (&["--requests-from", "missing.csv"], "missing.csv: there is no such file. Check the path."),
        (
            &["--requests-from", &short],
            "--requests-from: short lasts 3.0 s, but a window of 200 slots takes 2000 s of it.",
        ),
        (
            &["--requests-from", &bad],
            "bad.csv:3: \"2023-11-16 25:00:00\" is not a time. Write it as 2023-11-16 18:17:03.9799600.",
        ),
        (&["--requests-from", &word], "word.txt:2: \"many\" is not a number of requests"),
        (&["--requests-from", &empty], "empty.txt: there are no requests in it."),
        (
            &["--requests-from", &short, "--requests-from", &short, "--requests-from", &short],
            "there are 3 files for 2 models. Give one for all, or one for each.",
        ),
    ];
    for (flags, part) in cases {
        let done = run(&[&["generate", "migrator", "--output", "-"], *flags].concat(), BAD_INPUT);
        assert!(done.stdout.is_empty() && done.stderr.contains(part), "{flags:?}: {}", done.stderr);
    }
}

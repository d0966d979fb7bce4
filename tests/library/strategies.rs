//! Strategies for tests of heuristics: what they draw can be solved, has every feature often enough, shrinks to something plain and is
//! printed as a file.

use cluster::Maintenance;
use ground::{Amount, SourceText};
use kit::{SolveOptions, Status};
use migopt::testing::strategies::{self, Sample};
use migrator::{Deployment, Reconfiguration, Signature};
use models::{Instance, InstanceFile, model_named};
use proptest::strategy::{BoxedStrategy, Strategy, ValueTree};
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};
use sharing::Optimum;
use siavashi::{ActiveGpus, MigrationCosts, Residents};
use solver::Control;
use solvers::by_name;
use std::collections::{BTreeMap, BTreeSet};
use wpm::{CostSettings, UseCase};

const SAMPLES: usize = 200;

/// A runner that draws the same in every run.
fn runner() -> TestRunner {
    let rng_seed = RngSeed::Fixed(1);
    TestRunner::new(Config { failure_persistence: None, rng_seed, ..Config::default() })
}

/// Some samples, the same in every run.
fn samples(strategy: impl Strategy<Value = Sample>) -> Vec<Sample> {
    let mut runner = runner();
    let draw = |_| strategy.new_tree(&mut runner).expect("nothing is rejected").current();
    (0..SAMPLES).map(draw).collect()
}

/// The usual strategy of every model.
fn strategies() -> [(&'static str, BoxedStrategy<Sample>); 4] {
    [
        ("wpm", strategies::wpm().boxed()),
        ("siavashi", strategies::siavashi().boxed()),
        ("migrator", strategies::migrator().boxed()),
        ("sharing", strategies::sharing().boxed()),
    ]
}

/// Whether the instance is feasible; its optimum, if it has one, is proved and breaks no rule.
fn is_feasible(model: &str, sample: &Sample) -> bool {
    let question = model_named(model).unwrap().pose(&sample.instance);
    let question = question.unwrap_or_else(|error| panic!("{error}{sample:?}"));
    let options = SolveOptions::exact(by_name("highs").unwrap());
    let result = question.solve(&options, &Control::silent());
    let result = result.unwrap_or_else(|error| panic!("{error}{sample:?}"));
    if result.status == Status::Infeasible {
        return false;
    }
    assert_eq!(result.status, Status::Optimal, "{sample:?}");
    let solution = result.solution.expect("an optimum comes with a solution");
    let verdict = question.judge(&solution, &sample.instance.source).expect("it speaks of this instance");
    assert!(verdict.violations.is_empty(), "{sample:?}");
    for (claimed, judged) in result.stages.iter().zip(&verdict.stages) {
        assert_eq!((claimed.bound, claimed.value), (judged.value, judged.value), "{sample:?}");
    }
    true
}

/// How many samples have what.
#[derive(Default)]
struct Tally(BTreeMap<&'static str, usize>);

impl Tally {
    fn count(&mut self, what: &'static str, is_there: bool) {
        *self.0.entry(what).or_default() += usize::from(is_there);
    }

    /// Asserts that everything that was counted is there often enough.
    fn all_at_least(&self, least: usize) {
        assert!(self.0.values().all(|&count| count >= least), "{:?}", self.0);
    }
}

fn has_several_boards(sample: &Sample) -> bool {
    sample.instance.cluster.boards.len() > 1
}

/// What wpm and siavashi have in common.
fn count_cluster(tally: &mut Tally, sample: &Sample) {
    let file = &sample.file;
    let any = |has: fn(&cluster::WorkloadSection) -> bool| {
        file.workloads.iter().any(|workload| has(&workload.value))
    };
    tally.count("several boards", has_several_boards(sample));
    tally.count("own geometry", !file.boards.is_empty());
    tally.count("residents", any(|workload| workload.current.is_some()));
    tally.count("newcomers", any(|workload| workload.current.is_none()));
    tally.count("pinned", any(|workload| !workload.movable));
    tally.count("several profiles", any(|workload| workload.profile.as_slice().len() > 1));
}

#[test]
fn instances_of_wpm_are_solved_and_have_every_feature() {
    let mut tally = Tally::default();
    for sample in samples(strategies::wpm()) {
        let settings = sample.file.wpm.as_ref().expect("the section is written");
        let is_feasible = is_feasible("wpm", &sample);
        assert!(is_feasible || settings.place_all, "{sample:?}");
        count_cluster(&mut tally, &sample);
        tally.count("infeasible", !is_feasible);
        tally.count("all are placed", is_feasible && settings.place_all);
        tally.count("initial", settings.use_case == UseCase::Initial);
        tally.count("compaction", settings.use_case == UseCase::Compaction);
        tally.count("reconfiguration", settings.use_case == UseCase::Reconfiguration);
        tally.count("joint", settings.use_case == UseCase::Joint);
        tally.count("one goal after the other", settings.objective.to_string() != "weighted");
        tally.count("no costs given", settings.costs == CostSettings::default());
        tally.count("costs by board", !settings.costs.boards.is_empty());
        let gives_reward = |number: usize| sample.file.workloads[number].value.reward.is_some();
        tally.count("own rewards", gives_reward(0));
        let has_gpu_in = |state| sample.instance.cluster.gpus.iter().any(|gpu| gpu.maintenance == state);
        tally.count("cordoned", has_gpu_in(Maintenance::Cordoned));
        tally.count("to be drained", has_gpu_in(Maintenance::Draining));
        tally.count("three GPUs", sample.file.gpus.len() == 3);
        tally.count("five workloads", sample.file.workloads.len() == 5);
    }
    tally.all_at_least(5);
}

#[test]
fn instances_of_siavashi_are_solved_and_have_every_feature() {
    let mut tally = Tally::default();
    for sample in samples(strategies::siavashi()) {
        let settings = sample.file.siavashi.as_ref().expect("the section is written");
        assert!(is_feasible("siavashi", &sample), "{sample:?}");
        count_cluster(&mut tally, &sample);
        let hosts = || sample.file.hosts.iter().map(|host| &host.value);
        tally.count("GPUs outside hosts", !sample.file.gpus.is_empty());
        tally.count("limited cores", hosts().any(|host| host.cpu.is_some()));
        tally.count("limited memory", hosts().any(|host| host.memory_gib.is_some()));
        tally.count("weights of hosts", hosts().any(|host| host.weight.is_some()));
        tally.count("several GPUs of a host", hosts().any(|host| host.gpus.as_slice().len() > 1));
        tally.count("several hosts", sample.file.hosts.len() > 1);
        let workloads = || sample.file.workloads.iter().map(|workload| &workload.value);
        tally.count("acceptance weights", workloads().any(|workload| workload.acceptance_weight.is_some()));
        tally.count("migration weights", workloads().any(|workload| workload.migration_weight.is_some()));
        tally.count("residents keep a place", settings.residents == Residents::Keep);
        tally.count("whole machines", settings.active_gpus == ActiveGpus::WholeMachine);
        tally.count("other migration costs", settings.migration_costs != MigrationCosts::default());
        tally.count("starts cost", settings.migration_costs.move_start != Amount::ZERO);
        tally.count("a sum of goals", settings.objective.to_string().starts_with("weighted"));
        tally.count("four GPUs", sample.instance.cluster.gpus.len() == 4);
    }
    tally.all_at_least(8);
}

#[test]
fn instances_of_migrator_are_solved_and_have_every_feature() {
    let mut tally = Tally::default();
    for sample in samples(strategies::migrator()) {
        let section = sample.file.migrator.as_ref().expect("the section is written");
        let models = || section.models.iter().map(|model| &model.value);
        let problem = sample.instance.given.migrator.as_ref().expect("the section is read");
        let is_feasible = is_feasible("migrator", &sample);
        tally.count("infeasible", !is_feasible);
        tally.count("feasible with several models", is_feasible && models().count() > 1);
        tally.count("own geometry", !sample.file.boards.is_empty());
        tally.count("clip", section.reconfiguration == Reconfiguration::Clip);
        tally.count("carry", section.reconfiguration == Reconfiguration::Carry);
        tally.count("frac", section.reconfiguration == Reconfiguration::Frac);
        tally.count("charge", section.reconfiguration == Reconfiguration::Charge);
        tally.count("GPCs are enough", section.deployment == Deployment::Gpcs);
        tally.count("the mix counts", section.signature == Signature::Multiset);
        tally.count("slots of no second", section.basis_seconds != Amount::ONE);
        tally.count("minimum instances", problem.models.iter().any(|model| model.minimum.index() > 0));
        tally.count("first allocations", models().any(|model| model.first_allocation.is_some()));
        tally.count("floating-point operations", models().any(|model| model.gflops.is_some()));
        tally.count("gains", models().any(|model| model.accuracy.after > model.accuracy.before));
        tally.count("losses", models().any(|model| model.accuracy.after < model.accuracy.before));
        let sizes = problem.gpu.sizes.len();
        tally.count("nothing served on a size", models().any(|model| model.capability.len() < sizes));
        tally.count("not retrained on a size", models().any(|model| model.retraining_seconds.len() < sizes));
        let longer = |model: &migrator::ModelTasks| model.reconfiguration > problem.basis;
        tally.count("outages longer than a slot", problem.models.iter().any(longer));
    }
    tally.all_at_least(8);
}

#[test]
fn instances_of_sharing_are_solved_and_have_every_feature() {
    let mut tally = Tally::default();
    for sample in samples(strategies::sharing()) {
        let section = sample.file.sharing.as_ref().expect("the section is written");
        let problem = sample.instance.given.sharing.as_ref().expect("the section is read");
        let vms = || section.vms.iter().map(|vm| &vm.value);
        let held = |vm: &sharing::VmSection| !vm.components.is_empty();
        let numbered = |vm: &sharing::VmSection| !vm.page_ranges.is_empty();
        let is_feasible = is_feasible("sharing", &sample);
        tally.count("infeasible", !is_feasible);
        tally.count("feasible with several servers", is_feasible && section.servers.len() > 1);
        tally.count("components", vms().any(held));
        tally.count("numbered pages", vms().any(numbered));
        tally.count("both", vms().any(|vm| held(vm) && numbered(vm)));
        tally.count("a table of shared pages", !section.shared_pages.is_empty());
        let shared = &problem.page_classes.shared;
        tally.count("more than two share", shared.iter().any(|class| class.vms.len() > 2));
        tally.count("nothing is shared", shared.is_empty());
        tally.count("no memory", problem.vms.iter().any(|vm| vm.pages == 0));
        tally.count("memory is content", vms().any(|vm| vm.memory_pages.is_none()));
        tally.count("the order counts", section.optimum == Optimum::FirstMOfTheOrder);
        tally.count("costs", problem.kinds.iter().any(|kind| kind.cost != Amount::ONE));
        tally.count("alike servers", problem.kinds.len() < problem.servers.len());
        tally.count("alike virtual machines", problem.alike().len() < problem.vms.len());
        tally.count("two resources", problem.resources.len() == 2);
        tally.count("no resource but memory", problem.resources.is_empty());
        tally.count("unlimited resources", problem.kinds.iter().any(|kind| kind.capacity.contains(&None)));
        tally.count("arrival", section.arrival.is_some());
        tally.count("large pages", section.page_kib == 1024);
    }
    tally.all_at_least(8);
}

/// The sample to which proptest shrinks the claim that no instance has this.
fn shrunk(strategy: impl Strategy<Value = Sample>, has: impl Fn(&InstanceFile) -> bool) -> Sample {
    let claim = |sample: Sample| match has(&sample.file) {
        true => Err(TestCaseError::fail("it has")),
        false => Ok(()),
    };
    match runner().run(&strategy, claim) {
        Err(TestError::Fail(_, sample)) => sample,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_fails_shrinks_to_something_plain() {
    let sample = shrunk(strategies::wpm(), |file| file.workloads.len() > 1);
    assert_eq!((sample.file.gpus.len(), sample.file.workloads.len()), (1, 2), "{sample:?}");
    assert!(sample.file.boards.is_empty(), "{sample:?}");
    assert!(sample.file.workloads.iter().all(|workload| workload.value.current.is_none()), "{sample:?}");
    assert_eq!(sample.file.wpm, Some(wpm::Settings::default()), "{sample:?}");

    let sample = shrunk(strategies::siavashi(), |file| file.workloads.len() > 1);
    assert_eq!((sample.instance.cluster.gpus.len(), sample.file.workloads.len()), (1, 2), "{sample:?}");
    assert!(sample.file.workloads.iter().all(|workload| workload.value.current.is_none()), "{sample:?}");
    let plain =
        siavashi::Settings { residents: siavashi::Residents::Evictable, ..siavashi::Settings::default() };
    assert_eq!(sample.file.siavashi, Some(plain), "{sample:?}");

    let sample = shrunk(strategies::migrator(), |file| {
        file.migrator.as_ref().is_some_and(|section| section.models.len() > 1)
    });
    let section = sample.file.migrator.as_ref().expect("the section is written");
    assert_eq!((section.models.len(), section.window_seconds), (2, Amount::ONE), "{sample:?}");
    assert!(section.models.iter().all(|model| model.value.first_allocation.is_none()), "{sample:?}");

    let sample = shrunk(strategies::sharing(), |file| {
        file.sharing.as_ref().is_some_and(|section| section.vms.len() > 1)
    });
    let section = sample.file.sharing.as_ref().expect("the section is written");
    assert_eq!((section.servers.len(), section.vms.len()), (1, 2), "{sample:?}");
    let has_plain_needs = |vm: &sharing::VmSection| {
        vm.components.is_empty() && vm.page_ranges.is_empty() && vm.memory_pages == Some(0)
    };
    assert!(section.vms.iter().all(|vm| has_plain_needs(&vm.value)), "{sample:?}");
}

/// A resident that matters is kept, and everything around it goes.
#[test]
fn a_resident_that_matters_stays() {
    let sample =
        shrunk(strategies::siavashi(), |file| file.workloads.iter().any(|workload| !workload.value.movable));
    assert_eq!((sample.instance.cluster.gpus.len(), sample.file.workloads.len()), (1, 1), "{sample:?}");
}

#[test]
fn samples_are_printed_as_files() {
    for (model, strategy) in strategies() {
        let mut texts = BTreeSet::new();
        for sample in samples(strategy) {
            let printed = format!("{sample:?}");
            let again = Instance::parse(SourceText::new("printed.yaml", printed.clone())).unwrap();
            assert_eq!(again.fingerprint, sample.instance.fingerprint, "{printed}");
            let file: InstanceFile = SourceText::new("printed.yaml", printed).parse().unwrap();
            assert_eq!(Sample::of(file).text, sample.text);
            texts.insert(sample.text);
        }
        assert!(texts.len() > SAMPLES * 9 / 10, "{model}: only {} different ones", texts.len());
    }
}

#[test]
fn parameters_bound_what_is_drawn() {
    let parameters = strategies::wpm::Parameters::default()
        .most_gpus(2)
        .most_workloads(3)
        .boards(&["A100-40GB"])
        .own_geometry(false)
        .use_cases(&[UseCase::Compaction])
        .maintenance(false)
        .place_all(false);
    for sample in samples(strategies::wpm_with(parameters)) {
        let (cluster, settings) = (&sample.instance.cluster, &sample.instance.given.wpm);
        assert!(cluster.gpus.len() <= 2 && cluster.workloads.len() <= 3, "{sample:?}");
        assert!(cluster.boards.iter().all(|board| board.name() == "A100-40GB"), "{sample:?}");
        assert!(cluster.gpus.iter().all(|gpu| gpu.maintenance.is_in_service()), "{sample:?}");
        assert!(settings.use_case == UseCase::Compaction && !settings.place_all, "{sample:?}");
    }
    let parameters = strategies::siavashi::Parameters::default().most_machines(2).most_gpus(3);
    let parameters = parameters.most_workloads(2).boards(&["A30"]).own_geometry(false);
    for sample in samples(strategies::siavashi_with(parameters)) {
        let cluster = &sample.instance.cluster;
        let problem = sample.instance.problem::<siavashi::Siavashi>().unwrap();
        assert!(cluster.gpus.len() <= 3 && cluster.workloads.len() <= 2, "{sample:?}");
        assert!(problem.machines.len() <= 3 && cluster.hosts.len() <= 2, "{sample:?}");
        assert!(cluster.boards.iter().all(|board| board.name() == "A30-24GB"), "{sample:?}");
    }
    let parameters = strategies::migrator::Parameters::default().most_models(1).most_slots(2);
    for sample in samples(strategies::migrator_with(parameters.boards(&[]))) {
        let problem = sample.instance.given.migrator.as_ref().unwrap();
        assert!(problem.models.len() <= 1 && problem.slots <= 2, "{sample:?}");
        assert!(!sample.file.boards.is_empty(), "{sample:?}");
    }
    let parameters = strategies::sharing::Parameters::default().most_servers(2);
    for sample in samples(strategies::sharing_with(parameters.most_vms(12).most_resources(1))) {
        let problem = sample.instance.given.sharing.as_ref().unwrap();
        assert!(problem.servers.len() <= 2 && problem.vms.len() <= 12, "{sample:?}");
        assert!(problem.resources.len() <= 1, "{sample:?}");
    }
}

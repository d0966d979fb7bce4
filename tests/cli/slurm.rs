//! A sweep on a real Slurm: its daemons run on this machine, for this test alone.
#![cfg(target_os = "linux")]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::cli::{Folder, PROVED, run};

/// Slurm of one machine: a controller and a node, which know each other through munge.
struct Slurm {
    folder: Folder,
    daemons: Vec<Child>,
}

impl Slurm {
    /// None where it is not installed and need not be.
    fn start() -> Option<Slurm> {
        let has = |program: &str| {
            let found = Command::new("sh")
                .args(["-c", &format!("command -v {program}")])
                .stdout(Stdio::null())
                .status();
            found.unwrap().success()
        };
        let programs = ["munged", "slurmctld", "slurmd", "sbatch"];
        if !programs.into_iter().all(has) {
            assert!(
                std::env::var_os("MIGOPT_REQUIRE_SLURM").is_none(),
                "Slurm is not installed: ./scripts/setup --tests"
            );
            eprintln!("skipped: Slurm is not installed");
            return None;
        }
        let folder = Folder::new();
        let at = |name: &str| folder.text(name);
        for name in ["state", "spool", "munge"] {
            std::fs::create_dir(folder.path(name)).unwrap();
        }
        permit(&folder, "", 0o755);
        folder.write("munge/key", [7; 128]);
        permit(&folder, "munge/key", 0o400);
        let name = said(command("hostname").arg("-s")).unwrap();
        let user = said(command("id").arg("-un")).unwrap();
        let processors = std::thread::available_parallelism().unwrap();
        let (ports, socket) = (17_000 + std::process::id() % 10_000, at("munge/socket"));
        let configuration = format!(
            "ClusterName=test\nSlurmctldHost={name}(127.0.0.1)\nSlurmUser={user}\nSlurmdUser={user}\nSlurmctldPort={ports}\nSlurmdPort={}\n\
             AuthType=auth/munge\nAuthInfo=socket={socket}\nCryptoType=crypto/munge\nStateSaveLocation={}\nSlurmdSpoolDir={}\n\
             SlurmctldPidFile={}\nSlurmdPidFile={}\nSlurmctldLogFile={}\nSlurmdLogFile={}\nProctrackType=proctrack/pgid\n\
             TaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/none\nMpiDefault=none\nSelectType=select/cons_tres\n\
             SelectTypeParameters=CR_CPU\nReturnToService=2\nKillWait=2\nNodeName={name} NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN\n\
             PartitionName=all Nodes={name} Default=YES State=UP\n",
            ports + 1,
            at("state"),
            at("spool"),
            at("controller.pid"),
            at("node.pid"),
            at("controller.log"),
            at("node.log"),
        );
        folder.write("slurm.conf", configuration);
        let munge = ["--foreground", "--force", "--key-file", &at("munge/key"), "--socket", &socket]
            .map(str::to_owned)
            .into_iter()
            .chain(
                ["pid", "log", "seed"].map(|file| format!("--{file}-file={}", at(&format!("munge/{file}")))),
            );
        let mut slurm = Slurm { daemons: Vec::new(), folder };
        slurm.daemon("munged", &munge.collect::<Vec<_>>());
        slurm.wait("munge", |slurm| slurm.folder.path("munge/socket").exists());
        let configuration = slurm.folder.text("slurm.conf");
        slurm.daemon("slurmctld", &["-D".to_owned(), "-f".to_owned(), configuration.clone()]);
        slurm.daemon("slurmd", &["-D".to_owned(), "-f".to_owned(), configuration]);
        slurm
            .wait("an idle node", |slurm| slurm.ask("sinfo", &["-h", "-o", "%T"]) == Some("idle".to_owned()));
        Some(slurm)
    }

    fn daemon(&mut self, program: &str, arguments: &[String]) {
        let child = command(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        self.daemons.push(child.unwrap());
    }

    /// What a command of Slurm prints; none if it fails.
    fn ask(&self, program: &str, arguments: &[&str]) -> Option<String> {
        said(command(program).args(arguments).env("SLURM_CONF", self.folder.path("slurm.conf")))
    }

    /// Whether a job has tasks that run or wait.
    fn has(&self, job: &str) -> bool {
        self.ask("squeue", &["-h", "-j", job]).is_some_and(|tasks| !tasks.is_empty())
    }

    fn wait(&self, what: &str, mut is_so: impl FnMut(&Self) -> bool) {
        let began = Instant::now();
        while !is_so(self) {
            let log = || std::fs::read_to_string(self.folder.path("controller.log")).unwrap_or_default();
            assert!(began.elapsed() < Duration::from_secs(120), "no {what} after two minutes:\n{}", log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        for daemon in self.daemons.iter_mut().rev() {
            let _ = Command::new("kill").arg(daemon.id().to_string()).status();
            let _ = daemon.wait();
        }
    }
}

/// A command that finds daemons too.
fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.env("PATH", format!("{}:/usr/sbin", std::env::var("PATH").unwrap()));
    command
}

/// What a command prints, without the line's end; none if it fails.
fn said(command: &mut Command) -> Option<String> {
    let output = command.output().unwrap();
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn permit(folder: &Folder, name: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Tasks are requeued and cancelled while they run, and the array is submitted again.
#[test]
fn an_array_makes_every_row_once_whatever_happens_to_its_tasks() {
    let Some(slurm) = Slurm::start() else { return };
    let folder = &slurm.folder;
    let output = folder.text("sweep");
    let sweep = ["bench", "--generate", "wpm:gpus=2,count=10,seed=1", "--methods", "optimum,first-fit"];
    let slow = ["--method", "exec:sleep 0.2; exit 1", "--output", &output];
    run(&[&sweep[..], &slow, &["--submit", "slurm:shards=4"]].concat(), PROVED);
    let script = folder.text("sweep/sweep.sbatch");
    let submit = || slurm.ask("sbatch", &["--parsable", &script]).unwrap();
    let has_rows = |number: u32| {
        let path = folder.path(&format!("sweep/rows-of-shard-{number}-of-4.jsonl"));
        std::fs::read_to_string(path).is_ok_and(|rows| !rows.is_empty())
    };

    let job = submit();
    slurm.wait("row of the first shard", |_| has_rows(1));
    slurm.ask("scontrol", &["requeue", &format!("{job}_1")]).unwrap();
    slurm.wait("row of the second shard", |_| has_rows(2));
    slurm.ask("scancel", &["--signal=KILL", "--full", &format!("{job}_2")]).unwrap();
    // Requeued tasks would wait for minutes before they begin again.
    slurm.wait("rows of the last shard", |_| has_rows(4));
    slurm.ask("scancel", &[&job]).unwrap();
    slurm.wait("end of the first job", |slurm| !slurm.has(&job));

    let again = submit();
    slurm.wait("end of the second job", |slurm| !slurm.has(&again));
    let said = run(&["bench", "--gather", "--output", &output], PROVED).stdout;
    assert!(said.contains("30 rows, none is missing"), "{said}");
    let rows = folder.read("sweep/rows.jsonl");
    let keys = rows.lines().map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        format!("{} {} {}", row["fingerprint"], row["method"], row["seed"])
    });
    assert_eq!(keys.collect::<std::collections::BTreeSet<_>>().len(), 30);
}

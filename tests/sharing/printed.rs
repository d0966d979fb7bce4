//! The paper's program: its rows, its repairs, its limit, and its form in AMPL.

use ground::Amount;
use itertools::Itertools;
use milp::{Program, StopReason};
use models::model_of;
use sharing::{
    Encoding as _, Packing, Printed, Problem, ServerIndex, Sharing, VmIndex, multilinear, pages_of, verify,
};
use solver::{Control, Options, solve_stages};
use solvers::solvers;
use support::cli::{BAD_INPUT, Folder, instance as shipped, migopt, read, run};
use support::instances;
use support::sharing::ampl::{Model, Point};
use support::sharing::random::{Family, instance};
use support::sharing::{all_packings, best_values, problem, values};

/// The paper's V3, V4 and V6 with `sigma_346` = 2, which need 8 pages together (10); the other numbers, which the paper shows in
/// a picture, are ours.
const EXAMPLE: &str = "
name: equation-10
sharing:
  servers:
    - {name: S1, memory_pages: 7, capacity: {cpu: 4}}
    - {name: S2, memory_pages: 8, capacity: {cpu: 3.5}, cost: 1.5}
  vms:
    - {name: V3, memory_pages: 4, request: {cpu: 1}}
    - {name: V4, memory_pages: 5, request: {cpu: 0.5}}
    - {name: V6, memory_pages: 5, request: {cpu: 2}}
  shared_pages:
    - {vms: [V3, V4], pages: 3}
    - {vms: [V3, V6], pages: 3}
    - {vms: [V4, V6], pages: 2}
    - {vms: [V3, V4, V6], pages: 2}
";

/// A program as text, row by row.
fn text_of(program: &Program) -> String {
    let terms = |terms: &[(usize, f64)]| {
        let term = |&(column, coefficient): &(usize, f64)| {
            format!("{coefficient:+} {}", program.columns[column].name)
        };
        terms.iter().map(term).join(" ")
    };
    let stages = program.stages.iter().map(|stage| format!("min {}: {}", stage.name, terms(&stage.terms)));
    let rows = program.rows.iter().map(|row| match (row.lower, row.upper) {
        (lower, upper) if lower == upper => format!("{}: {} = {lower}", row.label, terms(&row.terms)),
        (f64::NEG_INFINITY, upper) => format!("{}: {} <= {upper}", row.label, terms(&row.terms)),
        (lower, _) => format!("{}: {} >= {lower}", row.label, terms(&row.terms)),
    });
    stages.chain(rows).join("\n")
}

#[test]
fn the_rows_are_those_of_the_paper() {
    let problem = problem(EXAMPLE);
    let everybody: Vec<VmIndex> = problem.vm_indices().collect();
    assert_eq!(pages_of(&problem, &everybody), 8, "the unique pages of (10)");
    let printed = Printed::new(&problem).unwrap();
    let program = printed.program();
    let all = text_of(program);
    let of_second_server =
        all.lines().filter(|line| !line.contains(",S1") && !line.contains("[S1")).join("\n");
    insta::assert_snapshot!(of_second_server, @r"
    7[S2,cpu]: -7 y[S2] +2 x[V3,S2] +1 x[V4,S2] +4 x[V6,S2] <= 0
    8[S2]: -8 y[S2] +4 x[V3,S2] +5 x[V4,S2] +5 x[V6,S2] -3 w[V3~V4,S2] -3 w[V3~V6,S2] -2 w[V4~V6,S2] +2 w[V3~V4~V6,S2] <= 0
    8a[V3~V4,S2,V3]: -1 x[V3,S2] +1 w[V3~V4,S2] <= 0
    8a[V3~V4,S2,V4]: -1 x[V4,S2] +1 w[V3~V4,S2] <= 0
    8a[V3~V6,S2,V3]: -1 x[V3,S2] +1 w[V3~V6,S2] <= 0
    8a[V3~V6,S2,V6]: -1 x[V6,S2] +1 w[V3~V6,S2] <= 0
    8a[V4~V6,S2,V4]: -1 x[V4,S2] +1 w[V4~V6,S2] <= 0
    8a[V4~V6,S2,V6]: -1 x[V6,S2] +1 w[V4~V6,S2] <= 0
    8b[V3~V4~V6,S2]: -1 x[V3,S2] -1 x[V4,S2] -1 x[V6,S2] +1 w[V3~V4~V6,S2] >= -2
    ");
    assert!(program.columns.iter().all(|column| column.integer != column.name.starts_with('w')));
    let staged = solve_stages(solvers()[0], program, &Options::default(), &Control::silent());
    assert_eq!(staged.stages[0].value, Some(3.0), "one server at 1.5, counted in halves");
}

#[test]
fn the_reach_is_minimised_first() {
    let yaml = EXAMPLE.replace("  servers:", "  optimum: first-m-of-the-order\n  servers:");
    let problem = problem(&yaml);
    let printed = Printed::new(&problem).unwrap();
    let all = text_of(printed.program());
    let reach = all.lines().filter(|line| line.contains("r[")).join("\n");
    insta::assert_snapshot!(reach, @r"
    min reach: +1 r[S1] +1 r[S2]
    reach[S1]: -1 y[S1] +1 r[S1] >= 0
    reach[S2]: -1 y[S2] +1 r[S2] >= 0
    prefix[S1]: +1 r[S1] -1 r[S2] >= 0
    ");
}

/// A virtual machine that needs nothing, or next to nothing, must still be on a server that is in use.
#[test]
fn small_requests_open_their_server() {
    let yaml = "
name: small
sharing:
  servers: [{name: s, memory_pages: 4000000, capacity: {cpu: 5000}}]
  vms:
    - {name: nothing, memory_pages: 0}
    - {name: little, memory_pages: 3}
    - {name: cores, memory_pages: 3, request: {cpu: 6}}
    - {name: large, memory_pages: 1000000}
";
    let problem = problem(yaml);
    let printed = Printed::new(&problem).unwrap();
    let opened: Vec<&str> = printed
        .program()
        .rows
        .iter()
        .map(|row| row.label.as_str())
        .filter(|label| label.starts_with("open["))
        .collect();
    // Nobody requests more than 6 cores: that is what the server has of them in row (7).
    assert_eq!(opened, ["open[nothing,s]", "open[little,s]"]);
    let staged = solve_stages(solvers()[0], printed.program(), &Options::default(), &Control::silent());
    assert_eq!((staged.stop, staged.stages[0].value), (StopReason::Proved, Some(1.0)));
    let model = Model::parse(&multilinear(&problem).unwrap());
    assert_eq!(model.rows("opened"), 2);
}

/// The columns that stand for a packing satisfy the program exactly when the packing obeys all rules.
#[test]
fn columns_of_all_packings_agree_with_the_verifier() {
    let (mut valid, mut invalid) = (0, 0);
    for seed in 0..120 {
        let yaml = instance(seed, &Family { most_vms: 5, most_servers: 3 });
        let problem = problem(&yaml);
        let printed = Printed::new(&problem).unwrap();
        for packing in all_packings(&problem) {
            let columns = printed.encode(&packing);
            assert_eq!(printed.decode(&columns), packing, "{yaml}");
            let values = values(&problem, &packing);
            // Much less than a page even where there are millions.
            let broken = printed.program().violations(&columns, 1e-10);
            assert_eq!(broken.is_empty(), values.is_some(), "{packing:?} {broken:?}\n{yaml}");
            let Some(values) = values else {
                invalid += 1;
                continue;
            };
            valid += 1;
            let cost_unit = Amount::greatest_common_unit(problem.kinds.iter().map(|kind| kind.cost));
            for (stage, value) in printed.program().stages.iter().zip(values) {
                let unit = if stage.name == "reach" { Amount::ONE } else { cost_unit };
                assert_eq!(unit * stage.evaluate(&columns) as i128, value, "{}\n{yaml}", stage.name);
            }
        }
    }
    assert!(valid > 1000 && invalid > 1000, "{valid} {invalid}");
}

/// Everybody shares one page: all 2^20 sets survive.
fn with_common_page(vms: u32) -> String {
    format!(
        "name: common\nsharing:\n  components: {{kernel: 1}}\n  servers: [{{name: s, count: 15, memory_pages: 100}}]\n  \
         vms: [{{name: v, replicas: {vms}, components: [kernel]}}]\n"
    )
}

#[test]
fn too_large_a_power_set_is_refused() {
    let problem = problem(with_common_page(20));
    let refused = Printed::new(&problem).err().expect("it is too large").to_string();
    assert_eq!(multilinear(&problem).unwrap_err().to_string(), refused);
    for part in ["more than 200000", "20 virtual machines on 15 servers", "default formulation"] {
        assert!(refused.contains(part), "{refused}");
    }
    // 13 alone and 8,178 sets of more, on 15 servers.
    let largest = support::sharing::problem(with_common_page(13));
    assert_eq!(Printed::new(&largest).unwrap().program().column_families()["w"], 8178 * 15);
    assert!(Printed::new(&support::sharing::problem(with_common_page(14))).is_err());
    let folder = Folder::new();
    let path = folder.write("common.yaml", with_common_page(20));
    let flags = ["solve", &path, "--model", "sharing", "--export", &folder.text("program.mod")];
    let done = run(&flags, BAD_INPUT);
    assert!(done.stderr.contains("more than 200000"), "{done:?}");
    assert_eq!(folder.files(), ["common.yaml"]);
}

#[test]
fn the_nonlinear_program_is_written_in_ampl() {
    let yaml = EXAMPLE.replace("  servers:", "  optimum: first-m-of-the-order\n  servers:");
    insta::assert_snapshot!(multilinear(&problem(&yaml)).unwrap(), @r"
    # equation-10: equations (4)-(9) of Rampersaud and Grosu, a page being 4 KiB.

    set VMS;
    set SERVERS ordered;
    set RESOURCES;
    # The sets J of virtual machines that have pages in common, and how many: sigma_J. A virtual machine alone has its memory.
    param sets integer >= 0;
    set SETS := 1..sets;
    set MEMBERS {SETS} within VMS;
    param sigma {SETS} >= 0;
    param cost {SERVERS} >= 0;
    param memory {SERVERS} >= 0;
    param request {VMS, RESOURCES} >= 0, default 0;
    param capacity {SERVERS, RESOURCES} >= 0, default Infinity;
    # Requests too small for rows (7) and (8) to keep the virtual machine off a server that is not in use.
    set SMALL within {VMS, SERVERS};

    # (9)
    var y {SERVERS} binary;
    var x {VMS, SERVERS} binary;

    # Not in the paper: the servers in use are among the first of the order, and these as few as possible. Minimise this first, then
    # row4 with the sum of r fixed.
    var r {SERVERS} binary;
    minimize reach: sum {k in SERVERS} r[k];
    subject to reached {k in SERVERS}: r[k] >= y[k];
    subject to prefix {k in SERVERS: ord(k) > 1}: r[prev(k)] >= r[k];

    minimize row4: sum {k in SERVERS} cost[k] * y[k];
    subject to row6 {j in VMS}: sum {k in SERVERS} x[j,k] = 1;
    subject to row7 {k in SERVERS, i in RESOURCES: capacity[k,i] < Infinity}:
      sum {j in VMS} request[j,i] * x[j,k] <= capacity[k,i] * y[k];
    subject to row8 {k in SERVERS}:
      sum {J in SETS} (-1) ^ (card(MEMBERS[J]) + 1) * sigma[J] * prod {j in MEMBERS[J]} x[j,k] <= memory[k] * y[k];
    subject to opened {(j,k) in SMALL}: x[j,k] <= y[k];

    data;
    set RESOURCES := 'cpu';
    set VMS := 'V3' 'V4' 'V6';
    set SERVERS := 'S1' 'S2';
    param sets := 7;
    set MEMBERS[1] := 'V3';
    set MEMBERS[2] := 'V4';
    set MEMBERS[3] := 'V6';
    set MEMBERS[4] := 'V3' 'V4';
    set MEMBERS[5] := 'V3' 'V6';
    set MEMBERS[6] := 'V4' 'V6';
    set MEMBERS[7] := 'V3' 'V4' 'V6';
    param sigma :=
      1 4
      2 5
      3 5
      4 3
      5 3
      6 2
      7 2;
    param cost :=
      'S1' 1
      'S2' 1.5;
    param memory :=
      'S1' 7
      'S2' 8;
    param request :=
      'V3' 'cpu' 1
      'V4' 'cpu' 0.5
      'V6' 'cpu' 2;
    param capacity :=
      'S1' 'cpu' 4
      'S2' 'cpu' 3.5;
    set SMALL := ;
    ");
}

/// A point of the nonlinear program, read by the rules alone.
struct Reading<'a> {
    problem: &'a Problem,
    point: &'a Point,
}

impl Reading<'_> {
    fn is_one(&self, variable: &str, subscripts: &[&str]) -> bool {
        let key = (variable.to_owned(), subscripts.iter().map(|&text| text.to_owned()).collect());
        self.point.get(&key) == Some(&1.0)
    }

    fn hosted(&self, server: &str) -> Vec<&str> {
        let names = self.problem.vms.iter().map(|vm| vm.name.as_str());
        names.filter(|vm| self.is_one("x", &[vm, server])).collect()
    }

    fn is_valid(&self) -> bool {
        let servers = || self.problem.servers.iter().map(|server| server.name.as_str());
        let with_reach = self.problem.optimum.goals().len() > 1;
        let places = |vm: &str| servers().positions(|server| self.is_one("x", &[vm, server])).collect_vec();
        let places: Vec<Vec<usize>> = self.problem.vms.iter().map(|vm| places(&vm.name)).collect();
        if places.iter().any(|places| places.len() != 1) {
            return false;
        }
        let packing = Packing::new(places.iter().map(|places| Some(ServerIndex::at(places[0]))).collect());
        let in_use = servers().all(|server| self.hosted(server).is_empty() || self.is_one("y", &[server]));
        let reached = |server| !with_reach || self.is_one("r", &[server]);
        let counted = servers().all(|server| !self.is_one("y", &[server]) || reached(server));
        let ordered =
            servers().tuple_windows().all(|(one, next)| !with_reach || reached(one) || !reached(next));
        in_use && counted && ordered && verify(self.problem, &packing).violations.is_empty()
    }

    /// The sum of an amount over the servers whose variable is 1.
    fn total(&self, variable: &str, amount: fn(&Problem, ServerIndex) -> Amount) -> Amount {
        let name = |server: ServerIndex| self.problem.servers[server.index()].name.as_str();
        let chosen = self.problem.server_indices().filter(|&server| self.is_one(variable, &[name(server)]));
        chosen.map(|server| amount(self.problem, server)).sum()
    }
}

#[test]
fn all_points_of_the_nonlinear_program_mean_what_the_verifier_says() {
    let (mut points, mut valid, mut reaches) = (0, 0, 0);
    for seed in 0..120 {
        let yaml = instance(seed, &Family { most_vms: 4, most_servers: 2 });
        let problem = problem(&yaml);
        let text = multilinear(&problem).unwrap();
        let model = Model::parse(&text);
        let variables = model.variables();
        let mut best: Option<Vec<Amount>> = None;
        for bits in 0..1u32 << variables.len() {
            let value = |number: usize| f64::from(bits >> number & 1);
            let point: Point =
                variables.iter().cloned().enumerate().map(|(number, key)| (key, value(number))).collect();
            let reading = Reading { problem: &problem, point: &point };
            let broken = model.broken(&point);
            assert_eq!(broken.is_none(), reading.is_valid(), "{broken:?} {point:?}\n{text}");
            points += 1;
            if broken.is_some() {
                continue;
            }
            valid += 1;
            let objectives = model.objectives(&point);
            let names: Vec<&str> = objectives.iter().map(|&(name, _)| name).collect();
            let cost = reading.total("y", |problem, server| problem.kind_of(server).cost);
            let worth = match names.as_slice() {
                ["row4"] => vec![cost],
                ["reach", "row4"] => vec![reading.total("r", |_, _| Amount::ONE), cost],
                other => panic!("{other:?}"),
            };
            let values: Vec<f64> = worth.iter().map(|worth| worth.to_f64()).collect();
            assert_eq!(objectives.iter().map(|&(_, value)| value).collect_vec(), values, "{text}");
            best = best.into_iter().chain([worth]).min();
        }
        reaches += u32::from(problem.optimum.goals().len() > 1);
        assert_eq!(best, best_values(&problem), "{yaml}\n{text}");
    }
    assert!(points > 10_000 && valid > 150 && reaches > 10, "{points} {valid} {reaches}");
}

#[test]
fn export_writes_the_nonlinear_program_of_models_that_have_one() {
    let folder = Folder::new();
    let path = folder.write("example.yaml", EXAMPLE);
    let exported = folder.text("program.mod");
    read(
        migopt()
            .args(["solve", &path, "--model", "sharing", "--quiet", "--export", &exported])
            .output()
            .unwrap(),
    );
    let question = instances::instance(EXAMPLE);
    let text = model_of::<Sharing>().pose(&question).unwrap().nonlinear_program().unwrap();
    assert_eq!(folder.read("program.mod"), text);
    let done = run(&["solve", &shipped("classes"), "--export", &folder.text("wpm.mod")], BAD_INPUT);
    assert!(done.stderr.contains("model wpm has no nonlinear program"), "{done:?}");
    assert!(done.stderr.contains("write .lp or .mps instead"), "{done:?}");
    assert_eq!(folder.files(), ["example.yaml", "program.mod"]);
}

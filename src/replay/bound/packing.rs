//! The bound and the schedule where none leaves.
//!
//! Then all that are accepted are there together in the end, and what has a place in the end can have it from the beginning: to
//! schedule is to pack, with and without migrations alike. Identical machines share the contents that one of them can have. With a
//! price for each kind of virtual machine, a machine's contents are worth at most what the most valuable content is worth, and so
//!
//! ```text
//! accepted <= sum over kinds of number * (1 - price) + sum over machines of the most valuable content
//! ```
//!
//! for all prices between 0 and 1 (Dantzig & Wolfe's decomposition, by its dual). The best prices are found by cutting planes
//! (Kelley): each content found is a row of a linear program of prices. Prices are multiples of 2^-20, so that the bound is a sum
//! of integers. The contents met on the way, in an integer program, make up the schedule.

use crate::asked_for::fills_asked_for;
use cluster::{BoardIndex, Cluster, Demands, GpuIndex, Location, Placement, RequestIndex, WorkloadIndex};
use good_lp::{Expression, constraint, variable};
use ground::Amount;
use itertools::Itertools;
use kit::room_rows;
use mig::{ArrangePriority, Counts, Room, SlotMask, arrange};
use milp::{Handle, Program, ProgramBuilder, Row, Sense, Stage};
use solver::Effort;
use solver::{Control, Options, Request, Session, Settings, Solver, StageOptions, prove_stage, solve_stages};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// What 1 is in prices.
const PRICE_OF_ONE: i64 = 1 << 20;

/// What is known in the end.
pub struct Packed {
    /// No more can be accepted.
    pub bound: usize,
    /// A schedule, if the contents were assembled to one in time.
    pub schedule: Option<Placement>,
}

/// Virtual machines that ask for the same.
struct Kind {
    request: RequestIndex,
    /// By position in the trace, ascending.
    positions: Vec<usize>,
}

/// Machines that are alike: hosts, or GPUs outside any host.
struct Class {
    /// The GPUs of each machine.
    machines: Vec<Vec<GpuIndex>>,
    cpu: Option<Amount>,
    memory: Option<Amount>,
}

/// What a machine of a class holds: how many of each kind on each type of board.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Content {
    class: usize,
    /// Type of board, kind and number.
    held: Vec<(BoardIndex, usize, u32)>,
}

/// The program of the contents of a machine.
struct Contents {
    program: Program,
    /// Type of board and kind of each of the first columns.
    columns: Vec<(BoardIndex, usize, Handle)>,
}

struct Packing<'p> {
    cluster: &'p Cluster,
    kinds: Vec<Kind>,
    classes: Vec<Class>,
    rooms: Vec<Room>,
}

/// Bounds the number of virtual machines of those usable that fit on the fleet together, and packs as many. `known` is a schedule
/// to start from.
///
/// # Errors
/// When the solver refuses a program.
pub fn pack(
    cluster: &Cluster,
    usable: &[bool],
    known: &Placement,
    effort: &Effort,
    deadline: Option<Instant>,
    control: &Control,
) -> Result<Packed, String> {
    let (solver, settings) = (effort.solver, effort.settings.clone());
    let packing = Packing::new(cluster, usable);
    let all: Vec<Contents> = (0..packing.classes.len()).map(|class| packing.contents(class)).collect();
    let mut pricing: Vec<Box<dyn Session + '_>> = Vec::new();
    for contents in &all {
        let session = solver.open(&contents.program, &settings);
        pricing.push(session.map_err(|failure| failure.to_string())?);
    }
    let of_known = packing.contents_of(known);
    let mut met: BTreeSet<Content> = of_known.keys().cloned().collect();
    let mut prices = Prices::new(&packing, solver, &settings, met.iter())?;
    let mut bound: usize = packing.kinds.iter().map(|kind| kind.positions.len()).sum();
    while let Some((value, chosen)) = prices.best(deadline, control) {
        let mut numerator: i64 = packing
            .kinds
            .iter()
            .zip(&chosen)
            .map(|(kind, price)| kind.positions.len() as i64 * (PRICE_OF_ONE - price))
            .sum();
        let mut new = Vec::new();
        let mut complete = true;
        for (class, (contents, session)) in all.iter().zip(&mut pricing).enumerate() {
            let stage = contents.worth(&chosen);
            let options = StageOptions { deadline, ..StageOptions::default() };
            let outcome = prove_stage(session.as_mut(), &contents.program, &stage, &options, control);
            let machines = packing.classes[class].machines.len() as i64;
            match outcome.bound {
                Some(most) => numerator += machines * most.round() as i64,
                None => complete = false,
            }
            if let Some(columns) = outcome.columns {
                let content = contents.read(class, &columns);
                if met.insert(content.clone()) {
                    new.push(content);
                }
            }
        }
        if complete {
            bound = bound.min((numerator / PRICE_OF_ONE) as usize);
        }
        // No prices prove less than the program of prices says.
        if !complete || new.is_empty() || bound as f64 <= value + 1e-6 {
            break;
        }
        new.iter().for_each(|content| prices.add(content));
    }
    let schedule = packing.assemble(&met, &of_known, effort, deadline, control);
    Ok(Packed { bound, schedule })
}

impl<'p> Packing<'p> {
    fn new(cluster: &'p Cluster, usable: &[bool]) -> Self {
        let mut kinds: BTreeMap<(RequestIndex, Amount, Amount), Vec<usize>> = BTreeMap::new();
        for (position, about) in
            cluster.workloads.iter().enumerate().filter(|(position, _)| usable[*position])
        {
            kinds.entry((about.request, about.cpu, about.memory)).or_default().push(position);
        }
        let mut by_host: BTreeMap<usize, Vec<GpuIndex>> = BTreeMap::new();
        for (number, gpu) in cluster.gpus.iter().enumerate() {
            // A GPU outside any host comes after all hosts.
            let machine = gpu.host.map_or(cluster.hosts.len() + number, |host| host.index());
            by_host.entry(machine).or_default().push(GpuIndex::at(number));
        }
        type Likeness = (Vec<(BoardIndex, usize)>, Option<Amount>, Option<Amount>);
        let mut classes: BTreeMap<Likeness, Vec<Vec<GpuIndex>>> = BTreeMap::new();
        for (machine, gpus) in by_host {
            let boards = gpus.iter().map(|gpu| cluster.gpus[gpu.index()].board).counts();
            let boards = boards.into_iter().sorted().collect();
            let host = cluster.hosts.get(machine);
            let likeness = (boards, host.and_then(|host| host.cpu), host.and_then(|host| host.memory));
            classes.entry(likeness).or_default().push(gpus);
        }
        let room = |board| Room::of(&fills_asked_for(cluster, BoardIndex::at(board)));
        Packing {
            cluster,
            kinds: kinds
                .into_iter()
                .map(|((request, _, _), positions)| Kind { request, positions })
                .collect(),
            classes: classes
                .into_iter()
                .map(|((_, cpu, memory), machines)| Class { machines, cpu, memory })
                .collect(),
            rooms: (0..cluster.boards.len()).map(room).collect(),
        }
    }

    /// The GPUs of a machine by type of board.
    fn by_board(&self, machine: &[GpuIndex]) -> BTreeMap<BoardIndex, Vec<GpuIndex>> {
        let mut by_board: BTreeMap<BoardIndex, Vec<GpuIndex>> = BTreeMap::new();
        for &gpu in machine {
            by_board.entry(self.cluster.gpus[gpu.index()].board).or_default().push(gpu);
        }
        by_board
    }

    /// The program of the contents of a machine of a class, without an objective.
    fn contents(&self, class: usize) -> Contents {
        let about = &self.classes[class];
        let mut builder = ProgramBuilder::new("replay-machine");
        let mut columns = Vec::new();
        for (board, gpus) in self.by_board(&about.machines[0]) {
            let room = &self.rooms[board.index()];
            let mut counts = vec![Expression::default(); self.cluster.boards[board.index()].profiles().len()];
            for (kind, asks) in self.kinds.iter().enumerate() {
                let request = &self.cluster.requests[asks.request.index()];
                let Some(profile) = request.on_board[board.index()] else { continue };
                let most = room.maximal.iter().map(|fill| fill.get(profile)).max().unwrap_or(0);
                let most = (most as usize * gpus.len()).min(asks.positions.len()) as u32;
                let name = format!("held[{},{kind}]", board.0);
                let column = Handle::add(&mut builder, name, variable().integer().min(0).max(most));
                counts[profile.index()] += column.variable;
                columns.push((board, kind, column));
            }
            let all = gpus.len() as u32;
            let used = Expression::from(f64::from(all));
            room_rows(&mut builder, &board.0.to_string(), room, &counts, &used, all);
        }
        for resource in Demands::of(self.cluster).limited(&[(about.cpu, about.memory)]) {
            let needed: Expression = columns
                .iter()
                .map(|(_, kind, column)| {
                    let example = WorkloadIndex::at(self.kinds[*kind].positions[0]);
                    resource.of_workload(self.cluster, example) * column.variable
                })
                .sum();
            builder.row(resource.name, constraint!(needed <= resource.capacity));
        }
        Contents { program: builder.build(), columns }
    }

    /// What the machines hold in a schedule, and how many of them hold it.
    fn contents_of(&self, schedule: &Placement) -> BTreeMap<Content, u32> {
        let mut on_gpu: Vec<Vec<(BoardIndex, usize)>> = vec![Vec::new(); self.cluster.gpus.len()];
        for (kind, about) in self.kinds.iter().enumerate() {
            for &position in &about.positions {
                if let Some(location) = schedule.of(WorkloadIndex::at(position)) {
                    let board = self.cluster.gpus[location.gpu.index()].board;
                    on_gpu[location.gpu.index()].push((board, kind));
                }
            }
        }
        let mut contents = BTreeMap::new();
        for (class, about) in self.classes.iter().enumerate() {
            for machine in &about.machines {
                let held = machine.iter().flat_map(|gpu| &on_gpu[gpu.index()]).counts();
                let held = held.into_iter().map(|(&(board, kind), count)| (board, kind, count as u32));
                *contents.entry(Content { class, held: held.sorted().collect() }).or_default() += 1;
            }
        }
        contents
    }

    /// Chooses contents for the machines so that as many as possible are accepted, and lays them out.
    fn assemble(
        &self,
        contents: &BTreeSet<Content>,
        known: &BTreeMap<Content, u32>,
        effort: &Effort,
        deadline: Option<Instant>,
        control: &Control,
    ) -> Option<Placement> {
        let mut builder = ProgramBuilder::new("replay-contents");
        let accepted: Vec<Handle> = (self.kinds.iter().enumerate())
            .map(|(kind, about)| {
                let most = about.positions.len() as u32;
                Handle::add(&mut builder, format!("accepted[{kind}]"), variable().integer().min(0).max(most))
            })
            .collect();
        let mut held = vec![Expression::default(); self.kinds.len()];
        let mut machines = vec![Expression::default(); self.classes.len()];
        let mut columns = Vec::new();
        for (number, content) in contents.iter().enumerate() {
            let most = self.classes[content.class].machines.len() as u32;
            let definition = variable().integer().min(0).max(most);
            let column = Handle::add(&mut builder, format!("content[{number}]"), definition);
            machines[content.class] += column.variable;
            for &(_, kind, count) in &content.held {
                held[kind].add_mul(f64::from(count), column.variable);
            }
            columns.push((content, column));
        }
        for (kind, (accepted, held)) in accepted.iter().zip(held).enumerate() {
            builder.row(format!("held[{kind}]"), constraint!(accepted.variable <= held));
        }
        for (class, machines) in machines.into_iter().enumerate() {
            let all = self.classes[class].machines.len() as f64;
            builder.row(format!("machines[{class}]"), constraint!(machines <= all));
        }
        let total: Expression = accepted.iter().map(|accepted| accepted.variable).sum();
        builder.stage("accepted", Sense::Maximize, total, Some(1.0));
        let program = builder.build();
        let mut start = vec![0.0; program.columns.len()];
        for &(content, column) in &columns {
            let machines = known.get(content).copied().unwrap_or(0);
            start[column.index] = f64::from(machines);
            for &(_, kind, count) in &content.held {
                start[accepted[kind].index] += f64::from(machines * count);
            }
        }
        let time_limit = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let (start, settings) = (Some(start), effort.settings.clone());
        let search = Options { time_limit, settings, start, ..Options::default() };
        let found = solve_stages(effort.solver, &program, &search, control).columns?;
        let chosen = columns.iter().map(|&(content, column)| (content, column.whole(&found)));
        Some(self.lay_out(&chosen.filter(|(_, count)| *count > 0).collect_vec()))
    }

    /// Gives machines their contents, as far as there are virtual machines of each kind, those that arrive first.
    fn lay_out(&self, chosen: &[(&Content, u32)]) -> Placement {
        let mut placement = Placement::new(vec![None; self.cluster.workloads.len()]);
        let mut machines: Vec<_> = self.classes.iter().map(|class| class.machines.iter()).collect();
        let mut waiting: Vec<_> = self.kinds.iter().map(|kind| kind.positions.iter().copied()).collect();
        for &(content, count) in chosen {
            for machine in machines[content.class].by_ref().take(count as usize) {
                for (board, gpus) in self.by_board(machine) {
                    let own = content.held.iter().filter(|held| held.0 == board);
                    let take = |&(_, kind, count): &(BoardIndex, usize, u32)| {
                        waiting[kind].by_ref().take(count as usize).collect_vec()
                    };
                    let positions: Vec<usize> = own.flat_map(take).collect();
                    self.lay_out_board(board, &gpus, positions, &mut placement);
                }
            }
        }
        placement
    }

    /// Puts virtual machines on the GPUs of a type of board of one machine.
    fn lay_out_board(
        &self,
        board: BoardIndex,
        gpus: &[GpuIndex],
        mut positions: Vec<usize>,
        placement: &mut Placement,
    ) {
        let about = &self.cluster.boards[board.index()];
        let profile_of = |position: usize| {
            let request = self.cluster.workloads[position].request;
            self.cluster.requests[request.index()].on_board[board.index()].expect("the board serves it")
        };
        let counts = positions.iter().fold(Counts::zero(about.profiles().len()), |counts, &position| {
            counts.add_one(profile_of(position))
        });
        let parts = self.rooms[board.index()].split(&counts, gpus.len() as u32);
        for (&gpu, part) in gpus.iter().zip(parts.expect("contents keep the rows of the room")) {
            let layout = arrange(about, SlotMask::EMPTY, &part, &[], ArrangePriority::LeastWaste);
            for instance in layout.expect("every part is a fill") {
                let fits = |&position: &usize| profile_of(position) == instance.profile;
                let at = positions.iter().position(fits).expect("the parts are made of the positions");
                let location = Location { gpu, start: instance.start };
                placement.set(WorkloadIndex::at(positions.remove(at)), Some(location));
            }
        }
    }
}

impl Contents {
    /// The objective: what a content is worth at these prices, in their unit.
    fn worth(&self, prices: &[i64]) -> Stage {
        let terms = self.columns.iter().map(|(_, kind, column)| (column.index, prices[*kind] as f64));
        Stage {
            name: "worth".to_owned(),
            sense: Sense::Maximize,
            terms: terms.filter(|(_, price)| *price != 0.0).collect(),
            constant: 0.0,
            step: Some(1.0),
        }
    }

    fn read(&self, class: usize, columns: &[f64]) -> Content {
        let held = self.columns.iter().map(|&(board, kind, column)| (board, kind, column.whole(columns)));
        Content { class, held: held.filter(|held| held.2 > 0).sorted().collect() }
    }
}

/// The linear program of prices: a column for the price of each kind, and one for each class for what a machine's content is worth
/// at most.
struct Prices<'p> {
    session: Box<dyn Session + 'p>,
    kinds: usize,
}

impl<'p> Prices<'p> {
    fn new<'c>(
        packing: &Packing<'_>,
        solver: &'p dyn Solver,
        settings: &Settings,
        contents: impl Iterator<Item = &'c Content>,
    ) -> Result<Self, String> {
        let mut builder = ProgramBuilder::new("replay-prices");
        let mut total = Expression::default();
        for (kind, about) in packing.kinds.iter().enumerate() {
            let price = builder.column(format!("price[{kind}]"), variable().min(0).max(1));
            let number = about.positions.len() as f64;
            total += number - number * price;
        }
        for (class, about) in packing.classes.iter().enumerate() {
            let worth = builder.column(format!("worth[{class}]"), variable().min(0));
            total.add_mul(about.machines.len() as f64, worth);
        }
        builder.stage("bound", Sense::Minimize, total, None);
        let program = builder.build();
        let session = solver.open(&program, settings).map_err(|failure| failure.to_string())?;
        let mut prices = Prices { session, kinds: packing.kinds.len() };
        prices.session.set_objective(&program.stages[0]);
        contents.for_each(|content| prices.add(content));
        Ok(prices)
    }

    /// A content is worth at most what its class is.
    fn add(&mut self, content: &Content) {
        let mut terms: BTreeMap<usize, f64> = BTreeMap::new();
        for &(_, kind, count) in &content.held {
            *terms.entry(kind).or_default() -= f64::from(count);
        }
        terms.insert(self.kinds + content.class, 1.0);
        let label = "worth".to_owned();
        let terms = terms.into_iter().collect();
        self.session.add_row(&Row { label, lower: 0.0, upper: f64::INFINITY, terms });
    }

    /// The bound that the contents met so far would prove at best, and the prices; none when time is up.
    fn best(&mut self, deadline: Option<Instant>, control: &Control) -> Option<(f64, Vec<i64>)> {
        let request = Request::relaxation(deadline, control);
        let outcome = self.session.solve(&request);
        let columns = outcome.columns?;
        let price = |column: &f64| (column.clamp(0.0, 1.0) * PRICE_OF_ONE as f64).round() as i64;
        Some((outcome.primal?, columns[..self.kinds].iter().map(price).collect()))
    }
}

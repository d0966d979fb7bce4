//! The program P(k): which class holds which place after each of k rounds, without names.

use crate::history::History;
use crate::objective::Objective;
use cluster::{GpuIndex, Handover};
use good_lp::{Expression, Variable, constraint, variable};
use milp::{Program, ProgramBuilder, Sense};
use plan::{Class, Place, Transition};
use std::collections::{BTreeMap, BTreeSet};

/// What becomes of a workload that leaves a place and enters none in the same round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// There is no such thing.
    Never,
    /// It is somewhere for which no room is asked here: a temporary place, or stopped where it has to restart anyway.
    Aside,
    /// It is stopped.
    Stopped,
    /// It is stopped, and has to restart anyway; no other is ever absent.
    Restarting,
}

/// A class and a place, and what may happen between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The class.
    pub class: usize,
    /// The place.
    pub place: Place,
    /// Whether it holds the place in the beginning.
    pub before: bool,
    /// Whether it holds the place in the end.
    pub after: bool,
    /// Whether it may enter it.
    pub enters: bool,
    /// Whether it may leave it.
    pub leaves: bool,
}

/// Which program.
pub struct Shape<'t> {
    /// What is wanted.
    pub transition: &'t Transition,
    /// k.
    pub rounds: usize,
    /// What becomes of those who are absent.
    pub absent: Absent,
    /// Classes and places; what is not among them does not change.
    pub pairs: Vec<Pair>,
    /// Objectives, the most important first; rounds are none of them.
    pub stages: Vec<Objective>,
    /// Objectives that may not exceed a value.
    pub most: Vec<(Objective, u64)>,
    /// What else is in play in each round; none if all that is not among the pairs stays.
    pub beside: Option<Vec<BTreeMap<GpuIndex, Vec<Place>>>>,
    /// Whether what may happen in a round is limited, as the transition says.
    pub is_limited: bool,
}

/// Pairs of plans without temporary places: every workload goes straight.
pub fn direct(transition: &Transition) -> Vec<Pair> {
    let of_class = |(class, about): (usize, &Class)| {
        let leave = about.sources().map(move |place| Pair {
            class,
            place,
            before: true,
            after: false,
            enters: false,
            leaves: true,
        });
        let enter = about.targets().map(move |place| Pair {
            class,
            place,
            before: false,
            after: true,
            enters: true,
            leaves: false,
        });
        leave.chain(enter).collect::<Vec<_>>()
    };
    transition.classes.iter().enumerate().flat_map(of_class).collect()
}

/// All classes that run now or start, and all places that they may hold beside those who are pinned; on GPUs out of service, those that they
/// leave.
pub fn everywhere(transition: &Transition) -> Vec<Pair> {
    let cluster = &transition.cluster;
    let mut pinned: BTreeMap<GpuIndex, Vec<Place>> = BTreeMap::new();
    for (_, place) in transition.pinned() {
        pinned.entry(place.gpu).or_default().push(place);
    }
    let mut pairs = Vec::new();
    for (class, about) in transition.classes.iter().enumerate() {
        if about.present.is_empty() && about.target.is_empty() {
            continue;
        }
        let request = &cluster.requests[about.request.index()];
        for gpu in cluster.gpu_indices() {
            let Some(profile) = request.on_board[cluster.gpus[gpu.index()].board.index()] else { continue };
            for &start in &cluster.board_of(gpu).profile(profile).starts {
                let place = Place { gpu, instance: mig::GpuInstance { profile, start } };
                if pinned
                    .get(&gpu)
                    .is_some_and(|held| held.iter().any(|other| other.overlaps(place, cluster)))
                {
                    continue;
                }
                let (before, after) = (about.present.contains(&place), about.target.contains(&place));
                if transition.is_part(class) {
                    if before != after {
                        pairs.push(Pair { class, place, before, after, enters: after, leaves: before });
                    }
                    continue;
                }
                let enters = transition.may_enter(class, gpu);
                if enters || before {
                    pairs.push(Pair { class, place, before, after, enters, leaves: true });
                }
            }
        }
    }
    pairs
}

/// A program, and how to read its points.
pub struct Posed {
    /// The program.
    pub program: Program,
    pairs: Vec<Pair>,
    /// Per pair and round, from 0 to k: constants or columns.
    held: Vec<Vec<Cell>>,
    /// Per class and round: those who end for good.
    gone: BTreeMap<(usize, usize), usize>,
    rounds: usize,
}

#[derive(Clone, Copy)]
enum Cell {
    Constant(bool),
    Column(Variable, usize),
}

impl Cell {
    fn expression(self) -> Expression {
        match self {
            Cell::Constant(value) => Expression::from(f64::from(u8::from(value))),
            Cell::Column(variable, _) => variable.into(),
        }
    }

    fn value(self, columns: &[f64]) -> bool {
        match self {
            Cell::Constant(value) => value,
            Cell::Column(_, index) => columns[index] > 0.5,
        }
    }
}

impl Posed {
    /// The history that a point tells, with all rounds.
    pub fn history(&self, columns: &[f64]) -> History {
        let mut history = History::empty(self.rounds);
        for (pair, cells) in self.pairs.iter().zip(&self.held) {
            for round in 1..=self.rounds {
                match (cells[round - 1].value(columns), cells[round].value(columns)) {
                    (false, true) => history.step(round - 1, pair.class).entered.push(pair.place),
                    (true, false) => history.step(round - 1, pair.class).left.push(pair.place),
                    _ => {}
                }
            }
        }
        for (&(class, round), &column) in &self.gone {
            let gone = columns[column].round() as usize;
            if gone > 0 {
                history.step(round - 1, class).gone = gone;
            }
        }
        history
    }
}

/// Builds the program.
pub fn pose(shape: Shape<'_>) -> Posed {
    let mut build = Build::new(shape);
    build.hold();
    build.slots();
    build.limits();
    build.classes();
    build.as_one();
    if build.shape.is_limited {
        build.parallel();
        build.budgets();
    }
    build.units();
    build.objectives();
    Posed {
        rounds: build.shape.rounds,
        program: build.builder.build(),
        pairs: build.shape.pairs,
        held: build.held,
        gone: build.gone,
    }
}

struct Build<'t> {
    shape: Shape<'t>,
    builder: ProgramBuilder,
    held: Vec<Vec<Cell>>,
    /// Per pair with both ways and round from 1: entering.
    enter: Vec<Vec<Option<Variable>>>,
    gone: BTreeMap<(usize, usize), usize>,
    /// Per class and round from 0 to k, where workloads may be absent: how many are.
    stock: BTreeMap<usize, Vec<Option<Variable>>>,
    /// Per class and round: those who become absent.
    parks: BTreeMap<(usize, usize), Variable>,
    ends: BTreeMap<(usize, usize), Variable>,
    /// Per unit and round: whether it is laid out anew.
    relaid: BTreeMap<(usize, usize), Variable>,
    by_gpu: BTreeMap<GpuIndex, Vec<usize>>,
    by_class: BTreeMap<usize, Vec<usize>>,
}

impl<'t> Build<'t> {
    fn new(shape: Shape<'t>) -> Self {
        let (mut by_gpu, mut by_class): (BTreeMap<_, Vec<usize>>, BTreeMap<_, Vec<usize>>) =
            Default::default();
        for (number, pair) in shape.pairs.iter().enumerate() {
            by_gpu.entry(pair.place.gpu).or_default().push(number);
            by_class.entry(pair.class).or_default().push(number);
        }
        Build {
            builder: ProgramBuilder::new(format!("plan-{}", shape.rounds)),
            shape,
            held: Vec::new(),
            enter: Vec::new(),
            gone: BTreeMap::new(),
            stock: BTreeMap::new(),
            parks: BTreeMap::new(),
            ends: BTreeMap::new(),
            relaid: BTreeMap::new(),
            by_gpu,
            by_class,
        }
    }

    fn class(&self, class: usize) -> &'t Class {
        &self.shape.transition.classes[class]
    }

    /// u: who holds what after each round, and what follows for a single place.
    fn hold(&mut self) {
        let rounds = self.shape.rounds;
        for (number, pair) in self.shape.pairs.clone().into_iter().enumerate() {
            let mut cells = vec![Cell::Constant(pair.before)];
            for round in 1..rounds {
                let variable = self.builder.column(format!("u[{number},{round}]"), variable().binary());
                cells.push(Cell::Column(variable, self.builder.index_of(variable)));
            }
            cells.push(Cell::Constant(pair.after));
            if rounds == 0 {
                cells.truncate(1);
            }
            self.held.push(cells);
            let mut entering = vec![None; rounds + 1];
            for (round, entering) in entering.iter_mut().enumerate().skip(1) {
                let (last, now) = (self.u(number, round - 1), self.u(number, round));
                let label = |family: &str| format!("{family}[{number},{round}]");
                match (pair.enters, pair.leaves) {
                    (true, true) => {
                        let enter = self.builder.column(label("e"), variable().binary());
                        *entering = Some(enter);
                        self.builder.row(label("entered"), constraint!(enter >= now.clone() - last.clone()));
                        self.builder.row(label("stays"), constraint!(enter <= now));
                        self.builder.row(label("was_free"), constraint!(enter + last <= 1));
                    }
                    (true, false) if 1 < round && round < rounds => {
                        self.builder.row(label("entered"), constraint!(now - last >= 0));
                    }
                    (false, true) if 1 < round && round < rounds => {
                        self.builder.row(label("left"), constraint!(last - now >= 0));
                    }
                    _ => {}
                }
            }
            self.enter.push(entering);
        }
    }

    fn u(&self, pair: usize, round: usize) -> Expression {
        self.held[pair][round].expression()
    }

    fn e(&self, pair: usize, round: usize) -> Expression {
        match (self.enter[pair][round], self.shape.pairs[pair].enters) {
            (Some(variable), _) => variable.into(),
            (None, true) => self.u(pair, round) - self.u(pair, round - 1),
            (None, false) => Expression::from(0.0),
        }
    }

    fn l(&self, pair: usize, round: usize) -> Expression {
        if !self.shape.pairs[pair].leaves {
            return Expression::from(0.0);
        }
        self.e(pair, round) - self.u(pair, round) + self.u(pair, round - 1)
    }

    /// Held at the beginning of a round, or entered in it.
    fn in_play(&self, pair: usize, round: usize) -> Expression {
        self.u(pair, round - 1) + self.e(pair, round)
    }

    fn sum(&self, pairs: &[usize], of: impl Fn(usize) -> Expression) -> Expression {
        pairs.iter().map(|&pair| of(pair)).sum()
    }

    /// In a round, a slot belongs to one place: held or entered.
    fn slots(&mut self) {
        let cluster = &self.shape.transition.cluster;
        let mut rows = Vec::new();
        for (&gpu, pairs) in &self.by_gpu {
            let mut seen = BTreeSet::new();
            for slot in 0..cluster.board_of(gpu).slots() {
                let covers = |pair: &usize| self.shape.pairs[*pair].place.slots(cluster).0 >> slot & 1 == 1;
                let covering: Vec<usize> = pairs.iter().copied().filter(covers).collect();
                let is_entered = covering.iter().any(|&pair| self.shape.pairs[pair].enters);
                if covering.len() > 1 && is_entered && seen.insert(covering.clone()) {
                    rows.push((gpu, slot, covering));
                }
            }
        }
        for (gpu, slot, covering) in rows {
            for round in 1..=self.shape.rounds {
                let used = self.sum(&covering, |pair| self.in_play(pair, round));
                self.builder.row(format!("slot[{},{slot},{round}]", gpu.0), constraint!(used <= 1));
            }
        }
        self.beside();
    }

    /// What is in play beside the pairs keeps its slots.
    fn beside(&mut self) {
        let cluster = &self.shape.transition.cluster;
        let mut rows = Vec::new();
        for (round, beside) in self.shape.beside.iter().flatten().enumerate() {
            for (number, pair) in self.shape.pairs.iter().enumerate().filter(|(_, pair)| pair.enters) {
                let others = beside.get(&pair.place.gpu);
                if others.is_some_and(|others| others.iter().any(|other| other.overlaps(pair.place, cluster)))
                {
                    rows.push((number, round + 1));
                }
            }
        }
        for (pair, round) in rows {
            let used = self.in_play(pair, round);
            self.builder.row(format!("taken[{pair},{round}]"), constraint!(used <= 0));
        }
    }

    /// The other limits of the boards, with what does not change.
    fn limits(&mut self) {
        let transition = self.shape.transition;
        let cluster = &transition.cluster;
        let beside = self.shape.beside.clone().unwrap_or_else(|| vec![self.constant(); self.shape.rounds]);
        for (gpu, pairs) in self.by_gpu.clone() {
            for (number, limit) in cluster.board_of(gpu).limits().iter().enumerate() {
                let usage = |place: Place| limit.usage[place.instance.profile.index()];
                let of = |pair: usize| usage(self.shape.pairs[pair].place);
                for round in 1..=self.shape.rounds {
                    let others = beside[round - 1].get(&gpu).into_iter().flatten();
                    let taken: u32 = others.map(|&place| usage(place)).sum();
                    if taken + pairs.iter().map(|&pair| of(pair)).sum::<u32>() <= limit.capacity {
                        continue;
                    }
                    let rest = f64::from(limit.capacity.saturating_sub(taken));
                    let used = self.sum(&pairs, |pair| f64::from(of(pair)) * self.in_play(pair, round));
                    self.builder.row(format!("limit[{},{number},{round}]", gpu.0), constraint!(used <= rest));
                }
            }
        }
    }

    /// What is held now and not among the pairs.
    fn constant(&self) -> BTreeMap<GpuIndex, Vec<Place>> {
        let transition = self.shape.transition;
        let known: BTreeSet<(usize, Place)> =
            self.shape.pairs.iter().map(|pair| (pair.class, pair.place)).collect();
        let mut constant: BTreeMap<GpuIndex, Vec<Place>> = BTreeMap::new();
        for (workload, place) in transition.present() {
            let class = transition.class_of[workload.index()];
            if class.is_none_or(|class| !known.contains(&(class, place))) {
                constant.entry(place.gpu).or_default().push(place);
            }
        }
        constant
    }

    /// Whoever leaves enters something else, is absent, or ends; whoever enters comes from somewhere.
    fn classes(&mut self) {
        let rounds = self.shape.rounds;
        for (class, pairs) in self.by_class.clone() {
            let (newcomers, leavers) = (self.class(class).newcomers(), self.class(class).leavers());
            let may_be_absent = self.may_be_absent(class) && !self.class(class).present.is_empty();
            let mut stock: Vec<Option<Variable>> = vec![None; rounds + 1];
            let members = self.class(class).present.len() as f64;
            let (mut started, mut ended) = (Expression::from(0.0), Expression::from(0.0));
            for round in 1..=rounds {
                let label = |family: &str| format!("{family}[{class},{round}]");
                let mut balance = self.sum(&pairs, |pair| self.e(pair, round) - self.l(pair, round));
                if newcomers > 0 {
                    let new =
                        self.builder.column(label("n"), variable().integer().bounds(0.0..=newcomers as f64));
                    balance -= new;
                    started += new;
                }
                if leavers > 0 {
                    let end =
                        self.builder.column(label("d"), variable().integer().bounds(0.0..=leavers as f64));
                    balance += end;
                    ended += end;
                    self.gone.insert((class, round), self.builder.index_of(end));
                    self.ends.insert((class, round), end);
                }
                if may_be_absent {
                    if round < rounds {
                        stock[round] = Some(
                            self.builder.column(label("stock"), variable().integer().bounds(0.0..=members)),
                        );
                        let park =
                            self.builder.column(label("park"), variable().integer().bounds(0.0..=members));
                        self.parks.insert((class, round), park);
                        // No workload comes back in the round in which it went.
                        let (last, now) = (count(stock[round - 1]), count(stock[round]));
                        self.builder.row(label("parked"), constraint!(park - now.clone() + last >= 0));
                        self.builder.row(label("away"), constraint!(now - park >= 0));
                    }
                    balance += count(stock[round]) - count(stock[round - 1]);
                }
                self.builder.row(label("balance"), constraint!(balance == 0));
            }
            if newcomers > 0 {
                self.builder.row(format!("newcomers[{class}]"), constraint!(started == newcomers as f64));
            }
            if leavers > 0 {
                self.builder.row(format!("leavers[{class}]"), constraint!(ended == leavers as f64));
            }
            if may_be_absent {
                self.stock.insert(class, stock);
            }
        }
    }

    /// What counts as one enters and leaves all of its places in one round.
    fn as_one(&mut self) {
        for (number, group) in self.shape.transition.as_one.iter().enumerate() {
            let pairs = group.classes.iter().filter_map(|class| self.by_class.get(class));
            let pairs: Vec<usize> = pairs.flatten().copied().collect();
            let Some((&first, others)) = pairs.split_first() else { continue };
            for round in 1..=self.shape.rounds {
                let change = |pair: usize| match self.shape.pairs[pair].enters {
                    true => self.e(pair, round),
                    false => self.l(pair, round),
                };
                let rows: Vec<_> =
                    others.iter().map(|&other| constraint!(change(first) - change(other) == 0)).collect();
                for (position, row) in rows.into_iter().enumerate() {
                    self.builder.row(format!("as_one[{number},{position},{round}]"), row);
                }
            }
        }
    }

    fn park(&self, class: usize, round: usize) -> Expression {
        self.parks.get(&(class, round)).map_or(Expression::from(0.0), |&park| park.into())
    }

    fn end(&self, class: usize, round: usize) -> Expression {
        self.ends.get(&(class, round)).map_or(Expression::from(0.0), |&end| end.into())
    }

    /// How much may happen in a round.
    fn parallel(&mut self) {
        let limits = self.shape.transition.limits;
        let all: Vec<usize> = (0..self.shape.pairs.len()).collect();
        let classes: Vec<usize> = self.by_class.keys().copied().collect();
        for round in 1..=self.shape.rounds {
            if let Some(most) = limits.max_parallel {
                let entered = self.sum(&all, |pair| self.e(pair, round));
                let left: Expression =
                    classes.iter().map(|&class| self.park(class, round) + self.end(class, round)).sum();
                let row = constraint!(entered + left <= f64::from(most));
                self.builder.row(format!("parallel[{round}]"), row);
            }
            let Some(most) = limits.max_parallel_per_node else { continue };
            for (node, pairs) in self.by_node() {
                let (entered, left) = (
                    self.sum(&pairs, |pair| self.e(pair, round)),
                    self.sum(&pairs, |pair| self.l(pair, round)),
                );
                self.builder
                    .row(format!("arrivals[{node},{round}]"), constraint!(entered <= f64::from(most)));
                self.builder.row(format!("departures[{node},{round}]"), constraint!(left <= f64::from(most)));
            }
        }
    }

    fn by_node(&self) -> BTreeMap<usize, Vec<usize>> {
        let mut nodes: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (&gpu, pairs) in &self.by_gpu {
            nodes.entry(self.shape.transition.node_of(gpu)).or_default().extend(pairs);
        }
        nodes
    }

    fn may_be_absent(&self, class: usize) -> bool {
        match self.shape.absent {
            // What counts as one goes straight.
            _ if self.shape.transition.is_part(class) => false,
            Absent::Never => false,
            Absent::Aside | Absent::Stopped => true,
            Absent::Restarting => self.class(class).handover == Handover::Restart,
        }
    }

    /// Whether those who are absent of a class are down.
    fn is_down(&self, class: usize) -> bool {
        match self.shape.absent {
            Absent::Never => false,
            Absent::Stopped => true,
            Absent::Aside | Absent::Restarting => self.class(class).handover == Handover::Restart,
        }
    }

    fn away(&self, class: usize, round: usize) -> Expression {
        count(self.stock.get(&class).and_then(|stock| stock[round]))
    }

    /// Interruptions of a class in a round.
    fn interrupted(&self, class: usize, round: usize) -> Expression {
        match self.class(class).handover {
            Handover::Restart => {
                self.sum(&self.by_class[&class], |pair| self.l(pair, round)) - self.end(class, round)
            }
            Handover::Surge if self.shape.absent == Absent::Stopped => self.park(class, round),
            Handover::Surge => Expression::from(0.0),
        }
    }

    fn budgets(&mut self) {
        let classes: Vec<usize> = self.by_class.keys().copied().collect();
        for (number, budget) in self.shape.transition.cluster.budgets.iter().enumerate() {
            let under = |class: &usize| self.class(*class).budgets.iter().any(|own| own.index() == number);
            let under: Vec<usize> = classes.iter().copied().filter(under).collect();
            if under.is_empty() {
                continue;
            }
            for round in 1..=self.shape.rounds {
                let down: Expression = under
                    .iter()
                    .map(|&class| {
                        let away = if self.is_down(class) {
                            self.away(class, round - 1)
                        } else {
                            Expression::from(0.0)
                        };
                        away + self.interrupted(class, round)
                    })
                    .sum();
                self.builder
                    .row(format!("budget[{number},{round}]"), constraint!(down <= f64::from(budget.allowed)));
            }
        }
    }

    /// Backends that lay whole units out: nothing stands there then, and only instances that are there are entered.
    fn units(&mut self) {
        let transition = self.shape.transition;
        let mut units: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, pair) in self.shape.pairs.iter().enumerate() {
            if let Some(unit) = transition.unit_of(pair.place.gpu) {
                units.entry(unit).or_default().push(number);
            }
        }
        if units.is_empty() {
            return;
        }
        let present: BTreeSet<Place> = transition.present().map(|(_, place)| place).collect();
        let pinned: BTreeSet<usize> =
            transition.pinned().filter_map(|(_, place)| transition.unit_of(place.gpu)).collect();
        for (unit, pairs) in units {
            let places: BTreeSet<Place> = pairs.iter().map(|&pair| self.shape.pairs[pair].place).collect();
            let mut last: BTreeMap<Place, Expression> = BTreeMap::new();
            for &place in &places {
                last.insert(place, Expression::from(f64::from(u8::from(present.contains(&place)))));
            }
            for round in 1..=self.shape.rounds {
                let relaid =
                    if pinned.contains(&unit) { variable().binary().max(0.0) } else { variable().binary() };
                let relaid = self.builder.column(format!("g[{unit},{round}]"), relaid);
                self.relaid.insert((unit, round), relaid);
                for &pair in &pairs {
                    let row = constraint!(self.u(pair, round - 1) + relaid <= 1);
                    self.builder.row(format!("cleared[{pair},{round}]"), row);
                }
                let mut now: BTreeMap<Place, Expression> = BTreeMap::new();
                for (number, &place) in places.iter().enumerate() {
                    let label = |family: &str| format!("{family}[{unit},{number},{round}]");
                    let there = self.builder.column(label("v"), variable().binary());
                    let before = last[&place].clone();
                    self.builder.row(label("made"), constraint!(there - before.clone() <= relaid));
                    self.builder.row(label("unmade"), constraint!(before - there <= relaid));
                    let users: Vec<usize> =
                        pairs.iter().copied().filter(|&pair| self.shape.pairs[pair].place == place).collect();
                    let entered = self.sum(&users, |pair| self.e(pair, round));
                    self.builder.row(label("exists"), constraint!(entered <= there));
                    now.insert(place, there.into());
                }
                self.layout(unit, round, &now);
                last = now;
            }
        }
    }

    /// What is laid out together must be legal together.
    fn layout(&mut self, unit: usize, round: usize, there: &BTreeMap<Place, Expression>) {
        let cluster = &self.shape.transition.cluster;
        let gpus: BTreeSet<GpuIndex> = there.keys().map(|place| place.gpu).collect();
        for gpu in gpus {
            let board = cluster.board_of(gpu);
            let here = || there.iter().filter(|(place, _)| place.gpu == gpu);
            for slot in 0..board.slots() {
                let covering = here().filter(|(place, _)| place.slots(cluster).0 >> slot & 1 == 1);
                let used: Expression = covering.map(|(_, there)| there.clone()).sum();
                self.builder.row(format!("laid[{unit},{},{slot},{round}]", gpu.0), constraint!(used <= 1));
            }
            for (number, limit) in board.limits().iter().enumerate() {
                let usage = |place: &Place| f64::from(limit.usage[place.instance.profile.index()]);
                let used: Expression = here().map(|(place, there)| usage(place) * there.clone()).sum();
                let row = constraint!(used <= f64::from(limit.capacity));
                self.builder.row(format!("laid_limit[{unit},{},{number},{round}]", gpu.0), row);
            }
        }
    }

    fn objectives(&mut self) {
        for (objective, most) in self.shape.most.clone() {
            let value = self.value(objective);
            self.builder.row(format!("most[{}]", objective.name()), constraint!(value <= most as f64));
        }
        for objective in self.shape.stages.clone() {
            let value = self.value(objective);
            self.builder.stage(objective.name(), Sense::Minimize, value, Some(1.0));
        }
    }

    /// What a plan costs.
    fn value(&mut self, objective: Objective) -> Expression {
        let rounds = 1..=self.shape.rounds;
        let classes: Vec<usize> = self.by_class.keys().copied().collect();
        let all: Vec<usize> = (0..self.shape.pairs.len()).collect();
        let each = |of: &dyn Fn(usize, usize) -> Expression| -> Expression {
            rounds
                .clone()
                .flat_map(|round| classes.iter().map(move |&class| (class, round)))
                .map(|(class, round)| of(class, round))
                .sum()
        };
        let entered =
            || -> Expression { rounds.clone().map(|round| self.sum(&all, |pair| self.e(pair, round))).sum() };
        let aside = |class: usize, round: usize| match self.class(class).handover {
            Handover::Surge if self.shape.absent == Absent::Aside => self.park(class, round),
            _ => Expression::from(0.0),
        };
        match objective {
            Objective::Stops => each(&|class, round| self.interrupted(class, round)),
            Objective::Downtime => each(&|class, round| {
                if self.is_down(class) { self.away(class, round) } else { Expression::from(0.0) }
            }),
            Objective::Moves => {
                let newcomers: usize = classes.iter().map(|&class| self.class(class).newcomers()).sum();
                entered() + each(&aside) - newcomers as f64
            }
            Objective::Bounces => {
                let value = entered() + each(&aside);
                let fresh = self.shape.pairs.iter().filter(|pair| pair.after && !pair.before).count();
                value - fresh as f64 - self.returned()
            }
            Objective::Rounds => Expression::from(self.shape.rounds as f64),
            Objective::PluginRestarts => {
                if self.relaid.is_empty() {
                    self.busy("h", self.by_node())
                } else {
                    self.relaid_nodes()
                }
            }
            Objective::Gpus => {
                let gpus = self.by_gpu.clone();
                let mut total = Expression::from(0.0);
                for (gpu, pairs) in gpus {
                    let touched = self.builder.column(format!("touched[{}]", gpu.0), variable().binary());
                    for &pair in &pairs {
                        for round in 1..=self.shape.rounds {
                            for (family, change) in
                                [("in", self.e(pair, round)), ("out", self.l(pair, round))]
                            {
                                let row = constraint!(change <= touched);
                                self.builder.row(format!("touched_{family}[{pair},{round}]"), row);
                            }
                        }
                    }
                    total += touched;
                }
                total
            }
        }
    }

    /// Places that a class holds in the beginning and in the end, and leaves in between.
    fn returned(&mut self) -> Expression {
        let loose: Vec<usize> = (0..self.shape.pairs.len())
            .filter(|&pair| {
                let pair = &self.shape.pairs[pair];
                pair.before && pair.after && pair.enters && pair.leaves
            })
            .collect();
        let mut total = Expression::from(0.0);
        for pair in loose {
            let back = self.builder.column(format!("back[{pair}]"), variable().binary());
            let entered: Expression = (1..=self.shape.rounds).map(|round| self.e(pair, round)).sum();
            self.builder.row(format!("back_by[{pair}]"), constraint!(entered - back >= 0));
            total += back;
        }
        total
    }

    /// Pairs of a node and a round in which a workload enters or leaves.
    fn busy(&mut self, family: &str, nodes: BTreeMap<usize, Vec<usize>>) -> Expression {
        let mut total = Expression::from(0.0);
        for (node, pairs) in nodes {
            for round in 1..=self.shape.rounds {
                let busy = self.builder.column(format!("{family}[{node},{round}]"), variable().binary());
                for &pair in &pairs {
                    for (way, change) in [("in", self.e(pair, round)), ("out", self.l(pair, round))] {
                        let row = constraint!(change <= busy);
                        self.builder.row(format!("{family}_{way}[{pair},{round}]"), row);
                    }
                }
                total += busy;
            }
        }
        total
    }

    /// Pairs of a node and a round in which one of its GPUs is laid out anew.
    fn relaid_nodes(&mut self) -> Expression {
        let transition = self.shape.transition;
        let mut total = Expression::from(0.0);
        for (node, pairs) in self.by_node() {
            let units: BTreeSet<usize> = pairs
                .iter()
                .filter_map(|&pair| transition.unit_of(self.shape.pairs[pair].place.gpu))
                .collect();
            for round in 1..=self.shape.rounds {
                let busy = self.builder.column(format!("h[{node},{round}]"), variable().binary());
                for unit in &units {
                    let relaid = self.relaid[&(*unit, round)];
                    self.builder.row(format!("h_by[{unit},{round}]"), constraint!(relaid <= busy));
                }
                total += busy;
            }
        }
        total
    }
}

fn count(column: Option<Variable>) -> Expression {
    column.map_or(Expression::from(0.0), Expression::from)
}

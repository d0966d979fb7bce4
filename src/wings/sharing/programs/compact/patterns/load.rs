//! A server that is being filled with virtual machines by type.

use super::pattern::Pattern;
use super::types::Types;

/// What types take on servers of a kind.
pub struct Takes {
    /// Memory of an empty server, in pages.
    pub memory: i64,
    /// What it has of each resource that is limited.
    pub capacities: Vec<i128>,
    /// By type how many there are, the pages that each needs alone, what each requests, and its classes.
    pub numbers: Vec<u32>,
    pub private: Vec<i64>,
    pub requests: Vec<Vec<i128>>,
    pub classes: Vec<Vec<usize>>,
    /// Pages by class.
    pub pages: Vec<i64>,
}

impl Takes {
    /// What all types take on a kind of server.
    pub fn new(types: &Types<'_>, kind: usize) -> Self {
        let server = types.kinds[kind].0;
        let capacities = types.units.capacity(server);
        let limited: Vec<usize> =
            (0..capacities.len()).filter(|&resource| capacities[resource].is_some()).collect();
        let all = || (0..types.vms.len()).map(|vm_type| (vm_type, types.example(vm_type)));
        let classes = &types.problem.page_classes;
        let request = |(_, vm)| limited.iter().map(|&resource| types.units.request(vm)[resource]).collect();
        Takes {
            memory: types.problem.kinds[server.index()].pages as i64,
            capacities: limited.iter().filter_map(|&resource| capacities[resource]).collect(),
            numbers: all().map(|(vm_type, _)| types.number(vm_type)).collect(),
            private: all().map(|(_, vm)| classes.private[vm.index()] as i64).collect(),
            requests: all().map(request).collect(),
            classes: all().map(|(vm_type, _)| types.classes(vm_type).to_vec()).collect(),
            pages: classes.shared.iter().map(|class| class.pages as i64).collect(),
        }
    }
}

/// What is on a server and what room is left.
#[derive(Clone)]
pub struct Load<'t> {
    pub takes: &'t Takes,
    /// Virtual machines by type.
    pub count: Vec<u32>,
    /// Pages left.
    pub pages: i64,
    /// What is left of each limited resource.
    pub resources: Vec<i128>,
    /// By class how many of the types here have it; one more where its pages are held ahead.
    holders: Vec<u32>,
}

impl<'t> Load<'t> {
    /// An empty server.
    pub fn new(takes: &'t Takes) -> Self {
        Load {
            takes,
            count: vec![0; takes.numbers.len()],
            pages: takes.memory,
            resources: takes.capacities.clone(),
            holders: vec![0; takes.pages.len()],
        }
    }

    /// A server with a pattern.
    pub fn of(takes: &'t Takes, pattern: &Pattern) -> Self {
        let mut load = Load::new(takes);
        for &(vm_type, count) in &pattern.0 {
            (0..count).for_each(|_| load.take(vm_type));
        }
        load
    }

    /// Whether the pages of a class are here.
    pub fn holds(&self, class: usize) -> bool {
        self.holders[class] > 0
    }

    /// Pages that one more of a type would take.
    pub fn need(&self, vm_type: usize) -> i64 {
        let classes = self.takes.classes[vm_type].iter().filter(|&&class| !self.holds(class));
        self.takes.private[vm_type] + classes.map(|&class| self.takes.pages[class]).sum::<i64>()
    }

    /// Whether there is one more of a type, and room for it.
    pub fn fits(&self, vm_type: usize) -> bool {
        let takes = self.takes;
        self.count[vm_type] < takes.numbers[vm_type]
            && takes.private[vm_type] <= self.pages
            && self.resources.iter().zip(&takes.requests[vm_type]).all(|(left, request)| request <= left)
            && self.need(vm_type) <= self.pages
    }

    /// How many more of a type there are and have room.
    pub fn most(&self, vm_type: usize) -> u32 {
        let (takes, private) = (self.takes, self.takes.private[vm_type]);
        let mut most = i128::from(takes.numbers[vm_type] - self.count[vm_type]);
        for (left, &request) in self.resources.iter().zip(&takes.requests[vm_type]) {
            if request > 0 {
                most = most.min(left / request);
            }
        }
        let left = self.pages - (self.need(vm_type) - private);
        if private > 0 {
            most = most.min(i128::from(left.max(0) / private));
        } else if left < 0 {
            most = 0;
        }
        u32::try_from(most).expect("there are no more than there are")
    }

    /// Adds one of a type, which must fit.
    pub fn take(&mut self, vm_type: usize) {
        self.pages -= self.need(vm_type);
        if self.count[vm_type] == 0 {
            self.takes.classes[vm_type].iter().for_each(|&class| self.holders[class] += 1);
        }
        for (left, request) in self.resources.iter_mut().zip(&self.takes.requests[vm_type]) {
            *left -= request;
        }
        self.count[vm_type] += 1;
    }

    /// Puts the pages of a class here before any type that has it.
    pub fn hold_ahead(&mut self, class: usize) {
        self.pages -= self.takes.pages[class];
        self.holders[class] += 1;
    }

    /// Takes back what was held ahead.
    pub fn let_go(&mut self, class: usize) {
        self.pages += self.takes.pages[class];
        self.holders[class] -= 1;
    }

    /// Whether a class that is held ahead is had by a type here.
    pub fn is_used(&self, class: usize) -> bool {
        self.holders[class] > 1
    }

    /// Removes one of a type that is here.
    pub fn put_back(&mut self, vm_type: usize) {
        self.count[vm_type] -= 1;
        if self.count[vm_type] == 0 {
            self.takes.classes[vm_type].iter().for_each(|&class| self.holders[class] -= 1);
        }
        for (left, request) in self.resources.iter_mut().zip(&self.takes.requests[vm_type]) {
            *left += request;
        }
        self.pages += self.need(vm_type);
    }

    /// Whether no virtual machine can be added.
    pub fn is_maximal(&self) -> bool {
        !(0..self.count.len()).any(|vm_type| self.fits(vm_type))
    }

    /// What is here.
    pub fn pattern(&self) -> Pattern {
        let held = self.count.iter().copied().enumerate();
        Pattern(held.filter(|&(_, count)| count > 0).collect())
    }
}

//! The question in the plain terms of the checker.

use crate::instance::Problem;
use crate::rules::{Goal, Score};
use certificate::sharing::{Question, Server, Stage, Vm};
use ground::Amount;

/// The question that a problem asks.
pub fn plain(problem: &Problem) -> Question<'_> {
    let classes = &problem.page_classes;
    let servers = problem.server_indices().map(|server| {
        let kind = problem.kind_of(server);
        let name = &problem.servers[server.index()].name;
        Server { name, capacity: &kind.capacity, pages: kind.pages, cost: kind.cost }
    });
    let vms = problem.vm_indices().map(|vm| {
        let about = problem.vm(vm);
        let (private, classes) = (classes.private[vm.index()], classes.of_vm[vm.index()].as_slice());
        Vm { name: &about.name, request: &about.request, private, classes }
    });
    let stage = |goal: &Goal| match goal {
        Goal::Reach => Stage::Reach,
        Goal::Servers => Stage::Servers,
    };
    Question {
        resources: &problem.resources,
        servers: servers.collect(),
        vms: vms.collect(),
        classes: classes.shared.iter().map(|class| class.pages).collect(),
        stages: problem.optimum.goals().iter().map(stage).collect(),
    }
}

/// What a packing is worth in every goal.
pub fn values(problem: &Problem, score: &Score) -> Vec<Amount> {
    problem.optimum.goals().iter().map(|&goal| score.goal(goal)).collect()
}

//! The order in which a pattern is made up: types with much software in common stand beside each other.
//!
//! Page classes of which any two are nested or disjoint, the *nested* ones, are chosen so that they save as many pages as possible. Types
//! are sorted by the nested classes that they are in, so that the members of each follow one another: whether a class is on a server
//! already has to be remembered only as long as its members pass. The other classes are called *loose*.

use super::types::Types;
use std::cmp::Reverse;

/// The most nested classes that a type is in.
const MOST_NESTED: usize = 3;

/// The order, and which classes of each type are nested.
pub struct Order {
    /// Types in their order.
    pub types: Vec<usize>,
    /// By type the nested classes that it is in, outermost first.
    pub nested: Vec<Vec<usize>>,
    /// By type its other classes.
    pub loose: Vec<Vec<usize>>,
}

impl Order {
    /// The order of all types.
    pub fn of(types: &Types<'_>) -> Self {
        let number = types.vms.len();
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); types.problem.page_classes.shared.len()];
        for vm_type in 0..number {
            types.classes(vm_type).iter().for_each(|&class| members[class].push(vm_type));
        }
        let pages = |class: usize| u128::from(types.problem.page_classes.shared[class].pages);
        let mut classes: Vec<usize> = (0..members.len()).filter(|&class| members[class].len() > 1).collect();
        classes.sort_by_key(|&class| Reverse(pages(class) * (members[class].len() as u128 - 1)));
        let mut nested: Vec<Vec<usize>> = vec![Vec::new(); number];
        let mut chosen: Vec<usize> = Vec::new();
        for class in classes {
            let fits = |other: &usize| are_nested_or_disjoint(&members[class], &members[*other]);
            let has_room = members[class].iter().all(|&vm_type| nested[vm_type].len() < MOST_NESTED);
            if has_room && chosen.iter().all(fits) {
                chosen.push(class);
                members[class].iter().for_each(|&vm_type| nested[vm_type].push(class));
            }
        }
        for of_type in &mut nested {
            of_type.sort_by_key(|&class| (Reverse(members[class].len()), class));
        }
        let loose = |vm_type: usize| {
            let classes = types.classes(vm_type).iter().copied();
            classes.filter(|class| !nested[vm_type].contains(class)).collect()
        };
        let loose = (0..number).map(loose).collect();
        let mut order: Vec<usize> = (0..number).collect();
        let memory = |vm_type: usize| types.problem.vm(types.example(vm_type)).pages;
        order.sort_by_key(|&vm_type| (nested[vm_type].clone(), Reverse(memory(vm_type)), vm_type));
        Order { types: order, nested, loose }
    }
}

/// Whether two ascending sets have no member in common, or one contains the other.
fn are_nested_or_disjoint(one: &[usize], other: &[usize]) -> bool {
    let common = one.iter().filter(|member| other.binary_search(member).is_ok()).count();
    common == 0 || common == one.len() || common == other.len()
}

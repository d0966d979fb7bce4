//! What the numbers of a case say of virtual machines and servers.

use super::check::{Checker, Multipliers};
use super::counted::Type;
use super::question::Stage;
use crate::cases::{Case, Range, Refutes};
use crate::explanation::{Explained, Explains, Part, Priced};
use crate::format::Leaf;
use crate::magnitude::{add, product};
use crate::refusal::Refusal;
use ground::Amount;
use std::collections::BTreeSet;

impl Explains for Checker<'_> {
    /// The server of each virtual machine.
    type Outcome = Vec<usize>;

    fn name_of(&self, kind: usize) -> String {
        self.total_of(kind)
    }

    fn explain(
        &self,
        leaf: &Leaf,
        values: &[Amount],
        case: &Case<usize>,
        best: Option<&Vec<usize>>,
    ) -> Result<Explained, Refusal> {
        let multipliers = self.multipliers(leaf)?;
        let scope = self.scope(values)?;
        let first = scope.as_ref().map_or(0, |scope| scope.first);
        let most = scope.and_then(|scope| scope.most);
        // A cost is as small as possible: what improves the bound lowers it.
        let sign = if multipliers.cost == 0 { 1 } else { -1 };
        let effort = match self.refute_within(leaf, values, case, 0) {
            Ok(()) => 0,
            Err(_) => Self::MOST_EFFORT,
        };
        let (earned, possible) = self.bound(leaf, first, case, effort)?;
        let mut needed = earned;
        add(&mut needed, -multipliers.cost, most.unwrap_or_default())?;
        let stage = values.len().checked_sub(1).map(|last| self.question.stages[last]);
        let items = self.counted.types.iter().zip(&multipliers.worths.of_types);
        let items = items.map(|(about, &worth)| {
            let common = if about.number == 1 { self.brought_by_it_alone(about) } else { 0 };
            let change = sign * (worth + multipliers.worths.page * common);
            Priced { name: about.name.clone(), number: about.number, change }
        });
        Ok(Explained {
            multiplier: multipliers.cost,
            unit: if stage == Some(Stage::Servers) { self.unit() } else { Amount::ONE },
            bound: earned - possible,
            items: items.filter(|item| item.change != 0).collect(),
            parts: self.explained_parts(&multipliers, (first, case, effort), sign, best)?,
            ..Explained::of_nothing(needed, possible)
        })
    }
}

impl Checker<'_> {
    /// Pages of the classes in which no other type is.
    fn brought_by_it_alone(&self, about: &Type) -> i128 {
        let members =
            |class: usize| self.counted.types.iter().filter(|other| other.classes.contains(&class)).count();
        let alone = about.classes.iter().filter(|&&class| members(class) == 1);
        alone.map(|&class| i128::from(self.question.classes[class])).sum()
    }

    /// The servers by kind, among the first ones, with how one more changes the bound.
    fn explained_parts(
        &self,
        multipliers: &Multipliers,
        (first, case, effort): (usize, &Case<usize>, u64),
        sign: i128,
        best: Option<&Vec<usize>>,
    ) -> Result<Vec<Part>, Refusal> {
        let best = best.filter(|_| multipliers.cost != 0);
        let mut parts = Vec::new();
        for (position, kind) in self.counted.kinds.iter().enumerate() {
            let Range { least, greatest } = self.range(position, case);
            let number = greatest.min(kind.number_in(first));
            if number == 0 {
                continue;
            }
            let worth = self.worth(kind, multipliers, least > 0, effort)?;
            let most = if least > 0 { worth } else { worth.max(0) };
            let mut below = Vec::new();
            for &server in best.iter().flat_map(|_| kind.servers.iter().filter(|&&server| server < first)) {
                let now = self.worth_of(server, multipliers, best.map_or(&[][..], Vec::as_slice))?;
                if now != most {
                    below.push((self.question.servers[server].name.to_owned(), most - now));
                }
            }
            let below = best.map(|_| below);
            parts.push(Part { like: kind.name.clone(), number, change: sign * most, below });
        }
        Ok(parts)
    }

    /// What a server is worth with what it hosts.
    fn worth_of(
        &self,
        server: usize,
        multipliers: &Multipliers,
        server_of: &[usize],
    ) -> Result<i128, Refusal> {
        let hosted: Vec<usize> = (0..server_of.len()).filter(|&vm| server_of[vm] == server).collect();
        if hosted.is_empty() {
            return Ok(0);
        }
        let kind = &self.counted.kinds[self.counted.kind_of[server]];
        let mut worth = -product(multipliers.cost, kind.cost)?;
        let classes: BTreeSet<usize> =
            hosted.iter().flat_map(|&vm| self.question.vms[vm].classes.iter().copied()).collect();
        for class in classes {
            add(&mut worth, multipliers.worths.page, i128::from(self.question.classes[class]))?;
        }
        for vm in hosted {
            add(&mut worth, multipliers.worths.of_types[self.counted.type_of[vm]], 1)?;
        }
        Ok(worth)
    }
}

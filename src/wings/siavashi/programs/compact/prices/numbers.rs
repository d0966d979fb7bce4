//! How many workloads of each shape a machine has, and can have.

use super::slot::Slot;

/// Numbers of workloads on a machine, by shape.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// That run there now.
    pub residents: Vec<u32>,
    /// That it can hold at most, of those there are.
    pub most: Vec<u32>,
    /// Whether its GPUs have room for more than there are.
    pub is_short: Vec<bool>,
}

impl Numbers {
    /// The numbers of a machine with these GPUs, where there are so many of each shape.
    pub fn of(slots: &[Slot], all: impl Iterator<Item = u32>) -> Self {
        let mut numbers = Numbers { residents: Vec::new(), most: Vec::new(), is_short: Vec::new() };
        for (shape, number) in all.enumerate() {
            let room: u32 = slots.iter().map(|slot| slot.fills.most[shape]).sum();
            numbers.residents.push(slots.iter().map(|slot| slot.residents[shape]).sum());
            numbers.most.push(room.min(number));
            numbers.is_short.push(room > number);
        }
        numbers
    }

    /// How many shapes there are.
    pub fn shapes(&self) -> usize {
        self.most.len()
    }

    /// How many of a shape that a machine would hold stay on it.
    pub fn kept(&self, shape: usize, number: u32) -> i64 {
        i64::from(number.min(self.residents[shape]))
    }
}

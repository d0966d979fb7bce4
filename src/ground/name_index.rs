//! Things found by their names.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::BuildHasher;

/// Positions in a list by the names of what is there. The names stay in the list: who asks tells the name at a position.
#[derive(Clone, Debug, Default)]
pub struct NameIndex {
    positions: HashTable<u32>,
    state: FixedState,
}

impl NameIndex {
    /// An empty index with room for so many names.
    pub fn with_capacity(count: usize) -> Self {
        NameIndex { positions: HashTable::with_capacity(count), state: FixedState::default() }
    }

    /// The index of a list of so many names. Of those that are alike it has the first.
    pub fn of<'n>(count: usize, name_at: impl Fn(usize) -> &'n str + Copy) -> Self {
        let mut index = NameIndex::with_capacity(count);
        for position in 0..count {
            index.add(name_at(position), position, name_at);
        }
        index
    }

    /// The position of a name.
    pub fn find<'n>(&self, name: &str, name_at: impl Fn(usize) -> &'n str) -> Option<usize> {
        let has_name = |&position: &u32| name_at(position as usize) == name;
        let found = self.positions.find(self.state.hash_one(name), has_name);
        found.map(|&position| position as usize)
    }

    /// Adds a name at a position of the list, which may yet be without it. Where the index has the name, it stays as it is, and tells the
    /// position.
    pub fn add<'n>(
        &mut self,
        name: &str,
        position: usize,
        name_at: impl Fn(usize) -> &'n str,
    ) -> Option<usize> {
        let position = u32::try_from(position).expect("there are fewer than 2^32 things of a kind");
        let state = &self.state;
        let has_name = |&position: &u32| name_at(position as usize) == name;
        let hash_at = |&position: &u32| state.hash_one(name_at(position as usize));
        match self.positions.entry(state.hash_one(name), has_name, hash_at) {
            Entry::Occupied(known) => Some(*known.get() as usize),
            Entry::Vacant(place) => {
                place.insert(position);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_where_they_are() {
        let names: Vec<String> = (0..1000).map(|number| format!("gpu-{number}")).collect();
        let name_at = |position: usize| names[position].as_str();
        let index = NameIndex::of(names.len(), name_at);
        for (position, name) in names.iter().enumerate() {
            assert_eq!(index.find(name, name_at), Some(position));
        }
        assert_eq!(index.find("gpu-1000", name_at), None);
        assert_eq!(NameIndex::default().find("gpu-0", name_at), None);
    }

    #[test]
    fn a_name_is_added_before_the_list_has_it_and_once() {
        let mut names: Vec<&str> = Vec::new();
        let mut index = NameIndex::default();
        for name in ["a", "b", "c", "d", "e"] {
            assert_eq!(index.add(name, names.len(), |position| names[position]), None);
            names.push(name);
        }
        assert_eq!(index.add("c", 5, |position| names[position]), Some(2));
        assert_eq!(index.find("c", |position| names[position]), Some(2));
    }
}

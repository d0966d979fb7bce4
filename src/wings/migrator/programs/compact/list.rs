//! Lists and tables that are indexed by numbers of a certain kind alone.

use super::index::{
    AllocationIndex, ChoiceIndex, Condition, ContentsIndex, FitIndex, KnapsackIndex, RetrainingIndex,
    RoomIndex, Slot, StateIndex,
};
use crate::instance::ModelIndex;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Index, IndexMut};

/// A number that is a position in a list.
pub trait Position: Copy {
    /// The position.
    fn position(self) -> usize;
    /// The number of a position.
    fn from_position(position: usize) -> Self;
}

macro_rules! positions {
    ($($number:ty),*) => {
        $(impl Position for $number {
            fn position(self) -> usize {
                self.index()
            }

            fn from_position(position: usize) -> Self {
                Self::at(position)
            }
        })*
    };
}

positions!(
    ModelIndex,
    Slot,
    AllocationIndex,
    RetrainingIndex,
    StateIndex,
    Condition,
    ContentsIndex,
    FitIndex,
    KnapsackIndex,
    RoomIndex,
    ChoiceIndex
);

/// Items by their position.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct List<P, T> {
    items: Vec<T>,
    positions: PhantomData<P>,
}

impl<P: Position, T> List<P, T> {
    /// So many times the same.
    pub fn filled(count: usize, item: T) -> Self
    where
        T: Clone,
    {
        vec![item; count].into()
    }

    /// Adds an item at the end; its position.
    pub fn push(&mut self, item: T) -> P {
        self.items.push(item);
        P::from_position(self.items.len() - 1)
    }

    /// Takes the last item off.
    pub fn pop(&mut self) -> Option<T> {
        self.items.pop()
    }

    /// All positions.
    pub fn positions(&self) -> impl DoubleEndedIterator<Item = P> + use<P, T> {
        (0..self.items.len()).map(P::from_position)
    }

    /// Items with their positions.
    pub fn entries(&self) -> impl Iterator<Item = (P, &T)> {
        self.positions().zip(&self.items)
    }

    /// Keeps the items at some positions.
    pub fn retain(&mut self, is_kept: impl Fn(P) -> bool) {
        let mut positions = self.positions();
        self.items.retain(|_| positions.next().is_some_and(&is_kept));
    }
}

impl<P, T> From<Vec<T>> for List<P, T> {
    fn from(items: Vec<T>) -> Self {
        List { items, positions: PhantomData }
    }
}

impl<P, T> FromIterator<T> for List<P, T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Vec::from_iter(items).into()
    }
}

impl<P, T> Deref for List<P, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

impl<P, T> DerefMut for List<P, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items
    }
}

impl<P: Position, T> Index<P> for List<P, T> {
    type Output = T;

    fn index(&self, position: P) -> &T {
        &self.items[position.position()]
    }
}

impl<P: Position, T> IndexMut<P> for List<P, T> {
    fn index_mut(&mut self, position: P) -> &mut T {
        &mut self.items[position.position()]
    }
}

/// Cells by row and column, in one piece of memory: row by row.
#[derive(Clone, Debug)]
pub struct Table<R, C, T> {
    width: usize,
    cells: Vec<T>,
    positions: PhantomData<(R, C)>,
}

impl<R: Position, C: Position, T> Table<R, C, T> {
    /// A table in which every cell is the same.
    pub fn filled(rows: usize, width: usize, cell: T) -> Self
    where
        T: Clone,
    {
        Table { width, cells: vec![cell; rows * width], positions: PhantomData }
    }

    /// Adds a row, which is as wide as all others.
    pub fn push_row(&mut self, row: impl IntoIterator<Item = T>) {
        self.cells.extend(row);
        debug_assert!(self.cells.len().is_multiple_of(self.width));
    }

    /// A table of the same shape.
    pub fn map<U>(&self, change: impl Fn(&T) -> U) -> Table<R, C, U> {
        Table { width: self.width, cells: self.cells.iter().map(change).collect(), positions: PhantomData }
    }

    /// All cells, row by row.
    pub fn cells(&self) -> &[T] {
        &self.cells
    }

    /// All cells, row by row.
    pub fn cells_mut(&mut self) -> &mut [T] {
        &mut self.cells
    }

    /// All rows; the table has columns.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[T]> {
        self.cells.chunks_exact(self.width)
    }

    /// The cells of a row, by column.
    pub fn row(&self, row: R) -> &[T] {
        let begin = row.position() * self.width;
        &self.cells[begin..begin + self.width]
    }

    /// The cells of a row, by column.
    pub fn row_mut(&mut self, row: R) -> &mut [T] {
        let begin = row.position() * self.width;
        &mut self.cells[begin..begin + self.width]
    }
}

impl<R: Position, C: Position, T> Index<(R, C)> for Table<R, C, T> {
    type Output = T;

    fn index(&self, (row, column): (R, C)) -> &T {
        &self.row(row)[column.position()]
    }
}

impl<R: Position, C: Position, T> IndexMut<(R, C)> for Table<R, C, T> {
    fn index_mut(&mut self, (row, column): (R, C)) -> &mut T {
        &mut self.row_mut(row)[column.position()]
    }
}

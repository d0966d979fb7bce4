//! Positions in lists.

/// A newtype for positions in a list, so that positions in different lists are not mistaken for each other.
#[macro_export]
macro_rules! index_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);
        impl $name {
            /// The index as a position in its list.
            pub fn index(self) -> usize {
                self.0 as usize
            }
            /// The index of the position `position` in its list.
            pub fn at(position: usize) -> Self {
                Self(u32::try_from(position).expect("there are fewer than 2^32 things of a kind"))
            }
        }
    };
}

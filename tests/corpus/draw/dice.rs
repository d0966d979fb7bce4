//! Random choices that are the same in every run.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub struct Dice(ChaCha8Rng);

impl Dice {
    pub fn of_seed(seed: u64) -> Self {
        Dice(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Dice of its own for each name, so that instances do not depend on those before them.
    pub fn of_name(name: &str) -> Self {
        let mut seed = [0; 32];
        name.bytes()
            .enumerate()
            .for_each(|(position, byte)| seed[position % 32] ^= byte.rotate_left(position as u32 / 32));
        Dice(ChaCha8Rng::from_seed(seed))
    }

    pub fn below(&mut self, most: usize) -> usize {
        self.0.random_range(0..most as u64) as usize
    }

    /// True so many times in a hundred.
    pub fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    pub fn pick<'t, T: ?Sized>(&mut self, of: &[&'t T]) -> &'t T {
        of[self.below(of.len())]
    }
}

//! How numbers of each shape are packed into one number.

/// How numbers of each shape, and the number of GPUs in use, are packed into one number.
pub struct Keys {
    /// By shape: the lowest bit, and a mask of so many bits.
    places: Vec<(u32, u32)>,
    /// The lowest bit of the number of GPUs in use.
    gpus: u32,
}

impl Keys {
    /// Room for so many of each shape, and of GPUs; none if that is too much for a number.
    pub fn new(most: &[u32], gpus: u32) -> Option<Self> {
        let bits = |number: u32| u32::BITS - number.leading_zeros();
        let mut places = Vec::with_capacity(most.len());
        let mut next = 0;
        for &number in most {
            places.push((next, ((1u64 << bits(number)) - 1) as u32));
            next += bits(number);
        }
        (next + bits(gpus) <= u128::BITS).then_some(Keys { places, gpus: next })
    }

    /// How many of a shape.
    pub fn of(&self, key: u128, shape: usize) -> u32 {
        let (shift, mask) = self.places[shape];
        if mask == 0 { 0 } else { (key >> shift) as u32 & mask }
    }

    /// So many of a shape.
    pub fn packed(&self, shape: usize, number: u32) -> u128 {
        if number == 0 { 0 } else { u128::from(number) << self.places[shape].0 }
    }

    /// How many GPUs.
    pub fn gpus(&self, key: u128) -> u128 {
        key.checked_shr(self.gpus).unwrap_or(0)
    }

    /// A GPU.
    pub fn packed_gpu(&self) -> u128 {
        1 << self.gpus
    }
}

//! Changes of a schedule, one after the other.

use super::occupancy::{Occupancy, Seat};
use cluster::Placement;
use itertools::Itertools;
use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Changes in which more lose their places are not looked at.
const MOST_MOVED: usize = 3;
/// One change in so many begins with any virtual machine, the others with one that waits.
const ANY: u32 = 5;
/// On how many GPUs one that has lost its place may look for another.
const MOST_GPUS: usize = 16;

/// A schedule that is being changed.
pub struct Round<'r> {
    occupancy: Occupancy,
    random: &'r mut ChaCha8Rng,
    /// The members without a place, in no order.
    waiting: Vec<usize>,
    /// By member that waits, its number among these.
    ranks: Vec<usize>,
    /// Where all were when most had places.
    best: Vec<Option<Seat>>,
    /// How many had places then.
    most: usize,
    /// Those that a change moves, and where they were.
    moved: Vec<(usize, Option<Seat>)>,
}

impl<'r> Round<'r> {
    /// Before the first change.
    pub fn of(occupancy: Occupancy, random: &'r mut ChaCha8Rng) -> Self {
        let best = occupancy.seats().to_vec();
        let waiting = best.iter().positions(Option::is_none).collect_vec();
        let mut ranks = vec![0; best.len()];
        waiting.iter().enumerate().for_each(|(rank, &member)| ranks[member] = rank);
        let most = best.len() - waiting.len();
        Round { occupancy, random, waiting, ranks, best, most, moved: Vec::new() }
    }

    /// The most that have had places.
    pub fn most(&self) -> usize {
        self.most
    }

    /// The schedule that had so many, of so many virtual machines in all.
    pub fn best(&self, virtual_machines: usize) -> Placement {
        self.occupancy.schedule(&self.best, virtual_machines)
    }

    /// Tries a change.
    pub fn step(&mut self, temperature: f64) {
        let member = self.any_member();
        let gpu = self.random.random_range(0..self.occupancy.gpus());
        let places = self.occupancy.places(member, gpu);
        if places == 0 {
            return;
        }
        let seat = Seat { gpu, place: self.random.random_range(0..places) };
        let before = self.occupancy.seats()[member];
        if before == Some(seat) {
            return;
        }
        let mut in_the_way = Vec::with_capacity(MOST_MOVED);
        for guest in self.occupancy.in_the_way(member, seat) {
            if !in_the_way.contains(&guest) {
                if in_the_way.len() == MOST_MOVED {
                    return;
                }
                in_the_way.push(guest);
            }
        }
        self.moved.clear();
        self.lift(member);
        in_the_way.into_iter().for_each(|guest| self.lift(guest));
        if self.make_room(member, gpu) {
            self.occupancy.seat(member, seat);
            let gained = usize::from(before.is_none());
            // At least n with the chance exp(-n / temperature). The random number is below 1, so that the logarithm is finite.
            let forgiven = -temperature * (1.0 - self.random.random::<f64>()).ln();
            if self.seat_others(gained + forgiven as usize) {
                self.keep();
                return;
            }
        }
        self.undo();
    }

    /// Mostly one that waits.
    fn any_member(&mut self) -> usize {
        if self.waiting.is_empty() || self.random.random_ratio(1, ANY) {
            self.random.random_range(0..self.best.len())
        } else {
            self.waiting[self.random.random_range(0..self.waiting.len())]
        }
    }

    /// Takes a member off the place that it may have.
    fn lift(&mut self, member: usize) {
        let seat = self.occupancy.seats()[member].map(|_| self.occupancy.unseat(member));
        self.moved.push((member, seat));
    }

    /// Takes guests off the host of a GPU until it has enough for a member; whether it has.
    fn make_room(&mut self, member: usize, gpu: usize) -> bool {
        loop {
            let share = self.random.random();
            let Some(lack) = self.occupancy.lack(member, gpu, share) else { return true };
            let users = self.occupancy.users(gpu, &lack).collect_vec();
            if self.moved.len() > MOST_MOVED || users.is_empty() {
                return false;
            }
            let user = users[self.random.random_range(0..users.len())];
            self.lift(user);
        }
    }

    /// Lets those taken off look for other places; whether no more than so many find none.
    fn seat_others(&mut self, most: usize) -> bool {
        self.moved[1..].shuffle(self.random);
        let gpus = self.occupancy.gpus();
        let mut lost = 0;
        for number in 1..self.moved.len() {
            let member = self.moved[number].0;
            let first = self.random.random_range(0..gpus);
            let prefers_last = self.random.random();
            let seat = (first..first + gpus.min(MOST_GPUS)).find_map(|gpu| {
                let gpu = gpu % gpus;
                let mut places = self.occupancy.free_places(member, gpu);
                let place = if prefers_last { places.last() } else { places.next() }?;
                self.occupancy.lack(member, gpu, 0.0).is_none().then_some(Seat { gpu, place })
            });
            match seat {
                Some(seat) => self.occupancy.seat(member, seat),
                None => lost += 1,
            }
            if lost > most {
                return false;
            }
        }
        true
    }

    fn keep(&mut self) {
        for &(member, before) in &self.moved {
            let is_seated = self.occupancy.seats()[member].is_some();
            if before.is_some() && !is_seated {
                self.ranks[member] = self.waiting.len();
                self.waiting.push(member);
            } else if before.is_none() && is_seated {
                self.waiting.swap_remove(self.ranks[member]);
                if let Some(&last) = self.waiting.get(self.ranks[member]) {
                    self.ranks[last] = self.ranks[member];
                }
            }
        }
        let accepted = self.best.len() - self.waiting.len();
        if accepted > self.most {
            self.most = accepted;
            self.best.clone_from_slice(self.occupancy.seats());
        }
    }

    fn undo(&mut self) {
        for &(member, _) in &self.moved {
            if self.occupancy.seats()[member].is_some() {
                self.occupancy.unseat(member);
            }
        }
        for &(member, before) in &self.moved {
            if let Some(seat) = before {
                self.occupancy.seat(member, seat);
            }
        }
    }
}

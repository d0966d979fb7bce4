//! What a linear program plans, and at which prices: a guide for schedules.

use super::relaxation::Relaxation;
use super::tolls::Tolls;
use std::rc::Rc;

/// What a virtual machine that is lost counts in a guide, where GPUs count the binary logarithm of the time that they are held, in 1024ths.
pub const LOSS: i64 = 48 << 10;

/// The whole of a virtual machine, of which a plan may accept a part.
const WHOLE: i64 = 1 << 10;

/// The plan of a linear program.
pub struct Plan {
    /// The times at which something is paid, ascending.
    times: Vec<usize>,
    /// By position in the trace, what is paid at each of these times from the first on at which it is there.
    paid: Vec<Vec<i64>>,
    /// By position in the trace, how much of it is accepted.
    accepted: Vec<i64>,
}

/// By how much decisions differ from a plan, in what is paid for what they take.
#[derive(Clone)]
pub struct Deviation {
    /// What is taken more at each of the times at which something is paid.
    at: Rc<Vec<i64>>,
    /// The first of these times that is not over.
    next: usize,
    /// What is taken more from then on, without the times at which less is taken.
    excess: i64,
}

impl Plan {
    /// Nothing is planned, and nothing is paid, for so many.
    pub fn nothing(virtual_machines: usize) -> Self {
        let (paid, accepted) = (vec![Vec::new(); virtual_machines], vec![0; virtual_machines]);
        Plan { times: Vec::new(), paid, accepted }
    }

    /// Of a point of a relaxation and the dual values of its rows.
    pub fn of(relaxation: &Relaxation, columns: &[f64], prices: &[f64], virtual_machines: usize) -> Self {
        let tolls = Tolls::of(relaxation, prices);
        let paying = tolls.peaks();
        let times = paying.iter().map(|&peak| relaxation.peaks[peak]).collect();
        let mut plan = Plan { times, ..Plan::nothing(virtual_machines) };
        for (number, class) in relaxation.classes.iter().enumerate() {
            let (from, to) = class.span.map_or((0, 0), |(first, last)| (first, last + 1));
            let there =
                paying.partition_point(|&peak| peak < from)..paying.partition_point(|&peak| peak < to);
            let paid = paying[there].iter().map(|&peak| (tolls.paid_at(number, peak) * LOSS as f64) as i64);
            let paid: Vec<i64> = paid.collect();
            let mut left = (columns[number] * WHOLE as f64) as i64;
            for &position in &class.positions {
                plan.accepted[position] = left.min(WHOLE);
                left -= plan.accepted[position];
                plan.paid[position].clone_from(&paid);
            }
        }
        plan
    }

    /// Before the first decision.
    pub fn start(&self) -> Deviation {
        Deviation { at: Rc::new(vec![0; self.times.len()]), next: 0, excess: 0 }
    }

    /// Lets the time pass until one arrives.
    pub fn advance(&self, deviation: &mut Deviation, now: usize) {
        while self.times.get(deviation.next).is_some_and(|&time| time < now) {
            deviation.excess -= deviation.at[deviation.next].max(0);
            deviation.next += 1;
        }
    }

    /// After one that arrives now is accepted or not.
    pub fn decide(&self, deviation: &Deviation, position: usize, is_accepted: bool) -> Deviation {
        let part = if is_accepted { WHOLE } else { 0 };
        self.take(deviation, position, part - self.accepted[position])
    }

    /// After one that is there loses its place.
    pub fn give_up(&self, deviation: &Deviation, position: usize) -> Deviation {
        self.take(deviation, position, -WHOLE)
    }

    /// After a part of a virtual machine more is taken from now on.
    fn take(&self, deviation: &Deviation, position: usize, part: i64) -> Deviation {
        let first = self.times.partition_point(|&time| time < position);
        let over = deviation.next.saturating_sub(first).min(self.paid[position].len());
        let paid = &self.paid[position][over..];
        if part == 0 || paid.is_empty() {
            return deviation.clone();
        }
        let mut at = Vec::clone(&deviation.at);
        let mut excess = deviation.excess;
        for (at, paid) in at[first + over..].iter_mut().zip(paid) {
            excess -= (*at).max(0);
            *at += paid * part / WHOLE;
            excess += (*at).max(0);
        }
        Deviation { at: Rc::new(at), excess, ..*deviation }
    }
}

impl Deviation {
    /// What is likely to be lost: what is taken beyond the plan costs more than its price.
    pub fn foreseen(&self) -> i64 {
        2 * self.excess
    }
}

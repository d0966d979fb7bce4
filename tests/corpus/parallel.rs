//! Work for two threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const THREADS: usize = 2;

/// What becomes of each item, in the order of the items.
pub fn in_parallel<Item: Sync, Made: Send>(items: &[Item], make: impl Fn(&Item) -> Made + Sync) -> Vec<Made> {
    let next = AtomicUsize::new(0);
    let made: Vec<Mutex<Option<Made>>> = items.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some((item, place)) = {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    items.get(number).zip(made.get(number))
                } {
                    *place.lock().unwrap() = Some(make(item));
                }
            });
        }
    });
    made.into_iter().map(|place| place.into_inner().unwrap().expect("made")).collect()
}

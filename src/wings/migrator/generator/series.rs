//! Synthetic series of requests, shaped like those of the paper's Figure 3: slow waves, bursts, and noise that lingers.
//!
//! All of it is sums and products, which every computer rounds alike, and is drawn half second by half second: a longer window
//! begins as a shorter one does, and the requests of a longer slot are those of the shorter ones in it.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Series are drawn for parts of a second; slots are whole numbers of them.
pub const PARTS_PER_SECOND: u32 = 2;

/// The mean level, as a share of the peak.
const MEAN_LEVEL: f64 = 0.4;
/// Levels tend to these bounds, of which one is the peak, instead of passing them; between the other two they are as drawn.
const LOWEST_LEVEL: f64 = 0.02;
const LOW_LEVEL: f64 = 0.12;
const HIGH_LEVEL: f64 = 0.7;
/// What is left of the noise after a part of a second.
const PERSISTENCE: f64 = 0.84;

/// Which of the paper's traces a series is like. Figure 3 shows one window of each; that Alibaba's is ruled by slow waves and
/// Azure's by short bursts is an assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Slow, high waves and few, long bursts.
    Alibaba,
    /// Low waves, many short bursts and more noise.
    Azure,
}

/// From where to where numbers are drawn.
type Between = (f64, f64);

/// Periods in seconds, heights as shares of the peak.
struct Character {
    /// Periods and heights of the waves.
    waves: [(Between, Between); 3],
    /// Seconds between bursts, on average.
    burst_interval: f64,
    burst_seconds: Between,
    burst_height: Between,
    /// Standard deviation of what is added to the noise in a part of a second.
    noise: f64,
}

impl Shape {
    /// Its name for readers.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Alibaba => "Alibaba-like",
            Shape::Azure => "Azure-like",
        }
    }

    fn character(self) -> Character {
        match self {
            Shape::Alibaba => Character {
                waves: [
                    ((80.0, 240.0), (0.25, 0.45)),
                    ((25.0, 60.0), (0.08, 0.2)),
                    ((8.0, 18.0), (0.02, 0.08)),
                ],
                burst_interval: 60.0,
                burst_seconds: (10.0, 40.0),
                burst_height: (0.2, 0.5),
                noise: 0.025,
            },
            Shape::Azure => Character {
                waves: [
                    ((60.0, 200.0), (0.1, 0.3)),
                    ((20.0, 50.0), (0.1, 0.25)),
                    ((6.0, 15.0), (0.05, 0.15)),
                ],
                burst_interval: 30.0,
                burst_seconds: (5.0, 20.0),
                burst_height: (0.25, 0.6),
                noise: 0.05,
            },
        }
    }
}

struct Burst {
    /// Its first part of a second, and how many it has.
    from: u32,
    parts: f64,
    height: f64,
}

impl Burst {
    /// A bell without tails.
    fn level(&self, part: u32) -> f64 {
        let from_the_middle = 2.0 * f64::from(part - self.from) / self.parts - 1.0;
        let rest = 1.0 - from_the_middle * from_the_middle;
        if rest > 0.0 { self.height * rest * rest } else { 0.0 }
    }
}

/// Requests in each of so many half seconds, with at most `peak` requests per second.
pub fn synthetic(shape: Shape, peak: f64, parts: u32, random: &mut ChaCha8Rng) -> Vec<u64> {
    let character = shape.character();
    let between = |random: &mut ChaCha8Rng, (low, high): Between| low + (high - low) * random.random::<f64>();
    let waves = character.waves.map(|(period, height)| {
        let period = between(random, period) * f64::from(PARTS_PER_SECOND);
        (period, between(random, height), random.random::<f64>())
    });
    let (mut bursts, mut noise): (Vec<Burst>, f64) = (Vec::new(), 0.0);
    let (mut expected, mut received) = (0.0, 0);
    let mut series = Vec::with_capacity(parts as usize);
    for part in 0..parts {
        if random.random::<f64>() * character.burst_interval * f64::from(PARTS_PER_SECOND) < 1.0 {
            let parts = between(random, character.burst_seconds) * f64::from(PARTS_PER_SECOND);
            bursts.push(Burst { from: part, parts, height: between(random, character.burst_height) });
        }
        bursts.retain(|burst| f64::from(part - burst.from) <= burst.parts);
        noise = PERSISTENCE * noise + character.noise * deviation(random);
        let swing =
            waves.iter().map(|(period, height, phase)| height * wave(f64::from(part) / period + phase));
        let burst: f64 = bursts.iter().map(|burst| burst.level(part)).sum();
        let level = bounded(MEAN_LEVEL + swing.sum::<f64>() + burst + noise);
        expected += peak * level / f64::from(PARTS_PER_SECOND);
        let until_now = expected.round() as u64;
        series.push(until_now - received);
        received = until_now;
    }
    series
}

/// The level, bent so that it stays between the lowest level and 1.
fn bounded(level: f64) -> f64 {
    let bent = |beyond: f64, room: f64| room * beyond / (beyond + room);
    if level > HIGH_LEVEL {
        HIGH_LEVEL + bent(level - HIGH_LEVEL, 1.0 - HIGH_LEVEL)
    } else if level < LOW_LEVEL {
        LOW_LEVEL - bent(LOW_LEVEL - level, LOW_LEVEL - LOWEST_LEVEL)
    } else {
        level
    }
}

/// A wave of period 1 between -1 and 1, of parabolas.
fn wave(phase: f64) -> f64 {
    let phase = phase - phase.floor();
    if phase < 0.5 { 16.0 * phase * (0.5 - phase) } else { 16.0 * (phase - 0.5) * (phase - 1.0) }
}

/// A number around 0 with a standard deviation of 1.
fn deviation(random: &mut ChaCha8Rng) -> f64 {
    (0..3).map(|_| 2.0 * random.random::<f64>() - 1.0).sum()
}

//! The library in a few names: read an instance, prove its optimum, judge a solution, measure its gap.
//!
//! All of it stands at the root of the crate. An [`Instance`] is a file, or a text, and asks the question of one model; a
//! [`Solution`] names things as the instance does. [`solve`] answers with a [`Proved`] solution or says why there is none;
//! [`verify`], [`score`] and [`gap`] judge any solution.
//!
//! # Placement and migration (model wpm)
//!
//! ```
//! use migopt::{Instance, Options, Solution, gap, solve, verify};
//!
//! let instance = Instance::from_yaml("
//! name: tiny
//! gpus:
//!   - {name: gpu, board: A100-80GB, count: 2}
//! workloads:
//!   - {name: chat, profile: 3g.40gb, current: {gpu: gpu-1, start: 0}}
//!   - {name: code, profile: 4g.40gb}
//! ")?;
//! let optimum = solve(&instance, &Options::default())?;
//! let gpus_of = |solution: &Solution| solution.placement.iter().flatten().map(|placed| placed.gpu.clone()).collect::<Vec<_>>();
//! // 4g.40gb starts at slot 0 alone, so that `chat` moves: to slot 4 beside it, or to the other GPU.
//! assert_eq!(gpus_of(&optimum).len(), 2);
//! assert_eq!(gpus_of(&optimum)[0], gpus_of(&optimum)[1]);
//!
//! // A solution of one's own: nothing moves, and a second GPU is used.
//! let own = Solution::of(&instance).place("chat", "gpu-1", 0).place("code", "gpu-0", 0);
//! assert_eq!(verify(&instance, &own)?.violations, []);
//! let gap = gap(&instance, &own, &Options::default())?;
//! assert_eq!(gap.stage.as_deref(), Some("profit"));
//! assert!(gap.relative > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Virtual machines on GPUs (model siavashi)
//!
//! ```
//! use migopt::{Instance, Options, score, solve};
//!
//! let instance = Instance::from_yaml("
//! name: machines
//! hosts:
//!   - {name: node, count: 2, cpu: 16, memory_gib: 64, gpus: {board: A100-40GB, count: 1}}
//! workloads:
//!   - {name: a, profile: 3g.20gb, cpu: 10, memory_gib: 16}
//!   - {name: b, profile: 3g.20gb, cpu: 10, memory_gib: 16}
//! siavashi: {}
//! ")?;
//! let optimum = solve(&instance, &Options::default())?;
//! // Both fit on one GPU, but not into the cores of one machine: two machines and two GPUs are in use.
//! let values: Vec<f64> = optimum.stages().iter().flat_map(|stage| stage.value).map(|value| value.to_f64()).collect();
//! assert_eq!(values, [2.0, 4.0, 0.0]);
//! assert_eq!(score(&instance, &optimum)?.get("machines").and_then(|count| count.as_u64()), Some(2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Virtual machines that share memory (model sharing)
//!
//! ```
//! use migopt::{Instance, Options, Solution, gap, solve};
//!
//! let instance = Instance::from_yaml("
//! name: desktops
//! sharing:
//!   page_kib: 1024
//!   servers: [{name: server, count: 2, memory_gib: 4}]
//!   components: {windows: 1024}
//!   vms: [{name: desk, replicas: 3, memory_gib: 2, components: [windows]}]
//! ")?;
//! let optimum = solve(&instance, &Options::default())?;
//! assert_eq!(optimum.packing.as_ref().map(Vec::len), Some(1));
//! let own = Solution::of(&instance).pack("server-0", ["desk#0", "desk#1"]).pack("server-1", ["desk#2"]);
//! assert_eq!(gap(&instance, &own, &Options::default())?.relative, 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Inference and retraining on one GPU (model migrator)
//!
//! ```
//! use migopt::{Instance, Options, solve};
//!
//! let instance = Instance::from_yaml("
//! name: window
//! migrator:
//!   window_seconds: 4
//!   models:
//!     - name: chat
//!       capability: {1g: 10, 2g: 18, 3g: 26, 4g: 33, 7g: 50}
//!       accuracy: {before: 0.5, after: 1}
//!       retraining_seconds: {2g: 2}
//!       reconfiguration_seconds: 0.5
//!       requests: [20, 20, 20, 20]
//! ")?;
//! let optimum = solve(&instance, &Options::default())?;
//! // A 3g instance serves 20 of 20 requests all the time; the retraining beside it ends after two seconds.
//! let goodput = optimum.stages()[0].value.map(|value| value.to_f64());
//! assert_eq!(goodput, Some(0.5 * 40.0 + 1.0 * 40.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod distance;
mod failure;
mod judging;
mod options;
mod proved;
mod solving;

pub use distance::Distance;
pub use failure::{Unscored, Unsolved};
pub use ground::{Amount, InputError};
pub(crate) use judging::verify_comparable;
pub use judging::{Gap, compare, gap, propose, score, verify};
pub use kit::Overrides;
pub use kit::{
    ResultDocument, Score, SenseName as Sense, SolutionDocument as Solution, StageDocument as Stage, Status,
    Verdict, ViolationDocument as Violation,
};
pub use models::Instance;
pub use options::Options;
pub use proved::Proved;
pub use solving::{answer, solve};

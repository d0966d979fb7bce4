//! The oracle: a service for test harnesses in other languages, which answers every line with a line.
//!
//! `docs/oracle.md` is its documentation.

mod answer;
mod given;
mod lines;
mod request;
mod response;
mod stream;

pub use answer::{answer, warm_up};
pub use given::Defaults;
pub use lines::{Content, LONGEST_LINE, Line};
pub use request::{Asked, Request, Task};
pub use response::{Answer, ErrorDocument, ErrorKind, GapDocument, Response};
pub use stream::{Ended, serve};

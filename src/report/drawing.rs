//! What can be drawn of an instance or a solution, whatever its model is about.

use super::from_model::{picture_of_cluster, picture_of_solution};
use super::picture::Picture;
use super::server_picture::ServerPicture;
use super::terminal::Screen;
use super::timeline::Timeline;
use super::{svg, terminal};
use kit::SolutionDocument;
use models::Instance;

/// A picture of some kind.
#[derive(Clone, Debug)]
pub enum Drawing<'p> {
    /// GPU instances on GPUs.
    Gpus(Picture<'p>),
    /// Virtual machines on servers.
    Servers(ServerPicture),
    /// Models on a GPU during a window of time.
    Timeline(Timeline),
}

/// A solution: GPUs before and after where it places workloads on GPUs, else what it plans for a window of time or the servers
/// that it packs.
pub fn drawing_of_solution(solution: &SolutionDocument) -> Drawing<'_> {
    without_gpus(solution).unwrap_or_else(|| Drawing::Gpus(picture_of_solution(solution)))
}

/// A solution that plans for a window of time or packs servers.
fn without_gpus(solution: &SolutionDocument) -> Option<Drawing<'static>> {
    let timeline = || Timeline::of(solution).map(Drawing::Timeline);
    timeline().or_else(|| ServerPicture::of(solution).map(Drawing::Servers))
}

/// What an instance looks like before anything is placed: its GPUs, or its servers or requests where it has no GPUs.
pub fn drawing_of_instance(instance: &Instance) -> Drawing<'_> {
    let unplaced = instance.unplaced();
    let drawing = unplaced.as_ref().and_then(without_gpus);
    drawing.unwrap_or_else(|| Drawing::Gpus(picture_of_cluster(&instance.cluster)))
}

impl Drawing<'_> {
    /// Draws it for a terminal, without much of what looks alike. Every character is one column wide.
    pub fn draw(&self, screen: Screen) -> String {
        match self {
            Drawing::Gpus(picture) => terminal::draw(picture, screen),
            Drawing::Servers(picture) => terminal::servers::draw(picture, screen),
            Drawing::Timeline(timeline) => terminal::timeline::draw(timeline, screen),
        }
    }

    /// Draws like [`draw`](Drawing::draw), but every GPU or server on a line of its own, or every model of a window.
    pub fn draw_all(&self, screen: Screen) -> String {
        match self {
            Drawing::Gpus(picture) => terminal::draw_all(picture, screen),
            Drawing::Servers(picture) => terminal::servers::draw_all(picture, screen),
            Drawing::Timeline(timeline) => terminal::timeline::draw_all(timeline, screen),
        }
    }

    /// Draws it as a self-contained SVG document, legible on light and dark backgrounds.
    pub fn svg(&self) -> String {
        match self {
            Drawing::Gpus(picture) => svg::svg(picture),
            Drawing::Servers(picture) => svg::servers::svg(picture),
            Drawing::Timeline(timeline) => svg::timeline::svg(timeline),
        }
    }
}

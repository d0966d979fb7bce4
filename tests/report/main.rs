//! Drawings and reports.

mod answer;
mod browser;
mod drawings;
mod pictures;
mod replay;
mod servers;
mod sweep;
mod timeline;

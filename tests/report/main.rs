//! Drawings and reports.

mod answer;
mod answer_page;
mod browser;
mod drawings;
mod pictures;
mod replay;
mod servers;
mod sweep;
mod timeline;

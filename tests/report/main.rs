//! Drawings and reports.

mod answer;
mod answer_page;
mod browser;
mod drawings;
mod pictures;
mod plan_page;
mod replay;
mod scoreboard;
mod servers;
mod sweep;
mod timeline;

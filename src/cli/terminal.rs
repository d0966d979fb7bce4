//! What the terminal can show, and what the user asks for instead.

use anstream::{AutoStream, ColorChoice};
use clap::{Args, ValueEnum};
use report::Screen;
use std::io::IsTerminal;
use terminal_size::{Width, terminal_size_of};

/// Columns where there is no terminal.
const USUAL_WIDTH: usize = 100;
/// Columns below which no drawing is legible.
const LEAST_WIDTH: usize = 40;

/// How drawings are shown.
#[derive(Clone, Debug, Args)]
pub struct ScreenFlags {
    /// When to draw in colour; auto: on a terminal, unless NO_COLOR is set or TERM is dumb
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = When::Auto)]
    color: When,
    /// Draw in ASCII; the default where LC_ALL, LC_CTYPE or LANG name an encoding other than UTF-8
    #[arg(long)]
    ascii: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum When {
    Auto,
    Always,
    Never,
}

impl ScreenFlags {
    /// The screen that standard output is.
    pub fn screen(&self) -> Screen {
        let color = match self.color {
            When::Auto => AutoStream::choice(&std::io::stdout()) != ColorChoice::Never,
            When::Always => true,
            When::Never => false,
        };
        Screen { width: width(), color, ascii: self.ascii || locale_lacks_unicode() }
    }
}

/// Whether standard error is a terminal on which a line can be drawn again and again.
pub fn shows_progress() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|name| name != "dumb")
}

/// Columns that $COLUMNS asks for, else those of the terminal.
fn width() -> usize {
    let asked = || std::env::var("COLUMNS").ok()?.parse().ok().filter(|&columns: &usize| columns > 0);
    let terminal = || terminal_size_of(std::io::stdout()).map(|(Width(columns), _)| usize::from(columns));
    asked().or_else(terminal).unwrap_or(USUAL_WIDTH).max(LEAST_WIDTH)
}

/// Whether the locale names an encoding other than UTF-8, as `C` and `POSIX` do. Without any locale, as in most containers, the
/// terminal is taken to know UTF-8.
fn locale_lacks_unicode() -> bool {
    let set = |name: &&str| std::env::var(name).ok().filter(|locale| !locale.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(set);
    locale.is_some_and(|locale| !locale.to_ascii_uppercase().replace('-', "").contains("UTF8"))
}

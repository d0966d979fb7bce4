//! The live line of a long solve, and Ctrl-C.

use super::terminal::shows_progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use solver::{Control, Progress};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A flag that the first Ctrl-C sets, telling the user in these words what happens; a second one ends the process.
pub fn interruption(words: &'static str) -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = interrupted.clone();
    // Without a handler, Ctrl-C ends the process as usual: worse, but no reason not to work.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        let _ = writeln!(std::io::stderr(), "\n{words}; press Ctrl-C again to quit at once");
    });
    interrupted
}

/// A control that Ctrl-C interrupts and that shows progress on a terminal; and the line to clear at the end.
pub fn control(quiet: bool) -> (Control, ProgressBar) {
    let interrupted = interruption("migopt: stopping with the best solution so far");
    let shown = !quiet && shows_progress();
    let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let line = ProgressBar::with_draw_target(None, target);
    line.set_style(ProgressStyle::with_template("{spinner} {msg}").expect("a valid template"));
    if !shown {
        return (Control::new(interrupted, None), line);
    }
    line.enable_steady_tick(Duration::from_millis(200));
    let observed = line.clone();
    let observer = move |progress: &Progress| observed.set_message(message(progress));
    (Control::new(interrupted, Some(Box::new(observer))), line)
}

/// A bar towards a known end, shown on a terminal only.
pub fn bar(total: usize, template: &str, quiet: bool) -> ProgressBar {
    let shown = !quiet && shows_progress();
    let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(total as u64), target);
    bar.set_style(ProgressStyle::with_template(template).expect("a valid template"));
    if shown {
        bar.enable_steady_tick(Duration::from_millis(500));
    }
    bar
}

fn message(progress: &Progress) -> String {
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.0}"));
    let gap = progress.gap.map_or("-".to_owned(), |gap| format!("{:.3} %", 100.0 * gap));
    format!(
        "{}: incumbent {}, bound {}, gap {gap}, {} nodes, {:.1} s",
        progress.stage,
        number(progress.incumbent),
        number(progress.bound),
        progress.nodes,
        progress.elapsed_seconds
    )
}

//! Style sheet and small elements.

use ::svg::node::element::{Path, Text};

/// The style sheet. Pieces have fills of their own with dark text on them; all else follows the background.
pub(super) const CSS: &str = "
.placement text { font-family: ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; font-size: 10px; }
.placement .paper { fill: #ffffff; }
.placement .text, .placement .title, .placement .name, .placement .repartitioned { fill: #1c2128; }
.placement .text { font-size: 12px; }
.placement .title { font-size: 16px; font-weight: bold; }
.placement .name { font-size: 11px; }
.placement .heading { font-size: 11px; font-weight: bold; fill: #57606a; }
.placement .number { font-size: 9px; text-anchor: middle; fill: #6e7781; }
.placement .bar { fill: #f3f5f7; stroke: #c3cad1; }
.placement .bar.freed { fill: #d5dae0; }
.placement .ticks { stroke: #d3d9df; fill: none; }
.placement .freed-text { fill: #57606a; font-style: italic; text-anchor: middle; }
.placement .piece { stroke: #3c444d; stroke-width: 0.8; }
.placement .key { stroke: #3c444d; stroke-width: 0.8; }
.placement .leaves { stroke-dasharray: 3 2; }
.placement .changed { stroke: #1c2128; stroke-width: 1.8; }
.placement .hatch { stroke: #24292f; stroke-opacity: 0.55; stroke-width: 2; }
.placement .waste { fill: url(#migopt-waste); }
.placement .private { fill: #56b4e9; }
.placement .shared { fill: #e6a800; }
.placement .other { fill: #8fa8d8; }
.placement .saved { fill: url(#migopt-saved); stroke: #8a5a00; stroke-width: 0.8; stroke-dasharray: 3 2; }
.placement .ghost { stroke: #b07500; stroke-width: 1.6; }
.placement .digits { fill: #1c2128; text-anchor: end; }
.placement .plot { fill: #f8f9fb; }
.placement .grid { stroke: #d3d9df; stroke-width: 0.7; fill: none; }
.placement .frame { stroke: #8d96a0; stroke-width: 0.8; fill: none; }
.placement .requests { fill-opacity: 0.4; stroke-width: 1; }
.placement .capability { stroke: #1c2128; stroke-width: 1.3; fill: none; }
.placement .capability.range { fill: #1c2128; stroke-width: 0.8; }
.placement .unserved { fill: #c81e1e; fill-opacity: 0.75; }
.placement .reconfigured { stroke: #c2410c; stroke-width: 1.4; fill: none; }
.placement .retrains { fill: url(#migopt-retrains); stroke: #3c444d; stroke-width: 0.8; }
.placement .ahead { fill-opacity: 0.16; stroke-width: 0.9; stroke-dasharray: 3 2; }
.placement .second { font-size: 10px; text-anchor: middle; fill: #57606a; }
.placement .fact { font-size: 11px; fill: #57606a; }
.placement .workload, .placement .inside, .placement .profile, .placement .mark { fill: #14181d; }
/* A name across hatching has the fill of its piece around it. */
.placement .workload { paint-order: stroke; stroke-width: 4; stroke-linejoin: round; }
.placement .profile { text-anchor: end; fill-opacity: 0.75; }
.placement .mark { font-size: 12px; font-weight: bold; text-anchor: middle; }
.placement .lock { fill: #14181d; }
.placement .shackle { fill: none; stroke: #14181d; stroke-width: 1.3; }
.placement .turn { fill: none; stroke: #1c2128; stroke-width: 1.3; }
.placement .migration { fill: none; stroke-width: 1.5; stroke-opacity: 0.65; }
@media (prefers-color-scheme: dark) {
.placement .paper { fill: #14181d; }
.placement .text, .placement .title, .placement .name, .placement .repartitioned { fill: #e6eaee; }
.placement .heading, .placement .freed-text { fill: #a4adb7; }
.placement .number { fill: #8d96a0; }
.placement .bar { fill: #1f252c; stroke: #424a53; }
.placement .bar.freed { fill: #343b43; }
.placement .ticks { stroke: #353c45; }
.placement .turn { stroke: #e6eaee; }
.placement .migration { stroke-opacity: 0.9; }
.placement .changed { stroke: #ffffff; }
.placement .digits { fill: #e6eaee; }
.placement .plot { fill: #1a2027; }
.placement .grid { stroke: #353c45; }
.placement .capability { stroke: #f0f3f6; }
.placement .capability.range { fill: #f0f3f6; }
.placement .unserved { fill: #ff6b5e; }
.placement .reconfigured { stroke: #ff9d5c; }
.placement .second, .placement .fact { fill: #a4adb7; }
.placement .saved { stroke: #e6b84d; }
.placement .ghost { stroke: #d9a520; }
}
";

/// Width of a character of a label, in pixels: 10 px monospaced, with a little reserve.
pub(super) const CHARACTER: f64 = 6.05;

/// Colours that tell migrations apart on light and dark backgrounds.
const TRAILS: [&str; 6] = ["#0a7abf", "#d55e00", "#0b9b72", "#c2559a", "#7d6bd0", "#a8800a"];

/// The colour of a migration.
pub(super) fn trail(rank: usize) -> &'static str {
    TRAILS[rank % TRAILS.len()]
}

/// A text with its baseline at `y`, without characters that XML does not allow.
pub(super) fn label(x: f64, y: f64, class: &str, text: &str) -> Text {
    Text::new(allowed(text)).set("class", class).set("x", round(x)).set("y", round(y))
}

/// A path with the given data.
pub(super) fn path(class: &str, data: impl Into<String>) -> Path {
    Path::new().set("class", class).set("d", data.into())
}

/// The text with a question mark for every character that XML does not allow.
pub(super) fn allowed(text: &str) -> String {
    let allowed = |symbol: char| !symbol.is_control() && !matches!(symbol, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|symbol| if allowed(symbol) { symbol } else { '?' }).collect()
}

/// A coordinate, to a tenth of a pixel.
pub(super) fn round(coordinate: f64) -> f64 {
    (coordinate * 10.0).round() / 10.0
}

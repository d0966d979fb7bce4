//! What all charts have in common: sizes, colours, axes.
//!
//! Colours are written as fixed marks here; the style sheet of a report's page replaces each of them for a dark background.

use plotters::chart::MeshStyle;
use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;

/// Width of a drawing in its own units; pages show it at about half of that.
pub(super) const WIDTH: u32 = 960;
/// Width of the drawing of a long series, in the same units.
pub(super) const WIDE: u32 = 1520;
/// Height of the part with axes and curves.
pub(super) const CHART_HEIGHT: u32 = 640;
/// Size of all letters; the SVG backend writes four fifths of it.
pub(super) const LETTERS: u32 = 42;
pub(super) const PEN: u32 = 5;

pub(super) const TEXT: RGBColor = RGBColor(0x1c, 0x21, 0x28);
pub(super) const AXIS: RGBColor = RGBColor(0x57, 0x60, 0x6a);
pub(super) const GRID: RGBColor = RGBColor(0xd3, 0xd9, 0xdf);
/// Colours that people with colour blindness tell apart, all of enough contrast to white.
pub(super) const COLOURS: [RGBColor; 10] = [
    RGBColor(0x0a, 0x7a, 0xbf),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x0b, 0x8a, 0x66),
    RGBColor(0xb8, 0x3f, 0x92),
    RGBColor(0x6f, 0x5c, 0xc9),
    RGBColor(0x6b, 0x5a, 0x00),
    RGBColor(0x3c, 0x44, 0x4d),
    RGBColor(0x85, 0x10, 0x1b),
    RGBColor(0x2b, 0x1f, 0x8a),
    RGBColor(0x8a, 0x92, 0x9b),
];

/// A part of a drawing.
pub(super) type Area<'s> = DrawingArea<SVGBackend<'s>, Shift>;
/// Whether something could be drawn.
pub(super) type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Width of the margins of a chart, left and right together.
pub(super) const MARGINS: u32 = 10 + 44;

/// An empty chart with room for its labels.
pub(super) fn chart<'a, 's>(area: &'a Area<'s>) -> ChartBuilder<'a, 's, SVGBackend<'s>> {
    let mut chart = ChartBuilder::on(area);
    chart.margin(10).margin_right(44).x_label_area_size(110).y_label_area_size(130);
    chart
}

/// Draws the axes with their names, of which the vertical one may be empty, and grid lines.
pub(super) fn style<'m, X, Y>(
    mesh: &mut MeshStyle<'m, '_, X, Y, SVGBackend>,
    x: &str,
    y: &str,
    vertical: &'m dyn Fn(&f64) -> String,
) -> Drawn
where
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    // An empty name would still be written, outside the drawing.
    if !y.is_empty() {
        mesh.y_desc(y);
    }
    mesh.x_desc(x)
        .y_labels(6)
        .y_label_formatter(vertical)
        .max_light_lines(0)
        .bold_line_style(GRID.stroke_width(2))
        .axis_style(AXIS.stroke_width(3))
        .label_style(("sans-serif", LETTERS, &TEXT))
        .axis_desc_style(("sans-serif", LETTERS, &TEXT))
        .draw()
}

/// The colour of a rank.
pub(super) fn colour(rank: usize) -> RGBColor {
    COLOURS[rank % COLOURS.len()]
}

/// The line of a colour's rank.
pub(super) fn pen(rank: usize) -> ShapeStyle {
    // Once the colours are used up they return in thinner lines.
    let width = if rank < COLOURS.len() { PEN } else { PEN / 2 };
    colour(rank).stroke_width(width)
}

/// The outline of a rectangle, of which the SVG backend draws no line wider than one.
pub(super) fn frame<T: Copy>(
    [(left, top), (right, bottom)]: [(T, T); 2],
    pen: ShapeStyle,
) -> PathElement<(T, T)> {
    let corners = vec![(left, top), (right, top), (right, bottom), (left, bottom), (left, top), (right, top)];
    PathElement::new(corners, pen)
}

/// The drawing with its title for screen readers, of whatever size the page gives it.
pub(super) fn with_title(svg: &str, title: &str) -> String {
    let body = svg.split_once('>').map_or("", |(_, body)| body);
    let height =
        svg.split_once("viewBox=\"").and_then(|(_, rest)| rest.split_once('"')).map_or("", |(size, _)| size);
    let title = maud::html! { title { (title) } }.into_string();
    format!(
        "<svg class=\"plot\" role=\"img\" viewBox=\"{height}\" xmlns=\"http://www.w3.org/2000/svg\">{title}\n{body}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_has_another_one_on_dark_pages() {
        let sheet = include_str!("page/page.css");
        for RGBColor(red, green, blue) in COLOURS {
            for part in ["fill", "stroke"] {
                let rule = format!("[{part}=\"#{red:02X}{green:02X}{blue:02X}\"] {{ {part}: #");
                assert_eq!(sheet.matches(&rule).count(), 1, "{rule}");
            }
        }
    }
}

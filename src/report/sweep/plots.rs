//! Step curves as SVG.
//!
//! Colours are written as fixed marks here; the style sheet of the page replaces each of them for a dark background.

use super::axis::GapAxis;
use super::curves::Curve;
use crate::report::text::shorten;
use plotters::chart::MeshStyle;
use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Width of a drawing in its own units; pages show it at about half of that.
const WIDTH: u32 = 960;
/// Height of the part with axes and curves.
const CHART_HEIGHT: u32 = 640;
/// Height of a line of the legend.
const LEGEND_LINE: u32 = 50;
/// Size of all letters; the SVG backend writes four fifths of it.
const LETTERS: u32 = 42;
/// Characters of a method's name that fit beside its mark.
const LONGEST_NAME: usize = 40;
const PEN: u32 = 5;

const TEXT: RGBColor = RGBColor(0x1c, 0x21, 0x28);
const AXIS: RGBColor = RGBColor(0x57, 0x60, 0x6a);
const GRID: RGBColor = RGBColor(0xd3, 0xd9, 0xdf);
/// Colours that people with colour blindness tell apart, all of enough contrast to white.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0x0a, 0x7a, 0xbf),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x0b, 0x8a, 0x66),
    RGBColor(0xb8, 0x3f, 0x92),
    RGBColor(0x6f, 0x5c, 0xc9),
    RGBColor(0x94, 0x70, 0x00),
    RGBColor(0x3c, 0x44, 0x4d),
];

/// What a plot shows, besides its curves.
pub(super) struct Labels<'l> {
    /// For those who do not see it.
    pub title: &'l str,
    /// The horizontal axis, with unit.
    pub x: &'l str,
    /// The vertical axis, with unit.
    pub y: &'l str,
    /// What a dashed line means, where there are any.
    pub dashed: &'l str,
}

/// Draws distributions of gaps.
pub(super) fn gaps(curves: &[Curve], labels: &Labels) -> String {
    let gaps = curves.iter().flat_map(|curve| curve.steps.last()).map(|&(gap, _)| gap);
    let axis = GapAxis::up_to(gaps.fold(0.0, f64::max));
    let last = axis.last();
    draw(curves, labels, |area| {
        let mut chart = chart(area).build_cartesian_2d(axis, 0.0..1.04)?;
        let mut mesh = chart.configure_mesh();
        mesh.x_label_formatter(&|gap| <GapAxis as ValueFormatter<f64>>::format(gap));
        style(&mut mesh, labels)?;
        for curve in curves {
            let points = polyline(&curve.steps, 0.0, last);
            if curve.pessimistic {
                chart.draw_series(DashedLineSeries::new(points, 12, 10, pen(curve.rank)))?;
            } else {
                chart.draw_series(LineSeries::new(points, pen(curve.rank)))?;
            }
        }
        Ok(())
    })
}

/// Draws performance profiles.
pub(super) fn profile(curves: &[Curve], labels: &Labels) -> String {
    let ratios = curves.iter().flat_map(|curve| curve.steps.last()).map(|&(ratio, _)| ratio);
    let last = ratios.fold(2.0, f64::max) * 1.1;
    draw(curves, labels, |area| {
        let mut chart = chart(area).build_cartesian_2d((1.0..last).log_scale().base(2.0), 0.0..1.04)?;
        let mut mesh = chart.configure_mesh();
        mesh.x_labels(7).x_label_formatter(&|ratio| power_of_two(*ratio));
        style(&mut mesh, labels)?;
        for curve in curves {
            chart.draw_series(LineSeries::new(polyline(&curve.steps, 1.0, last), pen(curve.rank)))?;
        }
        Ok(())
    })
}

type Area<'s> = DrawingArea<SVGBackend<'s>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Draws a chart and below it the legend, so that it covers no curve.
fn draw(curves: &[Curve], labels: &Labels, chart: impl FnOnce(&Area) -> Drawn) -> String {
    let named: Vec<&Curve> = curves.iter().filter(|curve| !curve.pessimistic).collect();
    let dashed = curves.iter().any(|curve| curve.pessimistic);
    let lines = named.len() as u32 + u32::from(dashed);
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, CHART_HEIGHT + LEGEND_LINE * lines + 10));
        let area = area.into_drawing_area();
        let (upper, lower) = area.split_vertically(CHART_HEIGHT);
        let drawn = chart(&upper)
            .and_then(|()| legend(&lower, &named, dashed.then_some(labels.dashed)))
            .and_then(|()| area.present());
        drawn.expect("a drawing in memory of positive size has no way to fail");
    }
    with_title(&svg, labels.title)
}

fn chart<'a, 's>(area: &'a Area<'s>) -> ChartBuilder<'a, 's, SVGBackend<'s>> {
    let mut chart = ChartBuilder::on(area);
    chart.margin(10).margin_right(44).x_label_area_size(110).y_label_area_size(130);
    chart
}

fn style<X, Y>(mesh: &mut MeshStyle<X, Y, SVGBackend>, labels: &Labels) -> Drawn
where
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    mesh.x_desc(labels.x)
        .y_desc(labels.y)
        .y_labels(6)
        .y_label_formatter(&|share| format!("{:.0}", 100.0 * share))
        .max_light_lines(0)
        .bold_line_style(GRID.stroke_width(2))
        .axis_style(AXIS.stroke_width(3))
        .label_style(("sans-serif", LETTERS, &TEXT))
        .axis_desc_style(("sans-serif", LETTERS, &TEXT))
        .draw()
}

fn legend(area: &Area, curves: &[&Curve], dashed: Option<&str>) -> Drawn {
    let line = |rank: usize| 10 + (LEGEND_LINE as i32) * rank as i32 + LEGEND_LINE as i32 / 2;
    let font = ("sans-serif", LETTERS).into_font().color(&TEXT).pos(Pos::new(HPos::Left, VPos::Center));
    let text = |words: String, rank: usize| Text::new(words, (130, line(rank)), font.clone());
    for (rank, curve) in curves.iter().enumerate() {
        area.draw(&PathElement::new(vec![(40, line(rank)), (110, line(rank))], pen(curve.rank)))?;
        area.draw(&text(readable(&shorten(curve.method, LONGEST_NAME)), rank))?;
    }
    if let Some(words) = dashed {
        let rank = curves.len();
        for start in [40, 62, 84] {
            let ends = vec![(start, line(rank)), (start + 12, line(rank))];
            area.draw(&PathElement::new(ends, TEXT.stroke_width(PEN)))?;
        }
        area.draw(&text(words.to_owned(), rank))?;
    }
    Ok(())
}

/// The steps as corners of a line from one end of the axis to the other.
fn polyline(steps: &[(f64, f64)], first: f64, last: f64) -> Vec<(f64, f64)> {
    let share_at_first = steps.first().filter(|&&(value, _)| value <= first).map_or(0.0, |&(_, share)| share);
    let mut corners = vec![(first, share_at_first)];
    let mut before = share_at_first;
    for &(value, share) in steps.iter().filter(|&&(value, _)| first < value && value <= last) {
        corners.extend([(value, before), (value, share)]);
        before = share;
    }
    corners.push((last, before));
    corners
}

fn pen(rank: usize) -> ShapeStyle {
    // Once the colours are used up they return in thinner lines.
    let width = if rank < COLOURS.len() { PEN } else { PEN / 2 };
    COLOURS[rank % COLOURS.len()].stroke_width(width)
}

fn power_of_two(ratio: f64) -> String {
    let exponent = ratio.log2().round() as i32;
    if exponent < 10 {
        return format!("{ratio:.0}");
    }
    let superscripts = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = exponent.to_string();
    let raised = digits.chars().filter_map(|digit| superscripts.get(digit.to_digit(10)? as usize));
    format!("2{}", raised.collect::<String>())
}

/// The name without characters that SVG does not allow.
fn readable(name: &str) -> String {
    name.chars().map(|symbol| if symbol.is_control() { '?' } else { symbol }).collect()
}

/// The drawing with its title for screen readers, of whatever size the page gives it.
fn with_title(svg: &str, title: &str) -> String {
    let body = svg.split_once('>').map_or("", |(_, body)| body);
    let height =
        svg.split_once("viewBox=\"").and_then(|(_, rest)| rest.split_once('"')).map_or("", |(size, _)| size);
    let title = maud::html! { title { (title) } }.into_string();
    format!(
        "<svg class=\"plot\" role=\"img\" viewBox=\"{height}\" xmlns=\"http://www.w3.org/2000/svg\">{title}\n{body}"
    )
}

//! Run times as boxes and whiskers.

use super::group::Group;
use super::numbers;
use super::statistics::Quartiles;
use super::table::{Cell, Column, Table};
use crate::bars::{LONGEST_NAME, named};
use crate::categories::Categories;
use crate::chart::{Drawn, TEXT, WIDE, chart, colour, frame, style, with_title};
use crate::convergence::power_of_ten;
use crate::legend::with_legend;
use crate::page::Figure;
use plotters::prelude::*;

/// Height of a method's box with the room around it.
const LINE: u32 = 64;
/// Times below a microsecond are taken as one, as clocks tell no less.
const SHORTEST_SECONDS: f64 = 1e-6;

/// The distribution of the run times of each method; none if all runs failed.
pub(super) fn figure(group: &Group) -> Option<Figure> {
    let methods: Vec<(usize, &str, usize, Quartiles)> = group
        .methods
        .iter()
        .enumerate()
        .filter_map(|(rank, &method)| {
            let times = group.rows_of(method).filter(|(_, row)| !row.failed());
            let times: Vec<f64> = times.map(|(_, row)| row.record.seconds.max(SHORTEST_SECONDS)).collect();
            Some((rank, method, times.len(), Quartiles::of(times)?))
        })
        .collect();
    if methods.is_empty() {
        return None;
    }
    let lines = methods.iter().map(|(_, method, runs, quartiles)| {
        let times = quartiles.values().map(|seconds| Cell::number(seconds, numbers::decimal(seconds)));
        [Cell::words(*method), Cell::count(*runs)].into_iter().chain(times).collect()
    });
    let titles = ["shortest", "lower quartile", "median", "upper quartile", "longest"];
    let columns = [Column::words("method"), Column::numbers("runs")].into_iter();
    let numbers = Table {
        caption: "Distribution of run times".to_owned(),
        columns: columns.chain(titles.map(|title| Column::numbers(title).under("seconds"))).collect(),
        lines: lines.collect(),
    };
    Some(Figure {
        svg: svg(&methods, &format!("Run times by method: {}", group.title())),
        wide: true,
        caption: "Seconds of each method's runs on a logarithmic scale: half of the runs are in the box, its line is the median, \
                  and the whiskers end at the shortest and the longest run. Failed runs are left out; times below a microsecond \
                  count as one."
            .to_owned(),
        numbers,
        listed: true,
    })
}

fn svg(methods: &[(usize, &str, usize, Quartiles)], title: &str) -> String {
    let names: Vec<&str> = methods.iter().map(|(_, method, ..)| *method).collect();
    let name = |place: &f64| named(&names, *place, LONGEST_NAME);
    let ends = methods.iter().flat_map(|(.., quartiles)| [quartiles.least, quartiles.greatest]);
    let (least, most) =
        ends.fold((f64::INFINITY, 0.0_f64), |(least, most), end| (least.min(end), most.max(end)));
    let first = least.log10().floor() as i32;
    // At least a power of ten, so that there is an axis.
    let last = (most.log10().ceil() as i32).max(first + 1);
    let range = 10f64.powi(first)..10f64.powi(last);
    let height = 130 + LINE * methods.len() as u32;
    let svg = with_legend((WIDE, height), &[], 1, |area| -> Drawn {
        let up = Categories { count: methods.len(), reversed: true };
        let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).clamp(6, LONGEST_NAME);
        let mut builder = chart(area);
        // The label of the last time is wider than the margin of other charts.
        builder.margin_right(80).y_label_area_size(21 * longest as u32 + 40);
        let mut chart = builder.build_cartesian_2d(range.log_scale(), up)?;
        let mut mesh = chart.configure_mesh();
        mesh.disable_y_mesh()
            .x_labels((last - first) as usize + 1)
            .x_label_formatter(&|seconds| power_of_ten(*seconds));
        style(&mut mesh, "seconds per run, logarithmic", "", &name)?;
        for (place, (rank, _, _, quartiles)) in methods.iter().enumerate() {
            let (middle, pen) = (place as f64, colour(*rank).stroke_width(4));
            let Quartiles { least, lower, median, upper, greatest } = *quartiles;
            for (from, to) in [(least, lower), (upper, greatest)] {
                chart.draw_series([PathElement::new(vec![(from, middle), (to, middle)], pen)])?;
            }
            for end in [least, greatest] {
                chart
                    .draw_series([PathElement::new(vec![(end, middle - 0.16), (end, middle + 0.16)], pen)])?;
            }
            let corners = [(lower, middle + 0.32), (upper, middle - 0.32)];
            chart.draw_series([Rectangle::new(corners, colour(*rank).mix(0.35).filled())])?;
            chart.draw_series([frame(corners, pen)])?;
            let line = vec![(median, middle - 0.32), (median, middle + 0.32)];
            chart.draw_series([PathElement::new(line, TEXT.stroke_width(6))])?;
        }
        Ok(())
    });
    with_title(&svg, title)
}

//! Curves with no more points than can be seen.

/// The curve without the points that it passes within `tolerance` of anyway, measured upwards; its ends stay. Points are in order
/// from left to right.
pub(super) fn thinned(points: &[(f64, f64)], tolerance: f64) -> Vec<(f64, f64)> {
    let mut kept = vec![false; points.len()];
    let mut stretches = Vec::new();
    if let Some(last) = points.len().checked_sub(1) {
        (kept[0], kept[last]) = (true, true);
        stretches.push((0, last));
    }
    while let Some((first, last)) = stretches.pop() {
        let ((left, start), (right, end)) = (points[first], points[last]);
        let slope = if right > left { (end - start) / (right - left) } else { 0.0 };
        let distance = |rank: usize| (points[rank].1 - start - slope * (points[rank].0 - left)).abs();
        let farthest = (first + 1..last).max_by(|&one, &other| distance(one).total_cmp(&distance(other)));
        if let Some(rank) = farthest.filter(|&rank| distance(rank) > tolerance) {
            kept[rank] = true;
            stretches.extend([(first, rank), (rank, last)]);
        }
    }
    points.iter().zip(kept).filter_map(|(point, kept)| kept.then_some(*point)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_a_straight_line_go_and_corners_stay() {
        let points: Vec<(f64, f64)> =
            (0..100).map(|rank| (f64::from(rank), f64::from(rank.min(60)))).collect();
        assert_eq!(thinned(&points, 1e-9), [(0.0, 0.0), (60.0, 60.0), (99.0, 60.0)]);
        assert_eq!(thinned(&points[..1], 1.0), [(0.0, 0.0)]);
        assert_eq!(thinned(&[], 1.0), []);
    }

    #[test]
    fn no_point_is_farther_away_than_allowed() {
        let points: Vec<(f64, f64)> =
            (0..500).map(|rank| (f64::from(rank), (f64::from(rank) * 0.7).sin())).collect();
        let thin = thinned(&points, 0.3);
        assert!(thin.len() < points.len());
        for &(along, up) in &points {
            let after = thin.partition_point(|point| point.0 < along).max(1);
            let ((left, start), (right, end)) = (thin[after - 1], thin[after]);
            let drawn = start + (end - start) * (along - left) / (right - left);
            assert!((drawn - up).abs() <= 0.3 + 1e-9, "at {along}: {drawn} for {up}");
        }
    }
}

//! Valuable patterns without proof: servers filled greedily, and improved by exchanges of few virtual machines for few others.

use super::load::{Load, Takes};
use super::pattern::Pattern;
use std::cmp::Reverse;

/// How many patterns are improved by exchanges of two virtual machines for two others.
const THOROUGH: usize = 6;

/// Patterns of great value, the best first: for each type that is worth something, one that began with it.
pub fn exchanged(takes: &Takes, prices: &[i64]) -> Vec<Pattern> {
    let mut patterns: Vec<Pattern> = Vec::new();
    for seed in (0..prices.len()).filter(|&seed| prices[seed] > 0) {
        let mut load = Load::new(takes);
        if !load.fits(seed) {
            continue;
        }
        load.take(seed);
        complete(&mut load, prices);
        patterns.push(load.pattern());
    }
    sort(&mut patterns, prices);
    for pattern in &mut patterns {
        let mut load = Load::of(takes, pattern);
        while improve(&mut load, prices, 1) {}
        *pattern = load.pattern();
    }
    sort(&mut patterns, prices);
    for pattern in patterns.iter_mut().take(THOROUGH) {
        let mut load = Load::of(takes, pattern);
        while improve(&mut load, prices, 1) || improve(&mut load, prices, 2) {}
        *pattern = load.pattern();
    }
    sort(&mut patterns, prices);
    patterns
}

/// What a pattern is worth.
pub fn value(pattern: &Pattern, prices: &[i64]) -> i64 {
    pattern.0.iter().map(|&(vm_type, count)| prices[vm_type] * i64::from(count)).sum()
}

fn sort(patterns: &mut Vec<Pattern>, prices: &[i64]) {
    patterns.sort_by_cached_key(|pattern| (Reverse(value(pattern, prices)), pattern.clone()));
    patterns.dedup();
}

/// Takes so many virtual machines off and puts up to two others there, if that is worth more.
fn improve(load: &mut Load<'_>, prices: &[i64], off: usize) -> bool {
    let here: Vec<usize> = (0..prices.len()).filter(|&vm_type| load.count[vm_type] > 0).collect();
    for (position, &one) in here.iter().enumerate() {
        load.put_back(one);
        if off == 1 {
            if replace(load, prices, prices[one]) {
                return true;
            }
        } else {
            for &other in &here[position..] {
                if load.count[other] == 0 {
                    continue;
                }
                load.put_back(other);
                if replace(load, prices, prices[one] + prices[other]) {
                    return true;
                }
                load.take(other);
            }
        }
        load.take(one);
    }
    false
}

/// Adds one or two virtual machines that are worth more than `worth`, and what else has room; whether there are such.
fn replace(load: &mut Load<'_>, prices: &[i64], worth: i64) -> bool {
    let open: Vec<usize> =
        (0..prices.len()).filter(|&vm_type| prices[vm_type] > 0 && load.fits(vm_type)).collect();
    let dearest = open.iter().map(|&vm_type| prices[vm_type]).max().unwrap_or(0);
    let mut best: Option<(i64, usize, Option<usize>)> = None;
    for (position, &one) in open.iter().enumerate() {
        let known = best.map_or(worth, |best| best.0);
        if prices[one] > known {
            best = Some((prices[one], one, None));
        }
        if prices[one] + dearest <= known {
            continue;
        }
        load.take(one);
        for &other in &open[position..] {
            let value = prices[one] + prices[other];
            if value > best.map_or(worth, |best| best.0) && load.fits(other) {
                best = Some((value, one, Some(other)));
            }
        }
        load.put_back(one);
    }
    let Some((_, one, other)) = best else { return false };
    load.take(one);
    other.into_iter().for_each(|other| load.take(other));
    complete(load, prices);
    true
}

/// Adds what fits, those that are worth most for the room that they take first.
pub fn complete(load: &mut Load<'_>, prices: &[i64]) {
    let mut open: Vec<usize> = (0..prices.len()).collect();
    loop {
        // What does not fit now never will.
        open.retain(|&vm_type| load.fits(vm_type));
        let Some(next) = best(load, &open, prices) else { return };
        load.take(next);
    }
}

/// The type that is worth most for the part of what is left that it takes.
fn best(load: &Load<'_>, open: &[usize], prices: &[i64]) -> Option<usize> {
    let mut best: Option<(f64, usize)> = None;
    for &vm_type in open {
        let requests = load.resources.iter().zip(&load.takes.requests[vm_type]);
        let parts =
            requests.filter(|(left, _)| **left > 0).map(|(left, request)| *request as f64 / *left as f64);
        let pages = load.need(vm_type) as f64 / load.pages.max(1) as f64;
        let score = prices[vm_type] as f64 / (parts.sum::<f64>() + pages).max(1e-12);
        if best.is_none_or(|(known, _)| score > known) {
            best = Some((score, vm_type));
        }
    }
    best.map(|(_, vm_type)| vm_type)
}

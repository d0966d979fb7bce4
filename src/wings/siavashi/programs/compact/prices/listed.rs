//! A part of a problem that may take one of a few contents, all of which are known.

use itertools::Itertools;
use prices::{Column, Effort, Part, Priced};
use std::cmp::Reverse;

/// Contents by their numbers, of which the part may take the first one whatever others do.
pub struct Listed {
    /// How many parts are alike.
    pub number: u32,
    /// What each content costs and adds to the totals.
    pub columns: Vec<Column>,
}

impl Part for Listed {
    type Content = u32;

    fn number(&self) -> u32 {
        self.number
    }

    fn plain(&self) -> u32 {
        0
    }

    fn column(&self, content: &u32) -> Column {
        self.columns[*content as usize].clone()
    }

    fn price(&mut self, prices: &[i64], _: Effort) -> Priced<u32> {
        let worths = self.columns.iter().zip(0..).map(|(column, content)| (column.worth(prices), content));
        let best: Vec<(i64, u32)> = worths
            .k_smallest_by_key(self.contents_at_a_time(), |&(worth, content)| (Reverse(worth), content))
            .collect();
        let most = best[0].0;
        Priced { most, is_exact: true, contents: best.into_iter().map(|(_, content)| content).collect() }
    }

    fn list(&mut self, prices: &[i64], least: i64, most: usize) -> Option<Vec<u32>> {
        let all = self.columns.iter().zip(0..);
        let listed: Vec<u32> =
            all.filter(|(column, _)| column.worth(prices) >= least).map(|(_, content)| content).collect();
        (listed.len() <= most).then_some(listed)
    }
}

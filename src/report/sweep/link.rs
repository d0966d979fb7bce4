//! Where rows lead to.

use bench::Record;

/// Where the file of a row's instance is to be found from the report, as a relative reference; none if there is no telling.
pub type Link<'l> = dyn Fn(&Record) -> Option<String> + 'l;

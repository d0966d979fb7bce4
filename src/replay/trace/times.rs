//! The times of a virtual machine, checked. Fields are named as the file names them.

use super::super::moment::Moment;
use ground::Amount;

/// A moment that a file gives in seconds.
pub(super) fn moment(field: &str, seconds: Amount) -> Result<Moment, String> {
    Moment::of_seconds(seconds)
        .ok_or_else(|| format!("`{field}` is {seconds} but must be a number of seconds from 0 to 10^12."))
}

/// The end of a visit that is given as a moment.
pub(super) fn departure(arrival: (&str, Moment), departure: (&str, Amount)) -> Result<Moment, String> {
    let leaves = moment(departure.0, departure.1)?;
    if leaves < arrival.1 {
        return Err(format!(
            "`{}` is {} but `{}` is {}: it would leave before it arrives. Correct one of them.",
            departure.0,
            departure.1,
            arrival.0,
            arrival.1.seconds()
        ));
    }
    Ok(leaves)
}

/// The end of a visit that is given as its length.
pub(super) fn after(arrival: (&str, Moment), lifetime: (&str, Amount)) -> Result<Moment, String> {
    let length = moment(lifetime.0, lifetime.1)?;
    Moment::of_seconds(arrival.1.seconds() + length.seconds()).ok_or_else(|| {
        format!(
            "`{}` is {} and `{}` is {}: together they must not be beyond 10^12 seconds. Make one smaller.",
            arrival.0,
            arrival.1.seconds(),
            lifetime.0,
            lifetime.1
        )
    })
}

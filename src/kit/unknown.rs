//! What is said of a name that nothing has.

use ground::did_you_mean;

/// Words for a name that is none of the known ones, such as `"optimun" is not a method (did you mean "optimum"?). Methods: optimum.`
pub fn unknown(given: &str, kind: &str, kinds: &str, known: &[&str]) -> String {
    let guess = did_you_mean(given, known.iter().copied());
    format!("\"{given}\" is not {kind}{guess}. {kinds}: {}.", known.join(", "))
}

//! Documents against the schemas that the command prints.

use super::{PROVED, run};
use jsonschema::Validator;
use serde_json::Value;

/// The schema that `migopt schema` prints with these arguments, the name of a document first.
pub fn schema(arguments: &[&str]) -> Validator {
    let schema = run(&[&["schema"], arguments].concat(), PROVED).json();
    jsonschema::meta::validate(&schema).unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
    jsonschema::validator_for(&schema).unwrap()
}

/// Checks that a document obeys a schema.
pub fn check(schema: &Validator, document: &Value) {
    let errors: Vec<String> = schema.iter_errors(document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{document}: {errors:?}");
}

/// Checks that a document obeys the schema that `migopt schema` prints with these arguments.
pub fn check_schema(arguments: &[&str], document: &Value) {
    check(&schema(arguments), document);
}

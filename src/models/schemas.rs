//! JSON Schemas of the documents that models share, with what each model has in them.

use super::settings::{setting_help, settings};
use super::wings::wings;
use kit::{ABOUT, ParameterEntry, READING, REMARKS, SCORE, SETTINGS, Wing};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// The JSON Schemas of what only one model has in documents.
pub struct ModelSchemas {
    /// The fields by which answers repeat the question.
    pub about: Schema,
    /// What answers may have beside the solution.
    pub remarks: Schema,
    /// What a solution is worth.
    pub score: Schema,
}

impl ModelSchemas {
    /// Those of the model that a wing describes.
    pub fn of<W: Wing>(generator: &mut SchemaGenerator) -> Self {
        ModelSchemas {
            about: W::About::json_schema(generator),
            remarks: W::Remarks::json_schema(generator),
            score: generator.subschema_for::<W::Score>(),
        }
    }
}

/// The schema of a document, in which the fields that belong to models are filled in: how answers repeat the question, remarks,
/// settings, scores and readings.
pub fn document_schema<Document: JsonSchema>() -> Schema {
    let plain = SchemaSettings::default().into_generator().into_root_schema_for::<Document>();
    let text = plain.as_value().to_string();
    if ![ABOUT, READING, REMARKS, SCORE, SETTINGS].iter().any(|mark| text.contains(mark)) {
        return ordered(plain.to_value());
    }
    let mut generator = SchemaSettings::default().into_generator();
    let parts = all(&mut generator);
    let mut schema = generator.into_root_schema_for::<Document>().to_value();
    if let Some(Value::Object(definitions)) = schema.get_mut("$defs") {
        if let Some(score) = definitions.get_mut(SCORE) {
            let scores: Vec<Value> = parts.iter().map(|part| part.score.clone().to_value()).collect();
            *score = json!({"description": "What a solution is worth, by model.", "anyOf": scores});
        }
        definitions.values_mut().filter_map(Value::as_object_mut).for_each(|object| fill_in(object, &parts));
    }
    if let Value::Object(object) = &mut schema {
        fill_in(object, &parts);
    }
    name_readings(&mut schema);
    ordered(schema)
}

/// Fills in the names of readings where the schema of one is marked, at any depth.
fn name_readings(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.remove(READING).is_some() {
                let names = readings().into_iter().map(Value::from);
                object.insert("enum".to_owned(), names.chain([Value::Null]).collect());
            }
            object.values_mut().for_each(name_readings);
        }
        Value::Array(values) => values.iter_mut().for_each(name_readings),
        _ => {}
    }
}

macro_rules! all_readings {
    ($($(#[$doc:meta])* $name:ident: $wing:ty,)+) => {
        /// Names of the readings of all models.
        fn readings() -> Vec<&'static str> {
            let all = [$(<$wing>::readings()),+];
            all.into_iter().flatten().map(|reading| reading.name).collect()
        }
    };
}
wings!(all_readings);

macro_rules! all_schemas {
    ($($(#[$doc:meta])* $name:ident: $wing:ty,)+) => {
        fn all(generator: &mut SchemaGenerator) -> Vec<ModelSchemas> {
            vec![$(ModelSchemas::of::<$wing>(generator)),+]
        }
    };
}
wings!(all_schemas);

/// A schema whose properties are in alphabetical order.
fn ordered(mut schema: Value) -> Schema {
    schema.sort_all_objects();
    Schema::try_from(schema).expect("an object is a schema")
}

/// Fills in what the marks in the schema of an object stand for.
fn fill_in(object: &mut Map<String, Value>, parts: &[ModelSchemas]) {
    if let Some(mark) = object.remove(ABOUT) {
        let has_objective = mark == Value::Bool(true);
        for part in parts {
            add_properties(object, &part.about, |name| has_objective || name != "objective");
        }
        if has_objective && let Some(Value::Array(required)) = object.get_mut("required") {
            required.push(json!("objective"));
        }
    }
    if object.remove(REMARKS).is_some() {
        parts.iter().for_each(|part| add_properties(object, &part.remarks, |_| true));
    }
    if object.remove(SETTINGS).is_some() {
        let properties = object.entry("properties").or_insert_with(|| json!({}));
        for setting in settings() {
            properties[setting.name] = setting_schema(&setting);
        }
    }
}

/// Adds properties of an object to another one, which has nothing else then. All but the objective may be absent.
fn add_properties(object: &mut Map<String, Value>, other: &Schema, wanted: impl Fn(&str) -> bool) {
    object.insert("additionalProperties".to_owned(), Value::Bool(false));
    let properties = object.entry("properties").or_insert_with(|| json!({}));
    let added = other.get("properties").and_then(Value::as_object).into_iter().flatten();
    for (name, schema) in added.filter(|(name, _)| wanted(name)) {
        properties[name] = if name == "objective" { schema.clone() } else { or_null(schema.clone()) };
    }
}

/// The schema of a value that may be null.
fn or_null(mut schema: Value) -> Value {
    let reference = schema.as_object_mut().and_then(|object| object.remove("$ref"));
    if let Some(reference) = reference {
        schema["anyOf"] = json!([{"$ref": reference}, {"type": "null"}]);
    }
    schema
}

/// The schema of a setting in a request.
fn setting_schema(setting: &ParameterEntry) -> Value {
    let mut schema = json!({"description": setting_help(setting.name), "type": ["string", "null"]});
    if !setting.choices.is_empty() {
        let names = setting.choices.iter().map(|choice| json!(choice.name));
        schema["enum"] = names.chain([Value::Null]).collect();
    } else {
        schema["type"] = json!(["string", "integer", "null"]);
    }
    schema
}

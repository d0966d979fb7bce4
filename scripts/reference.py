"""The reference pages of the documentation site, from what the program says of itself."""

import json
import re
import subprocess

QUESTIONS = ["wpm", "siavashi", "sharing", "migrator"]
# Title and arguments of `migopt schema`, in the order of the pages. A type is described on the first page that has it.
FORMATS = [
    ("Instance", ["instance"]),
    ("Solution", ["solution"]),
    ("Result", ["result"]),
    ("Proposal", ["proposal"]),
    ("Frontier", ["frontier"]),
    ("Check of a configuration", ["check"]),
    ("Plan", ["plan"]),
    ("Answer without a plan", ["no-plan"]),
    ("Sizing", ["sizing"]),
    ("Row of a sweep", ["row"]),
    ("Trace", ["trace"]),
    ("Lock of a cluster", ["lock"]),
    ("Rules of an import", ["rules"]),
    *((f"Question of model {model}", ["question", "--model", model]) for model in QUESTIONS),
    ("Request to the oracle", ["request"]),
    ("Response of the oracle", ["response"]),
]


def write(program, folder):
    """Writes all pages into a folder. Returns title and file name of those of formats."""
    folder.mkdir(parents=True)
    (folder / "commands.md").write_text(commands(program))
    described, roots = {}, []
    made = [(title, "-".join(arguments).replace("---model", "") + ".md", arguments) for title, arguments in FORMATS]
    for title, name, arguments in made:
        schema = json.loads(output(program, "schema", *arguments))
        (folder / name).write_text(Page(title, name, schema, described, roots).text(arguments))
        roots.append((root_of(schema), title, name))
    (folder / "formats.md").write_text(contents(made))
    return [(title, name) for title, name, _ in made]


def output(program, *arguments):
    return subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE, text=True, env={"COLUMNS": "100"}).stdout


def contents(made):
    rows = "\n".join(f"| [{title}]({name}) | `migopt schema {' '.join(arguments)}` |" for title, name, arguments in made)
    return (
        "# File formats\n\nEvery field of every document that migopt reads or writes. All are YAML or JSON. The JSON Schema of each is printed by the "
        "command beside it, for editors and for checks.\n\n| document | schema |\n| --- | --- |\n" + rows + "\n"
    )


# Commands.


def commands(program):
    parts = ["# All flags", "What `migopt COMMAND --help` prints, of every command."]
    for words in tree(program, []):
        parts.append(f"{'#' * (1 + max(1, len(words)))} {' '.join(['migopt', *words])}")
        parts.append(f"```text\n{output(program, *words, '--help').rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def tree(program, words):
    """The words of every command, each before its subcommands."""
    yield words
    listed = re.search(r"^Commands:\n((?:  .*\n|\n)*)", output(program, *words, "--help"), re.MULTILINE)
    for name in re.findall(r"^  ([a-z][a-z-]*)", listed[1] if listed else "", re.MULTILINE):
        if name != "help":
            yield from tree(program, [*words, name])


# Formats.


class Page:
    """The page of a format: its fields, then those of each type that no page before it has."""

    def __init__(self, title, name, schema, described, roots):
        self.title, self.name, self.schema, self.described, self.roots = title, name, schema, described, roots
        self.definitions = schema.get("$defs", {})
        self.own = []
        for type_name in reached(schema, self.definitions):
            definition = self.definitions[type_name]
            places = described.setdefault(type_name, [])
            known = [other for other, _ in places] + [other for other, _, _ in roots]
            if definition not in known:
                places.append((definition, name))
                self.own.append(type_name)

    def text(self, arguments):
        parts = [f"# {self.title}", self.schema.get("description", ""), *self.body(self.schema)]
        parts.append(f"The JSON Schema: `migopt schema {' '.join(arguments)}`.")
        for type_name in self.own:
            definition = self.definitions[type_name]
            parts += [f"## {type_name}", definition.get("description", ""), *self.body(definition)]
        return "\n\n".join(part for part in parts if part) + "\n"

    def body(self, schema):
        """Tables of fields and of alternatives."""
        alternatives = schema.get("oneOf") or schema.get("anyOf") or []
        constants = [other for other in alternatives if "const" in other]
        if constants:
            rows = [f"| `{other['const']}` | {cell(other.get('description', ''))} |" for other in constants]
            yield "\n".join(["| value | meaning |", "| --- | --- |", *rows])
        others = [other for other in alternatives if "const" not in other]
        for other in others:
            if other.get("properties"):
                yield " ".join(["Either:", other.get("description", "")]).strip()
                yield self.fields(other)
        plain = [other for other in others if not other.get("properties")]
        if plain or not (alternatives or schema.get("properties") or "enum" in schema):
            yield f"Type: {self.type_of(schema)}."
        if "enum" in schema:
            yield "One of " + ", ".join(f"`{value}`" for value in schema["enum"]) + "."
        if schema.get("properties"):
            yield self.fields(schema)

    def fields(self, schema):
        required = set(schema.get("required", []))
        rows = ["| field | meaning |", "| --- | --- |"]
        for name, field in schema["properties"].items():
            field = {} if field is True else field
            marks = ["required"] if name in required else []
            if field.get("default") not in (None, [], {}):
                marks.append(f"by default `{json.dumps(field['default'])}`")
            meaning = cell(field.get("description", "")) + (f" *({', '.join(marks)})*" if marks else "")
            rows.append(f"| `{name}`<br>{self.type_of(field)} | {meaning} |")
        return "\n".join(rows)

    def type_of(self, schema):
        """A type in words, with a link where it has fields of its own."""
        if schema is True or schema == {}:
            return "anything"
        if "$ref" in schema:
            return self.link(schema["$ref"].removeprefix("#/$defs/"))
        if "const" in schema:
            return f"`{schema['const']}`"
        if "enum" in schema:
            return " or ".join(f"`{value}`" for value in schema["enum"] if value is not None)
        several = schema.get("anyOf") or schema.get("oneOf")
        if several:
            return " or ".join(dict.fromkeys(self.type_of(other) for other in several if other.get("type") != "null"))
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else [kind for kind in kinds if kind != "null"]
        return " or ".join(self.kind(kind, schema) for kind in kinds) or "anything"

    def kind(self, kind, schema):
        if kind == "array":
            if "prefixItems" in schema:
                return "list of " + ", ".join(self.type_of(item) for item in schema["prefixItems"])
            return f"list of {self.type_of(schema.get('items', True))}"
        if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
            return f"map from names to {self.type_of(schema['additionalProperties'])}"
        if kind in ("integer", "number"):
            name = "whole number" if kind == "integer" else "number"
            low, high = schema.get("minimum"), schema.get("maximum")
            if high is not None:
                return f"{name} from {low or 0:g} to {high:g}"
            return f"{name} from {low:g} on" if low else name
        return {"string": "text", "boolean": "true or false"}.get(kind, kind)

    def link(self, type_name):
        definition = self.definitions[type_name]
        for other, title, page in self.roots:
            if other == definition:
                return f"[{title}]({page})"
        page = next((page for other, page in self.described.get(type_name, []) if other == definition), self.name)
        return f"[{type_name}]({'' if page == self.name else page}#{type_name.lower()})"


def root_of(schema):
    """The schema of a document as other schemas have it among their types."""
    return {key: value for key, value in schema.items() if key not in ("$defs", "$id", "$schema")}


def reached(schema, definitions):
    """Names of the types that a schema refers to, in the order in which a reader meets them."""
    names, ahead = [], [schema.get("properties", {}), schema.get("oneOf", []), schema.get("anyOf", [])]
    while ahead:
        here = ahead.pop(0)
        if isinstance(here, list):
            ahead = here + ahead
        elif isinstance(here, dict):
            name = str(here.get("$ref", "")).removeprefix("#/$defs/")
            if name and name not in names:
                names.append(name)
                ahead.append(definitions[name])
            ahead = [value for key, value in here.items() if key != "$defs" and isinstance(value, (dict, list))] + ahead
    return names


def cell(text):
    """Text as a field of a table."""
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()

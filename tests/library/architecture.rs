//! Who may import whom: the rooms of the house, the floors they are on, and what never reaches a program or a solver.
//!
//! Rooms are crates, so that Cargo refuses circles between them; the floors are held against their manifests. Inside rooms, imports
//! are followed from file to file, through re-exports, into folders and into other rooms.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use syn::visit::Visit;
use syn::{Item, UseTree, Visibility};

/// Rooms from the ground up; a room uses only rooms on lower floors. [`WINGS`] stands for all of them.
const FLOORS: &[&[&str]] = &[
    &["ground", "milp"],
    &["mig", "solver"],
    &["cluster", "formats", "prices", "solvers", "vipr"],
    &["certificate", "check", "fleet", "inventory", "plan"],
    &["applying", "kit", "planner"],
    &["schedulers"],
    &[WINGS],
    &["models"],
    &["bench", "replay", "sizing", "strategies"],
    &["report"],
    &["migopt"],
];

/// Where the rooms of placement models are: every folder there is one.
const WINGS: &str = "wings";

/// Rooms above the wings that name some of them: the catalogue all, replays the model whose policies they run, strategies the
/// sections that they draw.
const NAME_WINGS: [&str; 3] = ["models", "replay", "strategies"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The rooms of placement models.
fn wings() -> &'static BTreeSet<&'static str> {
    static FOLDERS: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
        let entries = std::fs::read_dir(root().join("src").join(WINGS)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.map(|name| &*name.leak()).collect()
    });
    &FOLDERS
}

fn folder_of(room: &str) -> PathBuf {
    match room {
        "migopt" => root().join("src"),
        room if wings().contains(room) => root().join("src").join(WINGS).join(room),
        room => root().join("src").join(room),
    }
}

fn rooms() -> impl Iterator<Item = &'static str> {
    let all = FLOORS.iter().flat_map(|rooms| rooms.iter().copied());
    all.filter(|room| *room != WINGS).chain(wings().iter().copied())
}

fn floor_of(room: &str) -> usize {
    let room = if wings().contains(room) { WINGS } else { room };
    FLOORS.iter().position(|rooms| rooms.contains(&room)).expect("every room is on a floor")
}

/// The rooms that a room's manifest names among what it always needs.
fn dependencies(room: &str) -> BTreeSet<&'static str> {
    let manifest =
        if room == "migopt" { root().join("Cargo.toml") } else { folder_of(room).join("Cargo.toml") };
    let text = std::fs::read_to_string(manifest).unwrap();
    let section = text.split("\n[dependencies]\n").nth(1).expect("every manifest has dependencies");
    let section = section.split("\n[").next().unwrap();
    rooms().filter(|room| section.lines().any(|line| line.split(['.', ' ']).next() == Some(*room))).collect()
}

#[test]
fn rooms_use_only_rooms_on_lower_floors() {
    for room in rooms() {
        for used in dependencies(room) {
            assert!(floor_of(used) < floor_of(room), "{room} depends on {used}, which is not below it");
        }
    }
}

#[test]
fn every_member_of_the_workspace_is_on_a_floor() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members = manifest.lines().filter_map(|line| line.trim().strip_prefix("\"src/")?.strip_suffix("\","));
    let members: BTreeSet<&str> = members.map(|path| path.rsplit('/').next().unwrap()).collect();
    let known: BTreeSet<&str> = rooms().filter(|room| *room != "migopt").collect();
    assert_eq!(members, known);
}

/// What is built for its tests alone would otherwise be built without any.
#[test]
fn the_rooms_without_tests_say_so() {
    for room in rooms().filter(|room| *room != "migopt") {
        let manifest = std::fs::read_to_string(folder_of(room).join("Cargo.toml")).unwrap();
        let files = walkdir::WalkDir::new(folder_of(room)).into_iter().map(Result::unwrap);
        let mut sources = files.filter(|file| file.path().extension().is_some_and(|ending| ending == "rs"));
        let has_tests = sources.any(|file| {
            std::fs::read_to_string(file.path()).unwrap().lines().any(|line| line.trim_start() == "#[test]")
        });
        assert_eq!(!manifest.contains("\ntest = false\n"), has_tests, "{room}");
    }
}

#[test]
fn only_the_catalogue_and_two_others_name_wings() {
    for room in rooms().filter(|room| !NAME_WINGS.contains(room)) {
        let named: Vec<_> = dependencies(room).into_iter().filter(|used| wings().contains(used)).collect();
        assert!(named.is_empty(), "{room} depends on {named:?}");
    }
    assert!(dependencies("models").is_superset(wings()), "the catalogue names every wing");
}

/// Names of models in code, but for words in texts for people: of rooms that know no model.
#[test]
fn commands_sweeps_reports_and_the_kit_know_no_model_by_name() {
    let house = House::read();
    for (module, file) in &house.modules {
        let knows_none = ["kit", "bench", "report"].contains(&module[0].as_str())
            || module.get(1).is_some_and(|room| ["cli", "front", "oracle"].contains(&room.as_str()));
        if knows_none {
            let named = file.paths.iter().find(|path| wings().contains(path[0].as_str()));
            assert!(named.is_none(), "{} names {named:?}", file.path.display());
        }
    }
}

/// Not even in comments and texts. "Sharing" is also a word of the language.
#[test]
fn the_kit_names_no_model() {
    let house = House::read();
    let kit = house.modules.iter().filter(|(module, _)| module[0] == "kit");
    let mut files = 0;
    for (_, file) in kit {
        let text = std::fs::read_to_string(&file.path).unwrap();
        let words = text.split(|character: char| !character.is_alphanumeric());
        let named =
            words.map(str::to_lowercase).find(|word| word != "sharing" && wings().contains(word.as_str()));
        assert_eq!(named, None, "{}", file.path.display());
        files += 1;
    }
    assert!(files > 10);
}

#[test]
fn only_the_room_of_solvers_touches_a_solver_crate_and_only_the_commands_touch_clap() {
    let house = House::read();
    for (module, file) in &house.modules {
        for (banned, home) in
            [("highs", "solvers"), ("highs_sys", "solvers"), ("coin_cbc", "solvers"), ("clap", "cli")]
        {
            let at_home = module[0] == home || module.get(1).is_some_and(|room| room == home);
            let named = file.paths.iter().any(|path| path[0] == banned);
            assert!(at_home || !named, "{} names {banned}: only {home} may", file.path.display());
        }
    }
}

/// What is given a solver is compiled once for all builds, whatever solvers these have.
#[test]
fn no_room_depends_on_the_solvers_of_a_build() {
    let found: Vec<_> =
        rooms().filter(|room| *room != "migopt" && dependencies(room).contains("solvers")).collect();
    assert!(found.is_empty(), "{found:?} depend on the solvers of a build");
    assert!(dependencies("migopt").contains("solvers"));
}

#[test]
fn verifiers_and_heuristics_reach_neither_programs_nor_solvers() {
    let house = House::read();
    let mut judges = 0;
    for wing in wings() {
        for (module, file) in &house.modules {
            let is_judge = module[0] == *wing
                && module
                    .get(1)
                    .is_some_and(|folder| ["rules", "heuristics", "instance"].contains(&folder.as_str()));
            // What a certificate is about, and what it proves.
            let of_certificates = module[0] == *wing
                && module.get(1).is_some_and(|folder| folder == "certificates")
                && module
                    .get(2)
                    .is_some_and(|file| ["explanation", "plain", "verdict"].contains(&file.as_str()));
            if !is_judge && !of_certificates {
                continue;
            }
            judges += 1;
            for (reached, way) in house.reached_from(module) {
                let is_program =
                    reached[0] == *wing && reached.get(1).is_some_and(|folder| folder == "programs");
                let is_solver = ["milp", "solver", "solvers"].contains(&reached[0].as_str());
                assert!(
                    !is_program && !is_solver,
                    "{} reaches {}: {way}",
                    file.path.display(),
                    reached.join("::")
                );
            }
        }
    }
    assert!(judges > 40, "verifiers and heuristics are where they were: {judges}");
}

#[test]
fn the_checkers_of_certificates_stand_on_clusters_and_boards_alone() {
    assert_eq!(dependencies("certificate"), ["cluster", "ground", "mig"].into());
    let below: BTreeSet<_> = ["cluster", "ground", "mig"].into_iter().flat_map(dependencies).collect();
    assert_eq!(below, ["ground", "mig"].into());
}

#[test]
fn reports_reach_neither_programs_nor_solvers_directly() {
    let banned = ["milp", "solver", "solvers"];
    let found: Vec<_> = dependencies("report").into_iter().filter(|room| banned.contains(room)).collect();
    assert!(found.is_empty(), "report depends on {found:?}");
}

#[test]
fn builders_of_programs_do_not_solve() {
    let house = House::read();
    let mut builders = 0;
    for (module, file) in &house.modules {
        let is_builder = wings().contains(module[0].as_str())
            && file.paths.iter().any(|path| path[..] == ["milp", "ProgramBuilder"])
            // Searches with their own patterns stand beside the program that they end with.
            && !module.contains(&"patterns".to_owned());
        if is_builder {
            builders += 1;
            assert!(
                !file.paths.iter().any(|path| path[0] == "solver"),
                "{} imports solver",
                file.path.display()
            );
        }
    }
    assert!(builders > 8, "programs are built where they were: {builders}");
}

#[test]
fn no_file_of_a_room_imports_itself_in_a_circle() {
    let house = House::read();
    let mut circles = Vec::new();
    for module in house.modules.keys() {
        for next in house.imports_of(module).into_iter().filter(|next| next[0] == module[0] && next != module)
        {
            if let Some(back) = house.reached_from(&next).remove(module) {
                circles.push(format!("{} -> {back}", module.join("::")));
            }
        }
    }
    assert!(circles.is_empty(), "files import each other:\n{}", circles.join("\n"));
}

/// A path of names from a room on.
type Names = Vec<String>;

/// A file of code.
struct File {
    path: PathBuf,
    /// Names of the items that it defines, modules aside.
    items: BTreeSet<String>,
    /// What it re-exports, by name; globs under `*`.
    reexports: Vec<(String, Names)>,
    /// Full paths that it names, other than in re-exports.
    paths: BTreeSet<Names>,
}

/// All code of the house, by module.
struct House {
    modules: BTreeMap<Names, File>,
}

impl House {
    fn read() -> Self {
        let mut modules = BTreeMap::new();
        for room in rooms() {
            let folder = folder_of(room);
            read_module(&folder.join("lib.rs"), &folder, vec![room.to_owned()], &mut modules);
        }
        House { modules }
    }

    /// The module in which the item of a path is defined; none for what is no code of the house.
    fn definition(&self, path: &[String]) -> Option<Names> {
        self.definition_seen(path, &mut BTreeSet::new())
    }

    fn definition_seen(&self, path: &[String], seen: &mut BTreeSet<Names>) -> Option<Names> {
        if !seen.insert(path.to_vec()) {
            return None;
        }
        let depth = (1..=path.len()).rev().find(|&depth| self.modules.contains_key(&path[..depth]))?;
        let (module, rest) = path.split_at(depth);
        let file = &self.modules[module];
        let Some(name) = rest.first() else { return Some(module.to_vec()) };
        if file.items.contains(name) {
            return Some(module.to_vec());
        }
        for (exported, source) in &file.reexports {
            let target = match exported.as_str() {
                "*" => source.iter().chain([name]).cloned().collect(),
                exported if exported == name => source.clone(),
                _ => continue,
            };
            if let Some(found) = self.definition_seen(&target, seen) {
                return Some(found);
            }
        }
        None
    }

    /// The modules that define what a module names.
    fn imports_of(&self, module: &[String]) -> BTreeSet<Names> {
        self.modules[module].paths.iter().filter_map(|path| self.definition(path)).collect()
    }

    /// All modules that a module reaches, each with a way to it.
    fn reached_from(&self, start: &[String]) -> BTreeMap<Names, String> {
        let mut ways = BTreeMap::new();
        let mut open = vec![(start.to_vec(), start.join("::"))];
        while let Some((module, way)) = open.pop() {
            for next in self.imports_of(&module) {
                if next != start && !ways.contains_key(&next) {
                    let way = format!("{way} -> {}", next.join("::"));
                    ways.insert(next.clone(), way.clone());
                    open.push((next, way));
                } else if next == start && module != start {
                    ways.entry(next).or_insert_with(|| format!("{way} -> {}", start.join("::")));
                }
            }
        }
        ways
    }
}

/// Reads a file and the modules that it declares.
fn read_module(path: &Path, folder: &Path, name: Names, modules: &mut BTreeMap<Names, File>) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let code = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut collector = Collector {
        module: name.clone(),
        file: File {
            path: path.to_owned(),
            items: BTreeSet::new(),
            reexports: Vec::new(),
            paths: BTreeSet::new(),
        },
        children: Vec::new(),
    };
    collector.visit_file(&code);
    for child in &collector.children {
        let plain = folder.join(format!("{child}.rs"));
        let inner = folder.join(child);
        let path = if plain.exists() { plain } else { inner.join("mod.rs") };
        let mut names = name.clone();
        names.push(child.clone());
        read_module(&path, &inner, names, modules);
    }
    modules.insert(name, collector.file);
}

/// Collects what a file defines and names. Tests and what is there for doc comments alone is passed over.
struct Collector {
    module: Names,
    file: File,
    children: Vec<String>,
}

impl Collector {
    /// A path from a room on; none for one that begins with anything but a room, `crate`, `self` or `super`.
    fn full(&self, path: &[String]) -> Option<Names> {
        let mut from = match path.first()?.as_str() {
            "crate" => return Some([&self.module[..1], &path[1..]].concat()),
            "self" | "super" => self.module.clone(),
            name if self.children.iter().any(|child| child == name) => {
                return Some([&self.module[..], path].concat());
            }
            _ => return Some(path.to_vec()),
        };
        let mut rest = path;
        while let Some((first, others)) = rest.split_first() {
            match first.as_str() {
                "self" => {}
                "super" => drop(from.pop()),
                _ => break,
            }
            rest = others;
        }
        from.extend(rest.iter().cloned());
        Some(from)
    }

    fn add_use(&mut self, tree: &UseTree, prefix: &[String], is_public: bool) {
        let below = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
        let (name, path) = match tree {
            UseTree::Path(path) => return self.add_use(&path.tree, &below(&path.ident), is_public),
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.add_use(tree, prefix, is_public));
            }
            UseTree::Name(name) if name.ident == "self" => {
                (prefix.last().cloned().unwrap_or_default(), prefix.to_vec())
            }
            UseTree::Name(name) => (name.ident.to_string(), below(&name.ident)),
            UseTree::Rename(rename) => (rename.rename.to_string(), below(&rename.ident)),
            UseTree::Glob(_) => ("*".to_owned(), prefix.to_vec()),
        };
        let Some(full) = self.full(&path) else { return };
        if is_public {
            self.file.reexports.push((name, full));
        } else {
            self.file.paths.insert(full);
        }
    }
}

fn is_passed_over(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|path| ["test", "doc", "doctest"].iter().any(|name| path.is_ident(name)))
    })
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_file(&mut self, file: &'ast syn::File) {
        // Modules first, as uses may begin with their names.
        for item in &file.items {
            if let Item::Mod(module) = item
                && module.content.is_none()
                && !is_passed_over(&module.attrs)
            {
                self.children.push(module.ident.to_string());
            }
        }
        syn::visit::visit_file(self, file);
    }

    fn visit_item(&mut self, item: &'ast Item) {
        let (name, attributes) = match item {
            Item::Fn(item) => (Some(&item.sig.ident), &item.attrs),
            Item::Struct(item) => (Some(&item.ident), &item.attrs),
            Item::Enum(item) => (Some(&item.ident), &item.attrs),
            Item::Trait(item) => (Some(&item.ident), &item.attrs),
            Item::Type(item) => (Some(&item.ident), &item.attrs),
            Item::Const(item) => (Some(&item.ident), &item.attrs),
            Item::Static(item) => (Some(&item.ident), &item.attrs),
            Item::Macro(item) => (item.ident.as_ref(), &item.attrs),
            Item::Use(item) => (None, &item.attrs),
            Item::Mod(item) => (None, &item.attrs),
            Item::Impl(item) => (None, &item.attrs),
            other => return syn::visit::visit_item(self, other),
        };
        if is_passed_over(attributes) {
            return;
        }
        self.file.items.extend(name.map(ToString::to_string));
        syn::visit::visit_item(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.add_use(&item.tree, &[], !matches!(item.vis, Visibility::Inherited));
    }

    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let begins = ["crate", "super", "self"].contains(&names[0].as_str())
            || (names.len() > 1
                && (rooms().any(|room| room == names[0])
                    || self.children.contains(&names[0])
                    || ["clap", "highs", "highs_sys", "coin_cbc"].contains(&names[0].as_str())));
        if begins && names.len() > 1 {
            self.file.paths.extend(self.full(&names));
        }
        syn::visit::visit_path(self, path);
    }
}

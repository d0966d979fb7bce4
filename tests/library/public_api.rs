//! What may stand in the crate's public signatures, and what must be left to grow.

use quote::ToTokens;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use syn::{Fields, ImplItem, Item, Signature, TraitItem, UseTree, Visibility};

/// Crates that solve programs or write them down. Users of migopt must not depend on their versions.
const INNER_CRATES: [&str; 4] = ["good_lp", "highs", "highs_sys", "coin_cbc"];

/// What wings build programs with, in good_lp's expressions; `migopt` re-exports none of them.
const BUILDERS: [&str; 3] = ["src/milp/builder.rs", "src/milp/handle.rs", "src/kit/room_rows.rs"];

fn sources() -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs")
                && !BUILDERS.iter().any(|builder| path.ends_with(builder))
            {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// All names that a text of tokens mentions.
fn names(tokens: &impl ToTokens) -> BTreeSet<String> {
    let text = tokens.to_token_stream().to_string();
    let words = text.split(|character: char| !character.is_alphanumeric() && character != '_');
    words.map(str::to_owned).collect()
}

/// The names under which a file knows things of the inner crates, those crates themselves included.
fn imported(file: &syn::File) -> BTreeSet<String> {
    fn leaves(tree: &UseTree, found: &mut BTreeSet<String>) {
        match tree {
            UseTree::Path(path) => leaves(&path.tree, found),
            UseTree::Name(name) => drop(found.insert(name.ident.to_string())),
            UseTree::Rename(rename) => drop(found.insert(rename.rename.to_string())),
            UseTree::Group(group) => group.items.iter().for_each(|item| leaves(item, found)),
            UseTree::Glob(_) => panic!("a glob import hides what it brings"),
        }
    }
    let mut found: BTreeSet<String> =
        INNER_CRATES.into_iter().filter(|&name| name != "highs").map(str::to_owned).collect();
    for item in &file.items {
        if let Item::Use(item) = item
            && let UseTree::Path(path) = &item.tree
            && INNER_CRATES.contains(&path.ident.to_string().as_str())
        {
            leaves(&path.tree, &mut found);
        }
    }
    found
}

/// Public signatures of an item, each with a name for messages.
fn signatures(item: &Item) -> Vec<(String, BTreeSet<String>)> {
    let is_public = |visibility: &Visibility| matches!(visibility, Visibility::Public(_));
    let of_function = |signature: &Signature| (signature.ident.to_string(), names(signature));
    let of_fields = |fields: &Fields| {
        let public = fields.iter().filter(|field| is_public(&field.vis));
        public.map(|field| ("a field".to_owned(), names(&field.ty))).collect::<Vec<_>>()
    };
    match item {
        Item::Fn(function) if is_public(&function.vis) => vec![of_function(&function.sig)],
        Item::Struct(item) if is_public(&item.vis) => of_fields(&item.fields),
        Item::Enum(item) if is_public(&item.vis) => {
            vec![(item.ident.to_string(), names(&item.variants))]
        }
        Item::Type(item) if is_public(&item.vis) => vec![(item.ident.to_string(), names(&item.ty))],
        Item::Use(item) if is_public(&item.vis) => vec![("an export".to_owned(), names(&item.tree))],
        Item::Trait(item) if is_public(&item.vis) => {
            let functions = item.items.iter().filter_map(|item| match item {
                TraitItem::Fn(function) => Some(of_function(&function.sig)),
                _ => None,
            });
            functions.collect()
        }
        Item::Impl(item) => {
            let functions = item.items.iter().filter_map(|item| match item {
                ImplItem::Fn(function) if is_public(&function.vis) => Some(of_function(&function.sig)),
                _ => None,
            });
            functions.collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn no_public_signature_names_a_solver_crate() {
    let (mut broken, mut seen) = (Vec::new(), 0);
    for path in sources() {
        let file = syn::parse_file(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let inner = imported(&file);
        for (name, named) in file.items.iter().flat_map(signatures) {
            seen += 1;
            if let Some(inner) = named.intersection(&inner).next() {
                broken.push(format!("{}: {name} names {inner}", path.display()));
            }
        }
    }
    assert!(seen > 1000, "{seen}");
    assert_eq!(broken, Vec::<String>::new());
}

/// The front's own types can get more fields and variants without breaking anybody.
#[test]
fn what_the_front_declares_can_grow() {
    let mut seen = 0;
    for path in sources().into_iter().filter(|path| path.components().any(|part| part.as_os_str() == "front"))
    {
        let file = syn::parse_file(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for item in &file.items {
            let (name, attributes, may_grow) = match item {
                Item::Enum(item) => (&item.ident, &item.attrs, false),
                Item::Struct(item) => {
                    let hidden = item.fields.iter().any(|field| !matches!(field.vis, Visibility::Public(_)));
                    (&item.ident, &item.attrs, hidden)
                }
                _ => continue,
            };
            seen += 1;
            let says_so = attributes.iter().any(|attribute| attribute.path().is_ident("non_exhaustive"));
            assert!(may_grow || says_so, "{name} in {} cannot grow", path.display());
        }
    }
    assert!(seen >= 5, "{seen}");
}

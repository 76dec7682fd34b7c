//! Imports of the library point one way. Whoever adds a module finds its place here.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules, lowest first: one may import those in the lines before its own, and none of the
/// others. Those in one line do not know each other.
const LAYERS: &[&[&str]] = &[
    &["math"],
    &["prelude"],
    &["error"],
    &["memory"],
    &["hash"],
    &["simd"],
    &["codec"],
    &["solve"],
    &["filter"],
    &["cascade"],
    &["similar", "spell"],
    &["plan"],
];

/// The same inside of `filter`.
const FILTER_LAYERS: &[&[&str]] = &[
    &["design", "methods"],
    &["block"],
    &["bloom"],
    &["concurrent", "counting", "fixed", "growing", "rotating", "signatures"],
    &["any"],
    &["collect", "serde"],
];

/// A folder of modules, and which of them may import which.
struct Tree<'a> {
    /// The folder, and its path in Rust.
    folder: PathBuf,
    path: &'a str,
    layers: &'a [&'a [&'a str]],
}

impl Tree<'_> {
    fn layer(&self, module: &str) -> Option<usize> {
        self.layers.iter().position(|layer| layer.contains(&module))
    }

    /// What is imported against the order, and modules that have no place in it.
    fn violations(&self) -> Vec<String> {
        let mut found = Vec::new();
        for file in sources(&self.folder) {
            let inner = file.strip_prefix(&self.folder).unwrap();
            let mut module: Vec<String> = inner
                .with_extension("")
                .iter()
                .map(|part| part.to_str().unwrap().to_owned())
                .collect();
            if module.last().is_some_and(|name| ["mod", "lib"].contains(&name.as_str())) {
                module.pop();
            }
            let Some(own) = module.first().cloned() else { continue };
            let Some(layer) = self.layer(&own) else {
                found.push(format!("{own} has no layer"));
                continue;
            };
            let text = fs::read_to_string(&file).unwrap();
            for imported in imports(&text, self.path, module.len()) {
                let Some(other) = self.layer(&imported) else { continue };
                if imported != own && other >= layer {
                    found.push(format!("{} imports {imported}", file.display()));
                }
            }
        }
        found
    }
}

/// All source files of a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| match path.is_dir() {
            true => sources(&path),
            false => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

/// The modules directly under `path` that a text names, absolutely or by so many times `super`.
fn imports(text: &str, path: &str, depth: usize) -> Vec<String> {
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    // In a module of tests within the file there is one more.
    let relative = [depth, depth + 1].map(|depth| "super::".repeat(depth));
    let mut found = Vec::new();
    for prefix in [path, &relative[0], &relative[1]] {
        for (place, _) in code.match_indices(prefix) {
            if code[..place].ends_with("super::") {
                continue;
            }
            found.extend(first_names(&code[place + prefix.len()..]));
        }
    }
    found
}

/// The first name of a path, or those of all paths in braces.
fn first_names(rest: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let Some(group) = rest.strip_prefix('{') else { return vec![name(rest)] };
    let (mut depth, mut names, mut at_start) = (1, Vec::new(), true);
    for (place, c) in group.char_indices() {
        if at_start && !c.is_whitespace() {
            names.push(name(&group[place..]));
            at_start = false;
        }
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => break,
            '}' => depth -= 1,
            ',' => at_start = depth == 1,
            _ => {}
        }
    }
    names
}

fn folder(inner: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(inner)
}

#[test]
fn imports_point_one_way() {
    let trees = [
        Tree { folder: folder(""), path: "crate::", layers: LAYERS },
        Tree { folder: folder("filter"), path: "crate::filter::", layers: FILTER_LAYERS },
    ];
    let found: Vec<String> = trees.iter().flat_map(Tree::violations).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn an_import_is_found_however_it_is_written() {
    for (text, expected) in [
        ("use crate::filter::Line;", vec!["filter"]),
        ("let x = crate::plan::x();", vec!["plan"]),
        ("use crate::{Error, filter::{Line, cascade}, plan};", vec!["Error", "filter", "plan"]),
        ("use super::super::filter;", vec!["filter"]),
        ("    // crate::filter", vec![]),
    ] {
        assert_eq!(imports(text, "crate::", 2), expected, "{text}");
    }
}

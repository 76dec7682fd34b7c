//! Cascades: classes of keys from a file, and a small one that is watched at work.

use super::Answer;
use super::body::{Json, Keys, Name};
use crate::Error;
use crate::app::{App, aside};
use crate::files::Sort;
use axum::Json as Reply;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use tamis::cascade::Trainer;
use tamis::cascade::classic::{Algorithm, Classic, Functions, Step, Training};
use tamis::filter::Stored;
use tamis::hash::{KeyHash, KeyKinds};

/// The most keys, categories and functions of a cascade that is watched.
const MOST_KEYS: usize = 2000;
const MOST_CATEGORIES: usize = 20;
const MOST_FUNCTIONS: u8 = 32;

/// The most filters that are shown.
const MOST_STEPS: usize = 2000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Small {
    categories: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    functions: Vec<u8>,
    #[serde(default)]
    algorithm: u8,
    #[serde(default)]
    keys: Vec<String>,
}

pub async fn list(State(app): State<Arc<App>>) -> Answer {
    let cascades = aside(move || {
        let list = app.files.list(Sort::Cascade).into_iter();
        let shown = list.filter_map(|(name, file)| {
            let cascade = app.files.cascade(&name).ok()?;
            let names = cascade.categories().map(String::from_utf8_lossy);
            let categories: Vec<String> = names.map(Cow::into_owned).collect();
            Some(json!({ "name": name, "bytes": file.bytes, "categories": categories }))
        });
        Ok(shown.collect::<Vec<Value>>())
    });
    Ok(Reply(json!({ "cascades": cascades.await? })))
}

pub async fn classify(
    State(app): State<Arc<App>>,
    Name(name): Name<String>,
    Json(Keys { keys }): Json<Keys>,
) -> Answer {
    let categories = aside(move || {
        let cascade = app.files.cascade(&name)?;
        cascade.check_keys(KeyKinds::TEXT)?;
        let answers = keys.iter().map(|key| {
            let category = cascade.classify(key.as_str()).category();
            category.map(|category| String::from_utf8_lossy(cascade.name(category)).into_owned())
        });
        Ok(answers.collect::<Vec<Option<String>>>())
    });
    Ok(Reply(json!({ "categories": categories.await? })))
}

pub async fn trace(Json(small): Json<Small>) -> Answer {
    Ok(Reply(aside(move || traced(&small)).await?))
}

fn traced(small: &Small) -> Result<Value, Error> {
    let refused = |what: String| Err(Error::Request { what });
    let trained: usize = small.categories.values().map(Vec::len).sum();
    if trained + small.keys.len() > MOST_KEYS || small.categories.len() > MOST_CATEGORIES {
        return refused(format!(
            "at most {MOST_KEYS} keys and {MOST_CATEGORIES} categories are shown"
        ));
    }
    let functions = match (small.algorithm, &small.functions[..]) {
        (0, []) => Functions::Zero(1),
        (0, &[count]) => Functions::Zero(count),
        (1, []) => Functions::One(3, 4),
        (1, &[first, second]) => Functions::One(first, second),
        _ => return refused("algorithm 0 has one number of functions, algorithm 1 has two".into()),
    };
    if small.functions.iter().any(|count| *count > MOST_FUNCTIONS) {
        return refused(format!("at most {MOST_FUNCTIONS} functions are shown"));
    }
    let mut training = Training::new();
    let mut exact = Trainer::new(KeyHash::default());
    let names: Vec<&String> = small.categories.keys().collect();
    for (name, keys) in &small.categories {
        let category = training.category(name)?;
        let same = exact.category(name)?;
        for key in keys {
            if let Some(other) = training.insert(category, key.as_bytes()) {
                let other = String::from_utf8_lossy(training.name(other)).into_owned();
                return refused(format!("{key:?} is in two categories, {other:?} and {name:?}"));
            }
            exact.insert(same, key.as_str());
        }
    }
    let cascade = training.build(functions, 0)?;
    let mut bytes = Vec::new();
    cascade.write(&mut bytes)?;
    let built = exact.build(0)?;
    let mut file = Vec::new();
    built.write(&mut file)?;
    let keys = trained.max(1) as f64;
    let answers: Vec<Value> = small.keys.iter().map(|key| answer(&cascade, &names, key)).collect();
    Ok(json!({
        "rounds": rounds(&cascade, small, &names),
        "last": String::from_utf8_lossy(cascade.last()),
        "bytes": bytes.len(),
        "exact": {
            "bytes": file.len(), "bits_per_key": file.len() as f64 * 8.0 / keys,
            "entropy_bits_per_key": built.entropy_bits() / keys,
        },
        "answers": answers,
    }))
}

/// The steps of a key up to the one that settles it.
fn steps(cascade: &Classic<'_>, key: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for step in cascade.path(key.as_bytes()) {
        steps.push(step);
        if step.settles {
            break;
        }
    }
    steps
}

/// Who comes to each filter, whom it settles and whom it lets pass.
fn rounds(cascade: &Classic<'_>, small: &Small, names: &[&String]) -> Vec<Value> {
    let shapes: Vec<_> = cascade.shapes().take(MOST_STEPS).collect();
    let mut settled: Vec<Vec<&str>> = vec![Vec::new(); shapes.len()];
    let mut passed: Vec<Vec<&str>> = vec![Vec::new(); shapes.len()];
    for key in small.categories.values().flatten() {
        for (place, step) in steps(cascade, key).iter().enumerate().take(shapes.len()) {
            if step.settles { settled[place].push(key) } else { passed[place].push(key) }
        }
    }
    let filters: Vec<Value> = shapes
        .iter()
        .enumerate()
        .map(|(place, shape)| {
            let category = names[place % names.len().max(1)];
            let own = |key: &&&str| small.categories[category].iter().any(|other| other == **key);
            let come = settled[place].iter().chain(&passed[place]);
            let (members, held) = match cascade.algorithm() {
                Algorithm::Zero => ("others", come.filter(|key| !own(key)).count()),
                Algorithm::One => ("own", come.filter(own).count()),
            };
            let bits: u64 = shape.iter().flatten().map(|(bits, _)| bits).sum();
            json!({
                "category": category, "bits": bits, "hashes": shape[0].map_or(0, |(_, functions)| functions),
                "members": members, "held": held, "settled": settled[place], "passed": passed[place],
            })
        })
        .collect();
    filters.chunks(names.len().max(1)).map(|filters| json!({ "filters": filters })).collect()
}

fn answer(cascade: &Classic<'_>, names: &[&String], key: &str) -> Value {
    let path: Vec<Value> = steps(cascade, key)
        .iter()
        .enumerate()
        .take(MOST_STEPS)
        .map(|(place, step)| {
            let yes: Vec<bool> = step.said.iter().copied().flatten().collect();
            json!({
                "round": place / names.len().max(1), "category": names[place % names.len().max(1)],
                "yes": yes, "settled": step.settles,
            })
        })
        .collect();
    json!({ "key": key, "path": path, "category": String::from_utf8_lossy(cascade.classify(key.as_bytes())) })
}

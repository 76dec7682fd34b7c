//! How alike two texts are, and what an index has that is like a text.

use super::Answer;
use super::body::Json;
use super::filters::listed;
use crate::Error;
use crate::app::{App, aside};
use crate::files::Sort;
use crate::limits::SMALL;
use axum::Json as Reply;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tamis::similar::lsh::Bands;
use tamis::similar::shingle::words;
use tamis::similar::{Set, Shingler, Shingles, Signature, Signer, jaccard};

/// The longest text, in bytes, the most shingles that are shown, and the most matches.
const LONGEST: usize = 200_000;
const SHOWN: usize = 2000;
const MATCHES: usize = 1000;

/// Maximum number of words or characters of a shingle.
const MOST_IN_SHINGLE: usize = 16;

/// Bytes of memory for each byte of two texts that are compared.
const SHINGLED: usize = 160;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    left: String,
    right: String,
    #[serde(default = "three_words")]
    shingle: String,
    #[serde(default = "components")]
    components: usize,
    #[serde(default = "sixteen")]
    bands: usize,
    #[serde(default = "eight")]
    rows: usize,
}

fn three_words() -> String {
    "words:3".to_owned()
}

const fn components() -> usize {
    128
}

const fn sixteen() -> usize {
    16
}

const fn eight() -> usize {
    8
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    index: String,
    text: String,
    threshold: Option<f64>,
    count: Option<usize>,
}

pub async fn compare(State(app): State<Arc<App>>, Json(pair): Json<Pair>) -> Answer {
    let bytes = pair.left.len() + pair.right.len();
    if bytes <= SMALL / 4 {
        return Ok(Reply(aside(move || compared(&pair)).await?));
    }
    let turn = app.budget.turn_for(bytes.min(2 * LONGEST) * SHINGLED).await?;
    let work = move || {
        let _turn = turn;
        compared(&pair)
    };
    Ok(Reply(aside(work).await?))
}

fn compared(pair: &Pair) -> Result<Value, Error> {
    let refused = |what: String| Err(Error::Request { what });
    if pair.left.len().max(pair.right.len()) > LONGEST {
        return refused(format!("texts of at most {LONGEST} bytes are compared here"));
    }
    let shingles: Shingles = pair.shingle.parse()?;
    if matches!(shingles, Shingles::Words(count) | Shingles::Characters(count) if count > MOST_IN_SHINGLE)
    {
        return refused(format!(
            "a shingle has at most {MOST_IN_SHINGLE} words or characters here"
        ));
    }
    let shingler = Shingler::new(shingles).lowercase(true);
    let signer = Signer::new(pair.components)?;
    let (bands, rows) = (pair.bands, pair.rows);
    if bands == 0 || rows == 0 || bands.checked_mul(rows).is_none_or(|all| all > pair.components) {
        return refused(format!(
            "{bands} bands of {rows} rows need {} components, and there are {}",
            bands.saturating_mul(rows),
            pair.components
        ));
    }
    let sets = [&pair.left, &pair.right].map(|text| shingler.set(text));
    let texts = [&pair.left, &pair.right].map(|text| texts_of(text, shingles, &shingler));
    let signatures = sets.each_ref().map(|set| signer.sign(set));
    let [left, right] = signatures.each_ref().map(Signature::components);
    // Empty sets have no component that says anything.
    let any = sets.iter().all(|set| !set.is_empty());
    let agreeing: Vec<usize> =
        (0..left.len()).filter(|&place| any && left[place] == right[place]).collect();
    let of_band = |band: usize| band * rows..(band + 1) * rows;
    let agree: Vec<bool> =
        (0..bands).map(|band| any && left[of_band(band)] == right[of_band(band)]).collect();
    let similarity = jaccard::similarity(&sets[0], &sets[1]);
    let shown = |texts: &BTreeMap<u64, String>, keep: &dyn Fn(u64) -> bool| -> Vec<String> {
        let own = texts.iter().filter(|(hash, _)| keep(**hash));
        own.map(|(_, text)| text.clone()).take(SHOWN).collect()
    };
    let has = |set: &Set, hash: u64| set.binary_search(&hash).is_ok();
    let hex = |components: &[u64]| -> Vec<String> {
        components.iter().map(|component| format!("{component:016x}")).collect()
    };
    Ok(json!({
        "jaccard": similarity,
        "estimate": signatures[0].similarity(&signatures[1])?,
        "shingles": {
            "left": shown(&texts[0], &|_| true),
            "right": shown(&texts[1], &|_| true),
            "common": shown(&texts[0], &|hash| has(&sets[1], hash)),
            "counts": {
                "left": sets[0].len(), "right": sets[1].len(),
                "common": jaccard::intersection(&sets[0], &sets[1]),
            },
        },
        "signatures": { "left": hex(left), "right": hex(right) },
        "agreeing": agreeing,
        "bands": agree,
        "candidate": agree.contains(&true),
        "probability": Bands { bands, rows }.probability(similarity),
    }))
}

/// The shingles of a text as one reads them, by their hashes.
fn texts_of(text: &str, shingles: Shingles, shingler: &Shingler) -> BTreeMap<u64, String> {
    let mut pieces: Vec<String> = Vec::new();
    match shingles {
        Shingles::Words(count) => {
            let mut all: Vec<String> = Vec::new();
            words(&text.to_lowercase(), |word| {
                all.push(String::from_utf8_lossy(word).into_owned());
            });
            let count = count.min(all.len().max(1));
            pieces.extend(all.windows(count).map(|run| run.join(" ")));
        }
        Shingles::Characters(count) => {
            let all: Vec<char> = text.to_lowercase().chars().collect();
            let count = count.min(all.len().max(1));
            pieces.extend(all.windows(count).map(|run| run.iter().collect::<String>()));
        }
        _ => {}
    }
    let mut texts = BTreeMap::new();
    for piece in pieces {
        if let &[hash] = &shingler.set(&piece)[..] {
            texts.insert(hash, piece);
        }
    }
    texts
}

pub async fn indexes(State(app): State<Arc<App>>) -> Answer {
    let indexes = aside(move || Ok(listed(&app, Sort::Index))).await?;
    Ok(Reply(json!({ "indexes": indexes })))
}

pub async fn query(State(app): State<Arc<App>>, Json(question): Json<Question>) -> Answer {
    let matches = aside(move || {
        let index = app.files.index(&question.index)?;
        let Some(shingler) = index.shingler() else {
            let what = format!("{:?} does not say how its documents became sets", question.index);
            return Err(Error::Request { what });
        };
        let set = shingler.set(&question.text);
        let count = question.count.unwrap_or(10).min(MATCHES);
        let found = match question.threshold {
            Some(threshold) => index.similars_to(&set, threshold),
            None => index.nearest(&set, count),
        };
        let shown = found.iter().take(count);
        Ok(shown
            .map(|found| json!({ "id": found.id, "similarity": found.similarity }))
            .collect::<Vec<Value>>())
    });
    Ok(Reply(json!({ "matches": matches.await? })))
}

//! The texts: a folder's files, or generated ones that are like mail.
//!
//! Generated texts have the sizes of mail (log-normal, half of them under 128 words), words by Zipf's law
//! (word `r` is drawn with probability about `1 / r`), and a part that is copied from another
//! text with some of its words replaced.

use crate::keys::splitmix64;
use anyhow::{Context as _, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// How many texts are generated.
pub(crate) const GENERATED: usize = 20_000;

/// Every file of a folder, at any depth, in the order of paths: Latin-1, in lower case.
///
/// # Errors
/// A file or folder that cannot be read, or no file at all.
pub(crate) fn of_folder(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut paths = Vec::new();
    collect(folder, &mut paths)?;
    ensure!(!paths.is_empty(), "there is no file in {}", folder.display());
    paths.sort();
    let text = |path: &PathBuf| {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(bytes.into_iter().map(char::from).collect::<String>().to_lowercase())
    };
    paths.iter().map(text).collect()
}

/// Where texts are installed: sources of crates, documents and packages of Python.
fn installed() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let cargo = std::env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    let mut roots = vec![cargo.join("registry/src"), "/usr/share".into(), "/usr/lib".into()];
    roots.extend(["/usr/local/lib".into(), home.join(".pyenv/versions")]);
    roots.retain(|root| root.is_dir());
    roots
}

/// The sizes of files that are taken as documents.
const DOCUMENT: std::ops::RangeInclusive<u64> = 200..=1 << 20;

/// About so many bytes of installed texts, in lower case: from all places the same part of the files.
///
/// # Errors
/// Fewer texts than that.
pub(crate) fn assembled(bytes: usize) -> anyhow::Result<Vec<String>> {
    let mut paths = Vec::new();
    for root in installed() {
        walk(&root, &mut paths);
    }
    paths.sort();
    // By a hash of the place, so that a part of the files is from everywhere.
    paths.sort_by_cached_key(|path| {
        let place = path.as_os_str().as_encoded_bytes();
        splitmix64(place.iter().fold(0, |sum, &byte| splitmix64(sum ^ u64::from(byte))))
    });
    let (mut texts, mut size) = (Vec::new(), 0);
    for path in paths {
        if size >= bytes {
            break;
        }
        let Ok(text) = fs::read_to_string(&path) else { continue };
        if text.contains('\0') {
            continue;
        }
        let text = text.to_lowercase();
        size += text.len();
        texts.push(text);
    }
    ensure!(size >= bytes, "only {size} bytes of texts are installed");
    Ok(texts)
}

/// Files of the size of documents; links are not followed, and what cannot be read is left out.
fn walk(folder: &Path, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        match entry.metadata() {
            Ok(data) if data.is_dir() => walk(&entry.path(), paths),
            Ok(data) if data.is_file() && DOCUMENT.contains(&data.len()) => {
                paths.push(entry.path());
            }
            _ => {}
        }
    }
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let refused = || format!("cannot read {}", folder.display());
    for entry in fs::read_dir(folder).with_context(refused)? {
        let path = entry.with_context(refused)?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

/// So many generated texts, the same on every machine.
pub(crate) fn generated(count: usize) -> Vec<String> {
    let mut source = Source { draws: 0 };
    let mut texts: Vec<Vec<u32>> = Vec::with_capacity(count);
    for index in 0..count {
        let text = match source.unit() < 0.25 && index > 0 {
            true => {
                let original = &texts[index - 1 - source.below(index.min(2000))];
                source.near_copy(original)
            }
            false => source.text(),
        };
        texts.push(text);
    }
    texts.iter().map(|words| words.iter().map(|&rank| word(rank)).collect()).collect()
}

/// A word and a space behind it: the more common, the shorter.
fn word(rank: u32) -> String {
    let mut letters = String::new();
    let mut rest = rank;
    loop {
        letters.push(char::from(b'a' + (rest % 20) as u8));
        rest /= 20;
        if rest == 0 {
            letters.push(' ');
            return letters;
        }
    }
}

/// Random numbers and what is made of them.
pub(crate) struct Source {
    pub(crate) draws: u64,
}

impl Source {
    /// In 0 .. 1.
    pub(crate) fn unit(&mut self) -> f64 {
        self.draws += 1;
        (splitmix64(self.draws) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// In 0 .. `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.unit() * end as f64) as usize
    }

    /// A rank by Zipf's law, among 100 thousand.
    fn rank(&mut self) -> u32 {
        (100_000f64.powf(self.unit()) - 1.0) as u32
    }

    fn text(&mut self) -> Vec<u32> {
        // Twelve uniform numbers add up to a nearly normal one.
        let normal = (0..12).map(|_| self.unit()).sum::<f64>() - 6.0;
        let words = (128.0 * (1.2 * normal).exp()).clamp(3.0, 20_000.0) as usize;
        (0..words).map(|_| self.rank()).collect()
    }

    fn near_copy(&mut self, original: &[u32]) -> Vec<u32> {
        let replaced = 0.15 * self.unit() * self.unit();
        let word = |&rank| if self.unit() < replaced { self.rank() } else { rank };
        original.iter().map(word).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_half_of_the_generated_texts_have_under_128_words() {
        let texts = generated(2000);
        let small = texts.iter().filter(|text| text.split_whitespace().count() < 128).count();
        assert!((850..1150).contains(&small), "{small}");
        assert_eq!(texts, generated(2000));
    }

    #[test]
    fn files_are_latin_1_in_the_order_of_their_paths() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("b")).unwrap();
        fs::write(folder.path().join("b/1"), b"Gr\xFC\xDFe").unwrap();
        fs::write(folder.path().join("a"), b"ONE").unwrap();
        assert_eq!(of_folder(folder.path()).unwrap(), ["one", "grüße"]);
    }
}

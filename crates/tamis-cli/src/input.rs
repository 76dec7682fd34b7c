//! Opening filters and reading keys, with the names of files in every error.

use crate::hints::Hint;
use crate::progress::Progress;
use anyhow::{Context, anyhow};
use clap::Args;
use std::path::{Path, PathBuf};
use tamis::filter::{AnyFilter, Filter, Mapped};
use tamis::hash::{Key, KeyHash, KeyKinds};
use tamis_corpus::files::{self, Bytes};
use tamis_corpus::keys::{self, Separator};
use tamis_corpus::lock::Lock;

/// A filter straight from a mapped file.
pub type MappedFilter = AnyFilter<Mapped<Bytes>>;

/// How many keys are asked for at once.
pub const BATCH: usize = 256;

/// Where keys come from.
#[derive(Debug, Clone, Args)]
pub struct KeyInput {
    /// Files with one key per line; standard input if there is none, or for `-`
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Keys end with NUL instead of a line end, in and out
    #[arg(long, short = '0')]
    pub null: bool,

    /// Each line is an integer: a key of its own, and not the text of its digits
    #[arg(long)]
    pub integers: bool,
}

impl KeyInput {
    /// What ends a key.
    pub const fn separator(&self) -> Separator {
        if self.null { Separator::Null } else { Separator::Line }
    }

    /// What the lines are as keys.
    pub const fn kinds(&self) -> KeyKinds {
        if self.integers { KeyKinds::INTEGERS } else { KeyKinds::TEXT }
    }

    /// Refuses a filter that was built from other keys than the lines are.
    pub fn check_kinds(&self, path: &Path, filter: &impl Filter) -> anyhow::Result<()> {
        self.check(path, filter.check_keys(self.kinds()))
    }

    /// Says what to do about keys of the wrong kind.
    pub fn check(&self, path: &Path, checked: tamis::Result<()>) -> anyhow::Result<()> {
        let hint = match self.integers {
            true => "without --integers lines are text",
            false => "--integers reads lines as integers",
        };
        checked.with_context(|| path.display().to_string()).context(Hint(hint))
    }

    /// The hash of a line.
    fn hash_of(&self, line: &[u8], hash: &KeyHash) -> anyhow::Result<u64> {
        if !self.integers {
            return Ok(line.hash_with(hash));
        }
        let text = std::str::from_utf8(line).unwrap_or_default().trim();
        let number = text.parse::<i128>().ok().map(|number| number.hash_with(hash));
        number.ok_or_else(|| anyhow!("this line is no integer: {}", crate::output::escaped(line)))
    }

    /// Calls `visit` with up to [`BATCH`] keys and their hashes at a time.
    pub fn for_each_batch(
        &self,
        what: &'static str,
        hash: &KeyHash,
        mut visit: impl FnMut(&[&[u8]], &[u64]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut progress = Progress::reading(what, &self.files);
        keys::for_each_block(&self.files, self.separator(), |block| -> anyhow::Result<()> {
            let mut keys: Vec<&[u8]> = Vec::with_capacity(BATCH);
            let mut hashes: Vec<u64> = Vec::with_capacity(BATCH);
            for key in block.keys() {
                keys.push(key);
                hashes.push(self.hash_of(key, hash)?);
                if keys.len() == BATCH {
                    visit(&keys, &hashes)?;
                    keys.clear();
                    hashes.clear();
                }
            }
            if !keys.is_empty() {
                visit(&keys, &hashes)?;
            }
            progress.advance(block.size() as u64);
            Ok(())
        })
    }
}

/// Maps a filter.
pub fn open_filter(path: &Path) -> anyhow::Result<MappedFilter> {
    AnyFilter::in_place(files::map(path)?).with_context(|| path.display().to_string())
}

/// Reads a filter into memory to change it; its content is checked first, so that damage is
/// not written back with a fresh checksum.
pub fn load_filter(path: &Path) -> anyhow::Result<AnyFilter> {
    verify_filter(path)?;
    open_filter(path)?.to_owned().with_context(|| path.display().to_string())
}

/// Checks header and content of a filter.
pub fn verify_filter(path: &Path) -> anyhow::Result<()> {
    AnyFilter::verify(files::map(path)?).with_context(|| path.display().to_string())
}

/// Locks a file until it is replaced, and says so when another process has it.
pub fn lock(path: &Path) -> anyhow::Result<Lock> {
    let waiting = || eprintln!("waiting for another process that changes {}", path.display());
    Lock::of(path, waiting).with_context(|| path.display().to_string())
}

/// Writes a filter whole or not at all. Commands that change a file hold its [`lock`] from before
/// they read it.
pub fn save_filter(path: &Path, filter: &AnyFilter) -> anyhow::Result<()> {
    files::write_atomically(path, |out| -> anyhow::Result<()> { Ok(filter.write(out)?) })
        .with_context(|| path.display().to_string())
}

/// Warns when a filter holds more than it was made for.
pub fn warn_if_overfull(filter: &AnyFilter) {
    let design = filter.design();
    let keeps_rate = matches!(filter.kind(), tamis::codec::Kind::Growing);
    if keeps_rate || filter.len() <= design.items {
        return;
    }
    let rate = filter.current_false_positive_rate();
    if rate > 1.1 * design.rate {
        eprintln!(
            "warning: {} keys are in and the filter was made for {}; its false-positive rate is {} now",
            crate::values::grouped(filter.len()),
            crate::values::grouped(design.items),
            crate::values::Percent(rate),
        );
    }
}

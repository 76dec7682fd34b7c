//! `tamis filter spell`: words that a dictionary does not have, and what was perhaps meant.

use crate::exit::ExitCode;
use crate::hints::Hint;
use crate::input::{MappedFilter, open_filter};
use crate::output::Output;
use crate::progress::Progress;
use crate::values::Percent;
use anyhow::{Context, anyhow};
use clap::Args;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use tamis::filter::AnyFilter;
use tamis::hash::KeyKinds;
use tamis::spell::{Decoded, Speller};
use tamis_corpus::Error;
use tamis_corpus::keys::{self, Separator};

#[derive(Debug, Args)]
#[command(
    after_help = "Prints file:line:column, a tab, the word, a tab, and suggestions: the words of the dictionary at one
edit, likely ones first. Columns count characters from 1. Addresses, paths, numbers and code are
passed over. Exit code 0 if all words are known, 1 if some are not.

A filter takes some strings for words. Build dictionaries with a small rate: at one in a million
(29 bits per word) one in a thousand unknown words gets a suggestion that is no word; with --words
there is none. In a counting filter, words that were added more often are suggested first.

Examples:
  apt-get install wportuguese
  tamis filter build --rate 0.000001 --layout classic -o pt.tamis /usr/share/dict/portuguese
  tamis filter spell pt.tamis carta.txt
  tamis filter spell pt.tamis --words /usr/share/dict/portuguese --json < carta.txt"
)]
pub struct SpellArgs {
    /// The dictionary: a filter of words
    #[arg(value_name = "DICT")]
    filter: PathBuf,

    /// Texts to read; standard input if there is none, or for `-`
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Print an object per unknown word: path, line, column, offset (in bytes), word, suggestions
    #[arg(long)]
    json: bool,

    /// The word list: what the filter takes for a word must be in it
    #[arg(long, value_name = "LIST")]
    words: Option<PathBuf>,

    /// At most so many suggestions for a word
    #[arg(long, value_name = "N", default_value_t = 5)]
    suggestions: usize,

    /// More letters to make suggestions from, beside those of English, Portuguese and Dutch
    #[arg(long, value_name = "LETTERS")]
    alphabet: Option<String>,
}

/// How many words have their suggestions remembered.
const REMEMBERED: usize = 1 << 16;

/// How many wrong suggestions for a word of ten letters are worth a warning.
const TOO_MANY: f64 = 0.1;

pub fn run(args: &SpellArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let dictionary = open_filter(&args.filter)?;
    if let AnyFilter::Signatures(_) = dictionary {
        return Err(anyhow!("{}: signatures are no dictionary", args.filter.display()))
            .context(Hint("build one of a word list, without --signatures"));
    }
    dictionary.check_keys(KeyKinds::TEXT).with_context(|| args.filter.display().to_string())?;
    let list = args.words.as_deref().map(read_words).transpose()?;
    let speller = speller(&dictionary, list.as_ref(), args);
    warn_if_too_many(&dictionary, &speller);
    let standard_input = [PathBuf::from("-")];
    let files = if args.files.is_empty() { &standard_input[..] } else { &args.files };
    let mut progress = Progress::reading("spelling", files);
    let mut report =
        Report { suggestions: HashMap::new(), limit: args.suggestions, json: args.json, out };
    let mut all_known = true;
    for path in files {
        all_known &= spell(path, &speller, &mut progress, &mut report)?;
    }
    Ok(ExitCode::from_found(all_known))
}

fn speller<'a>(
    dictionary: &'a MappedFilter,
    list: Option<&'a HashSet<Box<[u8]>>>,
    args: &SpellArgs,
) -> Speller<'a, MappedFilter> {
    let mut speller = Speller::new(dictionary);
    if let Some(letters) = &args.alphabet {
        speller = speller.with_letters(letters);
    }
    if let Some(list) = list {
        speller = speller.confirmed_by(|word| list.contains(word.as_bytes()));
    }
    if let AnyFilter::Counting(counting) = dictionary {
        speller = speller.counted_by(|word| counting.count(word));
    }
    speller
}

fn warn_if_too_many(dictionary: &MappedFilter, speller: &Speller<'_, MappedFilter>) {
    let wrong = speller.expected_false_suggestions(10);
    if wrong > TOO_MANY {
        eprintln!(
            "warning: this dictionary takes {} of all strings for words, so that a word of ten letters gets \
             about {wrong:.1} suggestions that are none; build it with --rate 0.000001, or say --words LIST",
            Percent(dictionary.current_false_positive_rate()),
        );
    }
}

/// Reports the unknown words of one file; returns whether there was none.
fn spell(
    path: &Path,
    speller: &Speller<'_, MappedFilter>,
    progress: &mut Progress,
    report: &mut Report<'_>,
) -> anyhow::Result<bool> {
    let mut all_known = true;
    let mut number = 0;
    let mut start = 0;
    keys::for_each_block(&[path.to_owned()], Separator::Line, |block| -> anyhow::Result<()> {
        let mut first = None;
        for line in block.keys() {
            number += 1;
            // Lines come without their ends, of one byte or two; where they lie tells offsets.
            let address = line.as_ptr().addr();
            let line_start = start + (address - *first.get_or_insert(address)) as u64;
            let decoded = Decoded::new(line);
            for unknown in speller.unknown(decoded.text()) {
                all_known = false;
                let offset = line_start + decoded.offset(unknown.offset) as u64;
                let place = Place { path, line: number, column: unknown.column, offset };
                report.unknown(&place, unknown.word, speller)?;
            }
        }
        start += block.size() as u64;
        progress.advance(block.size() as u64);
        Ok(())
    })
    .map_err(|error| match error.downcast_ref() {
        Some(Error::Endless { name, number, limit }) => anyhow!(
            "{}: line {number} is longer than {} MiB; this is no text",
            name.display(),
            limit >> 20
        ),
        _ => error,
    })?;
    Ok(all_known)
}

/// Where an unknown word stands.
struct Place<'a> {
    path: &'a Path,
    line: u64,
    column: u64,
    offset: u64,
}

/// An unknown word for a program.
#[derive(Serialize)]
struct Unknown<'a> {
    path: &'a str,
    line: u64,
    column: u64,
    offset: u64,
    word: &'a str,
    suggestions: &'a [String],
}

/// Prints unknown words and remembers what was suggested for them.
struct Report<'o> {
    suggestions: HashMap<String, Vec<String>>,
    limit: usize,
    json: bool,
    out: &'o mut Output,
}

impl Report<'_> {
    fn unknown(
        &mut self,
        place: &Place<'_>,
        word: &str,
        speller: &Speller<'_, MappedFilter>,
    ) -> anyhow::Result<()> {
        if !self.suggestions.contains_key(word) {
            if self.suggestions.len() == REMEMBERED {
                self.suggestions.clear();
            }
            let found = if self.limit > 0 { speller.suggest(word) } else { Vec::new() };
            let words = found.into_iter().take(self.limit).map(|suggestion| suggestion.word);
            self.suggestions.insert(word.to_owned(), words.collect());
        }
        let suggestions = &self.suggestions[word];
        let Place { path, line, column, offset } = *place;
        if self.json {
            let path = &path.to_string_lossy();
            return self.out.json(&Unknown { path, line, column, offset, word, suggestions });
        }
        self.out.data(path.as_os_str().as_encoded_bytes())?;
        self.out.text(format_args!(":{line}:{column}\t"))?;
        self.out.data(word.as_bytes())?;
        self.out.byte(b'\t')?;
        self.out.data(suggestions.join(", ").as_bytes())?;
        Ok(self.out.byte(b'\n')?)
    }
}

fn read_words(path: &Path) -> anyhow::Result<HashSet<Box<[u8]>>> {
    let mut words = HashSet::new();
    keys::for_each_block(&[path.to_owned()], Separator::Line, |block| -> anyhow::Result<()> {
        words.extend(block.keys().map(Box::from));
        Ok(())
    })?;
    Ok(words)
}

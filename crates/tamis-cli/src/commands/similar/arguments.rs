//! What the verbs of `tamis similar` have in common: where documents come from, what makes them
//! similar, and what a run may use.

use crate::hints::Hint;
use crate::values;
use anyhow::Context;
use clap::{Args, ValueEnum};
use std::cell::OnceCell;
use std::path::PathBuf;
use tamis::hash::KeyHash;
use tamis::similar::lsh::Bands;
use tamis::similar::shingle::{Normalization, Tokens};
use tamis::similar::{Shingler, Shingles, Signer};
use tamis_corpus::documents::{BadList, Encoding, Format, MAX_DOCUMENT, ReadOptions, Tolerance};
use tamis_corpus::sets::{ColumnName, SetOptions};
use tamis_corpus::similar::{DEFAULT_MEMORY, MIN_MEMORY, Plan, Scoring};

/// How bytes become text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EncodingArg {
    /// UTF-8, UTF-16 by its mark, Latin-1 for what is neither
    Detect,
    /// Latin-1, whatever it looks like
    Latin1,
}

/// How documents are read.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Reading")]
pub struct Reading {
    /// What the inputs are: files, lines, jsonl, csv, tsv, parquet or arrow [default: what their
    /// content says]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,

    /// Column with the text, or the way to it (meta.text); several are joined [default: text,
    /// content, body or message]
    #[arg(long, value_name = "NAME")]
    text_column: Vec<String>,

    /// Column that names a document, or the way to it [default: id, or the place of the record]
    #[arg(long, value_name = "NAME")]
    id_column: Option<String>,

    /// How bytes become text
    #[arg(long, default_value = "detect")]
    encoding: EncodingArg,

    /// Stop at the first record that cannot be read, instead of counting it
    #[arg(long)]
    strict: bool,

    /// Largest part of the records that may be unreadable; more of them are an error
    #[arg(long, value_name = "RATE", value_parser = values::rate, default_value = "1%")]
    max_bad: f64,

    /// List every record that cannot be read: .tsv, .csv, .jsonl or .parquet
    #[arg(long, value_name = "FILE")]
    pub bad: Option<PathBuf>,

    #[arg(skip)]
    list: OnceCell<BadList>,

    /// The longest document; longer ones are passed by
    #[arg(long, value_name = "SIZE", value_parser = values::bytes)]
    max_document: Option<u64>,

    /// Quotes mean nothing in CSV and TSV
    #[arg(long)]
    no_quotes: bool,
}

impl Reading {
    pub fn options(&self) -> anyhow::Result<ReadOptions> {
        let longest = self.max_document.map_or(MAX_DOCUMENT, |bytes| bytes as usize);
        Ok(ReadOptions {
            format: self.format,
            plain: Format::Lines,
            text: self.text_column.clone(),
            id: self.id_column.clone(),
            field: None,
            tolerance: self.tolerance()?,
            max_document: longest,
            encoding: self.encoding(),
            quotes: !self.no_quotes,
        })
    }

    /// What is done about records that cannot be read; their list is begun.
    fn tolerance(&self) -> anyhow::Result<Tolerance> {
        anyhow::ensure!(
            (0.0..=1.0).contains(&self.max_bad),
            "--max-bad is a part of all records, from 0 to 100%"
        );
        let bad = match (&self.bad, self.list.get()) {
            (None, _) => None,
            (Some(_), Some(list)) => Some(list.clone()),
            (Some(path), None) => Some(self.list.get_or_init(|| BadList::new(path)).clone()),
        };
        Ok(Tolerance { strict: self.strict, max_bad: self.max_bad, bad })
    }

    /// Writes the list of what could not be read, also of a run that was refused for it.
    pub fn finish_list(&self) -> anyhow::Result<()> {
        Ok(self.list.get().map_or(Ok(()), BadList::finish)?)
    }

    const fn encoding(&self) -> Encoding {
        match self.encoding {
            EncodingArg::Detect => Encoding::Detect,
            EncodingArg::Latin1 => Encoding::Latin1,
        }
    }
}

/// Ready-made sets instead of documents.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Ready-made sets")]
pub struct Sets {
    /// Each row names a set and one of its members
    #[arg(long)]
    pub sets: bool,

    /// The column that names the set, by number or name
    #[arg(long, value_name = "COLUMN", default_value = "1", requires = "sets")]
    set_column: ColumnName,

    /// The column that names the member, by number or name
    #[arg(long, value_name = "COLUMN", default_value = "2", requires = "sets")]
    item_column: ColumnName,
}

impl Sets {
    pub fn options(&self, reading: &Reading) -> anyhow::Result<SetOptions> {
        Ok(SetOptions {
            format: reading.format,
            set: self.set_column.clone(),
            item: self.item_column.clone(),
            header: None,
            tolerance: reading.tolerance()?,
            encoding: reading.encoding(),
        })
    }
}

/// Unicode normalisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NormalArg {
    /// Composed: what looks the same is the same
    Nfc,
    /// Composed, and without compatibility forms: full-width letters, ligatures
    Nfkc,
}

/// How documents become sets.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Shingles")]
pub struct Shingling {
    /// What is compared: words:K (K words in a row), chars:K, bytes:K, stopwords:en (pt, nl, es, fr,
    /// de), text or picture
    #[arg(long, value_name = "SHINGLE", default_value = "words:3")]
    pub shingle: Shingles,

    /// What a word is, for words:K and stopwords: whitespace (what stands between white space, with
    /// its punctuation; a Chinese, Japanese or Thai character) or unicode (words of Unicode's annex
    /// 29, without punctuation)
    #[arg(long, value_name = "TOKENS", default_value = "whitespace")]
    tokens: Tokens,

    /// Take upper case as lower case
    #[arg(long)]
    pub lowercase: bool,

    /// Normalise Unicode
    #[arg(long, value_name = "FORM")]
    normalize: Option<NormalArg>,
}

impl Shingling {
    pub fn shingler(&self) -> Shingler {
        let normalization = self.normalize.map(|form| match form {
            NormalArg::Nfc => Normalization::Nfc,
            NormalArg::Nfkc => Normalization::Nfkc,
        });
        Shingler::new(self.shingle)
            .tokens_as(self.tokens)
            .lowercase(self.lowercase)
            .normalize(normalization)
    }
}

/// Signatures and bands.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Candidates")]
pub struct Banding {
    /// Components of a signature: 1 to 4096
    #[arg(long, value_name = "K", default_value_t = 128)]
    pub components: usize,

    /// The part of the pairs at the threshold that must be found
    #[arg(long, value_parser = values::rate, default_value = "0.995")]
    recall: f64,

    /// So many bands, instead of those that give the recall
    #[arg(long, requires = "rows", conflicts_with = "recall")]
    bands: Option<usize>,

    /// So many rows in each band
    #[arg(long, requires = "bands")]
    rows: Option<usize>,

    /// Seed of the signatures
    #[arg(long, value_parser = values::seed, default_value = "0")]
    seed: u64,
}

impl Banding {
    pub fn signer(&self) -> anyhow::Result<Signer> {
        Ok(Signer::new(self.components)?.with_hash(KeyHash::new(self.seed)))
    }

    pub fn bands(&self, threshold: f64) -> anyhow::Result<Bands> {
        let Some((bands, rows)) = self.bands.zip(self.rows) else {
            let bands = Bands::for_recall(self.components, threshold, self.recall)?;
            if bands.probability(threshold) < self.recall {
                let most = values::Percent(bands.probability(threshold));
                let refusal = format!("{} components find at most {most}", self.components);
                return Err(anyhow::anyhow!(refusal)
                    .context(Hint("ask for more --components or less --recall")));
            }
            return Ok(bands);
        };
        let bands = Bands { bands, rows };
        anyhow::ensure!(
            bands.bands > 0 && bands.rows > 0 && bands.components() <= self.components,
            "{} bands of {} rows do not fit into {} components",
            bands.bands,
            bands.rows,
            self.components
        );
        Ok(bands)
    }
}

/// What makes two documents similar.
#[derive(Debug, Clone, Args)]
pub struct Comparing {
    /// The least similarity of a pair, of Jaccard: above 0, at most 1
    #[arg(long, short, value_parser = values::rate, default_value = "0.8")]
    pub threshold: f64,

    /// Trust the signatures; no candidate is verified, and less is kept
    #[arg(long)]
    pub estimate: bool,

    #[command(flatten)]
    pub shingling: Shingling,

    #[command(flatten)]
    pub banding: Banding,
}

impl Comparing {
    pub fn plan(&self) -> anyhow::Result<Plan> {
        Ok(Plan {
            shingler: self.shingling.shingler(),
            signer: self.banding.signer()?,
            bands: self.banding.bands(self.threshold)?,
            threshold: self.threshold,
            scoring: if self.estimate { Scoring::Estimate } else { Scoring::Exact },
        })
    }
}

/// What a run may use.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Resources")]
pub struct Resources {
    /// Memory before parts go to disk: 512M, 2G; at least 64M
    #[arg(long, value_name = "SIZE", value_parser = values::bytes)]
    memory: Option<u64>,

    /// Threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Keep finished stages in this folder, and continue from them; a run with other options or
    /// inputs is refused
    #[arg(long, value_name = "DIR", conflicts_with = "bad")]
    pub resume: Option<PathBuf>,

    /// No summary
    #[arg(long, short)]
    pub quiet: bool,
}

impl Resources {
    pub fn memory(&self) -> anyhow::Result<u64> {
        let memory = self.memory.unwrap_or(DEFAULT_MEMORY);
        anyhow::ensure!(
            memory >= MIN_MEMORY,
            "{} is too little memory; give at least {}",
            values::size(memory),
            values::size(MIN_MEMORY)
        );
        Ok(memory)
    }

    /// Starts the threads of this process.
    pub fn start_threads(&self) -> anyhow::Result<()> {
        let threads = self.threads.map_or(0, usize::from);
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .context("cannot start threads")
    }
}

/// A corpus or sets, compared all with all, with rows as the result.
#[derive(Debug, Clone, Args)]
pub struct AllWithAll {
    /// Folders, files, patterns such as 'part-*.jsonl', addresses of objects (s3, gs, az, http);
    /// standard input if there is none, or for `-`
    #[arg(value_name = "INPUT")]
    pub files: Vec<PathBuf>,

    /// Output file: .tsv, .csv, .jsonl or .parquet, whole or not at all
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub comparing: Comparing,

    #[command(flatten)]
    pub reading: Reading,

    #[command(flatten)]
    pub sets: Sets,

    #[command(flatten)]
    pub resources: Resources,
}

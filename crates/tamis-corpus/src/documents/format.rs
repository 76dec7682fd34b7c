//! What a document is in a file of each kind.

use crate::packing::Packing;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// What holds the documents.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum Format {
    /// A file is a document.
    Files,
    /// A line is a document.
    Lines,
    /// A line is a JSON object with columns.
    Jsonl,
    /// A row between commas, under a header.
    Csv,
    /// A row between tabs, under a header.
    Tsv,
    /// A row of a Parquet file.
    Parquet,
    /// A row of Arrow's interprocess format, as a file (Feather) or a stream.
    Arrow,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Files, Self::Lines, Self::Jsonl, Self::Csv, Self::Tsv, Self::Parquet, Self::Arrow];

    /// What the name of a file says, if it says anything; `.gz`, `.zst`, `.bz2` and `.xz` may
    /// follow.
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Self> {
        let unpacked = Packing::of_path(path).and_then(|_| path.file_stem()).map(Path::new);
        let extension = unpacked.unwrap_or(path).extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "jsonl" | "ndjson" | "json" => Some(Self::Jsonl),
            "csv" => Some(Self::Csv),
            "tsv" | "tab" => Some(Self::Tsv),
            "parquet" => Some(Self::Parquet),
            "arrow" | "feather" | "ipc" | "arrows" => Some(Self::Arrow),
            _ => None,
        }
    }

    /// Its name, as it is asked for.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Lines => "lines",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
        }
    }
}

impl Format {
    /// Its name in a sentence.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Files | Self::Lines => self.name(),
            Self::Jsonl => "JSONL",
            Self::Csv => "CSV",
            Self::Tsv => "TSV",
            Self::Parquet => "Parquet",
            Self::Arrow => "Arrow",
        }
    }

    /// Whether its records have columns.
    #[must_use]
    pub const fn has_columns(self) -> bool {
        !matches!(self, Self::Files | Self::Lines)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = crate::Error;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL.into_iter().find(|format| format.name() == name);
        named.ok_or_else(|| crate::Error::Format { got: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_is_in_the_file() {
        let of = |name: &str| Format::of_path(Path::new(name));
        assert_eq!(of("a/b.jsonl"), Some(Format::Jsonl));
        assert_eq!(of("b.ndjson.gz"), Some(Format::Jsonl));
        assert_eq!(of("b.JSON.ZST"), Some(Format::Jsonl));
        assert_eq!(of("b.csv.zst"), Some(Format::Csv));
        assert_eq!(of("b.tsv"), Some(Format::Tsv));
        assert_eq!(of("b.feather"), Some(Format::Arrow));
        assert_eq!(of("b.tsv.bz2"), Some(Format::Tsv));
        assert_eq!(of("part-0.snappy.parquet"), Some(Format::Parquet));
        for unknown in ["b.txt", "b.gz", "csv", "b", "-", ".csv"] {
            assert_eq!(of(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn names_are_read_back() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse::<Format>().unwrap(), format);
        }
        let sentence = "xml".parse::<Format>().unwrap_err().to_string();
        assert!(sentence.contains("files, lines, jsonl, csv, tsv, parquet, arrow"), "{sentence}");
    }
}

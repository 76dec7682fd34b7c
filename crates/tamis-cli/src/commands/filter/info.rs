//! `tamis filter info`: what is in a file?

use crate::exit::ExitCode;
use crate::input::{MappedFilter, open_filter};
use crate::output::Output;
use crate::values::{self, Percent, grouped};
use anyhow::Context;
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use tamis::filter::AnyFilter;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tamis filter info seen.tamis
  tamis filter info --json seen.tamis")]
pub struct InfoArgs {
    /// The filter
    filter: PathBuf,

    /// One JSON document
    #[arg(long)]
    json: bool,
}

/// The same words as in the library, on the command line and in Python.
#[derive(Debug, Serialize)]
struct Info {
    kind: &'static str,
    layout: &'static str,
    bits: u64,
    hashes: u32,
    items: u64,
    bytes: u64,
    fill: f64,
    false_positive_rate: f64,
    current_false_positive_rate: f64,
    keys: String,
    hash: &'static str,
    seed: u64,
    designed_items: u64,
    estimated_items: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    counter_bits: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint_bits: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    layers: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    items_by_age: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lengths: Option<Vec<u16>>,
}

pub fn run(args: &InfoArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let path = &args.filter;
    let filter = open_filter(path)?;
    let bytes = std::fs::metadata(path).with_context(|| path.display().to_string())?.len();
    let info = Info::new(&filter, bytes);
    if args.json {
        out.json(&info)?;
    } else {
        info.print(out)?;
    }
    Ok(ExitCode::Yes)
}

impl Info {
    fn new(filter: &MappedFilter, bytes: u64) -> Self {
        let design = filter.design();
        let mut info = Self {
            kind: filter.kind().name(),
            layout: filter.layout(),
            bits: filter.bits(),
            hashes: filter.hashes(),
            items: filter.len(),
            bytes,
            fill: filter.fill(),
            false_positive_rate: design.rate,
            current_false_positive_rate: filter.current_false_positive_rate(),
            keys: filter.key_kinds().to_string(),
            hash: filter.hash().algorithm().name(),
            seed: filter.hash().seed(),
            designed_items: design.items,
            estimated_items: filter.estimated_items(),
            counter_bits: None,
            fingerprint_bits: None,
            layers: None,
            items_by_age: None,
            lengths: None,
        };
        match filter {
            AnyFilter::Counting(counting) => info.counter_bits = Some(counting.width().bits()),
            AnyFilter::GrowingClassic(growing) => info.layers = Some(growing.layers().len()),
            AnyFilter::GrowingBlocked(growing) => info.layers = Some(growing.layers().len()),
            AnyFilter::Rotating(rotating) => {
                info.items_by_age = Some(rotating.items_by_age().collect());
            }
            AnyFilter::Signatures(signatures) => {
                info.lengths = Some(signatures.lengths().to_vec());
            }
            AnyFilter::Static(filter) => info.fingerprint_bits = Some(filter.fingerprint_bits()),
            _ => {}
        }
        info
    }

    fn print(&self, out: &mut Output) -> anyhow::Result<()> {
        let mut row = |name: &str, value: String| out.text(format_args!("{name:22}{value}\n"));
        row("kind", self.kind.to_owned())?;
        row("layout", self.layout.to_owned())?;
        if let Some(bits) = self.counter_bits {
            row("counters", format!("{bits} bits each"))?;
        }
        if let Some(bits) = self.fingerprint_bits {
            row("fingerprints", format!("{bits:.2} bits each, on average"))?;
        }
        if let Some(layers) = self.layers {
            row("layers", layers.to_string())?;
        }
        if let Some(items) = &self.items_by_age {
            let items: Vec<String> = items.iter().map(|&items| grouped(items)).collect();
            row("generations", format!("{}, newest first: {}", items.len(), items.join(" ")))?;
        }
        if let Some(lengths) = &self.lengths {
            let lengths: Vec<String> = lengths.iter().map(ToString::to_string).collect();
            row("lengths", lengths.join(" "))?;
        }
        let per_item = self.bits as f64 / self.designed_items.max(1) as f64;
        row("items", format!("{} of {}", grouped(self.items), grouped(self.designed_items)))?;
        row("keys", self.keys.clone())?;
        row("estimated items", grouped(self.estimated_items.round() as u64))?;
        row("bits", format!("{}, {per_item:.2} per designed item", grouped(self.bits)))?;
        row("hash functions", self.hashes.to_string())?;
        row("file", values::size(self.bytes))?;
        row("fill", Percent(self.fill).to_string())?;
        row("false positives", format!("{} when full", Percent(self.false_positive_rate)))?;
        row("", format!("{} now", Percent(self.current_false_positive_rate)))?;
        row("hash", format!("{}, seed {}", self.hash, self.seed))?;
        Ok(())
    }
}

//! `tamis mail store`: what is in a store, is it sound, and to take it along.

use super::place::Place;
use crate::exit::ExitCode;
use crate::output::Output;
use crate::values::{self, Percent, counted, grouped};
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::{Path, PathBuf};
use tamis_corpus::files::{open_unpacked, write_packed_privately};
use tamis_mail::explain::date;
use tamis_mail::store::{
    Learner, Repaired, Settings, Store, export, export_identity, import, repair,
};

#[derive(Debug, Subcommand)]
pub enum StoreCommand {
    /// What was learned, and how large it is
    Info(InfoArgs),
    /// Read everything; the tables must be what the journal says, bit for bit
    Verify(VerifyArgs),
    /// Save all that is sound of a damaged store
    Repair(RepairArgs),
    /// Write all messages as lines of JSON: hashes, never text
    Export(ExportArgs),
    /// Learn the messages of an export; a new store is made as the old one was
    Import(ImportArgs),
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tamis mail store info --store mail.store\n  tamis mail store info --store mail.store --fingerprint"
)]
pub struct InfoArgs {
    #[command(flatten)]
    place: Place,

    /// One JSON document
    #[arg(long)]
    json: bool,

    /// A hash of all that it knows; stores of hosts that share their lessons have the same one
    #[arg(long)]
    fingerprint: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tamis mail store verify --store mail.store")]
pub struct VerifyArgs {
    #[command(flatten)]
    place: Place,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tamis mail store export --store mail.store -o mail.jsonl.zst")]
pub struct ExportArgs {
    #[command(flatten)]
    place: Place,

    /// Where to; a name that ends in .gz or .zst is compressed
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tamis mail store import --store copy.store mail.jsonl.zst")]
pub struct ImportArgs {
    #[command(flatten)]
    place: Place,

    /// What was exported
    #[arg(value_name = "FILE")]
    input: PathBuf,
}

/// Save all that is sound of a damaged store.
#[derive(Debug, Args)]
#[command(
    after_help = "Each record of the journal has its own checksum: those around a damaged place are saved, and the tables are made
from them. The damaged journal stays in the folder as damaged-N.log. Exit codes: 0 nothing was lost, 1 some of it was, 2 error.

Example:
  tamis mail store repair --store mail.store"
)]
pub struct RepairArgs {
    #[command(flatten)]
    place: Place,
}

impl StoreCommand {
    pub fn run(&self, out: &mut Output) -> anyhow::Result<ExitCode> {
        match self {
            Self::Info(args) => info(args, out),
            Self::Verify(args) => verify(args, out),
            Self::Repair(args) => restore(args),
            Self::Export(args) => write(args),
            Self::Import(args) => read(args),
        }
    }
}

fn info(args: &InfoArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let store = Store::open(&args.place.folder()?)?;
    let info = store.info()?;
    let fingerprint = match args.fingerprint {
        true => Some(format!("{:016x}", store.fingerprint()?)),
        false => None,
    };
    if args.json {
        let labels: serde_json::Map<String, serde_json::Value> =
            info.labels.iter().map(|(name, count)| (name.clone(), (*count).into())).collect();
        let teachers: serde_json::Map<String, serde_json::Value> =
            info.teachers.iter().map(|(name, count)| (name.clone(), (*count).into())).collect();
        out.json(&json!({
            "messages": labels,
            "table_bits": info.bits,
            "table_used": info.used,
            "ham_lost": info.ham_lost,
            "tables_bytes": info.sizes.0,
            "journal_bytes": info.sizes.1,
            "oldest": info.times.map(|times| times.0),
            "newest": info.times.map(|times| times.1),
            "records_beyond_tables": info.newer,
            "teachers": teachers,
            "undelivered": info.undelivered,
            "fingerprint": fingerprint,
        }))?;
        return Ok(ExitCode::Yes);
    }
    let mut row = |name: &str, value: String| out.text(format_args!("{name:12}{value}\n"));
    for (name, count) in &info.labels {
        row(name, counted(*count as u64, "message"))?;
    }
    if let Some((oldest, newest)) = info.times {
        row("learned", format!("{} to {}", date(oldest), date(newest)))?;
    }
    if info.teachers.len() > 1 {
        let taught = info.teachers.iter();
        let taught: Vec<String> =
            taught.map(|(name, count)| format!("{name} {}", grouped(*count as u64))).collect();
        row("taught by", taught.join(", "))?;
    }
    let used = Percent(info.used);
    row("tables", format!("2^{} word cells, {used} used", info.bits))?;
    row("ham lost", format!("at most {}", Percent(info.ham_lost)))?;
    let (tables, journal) = info.sizes;
    row(
        "size",
        format!("{} of tables, {} of journal", values::size(tables), values::size(journal)),
    )?;
    row("journal", format!("{} beyond the tables", counted(info.newer, "record")))?;
    if let Some(count) = info.undelivered {
        row("shared", format!("{} to be delivered", counted(count as u64, "lesson")))?;
    }
    if let Some(fingerprint) = fingerprint {
        row("fingerprint", fingerprint)?;
    }
    Ok(ExitCode::Yes)
}

fn verify(args: &VerifyArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let messages = Store::open(&args.place.folder()?)?.verify()?;
    out.text(format_args!("sound: {}\n", counted(messages as u64, "message")))?;
    Ok(ExitCode::Yes)
}

fn restore(args: &RepairArgs) -> anyhow::Result<ExitCode> {
    let Repaired { messages, records, lost } = repair(&args.place.folder()?)?;
    eprintln!(
        "{} saved from {}; {} of the journal were lost",
        counted(messages as u64, "message"),
        counted(records, "sound record"),
        counted(lost, "byte")
    );
    Ok(ExitCode::from_found(lost == 0))
}

fn write(args: &ExportArgs) -> anyhow::Result<ExitCode> {
    let learner = Learner::open(&args.place.folder()?)?;
    let mut messages = 0;
    write_packed_privately(&args.output, |out| -> tamis_mail::Result<()> {
        messages = export(&learner, out)?;
        Ok(())
    })?;
    eprintln!("{} exported", grouped(messages));
    Ok(ExitCode::Yes)
}

fn read(args: &ImportArgs) -> anyhow::Result<ExitCode> {
    let folder = args.place.folder()?;
    let mut learner = match Learner::open(&folder) {
        Err(tamis_mail::Error::NoStore { .. }) => {
            let (bits, seed) = export_identity(&mut open(&args.input)?)?;
            Learner::create(&folder, bits, seed, Settings::default())?
        }
        opened => opened?,
    };
    let (there, new) = import(&mut learner, &mut open(&args.input)?)?;
    learner.close()?;
    eprintln!("{} imported, {} known before", grouped(new), grouped(there - new));
    Ok(ExitCode::Yes)
}

fn open(path: &Path) -> anyhow::Result<impl std::io::BufRead> {
    Ok(open_unpacked(path)?)
}

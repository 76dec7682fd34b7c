//! `tamis-bench mail`: the mail filter beside bogofilter and spamprobe, on the same messages.
//!
//! There are two kinds of collections. Folders `spam/training`, `ham/testing` and so on hold bodies, each behind a
//! line `FROM: address` (Enron-Spam). The senders would tell too much there: Tamis looks at the bodies alone, and
//! the commands, `tamis` too, are given copies with that line replaced by a header that is always the same. Folders
//! of raw mail, of which those called `spam…` are spam, are divided in several ways ([`folds`]), and nothing is
//! taken away.
//!
//! Accuracy comes first, then the race: the commands, one after the other on one core. A peer that is not installed
//! is left out, and so is spamprobe with `--quick`: it is slow. Then come the claims of the project with their limits.
//!
//! With `--stream INDEX` the messages of an index are judged and learned in their own order instead
//! ([`stream`]), without the race and without spamprobe. Two logistic regressions ([`regression`])
//! take part wherever accuracy is measured.

mod accuracy;
mod bars;
mod collection;
mod contender;
mod folds;
mod peers;
mod process;
mod regression;
mod speed;
mod stream;
mod tables;

use crate::bar::Bar;
use crate::report::{self, Machine};
use accuracy::{Accuracy, BITS};
use anyhow::{Context as _, ensure};
use collection::{Collection, SPAM};
use peers::Peer;
use serde::Serialize;
use speed::{Race, Speed};
use std::path::{Path, PathBuf};
use stream::{Replayed, StreamArguments};

/// What to compare.
#[derive(clap::Args)]
pub(crate) struct MailArguments {
    /// Folders {spam,ham}/{training,testing} of bodies, or folders of raw mail, those of spam called spam...
    #[arg(required_unless_present = "stream", conflicts_with = "stream")]
    collection: Option<PathBuf>,
    #[command(flatten)]
    stream: StreamArguments,
    /// One round, and without spamprobe, which is slow
    #[arg(long)]
    quick: bool,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
    /// The command `tamis` [default: the one beside this command]
    #[arg(long, value_name = "PATH")]
    tamis: Option<PathBuf>,
    /// Write mail.json into this folder
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Everything that was found.
#[derive(Debug, Serialize)]
pub(crate) struct Findings {
    machine: Machine,
    quick: bool,
    /// Peers that are missing, and why.
    left_out: Vec<String>,
    spam: usize,
    ham: usize,
    /// The plan of a stream.
    stream: Option<Replayed>,
    /// Whether the bodies alone were looked at.
    bodies: bool,
    /// Whether the race was on one core.
    one_core: bool,
    accuracies: Vec<Accuracy>,
    speeds: Vec<Speed>,
    bars: Vec<Bar>,
}

/// Runs the comparison.
///
/// # Errors
/// Messages that cannot be read, a command that fails, a file that cannot be written.
pub(crate) fn run(arguments: &MailArguments) -> anyhow::Result<()> {
    let findings = match (&arguments.stream.stream, &arguments.collection) {
        (Some(index), _) => measure_stream(arguments, index)?,
        (None, Some(collection)) => measure(arguments, collection)?,
        (None, None) => anyhow::bail!("name a collection or --stream"),
    };
    let json = serde_json::to_string_pretty(&findings)? + "\n";
    if let Some(folder) = &arguments.output {
        report::save(folder, "mail.json", &json)?;
    }
    report::print(&if arguments.json { json } else { tables::render(&findings) })
}

fn measure_stream(arguments: &MailArguments, index: &Path) -> anyhow::Result<Findings> {
    let (mut peers, left_out) = peers(true);
    peers.retain(|peer| *peer == Peer::Bogofilter);
    let (replayed, accuracies) = stream::measure(&arguments.stream, index, &peers)?;
    let (spam, ham) = replayed.judged;
    Ok(Findings {
        machine: Machine::this(),
        quick: arguments.quick,
        left_out,
        spam,
        ham,
        stream: Some(replayed),
        bodies: false,
        one_core: false,
        bars: bars::of_stream(&accuracies),
        accuracies,
        speeds: Vec::new(),
    })
}

fn measure(arguments: &MailArguments, collection: &Path) -> anyhow::Result<Findings> {
    let tamis = match &arguments.tamis {
        Some(path) => path.clone(),
        None => std::env::current_exe()?.with_file_name("tamis"),
    };
    ensure!(tamis.is_file(), "{} is not there; build it, or name it by --tamis", tamis.display());
    let machine = Machine::this();
    let (peers, left_out) = peers(arguments.quick);
    let collection = Collection::read(collection)
        .with_context(|| format!("cannot use {}", collection.display()))?;
    let accuracies = accuracy::measure(&collection, &peers)?;
    let bodies = matches!(collection, Collection::Bodies { .. });
    let one_core = process::stay_on_one_core();
    let race = Race {
        tamis: &tamis,
        bits: if bodies { &BITS } else { &BITS[..1] },
        peers: &peers,
        rounds: if arguments.quick { 1 } else { 3 },
    };
    let speeds = race.run(&collection)?;
    let (learned, checked) = (collection.learned(), collection.checked());
    let all = learned.iter().chain(if bodies { checked } else { &[] });
    let (spam, ham): (Vec<_>, Vec<_>) = all.partition(|example| example.label == SPAM);
    Ok(Findings {
        machine,
        quick: arguments.quick,
        left_out,
        spam: spam.len(),
        ham: ham.len(),
        stream: None,
        bodies,
        one_core,
        bars: bars::bars(&accuracies, &speeds),
        accuracies,
        speeds,
    })
}

/// The peers of this run, and who is left out and why.
fn peers(quick: bool) -> (Vec<Peer>, Vec<String>) {
    let (mut peers, mut left_out) = (Vec::new(), Vec::new());
    for peer in Peer::ALL {
        if quick && peer == Peer::Spamprobe {
            left_out.push(format!("{}, which is slow", peer.name()));
        } else if peer.is_there() {
            peers.push(peer);
        } else {
            left_out.push(format!("{}, which is not installed", peer.name()));
        }
    }
    (peers, left_out)
}

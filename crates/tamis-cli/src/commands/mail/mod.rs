//! `tamis mail`: a filter that learns from its owner.

pub mod check;
pub mod eval;
pub mod explain;
pub mod filter;
pub mod forget;
pub mod history;
pub mod imap;
pub mod label;
pub mod learn;
pub mod start;
pub mod store;
pub mod watch;

mod dialect;
mod labelled;
mod left_out;
mod place;
mod stages;
mod told;

use crate::exit::ExitCode;
use crate::output::Output;
use crate::values::grouped;
use clap::Subcommand;
use std::path::PathBuf;
use tamis_mail::store::Learner;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// The first run: find Junk, Archive, Sent and the inbox, and learn them
    Start(start::StartArgs),
    /// Learn messages with their labels: these are spam, those are not
    Learn(learn::LearnArgs),
    /// Say what messages are
    Check(check::CheckArgs),
    /// Write a message from standard input with its verdict in headers, for procmail, maildrop and sieve
    Filter(filter::FilterArgs),
    /// Learn from what is moved into the junk folder of a Maildir, and out of it
    Watch(watch::WatchArgs),
    /// Learn from the folders of a remote mailbox, and move its new spam to the junk folder
    Imap(imap::ImapArgs),
    /// Take back messages that were learned by mistake
    Forget(forget::ForgetArgs),
    /// Search the verdicts that a server has given
    History(history::HistoryArgs),
    /// List what a server has quarantined, tagged or rejected, as text, HTML or mail
    Digest(history::DigestArgs),
    /// Tell the whole story of a verdict
    Explain(explain::ExplainArgs),
    /// Learn one part of a collection and judge the other: how good is the filter?
    Eval(eval::EvalArgs),
    /// Take back messages that were learned long ago
    Expire(forget::ExpireArgs),
    /// Make a store as if only what is in it now had ever been learned
    Rebuild(forget::RebuildArgs),
    /// List, rename or remove labels
    #[command(subcommand)]
    Label(label::LabelCommand),
    /// Look into a store, or take it along
    #[command(subcommand)]
    Store(store::StoreCommand),
}

impl Command {
    pub fn run(&self, out: &mut Output) -> anyhow::Result<ExitCode> {
        match self {
            Self::Start(args) => start::run(args, out),
            Self::Learn(args) => learn::run(args, out),
            Self::Check(args) => check::run(args, out),
            Self::Filter(args) => filter::run(args, out),
            Self::Watch(args) => watch::run(args, out),
            Self::Imap(args) => imap::run(args, out),
            Self::Forget(args) => forget::forget(args),
            Self::History(args) => history::history(args, out),
            Self::Digest(args) => history::digest(args, out),
            Self::Explain(args) => explain::run(args, out),
            Self::Eval(args) => eval::run(args, out),
            Self::Expire(args) => forget::expire(args),
            Self::Rebuild(args) => forget::rebuild(args),
            Self::Label(command) => command.run(out),
            Self::Store(command) => command.run(out),
        }
    }
}

/// Standard input, where nothing is named.
fn or_standard_input(paths: &[PathBuf]) -> Vec<PathBuf> {
    if paths.is_empty() { vec!["-".into()] } else { paths.to_vec() }
}

/// Tells that the end of the journal was cut off.
fn warn_of_cut_off(learner: &Learner) {
    if learner.cut_off() > 0 {
        eprintln!(
            "warning: the last {} bytes of the journal were not written as a whole and have been cut off; \
             nothing in them was ever reported as learned",
            grouped(learner.cut_off())
        );
    }
}

fn check_ham_lost(part: f64) -> anyhow::Result<()> {
    anyhow::ensure!(
        part > 0.0 && part < 0.5,
        "--ham-lost is {part}; write a part between 0 and 50 %, such as 0.1%"
    );
    Ok(())
}

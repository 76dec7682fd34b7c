//! `tamis mail imap`: a remote mailbox.

use super::place::Place;
use crate::exit::ExitCode;
use crate::output::{Output, escaped};
use anyhow::{Context, bail};
use clap::Args;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;
use tamis_server::imap::{self, Event, Settings};

/// The variable with the password.
const VARIABLE: &str = "TAMIS_IMAP_PASSWORD";

#[derive(Debug, Args)]
#[command(
    after_help = "What is in the junk folder is learned as spam, what is in the folders of --ham as ham; of the inbox, if it is one of
them, only messages that were opened. New messages of the inbox are judged, and spam is moved to the junk folder. What
was filed there by this command teaches nothing; what comes back to the inbox is learned as ham. Mail that was in the
inbox before the first run is not judged. No message is ever deleted; a server without MOVE keeps its spam in the inbox.

The password is in the file of --password-file, in the output of --password-command, or in TAMIS_IMAP_PASSWORD. The store
must exist: tamis mail learn or tamis mail start makes one. Lessons have the teacher imap.

Examples:
  tamis mail imap --store mail.store --host imap.example.org --username anne --password-file secret
  tamis mail imap --store mail.store --host imap.example.org --username anne --password-command secret-tool --ham Archive --ham INBOX
  tamis mail imap --store mail.store --host imap.example.org --username anne --password-file secret --learn-only --once"
)]
pub struct ImapArgs {
    #[command(flatten)]
    place: Place,

    /// The name of the server
    #[arg(long, value_name = "NAME")]
    host: String,

    /// Its port, with TLS from the first byte
    #[arg(long, value_name = "PORT", default_value_t = 993)]
    port: u16,

    /// Who logs in
    #[arg(long, value_name = "NAME")]
    username: String,

    /// A file with the password
    #[arg(long, value_name = "FILE", conflicts_with = "password_command")]
    password_file: Option<PathBuf>,

    /// A command that writes the password, for the shell
    #[arg(long, value_name = "COMMAND")]
    password_command: Option<String>,

    /// The folder of spam
    #[arg(long, value_name = "FOLDER", default_value = "Junk")]
    junk: String,

    /// A folder of wanted mail; may be given again
    #[arg(long, value_name = "FOLDER", default_values = ["Archive"])]
    ham: Vec<String>,

    /// The folder whose new messages are judged
    #[arg(long, value_name = "FOLDER", default_value = "INBOX")]
    inbox: String,

    /// Move nothing: tell which new messages are spam
    #[arg(long)]
    learn_only: bool,

    /// Look once, and end
    #[arg(long)]
    once: bool,

    /// How often to look into folders other than the inbox, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=1500))]
    every: u64,

    /// The largest message, in megabytes
    #[arg(long, value_name = "MEGABYTES", default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=1024))]
    message_megabytes: u64,

    /// The authority that has signed the certificate of the server, as PEM; those of the system by default
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,

    /// Without TLS; only for a server on this machine
    #[arg(long)]
    plain: bool,

    /// Where to remember how far the folders were read; a file in the store by default
    #[arg(long, value_name = "FILE")]
    memory: Option<PathBuf>,
}

pub fn run(args: &ImapArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let store = args.place.folder()?;
    let memory = || imap::memory_in(&store, &args.host, &args.username);
    let settings = Settings {
        host: args.host.clone(),
        port: args.port,
        plain: args.plain,
        authority: args.ca.clone(),
        username: args.username.clone(),
        password: password(args)?,
        memory: args.memory.clone().unwrap_or_else(memory),
        store,
        inbox: args.inbox.clone(),
        junk: args.junk.clone(),
        ham: args.ham.clone(),
        files: !args.learn_only,
        once: args.once,
        every: Duration::from_secs(args.every),
        most: (args.message_megabytes << 20) as usize,
    };
    let mut is_waiting = false;
    let mut tell = |event: Event| {
        let written = match event {
            Event::Learned { folder, number, label } => out.text(format_args!(
                "{}\t{number}\tlearned as {label}\n",
                escaped(folder.as_bytes())
            )),
            Event::Filed { number } => {
                let [inbox, junk] = [&args.inbox, &args.junk].map(|name| escaped(name.as_bytes()));
                out.text(format_args!("{inbox}\t{number}\tspam, moved to {junk}\n"))
            }
            Event::Left { number, why } => {
                let inbox = escaped(args.inbox.as_bytes());
                out.text(format_args!("{inbox}\t{number}\tspam, left there: {why}\n"))
            }
            Event::TooLarge { folder, number } => {
                let folder = escaped(folder.as_bytes());
                out.text(format_args!(
                    "{folder}\t{number}\tleft out: larger than --message-megabytes\n"
                ))
            }
            Event::Waiting if !is_waiting && !args.once => {
                is_waiting = true;
                out.text(format_args!("waiting for news of {}\n", args.host))
            }
            Event::Waiting => Ok(()),
            Event::Lost { error, wait } => {
                is_waiting = false;
                let error = escaped(error.as_bytes());
                eprintln!("warning: {error}; connecting again in {:.1} s", wait.as_secs_f64());
                Ok(())
            }
        };
        let written = written.and_then(|()| out.flush());
        written.map_err(|error| tamis_server::Error::Failed { what: format!("{error:#}") })
    };
    imap::run(&settings, &mut tell)?;
    Ok(ExitCode::Yes)
}

fn password(args: &ImapArgs) -> anyhow::Result<String> {
    let text = match (&args.password_file, &args.password_command) {
        (Some(path), _) => std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the password in {}", path.display()))?,
        (None, Some(command)) => {
            let output = Command::new("sh")
                .args(["-c", command])
                .stdin(Stdio::null())
                .stderr(Stdio::inherit())
                .output()
                .context("cannot run --password-command")?;
            if !output.status.success() {
                bail!("--password-command failed: {}", output.status);
            }
            String::from_utf8(output.stdout).context("--password-command does not write text")?
        }
        (None, None) => match std::env::var(VARIABLE) {
            Ok(password) => password,
            Err(_) => bail!(
                "there is no password: name --password-file or --password-command, or set {VARIABLE}"
            ),
        },
    };
    let password = text.lines().next().unwrap_or_default();
    if password.is_empty() {
        bail!("the password is empty");
    }
    Ok(password.to_owned())
}

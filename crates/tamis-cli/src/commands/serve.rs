//! `tamis serve`: one process for browsers, programs and mail servers.

use crate::exit::ExitCode;
use crate::output::Output;
use clap::Args;
use std::path::PathBuf;
use tamis_server::config::{Address, Config};

#[derive(Debug, Args)]
#[command(
    after_help = "What flags say wins over the environment, and that over the file. Without a token it listens on this machine only.
The page is at the address that --listen names; docs/server.md tells how mail servers are connected.

Examples:
  tamis serve
  tamis serve --store mail.store --spamd 127.0.0.1:783 --milter /run/tamis/milter.sock
  tamis serve --config /etc/tamis.toml --check-config"
)]
pub struct ServeArgs {
    /// A file with settings
    #[arg(long, value_name = "FILE", env = "TAMIS_CONFIG")]
    config: Option<PathBuf>,

    /// Say whether the settings can be used, and serve nothing
    #[arg(long)]
    check_config: bool,

    /// Where the page and the JSON interface are: an address with port, or the path of a socket
    #[arg(long, value_name = "ADDRESS", env = "TAMIS_LISTEN")]
    listen: Option<Address>,

    /// Where the protocol of spamc is spoken
    #[arg(long, value_name = "ADDRESS", env = "TAMIS_SPAMD", value_delimiter = ',')]
    spamd: Vec<Address>,

    /// Where the protocol of Postfix and sendmail is spoken
    #[arg(long, value_name = "ADDRESS", env = "TAMIS_MILTER", value_delimiter = ',')]
    milter: Vec<Address>,

    /// The folder of the mail store, which is made if it is not there
    #[arg(long, value_name = "DIR", env = "TAMIS_STORE")]
    store: Option<PathBuf>,

    /// Each user has a store, in a folder of that name inside --store
    #[arg(long)]
    per_user: bool,

    /// A mail store that all others stand on: what users have not taught themselves, it says
    #[arg(long, value_name = "DIR")]
    base: Option<PathBuf>,

    /// The Redis or Valkey server by which several hosts share their lessons; an address with a password belongs into
    /// the variable or into a file of the settings
    #[arg(long, value_name = "URL", env = "TAMIS_JOURNAL", hide_env_values = true)]
    journal: Option<String>,

    /// The folder of filters, indexes and cascades that may be asked by name
    #[arg(long, value_name = "DIR", env = "TAMIS_FILES")]
    files: Option<PathBuf>,

    /// The file with the token that clients have to know; another variable, `TAMIS_TOKEN`, may have the token itself
    #[arg(long, value_name = "FILE", env = "TAMIS_TOKEN_FILE")]
    token_file: Option<PathBuf>,

    /// The certificate for TLS
    #[arg(long, value_name = "FILE", requires = "key")]
    certificate: Option<PathBuf>,

    /// Its key
    #[arg(long, value_name = "FILE", requires = "certificate")]
    key: Option<PathBuf>,
}

pub fn run(args: &ServeArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let settings = || settings(args);
    if args.check_config {
        tamis_server::check(settings()?)?;
        out.text("these settings can be used\n")?;
        return Ok(ExitCode::Yes);
    }
    tamis_server::serve(&settings)?;
    Ok(ExitCode::Yes)
}

fn settings(args: &ServeArgs) -> tamis_server::Result<Config> {
    let mut config = match &args.config {
        Some(path) => Config::read(path)?,
        None => Config::default(),
    };
    if let Ok(token) = std::env::var("TAMIS_TOKEN") {
        config.token = Some(token);
    }
    if let Some(listen) = &args.listen {
        config.listen = listen.clone();
    }
    if !args.spamd.is_empty() {
        config.spamd.listen.clone_from(&args.spamd);
    }
    if !args.milter.is_empty() {
        config.milter.listen.clone_from(&args.milter);
    }
    config.per_user |= args.per_user;
    config.store = args.store.clone().or(config.store);
    config.base = args.base.clone().or(config.base);
    config.journal = args.journal.clone().or(config.journal);
    config.files = args.files.clone().or(config.files);
    config.token_file = args.token_file.clone().or(config.token_file);
    config.certificate = args.certificate.clone().or(config.certificate);
    config.key = args.key.clone().or(config.key);
    Ok(config)
}

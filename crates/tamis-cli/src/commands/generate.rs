//! `tamis completions` and `tamis man`: made from the argument definitions.

use crate::cli::Cli;
use crate::exit::ExitCode;
use anyhow::Context;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  tamis completions bash > ~/.local/share/bash-completion/completions/tamis"
)]
pub struct CompletionsArgs {
    /// For which shell
    shell: Shell,
}

/// Writes a completion script to standard output.
pub fn completions(args: &CompletionsArgs) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "tamis", &mut script);
    io::stdout().lock().write_all(&script)?;
    Ok(ExitCode::Yes)
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  tamis man -o ~/.local/share/man/man1")]
pub struct ManArgs {
    /// The folder for the pages: tamis.1, tamis-filter.1, tamis-filter-build.1, ...
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

/// Writes a man page for each command into a folder.
pub fn man(args: &ManArgs) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(&args.output)
        .with_context(|| format!("cannot make the folder {}", args.output.display()))?;
    let mut command = Cli::command();
    command.build();
    page(&command, "tamis", &args.output)?;
    Ok(ExitCode::Yes)
}

fn page(command: &clap::Command, name: &str, folder: &Path) -> anyhow::Result<()> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone().name(name.to_owned())).render(&mut text)?;
    let path = folder.join(format!("{name}.1"));
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    for below in command.get_subcommands() {
        page(below, &format!("{name}-{}", below.get_name()), folder)?;
    }
    Ok(())
}

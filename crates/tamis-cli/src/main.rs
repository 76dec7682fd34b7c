//! The command `tamis`: a page per verb, everything else in the libraries.

mod cli;
mod commands;
mod exit;
mod hints;
mod input;
mod output;
mod progress;
mod values;

use clap::Parser;
use exit::ExitCode;
use output::Output;

fn main() -> std::process::ExitCode {
    let arguments = match cli::Cli::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return exit::of_usage(&error),
    };
    let mut output = Output::new();
    let result = arguments.run(&mut output).and_then(|code| {
        output.flush()?;
        Ok(code)
    });
    match result {
        Ok(code) => code.into(),
        // Whoever reads our output has seen enough.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::Yes.into(),
        Err(error) => {
            output.flush().ok();
            hints::print(&error);
            ExitCode::Error.into()
        }
    }
}

//! `tamis filter scan`: known byte strings inside of files and streams.

use crate::exit::ExitCode;
use crate::hints::Hint;
use crate::input::{KeyInput, open_filter};
use crate::output::{Output, escaped};
use crate::progress::Progress;
use crate::values::grouped;
use anyhow::{Context, anyhow};
use clap::Args;
use std::collections::HashSet;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use tamis::filter::signatures::{Hit, Scanner};
use tamis::filter::{AnyFilter, SignatureFilter, Storage};
use tamis_corpus::keys;

#[derive(Debug, Args)]
#[command(
    after_help = "Prints file:offset, a tab and the signature for each hit; exit code 0 if there is one, 1 if none.
With --confirm every hit is certain. Memory does not depend on the size of the input.

Examples:
  tamis filter build --signatures -o worms.tamis signatures.txt
  tamis filter scan worms.tamis --confirm signatures.txt capture.bin
  tcpdump -w - | tamis filter scan worms.tamis"
)]
pub struct ScanArgs {
    /// The filter of signatures, made by `build --signatures`
    filter: PathBuf,

    /// What to search; standard input if there is none, or for `-`
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The list of signatures: print only what is in it
    #[arg(long, value_name = "LIST")]
    confirm: Option<PathBuf>,

    /// The list is hexadecimal, and so are printed signatures
    #[arg(long)]
    hex: bool,

    /// Print only how many hits each file has
    #[arg(long)]
    count: bool,
}

pub fn run(args: &ScanArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let any = open_filter(&args.filter)?;
    let AnyFilter::Signatures(filter) = &any else {
        return Err(anyhow!(
            "{}: {} does not know where keys begin in a stream",
            args.filter.display(),
            any.kind().described()
        ))
        .context(Hint("build it with --signatures to scan"));
    };
    let list = args.confirm.as_ref().map(|path| confirm_list(path, args.hex)).transpose()?;
    let standard_input = [PathBuf::from("-")];
    let files = if args.files.is_empty() { &standard_input[..] } else { &args.files };
    let mut progress = Progress::reading("scanning", files);
    let mut total = 0;
    for path in files {
        total += scan(path, filter, list.as_ref(), args, &mut progress, out)?;
    }
    Ok(ExitCode::from_found(total > 0))
}

/// Searches one file and prints its hits; returns how many there were.
fn scan<S: Storage>(
    path: &Path,
    filter: &SignatureFilter<S>,
    list: Option<&HashSet<Vec<u8>>>,
    args: &ScanArgs,
    progress: &mut Progress,
    out: &mut Output,
) -> anyhow::Result<u64> {
    let mut hits = 0;
    let mut failed = Ok(());
    let mut found = |hit: Hit<'_>| {
        if list.is_some_and(|list| !list.contains(hit.bytes)) || failed.is_err() {
            return;
        }
        hits += 1;
        if !args.count {
            failed = print(path, hit, args.hex, out);
        }
    };
    let mut scanner = Scanner::new(filter);
    let mut source = keys::open(path)?;
    let mut buffer = vec![0; 1 << 18];
    loop {
        let read = match source.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        scanner.push(&buffer[..read], &mut found);
        progress.advance(read as u64);
    }
    scanner.finish(&mut found);
    failed?;
    if args.count {
        out.data(path.as_os_str().as_encoded_bytes())?;
        out.text(format_args!(": {}\n", grouped(hits)))?;
    }
    Ok(hits)
}

fn print(path: &Path, hit: Hit<'_>, hex: bool, out: &mut Output) -> std::io::Result<()> {
    out.data(path.as_os_str().as_encoded_bytes())?;
    out.text(format_args!(":{}\t", hit.offset))?;
    if hex {
        for byte in hit.bytes {
            out.text(format_args!("{byte:02x}"))?;
        }
    } else {
        out.text(escaped(hit.bytes))?;
    }
    out.byte(b'\n')
}

fn confirm_list(path: &Path, hex: bool) -> anyhow::Result<HashSet<Vec<u8>>> {
    let input = KeyInput { files: vec![path.to_owned()], null: false, integers: false };
    Ok(read_signatures(&input, hex)?.into_iter().collect())
}

/// The signatures of a list, one per line, as they stand or in hexadecimal; empty lines are
/// passed over.
pub fn read_signatures(input: &KeyInput, hex: bool) -> anyhow::Result<Vec<Vec<u8>>> {
    let mut signatures = Vec::new();
    let mut number = 0;
    keys::for_each_block(&input.files, input.separator(), |block| -> anyhow::Result<()> {
        for key in block.keys() {
            number += 1;
            if !key.is_empty() {
                let signature = if hex { from_hex(key) } else { Some(key.to_vec()) };
                signatures.push(
                    signature.with_context(|| format!("signature {number} is not hexadecimal"))?,
                );
            }
        }
        Ok(())
    })?;
    Ok(signatures)
}

fn from_hex(text: &[u8]) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let digit = |byte: u8| (byte as char).to_digit(16);
    let pairs = digits.chunks(2).map(|pair| match pair {
        [high, low] => Some((digit(*high)? << 4 | digit(*low)?) as u8),
        _ => None,
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_signatures_may_have_spaces_and_nothing_else() {
        assert_eq!(from_hex(b"de ad BE ef"), Some(vec![0xDE, 0xAD, 0xBE, 0xEF]));
        assert_eq!(from_hex(b"dea"), None);
        assert_eq!(from_hex(b"xx"), None);
    }
}

//! Prints each line of a stream the first time that it comes, in memory that does not grow with
//! the lines: `cargo run --example stream_dedup < addresses.txt`.

use std::error::Error;
use std::io::{BufRead, Write};
use tamis::filter::BlockedBloomFilter;

pub(crate) fn dedup(input: impl BufRead, mut output: impl Write) -> Result<usize, Box<dyn Error>> {
    let mut seen = BlockedBloomFilter::with_false_positive_rate(1_000_000, 0.001)?;
    let mut dropped = 0;
    for line in input.lines() {
        let line = line?;
        if seen.insert(&line) {
            writeln!(output, "{line}")?;
        } else {
            dropped += 1;
        }
    }
    Ok(dropped)
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let dropped = dedup(std::io::stdin().lock(), std::io::stdout())?;
    eprintln!("{dropped} repetitions");
    Ok(())
}

//! Signatures and a stream in pieces: with the list at hand, what the scanner finds is exactly
//! what looking everywhere finds.

#![no_main]

use arbitrary::{Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;
use std::collections::HashSet;
use tamis::filter::SignatureFilter;
use tamis::filter::signatures::{Hit, MAX_LENGTH, MAX_LENGTHS, MIN_LENGTH, Scanner};
use tamis::hash::{Algorithm, KeyHash};

const MOST_SIGNATURES: usize = 80;
const MOST_STREAM: usize = 1 << 14;
const MOST_WORK: usize = 1 << 24;

#[derive(Debug, Arbitrary)]
struct Case {
    seed: u8,
    algorithm: u8,
    rate: u8,
    /// How many bytes of the stream each push gives, round and round.
    pieces: [u16; 3],
    signatures: Vec<Signature>,
    stream: Vec<Stretch>,
}

/// A few bytes, repeated up to a length: signatures of all lengths from short inputs, which
/// overlap with themselves and each other.
#[derive(Debug, Arbitrary)]
struct Signature {
    unit: [u8; 3],
    length: u16,
    last: u8,
}

impl Signature {
    fn bytes(&self) -> Vec<u8> {
        // Most are short; some are at the limits and one past them.
        let length = match self.length {
            0..0xC000 => self.length as usize % 40,
            _ => self.length as usize % (MAX_LENGTH + 2),
        };
        let mut bytes: Vec<u8> = self.unit.iter().copied().cycle().take(length).collect();
        if let Some(last) = bytes.last_mut() {
            *last = self.last;
        }
        bytes
    }
}

#[derive(Debug, Arbitrary)]
enum Stretch {
    /// A signature as it is.
    Whole(u8),
    /// One that breaks off, or lacks its start.
    Part { index: u8, from: u8, length: u16 },
    /// One with a byte changed.
    Damaged { index: u8, place: u16, byte: u8 },
    /// Anything.
    Other([u8; 4]),
    /// One byte many times.
    Run { byte: u8, length: u8 },
}

fn stream_of(stretches: &[Stretch], signatures: &[Vec<u8>]) -> Vec<u8> {
    let pick = |index: u8| match signatures.len() {
        0 => &[][..],
        count => &signatures[index as usize % count],
    };
    let mut stream = Vec::new();
    for stretch in stretches {
        match *stretch {
            Stretch::Whole(index) => stream.extend_from_slice(pick(index)),
            Stretch::Part { index, from, length } => {
                let rest = pick(index).iter().skip(from as usize);
                stream.extend(rest.take(length as usize));
            }
            Stretch::Damaged { index, place, byte } => {
                let start = stream.len();
                stream.extend_from_slice(pick(index));
                if let Some(damaged) = stream.get_mut(start + place as usize) {
                    *damaged = byte;
                }
            }
            Stretch::Other(bytes) => stream.extend_from_slice(&bytes),
            Stretch::Run { byte, length } => stream.extend((0..length).map(|_| byte)),
        }
        if stream.len() > MOST_STREAM {
            break;
        }
    }
    stream.truncate(MOST_STREAM);
    stream
}

/// Where the signatures stand and how long they are, by looking everywhere.
fn naive(signatures: &[Vec<u8>], stream: &[u8]) -> Vec<(usize, usize)> {
    let mut sorted: Vec<&Vec<u8>> = signatures.iter().collect();
    sorted.sort_by_key(|signature| (signature.len(), *signature));
    sorted.dedup();
    let mut hits = Vec::new();
    for start in 0..stream.len() {
        let here = sorted.iter().filter(|signature| stream[start..].starts_with(signature));
        hits.extend(here.map(|signature| (start, signature.len())));
    }
    hits
}

fuzz_target!(|input: &[u8]| {
    let Ok(case) = Case::arbitrary_take_rest(Unstructured::new(input)) else { return };
    let taken = case.signatures.iter().take(MOST_SIGNATURES);
    let signatures: Vec<Vec<u8>> = taken.map(Signature::bytes).collect();
    let algorithm = Algorithm::ALL[case.algorithm as usize % Algorithm::ALL.len()];
    let hash = KeyHash::with_algorithm(algorithm, u64::from(case.seed));
    let rate = [0.9, 0.5, 0.1, 0.01, 1e-6, 0.0][case.rate as usize % 6];

    let mut lengths: Vec<usize> = signatures.iter().map(Vec::len).collect();
    lengths.sort_unstable();
    lengths.dedup();
    let acceptable = rate > 0.0
        && (1..=MAX_LENGTHS).contains(&lengths.len())
        && lengths.iter().all(|length| (MIN_LENGTH..=MAX_LENGTH).contains(length));
    let filter = match SignatureFilter::build(&signatures, rate, hash) {
        Ok(filter) => filter,
        Err(error) => {
            assert!(!acceptable, "refused: {error}");
            return;
        }
    };
    assert!(acceptable, "accepted: lengths {lengths:?}, rate {rate}");

    let mut stream = stream_of(&case.stream, &signatures);
    // Each place may be asked for each length.
    let longest = lengths[lengths.len() - 1];
    stream.truncate((MOST_WORK / lengths.iter().sum::<usize>()).max(2 * longest + 64));

    let known: HashSet<&[u8]> = signatures.iter().map(Vec::as_slice).collect();
    let mut hits: Vec<(usize, usize)> = Vec::new();
    let mut found = |hit: Hit<'_>| {
        let start = hit.offset as usize;
        assert!(stream[start..].starts_with(hit.bytes), "a hit is what stands there");
        if known.contains(hit.bytes) {
            hits.push((start, hit.bytes.len()));
        }
    };
    let mut scanner = Scanner::new(&filter);
    let mut rest = &stream[..];
    let mut pieces = case.pieces.into_iter().cycle();
    let mut pushes = 0;
    while !rest.is_empty() {
        // Pieces of nothing are allowed, but not for ever.
        pushes += 1;
        let size = pieces.next().map_or(1, usize::from).max(pushes % 2).min(rest.len());
        let (piece, later) = rest.split_at(size);
        scanner.push(piece, &mut found);
        rest = later;
    }
    scanner.finish(&mut found);
    assert_eq!(hits, naive(&signatures, &stream));
});

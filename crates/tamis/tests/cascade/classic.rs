//! Classic cascades, read by a reader that shares nothing with the library.

use tamis::cascade::classic::{Algorithm, Training};

/// `MurmurHash3_x86_32` of the reference, written for this test alone.
fn murmur(key: &[u8], seed: u32) -> u32 {
    let scrambled =
        |block: u32| block.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    let number =
        |bytes: &[u8]| bytes.iter().rev().fold(0u32, |sum, byte| sum << 8 | u32::from(*byte));
    let mut hash = seed;
    for block in key.chunks(4) {
        hash ^= scrambled(number(block));
        if block.len() == 4 {
            hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
        }
    }
    hash ^= key.len() as u32;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

struct Independent<'a> {
    algorithm: u8,
    names: Vec<&'a [u8]>,
    filters: Vec<Option<(&'a [u8], &'a [u8])>>,
    last: &'a [u8],
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(count);
    *bytes = rest;
    taken
}

fn number(bytes: &mut &[u8]) -> usize {
    take(bytes, 4).iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte))
}

impl<'a> Independent<'a> {
    fn read(mut bytes: &'a [u8]) -> Self {
        let rest = &mut bytes;
        let algorithm = take(rest, 1)[0];
        let count = number(rest);
        let mut name = || {
            let length = take(rest, 1)[0];
            take(rest, usize::from(length))
        };
        let names = (0..count).map(|_| name()).collect();
        let mut filters = Vec::new();
        let last = loop {
            match take(rest, 1)[0] {
                0xFF => {
                    let length = take(rest, 1)[0];
                    break take(rest, usize::from(length));
                }
                0 => filters.push(None),
                functions => {
                    let seeds = take(rest, usize::from(functions));
                    let size = number(rest);
                    filters.push(Some((seeds, take(rest, size))));
                }
            }
        };
        assert!(rest.is_empty());
        Self { algorithm, names, filters, last }
    }

    fn classify(&self, key: &[u8]) -> &[u8] {
        let has = |(seeds, bits): (&[u8], &[u8])| {
            seeds.iter().all(|&seed| {
                let place = murmur(key, u32::from(seed)) as usize % (8 * bits.len());
                bits[place / 8] >> (place % 8) & 1 == 1
            })
        };
        let each = if self.algorithm == 0 { 1 } else { 2 };
        for (step, filters) in self.filters.chunks(each).enumerate() {
            let Some(first) = filters[0] else { continue };
            let settled = match self.algorithm {
                0 => !has(first),
                _ => has(first) && !filters[1].is_some_and(has),
            };
            if settled {
                return self.names[step % self.names.len()];
            }
        }
        self.last
    }
}

/// Five categories of 12,000 keys: 65,201 and 47,237 bytes by the program that the format comes from.
#[test]
fn an_independent_reader_finds_every_key_right() {
    let keys: Vec<String> = (0..60_000)
        .map(|number: u32| format!("key{:08x}{number}", number.wrapping_mul(2_654_435_761)))
        .collect();
    let mut training = Training::new();
    for (number, key) in keys.iter().enumerate() {
        let category = training.category(format!("category{}", number % 5)).expect("a category");
        assert_eq!(training.insert(category, key.as_bytes()), None);
    }
    for (algorithm, size) in [(Algorithm::Zero, 65_201.0), (Algorithm::One, 47_237.0)] {
        let cascade = training.build(algorithm.functions(), 7).expect("a cascade");
        let mut bytes = Vec::new();
        cascade.write(&mut bytes).expect("written");
        let ratio = bytes.len() as f64 / size;
        assert!((0.98..=1.02).contains(&ratio), "{} bytes", bytes.len());
        let independent = Independent::read(&bytes);
        for (number, key) in keys.iter().enumerate() {
            let name = format!("category{}", number % 5);
            assert_eq!(independent.classify(key.as_bytes()), name.as_bytes());
            assert_eq!(cascade.classify(key.as_bytes()), name.as_bytes());
        }
    }
}

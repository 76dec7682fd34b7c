//! Writes the seeds of all targets to `corpus-seeds`: one small file of each kind of filter, and
//! for the targets that decode operations a few inputs in the encoding of `arbitrary`.
//!
//! ```sh
//! cargo run --manifest-path fuzz/Cargo.toml --example seeds
//! ```

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use tamis::cascade::Trainer;
use tamis::cascade::classic::{self, Training};
use tamis::filter::Layout;
use tamis::filter::{
    Blocked, BlockedBloomFilter, BloomFilter, Classic, CounterWidth, CountingFilter, GrowingFilter,
    Insert, RotatingFilter, SignatureFilter, StaticFilterBuilder, Stored,
};
use tamis::hash::{Algorithm, KeyHash};
use tamis::similar::index::Index;
use tamis::similar::lsh::Bands;
use tamis::similar::{Shingler, Shingles, Signer};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result {
    filter_files()?;
    filter_operations()?;
    similar_files()?;
    cascade_files()?;
    signature_scans()
}

fn save(target: &str, name: &str, bytes: &[u8]) -> Result {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus-seeds").join(target);
    fs::create_dir_all(&directory)?;
    fs::write(directory.join(name), bytes)?;
    println!("{target}/{name}: {} bytes", bytes.len());
    Ok(())
}

fn similar_files() -> Result {
    let signer = Signer::new(16)?;
    let mut bytes = Vec::new();
    signer.sign(&[1, 2, 3]).write(&mut bytes)?;
    save("similar_file", "signature", &bytes)?;
    let bands = Bands { bands: 4, rows: 4 };
    let shingler = Shingler::new(Shingles::Words(2)).lowercase(true);
    for (name, documents) in [("empty", 0), ("index", 3)] {
        let mut index = Index::new(signer, bands)?.with_shingler(shingler.clone());
        for number in 0..documents {
            index.insert(&format!("d{number}"), &[number, number + 1, 7]);
        }
        let mut bytes = Vec::new();
        index.write(&mut bytes)?;
        save("similar_file", name, &bytes)?;
    }
    Ok(())
}

fn filter_files() -> Result {
    fn file(name: &str, filter: &impl Stored) -> Result {
        let mut bytes = Vec::new();
        filter.write(&mut bytes)?;
        save("filter_file", name, &bytes)
    }
    fn filled<F: Insert>(mut filter: F, keys: u64) -> F {
        filter.insert_many(&(0..keys).collect::<Vec<u64>>());
        filter
    }

    let farm = KeyHash::with_algorithm(Algorithm::FarmHash64, 7);
    let murmur = KeyHash::with_algorithm(Algorithm::Murmur3, 1);
    file("classic", &filled(BloomFilter::with_false_positive_rate(20, 0.01)?, 20))?;
    let blocked = BlockedBloomFilter::with_bits(1024, 13)?.with_hash(farm);
    file("blocked", &filled(blocked, 40))?;
    let four = CountingFilter::with_false_positive_rate(CounterWidth::Four, 10, 0.1)?;
    file("counting-blocked-4", &filled(four.with_hash(murmur), 10))?;
    let eight = CountingFilter::with_bits(Layout::Classic, CounterWidth::Eight, 800, 5)?;
    file("counting-classic-8", &filled(eight, 10))?;
    file(
        "growing-classic",
        &filled(GrowingFilter::<Classic>::placed(8, 0.1)?, 40),
    )?;
    file(
        "growing-blocked",
        &filled(GrowingFilter::<Blocked>::placed(9, 0.1)?, 20),
    )?;
    let mut rotating = RotatingFilter::with_false_positive_rate(3, 20, 0.05)?;
    rotating.insert("carrot");
    rotating.rotate();
    file("rotating", &filled(rotating, 9))?;
    let signatures = ["needle", "pins and needles", "haystack"];
    let signatures = SignatureFilter::build(&signatures, 0.01, KeyHash::new(3))?;
    file("signatures", &signatures)?;
    let mut built_once = StaticFilterBuilder::new(0.01)?;
    (0..20u64).for_each(|key| built_once.insert(&key));
    file("static", &built_once.build()?)
}

fn cascade_files() -> Result {
    let sizes = [("rare", 3u64), ("common", 400), ("usual", 30)];
    for (name, reject) in [("exact", 0), ("refusing", 5)] {
        let mut trainer = Trainer::new(KeyHash::new(1));
        for (category, size) in sizes {
            let number = trainer.category(category)?;
            (0..size).for_each(|key| trainer.insert(number, &format!("{category} {key}")));
        }
        let mut bytes = Vec::new();
        trainer.build(reject)?.write(&mut bytes)?;
        save("cascade_file", name, &bytes)?;
    }
    let keys: Vec<(&str, Vec<String>)> = sizes
        .map(|(category, size)| {
            (category, (0..size / 3).map(|key| format!("{category} {key}")).collect())
        })
        .into();
    for (name, algorithm) in
        [("bfc-0", classic::Algorithm::Zero), ("bfc-1", classic::Algorithm::One)]
    {
        let mut training = Training::new();
        for (category, keys) in &keys {
            let number = training.category(category)?;
            for key in keys {
                training.insert(number, key.as_bytes());
            }
        }
        let mut bytes = Vec::new();
        training.build(algorithm.functions(), 3)?.write(&mut bytes)?;
        save("cascade_file", name, &bytes)?;
    }
    Ok(())
}

/// Bytes that `arbitrary` decodes to what was meant.
#[derive(Default)]
struct Input(Vec<u8>);

impl Input {
    fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// A variant of an enum: `floor(v * count / 2^32)` chooses it.
    fn variant(self, index: u64, count: u64) -> Self {
        self.bytes(&((index << 32).div_ceil(count) as u32).to_le_bytes())
    }

    /// Another element of a list follows.
    fn more(self) -> Self {
        self.bytes(&[1])
    }

    /// None does.
    fn end(self) -> Self {
        self.bytes(&[0])
    }
}

/// Each shape with a sequence that uses all operations.
fn filter_operations() -> Result {
    // Of `Shape`: the variant with its fields. Of `Size`: items and a rate, or bits and functions.
    let shapes: [(&str, u64, &[u8]); 7] = [
        ("classic", 0, &[]),
        ("blocked", 1, &[]),
        ("counting-classic-4", 2, &[0, 0]),
        ("counting-blocked-8", 2, &[1, 1]),
        ("growing-classic", 3, &[]),
        ("growing-blocked", 4, &[]),
        ("rotating", 5, &[3]),
    ];
    for (index, (name, shape, fields)) in shapes.into_iter().enumerate() {
        let input = Input::default().variant(shape, 6).bytes(fields);
        let input = match index % 2 {
            0 => input.variant(0, 2).bytes(&[20, 3]),
            _ => input.variant(1, 2).bytes(&700u16.to_le_bytes()).bytes(&[5]),
        };
        let mut input = input.bytes(&[index as u8, 1]);
        // Side, then `Action`: the variant with its fields.
        let actions: [(u8, u64, &[u8]); 12] = [
            (0, 0, &[7]),
            (0, 1, &[0, 30]),
            (1, 1, &[20, 30]),
            (0, 2, &[7]),
            (0, 3, &[]),
            (0, 8, &[]),
            (0, 4, &[]),
            (0, 1, &[100, 50]),
            (1, 5, &[]),
            (1, 7, &[]),
            (1, 3, &[]),
            (0, 6, &[]),
        ];
        for (side, action, fields) in actions {
            input = input.more().bytes(&[side]).variant(action, 9).bytes(fields);
        }
        save("filter_operations", name, &input.end().0)?;
    }
    Ok(())
}

/// Short, overlapping and long signatures in pieces of all sizes.
fn signature_scans() -> Result {
    /// What is repeated, up to which length, and the last byte.
    type Signature = (&'static [u8; 3], u16, u8);
    let cases: [(&str, [u16; 3], &[Signature]); 3] = [
        ("short", [1, 2, 3], &[(b"abc", 4, b'a'), (b"abc", 5, b'b'), (b"\0\0\0", 4, 0)]),
        ("long", [100, 1, 700], &[(b"aab", 0xC000 + 700, b'a'), (b"aaa", 38, b'a')]),
        ("mixed", [5, 0, 64], &[(b"xyz", 10, b'!'), (b"xyz", 0xC000 + 3000, b'z'), (b"xyx", 6, 1)]),
    ];
    for (name, pieces, signatures) in cases {
        let mut input = Input::default().bytes(&[1, 0, 3]);
        for piece in pieces {
            input = input.bytes(&piece.to_le_bytes());
        }
        for &(unit, length, last) in signatures {
            input = input.more().bytes(unit).bytes(&length.to_le_bytes()).bytes(&[last]);
        }
        input = input.end();
        let stretches: [(u64, &[u8]); 8] = [
            (0, &[0]),
            (1, &[1, 1, 9, 0]),
            (0, &[1]),
            (2, &[0, 2, 0, b'?']),
            (3, b"abab"),
            (0, &[2]),
            (4, &[b'a', 200]),
            (0, &[0]),
        ];
        for (stretch, fields) in stretches {
            input = input.more().variant(stretch, 5).bytes(fields);
        }
        save("signature_scan", name, &input.end().0)?;
    }
    Ok(())
}

//! Keys of one's own: tuples, options and addresses are keys as they are; a type says what its key
//! is, or is wrapped in `Stable` as it is.

use std::net::IpAddr;
use tamis::filter::BloomFilter;
use tamis::hash::{Key, KeyHash, KeyKinds, Stable};

/// Two products are the same if their numbers are.
struct Product {
    number: u64,
    name: String,
}

impl Key for Product {
    fn hash_with(&self, hash: &KeyHash) -> u64 {
        self.number.hash_with(hash)
    }

    // So that a query by name is refused, here and in every program that opens the file.
    fn kinds(&self) -> KeyKinds {
        KeyKinds::INTEGERS
    }
}

#[derive(Hash)]
struct Visit {
    host: String,
    port: u16,
}

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sold = BloomFilter::with_false_positive_rate(1_000, 0.001)?;
    let leek = Product { number: 7, name: "leek".to_owned() };
    sold.insert(&leek);
    println!("{} is sold", leek.name);
    assert!(sold.contains(&7));
    assert!(sold.contains(&Product { number: 7, name: "porro".to_owned() }));

    assert!(sold.try_contains("7").is_err());

    let mut visits = BloomFilter::with_false_positive_rate(1_000, 0.001)?;
    visits.insert(&Stable(&Visit { host: "example.org".to_owned(), port: 443 }));
    assert!(visits.contains(&Stable(&Visit { host: "example.org".to_owned(), port: 443 })));

    let address: IpAddr = "192.0.2.7".parse()?;
    let mut pairs = BloomFilter::with_false_positive_rate(1_000, 0.001)?;
    assert!(pairs.insert(&(address, 443u16)));
    assert!(!pairs.insert(&("192.0.2.7", 443)));
    assert!(pairs.insert(&(443, address)), "the order matters");
    Ok(())
}

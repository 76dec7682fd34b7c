//! A filter as a field of a structure that serde writes (feature `serde`).

use serde::{Deserialize, Serialize};
use std::error::Error;
use tamis::filter::BlockedBloomFilter;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Crawl {
    name: String,
    pages: u64,
    seen: BlockedBloomFilter,
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let seen = ["/home", "/price"].into_iter().collect();
    let crawl = Crawl { name: "example.org".to_owned(), pages: 2, seen };
    let text = serde_json::to_string(&crawl)?;
    let back: Crawl = serde_json::from_str(&text)?;
    assert_eq!(back, crawl);
    assert!(back.seen.contains("/price"));
    println!("{} bytes of JSON, {back:?}", text.len());
    Ok(())
}

//! Saves a filter, and asks the file: a large one is mapped, so that opening it takes no time and
//! processes share its memory.

use tamis::filter::{AnyFilter, BloomFilter};

pub(crate) fn main() -> tamis::Result<()> {
    let folder = std::env::temp_dir().join(format!("tamis-example-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let path = folder.join("known.tamis");

    let known: BloomFilter = ["carrot", "leek", "turnip"].into_iter().collect();
    known.save(&path)?;

    // As it is in the file. Replace files, never overwrite them, while they are mapped.
    let mapped = BloomFilter::open_mapped(&path)?;
    assert!(mapped.contains("leek"));

    // Into memory, all of it checked, to be changed.
    let mut opened = BloomFilter::open(&path)?;
    assert_eq!(opened, known);
    opened.insert("parsnip");
    opened.save(&path)?;

    // Whatever kind of filter the file has.
    let any = AnyFilter::open(&path)?;
    println!("{any:?}");
    assert!(any.contains("parsnip") && any.len() == 4);

    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

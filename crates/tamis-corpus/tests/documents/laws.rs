//! Laws for any bytes whatever.

use crate::{Folder, read};
use proptest::prelude::*;
use std::fs;
use std::slice::from_ref;
use tamis_corpus::documents::{Format, ReadOptions};
use tamis_corpus::rewrite::rewrite;

/// Bytes that mean something to one format or another, in any order.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let pieces: [&[u8]; 16] = [
        b"\n",
        b"\r\n",
        b"\r",
        b",",
        b"\"",
        b"\"\"",
        b"text",
        b"\t",
        b"{\"text\":\"a\"}",
        b"{\"text\":",
        b"null}",
        b"[]",
        b"\xE9",
        "é".as_bytes(),
        b"\xEF\xBB\xBF",
        b" ",
    ];
    let piece = (0..pieces.len()).prop_map(move |place| pieces[place]);
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_copy_of_everything_is_the_same_bytes(content in content(), longest in 0..40usize) {
        let folder = Folder::new();
        let input = folder.write("in", &content);
        let output = folder.path("out");
        for format in [Format::Lines, Format::Jsonl, Format::Csv, Format::Tsv] {
            for max_document in [longest, 1 << 20] {
                let options =
                    ReadOptions { format: Some(format), max_document, ..ReadOptions::default() };
                match rewrite(from_ref(&input), &options, |_| true, &output) {
                    Ok(result) => {
                        prop_assert_eq!(&fs::read(&output).unwrap(), &content);
                        let (documents, summary) = match read(from_ref(&input), &options) {
                            // Reading refuses what has no text at all; a copy comes after it.
                            Err(tamis_corpus::Error::NoRecordHas { .. }) => continue,
                            read => read.unwrap(),
                        };
                        prop_assert_eq!(result.kept, documents.len() as u64);
                        prop_assert_eq!(result.summary, summary);
                    }
                    // The first row of a table is its header, whatever it is.
                    Err(tamis_corpus::Error::NoColumn { .. }) => {}
                    Err(other) => prop_assert!(false, "{}", other),
                }
            }
        }
    }

    #[test]
    fn what_goes_and_what_stays_is_all_there_is(content in content(), seed in any::<u64>()) {
        let folder = Folder::new();
        let content = [b"text\n", &content[..]].concat();
        let input = folder.write("in", &content);
        let (kept, dropped) = (folder.path("kept"), folder.path("dropped"));
        for format in [Format::Lines, Format::Jsonl, Format::Csv] {
            let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
            let choose = |ordinal: u64| seed.rotate_left(ordinal as u32) & 1 == 1;
            let first = rewrite(from_ref(&input), &options, choose, &kept).unwrap();
            let second = rewrite(from_ref(&input), &options, |o| !choose(o), &dropped).unwrap();
            let nothing = folder.path("nothing");
            rewrite(from_ref(&input), &options, |_| false, &nothing).unwrap();
            let size = |path| fs::read(path).unwrap().len();
            prop_assert_eq!(first.kept, second.dropped);
            prop_assert_eq!(size(&kept) + size(&dropped) - size(&nothing), content.len());
        }
    }
}

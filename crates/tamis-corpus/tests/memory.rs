//! Memory is bounded by the longest document, not by lines, quotes or what a file unpacks to.
//!
//! Every allocation of this process is counted; the test has the process for itself.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tamis_corpus::Result;
use tamis_corpus::documents::{Problem, ReadOptions, for_each_document};
use tamis_corpus::rewrite::rewrite;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: everything is handed to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(now, Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most memory that `work` had at a time, in MiB.
fn peak(work: impl FnOnce()) -> usize {
    let before = NOW.load(Relaxed);
    PEAK.store(before, Relaxed);
    work();
    (PEAK.load(Relaxed) - before) >> 20
}

/// Writes a file around 100 MB of one letter.
fn write_long(mut out: impl Write, start: &str, end: &str) {
    out.write_all(start.as_bytes()).unwrap();
    let piece = vec![b'x'; 1 << 20];
    (0..100).for_each(|_| out.write_all(&piece).unwrap());
    out.write_all(end.as_bytes()).unwrap();
}

fn count(path: &Path, options: &ReadOptions) -> (u64, u64, u64) {
    let inputs = [path.to_owned()];
    let mut options = options.clone();
    options.tolerance.max_bad = 1.0;
    let summary = for_each_document(&inputs, &options, |_| -> Result<()> { Ok(()) }).unwrap();
    (summary.documents, summary.bytes, summary.count(Problem::TooLong))
}

#[test]
fn memory_follows_the_limit_and_not_the_input() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let json = ("{\"text\":\"a\"}\n{\"text\":\"", "\"}\n{\"text\":\"b\"}\n");
    write_long(File::create(path("a.jsonl")).unwrap(), json.0, json.1);
    // The quote is never closed: all that follows is one field.
    let csv = ("text\na\n\"", "\nb,\nc\n");
    write_long(File::create(path("b.csv")).unwrap(), csv.0, csv.1);
    let fields = ("text\na\n", "\nb\n");
    let mut many_fields = File::create(path("c.csv")).unwrap();
    many_fields.write_all(fields.0.as_bytes()).unwrap();
    (0..100).for_each(|_| many_fields.write_all(&vec![b','; 1 << 20]).unwrap());
    many_fields.write_all(fields.1.as_bytes()).unwrap();
    let gzip = flate2::write::GzEncoder::new(
        File::create(path("d.jsonl.gz")).unwrap(),
        flate2::Compression::fast(),
    );
    write_long(gzip, json.0, json.1);
    let mut zstd = zstd::Encoder::new(File::create(path("e.jsonl.zst")).unwrap(), 1).unwrap();
    write_long(&mut zstd, json.0, json.1);
    zstd.finish().unwrap();
    fs::create_dir(path("f")).unwrap();
    fs::copy(path("a.jsonl"), path("f/1")).unwrap();
    fs::copy(path("d.jsonl.gz"), path("f/2")).unwrap();
    let short = ReadOptions { max_document: 1 << 20, ..ReadOptions::default() };

    let cases = [
        ("a.jsonl", (2, 2, 1)),
        ("b.csv", (1, 1, 1)),
        ("c.csv", (2, 2, 1)),
        ("d.jsonl.gz", (2, 2, 1)),
        ("e.jsonl.zst", (2, 2, 1)),
        // Shards are read as records: the long one of each is left out.
        ("f", (4, 4, 2)),
    ];
    for (name, expected) in cases {
        let used = peak(|| assert_eq!(count(&path(name), &short), expected, "{name}"));
        assert!(used < 8, "{name} took {used} MiB");
    }
    for name in ["a.jsonl", "b.csv", "c.csv"] {
        let (input, output) = (path(name), path("out"));
        let used = peak(|| {
            let inputs = [input.clone()];
            let result = rewrite(&inputs, &short, |_| true, &output).unwrap();
            assert_eq!(result.summary.count(Problem::TooLong), 1);
        });
        assert!(used < 8, "a copy of {name} took {used} MiB");
        assert!(fs::read(&input).unwrap() == fs::read(&output).unwrap(), "{name}");
    }

    // Within the limit it is a document like others, and in memory once.
    let long = (100 << 20) + 2;
    let used = peak(|| assert_eq!(count(&path("a.jsonl"), &ReadOptions::default()), (3, long, 0)));
    assert!((100..280).contains(&used), "{used} MiB");
}

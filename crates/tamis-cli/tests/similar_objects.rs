//! `tamis similar` on objects: a real S3 server (moto, which `make tools` installs), and a small web
//! server that fails as it is told to.

mod common;
#[path = "../../tamis-corpus/tests/objects/server.rs"]
mod server;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use common::{Folder, Ran};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use server::{Served, Server};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

/// An S3 server with the folders of a test; it ends when this does.
struct S3 {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    address: String,
}

impl S3 {
    fn start(folder: &Folder, buckets: &[&str]) -> Self {
        let python = common::root().join("target/tools/venv/bin/python");
        let mut child = Command::new(python)
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/s3.py"))
            .args(buckets)
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("moto: `make tools` installs it");
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let mut address = String::new();
        output.read_line(&mut address).expect("its address");
        assert!(address.starts_with("http://"), "moto does not start: {address}");
        let input = child.stdin.take();
        Self { child, input, output, address: address.trim().to_owned() }
    }

    /// Uploads a folder once more.
    fn upload(&mut self, named: &str) {
        writeln!(self.input.as_ref().expect("its input"), "{named}").expect("moto runs");
        let mut answer = String::new();
        self.output.read_line(&mut answer).expect("an answer");
        assert_eq!(answer.trim(), named);
    }

    fn run(&self, folder: &Folder, arguments: &[&str]) -> Ran {
        run(&self.address, folder, arguments)
    }

    fn ok(&self, folder: &Folder, arguments: &[&str]) -> Ran {
        let ran = self.run(folder, arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        ran
    }

    fn refused(&self, folder: &Folder, arguments: &[&str]) -> String {
        refused(&self.run(folder, arguments), arguments)
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        drop(self.input.take());
        self.child.wait().ok();
    }
}

fn refused(ran: &Ran, arguments: &[&str]) -> String {
    assert_eq!(ran.code, 2, "{arguments:?} is not refused: {}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    ran.stderr.clone()
}

/// The command with an endpoint and credentials in its environment.
fn command(endpoint: &str, folder: &Folder) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tamis"));
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("AWS_")) {
            command.env_remove(name);
        }
    }
    command
        .envs([("AWS_ACCESS_KEY_ID", "test"), ("AWS_SECRET_ACCESS_KEY", "test")])
        .env("AWS_ENDPOINT_URL", endpoint)
        .current_dir(folder.path())
        .stdin(Stdio::null());
    command
}

fn run(endpoint: &str, folder: &Folder, arguments: &[&str]) -> Ran {
    Ran::new(&command(endpoint, folder).args(arguments).output().expect("tamis starts"))
}

/// Thirty invented words about a topic; the last is another one in each copy.
fn text(topic: &str, copy: usize) -> String {
    let words: Vec<String> = (0..30).map(|index| format!("{topic}{index}")).collect();
    format!("{} copy{copy}", words.join(" "))
}

/// Three shards of two documents, and one more below another folder.
fn shards(folder: &Folder) {
    for name in ["bucket/parts", "bucket/parts-b", "bucket/deep/one", "bucket/deep/two"] {
        std::fs::create_dir_all(folder.path().join(name)).expect("a folder");
    }
    let rows = |name: &str, topic: &str, copy| {
        let row = |id: String, text| format!("{}\n", serde_json::json!({"id": id, "text": text}));
        row(format!("{name}-a"), text(topic, copy))
            + &row(format!("{name}-b"), text(&format!("other{name}"), 0))
    };
    for (name, topic) in [("1", "leek"), ("2", "swede"), ("3", "leek")] {
        let number = name.parse().expect("a number");
        folder.file(&format!("bucket/parts/{name}.jsonl"), rows(name, topic, number));
    }
    folder.file("bucket/parts/_SUCCESS", "");
    folder.file("bucket/parts-b/4.jsonl", rows("4", "swede", 4));
    folder.file("bucket/deep/one/5.jsonl", rows("5", "leek", 5));
    folder.file("bucket/deep/two/6.jsonl", rows("6", "leek", 6));
    folder.file("bucket/odd [1].jsonl", rows("7", "leek", 7));
}

/// What a run found, and what it read; not how long it took.
fn found(ran: &Ran) -> (String, String) {
    let last = ran.stderr.lines().last().unwrap_or_default();
    (ran.stdout.clone(), last.split(';').next().unwrap_or_default().to_owned())
}

#[test]
fn an_address_stands_where_a_path_does() {
    let folder = Folder::new();
    shards(&folder);
    let s3 = S3::start(&folder, &["corpus=bucket"]);
    let places: [(&[&str], &[&str]); 8] = [
        (&["s3://corpus/parts"], &["bucket/parts"]),
        (&["s3://corpus/parts/"], &["bucket/parts/"]),
        (&["s3://corpus/parts/*.jsonl"], &["bucket/parts/*.jsonl"]),
        (&["s3://corpus/parts/[12].jsonl"], &["bucket/parts/[12].jsonl"]),
        (&["s3://corpus/parts*"], &["bucket/parts*"]),
        (&["s3://corpus/deep/*/?.jsonl"], &["bucket/deep/*/?.jsonl"]),
        (
            &["s3://corpus/odd [1].jsonl", "s3://corpus/parts/1.jsonl"],
            &["bucket/odd [1].jsonl", "bucket/parts/1.jsonl"],
        ),
        (&["s3://corpus/**/[1-6].jsonl"], &["bucket/**/[1-6].jsonl"]),
    ];
    for (remote, local) in places {
        let arguments = |inputs: &[&'static str]| [&["similar", "pairs"], inputs].concat();
        let (there, here) = (s3.run(&folder, &arguments(remote)), folder.run(&arguments(local)));
        assert!(there.code == here.code && here.code < 2, "{remote:?}: {}", there.stderr);
        assert_eq!(found(&there), found(&here), "{remote:?}");
    }
    let all = s3.ok(&folder, &["similar", "pairs", "s3://corpus"]);
    assert!(found(&all).1.starts_with("7 JSONL shards, 14 documents"), "{}", all.stderr);
    // Two places, one of them here.
    let both = s3.ok(&folder, &["similar", "pairs", "s3://corpus/parts/1.jsonl", "bucket/deep"]);
    assert_eq!(both.stdout.lines().count(), 3, "{}", both.stdout);
}

#[test]
fn every_verb_takes_addresses_and_writes_what_it_writes_of_files() {
    let folder = Folder::new();
    shards(&folder);
    let s3 = S3::start(&folder, &["corpus=bucket"]);
    let same = |verb: &[&str], remote: &str, local: &str, outputs: [&str; 2]| {
        let arguments = |input, output| [&["similar"], verb, &[input, "-o", output]].concat();
        s3.ok(&folder, &arguments(remote, outputs[0]));
        folder.ok(&arguments(local, outputs[1]));
    };
    same(&["dedup"], "s3://corpus/parts/", "bucket/parts/", ["clean-a", "clean-b"]);
    for name in ["1.jsonl", "2.jsonl", "3.jsonl"] {
        let of = |place: &str| folder.read(&format!("{place}/{name}"));
        assert!(of("clean-a") == of("clean-b"), "{name}");
    }
    assert!(folder.read("clean-a/3.jsonl") != folder.read("bucket/parts/3.jsonl"));
    let (remote, local) = ("s3://corpus/parts/*.jsonl", "bucket/parts/*.jsonl");
    for (verb, outputs) in [
        (&["label"][..], ["label-a.jsonl", "label-b.jsonl"]),
        (&["dedup", "--keep", "last"], ["last-a.jsonl", "last-b.jsonl"]),
        (&["clusters", "--singletons"], ["groups-a.csv", "groups-b.csv"]),
        (&["index"], ["a.tamis", "b.tamis"]),
    ] {
        same(verb, remote, local, outputs);
        assert!(folder.read(outputs[0]) == folder.read(outputs[1]), "{verb:?}");
    }
    let asked = s3.ok(&folder, &["similar", "query", "a.tamis", "s3://corpus/deep/one/5.jsonl"]);
    assert!(asked.stdout.contains("5-a\t1-a\t"), "{}", asked.stdout);
    let one = s3.ok(
        &folder,
        &[
            "similar",
            "dedup",
            "bucket/deep/one/5.jsonl",
            "--against",
            "s3://corpus/parts",
            "-o",
            "new.jsonl",
        ],
    );
    assert!(one.stderr.contains("1 removed, 1 kept"), "{}", one.stderr);
    let two = ["s3://corpus/parts/1.jsonl", "s3://corpus/parts/3.jsonl"];
    let alike = s3.ok(&folder, &[&["similar", "compare"][..], &two].concat());
    assert!(alike.stdout.starts_with("similarity"), "{}", alike.stdout);
}

#[test]
fn what_cannot_be_reached_ends_with_2_and_no_output() {
    let folder = Folder::new();
    shards(&folder);
    let s3 = S3::start(&folder, &["corpus=bucket"]);
    let cases = [
        ("s3://corpus/missing.jsonl", "there is no such object, and no folder of that name"),
        ("s3://nowhere/a.jsonl", "there is no such"),
        ("s3://corpus/parts/*.csv", "no file matches s3://corpus/parts/*.csv"),
        ("s3:///a.jsonl", "the address names no bucket"),
        ("s3://corpus/a//b", "no object is called so"),
        ("http://127.0.0.1:1/a.jsonl", "onnection refused"),
        ("http://127.0.0.1:1/", "a web server lists no folders"),
    ];
    for (address, reason) in cases {
        for verb in ["pairs", "dedup", "index"] {
            let arguments = ["similar", verb, address, "-o", "out.tsv"];
            let said = s3.refused(&folder, &arguments);
            assert!(said.contains(reason), "{address}: {said}");
            assert!(!folder.path().join("out.tsv").exists());
            // One verb is enough for what takes its time.
            if address.starts_with("http") {
                break;
            }
        }
    }
    let closed =
        run("http://127.0.0.1:1", &folder, &["similar", "pairs", "s3://corpus/parts", "-o", "out"]);
    assert!(refused(&closed, &[]).contains("onnection refused"), "{}", closed.stderr);
    let twice = ["similar", "pairs", "s3://corpus/parts/1.jsonl", "s3://corpus/parts/[1].jsonl"];
    assert!(s3.refused(&folder, &twice).contains("is named twice"));
    for output in ["s3://corpus/out.jsonl", "s3://corpus/out/"] {
        for verb in ["pairs", "dedup", "label", "index"] {
            let said = s3.refused(&folder, &["similar", verb, "bucket/parts", "-o", output]);
            assert!(
                said.contains("results cannot be written to object stores"),
                "{verb} {output}: {said}"
            );
        }
    }
    assert!(!folder.path().join("s3:").exists());
}

#[test]
fn a_run_is_resumed_only_with_the_same_objects() {
    let folder = Folder::new();
    shards(&folder);
    let mut s3 = S3::start(&folder, &["corpus=bucket"]);
    let arguments = ["similar", "pairs", "--resume", "stages", "s3://corpus/parts"];
    let first = s3.ok(&folder, &arguments);
    let again = s3.ok(&folder, &arguments);
    assert_eq!(first.stdout, again.stdout);
    assert!(again.stderr.contains("taken over from an earlier run"), "{}", again.stderr);
    folder.file("bucket/parts/2.jsonl", "{\"id\": \"2\", \"text\": \"other\"}\n");
    s3.upload("corpus=bucket");
    let said = s3.refused(&folder, &arguments);
    assert!(said.contains("keeps a run with other inputs"), "{said}");
}

#[test]
fn memory_does_not_depend_on_the_size_of_an_object() {
    let folder = Folder::new();
    let server = Server::start();
    // Rows of 64 KiB, nearly all of it in a column that nobody wants.
    let row = |number: u64| {
        let head =
            format!("{{\"id\":\"{number:08}\",\"text\":\"leek number {number:08}\",\"pad\":\"");
        format!("{head}{}\"}}\n", "x".repeat((1 << 16) - head.len() - 3))
    };
    assert_eq!(row(7).len(), 1 << 16);
    let made = move |start: u64, buffer: &mut [u8]| {
        let mut filled = 0;
        while filled < buffer.len() {
            let position = start + filled as u64;
            let row = row(position >> 16);
            let rest = &row.as_bytes()[(position & 0xFFFF) as usize..];
            let size = rest.len().min(buffer.len() - filled);
            buffer[filled..filled + size].copy_from_slice(&rest[..size]);
            filled += size;
        }
    };
    let peak = |path: &str, served: Served| {
        let address = server.put(path, served);
        let arguments = ["similar", "clusters", "--memory", "64M", &address];
        let ran = run("", &folder, &arguments);
        assert!(ran.code < 2, "{}", ran.stderr);
        let last = ran.stderr.lines().last().unwrap_or_default().to_owned();
        let peak = last.split(", ").last().and_then(|peak| peak.strip_suffix(" MB at the peak"));
        peak.and_then(|peak| peak.parse::<f64>().ok()).unwrap_or_else(|| panic!("{last}"))
    };
    let small = peak("/small.jsonl", Served::made(2 << 20, made));
    for (path, served) in [
        ("/large.jsonl", Served::made(300 << 20, made)),
        ("/stream.jsonl", Served::made(300 << 20, made).without_ranges()),
    ] {
        let large = peak(path, served);
        assert!(large < small + 40.0, "{path}: {large} MB, and {small} MB for 2 MB");
    }
}

/// Words of a fixed seed.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn text(&mut self, length: usize) -> String {
        let mut text = String::new();
        for _ in 0..length {
            // Common words are short.
            let (a, b) = (self.next() % 4096, self.next() % 4096);
            write!(text, "w{:x} ", a * b % 50_021).expect("a string");
        }
        text
    }
}

/// Writes documents as 64 Parquet shards; each twentieth is a near copy of an earlier one.
fn write_parquet(folder: &Path, documents: usize) {
    const SHARDS: usize = 64;
    std::fs::create_dir_all(folder).expect("a folder");
    let (mut words, mut last) = (Words(1), String::new());
    for shard in 0..SHARDS {
        let rows = documents * shard / SHARDS..documents * (shard + 1) / SHARDS;
        let texts: Vec<String> = rows
            .clone()
            .map(|row| match row % 20 {
                19 => format!("{last}once more"),
                0 => {
                    last = words.text(100);
                    last.clone()
                }
                _ => words.text(100),
            })
            .collect();
        let ids: ArrayRef =
            Arc::new(StringArray::from_iter_values(rows.map(|row| format!("document {row}"))));
        let urls = texts.iter().map(|text| format!("https://example.org/{}", text.len()));
        let batch = RecordBatch::try_from_iter([
            ("url", Arc::new(StringArray::from_iter_values(urls)) as ArrayRef),
            ("id", ids),
            ("text", Arc::new(StringArray::from(texts)) as ArrayRef),
        ])
        .expect("columns of one length");
        let file =
            std::fs::File::create(folder.join(format!("part-{shard:02}.parquet"))).expect("a file");
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let mut writer =
            ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a writer");
        writer.write(&batch).expect("a file");
        writer.close().expect("a file");
    }
}

/// What a run prints, and its processor time in seconds. The variable TAMIS names another build.
fn timed(s3: &S3, folder: &Folder, input: &str) -> (String, f64) {
    let tamis = std::env::var_os("TAMIS").unwrap_or_else(|| env!("CARGO_BIN_EXE_tamis").into());
    let output = Command::new("bash")
        .args(["-c", "TIMEFORMAT='%U %S'; time \"$TAMIS\" similar pairs --quiet \"$INPUT\""])
        .envs([("AWS_ACCESS_KEY_ID", "test"), ("AWS_SECRET_ACCESS_KEY", "test")])
        .envs([("AWS_ENDPOINT_URL", &*s3.address), ("INPUT", input)])
        .env("TAMIS", tamis)
        .current_dir(folder.path())
        .output()
        .expect("bash starts");
    let ran = Ran::new(&output);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let times = ran.stderr.lines().last().unwrap_or_default().split(' ');
    let seconds = times.map(|time| time.parse::<f64>().expect("seconds")).sum();
    (ran.stdout, seconds)
}

/// `TAMIS_OBJECT_DOCUMENTS=1000000` and a release build, named by `TAMIS`, measure what a user would.
#[test]
fn shards_of_parquet_give_the_same_and_cost_little_more() {
    let documents = std::env::var("TAMIS_OBJECT_DOCUMENTS").ok().and_then(|it| it.parse().ok());
    let folder = Folder::new();
    write_parquet(&folder.path().join("bucket/shards"), documents.unwrap_or(32_000));
    let s3 = S3::start(&folder, &["corpus=bucket"]);
    let (there, remote) = timed(&s3, &folder, "s3://corpus/shards/");
    let (here, local) = timed(&s3, &folder, "bucket/shards/");
    assert!(there.lines().count() >= documents.unwrap_or(32_000) / 20 - 1);
    assert!(there == here, "{} and {} pairs", there.lines().count(), here.lines().count());
    eprintln!("processor time: {remote:.2} s on S3, {local:.2} s of files");
    // What every request costs weighs more in a short run.
    let most = if documents.is_some() { local * 1.3 } else { local * 1.3 + 2.0 };
    assert!(remote <= most, "{remote:.2} s of processor time on S3, {local:.2} s of files");
}

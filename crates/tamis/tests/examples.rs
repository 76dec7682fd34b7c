//! Every example runs, and does what it says.

#![allow(dead_code, missing_docs, unreachable_pub, reason = "an example is a program")]

#[path = "../examples/cascade.rs"]
mod cascade;
#[path = "../examples/counted_visits.rs"]
mod counted_visits;
#[path = "../examples/custom_keys.rs"]
mod custom_keys;
#[path = "../examples/generic_function.rs"]
mod generic_function;
#[path = "../examples/merge_shards.rs"]
mod merge_shards;
#[path = "../examples/minhash.rs"]
mod minhash;
#[path = "../examples/save_and_map.rs"]
mod save_and_map;
#[path = "../examples/serde_field.rs"]
mod serde_field;
#[path = "../examples/shared_server.rs"]
mod shared_server;
#[path = "../examples/static_from_iterator.rs"]
mod static_from_iterator;
#[path = "../examples/stream_dedup.rs"]
mod stream_dedup;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use tamis::filter::ConcurrentBloomFilter;

#[test]
fn there_is_a_test_for_every_example() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let files = std::fs::read_dir(folder).expect("the examples");
    let names: Vec<_> = files.map(|file| file.expect("a file").file_name()).collect();
    assert_eq!(names.len(), 11);
    let tests = include_str!("examples.rs");
    for name in names {
        let name = name.to_str().expect("a plain name");
        let call = format!("{}::", name.trim_end_matches(".rs"));
        assert!(tests.contains(&call), "{name}");
    }
}

#[test]
fn a_stream_loses_its_repetitions() {
    let mut output = Vec::new();
    let dropped = stream_dedup::dedup(&b"leek\nturnip\nleek\n"[..], &mut output);
    assert_eq!(dropped.expect("a stream"), 1);
    assert_eq!(output, b"leek\nturnip\n");
}

#[test]
fn visits_are_counted_and_taken_back() {
    counted_visits::main().expect("it runs");
}

#[test]
fn a_filter_is_saved_and_mapped() {
    save_and_map::main().expect("it runs");
}

#[test]
fn shards_merge() {
    merge_shards::main().expect("it runs");
}

#[test]
fn functions_take_any_filter() {
    generic_function::main().expect("it runs");
}

#[test]
fn a_filter_is_a_field() {
    serde_field::main().expect("it runs");
}

#[test]
fn types_of_ones_own_are_keys() {
    custom_keys::main().expect("it runs");
}

#[test]
fn a_static_filter_comes_from_an_iterator() {
    static_from_iterator::main().expect("it runs");
}

#[test]
fn a_cascade_takes_ten_lines() {
    cascade::main().expect("it runs");
    let text = include_str!("../examples/cascade.rs");
    let body = text.split_once("fn main").expect("a program").1;
    assert!(body.lines().count() - 3 <= 10, "the lines between the first and `Ok(())`");
}

#[test]
fn two_texts_are_compared() {
    minhash::main().expect("it runs");
}

fn request(address: SocketAddr, method: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    write!(stream, "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        .expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer.split_once("\r\n\r\n").expect("a head and a body").1.to_owned()
}

#[test]
fn a_server_shares_a_filter_and_goes_on_from_its_snapshot() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("seen.tamis");
    let seen = Arc::new(shared_server::restored(&path).expect("a new one"));
    let app = shared_server::app(Arc::clone(&seen));
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).expect("a port");
    let address = listener.local_addr().expect("an address");
    runtime.spawn(async move { axum::serve(listener, app).await });
    assert_eq!(request(address, "GET", "/seen/leek"), "false");
    assert_eq!(request(address, "PUT", "/seen/leek"), "true");
    assert_eq!(request(address, "PUT", "/seen/leek"), "false");
    seen.save(&path).expect("saved while the server runs");
    let again: ConcurrentBloomFilter = shared_server::restored(&path).expect("saved");
    assert!(again.contains("leek"));
    runtime.shutdown_background();
}

//! Many threads, one filter: no bit is lost, and the result is that of one thread.

use crate::support::{bytes_of, spread};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use tamis::filter::{BlockedBloomFilter, ConcurrentBloomFilter};

const THREADS: u64 = 4;

#[test]
fn overlapping_inserts_give_the_filter_of_one_thread_bit_for_bit() {
    const KEYS: u64 = 20_000;
    const ROUNDS: u64 = 3;
    let shared = ConcurrentBloomFilter::with_false_positive_rate(KEYS, 0.01).expect("sound");
    let start = Barrier::new(usize::try_from(THREADS).expect("four"));
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (shared, start) = (&shared, &start);
            scope.spawn(move || {
                start.wait();
                for round in 0..ROUNDS {
                    // Three quarters of all keys each, every round in another order and way.
                    let first = thread * KEYS / THREADS;
                    let keys: Vec<u64> =
                        (0..KEYS * 3 / 4).map(|i| spread((first + i) % KEYS)).collect();
                    if (round + thread) % 2 == 0 {
                        for key in keys.iter().rev() {
                            shared.insert(key);
                        }
                    } else {
                        shared.insert_many(&keys);
                    }
                }
            });
        }
    });
    let mut plain = BlockedBloomFilter::with_false_positive_rate(KEYS, 0.01).expect("sound");
    for key in 0..KEYS {
        // Each key was inserted by three of the four threads in each round.
        for _ in 0..ROUNDS * 3 {
            plain.insert(&spread(key));
        }
    }
    let (ours, its) = (shared.current_false_positive_rate(), plain.current_false_positive_rate());
    assert!((ours / its - 1.0).abs() < 1e-9, "{ours} and {its}");
    assert_eq!(bytes_of(&shared.into_filter()), bytes_of(&plain));
}

/// All threads at one cache line: whoever reads a word and writes it back over another's bit
/// loses that bit, and there are a thousand fresh filters in which to be caught.
#[test]
fn no_bit_is_lost_when_all_threads_want_the_same_line() {
    const KEYS: u64 = 64;
    let start = Barrier::new(usize::try_from(THREADS).expect("four"));
    let empty = BlockedBloomFilter::with_bits(512, 8).expect("sound");
    let filters: Vec<ConcurrentBloomFilter> = (0..1_000).map(|_| empty.clone().into()).collect();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (start, filters) = (&start, &filters);
            scope.spawn(move || {
                for (index, shared) in (0..).zip(filters) {
                    start.wait();
                    for key in (thread..KEYS).step_by(4) {
                        shared.insert(&(index * KEYS + key));
                    }
                }
            });
        }
    });
    for (index, shared) in (0..).zip(filters) {
        let mut plain = empty.clone();
        for key in 0..KEYS {
            plain.insert(&(index * KEYS + key));
        }
        assert_eq!(bytes_of(&shared.into_filter()), bytes_of(&plain), "filter {index}");
    }
}

/// Readers ask for keys that an inserting thread has announced.
#[test]
fn a_question_after_an_insertion_finds_the_key_on_every_thread() {
    const KEYS: u64 = 30_000;
    let shared = ConcurrentBloomFilter::with_false_positive_rate(2 * KEYS, 0.01).expect("sound");
    let announced = [AtomicU64::new(0), AtomicU64::new(0)];
    let done = AtomicBool::new(false);
    let asked = AtomicU64::new(0);
    thread::scope(|scope| {
        let (shared, announced, done, asked) = (&shared, &announced, &done, &asked);
        for reader in 0..2u64 {
            scope.spawn(move || {
                let mut turn = reader;
                while !done.load(Ordering::Acquire) {
                    turn += 1;
                    let writer = turn % 2;
                    let inserted = announced[usize::from(writer == 1)].load(Ordering::Acquire);
                    for back in 1..=inserted.min(50) {
                        let key = (inserted - back) * 2 + writer;
                        assert!(shared.contains(&key), "{key} was announced");
                        asked.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        let writers = [0, 1u64].map(|writer| {
            scope.spawn(move || {
                let mine = &announced[usize::from(writer == 1)];
                for key in 0..KEYS {
                    shared.insert(&(key * 2 + writer));
                    mine.store(key + 1, Ordering::Release);
                }
            })
        });
        let finished = writers.map(thread::ScopedJoinHandle::join);
        // On one processor the readers may not have had a turn yet.
        while asked.load(Ordering::Relaxed) == 0 {
            thread::yield_now();
        }
        done.store(true, Ordering::Release);
        assert!(finished.iter().all(Result::is_ok));
    });
    assert!((0..2 * KEYS).all(|key| shared.contains(&key)));
    assert_eq!(shared.len(), 2 * KEYS);
}

#[test]
fn unions_from_many_threads_lose_nothing() {
    let empty = BlockedBloomFilter::with_bits(4_096, 8).expect("sound");
    let parts: Vec<BlockedBloomFilter> = (0..64u64)
        .map(|part| {
            let mut filter = empty.clone();
            for key in 0..5 {
                filter.insert(&(part * 5 + key));
            }
            filter
        })
        .collect();
    let shared = ConcurrentBloomFilter::from(empty.clone());
    thread::scope(|scope| {
        for part in parts.chunks(16) {
            let shared = &shared;
            scope.spawn(move || {
                for filter in part {
                    shared.union(filter).expect("they match");
                }
            });
        }
    });
    let mut plain = empty;
    for key in 0..320u64 {
        plain.insert(&key);
    }
    assert_eq!(bytes_of(&shared.into_filter()), bytes_of(&plain));
}

#[test]
fn a_cleared_filter_is_a_new_one() {
    let mut shared = ConcurrentBloomFilter::with_bits(4_096, 8).expect("sound");
    for key in 0..100u64 {
        shared.insert(&key);
    }
    shared.clear();
    assert!(shared.is_empty() && shared.fill() == 0.0);
    let fresh = BlockedBloomFilter::with_bits(4_096, 8).expect("sound");
    assert_eq!(bytes_of(&shared.into_filter()), bytes_of(&fresh));
}

//! A small web server on a free port of this machine, which fails as it is told to.

#![allow(dead_code)]

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Writes these bytes of a file, from an offset.
pub type Content = Arc<dyn Fn(u64, &mut [u8]) + Send + Sync>;

/// A file, and how it is served.
#[derive(Clone)]
pub struct Served {
    pub size: u64,
    pub content: Content,
    /// Whether ranges are answered.
    pub ranges: bool,
    pub tag: Option<String>,
    /// How many requests are answered with 503 before others.
    pub refused: Arc<AtomicUsize>,
    /// How many answers end in their middle before others are whole.
    pub cut: Arc<AtomicUsize>,
}

impl Served {
    pub fn new(content: impl Into<Vec<u8>>) -> Self {
        let bytes: Vec<u8> = content.into();
        let size = bytes.len() as u64;
        Self::made(size, move |start, buffer| {
            let start = start as usize;
            buffer.copy_from_slice(&bytes[start..start + buffer.len()]);
        })
    }

    /// A file that is made while it is read.
    pub fn made(size: u64, content: impl Fn(u64, &mut [u8]) + Send + Sync + 'static) -> Self {
        Self {
            size,
            content: Arc::new(content),
            ranges: true,
            tag: Some("1".into()),
            refused: Arc::default(),
            cut: Arc::default(),
        }
    }

    pub fn without_ranges(mut self) -> Self {
        self.ranges = false;
        self
    }

    pub fn refused(self, times: usize) -> Self {
        self.refused.store(times, Ordering::SeqCst);
        self
    }

    pub fn cut(self, times: usize) -> Self {
        self.cut.store(times, Ordering::SeqCst);
        self
    }
}

/// A request and the bytes that answered it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub path: String,
    pub range: Option<(u64, u64)>,
    pub status: u16,
    pub bytes: u64,
}

#[derive(Default)]
struct State {
    files: Mutex<HashMap<String, Served>>,
    requests: Mutex<Vec<Request>>,
}

/// The server; it ends with the process.
pub struct Server {
    port: u16,
    state: Arc<State>,
}

impl Server {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                std::thread::spawn(move || serve(&stream, &state));
            }
        });
        Self { port, state }
    }

    pub fn put(&self, path: &str, served: Served) -> String {
        self.state.files.lock().expect("files").insert(path.to_owned(), served);
        self.address(path)
    }

    pub fn address(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.state.requests.lock().expect("requests").clone()
    }

    /// How many bytes of a file were sent.
    pub fn sent(&self, path: &str) -> u64 {
        self.requests().iter().filter(|it| it.path == path).map(|it| it.bytes).sum()
    }
}

/// Answers the requests of a connection, one after the other.
fn serve(stream: &TcpStream, state: &State) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut out = stream;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|&size| size > 0)?;
        let mut words = line.split_whitespace();
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let mut range = None;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok().filter(|&size| size > 0)?;
            if header.trim().is_empty() {
                break;
            }
            if let Some(value) = header.to_ascii_lowercase().strip_prefix("range: bytes=") {
                let (start, end) = value.trim().split_once('-')?;
                range = Some((start.parse::<u64>().ok()?, end.parse::<u64>().ok()?));
            }
        }
        let file = state.files.lock().ok()?.get(&path).cloned();
        let note = |status, bytes| {
            let request = Request { path: path.clone(), range, status, bytes };
            state.requests.lock().expect("requests").push(request);
        };
        let empty = |status: &str| format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
        let Some(file) = file else {
            note(404, 0);
            out.write_all(empty("404 Not Found").as_bytes()).ok()?;
            continue;
        };
        let take = |counter: &AtomicUsize| {
            let taken = counter
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            taken.is_ok()
        };
        if take(&file.refused) {
            note(503, 0);
            out.write_all(empty("503 Service Unavailable").as_bytes()).ok()?;
            continue;
        }
        let wanted = range.filter(|_| file.ranges);
        if wanted.is_some_and(|(start, _)| start >= file.size) {
            note(416, 0);
            out.write_all(empty("416 Range Not Satisfiable").as_bytes()).ok()?;
            continue;
        }
        let (start, end) =
            wanted.map_or((0, file.size), |(start, end)| (start, file.size.min(end + 1)));
        let mut head = match wanted {
            None => "HTTP/1.1 200 OK\r\n".to_owned(),
            Some(_) => format!(
                "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {start}-{}/{}\r\n",
                end - 1,
                file.size
            ),
        };
        head += &format!("Content-Length: {}\r\n", end - start);
        if let Some(tag) = &file.tag {
            head += &format!("ETag: \"{tag}\"\r\n");
        }
        out.write_all((head + "\r\n").as_bytes()).ok()?;
        if method == "HEAD" {
            note(200, 0);
            continue;
        }
        let is_cut = end - start > 1 && take(&file.cut);
        let last = if is_cut { start + (end - start) / 2 } else { end };
        note(if wanted.is_some() { 206 } else { 200 }, last - start);
        let (mut position, mut buffer) = (start, vec![0; 1 << 16]);
        while position < last {
            let size = (last - position).min(buffer.len() as u64) as usize;
            (file.content)(position, &mut buffer[..size]);
            out.write_all(&buffer[..size]).ok()?;
            position += size as u64;
        }
        if is_cut {
            stream.shutdown(std::net::Shutdown::Both).ok()?;
            return None;
        }
    }
}

/// Reads all that is there, for servers of other programs.
pub fn read_all(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

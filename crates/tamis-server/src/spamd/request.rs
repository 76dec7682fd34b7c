//! What `spamc` asks.

use flate2::read::ZlibDecoder;
use std::io::Read;

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Is anybody there?
    Ping,
    /// Verdict and points.
    Check,
    /// And the stages that gave evidence.
    Symbols,
    /// And a text for people.
    Report,
    /// And a text for people if it is spam.
    ReportIfSpam,
    /// And the message with our headers.
    Process,
    /// And its headers with ours.
    Headers,
    /// Learn or forget.
    Tell(Tell),
}

/// What is to be learned or forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tell {
    /// The label to learn.
    pub set: Option<&'static str>,
    /// Whether to forget.
    pub remove: bool,
}

/// A request without its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What is asked for.
    pub command: Command,
    /// Whose store is asked.
    pub user: Option<String>,
    /// How long the message is.
    pub length: Option<usize>,
    /// Whether it is packed.
    pub compressed: bool,
}

/// Why a request is not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// The first line is none of the protocol.
    NotSpamc,
    /// A command that is not known.
    Command(String),
    /// A header that is not understood.
    Header(&'static str),
    /// The head does not end.
    LongHead,
    /// The message is not all there.
    Short,
    /// There is more than was announced.
    Long,
    /// The message is larger than any may be.
    TooLarge,
    /// What is packed cannot be unpacked.
    Packed,
    /// It took too long.
    TooSlow,
    /// Others have all there is.
    Busy,
    /// Something went wrong here.
    Failed(String),
}

/// Reads the head of a request: its lines up to an empty one. None if the empty line did not come yet; with it, how many
/// bytes the head has.
///
/// # Errors
/// [`Refused`], as soon as the first line is wrong.
pub fn parse_head(bytes: &[u8]) -> Result<Option<(Request, usize)>, Refused> {
    let mut lines = Lines { bytes, at: 0 };
    let Some(first) = lines.next() else {
        // Who sends anything else need not go on.
        let start = &bytes[..bytes.len().min(32)];
        let odd = start.iter().any(|byte| !byte.is_ascii_graphic() && !b" \r\t".contains(byte));
        return if odd { Err(Refused::NotSpamc) } else { Ok(None) };
    };
    let first = std::str::from_utf8(first).map_err(|_| Refused::NotSpamc)?;
    let mut words = first.split_ascii_whitespace();
    let (Some(name), Some(version), None) = (words.next(), words.next(), words.next()) else {
        return Err(Refused::NotSpamc);
    };
    let version = version.strip_prefix("SPAMC/").and_then(|v| v.split_once('.'));
    // All versions 1 say the same in the same way.
    if !version.is_some_and(|(major, minor)| major == "1" && minor.parse::<u8>().is_ok()) {
        return Err(Refused::NotSpamc);
    }
    let command = match name {
        "PING" => Command::Ping,
        "CHECK" => Command::Check,
        "SYMBOLS" => Command::Symbols,
        "REPORT" => Command::Report,
        "REPORT_IFSPAM" => Command::ReportIfSpam,
        "PROCESS" => Command::Process,
        "HEADERS" => Command::Headers,
        "TELL" => Command::Tell(Tell::default()),
        _ => return Err(Refused::Command(name.chars().take(40).collect())),
    };
    let mut request = Request { command, user: None, length: None, compressed: false };
    let mut class = None;
    let (mut set, mut remove) = (false, false);
    loop {
        let Some(line) = lines.next() else { return Ok(None) };
        if line.is_empty() {
            break;
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (name, value) = line.split_at(colon.ok_or(Refused::Header("a header has no colon"))?);
        let value = std::str::from_utf8(&value[1..])
            .map_err(|_| Refused::Header("a header is no text"))?
            .trim();
        let has = |word: &str| value.split(',').any(|part| part.trim().eq_ignore_ascii_case(word));
        match name.to_ascii_lowercase().as_slice() {
            b"content-length" => {
                let length = value.parse();
                request.length =
                    Some(length.map_err(|_| Refused::Header("Content-length is no number"))?);
            }
            b"user" => request.user = Some(value.to_owned()).filter(|user| !user.is_empty()),
            b"compress" => {
                if !value.eq_ignore_ascii_case("zlib") {
                    return Err(Refused::Header("Compress knows zlib alone"));
                }
                request.compressed = true;
            }
            b"message-class" => {
                class = Some(match value.to_ascii_lowercase().as_str() {
                    "spam" => "spam",
                    "ham" => "ham",
                    _ => return Err(Refused::Header("Message-class is spam or ham")),
                });
            }
            b"set" => set = has("local"),
            b"remove" => remove = has("local"),
            // What later versions may say.
            _ => {}
        }
    }
    if let Command::Tell(tell) = &mut request.command {
        if set && class.is_none() {
            return Err(Refused::Header("TELL with Set needs a Message-class"));
        }
        *tell = Tell { set: class.filter(|_| set), remove };
    }
    Ok(Some((request, lines.at)))
}

/// Lines that are whole.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        self.at += end + 1;
        Some(rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]))
    }
}

/// The message of a request, as it comes.
#[derive(Debug)]
pub struct Body {
    /// What has come.
    pub bytes: Vec<u8>,
    /// How much will come, if that was said.
    pub expected: Option<usize>,
    compressed: bool,
}

impl Body {
    /// Nothing has come yet.
    #[must_use]
    pub const fn new(request: &Request) -> Self {
        Self { bytes: Vec::new(), expected: request.length, compressed: request.compressed }
    }

    /// Whether the message is packed.
    #[must_use]
    pub const fn is_compressed(&self) -> bool {
        self.compressed
    }

    fn check_length(&self) -> Result<(), Refused> {
        match self.expected {
            Some(expected) if self.bytes.len() < expected => Err(Refused::Short),
            Some(expected) if self.bytes.len() > expected => Err(Refused::Long),
            _ => Ok(()),
        }
    }

    /// The size of the message once it is unpacked, found without unpacking more than a piece at a time.
    ///
    /// # Errors
    /// [`Refused`] if it is larger than `most`, not as long as was said, or cannot be unpacked.
    pub fn unpacked_size(&self, most: usize) -> Result<usize, Refused> {
        self.check_length()?;
        if !self.compressed {
            return Ok(self.bytes.len());
        }
        let mut unpacked = ZlibDecoder::new(&self.bytes[..]).take(most as u64 + 1);
        let size = std::io::copy(&mut unpacked, &mut std::io::sink());
        match size.map_err(|_| Refused::Packed)? as usize {
            size if size > most => Err(Refused::TooLarge),
            size => Ok(size),
        }
    }

    /// The message, whose unpacked size was found before.
    ///
    /// # Errors
    /// [`Refused`] if it cannot be unpacked to that size.
    pub fn unpack(self, size: usize) -> Result<Vec<u8>, Refused> {
        if !self.compressed {
            return Ok(self.bytes);
        }
        let mut message = Vec::with_capacity(size);
        let mut unpacked = ZlibDecoder::new(&self.bytes[..]).take(size as u64);
        unpacked.read_to_end(&mut message).map_err(|_| Refused::Packed)?;
        if message.len() < size { Err(Refused::Packed) } else { Ok(message) }
    }

    /// The message, unpacked to at most `most` bytes.
    ///
    /// # Errors
    /// [`Refused`] if it is not as long as was said, or cannot be unpacked.
    pub fn message(self, most: usize) -> Result<Vec<u8>, Refused> {
        let size = self.unpacked_size(most)?;
        self.unpack(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Result<Option<(Request, usize)>, Refused> {
        parse_head(text.as_bytes())
    }

    #[test]
    fn a_request_has_command_user_and_length() {
        let text = "TELL SPAMC/1.5\r\nUser: anne\r\nContent-length: 12\r\nMessage-class: spam\r\nSet: local, remote\r\n\r\nbody";
        let (request, size) = head(text).expect("sound").expect("whole");
        assert_eq!(&text[size..], "body");
        let tell = Tell { set: Some("spam"), remove: false };
        assert_eq!(
            request,
            Request {
                command: Command::Tell(tell),
                user: Some("anne".to_owned()),
                length: Some(12),
                compressed: false
            }
        );
        let forget =
            head("TELL SPAMC/1.3\r\nRemove: local\r\n\r\n").expect("sound").expect("whole");
        assert_eq!(forget.0.command, Command::Tell(Tell { set: None, remove: true }));
    }

    #[test]
    fn a_head_that_is_not_whole_is_waited_for() {
        for text in ["", "CHE", "CHECK SPAMC/1.2\r\n", "CHECK SPAMC/1.2\r\nUser: x\r\n"] {
            assert_eq!(head(text), Ok(None), "{text:?}");
        }
        assert!(head("PING SPAMC/1.5\n\n").expect("sound").is_some());
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for (text, refused) in [
            ("GET / HTTP/1.1\r\n\r\n", Refused::NotSpamc),
            ("CHECK SPAMC/2.0\r\n\r\n", Refused::NotSpamc),
            ("CHECK SPAMC/1.x\r\n\r\n", Refused::NotSpamc),
            ("CHECK\r\n\r\n", Refused::NotSpamc),
            ("\0\u{1}", Refused::NotSpamc),
            ("FROB SPAMC/1.2\r\n\r\n", Refused::Command("FROB".to_owned())),
            (
                "CHECK SPAMC/1.2\r\nContent-length: -1\r\n\r\n",
                Refused::Header("Content-length is no number"),
            ),
            ("CHECK SPAMC/1.2\r\nnothing\r\n\r\n", Refused::Header("a header has no colon")),
            (
                "CHECK SPAMC/1.2\r\nCompress: lzma\r\n\r\n",
                Refused::Header("Compress knows zlib alone"),
            ),
            (
                "TELL SPAMC/1.2\r\nSet: local\r\n\r\n",
                Refused::Header("TELL with Set needs a Message-class"),
            ),
        ] {
            assert_eq!(head(text), Err(refused), "{text:?}");
        }
    }

    #[test]
    fn a_bomb_stays_small() {
        use flate2::Compression;
        use flate2::read::ZlibEncoder;
        let zeros = vec![0; 50 << 20];
        let mut bomb = Vec::new();
        ZlibEncoder::new(&zeros[..], Compression::best()).read_to_end(&mut bomb).expect("packed");
        assert!(bomb.len() < 100 << 10);
        let body = |bytes: Vec<u8>| Body { bytes, expected: None, compressed: true };
        assert_eq!(body(bomb.clone()).message(10 << 20), Err(Refused::TooLarge));
        assert_eq!(body(bomb.clone()).message(50 << 20).map(|m| m.len()), Ok(50 << 20));
        bomb.truncate(1000);
        assert_eq!(body(bomb).message(50 << 20), Err(Refused::Packed));
    }
}

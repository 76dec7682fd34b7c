//! How files are packed: known by their first bytes when they are read, and by their names when
//! they are written.

use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// How a file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Zstd,
    Bzip2,
    Xz,
}

impl Packing {
    /// What the first bytes of a file say.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x1F, 0x8B, 0x08, ..] => Some(Self::Gzip),
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Some(Self::Zstd),
            // Skippable frames, which parallel packers write before the first real one.
            [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Some(Self::Zstd),
            // The level, then the start of a block or of an empty stream's end.
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31 | 0x17, 0x41 | 0x72, ..] => Some(Self::Bzip2),
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            _ => None,
        }
    }

    /// What the extension of a file says.
    pub(crate) fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "gz" => Some(Self::Gzip),
            "zst" | "zstd" => Some(Self::Zstd),
            "bz2" => Some(Self::Bzip2),
            "xz" => Some(Self::Xz),
            _ => None,
        }
    }

    /// Unpacks. `window` is how far back zstd may refer, and with that its memory.
    pub(crate) fn unpack<'a>(
        self,
        source: impl Read + 'a,
        window: usize,
    ) -> io::Result<Box<dyn Read + 'a>> {
        let source = BufReader::with_capacity(1 << 16, source);
        Ok(match self {
            Self::Gzip => Box::new(MultiGzDecoder::new(source)),
            Self::Zstd => {
                let mut decoder = zstd::Decoder::with_buffer(source)?;
                // 128 MiB is what every decoder allows, 2 GiB the most there is.
                decoder.window_log_max(window.max(1).ilog2().clamp(27, 31))?;
                Box::new(decoder)
            }
            Self::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(source)),
            Self::Xz => {
                // The largest dictionary of the usual levels is 64 MiB.
                let memory = (window as u64).max(128 << 20);
                let flags = liblzma::stream::CONCATENATED;
                let decoder = liblzma::stream::Stream::new_stream_decoder(memory, flags)?;
                Box::new(liblzma::bufread::XzDecoder::new_stream(source, decoder))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_first_bytes_say_the_same() {
        let known: [(&str, &[u8]); 5] = [
            ("f.gz", b"\x1F\x8B\x08"),
            ("f.ZST", b"\x28\xB5\x2F\xFD"),
            ("f.bz2", b"BZh91AY&SY"),
            ("f.bz2", b"BZh9\x17\x72\x45\x38"),
            ("f.xz", b"\xFD7zXZ\0"),
        ];
        for (name, bytes) in known {
            assert!(Packing::of_bytes(bytes).is_some(), "{name}");
            assert_eq!(Packing::of_bytes(bytes), Packing::of_path(Path::new(name)), "{name}");
        }
        for text in [&b"BZh"[..], b"BZhello, world", b"PK\x03\x04", b""] {
            assert_eq!(Packing::of_bytes(text), None);
        }
    }
}

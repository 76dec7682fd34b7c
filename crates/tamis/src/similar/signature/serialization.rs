//! Signatures as files: kind 6.
//!
//! Parameters: components u32, method u8, whether the size is known u8, zeros (2), the size u64. Content: the components, u64 each, filled up with zeros
//! to whole lines.

use super::{Method, Signature, Signer};
use crate::codec::{ALIGNMENT, File, Header, Kind, Parameters};
use crate::hash::KeyKinds;
use crate::memory::chunks;
use crate::{Error, Result};
use std::io::Write;

impl Signature {
    /// Writes the signature as a file.
    ///
    /// # Errors
    /// [`Error::Io`] from `out`.
    pub fn write(&self, out: &mut dyn Write) -> Result<()> {
        let parameters = Parameters::new()
            .u32(self.components.len() as u32)
            .u8(self.signer.method.code())
            .u8(u8::from(self.size.is_some()))
            .u16(0)
            .u64(self.size.unwrap_or(0));
        let header = Header {
            kind: Kind::Sketch,
            hash: self.signer.hash,
            keys: KeyKinds::NONE,
            items: 1,
            parameters,
        };
        let components = self.components.iter();
        let content: Vec<u8> = components.flat_map(|component| component.to_le_bytes()).collect();
        header.write(out, &[&content])
    }

    /// Reads a signature from a file's bytes, checksum included.
    ///
    /// # Errors
    /// Whatever [`File::open`] and [`File::verify`] refuse; [`Error::WrongKind`] for another kind of
    /// file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let file = File::open(bytes)?;
        if file.kind() != Kind::Sketch {
            let got = file.kind().described().to_owned();
            return Err(Error::WrongKind { expected: Kind::Sketch.described(), got });
        }
        file.verify()?;
        let mut fields = file.parameters();
        let components = fields.u32()? as usize;
        let method = Method::from_code(fields.u8()?)?;
        let is_known = fields.u8()?;
        fields.zeros(2)?;
        let size = fields.u64()?;
        fields.finish()?;
        let size = match (is_known, size) {
            (0, 0) => None,
            (1, size) => Some(size),
            (other, _) => {
                return Err(Error::malformed("whether the size is known", "0 or 1", other));
            }
        };
        let signer = Signer::with_method(method, components)?.with_hash(file.hash());
        let content = file.content();
        let length = (components * 8).next_multiple_of(ALIGNMENT);
        if content.len() != length {
            return Err(Error::malformed("the content's length", length, content.len()));
        }
        let (words, _) = chunks::<u8, 8>(content);
        let (words, padding) = words.split_at(components);
        if padding.iter().any(|word| *word != [0; 8]) {
            return Err(Error::malformed("what fills up the content", "zeros", "others"));
        }
        let components = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        Ok(Self { signer, components, size })
    }
}

//! Whole files as records: one document each.

use super::columns::Cell;
use super::{Event, Limit, Reading, Record};
use crate::content::{self, Content};
use crate::inputs::Source;
use crate::packing::Packing;
use crate::problem::Problem;
use crate::text::decode_file;
use crate::{Error, Result};
use std::borrow::Cow;
use std::io::{self, Read};

/// What is kept of the memory after a large file.
const KEPT: usize = 1 << 24;

/// Reads one file after the other into the same memory.
#[derive(Debug, Default)]
pub(crate) struct WholeFiles {
    bytes: Vec<u8>,
    unpacked: Vec<u8>,
}

impl WholeFiles {
    /// Calls `visit` with the text of a file, or with what keeps it from being read.
    ///
    /// # Errors
    /// What `visit` says.
    pub(crate) fn visit<E: From<Error>>(
        &mut self,
        source: &Source,
        reading: &Reading,
        visit: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let limit = reading.longest;
        let broken = |problem, detail| Event::Broken { raw: &[], line: None, problem, detail };
        let read = match source.open() {
            Ok(mut file) => read_into(&mut self.bytes, &mut file, limit),
            Err(Error::Read { source, .. }) => Err(source),
            Err(other) => return Err(other.into()),
        };
        if let Err(error) = read {
            if source.is_object() {
                return Err(Error::Read { name: source.path.clone(), source: error }.into());
            }
            return visit(broken(Problem::Unreadable, &error));
        }
        let mut content = &self.bytes;
        if let Some(packing) = Packing::of_bytes(&self.bytes) {
            let unpacked = packing
                .unpack(&self.bytes[..], limit.0)
                .and_then(|mut source| read_into(&mut self.unpacked, &mut source, limit));
            if let Err(error) = unpacked {
                visit(Event::Note { line: None, problem: Problem::Damaged, detail: &error })?;
            }
            content = &self.unpacked;
        }
        if self.bytes.len().max(content.len()) > limit.0 {
            return visit(broken(Problem::TooLong, &limit));
        }
        match content::of_document(content) {
            Content::Refused(what) => return visit(broken(Problem::Binary, &what)),
            Content::Records(format) => {
                let (problem, detail) = (Problem::Table, &format.title());
                visit(Event::Note { line: None, problem, detail })?;
            }
            Content::Empty | Content::Plain => {}
        }
        let (text, fallback) = decode_file(content, reading.encoding);
        if fallback {
            visit(Event::Note { line: None, problem: Problem::NotUtf8, detail: &"" })?;
        }
        let cells = [Cell::Text(Cow::Borrowed(&*text))];
        let position = self.bytes.len() as u64;
        visit(Event::Record(Record { raw: &[], line: None, row: 1, cells: &cells, position }))
    }
}

/// Reads up to one byte more than the limit.
fn read_into(bytes: &mut Vec<u8>, source: &mut dyn Read, limit: Limit) -> io::Result<()> {
    bytes.clear();
    bytes.shrink_to(KEPT);
    source.take((limit.0 as u64).saturating_add(1)).read_to_end(bytes).map(drop)
}

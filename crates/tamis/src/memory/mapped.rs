//! Who holds the lines: memory of our own, or the bytes of a mapped file.

use super::Line;
use crate::prelude::*;
use crate::{Error, Result};
use alloc::sync::Arc;

/// Something that holds lines. Owned and mapped filters are one type over this.
pub trait Storage {
    /// The lines.
    fn lines(&self) -> &[Line];
}

impl Storage for Vec<Line> {
    #[inline(always)]
    fn lines(&self) -> &[Line] {
        self
    }
}

/// Lines inside of someone else's bytes, such as a mapped file; used in place.
#[derive(Debug)]
pub struct Mapped<D> {
    bytes: Arc<D>,
    start: usize,
    end: usize,
}

impl<D> Clone for Mapped<D> {
    fn clone(&self) -> Self {
        Self { bytes: Arc::clone(&self.bytes), ..*self }
    }
}

impl<D: AsRef<[u8]>> Mapped<D> {
    /// The bytes `start .. end`, which must be whole lines at an aligned address.
    pub(crate) fn new(bytes: &Arc<D>, start: usize, end: usize) -> Result<Self> {
        let slice = (**bytes).as_ref().get(start..end).ok_or(Error::Truncated {
            expected: end as u64,
            got: (**bytes).as_ref().len() as u64,
        })?;
        if bytemuck::try_cast_slice::<u8, Line>(slice).is_err() {
            return Err(Error::Unaligned);
        }
        Ok(Self { bytes: Arc::clone(bytes), start, end })
    }
}

impl<D: AsRef<[u8]>> Storage for Mapped<D> {
    #[inline(always)]
    fn lines(&self) -> &[Line] {
        bytemuck::cast_slice(&(*self.bytes).as_ref()[self.start..self.end])
    }
}

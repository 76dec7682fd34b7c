//! Records of a store as they stand in its file: in memory, or a private copy of a part of the file that
//! the system reads as it is needed. What is changed in a copy stays in memory.

use bytemuck::Pod;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};
use tamis_corpus::files::PrivateCopy;

/// The list.
pub(crate) enum List<T> {
    /// In memory.
    Owned(Vec<T>),
    /// Some bytes of a file.
    Mapped(PrivateCopy, Range<usize>, PhantomData<T>),
}

impl<T: Pod> List<T> {
    /// A part of a file, if it is there and lies so that it can be used in place.
    pub(crate) fn mapped(file: PrivateCopy, range: Range<usize>) -> Option<Self> {
        bytemuck::try_cast_slice::<u8, T>(file.get(range.clone())?).ok()?;
        Some(Self::Mapped(file, range, PhantomData))
    }
}

impl<T> From<Vec<T>> for List<T> {
    fn from(list: Vec<T>) -> Self {
        Self::Owned(list)
    }
}

impl<T: Pod> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::Owned(list) => list,
            Self::Mapped(file, range, _) => bytemuck::cast_slice(&file[range.clone()]),
        }
    }
}

impl<T: Pod> DerefMut for List<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Self::Owned(list) => list,
            Self::Mapped(file, range, _) => bytemuck::cast_slice_mut(&mut file[range.clone()]),
        }
    }
}

impl<T: Pod> Clone for List<T> {
    fn clone(&self) -> Self {
        Self::Owned(self.to_vec())
    }
}

impl<T: Pod + PartialEq> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Pod + Eq> Eq for List<T> {}

impl<T: Pod> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "List of {}", self.len())
    }
}

//! What stands for objects in a build without stores: nothing that could exist.

use crate::{Error, Result};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// What does not exist.
#[derive(Debug, Clone)]
enum Never {}

/// An object; there is none.
#[derive(Debug, Clone)]
pub(crate) struct Object(Never);

/// What an address stands for.
#[allow(dead_code)]
pub(crate) enum Found {
    One(Object),
    Many(Vec<(PathBuf, Object)>),
    Stream(Box<dyn Read + Send>),
}

/// The stores of a run; there is none.
#[derive(Debug, Default)]
pub(crate) struct Stores(());

/// An object at any offset; there is none.
#[derive(Debug)]
pub(crate) struct WindowsReader(Never);

impl Stores {
    pub(crate) fn find(&mut self, input: &Path) -> Result<Vec<(PathBuf, Found)>> {
        let what = "an address, and this build reads no object stores";
        Err(Error::Refused { name: input.to_owned(), what })
    }
}

impl Object {
    pub(crate) fn path(&self) -> &Path {
        match self.0 {}
    }

    pub(crate) fn size(&self) -> u64 {
        match self.0 {}
    }

    pub(crate) fn identify(&self, _: &mut Vec<u8>) {
        match self.0 {}
    }

    pub(crate) fn read(&self) -> Box<dyn Read + Send> {
        match self.0 {}
    }

    pub(crate) fn windows(&self) -> WindowsReader {
        match self.0 {}
    }
}

impl WindowsReader {
    pub(crate) fn absent<T>(&self) -> T {
        match self.0 {}
    }
}

impl Read for WindowsReader {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match self.0 {}
    }
}

impl Seek for WindowsReader {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        match self.0 {}
    }
}

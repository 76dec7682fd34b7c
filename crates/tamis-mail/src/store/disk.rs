//! All writing to the files of a store goes through here, so that tests can let each write fail.

use std::fs::File;
use std::io::{self, Write};

/// Appends to a file.
pub(super) fn append(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    #[cfg(test)]
    if let Some(fault) = faults::next() {
        return fault.append(file, bytes);
    }
    file.write_all(bytes)
}

/// Brings what was appended to disk.
pub(super) fn sync(file: &File) -> io::Result<()> {
    #[cfg(test)]
    if let Some(fault) = faults::next() {
        return Err(fault.error());
    }
    file.sync_data()
}

/// Cuts a file off.
pub(super) fn set_len(file: &File, length: u64) -> io::Result<()> {
    #[cfg(test)]
    if let Some(fault) = faults::next() {
        return Err(fault.error());
    }
    file.set_len(length)?;
    file.sync_data()
}

/// Called before a file is created or removed, and for each part of one that is replaced as a whole.
#[cfg_attr(not(test), expect(clippy::unnecessary_wraps, reason = "it fails in tests"))]
pub(super) fn before_change() -> io::Result<()> {
    #[cfg(test)]
    if let Some(fault) = faults::next() {
        return Err(fault.error());
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod faults {
    //! Lets one write of a thread fail.

    use std::cell::Cell;
    use std::fs::File;
    use std::io::{self, Write};

    /// What happens at a write.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Fault {
        /// The disk is full: a part of what is appended gets there.
        Full,
        /// The device fails, and nothing gets there.
        Broken,
        /// The machine stops, and of the last write one page was not written: it has zeros.
        Torn,
    }

    thread_local! {
        /// The fault and how many writes succeed before.
        static PLAN: Cell<Option<(Fault, usize)>> = const { Cell::new(None) };
        /// Whether the machine has stopped.
        static STOPPED: Cell<bool> = const { Cell::new(false) };
    }

    /// Lets the write after `count` others fail.
    pub fn plan(fault: Fault, count: usize) {
        PLAN.set(Some((fault, count)));
    }

    /// Ends all faults; whether the planned one has happened is returned.
    pub fn end() -> bool {
        STOPPED.set(false);
        PLAN.take().is_none()
    }

    /// The fault of this write.
    pub fn next() -> Option<Fault> {
        if STOPPED.get() {
            return Some(Fault::Broken);
        }
        match PLAN.take() {
            Some((fault, 0)) => {
                STOPPED.set(fault == Fault::Torn);
                return Some(fault);
            }
            Some((fault, count)) => PLAN.set(Some((fault, count - 1))),
            None => {}
        }
        None
    }

    impl Fault {
        pub fn error(self) -> io::Error {
            match self {
                Self::Full => io::Error::from(io::ErrorKind::StorageFull),
                Self::Broken | Self::Torn => io::Error::other("the device failed"),
            }
        }

        pub fn append(self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
            match self {
                Self::Full => file.write_all(&bytes[..bytes.len() / 2])?,
                Self::Broken => {}
                Self::Torn => {
                    let mut torn = bytes.to_vec();
                    let page = torn.len() / 3..(torn.len() / 3 + 4096).min(torn.len());
                    torn[page].fill(0);
                    file.write_all(&torn)?;
                }
            }
            Err(self.error())
        }
    }
}

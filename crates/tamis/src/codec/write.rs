//! Where files are written to.

#[cfg(feature = "std")]
pub use std::io::Write;

/// What takes the bytes of a file, as [`std::io::Write`](https://doc.rust-lang.org/std/io/trait.Write.html) does where there is `std`.
#[cfg(not(feature = "std"))]
pub trait Write {
    /// Takes all of these bytes.
    ///
    /// # Errors
    /// Whatever the taker refuses.
    fn write_all(&mut self, bytes: &[u8]) -> crate::Result<()>;
}

#[cfg(not(feature = "std"))]
impl Write for alloc::vec::Vec<u8> {
    fn write_all(&mut self, bytes: &[u8]) -> crate::Result<()> {
        self.extend_from_slice(bytes);
        Ok(())
    }
}

//! A cell of the table.

use bytemuck::{Pod, Zeroable};

/// Four numbers, sixteen bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Cell {
    /// The mass of the spam that fell here.
    pub spam: i32,
    /// The mass of the ham.
    pub ham: i32,
    /// The sum of surprises, positive for spam.
    pub gradient: i32,
    /// The sum of their squares.
    pub square: i32,
}

impl Cell {
    /// Whether nothing has fallen here.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.spam == 0 && self.ham == 0 && self.gradient == 0 && self.square == 0
    }

    pub(super) const fn has_mass(&self) -> bool {
        self.spam.wrapping_add(self.ham) != 0
    }
}

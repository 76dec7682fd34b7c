//! Sets one behind the other in large pieces of memory.
//!
//! A piece never moves, so that nothing is copied when there are more of them. Linux hands a piece out at once: asked for
//! page by page, as they are written, the same memory takes a third more time. (Large pages take a quarter of it where the
//! machine has them ready, and three times as much where it is a virtual one and its host has not; so they are not asked for.)

use memmap2::{MmapMut, MmapOptions};
use std::io::Result;

/// Members in a piece: 2 MiB, which is little beside the least memory.
const PIECE: usize = 1 << 18;

/// A longer set that does not fit gets a piece of its own length, so that less room is left over than used.
const LONG: usize = PIECE / 8;

/// Sets in memory, found by the number of members before them.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    pieces: Vec<Piece>,
    /// How many pieces are in use; the others wait.
    used: usize,
}

#[derive(Debug)]
struct Piece {
    memory: MmapMut,
    /// Members in all pieces before this one.
    before: usize,
    length: usize,
}

impl Piece {
    fn new(room: usize) -> Result<Self> {
        let memory = MmapOptions::new().len(room * size_of::<u64>()).populate().map_anon()?;
        Ok(Self { memory, before: 0, length: 0 })
    }

    fn room(&self) -> usize {
        self.memory.len() / size_of::<u64>() - self.length
    }

    fn members(&self) -> &[u64] {
        &bytemuck::cast_slice(&self.memory)[..self.length]
    }
}

impl Pieces {
    /// How many members there are.
    pub(super) fn len(&self) -> usize {
        self.in_use().last().map_or(0, |piece| piece.before + piece.length)
    }

    fn in_use(&self) -> &[Piece] {
        &self.pieces[..self.used]
    }

    /// Appends a set.
    ///
    /// # Errors
    /// When the system has no more memory.
    pub(super) fn push(&mut self, set: &[u64]) -> Result<()> {
        if self.in_use().last().is_none_or(|piece| piece.room() < set.len()) {
            self.begin(set.len())?;
        }
        let piece = &mut self.pieces[self.used - 1];
        let end = piece.length + set.len();
        bytemuck::cast_slice_mut(&mut piece.memory)[piece.length..end].copy_from_slice(set);
        piece.length = end;
        Ok(())
    }

    /// Begins a piece with room for so many members.
    fn begin(&mut self, room: usize) -> Result<()> {
        let before = self.len();
        let waits = self.pieces[self.used..].iter().position(|piece| piece.room() >= room);
        match waits {
            Some(place) => self.pieces.swap(self.used, self.used + place),
            None => {
                let room = if room > LONG { room } else { PIECE };
                self.pieces.insert(self.used, Piece::new(room)?);
            }
        }
        self.pieces[self.used].before = before;
        self.used += 1;
        Ok(())
    }

    /// The set with so many members before it.
    pub(super) fn get(&self, start: usize, length: usize) -> &[u64] {
        let piece = self.in_use().partition_point(|piece| piece.before + piece.length <= start);
        // An empty set may lie behind the last piece.
        let Some(piece) = self.in_use().get(piece).filter(|_| length > 0) else { return &[] };
        &piece.members()[start - piece.before..][..length]
    }

    /// The members of all sets, piece by piece.
    pub(super) fn all(&self) -> impl Iterator<Item = &[u64]> {
        self.in_use().iter().map(Piece::members)
    }

    /// Forgets all sets and keeps the room, but for that of long sets.
    pub(super) fn clear(&mut self) {
        self.pieces.retain_mut(|piece| {
            piece.length = 0;
            piece.room() == PIECE
        });
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_all_lengths_come_back() {
        let mut pieces = Pieces::default();
        for round in 0..3 {
            let lengths =
                [0, 3, PIECE - 10, 0, 7, 5, PIECE + 4, 0, 1, PIECE, 9, 0, LONG, PIECE - LONG, 2];
            let set = |index: usize| vec![(100 * round + index) as u64; lengths[index]];
            (0..lengths.len()).for_each(|index| pieces.push(&set(index)).unwrap());
            let mut start = 0;
            for (index, length) in lengths.into_iter().enumerate() {
                assert!(pieces.get(start, length) == set(index), "set {index}");
                start += length;
            }
            assert_eq!(pieces.len(), start);
            assert_eq!(pieces.all().map(<[u64]>::len).sum::<usize>(), start);
            pieces.clear();
            assert_eq!((pieces.len(), pieces.all().count()), (0, 0));
        }
    }
}

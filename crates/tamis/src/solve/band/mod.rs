//! Fingerprints as sums of slots at two places: under static filters.
//!
//! The hash of a key chooses slots of two blocks and a fingerprint of one bit for each plane. The
//! slots are solved for such that, in each plane, the sum of the chosen slots is that bit of the
//! fingerprint. A lookup adds the slots and compares.
//!
//! # Example
//!
//! Blocks of four slots instead of sixteen, and two planes, so that a non-member passes with
//! probability `2^-2`. What the hash gives, patterns with slot 0 on the left:
//!
//! ```text
//!          start  second block  patterns    fingerprint
//! leek     0      0 + 1 = 1     0110 1011   plane 0: 1   plane 1: 0
//! carrot   0      0 + 2 = 2     0100 1000   plane 0: 0   plane 1: 1
//! ```
//!
//! Slots are numbered through all blocks, so the equations are the same in both planes:
//!
//! ```text
//! block      0          1          2
//! slot       0 1 2 3    4 5 6 7    8 9 . .    plane 0  plane 1
//! leek       . 1 1 .    1 . 1 1    . . . .       1        0
//! carrot     . 1 . .    . . . .    1 . . .       0        1
//! ```
//!
//! *Elimination* ([`system`]) goes by starts. Leek takes the row of its first slot, 1. Carrot
//! starts with slot 1, too: leek is added, which leaves `s2 + s4 + s6 + s7 + s8` with sums 1 and 1
//! in the row of slot 2. *Substitution* goes from the last slot to the first. Slots without a row
//! are free; here they are 0, except that real ones are random, so that non-members do not pass
//! more often.
//!
//! ```text
//! slot       0 1 2 3    4 5 6 7    8
//! plane 0    0 0 1 0    0 0 0 0    0     s2 = 1, then s1 = 1 + s2 = 0
//! plane 1    0 1 1 0    0 0 0 0    0     s2 = 1, then s1 = 0 + s2 = 1
//! ```
//!
//! Leek: plane 0 has `s1 + s2 + s4 + s6 + s7 = 0 + 1 = 1`, plane 1 has `1 + 1 = 0`: its
//! fingerprint. Carrot: `s1 + s8` is 0 and 1: its fingerprint.
//!
//! # Layout
//!
//! The planes of a block are neighbours, sixteen bits each ([`shape`]), so that a lookup reads two
//! short stretches ([`windows`]). Keys of the last starts have one plane more:
//!
//! ```text
//!          first part: 2 planes            second part: 3 planes
//!         +-------+-------+-------+-------+-------+-------+-------+------
//!         |plane 0|plane 1|plane 0|plane 1|plane 0|plane 1|plane 2|plane 0
//!         +-------+-------+-------+-------+-------+-------+-------+------
//!          block 0         block 1         block 0                 block 1
//! byte     0       2       4       6       8       10      12      14
//! ```

#[cfg(feature = "train")]
pub(crate) mod system;

pub(crate) mod shape;
pub(crate) mod windows;

#[cfg(test)]
mod tests {
    /// The solution of the example fits its equations.
    #[test]
    fn the_example_is_right() {
        let sum = |plane: [u8; 9], chosen: &[usize]| chosen.iter().fold(0, |s, &i| s ^ plane[i]);
        let planes = [[0, 0, 1, 0, 0, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0, 0, 0, 0]];
        let (leek, carrot) = ([1, 2, 4, 6, 7], [1, 8]);
        assert_eq!(planes.map(|plane| sum(plane, &leek)), [1, 0]);
        assert_eq!(planes.map(|plane| sum(plane, &carrot)), [0, 1]);
    }
}

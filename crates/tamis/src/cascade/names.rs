//! The names of categories, by number and by name.

use super::MAX_CATEGORIES;
use crate::prelude::*;
use crate::{Error, Result};
use std::collections::HashMap;

/// Names, numbered in the order of their coming.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    names: Vec<Vec<u8>>,
    numbers: HashMap<Vec<u8>, u32>,
}

impl Names {
    /// The number of a name, which is new if it was not there.
    pub fn number(&mut self, name: &[u8]) -> Result<u32> {
        if let Some(&known) = self.numbers.get(name) {
            return Ok(known);
        }
        if self.names.len() >= MAX_CATEGORIES {
            return Err(Error::Parameter {
                what: "the number of categories",
                expected: "at most 65,536",
                got: (self.names.len() + 1).to_string(),
            });
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        Ok(number)
    }

    /// The names, by number.
    pub fn list(&self) -> &[Vec<u8>] {
        &self.names
    }
}

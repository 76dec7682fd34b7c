//! Which columns are wanted, and what a record has in them.

use crate::files::name_of;
use crate::{Error, Result};
use std::borrow::Cow;
use std::path::Path;

/// A wanted column.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    /// Its name: the first of these that exists.
    pub names: Vec<String>,
    /// Its number from 1, where columns have an order; it goes before the name.
    pub number: Option<usize>,
    /// Whether a file whose header has no such column is refused.
    pub required: bool,
}

impl Column {
    /// Which of the columns of a header it is.
    ///
    /// # Errors
    /// [`Error::NoColumn`] if there is none and it is required.
    fn find(&self, header: &[String], path: &Path) -> Result<Option<usize>> {
        let place = match self.number {
            Some(number) => (1..=header.len()).contains(&number).then(|| number - 1),
            None => self.names.iter().find_map(|name| header.iter().position(|one| one == name)),
        };
        if place.is_none() && self.required {
            return Err(Error::NoColumn {
                name: name_of(path),
                column: self.names.join(", "),
                columns: header.join(", "),
            });
        }
        Ok(place)
    }
}

/// Where the wanted columns are among these.
///
/// # Errors
/// [`Error::NoColumn`] if a required one is missing.
pub(super) fn find_all(
    columns: &[Column],
    names: &[String],
    path: &Path,
) -> Result<Vec<Option<usize>>> {
    columns.iter().map(|column| column.find(names, path)).collect()
}

/// What the columns are called, by the first row: as it says if it is a header, else by their
/// numbers.
pub(super) fn names_of<'f>(
    first: impl Iterator<Item = Cow<'f, str>>,
    is_header: bool,
) -> Vec<String> {
    let name = |(place, field): (usize, Cow<'f, str>)| {
        if is_header { field.into_owned() } else { (place + 1).to_string() }
    };
    first.enumerate().map(name).collect()
}

/// What a record has in a column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Cell<'a> {
    /// There is no such column.
    #[default]
    Absent,
    /// Null.
    Null,
    /// A text.
    Text(Cow<'a, str>),
    /// A number or a truth value, as it is written.
    Scalar(Cow<'a, str>),
    /// A list or an object.
    Composite,
}

impl Cell<'_> {
    /// A text, number or truth value as a name.
    pub(crate) fn as_name(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Scalar(text) => Some(text),
            _ => None,
        }
    }
}

//! Records that are bytes one after the other: copied as they are.

use super::labels::Labelling;
use super::{Copying, Kept};
use crate::inputs::Source;
use crate::{Error, Result};
use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

/// Copies what is kept of these files into one.
pub(super) fn copy(
    copy: &mut Copying<'_, '_, '_>,
    sources: &[Source],
    name: &Path,
    out: &mut dyn Write,
) -> Result<()> {
    let failed = |source| Error::Write { name: name.to_owned(), source };
    let mut header: Option<Vec<String>> = None;
    // The last line of a file may have no end; another file's first line needs it.
    let mut is_open = false;
    for (number, source) in sources.iter().enumerate() {
        let mut is_start = number > 0;
        let mut labelling = copy.label.map(|label| Labelling::new(source, copy.quotes, label));
        copy.kept_of(source, &mut |kept| {
            let raw = match kept {
                Kept::Head { names, .. } if number > 0 => {
                    if !names.is_empty() && header.as_ref().is_some_and(|first| first != names) {
                        let (first, second) = (sources[0].path.clone(), source.path.clone());
                        return Err(Error::Different { first, second, what: "their headers" });
                    }
                    return Ok(());
                }
                Kept::Head { raw, names } => {
                    if !names.is_empty() {
                        header = Some(names.to_vec());
                    }
                    match &mut labelling {
                        Some(labelling) if !names.is_empty() => labelling.header(raw, names)?,
                        _ => Cow::Borrowed(raw),
                    }
                }
                Kept::Record(raw, ordinal) => match &mut labelling {
                    Some(labelling) => labelling.record(raw, ordinal)?,
                    None => Cow::Borrowed(raw),
                },
                Kept::Not => return Ok(()),
            };
            if is_start && is_open && !raw.is_empty() {
                out.write_all(b"\n").map_err(failed)?;
            }
            is_start &= raw.is_empty();
            if let Some(&last) = raw.last() {
                is_open = last != b'\n';
            }
            out.write_all(&raw).map_err(failed)
        })?;
    }
    Ok(())
}

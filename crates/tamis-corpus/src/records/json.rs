//! The wanted columns of one JSON object, borrowed from its line where nothing is escaped.

use super::columns::{Cell, Column};
use crate::problem::Problem;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// The keys of objects that are wanted, each once, and the columns they make.
#[derive(Debug)]
pub(super) struct Keys {
    names: Vec<String>,
    /// For each column, its names by their place above, best first.
    columns: Vec<Vec<usize>>,
    /// Which names serve more than one column.
    shared: Vec<bool>,
}

impl Keys {
    pub(super) fn new(columns: &[Column]) -> Self {
        let mut keys = Self { names: Vec::new(), columns: Vec::new(), shared: Vec::new() };
        for column in columns {
            let mut places = Vec::new();
            for name in &column.names {
                let known = keys.names.iter().position(|known| known == name);
                if let Some(place) = known {
                    keys.shared[place] = true;
                } else {
                    keys.names.push(name.clone());
                    keys.shared.push(false);
                }
                places.push(known.unwrap_or(keys.names.len() - 1));
            }
            keys.columns.push(places);
        }
        keys
    }

    /// One cell per column. Of equal keys the last counts.
    ///
    /// # Errors
    /// What is wrong with the line.
    pub(super) fn cells<'a>(
        &self,
        line: &'a str,
        cells: &mut Vec<Cell<'a>>,
    ) -> Result<(), (Problem, serde_json::Error)> {
        let mut values = vec![Cell::Absent; self.names.len()];
        let mut reader = serde_json::Deserializer::from_str(line);
        let object = Object { names: &self.names, values: &mut values };
        match object.deserialize(&mut reader).and_then(|()| reader.end()) {
            Ok(()) => {}
            Err(error) if error.is_data() => return Err((Problem::NotAnObject, error)),
            Err(error) => return Err((Problem::NotJson, error)),
        }
        cells.extend(self.columns.iter().map(|places| {
            let found = places.iter().find(|&&place| values[place] != Cell::Absent);
            found.map_or(Cell::Absent, |&place| {
                if self.shared[place] {
                    values[place].clone()
                } else {
                    std::mem::take(&mut values[place])
                }
            })
        }));
        Ok(())
    }
}

/// An object of which some values are wanted.
struct Object<'k, 'a> {
    names: &'k [String],
    values: &'k mut [Cell<'a>],
}

impl<'a> DeserializeSeed<'a> for Object<'_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Object<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Key(self.names))? {
            match key {
                Some(place) => self.values[place] = map.next_value_seed(Value)?,
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }

    // A list is refused when it is read to its end: it may not be JSON at all.
    fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Err(A::Error::custom("a list, not an object"))
    }
}

/// A key: which of the wanted names it is.
struct Key<'k>(&'k [String]);

impl<'a> DeserializeSeed<'a> for Key<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'a>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|name| name == key))
    }
}

/// A value.
struct Value;

impl<'a> DeserializeSeed<'a> for Value {
    type Value = Cell<'a>;

    fn deserialize<D: Deserializer<'a>>(self, reader: D) -> Result<Cell<'a>, D::Error> {
        reader.deserialize_any(self)
    }
}

fn scalar<'a, E>(value: impl fmt::Display) -> Result<Cell<'a>, E> {
    Ok(Cell::Scalar(Cow::Owned(value.to_string())))
}

impl<'a> Visitor<'a> for Value {
    type Value = Cell<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E>(self, text: &'a str) -> Result<Cell<'a>, E> {
        Ok(Cell::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Cell<'a>, E> {
        Ok(Cell::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Cell<'a>, E> {
        Ok(Cell::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Cell<'a>, E> {
        scalar(value)
    }

    fn visit_u64<E>(self, value: u64) -> Result<Cell<'a>, E> {
        scalar(value)
    }

    fn visit_i64<E>(self, value: i64) -> Result<Cell<'a>, E> {
        scalar(value)
    }

    fn visit_f64<E>(self, value: f64) -> Result<Cell<'a>, E> {
        scalar(value)
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Cell<'a>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Cell::Composite)
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<Cell<'a>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Cell::Composite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(names: &[&str]) -> Column {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        Column { names, number: None, required: false }
    }

    fn cells<'a>(line: &'a str, columns: &[&[&str]]) -> Result<Vec<Cell<'a>>, Problem> {
        let columns: Vec<_> = columns.iter().map(|names| column(names)).collect();
        let mut cells = Vec::new();
        Keys::new(&columns).cells(line, &mut cells).map_err(|(problem, _)| problem)?;
        Ok(cells)
    }

    fn text(text: &str) -> Cell<'_> {
        Cell::Text(Cow::Borrowed(text))
    }

    #[test]
    fn columns_are_found_by_the_first_name_that_exists() {
        let names: &[&[&str]] = &[&["text", "content", "body"], &["id"]];
        let found = |line| cells(line, names).unwrap();
        assert_eq!(found(r#"{"body":"b","id":"1","content":"c"}"#), [text("c"), text("1")]);
        assert_eq!(found(r#"{"text":null,"content":"c"}"#), [Cell::Null, Cell::Absent]);
        assert_eq!(found(r#" {"text":"a","text":"b"} "#), [text("b"), Cell::Absent]);
        assert_eq!(found("{}"), [Cell::Absent, Cell::Absent]);
    }

    #[test]
    fn plain_strings_are_borrowed_and_escapes_resolved() {
        let plain = cells(r#"{"text":"água"}"#, &[&["text"]]).unwrap();
        assert!(matches!(plain[0], Cell::Text(Cow::Borrowed("água"))));
        let escaped = cells(r#"{"te\u0078t":"a\n\ud83c\udf0a"}"#, &[&["text"]]).unwrap();
        assert_eq!(escaped, [text("a\n🌊")]);
    }

    #[test]
    fn every_kind_of_value_is_told_apart() {
        let values = [
            ("18446744073709551615", Cell::Scalar("18446744073709551615".into())),
            ("-7", Cell::Scalar("-7".into())),
            ("0.5", Cell::Scalar("0.5".into())),
            ("true", Cell::Scalar("true".into())),
            ("null", Cell::Null),
            (r#"{"a":[1,{}]}"#, Cell::Composite),
            (r#"["a",[]]"#, Cell::Composite),
            (r#""""#, text("")),
        ];
        for (json, cell) in values {
            let line = format!(r#"{{"x":0,"text":{json},"y":[]}}"#);
            assert_eq!(cells(&line, &[&["text"]]), Ok(vec![cell]), "{json}");
        }
    }

    #[test]
    fn a_name_may_serve_two_columns() {
        let found = cells(r#"{"id":"a\tb"}"#, &[&["id"], &["x", "id"]]).unwrap();
        assert_eq!(found, [text("a\tb"), text("a\tb")]);
    }

    #[test]
    fn what_is_no_object_or_no_json_is_told_apart() {
        let broken = |line| cells(line, &[&["text"]]).unwrap_err();
        for line in ["5", "\"a\"", "null", "[1,2]", "[]"] {
            assert_eq!(broken(line), Problem::NotAnObject, "{line}");
        }
        let deep = "[".repeat(100_000);
        for line in ["{", "{\"text\":\"a\"", "{\"text\":\"a\"} x", "text", "[1,", "{'a':1}", &deep]
        {
            assert_eq!(broken(line), Problem::NotJson, "{line:.20}");
        }
        assert_eq!(broken(r#"{"text":"\ud800"}"#), Problem::NotJson);
    }
}

//! The wanted columns of one JSON object, borrowed from its line where nothing is escaped.

use super::columns::{Cell, Column};
use crate::problem::Problem;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

/// The keys of objects that are wanted, as a tree, and the columns they make.
///
/// A name with dots is a key with dots, or a way down through objects; the key goes first.
#[derive(Debug)]
pub(super) struct Keys {
    root: Node,
    /// For each column, the places of its values, best first.
    columns: Vec<Vec<usize>>,
    /// Which places serve more than one column.
    shared: Vec<bool>,
}

/// Keys of an object, and those below them.
#[derive(Debug, Default)]
struct Node {
    /// Where its value goes, if it is wanted itself.
    place: Option<usize>,
    below: Vec<(String, Node)>,
}

impl Node {
    fn child(&mut self, name: &str) -> &mut Self {
        let place = self.below.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            self.below.push((name.to_owned(), Self::default()));
            self.below.len() - 1
        });
        &mut self.below[place].1
    }
}

impl Keys {
    pub(super) fn new(columns: &[Column]) -> Self {
        let mut keys = Self { root: Node::default(), columns: Vec::new(), shared: Vec::new() };
        for column in columns {
            let mut places = Vec::new();
            for name in &column.names {
                places.push(keys.place(&[name.as_str()]));
                if name.contains('.') {
                    places.push(keys.place(&name.split('.').collect::<Vec<_>>()));
                }
            }
            keys.columns.push(places);
        }
        keys
    }

    /// The place of what is at the end of this way.
    fn place(&mut self, way: &[&str]) -> usize {
        let node = way.iter().fold(&mut self.root, |node, name| node.child(name));
        match node.place {
            Some(place) => {
                self.shared[place] = true;
                place
            }
            None => {
                let place = self.shared.len();
                node.place = Some(place);
                self.shared.push(false);
                place
            }
        }
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
        let mut values = vec![Cell::Absent; self.shared.len()];
        let mut has_fraction = false;
        let mut reader = serde_json::Deserializer::from_str(line);
        let object =
            Object { node: &self.root, values: &mut values, has_fraction: &mut has_fraction };
        match object.deserialize(&mut reader).and_then(|()| reader.end()) {
            Ok(()) => {}
            Err(error) if error.is_data() => return Err((Problem::NotAnObject, error)),
            Err(error) => return Err((Problem::NotJson, error)),
        }
        if has_fraction {
            // As it is written: a number of many digits is a name like any other.
            exact_numbers(&self.root, line, &mut values);
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

/// Replaces numbers that were rounded by what is written.
fn exact_numbers<'a>(node: &Node, object: &'a str, values: &mut [Cell<'a>]) {
    let Ok(fields) = serde_json::from_str::<HashMap<Cow<'a, str>, &'a RawValue>>(object) else {
        return;
    };
    for (name, below) in &node.below {
        let Some(raw) = fields.get(name.as_str()).map(|raw| raw.get()) else { continue };
        if let Some(value) = below.place.map(|place| &mut values[place])
            && matches!(value, Cell::Scalar(_))
        {
            *value = Cell::Scalar(Cow::Borrowed(raw));
        }
        if !below.below.is_empty() {
            exact_numbers(below, raw, values);
        }
    }
}

/// The keys of an object, for a sentence; nothing if it is none.
pub(crate) fn columns_of(line: &[u8]) -> String {
    let fields = serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(line);
    fields.map(|fields| fields.keys().cloned().collect::<Vec<_>>().join(", ")).unwrap_or_default()
}

/// An object of which some values are wanted.
struct Object<'k, 'v, 'a> {
    node: &'k Node,
    values: &'v mut [Cell<'a>],
    has_fraction: &'v mut bool,
}

impl<'a> Object<'_, '_, 'a> {
    fn fields<A: MapAccess<'a>>(&mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Key(&self.node.below))? {
            let Some(below) = key else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let node = &self.node.below[below].1;
            let (values, has_fraction) = (&mut *self.values, &mut *self.has_fraction);
            let cell = map.next_value_seed(Value(Object { node, values, has_fraction }))?;
            if let Some(place) = node.place {
                self.values[place] = cell;
            }
        }
        Ok(())
    }
}

impl<'a> DeserializeSeed<'a> for Object<'_, '_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Object<'_, '_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(mut self, map: A) -> Result<(), A::Error> {
        self.fields(map)
    }

    // A list is refused when it is read to its end: it may not be JSON at all.
    fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Err(A::Error::custom("a list, not an object"))
    }
}

/// A key: which of the wanted ones it is.
struct Key<'k>(&'k [(String, Node)]);

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
        Ok(self.0.iter().position(|(name, _)| name == key))
    }
}

/// A value, and what is wanted of it if it is an object.
struct Value<'k, 'v, 'a>(Object<'k, 'v, 'a>);

impl<'a> DeserializeSeed<'a> for Value<'_, '_, 'a> {
    type Value = Cell<'a>;

    fn deserialize<D: Deserializer<'a>>(self, reader: D) -> Result<Cell<'a>, D::Error> {
        reader.deserialize_any(self)
    }
}

fn scalar<'a, E>(value: impl fmt::Display) -> Result<Cell<'a>, E> {
    Ok(Cell::Scalar(Cow::Owned(value.to_string())))
}

impl<'a> Visitor<'a> for Value<'_, '_, 'a> {
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
        *self.0.has_fraction = true;
        scalar(value)
    }

    fn visit_map<A: MapAccess<'a>>(mut self, map: A) -> Result<Cell<'a>, A::Error> {
        self.0.fields(map)?;
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
    fn a_name_with_dots_is_a_key_or_a_way_down() {
        let names: &[&[&str]] = &[&["meta.text"], &["meta.id.short", "meta.id"], &["meta"]];
        let found = |line| cells(line, names).unwrap();
        let nested = r#"{"meta":{"id":{"short":"s","x":[1]},"text":"t"}}"#;
        assert_eq!(found(nested), [text("t"), text("s"), Cell::Composite]);
        let flat = r#"{"meta.text":"key","meta":{"text":"way","id":7}}"#;
        assert_eq!(found(flat), [text("key"), Cell::Scalar("7".into()), Cell::Composite]);
        assert_eq!(found(r#"{"meta":"m"}"#), [Cell::Absent, Cell::Absent, text("m")]);
        assert_eq!(found(r#"{"meta":[{"text":"t"}]}"#)[0], Cell::Absent);
    }

    #[test]
    fn numbers_are_names_as_they_are_written() {
        let id = |line| cells(line, &[&["id"], &["meta.id"]]).unwrap();
        let long = r#"{"id":123456789012345678901234567890,"meta":{"id":1.50}}"#;
        let expected = ["123456789012345678901234567890", "1.50"];
        assert_eq!(id(long), expected.map(|number| Cell::Scalar(number.into())));
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

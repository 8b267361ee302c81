use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

/// What the parts add up to: texts by key (with whether they finished) and elements by key.
#[derive(Debug, Default, PartialEq)]
struct Read {
    texts: Vec<(String, String, bool)>,
    elements: Vec<(String, Value)>,
}

fn read(pieces: &[&str]) -> (Read, PartialObject) {
    let mut object = PartialObject::new();
    let mut read = Read::default();
    for piece in pieces {
        object.push(piece, |part| match part {
            Part::Text { key, text, finished } => {
                match read.texts.last_mut().filter(|(last, _, done)| last == key && !done) {
                    Some((_, so_far, done)) => {
                        so_far.push_str(text);
                        *done = finished;
                    }
                    None => read.texts.push((key.to_owned(), text.to_owned(), finished)),
                }
            }
            Part::Element { key, json } => {
                let element = serde_json::from_str(json).expect("an element is whole JSON");
                read.elements.push((key.to_owned(), element));
            }
        });
    }
    (read, object)
}

fn expected(object: &Map<String, Value>) -> Read {
    let mut read = Read::default();
    for (key, value) in object {
        match value {
            Value::String(text) => read.texts.push((key.clone(), text.clone(), true)),
            Value::Array(elements) => {
                read.elements.extend(elements.iter().map(|element| (key.clone(), element.clone())));
            }
            _ => {}
        }
    }
    read
}

fn is_prefix(part: &Read, whole: &Read) -> bool {
    let elements = whole.elements.starts_with(&part.elements);
    let count = part.texts.len();
    let texts = count <= whole.texts.len()
        && part.texts.iter().enumerate().all(|(i, (key, text, done))| {
            let (whole_key, whole_text, _) = &whole.texts[i];
            key == whole_key && if *done { text == whole_text } else { whole_text.starts_with(text.as_str()) }
        });
    elements && texts
}

#[test]
fn hands_out_a_string_as_soon_as_its_characters_are_certain() {
    let (half, _) = read(&[r#"{"path":"a.html","content":"<h1>Gr"#, r"\u00fc\ud83d"]);
    assert_eq!(
        half.texts,
        [("path".into(), "a.html".into(), true), ("content".into(), "<h1>Grü".into(), false)]
    );
}

#[test]
fn a_value_named_content_is_not_mistaken_for_the_key() {
    let (all, object) =
        read(&[r#"{"kind":"content","nested":{"content":"no"},"list":["content"],"content":"yes"}"#]);
    assert_eq!(
        (all.texts, object.is_complete()),
        (vec![("kind".into(), "content".into(), true), ("content".into(), "yes".into(), true)], true)
    );
}

#[test]
fn all_escapes_decode_and_escaped_keys_are_keys() {
    let (all, _) = read(&[r#"{"c\u006fntent":"\"\\\/\b\f\n\r\té😀"}"#]);
    assert_eq!(all.texts, [("content".into(), "\"\\/\u{8}\u{c}\n\r\té😀".into(), true)]);
}

#[test]
fn lone_surrogates_become_replacement_characters_and_agree_with_the_finished_arguments() {
    for json in [
        r#"{"content":"a\ud83d"}"#,
        r#"{"content":"\ud83d\ud83d\ude00x"}"#,
        r#"{"content":"\ude00\\ud83d\n"}"#,
    ] {
        let (all, _) = read(&[json]);
        let repaired = replace_lone_surrogates(json).expect("there is one");
        let value: Value = serde_json::from_str(&repaired).unwrap();
        assert_eq!(all.texts[0].1, value["content"].as_str().unwrap(), "{json}");
    }
}

#[test]
fn elements_are_handed_out_as_they_end() {
    let (half, _) = read(&[r#"{"edits":[{"a":"]}"}, 7 ,"s",[1,{"#]);
    assert_eq!(
        half.elements,
        [("edits".into(), json!({"a": "]}"})), ("edits".into(), json!(7)), ("edits".into(), json!("s"))]
    );
}

#[test]
fn what_is_not_json_ends_the_reading_without_a_word_more() {
    for json in [r#"["content"]"#, r#"{"content" "x"}"#, r#"{"content":"a\q","content":"b"}"#, r#"{"a":}"#] {
        let (read, object) = read(&[json]);
        assert!(!object.is_complete() && read.texts.iter().all(|(_, _, done)| !done), "{json}: {read:?}");
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![any::<String>(), "[a-z\"\\\\/{}\\[\\]:,\u{8}\n\t😀é\u{2028}]{0,40}"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text.prop_map(Value::from),
        Just(Value::from("content")),
        Just(Value::from("path")),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key(), inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("content".to_owned()),
        Just("path".to_owned()),
        Just("edits".to_owned()),
        any::<String>()
    ]
}

/// The same JSON with every other character outside ASCII, and some inside it, spelt as an escape.
fn escaped(json: &str) -> String {
    let mut out = String::new();
    for (i, c) in json.chars().enumerate() {
        if !c.is_ascii() && i % 2 == 0 {
            let mut units = [0; 2];
            out.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04X}")));
        } else if c == '/' {
            out.push_str("\\/");
        } else {
            out.push(c);
        }
    }
    out
}

/// A piece of a string as a model may spell it.
#[derive(Debug, Clone)]
enum Spelt {
    Plain(char),
    Short(char, char),
    Unit(u16, bool),
}

impl Spelt {
    fn write(&self, json: &mut String) {
        match self {
            Spelt::Plain(c) => json.push(*c),
            Spelt::Short(letter, _) => json.extend(['\\', *letter]),
            Spelt::Unit(unit, true) => json.push_str(&format!("\\u{unit:04X}")),
            Spelt::Unit(unit, false) => json.push_str(&format!("\\u{unit:04x}")),
        }
    }
}

fn spelt() -> impl Strategy<Value = Spelt> {
    let short = [
        ('"', '"'),
        ('\\', '\\'),
        ('/', '/'),
        ('b', '\u{8}'),
        ('f', '\u{C}'),
        ('n', '\n'),
        ('r', '\r'),
        ('t', '\t'),
    ];
    prop_oneof![
        4 => prop::char::range(' ', '~').prop_filter("a string ends there", |c| !matches!(c, '"' | '\\'))
            .prop_map(Spelt::Plain),
        1 => prop::sample::select(vec!['é', '日', '😀', '\u{2028}']).prop_map(Spelt::Plain),
        2 => prop::sample::select(short.to_vec()).prop_map(|(letter, c)| Spelt::Short(letter, c)),
        1 => (any::<u16>(), any::<bool>()).prop_map(|(unit, upper)| Spelt::Unit(unit, upper)),
        // Halves of surrogate pairs, often enough side by side to make whole ones.
        3 => (prop_oneof![0xD800_u16..0xDC00, 0xDC00_u16..0xE000], any::<bool>())
            .prop_map(|(unit, upper)| Spelt::Unit(unit, upper)),
    ]
}

/// What the pieces mean: halves of surrogate pairs that found no partner are unreadable characters.
fn meant(pieces: &[Spelt]) -> String {
    let mut units = Vec::new();
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Spelt::Unit(unit, _) => units.push(*unit),
            Spelt::Plain(c) | Spelt::Short(_, c) => {
                text.push_str(&String::from_utf16_lossy(&std::mem::take(&mut units)));
                text.push(*c);
            }
        }
    }
    text + &String::from_utf16_lossy(&units)
}

/// A member of an object: a string spelt in some way, or a value of any other kind.
fn member() -> impl Strategy<Value = Result<Vec<Spelt>, Value>> {
    prop_oneof![
        2 => prop::collection::vec(spelt(), 0..12).prop_map(Ok),
        1 => any_value().prop_filter("a string is spelt", |value| !value.is_string() && !value.is_array()).prop_map(Err),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn what_was_emitted_is_a_prefix_at_every_cut_and_at_the_end_the_whole(
        pairs in prop::collection::vec((key(), any_value()), 0..6),
        pretty in any::<bool>(),
    ) {
        let object: Map<String, Value> = pairs.into_iter().collect();
        let json = if pretty { serde_json::to_string_pretty(&object) } else { serde_json::to_string(&object) };
        let json = escaped(&json.unwrap());
        let whole = expected(&object);
        for cut in (0..=json.len()).filter(|cut| json.is_char_boundary(*cut)) {
            let (part, _) = read(&[&json[..cut]]);
            prop_assert!(is_prefix(&part, &whole), "cut at {cut} of {json}: {part:?}");
            let (both, end) = read(&[&json[..cut], &json[cut..]]);
            prop_assert_eq!(&both, &whole, "cut at {} of {}", cut, json);
            prop_assert!(end.is_complete());
        }
    }

    #[test]
    fn any_chunking_gives_the_same(
        pairs in prop::collection::vec((key(), any_value()), 1..6),
        sizes in prop::collection::vec(1usize..9, 1..40),
    ) {
        let object: Map<String, Value> = pairs.into_iter().collect();
        let json = escaped(&serde_json::to_string(&object).unwrap());
        let mut pieces = Vec::new();
        let mut rest = json.as_str();
        for size in sizes.iter().cycle() {
            let end = rest.char_indices().nth(*size).map_or(rest.len(), |(at, _)| at);
            let (piece, tail) = rest.split_at(end);
            pieces.push(piece);
            rest = tail;
            if rest.is_empty() { break; }
        }
        prop_assert_eq!(read(&pieces).0, expected(&object));
    }

    #[test]
    fn every_way_of_spelling_a_string_reads_as_it_is_meant_wherever_it_is_cut(
        members in prop::collection::vec(member(), 4),
        keys in Just(["path", "content", "note", "more"].to_vec()).prop_shuffle(),
        sizes in prop::collection::vec(1usize..5, 1..9),
    ) {
        let mut json = String::from("{");
        let mut texts = Vec::new();
        for (key, member) in keys.iter().zip(&members) {
            if json.len() > 1 {
                json.push(',');
            }
            json.push_str(&format!(" \"{key}\" :"));
            match member {
                Ok(pieces) => {
                    json.push('"');
                    pieces.iter().for_each(|piece| piece.write(&mut json));
                    json.push('"');
                    texts.push(((*key).to_owned(), meant(pieces), true));
                }
                Err(value) => json.push_str(&value.to_string()),
            }
        }
        json.push('}');
        let whole = Read { texts, elements: Vec::new() };
        for cut in (0..=json.len()).filter(|cut| json.is_char_boundary(*cut)) {
            let (part, _) = read(&[&json[..cut]]);
            prop_assert!(is_prefix(&part, &whole), "cut at {cut} of {json}: {part:?}");
        }
        let characters: Vec<char> = json.chars().collect();
        let (mut pieces, mut at) = (Vec::new(), 0);
        for size in sizes.iter().cycle() {
            let end = characters.len().min(at + size);
            pieces.push(String::from_iter(&characters[at..end]));
            at = end;
            if at == characters.len() { break; }
        }
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        prop_assert_eq!(&read(&pieces).0, &whole);
        // The finished arguments say the same.
        let crate::session::ToolArguments::Json(object) = crate::session::ToolArguments::parse(&json) else {
            return Err(TestCaseError::fail(format!("not an object: {json}")));
        };
        for (key, text, _) in &whole.texts {
            prop_assert_eq!(object[key].as_str(), Some(text.as_str()));
        }
    }

    #[test]
    fn any_text_is_survived(pieces in prop::collection::vec("[{}\\[\\]\":,\\\\u0-9a-f \u{e9}]{0,12}", 0..12)) {
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let (_, object) = read_loosely(&pieces);
        prop_assert_eq!(object.raw(), pieces.concat());
    }
}

/// Like [`read`], for input whose elements need not be JSON.
fn read_loosely(pieces: &[&str]) -> (usize, PartialObject) {
    let mut object = PartialObject::new();
    let mut parts = 0;
    for piece in pieces {
        object.push(piece, |_| parts += 1);
    }
    (parts, object)
}

//! Whole runs of `tamis filter spell`: on the texts in `examples/spell`, and on the word lists
//! of Debian, which `make test` installs.

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/spell");

/// Runs the command in the folder of the examples, with something on standard input.
fn tamis(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tamis"))
        .current_dir(EXAMPLES)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A run that ends before it has read everything closes its input.
    child.stdin.take().unwrap().write_all(input).ok();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A dictionary in a folder that goes away with it.
struct Dictionary {
    _folder: TempDir,
    path: PathBuf,
}

impl Dictionary {
    fn build(list: impl AsRef<Path>, options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words.tamis");
        let list = list.as_ref().to_str().unwrap();
        let mut arguments = vec!["filter", "build", "-o", path.to_str().unwrap(), list];
        arguments.extend(options);
        let built = tamis(&arguments, b"");
        assert!(built.status.success(), "{}", text(&built.stderr));
        Self { _folder: folder, path }
    }

    /// As the manual says that dictionaries are built.
    fn of(list: impl AsRef<Path>) -> Self {
        Self::build(list, &["--rate", "0.000001", "--layout", "classic"])
    }

    /// The word list of a package, which must be there.
    fn of_debian(package: &str, list: &str) -> Self {
        let path = Path::new("/usr/share/dict").join(list);
        assert!(
            path.exists(),
            "{} is missing: this test needs the Debian package {package} (apt-get install {package}); `make test` installs it",
            path.display()
        );
        Self::of(path)
    }

    fn spell(&self, arguments: &[&str], input: &[u8]) -> Output {
        let mut all = vec!["filter", "spell", self.path.to_str().unwrap()];
        all.extend(arguments);
        tamis(&all, input)
    }

    /// The lines that are printed for a text.
    fn lines(&self, arguments: &[&str], input: &[u8]) -> Vec<String> {
        text(&self.spell(arguments, input).stdout).lines().map(str::to_owned).collect()
    }

    /// The objects that are printed for a text.
    fn objects(&self, arguments: &[&str], input: &[u8]) -> Vec<Value> {
        let lines = self.lines(&[&["--json"], arguments].concat(), input);
        lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn example(language: &str) -> Dictionary {
    Dictionary::of(format!("{language}.words"))
}

#[test]
fn the_english_example() {
    let output = example("en").spell(&["en.txt"], b"");
    assert_eq!(
        text(&output.stdout),
        "en.txt:1:54\tthruogh\tthrough\n\
         en.txt:3:3\trecieved\treceived, relieved\n\
         en.txt:4:13\tdefinately\tdefinitely\n\
         en.txt:4:49\tlondon\tLondon\n"
    );
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_portuguese_example() {
    assert_eq!(
        example("pt").lines(&["pt.txt"], b""),
        [
            "pt.txt:2:1\tVoce\tVocê, Vice",
            "pt.txt:2:6\ttambem\ttambém",
            "pt.txt:2:32\taçucar\taçúcar",
            "pt.txt:2:44\tderepente\tde repente",
            "pt.txt:2:68\tguarda-chuba\tguarda-chuva",
            "pt.txt:3:17\texeção\texceção, ereção",
        ]
    );
}

#[test]
fn the_dutch_example() {
    assert_eq!(
        example("nl").lines(&["nl.txt"], b""),
        [
            "nl.txt:2:14\tonmiddelijk\tonmiddellijk",
            "nl.txt:3:1\tIjs\tIJs, ijs, is",
            "nl.txt:3:19\tkoffei\tkoffie, koffer",
            "nl.txt:3:36\tideeen\tideeën",
        ]
    );
}

#[test]
fn a_text_without_mistakes_is_a_yes() {
    let output = example("pt").spell(&[], "A peneira deixa passar a farinha.\n".as_bytes());
    assert_eq!(text(&output.stdout), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn standard_input_is_a_dash_and_files_keep_their_order() {
    let lines = example("pt").lines(&["-", "pt.txt"], b"xyz");
    assert_eq!(lines[0], "-:1:1\txyz\t");
    assert!(lines[1].starts_with("pt.txt:2:1\t"), "{}", lines[1]);
}

#[test]
fn objects_have_offsets_in_bytes_whatever_ends_a_line() {
    let words = example("pt");
    for end in ["\n", "\r\n"] {
        let input = ["água", "é voce", "", "água tambem"].join(end);
        let objects = words.objects(&["--suggestions", "1"], input.as_bytes());
        let offsets = [input.find("voce").unwrap(), input.find("tambem").unwrap()];
        assert_eq!(
            objects,
            [
                serde_json::json!({
                    "path": "-", "line": 2, "column": 3, "offset": offsets[0],
                    "word": "voce", "suggestions": ["você"],
                }),
                serde_json::json!({
                    "path": "-", "line": 4, "column": 6, "offset": offsets[1],
                    "word": "tambem", "suggestions": ["também"],
                }),
            ]
        );
    }
}

#[test]
fn text_that_is_not_utf_8_is_read_as_latin_1() {
    let objects = example("pt").objects(&[], b"\xE1gua \xE9 Voc\xEA, tamb\xEAm.\n");
    assert_eq!(objects.len(), 1);
    assert_eq!(objects[0]["word"], "tambêm");
    assert_eq!(objects[0]["suggestions"][0], "também");
    assert_eq!((&objects[0]["column"], &objects[0]["offset"]), (&14.into(), &13.into()));
}

#[test]
fn letters_may_be_composed_or_not() {
    let output = example("pt").spell(&[], "voce\u{302} tambe\u{301}m\n".as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
}

#[test]
fn there_are_as_many_suggestions_as_asked_for() {
    let words = example("nl");
    let count = |number: &str| {
        let objects = words.objects(&["--suggestions", number], b"Ijs");
        objects[0]["suggestions"].as_array().unwrap().len()
    };
    assert_eq!(["0", "1", "2", "9"].map(count), [0, 1, 2, 3]);
}

#[test]
fn a_loose_dictionary_warns_and_a_list_confirms() {
    let words = Dictionary::build("pt.words", &["--rate", "0.05"]);
    let loose = words.spell(&[], b"tambem");
    assert!(text(&loose.stderr).starts_with("warning: this dictionary takes"), "{loose:?}");
    let confirmed = words.spell(&["--words", "pt.words", "pt.txt"], b"");
    assert_eq!(text(&confirmed.stderr), "");
    assert_eq!(text(&confirmed.stdout), example("pt").lines(&["pt.txt"], b"").join("\n") + "\n");
}

#[test]
fn words_that_were_counted_more_often_come_first() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("words");
    fs::write(&list, "mal\nmap\nmap\nmas\nmas\nmas\n").unwrap();
    let rate = ["--rate", "0.000001", "--layout", "classic"];
    assert_eq!(Dictionary::build(&list, &rate).lines(&[], b"maf"), ["-:1:1\tmaf\tmal, map, mas"]);
    let counting = Dictionary::build(&list, &[&rate[..], &["--counting", "4"]].concat());
    assert_eq!(counting.lines(&[], b"maf"), ["-:1:1\tmaf\tmas, map, mal"]);
}

#[test]
fn more_letters_may_be_tried() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("words");
    fs::write(&list, "łódka\n").unwrap();
    let words = Dictionary::of(&list);
    assert_eq!(words.lines(&[], "lódka".as_bytes()), ["-:1:1\tlódka\t"]);
    assert_eq!(words.lines(&["--alphabet", "ł"], "lódka".as_bytes()), ["-:1:1\tlódka\tłódka"]);
}

#[test]
fn what_is_no_dictionary_or_no_text_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("signatures");
    fs::write(&list, "peneira\nfarinha\n").unwrap();
    let signatures = Dictionary::build(&list, &["--signatures"]).spell(&[], b"");
    assert_eq!(signatures.status.code(), Some(2));
    assert!(text(&signatures.stderr).contains("signatures are no dictionary"), "{signatures:?}");
    assert!(text(&signatures.stderr).contains("hint: "), "{signatures:?}");
    let missing = example("pt").spell(&["no-such-file"], b"");
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("no-such-file"), "{missing:?}");
    let endless = example("pt").spell(&[], &vec![b'x'; 17 << 20]);
    assert_eq!(endless.status.code(), Some(2));
    assert!(text(&endless.stderr).contains("line 1 is longer than 16 MiB"), "{endless:?}");
}

/// Asserts that of these misspellings, all get the right word and `first` get it as the first.
fn assert_suggests(dictionary: &Dictionary, pairs: &[(&str, &str)], first: usize) {
    let input: String = pairs.iter().map(|(wrong, _)| format!("{wrong}\n")).collect();
    let objects = dictionary.objects(&[], input.as_bytes());
    let unknown: Vec<&Value> = objects.iter().map(|object| &object["word"]).collect();
    let expected: Vec<&str> = pairs.iter().map(|(wrong, _)| *wrong).collect();
    assert_eq!(unknown, expected, "every misspelling is unknown");
    let mut not_first = Vec::new();
    for ((wrong, right), object) in pairs.iter().zip(&objects) {
        let suggestions = object["suggestions"].as_array().unwrap();
        assert!(suggestions.iter().any(|word| word == right), "{wrong}: {suggestions:?}");
        if suggestions[0] != *right {
            not_first.push((wrong, suggestions));
        }
    }
    assert!(pairs.len() - not_first.len() >= first, "not first: {not_first:?}");
}

#[test]
fn twenty_portuguese_misspellings_are_set_right() {
    let pairs = [
        ("voce", "você"),
        ("tambem", "também"),
        ("possivel", "possível"),
        ("exeção", "exceção"),
        ("previlégio", "privilégio"),
        ("disperdício", "desperdício"),
        ("atrazado", "atrasado"),
        ("analizar", "analisar"),
        ("paralizar", "paralisar"),
        ("ancioso", "ansioso"),
        ("magestade", "majestade"),
        ("geito", "jeito"),
        ("consiência", "consciência"),
        ("frustado", "frustrado"),
        ("beneficiente", "beneficente"),
        ("mendingo", "mendigo"),
        ("reinvindicar", "reivindicar"),
        ("cabelereiro", "cabeleireiro"),
        ("opnião", "opinião"),
        ("derepente", "de repente"),
    ];
    assert_suggests(&Dictionary::of_debian("wportuguese", "portuguese"), &pairs, 20);
}

#[test]
fn ten_english_misspellings_are_set_right() {
    let pairs = [
        ("recieve", "receive"),
        ("seperate", "separate"),
        ("definately", "definitely"),
        ("occured", "occurred"),
        ("untill", "until"),
        ("wich", "which"),
        ("goverment", "government"),
        ("neccessary", "necessary"),
        ("dont", "don't"),
        ("thier", "their"),
    ];
    assert_suggests(&Dictionary::of_debian("wamerican", "american-english"), &pairs, 10);
}

#[test]
fn ten_dutch_misspellings_are_set_right() {
    let pairs = [
        ("onmiddelijk", "onmiddellijk"),
        ("apartement", "appartement"),
        ("pannekoek", "pannenkoek"),
        ("faillisement", "faillissement"),
        ("enigzins", "enigszins"),
        ("eigelijk", "eigenlijk"),
        ("waarschijnelijk", "waarschijnlijk"),
        ("niewsgierig", "nieuwsgierig"),
        ("ideeen", "ideeën"),
        ("Ijsland", "IJsland"),
    ];
    assert_suggests(&Dictionary::of_debian("wdutch", "dutch"), &pairs, 8);
}

#[test]
fn the_words_of_each_list_are_known_and_its_letters_tried() {
    for (package, list) in
        [("wamerican", "american-english"), ("wportuguese", "portuguese"), ("wdutch", "dutch")]
    {
        let dictionary = Dictionary::of_debian(package, list);
        let path = Path::new("/usr/share/dict").join(list);
        let unknown = dictionary.lines(&["--suggestions", "0", path.to_str().unwrap()], b"");
        assert!(unknown.is_empty(), "{list}: {:?}", &unknown[..unknown.len().min(20)]);
        let letters = fs::read_to_string(&path).unwrap().to_lowercase();
        let strange: Vec<char> = letters
            .chars()
            .filter(|letter| letter.is_alphabetic() && !tamis::spell::ALPHABET.contains(*letter))
            .collect();
        assert!(strange.is_empty(), "{list}: {strange:?}");
    }
}

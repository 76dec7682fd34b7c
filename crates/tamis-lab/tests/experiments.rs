//! Every experiment, small: its verdicts hold, and the same seed gives the same bytes.

use std::path::Path;
use tamis_lab::experiment::{Request, Size};
use tamis_lab::{ENTRIES, files, plot, report};

fn quick(seed: u64) -> Request {
    Request { seed, size: Size::Quick, ..Request::default() }
}

#[test]
fn every_verdict_holds_with_several_seeds() {
    for entry in ENTRIES {
        for seed in [1, 2, 3] {
            let record = entry.run(&quick(seed)).unwrap();
            assert!(!record.outcome.verdicts.is_empty(), "{}", entry.about.name);
            for verdict in &record.outcome.verdicts {
                assert!(verdict.holds, "{} with seed {seed}: {verdict}", entry.about.name);
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for entry in ENTRIES {
        let files = |seed: u64| {
            let record = entry.run(&quick(seed)).unwrap();
            let drawn = plot::svg(&record.outcome.findings.chart).unwrap();
            (files::json(&record).to_string(), drawn)
        };
        assert!(files(5) == files(5), "{}", entry.about.name);
    }
}

#[test]
fn a_run_leaves_all_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let entry = tamis_lab::find("layouts").unwrap();
    let record = entry.run(&quick(1)).unwrap();
    files::write(&record, folder.path()).unwrap();
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert!(read("layouts.png").starts_with(b"\x89PNG"));
    assert!(read("layouts.timings.svg").starts_with(b"<svg"));
    let csv = String::from_utf8(read("layouts.csv")).unwrap();
    assert!(csv.starts_with("layout,asked for,measured,"), "{csv}");
    let json: serde_json::Value = serde_json::from_slice(&read("layouts.json")).unwrap();
    assert_eq!(json["seed"], 1);
    assert_eq!(json["verdicts"][0]["holds"], true);
    // Times are apart.
    assert!(!json.to_string().contains(", ns"), "{json}");
}

#[test]
fn parameters_can_be_changed_by_name() {
    let entry = tamis_lab::find("best-size").unwrap();
    let change = |name: &str, value: serde_json::Value| Request {
        changes: vec![(name.to_owned(), value)],
        ..quick(1)
    };
    let record = entry.run(&change("most_bits_per_key", 4.into())).unwrap();
    assert_eq!(record.outcome.findings.tables[0].rows.len(), 7);
    let unknown = entry.run(&change("size", 4.into())).unwrap_err();
    assert!(format!("{unknown:#}").contains("there is no parameter size"), "{unknown:#}");
    assert!(entry.run(&change("keys", "many".into())).is_err());
    assert!(entry.run(&change("keys", 0.into())).is_err());
    let data = Request { data: Some(Path::new("u.data").to_owned()), ..quick(1) };
    assert!(format!("{:#}", entry.run(&data).unwrap_err()).contains("takes no data"));
}

#[test]
fn data_of_ones_own_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let ratings = folder.path().join("ratings.tsv");
    let mut text = String::new();
    for user in 0..40 {
        for film in 0..30 {
            // Users of one half have seen the same films but for one.
            text += &format!(
                "{user}\t{}\t3\n",
                (user % 2) * 1000 + film + (user / 2) * usize::from(film == 29) * 50
            );
        }
    }
    std::fs::write(&ratings, text).unwrap();
    let data = Request { data: Some(ratings), ..quick(1) };
    let record = tamis_lab::find("movielens").unwrap().run(&data).unwrap();
    assert!(record.outcome.verdicts[0].holds, "{}", record.outcome.verdicts[0]);
    let mail = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/mail");
    let with = Request { data: Some(mail), ..quick(1) };
    let entry = tamis_lab::find("mail-threshold").unwrap();
    assert_eq!(entry.run(&with).unwrap().outcome, entry.run(&quick(1)).unwrap().outcome);
}

#[test]
fn the_page_has_every_section() {
    let folder = tempfile::tempdir().unwrap();
    let records = report::run(&|_| quick(1), &|_| ()).unwrap();
    report::write(&records, folder.path()).unwrap();
    let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    for entry in ENTRIES {
        let name = entry.about.name;
        assert!(page.contains(&format!("<section id=\"{name}\"")), "{name}");
        assert!(page.contains(&format!("<a href=\"#{name}\">")), "{name}");
        assert!(folder.path().join(format!("{name}.json")).is_file(), "{name}");
    }
    assert_eq!(page.matches("<figure>").count(), page.matches("<svg ").count());
    assert_eq!(page.matches("<details").count(), page.matches("</details>").count());
    assert!(page.contains("prefers-color-scheme: dark") && page.contains("@media print"));
    assert!(!page.contains("<script") && !page.contains("http://www.example"));
    assert!(page.contains("seed 1") && page.contains(env!("CARGO_PKG_VERSION")));
}

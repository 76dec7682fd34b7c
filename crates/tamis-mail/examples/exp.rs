use std::path::Path;
use tamis_mail::evaluation::*;
use tamis_mail::filter::*;
fn show(name: &str, pupil: &Pupil, judged: &[Judged]) {
    let f = findings(pupil, judged);
    println!(
        "{name:34} recall {:.2} lost {:.3} unsure {:.1}/{:.1} auc {:.4} R {:.2} {:.2} {:.2} brier {:.4} ece {:.4} cut {:?} contrib {:?}",
        100. * f.spam_recall,
        100. * f.ham_lost,
        100. * f.unsure_spam,
        100. * f.unsure_ham,
        f.one_minus_auc_percent,
        100. * f.recall_at[0],
        100. * f.recall_at[1],
        100. * f.recall_at[2],
        f.brier,
        f.expected_error,
        pupil.filter().labels()[0].cuts.above,
        f.contributions.map(|c| (c.found, c.missed, c.lost, c.kept))
    );
}
fn main() {
    let what = std::env::args().nth(1).unwrap();
    let bits: u32 = std::env::args().nth(2).map_or(20, |b| b.parse().unwrap());
    let labels = vec!["ham".to_owned(), "spam".to_owned()];
    let words = Stages { sender: false, similarity: false, words: true };
    if what == "enron" {
        let split = Split::read(Path::new("/tmp/tamis-data")).unwrap();
        let novelty = Novelty::of(&split.training, &split.testing).unwrap();
        for order in 0..3 {
            for (name, stages) in [("words", words), ("all", Stages::ALL)] {
                let options =
                    Options { bits, body_only: true, order, stages, ..Options::default() };
                let (pupil, judged) =
                    train_and_test(&split.labels, &split.training, &split.testing, options)
                        .unwrap();
                show(&format!("enron {name} {order}"), &pupil, &judged);
                let (copies, novel): (Vec<_>, Vec<_>) =
                    judged.into_iter().enumerate().partition(|(i, _)| novelty.is_copy(*i));
                let novel: Vec<Judged> = novel.into_iter().map(|x| x.1).collect();
                let copies: Vec<Judged> = copies.into_iter().map(|x| x.1).collect();
                show(&format!("  novel {}", novel.len()), &pupil, &novel);
                show(&format!("  copies {}", copies.len()), &pupil, &copies);
            }
        }
        let mut all = split.training.clone();
        all.extend(split.testing.clone());
        for (name, stages) in [("words", words), ("all", Stages::ALL)] {
            let options = Options { bits, body_only: true, stages, ..Options::default() };
            let (pupil, judged) = online(&split.labels, &all, options).unwrap();
            show(&format!("online all {name}"), &pupil, &judged);
            let (pupil, judged) = online(&split.labels, &split.training, options).unwrap();
            show(&format!("online training {name}"), &pupil, &judged);
        }
    }
    if what == "worst" {
        let split = Split::read(Path::new("/tmp/tamis-data")).unwrap();
        let novelty = Novelty::of(&split.training, &split.testing).unwrap();
        let options = Options { bits, body_only: true, stages: words, ..Options::default() };
        let (_, judged) =
            train_and_test(&split.labels, &split.training, &split.testing, options).unwrap();
        let ham: Vec<f64> = judged
            .iter()
            .filter(|j| j.label == 0)
            .map(|j| j.judgement.evidence[0].score())
            .collect();
        let mut rows: Vec<(usize, f64, usize, String, bool)> = judged
            .iter()
            .enumerate()
            .filter(|(_, j)| j.label == 1)
            .map(|(i, j)| {
                let s = j.judgement.evidence[0].score();
                (
                    ham.iter().filter(|h| **h >= s).count(),
                    s,
                    split.testing[i]
                        .raw
                        .split(|b| b.is_ascii_whitespace())
                        .filter(|w| !w.is_empty())
                        .count(),
                    split.testing[i].path.display().to_string(),
                    novelty.is_copy(i),
                )
            })
            .collect();
        rows.sort_by(|a, b| b.0.cmp(&a.0));
        let total: usize = rows.iter().map(|r| r.0).sum();
        println!("total {total}");
        for r in rows.iter().take(60) {
            println!("{r:?}");
        }
        let mut rows: Vec<(f64, usize, String, bool)> = judged
            .iter()
            .enumerate()
            .filter(|(_, j)| j.label == 0)
            .map(|(i, j)| {
                (
                    j.judgement.evidence[0].score(),
                    split.testing[i].raw.len(),
                    split.testing[i].path.display().to_string(),
                    novelty.is_copy(i),
                )
            })
            .collect();
        rows.sort_by(|a, b| b.0.total_cmp(&a.0));
        for r in rows.iter().take(25) {
            println!("ham {r:?}");
        }
    }
    if what == "people" {
        // Inside the training part: leave one mailbox of ham out.
        let split = Split::read(Path::new("/tmp/tamis-data")).unwrap();
        for person in ["beck", "farmer", "kitchen"] {
            let (out, rest): (Vec<Example>, Vec<Example>) = split
                .training
                .iter()
                .cloned()
                .partition(|e| e.label == 0 && e.path.to_string_lossy().contains(person));
            for order in 0..2 {
                let options = Options { bits, body_only: true, order, ..Options::default() };
                let mut test = out.clone();
                let (spam_out, rest): (Vec<_>, Vec<_>) = rest
                    .clone()
                    .into_iter()
                    .enumerate()
                    .partition(|(i, e)| e.label == 1 && i % 5 == 0);
                let rest: Vec<Example> = rest.into_iter().map(|x| x.1).collect();
                test.extend(spam_out.into_iter().map(|x| x.1));
                let (pupil, judged) = train_and_test(&split.labels, &rest, &test, options).unwrap();
                show(&format!("without {person} {order}"), &pupil, &judged);
            }
        }
    }
    let _ = labels;
}
#[allow(dead_code)]
fn worst() {}

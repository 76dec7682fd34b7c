//! `tamis-bench mail`: the mail filter beside bogofilter and spamprobe, on the same messages.

mod folds;
mod peers;

use anyhow::Context as _;
use folds::Division;
use peers::Peer;
use std::path::{Path, PathBuf};
use tamis_mail::evaluation::{Example, Options, findings, ranking, train_and_test};

/// What to compare.
#[derive(clap::Args)]
pub(crate) struct MailArguments {
    /// A folder of folders of messages; those whose name starts with `spam` are spam
    collection: PathBuf,
}

pub(crate) fn run(arguments: &MailArguments) -> anyhow::Result<()> {
    let all = read(&arguments.collection)?;
    let labels = ["ham".to_owned(), "spam".to_owned()];
    for division in Division::ALL {
        let parts = division.parts(&all);
        let mut ours = Vec::new();
        let mut peer = Vec::new();
        let mut probabilities = Vec::new();
        for (training, testing) in &parts {
            let options = Options {
                bits: std::env::var("BITS").map_or(20, |b| b.parse().unwrap()),
                ..Options::default()
            };
            let (pupil, judged) = train_and_test(&labels, training, testing, options)?;
            let f = findings(&pupil, &judged);
            eprintln!(
                "  auc {:.4} R.1 {:.2} recall {:.2} lost {:.3} ece {:.4} {:?}",
                f.one_minus_auc_percent,
                100.0 * f.recall_at[0],
                100. * f.spam_recall,
                100. * f.ham_lost,
                f.expected_error,
                f.contributions
            );
            ours.push((
                f.one_minus_auc_percent,
                f.recall_at[0],
                f.expected_error,
                f.spam_recall,
                f.ham_lost,
            ));
            for j in &judged {
                probabilities.push((j.judgement.probability, j.label == 1));
            }
            eprintln!("cuts {:?}", pupil.filter().labels()[0].cuts);
            let store = tempfile::tempdir()?;
            let files = |of: &[Example], spam: bool| -> Vec<PathBuf> {
                of.iter().filter(|e| (e.label == 1) == spam).map(|e| e.path.clone()).collect()
            };
            if std::env::var("PEER").is_ok() {
                Peer::Bogofilter.learn(store.path(), true, &files(training, true))?;
                Peer::Bogofilter.learn(store.path(), false, &files(training, false))?;
                let names: Vec<PathBuf> = testing.iter().map(|e| e.path.clone()).collect();
                let scores: Vec<(f64, bool)> = Peer::Bogofilter
                    .check(store.path(), &names)?
                    .into_iter()
                    .zip(testing)
                    .map(|(s, e)| (s, e.label == 1))
                    .collect();
                peer.push((
                    100.0 * ranking::one_minus_auc(&scores),
                    ranking::recall_at(&scores, 0.001),
                ));
                eprintln!("  bogo {:?}", peer.last());
            }
        }
        for b in 0..10 {
            let v: Vec<_> =
                probabilities.iter().filter(|p| ((p.0 * 10.0) as usize).min(9) == b).collect();
            eprint!(
                "[{} {:.3} {:.3}] ",
                v.len(),
                v.iter().map(|p| p.0).sum::<f64>() / v.len() as f64,
                v.iter().filter(|p| p.1).count() as f64 / v.len() as f64
            );
        }
        eprintln!("pooled ece {:.4}", ranking::expected_error(&probabilities));
        let n = parts.len() as f64;
        println!(
            "{:20} ours auc {:.4} R.1 {:.2} ece {:.4} recall {:.2} lost {:.3} | bogo {:.4} {:.2}",
            division.name(),
            ours.iter().map(|o| o.0).sum::<f64>() / n,
            100.0 * ours.iter().map(|o| o.1).sum::<f64>() / n,
            ours.iter().map(|o| o.2).sum::<f64>() / n,
            100. * ours.iter().map(|o| o.3).sum::<f64>() / n,
            100. * ours.iter().map(|o| o.4).sum::<f64>() / n,
            peer.iter().map(|o| o.0).sum::<f64>() / n,
            100.0 * peer.iter().map(|o| o.1).sum::<f64>() / n
        );
    }
    Ok(())
}

fn read(collection: &Path) -> anyhow::Result<Vec<Example>> {
    let mut all = Vec::new();
    let folders = std::fs::read_dir(collection)
        .with_context(|| format!("cannot read {}", collection.display()))?;
    for folder in folders {
        let folder = folder?;
        let label = u8::from(folder.file_name().to_string_lossy().starts_with("spam"));
        let mut paths: Vec<PathBuf> = Vec::new();
        for file in std::fs::read_dir(folder.path())? {
            paths.push(file?.path());
        }
        paths.sort();
        for path in paths {
            all.push(Example { raw: std::fs::read(&path)?, path, label });
        }
    }
    Ok(all)
}

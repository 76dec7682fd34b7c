//! A few verdicts of an evaluation with their reasons, for a person to read.

use crate::output::{Output, escaped};
use tamis_mail::evaluation::{Example, Judged, Pupil};
use tamis_mail::explain::{Known, reasons};
use tamis_mail::filter::Verdict;
use tamis_mail::message::Message;

/// Prints the surest spam, the message closest to the cut and the surest ham.
pub fn print(
    pupil: &Pupil,
    testing: &[Example],
    judged: &[Judged],
    out: &mut Output,
) -> anyhow::Result<()> {
    let chosen = chosen(pupil, judged);
    if chosen.is_empty() {
        return Ok(());
    }
    out.text("\nwhy, for example\n")?;
    for place in chosen {
        let (Some(example), Some(Judged { judgement, .. })) =
            (testing.get(place), judged.get(place))
        else {
            continue;
        };
        let word = pupil.filter().verdict(judgement.verdict);
        let name = example.path.display().to_string();
        out.text(format_args!(
            "{}: {word}, {:.1} % probably spam\n",
            escaped(name.as_bytes()),
            100.0 * judgement.probability
        ))?;
        let message = Message::parse(&example.raw);
        let traits = pupil.read(&example.raw);
        let known = Known { filter: pupil.filter(), reader: pupil.reader() };
        for reason in reasons(known, &message, &traits, judgement) {
            out.text(format_args!("    {}\n", escaped(reason.to_string().as_bytes())))?;
        }
    }
    out.text("\n")?;
    Ok(())
}

/// The places of the messages that are explained.
fn chosen(pupil: &Pupil, judged: &[Judged]) -> Vec<usize> {
    let score = |place: &usize| judged[*place].judgement.score;
    let with = |wanted: fn(Verdict) -> bool| {
        let places = 0..judged.len();
        places.filter(move |place| wanted(judged[*place].judgement.verdict)).collect::<Vec<_>>()
    };
    let by_score = |a: &usize, b: &usize| score(a).total_cmp(&score(b));
    let spam = with(Verdict::is_spam).into_iter().max_by(by_score);
    let cut = pupil.filter().cuts().lowest_spam();
    let distance = |place: &usize| (score(place) - cut).abs();
    let unsure = with(|verdict| verdict == Verdict::Unsure).into_iter();
    let unsure = unsure.min_by(|a, b| distance(a).total_cmp(&distance(b)));
    let ham = with(|verdict| !verdict.is_spam() && verdict != Verdict::Unsure).into_iter();
    let ham = ham.min_by(by_score);
    [spam, unsure, ham].into_iter().flatten().collect()
}

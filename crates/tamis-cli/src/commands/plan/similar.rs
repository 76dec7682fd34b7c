//! `tamis plan similar`: what will be found, and what compared in vain.

use crate::exit::ExitCode;
use crate::hints::Hint;
use crate::output::Output;
use crate::values::{self, Percent};
use clap::Args;
use serde_json::json;
use tamis::similar::lsh::Bands;
use tamis::similar::{Signer, signature};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tamis plan similar --threshold 0.8
  tamis plan similar --threshold 0.8 --expected-error 0.05
  tamis plan similar --at-most 0.6:1% --at-least 0.9:99%")]
pub struct SimilarArgs {
    /// The similarity from which on pairs are wanted
    #[arg(long, short, value_parser = values::rate, required_unless_present = "at_least")]
    threshold: Option<f64>,

    /// Components of a signature: 1 to 4096
    #[arg(long, value_name = "K", conflicts_with = "expected_error")]
    components: Option<usize>,

    /// As many components as estimates with this standard error need
    #[arg(long, value_name = "E", value_parser = values::rate)]
    expected_error: Option<f64>,

    /// The part of the pairs at the threshold that must be found
    #[arg(long, value_parser = values::rate, default_value = "0.995")]
    recall: f64,

    /// SIMILARITY:PART, at most this part of the pairs of this similarity are candidates
    #[arg(long, value_name = "S:P", value_parser = requirement, requires = "at_least", conflicts_with = "threshold")]
    at_most: Option<(f64, f64)>,

    /// SIMILARITY:PART, at least this part of the pairs of this similarity are candidates
    #[arg(long, value_name = "S:P", value_parser = requirement, requires = "at_most")]
    at_least: Option<(f64, f64)>,

    /// One JSON document, with the curve
    #[arg(long)]
    json: bool,
}

fn requirement(text: &str) -> Result<(f64, f64), String> {
    let (similarity, part) =
        text.split_once(':').ok_or("write a similarity and a part, such as 0.6:1%")?;
    Ok((values::rate(similarity)?, values::rate(part)?))
}

/// A way to choose the bands.
struct Choice {
    rule: &'static str,
    bands: Bands,
}

pub fn run(args: &SimilarArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let (threshold, choices) = match (args.at_most, args.at_least) {
        (Some(low), Some(high)) => {
            let bands = Bands::for_requirements(low, high)?;
            (high.0, vec![Choice { rule: "requirements", bands }])
        }
        _ => {
            let threshold = args.threshold.unwrap_or(0.8);
            (threshold, choices(args, threshold)?)
        }
    };
    let components = choices.iter().map(|choice| choice.bands.components()).max().unwrap_or(0);
    let components = components.max(chosen_components(args)?.unwrap_or(0));
    let signer = Signer::new(components.max(signature::MIN_COMPONENTS))?;
    let error = (0.25 / signer.components() as f64).sqrt();
    if args.json {
        let choices: Vec<_> = choices
            .iter()
            .map(|Choice { rule, bands }| {
                let (in_vain, missed) = bands.areas(threshold);
                json!({
                    "rule": rule,
                    "bands": bands.bands,
                    "rows": bands.rows,
                    "found_at_threshold": bands.probability(threshold),
                    "area_in_vain": in_vain,
                    "area_missed": missed,
                    "curve": bands.curve(101),
                })
            })
            .collect();
        out.json(&json!({
            "threshold": threshold,
            "components": signer.components(),
            "largest_standard_error": error,
            "bytes_per_document": signer.components() * 4,
            "choices": choices,
        }))?;
        return Ok(ExitCode::Yes);
    }
    out.text(format_args!(
        "{} components: estimates within {error:.3} (one standard error, at similarity 0.5)\n\n",
        signer.components()
    ))?;
    table(&choices, threshold, out)?;
    Ok(ExitCode::Yes)
}

fn chosen_components(args: &SimilarArgs) -> anyhow::Result<Option<usize>> {
    match (args.components, args.expected_error) {
        (Some(components), _) => Ok(Some(Signer::new(components)?.components())),
        (_, Some(error)) => Ok(Some(Signer::with_expected_error(error)?.components())),
        (None, None) if args.at_least.is_some() => Ok(None),
        (None, None) => Ok(Some(128)),
    }
}

fn choices(args: &SimilarArgs, threshold: f64) -> anyhow::Result<Vec<Choice>> {
    let components = chosen_components(args)?.unwrap_or(128);
    let recall = Bands::for_recall(components, threshold, args.recall)?;
    if recall.probability(threshold) < args.recall {
        let most = Percent(recall.probability(threshold));
        return Err(anyhow::anyhow!("{components} components find at most {most} there")
            .context(Hint("ask for more --components or less --recall")));
    }
    Ok(vec![
        Choice { rule: "recall", bands: recall },
        Choice { rule: "trade-off", bands: Bands::for_trade_off(components, threshold, 0.5)? },
        Choice { rule: "steepest", bands: Bands::for_threshold(components, threshold)? },
    ])
}

/// Similarities at which the curve is shown.
const SHOWN: [f64; 9] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

fn table(choices: &[Choice], threshold: f64, out: &mut Output) -> anyhow::Result<()> {
    out.text(format_args!("  {:12} {:>5} {:>4} {:>9}", "rule", "bands", "rows", "found at"))?;
    out.text("   candidates at similarity\n")?;
    out.text(format_args!("  {:12} {:>5} {:>4} {:>9.2}", "", "", "", threshold))?;
    for similarity in SHOWN {
        out.text(format_args!("{similarity:>9.1}"))?;
    }
    out.text("\n")?;
    for Choice { rule, bands } in choices {
        let found = Percent(bands.probability(threshold)).to_string();
        out.text(format_args!("  {rule:12} {:>5} {:>4} {found:>9}", bands.bands, bands.rows))?;
        for similarity in SHOWN {
            let percent = 100.0 * bands.probability(similarity);
            out.text(format_args!("{percent:>7.2} %"))?;
        }
        out.text("\n")?;
    }
    Ok(())
}

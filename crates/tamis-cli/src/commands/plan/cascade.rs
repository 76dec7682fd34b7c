//! `tamis plan cascade`: how large, before anything is built.

use crate::exit::ExitCode;
use crate::output::Output;
use crate::values::{self, grouped};
use clap::Args;
use serde_json::json;
use tamis::cascade::classic::Algorithm;
use tamis::plan::CascadePlan;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tamis plan cascade 1M 10M
  tamis plan cascade --reject 8 100k 2M 300k
  tamis plan cascade --equal 5 --json 12k")]
pub struct CascadeArgs {
    /// How many keys each category has: 250000, 250k, 1.5M, 1e6
    #[arg(required = true, value_name = "KEYS", value_parser = values::items)]
    keys: Vec<u64>,

    /// So many categories of that size each
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    equal: u32,

    /// Refuse keys that were not trained, but for one in 2^BITS
    #[arg(long, value_name = "BITS", default_value_t = 0)]
    reject: u32,

    /// One JSON document
    #[arg(long)]
    json: bool,
}

pub fn run(args: &CascadeArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let categories = args.keys.len().saturating_mul(args.equal as usize);
    let counts: Vec<u64> =
        args.keys.iter().copied().cycle().take(categories.min(1 << 20)).collect();
    let plan = CascadePlan::new(&counts, args.reject)?;
    let bound = plan.entropy_bits() / 8.0;
    let ratio = |bytes: u64| (bound > 0.0).then(|| bytes as f64 / bound);
    let classic = [Algorithm::Zero, Algorithm::One].map(|a| plan.classic_bytes(a.functions()));
    if args.json {
        let filters: Vec<_> =
            plan.filters.iter().map(|(c, b)| json!({ "category": c, "bits": b })).collect();
        out.json(&json!({
            "keys": plan.keys(), "categories": plan.counts.len(), "reject_bits": plan.reject,
            "bytes": plan.bytes(), "entropy_bytes": bound, "ratio": ratio(plan.bytes()),
            "filters": filters, "code_lengths": plan.code_lengths, "training_bytes": plan.training_bytes(),
            "bfc_bytes": classic,
        }))?;
        return Ok(ExitCode::Yes);
    }
    out.text(format_args!(
        "{} in {}:\n",
        values::counted(plan.keys(), "key"),
        values::categories(plan.counts.len())
    ))?;
    let mut row = |name: &str, value: String| out.text(format_args!("  {name:18}{value}\n"));
    let with_ratio = |bytes: u64| match ratio(bytes) {
        Some(ratio) => format!("{}, {ratio:.3} of the least possible", values::size(bytes)),
        None => values::size(bytes),
    };
    row("entropy bound", values::size(bound.ceil() as u64))?;
    row("tamis", with_ratio(plan.bytes()))?;
    for (category, bits) in &plan.filters {
        let keys = grouped(plan.counts[*category]);
        row("", format!("a filter of {bits} bits takes most of the category of {keys} keys away"))?;
    }
    let (least, most) = plan
        .code_lengths
        .iter()
        .filter(|length| **length > 0)
        .fold((u32::MAX, 0), |(least, most), &length| (least.min(length), most.max(length)));
    if most > 0 {
        row(
            "",
            match (least, most) {
                (1, 1) => "codes of 1 bit".to_owned(),
                (least, most) if least == most => format!("codes of {most} bits"),
                (least, most) => format!("codes of {least} to {most} bits"),
            },
        )?;
    }
    if plan.reject > 0 {
        row(
            "",
            format!("{} bits per key refuse others but for one in 2^{}", plan.reject, plan.reject),
        )?;
    }
    for (algorithm, bytes) in classic.into_iter().enumerate() {
        row(&format!("bfc, algorithm {algorithm}"), with_ratio(bytes))?;
    }
    row("to train", format!("{} of memory", values::size(plan.training_bytes())))?;
    Ok(ExitCode::Yes)
}

//! `tamis plan`: how large, how wrong, before anything is built.

mod cascade;
mod similar;

use crate::exit::ExitCode;
use crate::output::Output;
use crate::values::{self, Percent};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use tamis::filter::Layout;
use tamis::filter::{CounterWidth, StaticFilter};
use tamis::plan::{FilterPlan, Variant};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// From items and a rate or memory to layout, bits, functions, bytes and expected rate
    Filter(FilterArgs),
    /// From a threshold, or two requirements, to components, bands, rows and what they find
    Similar(similar::SimilarArgs),
    /// From the keys of each category to the size of a cascade
    Cascade(cascade::CascadeArgs),
}

impl Command {
    pub fn run(&self, out: &mut Output) -> anyhow::Result<ExitCode> {
        match self {
            Self::Filter(args) => filter(args, out),
            Self::Similar(args) => similar::run(args, out),
            Self::Cascade(args) => cascade::run(args, out),
        }
    }
}

/// How the bits of a key are placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LayoutArg {
    /// Anywhere: least memory
    Classic,
    /// In one cache line: most speed
    Blocked,
}

impl From<LayoutArg> for Layout {
    fn from(layout: LayoutArg) -> Self {
        match layout {
            LayoutArg::Classic => Self::Classic,
            LayoutArg::Blocked => Self::Blocked,
        }
    }
}

/// The width of a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CountingArg {
    /// Counts to 15
    #[value(name = "4")]
    Four,
    /// Counts to 255
    #[value(name = "8")]
    Eight,
}

impl From<CountingArg> for CounterWidth {
    fn from(width: CountingArg) -> Self {
        match width {
            CountingArg::Four => Self::Four,
            CountingArg::Eight => Self::Eight,
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  tamis plan filter --items 1M --rate 1%
  tamis plan filter --items 1M --memory 2M --json")]
pub struct FilterArgs {
    /// How many different keys: 250000, 250k, 1.5M, 1e6
    #[arg(long, value_parser = values::items)]
    items: u64,

    /// The wanted false-positive rate: 0.01 or 1%
    #[arg(long, value_parser = values::rate, required_unless_present = "memory")]
    rate: Option<f64>,

    /// The memory at hand: 64k, 2M, 1G; gives the least rate that fits
    #[arg(long, value_parser = values::bytes, conflicts_with = "rate")]
    memory: Option<u64>,

    /// Only this layout
    #[arg(long)]
    layout: Option<LayoutArg>,

    /// Counters of so many bits instead of bits
    #[arg(long)]
    counting: Option<CountingArg>,

    /// One JSON document
    #[arg(long)]
    json: bool,
}

fn filter(args: &FilterArgs, out: &mut Output) -> anyhow::Result<ExitCode> {
    let layouts = args.layout.map_or(vec![LayoutArg::Blocked, LayoutArg::Classic], |l| vec![l]);
    let variants: Vec<Variant> = layouts
        .into_iter()
        .map(|layout| Variant {
            layout: layout.into(),
            counting: args.counting.map(CounterWidth::from),
        })
        .collect();
    let plan = |variant| match (args.rate, args.memory) {
        (_, Some(memory)) => FilterPlan::for_memory(variant, args.items, memory),
        (rate, None) => FilterPlan::for_rate(variant, args.items, rate.unwrap_or(0.01)),
    };
    let plans = variants.iter().map(|&variant| plan(variant)).collect::<Result<Vec<_>, _>>()?;
    let neighbours = neighbours(args, args.rate.unwrap_or(plans[0].expected_rate));

    let rate = args.rate.unwrap_or(plans[0].expected_rate);
    let built_once = StaticFilter::expected_bits(args.items, rate).ok();

    if args.json {
        let list = |plans: &[FilterPlan]| plans.iter().map(as_json).collect::<Vec<Value>>();
        let built_once = built_once.map(|bits| {
            json!({ "bits": bits.ceil() as u64, "bits_per_item": bits / args.items.max(1) as f64, "bytes": (bits / 8.0).ceil() as u64 })
        });
        out.json(&json!({ "plans": list(&plans), "neighbours": list(&neighbours), "static": built_once }))?;
        return Ok(ExitCode::Yes);
    }
    out.text(format_args!("{}\n", heading(args)))?;
    table(&plans, out)?;
    if let Some(bits) = built_once {
        out.text(format_args!(
            "  {:10} {:>8} {:>12.2} {:>14} {:>10} {:>10} {:>14}  built once\n",
            "static",
            "-",
            bits / args.items.max(1) as f64,
            values::grouped(bits.ceil() as u64),
            1,
            values::size((bits / 8.0).ceil() as u64),
            Percent(rate),
        ))?;
    }
    out.text("\nOther choices for as many keys:\n")?;
    table(&neighbours, out)?;
    Ok(ExitCode::Yes)
}

fn heading(args: &FilterArgs) -> String {
    let items = values::grouped(args.items);
    match (args.rate, args.memory) {
        (_, Some(memory)) => format!("{items} keys in {}:", values::size(memory)),
        (rate, None) => format!("{items} keys, {} false positives:", Percent(rate.unwrap_or(0.01))),
    }
}

/// The same keys at ten times the rate and a tenth of it, in every layout that can.
fn neighbours(args: &FilterArgs, rate: f64) -> Vec<FilterPlan> {
    let mut plans = Vec::new();
    for factor in [10.0, 1.0, 0.1, 0.01] {
        for counting in [None, Some(CounterWidth::Four), Some(CounterWidth::Eight)] {
            for layout in [Layout::Blocked, Layout::Classic] {
                let variant = Variant { layout, counting };
                if counting.is_some() && factor != 1.0 {
                    continue;
                }
                // A neighbour past the end of what is possible is no neighbour.
                plans.extend(FilterPlan::for_rate(variant, args.items, rate * factor));
            }
        }
    }
    plans
}

fn table(plans: &[FilterPlan], out: &mut Output) -> anyhow::Result<()> {
    out.text(format_args!(
        "  {:10} {:>8} {:>12} {:>14} {:>10} {:>10} {:>14}\n",
        "layout", "counters", "bits per key", "bits", "functions", "memory", "expected rate"
    ))?;
    for plan in plans {
        let counters = plan.variant.counting.map_or("-".into(), |w| format!("{} bit", w.bits()));
        out.text(format_args!(
            "  {:10} {:>8} {:>12.2} {:>14} {:>10} {:>10} {:>14}\n",
            plan.variant.layout.name(),
            counters,
            plan.bits_per_item(),
            values::grouped(plan.bits),
            plan.hashes,
            values::size(plan.bytes()),
            Percent(plan.expected_rate),
        ))?;
    }
    Ok(())
}

fn as_json(plan: &FilterPlan) -> Value {
    json!({
        "layout": plan.variant.layout.name(),
        "counter_bits": plan.variant.counting.map(CounterWidth::bits),
        "items": plan.items,
        "bits": plan.bits,
        "bits_per_item": plan.bits_per_item(),
        "hashes": plan.hashes,
        "bytes": plan.bytes(),
        "false_positive_rate": plan.expected_rate,
    })
}

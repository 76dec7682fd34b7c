//! `tamis filter build`: a filter of lines.

use crate::commands::plan::{CountingArg, LayoutArg};
use crate::exit::ExitCode;
use crate::hints::Hint;
use crate::input::{self, KeyInput};
use crate::progress::Progress;
use crate::values;
use anyhow::Context;
use clap::Args;
use std::path::PathBuf;
use tamis::filter::Layout;
use tamis::filter::{
    AnyFilter, BlockedBloomFilter, BloomFilter, CounterWidth, CountingFilter, GrowingFilter,
    RotatingFilter, SignatureFilter, StaticFilterBuilder,
};
use tamis::hash::{Algorithm, KeyHash};
use tamis::plan::{FilterPlan, Variant};
use tamis_corpus::keys;

#[derive(Debug, Args)]
#[command(
    after_help = "Without --items, files are counted first; standard input goes into a growing filter.

Examples:
  tamis filter build --items 1M --rate 1% -o seen.tamis addresses.txt
  tamis filter build --counting 4 -o words.tamis words.txt
  zcat log.gz | tamis filter build --growing -o log.tamis
  tamis filter build --rotating 30 --items 100k -o month.tamis today.txt
  seq 1000 | tamis filter build --items 1000 --integers -o numbers.tamis
  tamis filter build --static --rate 0.01% -o known.tamis addresses.txt
  tamis filter build --signatures --hex -o worms.tamis signatures.txt"
)]
pub struct BuildArgs {
    /// The filter to write; `-` for standard output
    #[arg(short, long, value_name = "FILTER")]
    output: PathBuf,

    /// For how many different keys: 250000, 250k, 1.5M, 1e6 (of each generation with --rotating)
    #[arg(long, value_parser = values::items)]
    items: Option<u64>,

    /// The wanted false-positive rate: 0.01 or 1%
    #[arg(long, value_parser = values::rate, default_value = "0.01")]
    rate: f64,

    /// The memory at hand, instead of a rate: 64k, 2M, 1G
    #[arg(long, value_parser = values::bytes, conflicts_with_all = ["rate", "growing", "rotating", "signatures"])]
    memory: Option<u64>,

    /// How the bits of a key are placed
    #[arg(long, default_value = "blocked")]
    layout: LayoutArg,

    /// Counters of so many bits instead of bits, for `count` and `remove`
    #[arg(long, value_name = "BITS")]
    counting: Option<CountingArg>,

    /// Grow with the number of keys
    #[arg(long, conflicts_with = "counting")]
    growing: bool,

    /// So many generations, of which `add --rotate` forgets the oldest
    #[arg(long, value_name = "N", conflicts_with_all = ["counting", "growing"])]
    rotating: Option<u32>,

    /// Built once from all keys, and smallest: nothing can be added
    #[arg(long = "static", conflicts_with_all = ["counting", "growing", "rotating", "signatures", "items", "memory", "layout"])]
    built_once: bool,

    /// Keys are byte strings for `scan` to look for
    #[arg(long, conflicts_with_all = ["counting", "growing", "rotating", "items", "integers"])]
    signatures: bool,

    /// With --signatures: each line is hexadecimal
    #[arg(long, requires = "signatures")]
    hex: bool,

    /// The hash: xxh3, farmhash64 or murmur3
    #[arg(long, default_value_t)]
    hash: Algorithm,

    /// The seed of the hash: a number, or `random`
    #[arg(long, value_parser = values::seed, default_value = "0")]
    seed: u64,

    #[command(flatten)]
    input: KeyInput,
}

pub fn run(args: &BuildArgs) -> anyhow::Result<ExitCode> {
    let filter = match (args.signatures, args.built_once) {
        (true, _) => signatures(args)?,
        (_, true) => built_once(args)?,
        _ => filled(args)?,
    };
    input::warn_if_overfull(&filter);
    let _lock = input::lock(&args.output)?;
    input::save_filter(&args.output, &filter)?;
    Ok(ExitCode::Yes)
}

fn filled(args: &BuildArgs) -> anyhow::Result<AnyFilter> {
    let mut filter = empty(args)?;
    let hash = *filter.hash();
    let insert = filter.as_insert()?;
    args.input.for_each_batch("building", &hash, |_, hashes| {
        insert.record_keys(args.input.kinds());
        insert.insert_many_hashes(hashes);
        Ok(())
    })?;
    Ok(filter)
}

/// The filter that the arguments ask for, with nothing in it.
fn empty(args: &BuildArgs) -> anyhow::Result<AnyFilter> {
    let hash = KeyHash::with_algorithm(args.hash, args.seed);
    let layout = Layout::from(args.layout);
    let items = match args.items {
        Some(items) => Some(items),
        None if args.growing => None,
        None => count(args)?,
    };
    if let Some(generations) = args.rotating {
        let items = items.context(Hint("say how many keys a generation has: --items N"))?;
        let filter = RotatingFilter::with_false_positive_rate(generations, items, args.rate)?;
        return Ok(AnyFilter::Rotating(filter.with_hash(hash)));
    }
    let Some(items) = items.filter(|_| !args.growing) else {
        if args.counting.is_some() || args.memory.is_some() {
            return Err(anyhow::anyhow!(
                "the number of keys on standard input is not known beforehand"
            )
            .context(Hint("say it with --items N, or give files")));
        }
        return growing(layout, items.unwrap_or(FIRST_ITEMS), args.rate, hash);
    };
    let rate = match args.memory {
        None => args.rate,
        Some(memory) => {
            let variant = Variant { layout, counting: args.counting.map(CounterWidth::from) };
            return sized(&FilterPlan::for_memory(variant, items, memory)?, hash);
        }
    };
    Ok(match (args.counting, layout) {
        (Some(width), _) => AnyFilter::Counting(
            CountingFilter::placed(layout, width.into(), items, rate)?.with_hash(hash),
        ),
        (None, Layout::Classic) => {
            AnyFilter::Classic(BloomFilter::with_false_positive_rate(items, rate)?.with_hash(hash))
        }
        (None, Layout::Blocked) => AnyFilter::Blocked(
            BlockedBloomFilter::with_false_positive_rate(items, rate)?.with_hash(hash),
        ),
    })
}

/// The first size of a growing filter when nothing is known.
const FIRST_ITEMS: u64 = 10_000;

fn growing(layout: Layout, items: u64, rate: f64, hash: KeyHash) -> anyhow::Result<AnyFilter> {
    Ok(match layout {
        Layout::Classic => {
            AnyFilter::GrowingClassic(GrowingFilter::placed(items, rate)?.with_hash(hash))
        }
        Layout::Blocked => {
            AnyFilter::GrowingBlocked(GrowingFilter::placed(items, rate)?.with_hash(hash))
        }
    })
}

/// The filter of a plan.
fn sized(plan: &FilterPlan, hash: KeyHash) -> anyhow::Result<AnyFilter> {
    let FilterPlan { variant: Variant { layout, counting }, bits, hashes, .. } = *plan;
    Ok(match (counting, layout) {
        (Some(width), _) => AnyFilter::Counting(
            CountingFilter::with_bits(layout, width, bits, hashes)?.with_hash(hash),
        ),
        (None, Layout::Classic) => {
            AnyFilter::Classic(BloomFilter::with_bits(bits, hashes)?.with_hash(hash))
        }
        (None, Layout::Blocked) => {
            AnyFilter::Blocked(BlockedBloomFilter::with_bits(bits, hashes)?.with_hash(hash))
        }
    })
}

fn count(args: &BuildArgs) -> anyhow::Result<Option<u64>> {
    let mut progress = Progress::reading("counting", &args.input.files);
    let separator = args.input.separator();
    Ok(keys::count(&args.input.files, separator, |bytes| progress.advance(bytes as u64))?)
}

fn signatures(args: &BuildArgs) -> anyhow::Result<AnyFilter> {
    let list = super::scan::read_signatures(&args.input, args.hex)?;
    let hash = KeyHash::with_algorithm(args.hash, args.seed);
    Ok(AnyFilter::Signatures(SignatureFilter::build(&list, args.rate, hash)?))
}

fn built_once(args: &BuildArgs) -> anyhow::Result<AnyFilter> {
    let hash = KeyHash::with_algorithm(args.hash, args.seed);
    let mut builder = StaticFilterBuilder::new(args.rate)?.with_hash(hash);
    args.input.for_each_batch("reading", &hash, |_, hashes| {
        builder.record_keys(args.input.kinds());
        hashes.iter().for_each(|&hash| builder.insert_hash(hash));
        Ok(())
    })?;
    let progress = Progress::shared_keys("placing");
    Ok(AnyFilter::Static(builder.build_watched(&progress)?))
}

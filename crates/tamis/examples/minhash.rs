//! How similar two texts are, from 2 KiB of each: MinHash signatures of their word pairs.

use tamis::similar::{Shingler, Shingles, Signer, jaccard};

pub(crate) fn main() -> tamis::Result<()> {
    let shingler = Shingler::new(Shingles::Words(2));
    let words: Vec<String> = (0..400).map(|number| format!("word{number}")).collect();
    let (old, new) = (words[..300].join(" "), words[100..].join(" "));
    let sets = [shingler.set(&old), shingler.set(&new)];

    let signer = Signer::new(256)?;
    let signatures = sets.clone().map(|set| signer.sign(&set));
    let estimate = signatures[0].similarity(&signatures[1])?;
    let exact = jaccard::similarity(&sets[0], &sets[1]);
    println!("estimated {estimate:.3}, exact {exact:.3}");
    assert!((estimate - exact).abs() < 0.15);
    Ok(())
}

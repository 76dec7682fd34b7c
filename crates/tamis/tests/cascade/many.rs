//! One by one, all at once, in memory, in a file: always the same answer.

use tamis::cascade::{Answer, Cascade, Trainer};
use tamis::filter::{Line, Mapped, Stored};
use tamis::hash::KeyHash;

fn trained(sizes: &[u64], reject: u32) -> Cascade {
    let mut trainer = Trainer::new(KeyHash::new(11));
    let mut key = 0u64;
    for (number, size) in sizes.iter().enumerate() {
        let category = trainer.category(format!("category {number}")).expect("few");
        for _ in 0..*size {
            trainer.insert(category, &key);
            key += 1;
        }
    }
    trainer.build(reject).expect("sound")
}

/// A batch has 64 keys; these are neither a multiple of that nor all known.
#[test]
fn batches_and_mapped_files_answer_as_single_questions_do() {
    let many: Vec<u64> = (1..=100).map(|number| number * 7).collect();
    // Equal ones, a common one behind a filter, a long code, one alone, none.
    for sizes in [&[900, 900, 900][..], &[40, 9000], &many, &[70], &[0]] {
        for reject in [0, 5] {
            let cascade = trained(sizes, reject);
            let keys: Vec<u64> = (0..sizes.iter().sum::<u64>() + 777).collect();
            let single: Vec<Answer> = keys.iter().map(|key| cascade.classify(key)).collect();
            assert!(cascade.classify_many(&keys) == single, "{sizes:?}");

            let mut bytes = Vec::new();
            cascade.write(&mut bytes).expect("a vector takes everything");
            let mut lines = vec![Line::default(); bytes.len() / 64];
            bytemuck::cast_slice_mut(&mut lines).copy_from_slice(&bytes);
            let lines: &[u8] = bytemuck::cast_slice(&lines);
            let mapped = Cascade::<Mapped<&[u8]>>::in_place(lines).expect("we wrote it");
            assert!(mapped.classify_many(&keys) == single, "{sizes:?}");
            assert_eq!(mapped.to_owned().expect("there is memory"), cascade);

            let mut key = 0;
            for (number, size) in sizes.iter().enumerate() {
                for _ in 0..*size {
                    assert_eq!(single[key].category(), Some(number as u32), "{sizes:?}");
                    key += 1;
                }
            }
        }
    }
}
